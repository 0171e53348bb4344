// SPDX-License-Identifier: MIT
/*
 * A process that holds itself, through a kernel module and a daemon that are made up here.
 * The thread that renews the lease sleeps until a test says that its time has come.
 */
#include "fake_daemon.h"
#include "gpreempt/gpreempt.h"
#include "lib/lib_module.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define DAEMON GPREEMPT_OPEN_DAEMON
#define DIRECT GPREEMPT_OPEN_DIRECT

static struct {
	int result;		/* of the next orders */
	int fd;			/* given to the library last */
	char told[64];		/* h = held, r = released */
	unsigned int nr_told;
	unsigned int nr_wrong;	/* held while held, released while not */
	bool is_held;
} module;

static sem_t asleep, tick;

__typeof__(lib_module_order) __wrap_lib_module_order;
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);

static void tell(char what)
{
	if (module.nr_told < sizeof(module.told) - 1)
		module.told[module.nr_told] = what;
	module.nr_told++;
}

int __wrap_lib_module_order(int *fd, const struct gpreempt_ref *ref, uint32_t lease_ms)
{
	assert_int_equal(ref->pid, getpid());
	assert_int_equal(ref->queue_id, GPREEMPT_QUEUE_ALL);
	assert_int_equal(ref->gpu_id, 0);
	tell(lease_ms ? 'h' : 'r');
	if (module.result == -EOPNOTSUPP)
		return -EOPNOTSUPP;
	if (*fd < 0)
		*fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	module.fd = *fd;
	if (module.result)
		return module.result;
	module.nr_wrong += module.is_held == !!lease_ms;
	module.is_held = lease_ms;
	return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	assert_int_equal(t->tv_sec, 3);
	sem_post(&asleep);
	return sem_wait(&tick);
}

/* The lease is renewed once, if it is held, and the thread sleeps again. */
static void pass_time(void)
{
	sem_wait(&asleep);
	sem_post(&tick);
	sem_wait(&asleep);
	sem_post(&asleep);
}

/* The thread may be asleep since the test before: it stays so until time passes. */
static int begin(void **state)
{
	memset(&module, 0, sizeof(module));
	return 0;
}

static void holds_are_counted_and_ordered_once(void **state)
{
	assert_int_equal(gpreempt_self_release(), -EINVAL);
	assert_int_equal(gpreempt_self_hold(0), 1);
	assert_int_equal(gpreempt_self_hold(0), 2);
	assert_int_equal(gpreempt_self_hold(DIRECT), 3);
	assert_int_equal(gpreempt_self_release(), 2);
	assert_int_equal(gpreempt_self_release(), 1);
	assert_string_equal(module.told, "h");
	assert_int_equal(gpreempt_self_release(), 0);
	assert_string_equal(module.told, "hr");
	assert_int_equal(gpreempt_self_release(), -EINVAL);
	assert_int_equal(gpreempt_self_hold(8), -EINVAL);
	assert_int_equal(gpreempt_self_hold(DAEMON | DIRECT), -EINVAL);
	assert_string_equal(module.told, "hr");
}

static void a_failure_leaves_nothing_held(void **state)
{
	module.result = -EBUSY;
	assert_int_equal(gpreempt_self_hold(0), -EBUSY);
	assert_int_equal(fcntl(module.fd, F_GETFD), -1);
	assert_int_equal(gpreempt_self_release(), -EINVAL);
	module.result = 0;
	assert_int_equal(gpreempt_self_hold(0), 1);
	/* What cannot be released ends with its descriptor. */
	module.result = -EIO;
	assert_int_equal(gpreempt_self_release(), 0);
	assert_int_equal(fcntl(module.fd, F_GETFD), -1);
	assert_string_equal(module.told, "hhr");
}

static void nothing_here_can_hold(void **state)
{
	setenv("GPREEMPT_SOCKET", "/nonexistent/socket", 1);
	module.result = -EOPNOTSUPP;
	assert_int_equal(gpreempt_self_hold(0), -EOPNOTSUPP);
	assert_int_equal(gpreempt_self_hold(DIRECT), -EOPNOTSUPP);
	assert_int_equal(gpreempt_self_hold(DAEMON), -EOPNOTSUPP);
	assert_int_equal(gpreempt_self_release(), -EINVAL);
}

static void the_lease_is_renewed_while_held(void **state)
{
	assert_int_equal(gpreempt_self_hold(0), 1);
	pass_time();
	pass_time();
	assert_string_equal(module.told, "hhh");
	assert_int_equal(gpreempt_self_release(), 0);
	/* Woken once more, it finds nothing to renew, and sleeps no more until a hold. */
	sem_wait(&asleep);
	sem_post(&tick);
	assert_int_equal(gpreempt_self_hold(0), 1);
	sem_wait(&asleep);
	sem_post(&asleep);
	assert_int_equal(gpreempt_self_release(), 0);
	assert_int_equal(module.told[3], 'r');
	assert_int_equal(module.told[strlen(module.told) - 1], 'r');
}

static void a_child_begins_with_nothing(void **state)
{
	int status;
	pid_t pid;

	assert_int_equal(gpreempt_self_hold(0), 1);
	pid = fork();
	if (!pid)
		_exit(gpreempt_self_release() == -EINVAL && fcntl(module.fd, F_GETFD) == -1 &&
		      gpreempt_self_hold(0) == 1 && gpreempt_self_release() == 0 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(gpreempt_self_release(), 0);
	assert_string_equal(module.told, "hr");
}

static void *toggle(void *unused)
{
	for (int i = 0; i < 2000; i++) {
		if (gpreempt_self_hold(0) < 1 || !module.is_held || gpreempt_self_release() < 0)
			return &module;
	}
	return unused;
}

static void threads_share_one_count(void **state)
{
	pthread_t threads[4];
	void *wrong;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, toggle, NULL), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(module.nr_wrong, 0);
	assert_false(module.is_held);
	assert_int_equal(gpreempt_self_release(), -EINVAL);
}

static struct fake_daemon fake;

static void start_daemon(const struct fake_answer *answers, size_t nr)
{
	fake_start(&fake, answers, nr);
	setenv("GPREEMPT_SOCKET", fake.path, 1);
}

/* To the daemon the process has another number, as in a container. */
static char *result_text(const char *result)
{
	static char text[2][160];
	static int nr;
	char *out = text[nr++ % 2];

	snprintf(out, sizeof(text[0]),
		 "{\"parameters\":{\"results\":[{\"pid\":%d,\"gpu_id\":7,\"queue_id\":null,"
		 "\"result\":\"%s\",\"reason\":\"x\",\"took_ns\":null}]}}", getpid() + 1, result);
	return out;
}

static void assert_asked(size_t i, const char *method)
{
	assert_true(i < fake.nr_requests);
	assert_non_null(strstr(fake.requests[i], method));
	assert_non_null(strstr(fake.requests[i], "\"targets\":[{\"pid\":0}]"));
}

/* A broken connection is made again, at once, by the renewal of a lease as by a new hold. */
static void a_daemon_that_comes_back_is_told_again(void **state)
{
	const struct fake_answer ok = { FAKE_TEXT, result_text("ok") };
	const struct fake_answer answers[] = { ok, { FAKE_CLOSE, NULL }, ok, ok,
					       { FAKE_CLOSE, NULL }, ok,
					       { FAKE_CLOSE, NULL } };

	start_daemon(answers, 7);
	assert_int_equal(gpreempt_self_hold(DAEMON), 1);
	pass_time();
	assert_int_equal(gpreempt_self_release(), 0);
	/* The connection is kept for the next. */
	assert_int_equal(gpreempt_self_hold(DAEMON), 1);
	assert_int_equal(gpreempt_self_release(), 0);
	assert_int_equal(fake.nr_requests, 7);
	for (size_t i = 0; i < 7; i++)
		assert_asked(i, i && !(i % 3) ? "\"io.gpreempt.Resume\"" :
						"\"io.gpreempt.Suspend\"");
	assert_non_null(strstr(fake.requests[0], "\"lease_ms\":10000"));
	assert_string_equal(module.told, "");
	fake_stop(&fake);
}

static void the_daemon_holds_where_the_module_cannot(void **state)
{
	const struct fake_answer answers[] = { { FAKE_TEXT, result_text("gone") },
					       { FAKE_TEXT, result_text("ok") },
					       { FAKE_CLOSE, NULL } };

	start_daemon(answers, 3);
	module.result = -EOPNOTSUPP;
	assert_int_equal(gpreempt_self_hold(0), -ESRCH);
	assert_int_equal(gpreempt_self_hold(0), 1);
	/* A daemon that is gone holds nothing. */
	assert_int_equal(gpreempt_self_release(), 0);
	assert_int_equal(fake.nr_requests, 3);
	assert_asked(2, "\"io.gpreempt.Resume\"");
	assert_string_equal(module.told, "hh");
	fake_stop(&fake);
}

static void a_daemon_that_is_too_old_holds_nothing(void **state)
{
	const struct fake_answer answers[] = {
		{ FAKE_TEXT, "{\"error\":\"org.varlink.service.InvalidParameter\","
			     "\"parameters\":{\"parameter\":\"pid\"}}" },
	};

	start_daemon(answers, 1);
	assert_int_equal(gpreempt_self_hold(DAEMON), -EOPNOTSUPP);
	assert_int_equal(gpreempt_self_release(), -EINVAL);
	assert_int_equal(fake.nr_requests, 1);
	fake_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(holds_are_counted_and_ordered_once, begin),
		cmocka_unit_test_setup(a_failure_leaves_nothing_held, begin),
		cmocka_unit_test_setup(nothing_here_can_hold, begin),
		cmocka_unit_test_setup(the_lease_is_renewed_while_held, begin),
		cmocka_unit_test_setup(a_child_begins_with_nothing, begin),
		cmocka_unit_test_setup(threads_share_one_count, begin),
		cmocka_unit_test_setup(a_daemon_that_comes_back_is_told_again, begin),
		cmocka_unit_test_setup(the_daemon_holds_where_the_module_cannot, begin),
		cmocka_unit_test_setup(a_daemon_that_is_too_old_holds_nothing, begin),
	};

	sem_init(&asleep, 0, 0);
	sem_init(&tick, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
