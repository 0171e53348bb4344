// SPDX-License-Identifier: MIT
#include "rig.h"

static u32 add_weight(struct rig *r, u32 weight)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.weight = weight;
	return rig_add_attr(r, &attr);
}

static void start(struct rig *r)
{
	r->switch_ns = 20 * GP_US;
	rig_policy(r, "fair");
}

static void time_is_shared_by_weight(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 300);
	u64 ran_a, ran_b;

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 4 * GP_SEC);
	ran_a = rig_ran(r, a);
	ran_b = rig_ran(r, b);
	assert_in_range(ran_b, ran_a * 3 * 97 / 100, ran_a * 3 * 103 / 100);
	assert_true(ran_a + ran_b > 4 * GP_SEC * 97 / 100);
}

static void one_runs_at_a_time(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 100);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 50 * GP_US);
	assert_state(r, a, RUNNING);
	assert_state(r, b, PREEMPTED);
	/* The newcomer's turn is the one after that of the first. */
	rig_run(r, 11 * GP_MS);
	assert_state(r, a, PREEMPTED);
	assert_state(r, b, RUNNING);
}

/* As a process does that ends and starts again whenever it is held. */
static void coming_anew_takes_nothing_from_others(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 100);
	u32 bad = add_weight(r, 100);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_busy(r, bad);
	for (u32 i = 0; i < 3000; i++) {
		rig_run(r, GP_MS);
		if (rig_entity(r, bad)->state != GP_ENTITY_PREEMPTED)
			continue;
		rig_idle(r, bad);
		rig_entity(r, bad)->mem.vruntime = 0;
		rig_busy(r, bad);
	}
	assert_true(rig_ran(r, a) > 900 * GP_MS);
	assert_true(rig_ran(r, b) > 900 * GP_MS);
}

static void equal_virtual_time_does_not_disturb_the_one_that_runs(void **state)
{
	struct rig *r = *state;
	u32 first = add_weight(r, 100);
	u32 second = add_weight(r, 100);

	start(r);
	/* The lower slot number would win a tie. */
	rig_busy(r, second);
	rig_busy(r, first);
	assert_state(r, second, RUNNING);
	assert_true(rig_preempts(r, first));
}

static void newcomer_starts_at_the_minimum(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 100);
	u32 c = add_weight(r, 100);
	u64 before;

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 2 * GP_SEC);
	before = rig_ran(r, a) + rig_ran(r, b);
	rig_busy(r, c);
	rig_run(r, 300 * GP_MS);
	/* A third, not two seconds to catch up. */
	assert_in_range(rig_ran(r, c), 90 * GP_MS, 115 * GP_MS);
	assert_in_range(rig_ran(r, a) + rig_ran(r, b) - before, 180 * GP_MS, 210 * GP_MS);
}

static void sleeper_is_given_back_a_bounded_credit(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 100);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 100 * GP_MS);
	rig_idle(r, b);
	rig_run(r, 2 * GP_SEC);
	rig_busy(r, b);
	/* Virtual time of weight 100 is a hundredth of real time. */
	assert_true(rig_entity(r, b)->mem.vruntime + 15 * GP_MS / 100 >
		    rig_entity(r, a)->mem.vruntime);
	/* Served soon. */
	rig_run(r, 6 * GP_MS);
	assert_state(r, b, RUNNING);
}

static void change_from_another_policy_does_not_poison_the_virtual_time(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 100);
	u32 b = add_weight(r, 100);

	r->switch_ns = 20 * GP_US;
	rig_busy(r, a);
	rig_busy(r, b);
	rig_policy(r, "fair");
	rig_run(r, GP_SEC);
	assert_true(r->s->node[0].fair_floor < GP_SEC / 10);
	assert_in_range(rig_ran(r, a), 480 * GP_MS, 520 * GP_MS);
}

static void keys_last_longer_than_any_machine(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 1);
	u32 b = add_weight(r, 1);
	u64 ran_ns;
	u32 i;

	start(r);
	rig_busy(r, a);
	/* Forty years in steps of a month. */
	for (i = 0; i < 480; i++) {
		r->now_ns += 30 * 24 * 3600 * GP_SEC;
		rig_timer(r);
		assert_int_equal(rig_entity(r, a)->key >> 2, rig_entity(r, a)->mem.vruntime);
	}
	rig_busy(r, b);
	ran_ns = rig_ran(r, a);
	rig_run(r, GP_SEC);
	assert_in_range(rig_ran(r, a) - ran_ns, 480 * GP_MS, 520 * GP_MS);
	assert_in_range(rig_ran(r, b), 480 * GP_MS, 520 * GP_MS);
}

static void keys_that_would_not_fit_stop_growing(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, 1);

	start(r);
	rig_busy(r, a);
	r->now_ns = U64_MAX - GP_SEC;
	rig_timer(r);
	assert_true(rig_entity(r, a)->key >> 2 == (1ULL << 62) - 1);
}

static void short_runs_of_a_heavy_entity_are_charged_too(void **state)
{
	struct rig *r = *state;
	u32 a = add_weight(r, GP_WEIGHT_MAX);
	u32 i;

	start(r);
	for (i = 0; i < 100; i++) {
		rig_busy(r, a);
		r->now_ns += GP_WEIGHT_MAX / 10;
		rig_idle(r, a);
	}
	assert_int_equal(rig_entity(r, a)->mem.vruntime, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(time_is_shared_by_weight),
		RIG_TEST(one_runs_at_a_time),
		RIG_TEST(coming_anew_takes_nothing_from_others),
		RIG_TEST(equal_virtual_time_does_not_disturb_the_one_that_runs),
		RIG_TEST(newcomer_starts_at_the_minimum),
		RIG_TEST(sleeper_is_given_back_a_bounded_credit),
		RIG_TEST(keys_last_longer_than_any_machine),
		RIG_TEST(keys_that_would_not_fit_stop_growing),
		RIG_TEST(short_runs_of_a_heavy_entity_are_charged_too),
		RIG_TEST(change_from_another_policy_does_not_poison_the_virtual_time),
	};

	return cmocka_run_group_tests_name("core/policy_fair", tests, NULL, NULL);
}
