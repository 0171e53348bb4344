// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_monitor.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *integer_or_null(bool there, uint64_t value)
{
	return there ? json_integer((json_int_t)value) : json_null();
}

static json_t *make_event(uint64_t time_ns, const char *kind, pid_t pid, uint32_t gpu_id,
			  uint32_t queue_id, const char *text, json_t *data)
{
	return json_pack("{s:I, s:s, s:o, s:o, s:o, s:s, s:o}", "time_ns", (json_int_t)time_ns,
			 "kind", kind, "pid", integer_or_null(pid, (uint64_t)pid), "gpu_id",
			 integer_or_null(gpu_id, gpu_id), "queue_id",
			 integer_or_null(queue_id != WIRE_QUEUE_ALL, queue_id), "text", text,
			 "data", data ? data : json_null());
}

/* The event is made into text once, and not at all for connections that do not read. */
static void send_all(struct gpd *d, json_t *event, bool trace)
{
	struct gpd_conn *conn;
	char *text = NULL;

	for (conn = gpd_control_first_monitor(d); conn; conn = gpd_control_next_monitor(conn)) {
		if (trace && !conn->trace)
			continue;
		if (!text && event && !gpd_control_is_slow(conn)) {
			text = gpd_control_event_text(event);
			event = NULL;
		}
		gpd_control_event(conn, text ? text : "");
	}
	free(text);
	json_decref(event);
}

/* Whether anybody reads events: the others only count what they miss. */
static bool is_read(struct gpd *d, bool trace)
{
	struct gpd_conn *conn;
	bool found = false;

	for (conn = gpd_control_first_monitor(d); conn; conn = gpd_control_next_monitor(conn)) {
		if (trace && !conn->trace)
			continue;
		if (!gpd_control_is_slow(conn))
			found = true;
	}
	if (!found)
		send_all(d, NULL, trace);
	return found;
}

void gpd_monitor_event(struct gpd *d, const char *kind, pid_t pid, uint32_t gpu_id,
		       uint32_t queue_id, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!is_read(d, false))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	send_all(d, make_event(gpd_now_ns(), kind, pid, gpu_id, queue_id, text, NULL), false);
}

void gpd_monitor_at(struct gpd *d, uint64_t time_ns, const char *kind, pid_t pid,
		    uint32_t gpu_id, uint32_t queue_id, const char *text, json_t *data)
{
	send_all(d, make_event(time_ns, kind, pid, gpu_id, queue_id, text, data),
		 !strcmp(kind, "trace"));
}

void gpd_monitor_attrs(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs)
{
	gpd_monitor_event(d, "attribute", pid, 0, WIRE_QUEUE_ALL,
			  "priority %u, weight %" PRIu32 ", class %s, group %s",
			  (unsigned int)attrs->core.prio, attrs->core.weight,
			  attrs->klass[0] ? attrs->klass : "-",
			  attrs->group[0] ? attrs->group : "-");
}

void gpd_monitor_begin(struct gpd_conn *conn)
{
	json_t *event = make_event(gpd_now_ns(), "note", 0, 0, WIRE_QUEUE_ALL, "monitoring",
				   NULL);

	char *text = gpd_control_event_text(event);

	if (text)
		gpd_control_event(conn, text);
	free(text);
}

void gpd_monitor_edge(const struct gpd_queue *q)
{
	const char *kind = q->busy ? "busy" : "idle";

	gpd_monitor_event(q->client->d, kind, q->client->pid, q->told.gpu_id, q->told.queue_id,
			  "became %s", kind);
}

/* The processes of the entities of a switch, in its order. */
static json_t *pids(struct gpd_node *n, const u64 *id, u32 nr)
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < nr; i++) {
		struct gpd_member *m;
		u64 cookie;

		if (gp_sched_entity_cookie(n->d->sched, id[i], &cookie))
			continue;
		LIST_FOREACH(m, &((struct gpd_entity *)(uintptr_t)cookie)->members, of_entity)
			json_array_append_new(array, json_integer(m->client->pid));
	}
	return array;
}

void gpd_monitor_switch(struct gpd_node *n, const struct gp_switch *sw)
{
	struct gpd *d = n->d;
	char text[96];
	json_t *data;

	if (!is_read(d, false))
		return;
	snprintf(text, sizeof(text), "switch %" PRIu64 ": %" PRIu32 " out, %" PRIu32 " in", sw->seq,
		 sw->nr_preempt, sw->nr_resume);
	data = json_pack("{s:I, s:o, s:o}", "seq", (json_int_t)sw->seq, "preempt",
			 pids(n, sw->id, sw->nr_preempt), "resume",
			 pids(n, sw->id + sw->nr_preempt, sw->nr_resume));
	send_all(d, make_event(gpd_now_ns(), "switch", 0, n->gpu_id, WIRE_QUEUE_ALL, text, data),
		 false);
}

void gpd_monitor_done(struct gpd_node *n, uint64_t seq, uint64_t took_ns)
{
	struct gpd *d = n->d;
	char text[96];
	json_t *data;

	if (!is_read(d, false))
		return;
	snprintf(text, sizeof(text), "switch %" PRIu64 " took %" PRIu64 " us", seq, took_ns / 1000);
	data = json_pack("{s:I, s:I}", "seq", (json_int_t)seq, "took_ns", (json_int_t)took_ns);
	send_all(d, make_event(gpd_now_ns(), "done", 0, n->gpu_id, WIRE_QUEUE_ALL, text, data),
		 false);
}

void gpd_monitor_report(struct gpd_node *n, enum gp_report report, u64 id)
{
	struct gpd_entity *e;
	pid_t pid = 0;
	u64 cookie;

	if (id != GP_ID_NONE && !gp_sched_entity_cookie(n->d->sched, id, &cookie)) {
		e = (struct gpd_entity *)(uintptr_t)cookie;
		if (!LIST_EMPTY(&e->members))
			pid = LIST_FIRST(&e->members)->client->pid;
	}
	gpd_monitor_event(n->d, "report", pid, n->gpu_id, WIRE_QUEUE_ALL, "%s",
			  gp_report_name(report));
}

/* Names of the records, in the words of sched.h. */
static const char *const kinds[] = {
	[GP_TRACE_EVENT_ADD] = "event_add",
	[GP_TRACE_EVENT_REMOVE] = "event_remove",
	[GP_TRACE_EVENT_ATTR] = "event_attr",
	[GP_TRACE_EVENT_QUEUE_ADD] = "event_queue_add",
	[GP_TRACE_EVENT_QUEUE_REMOVE] = "event_queue_remove",
	[GP_TRACE_EVENT_BUSY] = "event_busy",
	[GP_TRACE_EVENT_IDLE] = "event_idle",
	[GP_TRACE_EVENT_PROGRESS] = "event_progress",
	[GP_TRACE_EVENT_SWITCH_DONE] = "event_switch_done",
	[GP_TRACE_EVENT_TIMER] = "event_timer",
	[GP_TRACE_EVENT_POLICY] = "event_policy",
	[GP_TRACE_EVENT_ENABLE] = "event_enable",
	[GP_TRACE_EVENT_PARAM] = "event_param",
	[GP_TRACE_EVENT_NODE_LOST] = "event_node_lost",
	[GP_TRACE_EVENT_NODE_BACK] = "event_node_back",
	[GP_TRACE_STATE] = "state",
	[GP_TRACE_ACTION_SWITCH] = "action_switch",
	[GP_TRACE_ACTION_TIMER] = "action_timer",
	[GP_TRACE_ACTION_ARM] = "action_arm",
	[GP_TRACE_ACTION_DISARM] = "action_disarm",
	[GP_TRACE_ACTION_REPORT] = "action_report",
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == GP_TRACE_KIND_COUNT, "a record has no name");

static void describe(char *text, size_t size, const struct gp_trace *t)
{
	if (t->kind == GP_TRACE_STATE)
		snprintf(text, size, "%s -> %s",
			 gp_entity_state_name((enum gp_entity_state)t->arg[0]),
			 gp_entity_state_name((enum gp_entity_state)t->arg[1]));
	else
		snprintf(text, size, "%s", kinds[t->kind]);
}

void gpd_monitor_trace(struct gpd *d, const struct gp_trace *t)
{
	struct gpd_entity *e;
	char text[64];
	pid_t pid = 0;
	json_t *data;
	u64 cookie;

	if (t->kind >= GP_TRACE_KIND_COUNT || !is_read(d, true))
		return;
	if (t->id != GP_ID_NONE && !gp_sched_entity_cookie(d->sched, t->id, &cookie)) {
		e = (struct gpd_entity *)(uintptr_t)cookie;
		if (!LIST_EMPTY(&e->members))
			pid = LIST_FIRST(&e->members)->client->pid;
	}
	describe(text, sizeof(text), t);
	data = json_pack("{s:s, s:I, s:I, s:[I, I, I, I]}", "record", kinds[t->kind], "node",
			 (json_int_t)t->node, "id", (json_int_t)t->id, "arg",
			 (json_int_t)t->arg[0], (json_int_t)t->arg[1], (json_int_t)t->arg[2],
			 (json_int_t)t->arg[3]);
	send_all(d, make_event(t->now_ns, "trace", pid, d->node[t->node].gpu_id, WIRE_QUEUE_ALL,
			       text, data), true);
}
