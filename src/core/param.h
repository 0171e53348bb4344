/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A parameter that a user can set: its name, range and meaning, in one place.
 * Tables of these describe the guards and every policy; help texts, error
 * messages and documents are made from them.
 */
#ifndef GP_CORE_PARAM_H
#define GP_CORE_PARAM_H

#include "gp_port.h"

/* One parameter. */
struct gp_param_desc {
	const char *name; /* name; ends in its unit (_ns, _ppm) unless it is a count */
	const char *doc;  /* one line for people */
	u64 min;	  /* smallest legal value */
	u64 max;	  /* largest legal value */
	u64 def;	  /* default */
	size_t offset;	  /* where its u64 lives in the owner's parameter struct */
};

#endif
