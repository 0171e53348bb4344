// SPDX-License-Identifier: MIT
/*
 * SUSPEND_QUEUES on hardware that does not answer: which ids carry which bit, and
 * what is left of the queue.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <string.h>

#define TINY "profile=tiny queue_preemption_timeout_ms=1000"
#define GRACE 1
#define NOT_AN_ID 77u

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

/**
 * struct scene - a process that debugs itself, and what it suspends
 * @ids: as SUSPEND_QUEUES leaves them: of old, of fresh, of no queue
 */
struct scene {
	struct gt_gpu gpu;
	struct gt_session session;
	struct gt_queue old, fresh;
	struct gt_kernel kernel;
	uint32_t reset_event;
	uint32_t ids[3];
};

/* A queue that runs, and one that is too new to be suspended. */
static void set_up(struct scene *s)
{
	gt_gpu_open(&s->gpu, 0);
	s->reset_event = gt_event_create(&s->gpu, KFD_IOC_EVENT_HW_EXCEPTION, NULL);
	s->session = gt_debug_self(&s->gpu);
	gt_queue_create(&s->gpu, 7, &s->old);
	gt_debug_clear_new(&s->session);
	gt_queue_create(&s->gpu, 7, &s->fresh);
	gt_kernel_create(&s->gpu, &endless, &s->kernel);
	gt_kernel_launch(&s->kernel, &s->old);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
}

/* Return: what SUSPEND_QUEUES returns. */
static int suspend_all(struct scene *s)
{
	s->ids[0] = s->old.id;
	s->ids[1] = s->fresh.id;
	s->ids[2] = NOT_AN_ID;
	return gt_debug_suspend(&s->session, s->ids, 3, GRACE);
}

static void expect_no_error(const struct scene *s)
{
	GT_CHECK(s->ids[0] == s->old.id, "%x", s->ids[0]);
	GT_CHECK(s->ids[1] == (s->fresh.id | KFD_DBG_QUEUE_INVALID_MASK), "%x", s->ids[1]);
	GT_CHECK(s->ids[2] == (NOT_AN_ID | KFD_DBG_QUEUE_INVALID_MASK), "%x", s->ids[2]);
}

static void wait_for_reset(struct scene *s)
{
	int r = gt_event_wait(&s->gpu, s->reset_event, NULL, 5000);

	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "the process was not told: %d", r);
}

/* Control for those below. */
static void obedient_queue_has_no_error(void)
{
	struct scene s = {};
	int r;

	set_up(&s);
	r = suspend_all(&s);
	GT_CHECK(r == 1, "suspended %d", r);
	expect_no_error(&s);
	GT_CHECK(!gt_debug_disable(&s.session), "disable");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(!gt_stat(0, "killed"), "killed");
}

/*
 * The queue counts as suspended since the first try, and errors are those of the runlist
 * of the moment: during the reset there are more of them, after it nothing is left.
 */
static void expect_forgotten(struct scene *s)
{
	int tries, r = 0;

	for (tries = 0; r != 1 && tries < 200; tries++) {
		r = suspend_all(s);
		GT_CHECK(r == 1 || s->ids[0] == (s->old.id | KFD_DBG_QUEUE_ERROR_MASK), "%d: %x", r,
			 s->ids[0]);
		gt_sleep_us(10000);
	}
	GT_CHECK(r == 1, "suspended %d", r);
	expect_no_error(s);
}

/* The call succeeds, with a count of none: only the ids tell. */
static void expect_errors(struct scene *s, const char *fault)
{
	uint32_t error = KFD_DBG_QUEUE_ERROR_MASK;
	uint64_t start;
	int r;

	set_up(s);
	gt_fault(0, "%s", fault);
	start = gt_now_ns();
	r = suspend_all(s);
	GT_CHECK(gt_now_ns() - start > 900000000, "the driver did not wait");
	GT_CHECK(r == 0, "suspended %d", r);
	GT_CHECK(s->ids[0] == (s->old.id | error), "%x", s->ids[0]);
	/* suspend_queues() marks whatever was listed, suspended or not. */
	GT_CHECK(s->ids[1] == (s->fresh.id | error | KFD_DBG_QUEUE_INVALID_MASK), "%x", s->ids[1]);
	GT_CHECK(s->ids[2] == (NOT_AN_ID | KFD_DBG_QUEUE_INVALID_MASK), "%x", s->ids[2]);
	wait_for_reset(s);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves survived", gt_stat(0, "waves"));
	expect_forgotten(s);
	GT_CHECK(!gt_debug_disable(&s->session), "disable");
}

static void lost_fence_is_an_error(void)
{
	struct scene s = {};

	expect_errors(&s, "lose_fence 1");
}

static void hung_firmware_is_an_error(void)
{
	struct scene s = {};

	expect_errors(&s, "hang 1");
}

/*
 * A queue that refuses is reset, alone and with success: unmap_queues_cpsch() returns 0,
 * so it counts as suspended and carries no bit. UPDATE_QUEUE knows better.
 */
static void refusing_queue_is_reset_and_counted(void)
{
	uint64_t killed = gt_stat(0, "killed");
	struct scene s = {};
	int r;

	set_up(&s);
	gt_fault(0, "refuse %u", gt_queue_doorbell(&s.old));
	r = suspend_all(&s);
	GT_CHECK(r == 1, "suspended %d", r);
	expect_no_error(&s);
	GT_CHECK(gt_stat(0, "killed") == killed + 4, "%lu killed", gt_stat(0, "killed") - killed);
	wait_for_reset(&s);
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu mapped", gt_stat(0, "mapped"));
	/* resume_single_queue() does not know of resets: the queue is mapped again. */
	r = gt_debug_resume(&s.session, &s.ids[0], 1);
	GT_CHECK(r == 1 && s.ids[0] == s.old.id, "resumed %d, id %x", r, s.ids[0]);
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "%lu mapped", gt_stat(0, "mapped"));
	r = gt_queue_update(&s.old, 100);
	GT_CHECK(r == -EACCES, "%s", strerror(-r));
	GT_CHECK(!gt_debug_disable(&s.session), "disable");
}

static const struct gt_case cases[] = {
	{ "obedient_queue_has_no_error", obedient_queue_has_no_error, TINY, 10 },
	{ "refusing_queue_is_reset_and_counted", refusing_queue_is_reset_and_counted, TINY, 10 },
	{ "lost_fence_is_an_error", lost_fence_is_an_error, TINY, 15 },
	{ "hung_firmware_is_an_error", hung_firmware_is_an_error, TINY, 15 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
