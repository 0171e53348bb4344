// SPDX-License-Identifier: MIT
/*
 * Holds by hand that clients carry out. A queue that is held by hand counts as idle for the
 * core: nothing waits for it, and no room is made for it.
 */
#include "daemon/gpd_hold.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_trust.h"

#include <errno.h>

static void add_item(struct gpd_hold_aim *a, struct gpd_client *c, uint32_t gpu_id)
{
	a->items[a->nr++] = (struct gpd_hold_item){
		.ops = &gpd_client_hold_ops,
		.process = c->number,
		.client = c,
		.pid = c->pid,
		.gpu_id = gpu_id,
		.queue_id = (uint32_t)a->t->queue_id,
	};
}

/* An item for each node on which the target has compute queues. */
static int aim_at(struct gpd_hold_aim *a, struct gpd_client *c)
{
	const struct gpd_target *t = a->t;
	bool other = !LIST_EMPTY(&c->queues);
	struct gpd_member *m;
	struct gpd_queue *q;

	if (t->queue_id != WIRE_QUEUE_ALL) {
		q = gpd_client_queue(c, (uint32_t)t->gpu_id, (uint32_t)t->queue_id);
		other = q;
		if (q && q->member)
			add_item(a, c, q->told.gpu_id);
	} else {
		LIST_FOREACH(m, &c->members, of_client)
		if (!t->gpu_id || t->gpu_id == m->node->gpu_id)
			add_item(a, c, m->node->gpu_id);
	}
	a->why = other ? "not a compute queue that can be stopped" : "no such queue";
	return a->nr ? 0 : other ? -EPERM
				 : -ESRCH;
}

static int aim(struct gpd_hold_aim *a)
{
	struct gpd_client *c = gpd_client_find(a->conn->d, (pid_t)a->t->pid);

	if (!c && gpd_dbg_is_coming(a->conn->d, (pid_t)a->t->pid)) {
		a->why = "its tracer is not there yet: try again";
		return -EBUSY;
	}
	a->why = "no such process under control";
	if (!c)
		return -ESRCH;
	a->why = "process of another user";
	if (!gpd_trust_may_touch(&a->conn->cred, &c->owner))
		return -EPERM;
	a->why = "this process cannot be stopped";
	if (c->refused && !a->release)
		return -EPERM;
	return aim_at(a, c);
}

static void show_queue(struct gpd_queue *q)
{
	q->manual = q->core_id != GP_ID_NONE &&
		    gpd_hold_covers(q->client->d, q->client->number, q->told.gpu_id,
				    q->told.queue_id);
	gpd_engine_queue_level(q);
}

/* Tell the core what a hold that came or went has changed. */
static void show(struct gpd_client *c, const struct gp_hold_target *t)
{
	struct gpd_queue *q;

	if (t->queue == GP_HOLD_ALL) {
		LIST_FOREACH(q, &c->queues, link)
		show_queue(q);
		return;
	}
	q = gpd_client_queue(c, (uint32_t)t->node, (uint32_t)t->queue);
	if (q)
		show_queue(q);
}

static int send_order(struct gpd *d, struct gpd_hold *h, uint16_t type)
{
	u64 queue = h->h.target.queue;
	struct wire_order o = {
		.epoch = h->epoch,
		.gpu_id = (uint32_t)h->h.target.node,
		.queue_id = queue == GP_HOLD_ALL ? WIRE_QUEUE_ALL : (uint32_t)queue,
		.holder = WIRE_HOLDER_MANUAL,
		.lease_ns = type == WIRE_RELEASE ? 0 : d->config->lease_ns,
	};
	int err = gpd_client_order(h->client, &o, type);

	h->epoch = o.epoch;
	return err;
}

static void order(struct gpd *d, struct gpd_hold **holds, uint32_t nr, bool release)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		struct gpd_hold *h = holds[i];

		h->result = send_order(d, h, release ? WIRE_RELEASE : WIRE_HOLD);
		if (release || gpd_hold_nr_on(d, h) == 1)
			show(h->client, &h->h.target);
	}
}

static int renew(struct gpd *d, struct gpd_hold *h)
{
	return send_order(d, h, WIRE_RENEW);
}

const struct gpd_hold_ops gpd_client_hold_ops = {
	.says = "",
	.aim = aim,
	.order = order,
	.renew = renew,
};
