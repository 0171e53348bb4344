/* SPDX-License-Identifier: MIT */
/*
 * Programs of Debian's ROCm in root folders of their own: see vehicle/clients. A test
 * that uses this says "Needs: clients" in its first comment.
 */
#ifndef GT_ROOT_H
#define GT_ROOT_H

#include "gt/gt.h"

#define GT_ROOT_ROCR_5 "/clients/host"		/* Debian 12 */
#define GT_ROOT_ROCR_6 "/clients/trixie"	/* Debian 13 */

/* Makes the guest's own folders seen in a root. */
void gt_root_bind(const char *root);
/* The same for one with ROCr; skips the case if there is none. */
void gt_root_enter(const char *root);
void gt_root_leave(const char *root);

#endif
