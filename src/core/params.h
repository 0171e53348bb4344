/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parameters of a node as a set: defaults and lookup. Private to the core;
 * the caller of the event serialises.
 */
#ifndef GP_CORE_PARAMS_H
#define GP_CORE_PARAMS_H

#include "core/sched_types.h"

/**
 * gp_params_at() - where a parameter's value is
 * @p: parameters of a node
 * @desc: parameter
 *
 * Context: any.
 * Return: pointer to the value.
 */
static inline u64 *gp_params_at(struct gp_params *p, const struct gp_param_desc *desc)
{
	return (u64 *)((char *)p + desc->offset);
}

/**
 * gp_params_default() - set all parameters to their defaults
 * @p: parameters
 *
 * Context: any.
 */
void gp_params_default(struct gp_params *p);

#endif
