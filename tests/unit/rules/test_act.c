// SPDX-License-Identifier: MIT
/*
 * A real core, and a home whose mechanism and clock are the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/act.h"

#define MS 1000000ull

struct home {
	struct gp_act act;
	void *mem;
	u64 now_ns;
	u64 took_ns;	/* by a switch that is over at once */
	bool is_sync;
	enum gp_result result;
	u64 low, high, queue_low, queue_high;
	u32 nr_begin, nr_drop, nr_timer, nr_arm, nr_disarm;
	u32 nr_reports[GP_REPORT_COUNT];
	u64 dropped;
};

static struct home *home_of(struct gp_act *a)
{
	return container_of(a, struct home, act);
}

static u64 now_ns(struct gp_act *a)
{
	return home_of(a)->now_ns;
}

static bool begin(struct gp_act *a)
{
	struct home *h = home_of(a);
	u32 i;

	h->nr_begin++;
	for (i = 0; i < a->sw.nr_preempt + a->sw.nr_resume; i++) {
		assert_int_equal(a->results[i], GP_RESULT_OK);
		a->results[i] = h->result;
	}
	if (h->is_sync)
		h->now_ns += h->took_ns;
	return h->is_sync;
}

static void drop(struct gp_act *a)
{
	home_of(a)->nr_drop++;
	home_of(a)->dropped = a->sw.seq;
}

static void set_timer(struct gp_act *a)
{
	home_of(a)->nr_timer++;
}

static void watch(struct gp_act *a, u64 id, bool arm)
{
	struct home *h = home_of(a);

	assert_true(id == h->low || id == h->high || !h->high);
	h->nr_arm += arm;
	h->nr_disarm += !arm;
}

static void report(struct gp_act *a, enum gp_report r, u64 id)
{
	home_of(a)->nr_reports[r]++;
}

static const struct gp_act_ops ops = {
	.now_ns = now_ns,
	.begin = begin,
	.drop = drop,
	.set_timer = set_timer,
	.watch = watch,
	.report = report,
};

/* Only what must be there. */
static const struct gp_act_ops bare_ops = { .now_ns = now_ns, .begin = begin };

static void add(struct home *h, u8 prio, u64 *id, u64 *queue)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.prio = prio;
	assert_int_equal(gp_sched_entity_add(h->act.sched, 0, &attr, prio, h->now_ns, &h->act.acts,
					     id), 0);
	gp_act_run(&h->act);
	assert_int_equal(gp_sched_queue_add(h->act.sched, *id, prio, h->now_ns, &h->act.acts,
					    queue), 0);
	gp_act_run(&h->act);
}

static void make(struct home *h, bool is_sync, const struct gp_act_ops *o)
{
	const struct gp_sched_config config = { .nr_nodes = 1, .max_entities = 4, .max_queues = 4 };
	size_t size = (gp_sched_size(&config) + 63) & ~(size_t)63;
	struct gp_sched *s;

	*h = (struct home){ .now_ns = 1000 * MS, .is_sync = is_sync, .took_ns = MS };
	h->mem = aligned_alloc(64, size);
	assert_int_equal(gp_sched_init(h->mem, size, &config, &s), 0);
	gp_act_init(&h->act, s, 0, o);
	assert_int_equal(gp_sched_param_set(s, 0, "hysteresis_ns", 0, NULL), 0);
	add(h, 3, &h->low, &h->queue_low);
	add(h, 9, &h->high, &h->queue_high);
}

static void busy(struct home *h, u64 queue)
{
	assert_int_equal(gp_sched_queue_busy(h->act.sched, queue, h->now_ns, &h->act.acts), 0);
	gp_act_run(&h->act);
}

static void idle(struct home *h, u64 queue)
{
	assert_int_equal(gp_sched_queue_idle(h->act.sched, queue, h->now_ns, &h->act.acts), 0);
	gp_act_run(&h->act);
}

static enum gp_entity_state state_of(struct home *h, u64 id)
{
	struct gp_entity_info info;

	assert_int_equal(gp_sched_entity_info(h->act.sched, id, &info), 0);
	return info.state;
}

static const struct gp_node_stats *stats(struct home *h)
{
	return gp_sched_node_stats(h->act.sched, 0);
}

static void switch_that_takes_no_time_is_told_at_once(void **state)
{
	struct home h;

	make(&h, true, &ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	busy(&h, h.queue_high);
	assert_int_equal(h.nr_begin, 1);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_PREEMPTED);
	assert_false(h.act.is_switching);
	h.now_ns += 100 * MS;
	idle(&h, h.queue_high);
	assert_int_equal(h.nr_begin, 2);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_RUNNING);
	assert_int_equal(stats(&h)->nr_switches, 2);
	assert_int_equal(h.nr_drop, 0);
	assert_true(h.nr_arm && h.nr_disarm && h.nr_timer);
	free(h.mem);
}

static void switch_that_takes_time_is_told_once(void **state)
{
	struct home h;

	make(&h, false, &ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	busy(&h, h.queue_high);
	assert_true(h.act.is_switching);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_PREEMPTING);
	h.now_ns += MS;
	gp_act_done(&h.act);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_PREEMPTED);
	assert_false(h.act.is_switching);
	/* Nothing is in flight: nothing is told. */
	gp_act_done(&h.act);
	assert_int_equal(stats(&h)->nr_preemptions, 1);
	h.now_ns += 100 * MS;
	idle(&h, h.queue_high);
	assert_int_equal(h.nr_begin, 2);
	assert_int_equal(h.nr_drop, 0);
	free(h.mem);
}

static void optional_operations_are_optional(void **state)
{
	struct home h;

	make(&h, true, &bare_ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	busy(&h, h.queue_high);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_PREEMPTED);
	free(h.mem);
}

static void late_switch_is_dropped_before_the_next_begins(void **state)
{
	struct home h;
	u64 seq;

	make(&h, false, &ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	busy(&h, h.queue_high);
	seq = h.act.sw.seq;
	assert_int_not_equal(h.act.timer_ns, U64_MAX);
	h.now_ns = h.act.timer_ns;
	gp_act_timer(&h.act);
	assert_int_equal(h.nr_reports[GP_REPORT_SWITCH_DEADLINE], 1);
	assert_int_equal(h.nr_begin, 2);
	assert_int_equal(h.nr_drop, 1);
	assert_int_equal(h.dropped, seq);
	assert_int_not_equal(h.act.sw.seq, seq);
	h.now_ns += MS;
	gp_act_done(&h.act);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_RUNNING);
	free(h.mem);
}

/* A mechanism that returned too late is not taken for one that was in time. */
static void deadline_missed_inside_the_mechanism_is_seen(void **state)
{
	struct home h;
	u64 deadline_ns;

	make(&h, true, &ops);
	gp_sched_param_get(h.act.sched, 0, "deadline_ns", &deadline_ns);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	h.took_ns = deadline_ns + MS;
	busy(&h, h.queue_high);
	assert_true(h.nr_reports[GP_REPORT_SWITCH_DEADLINE] > 0);
	assert_true(stats(&h)->nr_deadline > 0);
	assert_int_equal(stats(&h)->nr_preemptions, 1);
	/* It was over: there was nothing to drop. */
	assert_int_equal(h.nr_drop, 0);
	assert_true(h.nr_begin > 1);
	free(h.mem);
}

static void early_timer_is_not_told(void **state)
{
	u64 nr_events, timer_ns;
	struct home h;

	make(&h, false, &ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	busy(&h, h.queue_high);
	nr_events = stats(&h)->nr_events;
	timer_ns = h.act.timer_ns;
	h.now_ns = timer_ns - 1;
	gp_act_timer(&h.act);
	assert_int_equal(stats(&h)->nr_events, nr_events);
	assert_int_equal(h.act.timer_ns, timer_ns);
	free(h.mem);
}

static void result_of_a_member_reaches_the_core(void **state)
{
	struct home h;

	make(&h, true, &ops);
	busy(&h, h.queue_low);
	h.now_ns += 100 * MS;
	h.result = GP_RESULT_GONE;
	busy(&h, h.queue_high);
	assert_int_equal(state_of(&h, h.low), GP_ENTITY_LOST);
	assert_int_equal(h.nr_reports[GP_REPORT_ENTITY_LOST], 1);
	free(h.mem);
}

static void errors_have_a_result(void **state)
{
	static const struct {
		int err;
		enum gp_result result;
	} cases[] = {
		{ 0, GP_RESULT_OK },
		{ -ESRCH, GP_RESULT_GONE },
		{ -EPIPE, GP_RESULT_GONE },
		{ -EBUSY, GP_RESULT_BUSY },
		{ -EAGAIN, GP_RESULT_BUSY },
		{ -EIO, GP_RESULT_ERROR },
		{ -EPERM, GP_RESULT_ERROR },
		{ -ETIMEDOUT, GP_RESULT_ERROR },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(gp_act_result(cases[i].err), cases[i].result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_a_result),
		cmocka_unit_test(switch_that_takes_no_time_is_told_at_once),
		cmocka_unit_test(switch_that_takes_time_is_told_once),
		cmocka_unit_test(optional_operations_are_optional),
		cmocka_unit_test(late_switch_is_dropped_before_the_next_begins),
		cmocka_unit_test(deadline_missed_inside_the_mechanism_is_seen),
		cmocka_unit_test(early_timer_is_not_told),
		cmocka_unit_test(result_of_a_member_reaches_the_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
