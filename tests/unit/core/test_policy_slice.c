// SPDX-License-Identifier: MIT
#include "rig.h"

static u32 add(struct rig *r, u32 weight, u64 slice_ns)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.weight = weight;
	attr.slice_ns = slice_ns;
	return rig_add_attr(r, &attr);
}

static void start(struct rig *r)
{
	r->switch_ns = 20 * GP_US;
	rig_policy(r, "slice");
}

static void round_is_divided_by_weight(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 0);
	u32 b = add(r, 300, 0);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, 4 * GP_SEC);
	assert_in_range(rig_ran(r, a), 970 * GP_MS, 1010 * GP_MS);
	assert_in_range(rig_ran(r, b), 2900 * GP_MS, 3030 * GP_MS);
}

static void own_slice_overrides_the_share(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 2 * GP_MS);
	u32 b = add(r, 100, 8 * GP_MS);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, GP_SEC);
	assert_in_range(rig_ran(r, a), 190 * GP_MS, 210 * GP_MS);
	assert_in_range(rig_ran(r, b), 770 * GP_MS, 810 * GP_MS);
}

static void alone_it_has_everything_without_a_switch(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 0);

	start(r);
	rig_busy(r, a);
	rig_run(r, GP_SEC);
	assert_int_equal(rig_ran(r, a), GP_SEC);
	assert_int_equal(r->nr_switches, 0);
}

static void idle_entity_hands_over_early(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 0);
	u32 b = add(r, 100, 0);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, GP_MS);
	assert_state(r, a, RUNNING);
	rig_idle(r, a);
	rig_run(r, 200 * GP_US);
	assert_state(r, b, RUNNING);
}

static void short_pause_does_not_end_the_turn(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 0);
	u32 b = add(r, 100, 0);

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	rig_run(r, GP_MS);
	rig_idle(r, a);
	rig_run(r, 50 * GP_US);
	rig_busy(r, a);
	rig_run(r, GP_MS);
	assert_state(r, a, RUNNING);
	assert_state(r, b, PREEMPTED);
}

static void unused_time_is_banked_with_a_bound(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 10 * GP_MS);
	u32 b = add(r, 100, 10 * GP_MS);
	u32 i;

	start(r);
	rig_busy(r, b);
	for (i = 0; i < 20; i++) {
		rig_busy(r, a);
		rig_run(r, 12 * GP_MS);
		rig_idle(r, a);
		rig_run(r, 20 * GP_MS);
	}
	rig_busy(r, a);
	assert_in_range(rig_entity(r, a)->mem.bank_ns, 5 * GP_MS, 20 * GP_MS);
}

static void weights_are_right_after_entities_come_and_go(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 100, 0);
	u32 b = add(r, 300, 0);
	struct gp_attr attr = rig_entity(r, a)->attr;

	start(r);
	rig_busy(r, a);
	rig_busy(r, b);
	assert_int_equal(r->s->node[0].weights, 400);
	attr.weight = 250;
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[a], &attr, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_int_equal(r->s->node[0].weights, 550);
	rig_remove(r, b);
	assert_int_equal(r->s->node[0].weights, 250);
	rig_policy(r, "prio");
	rig_idle(r, a);
	rig_policy(r, "slice");
	assert_int_equal(r->s->node[0].weights, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(round_is_divided_by_weight),
		RIG_TEST(own_slice_overrides_the_share),
		RIG_TEST(alone_it_has_everything_without_a_switch),
		RIG_TEST(idle_entity_hands_over_early),
		RIG_TEST(short_pause_does_not_end_the_turn),
		RIG_TEST(unused_time_is_banked_with_a_bound),
		RIG_TEST(weights_are_right_after_entities_come_and_go),
	};

	return cmocka_run_group_tests_name("core/policy_slice", tests, NULL, NULL);
}
