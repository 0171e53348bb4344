// SPDX-License-Identifier: MIT
/*
 * Lists and holds through the kernel module: see driver/module.h.
 */
#include "lib/lib_module.h"

#include "driver/discover.h"
#include "driver/module.h"
#include "rules/group.h"
#include "rules/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool lib_module_is_there(void)
{
	int fd = drv_module_open();

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool is_meant(const struct gpreempt_ref *ref, const struct gpreempt_ioc_queue *q)
{
	return q->pid == (int32_t)ref->pid && (!ref->gpu_id || q->gpu_id == ref->gpu_id) &&
	       (ref->queue_id == GPREEMPT_QUEUE_ALL || q->queue_id == ref->queue_id);
}

int lib_module_add_queues(struct drv_queues *list)
{
	struct gpreempt_ioc_queue *known = NULL;
	size_t nr = 0;
	int fd = drv_module_open();
	int ret = fd < 0 ? fd : drv_module_list(fd, &known, &nr);

	/* Not every user may ask: what cannot be asked stays unknown. */
	for (size_t i = 0; !ret && i < list->nr; i++) {
		struct gpreempt_queue *q = &list->queues[i];
		struct gpreempt_ref ref = { q->pid, q->gpu_id, q->queue_id, 0 };

		for (size_t k = 0; k < nr; k++) {
			if (is_meant(&ref, &known[k]))
				drv_module_describe(&known[k], q);
		}
	}
	free(known);
	if (fd >= 0)
		close(fd);
	return ret == -ENOMEM ? ret : 0;
}

int lib_module_get_attr(int fd, uint32_t pid, struct gpreempt_attr *attr)
{
	struct gp_attr a;
	u64 group;
	int pidfd = drv_module_pidfd((pid_t)pid);
	int ret = pidfd < 0 ? pidfd : drv_module_get_attr(fd, pidfd, &a, &group);

	if (pidfd >= 0)
		close(pidfd);
	if (ret)
		return ret;
	*attr = (struct gpreempt_attr){ 0 };
#define X(name, text, member, ...) \
	attr->member = a.member;   \
	attr->valid |= GPREEMPT_ATTR_##name;
	GP_ATTRS(X)
#undef X
	return 0;
}

int lib_module_set_attr(int fd, uint32_t pid, const struct gpreempt_attr *attr)
{
	u32 valid = attr->valid & GPREEMPT_ATTR_GROUP ? GPREEMPT_ATTR_F_GROUP : 0;
	int pidfd = pid ? drv_module_pidfd((pid_t)pid) : -1;
	struct gp_attr a;
	int ret;

	if (pid && pidfd < 0)
		return pidfd;
#define X(name, text, member, ...)                     \
	a.member = (__typeof__(a.member))attr->member; \
	valid |= attr->valid & GPREEMPT_ATTR_##name ? GP_ATTR_##name : 0;
	GP_ATTRS(X)
#undef X
	/* One that has no place there must not become another. */
	if (attr->prio > GP_PRIO_MAX)
		a.prio = GP_PRIO_MAX + 1;
	ret = drv_module_set_attr(fd, pidfd, &a, gp_group_number(attr->group), valid, 0);
	if (pidfd >= 0)
		close(pidfd);
	return ret;
}

static void add_process(struct gpreempt_process *p, int fd, const struct gpreempt_ioc_queue *list,
			size_t nr)
{
	uint64_t nr_busy = 0;

	for (size_t i = 0; i < nr; i++) {
		if (list[i].pid != (int32_t)p->pid)
			continue;
		p->mechanism = GPREEMPT_MECH_KERNEL;
		nr_busy += !!(list[i].flags & GPREEMPT_QUEUE_F_BUSY);
		snprintf(p->state, sizeof(p->state), "%s", gp_entity_state_name(list[i].state));
	}
	if (!p->mechanism)
		return;
	p->nr_busy = (struct gpreempt_value){ .value = nr_busy, .source = GPREEMPT_SOURCE_KERNEL };
	lib_module_get_attr(fd, p->pid, &p->attr);
}

void lib_module_add_processes(struct gpreempt_process *processes, size_t nr)
{
	struct gpreempt_ioc_queue *list = NULL;
	size_t nr_queues = 0;
	int fd = drv_module_open();

	if (fd < 0)
		return;
	if (!drv_module_list(fd, &list, &nr_queues)) {
		for (size_t i = 0; i < nr; i++)
			add_process(&processes[i], fd, list, nr_queues);
	}
	free(list);
	close(fd);
}

void lib_module_add_nodes(struct gpreempt_node *nodes, size_t nr)
{
	int fd = drv_module_open();

	for (size_t i = 0; fd >= 0 && i < nr; i++) {
		struct gpreempt_ioc_policy policy;
		struct gpreempt_ioc_stats stats;

		if (drv_module_get_policy(fd, nodes[i].gpu_id, NULL, &policy) ||
		    drv_module_stats(fd, nodes[i].gpu_id, &stats))
			continue;
		nodes[i].enabled = policy.enabled;
		snprintf(nodes[i].policy, sizeof(nodes[i].policy), "%.31s", policy.policy);
		snprintf(nodes[i].breaker, sizeof(nodes[i].breaker), "%s",
			 gp_breaker_state_name(stats.breaker));
	}
	if (fd >= 0)
		close(fd);
}

/* One hold for each node, as all queues of a process on it are held together. */
static int hold_listed(int fd, int pidfd, const struct gpreempt_ref *ref, uint32_t lease_ms,
		       const struct gpreempt_ioc_queue *list, size_t nr)
{
	bool is_known = false;
	int worst = 0;

	for (size_t i = 0; i < nr; i++) {
		struct gpreempt_ioc_ref r = { .pidfd = pidfd, .gpu_id = list[i].gpu_id,
					      .queue_id = ref->queue_id };
		size_t before = 0;
		int ret;

		while (before < i && !(is_meant(ref, &list[before]) &&
				       list[before].gpu_id == list[i].gpu_id))
			before++;
		if (!is_meant(ref, &list[i]) || before < i)
			continue;
		is_known = true;
		ret = drv_module_hold(fd, &r, lease_ms);
		/* If all that is wrong is a node it cannot do, a tracer can do all of them. */
		if (ret && (!worst || worst == -EOPNOTSUPP))
			worst = ret;
	}
	return is_known ? worst : -EOPNOTSUPP;
}

static int hold(int fd, int pidfd, const struct gpreempt_ref *ref, uint32_t lease_ms)
{
	struct gpreempt_ioc_queue *list = NULL;
	size_t nr = 0;
	int ret = drv_module_list(fd, &list, &nr);

	if (!ret)
		ret = hold_listed(fd, pidfd, ref, lease_ms, list, nr);
	free(list);
	return ret;
}

/* 0 also where there is nothing to release. */
static int release_one(int fd, int pidfd, uint32_t gpu_id, uint32_t queue_id)
{
	struct gpreempt_ioc_ref r = { .pidfd = pidfd, .gpu_id = gpu_id, .queue_id = queue_id };
	int ret = drv_module_release(fd, &r);

	return ret == -ESRCH || ret == -ENODEV ? 0 : ret;
}

/* A hold of the process lasts when its queues are gone: the nodes are asked, not the list. */
static int release_process(int fd, int pidfd, uint32_t gpu_id)
{
	struct gpreempt_ioc_caps caps;
	const size_t max = sizeof(caps.gpu_ids) / sizeof(caps.gpu_ids[0]);
	int worst;

	if (gpu_id)
		return release_one(fd, pidfd, gpu_id, GPREEMPT_QUEUE_ALL);
	worst = drv_module_caps(fd, &caps);
	if (worst)
		return worst;
	for (size_t i = 0; i < caps.nr_nodes && i < max; i++) {
		int ret = release_one(fd, pidfd, caps.gpu_ids[i], GPREEMPT_QUEUE_ALL);

		worst = worst ? worst : ret;
	}
	return worst;
}

/* Those that are held one by one, which a release of the process leaves. */
static int release_queues(int fd, int pidfd, const struct gpreempt_ref *ref)
{
	struct gpreempt_ioc_queue *list = NULL;
	size_t nr = 0;
	int worst = drv_module_list(fd, &list, &nr);

	for (size_t i = 0; i < nr; i++) {
		int ret = 0;

		if (is_meant(ref, &list[i]) && (list[i].flags & GPREEMPT_QUEUE_F_MANUAL))
			ret = release_one(fd, pidfd, list[i].gpu_id, list[i].queue_id);
		worst = worst ? worst : ret;
	}
	free(list);
	return worst;
}

static int release(int fd, int pidfd, const struct gpreempt_ref *ref)
{
	bool is_all = ref->queue_id == GPREEMPT_QUEUE_ALL;
	int ret = is_all ? release_process(fd, pidfd, ref->gpu_id) : 0;
	int ret_queues = release_queues(fd, pidfd, ref);

	return ret ? ret : ret_queues;
}

int lib_module_order(int *fd, const struct gpreempt_ref *ref, uint32_t lease_ms)
{
	int pidfd, ret;

	if (*fd < 0)
		*fd = drv_module_open();
	if (*fd < 0)
		return -EOPNOTSUPP;
	pidfd = drv_module_pidfd((pid_t)ref->pid);
	if (pidfd < 0)
		return pidfd;
	ret = lease_ms ? hold(*fd, pidfd, ref, lease_ms) : release(*fd, pidfd, ref);
	close(pidfd);
	return ret;
}
