// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_event.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "driver/list_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events that are kept. */
#define EVENTS_MAX 4096
/* A peer that reads nothing for this long while it loses events is let go. */
#define SLOW_NS (10 * GPD_NS_PER_SEC)

/* The last events. */
struct gpd_events {
	uint64_t next;	       /* number of the next event */
	uint64_t nr_plain;     /* events that are no traces */
	sd_event_source *pump; /* gives subscribers their turn; on only if there is something new */
	struct gpd_event ring[EVENTS_MAX];
};

static struct gpd_event *at(struct gpd_events *e, uint64_t number)
{
	return &e->ring[number % EVENTS_MAX];
}

static void clear(struct gpd_event *e)
{
	json_decref(e->json);
	free(e->pids);
	free(e->message);
	e->json = NULL;
	e->pids = NULL;
	e->message = NULL;
}

static json_t *pids(const pid_t *pid, uint32_t nr)
{
	json_t *array = json_array();

	for (; nr--; pid++)
		json_array_append_new(array, json_integer(*pid));
	return array;
}

static json_t *data_of(const struct gpd_event *e)
{
	const struct gp_trace *t = &e->trace;

	switch (e->has) {
	case GPD_EVENT_TRACE:
		return json_pack("{s:s, s:I, s:I, s:[I, I, I, I]}", "record",
				 gp_trace_kind_name(t->kind), "node", (json_int_t)t->node, "id",
				 (json_int_t)t->id, "arg", (json_int_t)t->arg[0],
				 (json_int_t)t->arg[1], (json_int_t)t->arg[2],
				 (json_int_t)t->arg[3]);
	case GPD_EVENT_SWITCH:
		return json_pack("{s:I, s:o, s:o}", "seq", (json_int_t)e->seq, "preempt",
				 pids(e->pids, e->nr_preempt), "resume",
				 pids(e->pids + e->nr_preempt, e->nr_resume));
	case GPD_EVENT_DONE:
		return json_pack("{s:I, s:I}", "seq", (json_int_t)e->seq, "took_ns",
				 (json_int_t)e->took_ns);
	default:
		return e->json ? json_incref(e->json) : json_null();
	}
}

static void put_words(struct gpd_event *e)
{
	const struct gp_trace *t = &e->trace;

	if (e->has == GPD_EVENT_TRACE && t->kind == GP_TRACE_STATE)
		snprintf(e->text, sizeof(e->text), "%s -> %s",
			 gp_entity_state_name((enum gp_entity_state)t->arg[0]),
			 gp_entity_state_name((enum gp_entity_state)t->arg[1]));
	else if (e->has == GPD_EVENT_TRACE)
		snprintf(e->text, sizeof(e->text), "%s", gp_trace_kind_name(t->kind));
}

/* The message, made once; NULL without memory. */
static const char *message_of(struct gpd_event *e)
{
	json_t *message;

	if (e->message)
		return e->message;
	put_words(e);
	message = json_pack("{s:{s:{s:I, s:s, s:o, s:o, s:o, s:s, s:o}}, s:b}", "parameters",
			    "event", "time_ns", (json_int_t)e->time_ns, "kind", e->kind, "pid",
			    drv_json_known(e->pid, (uint64_t)e->pid), "gpu_id",
			    drv_json_known(e->gpu_id, e->gpu_id), "queue_id",
			    drv_json_known(e->queue_id != WIRE_QUEUE_ALL, e->queue_id), "text",
			    e->text, "data", data_of(e), "continues", 1);
	e->message = message ? json_dumps(message, JSON_COMPACT) : NULL;
	json_decref(message);
	return e->message;
}

static void put(struct gpd_conn *conn, struct gpd_event *e)
{
	const char *message = message_of(e);

	if (message)
		gpd_control_put(conn, message);
}

/* Those of some processes that a connection may see. Return: how many. */
static uint32_t keep_seen(const struct gpd_conn *conn, const pid_t *pid, uint32_t nr, pid_t *seen)
{
	uint32_t nr_seen = 0;

	for (; nr--; pid++)
		if (gpd_list_may_see(conn, *pid))
			seen[nr_seen++] = *pid;
	return nr_seen;
}

/* A switch concerns many processes: a container gets a message of its own. */
static void put_seen(struct gpd_conn *conn, const struct gpd_event *e)
{
	struct gpd_event seen = *e;

	seen.message = NULL;
	seen.pids = calloc(e->nr_preempt + e->nr_resume + 1, sizeof(*seen.pids));
	if (!seen.pids)
		return;
	seen.nr_preempt = keep_seen(conn, e->pids, e->nr_preempt, seen.pids);
	seen.nr_resume = keep_seen(conn, e->pids + e->nr_preempt, e->nr_resume,
				   seen.pids + seen.nr_preempt);
	put(conn, &seen);
	clear(&seen);
}

/* As the lists are: of no process, or of one that it may see by now. */
static void deliver(struct gpd_conn *conn, struct gpd_event *e)
{
	if (e->pid && !gpd_list_may_see(conn, e->pid))
		return;
	if (e->has == GPD_EVENT_SWITCH && conn->cred.owner.is_foreign)
		put_seen(conn, e);
	else
		put(conn, e);
}

/* One that is not of the ring. */
static void put_own(struct gpd_conn *conn, const char *kind, const char *text, json_t *data)
{
	struct gpd_event e = {
		.time_ns = gpd_now_ns(),
		.kind = kind,
		.queue_id = WIRE_QUEUE_ALL,
		.json = data,
	};

	snprintf(e.text, sizeof(e.text), "%s", text);
	put(conn, &e);
	clear(&e);
}

void gpd_event_greet(struct gpd_conn *conn)
{
	put_own(conn, "note", "monitoring", NULL);
}

static bool has_lost(const struct gpd_conn *conn)
{
	return conn->event_next + EVENTS_MAX < conn->d->events->next;
}

/* Up to the oldest event that is kept. */
static void skip_lost(struct gpd_conn *conn)
{
	struct gpd_events *e = conn->d->events;
	uint64_t oldest = e->next - EVENTS_MAX;
	uint64_t nr_plain = at(e, oldest)->nr_plain;
	uint64_t nr = conn->trace ? oldest - conn->event_next : nr_plain - conn->nr_plain;
	char text[64];

	conn->event_next = oldest;
	conn->nr_plain = nr_plain;
	if (!nr)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", nr);
	put_own(conn, "lost", text, json_pack("{s:I}", "count", (json_int_t)nr));
}

bool gpd_event_has_step(const struct gpd_conn *conn)
{
	return conn->monitor && conn->event_next < conn->d->events->next;
}

void gpd_event_step(struct gpd_conn *conn)
{
	int nr = gpd_control_steps(conn);
	struct gpd_event *e;

	if (has_lost(conn))
		skip_lost(conn);
	while (nr && gpd_event_has_step(conn) && !conn->dead) {
		e = at(conn->d->events, conn->event_next++);
		conn->nr_plain += e->has != GPD_EVENT_TRACE;
		if (e->has == GPD_EVENT_TRACE && !conn->trace)
			continue;
		deliver(conn, e);
		nr--;
	}
	if (!conn->dead)
		gpd_control_flush(conn);
}

static int on_pump(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	uint64_t now_ns = gpd_now_ns();
	struct gpd_conn *conn;

	for (conn = gpd_control_first_monitor(d); conn; conn = LIST_NEXT(conn, of_monitors))
		if (has_lost(conn) && conn->since_ns && now_ns - conn->since_ns > SLOW_NS)
			gpd_control_dead(conn);
		else
			gpd_control_next(conn);
	return 0;
}

int gpd_event_begin(struct gpd_conn *conn)
{
	struct gpd *d = conn->d;
	int err;

	if (!d->events) {
		d->events = calloc(1, sizeof(*d->events));
		if (!d->events)
			return -ENOMEM;
		err = gpd_defer_add(d->event, &d->events->pump, GPD_PRIORITY_ROOT, on_pump, d);
		if (err < 0) {
			gpd_event_fini(d);
			return err;
		}
	}
	conn->event_next = d->events->next;
	conn->nr_plain = d->events->nr_plain;
	return 0;
}

void gpd_event_fini(struct gpd *d)
{
	uint32_t i;

	if (!d->events)
		return;
	for (i = 0; i < EVENTS_MAX; i++)
		clear(&d->events->ring[i]);
	sd_event_source_unref(d->events->pump);
	free(d->events);
	d->events = NULL;
}

bool gpd_event_is_wanted(struct gpd *d, bool trace)
{
	const struct gpd_conn *conn;

	for (conn = gpd_control_first_monitor(d); conn; conn = LIST_NEXT(conn, of_monitors))
		if (!trace || conn->trace)
			return true;
	return false;
}

struct gpd_event *gpd_event_add(struct gpd *d, uint64_t time_ns, const char *kind, bool trace)
{
	struct gpd_events *all = d->events;
	struct gpd_event *e;

	if (!gpd_event_is_wanted(d, trace))
		return NULL;
	e = at(all, all->next++);
	clear(e);
	e->time_ns = time_ns;
	e->kind = kind;
	e->pid = 0;
	e->gpu_id = 0;
	e->queue_id = WIRE_QUEUE_ALL;
	e->text[0] = '\0';
	e->has = trace ? GPD_EVENT_TRACE : GPD_EVENT_PLAIN;
	e->nr_plain = all->nr_plain;
	all->nr_plain += !trace;
	sd_event_source_set_enabled(all->pump, SD_EVENT_ONESHOT);
	return e;
}
