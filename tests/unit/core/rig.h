/* SPDX-License-Identifier: MIT */
/*
 * A scheduler on a bench: one or two nodes, entities with one queue each, a
 * clock, and a mechanism that answers when it is told to, or by itself.
 */
#ifndef GP_TESTS_UNIT_CORE_RIG_H
#define GP_TESTS_UNIT_CORE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sched.h"
#include "core/sched_types.h"

#define RIG_ENTITIES 128
#define RIG_SHARES 64

/**
 * struct rig - the bench
 * @s: scheduler
 * @mem: its memory
 * @now_ns: time
 * @timer_ns: timer of node 0
 * @switch_ns: how long switches take; 0 = only rig_done() answers them
 * @sw: last switch
 * @sw_start_ns: when it began
 * @in_flight: it has not been answered
 * @nr_switches: switches seen
 * @reports: bit mask of all reports since rig_forget()
 * @nr: entities
 * @id: entities
 * @queue: their queues
 * @out: actions of the last event
 */
struct rig {
	struct gp_sched *s;
	void *mem;
	u64 now_ns;
	u64 timer_ns;
	u64 switch_ns;
	struct gp_switch sw;
	u64 sw_start_ns;
	bool in_flight;
	u32 nr_switches;
	u32 reports;
	u32 nr;
	u64 id[RIG_ENTITIES];
	u64 queue[RIG_ENTITIES];
	struct gp_actions out;
};

/* cmocka setup and teardown; *state is the rig. */
int rig_setup(void **state);
int rig_teardown(void **state);

void rig_param(struct rig *r, const char *name, u64 value);
void rig_policy(struct rig *r, const char *name);

/* Each returns the number of the new entity. */
u32 rig_add(struct rig *r, u8 prio);
u32 rig_add_attr(struct rig *r, const struct gp_attr *attr);

void rig_busy(struct rig *r, u32 e);
void rig_idle(struct rig *r, u32 e);
/* A request ended; the next one arrived at @since_ns. */
void rig_progress(struct rig *r, u32 e, u64 since_ns);
void rig_remove(struct rig *r, u32 e);
void rig_prio(struct rig *r, u32 e, u8 prio);

/* Answers the switch in flight 30 us after it began; all ok, or all @result. */
void rig_done(struct rig *r);
void rig_done_with(struct rig *r, enum gp_result result);

/* Time passes; timers fire when due, and switches are answered if switch_ns says so. */
void rig_run(struct rig *r, u64 ns);
/* The timer fires now; early if it is not due. */
void rig_timer(struct rig *r);
/* Takes in the actions of an event that a test called by itself. */
void rig_take(struct rig *r);

enum gp_entity_state rig_state(struct rig *r, u32 e);
struct gp_entity *rig_entity(struct rig *r, u32 e);
u64 rig_ran(struct rig *r, u32 e);
enum gp_breaker_state rig_breaker(struct rig *r);
const struct gp_node_stats *rig_stats(struct rig *r);
bool rig_reported(struct rig *r, enum gp_report report);
bool rig_has_action(struct rig *r, enum gp_action_kind kind, u64 id);
void rig_forget(struct rig *r);
/* Is the entity to be preempted, resumed, by the last switch? */
bool rig_preempts(struct rig *r, u32 e);
bool rig_resumes(struct rig *r, u32 e);

#define assert_state(r, e, state_name) \
	assert_string_equal(gp_entity_state_name(rig_state(r, e)), \
			    gp_entity_state_name(GP_ENTITY_##state_name))
#define assert_breaker(r, state_name) \
	assert_string_equal(gp_breaker_state_name(rig_breaker(r)), \
			    gp_breaker_state_name(GP_BREAKER_##state_name))

#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

#endif
