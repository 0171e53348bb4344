// SPDX-License-Identifier: MIT
#include "rig.h"

static u32 add(struct rig *r, u8 prio, u64 deadline_ns)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.prio = prio;
	attr.deadline_ns = deadline_ns;
	return rig_add_attr(r, &attr);
}

static void start(struct rig *r)
{
	r->switch_ns = 20 * GP_US;
	rig_policy(r, "laxity");
}

/* One short request, so that something is known. */
static void teach(struct rig *r, u32 e)
{
	rig_busy(r, e);
	rig_run(r, GP_US);
	rig_idle(r, e);
	rig_run(r, 5 * GP_MS);
}

static void first_request_is_critical_at_once(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 10 * GP_MS);
	u32 high = add(r, 9, 0);

	start(r);
	rig_busy(r, high);
	rig_run(r, GP_MS);
	rig_busy(r, low);
	rig_run(r, GP_MS);
	assert_state(r, low, RUNNING);
	assert_state(r, high, PREEMPTED);
	rig_idle(r, low);
	rig_run(r, 5 * GP_MS);
	rig_busy(r, low);
	rig_run(r, GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
}

static void entity_is_normal_until_its_laxity_expires_then_critical(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 10 * GP_MS);
	u32 high = add(r, 9, 0);

	start(r);
	teach(r, low);
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, 9 * GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
	/* 10 ms less the margin of 0.5 ms: critical. */
	rig_run(r, 550 * GP_US);
	assert_state(r, low, RUNNING);
	assert_state(r, high, PREEMPTED);
	rig_idle(r, low);
	rig_run(r, GP_MS);
	assert_state(r, high, RUNNING);
}

static void expected_work_makes_it_critical_earlier(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 10 * GP_MS);
	u32 high = add(r, 9, 0);

	start(r);
	rig_busy(r, low);
	rig_run(r, 4 * GP_MS);
	rig_idle(r, low);
	rig_run(r, GP_MS);
	rig_busy(r, high);
	rig_busy(r, low);
	/* 10 ms less one and a half times 4 ms and the margin. */
	rig_run(r, 3 * GP_MS);
	assert_state(r, low, PREEMPTED);
	rig_run(r, GP_MS);
	assert_state(r, low, RUNNING);
}

static void without_a_deadline_it_is_never_critical(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 0);
	u32 high = add(r, 9, 0);

	start(r);
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, 900 * GP_MS);
	assert_state(r, low, PREEMPTED);
}

static void critical_ones_run_by_deadline(void **state)
{
	struct rig *r = *state;
	u32 late = add(r, 4, 5 * GP_MS);
	u32 early = add(r, 3, 4900 * GP_US);
	u32 high = add(r, 9, 0);

	start(r);
	teach(r, late);
	teach(r, early);
	rig_busy(r, high);
	rig_busy(r, late);
	rig_busy(r, early);
	rig_run(r, 4700 * GP_US);
	assert_state(r, early, RUNNING);
	assert_state(r, late, PREEMPTED);
	assert_state(r, high, PREEMPTED);
	rig_idle(r, early);
	rig_run(r, 100 * GP_US);
	assert_state(r, late, RUNNING);
	assert_state(r, high, PREEMPTED);
}

static void next_request_is_not_critical(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 10 * GP_MS);
	u32 high = add(r, 9, 0);

	start(r);
	teach(r, low);
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, 9900 * GP_US);
	assert_state(r, low, RUNNING);
	rig_progress(r, low, r->now_ns);
	rig_run(r, GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
}

/* Half of 10 ms above all others, then a whole deadline below. */
static void endless_one_is_critical_for_its_budget_only(void **state)
{
	struct rig *r = *state;
	u32 low = add(r, 3, 10 * GP_MS);
	u32 high = add(r, 9, 0);

	start(r);
	rig_busy(r, high);
	rig_busy(r, low);
	rig_run(r, GP_SEC);
	assert_in_range(rig_ran(r, low), 300 * GP_MS, 350 * GP_MS);
	assert_in_range(rig_ran(r, high), 630 * GP_MS, 700 * GP_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(first_request_is_critical_at_once),
		RIG_TEST(entity_is_normal_until_its_laxity_expires_then_critical),
		RIG_TEST(expected_work_makes_it_critical_earlier),
		RIG_TEST(without_a_deadline_it_is_never_critical),
		RIG_TEST(critical_ones_run_by_deadline),
		RIG_TEST(next_request_is_not_critical),
		RIG_TEST(endless_one_is_critical_for_its_budget_only),
	};

	return cmocka_run_group_tests_name("core/policy_laxity", tests, NULL, NULL);
}
