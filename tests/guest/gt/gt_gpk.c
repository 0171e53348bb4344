// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_gpk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULE "/lib/modules/gpreempt.ko"
#define MAX_QUEUES 256
#define MAX_REFS 128

int gt_gpk_dev = -1;

void gt_gpk_set_param(const char *name, uint64_t value)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_PARAM,
					 .value = value };

	strncpy(p.param, name, sizeof(p.param) - 1);
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &p), "%s: %s", name,
		 strerror(errno));
}

void gt_gpk_set_enabled(bool enabled)
{
	struct gpreempt_ioc_policy p = { .size = sizeof(p), .valid = GPREEMPT_POLICY_F_ENABLED,
					 .enabled = enabled };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &p), "switch: %s",
		 strerror(errno));
}

void gt_gpk_close(void)
{
	if (gt_gpk_dev >= 0)
		close(gt_gpk_dev);
	gt_gpk_dev = -1;
}

void gt_gpk_reopen(void)
{
	gt_gpk_close();
	gt_gpk_dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	GT_CHECK(gt_gpk_dev >= 0, "open: %s", strerror(errno));
}

int gt_gpk_events_open(void)
{
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct gpreempt_abi_event events[GT_GPK_EVENTS];

	GT_CHECK(fd >= 0, "open: %s", strerror(errno));
	GT_CHECK(!gt_gpk_events(fd, events), "an early event");
	return fd;
}

size_t gt_gpk_events(int fd, struct gpreempt_abi_event *events)
{
	ssize_t n = read(fd, events, GT_GPK_EVENTS * sizeof(*events));

	GT_CHECK(n >= 0 || errno == EAGAIN, "read: %s", strerror(errno));
	GT_CHECK(n < 0 || !(n % (ssize_t)sizeof(*events)), "%zd bytes", n);
	return n < 0 ? 0 : (size_t)n / sizeof(*events);
}

void gt_gpk_unload(void)
{
	int tries;

	gt_gpk_close();
	for (tries = 0; tries < 250; tries++) {
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

void gt_gpk_load(const char *params)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "%s", MODULE);
	/* What a case that failed left behind. */
	gt_gpk_unload();
	GT_CHECK(!syscall(SYS_finit_module, fd, params, 0), "load: %s", strerror(errno));
	close(fd);
	gt_gpk_reopen();
	if (gt_argument("racy", 0))
		gt_gpk_module_param("gpreempt", "racy", 1);
	/* Emulated processors take their time: a slow switch is not a hang. */
	gt_gpk_set_param("deadline_ns", 2000000000);
}

uint32_t gt_gpk_gpu_id(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps), "caps: %s", strerror(errno));
	return caps.gpu_ids[0];
}

void gt_gpk_module_param(const char *module, const char *name, unsigned int value)
{
	char path[128];
	int r;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	r = gt_write_file(path, "%u", value);
	GT_CHECK(!r, "%s: %s", path, strerror(-r));
}

void gt_gpk_set_attr(uint32_t prio, int detect)
{
	struct gpreempt_ioc_attr arg = {
		.size = sizeof(arg), .pidfd = -1, .valid = GPREEMPT_ATTR_F_PRIO, .prio = prio,
	};

	if (detect >= 0) {
		arg.valid |= GPREEMPT_ATTR_F_DETECT;
		arg.detect = detect;
	}
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg), "attributes: %s",
		 strerror(errno));
}

struct gpreempt_ioc_stats gt_gpk_stats(uint32_t gpu_id)
{
	struct gpreempt_ioc_stats s = { .size = sizeof(s), .gpu_id = gpu_id };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_STATS, &s), "statistics: %s",
		 strerror(errno));
	return s;
}

/* Closes the processes of @refs. Return: 0 or the -errno of the call or of any of them. */
static int order(uint32_t gpu_id, struct gpreempt_ioc_ref *refs, uint32_t nr_out, uint32_t nr_in,
		 uint32_t lease_ms, uint32_t grace)
{
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg),
		.gpu_id = gpu_id,
		.refs = (uintptr_t)refs,
		.nr_out = nr_out,
		.nr_in = nr_in,
		.lease_ms = nr_out ? lease_ms : 0,
		.grace = grace,
		.ref_size = sizeof(*refs),
	};
	int r = ioctl(gt_gpk_dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : 0;
	uint32_t i;

	for (i = 0; i < nr_out + nr_in; i++) {
		close(refs[i].pidfd);
		if (!r)
			r = refs[i].result;
	}
	return r;
}

static struct gpreempt_ioc_ref ref_of(uint32_t gpu_id, pid_t pid, uint32_t queue_id)
{
	return (struct gpreempt_ioc_ref){
		.pidfd = syscall(SYS_pidfd_open, pid, 0),
		.queue_id = queue_id,
		.gpu_id = gpu_id,
	};
}

int gt_gpk_switch(uint32_t gpu_id, const pid_t *pids, uint32_t nr_out, uint32_t nr_in,
		  uint32_t lease_ms, uint32_t grace)
{
	struct gpreempt_ioc_ref refs[MAX_REFS];
	uint32_t i;

	GT_CHECK(nr_out + nr_in <= MAX_REFS, "%u processes", nr_out + nr_in);
	for (i = 0; i < nr_out + nr_in; i++)
		refs[i] = ref_of(gpu_id, pids[i], GPREEMPT_ABI_QUEUE_ALL);
	return order(gpu_id, refs, nr_out, nr_in, lease_ms, grace);
}

int gt_gpk_hold(uint32_t gpu_id, pid_t pid, uint32_t queue_id, uint32_t lease_ms)
{
	struct gpreempt_ioc_ref ref = ref_of(gpu_id, pid, queue_id);

	return order(gpu_id, &ref, 1, 0, lease_ms, 0);
}

int gt_gpk_release(uint32_t gpu_id, pid_t pid, uint32_t queue_id)
{
	struct gpreempt_ioc_ref ref = ref_of(gpu_id, pid, queue_id);

	return order(gpu_id, &ref, 0, 1, 0, 0);
}

static unsigned int list(struct gpreempt_ioc_queue *queues)
{
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .queues = (uintptr_t)queues, .nr = MAX_QUEUES,
		.entry_size = sizeof(*queues),
	};

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &arg), "list: %s", strerror(errno));
	GT_CHECK(arg.nr <= MAX_QUEUES, "%u queues", arg.nr);
	return arg.nr;
}

struct gpreempt_ioc_queue gt_gpk_queue(pid_t pid, uint32_t queue_id)
{
	struct gpreempt_ioc_queue queues[MAX_QUEUES];
	unsigned int i, nr = list(queues);

	for (i = 0; i < nr; i++)
		if (queues[i].pid == pid && queues[i].queue_id == queue_id)
			return queues[i];
	gt_fail("queue %u of %d is not listed", queue_id, pid);
}

uint32_t gt_gpk_flags(pid_t pid, uint32_t queue_id)
{
	return gt_gpk_queue(pid, queue_id).flags;
}

unsigned int gt_gpk_count(pid_t pid)
{
	struct gpreempt_ioc_queue queues[MAX_QUEUES];
	unsigned int i, found = 0, nr = list(queues);

	for (i = 0; i < nr; i++)
		found += !pid || queues[i].pid == pid;
	return found;
}

static unsigned int count_busy(void)
{
	struct gpreempt_ioc_queue queues[MAX_QUEUES];
	unsigned int i, found = 0, nr = list(queues);

	for (i = 0; i < nr; i++)
		found += !!(queues[i].flags & GPREEMPT_QUEUE_F_BUSY);
	return found;
}

void gt_gpk_wait_busy(unsigned int nr, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (count_busy() != nr) {
		GT_CHECK(gt_now_ns() < end, "%u queues have work, not %u", count_busy(), nr);
		gt_sleep_us(1000);
	}
}

/* What the only node is doing, for the message of a case that failed. */
static void show_node(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct gpreempt_ioc_stats s;

	if (gt_gpk_dev < 0 || ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps) || !caps.nr_nodes)
		return;
	s = gt_gpk_stats(caps.gpu_ids[0]);
	gt_note("breaker %u, reason %u, entities %u, out %u, switches %llu, preemptions %llu, "
		"resumes %llu, failed %llu, deadlines %llu, mapped %lu",
		s.breaker, s.breaker_reason, s.nr_entities, s.nr_out, s.nr_switches,
		s.nr_preemptions, s.nr_resumes, s.nr_failed, s.nr_deadline, gt_stat(0, "mapped"));
}

void gt_gpk_wait_waves(uint32_t nr, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (gt_stat(0, "waves") < nr) {
		if (gt_now_ns() >= end)
			show_node();
		GT_CHECK(gt_now_ns() < end, "%lu waves of %u", gt_stat(0, "waves"), nr);
		gt_sleep_us(1000);
	}
}

void gt_gpk_wait_empty(unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (gt_stat(0, "waves")) {
		GT_CHECK(gt_now_ns() < end, "%lu waves", gt_stat(0, "waves"));
		gt_sleep_us(1000);
	}
}

void gt_gpk_check_left(void)
{
	uint64_t end = gt_deadline_ns(10000);

	while (gt_count_processes() || gt_stat(0, "mapped") || gt_stat(0, "waves")) {
		GT_CHECK(gt_now_ns() < end, "left: %u processes, %lu queues, %lu waves",
			 gt_count_processes(), gt_stat(0, "mapped"), gt_stat(0, "waves"));
		gt_sleep_us(5000);
	}
	if (gt_gpk_dev >= 0)
		GT_CHECK(!gt_gpk_count(0), "%u queues are listed", gt_gpk_count(0));
}
