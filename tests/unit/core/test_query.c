// SPDX-License-Identifier: MIT
#include "rig.h"

static void info_tells_what_was_given(void **state)
{
	struct gp_attr attr = { .prio = 4, .latency_critical = true, .weight = 30,
				.slice_ns = 5, .deadline_ns = 6 };
	struct rig *r = *state;
	struct gp_entity_info info;
	u64 id, queue;

	assert_int_equal(gp_sched_entity_add(r->s, 1, &attr, 77, r->now_ns, &r->out, &id), 0);
	assert_int_equal(r->out.node, 1);
	assert_int_equal(gp_sched_queue_add(r->s, id, 88, r->now_ns, &r->out, &queue), 0);
	assert_int_equal(gp_sched_entity_info(r->s, id, &info), 0);
	assert_int_equal(info.id, id);
	assert_int_equal(info.cookie, 77);
	assert_int_equal(info.node, 1);
	assert_int_equal(info.state, GP_ENTITY_IDLE);
	assert_int_equal(info.nr_queues, 1);
	assert_int_equal(info.attr.prio, 4);
	assert_true(info.attr.latency_critical);
	assert_int_equal(info.attr.weight, 30);
	assert_int_equal(gp_sched_entity_info(r->s, queue, &info), -ENOENT);
}

static void info_counts_times_that_go_on(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	struct gp_entity_info info;

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	r->now_ns += 50 * GP_US;
	rig_timer(r);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[high], &info), 0);
	assert_int_equal(info.run_ns, 50 * GP_US);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[low], &info), 0);
	assert_int_equal(info.off_ns, 50 * GP_US);
	assert_int_equal(info.off_max_ns, 50 * GP_US);
}

static void every_state_and_code_has_a_name(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < GP_ENTITY_STATE_COUNT; i++)
		assert_string_not_equal(gp_entity_state_name(i), "unknown");
	for (i = 0; i < GP_BREAKER_STATE_COUNT; i++)
		assert_string_not_equal(gp_breaker_state_name(i), "unknown");
	for (i = 0; i < GP_RESULT_COUNT; i++)
		assert_string_not_equal(gp_result_name(i), "unknown");
	for (i = 0; i < GP_REPORT_COUNT; i++)
		assert_string_not_equal(gp_report_name(i), "unknown");
	assert_string_equal(gp_report_name(GP_REPORT_COUNT), "unknown");
	for (i = 0; i < GP_TRACE_KIND_COUNT; i++)
		assert_string_not_equal(gp_trace_kind_name(i), "unknown");
	assert_string_equal(gp_trace_kind_name(GP_TRACE_KIND_COUNT), "unknown");
}

static void cookies_are_given_back(void **state)
{
	struct rig *r = *state;
	u64 cookie = 77;
	u32 e = rig_add(r, 3);

	e = rig_add(r, 3);
	assert_int_equal(gp_sched_entity_cookie(r->s, r->id[e], &cookie), 0);
	assert_int_equal(cookie, e);
	rig_remove(r, e);
	cookie = 77;
	assert_int_equal(gp_sched_entity_cookie(r->s, r->id[e], &cookie), -ENOENT);
	assert_int_equal(cookie, 77);
}

static void stats_tell_what_is_off_and_in_flight(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	assert_false(rig_stats(r)->switching);
	rig_busy(r, high);
	assert_true(rig_stats(r)->switching);
	assert_int_equal(rig_stats(r)->nr_out, 0);
	rig_done(r);
	assert_false(rig_stats(r)->switching);
	assert_int_equal(rig_stats(r)->nr_out, 1);
	rig_remove(r, low);
	assert_int_equal(rig_stats(r)->nr_out, 0);
}

static void actions_are_as_large_as_documented(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct gp_actions), 1760);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(info_tells_what_was_given),
		RIG_TEST(info_counts_times_that_go_on),
		RIG_TEST(cookies_are_given_back),
		RIG_TEST(stats_tell_what_is_off_and_in_flight),
		RIG_TEST(actions_are_as_large_as_documented),
		RIG_TEST(every_state_and_code_has_a_name),
	};

	return cmocka_run_group_tests_name("core/query", tests, NULL, NULL);
}
