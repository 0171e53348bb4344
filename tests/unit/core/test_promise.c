// SPDX-License-Identifier: MIT
/*
 * What fair, slice and mlfq promise, on minutes of overlapping random load. Each
 * promise is tried with a control that shows that the load can tell.
 */
#include "load.h"

#define WINDOW_NS GP_SEC
#define STEP_NS (100 * GP_MS)
#define STEPS (WINDOW_NS / STEP_NS)

/* A client that always has work, in requests of random length. */
static struct load_client *add_hog(struct load *l, u32 weight)
{
	struct load_client *c = load_add(l);

	c->work_ns = 1 * GP_MS + load_pick(l, 20 * GP_MS);
	c->spread = true;
	c->attr.weight = weight;
	return c;
}

/* A client that sleeps between requests of about a tenth of its pauses, or less. */
static struct load_client *add_sleeper(struct load *l, u64 work_ns, u64 gap_ns)
{
	struct load_client *c = load_add(l);

	c->work_ns = work_ns;
	c->spread = true;
	c->closed = false;
	c->jitter = true;
	c->gap_ns = gap_ns;
	return c;
}

/**
 * struct window - GPU time of clients in the last second
 * @gpu_ns: GPU time up to the last steps, a ring
 * @nr: steps noted so far
 */
struct window {
	u64 gpu_ns[LOAD_CLIENTS][STEPS];
	u64 nr;
};

/* Largest distance of the first @nr clients from their share of what they had together. */
static u64 distance_ns(struct window *w, const struct load *l, u32 nr)
{
	u64 had_ns[LOAD_CLIENTS];
	u64 all_ns = 0, weights = 0, most_ns = 0;
	u32 at = w->nr % STEPS;
	u32 i;

	for (i = 0; i < nr; i++) {
		had_ns[i] = l->client[i].gpu_ns - w->gpu_ns[i][at];
		w->gpu_ns[i][at] = l->client[i].gpu_ns;
		all_ns += had_ns[i];
		weights += l->client[i].attr.weight;
	}
	if (w->nr++ < STEPS)
		return 0;
	for (i = 0; i < nr; i++) {
		u64 share_ns = all_ns * l->client[i].attr.weight / weights;
		u64 off_ns = gp_since(share_ns, had_ns[i]) + gp_since(had_ns[i], share_ns);

		most_ns = max(most_ns, off_ns);
	}
	return most_ns;
}

/* Hogs of random weights and sleepers, for a minute, second by second. */
static u64 unfairness_ns(const char *policy, u64 seed)
{
	struct load *l = load_new(policy, seed);
	u64 nr_sleepers = load_pick(l, 4);
	u32 nr_hogs = 2 + (u32)load_pick(l, 6);
	struct window w = { 0 };
	u64 most_ns = 0;
	u64 i;

	for (i = 0; i < nr_hogs; i++)
		add_hog(l, 25 + (u32)load_pick(l, 400));
	for (i = 0; i < nr_sleepers; i++)
		add_sleeper(l, 500 * GP_US + load_pick(l, 2 * GP_MS), 30 * GP_MS);
	load_start(l);
	load_run(l, GP_SEC);
	for (i = 0; i < 60 * STEPS; i++) {
		u64 ns;

		load_run(l, STEP_NS);
		ns = distance_ns(&w, l, nr_hogs);
		most_ns = max(most_ns, ns);
	}
	load_free(l);
	return most_ns;
}

static void fair_shares_are_within_two_percent_over_any_second(void **state)
{
	u32 seed;

	(void)state;
	for (seed = 1; seed <= load_scaled(10); seed++)
		assert_true(unfairness_ns("fair", seed) <= WINDOW_NS / 50);
	assert_true(unfairness_ns("mlfq", 1) > WINDOW_NS / 50);
}

/* A client with less than its share gets all it asks for, soon, and no more than that. */
static void fair_sleepers_are_not_punished(void **state)
{
	struct load *l = load_new("fair", 11);
	struct load_client *s;
	u32 i;

	(void)state;
	s = add_sleeper(l, 2 * GP_MS, 25 * GP_MS);
	for (i = 0; i < 4; i++)
		add_hog(l, 100);
	load_start(l);
	load_run(l, 60 * GP_SEC);
	assert_true(s->nr_done + 2 >= s->nr);
	assert_true(load_percentile(s, 990) <= 15 * GP_MS);
	load_free(l);
}

/* After a sleep of seconds it works like the others, which lose no more than its bonus. */
static void fair_sleepers_do_not_hoard(void **state)
{
	struct load *l = load_new("fair", 12);
	struct load_client *late = load_add(l);
	u64 before_ns;
	u32 i;

	(void)state;
	late->closed = false;
	late->gap_ns = 3600 * GP_SEC;
	for (i = 0; i < 2; i++)
		add_hog(l, 100);
	load_start(l);
	late->next_ns = l->r->now_ns + 5 * GP_SEC;
	load_run(l, 5 * GP_SEC);
	before_ns = l->client[1].gpu_ns + l->client[2].gpu_ns;
	load_run(l, 300 * GP_MS);
	assert_in_range(late->gpu_ns, 80 * GP_MS, 120 * GP_MS);
	assert_true(l->client[1].gpu_ns + l->client[2].gpu_ns - before_ns >= 180 * GP_MS);
	load_free(l);
}

/* Clients with slices of their own, some of which sleep and bank what they do not use. */
static void slice_wait_is_bounded_by_the_others_slices(void **state)
{
	u32 seed, i, k;

	(void)state;
	for (seed = 1; seed <= load_scaled(10); seed++) {
		struct load *l = load_new("slice", seed);
		u32 nr = 2 + (u32)load_pick(l, 8);
		u64 turn_ns[LOAD_CLIENTS];

		for (i = 0; i < nr; i++) {
			struct load_client *c =
				load_pick(l, 2) ? add_hog(l, 100) :
						  add_sleeper(l, 3 * GP_MS, 40 * GP_MS);

			c->attr.slice_ns = GP_MS + load_pick(l, 10 * GP_MS);
			/* With two turns banked, and a switch. */
			turn_ns[i] = 3 * c->attr.slice_ns + l->r->switch_ns;
		}
		load_start(l);
		load_run(l, 30 * GP_SEC);
		for (i = 0; i < nr; i++) {
			u64 bound_ns = 2 * l->r->switch_ns + 200 * GP_US;

			for (k = 0; k < nr; k++)
				bound_ns += k == i ? 0 : turn_ns[k] + 200 * GP_US;
			assert_true(l->client[i].wait_max_ns <= bound_ns);
		}
		load_free(l);
	}
}

static void slice_turns_of_many_are_worth_their_switch(void **state)
{
	struct load *l = load_new("slice", 21);
	u64 least_ns = U64_MAX, most_ns = 0, all_ns = 0;
	u32 i, nr_switches;

	(void)state;
	for (i = 0; i < LOAD_CLIENTS; i++)
		load_add(l);
	load_start(l);
	load_run(l, 10 * GP_SEC);
	rig_forget(l->r);
	load_run(l, 20 * GP_SEC);
	nr_switches = l->r->nr_switches;
	for (i = 0; i < LOAD_CLIENTS; i++) {
		least_ns = min(least_ns, l->client[i].gpu_ns);
		most_ns = max(most_ns, l->client[i].gpu_ns);
		all_ns += l->client[i].gpu_ns;
	}
	/* A turn is a switch: no more of them than turns of 20 times their cost allow. */
	assert_true((u64)nr_switches * 20 * l->r->switch_ns <= 20 * GP_SEC);
	assert_true(all_ns >= 30 * GP_SEC / 100 * 95);
	assert_true(least_ns >= most_ns / 100 * 95);
	load_free(l);
}

static u64 interactive_wait_ns(const char *policy, u64 seed, u64 *p99_ns)
{
	struct load *l = load_new(policy, seed);
	struct load_client *s;
	u64 wait_ns;

	s = add_sleeper(l, 2 * GP_MS, 25 * GP_MS);
	add_hog(l, 100)->work_ns = 200 * GP_MS;
	add_hog(l, 100)->work_ns = U64_MAX;
	load_start(l);
	/* At first all are alike. */
	load_run(l, GP_SEC);
	s->wait_max_ns = 0;
	load_run(l, 60 * GP_SEC);
	wait_ns = s->wait_max_ns;
	*p99_ns = load_percentile(s, 990);
	load_free(l);
	return wait_ns;
}

static void mlfq_light_work_never_waits_long(void **state)
{
	u64 mlfq_ns, fair_ns;
	u32 seed;

	(void)state;
	for (seed = 1; seed <= load_scaled(50); seed++) {
		assert_true(interactive_wait_ns("mlfq", seed, &mlfq_ns) <= 10 * GP_MS);
		interactive_wait_ns("fair", seed, &fair_ns);
		assert_true(mlfq_ns <= fair_ns / 10 * 11);
	}
	assert_true(interactive_wait_ns("slice", 1, &fair_ns) > 10 * GP_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fair_shares_are_within_two_percent_over_any_second),
		cmocka_unit_test(fair_sleepers_are_not_punished),
		cmocka_unit_test(fair_sleepers_do_not_hoard),
		cmocka_unit_test(slice_wait_is_bounded_by_the_others_slices),
		cmocka_unit_test(slice_turns_of_many_are_worth_their_switch),
		cmocka_unit_test(mlfq_light_work_never_waits_long),
	};

	return cmocka_run_group_tests_name("core/promise", tests, NULL, NULL);
}
