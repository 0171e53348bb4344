// SPDX-License-Identifier: MIT
#include "daemon/module/gpd_module_types.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_hold.h"
#include "daemon/control/gpd_list.h"
#include "rules/text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define FOLDER "/dev"
#define NAME "gpreempt"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void gpd_module_forget(struct gpd *d)
{
	struct gpd_module *m = d->module;

	m->turn++;
	free(m->queues);
	m->queues = NULL;
	m->nr_queues = 0;
	m->is_listed = false;
}

static int on_close(sd_event_source *s, void *data)
{
	struct gpd *d = data;

	close_fd(&d->module->fd);
	gpd_module_forget(d);
	return 0;
}

int gpd_module_fd(struct gpd *d)
{
	struct gpd_module *m = d->module;
	int fd;

	if (!m || !m->used)
		return -ENOENT;
	if (m->fd >= 0)
		return m->fd;
	fd = drv_module_open();
	if (fd < 0)
		return fd;
	m->fd = fd;
	gpd_module_forget(d);
	sd_event_source_set_enabled(m->close, SD_EVENT_ONESHOT);
	return fd;
}

static bool is_alive(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return !poll(&p, 1, 0);
}

int gpd_module_pidfd(pid_t pid, struct gpd_proc *proc)
{
	int pidfd = drv_module_pidfd(pid);

	if (pidfd < 0)
		return pidfd;
	/* It is still there: so what /proc said of its number is said of it. */
	if (!gpd_proc_read(pid, proc) && is_alive(pidfd))
		return pidfd;
	close(pidfd);
	return -ESRCH;
}

/* What was configured or said for the daemon's own scheduler holds for the module's. */
static void tell_node(struct gpd_node *n)
{
	const char *policy = gp_sched_node_policy(n->d->sched, n->index);
	const struct gp_param_desc *desc;
	char name[GP_TEXT_PARAM_MAX];
	int err = 0;
	u64 value;
	u32 i;

	for (i = 0; !err && (desc = gp_text_param(i, name)); i++)
		if (!gp_sched_param_get(n->d->sched, n->index, name, &value) && value != desc->def)
			err = gpd_module_node_ops.set_param(n, name, value);
	if (!err && strcmp(policy, gp_policy_name_at(0)))
		err = gpd_module_node_ops.set_policy(n, policy);
	if (!err && !n->enabled)
		err = gpd_module_node_ops.set_enabled(n, false);
	if (err)
		gpd_log(LOG_WARNING, "node %" PRIu32 ": the kernel module refuses what was set: %s",
			n->gpu_id, strerror(-err));
}

static void take(struct gpd_node *n)
{
	if (!n || n->simulated || !n->ops->is_core)
		return;
	gpd_engine_set_ops(n, &gpd_module_node_ops);
	tell_node(n);
}

static void take_nodes(struct gpd *d)
{
	const struct gpreempt_ioc_caps *caps = &d->module->caps;
	uint32_t i;

	for (i = 0; i < caps->nr_nodes && i < GPD_NODES_MAX; i++)
		take(gpd_nodes_find(d, caps->gpu_ids[i]));
}

void gpd_module_take_node(struct gpd_node *n)
{
	struct gpd_module *m = n->d->module;
	int fd = gpd_module_fd(n->d);
	uint32_t i;

	if (fd < 0 || drv_module_caps(fd, &m->caps))
		return;
	for (i = 0; i < m->caps.nr_nodes && i < GPD_NODES_MAX; i++)
		if (m->caps.gpu_ids[i] == n->gpu_id)
			take(n);
}

static void come(struct gpd *d)
{
	d->module->used = true;
	d->ops = &gpd_module_ops;
	gpd_log(LOG_INFO, DRV_MODULE_DEVICE ": the kernel module schedules %" PRIu32 " node%s",
		d->module->caps.nr_nodes, d->module->caps.nr_nodes == 1 ? "" : "s");
	take_nodes(d);
	gpd_module_tell_all(d);
	gpd_module_cgroup_come(d);
	gpd_module_monitor(d);
	gpd_monitor_event(d, "note", 0, 0, WIRE_QUEUE_ALL, "the kernel module schedules");
}

static void go(struct gpd *d, const char *why)
{
	struct gpd_module *m = d->module;
	uint32_t i;

	if (!m->used)
		return;
	m->used = false;
	d->ops = &gpd_client_ops;
	gpd_module_cgroup_go(d);
	gpd_hold_forget_ops(d, &gpd_module_hold_ops);
	gpd_module_monitor(d);
	close_fd(&m->fd);
	gpd_module_forget(d);
	for (i = 0; i < d->nr_nodes; i++)
		if (!d->node[i].ops->is_core)
			gpd_engine_set_ops(&d->node[i], &gpd_client_node_ops);
	gpd_log(LOG_WARNING, "%s: the daemon schedules what it has control of", why);
	gpd_monitor_event(d, "note", 0, 0, WIRE_QUEUE_ALL, "%s", why);
}

void gpd_module_update(struct gpd *d)
{
	struct gpd_module *m = d->module;
	int fd, err;

	if (d->config->mechanism == GPD_MECHANISM_USER) {
		go(d, "the kernel module is not to be used");
		if (!access(DRV_MODULE_DEVICE, F_OK))
			gpd_log(LOG_WARNING, DRV_MODULE_DEVICE ": the kernel module is loaded and "
				"schedules as well, though mechanism = user");
		return;
	}
	if (m->used)
		return;
	fd = drv_module_open();
	err = fd < 0 ? fd : drv_module_caps(fd, &m->caps);
	close_fd(&fd);
	if (!err)
		come(d);
	else if (err != -ENOENT || d->config->mechanism == GPD_MECHANISM_KERNEL)
		gpd_log(LOG_WARNING, DRV_MODULE_DEVICE ": %s: the kernel module is not used",
			strerror(-err));
}

static int on_watch(sd_event_source *s, const struct inotify_event *event, void *data)
{
	struct gpd *d = data;

	if (!event->len || strcmp(event->name, NAME))
		return 0;
	if (event->mask & IN_DELETE)
		go(d, "the kernel module was unloaded");
	else
		gpd_module_update(d);
	return 0;
}

int gpd_module_init(struct gpd *d)
{
	struct gpd_module *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	d->module = m;
	m->fd = -1;
	m->hold_fd = -1;
	m->event_fd = -1;
	err = gpd_defer_add(d->event, &m->close, SD_EVENT_PRIORITY_NORMAL, on_close, d);
	if (err >= 0)
		err = gpd_module_cgroup_init(d);
	if (err < 0)
		return err;
	/* Without the watch, what is there now is all there is. */
	err = sd_event_add_inotify(d->event, &m->watch, FOLDER, IN_CREATE | IN_DELETE | IN_ATTRIB,
				   on_watch, d);
	if (err < 0)
		gpd_log(LOG_WARNING, FOLDER ": cannot be watched: %s", strerror(-err));
	gpd_module_update(d);
	return 0;
}

void gpd_module_fini(struct gpd *d)
{
	struct gpd_module *m = d->module;
	uint32_t i;

	if (!m)
		return;
	m->used = false;
	gpd_hold_forget_ops(d, &gpd_module_hold_ops);
	gpd_module_monitor(d);
	gpd_module_forget_all(d);
	close_fd(&m->fd);
	gpd_module_forget(d);
	sd_event_source_unref(m->close);
	sd_event_source_unref(m->cgroup_timer);
	gpd_module_list_end(&m->cgroup_list);
	sd_event_source_unref(m->watch);
	for (i = 0; i < d->nr_nodes; i++)
		free(d->node[i].module_view);
	free(m);
	d->module = NULL;
}

json_t *gpd_module_json(struct gpd *d)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = {
		{ GPREEMPT_CAP_HWS, "hws" },
		{ GPREEMPT_CAP_NO_HWS, "no_hws" },
		{ GPREEMPT_CAP_DOORBELL, "doorbell" },
		{ GPREEMPT_CAP_VERIFY, "verify" },
		{ GPREEMPT_CAP_MES, "mes" },
		{ GPREEMPT_CAP_CGROUP, "cgroup" },
	};
	json_t *caps;
	size_t i;

	if (!d->module || !d->module->used)
		return json_null();
	caps = json_array();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (d->module->caps.caps & names[i].bit)
			json_array_append_new(caps, json_string(names[i].name));
	return json_pack("{s:i, s:o, s:i}", "version", (int)d->module->caps.version,
			 "capabilities", caps, "nr_nodes", (int)d->module->caps.nr_nodes);
}
