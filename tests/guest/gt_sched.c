// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt_sched.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int gt_sched_by_hand(uint32_t gpu_id, pid_t pid, bool out, uint32_t lease_ms)
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

void gt_sched_wait_waves(uint32_t nr, unsigned int ms)
{
	uint64_t end = gt_now_ns() + ms * 1000000ull;

	while (gt_stat(0, "waves") < nr) {
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

int gt_online_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms)
{
	int r;

	gt_kernel_launch(k, q);
	r = gt_kernel_wait(k, ms);
	if (!r)
		GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	return r;
}
