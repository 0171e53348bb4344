// SPDX-License-Identifier: MIT
#include "engine.h"
#include "client.h"
#include "lease.h"
#include "member.h"
#include "monitor.h"
#include "util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTITIES 8192
#define MAX_QUEUES 32768
/* Deadlines in a row after which a client is left alone. */
#define MISSED_MAX 2

static void trace(void *data, const struct gp_trace *t)
{
	struct gpd *d = data;
	u64 cookie;

	if (t->kind == GP_TRACE_STATE && !gp_sched_entity_cookie(d->sched, t->id, &cookie))
		((struct gpd_entity *)(uintptr_t)cookie)->since_ns = t->now_ns;
	gpd_monitor_trace(data, t);
}

static void set_timer(struct gpd_node *n)
{
	uint64_t at_ns = n->core_timer_ns;

	if (n->sw.seq && n->sw.check_ns < at_ns)
		at_ns = n->sw.check_ns;
	if (at_ns == U64_MAX) {
		sd_event_source_set_enabled(n->timer, SD_EVENT_OFF);
		return;
	}
	/* Never early: the core would only ask again. */
	sd_event_source_set_time(n->timer, at_ns / 1000 + 1);
	sd_event_source_set_enabled(n->timer, SD_EVENT_ONESHOT);
}

/* An entity is gone with the last of its members, and fails with the first. */
static void set_result(struct gpd_member *m, uint32_t index, enum gp_result result)
{
	enum gp_result *of_entity = &m->node->sw.result[index];

	if (result == GP_RESULT_GONE && gpd_member_has_others(m))
		return;
	if (result > *of_entity)
		*of_entity = result;
}

static void answered(struct gpd_member *m, enum gp_result result)
{
	if (!m->wait_epoch)
		return;
	m->wait_epoch = 0;
	m->node->sw.nr_pending--;
	set_result(m, m->wait_index, result);
}

static void order(struct gpd_member *m, uint32_t index, bool release, uint64_t *first_ns)
{
	struct gp_wire_order o = {
		.gpu_id = m->node->gpu_id,
		.queue_id = GP_WIRE_QUEUE_ALL,
		.holder = GP_WIRE_HOLDER_SCHED,
	};

	if (gpd_member_order(m, &o, release)) {
		set_result(m, index, GP_RESULT_GONE);
		return;
	}
	/* Stamped when it was handed over: what it wakes may run before we do. */
	if (!*first_ns)
		*first_ns = o.hdr.time_ns;
	m->wait_epoch = o.epoch;
	m->wait_index = index;
	m->wait_release = release;
	m->node->sw.nr_pending++;
}

/* Nobody waits any more for the answers of a switch that missed its deadline. */
static void forget_switch(struct gpd_node *n)
{
	struct gpd_entity *e;
	struct gpd_member *m;

	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			m->wait_epoch = 0;
	n->sw.seq = 0;
	n->sw.nr_pending = 0;
}

static void order_entity(struct gpd_node *n, u64 id, uint32_t index, bool release,
			 uint64_t *first_ns)
{
	struct gpd_member *m;
	struct gpd_entity *e;
	u64 cookie;

	n->sw.result[index] = GP_RESULT_OK;
	if (gp_sched_entity_cookie(n->d->sched, id, &cookie)) {
		n->sw.result[index] = GP_RESULT_GONE;
		return;
	}
	e = (struct gpd_entity *)(uintptr_t)cookie;
	LIST_FOREACH(m, &e->members, of_entity)
		order(m, index, release, first_ns);
}

static void start_switch(struct gpd_node *n, const struct gp_switch *sw)
{
	struct gpd *d = n->d;
	uint64_t first_ns = 0;
	u64 deadline_ns = 0;
	uint32_t i;

	if (n->sw.seq)
		forget_switch(n);
	n->sw.seq = sw->seq;
	n->sw.nr = sw->nr_preempt + sw->nr_resume;
	n->sw.start_ns = gpd_now_ns();
	for (i = 0; i < n->sw.nr; i++)
		order_entity(n, sw->id[i], i, i >= sw->nr_preempt, &first_ns);
	gp_sched_param_get(d->sched, n->index, "deadline_ns", &deadline_ns);
	n->sw.check_ns = n->sw.start_ns + deadline_ns / 4 * 3;
	if (sw->nr_preempt && first_ns && d->rx_ns)
		gp_hist_add(&n->decision, first_ns - d->rx_ns);
	if (first_ns)
		n->sw.start_ns = first_ns;
	gpd_monitor_switch(n, sw);
}

static void report(struct gpd_node *n, const struct gp_action *a)
{
	const char *text = gp_report_name(a->report);
	bool loud = a->report != GP_REPORT_STARVATION && a->report != GP_REPORT_RATE_LIMIT;

	gpd_log(loud ? LOG_WARNING : LOG_DEBUG, "node %" PRIu32 ": %s", n->gpu_id, text);
	gpd_monitor_report(n, a->report, a->id);
}

static void carry_out(struct gpd_node *n)
{
	struct gp_actions *out = &n->d->out;
	u32 i;

	for (i = 0; i < out->nr; i++) {
		struct gp_action *a = &out->a[i];

		switch (a->kind) {
		case GP_ACTION_SWITCH:
			start_switch(n, &out->sw);
			break;
		case GP_ACTION_SET_TIMER:
			n->core_timer_ns = a->at_ns;
			break;
		case GP_ACTION_REPORT:
			report(n, a);
			break;
		default:
			/* Clients tell both edges of every queue, always. */
			break;
		}
	}
	/* Nothing is carried out twice. */
	out->nr = 0;
	set_timer(n);
}

/* The core was called; carry out what it wants until nothing is left to do at once. */
static void settle(struct gpd_node *n)
{
	struct gpd *d = n->d;

	carry_out(n);
	while (n->sw.seq && !n->sw.nr_pending) {
		uint64_t seq = n->sw.seq;
		uint64_t now_ns = gpd_now_ns();

		n->sw.seq = 0;
		if (now_ns > n->sw.start_ns)
			gp_hist_add(&n->fanout, now_ns - n->sw.start_ns);
		gpd_monitor_done(n, seq, now_ns - n->sw.start_ns);
		gp_sched_switch_done(d->sched, n->index, seq, n->sw.result, n->sw.nr, now_ns,
				     &d->out);
		carry_out(n);
	}
	gpd_lease_update(d);
}

/* A member that owes an answer: is it its own fault? */
static void look_at(struct gpd_member *m)
{
	struct gpd_client *c = m->client;
	struct gpd_proc proc;

	if (c->ops->late) {
		c->ops->late(c);
		return;
	}
	if (gpd_proc_read(c->pid, &proc) || (proc.state != 'T' && proc.state != 't'))
		return;
	gpd_client_note(c, "is stopped and does not answer");
	c->nr_missed = MISSED_MAX;
	if (!m->wait_release)
		gpd_member_let_go_all(m->entity);
	answered(m, GP_RESULT_BUSY);
}

/* The daemon itself may be late: answers that are there already count. */
static void hear_all(struct gpd_node *n)
{
	struct gpd_client *c;
	struct gpd_member *m;

	LIST_FOREACH(c, &n->d->clients, link) {
		m = gpd_engine_member(c, n);
		if (m && m->wait_epoch)
			gpd_client_poll(c);
	}
}

static void look_at_silent(struct gpd_node *n)
{
	uint64_t seq = n->sw.seq;
	struct gpd_entity *e;
	struct gpd_member *m;

	hear_all(n);
	if (n->sw.seq != seq)
		return;
	n->sw.check_ns = U64_MAX;
	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			if (m->wait_epoch)
				look_at(m);
}

/* The core is about to see that its deadline is over. */
static void count_missed(struct gpd_node *n)
{
	struct gpd_entity *e;
	struct gpd_member *m;

	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			if (m->wait_epoch) {
				m->client->nr_missed++;
				gpd_client_note(m->client, "did not answer in time");
			}
}

/* Clients that do not answer are left alone, and taken in again when they do. */
static void mute_silent(struct gpd *d)
{
	struct gpd_client *c;

	LIST_FOREACH(c, &d->clients, link) {
		bool mute = c->nr_missed >= MISSED_MAX;

		if (c->state != GPD_CLIENT_KNOWN || mute == c->mute)
			continue;
		c->mute = mute;
		gpd_client_note(c, mute ? "left alone until it answers" : "answers again");
		gpd_engine_attrs(c);
	}
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_node *n = data;
	struct gpd *d = n->d;
	uint64_t now_ns = gpd_now_ns();
	uint64_t seq;

	if (n->sw.seq && now_ns >= n->sw.check_ns)
		look_at_silent(n);
	settle(n);
	if (now_ns >= n->core_timer_ns) {
		seq = n->sw.seq;
		n->core_timer_ns = U64_MAX;
		if (seq && n->sw.check_ns == U64_MAX)
			count_missed(n);
		gp_sched_timer(d->sched, n->index, now_ns, &d->out);
		settle(n);
	}
	mute_silent(d);
	return 0;
}

int gpd_engine_node(struct gpd_node *n)
{
	int err;

	n->core_timer_ns = U64_MAX;
	n->enabled = true;
	LIST_INIT(&n->entities);
	err = sd_event_add_time(n->d->event, &n->timer, CLOCK_MONOTONIC, 0, 1, on_timer, n);
	if (err < 0)
		return err;
	sd_event_source_set_description(n->timer, "node");
	return sd_event_source_set_enabled(n->timer, SD_EVENT_OFF);
}

int gpd_engine_init(struct gpd *d)
{
	struct gp_sched_config config = {
		.nr_nodes = d->max_nodes,
		.max_entities = MAX_ENTITIES,
		.max_queues = MAX_QUEUES,
		.trace = trace,
		.trace_data = d,
	};
	size_t size = gp_sched_size(&config);
	uint32_t i;
	int err;

	d->sched_mem = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!d->sched_mem)
		return -ENOMEM;
	err = gp_sched_init(d->sched_mem, size, &config, &d->sched);
	for (i = 0; !err && i < d->nr_nodes; i++)
		err = gpd_engine_node(&d->node[i]);
	return err ? err : gpd_lease_init(d);
}

void gpd_engine_fini(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		sd_event_source_unref(d->node[i].timer);
	gpd_lease_fini(d);
	free(d->sched_mem);
}

void gpd_engine_queue_level(struct gpd_queue *q)
{
	struct gpd *d = q->client->d;
	bool busy = q->busy && !q->manual;

	if (q->core_id == GP_ID_NONE || q->shown == busy)
		return;
	q->shown = busy;
	if (busy)
		gp_sched_queue_busy(d->sched, q->core_id, gpd_now_ns(), &d->out);
	else
		gp_sched_queue_idle(d->sched, q->core_id, gpd_now_ns(), &d->out);
	settle(q->member->node);
}

void gpd_engine_done(struct gpd_client *c, const struct gp_wire_done *done)
{
	struct gpd_member *m;

	c->nr_missed = 0;
	LIST_FOREACH(m, &c->members, of_client)
		if (m->wait_epoch == done->epoch && m->node->gpu_id == done->gpu_id)
			break;
	if (c->mute)
		mute_silent(c->d);
	if (!m)
		return;
	gpd_member_done(m, done);
	answered(m, (enum gp_result)done->result);
	settle(m->node);
}

static void set_entity_attr(struct gpd_entity *e)
{
	struct gpd *d = e->node->d;
	struct gp_attr attr;

	gpd_member_attr(e, &attr);
	if (!gp_sched_entity_set_attr(d->sched, e->id, &attr, gpd_now_ns(), &d->out))
		settle(e->node);
}

static int queue_join(struct gpd_queue *q)
{
	struct gpd *d = q->client->d;
	int err = gp_sched_queue_add(d->sched, q->member->entity->id, (u64)(uintptr_t)q,
				     gpd_now_ns(), &d->out, &q->core_id);

	if (err) {
		q->core_id = GP_ID_NONE;
		return err;
	}
	settle(q->member->node);
	gpd_engine_queue_level(q);
	return 0;
}

static void queue_leave(struct gpd_queue *q)
{
	struct gpd *d = q->client->d;

	q->shown = false;
	if (q->core_id == GP_ID_NONE)
		return;
	if (!gp_sched_queue_remove(d->sched, q->core_id, gpd_now_ns(), &d->out))
		settle(q->member->node);
	q->core_id = GP_ID_NONE;
}

int gpd_engine_queue_add(struct gpd_queue *q, struct gpd_node *n)
{
	struct gpd_member *m;
	int err;

	m = gpd_member_get(q->client, n, &err);
	settle(n);
	if (!m)
		return err;
	q->member = m;
	m->nr_queues++;
	err = queue_join(q);
	if (err)
		gpd_engine_queue_remove(q);
	return err;
}

void gpd_engine_queue_remove(struct gpd_queue *q)
{
	struct gpd_member *m = q->member;
	struct gpd_node *n;

	if (!m)
		return;
	n = m->node;
	queue_leave(q);
	q->member = NULL;
	if (--m->nr_queues)
		return;
	answered(m, GP_RESULT_GONE);
	gpd_member_put(m);
	settle(n);
}

/* A member goes to the entity of its group, running; that one may hold it at once. */
static void move_member(struct gpd_member *m)
{
	struct gpd_client *c = m->client;
	struct gpd_queue *q;
	int err;

	gpd_member_let_go(m);
	answered(m, GP_RESULT_GONE);
	LIST_FOREACH(q, &c->queues, link)
		if (q->member == m)
			queue_leave(q);
	gpd_member_leave(m);
	settle(m->node);
	err = gpd_member_join(m);
	settle(m->node);
	LIST_FOREACH(q, &c->queues, link)
		if (!err && q->member == m)
			err = queue_join(q);
	if (err)
		gpd_client_drop(c, err, "no room for its queues");
}

void gpd_engine_attrs(struct gpd_client *c)
{
	struct gpd_member *m;
	struct gpd_member *next;

	for (m = LIST_FIRST(&c->members); m; m = next) {
		next = LIST_NEXT(m, of_client);
		if (strcmp(m->entity->group, c->attrs.group))
			move_member(m);
		else
			set_entity_attr(m->entity);
	}
}

void gpd_engine_nudge(struct gpd_member *m)
{
	struct gp_wire_order o = {
		.gpu_id = m->node->gpu_id,
		.queue_id = GP_WIRE_QUEUE_ALL,
		.holder = GP_WIRE_HOLDER_SCHED,
	};

	if (m->held || m->wait_epoch)
		return;
	if (!gpd_member_order(m, &o, false))
		gpd_member_order(m, &o, true);
}

int gpd_engine_set_policy(struct gpd_node *n, const char *name)
{
	int err = gp_sched_set_policy(n->d->sched, n->index, name, gpd_now_ns(), &n->d->out);

	if (!err)
		settle(n);
	return err;
}

int gpd_engine_set_param(struct gpd_node *n, const char *name, uint64_t value)
{
	return gp_sched_param_set(n->d->sched, n->index, name, value, NULL);
}

int gpd_engine_set_enabled(struct gpd_node *n, bool enabled)
{
	int err = gp_sched_set_enabled(n->d->sched, n->index, enabled, gpd_now_ns(), &n->d->out);

	if (err)
		return err;
	n->enabled = enabled;
	if (enabled) {
		n->out_reason[0] = '\0';
		n->nr_no_progress = 0;
	}
	settle(n);
	return 0;
}

void gpd_engine_put_out(struct gpd_node *n, const char *reason)
{
	gpd_log(LOG_ERR, "node %" PRIu32 ": out of scheduling: %s", n->gpu_id, reason);
	gpd_engine_set_enabled(n, false);
	snprintf(n->out_reason, sizeof(n->out_reason), "%s", reason);
	gpd_monitor_event(n->d, "report", 0, n->gpu_id, GP_WIRE_QUEUE_ALL,
			  "out of scheduling: %s", reason);
}

void gpd_engine_release_all(struct gpd *d)
{
	struct gpd_client *c;
	struct gpd_member *m;

	LIST_FOREACH(c, &d->clients, link)
		LIST_FOREACH(m, &c->members, of_client)
			gpd_member_let_go(m);
}

struct gpd_member *gpd_engine_member(struct gpd_client *c, const struct gpd_node *n)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &c->members, of_client)
		if (m->node == n)
			return m;
	return NULL;
}
