// SPDX-License-Identifier: MIT
/*
 * AMDKFD_IOC_RUNTIME_ENABLE of a process with a debugger: it waits for it, coming and
 * going.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1
#define RUNTIME KFD_EC_MASK(EC_PROCESS_RUNTIME)

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

/**
 * struct call - RUNTIME_ENABLE by a thread, which may wait in it
 * @is_enable: else it disables
 * @result: of the call, valid when @is_over
 */
struct call {
	struct gt_gpu *gpu;
	bool is_enable;
	volatile bool is_over;
	int result;
	pthread_t thread;
};

static void *call_thread(void *arg)
{
	struct call *c = arg;

	c->result = c->is_enable ? gt_debug_runtime_enable(c->gpu) :
				   gt_debug_runtime_disable(c->gpu);
	c->is_over = true;
	return NULL;
}

static void start_call(struct call *c, struct gt_gpu *gpu, bool is_enable)
{
	memset(c, 0, sizeof(*c));
	c->gpu = gpu;
	c->is_enable = is_enable;
	GT_CHECK(!pthread_create(&c->thread, NULL, call_thread, c), "thread");
}

static void expect_waits(const struct call *c)
{
	gt_sleep_us(200000);
	GT_CHECK(!c->is_over, "it did not wait: %d", c->result);
}

static void expect_result(struct call *c, int result)
{
	int tries;

	for (tries = 0; !c->is_over && tries < 3000; tries++)
		gt_sleep_us(1000);
	GT_CHECK(c->is_over, "it waits");
	GT_CHECK(!pthread_join(c->thread, NULL), "thread");
	GT_CHECK(c->result == result, "%d", c->result);
}

static void nothing(int sig)
{
}

/* Without SA_RESTART: the call comes back. */
static void interrupt(struct call *c)
{
	struct sigaction action = { .sa_handler = nothing };

	GT_CHECK(!sigaction(SIGUSR1, &action, NULL), "sigaction");
	GT_CHECK(!pthread_kill(c->thread, SIGUSR1), "kill");
}

static int answer(const struct gt_session *s)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.send_runtime_event.exception_mask = RUNTIME;
	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &args);
}

static void expect_runtime_event(const struct gt_session *s)
{
	struct kfd_ioctl_dbg_trap_args args;
	int r;

	GT_CHECK(gt_debug_dots(s) == 1, "no dot");
	r = gt_debug_query(s, RUNTIME, &args);
	GT_CHECK(!r && args.query_debug_event.exception_mask == RUNTIME, "%d: %llx", r,
		 args.query_debug_event.exception_mask);
	GT_CHECK(!args.query_debug_event.queue_id && !args.query_debug_event.gpu_id,
		 "an event of the process names a queue or a GPU");
	r = gt_debug_query(s, 0, &args);
	GT_CHECK(r == -EAGAIN, "still there: %d", r);
}

/* A session on a process that has no runtime yet. */
static struct gt_session attach_early(struct gt_gpu *gpu)
{
	struct gt_session s = { .pid = getpid(), .exceptions = RUNTIME };
	struct kfd_runtime_info info = {};

	gt_gpu_open(gpu, 0);
	s.kfd = gpu->kfd;
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_DISABLED, "%u", info.runtime_state);
	return s;
}

static int runtime_info(const struct gt_session *s, uint32_t code, uint32_t source,
			struct kfd_runtime_info *info, uint32_t *bytes)
{
	struct kfd_ioctl_dbg_trap_args args = {};
	int r;

	args.query_exception_info.info_ptr = (uintptr_t)info;
	args.query_exception_info.info_size = *bytes;
	args.query_exception_info.source_id = source;
	args.query_exception_info.exception_code = code;
	r = gt_debug_trap(s, KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO, &args);
	*bytes = args.query_exception_info.info_size;
	return r;
}

/* ENABLE came first: the process waits until its debugger answers. */
static void enable_waits_for_the_debugger(void)
{
	struct kfd_runtime_info info = {};
	uint32_t bytes = sizeof(info);
	struct gt_session s;
	struct gt_gpu gpu;
	struct call c;
	int r;

	s = attach_early(&gpu);
	r = runtime_info(&s, EC_PROCESS_RUNTIME, 0, &info, &bytes);
	GT_CHECK(r == -ENODATA, "before: %d", r);
	start_call(&c, &gpu, true);
	expect_waits(&c);
	bytes = sizeof(info);
	r = runtime_info(&s, EC_PROCESS_RUNTIME, 0, &info, &bytes);
	GT_CHECK(!r && bytes == sizeof(info), "%d, %u bytes", r, bytes);
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "%u", info.runtime_state);
	expect_runtime_event(&s);
	GT_CHECK(!answer(&s), "answer");
	expect_result(&c, 0);
	r = gt_debug_runtime_enable(&gpu);
	GT_CHECK(r == -EBUSY, "twice: %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* Control for the one above: without a session nothing waits. */
static void without_a_debugger_nobody_waits(void)
{
	struct gt_gpu gpu;
	struct call c;

	gt_gpu_open(&gpu, 0);
	start_call(&c, &gpu, true);
	expect_result(&c, 0);
	start_call(&c, &gpu, false);
	expect_result(&c, 0);
}

/* A signal ends the wait, but the next call waits on. */
static void interrupted_wait_is_taken_up_again(void)
{
	struct gt_session s;
	struct gt_gpu gpu;
	struct call c;

	s = attach_early(&gpu);
	start_call(&c, &gpu, true);
	expect_waits(&c);
	interrupt(&c);
	expect_result(&c, -EINTR);
	expect_runtime_event(&s);
	start_call(&c, &gpu, true);
	expect_waits(&c);
	GT_CHECK(!gt_debug_dots(&s), "told twice");
	GT_CHECK(!answer(&s), "answer");
	expect_result(&c, 0);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* The end of the session wakes nothing; only a signal and another try help. */
static void disable_does_not_wake_the_waiting(void)
{
	struct gt_session s;
	struct gt_gpu gpu;
	struct call c;

	s = attach_early(&gpu);
	start_call(&c, &gpu, true);
	expect_waits(&c);
	GT_CHECK(!gt_debug_disable(&s), "disable");
	expect_waits(&c);
	interrupt(&c);
	expect_result(&c, -EINTR);
	start_call(&c, &gpu, true);
	expect_result(&c, 0);
}

/* The runtime goes: its queues run on, and it waits for the answer. */
static void runtime_disable_resumes_and_waits(void)
{
	struct gt_session s = { .exceptions = RUNTIME };
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	struct call c;
	uint32_t id;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_debug_attach_self(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	gt_debug_clear_new(&s);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves", gt_stat(0, "waves"));
	start_call(&c, &gpu, false);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not resumed");
	expect_waits(&c);
	expect_runtime_event(&s);
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EPERM, "without the runtime: %d", r);
	GT_CHECK(!answer(&s), "answer");
	expect_result(&c, 0);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void exception_info_is_checked(void)
{
	struct kfd_runtime_info info = {};
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t bytes;
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	bytes = sizeof(info);
	r = runtime_info(&s, EC_QUEUE_NEW, q.id, &info, &bytes);
	GT_CHECK(!r && !bytes, "a queue has nothing to tell: %d, %u bytes", r, bytes);
	r = runtime_info(&s, EC_QUEUE_NEW, q.id + 77, &info, &bytes);
	GT_CHECK(r == -EINVAL, "no such queue: %d", r);
	r = runtime_info(&s, EC_QUEUE_PACKET_RESERVED, q.id, &info, &bytes);
	GT_CHECK(r == -ENODATA, "not raised: %d", r);
	r = runtime_info(&s, EC_DEVICE_MEMORY_VIOLATION, gpu.id, &info, &bytes);
	GT_CHECK(r == -ENODATA, "not raised: %d", r);
	r = runtime_info(&s, EC_DEVICE_MEMORY_VIOLATION, gpu.id + 1, &info, &bytes);
	GT_CHECK(r == -EINVAL, "no such GPU: %d", r);
	r = runtime_info(&s, 63, 0, &info, &bytes);
	GT_CHECK(r == -EINVAL, "no such exception: %d", r);
	r = runtime_info(&s, EC_QUEUE_NEW, q.id, NULL, &bytes);
	GT_CHECK(r == -EINVAL, "no room: %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static const struct gt_case cases[] = {
	{ "enable_waits_for_the_debugger", enable_waits_for_the_debugger, TINY, 10 },
	{ "without_a_debugger_nobody_waits", without_a_debugger_nobody_waits, TINY, 10 },
	{ "interrupted_wait_is_taken_up_again", interrupted_wait_is_taken_up_again, TINY, 10 },
	{ "disable_does_not_wake_the_waiting", disable_does_not_wake_the_waiting, TINY, 10 },
	{ "runtime_disable_resumes_and_waits", runtime_disable_resumes_and_waits, TINY, 10 },
	{ "exception_info_is_checked", exception_info_is_checked, TINY, 10 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
