// SPDX-License-Identifier: MIT
#include "rig.h"

static u32 add(struct rig *r, u64 deadline_ns)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.deadline_ns = deadline_ns;
	return rig_add_attr(r, &attr);
}

static void earliest_deadline_runs_first(void **state)
{
	struct rig *r = *state;
	u32 e[3];
	u32 i;

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	e[0] = add(r, 30 * GP_MS);
	e[1] = add(r, 10 * GP_MS);
	e[2] = add(r, 20 * GP_MS);
	for (i = 0; i < 3; i++)
		rig_busy(r, e[i]);
	rig_run(r, GP_MS);
	assert_state(r, e[1], RUNNING);
	assert_state(r, e[0], PREEMPTED);
	assert_state(r, e[2], PREEMPTED);
	rig_idle(r, e[1]);
	rig_run(r, GP_MS);
	assert_state(r, e[2], RUNNING);
	rig_idle(r, e[2]);
	rig_run(r, GP_MS);
	assert_state(r, e[0], RUNNING);
}

static void deadline_counts_from_the_arrival_of_work(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 10 * GP_MS);
	u32 b = add(r, 9 * GP_MS);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_busy(r, a);
	rig_run(r, 2 * GP_MS);
	rig_busy(r, b);
	rig_run(r, GP_MS);
	assert_state(r, a, RUNNING);
	assert_state(r, b, PREEMPTED);
}

static void without_a_deadline_it_comes_last_in_order_of_arrival(void **state)
{
	struct rig *r = *state;
	u32 none[2] = { add(r, 0), add(r, 0) };
	u32 late = add(r, 3600 * GP_SEC);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_busy(r, none[1]);
	rig_busy(r, none[0]);
	rig_run(r, GP_MS);
	assert_state(r, none[1], RUNNING);
	assert_state(r, none[0], PREEMPTED);
	rig_busy(r, late);
	rig_run(r, GP_MS);
	assert_state(r, late, RUNNING);
	assert_state(r, none[1], PREEMPTED);
}

static void extreme_deadline_is_still_before_none(void **state)
{
	struct rig *r = *state;
	u32 none = add(r, 0);
	u32 extreme = add(r, U64_MAX);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_busy(r, none);
	rig_busy(r, extreme);
	rig_run(r, GP_MS);
	assert_state(r, extreme, RUNNING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(earliest_deadline_runs_first),
		RIG_TEST(deadline_counts_from_the_arrival_of_work),
		RIG_TEST(without_a_deadline_it_comes_last_in_order_of_arrival),
		RIG_TEST(extreme_deadline_is_still_before_none),
	};

	return cmocka_run_group_tests_name("core/policy_edf", tests, NULL, NULL);
}
