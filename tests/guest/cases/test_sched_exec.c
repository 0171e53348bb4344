// SPDX-License-Identifier: MIT
/*
 * Queues that come into being unexpectedly: of a process that has become another
 * program since it opened the device, and of one that was preempted when the module went.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_gpk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=100"
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEGACY "GT_LEGACY"
#define MS 20000
#define ROUNDS 6

static const struct gt_shape brief = {
	.groups = 8, .waves = 2, .vgprs = 32, .steps = 20, .step_ns = 10000, .seed = 3,
};

/**
 * struct legacy - what a program leaves to the one that it becomes
 * @kfd: /dev/kfd
 * @answer: where to write what CREATE_QUEUE said
 * @args: of CREATE_QUEUE
 */
struct legacy {
	int kfd;
	int answer;
	struct kfd_ioctl_create_queue_args args;
};

/* The second program: creates the queue that the first one prepared, and stays. */
static void after_exec(const char *number)
{
	struct legacy l;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pread(atoi(number), &l, sizeof(l), 0) != sizeof(l))
		_exit(1);
	r = ioctl(l.kfd, AMDKFD_IOC_CREATE_QUEUE, &l.args) ? -errno : 0;
	if (write(l.answer, &r, sizeof(r)) != sizeof(r))
		_exit(1);
	for (;;)
		pause();
}

static void inherit(int fd)
{
	GT_CHECK(!fcntl(fd, F_SETFD, 0), "%s", strerror(errno));
}

/* The first program: everything but the queue. */
static void before_exec(int answer)
{
	struct legacy l = { .answer = answer };
	struct gt_queue q;
	struct gt_gpu gpu;
	char number[16];
	int fd;

	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_prepare(&gpu, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, &q, &l.args);
	l.kfd = gpu.kfd;
	inherit(gpu.kfd);
	inherit(gpu.drm);
	inherit(answer);
	fd = memfd_create("legacy", 0);
	GT_CHECK(fd >= 0 && write(fd, &l, sizeof(l)) == sizeof(l), "%s", strerror(errno));
	snprintf(number, sizeof(number), "%d", fd);
	setenv(LEGACY, number, 1);
	execl("/proc/self/exe", "sched_exec", NULL);
	gt_fail("exec: %s", strerror(errno));
}

/* Return: a process with a queue that its second program created. */
static pid_t start_and_exec(void)
{
	int answer[2], r = -EPIPE;
	struct pollfd p;
	pid_t pid;

	GT_CHECK(!pipe2(answer, O_CLOEXEC), "pipe");
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		before_exec(answer[1]);
	close(answer[1]);
	p = (struct pollfd){ .fd = answer[0], .events = POLLIN };
	GT_CHECK(poll(&p, 1, MS) == 1, "no answer");
	GT_CHECK(read(answer[0], &r, sizeof(r)) == sizeof(r), "it ended");
	GT_CHECK(!r, "CREATE_QUEUE: %s", strerror(-r));
	close(answer[0]);
	return pid;
}

static void kill_it(pid_t pid)
{
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
}

/* Without HWS amdkfd refuses this itself: create_queue_nocpsch(). */
static void a_queue_created_after_exec(void)
{
	pid_t pid = start_and_exec();

	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu queues mapped", gt_stat(0, "mapped"));
	kill_it(pid);
	gt_gpk_check_left();
}

/* Nothing of it can be looked at: the module does not know it, and it runs as it always did. */
static void the_scheduler_leaves_it_alone(void)
{
	uint32_t gpu_id;
	pid_t pid;
	int r;

	gt_gpk_load("");
	gpu_id = gt_gpk_gpu_id();
	pid = start_and_exec();
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu queues mapped", gt_stat(0, "mapped"));
	GT_CHECK(!gt_gpk_count(0), "%u queues are listed", gt_gpk_count(0));
	r = gt_gpk_hold(gpu_id, pid, ALL, MS);
	GT_CHECK(r == -ESRCH, "preempt: %s", strerror(-r));
	GT_CHECK(gt_stat(0, "mapped") == 1, "%lu queues mapped", gt_stat(0, "mapped"));
	/* The module goes and comes while it is there. */
	gt_gpk_load("");
	kill_it(pid);
	gt_gpk_check_left();
	gt_gpk_unload();
}

static void create_sdma(struct gt_gpu *gpu)
{
	struct kfd_ioctl_create_queue_args args;
	struct gt_queue q;

	gt_queue_prepare(gpu, KFD_IOC_QUEUE_TYPE_SDMA, &q, &args);
	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &args), "%s", strerror(errno));
}

/*
 * Held, its last queue goes and at once the module does: amdkfd does not know the process
 * then, and the module cannot say any more that it is let go. With @first a queue that is
 * never preempted comes first.
 */
static void held_when_the_module_went(bool first)
{
	struct gt_queue q;
	struct gt_kernel k;
	struct gt_gpu gpu;
	int r;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	r = gt_gpk_hold(gpu.id, getpid(), ALL, MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	gt_gpk_unload();
	if (first)
		create_sdma(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, MS), "a queue is off without a hold");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

static void rounds(bool first)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		GT_CHECK(pid >= 0, "fork");
		if (!pid) {
			held_when_the_module_went(first);
			_exit(0);
		}
		GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "round %d: %x", i, status);
	}
}

static void no_hold_survives_the_module(void)
{
	rounds(false);
}

static void no_hold_survives_the_module_beside_sdma(void)
{
	rounds(true);
}

static const struct gt_case cases[] = {
	{ "a_queue_created_after_exec", a_queue_created_after_exec, TINY, 60 },
	{ "the_scheduler_leaves_it_alone", the_scheduler_leaves_it_alone, TINY, 60 },
	{ "no_hold_survives_the_module", no_hold_survives_the_module, TINY, 60 },
	{ "no_hold_survives_the_module_beside_sdma", no_hold_survives_the_module_beside_sdma, TINY,
	  60 },
};

int main(void)
{
	const char *legacy = getenv(LEGACY);

	if (legacy)
		after_exec(legacy);
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
