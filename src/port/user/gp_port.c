// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gp_port.h"

#include <stdio.h>
#include <stdlib.h>

static bool counting;
static unsigned int nr_warnings;

void gp_port_warn(const char *file, int line, const char *cond)
{
	nr_warnings++;
	if (counting)
		return;
	fprintf(stderr, "gpreempt: %s:%d: warning: %s\n", file, line, cond);
#ifndef NDEBUG
	abort();
#endif
}

unsigned int gp_port_warn_count(void)
{
	unsigned int n = nr_warnings;

	counting = true;
	nr_warnings = 0;
	return n;
}
