// SPDX-License-Identifier: MIT
/*
 * The tracer on real processes, without a GPU: the end of a thread is not the end of the
 * process, and the debug session is closed before the last thread has gone.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/sysfile.h"
#include "client/tracer/tracer.h"

#define NS_PER_S 1000000000ull
#define PATIENCE_NS (60 * NS_PER_S)
#define NR_THREADS 3
#define NR_RACES 200

static struct tracer t;
/* To the target, a byte for one thread: 'm' ends the main thread, 't' a worker, 'e' the process. */
static int to_main[2], to_workers[2];
static int nr_closed;
static bool had_memory;

uint64_t tracer_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void tracer_end(struct tracer *tracer, int error, const char *why)
{
	tracer->done = true;
	tracer->why = why;
}

/* A thread with memory is what the driver needs to find the process. */
static bool has_memory(pid_t thread)
{
	char path[64], line[256];
	bool has;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)thread);
	f = fopen(path, "re");
	has = f && fgets(line, sizeof(line), f);
	if (f)
		fclose(f);
	return has;
}

void tracer_close(struct tracer *tracer)
{
	if (!nr_closed++)
		had_memory = has_memory(tracer->thread);
}

static void *be_worker(void *arg)
{
	char what;

	while (read(to_workers[0], &what, 1) == 1) {
		if (what == 'e')
			_exit(7);
		/* The last return of libc's would be the end of the process. */
		if (what == 't')
			syscall(SYS_exit, 0);
	}
	_exit(8);
}

static void be_target(int nr_threads)
{
	pthread_t thread;
	char what = 0;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < nr_threads; i++)
		pthread_create(&thread, NULL, be_worker, NULL);
	if (read(to_main[0], &what, 1) == 1 && what == 'm')
		syscall(SYS_exit, 0);
	_exit(9);
}

static int nr_tasks(void)
{
	char path[64];
	uint32_t id;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t.pid);
	dir = opendir(path);
	while (dir && drv_sysfile_next(dir, &id))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static void start(int nr_threads)
{
	sigset_t set;

	memset(&t, 0, sizeof(t));
	nr_closed = 0;
	had_memory = false;
	assert_int_equal(pipe(to_main), 0);
	assert_int_equal(pipe(to_workers), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t.sigs = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	t.pid = fork();
	if (!t.pid)
		be_target(nr_threads);
	while (nr_tasks() != nr_threads + 1)
		usleep(100);
	if (tracer_seize(&t) == -EPERM)
		skip();
	assert_true(t.is_seized);
}

static void stop(void)
{
	int status;

	kill(t.pid, SIGKILL);
	while (t.is_seized && !t.is_gone)
		tracer_stops(&t);
	waitpid(t.pid, &status, __WALL);
	close(t.sigs);
	close(to_main[0]);
	close(to_main[1]);
	close(to_workers[0]);
	close(to_workers[1]);
}

static void tell(int to[2], char what)
{
	assert_int_equal(write(to[1], &what, 1), 1);
}

static void step(void)
{
	struct pollfd fd = { .fd = t.sigs, .events = POLLIN };
	struct signalfd_siginfo si;

	poll(&fd, 1, 1);
	while (read(t.sigs, &si, sizeof(si)) == sizeof(si))
		;
	tracer_stops(&t);
}

/* The state of a thread as /proc has it, 0 = there is none. */
static char state_of(pid_t thread)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t.pid, (int)thread);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

static void end_main_thread(void)
{
	uint64_t end = tracer_now_ns() + PATIENCE_NS;

	tell(to_main, 'm');
	while (state_of(t.pid) != 'Z' && !t.done) {
		step();
		assert_true(tracer_now_ns() < end);
	}
}

static void wait_until_gone(void)
{
	uint64_t end = tracer_now_ns() + PATIENCE_NS;

	while (!t.is_gone) {
		step();
		assert_true(tracer_now_ns() < end);
	}
	assert_true(t.done);
}

static void wait_for_the_end(void)
{
	wait_until_gone();
	/* Once, while the driver could still find the process. */
	assert_int_equal(nr_closed, 1);
	assert_true(had_memory);
}

static void end_of_the_process_closes_the_session(void **state)
{
	start(0);
	tell(to_main, 'x');
	wait_for_the_end();
	stop();
	/* Other threads do not change that. */
	start(NR_THREADS);
	tell(to_main, 'x');
	wait_for_the_end();
	stop();
	start(NR_THREADS);
	tell(to_workers, 'e');
	wait_for_the_end();
	stop();
}

static void end_of_the_main_thread_is_not_the_end(void **state)
{
	start(1);
	end_main_thread();
	assert_false(t.done);
	assert_int_equal(nr_closed, 0);
	assert_true(has_memory(t.thread));
	assert_false(has_memory(t.pid));
	tell(to_workers, 'e');
	wait_for_the_end();
	stop();
}

static void session_goes_with_the_last_thread(void **state)
{
	uint64_t end = tracer_now_ns() + PATIENCE_NS;
	int i;

	start(NR_THREADS);
	end_main_thread();
	for (i = NR_THREADS; i > 1; i--) {
		tell(to_workers, 't');
		while (nr_tasks() != i) {
			step();
			assert_true(tracer_now_ns() < end);
		}
		assert_false(t.done);
		assert_int_equal(nr_closed, 0);
		assert_true(has_memory(t.thread));
	}
	tell(to_workers, 't');
	wait_for_the_end();
	stop();
}

/* All at once: whichever order it is seen in, the session is closed in time. */
static void threads_that_end_together_are_no_way_around(void **state)
{
	int i, j;

	for (i = 0; i < NR_RACES; i++) {
		start(NR_THREADS);
		tell(to_main, 'm');
		for (j = 0; j < NR_THREADS; j++)
			tell(to_workers, 't');
		wait_for_the_end();
		stop();
	}
}

/*
 * A thread that stands at its end goes on without the tracer if the process is killed then:
 * the kernel allows nothing better. It is noticed, and the end of the tracer closes the session.
 */
static void process_killed_at_the_end_of_a_thread_is_gone(void **state)
{
	int i, j;

	for (i = 0; i < NR_RACES; i++) {
		start(NR_THREADS);
		tell(to_main, 'm');
		for (j = 0; j < NR_THREADS; j++)
			tell(to_workers, j == i % NR_THREADS ? 'e' : 't');
		wait_until_gone();
		assert_true(nr_closed <= 1);
		stop();
	}
}

static void why_it_cannot_be_traced_again_is_said(void **state)
{
	struct tracer other = {};

	start(1);
	end_main_thread();
	other.pid = t.pid;
	assert_int_equal(tracer_seize(&other), -EBUSY);
	tracer_release(&t);
	stop();
	/* A process without its main thread, traced by none. */
	memset(&t, 0, sizeof(t));
	assert_int_equal(pipe(to_main), 0);
	assert_int_equal(pipe(to_workers), 0);
	t.pid = fork();
	if (!t.pid)
		be_target(1);
	tell(to_main, 'm');
	while (state_of(t.pid) != 'Z')
		usleep(100);
	assert_int_equal(tracer_seize(&t), -EOPNOTSUPP);
	assert_non_null(strstr(t.why, "main thread"));
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(end_of_the_process_closes_the_session),
		cmocka_unit_test(end_of_the_main_thread_is_not_the_end),
		cmocka_unit_test(session_goes_with_the_last_thread),
		cmocka_unit_test(threads_that_end_together_are_no_way_around),
		cmocka_unit_test(process_killed_at_the_end_of_a_thread_is_gone),
		cmocka_unit_test(why_it_cannot_be_traced_again_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
