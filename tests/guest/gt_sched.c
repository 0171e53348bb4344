// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt_sched.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWITCH_MAX 64
#define MODULE "/lib/modules/gpreempt.ko"

static int dev = -1;

int gt_sched_dev(void)
{
	return dev;
}

void gt_sched_close(void)
{
	if (dev >= 0)
		close(dev);
	dev = -1;
}

void gt_sched_reopen(void)
{
	gt_sched_close();
	dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	GT_CHECK(dev >= 0, "open: %s", strerror(errno));
}

void gt_sched_unload(void)
{
	int tries;

	gt_sched_close();
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

int gt_sched_load(const char *params)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "%s", MODULE);
	/* What a case that failed left behind. */
	gt_sched_unload();
	GT_CHECK(!syscall(SYS_finit_module, fd, params, 0), "load: %s", strerror(errno));
	close(fd);
	gt_sched_reopen();
	/* Emulated processors take their time: a slow switch is not a hang. */
	gt_sched_param("deadline_ns", 2000000000);
	return dev;
}

void gt_sched_param(const char *name, uint64_t value)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_PARAM,
					 .value = value };

	strncpy(p.param, name, sizeof(p.param) - 1);
	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_SET_POLICY, &p), "%s: %s", name, strerror(errno));
}

void gt_sched_enable(bool enabled)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_ENABLED,
					 .enabled = enabled };

	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_SET_POLICY, &p), "switch: %s", strerror(errno));
}

void gt_sched_attr(uint32_t prio, int detect)
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

struct gpreempt_ioc_stats gt_sched_stats(uint32_t gpu_id)
{
	struct gpreempt_ioc_stats s = { .size = sizeof(s), .gpu_id = gpu_id };

	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_STATS, &s), "statistics: %s", strerror(errno));
	return s;
}

int gt_sched_switch(uint32_t gpu_id, const pid_t *pids, uint32_t nr_out, uint32_t nr_in,
		    uint32_t lease_ms, uint32_t grace)
{
	struct gpreempt_ioc_ref refs[SWITCH_MAX];
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg),
		.gpu_id = gpu_id,
		.refs = (uintptr_t)refs,
		.nr_out = nr_out,
		.nr_in = nr_in,
		.lease_ms = nr_out ? lease_ms : 0,
		.grace = grace,
	};
	uint32_t i;
	int r;

	GT_CHECK(nr_out + nr_in <= SWITCH_MAX, "%u processes", nr_out + nr_in);
	for (i = 0; i < nr_out + nr_in; i++)
		refs[i] = (struct gpreempt_ioc_ref){
			.pidfd = syscall(SYS_pidfd_open, pids[i], 0),
			.queue_id = GPREEMPT_ABI_QUEUE_ALL,
			.gpu_id = gpu_id,
		};
	r = ioctl(dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : 0;
	for (i = 0; i < nr_out + nr_in; i++) {
		close(refs[i].pidfd);
		if (!r)
			r = refs[i].result;
	}
	return r;
}

int gt_sched_by_hand(uint32_t gpu_id, pid_t pid, bool out, uint32_t lease_ms)
{
	return gt_sched_switch(gpu_id, &pid, out, !out, lease_ms, 0);
}

/* What the only node is doing, for whoever finds that it does not. */
static void show_node(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct gpreempt_ioc_stats s;

	if (dev < 0 || ioctl(dev, GPREEMPT_IOC_CAPS, &caps) || !caps.nr_nodes)
		return;
	s = gt_sched_stats(caps.gpu_ids[0]);
	gt_note("breaker %u, reason %u, entities %u, out %u, switches %llu, preemptions %llu, "
		"resumes %llu, failed %llu, deadlines %llu, mapped %lu",
		s.breaker,
		s.breaker_reason, s.nr_entities, s.nr_out, s.nr_switches, s.nr_preemptions,
		s.nr_resumes, s.nr_failed, s.nr_deadline, gt_stat(0, "mapped"));
}

void gt_sched_wait_waves(uint32_t nr, unsigned int ms)
{
	uint64_t end = gt_now_ns() + ms * 1000000ull;

	while (gt_stat(0, "waves") < nr) {
		if (gt_now_ns() >= end)
			show_node();
		GT_CHECK(gt_now_ns() < end, "%lu waves of %u", gt_stat(0, "waves"), nr);
		gt_sleep_us(1000);
	}
}

void gt_sched_wait_empty(unsigned int ms)
{
	uint64_t end = gt_now_ns() + ms * 1000000ull;

	while (gt_stat(0, "waves")) {
		GT_CHECK(gt_now_ns() < end, "%lu waves", gt_stat(0, "waves"));
		gt_sleep_us(1000);
	}
}

uint32_t gt_sched_doorbell(uint32_t other)
{
	const char *path = "/sys/kernel/debug/kfdsim/0/slots";
	FILE *f = fopen(path, "re");
	uint32_t doorbell;

	GT_CHECK(f, "%s: %s", path, strerror(errno));
	while (fscanf(f, "slot %*u doorbell %u ring %*x pasid %*x vmid %*u waves %*u\n",
		      &doorbell) == 1)
		if (doorbell != other) {
			fclose(f);
			return doorbell;
		}
	gt_fail("no other queue has a slot");
}

int gt_online_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms)
{
	int r;

	gt_kernel_launch(k, q);
	r = gt_kernel_wait(k, ms);
	if (!r)
		GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	return r;
}
