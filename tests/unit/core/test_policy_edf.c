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

/* Those with deadlines take over at once; for others it may come back in a moment. */
static void hysteresis_keeps_only_those_without_a_deadline_waiting(void **state)
{
	struct rig *r = *state;
	u32 none = add(r, 0);
	u32 a = add(r, 10 * GP_MS);
	u32 b = add(r, 20 * GP_MS);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_param(r, "hysteresis_ns", 100 * GP_US);
	rig_busy(r, none);
	rig_busy(r, b);
	rig_busy(r, a);
	rig_run(r, GP_MS);
	assert_state(r, a, RUNNING);
	rig_idle(r, a);
	assert_true(rig_resumes(r, b));
	rig_run(r, GP_MS);
	assert_state(r, b, RUNNING);
	rig_idle(r, b);
	assert_false(r->in_flight);
	rig_run(r, 90 * GP_US);
	assert_state(r, none, PREEMPTED);
	rig_run(r, 50 * GP_US);
	assert_state(r, none, RUNNING);
}

/* A late request keeps none waiting that can still be in time, and is late only once. */
static void late_request_gives_way_for_one_deadline(void **state)
{
	struct rig *r = *state;
	u32 a = add(r, 10 * GP_MS);
	u32 b = add(r, 9 * GP_MS);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_busy(r, a);
	rig_run(r, 4900 * GP_US);
	rig_progress(r, a, r->now_ns - 4800 * GP_US);
	rig_run(r, 3 * GP_MS);
	/* Due at 16.9 ms, the other at 10.1 ms. */
	rig_busy(r, b);
	rig_progress(r, b, r->now_ns);
	rig_run(r, 2 * GP_MS);
	assert_state(r, a, RUNNING);
	assert_state(r, b, PREEMPTED);
	rig_run(r, 300 * GP_US);
	assert_state(r, a, PREEMPTED);
	assert_state(r, b, RUNNING);
	/* It is as late, and the other is not twice as late yet. */
	rig_run(r, 7 * GP_MS);
	assert_state(r, a, RUNNING);
	assert_state(r, b, PREEMPTED);
}

static void completion_renews_the_deadline(void **state)
{
	struct rig *r = *state;
	u32 stream = add(r, 30 * GP_MS);
	u32 tight = add(r, 20 * GP_MS);

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "edf");
	rig_busy(r, stream);
	rig_run(r, 12 * GP_MS);
	rig_busy(r, tight);
	rig_run(r, GP_MS);
	assert_state(r, stream, RUNNING);
	/* The next request came a while ago, but is due later than the other. */
	rig_progress(r, stream, r->now_ns - 3 * GP_MS);
	rig_run(r, GP_MS);
	assert_state(r, tight, RUNNING);
	assert_state(r, stream, PREEMPTED);
}

static void deadline_is_that_of_the_oldest_request_of_all_queues(void **state)
{
	struct rig *r = *state;
	u32 e = add(r, 50 * GP_MS);
	u64 start_ns = r->now_ns;
	u64 second;

	rig_policy(r, "edf");
	gp_sched_queue_add(r->s, r->id[e], 0, r->now_ns, &r->out, &second);
	rig_take(r);
	rig_busy(r, e);
	rig_run(r, GP_MS);
	gp_sched_queue_busy(r->s, second, r->now_ns, &r->out);
	rig_take(r);
	assert_int_equal(rig_entity(r, e)->request_ns, start_ns);
	/* The first goes on with a younger one: that of the second is the oldest now. */
	rig_run(r, GP_MS);
	rig_progress(r, e, r->now_ns);
	assert_int_equal(rig_entity(r, e)->request_ns, start_ns + GP_MS);
	rig_run(r, GP_MS);
	gp_sched_queue_idle(r->s, second, r->now_ns, &r->out);
	rig_take(r);
	assert_int_equal(rig_entity(r, e)->request_ns, start_ns + 2 * GP_MS);
}

/* Whatever a client says of its requests, it cannot become more urgent by it. */
static void time_that_cannot_be_true_does_not_help(void **state)
{
	struct rig *r = *state;
	u32 e = add(r, 50 * GP_MS);
	u64 start_ns = r->now_ns;

	rig_policy(r, "edf");
	rig_busy(r, e);
	rig_run(r, GP_MS);
	rig_progress(r, e, 0);
	assert_int_equal(rig_entity(r, e)->request_ns, start_ns);
	rig_progress(r, e, U64_MAX);
	assert_int_equal(rig_entity(r, e)->request_ns, r->now_ns);
	rig_progress(r, e, start_ns);
	assert_int_equal(rig_entity(r, e)->request_ns, r->now_ns);
}

static void progress_of_an_idle_queue_changes_nothing(void **state)
{
	struct rig *r = *state;
	u32 e = add(r, 50 * GP_MS);

	rig_policy(r, "edf");
	rig_progress(r, e, r->now_ns);
	assert_state(r, e, IDLE);
	assert_int_equal(gp_sched_queue_progress(r->s, r->id[e], 0, r->now_ns, &r->out), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(earliest_deadline_runs_first),
		RIG_TEST(deadline_counts_from_the_arrival_of_work),
		RIG_TEST(without_a_deadline_it_comes_last_in_order_of_arrival),
		RIG_TEST(extreme_deadline_is_still_before_none),
		RIG_TEST(hysteresis_keeps_only_those_without_a_deadline_waiting),
		RIG_TEST(late_request_gives_way_for_one_deadline),
		RIG_TEST(completion_renews_the_deadline),
		RIG_TEST(deadline_is_that_of_the_oldest_request_of_all_queues),
		RIG_TEST(time_that_cannot_be_true_does_not_help),
		RIG_TEST(progress_of_an_idle_queue_changes_nothing),
	};

	return cmocka_run_group_tests_name("core/policy_edf", tests, NULL, NULL);
}
