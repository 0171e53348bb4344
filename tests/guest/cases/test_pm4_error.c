// SPDX-License-Identifier: MIT
/*
 * PM4 queues with packets that are none, and with buffers that are not there: what is
 * told what, the queue stops, and its neighbours do not notice.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"
#include "gt/gt_pm4.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define PAGE 4096ul
#define BAD_PACKET KFD_EC_MASK(EC_QUEUE_PACKET_UNSUPPORTED)

static const struct gt_shape small = {
	.groups = 8, .waves = 1, .vgprs = 16, .steps = 400, .step_ns = 100000, .seed = 4,
};

/**
 * struct wrong - a packet that stops a queue
 * @nr: its dwords
 * @is_inside: only in a buffer
 */
static const struct wrong {
	const char *name;
	uint32_t nr;
	uint32_t dw[8];
	bool is_inside;
} wrong[] = {
	{ "type 0", 1, { 0 }, false },
	{ "type 2", 1, { 0x80000000 }, false },
	{ "unknown opcode", 2, { 0xc0001100 }, false },
	{ "WRITE_DATA too short", 2, { 0xc0003700 }, false },
	{ "WRITE_DATA to a register", 5, { 0xc0033700, 0, 0x1000 }, false },
	{ "RELEASE_MEM of no size", 8, { 0xc0064900, 0, 0xe0000000 }, false },
	{ "WAIT_REG_MEM of a register", 7, { 0xc0053c00, 0x03 }, false },
	{ "SET_SH_REG outside", 3, { 0xc0017600, 0x400 }, false },
	{ "DISPATCH_DIRECT not enabled", 5, { 0xc0031500, 1, 1, 1, 0 }, false },
	{ "INDIRECT_BUFFER that chains", 4, { 0xc0023f00, 0x1000, 0, 1 << 20 | 16 }, false },
	{ "INDIRECT_BUFFER in a buffer", 4, { 0xc0023f00, 0x1000, 0, 16 }, true },
	{ "packet over the end of a buffer", 2, { 0xc0041000 }, true },
};

/**
 * struct scene - a process whose runtime hears of errors, with a queue that makes none
 * @payload: of the error, as the runtime gets it
 * @event: raised with it
 */
struct scene {
	struct gt_gpu gpu;
	struct gt_queue good;
	struct gt_kernel kernel;
	volatile uint32_t *word;
	volatile uint64_t *payload;
	uint32_t event;
	uint64_t digest;
};

static void expect_good_end(struct scene *s)
{
	GT_CHECK(!gt_kernel_wait(&s->kernel, 10000), "the neighbour does not end");
	GT_CHECK(!gt_kernel_check(&s->kernel), "%s", gt_kernel_check(&s->kernel));
	if (s->digest)
		GT_CHECK(gt_kernel_digest(&s->kernel) == s->digest, "the neighbour's result");
	s->digest = gt_kernel_digest(&s->kernel);
}

static void set_up(struct scene *s)
{
	uint64_t mailbox;

	gt_queue_create(&s->gpu, 7, &s->good);
	gt_kernel_create(&s->gpu, &small, &s->kernel);
	s->word = gt_alloc(&s->gpu, PAGE);
	s->payload = gt_alloc(&s->gpu, PAGE);
	s->event = gt_event_create(&s->gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	gt_kernel_launch(&s->kernel, &s->good);
	expect_good_end(s);
}

/* As ROCr fills it: where errors of the queue go. */
static void fill_header(const struct scene *s, struct gt_queue *q)
{
	struct kfd_context_save_area_header *header = (void *)q->save_area;

	header->err_payload_addr = (uintptr_t)s->payload;
	header->err_event_id = s->event;
}

/* Sends what @w says and then a write, beside a kernel of the neighbour. */
static void send(struct scene *s, struct gt_queue *q, const struct wrong *w)
{
	struct gt_pm4 p = {};

	gt_pm4_put(&p, w->dw, w->nr);
	if (w->is_inside)
		p = gt_pm4_in_buffer(&s->gpu, &p);
	gt_pm4_nop(&p, 16);
	gt_pm4_write(&p, s->word, 1);
	*s->word = 0;
	*s->payload = 0;
	gt_kernel_launch(&s->kernel, &s->good);
	gt_pm4_send(q, &p);
}

/* Without a debugger it is the runtime that hears of it. */
static void wrong_packet_stops_its_queue_alone(void)
{
	struct scene s = {};
	struct gt_queue q;
	size_t i;
	int r;

	gt_gpu_open(&s.gpu, 0);
	GT_CHECK(!gt_debug_runtime_enable(&s.gpu), "runtime");
	set_up(&s);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		gt_queue_create_pm4(&s.gpu, 7, &q);
		fill_header(&s, &q);
		send(&s, &q, &wrong[i]);
		r = gt_event_wait(&s.gpu, s.event, NULL, 3000);
		GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "%s: not told: %d", wrong[i].name, r);
		GT_CHECK(*s.payload == BAD_PACKET, "%s: %lx", wrong[i].name, *s.payload);
		expect_good_end(&s);
		GT_CHECK(!*s.word, "%s: it went on", wrong[i].name);
		GT_CHECK(!gt_queue_destroy(&q), "%s: destroy", wrong[i].name);
	}
	GT_CHECK(gt_stat(0, "faults") == i, "%lu faults", gt_stat(0, "faults"));
}

/* Control for the one above. */
static void right_packet_is_not_told(void)
{
	static const struct wrong right = { "NOP", 2, { 0xc0001000 }, true };
	struct scene s = {};
	struct gt_queue q;
	int r;

	gt_gpu_open(&s.gpu, 0);
	GT_CHECK(!gt_debug_runtime_enable(&s.gpu), "runtime");
	set_up(&s);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	fill_header(&s, &q);
	send(&s, &q, &right);
	expect_good_end(&s);
	r = gt_event_wait(&s.gpu, s.event, NULL, 50);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "told: %d", r);
	GT_CHECK(!*s.payload && *s.word == 1, "%lx %u", *s.payload, *s.word);
}

/* kfd_set_dbg_ev_from_interrupt(): no debugger, no runtime, nothing to tell. */
static void without_the_runtime_nobody_is_told(void)
{
	struct scene s = {};
	struct gt_queue q;
	int r;

	gt_gpu_open(&s.gpu, 0);
	set_up(&s);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	fill_header(&s, &q);
	send(&s, &q, &wrong[0]);
	expect_good_end(&s);
	r = gt_event_wait(&s.gpu, s.event, NULL, 100);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "told: %d", r);
	GT_CHECK(!*s.payload && !*s.word, "%lx %u", *s.payload, *s.word);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

/* A stopped queue stays stopped when it is taken out and comes back. */
static void stopped_queue_stays_stopped(void)
{
	struct scene s = {};
	struct gt_queue q;
	int i, r;

	gt_gpu_open(&s.gpu, 0);
	GT_CHECK(!gt_debug_runtime_enable(&s.gpu), "runtime");
	set_up(&s);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	fill_header(&s, &q);
	send(&s, &q, &wrong[0]);
	r = gt_event_wait(&s.gpu, s.event, NULL, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "not told: %d", r);
	for (i = 0; i < 10; i++) {
		GT_CHECK(!gt_queue_update(&q, 0), "preempt");
		GT_CHECK(!gt_queue_update(&q, 100), "resume");
	}
	expect_good_end(&s);
	r = gt_event_wait(&s.gpu, s.event, NULL, 50);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "told twice: %d", r);
	GT_CHECK(!*s.word, "it went on");
}

/* A debugger that subscribed hears of it, and the runtime does not. */
static void wrong_packet_is_told_to_the_debugger(void)
{
	struct gt_session session = { .exceptions = BAD_PACKET };
	struct kfd_ioctl_dbg_trap_args args;
	struct pollfd poll_fd;
	struct scene s = {};
	struct gt_queue q;
	uint32_t id;
	int r;

	gt_gpu_open(&s.gpu, 0);
	gt_debug_attach_self(&s.gpu, &session);
	set_up(&s);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	fill_header(&s, &q);
	gt_debug_clear_new(&session);
	send(&s, &q, &wrong[0]);
	poll_fd = (struct pollfd){ .fd = session.events[0], .events = POLLIN };
	GT_CHECK(poll(&poll_fd, 1, 3000) == 1, "not told");
	r = gt_debug_query(&session, 0, &args);
	GT_CHECK(!r && args.query_debug_event.exception_mask == BAD_PACKET, "%d: %llx", r,
		 args.query_debug_event.exception_mask);
	GT_CHECK(args.query_debug_event.queue_id == q.id, "%u", args.query_debug_event.queue_id);
	GT_CHECK(!*s.payload, "the runtime was told too");
	/* SUSPEND_QUEUES forgets what its mask names. */
	memset(&args, 0, sizeof(args));
	id = q.id;
	args.suspend_queues.exception_mask = BAD_PACKET;
	args.suspend_queues.queue_array_ptr = (uintptr_t)&id;
	args.suspend_queues.num_queues = 1;
	args.suspend_queues.grace_period = 1;
	r = gt_debug_trap(&session, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args);
	GT_CHECK(r == 1 && id == q.id, "suspended %d, id %x", r, id);
	r = gt_debug_query(&session, 0, &args);
	GT_CHECK(r == -EAGAIN, "still there: %d", r);
	GT_CHECK(!gt_debug_disable(&session), "disable");
	expect_good_end(&s);
}

/* A debugger that did not subscribe leaves it to the runtime; the queue shows it. */
static void unsubscribed_debugger_leaves_it_to_the_runtime(void)
{
	struct gt_session session = { .exceptions = GT_NEW };
	struct kfd_queue_snapshot_entry entry[2];
	struct scene s = {};
	struct gt_queue q;
	int r;

	gt_gpu_open(&s.gpu, 0);
	gt_debug_attach_self(&s.gpu, &session);
	set_up(&s);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	fill_header(&s, &q);
	gt_debug_clear_new(&session);
	GT_CHECK(gt_debug_dots(&session) == 2, "two queues are new");
	send(&s, &q, &wrong[0]);
	r = gt_event_wait(&s.gpu, s.event, NULL, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "the runtime was not told: %d", r);
	GT_CHECK(*s.payload == BAD_PACKET, "%lx", *s.payload);
	GT_CHECK(!gt_debug_dots(&session), "the debugger was told too");
	/* The newest queue comes first. */
	GT_CHECK(gt_debug_snapshot(&session, entry, 2, 0) == 2, "snapshot");
	GT_CHECK(entry[0].queue_id == q.id && entry[0].exception_status == BAD_PACKET, "%llx",
		 entry[0].exception_status);
	GT_CHECK(!entry[1].exception_status, "%llx", entry[1].exception_status);
	GT_CHECK(!gt_debug_disable(&session), "disable");
	expect_good_end(&s);
}

/* A neighbour in another process: a fault stops all queues of its own. */
static pid_t start_neighbour(void)
{
	struct scene s = {};
	pid_t pid = fork();
	int i;

	if (pid)
		return pid;
	gt_gpu_open(&s.gpu, 0);
	set_up(&s);
	for (i = 0; i < 10; i++) {
		gt_kernel_launch(&s.kernel, &s.good);
		expect_good_end(&s);
	}
	_exit(0);
}

/* Calls @nr dwords of NOPs at @addr. Return: wait_result of the fault event. */
static int call_buffer(struct scene *s, struct gt_queue *q, uint64_t addr, uint32_t nr,
		       struct kfd_event_data *data)
{
	struct gt_pm4 p = {};

	memset(data, 0, sizeof(*data));
	*s->word = 0;
	gt_pm4_buffer(&p, addr, nr);
	gt_pm4_write(&p, s->word, 1);
	gt_pm4_send(q, &p);
	return gt_event_wait(&s->gpu, s->event, data, 1000);
}

/* @outside: a buffer that begins where nothing is, else one that only ends there */
static void check_fault(bool outside)
{
	struct kfd_event_data data;
	pid_t pid = start_neighbour();
	struct scene s = {};
	struct gt_queue q;
	uint32_t *buffer;
	uint64_t addr;
	int i, r, status;

	gt_gpu_open(&s.gpu, 0);
	gt_queue_create_pm4(&s.gpu, 7, &q);
	s.word = gt_alloc(&s.gpu, PAGE);
	s.event = gt_event_create(&s.gpu, KFD_IOC_EVENT_MEMORY, NULL);
	buffer = gt_alloc(&s.gpu, PAGE);
	for (i = 0; i < 1024; i += 2)
		buffer[i] = 0xc0001000;
	/* Control: all of it is there. */
	r = call_buffer(&s, &q, (uintptr_t)buffer, 1024, &data);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "a fault: %d", r);
	GT_CHECK(*s.word == 1, "it did not go on");
	addr = outside ? 0x123000 : (uintptr_t)buffer;
	r = call_buffer(&s, &q, addr, 1026, &data);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no fault: %d", r);
	GT_CHECK(data.memory_exception_data.va == (outside ? addr : addr + PAGE), "%llx",
		 (unsigned long long)data.memory_exception_data.va);
	GT_CHECK(data.memory_exception_data.failure.NotPresent, "not NotPresent");
	GT_CHECK(!*s.word, "it went on");
	GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "the neighbour: %x", status);
}

static void buffer_outside_every_mapping_faults(void)
{
	check_fault(true);
}

static void buffer_over_the_end_of_a_mapping_faults(void)
{
	check_fault(false);
}

static const struct gt_case cases[] = {
	{ "right_packet_is_not_told", right_packet_is_not_told, TINY, 0 },
	{ "wrong_packet_stops_its_queue_alone", wrong_packet_stops_its_queue_alone, TINY, 0 },
	{ "without_the_runtime_nobody_is_told", without_the_runtime_nobody_is_told, TINY, 0 },
	{ "stopped_queue_stays_stopped", stopped_queue_stays_stopped, TINY, 0 },
	{ "wrong_packet_is_told_to_the_debugger", wrong_packet_is_told_to_the_debugger, TINY, 0 },
	{ "unsubscribed_debugger_leaves_it_to_the_runtime",
	  unsubscribed_debugger_leaves_it_to_the_runtime, TINY, 0 },
	{ "buffer_outside_every_mapping_faults", buffer_outside_every_mapping_faults, TINY, 0 },
	{ "buffer_over_the_end_of_a_mapping_faults", buffer_over_the_end_of_a_mapping_faults, TINY,
	  0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
