// SPDX-License-Identifier: MIT
/*
 * What an ordinary process could try so as to keep the GPU for itself: not to be looked at,
 * to hide its pointers, to open more files than events can be told to. None of it helps.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVED_MS 10000
#define UNSERVED_MS 1000
#define FULL (gt_endless.groups * gt_endless.waves)

/* How a process of low priority fills the GPU. */
enum evasion {
	MANUAL,		/* asks not to be looked at, and waits until it is not */
	HIDDEN,		/* where its pointers were is something else that never moves */
};

static void cover(volatile void *pointer)
{
	void *page = (void *)((uintptr_t)pointer & -4096ul);

	GT_CHECK(mmap(page, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0) == page,
		 "mmap: %s", strerror(errno));
}

/* The GPU still has the pages that were there, and is told by the doorbell. */
static void hide(struct gt_queue *q)
{
	static uint64_t rptr, wptr;

	cover(q->rptr);
	cover(q->wptr);
	q->rptr = &rptr;
	q->wptr = &wptr;
}

static void evade(enum evasion how)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpk_set_attr(2, how == MANUAL ? GPREEMPT_DETECT_MANUAL : -1);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_endless, &k);
	if (how == HIDDEN)
		hide(&q);
	gt_sleep_us(300000);
	gt_kernel_launch(&k, &q);
	for (;;)
		pause();
}

/* An urgent request beside it. Return: 0, or -ETIMEDOUT. */
static int serve_beside(enum evasion how, const char *params, unsigned int ms)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid;
	int r;

	gt_gpk_load(params);
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		evade(how);
	gt_gpk_wait_waves(FULL, SERVED_MS);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	/* Until what was seen of it is forgotten, and it is back after the change. */
	gt_sleep_us(300000);
	gt_gpk_wait_waves(FULL, SERVED_MS);
	r = gt_online_once(&k, &q, ms);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
	return r;
}

static void detection_by_hand_is_no_way_out(void)
{
	GT_CHECK(!serve_beside(MANUAL, "", SERVED_MS), "no room is made");
}

static void hidden_pointers_are_no_way_out(void)
{
	GT_CHECK(!serve_beside(HIDDEN, "", SERVED_MS), "no room is made");
}

/* Controls: the waves of those that look idle are not looked for. */
static void without_a_look_at_waves_detection_by_hand_is(void)
{
	GT_CHECK(serve_beside(MANUAL, "fault=4", UNSERVED_MS) == -ETIMEDOUT,
		 "looking at waves is not needed");
}

static void without_a_look_at_waves_hidden_pointers_are(void)
{
	GT_CHECK(serve_beside(HIDDEN, "fault=4", UNSERVED_MS) == -ETIMEDOUT,
		 "looking at waves is not needed");
}

/* A process of low priority, which is only polled, that gets work when told. */
static pid_t polled_start(int in)
{
	pid_t pid = fork();
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	char c;

	GT_CHECK(pid >= 0, "fork");
	if (pid)
		return pid;
	gt_gpk_set_attr(2, -1);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_endless, &k);
	if (read(in, &c, 1) == 1)
		gt_kernel_launch(&k, &q);
	for (;;)
		pause();
}

/* While this lasts the monitor is in a switch, and looks at nothing. */
static pid_t hold_start(pid_t victim)
{
	pid_t pid = fork();

	GT_CHECK(pid >= 0, "fork");
	if (pid)
		return pid;
	_exit(gt_gpk_hold(gt_gpk_gpu_id(), victim, GPREEMPT_ABI_QUEUE_ALL, 1000) ? 1 : 0);
}

/* Of which process the first news is. */
static pid_t first_busy(int fd)
{
	struct gpreempt_abi_event events[GT_GPK_EVENTS];
	uint64_t end = gt_deadline_ns(SERVED_MS);
	size_t i, nr;

	while (gt_now_ns() < end) {
		nr = gt_gpk_events(fd, events);
		for (i = 0; i < nr; i++)
			if (events[i].kind == GPREEMPT_EVENT_BUSY && events[i].code)
				return events[i].pid;
		if (!nr)
			gt_sleep_us(1000);
	}
	gt_fail("no queue has work");
}

static void doorbells_come_before_queues_that_are_polled(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid[3];
	int i, fd, in[2], none[2];

	gt_gpk_load("");
	GT_CHECK(!pipe(in) && !pipe(none), "pipe");
	pid[0] = polled_start(in[0]);
	pid[1] = polled_start(none[0]);
	while (gt_gpk_count(0) < 2)
		gt_sleep_us(1000);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	/* Until its doorbells are armed. */
	gt_sleep_us(300000);
	fd = gt_gpk_events_open();
	gt_gpk_module_param("gpreempt", "fault_switch", 1);
	pid[2] = hold_start(pid[1]);
	gt_sleep_us(20000);
	GT_CHECK(write(in[1], "x", 1) == 1, "write");
	gt_sleep_us(20000);
	gt_kernel_launch(&k, &q);
	gt_sleep_us(20000);
	gt_gpk_module_param("gpreempt", "fault_switch", 0);
	GT_CHECK(first_busy(fd) == getpid(), "a queue that is polled was looked at first");
	GT_CHECK(!gt_kernel_wait(&k, SERVED_MS), "not served");
	close(fd);
	GT_CHECK(waitpid(pid[2], NULL, 0) == pid[2], "wait");
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		GT_CHECK(waitpid(pid[i], NULL, 0) == pid[i], "wait");
	}
	gt_queue_destroy(&q);
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
}

#define FILES_MAX 1024

static void open_many(const void *arg)
{
	int i, fd;

	/* gt_user_become() has one. */
	for (i = 1; i < FILES_MAX; i++)
		GT_CHECK(open("/dev/gpreempt", O_RDWR) >= 0, "file %d: %s", i, strerror(errno));
	fd = open("/dev/gpreempt", O_RDWR);
	GT_CHECK(fd < 0 && errno == EMFILE, "one more: %d, %s", fd, strerror(errno));
	gt_gpk_close();
	gt_gpk_reopen();
}

static void open_one(const void *arg)
{
	GT_CHECK(gt_gpk_gpu_id(), "no GPU");
}

static void files_of_a_user_are_limited(void)
{
	struct rlimit many = { .rlim_cur = 2 * FILES_MAX, .rlim_max = 2 * FILES_MAX };

	GT_CHECK(!setrlimit(RLIMIT_NOFILE, &many), "%s", strerror(errno));
	gt_user_load();
	gt_user_as(GT_USER, open_many, NULL);
	gt_user_as(GT_OTHER, open_one, NULL);
	gt_user_as(GT_USER, open_one, NULL);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "detection_by_hand_is_no_way_out", detection_by_hand_is_no_way_out, GT_TINY, 60 },
	{ "hidden_pointers_are_no_way_out", hidden_pointers_are_no_way_out, GT_TINY, 60 },
	{ "without_a_look_at_waves_detection_by_hand_is",
	  without_a_look_at_waves_detection_by_hand_is, GT_TINY, 60 },
	{ "without_a_look_at_waves_hidden_pointers_are",
	  without_a_look_at_waves_hidden_pointers_are, GT_TINY, 60 },
	{ "doorbells_come_before_queues_that_are_polled",
	  doorbells_come_before_queues_that_are_polled, GT_TINY, 60 },
	{ "files_of_a_user_are_limited", files_of_a_user_are_limited, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
