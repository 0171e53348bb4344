// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_ops.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
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
			  "last_exit", gpd_list_text(d->last_exit), "privileged",
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

static json_t *node_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);
	bool timed = s->switch_ns.nr > 0;
	uint32_t nr_queues;
	uint32_t nr_busy;
	json_t *node;

	n->ops->count_queues(n, &nr_queues, &nr_busy);
	node = json_pack("{s:I, s:i, s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:s, s:s, s:o, s:s}",
			 "gpu_id", (json_int_t)n->gpu_id, "index", (int)n->topology, "name",
			 gpd_list_text(n->name), "simulated", n->simulated, "gfx_target",
			 gpd_list_known(n->gfx_target, n->gfx_target), "nr_xcc",
			 gpd_list_known(n->nr_xcc, n->nr_xcc), "nr_cu",
			 gpd_list_known(n->nr_cu, n->nr_cu), "cwsr",
			 n->cwsr < 0 ? json_null() : json_boolean(n->cwsr), "enabled",
			 gpd_nodes_is_enabled(n), "policy", n->ops->policy(n), "breaker",
			 gp_breaker_state_name(s->breaker), "breaker_reason", breaker_reason(n, s),
			 "scheduler", n->ops->scheduler);
	json_object_update_new(
		node, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "nr_entities",
				(json_int_t)s->nr_entities, "nr_queues", (json_int_t)nr_queues,
				"nr_busy", (json_int_t)nr_busy, "nr_out", (json_int_t)s->nr_out,
				"nr_preemptions", (json_int_t)s->nr_preemptions, "nr_resumes",
				(json_int_t)s->nr_resumes, "switch_p50_ns",
				gpd_list_known(timed, gp_hist_percentile(&s->switch_ns, 500000)),
				"switch_p99_ns",
				gpd_list_known(timed, gp_hist_percentile(&s->switch_ns, 990000))));
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
	return json_pack("{s:o, s:i, s:i, s:I, s:I, s:b, s:b, s:o}", "class",
			 gpd_list_text(a->klass), "priority", a->core.prio, "weight",
			 (int)a->core.weight, "slice_ns", (json_int_t)a->core.slice_ns,
			 "deadline_ns", (json_int_t)a->core.deadline_ns, "latency_critical",
			 a->core.latency_critical, "no_preempt", a->core.no_preempt, "group",
			 gpd_list_text(a->group));
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

json_t *gpd_list_held(bool sched, bool manual)
{
	json_t *array = json_array();

	if (sched)
		json_array_append_new(array, json_string("sched"));
	if (manual)
		json_array_append_new(array, json_string("manual"));
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

/* The core counts a time when it is over; people want to see it grow. */
static void add_stint(const struct gpd_entity *e, struct gp_entity_info *info)
{
	uint64_t now_ns = gpd_now_ns();
	uint64_t stint_ns = e->since_ns && now_ns > e->since_ns ? now_ns - e->since_ns : 0;

	if (info->state == GP_ENTITY_RUNNING)
		info->run_ns += stint_ns;
	if (info->state == GP_ENTITY_PREEMPTED && info->nr_busy) {
		info->off_ns += stint_ns;
		info->off_max_ns = max(info->off_max_ns, stint_ns);
	}
}

static void sum_up(struct gpd_client *c, struct gpd_totals *t)
{
	struct gp_entity_info info;
	struct gpd_member *m;
	struct gpd_queue *q;

	memset(t, 0, sizeof(*t));
	t->state = GP_ENTITY_IDLE;
	LIST_FOREACH(m, &c->members, of_client) {
		if (gp_sched_entity_info(c->d->sched, m->entity->id, &info))
			continue;
		if (gpd_list_outweighs(info.state, t->state))
			t->state = info.state;
		add_stint(m->entity, &info);
		t->nr_preempted += info.nr_preempted;
		t->run_ns += info.run_ns;
		t->off_ns += info.off_ns;
		t->off_max_ns = max(t->off_max_ns, info.off_max_ns);
		t->sched |= m->held;
	}
	LIST_FOREACH(q, &c->queues, link) {
		t->nr_busy += q->busy;
		t->manual |= q->manual;
	}
}

/* To the core, what is held by hand has no work; to people it is held. */
const char *gpd_list_state_name(const struct gpd_totals *t)
{
	if (t->manual && t->nr_busy && t->state == GP_ENTITY_IDLE)
		return "held";
	return gp_entity_state_name(t->state);
}

json_t *gpd_list_process(struct gpd_client *c, bool is_blind)
{
	uint32_t sees = c->sees | (is_blind ? WIRE_SEES_NOT_ALL : 0);
	json_t *notes = json_array();
	struct gpd_totals t;
	uint32_t i;

	sum_up(c, &t);
	for (i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, json_string(c->notes[i]));
	return json_pack("{s:i, s:I, s:o, s:s, s:I, s:o, s:i, s:i, s:s, s:o, s:o, s:I, s:I, s:I, "
			 "s:I, s:o}",
			 "pid", (int)c->pid, "uid", (json_int_t)c->owner.uid, "comm",
			 gpd_list_text(c->comm), "mechanism", c->ops->name, "client",
			 (json_int_t)c->number, "attributes", gpd_list_attributes(&c->attrs),
			 "nr_queues", (int)c->nr_queues, "nr_busy", (int)t.nr_busy, "state",
			 gpd_list_state_name(&t), "held", gpd_list_held(t.sched, t.manual),
			 "sees", sees_json(sees), "nr_preempted", (json_int_t)t.nr_preempted,
			 "run_ns", (json_int_t)t.run_ns, "off_ns", (json_int_t)t.off_ns,
			 "off_max_ns", (json_int_t)t.off_max_ns, "notes", notes);
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

/* A bucket of the interface is a power of two of the fine ones. */
#define SUB (1u << GP_HIST_SUB_BITS)

/* Upper end of a bucket, as hist.h defines them: exact below 2 * SUB. */
static uint64_t upper(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * SUB)
		return bucket;
	shift = bucket / SUB - 1;
	return ((uint64_t)(bucket % SUB + SUB + 1) << shift) - 1;
}

static json_t *buckets(const struct gp_hist *h)
{
	json_t *array = json_array();
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < GP_HIST_BUCKETS; i++) {
		count += h->bucket[i];
		/* Four of ours to a power of two. */
		if ((i + 1) % (SUB / 4) || !count)
			continue;
		json_array_append_new(array, json_pack("{s:I, s:I}", "le_ns", (json_int_t)upper(i),
						       "count", (json_int_t)count));
		count = 0;
	}
	return array;
}

static json_t *percentile(const struct gp_hist *h, u32 ppm)
{
	return gpd_list_known(h->nr, gp_hist_percentile(h, ppm));
}

static json_t *hist_json(const struct gp_hist *h)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)h->nr,
			 "sum_ns", (json_int_t)h->sum, "min_ns", gpd_list_known(h->nr, h->min),
			 "max_ns", gpd_list_known(h->nr, h->max), "p50_ns", percentile(h, 500000),
			 "p90_ns", percentile(h, 900000), "p99_ns", percentile(h, 990000),
			 "buckets", buckets(h));
}

static json_t *statistics_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);
	json_t *node = json_pack("{s:I, s:o, s:o, s:o, s:o}", "gpu_id", (json_int_t)n->gpu_id,
				 "switch", hist_json(&s->switch_ns), "off", hist_json(&s->off_ns),
				 "decision", hist_json(n->ops->detect(n)), "fanout",
				 hist_json(&n->fanout));

#define COUNT(member) json_object_set_new(node, #member, json_integer((json_int_t)s->member))
	COUNT(nr_events);
	COUNT(nr_switches);
	COUNT(nr_preemptions);
	COUNT(nr_resumes);
	COUNT(nr_failed);
	COUNT(nr_deadline);
	COUNT(nr_starvation);
	COUNT(nr_rate_limited);
	COUNT(nr_left_to_finish);
	COUNT(cost_ns);
	COUNT(off_max_ns);
#undef COUNT
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
