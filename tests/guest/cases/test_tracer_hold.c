// SPDX-License-Identifier: MIT
/*
 * Holds that gpreempt-tracer keeps apart: one queue or all, the scheduler's or a
 * person's. A queue runs when it has no hold.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_tracer.h"

#include <errno.h>
#include <unistd.h>

#define MS 1000000ull
#define LONG_LEASE (20000 * MS)
#define WAVES GT_TARGET_WAVES

/* Two queues, an endless kernel on each. The first is queue 0. */
static void begin(struct gt_target *t, struct gt_tracer *r)
{
	gt_target_start(t, 0);
	gt_tracer_attach(r, t);
	gt_target_do(t, GT_TARGET_QUEUE);
	gt_target_do(t, GT_TARGET_ENDLESS);
	GT_CHECK(!gt_stat_wait(0, "waves", 2 * WAVES), "%lu waves", gt_stat(0, "waves"));
	gt_tracer_listen(r, 100);
}

static void end(struct gt_tracer *r, struct gt_target *t)
{
	gt_tracer_close(r);
	gt_target_tell(t, GT_TARGET_EXIT);
	gt_target_ends(t, 10000);
}

static struct wire_done order(struct gt_tracer *r, enum wire_type type, uint32_t queue_id,
			      enum wire_holder holder)
{
	r->queue_id = queue_id;
	r->holder = holder;
	return gt_tracer_do(r, type, type == WIRE_HOLD ? LONG_LEASE : 0);
}

static void expect_waves(uint64_t nr, const char *what)
{
	GT_CHECK(!gt_stat_wait(0, "waves", nr), "%s: %lu waves", what, gt_stat(0, "waves"));
}

static void one_queue_is_held_alone(void)
{
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;

	begin(&t, &r);
	d = order(&r, WIRE_HOLD, 0, WIRE_HOLDER_SCHED);
	GT_CHECK(d.result == WIRE_OK && d.nr_queues == 1, "%u, %u", d.result, d.nr_queues);
	expect_waves(WAVES, "one held");
	/* Control: the other too. */
	d = order(&r, WIRE_HOLD, WIRE_QUEUE_ALL, WIRE_HOLDER_SCHED);
	GT_CHECK(d.result == WIRE_OK && d.nr_queues == 1, "%u, %u", d.result, d.nr_queues);
	expect_waves(0, "all held");
	/* ALL takes away every hold of that holder. */
	d = order(&r, WIRE_RELEASE, WIRE_QUEUE_ALL, WIRE_HOLDER_SCHED);
	GT_CHECK(d.result == WIRE_OK && d.nr_queues == 2, "%u, %u", d.result, d.nr_queues);
	expect_waves(2 * WAVES, "none held");
	end(&r, &t);
}

static void two_holders_do_not_mix(void)
{
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;

	begin(&t, &r);
	order(&r, WIRE_HOLD, WIRE_QUEUE_ALL, WIRE_HOLDER_MANUAL);
	expect_waves(0, "held by hand");
	d = order(&r, WIRE_HOLD, WIRE_QUEUE_ALL, WIRE_HOLDER_SCHED);
	GT_CHECK(!d.nr_cycles, "a second holder costs %u cycles", d.nr_cycles);
	d = order(&r, WIRE_RELEASE, WIRE_QUEUE_ALL, WIRE_HOLDER_SCHED);
	GT_CHECK(!d.nr_queues, "%u queues went on", d.nr_queues);
	expect_waves(0, "still held by hand");
	d = order(&r, WIRE_RELEASE, WIRE_QUEUE_ALL, WIRE_HOLDER_MANUAL);
	GT_CHECK(d.nr_queues == 2, "%u queues went on", d.nr_queues);
	expect_waves(2 * WAVES, "no holds");
	end(&r, &t);
}

static void a_queue_that_is_not_there_is_gone(void)
{
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;

	begin(&t, &r);
	d = order(&r, WIRE_HOLD, 77, WIRE_HOLDER_MANUAL);
	GT_CHECK(d.result == WIRE_GONE && d.error == ENOENT && !d.nr_cycles, "%u, %u", d.result,
		 d.error);
	expect_waves(2 * WAVES, "nothing was held");
	end(&r, &t);
}

#define TINY "profile=tiny"

static const struct gt_case cases[] = {
	{ "one_queue_is_held_alone", one_queue_is_held_alone, TINY, 30 },
	{ "two_holders_do_not_mix", two_holders_do_not_mix, TINY, 30 },
	{ "a_queue_that_is_not_there_is_gone", a_queue_that_is_not_there_is_gone, TINY, 30 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
