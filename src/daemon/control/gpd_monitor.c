// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_event.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gpd_monitor_at(struct gpd *d, uint64_t time_ns, const char *kind, pid_t pid,
		    uint32_t gpu_id, uint32_t queue_id, const char *text, json_t *data)
{
	struct gpd_event *e = gpd_event_add(d, time_ns, kind, false);

	if (!e) {
		json_decref(data);
		return;
	}
	e->pid = pid;
	e->gpu_id = gpu_id;
	e->queue_id = queue_id;
	e->json = data;
	snprintf(e->text, sizeof(e->text), "%s", text);
}

void gpd_monitor_event(struct gpd *d, const char *kind, pid_t pid, uint32_t gpu_id,
		       uint32_t queue_id, const char *format, ...)
{
	struct gpd_event *e = gpd_event_add(d, gpd_now_ns(), kind, false);
	va_list args;

	if (!e)
		return;
	e->pid = pid;
	e->gpu_id = gpu_id;
	e->queue_id = queue_id;
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
}

void gpd_monitor_attrs(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs)
{
	gpd_monitor_event(d, "attribute", pid, 0, WIRE_QUEUE_ALL,
			  "priority %u, weight %" PRIu32 ", class %s, group %s",
			  (unsigned int)attrs->core.prio, attrs->core.weight,
			  attrs->klass[0] ? attrs->klass : "-",
			  attrs->group[0] ? attrs->group : "-");
}

void gpd_monitor_edge(const struct gpd_queue *q)
{
	const char *kind = q->busy ? "busy" : "idle";

	gpd_monitor_event(q->client->d, kind, q->client->pid, q->told.gpu_id, q->told.queue_id,
			  "became %s", kind);
}

static struct gpd_entity *entity_of(struct gpd *d, u64 id)
{
	u64 cookie;

	if (id == GP_ID_NONE || gp_sched_entity_cookie(d->sched, id, &cookie))
		return NULL;
	return (struct gpd_entity *)(uintptr_t)cookie;
}

/* The first process of an entity, 0 = none. */
static pid_t pid_of(struct gpd *d, u64 id)
{
	struct gpd_entity *e = entity_of(d, id);

	return e && !LIST_EMPTY(&e->members) ? LIST_FIRST(&e->members)->client->pid : 0;
}

/* The processes of the entities of a switch, in its order, to @pids. Return: how many there are. */
static uint32_t put_pids(struct gpd *d, const u64 *id, u32 nr, pid_t *pids)
{
	struct gpd_entity *e;
	struct gpd_member *m;
	uint32_t nr_pids = 0;

	for (; nr--; id++) {
		e = entity_of(d, *id);
		if (!e)
			continue;
		LIST_FOREACH(m, &e->members, of_entity) {
			if (pids)
				pids[nr_pids] = m->client->pid;
			nr_pids++;
		}
	}
	return nr_pids;
}

void gpd_monitor_switch(struct gpd_node *n, const struct gp_switch *sw)
{
	struct gpd_event *e = gpd_event_add(n->d, gpd_now_ns(), "switch", false);
	const u64 *resume = sw->id + sw->nr_preempt;

	if (!e)
		return;
	e->has = GPD_EVENT_SWITCH;
	e->gpu_id = n->gpu_id;
	e->seq = sw->seq;
	snprintf(e->text, sizeof(e->text), "switch %" PRIu64 ": %" PRIu32 " out, %" PRIu32 " in",
		 sw->seq, sw->nr_preempt, sw->nr_resume);
	e->nr_preempt = put_pids(n->d, sw->id, sw->nr_preempt, NULL);
	e->nr_resume = put_pids(n->d, resume, sw->nr_resume, NULL);
	e->pids = calloc(e->nr_preempt + e->nr_resume + 1, sizeof(*e->pids));
	if (!e->pids) {
		e->nr_preempt = 0;
		e->nr_resume = 0;
		return;
	}
	put_pids(n->d, sw->id, sw->nr_preempt, e->pids);
	put_pids(n->d, resume, sw->nr_resume, e->pids + e->nr_preempt);
}

void gpd_monitor_done(struct gpd *d, uint64_t time_ns, uint32_t gpu_id, uint64_t seq,
		      uint64_t took_ns)
{
	struct gpd_event *e = gpd_event_add(d, time_ns, "done", false);

	if (!e)
		return;
	e->has = GPD_EVENT_DONE;
	e->gpu_id = gpu_id;
	e->seq = seq;
	e->took_ns = took_ns;
	snprintf(e->text, sizeof(e->text), "switch %" PRIu64 " took %" PRIu64 " us", seq,
		 took_ns / 1000);
}

void gpd_monitor_report(struct gpd_node *n, enum gp_report report, u64 id)
{
	gpd_monitor_event(n->d, "report", pid_of(n->d, id), n->gpu_id, WIRE_QUEUE_ALL, "%s",
			  gp_report_name(report));
}

void gpd_monitor_record(struct gpd *d, const struct gp_trace *t, pid_t pid, uint32_t gpu_id)
{
	struct gpd_event *e = gpd_event_add(d, t->now_ns, "trace", true);

	if (!e)
		return;
	e->trace = *t;
	e->pid = pid;
	e->gpu_id = gpu_id;
}

void gpd_monitor_trace(struct gpd *d, const struct gp_trace *t)
{
	if (gpd_event_is_wanted(d, true))
		gpd_monitor_record(d, t, pid_of(d, t->id), d->node[t->node].gpu_id);
}
