/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: What needs a right
 *
 * Whatever makes an entity more urgent than a limit needs the right to raise. Every
 * attribute is looked at by itself:
 *
 *   prio, weight       more is more
 *   latency_critical   set is more
 *   no_preempt         set is more
 *   deadline_ns        sooner is more, and none is least
 *   slice_ns           longer is more. The default of a policy is not known here: if the
 *                      limit is the default, only the default is within it, and a default
 *                      is within no other limit
 *
 * A caller with several limits (the defaults, a class that is open to all, what
 * the process has already) takes the intersection: what exceeds every limit is too much.
 *
 *	excess = gp_right_excess(wish, &def) & gp_right_excess(wish, &class->attr) &
 *		 gp_right_excess(wish, &old);
 *
 * gp_attr_copy() then takes the wishes back that go too far, or makes what a governor has
 * said of some attributes the new limit.
 */
#ifndef GP_RULES_RIGHT_H
#define GP_RULES_RIGHT_H

#include "core/sched.h"

/* Longest slice or deadline that a message or the configuration may name: an hour. */
#define GP_ATTR_TIME_MAX_NS 3600000000000ULL

/*
 * X(NAME, "name", member, min, max): attributes, one bit each. The bits are those of
 * GPREEMPT_ATTR_F_* in the module's ABI, the names those of messages, configuration and command
 * line, the members those of struct gp_attr and of every struct that has attributes.
 */
#define GP_ATTRS(X)                                                     \
	X(PRIO, "priority", prio, 0, GP_PRIO_MAX)                       \
	X(WEIGHT, "weight", weight, 1, GP_WEIGHT_MAX)                   \
	X(SLICE, "slice_ns", slice_ns, 0, GP_ATTR_TIME_MAX_NS)          \
	X(DEADLINE, "deadline_ns", deadline_ns, 0, GP_ATTR_TIME_MAX_NS) \
	X(LATENCY_CRITICAL, "latency_critical", latency_critical, 0, 1) \
	X(NO_PREEMPT, "no_preempt", no_preempt, 0, 1)

enum gp_attr_index {
#define X(name, ...) GP_ATTR_INDEX_##name,
	GP_ATTRS(X)
#undef X
		GP_ATTR_COUNT
};

enum gp_attr_bit {
#define X(name, ...) GP_ATTR_##name = 1 << GP_ATTR_INDEX_##name,
	GP_ATTRS(X)
#undef X
		GP_ATTR_ALL = (1 << GP_ATTR_COUNT) - 1
};

/**
 * gp_right_excess() - which attributes of a wish exceed a limit
 * @wish: what is asked for
 * @most: limit
 *
 * Return: enum gp_attr_bit of those that need the right to raise; 0 = none.
 */
u32 gp_right_excess(const struct gp_attr *wish, const struct gp_attr *most);

/**
 * gp_attr_copy() - take over some attributes
 * @to: changed
 * @from: source
 * @mask: enum gp_attr_bit of those to copy
 */
void gp_attr_copy(struct gp_attr *to, const struct gp_attr *from, u32 mask);

/**
 * gp_attr_differs() - in which attributes two differ
 * @a: attributes
 * @b: others
 *
 * Return: enum gp_attr_bit; 0 = they are the same.
 */
u32 gp_attr_differs(const struct gp_attr *a, const struct gp_attr *b);

/**
 * gp_attr_name() - the name of the first attribute in a mask
 * @mask: enum gp_attr_bit
 *
 * Return: as in GP_ATTRS, "unknown" for an empty mask.
 */
const char *gp_attr_name(u32 mask);

#endif
