// SPDX-License-Identifier: MIT
/*
 * A client with several queues: rounds of one kernel on each. On SIGUSR1 it makes one more
 * queue, sends a kernel there, waits for it and says so. Knows nothing of gpreempt.
 *
 *   load_queues QUEUES KERNEL_MS ROUNDS [runtime|hidden]
 *
 * "hidden": the queue of SIGUSR1 is made by a system call, which no library sees.
 *
 * Exit code 0 if every result was exact.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_QUEUES 8
#define STEPS 20
#define WAIT_MS 60000

static volatile sig_atomic_t is_more_wanted;

static void on_usr1(int signal)
{
	is_more_wanted = 1;
}

static bool is_hidden;

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, ...);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (is_hidden)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	next = dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, arg);
}

struct lane {
	struct gt_queue queue;
	struct gt_kernel kernel;
};

static void open_lane(struct load *l, const struct gt_shape *shape, struct lane *lane)
{
	gt_queue_create(&l->gpu, 7, &lane->queue);
	gt_kernel_create(&l->gpu, shape, &lane->kernel);
}

static bool finish(struct load *l, struct lane *lane, uint64_t expected)
{
	if (gt_kernel_wait(&lane->kernel, WAIT_MS))
		load_die("a kernel does not end");
	return load_kernel_is_exact(l, &lane->kernel, expected);
}

static void run_late(struct load *l, const struct gt_shape *shape, struct lane *lane,
		     uint64_t expected, bool hide)
{
	is_more_wanted = 0;
	is_hidden = hide;
	open_lane(l, shape, lane);
	is_hidden = false;
	gt_kernel_launch(&lane->kernel, &lane->queue);
	printf("late launched\n");
	fflush(stdout);
	finish(l, lane, expected);
	printf("late done\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_usr1 };
	struct gt_shape shape = { .groups = 2, .waves = 1, .vgprs = 8, .steps = STEPS, .seed = 9 };
	struct lane lanes[MAX_QUEUES], late;
	uint64_t expected, i, n, nr, rounds;
	struct load l;
	bool hide;

	if (argc < 4)
		load_die("usage: %s QUEUES KERNEL_MS ROUNDS [runtime|hidden]", argv[0]);
	nr = strtoull(argv[1], NULL, 0);
	shape.step_ns = strtoull(argv[2], NULL, 0) * 1000000 / STEPS;
	rounds = strtoull(argv[3], NULL, 0);
	sigaction(SIGUSR1, &sa, NULL);
	hide = argc > 4 && !strcmp(argv[4], "hidden");
	load_open(&l, argc > 4 && !hide, NULL);
	expected = load_expected(&shape);
	for (i = 0; i < nr && i < MAX_QUEUES; i++)
		open_lane(&l, &shape, &lanes[i]);
	printf("started 1\n");
	fflush(stdout);
	for (n = 0; n < rounds && !load_is_stopped; n++) {
		for (i = 0; i < nr; i++)
			gt_kernel_launch(&lanes[i].kernel, &lanes[i].queue);
		for (i = 0; i < nr; i++)
			finish(&l, &lanes[i], expected);
		printf("completed %lu\n", n + 1);
		fflush(stdout);
	}
	while (!load_is_stopped) {
		if (is_more_wanted)
			run_late(&l, &shape, &late, expected, hide);
		gt_sleep_us(1000);
	}
	printf("exact %d\n", !l.progress->wrong);
	return l.progress->wrong ? 1 : 0;
}
