// SPDX-License-Identifier: MIT
/*
 * What the tracer tells of a queue whose indices are in this process, in virtual time. Which
 * sights prove idle is the rule's (tests/unit/rules/test_idle.c); here is what is read and told.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/tracer/tracer.h"
#include "driver/discover.h"

#define GPU 0x1234
#define MS 1000000ull

static struct tracer t;
static struct tracer_queue *q;
static uint64_t now_ns, rptr, wptr;
static uint64_t waves;
static int nr_busy, nr_idle, nr_progress, nr_no_progress, nr_refreshed, send_error;
static int nr_told;
static uint64_t told_ns;

uint64_t tracer_now_ns(void)
{
	return now_ns;
}

int tracer_send_edge(struct tracer *tracer, enum wire_type type,
		     const struct tracer_queue *queue)
{
	if (send_error)
		return send_error;
	nr_busy += type == WIRE_BUSY;
	nr_idle += type == WIRE_IDLE;
	return 0;
}

int tracer_note(struct tracer *tracer, enum wire_note_code code, uint32_t gpu_id,
		uint64_t value, const char *text)
{
	nr_progress += code == WIRE_NOTE_PROGRESS;
	nr_no_progress += code == WIRE_NOTE_NO_PROGRESS;
	return 0;
}

int tracer_send_progress(struct tracer *tracer, const struct tracer_queue *queue,
			 uint64_t since_ns)
{
	nr_told++;
	told_ns = since_ns;
	return 0;
}

int tracer_refresh(struct tracer *tracer)
{
	nr_refreshed++;
	return 0;
}

int drv_discover_occupancy(const char *root, uint32_t pid, uint32_t gpu_id, uint64_t *out)
{
	*out = waves;
	return 0;
}

static int setup(void **state)
{
	memset(&t, 0, sizeof(t));
	client_holds_init(&t.holds);
	now_ns = 5000 * MS;
	rptr = wptr = waves = told_ns = 0;
	nr_told = 0;
	nr_busy = nr_idle = nr_progress = nr_no_progress = nr_refreshed = send_error = 0;
	t.mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	t.is_enabled = true;
	t.poll_ns = t.quiet_ns = MS;
	t.next_refresh_ns = TRACER_NEVER;
	q = &t.queues[t.nr_queues++];
	q->busy = true;
	q->e = (struct drv_kfd_queue_entry){
		.gpu_id = GPU, .type = DRV_KFD_QUEUE_PM4, .ring_bytes = 4096,
		.rptr_addr = (uintptr_t)&rptr, .wptr_addr = (uintptr_t)&wptr,
	};
	tracer_begin(q);
	return t.mem < 0;
}

static int teardown(void **state)
{
	return close(t.mem);
}

static void run(uint64_t ns)
{
	uint64_t end = now_ns + ns, next;
	int steps = 0;

	while (now_ns < end) {
		next = tracer_look(&t, now_ns);
		assert_true(next > now_ns && ++steps < 10000);
		now_ns = next < end ? next : end;
	}
	tracer_look(&t, now_ns);
}

/* Work whose waves are seen, and their end. */
static void work_and_end(void)
{
	wptr += 16;
	run(20 * MS);
	waves = 1;
	rptr = wptr;
	run(20 * MS);
	waves = 0;
	run(100 * MS);
}

static void edges_are_told_once(void **state)
{
	run(2000 * MS);
	assert_int_equal(nr_idle, 1);
	work_and_end();
	assert_int_equal(nr_busy, 1);
	assert_int_equal(nr_idle, 2);
	/* The write index of PM4 does not wrap with the ring, the read index does. */
	wptr += 1024;
	run(20 * MS);
	assert_int_equal(nr_busy, 2);
}

/* Nothing but a second without waves says that work which was never seen has ended. */
static void released_queue_is_not_idle_before_it_was_seen_alive(void **state)
{
	work_and_end();
	wptr += 16;
	rptr = wptr;
	run(5 * MS);
	assert_true(q->busy);
	q->suspended = true;
	run(3000 * MS);
	assert_true(q->busy);
	q->suspended = false;
	tracer_restart(&t, q);
	run(900 * MS);
	assert_true(q->busy);
	run(200 * MS);
	assert_false(q->busy);
}

static void work_of_a_suspended_queue_is_told(void **state)
{
	work_and_end();
	q->suspended = true;
	wptr += 16;
	run(20 * MS);
	assert_true(q->busy);
	assert_int_equal(nr_busy, 1);
}

static void what_could_not_be_told_is_told_later(void **state)
{
	run(2000 * MS);
	send_error = -EAGAIN;
	wptr += 16;
	run(20 * MS);
	assert_int_equal(nr_busy, 0);
	send_error = 0;
	run(20 * MS);
	assert_int_equal(nr_busy, 1);
}

static void release_is_followed_by_a_sign_or_a_note(void **state)
{
	work_and_end();
	wptr += 16;
	run(5 * MS);
	tracer_expect(&t, GPU);
	run(500 * MS);
	rptr += 4;
	run(20 * MS);
	assert_int_equal(nr_progress, 1);
	tracer_expect(&t, GPU);
	run(1100 * MS);
	assert_int_equal(nr_no_progress, 1);
	assert_int_equal(nr_progress, 1);
}

static void completed_requests_are_told_if_they_are_wanted(void **state)
{
	uint64_t second;

	q->e.type = DRV_KFD_QUEUE_AQL;
	t.wants_progress = true;
	run(2000 * MS);
	wptr++;
	run(10 * MS);
	second = now_ns;
	wptr++;
	run(10 * MS);
	assert_int_equal(nr_told, 0);
	rptr++;
	run(10 * MS);
	assert_int_equal(nr_told, 1);
	assert_true(told_ns >= second && told_ns <= second + 5 * MS);
	/* Control. */
	t.wants_progress = false;
	wptr++;
	run(10 * MS);
	rptr++;
	run(10 * MS);
	assert_int_equal(nr_told, 1);
}

static void memory_that_is_gone_is_asked_about_once(void **state)
{
	q->e.rptr_addr = 8;
	q->e.wptr_addr = 16;
	run(100 * MS);
	assert_int_equal(nr_refreshed, 1);
	assert_int_equal(nr_idle, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(edges_are_told_once),
		T(released_queue_is_not_idle_before_it_was_seen_alive),
		T(work_of_a_suspended_queue_is_told),
		T(what_could_not_be_told_is_told_later),
		T(release_is_followed_by_a_sign_or_a_note),
		T(completed_requests_are_told_if_they_are_wanted),
		T(memory_that_is_gone_is_asked_about_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
