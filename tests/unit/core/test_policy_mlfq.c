// SPDX-License-Identifier: MIT
#include "rig.h"

static void start(struct rig *r)
{
	r->switch_ns = 20 * GP_US;
	rig_policy(r, "mlfq");
}

/* With default slices of 10, 20 and 40 ms. */
static u32 level(struct rig *r, u32 e)
{
	u64 used_ns = rig_entity(r, e)->mem.used_ns;

	return (used_ns >= 10 * GP_MS) + (used_ns >= 30 * GP_MS) + (used_ns >= 70 * GP_MS);
}

static void long_work_sinks_through_the_levels(void **state)
{
	static const u64 ends_ms[] = { 10, 30, 70 };
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	u32 i;

	start(r);
	rig_busy(r, e);
	for (i = 0; i < ARRAY_SIZE(ends_ms); i++) {
		rig_run(r, GP_SEC + ends_ms[i] * GP_MS - 1 - r->now_ns);
		assert_int_equal(level(r, e), i);
		rig_run(r, 1);
		assert_int_equal(level(r, e), i + 1);
	}
	rig_run(r, GP_SEC);
	assert_int_equal(level(r, e), 3);
}

static void short_work_overtakes_long_work(void **state)
{
	struct rig *r = *state;
	u32 batch = rig_add(r, 5);
	u32 online = rig_add(r, 5);

	start(r);
	rig_busy(r, batch);
	rig_run(r, 100 * GP_MS);
	rig_busy(r, online);
	rig_run(r, 100 * GP_US);
	assert_state(r, online, RUNNING);
	assert_state(r, batch, PREEMPTED);
}

static void pauses_do_not_buy_a_high_level(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	u32 i;

	start(r);
	for (i = 0; i < 6; i++) {
		rig_busy(r, e);
		rig_run(r, 2 * GP_MS);
		rig_idle(r, e);
		rig_run(r, GP_MS);
	}
	assert_int_equal(level(r, e), 1);
}

static void waiting_raises_a_level(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	u32 i;

	start(r);
	rig_busy(r, e);
	rig_run(r, 100 * GP_MS);
	assert_int_equal(level(r, e), 3);
	/* Two new ones with slices longer than the wait keep it off the GPU. */
	for (i = 0; i < 2; i++) {
		struct gp_attr attr;

		gp_attr_default(&attr);
		attr.slice_ns = GP_SEC;
		rig_busy(r, rig_add_attr(r, &attr));
	}
	rig_run(r, 120 * GP_MS);
	assert_state(r, e, PREEMPTED);
	assert_int_equal(level(r, e), 2);
	rig_run(r, 100 * GP_MS);
	assert_int_equal(level(r, e), 1);
}

static void equals_of_a_level_take_turns(void **state)
{
	struct rig *r = *state;
	u32 a = rig_add(r, 5);
	u32 b = rig_add(r, 5);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 2 * GP_SEC);
	assert_in_range(rig_ran(r, a), 850 * GP_MS, 1150 * GP_MS);
	assert_in_range(rig_ran(r, b), 850 * GP_MS, 1150 * GP_MS);
}

/* It comes again as another one whenever a slice is nearly used up. */
static void leave_and_come_again(struct rig *r, u32 *e, u64 *ran_ns)
{
	*ran_ns += rig_ran(r, *e);
	rig_remove(r, *e);
	*e = rig_add(r, 5);
	rig_busy(r, *e);
}

static void coming_again_does_not_buy_a_high_level(void **state)
{
	struct rig *r = *state;
	u32 steady = rig_add(r, 5);
	u32 e = rig_add(r, 5);
	u64 end_ns, ran_ns = 0;

	start(r);
	rig_busy(r, steady);
	rig_run(r, 200 * GP_MS);
	rig_busy(r, e);
	end_ns = r->now_ns + GP_SEC;
	while (r->now_ns < end_ns) {
		rig_run(r, GP_MS);
		if (rig_ran(r, e) >= 9 * GP_MS && r->nr < RIG_ENTITIES)
			leave_and_come_again(r, &e, &ran_ns);
	}
	assert_true(r->nr < RIG_ENTITIES);
	/* At most half is its own; less, as it leaves before its turn is over. */
	assert_in_range(ran_ns + rig_ran(r, e), 100 * GP_MS, 500 * GP_MS);
}

static void newcomer_begins_at_the_top(void **state)
{
	struct rig *r = *state;
	u32 batch = rig_add(r, 5);
	u32 old = rig_add(r, 5);
	u32 e;

	start(r);
	rig_busy(r, batch);
	rig_busy(r, old);
	rig_run(r, GP_SEC);
	/* Those that stay are no reason. */
	e = rig_add(r, 5);
	rig_busy(r, e);
	assert_int_equal(level(r, e), 0);
	/* One that leaves is, for as long as its own sleep would take to be forgiven. */
	rig_remove(r, old);
	e = rig_add(r, 5);
	rig_busy(r, e);
	assert_int_equal(level(r, e), 3);
	rig_run(r, 4 * 70 * GP_MS + 4 * 80 * GP_MS);
	e = rig_add(r, 5);
	rig_busy(r, e);
	assert_int_equal(level(r, e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(long_work_sinks_through_the_levels),
		RIG_TEST(short_work_overtakes_long_work),
		RIG_TEST(pauses_do_not_buy_a_high_level),
		RIG_TEST(waiting_raises_a_level),
		RIG_TEST(equals_of_a_level_take_turns),
		RIG_TEST(coming_again_does_not_buy_a_high_level),
		RIG_TEST(newcomer_begins_at_the_top),
	};

	return cmocka_run_group_tests_name("core/policy_mlfq", tests, NULL, NULL);
}
