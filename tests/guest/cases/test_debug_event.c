// SPDX-License-Identifier: MIT
/*
 * What a debug session tells and how: the file given at ENABLE, QUERY_DEBUG_EVENT.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1

static void expect_new(const struct gt_session *s, const struct gt_queue *q, uint64_t clear)
{
	struct kfd_ioctl_dbg_trap_args args;
	int r = gt_debug_query(s, clear, &args);

	GT_CHECK(!r, "no event: %s", strerror(-r));
	GT_CHECK(args.query_debug_event.exception_mask == GT_NEW, "%llx",
		 args.query_debug_event.exception_mask);
	GT_CHECK(args.query_debug_event.queue_id == q->id, "%u", args.query_debug_event.queue_id);
	GT_CHECK(args.query_debug_event.gpu_id == q->gpu->id, "%u", args.query_debug_event.gpu_id);
}

static void expect_nothing(const struct gt_session *s)
{
	struct kfd_ioctl_dbg_trap_args args;
	int r = gt_debug_query(s, 0, &args);

	GT_CHECK(r == -EAGAIN, "%d", r);
	GT_CHECK(!args.query_debug_event.exception_mask, "%llx",
		 args.query_debug_event.exception_mask);
}

static void new_queue_is_told(void)
{
	struct gt_queue q, next;
	struct gt_session s;
	struct gt_gpu gpu;
	uint32_t id;
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	GT_CHECK(!gt_debug_dots(&s), "told before anything happened");
	expect_nothing(&s);
	gt_queue_create(&gpu, 7, &q);
	gt_queue_create(&gpu, 7, &next);
	r = gt_debug_dots(&s);
	GT_CHECK(r == 2, "%d dots", r);
	/* The newest first. It stays until it is cleared, and asking writes nothing. */
	expect_new(&s, &next, 0);
	expect_new(&s, &next, GT_NEW);
	expect_new(&s, &q, GT_NEW);
	expect_nothing(&s);
	GT_CHECK(!gt_debug_dots(&s), "told twice");
	/* A queue whose event was taken is new no more. */
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 1 && id == q.id, "suspended %d, id %x", r, id);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* Control for the one above. */
static void unsubscribed_is_silent(void)
{
	struct gt_session s = { .exceptions = KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION) };
	struct kfd_ioctl_dbg_trap_args args = {};
	struct kfd_queue_snapshot_entry entry;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_debug_attach_self(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	gt_sleep_us(100000);
	GT_CHECK(!gt_debug_dots(&s), "told");
	expect_nothing(&s);
	/* It is there all the same, and a late subscriber is told at once. */
	GT_CHECK(gt_debug_snapshot(&s, &entry, 1, 0) == 1, "snapshot");
	GT_CHECK(entry.exception_status == GT_NEW, "%llx", entry.exception_status);
	args.set_exceptions_enabled.exception_mask = GT_NEW;
	r = gt_debug_trap(&s, KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED, &args);
	GT_CHECK(!r, "%s", strerror(-r));
	r = gt_debug_dots(&s);
	GT_CHECK(r == 1, "%d dots", r);
	expect_new(&s, &q, GT_NEW);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* ENABLE, unlike SET_EXCEPTIONS_ENABLED, does not look at what is there already. */
static void enable_does_not_tell_of_old_queues(void)
{
	struct gt_session s = { .pid = getpid(), .exceptions = GT_NEW };
	struct kfd_runtime_info info;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(!gt_debug_dots(&s), "told");
	expect_new(&s, &q, GT_NEW);
	expect_nothing(&s);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* kernel_write() wants write_iter, which an eventfd has not: taken, and never written. */
static void eventfd_hears_nothing(void)
{
	struct gt_session s = { .exceptions = GT_NEW };
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t value;
	ssize_t n;

	gt_gpu_open(&gpu, 0);
	s.events[1] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	GT_CHECK(s.events[1] > 0, "%s", strerror(errno));
	gt_debug_attach_self(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	gt_sleep_us(100000);
	n = read(s.events[1], &value, sizeof(value));
	GT_CHECK(n < 0 && errno == EAGAIN, "%zd: %lu", n, value);
	expect_new(&s, &q, GT_NEW);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static volatile sig_atomic_t nr_sigpipes;

static void count_sigpipe(int sig)
{
	nr_sigpipes++;
}

/*
 * The byte is written by the thread that creates the queue: without a reader it is
 * the target that gets SIGPIPE.
 */
static void lost_reader_signals_the_target(void)
{
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;

	signal(SIGPIPE, count_sigpipe);
	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(!nr_sigpipes, "with a reader");
	close(s.events[0]);
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(nr_sigpipes == 1, "%d signals", (int)nr_sigpipes);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* A full pipe that does not block loses dots; queues are made as before. */
static void full_pipe_loses_dots(void)
{
	static char page[4096];
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	while (write(s.events[1], page, sizeof(page)) > 0)
		;
	GT_CHECK(errno == EAGAIN, "%s", strerror(errno));
	gt_queue_create(&gpu, 7, &q);
	while (read(s.events[0], page, sizeof(page)) > 0)
		GT_CHECK(!memchr(page, '.', sizeof(page)), "there was room");
	expect_new(&s, &q, GT_NEW);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static const struct gt_case cases[] = {
	{ "new_queue_is_told", new_queue_is_told, TINY, 10 },
	{ "unsubscribed_is_silent", unsubscribed_is_silent, TINY, 10 },
	{ "enable_does_not_tell_of_old_queues", enable_does_not_tell_of_old_queues, TINY, 10 },
	{ "eventfd_hears_nothing", eventfd_hears_nothing, TINY, 10 },
	{ "lost_reader_signals_the_target", lost_reader_signals_the_target, TINY, 10 },
	{ "full_pipe_loses_dots", full_pipe_loses_dots, TINY, 10 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
