// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_dbg.h"
#include "daemon/clients/gpd_client.h"
#include "driver/discover.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_util.h"

/* sysfs cannot be waited for. */
#define LOOK_NS GPD_NS_PER_SEC
/* Processes that were tried: none is tried twice. */
#define TRIED_MAX 1024

static struct {
	pid_t pid;
	uint64_t start_time;
} tried[TRIED_MAX];

static unsigned int next_tried;

static bool was_tried(pid_t pid, uint64_t start_time)
{
	unsigned int i;

	for (i = 0; i < TRIED_MAX; i++)
		if (tried[i].pid == pid && tried[i].start_time == start_time)
			return true;
	tried[next_tried].pid = pid;
	tried[next_tried].start_time = start_time;
	next_tried = (next_tried + 1) % TRIED_MAX;
	return false;
}

/* A shim says hello before its process has a queue: a process that is here now has none. */
static void try(struct gpd *d, pid_t pid)
{
	struct gpd_proc proc;
	int err;

	if (gpd_client_find(d, pid) || gpd_proc_read(pid, &proc) ||
	    was_tried(pid, proc.start_time))
		return;
	err = gpd_dbg_start(d, pid, NULL, NULL, NULL);
	if (err)
		gpd_log(LOG_INFO, "process %d: not traced: error %d", (int)pid, -err);
}

static void start(struct gpd *d)
{
	gpd_timer_set(d->dbg_auto, gpd_now_ns() + LOOK_NS);
}

static int on_look(sd_event_source *s, uint64_t usec, void *data)
{
	struct drv_queues list = { 0 };
	struct gpd *d = data;
	uint32_t last = 0;
	size_t i;

	if (d->ops->is_traced && !drv_discover_queues(NULL, &list)) {
		for (i = 0; i < list.nr; i++) {
			if (list.queues[i].pid != last)
				try(d, (pid_t)list.queues[i].pid);
			last = list.queues[i].pid;
		}
		drv_queues_fini(&list);
	}
	start(d);
	return 0;
}

int gpd_dbg_auto_init(struct gpd *d)
{
	int err = gpd_timer_add(d->event, &d->dbg_auto, on_look, d);

	if (err < 0)
		return err;
	gpd_dbg_auto_update(d);
	return 0;
}

void gpd_dbg_auto_update(struct gpd *d)
{
	if (d->config->dbg == GPD_DBG_AUTO)
		start(d);
	else
		gpd_timer_set(d->dbg_auto, U64_MAX);
}
