// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events that wait to be read. */
#define EVENTS_MAX (256u << 10)
/* A peer that reads nothing for this long while something waits is let go. */
#define SLOW_NS (10 * GPD_NS_PER_SEC)

/* A message, for free(); NULL without memory. */
static char *make_event(uint64_t time_ns, const char *kind, pid_t pid, uint32_t gpu_id,
			uint32_t queue_id, const char *text, json_t *data)
{
	json_t *message = json_pack(
		"{s:{s:{s:I, s:s, s:o, s:o, s:o, s:s, s:o}}, s:b}", "parameters", "event",
		"time_ns", (json_int_t)time_ns, "kind", kind, "pid",
		drv_json_known(pid, (uint64_t)pid), "gpu_id", drv_json_known(gpu_id, gpu_id),
		"queue_id", drv_json_known(queue_id != WIRE_QUEUE_ALL, queue_id), "text", text,
		"data", data ? data : json_null(), "continues", 1);
	char *event = message ? json_dumps(message, JSON_COMPACT) : NULL;

	json_decref(message);
	return event;
}

/* Whether an event would only be counted. */
static bool is_slow(const struct gpd_conn *conn)
{
	return conn->dead || conn->out_len - conn->out_sent > EVENTS_MAX;
}

static void count_lost(struct gpd_conn *conn)
{
	conn->nr_lost++;
	if (!conn->dead && conn->since_ns && gpd_now_ns() - conn->since_ns > SLOW_NS)
		gpd_control_dead(conn);
}

static void say_what_was_lost(struct gpd_conn *conn)
{
	char text[64];
	char *event;

	snprintf(text, sizeof(text), "%" PRIu64 " events lost", conn->nr_lost);
	event = make_event(gpd_now_ns(), "lost", 0, 0, WIRE_QUEUE_ALL, text,
			   json_pack("{s:I}", "count", (json_int_t)conn->nr_lost));
	conn->nr_lost = 0;
	if (event)
		gpd_control_put(conn, event);
	free(event);
}

/* Sent when it is the connection's turn: others are not kept waiting for the system call. */
static void send_event(struct gpd_conn *conn, const char *event)
{
	if (is_slow(conn)) {
		count_lost(conn);
		return;
	}
	if (conn->nr_lost)
		say_what_was_lost(conn);
	if (event)
		gpd_control_put(conn, event);
}

static void send_all(struct gpd *d, const char *event, bool trace)
{
	struct gpd_conn *conn;

	for (conn = gpd_control_first_monitor(d); conn; conn = LIST_NEXT(conn, of_monitors))
		if (!trace || conn->trace)
			send_event(conn, event);
}

/* Whether an event is read: connections that do not read only count what they miss. */
static bool is_read(struct gpd *d, bool trace)
{
	struct gpd_conn *conn;

	for (conn = gpd_control_first_monitor(d); conn; conn = LIST_NEXT(conn, of_monitors))
		if ((!trace || conn->trace) && !is_slow(conn))
			return true;
	send_all(d, NULL, trace);
	return false;
}

void gpd_monitor_at(struct gpd *d, uint64_t time_ns, const char *kind, pid_t pid,
		    uint32_t gpu_id, uint32_t queue_id, const char *text, json_t *data)
{
	char *event = make_event(time_ns, kind, pid, gpu_id, queue_id, text, data);

	send_all(d, event, !strcmp(kind, "trace"));
	free(event);
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
	gpd_monitor_at(d, gpd_now_ns(), kind, pid, gpu_id, queue_id, text, NULL);
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
	char *event = make_event(gpd_now_ns(), "note", 0, 0, WIRE_QUEUE_ALL, "monitoring", NULL);

	send_event(conn, event);
	free(event);
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

/* The processes of the entities of a switch, in its order. */
static json_t *pids(struct gpd *d, const u64 *id, u32 nr)
{
	json_t *array = json_array();
	struct gpd_entity *e;
	struct gpd_member *m;

	for (; nr--; id++) {
		e = entity_of(d, *id);
		if (e)
			LIST_FOREACH(m, &e->members, of_entity)
		json_array_append_new(array, json_integer(m->client->pid));
	}
	return array;
}

void gpd_monitor_switch(struct gpd_node *n, const struct gp_switch *sw)
{
	char text[96];

	if (!is_read(n->d, false))
		return;
	snprintf(text, sizeof(text), "switch %" PRIu64 ": %" PRIu32 " out, %" PRIu32 " in", sw->seq,
		 sw->nr_preempt, sw->nr_resume);
	gpd_monitor_at(n->d, gpd_now_ns(), "switch", 0, n->gpu_id, WIRE_QUEUE_ALL, text,
		       json_pack("{s:I, s:o, s:o}", "seq", (json_int_t)sw->seq, "preempt",
				 pids(n->d, sw->id, sw->nr_preempt), "resume",
				 pids(n->d, sw->id + sw->nr_preempt, sw->nr_resume)));
}

void gpd_monitor_done(struct gpd *d, uint64_t time_ns, uint32_t gpu_id, uint64_t seq,
		      uint64_t took_ns)
{
	char text[96];

	if (!is_read(d, false))
		return;
	snprintf(text, sizeof(text), "switch %" PRIu64 " took %" PRIu64 " us", seq, took_ns / 1000);
	gpd_monitor_at(d, time_ns, "done", 0, gpu_id, WIRE_QUEUE_ALL, text,
		       json_pack("{s:I, s:I}", "seq", (json_int_t)seq, "took_ns",
				 (json_int_t)took_ns));
}

void gpd_monitor_report(struct gpd_node *n, enum gp_report report, u64 id)
{
	gpd_monitor_event(n->d, "report", pid_of(n->d, id), n->gpu_id, WIRE_QUEUE_ALL, "%s",
			  gp_report_name(report));
}

void gpd_monitor_record(struct gpd *d, const struct gp_trace *t, pid_t pid, uint32_t gpu_id)
{
	const char *kind = gp_trace_kind_name(t->kind);
	char text[64];

	snprintf(text, sizeof(text), "%s", kind);
	if (t->kind == GP_TRACE_STATE)
		snprintf(text, sizeof(text), "%s -> %s",
			 gp_entity_state_name((enum gp_entity_state)t->arg[0]),
			 gp_entity_state_name((enum gp_entity_state)t->arg[1]));
	gpd_monitor_at(d, t->now_ns, "trace", pid, gpu_id, WIRE_QUEUE_ALL, text,
		       json_pack("{s:s, s:I, s:I, s:[I, I, I, I]}", "record", kind, "node",
				 (json_int_t)t->node, "id", (json_int_t)t->id, "arg",
				 (json_int_t)t->arg[0], (json_int_t)t->arg[1],
				 (json_int_t)t->arg[2], (json_int_t)t->arg[3]));
}

void gpd_monitor_trace(struct gpd *d, const struct gp_trace *t)
{
	if (is_read(d, true))
		gpd_monitor_record(d, t, pid_of(d, t->id), d->node[t->node].gpu_id);
}
