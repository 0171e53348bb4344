// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MODULE "/lib/modules/kfdsim.ko"
#define DEFAULT_SECONDS 30
#define GRACE_SECONDS 5
/* By the host's clock a limit tells only that a case is stuck: a busy host is so much slower. */
#define BUSY_HOST 8
#define EXIT_FAIL 1
#define EXIT_SKIP 77
#define REASON_BYTES 512

static int reason_fd = -1;

static void say(const char *fmt, va_list ap)
{
	vdprintf(reason_fd, fmt, ap);
}

void gt_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	/*
	 * Not exit(): in 6.12 a process that exits with a debug session open waits for
	 * an interrupt that cannot find it any more (kfd_process_drain_interrupts).
	 */
	kill(getpid(), SIGKILL);
	_exit(EXIT_FAIL);
}

void gt_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	_exit(EXIT_SKIP);
}

void gt_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

int gt_module_load(const char *params)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return r;
}

/* A process that has just ended may still be being taken apart by amdkfd. */
int gt_module_unload(void)
{
	int tries;

	/* A case of the scheduler's that failed leaves it behind. */
	syscall(SYS_delete_module, "gpreempt", O_NONBLOCK);
	for (tries = 0; tries < 100; tries++) {
		if (!syscall(SYS_delete_module, "kfdsim", O_NONBLOCK))
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			return -errno;
		gt_sleep_us(50000);
	}
	return -EBUSY;
}

uint64_t gt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void gt_sleep_us(uint64_t us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

static void read_reason(int fd, char *text)
{
	ssize_t n = read(fd, text, REASON_BYTES - 1);
	char *c;

	text[n > 0 ? n : 0] = 0;
	for (c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	close(fd);
}

static unsigned int seconds_for(const struct gt_case *c)
{
	unsigned int seconds = (c->seconds ? c->seconds : DEFAULT_SECONDS) * gt_slowness();

	return gt_is_virtual() ? seconds : seconds * BUSY_HOST;
}

static bool report(const struct gt_case *c, int status, const char *reason)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		printf("ok %s\n", c->name);
		return true;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
		printf("skip %s: %s\n", c->name, reason);
		return true;
	}
	if (*reason)
		printf("not ok %s: %s\n", c->name, reason);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("not ok %s: stuck, not at its end after %u s\n", c->name, seconds_for(c));
	else if (WIFSIGNALED(status))
		printf("not ok %s: signal %d\n", c->name, WTERMSIG(status));
	else
		printf("not ok %s: ended with code %d\n", c->name, WEXITSTATUS(status));
	return false;
}

unsigned int gt_count_processes(void)
{
	DIR *dir = opendir("/sys/class/kfd/kfd/proc");
	unsigned int nr = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		nr += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

/* amdkfd takes processes apart some time after their end. */
static void wait_for_quiet(void)
{
	int tries;

	for (tries = 0; tries < 1000 && gt_count_processes(); tries++)
		gt_sleep_us(5000);
}

static void show_stacks(pid_t pid)
{
	char command[128];

	snprintf(command, sizeof(command), "cat /proc/%d/status /proc/%d/task/*/stack", pid, pid);
	fflush(stdout);
	if (system(command))
		printf("no stack\n");
}

/* Shows what it waits for, and ends it. One that no signal ends is stuck in the driver. */
static void end_case(const struct gt_case *c, pid_t pid, bool was_ended)
{
	if (was_ended)
		printf("not ok %s: stuck in the kernel:\n", c->name);
	show_stacks(pid);
	if (was_ended)
		exit(2);
	kill(pid, SIGALRM);
}

/* Return: its status. */
static int wait_for_case(const struct gt_case *c, pid_t pid)
{
	uint64_t end = gt_now_ns() + seconds_for(c) * 1000000000ull;
	bool was_ended = false;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (gt_now_ns() > end) {
			end_case(c, pid, was_ended);
			was_ended = true;
			end = gt_now_ns() + GRACE_SECONDS * 1000000000ull;
		}
		gt_sleep_us(1000);
	}
	return status;
}

static bool run_case(const struct gt_case *c)
{
	char reason[REASON_BYTES];
	int status, fds[2];
	bool is_good;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		reason_fd = fds[1];
		setpgid(0, 0);
		c->run();
		_exit(0);
	}
	close(fds[1]);
	status = wait_for_case(c, pid);
	/* Whatever it left running. */
	kill(-pid, SIGKILL);
	wait_for_quiet();
	read_reason(fds[0], reason);
	is_good = report(c, status, reason);
	fflush(stdout);
	return is_good;
}

/* Return: 0, or 1 after a line that says what went wrong. */
static int change_module(const char **loaded, const char *params)
{
	int r;

	if (*loaded && params && !strcmp(*loaded, params))
		return 0;
	if (*loaded) {
		r = gt_module_unload();
		if (r) {
			printf("not ok unload (%s): %s\n", *loaded, strerror(-r));
			fflush(stdout);
			if (system("cat /sys/kernel/debug/kfdsim/0/stats"))
				printf("no statistics\n");
			exit(2);
		}
	}
	*loaded = NULL;
	if (!params)
		return 0;
	r = gt_module_load(params);
	if (r) {
		printf("not ok load (%s): %s\n", params, strerror(-r));
		return 1;
	}
	*loaded = params;
	return 0;
}

/* The text of an argument is good until another one is asked for. */
static const char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

int gt_main(const struct gt_case *cases, size_t nr)
{
	const char *until = copy_of(gt_argument_text("until"));
	const char *loaded = NULL, *only = gt_argument_text("case");
	int failed = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (only && !strstr(cases[i].name, only))
			continue;
		if (change_module(&loaded, cases[i].params))
			failed = 1;
		else if (!run_case(&cases[i]))
			failed = 1;
		if (until && !strcmp(cases[i].name, until))
			break;
	}
	failed |= change_module(&loaded, NULL);
	fflush(stdout);
	return failed;
}
