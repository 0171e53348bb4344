// SPDX-License-Identifier: MIT
/* The guards as the world follows them: what they excuse, and until when. */
#include "world_check.h"

#include <string.h>

/* One of those whom the slice was for is out; with the last of them it ends. */
void world_leave_slice(struct world *w, struct world_entity *e)
{
	u32 i;

	if (!e->starved)
		return;
	e->starved = false;
	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].starved && w->entity[i].node == e->node)
			return;
	w->node[e->node].alone_until_ns = min(w->node[e->node].alone_until_ns, w->now_ns);
}

void world_join_slice(struct world *w, struct world_entity *e)
{
	struct world_node *n = &w->node[e->node];
	u32 i;

	/* Those of a slice that is over have no part in the next. */
	for (i = 0; !is_alone(w, e->node) && i < w->nr_entities; i++)
		if (w->entity[i].node == e->node)
			w->entity[i].starved = false;
	e->starved = true;
	e->thaw_ns = max(e->thaw_ns, w->now_ns + w->bounds.min_slice_ns);
	n->alone_until_ns = w->now_ns + w->bounds.min_slice_ns;
}

static u64 token_ns(const struct world *w)
{
	return GP_SEC / w->bounds.rate_per_s;
}

bool world_is_limited(const struct world *w, u32 node)
{
	return gp_since(w->node[node].rate_ns, (w->bounds.rate_burst - 1) * token_ns(w)) >
	       w->now_ns;
}

void world_count_token(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];

	n->rate_ns = min(max(n->rate_ns, w->now_ns) + token_ns(w),
			 w->now_ns + w->bounds.rate_burst * token_ns(w));
}

/* The debt of another limit is cut at the next token; not all are known here. */
void world_cut_debt(struct world *w, u32 node)
{
	w->node[node].rate_ns = min(w->node[node].rate_ns,
				    w->now_ns + w->bounds.rate_burst * token_ns(w));
}

/* Fair shares: the limit is on each change of hands. Else it is on giving back. */
bool world_takes_turns(const struct world *w, u32 node)
{
	const char *name = gp_sched_node_policy(w->s, node);

	return !strcmp(name, "fair") || !strcmp(name, "slice") || !strcmp(name, "mlfq");
}

/* At most what a switch costs, else it would not have been left to finish. */
void world_note_spared(struct world *w, u32 node)
{
	const struct gp_node_stats *st = gp_sched_node_stats(w->s, node);
	struct world_node *n = &w->node[node];

	if (st->nr_left_to_finish == n->nr_spared)
		return;
	n->nr_spared = st->nr_left_to_finish;
	n->spared_until_ns = w->now_ns + st->cost_ns;
}

/* Work ended that was running. A lesser one does not prolong what a better one began. */
static void note_leader(struct world *w, const struct world_entity *e)
{
	struct world_node *n = &w->node[e->node];

	n->idle_until_ns = w->now_ns + w->bounds.hysteresis_ns;
	if (w->now_ns < n->led_until_ns && e->attr.prio < n->led_prio)
		return;
	n->led_prio = e->attr.prio;
	n->led_until_ns = w->now_ns + w->bounds.hysteresis_ns;
}

/* Is it resumed for the starvation bound, and has it a part in the slice? */
void world_note_hungry(struct world *w, struct world_entity *e)
{
	bool slice = has_report(w, e->node, GP_REPORT_STARVATION) || is_alone(w, e->node);

	e->hungry = slice && has_work(e) && !e->nr_fail && !is_open(w, e->node) &&
		    e->off_ns <= w->node[e->node].cut_ns;
}

/* Is it resumed for the starvation bound? Those that refused come without a word. */
bool world_is_starved(const struct world *w, const struct world_entity *e)
{
	return e->hungry || (e->nr_fail && w->now_ns - e->off_ns >= w->bounds.max_wait_ns / 2);
}

/* Which switches count beyond those of check_rate() only the scheduler knows. */
static u64 next_token_ns(const struct world *w, u32 node)
{
	return gp_since(w->s->node[node].rate_ns, (w->bounds.rate_burst - 1) * token_ns(w));
}

bool world_may_be_limited(const struct world *w, u32 node)
{
	return next_token_ns(w, node) > w->now_ns;
}

/* What waits for the limit waits for one token, whatever was counted. */
bool world_owes_little(const struct world *w, u32 node)
{
	return next_token_ns(w, node) <= w->now_ns + token_ns(w);
}

/* The work of one has ended. */
void world_note_end(struct world *w, struct world_entity *e, bool ran)
{
	if (ran)
		note_leader(w, e);
	world_leave_slice(w, e);
}
