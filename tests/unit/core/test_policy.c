// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/policy.h"

static const char *const names[] = { "prio", "fair", "slice", "edf", "laxity", "mlfq" };

static void all_policies_are_listed(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(gp_policy_name_at(i), names[i]);
	assert_null(gp_policy_name_at(i));
}

static void change_of_policy_keeps_attributes_and_states(void **state)
{
	struct gp_attr attr = { .prio = 3, .weight = 50, .slice_ns = 7, .deadline_ns = 9 };
	struct rig *r = *state;
	struct gp_entity_info info;
	u32 e = rig_add_attr(r, &attr);
	u32 high = rig_add(r, 9);
	u32 i;

	rig_busy(r, e);
	rig_busy(r, high);
	rig_done(r);
	for (i = 0; i < 3 * ARRAY_SIZE(names); i++) {
		rig_policy(r, names[i % ARRAY_SIZE(names)]);
		assert_string_equal(gp_sched_node_policy(r->s, 0), names[i % ARRAY_SIZE(names)]);
		if (r->in_flight)
			rig_done(r);
		r->now_ns += GP_MS;
	}
	assert_int_equal(gp_sched_entity_info(r->s, r->id[e], &info), 0);
	assert_int_equal(info.attr.prio, 3);
	assert_int_equal(info.attr.weight, 50);
	assert_int_equal(info.attr.slice_ns, 7);
	assert_int_equal(info.attr.deadline_ns, 9);
	assert_int_equal(info.nr_busy, 1);
}

static void change_of_policy_during_a_switch_takes_effect_after_it(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_policy(r, "fair");
	assert_state(r, low, PREEMPTING);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
}

static void policies_remember_entities_across_changes(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 3);
	u64 vruntime;

	rig_policy(r, "fair");
	rig_busy(r, e);
	rig_run(r, 20 * GP_MS);
	rig_policy(r, "prio");
	vruntime = rig_entity(r, e)->mem.vruntime;
	assert_int_equal(vruntime, 20 * GP_MS / GP_WEIGHT_DEFAULT);
	rig_run(r, 20 * GP_MS);
	rig_policy(r, "fair");
	/* Time under another policy is not charged. */
	assert_int_equal(rig_entity(r, e)->mem.vruntime, vruntime);
}

static void every_policy_serves_everybody(void **state)
{
	struct rig *r = *state;
	u32 i, k;

	r->switch_ns = 20 * GP_US;
	rig_param(r, "max_wait_ns", 200 * GP_MS);
	for (i = 0; i < 6; i++)
		rig_busy(r, rig_add(r, (u8)(2 * i)));
	for (k = 0; k < ARRAY_SIZE(names); k++) {
		u64 before[6];

		rig_policy(r, names[k]);
		for (i = 0; i < 6; i++)
			before[i] = rig_ran(r, i);
		rig_run(r, 2 * GP_SEC);
		for (i = 0; i < 6; i++)
			assert_true(rig_ran(r, i) > before[i] + GP_MS);
	}
}

static void exclusive_policies_run_as_many_as_their_width(void **state)
{
	static const char *const wide[] = { "fair", "slice", "edf", "mlfq" };
	struct rig *r = *state;
	u32 i, k;

	r->switch_ns = 20 * GP_US;
	rig_param(r, "max_wait_ns", 3600 * GP_SEC);
	for (i = 0; i < 10; i++)
		rig_busy(r, rig_add(r, 5));
	for (k = 0; k < ARRAY_SIZE(wide); k++) {
		char name[32];
		u32 width;

		snprintf(name, sizeof(name), "%s.width", wide[k]);
		rig_policy(r, wide[k]);
		for (width = 1; width <= GP_WIDTH_MAX; width++) {
			u32 nr = 0;

			rig_param(r, name, width);
			rig_timer(r);
			rig_run(r, 350 * GP_MS);
			while (r->in_flight)
				rig_run(r, 10 * GP_US);
			for (i = 0; i < 10; i++)
				nr += rig_state(r, i) == GP_ENTITY_RUNNING;
			assert_int_equal(nr, width);
		}
		rig_param(r, name, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(all_policies_are_listed),
		RIG_TEST(change_of_policy_keeps_attributes_and_states),
		RIG_TEST(change_of_policy_during_a_switch_takes_effect_after_it),
		RIG_TEST(policies_remember_entities_across_changes),
		RIG_TEST(every_policy_serves_everybody),
		RIG_TEST(exclusive_policies_run_as_many_as_their_width),
	};

	return cmocka_run_group_tests_name("core/policy", tests, NULL, NULL);
}
