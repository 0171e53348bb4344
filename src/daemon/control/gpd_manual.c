// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_manual.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_client_msg.h"
#include "daemon/clients/gpd_lease.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "rules/hold.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct hold - one hold by hand
 * @h: target, owner, lease
 * @client: client
 * @user: whose budget it takes from
 * @epoch: of the HOLD
 */
struct hold {
	struct gp_hold h;
	struct gpd_client *client;
	struct gpd_user *user;
	uint64_t epoch;
};

/**
 * struct gpd_manual_set - all holds by hand
 * @holds: holds
 * @timer: ends the next one whose time is over
 */
struct gpd_manual_set {
	struct gp_holds holds;
	sd_event_source *timer;
};

static struct hold *of(struct gp_hold *h)
{
	return h ? container_of(h, struct hold, h) : NULL;
}

static struct gp_hold_target target_of(const struct gpd_client *c, uint32_t gpu_id,
				       uint32_t queue_id)
{
	return (struct gp_hold_target){
		.process = c->number,
		.node = gpu_id,
		.queue = queue_id == WIRE_QUEUE_ALL ? GP_HOLD_ALL : queue_id,
	};
}

/* A connection has an even address. */
uint64_t gpd_manual_owner(const struct gpd_conn *conn, bool keep)
{
	uint64_t user = (uint64_t)conn->user->uid << 2 | (uint64_t)conn->user->privileged << 1 | 1;

	return keep ? user : (uint64_t)(uintptr_t)conn;
}

bool gpd_manual_may_end(const struct gpd_conn *conn, uint64_t owner)
{
	return conn->cred.privileged || owner == gpd_manual_owner(conn, false) ||
	       owner == gpd_manual_owner(conn, true);
}

bool gpd_manual_covers(const struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id)
{
	struct gp_hold_target t = target_of(c, gpu_id, queue_id);

	return gp_holds_covers(&c->d->manual->holds, &t);
}

static void show_queue(struct gpd_queue *q)
{
	q->manual = q->core_id != GP_ID_NONE &&
		    gpd_manual_covers(q->client, q->told.gpu_id, q->told.queue_id);
	gpd_engine_queue_level(q);
}

/* Tell the core what a hold that came or went has changed. */
static void show(struct gpd_client *c, const struct gp_hold_target *t)
{
	struct gpd_queue *q;

	if (t->queue == GP_HOLD_ALL) {
		LIST_FOREACH(q, &c->queues, link)
		show_queue(q);
	} else {
		q = gpd_client_queue(c, (uint32_t)t->node, (uint32_t)t->queue);
		if (q)
			show_queue(q);
	}
	gpd_lease_update(c->d);
}

static void set_timer(struct gpd_manual_set *set)
{
	uint64_t next_ns = gp_holds_next_ns(&set->holds);

	if (next_ns == U64_MAX) {
		sd_event_source_set_enabled(set->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(set->timer, next_ns / 1000 + 1);
	sd_event_source_set_enabled(set->timer, SD_EVENT_ONESHOT);
}

static struct wire_order order_of(const struct hold *h)
{
	u64 queue = h->h.target.queue;

	return (struct wire_order){
		.epoch = h->epoch,
		.gpu_id = (uint32_t)h->h.target.node,
		.queue_id = queue == GP_HOLD_ALL ? WIRE_QUEUE_ALL : (uint32_t)queue,
		.holder = WIRE_HOLDER_MANUAL,
		.lease_ns = h->client->d->config->lease_ns,
	};
}

static void free_hold(struct gpd_manual_set *set, struct hold *h)
{
	gp_holds_drop(&set->holds, &h->h);
	gpd_user_give(h->user, GPD_BUDGET_HOLDS);
	gpd_user_put(h->user);
	free(h);
}

/* The target goes on with the last of its holds. Return: 0 or -EPIPE; the hold is gone. */
static int end_hold(struct hold *h, uint64_t *epoch)
{
	struct gpd_client *c = h->client;
	struct gpd_manual_set *set = c->d->manual;
	struct gp_hold_target t = h->h.target;
	struct wire_order o = order_of(h);
	int err;

	free_hold(set, h);
	if (gp_holds_nr_on(&set->holds, &t))
		return 0;
	o.lease_ns = 0;
	err = gpd_client_order(c, &o, WIRE_RELEASE);
	if (!err && epoch)
		*epoch = o.epoch;
	show(c, &t);
	return err;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct hold *h;

	while ((h = of(gp_holds_expired(&d->manual->holds, gpd_now_ns())))) {
		gpd_client_note(h->client, "held by hand: the time is over");
		end_hold(h, NULL);
	}
	set_timer(d->manual);
	return 0;
}

int gpd_manual_init(struct gpd *d)
{
	int err;

	d->manual = calloc(1, sizeof(*d->manual));
	if (!d->manual)
		return -ENOMEM;
	/* The budget is that of the user. */
	gp_holds_init(&d->manual->holds, UINT32_MAX);
	err = sd_event_add_time(d->event, &d->manual->timer, CLOCK_MONOTONIC, 0, 1, on_timer, d);
	if (err < 0)
		return err;
	return sd_event_source_set_enabled(d->manual->timer, SD_EVENT_OFF);
}

void gpd_manual_fini(struct gpd *d)
{
	struct hold *h;

	if (!d->manual)
		return;
	while ((h = of(gp_holds_first(&d->manual->holds))))
		free_hold(d->manual, h);
	sd_event_source_unref(d->manual->timer);
	free(d->manual);
	d->manual = NULL;
}

uint32_t gpd_manual_nr(const struct gpd *d)
{
	return gp_holds_nr(&d->manual->holds);
}

static bool is_same(const struct gp_hold_target *a, const struct gp_hold_target *b)
{
	return a->process == b->process && a->node == b->node && a->queue == b->queue;
}

/* Once for each target: the client knows the newest order of several. */
void gpd_manual_renew(struct gpd *d)
{
	struct hold *h = of(gp_holds_first(&d->manual->holds));
	struct wire_order o;
	struct hold *next;

	for (; h; h = next) {
		o = order_of(h);
		next = of(gp_holds_next(&h->h));
		for (; next && is_same(&next->h.target, &h->h.target);
		     next = of(gp_holds_next(&next->h)))
			o.epoch = max(o.epoch, next->epoch);
		gpd_client_order(h->client, &o, WIRE_RENEW);
	}
}

static int make(struct gpd_client *c, const struct gp_hold_target *t, struct gpd_conn *conn,
		u64 owner, uint64_t until_ns, struct hold **out)
{
	struct gpd_manual_set *set = c->d->manual;
	struct hold *h;

	if (!gpd_user_take(conn->user, GPD_BUDGET_HOLDS))
		return -EDQUOT;
	h = calloc(1, sizeof(*h));
	if (!h) {
		gpd_user_give(conn->user, GPD_BUDGET_HOLDS);
		return -ENOMEM;
	}
	h->h.target = *t;
	h->h.owner = owner;
	h->h.user = conn->user->uid;
	h->h.until_ns = until_ns;
	h->client = c;
	h->user = gpd_user_ref(conn->user);
	gp_holds_add(&set->holds, &h->h);
	*out = h;
	return 0;
}

int gpd_manual_hold(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		    struct gpd_conn *conn, bool keep, uint64_t lease_ns, uint64_t *epoch)
{
	struct gpd_manual_set *set = c->d->manual;
	struct gp_hold_target t = target_of(c, gpu_id, queue_id);
	uint64_t until_ns = lease_ns ? gpd_now_ns() + lease_ns : GP_HOLD_FOREVER;
	u64 owner = gpd_manual_owner(conn, keep);
	struct hold *h = of(gp_holds_find(&set->holds, owner, &t));
	struct wire_order o;
	int err = 0;

	if (h)
		gp_holds_renew(&set->holds, &h->h, until_ns);
	else
		err = make(c, &t, conn, owner, until_ns, &h);
	if (err)
		return err;
	o = order_of(h);
	err = gpd_client_order(c, &o, WIRE_HOLD);
	h->epoch = o.epoch;
	*epoch = o.epoch;
	if (err)
		free_hold(set, h);
	if (gp_holds_nr_on(&set->holds, &t) <= 1)
		show(c, &t);
	set_timer(set);
	return err;
}

int gpd_manual_release(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		       const struct gpd_conn *conn, uint64_t *epoch)
{
	struct gpd_manual_set *set = c->d->manual;
	struct hold *h = of(gp_holds_first_on(&set->holds, c->number, gpu_id));
	struct hold *next;
	int err = 0;

	*epoch = 0;
	for (; h; h = next) {
		next = of(gp_holds_next_on(&h->h));
		if ((queue_id == WIRE_QUEUE_ALL || h->h.target.queue == queue_id) &&
		    gpd_manual_may_end(conn, h->h.owner))
			err = end_hold(h, epoch);
	}
	set_timer(set);
	return err;
}

void gpd_manual_forget_client(struct gpd_client *c)
{
	struct gpd *d = c->d;
	struct hold *h;
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		while ((h = of(gp_holds_first_on(&d->manual->holds, c->number,
						 d->node[i].gpu_id))))
			free_hold(d->manual, h);
	set_timer(d->manual);
}

void gpd_manual_forget_conn(struct gpd *d, struct gpd_conn *conn)
{
	struct hold *h;

	while ((h = of(gp_holds_first_of(&d->manual->holds, gpd_manual_owner(conn, false)))))
		end_hold(h, NULL);
	set_timer(d->manual);
}
