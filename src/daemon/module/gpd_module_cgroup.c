// SPDX-License-Identifier: MIT
/*
 * GPU time by cgroup where the module schedules. The module finds out by itself which processes
 * are in which cgroup; it is told what is said of a cgroup when that changes. For what is said
 * by patterns and extended attributes the cgroups that there are have to be looked for: every
 * second those of all processes that the module lists are looked up, some a turn.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_NS GPD_NS_PER_SEC
#define PROCESSES_A_TURN 16

bool gpd_module_has_cgroups(const struct gpd *d)
{
	return d->module && d->module->used && d->module->caps.caps & GPREEMPT_CAP_CGROUP;
}

/* Of one that was removed the module knows by itself. */
void gpd_module_cgroup_tell(struct gpd *d, const char *path, const struct gp_cgroup_attr *said)
{
	int fd = gpd_module_has_cgroups(d) ? gpd_module_fd(d) : -1;
	int folder = fd < 0 ? -1 : gpd_cgroup_open(path);
	int err;

	if (folder < 0)
		return;
	err = drv_module_set_cgroup(fd, folder, said);
	close(folder);
	/* Its user may have removed it by now. */
	if (!err || err == -ENOENT)
		return;
	if (!d->module->cgroup_failed)
		gpd_log(LOG_WARNING, "cgroup %s: the kernel module: %s", path, strerror(-err));
	d->module->cgroup_failed = true;
}

bool gpd_module_cgroup_use(struct gpd *d, const char *path, struct gp_share_info *use,
			   uint32_t *nr_throttled)
{
	int fd = gpd_module_has_cgroups(d) ? gpd_module_fd(d) : -1;
	int folder = fd < 0 ? -1 : gpd_cgroup_open(path);
	int err;

	if (folder < 0)
		return false;
	err = drv_module_get_cgroup(fd, folder, use, nr_throttled);
	close(folder);
	return !err;
}

/* That it is the process is asked last: then what was read is of that one. */
static void look_up(struct gpd *d, pid_t pid)
{
	char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN];
	struct gpd_owner owner;
	struct gpd_proc proc;
	struct gpd_user *u;

	if (gpd_proc_read(pid, &proc) || gpd_cgroup_paths(pid, path) ||
	    !gp_cgroup_is_path(path[GPD_HIERARCHY_UNIFIED]) || !gpd_proc_is(pid, proc.start_time))
		return;
	gpd_trust_owner(d, pid, proc.uid, &owner);
	u = gpd_user_get(d, &owner, false);
	if (!u)
		return;
	gpd_user_begin(u);
	gpd_cgroup_list(u, path[GPD_HIERARCHY_UNIFIED]);
	gpd_user_end(u);
	gpd_user_put(u);
}

/* Return: whether there are more. */
static bool look_up_some(struct gpd *d, struct gpd_module_list *l)
{
	int nr = 0;

	for (; l->at < l->end; l->at++) {
		pid_t pid = l->queues[l->at].pid;

		if (pid == l->pid)
			continue;
		if (nr++ == PROCESSES_A_TURN)
			return true;
		l->pid = pid;
		look_up(d, pid);
	}
	return false;
}

/* The list is read once a pass, however many turns that takes. */
static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_module_list *l = &d->module->cgroup_list;
	bool more;

	if (!l->queues)
		gpd_module_list_begin(d, 0, l);
	more = look_up_some(d, l);
	if (!more) {
		gpd_module_list_end(l);
		gpd_cgroup_listed(d);
	}
	gpd_timer_set(s, gpd_now_ns() + (more ? 0 : PERIOD_NS));
	return 0;
}

int gpd_module_cgroup_init(struct gpd *d)
{
	struct gpd_module *m = d->module;
	int err = gpd_timer_add(d->event, &m->cgroup_timer, on_timer, d);

	if (err >= 0)
		err = sd_event_source_set_priority(m->cgroup_timer, GPD_PRIORITY_USER);
	return err;
}

void gpd_module_cgroup_come(struct gpd *d)
{
	struct gpd_module *m = d->module;

	if (!gpd_module_has_cgroups(d) || !gpd_cgroup_mount(GPD_HIERARCHY_UNIFIED)[0])
		return;
	m->cgroup_failed = false;
	gpd_cgroup_tell_all(d);
	gpd_timer_set(m->cgroup_timer, gpd_now_ns());
}

void gpd_module_cgroup_go(struct gpd *d)
{
	gpd_timer_set(d->module->cgroup_timer, UINT64_MAX);
	gpd_module_list_end(&d->module->cgroup_list);
	/* The pass in hand ends, and then one that came by none. */
	gpd_cgroup_listed(d);
	gpd_cgroup_listed(d);
}
