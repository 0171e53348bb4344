// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_gang.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <string.h>

static struct gpd_node *node_of(struct gp_act *a)
{
	return container_of(a, struct gpd_node, act);
}

static u64 clock_ns(struct gp_act *a)
{
	return gpd_now_ns();
}

/* For the core, and for members that are slow or do not answer. */
static void set_timer(struct gpd_node *n)
{
	uint64_t at_ns = n->act.timer_ns;

	if (n->act.is_switching) {
		at_ns = min(at_ns, n->sw.check_ns);
		at_ns = min(at_ns, n->sw.patience_ns);
	}
	gpd_timer_set(n->timer, at_ns);
}

/* An entity is gone with the last of its members, and fails with the first. */
static void set_result(struct gpd_member *m, uint32_t index, enum gp_result result)
{
	uint8_t *of_entity = &m->node->act.results[index];

	if (result == GP_RESULT_GONE && gpd_member_has_others(m))
		return;
	if (result > *of_entity)
		*of_entity = (uint8_t)result;
}

static void stop_waiting(struct gpd_member *m)
{
	LIST_REMOVE(m, of_switch);
	m->wait_epoch = 0;
}

void gpd_fanout_answered(struct gpd_member *m, enum gp_result result)
{
	if (!m->wait_epoch)
		return;
	stop_waiting(m);
	set_result(m, m->wait_index, result);
}

static void order(struct gpd_member *m, uint32_t index, bool release, uint64_t *first_ns)
{
	if (gpd_member_order(m, release)) {
		set_result(m, index, GP_RESULT_GONE);
		return;
	}
	/* Stamped when it was handed over: what it wakes may run before we do. */
	if (!*first_ns)
		*first_ns = m->order_ns;
	m->wait_epoch = m->order_epoch;
	m->wait_index = index;
	m->wait_release = release;
	LIST_INSERT_HEAD(&m->node->sw.waiting, m, of_switch);
	gpd_late_ordered(m);
}

static void order_entity(struct gpd_node *n, uint32_t index, bool release, uint64_t *first_ns)
{
	struct gpd_member *m;
	struct gpd_entity *e;
	u64 cookie;

	if (gp_sched_entity_cookie(n->d->sched, n->act.sw.id[index], &cookie)) {
		n->act.results[index] = GP_RESULT_GONE;
		return;
	}
	e = (struct gpd_entity *)(uintptr_t)cookie;
	LIST_FOREACH(m, &e->members, of_entity)
		order(m, index, release, first_ns);
}

/* Return: the last answer of the switch is there. */
static bool is_over(struct gpd_node *n)
{
	uint64_t now_ns = gpd_now_ns(), took_ns = now_ns - n->sw.start_ns;

	if (!LIST_EMPTY(&n->sw.waiting))
		return false;
	if (took_ns)
		gp_hist_add(&n->fanout, took_ns);
	gpd_monitor_done(n->d, now_ns, n->gpu_id, n->act.sw.seq, took_ns);
	return true;
}

static bool begin(struct gp_act *a)
{
	struct gpd_node *n = node_of(a);
	const struct gp_switch *sw = &a->sw;
	uint64_t first_ns = 0;
	uint32_t i;

	n->sw.start_ns = gpd_now_ns();
	gpd_late_begin(n);
	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++)
		order_entity(n, i, i >= sw->nr_preempt, &first_ns);
	if (sw->nr_preempt && first_ns && n->d->rx_ns)
		gp_hist_add(&n->decision, first_ns - n->d->rx_ns);
	if (first_ns)
		n->sw.start_ns = first_ns;
	gpd_monitor_switch(n, sw);
	return is_over(n);
}

static void drop(struct gp_act *a)
{
	struct gpd_node *n = node_of(a);

	while (!LIST_EMPTY(&n->sw.waiting))
		stop_waiting(LIST_FIRST(&n->sw.waiting));
}

static void report(struct gp_act *a, enum gp_report report, u64 id)
{
	bool loud = report != GP_REPORT_STARVATION && report != GP_REPORT_RATE_LIMIT;

	gpd_log(loud ? LOG_WARNING : LOG_DEBUG, "node %" PRIu32 ": %s", node_of(a)->gpu_id,
		gp_report_name(report));
	gpd_monitor_report(node_of(a), report, id);
}

static void gang_news(struct gp_act *a)
{
	gpd_gang_news(node_of(a));
}

/* Clients tell both edges of every queue, always: nothing is armed. */
static const struct gp_act_ops act_ops = {
	.now_ns = clock_ns,
	.begin = begin,
	.drop = drop,
	.report = report,
	.gang = gang_news,
};

void gpd_fanout_init(struct gpd_node *n)
{
	LIST_INIT(&n->sw.waiting);
	gp_act_init(&n->act, n->d->sched, n->index, &act_ops);
}

void gpd_fanout_settle(struct gpd_node *n)
{
	gp_act_run(&n->act);
	if (n->act.is_switching && is_over(n))
		gp_act_done(&n->act);
	set_timer(n);
	gpd_lease_update(n->d);
}

void gpd_fanout_forget(struct gpd_node *n)
{
	drop(&n->act);
	n->act.is_switching = false;
}

void gpd_fanout_failed(struct gpd_member *m)
{
	struct gpd_member *other;

	LIST_FOREACH(other, &m->entity->members, of_entity)
		gpd_member_let_go(other);
}

bool gpd_fanout_done(struct gpd_member *m, const struct wire_done *done)
{
	enum gp_result result = (enum gp_result)done->result;

	if (!m->wait_epoch || m->wait_epoch != done->epoch)
		return false;
	if (result == GP_RESULT_OK)
		gpd_late_learn(m);
	else
		gpd_client_note(m->client, "could not %s on node %" PRIu32 ": %s",
				m->wait_release ? "continue" : "stop", m->node->gpu_id,
				done->error ? strerror((int)done->error) : gp_result_name(result));
	/* What could not be held is released: the core takes it to run. */
	if (result == GP_RESULT_GONE && !m->wait_release)
		gpd_member_let_go(m);
	else if (result != GP_RESULT_OK && !m->wait_release)
		gpd_fanout_failed(m);
	gpd_fanout_answered(m, gpd_trust_result(m, result));
	gpd_fanout_settle(m->node);
	return true;
}
