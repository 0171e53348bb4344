// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "driver/module.h"
#include "driver/kfd_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than came between two calls. */
#define LIST_SPARE 32
#define LIST_TRIES 8

/* Events that are taken with one call. */
#define READ_BYTES 4096

static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret && errno == EINTR);
	return ret ? -errno : 0;
}

int drv_module_open(void)
{
	struct gpreempt_ioc_caps caps;
	int fd = open(DRV_MODULE_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return errno == ENXIO || errno == ENODEV ? -ENOENT : -errno;
	ret = drv_module_caps(fd, &caps);
	if (!ret && caps.version != GPREEMPT_ABI_VERSION)
		ret = -EPROTO;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int drv_module_caps(int fd, struct gpreempt_ioc_caps *caps)
{
	*caps = (struct gpreempt_ioc_caps){ .size = sizeof(*caps) };
	return call(fd, GPREEMPT_IOC_CAPS, caps);
}

int drv_module_list(int fd, struct gpreempt_ioc_queue **queues, size_t *nr)
{
	struct gpreempt_ioc_list arg = { .size = sizeof(arg), .entry_size = sizeof(**queues) };
	struct gpreempt_ioc_queue *list = NULL;
	int tries;
	int ret;

	for (tries = 0; tries < LIST_TRIES; tries++) {
		uint32_t room = arg.nr + LIST_SPARE;

		free(list);
		list = calloc(room, sizeof(*list));
		if (!list)
			return -ENOMEM;
		arg.queues = (uintptr_t)list;
		arg.nr = room;
		ret = call(fd, GPREEMPT_IOC_LIST, &arg);
		if (ret) {
			free(list);
			return ret;
		}
		if (arg.nr <= room) {
			*queues = list;
			*nr = arg.nr;
			return 0;
		}
	}
	free(list);
	return -EAGAIN;
}

static void say(struct gpreempt_value *v, bool is_known, uint64_t value)
{
	if (is_known)
		*v = (struct gpreempt_value){ .value = value, .source = GPREEMPT_SOURCE_KERNEL };
}

void drv_module_describe(const struct gpreempt_ioc_queue *k, struct gpreempt_queue *q)
{
	bool is_aql = k->flags & GPREEMPT_QUEUE_F_AQL;

	say(&q->type, true, is_aql ? DRV_KFD_QUEUE_AQL : DRV_KFD_QUEUE_PM4);
	say(&q->compute, true, 1);
	say(&q->busy, true, !!(k->flags & GPREEMPT_QUEUE_F_BUSY));
	say(&q->ring_bytes, k->ring_bytes, k->ring_bytes);
	say(&q->rptr_addr, k->rptr_addr, k->rptr_addr);
	say(&q->wptr_addr, k->wptr_addr, k->wptr_addr);
	if (k->flags & GPREEMPT_QUEUE_F_SCHED)
		q->held |= GPREEMPT_HELD_SCHED;
	if (k->flags & GPREEMPT_QUEUE_F_MANUAL)
		q->held |= GPREEMPT_HELD_MANUAL;
}

int drv_module_pidfd(pid_t pid)
{
	long fd = pid > 0 ? syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd >= 0)
		return (int)fd;
	/* A number that is no process, or a thread's. */
	return pid <= 0 || errno == EINVAL ? -ESRCH : -errno;
}

int drv_module_get_attr(int fd, int pidfd, struct gp_attr *attr, u64 *group)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = pidfd };
	int ret = call(fd, GPREEMPT_IOC_GET_ATTR, &arg);

	if (ret)
		return ret;
#define X(name, text, member, ...) attr->member = (__typeof__(attr->member))arg.member;
	GP_ATTRS(X)
#undef X
	*group = arg.group;
	return 0;
}

int drv_module_set_attr(int fd, int pidfd, const struct gp_attr *attr, u64 group, u32 valid,
			u32 flags)
{
	struct gpreempt_ioc_attr arg = {
		.size = sizeof(arg), .pidfd = pidfd, .flags = flags, .valid = valid, .group = group,
	};

#define X(name, text, member, ...) arg.member = attr->member;
	GP_ATTRS(X)
#undef X
	return valid ? call(fd, GPREEMPT_IOC_SET_ATTR, &arg) : 0;
}

int drv_module_switch(int fd, struct gpreempt_ioc_ref *refs, uint32_t nr, uint32_t lease_ms)
{
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg),
		.gpu_id = refs[0].gpu_id,
		.refs = (uintptr_t)refs,
		.nr_out = lease_ms ? nr : 0,
		.nr_in = lease_ms ? 0 : nr,
		.lease_ms = lease_ms,
		.ref_size = sizeof(*refs),
	};
	uint32_t i;

	for (i = 0; i < nr; i++)
		refs[i].result = 0;
	return call(fd, GPREEMPT_IOC_SWITCH, &arg);
}

int drv_module_hold(int fd, const struct gpreempt_ioc_ref *ref, uint32_t lease_ms)
{
	struct gpreempt_ioc_ref copy = *ref;
	int ret = drv_module_switch(fd, &copy, 1, lease_ms);

	return ret ? ret : copy.result;
}

int drv_module_release(int fd, const struct gpreempt_ioc_ref *ref)
{
	return drv_module_hold(fd, ref, 0);
}

static int set_name(char *to, const char *name)
{
	size_t len = strlen(name);

	if (len >= GPREEMPT_ABI_NAME_LEN)
		return -EINVAL;
	memcpy(to, name, len + 1);
	return 0;
}

int drv_module_get_policy(int fd, uint32_t gpu_id, const char *param,
			  struct gpreempt_ioc_policy *out)
{
	*out = (struct gpreempt_ioc_policy){ .size = sizeof(*out), .gpu_id = gpu_id };
	if (param && set_name(out->param, param))
		return -ENOENT;
	return call(fd, GPREEMPT_IOC_GET_POLICY, out);
}

int drv_module_set_policy(int fd, uint32_t gpu_id, const char *name)
{
	struct gpreempt_ioc_policy arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .valid = GPREEMPT_POLICY_F_POLICY,
	};
	int ret = set_name(arg.policy, name);

	return ret ? ret : call(fd, GPREEMPT_IOC_SET_POLICY, &arg);
}

int drv_module_set_param(int fd, uint32_t gpu_id, const char *name, uint64_t value)
{
	struct gpreempt_ioc_policy arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .valid = GPREEMPT_POLICY_F_PARAM,
		.value = value,
	};
	int ret = set_name(arg.param, name);

	return ret ? ret : call(fd, GPREEMPT_IOC_SET_POLICY, &arg);
}

int drv_module_set_enabled(int fd, uint32_t gpu_id, bool enabled)
{
	struct gpreempt_ioc_policy arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .valid = GPREEMPT_POLICY_F_ENABLED,
		.enabled = enabled,
	};

	return call(fd, GPREEMPT_IOC_SET_POLICY, &arg);
}

int drv_module_stats(int fd, uint32_t gpu_id, struct gpreempt_ioc_stats *stats)
{
	*stats = (struct gpreempt_ioc_stats){ .size = sizeof(*stats), .gpu_id = gpu_id };
	return call(fd, GPREEMPT_IOC_STATS, stats);
}

int drv_module_hist(int fd, uint32_t gpu_id, uint32_t which, uint32_t *buckets, uint32_t nr,
		    struct gpreempt_ioc_hist *out)
{
	int ret;

	*out = (struct gpreempt_ioc_hist){
		.size = sizeof(*out),
		.gpu_id = gpu_id,
		.which = which,
		.nr = nr,
		.buckets = (uintptr_t)buckets,
	};
	ret = call(fd, GPREEMPT_IOC_HIST, out);
	return ret == -ENOTTY ? -EOPNOTSUPP : ret;
}

static const uint32_t cgroup_bits[GP_CGROUP_COUNT] = {
	[GP_CGROUP_INDEX_WEIGHT] = GPREEMPT_CGROUP_F_WEIGHT,
	[GP_CGROUP_INDEX_MAX] = GPREEMPT_CGROUP_F_MAX,
	[GP_CGROUP_INDEX_LATENCY] = GPREEMPT_CGROUP_F_LATENCY,
	[GP_CGROUP_INDEX_IDLE] = GPREEMPT_CGROUP_F_IDLE,
};

int drv_module_set_cgroup(int fd, int folder, const struct gp_cgroup_attr *attr)
{
	struct gpreempt_ioc_cgroup arg = {
		.size = sizeof(arg),
		.cgroup_fd = folder,
		.weight = attr->weight,
		.idle = attr->idle,
		.quota_ns = attr->quota_ns,
		.period_ns = attr->period_ns,
		.latency_ns = attr->latency_ns,
	};
	uint32_t i;
	int ret;

	for (i = 0; i < GP_CGROUP_COUNT; i++)
		arg.valid |= attr->mask & 1u << i ? cgroup_bits[i] : 0;
	ret = call(fd, GPREEMPT_IOC_SET_CGROUP, &arg);
	return ret == -ENOTTY ? -EOPNOTSUPP : ret;
}

int drv_module_get_cgroup(int fd, int folder, struct gp_share_info *use, uint32_t *nr_throttled)
{
	struct gpreempt_ioc_cgroup arg = { .size = sizeof(arg), .cgroup_fd = folder };
	int ret = call(fd, GPREEMPT_IOC_GET_CGROUP, &arg);

	if (ret)
		return ret == -ENOTTY ? -EOPNOTSUPP : ret;
	*use = (struct gp_share_info){
		.usage_ns = arg.usage_ns,
		.nr_periods = arg.nr_periods,
		.nr_throttled = arg.nr_throttled,
		.throttled_ns = arg.throttled_ns,
		.some_ns = arg.some_ns,
		.full_ns = arg.full_ns,
	};
	*nr_throttled = arg.nr_throttled_nodes;
	return 0;
}

/* Events of a module that is newer than this are longer; what is surplus is skipped. */
static ssize_t unpack(const char *from, size_t len, struct gpreempt_abi_event *events, size_t max)
{
	size_t done = 0;
	size_t nr = 0;
	uint32_t size;

	while (nr < max && len - done >= sizeof(*events)) {
		memcpy(&size, from + done, sizeof(size));
		if (size < sizeof(*events) || size > len - done)
			return -EPROTO;
		memcpy(&events[nr++], from + done, sizeof(*events));
		done += size;
	}
	return done == len ? (ssize_t)nr : -EPROTO;
}

ssize_t drv_module_read(int fd, struct gpreempt_abi_event *events, size_t max)
{
	char buf[READ_BYTES];
	size_t room = max < sizeof(buf) / sizeof(*events) ? max * sizeof(*events) : sizeof(buf);
	ssize_t len = read(fd, buf, room);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	return unpack(buf, (size_t)len, events, max);
}
