// SPDX-License-Identifier: MIT
/* What leaves the GPU when more is there than fits, and how it comes back. */
#include "rig.h"

static void set_room(struct rig *r, u32 entities, u32 queues)
{
	assert_int_equal(gp_sched_set_room(r->s, 0, entities, queues, r->now_ns, &r->out), 0);
	rig_take(r);
}

/* Four equals, of which the first has work, on a GPU for two: the second and third leave. */
static void start(struct rig *r, u32 *e)
{
	u32 i;

	set_room(r, 2, 0);
	for (i = 0; i < 4; i++)
		e[i] = rig_add(r, 5);
	assert_int_equal(r->nr_switches, 0);
	rig_busy(r, e[0]);
	assert_int_equal(r->sw.nr_preempt, 2);
	assert_true(rig_preempts(r, e[1]) && rig_preempts(r, e[2]));
	rig_done(r);
	assert_state(r, e[0], RUNNING);
}

static void entities_without_work_leave_when_others_need_the_room(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	assert_state(r, e[1], PREEMPTED);
	assert_state(r, e[2], PREEMPTED);
	assert_state(r, e[3], IDLE);
	assert_int_equal(gp_sched_nr_kept_off(r->s, 0), 0);
	/* They lost nothing, and the GPU never has more than it has room for. */
	assert_int_equal(rig_stats(r)->nr_preemptions, 0);
	assert_int_equal(rig_stats(r)->off_max_ns, 0);
	assert_int_equal(r->s->node[0].nr_on, 2);
}

static void those_that_are_left_out_change_in_long_turns(void **state)
{
	struct rig *r = *state;
	u32 e[4];
	u32 i;

	start(r, e);
	r->switch_ns = 20 * GP_US;
	for (i = 0; i < 100; i++) {
		rig_run(r, 100 * GP_MS);
		assert_int_equal(r->s->node[0].nr_on, 2);
		assert_state(r, e[0], RUNNING);
	}
	/* Once in a bound, and each has been there. */
	assert_in_range(r->nr_switches, 8, 22);
	for (i = 1; i < 4; i++)
		assert_true(rig_entity(r, e[i])->nr_resumed > 0);
}

static void without_a_limit_they_stay(void **state)
{
	struct rig *r = *state;
	u32 i;

	for (i = 0; i < 100; i++)
		rig_add(r, 5);
	rig_busy(r, 0);
	rig_run(r, GP_SEC);
	assert_int_equal(r->nr_switches, 0);
}

static void one_that_gets_work_takes_the_room_of_one_without(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	rig_busy(r, e[1]);
	assert_true(rig_resumes(r, e[1]) && rig_preempts(r, e[3]));
	assert_int_equal(r->sw.nr_preempt + r->sw.nr_resume, 2);
	rig_done(r);
	assert_state(r, e[1], RUNNING);
	assert_state(r, e[0], RUNNING);
	/* All that are there have work: no room can be made, and none is kept off for it. */
	rig_busy(r, e[2]);
	assert_true(rig_resumes(r, e[2]));
	assert_int_equal(r->sw.nr_preempt, 0);
	rig_done(r);
	assert_state(r, e[2], RUNNING);
}

static void longest_without_work_leaves_first(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	rig_busy(r, e[3]);
	rig_idle(r, e[3]);
	rig_run(r, GP_MS);
	rig_idle(r, e[0]);
	rig_run(r, GP_MS);
	rig_busy(r, e[1]);
	assert_true(rig_preempts(r, e[3]));
	assert_int_equal(r->sw.nr_preempt, 1);
}

static void urgent_one_comes_back_in_the_switch_that_takes_others_off(void **state)
{
	struct rig *r = *state;
	u32 low, high, other;

	set_room(r, 2, 0);
	high = rig_add(r, 9);
	other = rig_add(r, 9);
	low = rig_add(r, 3);
	rig_busy(r, low);
	assert_true(rig_preempts(r, high));
	rig_done(r);
	rig_busy(r, high);
	assert_true(rig_resumes(r, high) && rig_preempts(r, low));
	assert_int_equal(r->nr_switches, 2);
	assert_state(r, other, IDLE);
	rig_done(r);
	assert_state(r, high, RUNNING);
}

static void peer_does_not_wait_for_the_hysteresis(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	rig_idle(r, e[0]);
	rig_busy(r, e[1]);
	assert_true(rig_resumes(r, e[1]));
}

static void work_that_comes_while_it_leaves_brings_it_back(void **state)
{
	struct rig *r = *state;
	u32 a, b;

	set_room(r, 1, 0);
	a = rig_add(r, 5);
	b = rig_add(r, 5);
	rig_busy(r, a);
	assert_state(r, b, PREEMPTING);
	rig_busy(r, b);
	rig_done(r);
	assert_true(rig_resumes(r, b));
	rig_done(r);
	assert_state(r, b, RUNNING);
}

static void refusal_leaves_it_where_it_was(void **state)
{
	struct rig *r = *state;
	u32 a, b;

	set_room(r, 1, 0);
	a = rig_add(r, 5);
	b = rig_add(r, 5);
	rig_busy(r, a);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, b, IDLE);
	assert_false(r->in_flight);
	/* Not again before the pause is over. */
	rig_idle(r, a);
	rig_busy(r, a);
	assert_int_equal(r->nr_switches, 1);
	/* Then by itself. */
	rig_run(r, GP_MS);
	assert_int_equal(r->nr_switches, 2);
	assert_true(rig_preempts(r, b));
	rig_busy(r, b);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_int_not_equal(rig_state(r, b), GP_ENTITY_IDLE);
}

static void one_that_must_not_be_preempted_stays(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 pinned, a;

	set_room(r, 1, 0);
	gp_attr_default(&attr);
	attr.no_preempt = true;
	pinned = rig_add_attr(r, &attr);
	a = rig_add(r, 5);
	rig_busy(r, a);
	assert_int_equal(r->nr_switches, 0);
	attr.no_preempt = false;
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[pinned], &attr, r->now_ns, &r->out),
			 0);
	rig_take(r);
	assert_true(rig_preempts(r, pinned));
}

static void bound_on_waiting_counts_from_its_work(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	set_room(r, 1, 0);
	low = rig_add(r, 3);
	high = rig_add(r, 9);
	r->switch_ns = 20 * GP_US;
	rig_busy(r, high);
	rig_run(r, 10 * GP_SEC);
	assert_state(r, low, PREEMPTED);
	rig_busy(r, low);
	assert_int_equal(gp_sched_nr_kept_off(r->s, 0), 1);
	rig_run(r, GP_SEC - GP_MS);
	assert_state(r, low, PREEMPTED);
	rig_run(r, 2 * GP_MS);
	assert_state(r, low, RUNNING);
}

/* The event that finds no room for one left out has other things to decide as well. */
static void one_left_out_does_not_keep_the_policy_from_deciding(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 high, pinned, out;

	set_room(r, 1, 0);
	out = rig_add(r, 5);
	high = rig_add(r, 9);
	gp_attr_default(&attr);
	attr.prio = 6;
	attr.no_preempt = true;
	pinned = rig_add_attr(r, &attr);
	rig_busy(r, high);
	rig_done(r);
	rig_busy(r, pinned);
	assert_state(r, out, PREEMPTED);
	r->now_ns += GP_SEC;
	rig_prio(r, high, 4);
	assert_true(rig_preempts(r, high));
}

static void they_come_back_when_there_is_room(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	rig_remove(r, e[3]);
	/* With a switch that comes anyway, or to a GPU without work. */
	assert_state(r, e[1], PREEMPTED);
	rig_idle(r, e[0]);
	rig_run(r, 100 * GP_US);
	assert_true(rig_resumes(r, e[1]));
	assert_int_equal(r->sw.nr_resume, 1);
	rig_done(r);
	set_room(r, 0, 0);
	assert_true(rig_resumes(r, e[2]));
}

static void room_for_queues_counts_too(void **state)
{
	struct rig *r = *state;
	u32 a, b, c;
	u64 queue;

	set_room(r, 0, 3);
	a = rig_add(r, 5);
	b = rig_add(r, 5);
	c = rig_add(r, 5);
	rig_busy(r, a);
	assert_int_equal(r->nr_switches, 0);
	assert_int_equal(gp_sched_queue_add(r->s, r->id[a], 0, r->now_ns, &r->out, &queue), 0);
	rig_take(r);
	assert_true(rig_preempts(r, b));
	assert_int_equal(r->sw.nr_preempt, 1);
	rig_done(r);
	assert_state(r, c, IDLE);
}

static void node_that_is_switched_off_has_all_back(void **state)
{
	struct rig *r = *state;
	u32 e[4];

	start(r, e);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, false, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_true(rig_resumes(r, e[1]) && rig_resumes(r, e[2]));
}

static void bad_node_is_refused(void **state)
{
	struct rig *r = *state;

	assert_int_equal(gp_sched_set_room(r->s, 2, 1, 1, r->now_ns, &r->out), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(entities_without_work_leave_when_others_need_the_room),
		RIG_TEST(those_that_are_left_out_change_in_long_turns),
		RIG_TEST(without_a_limit_they_stay),
		RIG_TEST(one_that_gets_work_takes_the_room_of_one_without),
		RIG_TEST(longest_without_work_leaves_first),
		RIG_TEST(urgent_one_comes_back_in_the_switch_that_takes_others_off),
		RIG_TEST(peer_does_not_wait_for_the_hysteresis),
		RIG_TEST(work_that_comes_while_it_leaves_brings_it_back),
		RIG_TEST(refusal_leaves_it_where_it_was),
		RIG_TEST(one_that_must_not_be_preempted_stays),
		RIG_TEST(bound_on_waiting_counts_from_its_work),
		RIG_TEST(one_left_out_does_not_keep_the_policy_from_deciding),
		RIG_TEST(they_come_back_when_there_is_room),
		RIG_TEST(room_for_queues_counts_too),
		RIG_TEST(node_that_is_switched_off_has_all_back),
		RIG_TEST(bad_node_is_refused),
	};

	return cmocka_run_group_tests_name("core/room", tests, NULL, NULL);
}
