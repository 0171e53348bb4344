// SPDX-License-Identifier: MIT
/*
 * Attributes of processes that the module schedules. The module has the numbers, and
 * keeps them also of processes without queues; the daemon has the names of classes.
 */
#include "module_types.h"
#include "auth.h"
#include "client.h"
#include "list.h"
#include "methods.h"
#include "monitor.h"
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes that ended are forgotten when there are as many as this. */
#define PROCESSES_MAX 4096
/* Further up nobody is looked for. */
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
static void put_names(struct gpd *d, pid_t pid, const struct gpd_proc *proc,
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
	memcpy(attrs->group, p->attrs.group, sizeof(attrs->group));
}

static int read_attrs(struct gpd *d, int pidfd, struct gpd_attrs *attrs)
{
	struct gpreempt_ioc_attr a;
	int fd = gpd_module_fd(d);
	int err = fd < 0 ? fd : gp_kernel_get_attr(fd, pidfd, &a);

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
	return 0;
}

int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_attrs *attrs)
{
	struct gpd_proc proc;
	int pidfd = gpd_module_pidfd(pid, &proc);
	int err;

	if (pidfd < 0)
		return pidfd;
	err = read_attrs(d, pidfd, attrs);
	close(pidfd);
	if (!err)
		put_names(d, pid, &proc, attrs);
	return err;
}

/* Only what changes: the module has more to say of a process than the daemon knows. */
static int write_attrs(struct gpd *d, int pidfd, const struct gp_attr *old,
		       const struct gp_attr *new)
{
	struct gpreempt_ioc_attr a = {
		.prio = new->prio,
		.weight = new->weight,
		.latency_critical = new->latency_critical,
		.no_preempt = new->no_preempt,
		.slice_ns = new->slice_ns,
		.deadline_ns = new->deadline_ns,
	};
	int fd = gpd_module_fd(d);

	if (fd < 0)
		return fd;
	a.valid |= new->prio != old->prio ? GPREEMPT_ATTR_F_PRIO : 0;
	a.valid |= new->weight != old->weight ? GPREEMPT_ATTR_F_WEIGHT : 0;
	a.valid |= new->slice_ns != old->slice_ns ? GPREEMPT_ATTR_F_SLICE : 0;
	a.valid |= new->deadline_ns != old->deadline_ns ? GPREEMPT_ATTR_F_DEADLINE : 0;
	a.valid |= new->no_preempt != old->no_preempt ? GPREEMPT_ATTR_F_NO_PREEMPT : 0;
	a.valid |= new->latency_critical != old->latency_critical ?
			   GPREEMPT_ATTR_F_LATENCY_CRITICAL : 0;
	gpd_module_forget(d);
	return a.valid ? gp_kernel_set_attr(fd, pidfd, &a) : 0;
}

static int set(struct gpd *d, pid_t pid, int pidfd, const struct gpd_proc *proc,
	       const struct gpd_attrs *new)
{
	struct gpd_module_process *p;
	struct gpd_attrs old;
	int err = read_attrs(d, pidfd, &old);

	if (!err)
		err = write_attrs(d, pidfd, &old.core, &new->core);
	if (err)
		return err;
	p = get(d, pid, proc);
	if (p)
		p->attrs = *new;
	return 0;
}

static void refuse(struct gpd_conn *conn, int err)
{
	if (err == -EPERM)
		gpd_control_error(conn, "PermissionDenied", "reason",
				  "the kernel module refuses it to this daemon");
	else
		gpd_control_error(conn, "Failed", "reason", "the kernel module: %s",
				  strerror(-err));
}

/* What is asked for, checked. False after an error was sent. */
static bool wanted(struct gpd_conn *conn, const struct gpd_request *r, const struct gpd_attrs *old,
		   struct gpd_attrs *new)
{
	const struct gpd_config *config = conn->d->config;
	const char *why;

	*new = *old;
	if (!gpd_methods_apply(config, &r->attributes, new)) {
		gpd_control_error(conn, "NotFound", "what", "class %s", r->attributes.klass);
		return false;
	}
	if (new->group[0]) {
		gpd_control_error(conn, "NotSupported", "reason",
				  "the kernel module has no groups");
		return false;
	}
	if (!gpd_auth_check(config, &conn->cred, old, new, &why)) {
		gpd_control_error(conn, "PermissionDenied", "reason", "%s", why);
		return false;
	}
	return true;
}

static void say(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs)
{
	gpd_monitor_event(d, "attribute", pid, 0, GP_WIRE_QUEUE_ALL,
			  "priority %u, weight %" PRIu32 ", class %s",
			  (unsigned int)attrs->core.prio, attrs->core.weight,
			  attrs->klass[0] ? attrs->klass : "-");
}

static void change(struct gpd_conn *conn, const struct gpd_request *r, pid_t pid, int pidfd,
		   const struct gpd_proc *proc)
{
	struct gpd_client *c = gpd_client_find(conn->d, pid);
	struct gpd_attrs old;
	struct gpd_attrs new;
	int err = read_attrs(conn->d, pidfd, &old);

	if (err) {
		refuse(conn, err);
		return;
	}
	put_names(conn->d, pid, proc, &old);
	if (!wanted(conn, r, &old, &new))
		return;
	if (!r->dry_run) {
		err = set(conn->d, pid, pidfd, proc, &new);
		if (err) {
			refuse(conn, err);
			return;
		}
		if (c)
			gpd_client_set_attrs(c, &new);
		say(conn->d, pid, &new);
		gpd_state_save(conn->d);
	}
	gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", gpd_list_attributes(&old), "new",
					  gpd_list_attributes(&new)));
}

void gpd_module_set_attributes(struct gpd_conn *conn, const struct gpd_request *r)
{
	/* Who asks may be in a container, and not know his number out here. */
	pid_t pid = r->pid ? (pid_t)r->pid : conn->cred.pid;
	struct gpd_proc proc;
	int pidfd = r->pid <= GPD_PID_MAX ? gpd_module_pidfd(pid, &proc) : -ESRCH;

	if (pidfd < 0) {
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
		return;
	}
	if (gpd_auth_may_touch(&conn->cred, proc.uid))
		change(conn, r, pid, pidfd, &proc);
	else
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	close(pidfd);
}

void gpd_module_client(struct gpd_client *c)
{
	struct gpd_proc proc;
	int pidfd = gpd_module_pidfd(c->pid, &proc);
	int err = pidfd;

	if (pidfd >= 0) {
		err = set(c->d, c->pid, pidfd, &proc, &c->attrs);
		close(pidfd);
	}
	if (err)
		gpd_client_note(c, "the kernel module does not take its attributes: %s",
				strerror(-err));
}

void gpd_module_tell_all(struct gpd *d)
{
	struct gpd_module_process *p;
	struct gpd_attrs old;
	struct gpd_proc proc;

	forget_ended(d->module);
	LIST_FOREACH(p, &d->module->processes, link) {
		int pidfd = gpd_module_pidfd(p->pid, &proc);

		if (pidfd < 0)
			continue;
		if (proc.start_time == p->start_time && !read_attrs(d, pidfd, &old))
			write_attrs(d, pidfd, &old.core, &p->attrs.core);
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

/* Everybody is under control already; what is left of it are the attributes. */
void gpd_module_attach(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs old;
	struct gpd_attrs new;
	struct gpd_proc proc;
	json_t *list;
	int pidfd;
	int err;

	if (!gpd_module_has(conn->d, (pid_t)r->pid, 0, GP_WIRE_QUEUE_ALL)) {
		gpd_control_error(conn, "NotFound", "what", "queues of process %" PRIu64, r->pid);
		return;
	}
	pidfd = gpd_module_pidfd((pid_t)r->pid, &proc);
	err = pidfd < 0 ? pidfd : read_attrs(conn->d, pidfd, &old);
	if (err) {
		refuse(conn, err);
	} else if (!gpd_auth_may_touch(&conn->cred, proc.uid)) {
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	} else if (wanted(conn, r, &old, &new)) {
		err = set(conn->d, (pid_t)r->pid, pidfd, &proc, &new);
		list = json_array();
		gpd_module_list_processes(conn->d, list, (pid_t)r->pid);
		if (err || !json_array_size(list))
			refuse(conn, err ? err : -ESRCH);
		else
			gpd_control_reply(conn, json_pack("{s:O}", "process",
							  json_array_get(list, 0)));
		json_decref(list);
	}
	if (pidfd >= 0)
		close(pidfd);
}
