// SPDX-License-Identifier: MIT
/*
 * Looking at gpreempt.ko, and what it costs: callers share snapshots, listeners share
 * events, ends of kernels wake no reader that does not wait for them. Dumps.
 *
 * Variant: hooks
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_ftrace.h"
#include "gt/gt_job.h"
#include "gt/gt_offline.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MS 20000
#define LOOKS 500
#define KERNELS 100
#define LISTENERS 64

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096, .step_ns = 1000000, .seed = 8,
};

static const struct gt_shape tiny = {
	.groups = 1, .waves = 1, .vgprs = 8, .steps = 1, .step_ns = 1000, .seed = 3,
};

static void read_sysfs(uint32_t gpu_id, const char *name, const char *expected)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/kernel/gpreempt/%u/%s", gpu_id, name);
	GT_CHECK(gt_file_has(path, expected), "%s does not say: %s", path, expected);
}

/* Nothing happens on the node: readers do not wake its thread. */
static void looking_wakes_nobody(void)
{
	struct gpreempt_ioc_stats before, after;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t i;

	gt_gpk_load("poll_us=60000000");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_sleep_us(300000);
	before = gt_gpk_stats(gpu.id);
	for (i = 0; i < LOOKS; i++) {
		GT_CHECK(gt_gpk_count(0) == 1, "%u queues", gt_gpk_count(0));
		read_sysfs(gpu.id, "policy", "prio");
		read_sysfs(gpu.id, "breaker", "closed");
		read_sysfs(gpu.id, "nr_entities", "1");
	}
	after = gt_gpk_stats(gpu.id);
	gt_note("%llu wake-ups for %u looks", after.nr_wakeups - before.nr_wakeups, 4 * LOOKS);
	GT_CHECK(after.nr_wakeups - before.nr_wakeups < LOOKS / 10, "%llu wake-ups",
		 after.nr_wakeups - before.nr_wakeups);
	/* What is seen is not from before the call all the same. */
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	GT_CHECK(!gt_gpk_count(0), "a queue that is gone is listed");
	gt_gpk_unload();
}

struct lookers {
	volatile bool stop;
	uint64_t nr;
};

static void *look_on(void *data)
{
	struct lookers *l = data;
	int dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	struct gpreempt_ioc_list arg = { .size = sizeof(arg) };

	while (!l->stop) {
		arg.nr = 0;
		GT_CHECK(!ioctl(dev, GPREEMPT_IOC_LIST, &arg), "list: %s", strerror(errno));
		__atomic_add_fetch(&l->nr, 1, __ATOMIC_RELAXED);
		/* In virtual time those that never sleep are all there is. */
		gt_sleep_us(gt_is_virtual() ? 1000 : 1);
	}
	close(dev);
	return NULL;
}

#define LOOKERS 32

/* Many at once, while the node works: all are served, and orders are carried out. */
static void many_look_at_once(void)
{
	struct lookers l = {};
	pthread_t threads[LOOKERS];
	struct gt_job j;
	uint32_t gpu_id;
	int i, r;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	gpu_id = gt_gpk_gpu_id();
	gt_job_start(&j, &endless);
	for (i = 0; i < LOOKERS; i++)
		GT_CHECK(!pthread_create(&threads[i], NULL, look_on, &l), "thread");
	for (i = 0; i < 20; i++) {
		r = gt_gpk_hold(gpu_id, j.pid, GPREEMPT_ABI_QUEUE_ALL, 60000);
		GT_CHECK(!r, "preempt: %s", strerror(-r));
		GT_CHECK(gt_gpk_flags(j.pid, j.queue_id) & GPREEMPT_QUEUE_F_PREEMPTED, "runs");
		r = gt_gpk_release(gpu_id, j.pid, GPREEMPT_ABI_QUEUE_ALL);
		GT_CHECK(!r, "resume: %s", strerror(-r));
		GT_CHECK(!(gt_gpk_flags(j.pid, j.queue_id) & GPREEMPT_QUEUE_F_PREEMPTED), "off");
	}
	l.stop = true;
	for (i = 0; i < LOOKERS; i++)
		pthread_join(threads[i], NULL);
	gt_note("%lu looks of %u threads", l.nr, LOOKERS);
	GT_CHECK(l.nr >= LOOKERS, "not all were served");
	gt_job_kill(&j);
	gt_gpk_unload();
}

#define ROUNDS 50
#define ROUND_NS 3000000

struct looker {
	uint64_t start_ns;
	uint32_t gpu_id;
	unsigned int number;
};

static void sleep_until(uint64_t ns)
{
	uint64_t now = gt_now_ns();

	if (now < ns)
		gt_sleep_us((ns - now) / 1000);
}

/* Looks once in a round, a little after the one before. */
static void *look_in_turn(void *data)
{
	const struct looker *l = data;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		sleep_until(l->start_ns + i * ROUND_NS + 200000 + l->number * 20000);
		gt_gpk_stats(l->gpu_id);
	}
	return NULL;
}

/* Between two snapshots the monitor pauses: all that come in the pause wake it once. */
static void lookers_in_a_pause_wake_once(void)
{
	struct looker l[LOOKERS];
	struct gpreempt_ioc_stats before, after;
	pthread_t threads[LOOKERS];
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t start;
	int i;

	gt_gpk_load("poll_us=60000000");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_sleep_us(300000);
	before = gt_gpk_stats(gpu.id);
	start = gt_now_ns() + ROUND_NS;
	for (i = 0; i < LOOKERS; i++) {
		l[i] = (struct looker){ start, gpu.id, (unsigned int)i };
		GT_CHECK(!pthread_create(&threads[i], NULL, look_in_turn, &l[i]), "thread");
	}
	for (i = 0; i < ROUNDS; i++) {
		sleep_until(start + i * ROUND_NS);
		gt_gpk_set_param("open_ns", 1000000000);
		gt_gpk_stats(gpu.id);
		/* What was seen is old already. */
		gt_gpk_set_param("open_ns", 2000000000);
	}
	for (i = 0; i < LOOKERS; i++)
		pthread_join(threads[i], NULL);
	after = gt_gpk_stats(gpu.id);
	gt_note("%u looks: %llu wake-ups", ROUNDS * LOOKERS, after.nr_wakeups - before.nr_wakeups);
	/* Elsewhere a round may take longer than a pause. */
	GT_CHECK(!gt_is_virtual() || after.nr_wakeups - before.nr_wakeups < 10 * ROUNDS,
		 "%llu wake-ups", after.nr_wakeups - before.nr_wakeups);
	gt_gpk_unload();
}

/* Kernels end, each with an interrupt, and nothing is preempted that could come back. */
static void ends_wake_nobody(void)
{
	struct gpreempt_ioc_stats before, after;
	uint64_t occupancy, mailbox, start;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t i, id;

	gt_gpk_load("poll_us=1000000");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &tiny, &k);
	id = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	gt_kernel_signal_event(&k, id, mailbox);
	gt_kernel_launch(&k, &q);
	GT_CHECK(gt_event_wait(&gpu, id, NULL, MS) == KFD_IOC_WAIT_RESULT_COMPLETE, "no event");
	before = gt_gpk_stats(gpu.id);
	occupancy = gt_stat(0, "occupancy_reads");
	start = gt_now_ns();
	for (i = 0; i < KERNELS; i++) {
		gt_kernel_launch(&k, &q);
		GT_CHECK(gt_event_wait(&gpu, id, NULL, MS) == KFD_IOC_WAIT_RESULT_COMPLETE,
			 "no event");
	}
	start = (gt_now_ns() - start) / 1000000000;
	after = gt_gpk_stats(gpu.id);
	occupancy = gt_stat(0, "occupancy_reads") - occupancy;
	gt_note("%u kernels in %lu s: %llu wake-ups, %lu reads of registers", KERNELS, start,
		after.nr_wakeups - before.nr_wakeups, occupancy);
	/* Every second a look, and one of ours. */
	GT_CHECK(after.nr_wakeups - before.nr_wakeups < KERNELS / 4 + 3 * start, "%llu wake-ups",
		 after.nr_wakeups - before.nr_wakeups);
	GT_CHECK(occupancy < KERNELS / 4 + 3 * start, "%lu reads", occupancy);
	gt_gpk_unload();
}

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 5000) == 1;
}

/* All get the same event, each once. */
static void listeners_share_events(void)
{
	struct gpreempt_abi_event first = {}, events[GT_GPK_EVENTS];
	struct gt_queue q;
	struct gt_gpu gpu;
	int i, fds[LISTENERS];

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	for (i = 0; i < LISTENERS; i++)
		fds[i] = gt_gpk_events_open();
	gt_queue_create(&gpu, 7, &q);
	for (i = 0; i < LISTENERS; i++) {
		GT_CHECK(is_readable(fds[i]), "listener %d hears nothing", i);
		GT_CHECK(gt_gpk_events(fds[i], events), "read");
		if (!i)
			first = events[0];
		GT_CHECK(!memcmp(&events[0], &first, sizeof(first)), "listener %d hears another",
			 i);
	}
	GT_CHECK(first.kind == GPREEMPT_EVENT_QUEUE && first.pid == getpid(), "kind %u of %d",
		 first.kind, first.pid);
	for (i = 0; i < LISTENERS; i++)
		close(fds[i]);
	gt_gpk_unload();
}

static void check_dump(uint32_t gpu_id, const char *name, const char *text)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/kernel/debug/gpreempt/%u/%s", gpu_id, name);
	GT_CHECK(gt_file_has(path, text), "%s does not say: %s", path, text);
}

/* Has a switch take longer than is allowed; another process is on the GPU. */
static void miss_the_deadline(uint32_t gpu_id, struct gt_kernel *k, struct gt_queue *q)
{
	uint64_t end = gt_deadline_ns(MS);
	struct gpreempt_ioc_stats stats;

	/* A new queue takes all waves off for a moment: a request that is first needs no switch. */
	gt_gpk_wait_busy(1, MS);
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, MS);
	gt_gpk_set_param("deadline_ns", 20000000);
	gt_fault(0, "slow 30000");
	gt_kernel_launch(k, q);
	while ((stats = gt_gpk_stats(gpu_id)).breaker == GPREEMPT_BREAKER_CLOSED) {
		GT_CHECK(gt_now_ns() < end, "%llu switches, %llu preemptions, p99 %llu ns",
			 stats.nr_switches, stats.nr_preemptions, stats.switch_p99_ns);
		gt_sleep_us(2000);
	}
	gt_fault(0, "clear");
}

/* On demand, and when a switch takes longer than is allowed. */
static void a_dump_says_who_was_there(void)
{
	struct gt_offline other;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	char text[64];

	gt_gpk_load("");
	gt_offline_start(&other, &gt_endless);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_CRITICAL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	snprintf(text, sizeof(text), "process %d ", other.pid);
	check_dump(gpu.id, "dump", "breaker closed");
	check_dump(gpu.id, "dump", text);
	check_dump(gpu.id, "dump", "last records");
	miss_the_deadline(gpu.id, &k, &q);
	check_dump(gpu.id, "last_dump", "preemption suspended; 0 left out");
	check_dump(gpu.id, "last_dump", "breaker open (switch missed its deadline)");
	check_dump(gpu.id, "last_dump", text);
	check_dump(gpu.id, "last_dump", " switch id ");
	gt_offline_kill(&other);
	gt_gpk_unload();
}

/* A console may take a second for a dump: processes that are to be resumed do not wait for it. */
static void a_dump_is_printed_by_another_thread(void)
{
	struct gt_offline other;
	struct gt_ftrace trace;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	size_t printed, switched;

	gt_gpk_load("");
	gt_offline_start(&other, &gt_endless);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_CRITICAL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	gt_ftrace_start_with_log();
	miss_the_deadline(gpu.id, &k, &q);
	gt_sleep_us(100000);
	gt_ftrace_stop(&trace);
	printed = gt_ftrace_find(&trace, 0, "console: ", "dump at ");
	switched = gt_ftrace_find(&trace, 0, "gpreempt_switch_begin", "");
	GT_CHECK(printed < trace.nr && switched < trace.nr, "no dump or no switch: %zu, %zu of %zu",
		 printed, switched, trace.nr);
	GT_CHECK(trace.line[printed].pid != trace.line[switched].pid,
		 "the monitor %d prints its dump itself", trace.line[printed].pid);
	gt_ftrace_free(&trace);
	gt_offline_kill(&other);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "looking_wakes_nobody", looking_wakes_nobody, GT_TINY, 90 },
	{ "many_look_at_once", many_look_at_once, GT_TINY, 90 },
	{ "lookers_in_a_pause_wake_once", lookers_in_a_pause_wake_once, GT_TINY, 90 },
	{ "ends_wake_nobody", ends_wake_nobody, GT_TINY, 90 },
	{ "listeners_share_events", listeners_share_events, GT_TINY, 60 },
	{ "a_dump_says_who_was_there", a_dump_says_who_was_there, GT_TINY, 90 },
	{ "a_dump_is_printed_by_another_thread", a_dump_is_printed_by_another_thread, GT_TINY, 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
