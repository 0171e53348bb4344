/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a world share: world.c has the events, world_guard.c the guards that
 * excuse a decision, world_switch.c the rules of a switch, world_check.c all others.
 */
#ifndef GP_TESTS_MODEL_WORLD_CHECK_H
#define GP_TESTS_MODEL_WORLD_CHECK_H

#include "world.h"

/* The actions of the event that goes on. */
extern struct gp_actions world_out;

static inline void require(struct world *w, bool holds, const char *text)
{
	if (!holds && !w->bad)
		w->bad = text;
}

static inline struct world_entity *by_id(struct world *w, u64 id)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].id == id)
			return &w->entity[i];
	return NULL;
}

static inline bool has_work(const struct world_entity *e)
{
	u32 q;

	for (q = 0; q < e->nr_queues; q++)
		if (e->busy[q])
			return true;
	return false;
}

static inline enum gp_entity_state state_of(const struct world *w, const struct world_entity *e)
{
	struct gp_entity_info info;

	if (gp_sched_entity_info(w->s, e->id, &info))
		return GP_ENTITY_STATE_COUNT;
	return info.state;
}

static inline enum gp_breaker_state breaker_of(const struct world *w, u32 node)
{
	return gp_sched_node_stats(w->s, node)->breaker;
}

static inline bool is_open(const struct world *w, u32 node)
{
	enum gp_breaker_state b = breaker_of(w, node);

	return !w->node[node].enabled || b == GP_BREAKER_OPEN || b == GP_BREAKER_DEAD;
}

/* The scheduler is to be called this very moment: no time to complain. */
static inline bool is_due(const struct world *w, u32 node)
{
	return w->node[node].timer_ns <= w->now_ns;
}

/* At rest: nothing is under way, and all that was said has been looked at. */
static inline bool is_at_rest(const struct world *w, u32 node)
{
	return !w->node[node].in_flight && !is_open(w, node) && !is_due(w, node) &&
	       !w->node[node].unread;
}

static inline bool is_alone(const struct world *w, u32 node)
{
	return w->now_ns < w->node[node].alone_until_ns;
}

static inline bool has_report(const struct world *w, u32 node, enum gp_report report)
{
	return w->node[node].reports & 1U << report;
}

/* world_guard.c */
void world_join_slice(struct world *w, struct world_entity *e);
void world_leave_slice(struct world *w, struct world_entity *e);
bool world_takes_turns(const struct world *w, u32 node);
bool world_is_limited(const struct world *w, u32 node);
bool world_may_be_limited(const struct world *w, u32 node);
bool world_owes_little(const struct world *w, u32 node);
void world_count_token(struct world *w, u32 node);
void world_cut_debt(struct world *w, u32 node);
bool world_is_starved(const struct world *w, const struct world_entity *e);
void world_note_end(struct world *w, struct world_entity *e, bool ran);
void world_note_hungry(struct world *w, struct world_entity *e);
void world_note_spared(struct world *w, u32 node);

/* world_switch.c */
/* How many are on the GPU, after a switch if it is given. */
u32 world_count_on(const struct world *w, u32 node, const struct gp_switch *sw);
/* A switch begins. */
void world_check_switch(struct world *w, u32 node, const struct gp_switch *sw);

/* world_check.c */
/* Time must not pass any entity by. */
void world_check_passing(struct world *w, u64 until_ns);
/* The end of each event: takes in its actions and checks. */
bool world_after(struct world *w, u32 node, int err);

#endif
