// SPDX-License-Identifier: MIT
/*
 * Debian's libjansson.a is made for programs: its only reference that cannot be part
 * of a shared object is the one to libc's stdin. The build renames it to this, which
 * is never equal to a stream that is read from.
 */
#include <stdio.h>

extern FILE *lib_json_stdin;
FILE *lib_json_stdin;
