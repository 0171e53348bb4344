// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/breaker.h"
#include "core/emit.h"
#include "core/entity.h"
#include "core/guard.h"
#include "core/policy.h"
#include "core/share.h"

/* Pauses between tries grow up to this power of two of retry_ns. */
#define RETRY_DOUBLINGS 6U

#define GUARD(member, lo, hi, preset, text) GP_PARAM(#member, member, lo, hi, preset, text)

const struct gp_param_desc gp_guard_params[] = {
	GUARD(min_run_ns, 0, 10 * GP_SEC, 100 * GP_US,
	      "no preemption for this long after a resume, but by latency-critical ones"),
	GUARD(hysteresis_ns, 0, 10 * GP_SEC, 1 * GP_MS,
	      "longest time without a resume of lower entities after the leader went idle"),
	GUARD(max_wait_ns, 1 * GP_US, 3600 * GP_SEC, 1 * GP_SEC,
	      "longest time off the GPU"),
	GUARD(min_slice_ns, 0, 10 * GP_SEC, 2 * GP_MS,
	      "time alone on the GPU after the longest wait"),
	GUARD(deadline_ns, 1 * GP_US, 60 * GP_SEC, 50 * GP_MS,
	      "longest time a switch may take"),
	GUARD(rate_per_s, 1, 1000000, 2000,
	      "most times a second that the GPU is given back, or changes hands in turns"),
	GUARD(rate_burst, 1, 4096, 64,
	      "such switches in a burst"),
	GUARD(breaker_errors, 1, 1000, 3,
	      "errors in a row that suspend preemption"),
	GUARD(open_ns, 1 * GP_US, 3600 * GP_SEC, 100 * GP_MS,
	      "first time preemption stays suspended"),
	GUARD(open_max_ns, 1 * GP_US, 3600 * GP_SEC, 10 * GP_SEC,
	      "longest time preemption stays suspended"),
	GUARD(probation_ok, 1, 1000, 3,
	      "good switches before preemption is trusted again"),
	GUARD(retry_ns, 1 * GP_US, 10 * GP_SEC, 1 * GP_MS,
	      "pause before a refused entity is tried again"),
	GUARD(spare_victims, 0, 1, 1,
	      "leave a victim that is about to finish (0 = no, 1 = yes)"),
	GUARD(learn_gaps, 0, 1, 1,
	      "wait after the leader went idle as past gaps suggest (0 = always hysteresis_ns)"),
	GUARD(turn_ns, 10 * GP_US, 10 * GP_SEC, 5 * GP_MS,
	      "under prio and laxity, turns of gangs that are of one level"),
	GUARD(stall_ns, 10 * GP_US, 10 * GP_SEC, 10 * GP_MS,
	      "longest time the ranks of a gang stay while another one is kept off"),
};

const u32 gp_guard_nr_params = ARRAY_SIZE(gp_guard_params);

static u64 top_key(const struct gp_call *c, enum gp_heap_kind kind)
{
	const struct gp_heap_entry *top = gp_entity_first(c, kind);

	return top ? top->key : U64_MAX;
}

void gp_guard_expire(struct gp_call *c)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_HEAP_FROZEN);

		if (!e || e->thaw_ns > c->now_ns)
			return;
		gp_entity_thaw(c, e);
	}
	c->n->more = true;
}

static u64 token_ns(const struct gp_params *p)
{
	return GP_SEC / p->rate_per_s;
}

/*
 * Generic cell rate algorithm: a bucket of rate_burst tokens in one number,
 * the time at which it would be full again.
 */
static u64 token_at_ns(const struct gp_node *n)
{
	return gp_since(n->rate_ns, (n->params.rate_burst - 1) * token_ns(&n->params));
}

/* More than a bucket is never owed, not even of a bucket that was larger. */
static void cut_debt(struct gp_call *c)
{
	struct gp_node *n = c->n;
	u64 most_ns = gp_later(c->now_ns, n->params.rate_burst * token_ns(&n->params));

	n->rate_ns = min(n->rate_ns, most_ns);
}

void gp_guard_force_token(struct gp_call *c)
{
	struct gp_node *n = c->n;

	n->rate_ns = gp_later(max(n->rate_ns, c->now_ns), token_ns(&n->params));
	cut_debt(c);
}

bool gp_guard_take_token(struct gp_call *c)
{
	if (token_at_ns(c->n) <= c->now_ns) {
		gp_guard_force_token(c);
		c->n->limited = false;
		return true;
	}
	cut_debt(c);
	if (!c->n->limited) {
		c->n->limited = true;
		c->stats->nr_rate_limited++;
		gp_emit_report(c, GP_REPORT_RATE_LIMIT, GP_ID_NONE);
	}
	return false;
}

/* Is the entity of the hysteresis that goes on better than this one? */
static bool outranked(const struct gp_call *c, const struct gp_entity *e, u64 key)
{
	const struct gp_node *n = c->n;

	if (c->now_ns >= n->resume_ns || n->resume_slot == gp_entity_slot(c->s, e))
		return false;
	return n->resume_key < key;
}

/* The first key that has to wait when an entity of this key has no work left. */
static u64 end_of_peers(const struct gp_policy_ops *policy, u64 key)
{
	if (policy->tie_bar)
		key = gp_later(policy->tie_bar(key), 1);
	return policy->end_of_peers ? policy->end_of_peers(key) : key;
}

/* Policies without levels have one. */
static u32 level_of(const struct gp_policy_ops *policy, u64 key)
{
	return policy->tie_bar ? min((u32)(key >> GP_LEVEL_SHIFT), GP_GAP_LEVELS - 1) : 0;
}

/* Does one go on that the GPU would not be given back beside? */
static bool has_better(const struct gp_call *c, u64 key)
{
	return top_key(c, GP_HEAP_RUNNING) < key || top_key(c, GP_HEAP_WAITING) < key;
}

/*
 * If the rate limit forbids to give back at once, this gap may be half over when it does
 * not: then it has to be a long one.
 */
static u64 wait_ns(const struct gp_call *c, u32 level)
{
	const struct gp_node *n = c->n;
	u64 ns = gp_cost_wait_ns(c, level);

	if (!n->params.learn_gaps || n->policy->turns || token_at_ns(n) <= c->now_ns)
		return ns;
	return max(ns, min(2 * gp_cost_pays_ns(c), n->params.hysteresis_ns));
}

void gp_guard_leader_idle(struct gp_call *c, const struct gp_entity *e, u64 key)
{
	struct gp_node *n = c->n;
	u32 level = level_of(n->policy, key);

	key = end_of_peers(n->policy, key);
	if (!has_better(c, key)) {
		n->gaps |= 1U << level;
		n->gap[level].since_ns = c->now_ns;
	}
	/* A lesser one does not prolong the hysteresis of a better one. */
	if (outranked(c, e, key))
		return;
	n->resume_key = c->now_ns < n->resume_ns ? min(key, n->resume_key) : key;
	n->resume_ns = gp_later(c->now_ns, wait_ns(c, level));
	n->resume_slot = gp_entity_slot(c->s, e);
}

void gp_guard_got_work(struct gp_call *c, const struct gp_entity *e)
{
	struct gp_node *n = c->n;
	u32 level = level_of(n->policy, e->key);
	u32 over = n->gaps >> level << level;

	/* Without levels it may be one that does not outrank what was given the GPU. */
	if (!n->policy->tie_bar && e->key >= n->resume_key)
		return;
	n->gaps ^= over;
	for (; over; over &= over - 1)
		gp_cost_learn_gap(c, (u32)__builtin_ctz(over));
}

bool gp_guard_is_starving(const struct gp_call *c)
{
	u64 out_ns = top_key(c, GP_HEAP_STARVE);
	const struct gp_node *n = c->n;

	if (out_ns == U64_MAX)
		return false;
	if (c->now_ns < n->alone_ns)
		return out_ns <= n->alone_cut_ns;
	return gp_since(c->now_ns, out_ns) >= n->params.max_wait_ns;
}

void gp_guard_cut(struct gp_call *c)
{
	if (c->now_ns >= c->n->alone_ns)
		c->n->alone_cut_ns = c->now_ns - c->n->params.max_wait_ns / 2;
}

void gp_guard_forget(struct gp_call *c)
{
	c->n->alone_ns = 0;
	c->n->resume_ns = 0;
	c->n->gaps = 0;
	c->n->limited = false;
}

/* One more has a part in the exclusive slice, or begins it. */
static void join_slice(struct gp_call *c, struct gp_entity *e)
{
	struct gp_node *n = c->n;

	if (c->now_ns >= n->alone_ns) {
		n->nr_alone = 0;
		/* 0 is no slice. */
		n->alone = max(n->alone + 1, 1U);
	}
	n->alone_ns = gp_later(c->now_ns, n->params.min_slice_ns);
	n->nr_alone++;
	e->alone = n->alone;
}

void gp_guard_resumed(struct gp_call *c, struct gp_entity *e)
{
	const struct gp_params *p = &c->n->params;
	u64 run_ns = p->min_run_ns;

	e->nr_fail = 0;
	gp_entity_set_stubborn(c, e, false);
	if (e->starved && e->nr_busy) {
		run_ns = max(run_ns, p->min_slice_ns);
		join_slice(c, e);
	}
	e->sheltered = e->starved;
	e->starved = false;
	e->safe_ns = gp_later(c->now_ns, run_ns);
}

bool gp_guard_keeps(struct gp_call *c, struct gp_entity *e, bool critical)
{
	if (c->now_ns >= e->safe_ns || (critical && !e->sheltered))
		return false;
	gp_entity_freeze(c, e, e->safe_ns);
	e->settling = true;
	return true;
}

void gp_guard_unsettle(struct gp_call *c)
{
	const struct gp_heap *h = &c->n->heap[GP_HEAP_FROZEN];
	u32 i;

	for (i = 0; i < min(h->nr, GP_STEP_MAX); i++) {
		u32 slot = gp_heap_at(&c->s->pool[GP_POOL_MOVE], h, i)->item;
		struct gp_entity *e = &c->s->entity[slot];

		/* Another takes its place in the heap. */
		if (e->settling && !e->sheltered) {
			gp_entity_thaw(c, e);
			i--;
		}
	}
}

void gp_guard_refused(struct gp_call *c, struct gp_entity *e)
{
	u64 pause_ns = c->n->params.retry_ns << min((u32)e->nr_fail, RETRY_DOUBLINGS);

	e->starved = false;
	if (e->nr_fail < GP_REFUSALS_MAX)
		e->nr_fail++;
	if (e->state == GP_ENTITY_PREEMPTED && e->nr_fail == GP_REFUSALS_MAX)
		gp_entity_set_stubborn(c, e, true);
	gp_entity_freeze(c, e, gp_later(c->now_ns, pause_ns));
}

static u64 next_resume_ns(const struct gp_call *c)
{
	const struct gp_node *n = c->n;
	u64 next = U64_MAX;

	if (!n->heap[GP_HEAP_OUT].nr && !n->heap[GP_HEAP_RETRY].nr &&
	    !n->heap[GP_HEAP_OUT_IDLE].nr)
		return U64_MAX;
	if (n->resume_ns > c->now_ns)
		next = n->resume_ns;
	if (n->alone_ns > c->now_ns)
		next = min(next, n->alone_ns);
	return next;
}

static u64 next_closed_ns(const struct gp_call *c)
{
	const struct gp_node *n = c->n;
	u64 out_ns = top_key(c, GP_HEAP_STARVE);
	u64 next = next_resume_ns(c);

	next = min(next, top_key(c, GP_HEAP_CLOCK));
	if (out_ns != U64_MAX)
		next = min(next, max(gp_later(out_ns, n->params.max_wait_ns), n->alone_ns));
	if (n->limited)
		next = min(next, token_at_ns(n));
	return next;
}

u64 gp_guard_next_ns(const struct gp_call *c)
{
	const struct gp_node *n = c->n;
	u64 next;

	/* Nothing can be decided before the switch has ended. */
	if (n->sw.seq)
		return n->sw_deadline_ns;
	if (n->more)
		return c->now_ns;
	next = min(top_key(c, GP_HEAP_FROZEN), gp_share_next_ns(c));
	if (!gp_breaker_is_open(c))
		return min(next, next_closed_ns(c));
	if (c->stats->breaker == GP_BREAKER_OPEN && n->open_until_ns > c->now_ns)
		next = min(next, n->open_until_ns);
	return next;
}
