// SPDX-License-Identifier: MIT
/*
 * How the library speaks with a tracer, good ones and bad ones.
 */
#include "lib/lib_conn.h"
#include "fake_log.h"
#include "lib/lib_tracer.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ull

static int start(struct lib_tracer_link *t, const char *how, uint64_t timeout_ns)
{
	setenv("FAKE_TRACER", how, 1);
	return lib_tracer_start(t, FAKE_TRACER_PATH, 4711, lib_deadline(timeout_ns));
}

static void stop(struct lib_tracer_link *t)
{
	lib_tracer_stop(&t, 1, lib_deadline(2000 * MS));
}

static void expect_log(const char *text)
{
	assert_string_equal(fake_log_read(), text);
}

static void orders_are_carried_out_and_remembered(void **state)
{
	struct lib_tracer_link t;

	fake_log_clear();
	assert_int_equal(start(&t, "good", 5000 * MS), 0);
	assert_int_equal(t.nr_queues, 2);
	assert_int_equal(t.queues[0].ring_addr, 4096);
	assert_int_equal(lib_tracer_order(&t, WIRE_HOLD, 7, WIRE_QUEUE_ALL, 0,
					  lib_deadline(5000 * MS)), 0);
	assert_true(client_holds_covers(&t.held, 7, 3));
	assert_false(client_holds_covers(&t.held, 8, 3));
	assert_int_equal(lib_tracer_order(&t, WIRE_HOLD, 9, 1, 0, lib_deadline(5000 * MS)),
			 -ESRCH);
	assert_false(client_holds_covers(&t.held, 9, 1));
	assert_int_equal(lib_tracer_order(&t, WIRE_RELEASE, 7, WIRE_QUEUE_ALL, 0,
					  lib_deadline(5000 * MS)), 0);
	assert_false(client_holds_covers(&t.held, 7, 3));
	stop(&t);
	expect_log("hold 7/4294967295\nhold 9/1\nrelease 7/4294967295\n");
}

static int hold(struct lib_tracer_link *t, uint32_t gpu_id, uint32_t queue_id)
{
	return lib_tracer_order(t, WIRE_HOLD, gpu_id, queue_id, 0, lib_deadline(5000 * MS));
}

static void a_release_of_all_releases_single_queues(void **state)
{
	struct lib_tracer_link t;

	assert_int_equal(start(&t, "good", 5000 * MS), 0);
	assert_int_equal(hold(&t, 7, 3), 0);
	assert_int_equal(hold(&t, 7, 4), 0);
	assert_int_equal(hold(&t, 8, 3), 0);
	assert_int_equal(lib_tracer_order(&t, WIRE_RELEASE, 7, WIRE_QUEUE_ALL, 0,
					  lib_deadline(5000 * MS)), 0);
	assert_false(client_holds_covers(&t.held, 7, 3));
	assert_false(client_holds_covers(&t.held, 7, 4));
	assert_true(client_holds_covers(&t.held, 8, 3));
	stop(&t);
}

static void holds_are_limited_by_those_that_last(void **state)
{
	struct lib_tracer_link t;
	struct pollfd p = { .events = POLLIN };

	assert_int_equal(start(&t, "good", 5000 * MS), 0);
	assert_int_equal(hold(&t, 8, 0), 0);
	for (uint32_t i = 2; i < CLIENT_HOLDS; i++)
		assert_int_equal(hold(&t, 7, i), 0);
	assert_int_equal(hold(&t, 10, 0), 0);
	/* Until the tracer has told that those of node 7 have ended. */
	p.fd = t.fd;
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(hold(&t, 8, 1), 0);
	assert_false(client_holds_covers(&t.held, 7, 2));
	assert_true(client_holds_covers(&t.held, 8, 0));
	for (uint32_t i = 2; gp_holds_nr(&t.held.set) < CLIENT_HOLDS; i++)
		assert_int_equal(hold(&t, 8, i), 0);
	assert_int_equal(hold(&t, 7, 2), -ENOSPC);
	assert_int_equal(hold(&t, 8, 2), 0);
	stop(&t);
}

static void bad_tracers_fail_in_time(void **state)
{
	static const struct {
		const char *how;
		int ret;
	} cases[] = {
		{ "refuse", -EBUSY }, { "early", -EPIPE }, { "garbage", -EPROTO },
		{ "silent", -ETIMEDOUT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lib_tracer_link t;
		uint64_t begin = lib_now_ns();

		assert_int_equal(start(&t, cases[i].how, 200 * MS), cases[i].ret);
		assert_true(lib_now_ns() - begin < 5000 * MS);
		assert_int_equal(t.fd, -1);
		if (cases[i].ret == -EBUSY)
			assert_string_equal(t.reason, "another process traces it");
		stop(&t);
		assert_int_equal(t.child, 0);
	}
}

static void a_missing_program_is_said(void **state)
{
	struct lib_tracer_link t;

	assert_int_equal(lib_tracer_start(&t, "/nonexistent/tracer", 1, lib_deadline(1000 * MS)),
			 -ENOENT);
	stop(&t);
}

static void a_deaf_tracer_ends_the_order_at_its_deadline(void **state)
{
	struct lib_tracer_link t;

	assert_int_equal(start(&t, "deaf", 5000 * MS), 0);
	assert_int_equal(lib_tracer_order(&t, WIRE_HOLD, 7, 3, 0, lib_deadline(50 * MS)),
			 -ETIMEDOUT);
	assert_false(client_holds_covers(&t.held, 7, 3));
	stop(&t);
}

static void a_tracer_that_does_not_end_is_killed(void **state)
{
	struct lib_tracer_link t;
	pid_t child;

	assert_int_equal(start(&t, "stubborn", 5000 * MS), 0);
	child = t.child;
	stop(&t);
	assert_int_equal(kill(child, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void several_are_stopped_side_by_side(void **state)
{
	struct lib_tracer_link t[5], *list[5];
	uint64_t begin;
	pid_t child[5];

	for (int i = 0; i < 5; i++) {
		list[i] = &t[i];
		assert_int_equal(start(&t[i], "stubborn", 5000 * MS), 0);
		child[i] = t[i].child;
	}
	begin = lib_now_ns();
	lib_tracer_stop(list, 5, lib_deadline(2000 * MS));
	assert_true(lib_now_ns() - begin < 2500 * MS);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(kill(child[i], 0), -1);
		assert_int_equal(errno, ESRCH);
	}
}

static void a_killed_tracer_is_noticed(void **state)
{
	struct lib_tracer_link t;

	assert_int_equal(start(&t, "good", 5000 * MS), 0);
	kill(t.child, SIGKILL);
	waitid(P_PID, (id_t)t.child, NULL, WEXITED | WNOWAIT);
	assert_int_equal(lib_tracer_order(&t, WIRE_HOLD, 7, 3, 0, lib_deadline(5000 * MS)),
			 -EPIPE);
	assert_int_equal(t.fd, -1);
	assert_int_equal(t.nr_queues, 0);
	assert_int_equal(lib_tracer_order(&t, WIRE_HOLD, 7, 3, 0, lib_deadline(5000 * MS)),
			 -EPIPE);
	stop(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_carried_out_and_remembered),
		cmocka_unit_test(a_release_of_all_releases_single_queues),
		cmocka_unit_test(holds_are_limited_by_those_that_last),
		cmocka_unit_test(bad_tracers_fail_in_time),
		cmocka_unit_test(a_missing_program_is_said),
		cmocka_unit_test(a_deaf_tracer_ends_the_order_at_its_deadline),
		cmocka_unit_test(a_tracer_that_does_not_end_is_killed),
		cmocka_unit_test(several_are_stopped_side_by_side),
		cmocka_unit_test(a_killed_tracer_is_noticed),
	};
	int ret;

	fake_log_begin("tracer");
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	fake_log_clear();
	return ret;
}
