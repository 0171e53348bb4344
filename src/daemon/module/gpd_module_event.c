// SPDX-License-Identifier: MIT
/*
 * What the module tells while a client monitors, in the words of the control interface.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_user.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Read before it is another's turn; the module keeps many more. */
#define EVENTS 32
#define NONE 8 /* at least: see drv_module_read() */

static void on_state(struct gpd *d, const struct gpreempt_abi_event *e)
{
	struct gp_trace t = {
		.now_ns = e->time_ns,
		.id = (u64)e->pid,
		.arg = { e->value, e->code },
		.node = e->gpu_id,
		.kind = GP_TRACE_STATE,
	};

	gpd_monitor_record(d, &t, e->pid, e->gpu_id);
}

/* The module tells of a switch when it is over. */
static void on_switch(struct gpd *d, const struct gpreempt_abi_event *e)
{
	uint64_t seq = ++d->module->nr_seen;
	uint64_t start_ns = e->time_ns > e->value ? e->time_ns - e->value : 0;
	char text[96];

	snprintf(text, sizeof(text), "switch %" PRIu64 ": %" PRIu32 " processes", seq, e->code);
	gpd_monitor_at(d, start_ns, "switch", 0, e->gpu_id, WIRE_QUEUE_ALL, text,
		       json_pack("{s:I}", "seq", (json_int_t)seq));
	gpd_monitor_done(d, e->time_ns, e->gpu_id, seq, e->value);
}

static void on_lost(struct gpd *d, const struct gpreempt_abi_event *e)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " events lost", (uint64_t)e->value);
	gpd_monitor_at(d, e->time_ns, "lost", 0, 0, WIRE_QUEUE_ALL, text,
		       json_pack("{s:I}", "count", (json_int_t)e->value));
}

static void tell(struct gpd *d, const struct gpreempt_abi_event *e, const char *kind,
		 uint32_t queue_id, const char *text)
{
	gpd_monitor_at(d, e->time_ns, kind, e->pid, e->gpu_id, queue_id, text, NULL);
}

static void translate(struct gpd *d, const struct gpreempt_abi_event *e)
{
	switch (e->kind) {
	case GPREEMPT_EVENT_STATE:
		on_state(d, e);
		break;
	case GPREEMPT_EVENT_SWITCH:
		on_switch(d, e);
		break;
	case GPREEMPT_EVENT_REPORT:
		tell(d, e, "report", WIRE_QUEUE_ALL, gp_report_name((enum gp_report)e->code));
		break;
	case GPREEMPT_EVENT_QUEUE:
		tell(d, e, "queue", (uint32_t)e->value, e->code ? "added" : "removed");
		break;
	case GPREEMPT_EVENT_BUSY:
		tell(d, e, e->code ? "busy" : "idle", (uint32_t)e->value,
		     e->code ? "became busy" : "became idle");
		break;
	case GPREEMPT_EVENT_LEASE:
		tell(d, e, "note", WIRE_QUEUE_ALL, "let go by the kernel: the lease ended");
		break;
	case GPREEMPT_EVENT_LOST:
		on_lost(d, e);
		break;
	default:
		break;
	}
}

static void stop(struct gpd_module *m)
{
	m->event_io = sd_event_source_unref(m->event_io);
	if (m->event_fd >= 0)
		close(m->event_fd);
	m->event_fd = -1;
}

static int on_events(sd_event_source *s, int fd, uint32_t io, void *data)
{
	struct gpreempt_abi_event events[EVENTS];
	struct gpd *d = data;
	ssize_t nr = drv_module_read(fd, events, EVENTS);
	ssize_t i;

	if (nr < 0 || io & (EPOLLERR | EPOLLHUP)) {
		gpd_log(LOG_WARNING, "the kernel module's events ended");
		stop(d->module);
		return 0;
	}
	for (i = 0; i < nr; i++)
		translate(d, &events[i]);
	return 0;
}

static int start(struct gpd *d)
{
	struct gpd_module *m = d->module;
	struct gpreempt_abi_event none[NONE];
	int err;

	m->event_fd = drv_module_open();
	if (m->event_fd < 0)
		return m->event_fd;
	/* From now on nothing is missed. */
	while (drv_module_read(m->event_fd, none, NONE) > 0)
		;
	err = sd_event_add_io(d->event, &m->event_io, m->event_fd, EPOLLIN, on_events, d);
	/* For users that monitor, so not before what root asks for. */
	if (err >= 0)
		err = sd_event_source_set_priority(m->event_io, GPD_PRIORITY_USER);
	if (err < 0)
		stop(m);
	return err;
}

void gpd_module_monitor(struct gpd *d)
{
	struct gpd_module *m = d->module;
	bool wanted = m && m->used && gpd_control_first_monitor(d);

	if (!m || wanted == (m->event_fd >= 0))
		return;
	if (!wanted)
		stop(m);
	else if (start(d) < 0)
		gpd_log(LOG_WARNING, "the kernel module's events cannot be read");
}
