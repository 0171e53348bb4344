// SPDX-License-Identifier: MIT
/* How a world goes on by itself: do all come back? */
#include "world.h"

/* More than any chain of switches, pauses and openings needs. */
#define SETTLE_STEPS 2000

bool world_has_off(const struct world *w)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (e->live && !e->lost && e->where != WORLD_MAPPED)
			return true;
	}
	return false;
}

static void end_all_work(struct world *w)
{
	u32 e, q;

	for (e = 0; e < w->nr_entities; e++)
		for (q = 0; q < WORLD_QUEUES; q++)
			world_idle(w, e, q);
}

bool world_next_timer(struct world *w)
{
	u32 next = 0;
	u32 i;

	for (i = 1; i < w->nr_nodes; i++)
		if (w->node[i].timer_ns < w->node[next].timer_ns)
			next = i;
	return world_timer(w, next);
}

/* The next thing that happens by itself. */
static bool step(struct world *w)
{
	u32 i;

	for (i = 0; i < w->nr_nodes; i++)
		if (world_done(w, i, WORLD_ALL_OK, 10 * GP_US))
			return true;
	return world_next_timer(w);
}

/* Notes which are off, and strikes out those that have been back. */
static u32 strike_out(const struct world *w, u32 waiting)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (!e->live || e->lost || e->where == WORLD_MAPPED ||
		    world_may_stay_off(w, e))
			waiting &= ~(1U << i);
	}
	return waiting;
}

bool world_settles(struct world *w, bool quiet)
{
	u32 waiting;
	u32 i;

	if (quiet)
		end_all_work(w);
	waiting = strike_out(w, ~0U >> (32 - w->nr_entities));
	for (i = 0; waiting && i < SETTLE_STEPS && !w->bad; i++) {
		if (!step(w))
			return false;
		waiting = strike_out(w, waiting);
	}
	return !waiting;
}
