// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_list_other.h"
#include "daemon/clients/gpd_client.h"
#include "driver/discover.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_util.h"

#include <stdlib.h>

static json_t *value_json(const struct gpreempt_value *v)
{
	return v->source == GPREEMPT_SOURCE_UNKNOWN ? json_null() :
						      json_integer((json_int_t)v->value);
}

static json_t *process_json(const struct gpreempt_process *p)
{
	char comm[WIRE_NAME_LEN];

	gpd_text_clean(comm, sizeof(comm), p->comm, sizeof(p->comm));
	return json_pack("{s:I, s:o, s:o, s:s, s:n, s:n, s:I, s:o, s:s, s:[], s:[], s:i, s:i, s:i, "
			 "s:i, s:[]}",
			 "pid", (json_int_t)p->pid, "uid", value_json(&p->uid), "comm",
			 comm[0] ? json_string(comm) : json_null(), "mechanism", "none", "client",
			 "attributes", "nr_queues", (json_int_t)p->nr_queues, "nr_busy",
			 value_json(&p->nr_busy), "state", "unknown", "held", "sees",
			 "nr_preempted", 0, "run_ns", 0, "off_ns", 0, "off_max_ns", 0, "notes");
}

static bool is_known(struct gpd *d, pid_t pid)
{
	return d->ops->has(d, pid, 0, WIRE_QUEUE_ALL) || gpd_client_find(d, pid);
}

void gpd_list_other_processes(struct gpd *d, json_t *processes)
{
	struct drv_queues list = { 0 };
	struct gpreempt_process *found = NULL;
	size_t nr = 0;
	size_t i;

	if (drv_discover_queues(NULL, &list))
		return;
	if (!drv_discover_processes(NULL, &list, &found, &nr))
		for (i = 0; i < nr; i++)
			if (!is_known(d, (pid_t)found[i].pid))
				json_array_append_new(processes, process_json(&found[i]));
	free(found);
	drv_queues_fini(&list);
}

/* Nothing but sysfs was asked. */
static void put(json_t *queue, json_t *sources, const char *key, const struct gpreempt_value *v)
{
	json_object_set_new(queue, key, value_json(v));
	if (v->source != GPREEMPT_SOURCE_UNKNOWN)
		json_object_set_new(sources, key, json_string("sysfs"));
}

static json_t *type_json(const struct gpreempt_value *v)
{
	static const char *const names[] = { "pm4", "sdma", "aql", "sdma_xgmi" };

	return v->source != GPREEMPT_SOURCE_UNKNOWN && v->value < 4 ? json_string(names[v->value]) :
								      json_null();
}

static json_t *queue_json(const struct gpreempt_queue *q)
{
	json_t *sources = json_object();
	json_t *queue = json_pack("{s:I, s:I, s:I, s:n, s:[], s:s, s:s}", "pid", (json_int_t)q->pid,
				  "gpu_id", (json_int_t)q->gpu_id, "queue_id",
				  (json_int_t)q->queue_id, "busy", "held", "state", "unknown",
				  "mechanism", "none");

	put(queue, sources, "type", &q->type);
	json_object_set_new(queue, "type", type_json(&q->type));
	put(queue, sources, "priority", &q->prio);
	put(queue, sources, "ring_addr", &q->ring_addr);
	put(queue, sources, "ring_bytes", &q->ring_bytes);
	put(queue, sources, "rptr_addr", &q->rptr_addr);
	put(queue, sources, "wptr_addr", &q->wptr_addr);
	put(queue, sources, "rptr", &q->rptr);
	put(queue, sources, "wptr", &q->wptr);
	if (q->busy.source != GPREEMPT_SOURCE_UNKNOWN) {
		put(queue, sources, "busy", &q->busy);
		json_object_set_new(queue, "busy", json_boolean(q->busy.value));
	}
	json_object_set_new(queue, "source", sources);
	return queue;
}

static bool is_told(const struct gpd_client *c, const struct gpreempt_queue *found)
{
	const struct gpd_queue *q;

	LIST_FOREACH(q, &c->queues, link)
		if (q->told.gpu_id == found->gpu_id && q->told.queue_id == found->queue_id)
			return true;
	return false;
}

/* The module has compute queues only: a copy engine's is another. */
static bool is_listed(struct gpd *d, const struct gpreempt_queue *q)
{
	pid_t pid = (pid_t)q->pid;
	const struct gpd_client *c;

	if (d->ops->has(d, pid, 0, WIRE_QUEUE_ALL))
		return d->ops->has(d, pid, q->gpu_id, q->queue_id);
	c = gpd_client_find(d, pid);
	return c && is_told(c, q);
}

void gpd_list_other_queues(struct gpd *d, json_t *queues, pid_t pid)
{
	struct drv_queues list = { 0 };
	size_t i;

	if (drv_discover_queues(NULL, &list))
		return;
	for (i = 0; i < list.nr; i++) {
		const struct gpreempt_queue *q = &list.queues[i];

		if ((!pid || q->pid == (uint32_t)pid) && !is_listed(d, q))
			json_array_append_new(queues, queue_json(q));
	}
	drv_queues_fini(&list);
}

void gpd_list_compare(struct gpd *d)
{
	struct drv_queues list = { 0 };
	struct gpd_client *c;
	size_t i;

	LIST_FOREACH(c, &d->clients, link)
		c->is_blind = false;
	if (drv_discover_queues(NULL, &list))
		return;
	for (i = 0; i < list.nr; i++) {
		c = gpd_client_find(d, (pid_t)list.queues[i].pid);
		if (c && !gpd_mech_is_dbg(c) && !is_told(c, &list.queues[i]))
			c->is_blind = true;
	}
	drv_queues_fini(&list);
}
