// SPDX-License-Identifier: MIT
/*
 * The lists of processes and queues, a few items a turn: those that the kernel module has,
 * those of the daemon's own clients, and those that only the driver shows.
 */
#include "daemon/control/gpd_list.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"
#include "daemon/module/gpd_module.h"
#include "driver/discover.h"

#include <stdlib.h>
#include <string.h>

/* The place in a list. */
struct cursor {
	struct gpd_module_list module; /* what the module knows */
	json_t *others;		     /* processes that only the driver shows */
	size_t index;		     /* place in them */
	pid_t pid;		     /* only this process, 0 = all */
	struct gpd_place last;	     /* client that was listed last */
	struct gpd_queue last_queue; /* its queue that was listed last */
	bool in_client;		     /* there may be more queues of that client */
	struct drv_walk walk;	     /* through the driver's queues */
	bool is_walking;
	pid_t at;	   /* the process that the walk is at, 0 = none */
	uint32_t nr_at;	   /* its queues so far */
	uint64_t begin_ns; /* when the walk began */
};

static void end(void *cursor)
{
	struct cursor *cur = cursor;

	if (cur->is_walking)
		drv_walk_fini(&cur->walk);
	gpd_module_list_end(&cur->module);
	json_decref(cur->others);
	free(cur);
}

static struct cursor *begin(struct gpd_conn *conn, pid_t pid)
{
	struct cursor *cur = calloc(1, sizeof(*cur));

	if (!cur) {
		gpd_control_error(conn, "Failed", "reason", "out of memory");
		return NULL;
	}
	gpd_module_list_begin(conn->d, pid, &cur->module);
	cur->others = json_array();
	cur->pid = pid;
	/* Before the first: of one process the newest has the highest number. */
	cur->last = (struct gpd_place){ pid, UINT64_MAX };
	cur->begin_ns = gpd_now_ns();
	return cur;
}

/* A process that only the driver shows; NULL after the last. */
static json_t *next_other(struct cursor *cur)
{
	return json_incref(json_array_get(cur->others, cur->index++));
}

/* It is among those that the module knows, better than it knows itself. */
static bool is_of_module(const struct cursor *cur, const struct gpd_client *c)
{
	return !gpd_mech_is_sim(c) &&
	       gpd_module_list_has(&cur->module, c->pid, 0, WIRE_QUEUE_ALL);
}

/* The client at the cursor, or after it; clients may have come and gone meanwhile. */
static struct gpd_client *client_at(struct gpd *d, struct cursor *cur, bool after)
{
	/* Of one process the newest comes first: it is after one that is newer. */
	struct gpd_client *c = gpd_client_after(d, cur->last.pid, cur->last.number + !after);

	while (c && is_of_module(cur, c))
		c = gpd_client_after(d, c->pid, c->number);
	if (!c || (cur->pid && c->pid != cur->pid))
		return NULL;
	cur->last = (struct gpd_place){ c->pid, c->number };
	return c;
}

/* All queues of a process were seen: it is listed if nothing else lists it. */
static void leave_process(struct gpd *d, struct cursor *cur)
{
	if (cur->at && !gpd_client_find(d, cur->at) &&
	    !gpd_module_list_has(&cur->module, cur->at, 0, WIRE_QUEUE_ALL))
		json_array_append_new(cur->others,
				      gpd_list_other(cur->at, "none", cur->nr_at, NULL));
	cur->at = 0;
	cur->nr_at = 0;
}

/* One queue of the driver; its client may never have told it. */
static void walk_processes(struct gpd *d, struct cursor *cur)
{
	struct gpd_client *c;
	struct gpreempt_queue q;
	int found = drv_walk_step(&cur->walk, &q);

	if (found < 0) {
		leave_process(d, cur);
		drv_walk_fini(&cur->walk);
		cur->is_walking = false;
	}
	if (found <= 0)
		return;
	if ((pid_t)q.pid != cur->at)
		leave_process(d, cur);
	cur->at = (pid_t)q.pid;
	cur->nr_at++;
	c = gpd_client_find(d, cur->at);
	if (c && !gpd_mech_is_dbg(c) && !gpd_client_queue(c, q.gpu_id, q.queue_id))
		c->blind_ns = gpd_now_ns();
}

bool gpd_list_may_see(const struct gpd_conn *conn, pid_t pid)
{
	const struct gpd_client *c;
	struct gpd_proc proc;

	if (!conn->cred.owner.is_foreign)
		return true;
	c = gpd_client_find(conn->d, pid);
	if (c)
		return gpd_trust_may_touch(&conn->cred, &c->owner);
	return !gpd_proc_read(pid, &proc) &&
	       gpd_trust_may_touch_process(conn->d, &conn->cred, pid, proc.uid);
}

static json_t *hide_others(struct gpd_conn *conn, json_t *item)
{
	pid_t pid = (pid_t)json_integer_value(json_object_get(item, "pid"));

	if (!item || json_is_null(item) || gpd_list_may_see(conn, pid))
		return item;
	json_decref(item);
	return json_null();
}

static json_t *process_at(struct gpd_conn *conn, void *cursor)
{
	struct cursor *cur = cursor;
	struct gpd_client *c;
	json_t *item;

	if (cur->is_walking) {
		walk_processes(conn->d, cur);
		return json_null();
	}
	item = gpd_module_next_process(conn->d, &cur->module);
	if (item)
		return item;
	c = client_at(conn->d, cur, true);
	return c ? gpd_list_process(c, c->blind_ns >= cur->begin_ns) : next_other(cur);
}

static json_t *next_process(struct gpd_conn *conn, void *cursor)
{
	return hide_others(conn, process_at(conn, cursor));
}

void gpd_list_processes(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct cursor *cur = begin(conn, 0);

	if (!cur)
		return;
	cur->is_walking = !drv_walk_begin(&cur->walk, NULL, 0);
	gpd_control_stream(conn, "processes", next_process, end, cur);
}

static struct gpreempt_value told(const struct gpd_queue *q, bool is_known, uint64_t value)
{
	uint32_t source = gpd_mech_is_dbg(q->client) ? GPREEMPT_SOURCE_SNAPSHOT :
						       GPREEMPT_SOURCE_SHIM;

	return is_known ? (struct gpreempt_value){ value, source, 0 } :
			  (struct gpreempt_value){ 0 };
}

json_t *gpd_list_queue(struct gpreempt_queue *q, bool may_touch, const char *mechanism,
		       const char *state, uint32_t source)
{
	if (!may_touch) {
		q->ring_addr = (struct gpreempt_value){ 0 };
		q->rptr_addr = (struct gpreempt_value){ 0 };
		q->wptr_addr = (struct gpreempt_value){ 0 };
	}
	return drv_json_queue(q, mechanism, state, source);
}

static json_t *own_queue_json(const struct gpd_conn *conn, struct gpd_queue *q)
{
	const struct wire_queue *t = &q->told;
	struct gp_entity_info info = { .state = GP_ENTITY_IDLE };
	struct gpreempt_queue out = {
		.pid = (uint32_t)q->client->pid,
		.gpu_id = t->gpu_id,
		.queue_id = t->queue_id,
		.held = (q->member && q->member->held ? GPREEMPT_HELD_SCHED : 0) |
			(q->manual ? GPREEMPT_HELD_MANUAL : 0),
		.type = told(q, true, t->type),
		.prio = told(q, t->prio != WIRE_PRIO_UNSET, t->prio),
		.ring_addr = told(q, t->ring_addr, t->ring_addr),
		.ring_bytes = told(q, t->ring_bytes, t->ring_bytes),
		.rptr_addr = told(q, t->rptr_addr, t->rptr_addr),
		.wptr_addr = told(q, t->wptr_addr, t->wptr_addr),
		.busy = told(q, true, q->busy),
	};

	if (q->member)
		gp_sched_entity_info(q->client->d->sched, q->member->entity->id, &info);
	return gpd_list_queue(&out, gpd_trust_may_touch(&conn->cred, &q->client->owner),
			      q->client->ops->name, gp_entity_state_name(info.state),
			      GPREEMPT_SOURCE_DAEMON);
}

static struct gpd_queue *queue_of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_queue, by_id) : NULL;
}

/* The queue of a client after the one that was listed last. */
static struct gpd_queue *queue_after(struct gpd_client *c, struct cursor *cur)
{
	struct wire_queue *last = &cur->last_queue.told;
	struct gpd_queue *q;

	q = queue_of(gp_tree_at_least(&c->queues_by_id, &cur->last_queue.by_id));
	if (q && cur->in_client && q->told.gpu_id == last->gpu_id &&
	    q->told.queue_id == last->queue_id)
		q = queue_of(gp_tree_next(&q->by_id));
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

/* The module has compute queues only: a copy engine's is another. */
static bool is_listed(struct gpd *d, const struct cursor *cur, const struct gpreempt_queue *q)
{
	const struct gpd_module_list *l = &cur->module;
	struct gpd_client *c;

	if (gpd_module_list_has(l, (pid_t)q->pid, 0, WIRE_QUEUE_ALL))
		return gpd_module_list_has(l, (pid_t)q->pid, q->gpu_id, q->queue_id);
	c = gpd_client_find(d, (pid_t)q->pid);
	return c && gpd_client_queue(c, q->gpu_id, q->queue_id);
}

/* A queue that only the driver shows; NULL after the last. */
static json_t *walk_queues(struct gpd *d, struct cursor *cur)
{
	struct gpreempt_queue q;
	int found = cur->is_walking ? drv_walk_step(&cur->walk, &q) : -1;

	if (found < 0)
		return NULL;
	if (!found || is_listed(d, cur, &q))
		return json_null();
	/* sysfs has no addresses. */
	return gpd_list_queue(&q, false, "none", "unknown", GPREEMPT_SOURCE_UNKNOWN);
}

static json_t *queue_at(struct gpd_conn *conn, void *cursor)
{
	struct cursor *cur = cursor;
	json_t *item = gpd_module_next_queue(conn, &cur->module);
	struct gpd_queue *q = item ? NULL : own_queue(conn->d, cur);

	if (item)
		return item;
	return q ? own_queue_json(conn, q) : walk_queues(conn->d, cur);
}

static json_t *next_queue(struct gpd_conn *conn, void *cursor)
{
	return hide_others(conn, queue_at(conn, cursor));
}

void gpd_list_queues(struct gpd_conn *conn, const struct gpd_request *r)
{
	pid_t pid = (pid_t)r->pid;
	struct cursor *cur = begin(conn, pid);

	if (!cur)
		return;
	cur->is_walking = !drv_walk_begin(&cur->walk, NULL, (uint32_t)pid);
	gpd_control_stream(conn, "queues", next_queue, end, cur);
}
