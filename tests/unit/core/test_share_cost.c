// SPDX-License-Identifier: MIT
/*
 * What an event costs does not grow with the number of shares, as there are many cgroups on a
 * machine. Cost is counted in basic blocks of the core, which the compiler was told to count: the
 * same on every run, and beside any load.
 */
#include "rig.h"

#include "core/sched_share.h"

#define ENTITIES 1000U
#define SHARES 1000U
#define FEW 8U
#define ABOVE 4U
#define WARM_UP 4000U
#define EVENTS 4000U
#define STEP_NS (10 * GP_US)
/* Half of the entities have work. */
#define BUSY (ENTITIES / 2)
/* Events until a switch is answered. */
#define ANSWER_AFTER 3U
/* Of what an event costs with a few shares, what it may with many: a heap of them is deeper. */
#define MOST_PERCENT 120U

/* Called by the core at each block. */
void __sanitizer_cov_trace_pc(void);

static u64 nr_blocks;

void __sanitizer_cov_trace_pc(void)
{
	nr_blocks++;
}

struct world {
	struct gp_sched *s;
	void *mem;
	u64 entity[ENTITIES], queue[ENTITIES], share[SHARES];
	bool busy[ENTITIES];
	u32 nr_shares, nr_busy, answer;
	u64 now_ns, timer_ns, random;
	struct gp_switch sw;
	struct gp_actions out;
};

static u32 roll(struct world *w, u32 below)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((w->random >> 33) % below);
}

static void make_shares(struct world *w)
{
	const struct gp_share_attr attr = {
		.weight = GP_WEIGHT_DEFAULT, .quota_ns = 2 * GP_MS, .period_ns = 10 * GP_MS,
	};
	u64 above[ABOVE];
	u32 i;

	for (i = 0; i < ABOVE; i++)
		assert_int_equal(gp_sched_share_add(w->s, 0, GP_ID_NONE, &attr, i, 0, &w->out,
						    &above[i]), 0);
	for (i = 0; i < w->nr_shares; i++)
		assert_int_equal(gp_sched_share_add(w->s, 0, above[i % ABOVE], &attr, i, 0, &w->out,
						    &w->share[i]), 0);
	for (i = 0; i < ENTITIES; i++)
		assert_int_equal(gp_sched_entity_join(w->s, w->entity[i],
						      w->share[i % w->nr_shares], 0, &w->out), 0);
}

static struct world *make_world(u32 nr_shares)
{
	const struct gp_sched_config config = {
		.nr_nodes = 1,
		.max_entities = ENTITIES,
		.max_queues = ENTITIES,
		.max_shares = SHARES + ABOVE,
	};
	size_t size = gp_sched_size(&config);
	struct world *w = calloc(1, sizeof(*w));
	struct gp_attr attr;
	u32 i;

	assert_non_null(w);
	w->mem = aligned_alloc(64, (size + 63) / 64 * 64);
	assert_non_null(w->mem);
	w->nr_shares = nr_shares;
	w->timer_ns = U64_MAX;
	w->random = 7;
	assert_int_equal(gp_sched_init(w->mem, size, &config, &w->s), 0);
	gp_sched_param_set(w->s, 0, "rate_per_s", 1000000, NULL);
	gp_sched_param_set(w->s, 0, "rate_burst", 4096, NULL);
	gp_sched_set_policy(w->s, 0, "fair", 0, &w->out);
	gp_attr_default(&attr);
	for (i = 0; i < ENTITIES; i++) {
		assert_int_equal(gp_sched_entity_add(w->s, 0, &attr, i, 0, &w->out,
						     &w->entity[i]), 0);
		assert_int_equal(gp_sched_queue_add(w->s, w->entity[i], i, 0, &w->out,
						    &w->queue[i]), 0);
	}
	make_shares(w);
	return w;
}

/* One of those that are idle, or one that is not. */
static u32 pick(struct world *w, bool busy)
{
	u32 i = roll(w, ENTITIES);

	while (w->busy[i] != busy)
		i = (i + 1) % ENTITIES;
	return i;
}

static void change(struct world *w)
{
	bool busy = w->nr_busy < BUSY;
	u32 i = pick(w, !busy);

	w->busy[i] = busy;
	w->nr_busy += busy ? 1U : -1U;
	if (busy)
		gp_sched_queue_busy(w->s, w->queue[i], w->now_ns, &w->out);
	else
		gp_sched_queue_idle(w->s, w->queue[i], w->now_ns, &w->out);
}

static void one_event(struct world *w)
{
	u32 i;

	w->now_ns += STEP_NS;
	if (w->answer && !--w->answer) {
		gp_sched_switch_done(w->s, 0, w->sw.seq, gp_sched_results(w->s, 0),
				     w->sw.nr_preempt + w->sw.nr_resume, w->now_ns, &w->out);
	} else if (w->timer_ns <= w->now_ns) {
		w->timer_ns = U64_MAX;
		gp_sched_timer(w->s, 0, w->now_ns, &w->out);
	} else {
		change(w);
	}
	for (i = 0; i < w->out.nr; i++) {
		if (w->out.a[i].kind == GP_ACTION_SET_TIMER)
			w->timer_ns = w->out.a[i].at_ns;
		if (w->out.a[i].kind == GP_ACTION_SWITCH) {
			w->sw = w->out.sw;
			w->answer = ANSWER_AFTER;
		}
	}
}

/* As one that has no list of those whose time has come would. */
static void look_at_all(const struct world *w)
{
	struct gp_share_info info;
	u32 i;

	for (i = 0; i < w->nr_shares; i++)
		gp_sched_share_info(w->s, w->share[i], w->now_ns, &info);
}

/* Basic blocks of an event. */
static u64 cost(u32 nr_shares, bool scans)
{
	struct world *w = make_world(nr_shares);
	u64 nr;
	u32 i;

	for (i = 0; i < WARM_UP; i++)
		one_event(w);
	nr = nr_blocks;
	for (i = 0; i < EVENTS; i++) {
		one_event(w);
		if (scans)
			look_at_all(w);
	}
	nr = nr_blocks - nr;
	free(w->mem);
	free(w);
	return nr / EVENTS;
}

static void check_cost(bool scans, bool grows)
{
	u64 few = cost(FEW, scans), many = cost(SHARES, scans);

	printf("%u shares: %llu blocks an event, %u: %llu\n", FEW, (unsigned long long)few,
	       SHARES, (unsigned long long)many);
	assert_int_equal(many * 100 > few * MOST_PERCENT, grows);
}

static void a_thousand_shares_cost_what_a_few_do(void **state)
{
	check_cost(false, false);
}

/* The control. */
static void a_look_at_all_of_them_is_seen(void **state)
{
	check_cost(true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_shares_cost_what_a_few_do),
		cmocka_unit_test(a_look_at_all_of_them_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
