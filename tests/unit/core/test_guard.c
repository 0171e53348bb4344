// SPDX-License-Identifier: MIT
#include "rig.h"

/* high runs alone, low is off the GPU. */
static void start(struct rig *r, u32 *low, u32 *high)
{
	*low = rig_add(r, 3);
	*high = rig_add(r, 9);
	rig_busy(r, *low);
	rig_busy(r, *high);
	rig_done(r);
	rig_forget(r);
}

static void resumed_entity_runs_for_a_minimum_time(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_done(r);
	rig_busy(r, high);
	/* They share the GPU until the minimum is over. */
	assert_state(r, low, RUNNING);
	assert_state(r, high, RUNNING);
	rig_run(r, 100 * GP_US - 1);
	assert_state(r, low, RUNNING);
	rig_run(r, 1);
	assert_state(r, low, PREEMPTING);
}

static void hysteresis_delays_the_resume_of_lower_ones(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US - 1);
	assert_state(r, low, PREEMPTED);
	rig_run(r, 1);
	assert_state(r, low, RESUMING);
}

static void leader_that_comes_back_soon_costs_no_switch(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	for (i = 0; i < 100; i++) {
		rig_idle(r, high);
		rig_run(r, 60 * GP_US);
		rig_busy(r, high);
		assert_state(r, high, RUNNING);
		rig_run(r, 60 * GP_US);
	}
	assert_int_equal(r->nr_switches, 0);
	assert_state(r, low, PREEMPTED);
}

static void newcomer_may_run_during_the_hysteresis(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 lower = rig_add(r, 1);

	start(r, &low, &high);
	rig_idle(r, high);
	rig_busy(r, lower);
	assert_state(r, lower, RUNNING);
	assert_int_equal(r->nr_switches, 0);
	rig_run(r, 100 * GP_US);
	assert_true(rig_preempts(r, lower) && rig_resumes(r, low));
}

static void hysteresis_does_not_hold_back_a_better_one(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_idle(r, high);
	rig_prio(r, low, 12);
	assert_state(r, low, RESUMING);
}

static void rate_limit_puts_decisions_off_and_reports_once(void **state)
{
	struct rig *r = *state;
	u32 e[8];
	u32 i;

	rig_param(r, "rate_per_s", 100);
	rig_param(r, "rate_burst", 2);
	for (i = 0; i < 8; i++)
		e[i] = rig_add(r, (u8)i);
	rig_busy(r, e[7]);
	for (i = 0; i < 2; i++) {
		rig_busy(r, e[i]);
		rig_done(r);
	}
	assert_int_equal(r->nr_switches, 2);
	rig_busy(r, e[2]);
	rig_busy(r, e[3]);
	assert_int_equal(r->nr_switches, 2);
	assert_true(rig_reported(r, GP_REPORT_RATE_LIMIT));
	assert_int_equal(rig_stats(r)->nr_rate_limited, 1);
	rig_run(r, 10 * GP_MS);
	assert_int_equal(r->nr_switches, 3);
	assert_true(rig_preempts(r, e[2]) && rig_preempts(r, e[3]));
}

/* low has just been given back the GPU that high took; there is one such switch a second. */
static void start_limited(struct rig *r, u32 *low, u32 *high)
{
	rig_param(r, "rate_per_s", 1);
	rig_param(r, "rate_burst", 1);
	rig_param(r, "max_wait_ns", 100 * GP_SEC);
	start(r, low, high);
	rig_idle(r, *high);
	rig_run(r, GP_SEC);
	rig_done(r);
	assert_state(r, *low, RUNNING);
	rig_run(r, 200 * GP_US);
	rig_forget(r);
}

static void rate_limit_does_not_delay_the_urgent_side(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start_limited(r, &low, &high);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
	assert_false(rig_reported(r, GP_REPORT_RATE_LIMIT));
	rig_done(r);
	assert_state(r, high, RUNNING);
}

static void rate_limit_puts_off_that_the_gpu_is_given_back(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start_limited(r, &low, &high);
	rig_busy(r, high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 500 * GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_true(rig_reported(r, GP_REPORT_RATE_LIMIT));
	rig_run(r, 500 * GP_MS);
	assert_true(rig_resumes(r, low));
}

static void latency_critical_one_comes_back_whatever_the_rate(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 high, other, critical;

	rig_param(r, "rate_per_s", 1);
	rig_param(r, "rate_burst", 1);
	assert_int_equal(gp_sched_set_room(r->s, 0, 1, 0, r->now_ns, &r->out), 0);
	gp_attr_default(&attr);
	attr.prio = 9;
	high = rig_add_attr(r, &attr);
	other = rig_add_attr(r, &attr);
	attr.latency_critical = true;
	critical = rig_add_attr(r, &attr);
	rig_busy(r, high);
	rig_done(r);
	assert_state(r, other, PREEMPTED);
	assert_state(r, critical, PREEMPTED);
	rig_busy(r, other);
	assert_false(r->in_flight);
	assert_true(rig_reported(r, GP_REPORT_RATE_LIMIT));
	rig_busy(r, critical);
	assert_true(rig_resumes(r, critical) && rig_resumes(r, other));
}

/* A latency-critical one that is on the GPU needs no other to come back. */
static void rate_limit_holds_beside_new_work_of_one_that_is_there(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 high, other, critical;

	rig_param(r, "rate_per_s", 1);
	rig_param(r, "rate_burst", 1);
	gp_attr_default(&attr);
	attr.latency_critical = true;
	critical = rig_add_attr(r, &attr);
	high = rig_add(r, 9);
	other = rig_add(r, 7);
	rig_busy(r, high);
	rig_busy(r, other);
	assert_true(rig_preempts(r, other));
	rig_prio(r, high, 7);
	rig_busy(r, critical);
	rig_done(r);
	assert_state(r, critical, RUNNING);
	assert_state(r, other, PREEMPTED);
	assert_true(rig_reported(r, GP_REPORT_RATE_LIMIT));
}

static void rate_limit_forgets_a_decision_that_is_no_longer_needed(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start_limited(r, &low, &high);
	rig_busy(r, high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 200 * GP_MS);
	assert_true(rig_reported(r, GP_REPORT_RATE_LIMIT));
	rig_remove(r, low);
	rig_forget(r);
	rig_run(r, 10 * GP_SEC);
	assert_int_equal(r->nr_switches, 0);
	assert_int_equal(r->timer_ns, U64_MAX);
}

/* low was given the GPU back a moment ago. */
static void give_back(struct rig *r, u32 low, u32 high)
{
	rig_idle(r, high);
	rig_run(r, GP_MS);
	assert_state(r, low, RESUMING);
	rig_done(r);
	assert_state(r, low, RUNNING);
	rig_run(r, 10 * GP_US);
}

static void minimum_run_does_not_hold_against_latency_critical_work(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 low, high, other;

	start(r, &low, &high);
	gp_attr_default(&attr);
	attr.prio = 9;
	attr.latency_critical = true;
	other = rig_add_attr(r, &attr);
	give_back(r, low, high);
	rig_busy(r, high);
	assert_state(r, low, RUNNING);
	/* Also if it was kept from another that is not. */
	rig_busy(r, other);
	assert_true(rig_preempts(r, low));
}

static void minimum_run_holds_if_latency_critical_work_cannot_come(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 low, mid, high, critical;

	gp_attr_default(&attr);
	attr.prio = 9;
	attr.latency_critical = true;
	critical = rig_add_attr(r, &attr);
	mid = rig_add(r, 7);
	start(r, &low, &high);
	rig_prio(r, high, 12);
	rig_busy(r, critical);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, GP_MS);
	assert_true(rig_resumes(r, critical));
	rig_idle(r, critical);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, RESUMING);
	rig_busy(r, critical);
	rig_busy(r, mid);
	rig_done(r);
	assert_state(r, critical, PREEMPTED);
	assert_state(r, low, RUNNING);
}

static void slice_of_a_starved_one_holds_against_latency_critical_work(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 low, high, other;

	start(r, &low, &high);
	gp_attr_default(&attr);
	attr.prio = 9;
	attr.latency_critical = true;
	other = rig_add_attr(r, &attr);
	rig_run(r, GP_SEC);
	rig_done(r);
	assert_state(r, low, RUNNING);
	rig_run(r, 10 * GP_US);
	rig_busy(r, other);
	rig_run(r, GP_MS);
	assert_state(r, low, RUNNING);
	rig_run(r, GP_MS);
	assert_true(rig_preempts(r, low));
}

static void starved_entity_gets_the_gpu_alone_for_a_slice(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_run(r, GP_SEC - 1);
	assert_int_equal(r->nr_switches, 0);
	rig_run(r, 1);
	assert_true(rig_resumes(r, low) && rig_preempts(r, high));
	assert_true(rig_reported(r, GP_REPORT_STARVATION));
	assert_int_equal(rig_stats(r)->nr_starvation, 1);
	rig_done(r);
	assert_state(r, low, RUNNING);
	assert_state(r, high, PREEMPTED);
	rig_run(r, 2 * GP_MS - 1);
	assert_state(r, low, RUNNING);
	rig_run(r, 1);
	assert_true(rig_resumes(r, high) && rig_preempts(r, low));
	rig_done(r);
	assert_state(r, high, RUNNING);
}

static void slice_ends_when_the_starved_entity_has_no_work(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_run(r, GP_SEC);
	rig_done(r);
	rig_run(r, GP_MS);
	assert_state(r, high, PREEMPTED);
	rig_idle(r, low);
	assert_state(r, high, RESUMING);
}

static void slice_ends_when_the_starved_entity_is_gone(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_run(r, GP_SEC);
	rig_done(r);
	rig_remove(r, low);
	assert_state(r, high, RESUMING);
}

static void slice_ends_with_the_last_of_several(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 other = rig_add(r, 3);

	start(r, &low, &high);
	rig_busy(r, other);
	rig_done(r);
	rig_run(r, GP_SEC);
	assert_true(rig_resumes(r, low) && rig_resumes(r, other));
	rig_done(r);
	rig_idle(r, low);
	assert_state(r, high, PREEMPTED);
	/* Back, but it has had its slice. */
	rig_busy(r, low);
	rig_idle(r, other);
	assert_state(r, high, RESUMING);
}

static void lost_node_ends_the_slice(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_run(r, GP_SEC);
	rig_done(r);
	assert_int_equal(gp_sched_node_lost(r->s, 0, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_int_equal(r->s->node[0].alone_ns, 0);
	assert_int_equal(r->s->node[0].resume_ns, 0);
	assert_false(r->s->node[0].limited);
}

/* For a while every resume of @e is refused, all else goes well. */
static void run_refusing(struct rig *r, u64 ns, u32 e)
{
	u64 end_ns = r->now_ns + ns;

	while (r->now_ns < end_ns) {
		u8 results[RIG_ENTITIES] = { 0 };
		u32 nr = r->sw.nr_preempt + r->sw.nr_resume;
		u32 i;

		if (!r->in_flight) {
			rig_run(r, 100 * GP_US);
			continue;
		}
		for (i = r->sw.nr_preempt; i < nr; i++)
			if (r->sw.id[i] == r->id[e])
				results[i] = GP_RESULT_BUSY;
		r->in_flight = false;
		assert_int_equal(gp_sched_switch_done(r->s, 0, r->sw.seq, results, nr, r->now_ns,
						      &r->out),
				 0);
		rig_take(r);
	}
}

static void starved_entity_that_refuses_takes_nothing_away(void **state)
{
	struct gp_entity_info info;
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_param(r, "breaker_errors", 1000);
	run_refusing(r, 3 * GP_SEC, low);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[high], &info), 0);
	assert_in_range(info.nr_preempted, 0, 1);
	/* It is still tried, and is like all others again once it is back. */
	r->switch_ns = 20 * GP_US;
	rig_run(r, 200 * GP_MS);
	assert_int_equal(rig_entity(r, low)->nr_resumed, 1);
	assert_int_equal(rig_entity(r, low)->nr_fail, 0);
}

static void better_entity_that_refuses_takes_nothing_away(void **state)
{
	struct gp_entity_info info;
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_param(r, "breaker_errors", 1000);
	rig_prio(r, low, 12);
	run_refusing(r, 3 * GP_SEC, low);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[high], &info), 0);
	assert_int_equal(info.nr_preempted, 1);
	assert_state(r, high, RUNNING);
	r->switch_ns = 20 * GP_US;
	rig_run(r, 200 * GP_MS);
	assert_state(r, low, RUNNING);
	assert_state(r, high, PREEMPTED);
}

static void forced_switches_leave_a_bounded_debt(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	rig_param(r, "rate_per_s", 1);
	rig_param(r, "rate_burst", 2);
	rig_param(r, "max_wait_ns", 10 * GP_MS);
	start(r, &low, &high);
	r->switch_ns = 20 * GP_US;
	rig_run(r, GP_SEC);
	assert_true(rig_stats(r)->nr_starvation > 20);
	assert_true(r->s->node[0].rate_ns <= r->now_ns + 2 * GP_SEC);
}

static void debt_of_a_larger_burst_ends_after_one_period(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	rig_param(r, "rate_per_s", 10);
	rig_param(r, "rate_burst", 4096);
	rig_param(r, "max_wait_ns", 100 * GP_SEC);
	start(r, &low, &high);
	for (i = 0; i < 20; i++) {
		give_back(r, low, high);
		rig_busy(r, high);
		rig_run(r, GP_MS);
		rig_done(r);
	}
	rig_param(r, "rate_burst", 1);
	rig_idle(r, high);
	rig_run(r, 10 * GP_MS);
	assert_state(r, low, PREEMPTED);
	rig_run(r, 100 * GP_MS);
	assert_true(rig_resumes(r, low));
}

/* It came while the entity was not to be preempted, which was off the GPU all the same. */
static void new_queue_is_stopped_when_it_may_be(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 low, high;
	u64 queue;

	start(r, &low, &high);
	attr = rig_entity(r, low)->attr;
	attr.no_preempt = true;
	gp_sched_entity_set_attr(r->s, r->id[low], &attr, r->now_ns, &r->out);
	gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue);
	rig_take(r);
	assert_false(r->in_flight);
	attr.no_preempt = false;
	gp_sched_entity_set_attr(r->s, r->id[low], &attr, r->now_ns, &r->out);
	rig_take(r);
	assert_true(r->in_flight && rig_preempts(r, low));
}

/* The same of one that was about to come back, and refused that. */
static void new_queue_is_stopped_though_a_resume_is_refused(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 low, high;
	u64 queue;

	start(r, &low, &high);
	attr = rig_entity(r, low)->attr;
	attr.no_preempt = true;
	gp_sched_entity_set_attr(r->s, r->id[low], &attr, r->now_ns, &r->out);
	gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue);
	rig_take(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	assert_true(r->in_flight && rig_resumes(r, low));
	rig_done_with(r, GP_RESULT_BUSY);
	rig_busy(r, high);
	rig_run(r, GP_MS);
	attr.no_preempt = false;
	gp_sched_entity_set_attr(r->s, r->id[low], &attr, r->now_ns, &r->out);
	rig_take(r);
	assert_true(r->in_flight && rig_preempts(r, low));
}

/* Work comes when the pause is over and before the timer says so. */
static void new_queue_that_refused_is_tried_again_though_work_comes(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u64 queue;

	start(r, &low, &high);
	rig_idle(r, low);
	gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue);
	rig_take(r);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_false(r->in_flight);
	r->now_ns += GP_MS;
	rig_busy(r, low);
	assert_true(r->in_flight && rig_preempts(r, low));
}

static void preemption_once_more_takes_a_token_but_is_none(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u64 rate_ns;
	u64 queue;

	start(r, &low, &high);
	rate_ns = r->s->node[0].rate_ns;
	assert_int_equal(gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue), 0);
	rig_take(r);
	assert_true(r->s->node[0].rate_ns > rate_ns);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_int_equal(rig_stats(r)->nr_preemptions, 1);
	assert_int_equal(rig_entity(r, low)->nr_preempted, 1);
}

static void many_starving_entities_cost_the_others_little(void **state)
{
	struct rig *r = *state;
	u32 high = rig_add(r, 9);
	u64 ran_ns;
	u32 i;

	r->switch_ns = 20 * GP_US;
	rig_busy(r, high);
	for (i = 0; i < 50; i++) {
		rig_busy(r, rig_add(r, 3));
		rig_run(r, 20 * GP_MS);
	}
	ran_ns = rig_ran(r, high);
	rig_run(r, 10 * GP_SEC);
	/* At most two slices of 2 ms a second are taken, not fifty. */
	assert_true(rig_ran(r, high) - ran_ns > 10 * GP_SEC * 99 / 100);
	assert_true(rig_stats(r)->off_max_ns < GP_SEC + 10 * GP_MS);
	assert_in_range(rig_stats(r)->nr_starvation, 10, 22);
}

static void starved_entity_without_work_takes_nothing_away(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_idle(r, low);
	rig_run(r, GP_SEC);
	assert_true(rig_resumes(r, low));
	assert_int_equal(r->sw.nr_preempt, 0);
	assert_false(rig_reported(r, GP_REPORT_STARVATION));
	rig_done(r);
	assert_state(r, low, IDLE);
	assert_state(r, high, RUNNING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(resumed_entity_runs_for_a_minimum_time),
		RIG_TEST(hysteresis_delays_the_resume_of_lower_ones),
		RIG_TEST(leader_that_comes_back_soon_costs_no_switch),
		RIG_TEST(newcomer_may_run_during_the_hysteresis),
		RIG_TEST(hysteresis_does_not_hold_back_a_better_one),
		RIG_TEST(rate_limit_puts_decisions_off_and_reports_once),
		RIG_TEST(rate_limit_does_not_delay_the_urgent_side),
		RIG_TEST(rate_limit_puts_off_that_the_gpu_is_given_back),
		RIG_TEST(latency_critical_one_comes_back_whatever_the_rate),
		RIG_TEST(rate_limit_holds_beside_new_work_of_one_that_is_there),
		RIG_TEST(rate_limit_forgets_a_decision_that_is_no_longer_needed),
		RIG_TEST(minimum_run_does_not_hold_against_latency_critical_work),
		RIG_TEST(minimum_run_holds_if_latency_critical_work_cannot_come),
		RIG_TEST(slice_of_a_starved_one_holds_against_latency_critical_work),
		RIG_TEST(starved_entity_gets_the_gpu_alone_for_a_slice),
		RIG_TEST(slice_ends_when_the_starved_entity_has_no_work),
		RIG_TEST(slice_ends_when_the_starved_entity_is_gone),
		RIG_TEST(slice_ends_with_the_last_of_several),
		RIG_TEST(lost_node_ends_the_slice),
		RIG_TEST(starved_entity_that_refuses_takes_nothing_away),
		RIG_TEST(better_entity_that_refuses_takes_nothing_away),
		RIG_TEST(forced_switches_leave_a_bounded_debt),
		RIG_TEST(debt_of_a_larger_burst_ends_after_one_period),
		RIG_TEST(new_queue_is_stopped_when_it_may_be),
		RIG_TEST(new_queue_is_stopped_though_a_resume_is_refused),
		RIG_TEST(new_queue_that_refused_is_tried_again_though_work_comes),
		RIG_TEST(preemption_once_more_takes_a_token_but_is_none),
		RIG_TEST(many_starving_entities_cost_the_others_little),
		RIG_TEST(starved_entity_without_work_takes_nothing_away),
	};

	return cmocka_run_group_tests_name("core/guard", tests, NULL, NULL);
}
