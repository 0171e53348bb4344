// SPDX-License-Identifier: MIT
/*
 * Attributes, policies and statistics of the kernel module: see module.h.
 */
#include "lib/lib_module.h"

#include "lib/lib_handle.h"
#include "driver/module.h"
#include "rules/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begin(struct gpreempt *g)
{
	int fd;

	lib_begin(g);
	fd = drv_module_open();
	if (fd == -ENOENT)
		return lib_fail(g, -EOPNOTSUPP, "this needs the daemon or the kernel module");
	return fd < 0 ? lib_fail(g, fd, DRV_MODULE_DEVICE ": %s", strerror(-fd)) : fd;
}

static int end(struct gpreempt *g, int fd, int ret)
{
	close(fd);
	return ret ? lib_fail(g, ret, "the kernel module: %s", strerror(-ret)) : 0;
}

int lib_module_get_attr(struct gpreempt *g, uint32_t pid, struct gpreempt_attr *attr)
{
	struct gpreempt_ioc_attr a;
	int fd = begin(g), pidfd, ret;

	if (fd < 0)
		return fd;
	pidfd = drv_module_pidfd((pid_t)pid);
	ret = pidfd < 0 ? pidfd : drv_module_get_attr(fd, pidfd, &a);
	if (pidfd >= 0)
		close(pidfd);
	if (!ret)
		*attr = (struct gpreempt_attr){
			.valid = GPREEMPT_ATTR_PRIO | GPREEMPT_ATTR_WEIGHT |
				 GPREEMPT_ATTR_LATENCY_CRITICAL | GPREEMPT_ATTR_SLICE |
				 GPREEMPT_ATTR_DEADLINE,
			.prio = a.prio,
			.weight = a.weight,
			.latency_critical = a.latency_critical,
			.slice_ns = a.slice_ns,
			.deadline_ns = a.deadline_ns,
		};
	return end(g, fd, ret);
}

int lib_module_set_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr)
{
	static const struct {
		uint32_t ours;
		uint32_t theirs;
	} bits[] = {
		{ GPREEMPT_ATTR_PRIO, GPREEMPT_ATTR_F_PRIO },
		{ GPREEMPT_ATTR_WEIGHT, GPREEMPT_ATTR_F_WEIGHT },
		{ GPREEMPT_ATTR_LATENCY_CRITICAL, GPREEMPT_ATTR_F_LATENCY_CRITICAL },
		{ GPREEMPT_ATTR_SLICE, GPREEMPT_ATTR_F_SLICE },
		{ GPREEMPT_ATTR_DEADLINE, GPREEMPT_ATTR_F_DEADLINE },
		{ GPREEMPT_ATTR_GROUP, GPREEMPT_ATTR_F_GROUP },
	};
	struct gpreempt_ioc_attr a = {
		.prio = attr->prio,
		.weight = attr->weight,
		.latency_critical = attr->latency_critical,
		.slice_ns = attr->slice_ns,
		.deadline_ns = attr->deadline_ns,
		.group = gp_group_number(attr->group),
	};
	int fd = begin(g), pidfd, ret;

	if (fd < 0)
		return fd;
	if (attr->valid & GPREEMPT_ATTR_CLASS) {
		close(fd);
		return lib_fail(g, -EOPNOTSUPP, "classes need the daemon");
	}
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		a.valid |= attr->valid & bits[i].ours ? bits[i].theirs : 0;
	pidfd = drv_module_pidfd((pid_t)pid);
	ret = pidfd < 0 ? pidfd : drv_module_set_attr(fd, pidfd, &a);
	if (pidfd >= 0)
		close(pidfd);
	return end(g, fd, ret);
}

int lib_module_get_policy(struct gpreempt *g, uint32_t gpu_id, char name[GPREEMPT_NAME_LEN])
{
	struct gpreempt_ioc_policy policy;
	int fd = begin(g), ret;

	if (fd < 0)
		return fd;
	ret = drv_module_get_policy(fd, gpu_id, NULL, &policy);
	if (!ret)
		snprintf(name, GPREEMPT_NAME_LEN, "%.31s", policy.policy);
	return end(g, fd, ret);
}

int lib_module_set_policy(struct gpreempt *g, uint32_t gpu_id, const char *name)
{
	int fd = begin(g);

	return fd < 0 ? fd : end(g, fd, drv_module_set_policy(fd, gpu_id, name));
}

int lib_module_get_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value)
{
	struct gpreempt_ioc_policy policy;
	int fd = begin(g), ret;

	if (fd < 0)
		return fd;
	ret = drv_module_get_policy(fd, gpu_id, name, &policy);
	if (!ret)
		*value = policy.value;
	return end(g, fd, ret == -ENOENT ? -EINVAL : ret);
}

int lib_module_set_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t value)
{
	int fd = begin(g);

	return fd < 0 ? fd : end(g, fd, drv_module_set_param(fd, gpu_id, name, value));
}

int lib_module_set_enabled(struct gpreempt *g, uint32_t gpu_id, bool enabled)
{
	int fd = begin(g);

	return fd < 0 ? fd : end(g, fd, drv_module_set_enabled(fd, gpu_id, enabled));
}

int lib_module_get_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *stats)
{
	struct gpreempt_stats s = { .size = sizeof(s) };
	struct gpreempt_ioc_stats k;
	int fd = begin(g), ret;

	if (fd < 0)
		return fd;
	ret = drv_module_stats(fd, gpu_id, &k);
	if (ret)
		return end(g, fd, ret);
	s.nr_switches = k.nr_switches;
	s.nr_preemptions = k.nr_preemptions;
	s.nr_resumes = k.nr_resumes;
	s.nr_failed = k.nr_failed;
	s.nr_deadline = k.nr_deadline;
	s.nr_starvation = k.nr_starvation;
	s.cost_ns = k.cost_ns;
	s.off_max_ns = k.off_max_ns;
	s.switch_p50_ns = k.switch_p50_ns;
	s.switch_p99_ns = k.switch_p99_ns;
	if (stats->size < s.size)
		s.size = stats->size;
	memcpy(stats, &s, s.size);
	return end(g, fd, 0);
}
