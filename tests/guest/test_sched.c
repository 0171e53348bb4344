// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko over the patched amdkfd: who is urgent gets the GPU at once, who was
 * stopped goes on where it was, and nothing stays stopped without a reason.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/linux/gpreempt.h"

#define MODULE "/lib/modules/gpreempt.ko"
#define TINY "profile=tiny poll_us=100"
#define XCC8 "profile=mi300x poll_us=100"

/* Fills the GPU for far longer than a test takes. */
static const struct gt_shape endless = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 400000, .step_ns = 1000000, .seed = 5,
};

/* Fills it for a second: preempted, it must still end with the right result. */
static const struct gt_shape second = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 1000, .step_ns = 1000000, .seed = 6,
};

static const struct gt_shape brief = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 20, .step_ns = 10000, .seed = 7,
};

static int dev = -1;

static void set_param(const char *name, uint64_t value)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_PARAM,
					 .value = value };

	strncpy(p.param, name, sizeof(p.param) - 1);
	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_SET_POLICY, &p), "%s: %s", name, strerror(errno));
}

static void sched_unload(void)
{
	int tries;

	if (dev >= 0)
		close(dev);
	dev = -1;
	for (tries = 0; tries < 100; tries++) {
		if (!syscall(SYS_delete_module, "gpreempt", O_NONBLOCK))
			return;
		GT_CHECK(errno == EAGAIN || errno == EBUSY || errno == ENOENT, "%s",
			 strerror(errno));
		if (errno == ENOENT)
			return;
		gt_sleep_us(20000);
	}
	gt_fail("gpreempt.ko stays");
}

static void sched_load(const char *params)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "%s", MODULE);
	/* What a case that failed left behind. */
	sched_unload();
	GT_CHECK(!syscall(SYS_finit_module, fd, params, 0), "load: %s", strerror(errno));
	close(fd);
	dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	GT_CHECK(dev >= 0, "open: %s", strerror(errno));
	/* Emulated processors take their time: a slow switch is not a hang. */
	set_param("deadline_ns", 2000000000);
}

static void set_attr(uint32_t prio, int detect)
{
	struct gpreempt_ioc_attr arg = {
		.size = sizeof(arg), .pidfd = -1, .valid = GPREEMPT_ATTR_F_PRIO, .prio = prio,
	};

	if (detect >= 0) {
		arg.valid |= GPREEMPT_ATTR_F_DETECT;
		arg.detect = detect;
	}
	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_SET_ATTR, &arg), "attributes: %s", strerror(errno));
}

static struct gpreempt_ioc_stats stats(uint32_t gpu_id)
{
	struct gpreempt_ioc_stats s = { .size = sizeof(s), .gpu_id = gpu_id };

	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_STATS, &s), "statistics: %s", strerror(errno));
	return s;
}

static void set_enabled(bool enabled)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_ENABLED,
					 .enabled = enabled };

	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_SET_POLICY, &p), "switch: %s", strerror(errno));
}

static void wait_waves(bool some, unsigned int ms)
{
	uint64_t end = gt_now_ns() + ms * 1000000ull;

	while (!!gt_stat(0, "waves") != some) {
		GT_CHECK(gt_now_ns() < end, "%lu waves", gt_stat(0, "waves"));
		gt_sleep_us(1000);
	}
}

/**
 * struct offline - a process of low priority that fills the GPU
 * @pid: process
 * @go: read end: closed when its kernel runs
 * @result: read end: one byte, 1 = its result is right
 */
struct offline {
	pid_t pid;
	int go;
	int result;
};

static void offline_run(const struct gt_shape *shape, int go, int result)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	char right;

	set_attr(2, -1);
	/* Or the file stays open when the test closes it. */
	close(dev);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, shape, &k);
	gt_kernel_launch(&k, &q);
	close(go);
	right = !gt_kernel_wait(&k, 30000) && !gt_kernel_check(&k);
	if (write(result, &right, 1) != 1)
		_exit(1);
	_exit(0);
}

static void offline_start(struct offline *o, const struct gt_shape *shape)
{
	int go[2], result[2];
	char byte;

	GT_CHECK(!pipe(go) && !pipe(result), "pipe");
	o->pid = fork();
	GT_CHECK(o->pid >= 0, "fork");
	if (!o->pid) {
		close(go[0]);
		close(result[0]);
		offline_run(shape, go[1], result[1]);
	}
	close(go[1]);
	close(result[1]);
	o->go = go[0];
	o->result = result[0];
	GT_CHECK(!read(o->go, &byte, 1), "the offline process did not begin");
	wait_waves(true, 3000);
}

static void offline_kill(struct offline *o)
{
	kill(o->pid, SIGKILL);
	waitpid(o->pid, NULL, 0);
	close(o->go);
	close(o->result);
}

/* All of them are dead; amdkfd takes them apart in its own time. */
static void offline_gone(void)
{
	wait_waves(false, 10000);
}

static void offline_wait(struct offline *o)
{
	char right = 0;

	GT_CHECK(read(o->result, &right, 1) == 1 && right, "the offline result is wrong");
	waitpid(o->pid, NULL, 0);
	close(o->go);
	close(o->result);
}

static void module_comes_and_goes(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct gt_gpu gpu;
	int i;

	for (i = 0; i < 5; i++) {
		sched_load("");
		GT_CHECK(!ioctl(dev, GPREEMPT_IOC_CAPS, &caps), "caps: %s", strerror(errno));
		GT_CHECK(caps.nr_nodes == 1, "%u nodes", caps.nr_nodes);
		sched_unload();
	}
	gt_gpu_open(&gpu, 0);
	GT_CHECK(caps.gpu_ids[0] == gpu.id, "gpu_id %u", caps.gpu_ids[0]);
}

/* One brief kernel beside an endless one. Return: 0 or -ETIMEDOUT. */
static int online_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms)
{
	int r;

	gt_kernel_launch(k, q);
	r = gt_kernel_wait(k, ms);
	if (!r)
		GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	return r;
}

static void online_is_served(int detect)
{
	struct gpreempt_ioc_stats s;
	struct offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	sched_load("");
	offline_start(&o, &endless);
	set_attr(12, detect);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	for (i = 0; i < 20; i++) {
		GT_CHECK(!online_once(&k, &q, 3000), "request %d was not served", i);
		gt_sleep_us(30000);
	}
	s = stats(gpu.id);
	GT_CHECK(s.nr_preemptions >= 10, "%llu preemptions", s.nr_preemptions);
	gt_note("%llu preemptions, %llu resumes, %llu faults; switch p50 %llu us, "
		"detection p50 %llu us",
		s.nr_preemptions, s.nr_resumes, s.nr_faults, s.switch_p50_ns / 1000,
		s.detect_p50_ns / 1000);
	offline_kill(&o);
	offline_gone();
	sched_unload();
}

static void online_is_served_by_polling(void)
{
	online_is_served(GPREEMPT_DETECT_POLL);
}

static void online_is_served_by_its_doorbell(void)
{
	online_is_served(GPREEMPT_DETECT_DOORBELL);
}

/* Control: without the scheduler the same request waits for ever. */
static void switched_off_online_waits(void)
{
	struct offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	sched_load("");
	set_enabled(false);
	offline_start(&o, &endless);
	set_attr(12, GPREEMPT_DETECT_POLL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	GT_CHECK(online_once(&k, &q, 1000) == -ETIMEDOUT, "it was served all the same");
	set_enabled(true);
	GT_CHECK(!gt_kernel_wait(&k, 3000), "switched on it is not served");
	offline_kill(&o);
	offline_gone();
	sched_unload();
}

static void what_was_preempted(const char *params)
{
	struct gpreempt_ioc_stats s;
	struct offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	sched_load(params);
	offline_start(&o, &second);
	set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	for (i = 0; i < 20; i++) {
		GT_CHECK(!online_once(&k, &q, 3000), "request %d was not served", i);
		gt_sleep_us(20000);
	}
	offline_wait(&o);
	s = stats(gpu.id);
	GT_CHECK(s.nr_preemptions >= 5 && !s.nr_failed, "%llu preemptions, %llu failed",
		 s.nr_preemptions, s.nr_failed);
	gt_note("%llu preemptions, %llu resumes, saves %lu, restores %lu", s.nr_preemptions,
		s.nr_resumes, gt_stat(0, "saves"), gt_stat(0, "restores"));
	sched_unload();
}

static void what_was_preempted_ends_right(void)
{
	what_was_preempted("");
}

static void what_was_preempted_is_verified(void)
{
	what_was_preempted("verify=1");
}

/* Nothing happens: an armed doorbell needs no timer. Control: polling does. */
static void nothing_happens_without_timers(void)
{
	struct gpreempt_ioc_stats a, b;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	sched_load("");
	set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	GT_CHECK(!online_once(&k, &q, 3000), "not served");
	gt_sleep_us(300000);
	a = stats(gpu.id);
	gt_sleep_us(500000);
	b = stats(gpu.id);
	GT_CHECK(b.nr_timer_wakeups == a.nr_timer_wakeups, "%llu timers in half a second",
		 b.nr_timer_wakeups - a.nr_timer_wakeups);
	set_attr(12, GPREEMPT_DETECT_POLL);
	a = stats(gpu.id);
	gt_sleep_us(500000);
	b = stats(gpu.id);
	GT_CHECK(b.nr_timer_wakeups > a.nr_timer_wakeups + 10, "polling is not seen");
	sched_unload();
}

static int by_hand(uint32_t gpu_id, pid_t pid, bool out, uint32_t lease_ms)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	struct gpreempt_ioc_ref ref = { .pidfd = pidfd, .queue_id = GPREEMPT_ABI_QUEUE_ALL,
					.gpu_id = gpu_id };
	struct gpreempt_ioc_switch arg = { .size = sizeof(arg), .gpu_id = gpu_id,
					   .refs = (uintptr_t)&ref, .nr_out = out, .nr_in = !out,
					   .lease_ms = out ? lease_ms : 0 };
	int r = ioctl(dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : ref.result;

	close(pidfd);
	return r;
}

static void leases_end(void)
{
	struct offline o;
	struct gt_gpu gpu;

	sched_load("");
	gt_gpu_open(&gpu, 0);
	offline_start(&o, &endless);
	GT_CHECK(!by_hand(gpu.id, o.pid, true, 300), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	gt_sleep_us(100000);
	GT_CHECK(!gt_stat(0, "waves"), "it came back before the lease ended");
	wait_waves(true, 3000);
	/* By hand again, and back by hand. */
	GT_CHECK(!by_hand(gpu.id, o.pid, true, 60000), "preempt");
	GT_CHECK(!by_hand(gpu.id, o.pid, false, 0), "resume");
	wait_waves(true, 3000);
	/* And by closing the file. */
	GT_CHECK(!by_hand(gpu.id, o.pid, true, 60000), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	close(dev);
	wait_waves(true, 3000);
	dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	GT_CHECK(dev >= 0, "open");
	offline_kill(&o);
	offline_gone();
	sched_unload();
}

static void unloading_resumes(void)
{
	struct offline o;
	struct gt_gpu gpu;
	int held;

	sched_load("");
	gt_gpu_open(&gpu, 0);
	offline_start(&o, &second);
	GT_CHECK(!by_hand(gpu.id, o.pid, true, 60000), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	held = dev;
	dev = -1;
	close(held);
	sched_unload();
	offline_wait(&o);
}

#define VICTIMS 8

/* Any number of victims, one cycle. */
static void one_switch_is_one_cycle(void)
{
	struct gpreempt_ioc_stats s;
	struct offline o[VICTIMS];
	uint64_t before, after;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	sched_load("");
	set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	for (i = 0; i < VICTIMS; i++)
		offline_start(&o[i], &endless);
	gt_sleep_us(100000);
	s = stats(gpu.id);
	before = gt_stat(0, "unmaps");
	GT_CHECK(!online_once(&k, &q, 3000), "not served");
	after = gt_stat(0, "unmaps");
	gt_note("%d victims: %lu cycles for %llu switches", VICTIMS, after - before,
		stats(gpu.id).nr_switches - s.nr_switches);
	GT_CHECK(after - before == stats(gpu.id).nr_switches - s.nr_switches,
		 "%lu cycles", after - before);
	for (i = 0; i < VICTIMS; i++)
		offline_kill(&o[i]);
	offline_gone();
	sched_unload();
}

static void nonsense_is_refused(void)
{
	struct gpreempt_ioc_attr attr = { .size = sizeof(attr), .pidfd = -1 };
	struct gpreempt_ioc_trigger trigger = { .size = sizeof(trigger), .pidfd = -1 };
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct {
		struct gpreempt_ioc_caps caps;
		uint64_t more;
	} large = { .caps.size = sizeof(large) };

	sched_load("");
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_CAPS, NULL) && errno == EFAULT, "no argument");
	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_CAPS, &large), "a longer struct of zeros");
	large.more = 1;
	large.caps = (struct gpreempt_ioc_caps){ .size = sizeof(large) };
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_CAPS, &large) && errno == E2BIG, "a longer struct");
	caps.reserved = 1;
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_CAPS, &caps) && errno == EINVAL, "reserved");
	attr.valid = 1u << 31;
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_SET_ATTR, &attr) && errno == EINVAL, "unknown flag");
	attr.valid = GPREEMPT_ATTR_F_PRIO;
	attr.prio = 16;
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_SET_ATTR, &attr) && errno == EINVAL, "priority 16");
	attr.prio = 5;
	attr.pidfd = dev;
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_SET_ATTR, &attr) && errno == EBADF, "not a pidfd");
	trigger.gpu_id = 12345;
	GT_CHECK(ioctl(dev, GPREEMPT_IOC_TRIGGER, &trigger) && errno == ENODEV, "no such node");
	GT_CHECK(ioctl(dev, _IO(GPREEMPT_IOC_MAGIC, 99)) && errno == ENOTTY, "no such call");
	sched_unload();
}

static const struct gt_case cases[] = {
	{ "module_comes_and_goes", module_comes_and_goes, TINY, 60 },
	{ "nonsense_is_refused", nonsense_is_refused, TINY, 60 },
	{ "online_is_served_by_polling", online_is_served_by_polling, TINY, 60 },
	{ "online_is_served_by_its_doorbell", online_is_served_by_its_doorbell, TINY, 60 },
	{ "switched_off_online_waits", switched_off_online_waits, TINY, 60 },
	{ "what_was_preempted_ends_right", what_was_preempted_ends_right, TINY, 60 },
	{ "what_was_preempted_is_verified", what_was_preempted_is_verified, TINY, 60 },
	{ "nothing_happens_without_timers", nothing_happens_without_timers, TINY, 60 },
	{ "leases_end", leases_end, TINY, 60 },
	{ "unloading_resumes", unloading_resumes, TINY, 60 },
	{ "one_switch_is_one_cycle", one_switch_is_one_cycle, TINY, 60 },
	{ "what_was_preempted_on_8_xccs_is_verified", what_was_preempted_is_verified, XCC8, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
