// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_fanout.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_lease.h"
#include "daemon/clients/gpd_member.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/clients/gpd_silent.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>

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

void gpd_fanout_answered(struct gpd_member *m, enum gp_result result)
{
	if (!m->wait_epoch)
		return;
	m->wait_epoch = 0;
	m->node->sw.nr_pending--;
	set_result(m, m->wait_index, result);
}

static void order(struct gpd_member *m, uint32_t index, bool release, uint64_t *first_ns)
{
	struct wire_order o = {
		.gpu_id = m->node->gpu_id,
		.queue_id = WIRE_QUEUE_ALL,
		.holder = WIRE_HOLDER_SCHED,
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

void gpd_fanout_forget(struct gpd_node *n)
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
		gpd_fanout_forget(n);
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

void gpd_fanout_settle(struct gpd_node *n)
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

/* Orders in a row that a client without privileges may fail. */
#define ERRORS_MAX 3
#define BUSY_MAX 16

/* A client that fails again and again is left alone: it cannot be stopped. */
static void count_failure(struct gpd_client *c, const struct wire_done *done)
{
	uint32_t max = done->result == WIRE_ERROR ? ERRORS_MAX : BUSY_MAX;

	c->nr_failed = done->result == WIRE_OK ? 0 : c->nr_failed + 1;
	if (c->nr_failed < max || c->refused || c->user->privileged)
		return;
	gpd_client_note(c, "left alone: its orders fail");
	c->refused = true;
	gpd_engine_attrs(c);
}

bool gpd_fanout_done(struct gpd_client *c, const struct wire_done *done)
{
	struct gpd_member *m;
	struct gpd_node *n;

	c->nr_missed = 0;
	LIST_FOREACH(m, &c->members, of_client)
		if (m->wait_epoch && m->wait_epoch == done->epoch &&
		    m->node->gpu_id == done->gpu_id)
			break;
	if (c->mute)
		gpd_silent_mute(c->d);
	if (!m)
		return false;
	n = m->node;
	gpd_member_done(m, done);
	if (done->result == WIRE_OK)
		gpd_silent_heard(m);
	gpd_fanout_answered(m, gpd_trust_result(m, (enum gp_result)done->result));
	gpd_fanout_settle(n);
	count_failure(c, done);
	return true;
}
