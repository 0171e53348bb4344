// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_list_other.h"
#include "daemon/gpd_hold.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_nodes.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *known(bool is_known, uint64_t value)
{
	return is_known ? json_integer((json_int_t)value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

json_t *gpd_list_info(struct gpd *d, const struct gpd_cred *cred)
{
	json_t *mechanisms = d->ops->mechanisms(d);

	if (d->config->nr_sim)
		json_array_append_new(mechanisms, json_string("sim"));
	return json_pack("{s:s, s:i, s:i, s:I, s:o, s:i, s:i, s:o, s:b, s:s, s:o}", "version",
			 GPD_VERSION, "pid", (int)getpid(), "uid", (int)geteuid(), "uptime_ns",
			 (json_int_t)(gpd_now_ns() - d->start_ns), "mechanisms", mechanisms,
			 "nr_clients", (int)d->nr_clients, "nr_nodes", (int)d->nr_nodes,
			 "last_exit", text_or_null(d->last_exit), "privileged", cred->privileged,
			 "scheduler", d->ops->scheduler, "module", gpd_module_json(d));
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
			 text_or_null(n->name), "simulated", n->simulated, "gfx_target",
			 known(n->gfx_target, n->gfx_target), "nr_xcc", known(n->nr_xcc, n->nr_xcc),
			 "nr_cu", known(n->nr_cu, n->nr_cu), "cwsr",
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
				known(timed, gp_hist_percentile(&s->switch_ns, 500000)),
				"switch_p99_ns",
				known(timed, gp_hist_percentile(&s->switch_ns, 990000))));
	return node;
}

json_t *gpd_list_nodes(struct gpd *d)
{
	json_t *nodes = json_array();
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		json_array_append_new(nodes, node_json(&d->node[i]));
	return nodes;
}

json_t *gpd_list_attributes(const struct gpd_attrs *a)
{
	return json_pack("{s:o, s:i, s:i, s:I, s:I, s:b, s:b, s:o}", "class",
			 text_or_null(a->klass), "priority", a->core.prio, "weight",
			 (int)a->core.weight, "slice_ns", (json_int_t)a->core.slice_ns,
			 "deadline_ns", (json_int_t)a->core.deadline_ns, "latency_critical",
			 a->core.latency_critical, "no_preempt", a->core.no_preempt, "group",
			 text_or_null(a->group));
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

json_t *gpd_list_process(struct gpd_client *c)
{
	uint32_t sees = c->sees | (c->is_blind ? WIRE_SEES_NOT_ALL : 0);
	json_t *notes = json_array();
	struct gpd_totals t;
	uint32_t i;

	sum_up(c, &t);
	for (i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, json_string(c->notes[i]));
	return json_pack("{s:i, s:I, s:o, s:s, s:I, s:o, s:i, s:i, s:s, s:o, s:o, s:I, s:I, s:I, "
			 "s:I, s:o}",
			 "pid", (int)c->pid, "uid", (json_int_t)c->owner.uid, "comm",
			 text_or_null(c->comm), "mechanism", c->ops->name, "client",
			 (json_int_t)c->number, "attributes", gpd_list_attributes(&c->attrs),
			 "nr_queues", (int)c->nr_queues, "nr_busy", (int)t.nr_busy, "state",
			 gpd_list_state_name(&t), "held", gpd_list_held(t.sched, t.manual),
			 "sees", sees_json(sees), "nr_preempted", (json_int_t)t.nr_preempted,
			 "run_ns", (json_int_t)t.run_ns, "off_ns", (json_int_t)t.off_ns,
			 "off_max_ns", (json_int_t)t.off_max_ns, "notes", notes);
}

/* It is in the other list, whose source knows it better than it knows itself. */
static bool is_listed(struct gpd_client *c)
{
	return gpd_ops_of(c->d, c)->has(c->d, c->pid, 0, WIRE_QUEUE_ALL);
}

/**
 * struct cursor - the place in a list of clients or queues
 * @more: what others know: the module before, the driver after the daemon's own clients
 * @index: place in @more
 * @is_after: the daemon's own are listed
 * @pid: only this process, 0 = all
 * @last: the client that was listed last: process and number
 * @last_queue: its queue that was listed last
 * @in_client: there may be more queues of that client
 */
struct cursor {
	json_t *more;
	size_t index;
	bool is_after;
	pid_t pid;
	struct gpd_client last;
	struct gpd_queue last_queue;
	bool in_client;
};

static void end(void *cursor)
{
	struct cursor *cur = cursor;

	json_decref(cur->more);
	free(cur);
}

static json_t *next_of_others(struct cursor *cur)
{
	json_t *item = json_array_get(cur->more, cur->index);

	if (item)
		cur->index++;
	return json_incref(item);
}

/* The client at the cursor, or after it; clients may have come and gone meanwhile. */
static struct gpd_client *client_at(struct gpd *d, struct cursor *cur, bool after)
{
	struct gp_tree_node *n = gp_tree_at_least(&d->clients_by_pid, &cur->last.by_pid);
	struct gpd_client *c = n ? container_of(n, struct gpd_client, by_pid) : NULL;

	if (c && after && c->pid == cur->last.pid && c->number == cur->last.number) {
		n = gp_tree_next(n);
		c = n ? container_of(n, struct gpd_client, by_pid) : NULL;
	}
	while (c && (is_listed(c) || (cur->pid && c->pid < cur->pid))) {
		n = gp_tree_next(&c->by_pid);
		c = n ? container_of(n, struct gpd_client, by_pid) : NULL;
	}
	if (!c || (cur->pid && c->pid != cur->pid))
		return NULL;
	cur->last.pid = c->pid;
	cur->last.number = c->number;
	return c;
}

static struct cursor *begin(struct gpd_conn *conn, pid_t pid)
{
	struct cursor *cur = calloc(1, sizeof(*cur));

	if (!cur) {
		gpd_control_error(conn, "Failed", "reason", "out of memory");
		return NULL;
	}
	cur->more = json_array();
	cur->pid = pid;
	/* Before the first: of one process the newest has the highest number. */
	cur->last.pid = pid;
	cur->last.number = UINT64_MAX;
	return cur;
}

static json_t *next_process(struct gpd_conn *conn, void *cursor)
{
	struct cursor *cur = cursor;
	json_t *item = next_of_others(cur);
	struct gpd_client *c;

	if (item || cur->is_after)
		return item;
	c = client_at(conn->d, cur, true);
	if (c)
		return gpd_list_process(c);
	cur->is_after = true;
	json_array_clear(cur->more);
	cur->index = 0;
	gpd_list_other_processes(conn->d, cur->more);
	return next_of_others(cur);
}

void gpd_list_processes(struct gpd_conn *conn)
{
	struct cursor *cur = begin(conn, 0);

	if (!cur)
		return;
	gpd_list_compare(conn->d);
	conn->d->ops->list_processes(conn->d, cur->more);
	gpd_control_stream(conn, "processes", next_process, end, cur);
}

json_t *gpd_list_settings(struct gpd *d)
{
	json_t *settings = json_array();
	uint32_t i;

	for (i = 0; i < d->config->nr_settings; i++) {
		const struct gpd_setting *s = &d->config->settings[i];

		json_array_append_new(settings,
				      json_pack("{s:s, s:s, s:s, s:s}", "section", s->section,
						"key", s->key, "value", s->value, "origin",
						s->origin));
	}
	return settings;
}

static const char *type_name(uint32_t type)
{
	static const char *const names[] = { "pm4", "sdma", "aql", "sdma_xgmi" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

static const char *source_name(const struct gpd_client *c)
{
	return c->ops->name[0] == 'd' ? "snapshot" : "shim";
}

/* A key with its value and where that came from; null has no source. */
static void put(json_t *queue, json_t *sources, const char *key, json_t *value,
		const char *source)
{
	if (!json_is_null(value))
		json_object_set_new(sources, key, json_string(source));
	json_object_set_new(queue, key, value);
}

static json_t *queue_json(struct gpd_queue *q)
{
	const struct wire_queue *t = &q->told;
	const char *source = source_name(q->client);
	struct gp_entity_info info = { .state = GP_ENTITY_IDLE };
	json_t *sources = json_object();
	json_t *queue;

	if (q->member)
		gp_sched_entity_info(q->client->d->sched, q->member->entity->id, &info);
	queue = json_pack("{s:i, s:I, s:I, s:n, s:n, s:o, s:s, s:s}", "pid", (int)q->client->pid,
			  "gpu_id", (json_int_t)t->gpu_id, "queue_id", (json_int_t)t->queue_id,
			  "rptr", "wptr", "held",
			  gpd_list_held(q->member && q->member->held, q->manual), "state",
			  gp_entity_state_name(info.state), "mechanism", q->client->ops->name);
	put(queue, sources, "type", json_string(type_name(t->type)), source);
	put(queue, sources, "priority", known(t->prio != WIRE_PRIO_UNSET, t->prio), source);
	put(queue, sources, "ring_addr", known(t->ring_addr, t->ring_addr), source);
	put(queue, sources, "ring_bytes", known(t->ring_bytes, t->ring_bytes), source);
	put(queue, sources, "rptr_addr", known(t->rptr_addr, t->rptr_addr), source);
	put(queue, sources, "wptr_addr", known(t->wptr_addr, t->wptr_addr), source);
	put(queue, sources, "busy", json_boolean(q->busy), source);
	json_object_set_new(sources, "state", json_string("daemon"));
	json_object_set_new(sources, "held", json_string("daemon"));
	json_object_set_new(queue, "source", sources);
	return queue;
}

/* The queue of a client after the one that was listed last. */
static struct gpd_queue *queue_after(struct gpd_client *c, struct cursor *cur)
{
	struct wire_queue *last = &cur->last_queue.told;
	struct gp_tree_node *n;
	struct gpd_queue *q;

	n = gp_tree_at_least(&c->queues_by_id, &cur->last_queue.by_id);
	q = n ? container_of(n, struct gpd_queue, by_id) : NULL;
	if (q && cur->in_client && q->told.gpu_id == last->gpu_id &&
	    q->told.queue_id == last->queue_id) {
		n = gp_tree_next(n);
		q = n ? container_of(n, struct gpd_queue, by_id) : NULL;
	}
	cur->in_client = q;
	last->gpu_id = q ? q->told.gpu_id : 0;
	last->queue_id = q ? q->told.queue_id : 0;
	return q;
}

/* The next queue of the daemon's own clients; a client without queues is passed over. */
static struct gpd_queue *own_queue(struct gpd *d, struct cursor *cur)
{
	uint64_t number = cur->last.number;
	struct gpd_client *c = client_at(d, cur, !cur->in_client);
	struct gpd_queue *q = NULL;

	/* The client that was listed last is gone. */
	if (cur->in_client && c && c->number != number) {
		cur->in_client = false;
		cur->last_queue.told = (struct wire_queue){ 0 };
	}
	while (c && !(q = queue_after(c, cur)))
		c = client_at(d, cur, true);
	return q;
}

static json_t *next_queue(struct gpd_conn *conn, void *cursor)
{
	struct cursor *cur = cursor;
	json_t *item = next_of_others(cur);
	struct gpd_queue *q;

	if (item || cur->is_after)
		return item;
	q = own_queue(conn->d, cur);
	if (q)
		return queue_json(q);
	cur->is_after = true;
	json_array_clear(cur->more);
	cur->index = 0;
	gpd_list_other_queues(conn->d, cur->more, cur->pid);
	return next_of_others(cur);
}

void gpd_list_queues(struct gpd_conn *conn, pid_t pid)
{
	struct cursor *cur = begin(conn, pid);

	if (!cur)
		return;
	conn->d->ops->list_queues(conn->d, cur->more, pid);
	gpd_control_stream(conn, "queues", next_queue, end, cur);
}
