// SPDX-License-Identifier: MIT
/*
 * Discovery on the real driver: the values must be those that were asked for when the
 * queues were made. tests/unit/mechanism has the same on files that came from here.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/discover.h"
#include "driver/kfd.h"
#include "driver/system.h"

#define NOBODY 65534

static void expect(const struct gpreempt_value *v, enum gpreempt_source source, uint64_t value,
		   const char *what)
{
	GT_CHECK(v->source == source && v->value == value, "%s: %lx from %u, not %lx from %u",
		 what, v->value, v->source, value, source);
}

#define EXPECT(q, member, source, value) expect(&(q)->member, source, (uint64_t)(value), #member)
#define EXPECT_UNKNOWN(q, member) EXPECT(q, member, GPREEMPT_SOURCE_UNKNOWN, 0)

static void expect_queue(const struct gpreempt_queue *q, const struct gt_queue *real,
			 enum gpreempt_source addresses, enum gpreempt_source prio)
{
	GT_CHECK(q->pid == (uint32_t)getpid() && q->queue_id == real->id &&
		 q->gpu_id == real->gpu->id, "pid %u, queue %u, GPU %u", q->pid, q->queue_id,
		 q->gpu_id);
	EXPECT(q, ring_addr, addresses, (uintptr_t)real->ring);
	EXPECT(q, rptr_addr, addresses, (uintptr_t)real->rptr);
	EXPECT(q, wptr_addr, addresses, (uintptr_t)real->wptr);
	EXPECT(q, prio, prio, real->priority);
	GT_CHECK(q->ring_bytes.value == real->ring_bytes, "%lu", q->ring_bytes.value);
	GT_CHECK(q->compute.value == 1, "no compute queue");
}

static void list(struct drv_queues *out, size_t nr)
{
	int r = drv_discover_queues(NULL, out);

	GT_CHECK(!r, "%s", strerror(-r));
	GT_CHECK(out->nr == nr, "%zu queues of %zu", out->nr, nr);
}

static void on_alarm(int signal)
{
}

/*
 * On gfx942 DISABLE waits for an interrupt that event_interrupt_isr_v9_4_3() drops,
 * because it has VMID 0; a signal ends the wait and the rest is done.
 */
static void end_session(const struct gt_session *s)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	GT_CHECK(!sigaction(SIGALRM, &sa, NULL), "sigaction");
	ualarm(300000, 300000);
	GT_CHECK(!gt_debug_disable(s), "disable");
	ualarm(0, 0);
}

/* One queue: debugfs alone is enough. Two alike: it takes a snapshot. */
static void queues_are_as_they_were_made(void)
{
	struct drv_kfd_queue_entry entry[2];
	struct gt_queue q[2];
	struct drv_queues l;
	struct gt_session s;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	list(&l, 0);
	gt_queue_create(&gpu, 5, &q[0]);
	list(&l, 1);
	EXPECT_UNKNOWN(&l.queues[0], type);
	EXPECT_UNKNOWN(&l.queues[0], ring_addr);
	EXPECT(&l.queues[0], compute, GPREEMPT_SOURCE_SYSFS, 1);
	GT_CHECK(!drv_discover_add_mqds(NULL, &l), "mqds");
	expect_queue(&l.queues[0], &q[0], GPREEMPT_SOURCE_DEBUGFS, GPREEMPT_SOURCE_DEBUGFS);
	EXPECT(&l.queues[0], type, GPREEMPT_SOURCE_DEBUGFS, DRV_KFD_QUEUE_AQL);
	drv_queues_fini(&l);

	gt_queue_create_pm4(&gpu, 11, &q[1]);
	list(&l, 2);
	GT_CHECK(!drv_discover_add_mqds(NULL, &l), "mqds");
	EXPECT_UNKNOWN(&l.queues[0], prio);
	EXPECT_UNKNOWN(&l.queues[1], prio);
	GT_CHECK(drv_kfd_dbg_queues(gpu.kfd, s.pid, entry, 2, 0) == 2, "snapshot");
	GT_CHECK(!drv_discover_add_snapshot(&l, s.pid, entry, 2), "join");
	GT_CHECK(!drv_discover_add_mqds(NULL, &l), "mqds");
	expect_queue(&l.queues[0], &q[0], GPREEMPT_SOURCE_SNAPSHOT, GPREEMPT_SOURCE_DEBUGFS);
	expect_queue(&l.queues[1], &q[1], GPREEMPT_SOURCE_SNAPSHOT, GPREEMPT_SOURCE_DEBUGFS);
	EXPECT(&l.queues[1], type, GPREEMPT_SOURCE_SNAPSHOT, DRV_KFD_QUEUE_PM4);
	drv_queues_fini(&l);
	end_session(&s);
}

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

static uint64_t occupancy(const struct gt_gpu *gpu)
{
	uint64_t value;
	int r = drv_discover_occupancy(NULL, getpid(), gpu->id, &value);

	GT_CHECK(!r, "%s", strerror(-r));
	return value;
}

/* The kernel runs, but the indices are equal: it takes the occupancy to know. */
static void equal_indices_are_not_idle(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct drv_queues l;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 5, &q);
	GT_CHECK(!occupancy(&gpu), "busy before anything");
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	list(&l, 1);
	GT_CHECK(!drv_discover_add_mqds(NULL, &l), "mqds");
	drv_discover_add_pointers(NULL, &l);
	EXPECT(&l.queues[0], rptr, GPREEMPT_SOURCE_MEMORY, *q.rptr);
	EXPECT(&l.queues[0], wptr, GPREEMPT_SOURCE_MEMORY, 1);
	EXPECT_UNKNOWN(&l.queues[0], busy);
	GT_CHECK(occupancy(&gpu), "runs and fills nothing");
	/* Saved waves are not on the GPU. */
	GT_CHECK(!gt_queue_update(&q, 0), "pause");
	GT_CHECK(!occupancy(&gpu), "paused and on the GPU");
	/* Work that waits is seen. */
	gt_kernel_launch(&k, &q);
	drv_discover_add_pointers(NULL, &l);
	EXPECT(&l.queues[0], wptr, GPREEMPT_SOURCE_MEMORY, 2);
	EXPECT(&l.queues[0], busy, GPREEMPT_SOURCE_MEMORY, 1);
	drv_queues_fini(&l);
}

static void nobody_sees_sysfs_only(void)
{
	struct gt_queue q;
	struct drv_queues l;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 5, &q);
	GT_CHECK(!setuid(NOBODY), "setuid");
	list(&l, 1);
	GT_CHECK(drv_discover_add_mqds(NULL, &l) == -EACCES, "reads debugfs");
	EXPECT_UNKNOWN(&l.queues[0], prio);
	EXPECT(&l.queues[0], compute, GPREEMPT_SOURCE_SYSFS, 1);
	drv_queues_fini(&l);
}

static void node_is_the_profile(void)
{
	struct drv_node *n;
	size_t nr;

	GT_CHECK(!drv_discover_nodes(NULL, &n, &nr) && nr == 1, "nodes");
	GT_CHECK(!strcmp(n->name, "gfx942"), "%s", n->name);
	EXPECT(n, nr_xcc, GPREEMPT_SOURCE_SYSFS, 4);
	EXPECT(n, nr_cu, GPREEMPT_SOURCE_SYSFS, 80);
	GT_CHECK(n->cwsr_bytes.value && n->mec_fw.value, "CWSR, firmware");
	GT_CHECK(n->capability.value & DRV_NODE_CAP_DEBUG, "%lx", n->capability.value);
	free(n);
}

static void system_is_the_guest(void)
{
	struct drv_system s;

	drv_system_read(NULL, &s);
	GT_CHECK(!strncmp(s.kernel, "6.12.", 5), "%s", s.kernel);
	GT_CHECK(!strcmp(s.module, "kfdsim"), "%s", s.module);
	GT_CHECK(!s.kfd && !s.debugfs, "%d %d", s.kfd, s.debugfs);
	EXPECT(&s, kfd_major, GPREEMPT_SOURCE_SYSFS, KFD_IOCTL_MAJOR_VERSION);
	EXPECT(&s, kfd_minor, GPREEMPT_SOURCE_SYSFS, KFD_IOCTL_MINOR_VERSION);
	EXPECT(&s, sched_policy, GPREEMPT_SOURCE_SYSFS, DRV_SCHED_POLICY_HWS);
	EXPECT(&s, cwsr_enable, GPREEMPT_SOURCE_SYSFS, 1);
	EXPECT(&s, ptrace_scope, GPREEMPT_SOURCE_SYSFS, 0);
}

static void system_without_hws_says_so(void)
{
	struct drv_system s;

	drv_system_read(NULL, &s);
	EXPECT(&s, sched_policy, GPREEMPT_SOURCE_SYSFS, DRV_SCHED_POLICY_NO_HWS);
}

static void system_without_a_driver_says_so(void)
{
	struct drv_system s;
	struct drv_queues l;

	drv_system_read(NULL, &s);
	GT_CHECK(!s.module[0] && s.kfd == -ENOENT, "module '%s', kfd %d", s.module, s.kfd);
	EXPECT_UNKNOWN(&s, sched_policy);
	EXPECT_UNKNOWN(&s, kfd_major);
	GT_CHECK(drv_discover_queues(NULL, &l) == -ENOENT, "queues");
}

static const struct gt_case cases[] = {
	{ "system_without_a_driver_says_so", system_without_a_driver_says_so, NULL, 10 },
	{ "queues_are_as_they_were_made", queues_are_as_they_were_made, "profile=tiny", 15 },
	{ "equal_indices_are_not_idle", equal_indices_are_not_idle, "profile=tiny", 15 },
	{ "nobody_sees_sysfs_only", nobody_sees_sysfs_only, "profile=tiny", 15 },
	{ "system_is_the_guest", system_is_the_guest, "profile=tiny", 15 },
	{ "system_without_hws_says_so", system_without_hws_says_so,
	  "profile=tiny sched_policy=2", 15 },
	{ "queues_are_as_they_were_made_on_4_xccs", queues_are_as_they_were_made,
	  "profile=mi308x", 15 },
	{ "node_is_the_profile", node_is_the_profile, "profile=mi308x", 15 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
