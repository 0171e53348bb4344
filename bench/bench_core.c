// SPDX-License-Identifier: MIT
/*
 * The mix of events behind core.event, 5 us of virtual time apart:
 *
 *  - half of the entities have work. A random one without work gets some, then
 *    a random one on the GPU with work has none left, and so on;
 *  - a switch is answered, all members ok, six events after it began;
 *  - a timer fires when it is due.
 *
 * Priorities are random over all 16 levels, the rate limit is out of the way.
 * So most entities with work are off the GPU, almost every event changes a heap
 * of n / 2 entries, and there is a switch in flight most of the time.
 *
 * What 4096 entities cost more than 32, about 30 ns under prio: two loads that miss the
 * first-level cache one after the other, as the queue names its entity (15); deeper heaps (8);
 * and this load's own choice of an entity (7), which is part of the figure. An entity of
 * exactly three cache lines, aligned, all that is hot in 192 bytes, and huge pages below it were
 * tried: no difference that can be told from noise.
 */
#include "bench_core.h"
#include "bench.h"
#include "core/sched_share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 9
#define WARM_UP 200000U
/* A millisecond each: some are alone on their core and find its caches as they left them. */
#define ROUNDS 180
#define EVENTS 10000U
#define STEP_NS 5000U
#define ANSWER_AFTER 6U
#define NOWHERE UINT32_MAX
#define MIB (1024.0 * 1024.0)
/* One server: eight GPUs. */
#define NODES 8
/* Shares with others in them. */
#define SHARES_ABOVE 4U

/**
 * struct set - entities, for O(1) random choice
 * @nr: members
 * @member: members
 * @at: place of each entity, or NOWHERE
 */
struct set {
	uint32_t nr;
	uint32_t *member;
	uint32_t *at;
};

/**
 * struct load - one scheduler under load
 * @s: scheduler
 * @mem: its memory
 * @nr: entities
 * @id: their ids
 * @queue: their queues
 * @busy: with work
 * @on: with work, on the GPU
 * @idle: without work
 * @now_ns: virtual time
 * @timer_ns: timer
 * @answer: events left until the switch in flight is answered, 0 = none in flight
 * @sw: the switch in flight
 * @random: state of the generator
 * @out: actions
 */
struct load {
	struct gp_sched *s;
	void *mem;
	uint32_t nr;
	u64 *id;
	u64 *queue;
	bool *busy;
	struct set on;
	struct set idle;
	u64 now_ns;
	u64 timer_ns;
	uint32_t answer;
	struct gp_switch sw;
	u64 random;
	struct gp_actions out;
};

static uint32_t next_random(struct load *l, uint32_t below)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (uint32_t)((l->random >> 32) * below >> 32);
}

static void set_add(struct set *s, uint32_t e)
{
	if (s->at[e] != NOWHERE)
		return;
	s->at[e] = s->nr;
	s->member[s->nr++] = e;
}

static void set_remove(struct set *s, uint32_t e)
{
	uint32_t last = s->member[s->nr - 1];

	if (s->at[e] == NOWHERE)
		return;
	s->nr--;
	s->member[s->at[e]] = last;
	s->at[last] = s->at[e];
	s->at[e] = NOWHERE;
}

static int set_init(struct set *s, uint32_t nr)
{
	s->member = calloc(nr, sizeof(*s->member));
	s->at = malloc(nr * sizeof(*s->at));
	if (!s->member || !s->at)
		return -ENOMEM;
	memset(s->at, 0xff, nr * sizeof(*s->at));
	return 0;
}

static void load_fini(struct load *l)
{
	free(l->on.member);
	free(l->on.at);
	free(l->idle.member);
	free(l->idle.at);
	free(l->id);
	free(l->queue);
	free(l->busy);
	free(l->mem);
}

static int load_alloc(struct load *l, uint32_t nr, uint32_t nr_shares)
{
	struct gp_sched_config config = {
		.nr_nodes = 1,
		.max_entities = nr,
		.max_queues = nr,
		.max_shares = nr_shares + SHARES_ABOVE,
	};
	size_t size = gp_sched_size(&config);

	*l = (struct load){ .nr = nr, .timer_ns = U64_MAX, .random = 88172645463325252ULL };
	l->mem = aligned_alloc(64, size);
	l->id = calloc(nr, sizeof(*l->id));
	l->queue = calloc(nr, sizeof(*l->queue));
	l->busy = calloc(nr, sizeof(*l->busy));
	if (!l->mem || !l->id || !l->queue || !l->busy || set_init(&l->on, nr) ||
	    set_init(&l->idle, nr))
		return -ENOMEM;
	return gp_sched_init(l->mem, size, &config, &l->s);
}

/* Entities are dealt out to shares with a budget, which are dealt out to a few above them. */
static int load_shares(struct load *l, uint32_t nr)
{
	struct gp_share_attr attr = {
		.weight = GP_WEIGHT_DEFAULT, .quota_ns = 2000000, .period_ns = 10000000 };
	u64 above[SHARES_ABOVE], share;
	uint32_t i, k;
	int err = 0;

	for (i = 0; i < SHARES_ABOVE && !err; i++)
		err = gp_sched_share_add(l->s, 0, GP_ID_NONE, &attr, i, 0, &l->out, &above[i]);
	for (i = 0; i < nr && !err; i++) {
		err = gp_sched_share_add(l->s, 0, above[i % SHARES_ABOVE], &attr, i, 0, &l->out,
					 &share);
		for (k = i; k < l->nr && !err; k += nr)
			err = gp_sched_entity_join(l->s, l->id[k], share, 0, &l->out);
	}
	return err;
}

/* Slots are handed out in order: the low half of an id is the index here. */
static int load_init(struct load *l, uint32_t nr, const char *policy, uint32_t nr_shares)
{
	struct gp_attr attr;
	int err = load_alloc(l, nr, nr_shares);
	uint32_t i;

	if (err)
		return err;
	gp_sched_param_set(l->s, 0, "rate_per_s", 1000000, NULL);
	gp_sched_param_set(l->s, 0, "rate_burst", 4096, NULL);
	gp_sched_set_policy(l->s, 0, policy, 0, &l->out);
	for (i = 0; i < nr && !err; i++) {
		gp_attr_default(&attr);
		attr.prio = (u8)next_random(l, GP_PRIO_MAX + 1);
		attr.deadline_ns = 1000000 + next_random(l, 50000000);
		err = gp_sched_entity_add(l->s, 0, &attr, i, 0, &l->out, &l->id[i]);
		if (!err)
			err = gp_sched_queue_add(l->s, l->id[i], i, 0, &l->out, &l->queue[i]);
		set_add(&l->idle, i);
	}
	return err || !nr_shares ? err : load_shares(l, nr_shares);
}

static void take_actions(struct load *l)
{
	uint32_t i;

	for (i = 0; i < l->out.nr; i++) {
		if (l->out.a[i].kind == GP_ACTION_SET_TIMER)
			l->timer_ns = l->out.a[i].at_ns;
		if (l->out.a[i].kind != GP_ACTION_SWITCH)
			continue;
		l->sw = l->out.sw;
		l->answer = ANSWER_AFTER;
	}
}

static void answer(struct load *l)
{
	uint32_t nr = l->sw.nr_preempt + l->sw.nr_resume;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		uint32_t e = (uint32_t)l->sw.id[i];

		if (i < l->sw.nr_preempt)
			set_remove(&l->on, e);
		else if (l->busy[e])
			set_add(&l->on, e);
	}
	/* All zero: everything went well. */
	gp_sched_switch_done(l->s, 0, l->sw.seq, gp_sched_results(l->s, 0), nr, l->now_ns,
			     &l->out);
}

static void get_work(struct load *l)
{
	uint32_t e = l->idle.member[next_random(l, l->idle.nr)];

	set_remove(&l->idle, e);
	set_add(&l->on, e);
	l->busy[e] = true;
	gp_sched_queue_busy(l->s, l->queue[e], l->now_ns, &l->out);
}

static void end_work(struct load *l)
{
	uint32_t e = l->on.member[next_random(l, l->on.nr)];

	set_remove(&l->on, e);
	set_add(&l->idle, e);
	l->busy[e] = false;
	gp_sched_queue_idle(l->s, l->queue[e], l->now_ns, &l->out);
}

static void fire(struct load *l)
{
	l->now_ns = l->timer_ns > l->now_ns ? l->timer_ns : l->now_ns;
	l->timer_ns = U64_MAX;
	gp_sched_timer(l->s, 0, l->now_ns, &l->out);
}

static void one_event(struct load *l)
{
	bool full = l->idle.nr < (l->nr + 1) / 2;

	l->now_ns += STEP_NS;
	if (l->answer && --l->answer == 0)
		answer(l);
	else if (l->timer_ns <= l->now_ns)
		fire(l);
	else if (!full)
		get_work(l);
	else if (l->on.nr)
		end_work(l);
	else if (l->answer) {
		l->answer = 0;
		answer(l);
	} else {
		fire(l);
	}
	take_actions(l);
}

static int event_cost(uint32_t nr, const char *policy, uint32_t nr_shares, double *ns)
{
	double least = INFINITY;
	struct load l;
	uint32_t i, k;
	int err = load_init(&l, nr, policy, nr_shares);

	for (i = 0; !err && i < WARM_UP; i++)
		one_event(&l);
	for (i = 0; !err && i < ROUNDS; i++) {
		u64 start_ns = bench_cpu_ns();

		for (k = 0; k < EVENTS; k++)
			one_event(&l);
		least = min(least, (double)(bench_cpu_ns() - start_ns) / EVENTS);
	}
	load_fini(&l);
	if (!err)
		*ns = least;
	return err;
}

/**
 * struct client - an entity as the scan of all pairs sees it
 * @prio: priority
 * @busy: has work
 * @off: preempted
 */
struct client {
	int prio;
	bool busy;
	bool off;
};

/* Looks at every pair for one that runs while a better one has work. */
static uint32_t scan_pairs(const struct client *c, uint32_t nr)
{
	uint32_t inversions = 0;
	uint32_t i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < nr; k++)
			if (c[i].busy && !c[i].off && c[k].busy && c[k].prio > c[i].prio) {
				inversions++;
				break;
			}
	return inversions;
}

/* Without inversions, as after each decision: the scan has to look at all of them. */
static int pairs_cost(uint32_t nr, double *ns)
{
	struct client *c = calloc(nr, sizeof(*c));
	uint32_t inversions = 0, rounds = 2 + 20000000U / nr / nr;
	double values[REPEATS];
	uint32_t i, k;

	if (!c)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		c[i] = (struct client){ .prio = 1, .busy = i % 2 };
	for (i = 0; i < REPEATS; i++) {
		u64 start_ns = bench_cpu_ns();

		for (k = 0; k < rounds; k++) {
			c[k % nr].busy = !c[k % nr].busy;
			inversions += scan_pairs(c, nr);
		}
		values[i] = (double)(bench_cpu_ns() - start_ns) / rounds;
	}
	free(c);
	*ns = bench_median(values, REPEATS);
	/* There are none; asking keeps the compiler from dropping the scan. */
	return inversions ? -EINVAL : 0;
}

/* What all pairs cost at 32 and at 4096: the baseline of every policy. */
struct pairs {
	double small;
	double large;
};

static int report_prio(struct bench *b, struct pairs *pairs)
{
	static const struct {
		uint32_t nr;
		const char *name;
	} sizes[] = {
		{ 2, "prio, 2 entities" },
		{ 32, "prio, 32 entities" },
		{ 256, "prio, 256 entities" },
		{ 4096, "prio, 4096 entities" },
	};
	struct bench_result r = { .bench = "core.event", .unit = "ns", .has_baseline = true,
				     .kind = BENCH_AT_MOST, .bound = 500 };
	double small = 0;
	int err = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes) && !err; i++) {
		r.name = sizes[i].name;
		err = event_cost(sizes[i].nr, "prio", 0, &r.value);
		if (!err)
			err = pairs_cost(sizes[i].nr, &r.baseline);
		if (!err)
			err = bench_report(b, &r);
		if (sizes[i].nr == 32) {
			small = r.value;
			pairs->small = r.baseline;
		}
	}
	pairs->large = r.baseline;
	if (err)
		return err;
	err = bench_report(b, &(struct bench_result){
		.bench = "core.event", .name = "prio, 4096 to 32 entities", .unit = "ratio",
		.value = r.value / small, .kind = BENCH_AT_MOST, .bound = 2,
		.baseline = pairs->large / pairs->small, .has_baseline = true });
	if (err)
		return err;
	return bench_report(b, &(struct bench_result){
		.bench = "core.event", .name = "all pairs to prio, 4096", .unit = "ratio",
		.value = r.baseline / r.value, .kind = BENCH_AT_LEAST, .bound = 50,
		.baseline = 1, .has_baseline = true });
}

/*
 * Under laxity this load has no chance: its deadlines pass, all become critical
 * and run together, and a switch has many more members. A figure without a bound.
 */
static int report_policy(struct bench *b, const char *policy, const struct pairs *pairs)
{
	struct bench_result r = { .bench = "core.event", .unit = "ns", .bound = 500,
				     .baseline = pairs->small, .has_baseline = true };
	char name[64];
	double small;
	int err;

	r.name = name;
	r.kind = strcmp(policy, "laxity") ? BENCH_AT_MOST : BENCH_INFO;
	snprintf(name, sizeof(name), "%s, 32 entities", policy);
	err = event_cost(32, policy, 0, &r.value);
	if (!err)
		err = bench_report(b, &r);
	if (err)
		return err;
	small = r.value;
	r.baseline = pairs->large;
	snprintf(name, sizeof(name), "%s, 4096 entities", policy);
	err = event_cost(4096, policy, 0, &r.value);
	if (!err)
		err = bench_report(b, &r);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s, 4096 to 32 entities", policy);
	r.value /= small;
	r.baseline = pairs->large / pairs->small;
	r.unit = "ratio";
	r.kind = BENCH_INFO;
	return bench_report(b, &r);
}

/* The same entities, in few shares with budgets and in many: the baseline is without any. */
static int report_shares(struct bench *b)
{
	struct bench_result r = { .bench = "core.event", .unit = "ns", .bound = 500,
				  .kind = BENCH_AT_MOST, .has_baseline = true };
	double few = 0;
	int err = event_cost(4096, "fair", 0, &r.baseline);

	r.name = "fair, 4096 entities, 8 shares";
	if (!err)
		err = event_cost(4096, "fair", 8, &r.value);
	if (!err)
		err = bench_report(b, &r);
	few = r.value;
	r.name = "fair, 4096 entities, 1000 shares";
	if (!err)
		err = event_cost(4096, "fair", 1000, &r.value);
	if (!err)
		err = bench_report(b, &r);
	if (err)
		return err;
	return bench_report(b, &(struct bench_result){
		.bench = "core.event", .name = "1000 to 8 shares", .unit = "ratio",
		.value = r.value / few, .kind = BENCH_AT_MOST, .bound = 2 });
}

static size_t size_of(uint32_t nodes, uint32_t entities, uint32_t queues)
{
	return gp_sched_size(&(struct gp_sched_config){
		.nr_nodes = nodes, .max_entities = entities, .max_queues = queues });
}

static int report_memory(struct bench *b)
{
	double base = (double)size_of(1, 4096, 4096);
	struct bench_result results[] = {
		{ .name = "per entity", .unit = "bytes",
		  .value = ((double)size_of(1, 8192, 4096) - base) / 4096 },
		{ .name = "per queue", .unit = "bytes",
		  .value = ((double)size_of(1, 4096, 8192) - base) / 4096 },
		{ .name = "per node", .unit = "bytes",
		  .value = ((double)size_of(2, 4096, 4096) - base) },
		{ .name = "4096 + 4096, 8 nodes", .unit = "MiB", .kind = BENCH_AT_MOST,
		  .bound = 2, .value = (double)size_of(NODES, 4096, 4096) / MIB },
	};
	int err = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(results) && !err; i++) {
		results[i].bench = "core.memory";
		err = bench_report(b, &results[i]);
	}
	return err;
}

int bench_core(struct bench *b)
{
	struct pairs pairs = { 0 };
	const char *policy;
	int err = 0;
	u32 i;

	if (bench_wants(b, "core.event")) {
		err = report_prio(b, &pairs);
		for (i = 1; !err && (policy = gp_policy_name_at(i)); i++)
			err = report_policy(b, policy, &pairs);
		if (!err)
			err = report_shares(b);
	}
	if (!err && bench_wants(b, "core.memory"))
		err = report_memory(b);
	return err;
}
