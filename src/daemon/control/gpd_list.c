// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_ops.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_util.h"
#include "rules/right.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void gpd_list_info(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd *d = conn->d;
	json_t *mechanisms = json_pack("[s]", d->ops->mechanism);

	if (d->ops->is_traced && d->config->dbg != GPD_DBG_OFF)
		json_array_append_new(mechanisms, json_string("dbg"));
	if (d->config->nr_sim)
		json_array_append_new(mechanisms, json_string("sim"));
	gpd_control_reply(
		conn,
		json_pack("{s:s, s:i, s:i, s:I, s:o, s:i, s:i, s:o, s:b, s:s, s:o}", "version",
			  GPD_VERSION, "pid", (int)getpid(), "uid", (int)geteuid(), "uptime_ns",
			  (json_int_t)(gpd_now_ns() - d->start_ns), "mechanisms", mechanisms,
			  "nr_clients", (int)d->nr_clients, "nr_nodes", (int)d->nr_nodes,
			  "last_exit", drv_json_text(d->last_exit), "privileged",
			  conn->cred.privileged, "scheduler", d->ops->scheduler, "module",
			  gpd_module_json(d)));
}

/* The core's reason, or the daemon's own if it put the node out. */
static json_t *breaker_reason(const struct gpd_node *n, const struct gp_node_stats *s)
{
	if (n->out_reason[0])
		return json_string(n->out_reason);
	return s->breaker == GP_BREAKER_CLOSED ? json_null() :
						 json_string(gp_report_name(s->breaker_reason));
}

static json_t *percentile(const struct gp_hist *h, u32 ppm)
{
	return drv_json_known(h->nr, gp_hist_percentile(h, ppm));
}

void gpd_list_add_waits(json_t *out, const struct gp_small_hist *waits)
{
	struct gp_hist h;

	gp_small_hist_widen(waits, &h);
	json_object_update_new(out, json_pack("{s:I, s:o, s:o, s:o}", "nr_waits", (json_int_t)h.nr,
					      "wait_p50_ns", percentile(&h, 500000), "wait_p99_ns",
					      percentile(&h, 990000), "wait_p999_ns",
					      percentile(&h, 999000)));
}

static json_t *node_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);
	struct gpreempt_node about = n->about;
	uint32_t nr_queues;
	uint32_t nr_busy;
	json_t *node;

	about.enabled = gpd_nodes_is_enabled(n);
	snprintf(about.policy, sizeof(about.policy), "%s", n->ops->policy(n));
	snprintf(about.breaker, sizeof(about.breaker), "%s", gp_breaker_state_name(s->breaker));
	node = drv_json_node(&about);
	n->ops->count_queues(n, &nr_queues, &nr_busy);
	json_object_update_new(
		node, json_pack("{s:b, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
				"simulated", n->simulated, "breaker_reason", breaker_reason(n, s),
				"scheduler", n->ops->scheduler, "nr_entities",
				(json_int_t)s->nr_entities, "nr_queues", (json_int_t)nr_queues,
				"nr_busy", (json_int_t)nr_busy, "nr_out", (json_int_t)s->nr_out,
				"nr_preemptions", (json_int_t)s->nr_preemptions, "nr_resumes",
				(json_int_t)s->nr_resumes, "switch_p50_ns",
				percentile(&s->switch_ns, 500000), "switch_p99_ns",
				percentile(&s->switch_ns, 990000)));
	gpd_list_add_waits(node, &s->wait_ns);
	return node;
}

void gpd_list_nodes(struct gpd_conn *conn, const struct gpd_request *r)
{
	json_t *nodes = json_array();
	uint32_t i;

	for (i = 0; i < conn->d->nr_nodes; i++)
		json_array_append_new(nodes, node_json(&conn->d->node[i]));
	gpd_control_reply(conn, json_pack("{s:o}", "nodes", nodes));
}

json_t *gpd_list_attributes(const struct gpd_attrs *a)
{
	json_t *out = json_pack("{s:o, s:o}", "class", drv_json_text(a->klass), "group",
				drv_json_text(a->group));

#define X(name, text, member, ...) \
	json_object_set_new(out, text, drv_json_member(a->core.member));
	GP_ATTRS(X)
#undef X
	return out;
}

/* What a client can see and what it cannot, in words. */
static json_t *sees_json(uint32_t sees)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} words[] = {
		{ WIRE_SEES_IOCTL, "queues by its ioctls" },
		{ WIRE_SEES_TABLE, "doorbells by the HSA table" },
		{ WIRE_SEES_SYMBOL, "doorbells by interposed symbols" },
		{ WIRE_SEES_POINTERS, "work by watching pointers" },
		{ WIRE_SEES_SNAPSHOT, "queues by snapshots" },
		{ WIRE_SEES_NOT_RAW, "not: a raw doorbell was handed out" },
		{ WIRE_SEES_NOT_PROXY, "not: a profiler's proxy queue" },
		{ WIRE_SEES_NOT_ALL, "not: the driver lists queues it never saw" },
	};
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sees & words[i].bit)
			json_array_append_new(array, json_string(words[i].text));
	return array;
}

/* The state that matters most of a process that has several nodes. */
static const enum gp_entity_state by_weight[] = {
	GP_ENTITY_LOST,	     GP_ENTITY_PREEMPTED, GP_ENTITY_PREEMPTING, GP_ENTITY_RESUMING,
	GP_ENTITY_WAITING,   GP_ENTITY_RUNNING,	  GP_ENTITY_IDLE,
};

bool gpd_list_outweighs(enum gp_entity_state a, enum gp_entity_state b)
{
	size_t i;

	for (i = 0; i < sizeof(by_weight) / sizeof(by_weight[0]); i++)
		if (by_weight[i] == a || by_weight[i] == b)
			return by_weight[i] == a;
	return false;
}

static void sum_up(struct gpd_client *c, struct gpd_totals *t)
{
	struct gp_entity_info info;
	struct gpd_member *m;
	struct gpd_queue *q;

	memset(t, 0, sizeof(*t));
	t->state = GP_ENTITY_IDLE;
	t->nr_queues = c->nr_queues;
	LIST_FOREACH(m, &c->members, of_client) {
		if (gpd_tally_entity(m->entity, &info))
			continue;
		if (gpd_list_outweighs(info.state, t->state))
			t->state = info.state;
		t->nr_preempted += info.nr_preempted;
		t->run_ns += info.run_ns;
		t->off_ns += info.off_ns;
		t->off_max_ns = max(t->off_max_ns, info.off_max_ns);
		gp_small_hist_merge(&t->waits, &m->entity->waits);
		t->held |= m->held ? GPREEMPT_HELD_SCHED : 0;
	}
	LIST_FOREACH(q, &c->queues, link) {
		t->nr_busy += q->busy;
		t->held |= q->manual ? GPREEMPT_HELD_MANUAL : 0;
	}
}

/* To the core, what is held by hand has no work; to people it is held. */
static const char *state_name(const struct gpd_totals *t)
{
	return t->held & GPREEMPT_HELD_MANUAL && t->state == GP_ENTITY_IDLE ?
		       "held" : gp_entity_state_name(t->state);
}

static json_t *process_json(struct gpreempt_process *p, const char *mechanism,
			    const struct gpd_totals *t)
{
	static const struct gpd_totals none;
	json_t *out;

	if (t) {
		p->nr_queues = t->nr_queues;
		p->nr_busy = (struct gpreempt_value){ t->nr_busy, GPREEMPT_SOURCE_DAEMON, 0 };
		snprintf(p->state, sizeof(p->state), "%s", state_name(t));
	}
	out = drv_json_process(p, mechanism);
	t = t ? t : &none;
	json_object_update_new(out, json_pack("{s:o, s:I, s:I, s:I, s:I}", "held",
					      drv_json_held(t->held), "nr_preempted",
					      (json_int_t)t->nr_preempted, "run_ns",
					      (json_int_t)t->run_ns, "off_ns",
					      (json_int_t)t->off_ns, "off_max_ns",
					      (json_int_t)t->off_max_ns));
	gpd_list_add_waits(out, &t->waits);
	return out;
}

json_t *gpd_list_other(pid_t pid, const char *mechanism, uint32_t nr_queues,
		       const struct gpd_totals *t)
{
	struct gpreempt_process p = { .pid = (uint32_t)pid, .nr_queues = nr_queues };
	struct gpd_proc proc;

	if (!gpd_proc_read(pid, &proc)) {
		p.uid = (struct gpreempt_value){ proc.uid, GPREEMPT_SOURCE_DAEMON, 0 };
		memcpy(p.comm, proc.comm, sizeof(p.comm));
	}
	return process_json(&p, mechanism, t);
}

json_t *gpd_list_process(struct gpd_client *c, bool is_blind)
{
	uint32_t sees = c->sees | (is_blind ? WIRE_SEES_NOT_ALL : 0);
	struct gpreempt_process p = {
		.pid = (uint32_t)c->pid,
		.uid = { c->owner.uid, GPREEMPT_SOURCE_DAEMON, 0 },
	};
	json_t *notes = json_array();
	struct gpd_totals t;
	json_t *out;
	uint32_t i;

	sum_up(c, &t);
	memcpy(p.comm, c->comm, sizeof(p.comm));
	out = process_json(&p, c->ops->name, &t);
	for (i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, json_string(c->notes[i]));
	json_object_update_new(out, json_pack("{s:I, s:o, s:o, s:o}", "client",
					      (json_int_t)c->number, "attributes",
					      gpd_list_attributes(&c->attrs), "sees",
					      sees_json(sees), "notes", notes));
	return out;
}

void gpd_list_settings(struct gpd_conn *conn, const struct gpd_request *r)
{
	const struct gpd_config *c = conn->d->config;
	json_t *settings = json_array();
	const struct gpd_setting *s;

	for (s = c->settings; s < c->settings + c->nr_settings; s++)
		json_array_append_new(settings,
				      json_pack("{s:s, s:s, s:s, s:s}", "section", s->section,
						"key", s->key, "value", s->value, "origin",
						s->origin));
	gpd_control_reply(conn, json_pack("{s:o}", "settings", settings));
}

/* Four buckets of the interface to a power of two. */
#define FINE ((1u << GP_HIST_SUB_BITS) / 4)

static json_t *buckets(const struct gp_hist *h)
{
	json_t *array = json_array();
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < GP_HIST_BUCKETS; i++) {
		count += h->bucket[i];
		if ((i + 1) % FINE || !count)
			continue;
		json_array_append_new(array, json_pack("{s:I, s:I}", "le_ns",
						       (json_int_t)gp_hist_bucket_end(i), "count",
						       (json_int_t)count));
		count = 0;
	}
	return array;
}

static json_t *hist_json(const struct gp_hist *h)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count",
			 (json_int_t)h->nr, "sum_ns", (json_int_t)h->sum, "min_ns",
			 drv_json_known(h->nr, h->min), "max_ns", drv_json_known(h->nr, h->max),
			 "p50_ns", percentile(h, 500000), "p90_ns", percentile(h, 900000), "p99_ns",
			 percentile(h, 990000), "p999_ns", percentile(h, 999000), "buckets",
			 buckets(h));
}

/* The smallest is not kept. */
static json_t *waits_json(const struct gp_small_hist *waits)
{
	struct gp_hist h;
	json_t *out;

	gp_small_hist_widen(waits, &h);
	out = hist_json(&h);
	json_object_set_new(out, "min_ns", json_null());
	return out;
}

/* The work of each class on a node, online or not. */
static json_t *classes_json(struct gpd_node *n)
{
	json_t *classes = json_array();
	struct gpd_class_waits *k;

	LIST_FOREACH(k, &n->class_waits, link)
		json_array_append_new(classes, json_pack("{s:o, s:o}", "class",
							 drv_json_text(k->klass), "wait",
							 waits_json(&k->waits)));
	return classes;
}

static json_t *statistics_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);
	json_t *node = json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "gpu_id",
				 (json_int_t)n->gpu_id, "switch", hist_json(&s->switch_ns), "off",
				 hist_json(&s->off_ns), "wait", waits_json(&s->wait_ns), "decision",
				 hist_json(n->ops->detect(n)), "fanout", hist_json(&n->fanout),
				 "classes", classes_json(n));

#define X(member) json_object_set_new(node, #member, json_integer((json_int_t)s->member));
	DRV_STATS_ALL(X)
#undef X
	return node;
}

void gpd_list_statistics(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd *d = conn->d;
	json_t *nodes = json_array();
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (!r->gpu_id || d->node[i].gpu_id == (uint32_t)r->gpu_id)
			json_array_append_new(nodes, statistics_json(&d->node[i]));
	if (!r->gpu_id || json_array_size(nodes)) {
		gpd_control_reply(conn, json_pack("{s:o}", "nodes", nodes));
		return;
	}
	json_decref(nodes);
	gpd_control_error(conn, "NotFound", "what", "node %" PRIu64, r->gpu_id);
}
