// SPDX-License-Identifier: MIT
/*
 * The library without a daemon, on a driver that is made up here, with tracers good and
 * bad, and with a kernel module or without.
 */
#include "lib/lib_conn.h"
#include "fake_log.h"
#include "gpreempt/gpreempt.h"
#include "driver/discover.h"
#include "driver/module.h"
#include "lib/lib_module.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ull

/* The module: what it says, and how often and for how long it was asked to hold. */
static struct {
	int result;
	int nr_holds;
	uint32_t lease_ms;
} module;

/* What the linker puts in the place of the real ones. */
__typeof__(drv_discover_nodes) __wrap_drv_discover_nodes;
__typeof__(drv_discover_queues) __wrap_drv_discover_queues;
__typeof__(drv_module_open) __wrap_drv_module_open;
__typeof__(lib_module_order) __wrap_lib_module_order;

int __wrap_drv_discover_nodes(const char *root, struct drv_node **nodes, size_t *nr)
{
	*nodes = calloc(1, sizeof(**nodes));
	(*nodes)->gpu_id = 7;
	*nr = 1;
	return 0;
}

int __wrap_drv_discover_queues(const char *root, struct drv_queues *out)
{
	*out = (struct drv_queues){ 0 };
	return 0;
}

int __wrap_drv_module_open(void)
{
	return -ENOENT;
}

int __wrap_lib_module_order(int *fd, const struct gpreempt_ref *ref, uint32_t lease_ms)
{
	if (*fd < 0)
		*fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	module.nr_holds += lease_ms && !module.result;
	module.lease_ms = lease_ms;
	return lease_ms || module.result != -EOPNOTSUPP ? module.result : 0;
}

static struct gpreempt *begin(const char *how)
{
	struct gpreempt *g;

	memset(&module, 0, sizeof(module));
	module.result = -EOPNOTSUPP;
	fake_log_clear();
	setenv("FAKE_TRACER", how, 1);
	assert_int_equal(gpreempt_open(&g, GPREEMPT_OPEN_DIRECT, NULL), 0);
	return g;
}

static bool log_has(const char *text)
{
	return strstr(fake_log_read(), text);
}

static void wait_log(const char *text)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < 5000 && !log_has(text); i++)
		nanosleep(&ms, NULL);
	assert_true(log_has(text));
}

/* All queues of a process; its result. */
static int suspend_for(struct gpreempt *g, uint64_t lease_ns, uint64_t timeout_ns)
{
	struct gpreempt_ref ref = { .pid = (uint32_t)getpid(), .queue_id = GPREEMPT_QUEUE_ALL };
	int done = gpreempt_suspend_queues(g, &ref, 1, lease_ns, timeout_ns);

	assert_int_equal(done, !ref.result);
	return ref.result;
}

static int suspend(struct gpreempt *g, uint64_t timeout_ns)
{
	return suspend_for(g, 0, timeout_ns);
}

static int resume(struct gpreempt *g)
{
	struct gpreempt_ref ref = { .pid = (uint32_t)getpid(), .queue_id = GPREEMPT_QUEUE_ALL };
	int done = gpreempt_resume_queues(g, &ref, 1, 0);

	assert_int_equal(done, !ref.result);
	return ref.result;
}

static size_t count_queues(struct gpreempt *g, size_t *nr_held)
{
	struct gpreempt_queue *list;
	size_t nr;

	*nr_held = 0;
	assert_int_equal(gpreempt_get_all_queues(g, &list, &nr), 0);
	for (size_t i = 0; i < nr; i++)
		*nr_held += !!(list[i].held & GPREEMPT_HELD_MANUAL);
	gpreempt_free(list);
	return nr;
}

static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

static void queues_are_held_and_released(void **state)
{
	struct gpreempt *g = begin("good");
	size_t nr_held;

	assert_int_equal(suspend(g, 0), 0);
	assert_int_equal(count_queues(g, &nr_held), 2);
	assert_int_equal(nr_held, 2);
	assert_int_equal(resume(g), 0);
	assert_int_equal(count_queues(g, &nr_held), 2);
	assert_int_equal(nr_held, 0);
	gpreempt_close(g);
	assert_false(has_children());
}

/* Lease that is asked for, and what it is. */
static const struct {
	uint64_t lease_ns;
	uint32_t ms;
} leases[] = {
	{ 0, 60000 }, { 1500 * MS, 1500 }, { 60000 * MS, 60000 },
	{ 60000 * MS + 1, 60000 }, { UINT64_MAX, 60000 },
};

static void tracers_hold_for_a_minute_at_most(void **state)
{
	struct gpreempt *g = begin("good");
	char text[64];

	for (size_t i = 0; i < sizeof(leases) / sizeof(leases[0]); i++) {
		fake_log_clear();
		assert_int_equal(suspend_for(g, leases[i].lease_ns, 0), 0);
		snprintf(text, sizeof(text), "hold 7/4294967295 for %u ms\n", leases[i].ms);
		assert_true(log_has(text));
	}
	gpreempt_close(g);
}

static void the_module_holds_for_a_minute_at_most(void **state)
{
	struct gpreempt *g = begin("good");

	module.result = 0;
	for (size_t i = 0; i < sizeof(leases) / sizeof(leases[0]); i++) {
		assert_int_equal(suspend_for(g, leases[i].lease_ns, 0), 0);
		assert_int_equal(module.lease_ms, leases[i].ms);
		assert_int_equal(module.nr_holds, i + 1);
	}
	/* It counts milliseconds, and 0 would be a release. */
	assert_int_equal(suspend_for(g, 1, 0), 0);
	assert_int_equal(module.lease_ms, 1);
	assert_false(log_has("hold"));
	gpreempt_close(g);
}

static void what_is_held_without_queues_is_released(void **state)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	struct gpreempt *g = begin("empty");
	size_t nr_held;

	assert_int_equal(suspend(g, 0), 0);
	for (int i = 0; i < 5000 && count_queues(g, &nr_held); i++)
		nanosleep(&ms, NULL);
	assert_int_equal(count_queues(g, &nr_held), 0);
	assert_int_equal(resume(g), 0);
	assert_true(log_has("release 7/4294967295\n"));
	assert_true(log_has("release 8/4294967295\n"));
	assert_int_equal(resume(g), 0);
	assert_int_equal(suspend(g, 0), -ESRCH);
	gpreempt_close(g);
}

/* Whatever the module says: the tracer is told too. */
static void both_ways_are_released(void **state)
{
	struct gpreempt *g = begin("good");

	assert_int_equal(suspend(g, 0), 0);
	module.result = -EIO;
	assert_int_equal(resume(g), -EIO);
	assert_true(log_has("release 7/4294967295\n"));
	fake_log_clear();
	module.result = 0;
	assert_int_equal(resume(g), 0);
	assert_true(log_has("release 7/4294967295\n"));
	gpreempt_close(g);
}

static void of_a_tracer_that_left_nothing_remains(void **state)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	struct gpreempt *g = begin("leave");
	size_t nr_held;

	assert_int_equal(suspend(g, 0), 0);
	wait_log("left");
	for (int i = 0; i < 5000 && has_children(); i++) {
		assert_int_equal(count_queues(g, &nr_held), 0);
		nanosleep(&ms, NULL);
	}
	assert_false(has_children());
	assert_int_equal(resume(g), 0);
	gpreempt_close(g);
}

static void a_tracer_that_left_is_replaced(void **state)
{
	struct gpreempt *g = begin("leave");
	size_t nr_held;

	assert_int_equal(suspend(g, 0), 0);
	wait_log("left");
	setenv("FAKE_TRACER", "good", 1);
	assert_int_equal(suspend(g, 0), 0);
	assert_int_equal(count_queues(g, &nr_held), 2);
	assert_int_equal(nr_held, 2);
	gpreempt_close(g);
}

static void a_tracer_that_dies_in_an_order_is_replaced(void **state)
{
	struct gpreempt *g = begin("die");

	assert_int_equal(suspend(g, 0), 0);
	assert_int_equal(suspend(g, 0), -ESRCH);
	assert_int_equal(suspend(g, 0), 0);
	/* What it held goes on. */
	assert_int_equal(resume(g), 0);
	gpreempt_close(g);
	assert_false(has_children());
}

/* In the words of the header, in time, and the next one has its turn. */
static void bad_tracers_are_told(void **state)
{
	static const struct {
		const char *how;
		int result;
	} cases[] = {
		{ "refuse", -EBUSY }, { "early", -EIO }, { "garbage", -EIO },
		{ "silent", -ETIMEDOUT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpreempt *g = begin(cases[i].how);
		uint64_t start = lib_now_ns();

		assert_int_equal(suspend(g, 300 * MS), cases[i].result);
		assert_true(lib_now_ns() - start < 5000 * MS);
		assert_string_not_equal(gpreempt_strerror(g), "");
		setenv("FAKE_TRACER", "good", 1);
		assert_int_equal(suspend(g, 0), 0);
		gpreempt_close(g);
		assert_false(has_children());
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_are_held_and_released),
		cmocka_unit_test(tracers_hold_for_a_minute_at_most),
		cmocka_unit_test(the_module_holds_for_a_minute_at_most),
		cmocka_unit_test(what_is_held_without_queues_is_released),
		cmocka_unit_test(both_ways_are_released),
		cmocka_unit_test(of_a_tracer_that_left_nothing_remains),
		cmocka_unit_test(a_tracer_that_left_is_replaced),
		cmocka_unit_test(a_tracer_that_dies_in_an_order_is_replaced),
		cmocka_unit_test(bad_tracers_are_told),
	};
	int ret;

	fake_log_begin("direct");
	setenv("GPREEMPT_TRACER", FAKE_TRACER_PATH, 1);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	fake_log_clear();
	return ret;
}
