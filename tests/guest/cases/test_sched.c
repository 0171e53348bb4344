// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko over the patched amdkfd: an urgent queue gets the GPU at once, one that was
 * stopped goes on where it was, and nothing stays stopped without a reason.
 *
 * Variant: hooks
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SERVED_MS 10000
#define GONE_MS 10000

static void module_comes_and_goes(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct gt_gpu gpu;
	int i;

	for (i = 0; i < 5; i++) {
		gt_gpk_load("");
		GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps), "caps: %s",
			 strerror(errno));
		GT_CHECK(caps.nr_nodes == 1, "%u nodes", caps.nr_nodes);
		gt_gpk_unload();
	}
	gt_gpu_open(&gpu, 0);
	GT_CHECK(caps.gpu_ids[0] == gpu.id, "gpu_id %u", caps.gpu_ids[0]);
}

static void online_is_served(int detect)
{
	struct gpreempt_ioc_stats s;
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	gt_gpk_load("");
	gt_offline_start(&o, &gt_endless);
	gt_gpk_set_attr(12, detect);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	for (i = 0; i < 20; i++) {
		GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "request %d was not served", i);
		gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	}
	s = gt_gpk_stats(gpu.id);
	GT_CHECK(s.nr_preemptions >= 10, "%llu preemptions", s.nr_preemptions);
	gt_note("%llu preemptions, %llu resumes, %llu faults; switch p50 %llu us, "
		"detection p50 %llu us",
		s.nr_preemptions, s.nr_resumes, s.nr_faults, s.switch_p50_ns / 1000,
		s.detect_p50_ns / 1000);
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
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
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	gt_offline_start(&o, &gt_endless);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_POLL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	/* A new queue is a new runlist: what ran comes back, and must have done so. */
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	GT_CHECK(gt_online_once(&k, &q, 1000) == -ETIMEDOUT, "it was served all the same");
	gt_gpk_set_enabled(true);
	GT_CHECK(!gt_kernel_wait(&k, SERVED_MS), "switched on it is not served");
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
}

/*
 * Firmware that needs 60 ms to take a queue off and 30 ms to bring one back: meanwhile the
 * request's packet is consumed and no wave of it is to be seen. Return: of one not served.
 */
static int serve_slowly(const char *params)
{
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i, r = 0;

	gt_gpk_load(params);
	gt_offline_start(&o, &gt_endless);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	gt_fault(0, "slow 30000");
	for (i = 0; i < 5 && !r; i++) {
		gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
		r = gt_online_once(&k, &q, 3000);
	}
	gt_fault(0, "clear");
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
	return r;
}

static void slow_hardware_is_not_idle(void)
{
	GT_CHECK(!serve_slowly(""), "a request was given up");
}

/* Control: looking neither at signals nor for waves, it takes what it does not see for idle. */
static void without_signals_it_is_taken_for_idle(void)
{
	GT_CHECK(serve_slowly("fault=6") == -ETIMEDOUT, "looking at signals is not needed");
}

#define PREEMPTIONS 20

/* As often as that, however many requests it takes: some find the GPU free. */
static void what_was_preempted(const char *params)
{
	uint64_t end = gt_deadline_ns(40000);
	struct gpreempt_ioc_stats s;
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t nr = 0;

	gt_gpk_load(params);
	gt_offline_start(&o, &gt_third);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	do {
		GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "request %u was not served", nr);
		gt_sleep_us(10000);
		nr++;
		s = gt_gpk_stats(gpu.id);
		GT_CHECK(!s.nr_failed, "%llu failed", s.nr_failed);
		GT_CHECK(gt_now_ns() < end, "%llu preemptions", s.nr_preemptions);
	} while (s.nr_preemptions < PREEMPTIONS);
	gt_note("%u requests, %llu preemptions, %llu resumes, saves %lu, restores %lu, %u kernels",
		nr, s.nr_preemptions, s.nr_resumes, gt_stat(0, "saves"), gt_stat(0, "restores"),
		gt_offline_finish(&o, SERVED_MS));
	gt_gpk_unload();
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

	gt_gpk_load("");
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "not served");
	gt_sleep_us(300000);
	a = gt_gpk_stats(gpu.id);
	gt_sleep_us(500000);
	b = gt_gpk_stats(gpu.id);
	GT_CHECK(b.nr_timer_wakeups == a.nr_timer_wakeups, "%llu timers in half a second",
		 b.nr_timer_wakeups - a.nr_timer_wakeups);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_POLL);
	a = gt_gpk_stats(gpu.id);
	gt_sleep_us(500000);
	b = gt_gpk_stats(gpu.id);
	GT_CHECK(b.nr_timer_wakeups > a.nr_timer_wakeups + 10, "polling is not seen");
	gt_gpk_unload();
}

/* Until @until_ns nothing of it may be on the GPU; when it is, that time must have come. */
static void check_lease(uint64_t until_ns)
{
	uint64_t end = until_ns + SERVED_MS * 1000000ull;
	uint64_t waves, now;

	do {
		waves = gt_stat(0, "waves");
		now = gt_now_ns();
		GT_CHECK(!waves || now >= until_ns, "it came back before the lease ended");
		GT_CHECK(now < end, "the lease does not end");
		gt_sleep_us(1000);
	} while (!waves);
}

static void leases_end(void)
{
	struct gt_offline o;
	struct gt_gpu gpu;
	uint64_t start;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_offline_start(&o, &gt_endless);
	start = gt_now_ns();
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 500), "preempt");
	check_lease(start + 500 * 1000000ull);
	/* By hand again, and back by hand. */
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	GT_CHECK(!gt_gpk_release(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL), "resume");
	gt_gpk_wait_waves(1, SERVED_MS);
	/* And by closing the file. */
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	gt_gpk_close();
	gt_gpk_wait_waves(1, SERVED_MS);
	gt_gpk_reopen();
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
}

/* A monitor that is asked all the time still tells amdkfd that it lives. */
static void questions_do_not_end_a_hold(void)
{
	struct gt_offline o;
	struct gt_gpu gpu;
	uint64_t end;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_offline_start(&o, &gt_endless);
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	for (end = gt_now_ns() + 5 * 1000000000ull; gt_now_ns() < end; gt_sleep_us(20000)) {
		gt_gpk_stats(gpu.id);
		GT_CHECK(!gt_stat(0, "waves"), "it is on the GPU again");
	}
	GT_CHECK(!gt_gpk_release(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL), "resume");
	gt_gpk_wait_waves(1, SERVED_MS);
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
}

/* A queue once held by hand is a victim like any other afterwards: its kernel still runs. */
static void a_hold_is_forgotten_when_it_ends(void)
{
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	gt_offline_start(&o, &gt_endless);
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	/* Until the monitor has looked at it. */
	gt_sleep_us(100000);
	GT_CHECK(!gt_gpk_release(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL), "resume");
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "no room is made");
	gt_offline_kill(&o);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
}

static void unloading_resumes(void)
{
	struct gt_offline o;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_offline_start(&o, &gt_third);
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	GT_CHECK(!gt_stat(0, "waves"), "waves are left");
	gt_gpk_unload();
	gt_offline_finish(&o, SERVED_MS);
}

#define VICTIMS 8

static struct gpreempt_ioc_stats wait_preemptions(uint32_t gpu_id, uint64_t nr)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);
	struct gpreempt_ioc_stats s;

	for (;;) {
		s = gt_gpk_stats(gpu_id);
		if (s.nr_preemptions >= nr)
			return s;
		GT_CHECK(gt_now_ns() < end, "%llu preemptions of %lu", s.nr_preemptions, nr);
		gt_sleep_us(1000);
	}
}

/* Any number of victims, one cycle. */
static void one_switch_is_one_cycle(void)
{
	struct gpreempt_ioc_stats before, after;
	struct gt_offline o[VICTIMS];
	uint64_t cycles;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	gt_gpk_load("");
	/* Nothing comes back while cycles are counted. */
	gt_gpk_set_param("learn_gaps", 0);
	gt_gpk_set_param("hysteresis_ns", 10000000000);
	gt_gpk_set_param("max_wait_ns", 60000000000);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	/* Long enough to be found while it runs, if it should get in before a victim is back. */
	gt_kernel_create(&gpu, &gt_third, &k);
	for (i = 0; i < VICTIMS; i++)
		gt_offline_start(&o[i], &gt_endless);
	/* A queue that is not known to have work yet leaves in a switch of its own. */
	gt_gpk_wait_busy(VICTIMS, SERVED_MS);
	before = gt_gpk_stats(gpu.id);
	cycles = gt_stat(0, "unmaps");
	GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "not served");
	cycles = gt_stat(0, "unmaps") - cycles;
	/* It may be served before the scheduler has counted what it did for that. */
	after = wait_preemptions(gpu.id, before.nr_preemptions + 1);
	GT_CHECK(after.nr_preemptions - before.nr_preemptions == VICTIMS, "%llu victims",
		 after.nr_preemptions - before.nr_preemptions);
	GT_CHECK(cycles == 1 && after.nr_switches - before.nr_switches == 1,
		 "%lu cycles for %llu switches", cycles, after.nr_switches - before.nr_switches);
	for (i = 0; i < VICTIMS; i++)
		gt_offline_kill(&o[i]);
	gt_gpk_wait_empty(GONE_MS);
	gt_gpk_unload();
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
	int dev;

	gt_gpk_load("");
	dev = gt_gpk_dev;
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
	gt_gpk_unload();
}

static uint64_t param_of(uint32_t gpu_id, const char *name)
{
	struct gpreempt_ioc_policy arg = { .size = sizeof(arg), .gpu_id = gpu_id };

	strncpy(arg.param, name, sizeof(arg.param) - 1);
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_GET_POLICY, &arg), "%s: %s", name,
		 strerror(errno));
	return arg.value;
}

/* A change of all nodes of which a part cannot be made is not made at all. */
static void policies_change_together(void)
{
	struct gpreempt_ioc_policy arg = {
		.size = sizeof(arg), .valid = GPREEMPT_POLICY_F_PARAM | GPREEMPT_POLICY_F_POLICY,
		.param = "deadline_ns", .value = 777000000, .policy = "nonsense",
	};
	uint32_t gpu_id;

	gt_gpk_load("");
	gpu_id = gt_gpk_gpu_id();
	GT_CHECK(ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &arg) && errno == ENOENT, "%s",
		 strerror(errno));
	GT_CHECK(param_of(gpu_id, "deadline_ns") != 777000000, "half of it was made");
	strcpy(arg.policy, "fair");
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &arg), "%s", strerror(errno));
	GT_CHECK(param_of(gpu_id, "deadline_ns") == 777000000, "it was not made");
	gt_gpk_unload();
}

/* A program of tomorrow: its references and entries are longer than the module's. */
struct long_ref {
	struct gpreempt_ioc_ref ref;
	uint64_t more;
};

struct long_entry {
	struct gpreempt_ioc_queue queue;
	uint64_t more;
};

static int switch_long(struct long_ref *refs, uint32_t gpu_id, uint32_t ref_size)
{
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .refs = (uintptr_t)refs, .nr_out = 2,
		.lease_ms = 1000, .ref_size = ref_size,
	};

	return ioctl(gt_gpk_dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : 0;
}

static void references_can_grow(uint32_t gpu_id)
{
	struct long_ref refs[2] = { { .ref.queue_id = 77 }, { .ref.queue_id = 0 } };
	int i;

	for (i = 0; i < 2; i++) {
		refs[i].ref.pidfd = -1;
		refs[i].ref.gpu_id = gpu_id;
	}
	GT_CHECK(!switch_long(refs, gpu_id, sizeof(refs[0])), "longer references");
	GT_CHECK(refs[0].ref.result == -ESRCH && !refs[1].ref.result, "results %d and %d",
		 refs[0].ref.result, refs[1].ref.result);
	refs[1].more = 1;
	GT_CHECK(switch_long(refs, gpu_id, sizeof(refs[0])) == -E2BIG, "surplus that says more");
	refs[1].more = 0;
	GT_CHECK(switch_long(refs, gpu_id, sizeof(refs[0].ref) - 4) == -EINVAL, "too short");
	GT_CHECK(switch_long(refs, gpu_id, 4096) == -EINVAL, "too long");
}

static void entries_can_grow(uint32_t gpu_id)
{
	struct long_entry entries[2];
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .queues = (uintptr_t)entries, .nr = 2,
		.entry_size = sizeof(entries[0]),
	};

	memset(entries, 0xff, sizeof(entries));
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &arg) && arg.nr == 2, "%u entries", arg.nr);
	GT_CHECK(!entries[0].more && !entries[1].more, "what is not known is not zero");
	GT_CHECK(entries[0].queue.pid == getpid() && entries[1].queue.pid == getpid(), "of whom");
	GT_CHECK(entries[0].queue.queue_id != entries[1].queue.queue_id, "the same twice");
}

static void events_have_a_size(uint32_t gpu_id)
{
	int dev = gt_gpk_events_open();
	struct gpreempt_abi_event events[8];
	ssize_t n;

	GT_CHECK(!gt_gpk_hold(gpu_id, getpid(), 0, 1), "hold");
	gt_sleep_us(200000);
	n = read(dev, events, sizeof(events) - 1);
	GT_CHECK(n > 0 && !(n % (ssize_t)sizeof(events[0])), "%zd bytes", n);
	GT_CHECK(events[0].size == sizeof(events[0]) && !events[0].reserved, "size %u",
		 events[0].size);
	/* There may be more in one some day. */
	GT_CHECK(read(dev, events, GPREEMPT_ABI_READ_MIN - 1) < 0 && errno == EINVAL, "too little");
	close(dev);
}

static void arrays_can_grow(void)
{
	struct gt_queue q[2];
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q[0]);
	gt_queue_create(&gpu, 7, &q[1]);
	entries_can_grow(gpu.id);
	references_can_grow(gpu.id);
	events_have_a_size(gpu.id);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "module_comes_and_goes", module_comes_and_goes, GT_TINY, 60 },
	{ "nonsense_is_refused", nonsense_is_refused, GT_TINY, 60 },
	{ "arrays_can_grow", arrays_can_grow, GT_TINY, 60 },
	{ "policies_change_together", policies_change_together, GT_TINY, 60 },
	{ "online_is_served_by_polling", online_is_served_by_polling, GT_TINY, 60 },
	{ "online_is_served_by_its_doorbell", online_is_served_by_its_doorbell, GT_TINY, 60 },
	{ "switched_off_online_waits", switched_off_online_waits, GT_TINY, 60 },
	{ "what_was_preempted_ends_right", what_was_preempted_ends_right, GT_TINY, 60 },
	{ "what_was_preempted_is_verified", what_was_preempted_is_verified, GT_TINY, 60 },
	{ "slow_hardware_is_not_idle", slow_hardware_is_not_idle, GT_TINY, 60 },
	{ "without_signals_it_is_taken_for_idle", without_signals_it_is_taken_for_idle,
	  GT_TINY, 60 },
	{ "nothing_happens_without_timers", nothing_happens_without_timers, GT_TINY, 60 },
	{ "leases_end", leases_end, GT_TINY, 60 },
	{ "questions_do_not_end_a_hold", questions_do_not_end_a_hold, GT_TINY, 60 },
	{ "a_hold_is_forgotten_when_it_ends", a_hold_is_forgotten_when_it_ends, GT_TINY, 60 },
	{ "unloading_resumes", unloading_resumes, GT_TINY, 60 },
	{ "one_switch_is_one_cycle", one_switch_is_one_cycle, GT_TINY, 60 },
	{ "what_was_preempted_on_8_xccs_is_verified", what_was_preempted_is_verified,
	  GT_XCC8, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
