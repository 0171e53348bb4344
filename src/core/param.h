/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A parameter that a user can set: its name, range and meaning, in one place.
 * Tables of these describe the guards and every policy; help texts, error
 * messages and documents are made from them.
 */
#ifndef GP_CORE_PARAM_H
#define GP_CORE_PARAM_H

#include "gp_port.h"

/**
 * struct gp_param_desc - one parameter
 * @name: name; ends in its unit (_ns, _ppm) unless it is a count
 * @doc: one line for people
 * @min: smallest legal value
 * @max: largest legal value
 * @def: default
 * @offset: where its u64 lives in the owner's parameter struct
 */
struct gp_param_desc {
	const char *name;
	const char *doc;
	u64 min;
	u64 max;
	u64 def;
	size_t offset;
};

#endif
