// SPDX-License-Identifier: MIT
/*
 * Holds of the tracer on a driver that refuses: what it would not continue goes on
 * because the tracer ends, which closes the debug session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "driver/kfd.h"
#include "client/tracer/tracer.h"

#define GPU 0x1234
#define MS 1000000ull

static struct tracer t;
static uint64_t now_ns;
static int suspend_result, resume_result;
static struct wire_done last;

uint64_t tracer_now_ns(void)
{
	return now_ns;
}

void tracer_end(struct tracer *tracer, int error, const char *why)
{
	tracer->done = true;
	tracer->error = error;
	tracer->why = why;
}

int tracer_send_done(struct tracer *tracer, struct wire_done *done)
{
	last = *done;
	return 0;
}

int tracer_note(struct tracer *tracer, enum wire_note_code code, uint32_t gpu_id,
		uint64_t value, const char *text)
{
	return 0;
}

int tracer_refresh(struct tracer *tracer)
{
	return 0;
}

void tracer_restart(struct tracer *tracer, struct tracer_queue *q)
{
}

void tracer_expect(struct tracer *tracer, uint32_t gpu_id)
{
}

/* 1 = all are done, 0 = all are marked as invalid, or -errno. */
static int carry_out(uint32_t *ids, uint32_t nr, int result)
{
	uint32_t i;

	for (i = 0; !result && i < nr; i++)
		ids[i] |= DRV_KFD_DBG_QUEUE_INVALID;
	return result < 0 ? result : (int)nr * result;
}

int drv_kfd_dbg_suspend(int fd, uint32_t pid, uint32_t *ids, uint32_t nr, uint32_t grace)
{
	return carry_out(ids, nr, suspend_result);
}

int drv_kfd_dbg_resume(int fd, uint32_t pid, uint32_t *ids, uint32_t nr)
{
	return carry_out(ids, nr, resume_result);
}

int drv_kfd_dbg_result(uint32_t id)
{
	return id & DRV_KFD_DBG_QUEUE_INVALID ? -ESRCH : 0;
}

/* Two queues, held for a second. */
static int setup(void **state)
{
	struct wire_order o = {
		.hdr.type = WIRE_HOLD, .epoch = 1, .gpu_id = GPU,
		.queue_id = WIRE_QUEUE_ALL, .lease_ns = 1000 * MS,
	};
	uint32_t i;

	memset(&t, 0, sizeof(t));
	client_holds_init(&t.holds);
	now_ns = 5000 * MS;
	suspend_result = resume_result = 1;
	for (i = 0; i < 2; i++)
		t.queues[t.nr_queues++].e = (struct drv_kfd_queue_entry){
			.gpu_id = GPU, .queue_id = i, .type = DRV_KFD_QUEUE_AQL,
		};
	tracer_order(&t, &o);
	return last.result != WIRE_OK || !t.queues[0].suspended || !t.queues[1].suspended;
}

static void release(void)
{
	struct wire_order o = { .hdr.type = WIRE_RELEASE, .epoch = 3, .gpu_id = GPU,
				.queue_id = WIRE_QUEUE_ALL };

	tracer_order(&t, &o);
}

static void release_lets_go(void **state)
{
	release();
	assert_int_equal(last.result, WIRE_OK);
	assert_false(t.queues[0].suspended);
	assert_false(t.done);
}

/* The node stays held: an answer that it went on would be wrong. */
static void one_queue_of_a_held_node_is_not_released(void **state)
{
	struct wire_order o = { .hdr.type = WIRE_RELEASE, .epoch = 2, .gpu_id = GPU,
				.queue_id = 1 };

	tracer_order(&t, &o);
	assert_int_equal(last.result, WIRE_ERROR);
	assert_int_equal(last.error, EINVAL);
	assert_true(t.queues[1].suspended);
	release();
	assert_false(t.queues[1].suspended);
}

static void end_of_a_lease_lets_go(void **state)
{
	assert_int_equal(tracer_leases(&t, now_ns), now_ns + 1000 * MS);
	assert_int_equal(tracer_leases(&t, now_ns + 1000 * MS), TRACER_NEVER);
	assert_false(t.queues[1].suspended);
	assert_false(t.done);
}

static void refused_release_ends_the_session(void **state)
{
	resume_result = -ENOMEM;
	release();
	assert_int_equal(last.result, WIRE_ERROR);
	assert_true(t.done);
}

static void refused_end_of_a_lease_ends_the_session(void **state)
{
	resume_result = -EIO;
	tracer_leases(&t, now_ns + 1000 * MS);
	assert_true(t.done);
}

static void queue_that_is_not_continued_ends_the_session(void **state)
{
	resume_result = 0;
	release();
	assert_int_equal(last.result, WIRE_BUSY_NOW);
	assert_true(t.done);
}

static void refused_hold_ends_nothing(void **state)
{
	struct wire_order o = {
		.hdr.type = WIRE_HOLD, .epoch = 4, .gpu_id = GPU,
		.queue_id = WIRE_QUEUE_ALL, .lease_ns = 1000 * MS,
	};

	release();
	suspend_result = -EPERM;
	tracer_order(&t, &o);
	assert_int_equal(last.result, WIRE_ERROR);
	assert_false(t.done);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup(f, setup)
		T(release_lets_go),
		T(one_queue_of_a_held_node_is_not_released),
		T(end_of_a_lease_lets_go),
		T(refused_release_ends_the_session),
		T(refused_end_of_a_lease_ends_the_session),
		T(queue_that_is_not_continued_ends_the_session),
		T(refused_hold_ends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
