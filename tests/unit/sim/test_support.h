/* SPDX-License-Identifier: MIT */
/* cmocka wants these before its own header. */
#ifndef GP_TEST_SUPPORT_H
#define GP_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
