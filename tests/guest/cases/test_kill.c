// SPDX-License-Identifier: MIT
/*
 * A process is killed in every state its queue can be in. Nothing of it stays, and
 * the others do not notice.
 *
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};
static const struct gt_shape bystander = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 2000, .step_ns = 100000, .seed = 2,
};

/* What the victim does before it tells the parent that it may be killed. */
enum state { RUNNING, PREEMPTED, IDLE, CREATING, UPDATING };

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(3);
}

static void create_for_ever(struct gt_gpu *gpu, int fd)
{
	struct gt_queue q;

	tell(fd);
	for (;;) {
		gt_queue_create(gpu, 7, &q);
		GT_CHECK(!gt_queue_destroy(&q), "destroy");
	}
}

static void update_for_ever(struct gt_queue *q, int fd)
{
	unsigned int i;

	tell(fd);
	for (i = 0;; i++)
		GT_CHECK(!gt_queue_update(q, i & 1 ? 100 : 0), "update %u", i);
}

static void victim(enum state state, int fd)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	if (state == CREATING)
		create_for_ever(&gpu, fd);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	if (state != IDLE) {
		gt_kernel_launch(&k, &q);
		while (!*q.rptr && gt_stat(0, "waves") < endless.groups)
			gt_sleep_us(100);
		gt_sleep_us(2000);
	}
	if (state == PREEMPTED)
		GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	if (state == UPDATING)
		update_for_ever(&q, fd);
	tell(fd);
	pause();
}

static void kill_one(enum state state, unsigned int delay_us)
{
	int status, fds[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe(fds), "pipe");
	pid = fork();
	if (!pid)
		victim(state, fds[1]);
	GT_CHECK(read(fds[0], &c, 1) == 1, "the victim did not get ready");
	gt_sleep_us(delay_us);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	GT_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it ended by itself");
	close(fds[0]);
	close(fds[1]);
}

/* @queues: those of others, which stay */
static void check_nothing_left(uint64_t queues)
{
	GT_CHECK(!gt_stat_wait(0, "mapped", queues), "%lu queues mapped", gt_stat(0, "mapped"));
}

static void kill_in(enum state state)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &bystander, &k);
	gt_kernel_launch(&k, &q);
	for (i = 0; i < 5; i++) {
		kill_one(state, 700 * i);
		check_nothing_left(1);
	}
	GT_CHECK(!gt_kernel_wait(&k, 10000), "the bystander did not finish");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	check_nothing_left(0);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves left", gt_stat(0, "waves"));
}

static void killed_while_running(void)
{
	kill_in(RUNNING);
}

static void killed_while_preempted(void)
{
	kill_in(PREEMPTED);
}

static void killed_while_idle(void)
{
	kill_in(IDLE);
}

static void killed_while_creating(void)
{
	kill_in(CREATING);
}

static void killed_inside_an_ioctl(void)
{
	kill_in(UPDATING);
}

/* Control: a process that lives keeps its queue. */
static void living_process_keeps_its_queue(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "not mapped");
	GT_CHECK(gt_stat_wait(0, "mapped", 0) == -ETIMEDOUT, "the queue vanished");
}

static const struct gt_case cases[] = {
	{ "living_process_keeps_its_queue", living_process_keeps_its_queue, TINY, 0 },
	{ "killed_while_running", killed_while_running, TINY, 0 },
	{ "killed_while_preempted", killed_while_preempted, TINY, 0 },
	{ "killed_while_idle", killed_while_idle, TINY, 0 },
	{ "killed_while_creating", killed_while_creating, TINY, 0 },
	{ "killed_inside_an_ioctl", killed_inside_an_ioctl, TINY, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
