// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/share.h"
#include "core/breaker.h"
#include "core/entity.h"
#include "core/policy.h"

static struct gp_share *at(const struct gp_sched *s, u32 slot)
{
	return slot == GP_SLOT_NONE ? NULL : &s->share[slot];
}

static struct gp_share *above(const struct gp_call *c, const struct gp_entity *e)
{
	return at(c->s, gp_share_of(c->s, e));
}

/*
 * Lists. Each is a slot number of the first; those of entities and of shares differ in the
 * array they are in.
 */

static struct gp_place *place_of(const struct gp_call *c, const struct gp_entity *e)
{
	return &c->s->place[gp_entity_slot(c->s, e)];
}

static void link_entity(struct gp_call *c, u32 *first, struct gp_entity *e)
{
	struct gp_place *p = place_of(c, e);

	p->prev = GP_SLOT_NONE;
	p->next = *first;
	if (*first != GP_SLOT_NONE)
		c->s->place[*first].prev = gp_entity_slot(c->s, e);
	*first = gp_entity_slot(c->s, e);
}

static void unlink_entity(struct gp_call *c, u32 *first, struct gp_entity *e)
{
	struct gp_place *p = place_of(c, e);

	if (p->prev == GP_SLOT_NONE)
		*first = p->next;
	else
		c->s->place[p->prev].next = p->next;
	if (p->next != GP_SLOT_NONE)
		c->s->place[p->next].prev = p->prev;
}

#define LIST_OF_SHARES(name, next_of, prev_of)                                        \
	static void link_##name(struct gp_sched *s, u32 *first, struct gp_share *g)   \
	{                                                                             \
		g->prev_of = GP_SLOT_NONE;                                            \
		g->next_of = *first;                                                  \
		if (*first != GP_SLOT_NONE)                                           \
			s->share[*first].prev_of = gp_share_slot(s, g);                     \
		*first = gp_share_slot(s, g);                                               \
	}                                                                             \
									      \
	static void unlink_##name(struct gp_sched *s, u32 *first, struct gp_share *g) \
	{                                                                             \
		if (g->prev_of == GP_SLOT_NONE)                                       \
			*first = g->next_of;                                          \
		else                                                                  \
			s->share[g->prev_of].next_of = g->next_of;                    \
		if (g->next_of != GP_SLOT_NONE)                                       \
			s->share[g->next_of].prev_of = g->prev_of;                    \
	}

LIST_OF_SHARES(child, next, prev)
LIST_OF_SHARES(pending, pending_next, pending_prev)
LIST_OF_SHARES(throttled, throttled_next, throttled_prev)

static void set_pending(struct gp_call *c, struct gp_share *g, bool on)
{
	if (g->pending == on)
		return;
	g->pending = on;
	if (on)
		link_pending(c->s, &c->n->pending, g);
	else
		unlink_pending(c->s, &c->n->pending, g);
}

static void set_throttled(struct gp_call *c, struct gp_share *g, bool on)
{
	if (g->throttled == on)
		return;
	g->throttled = on;
	g->info.nr_throttled += on;
	if (on)
		link_throttled(c->s, &c->n->throttled, g);
	else
		unlink_throttled(c->s, &c->n->throttled, g);
	set_pending(c, g, true);
}

/*
 * Time
 */

/* Counts the time since the last change; nothing has changed in between. */
static void count(const struct gp_share *g, u64 now_ns, struct gp_share_info *info)
{
	u64 ns = gp_since(now_ns, g->at_ns);

	info->usage_ns += ns * g->nr_run;
	info->throttled_ns += g->throttled ? ns : 0;
	info->some_ns += g->nr_work > g->nr_run ? ns : 0;
	info->full_ns += g->nr_work && !g->nr_run ? ns : 0;
}

/* A period without work is none. What was used beyond the budget is owed, up to a period. */
static void begin_period(struct gp_share *g, u64 now_ns)
{
	u64 nr = gp_since(now_ns, g->period_ns) / g->attr.period_ns;

	if (!nr)
		return;
	g->info.nr_periods += g->nr_work ? nr : !!g->used_ns;
	g->period_ns += nr * g->attr.period_ns;
	nr = min(nr, g->used_ns / g->attr.quota_ns + 1);
	g->used_ns = gp_since(g->used_ns, nr * g->attr.quota_ns);
	g->used_ns = min(g->used_ns, g->attr.quota_ns + g->attr.period_ns);
}

static void tick(struct gp_call *c, struct gp_share *g)
{
	count(g, c->now_ns, &g->info);
	if (g->attr.quota_ns) {
		g->used_ns += gp_since(c->now_ns, g->at_ns) * g->nr_run;
		begin_period(g, c->now_ns);
	}
	g->at_ns = c->now_ns;
}

/* When the budget or the period ends; not before the next nanosecond. */
static u64 end_ns(const struct gp_share *g)
{
	u64 left_ns = gp_since(g->attr.quota_ns, g->used_ns);
	u64 next_ns = g->period_ns + g->attr.period_ns;

	if (!g->attr.quota_ns || (!g->throttled && !g->nr_run))
		return U64_MAX;
	if (!g->throttled && left_ns)
		next_ns = min(next_ns, g->at_ns + (left_ns + g->nr_run - 1) / g->nr_run);
	return next_ns;
}

static void set_clock(struct gp_call *c, struct gp_share *g)
{
	struct gp_heap_pool *p = &c->s->share_pool;
	u32 slot = gp_share_slot(c->s, g);
	struct gp_heap_entry entry = { .key = end_ns(g), .tie = slot, .item = slot };
	u64 was_ns = g->next_ns;

	g->next_ns = entry.key;
	if (was_ns == U64_MAX && entry.key != U64_MAX)
		gp_heap_insert(p, &c->n->share_heap, &entry);
	else if (was_ns != U64_MAX && entry.key == U64_MAX)
		gp_heap_remove(p, &c->n->share_heap, entry.item);
	else if (was_ns != entry.key)
		gp_heap_update(p, &c->n->share_heap, &entry);
}

/* Something has changed: is there a budget left? */
static void look(struct gp_call *c, struct gp_share *g)
{
	bool is_used_up = g->attr.quota_ns && g->used_ns >= g->attr.quota_ns;

	if (!g->throttled && is_used_up && g->nr_work && !gp_breaker_is_open(c))
		set_throttled(c, g, true);
	else if (g->throttled && !is_used_up)
		set_throttled(c, g, false);
	set_clock(c, g);
}

/*
 * Which entities contend
 */

static u64 *weights_of(struct gp_call *c, u32 share)
{
	return share == GP_SLOT_NONE ? &c->n->weights : &c->s->share[share].weights;
}

/* One more in @g contends, or one less: @g does with the first, and until the last. */
static void contend(struct gp_call *c, struct gp_share *g, bool on)
{
	struct gp_share *up;

	for (; g; g = up) {
		up = at(c->s, g->parent);
		g->nr_contend += on ? 1U : -1U;
		if (g->nr_contend != (on ? 1U : 0U))
			return;
		*weights_of(c, g->parent) += on ? g->attr.weight : -(u64)g->attr.weight;
		if (!up)
			return;
		if (on)
			link_child(c->s, &up->child, g);
		else
			unlink_child(c->s, &up->child, g);
	}
}

static void set_weight(struct gp_call *c, struct gp_entity *e, u32 weight)
{
	u64 *sum = weights_of(c, gp_share_of(c->s, e));

	*sum -= e->mem.weight;
	*sum += weight;
	e->mem.weight = (u16)weight;
}

static void begin(struct gp_call *c, struct gp_entity *e)
{
	struct gp_share *g = above(c, e);

	set_weight(c, e, e->attr.weight);
	if (!g)
		return;
	link_entity(c, &g->entity, e);
	contend(c, g, true);
}

static void end(struct gp_call *c, struct gp_entity *e)
{
	struct gp_share *g = above(c, e);

	if (!e->mem.weight)
		return;
	set_weight(c, e, 0);
	if (!g)
		return;
	unlink_entity(c, &g->entity, e);
	contend(c, g, false);
}

static void uncap(struct gp_call *c, struct gp_entity *e)
{
	if (!e->capped)
		return;
	unlink_entity(c, &c->s->share[place_of(c, e)->capper].capped, e);
	e->capped = false;
}

static void cap(struct gp_call *c, struct gp_entity *e, struct gp_share *g)
{
	end(c, e);
	link_entity(c, &g->capped, e);
	e->capped = true;
	place_of(c, e)->capper = gp_share_slot(c->s, g);
}

/* The nearest share above that has no budget. */
static struct gp_share *find_capper(const struct gp_call *c, const struct gp_entity *e)
{
	struct gp_share *g = above(c, e);

	while (g && !g->throttled)
		g = at(c->s, g->parent);
	return g;
}

static void cap_or_begin(struct gp_call *c, struct gp_entity *e)
{
	struct gp_share *g = find_capper(c, e);

	if (g)
		cap(c, e, g);
	else if (e->nr_busy)
		begin(c, e);
}

/* Another entity below has work, or runs, or one less. */
static void count_below(struct gp_call *c, const struct gp_entity *e, u32 work, u32 run)
{
	struct gp_share *g;

	for (g = above(c, e); g; g = at(c->s, g->parent)) {
		tick(c, g);
		g->nr_work += work;
		g->nr_run += run;
		look(c, g);
	}
}

void gp_share_got_work(struct gp_call *c, struct gp_entity *e)
{
	count_below(c, e, 1, 0);
	if (!e->capped)
		cap_or_begin(c, e);
}

void gp_share_lost_work(struct gp_call *c, struct gp_entity *e)
{
	end(c, e);
	count_below(c, e, -1U, 0);
}

void gp_share_runs(struct gp_call *c, struct gp_entity *e, bool runs)
{
	count_below(c, e, 0, runs ? 1U : -1U);
}

void gp_share_reweigh(struct gp_call *c, struct gp_entity *e)
{
	if (e->mem.weight)
		set_weight(c, e, e->attr.weight);
}

void gp_share_join(struct gp_call *c, struct gp_entity *e, struct gp_share *g)
{
	u32 run = e->state == GP_ENTITY_RUNNING;
	u32 work = !!e->nr_busy;

	end(c, e);
	uncap(c, e);
	count_below(c, e, -work, -run);
	if (e->in_share)
		above(c, e)->nr_entities--;
	e->in_share = !!g;
	if (g) {
		*place_of(c, e) = (struct gp_place){ .share = gp_share_slot(c->s, g) };
		g->nr_entities++;
	}
	if (e->state == GP_ENTITY_LOST)
		return;
	count_below(c, e, work, run);
	cap_or_begin(c, e);
}

void gp_share_set_attr(struct gp_call *c, struct gp_share *g, const struct gp_share_attr *attr)
{
	tick(c, g);
	if (g->nr_contend) {
		*weights_of(c, g->parent) += attr->weight;
		*weights_of(c, g->parent) -= g->attr.weight;
	}
	if (!g->attr.quota_ns) {
		g->period_ns = c->now_ns;
		g->used_ns = 0;
	}
	g->attr = *attr;
	look(c, g);
}

/*
 * The end of a budget, and the next period
 */

void gp_share_forget(struct gp_call *c, struct gp_share *g)
{
	g->attr.quota_ns = 0;
	set_throttled(c, g, false);
	set_pending(c, g, false);
	set_clock(c, g);
}

/* Any entity at or below a share that contends. */
static struct gp_entity *first_below(const struct gp_call *c, const struct gp_share *g)
{
	while (g && g->entity == GP_SLOT_NONE)
		g = at(c->s, g->child);
	return g ? &c->s->entity[g->entity] : NULL;
}

static bool keep_one_away(struct gp_call *c, struct gp_share *g)
{
	struct gp_entity *e = first_below(c, g);

	if (!e)
		return false;
	cap(c, e, g);
	gp_entity_place(c, e);
	return true;
}

/* Its time off the GPU begins anew: it was not kept waiting by others. */
static bool let_one_go(struct gp_call *c, struct gp_share *g)
{
	struct gp_entity *e;

	if (g->capped == GP_SLOT_NONE)
		return false;
	e = &c->s->entity[g->capped];
	uncap(c, e);
	cap_or_begin(c, e);
	if (e->capped)
		return true;
	if (e->state == GP_ENTITY_PREEMPTED)
		e->there_ns = c->now_ns;
	if (e->nr_busy && c->n->policy->back)
		c->n->policy->back(c, e);
	gp_entity_rekey(c, e);
	return true;
}

static void work_off(struct gp_call *c)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX && c->n->pending != GP_SLOT_NONE; i++) {
		struct gp_share *g = &c->s->share[c->n->pending];

		if (!(g->throttled ? keep_one_away(c, g) : let_one_go(c, g)))
			set_pending(c, g, false);
	}
	c->n->more |= c->n->pending != GP_SLOT_NONE;
}

static const struct gp_heap_entry *first_clock(const struct gp_call *c)
{
	return gp_heap_top(&c->s->share_pool, &c->n->share_heap);
}

static void end_periods(struct gp_call *c)
{
	const struct gp_heap_entry *top;
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		top = first_clock(c);
		if (!top || top->key > c->now_ns)
			return;
		tick(c, &c->s->share[top->item]);
		look(c, &c->s->share[top->item]);
	}
	c->n->more = true;
}

/* While the breaker is open all go on. */
static void end_throttling(struct gp_call *c)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX && c->n->throttled != GP_SLOT_NONE; i++) {
		struct gp_share *g = &c->s->share[c->n->throttled];

		tick(c, g);
		set_throttled(c, g, false);
		set_clock(c, g);
	}
	c->n->more |= c->n->throttled != GP_SLOT_NONE;
}

void gp_share_expire(struct gp_call *c)
{
	if (!c->s->config.max_shares)
		return;
	if (gp_breaker_is_open(c))
		end_throttling(c);
	end_periods(c);
	work_off(c);
}

void gp_share_attr_default(struct gp_share_attr *attr)
{
	*attr = (struct gp_share_attr){
		.weight = GP_WEIGHT_DEFAULT,
		.period_ns = 100 * GP_MS,
	};
}

bool gp_share_attr_is_valid(const struct gp_share_attr *attr)
{
	return attr->weight >= 1 && attr->weight <= GP_WEIGHT_MAX &&
	       attr->quota_ns <= 3600 * GP_SEC && attr->period_ns >= GP_SHARE_PERIOD_MIN_NS &&
	       attr->period_ns <= GP_SHARE_PERIOD_MAX_NS;
}

int gp_sched_share_info(const struct gp_sched *s, u64 id, u64 now_ns, struct gp_share_info *info)
{
	const struct gp_share *g = gp_share_find(s, id);

	if (!g)
		return -ENOENT;
	*info = g->info;
	info->attr = g->attr;
	info->nr_entities = g->nr_entities;
	info->is_throttled = g->throttled;
	count(g, now_ns, info);
	return 0;
}

u64 gp_share_next_ns(const struct gp_call *c)
{
	const struct gp_heap_entry *top = first_clock(c);

	return top ? top->key : U64_MAX;
}

/* One that a budget keeps away counts as much as if it contended. */
u64 gp_share_weight(const struct gp_call *c, const struct gp_entity *e)
{
	u64 weight = (u64)e->attr.weight << GP_SHARE_BITS;
	u64 mine = e->attr.weight;
	const struct gp_share *g;

	for (g = above(c, e); g; g = at(c->s, g->parent)) {
		weight = weight / max(g->weights, mine) * g->attr.weight;
		mine = g->attr.weight;
	}
	return max(weight, (u64)1);
}
