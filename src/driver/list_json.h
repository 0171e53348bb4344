/* SPDX-License-Identifier: MIT */
/*
 * DOC: Nodes, processes and queues as JSON
 *
 * The keys of the control interface (daemon/control/io.gpreempt.varlink) that stand for the
 * public structs. The daemon and the command write them, the library reads them. What only the
 * daemon knows it adds itself.
 *
 * The functions are not in the library of this folder: a program with jansson compiles
 * list_json.c, and needs src/driver for it.
 */
#ifndef GP_DRIVER_LIST_JSON_H
#define GP_DRIVER_LIST_JSON_H

#include "gpreempt/gpreempt.h"

#include <jansson.h>

/* X("key", member, kind): values of struct gpreempt_queue; a type is written as its name. */
#define DRV_QUEUE_VALUES(X)                 \
	X("type", type, type)               \
	X("priority", prio, number)         \
	X("ring_addr", ring_addr, number)   \
	X("ring_bytes", ring_bytes, number) \
	X("rptr_addr", rptr_addr, number)   \
	X("wptr_addr", wptr_addr, number)   \
	X("rptr", rptr, number)             \
	X("wptr", wptr, number)             \
	X("busy", busy, flag)

/* X(NAME, "name"): GPREEMPT_HELD_* and GPREEMPT_MECH_*. */
#define DRV_HELD(X)       \
	X(SCHED, "sched") \
	X(MANUAL, "manual")

#define DRV_MECHS(X)    \
	X(SHIM, "shim") \
	X(DBG, "dbg")   \
	X(SIM, "sim")   \
	X(KERNEL, "kernel")

/*
 * X(member): what is counted of a node, by the core, in the module's ABI, in messages and in
 * struct gpreempt_stats; the last three not there.
 */
#define DRV_STATS(X)      \
	X(nr_switches)    \
	X(nr_preemptions) \
	X(nr_resumes)     \
	X(nr_failed)      \
	X(nr_deadline)    \
	X(nr_starvation)  \
	X(cost_ns)        \
	X(off_max_ns)

#define DRV_STATS_ALL(X)   \
	DRV_STATS(X)       \
	X(nr_events)       \
	X(nr_rate_limited) \
	X(nr_left_to_finish)

/* A member of a struct: true or false, or an integer. */
#define drv_json_member(m) \
	_Generic((m), bool: json_boolean(m), default: json_integer((json_int_t)(m)))

/* An integer that is null if it is not known, a text that is null if it is empty. */
static inline json_t *drv_json_known(bool is_known, uint64_t value)
{
	return is_known ? json_integer((json_int_t)value) : json_null();
}

static inline json_t *drv_json_text(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* GPREEMPT_HELD_* as an array of names. */
json_t *drv_json_held(uint32_t held);

/* A Node without what the scheduler counts; simulated is false, breaker_reason null. */
json_t *drv_json_node(const struct gpreempt_node *n);

/* A Process; client and attributes are null, held, sees and notes empty. */
json_t *drv_json_process(const struct gpreempt_process *p, const char *mechanism);

/* A Queue; @by: what says its state and holds. */
json_t *drv_json_queue(const struct gpreempt_queue *q, const char *mechanism, const char *state,
		       enum gpreempt_source by);

#endif
