// SPDX-License-Identifier: MIT
#include "rig.h"

static void equals_run_together(void **state)
{
	struct rig *r = *state;
	u32 a = rig_add(r, 5);
	u32 b = rig_add(r, 5);

	rig_busy(r, a);
	rig_busy(r, b);
	assert_int_equal(r->nr_switches, 0);
	assert_state(r, a, RUNNING);
	assert_state(r, b, RUNNING);
}

static void only_the_highest_level_with_work_runs(void **state)
{
	struct rig *r = *state;
	u32 e[3] = { rig_add(r, 3), rig_add(r, 5), rig_add(r, 9) };
	u32 i;

	r->switch_ns = 20 * GP_US;
	for (i = 0; i < 3; i++)
		rig_busy(r, e[i]);
	rig_run(r, GP_MS);
	assert_state(r, e[0], PREEMPTED);
	assert_state(r, e[1], PREEMPTED);
	assert_state(r, e[2], RUNNING);
	rig_idle(r, e[2]);
	rig_run(r, GP_MS);
	assert_state(r, e[0], PREEMPTED);
	assert_state(r, e[1], RUNNING);
	rig_idle(r, e[1]);
	rig_run(r, GP_MS);
	assert_state(r, e[0], RUNNING);
}

static void lowered_priority_makes_room(void **state)
{
	struct rig *r = *state;
	u32 a = rig_add(r, 5);
	u32 b = rig_add(r, 9);

	rig_busy(r, a);
	rig_busy(r, b);
	rig_done(r);
	rig_prio(r, b, 1);
	assert_true(rig_preempts(r, b) && rig_resumes(r, a));
}

static void ageing_raises_one_that_waits_and_forgets_it_after_a_slice(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 5);

	r->switch_ns = 20 * GP_US;
	rig_param(r, "prio.age_ns", 10 * GP_MS);
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, 15 * GP_MS);
	assert_state(r, low, PREEMPTED);
	/* Two levels gained after 20 ms: equal, both run. */
	rig_run(r, 6 * GP_MS);
	assert_state(r, low, RUNNING);
	assert_state(r, high, RUNNING);
	rig_run(r, 3 * GP_MS);
	assert_state(r, low, PREEMPTED);
	rig_run(r, 20 * GP_MS);
	assert_state(r, low, RUNNING);
}

static void without_ageing_nobody_rises(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 4);

	r->switch_ns = 20 * GP_US;
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, 900 * GP_MS);
	assert_state(r, low, PREEMPTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(equals_run_together),
		RIG_TEST(only_the_highest_level_with_work_runs),
		RIG_TEST(lowered_priority_makes_room),
		RIG_TEST(ageing_raises_one_that_waits_and_forgets_it_after_a_slice),
		RIG_TEST(without_ageing_nobody_rises),
	};

	return cmocka_run_group_tests_name("core/policy_prio", tests, NULL, NULL);
}
