// SPDX-License-Identifier: MIT
/*
 * Attributes of processes that the module schedules. The module has the numbers, and
 * keeps them also of processes without queues; the daemon has the names of classes and
 * groups.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"
#include "rules/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes that ended are forgotten when there are as many as this. */
#define PROCESSES_MAX 4096
/* Further up no parent is looked for. */
#define PARENTS_MAX 64

/**
 * struct gpd_module_process - what was said of a process
 * @link: in gpd_module.processes
 * @pid: process
 * @start_time: says that the number is still its
 * @uid: owner
 * @attrs: what was said
 */
struct gpd_module_process {
	LIST_ENTRY(gpd_module_process) link;
	pid_t pid;
	uint64_t start_time;
	uid_t uid;
	struct gpd_attrs attrs;
};

static void forget_ended(struct gpd_module *m)
{
	struct gpd_module_process *p;
	struct gpd_module_process *next;
	struct gpd_proc proc;

	for (p = LIST_FIRST(&m->processes); p; p = next) {
		next = LIST_NEXT(p, link);
		if (!gpd_proc_read(p->pid, &proc) && proc.start_time == p->start_time)
			continue;
		LIST_REMOVE(p, link);
		free(p);
	}
}

void gpd_module_forget_all(struct gpd *d)
{
	struct gpd_module_process *p;

	while ((p = LIST_FIRST(&d->module->processes))) {
		LIST_REMOVE(p, link);
		free(p);
	}
}

static struct gpd_module_process *find(struct gpd_module *m, pid_t pid, uint64_t start_time)
{
	struct gpd_module_process *p;

	LIST_FOREACH(p, &m->processes, link)
		if (p->pid == pid && p->start_time == start_time)
			return p;
	return NULL;
}

static struct gpd_module_process *get(struct gpd *d, pid_t pid, const struct gpd_proc *proc)
{
	struct gpd_module_process *p = find(d->module, pid, proc->start_time);
	uint32_t nr = 0;

	if (p)
		return p;
	LIST_FOREACH(p, &d->module->processes, link)
		nr++;
	if (nr >= PROCESSES_MAX)
		forget_ended(d->module);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->start_time = proc->start_time;
	p->uid = proc->uid;
	LIST_INSERT_HEAD(&d->module->processes, p, link);
	return p;
}

/* What was said of a process to this daemon, or to the one before it. */
static struct gpd_module_process *recall(struct gpd *d, pid_t pid, const struct gpd_proc *proc)
{
	struct gpd_module_process *p = find(d->module, pid, proc->start_time);
	struct gpd_attrs old;

	if (p || !gpd_state_take(d, pid, proc, &old))
		return p;
	p = get(d, pid, proc);
	if (p)
		p->attrs = old;
	return p;
}

/* The names; those of the nearest parent that has some, as the module does it. */
static void put_names(struct gpd *d, pid_t pid, const struct gpd_proc *proc, uint64_t group,
		      struct gpd_attrs *attrs)
{
	struct gpd_module_process *p = recall(d, pid, proc);
	struct gpd_proc parent = *proc;
	unsigned int i;

	for (i = 0; !p && i < PARENTS_MAX && parent.parent > 1; i++) {
		pid = parent.parent;
		if (gpd_proc_read(pid, &parent))
			return;
		p = recall(d, pid, &parent);
	}
	if (!p)
		return;
	memcpy(attrs->klass, p->attrs.klass, sizeof(attrs->klass));
	if (gp_group_number(p->attrs.group) == group)
		memcpy(attrs->group, p->attrs.group, sizeof(attrs->group));
}

/* The numbers; a group has no name in the module. */
static int read_attrs(struct gpd *d, int pidfd, struct gpd_attrs *attrs, uint64_t *group)
{
	struct gpreempt_ioc_attr a;
	int fd = gpd_module_fd(d);
	int err = fd < 0 ? fd : drv_module_get_attr(fd, pidfd, &a);

	memset(attrs, 0, sizeof(*attrs));
	gp_attr_default(&attrs->core);
	if (err)
		return err;
	attrs->core.prio = (u8)a.prio;
	attrs->core.weight = a.weight;
	attrs->core.latency_critical = a.latency_critical;
	attrs->core.no_preempt = a.no_preempt;
	attrs->core.slice_ns = a.slice_ns;
	attrs->core.deadline_ns = a.deadline_ns;
	*group = a.group;
	return 0;
}

int gpd_module_get(struct gpd *d, pid_t pid, int pidfd, const struct gpd_proc *proc,
		   struct gpd_attrs *attrs)
{
	uint64_t group;
	int err = read_attrs(d, pidfd, attrs, &group);

	if (!err)
		put_names(d, pid, proc, group, attrs);
	return err;
}

int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_attrs *attrs)
{
	struct gpd_proc proc;
	int pidfd = gpd_module_pidfd(pid, &proc);
	int err;

	if (pidfd < 0)
		return pidfd;
	err = gpd_module_get(d, pid, pidfd, &proc, attrs);
	close(pidfd);
	return err;
}

/*
 * Only what changes: the module has more to say of a process than the daemon knows. A
 * group may have been chosen without it, and has no name here.
 */
static int write_attrs(struct gpd *d, int pidfd, const struct gpd_attrs *attrs, bool keep_group)
{
	const struct gp_attr *new = &attrs->core;
	struct gpreempt_ioc_attr a = {
		.prio = new->prio,
		.weight = new->weight,
		.latency_critical = new->latency_critical,
		.no_preempt = new->no_preempt,
		.slice_ns = new->slice_ns,
		.deadline_ns = new->deadline_ns,
		.group = gp_group_number(attrs->group),
	};
	struct gpd_attrs was;
	const struct gp_attr *old = &was.core;
	uint64_t group;
	int err = read_attrs(d, pidfd, &was, &group);

	if (err)
		return err;
	a.valid |= new->prio != old->prio ? GPREEMPT_ATTR_F_PRIO : 0;
	a.valid |= new->weight != old->weight ? GPREEMPT_ATTR_F_WEIGHT : 0;
	a.valid |= new->slice_ns != old->slice_ns ? GPREEMPT_ATTR_F_SLICE : 0;
	a.valid |= new->deadline_ns != old->deadline_ns ? GPREEMPT_ATTR_F_DEADLINE : 0;
	a.valid |= new->no_preempt != old->no_preempt ? GPREEMPT_ATTR_F_NO_PREEMPT : 0;
	a.valid |= new->latency_critical != old->latency_critical ?
			   GPREEMPT_ATTR_F_LATENCY_CRITICAL : 0;
	a.valid |= a.group != group && !keep_group ? GPREEMPT_ATTR_F_GROUP : 0;
	if (!a.valid)
		return 0;
	err = drv_module_set_attr(gpd_module_fd(d), pidfd, &a);
	gpd_module_forget(d);
	return err;
}

int gpd_module_set(struct gpd *d, pid_t pid, int pidfd, const struct gpd_proc *proc,
		   const struct gpd_attrs *new, bool keep_group)
{
	struct gpd_module_process *p;
	int err = write_attrs(d, pidfd, new, keep_group);

	if (err)
		return err;
	p = get(d, pid, proc);
	if (p)
		p->attrs = *new;
	return 0;
}

/* Processes of a group are one: all of them change, unless that would raise one of them. */
void gpd_module_set_group(struct gpd_conn *conn, pid_t pid, uid_t uid, const struct gpd_attrs *new)
{
	struct gpd *d = conn->d;
	struct gpd_module_process *p;
	char why[GPD_NOTE_LEN];
	struct gpd_proc proc;
	int pidfd;

	LIST_FOREACH(p, &d->module->processes, link) {
		if (p->pid == pid || p->uid != uid || !new->group[0] ||
		    strcmp(p->attrs.group, new->group) ||
		    !gpd_trust_may_touch_process(d, &conn->cred, p->pid, p->uid) ||
		    !gpd_auth_check(d->config, &conn->cred, &p->attrs, new, why, sizeof(why)))
			continue;
		pidfd = gpd_module_pidfd(p->pid, &proc);
		if (pidfd < 0)
			continue;
		if (proc.start_time == p->start_time && !write_attrs(d, pidfd, new, false))
			p->attrs = *new;
		close(pidfd);
	}
}

void gpd_module_client(struct gpd_client *c)
{
	struct gpd_proc proc;
	int pidfd = gpd_module_pidfd(c->pid, &proc);
	int err = pidfd;

	if (pidfd >= 0) {
		err = gpd_module_set(c->d, c->pid, pidfd, &proc, &c->attrs, false);
		close(pidfd);
	}
	if (err)
		gpd_client_note(c, "the kernel module does not take its attributes: %s",
				strerror(-err));
}

void gpd_module_tell_all(struct gpd *d)
{
	struct gpd_module_process *p;
	struct gpd_proc proc;

	forget_ended(d->module);
	LIST_FOREACH(p, &d->module->processes, link) {
		int pidfd = gpd_module_pidfd(p->pid, &proc);

		if (pidfd < 0)
			continue;
		if (proc.start_time == p->start_time)
			write_attrs(d, pidfd, &p->attrs, false);
		close(pidfd);
	}
}

void gpd_module_save(struct gpd *d, json_t *processes)
{
	struct gpd_module_process *p;

	if (!d->module)
		return;
	forget_ended(d->module);
	LIST_FOREACH(p, &d->module->processes, link)
		json_array_append_new(processes,
				      json_pack("{s:i, s:I, s:I, s:o}", "pid", (int)p->pid,
						"start_time", (json_int_t)p->start_time, "uid",
						(json_int_t)p->uid, "attributes",
						gpd_list_attributes(&p->attrs)));
}
