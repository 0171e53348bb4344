// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_manual.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/clients/gpd_lease.h"
#include "daemon/control/gpd_suspend.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdlib.h>

/* More than anybody has a use for. */
#define HOLDS_MAX 16384

/**
 * struct hold - one hold by hand
 * @link: in gpd_manual_set.holds
 * @client: client
 * @gpu_id: node
 * @queue_id: queue or GP_WIRE_QUEUE_ALL
 * @epoch: of the HOLD
 * @owner: connection it ends with, NULL = none
 * @until_ns: when it ends, U64_MAX = never by itself
 */
struct hold {
	LIST_ENTRY(hold) link;
	struct gpd_client *client;
	uint32_t gpu_id;
	uint32_t queue_id;
	uint64_t epoch;
	struct gpd_conn *owner;
	uint64_t until_ns;
};

/**
 * struct gpd_manual_set - all holds by hand
 * @holds: holds
 * @nr: how many
 * @timer: ends the next one whose time is over
 */
struct gpd_manual_set {
	LIST_HEAD(, hold) holds;
	uint32_t nr;
	sd_event_source *timer;
};

static bool covers(const struct hold *h, const struct gpd_client *c, uint32_t gpu_id,
		   uint32_t queue_id)
{
	return h->client == c && h->gpu_id == gpu_id &&
	       (h->queue_id == queue_id || h->queue_id == GP_WIRE_QUEUE_ALL);
}

bool gpd_manual_covers(const struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id)
{
	const struct hold *h;

	LIST_FOREACH(h, &c->d->manual->holds, link)
		if (covers(h, c, gpu_id, queue_id))
			return true;
	return false;
}

/* Tell the core what the holds of a client changed. */
static void show(struct gpd_client *c)
{
	struct gpd_queue *q;

	LIST_FOREACH(q, &c->queues, link) {
		q->manual = q->core_id != GP_ID_NONE &&
			    gpd_manual_covers(c, q->told.gpu_id, q->told.queue_id);
		gpd_engine_queue_level(q);
	}
	gpd_lease_update(c->d);
}

static void set_timer(struct gpd_manual_set *set)
{
	uint64_t next_ns = U64_MAX;
	struct hold *h;

	LIST_FOREACH(h, &set->holds, link)
		if (h->until_ns < next_ns)
			next_ns = h->until_ns;
	if (next_ns == U64_MAX) {
		sd_event_source_set_enabled(set->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(set->timer, next_ns / 1000 + 1);
	sd_event_source_set_enabled(set->timer, SD_EVENT_ONESHOT);
}

static struct gp_wire_order order_of(const struct hold *h)
{
	return (struct gp_wire_order){
		.epoch = h->epoch,
		.gpu_id = h->gpu_id,
		.queue_id = h->queue_id,
		.holder = GP_WIRE_HOLDER_MANUAL,
		.lease_ns = h->client->d->config->lease_ns,
	};
}

static void free_hold(struct gpd_manual_set *set, struct hold *h)
{
	LIST_REMOVE(h, link);
	set->nr--;
	free(h);
}

/* Return: 0 or -EPIPE; the hold is gone either way. */
static int end_hold(struct hold *h, uint64_t *epoch)
{
	struct gpd_client *c = h->client;
	struct gp_wire_order o = order_of(h);
	int err;

	o.lease_ns = 0;
	err = gpd_client_order(c, &o, GP_WIRE_RELEASE);
	if (!err && epoch)
		*epoch = o.epoch;
	free_hold(c->d->manual, h);
	return err;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	uint64_t now_ns = gpd_now_ns();
	struct hold *h;
	struct hold *next;

	for (h = LIST_FIRST(&d->manual->holds); h; h = next) {
		struct gpd_client *c = h->client;

		next = LIST_NEXT(h, link);
		if (h->until_ns > now_ns)
			continue;
		gpd_client_note(c, "held by hand: the time is over");
		end_hold(h, NULL);
		show(c);
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
	while ((h = LIST_FIRST(&d->manual->holds)))
		free_hold(d->manual, h);
	sd_event_source_unref(d->manual->timer);
	free(d->manual);
	d->manual = NULL;
}

uint32_t gpd_manual_nr(const struct gpd *d)
{
	return d->manual->nr;
}

void gpd_manual_renew(struct gpd *d)
{
	struct hold *h;

	LIST_FOREACH(h, &d->manual->holds, link) {
		struct gp_wire_order o = order_of(h);

		gpd_client_order(h->client, &o, GP_WIRE_RENEW);
	}
}

static struct hold *find(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id)
{
	struct hold *h;

	LIST_FOREACH(h, &c->d->manual->holds, link)
		if (h->client == c && h->gpu_id == gpu_id && h->queue_id == queue_id)
			return h;
	return NULL;
}

int gpd_manual_hold(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		    struct gpd_conn *owner, uint64_t lease_ns, uint64_t *epoch)
{
	struct gpd_manual_set *set = c->d->manual;
	struct hold *h = find(c, gpu_id, queue_id);
	struct gp_wire_order o;
	int err;

	if (!h) {
		h = set->nr < HOLDS_MAX ? calloc(1, sizeof(*h)) : NULL;
		if (!h)
			return -ENOMEM;
		h->client = c;
		h->gpu_id = gpu_id;
		h->queue_id = queue_id;
		LIST_INSERT_HEAD(&set->holds, h, link);
		set->nr++;
	}
	h->owner = owner;
	h->until_ns = lease_ns ? gpd_now_ns() + lease_ns : U64_MAX;
	o = order_of(h);
	err = gpd_client_order(c, &o, GP_WIRE_HOLD);
	h->epoch = o.epoch;
	*epoch = o.epoch;
	if (err)
		free_hold(set, h);
	show(c);
	set_timer(set);
	return err;
}

int gpd_manual_release(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id, uint64_t *epoch)
{
	struct gpd_manual_set *set = c->d->manual;
	struct hold *h;
	struct hold *next;
	int err = 0;

	*epoch = 0;
	for (h = LIST_FIRST(&set->holds); h; h = next) {
		next = LIST_NEXT(h, link);
		if (h->client != c || h->gpu_id != gpu_id)
			continue;
		if (queue_id == GP_WIRE_QUEUE_ALL || h->queue_id == queue_id)
			err = end_hold(h, epoch);
	}
	show(c);
	set_timer(set);
	return err;
}

bool gpd_manual_done(struct gpd_client *c, const struct gp_wire_done *done)
{
	return gpd_suspend_done(c, done);
}

void gpd_manual_forget_client(struct gpd_client *c)
{
	struct gpd_manual_set *set = c->d->manual;
	struct hold *h;
	struct hold *next;

	for (h = LIST_FIRST(&set->holds); h; h = next) {
		next = LIST_NEXT(h, link);
		if (h->client == c)
			free_hold(set, h);
	}
	set_timer(set);
	gpd_suspend_client_gone(c);
}

static struct hold *first_of(struct gpd *d, const struct gpd_conn *conn)
{
	struct hold *h;

	LIST_FOREACH(h, &d->manual->holds, link)
		if (h->owner == conn)
			return h;
	return NULL;
}

void gpd_manual_forget_conn(struct gpd *d, struct gpd_conn *conn)
{
	struct hold *h;

	while ((h = first_of(d, conn))) {
		struct gpd_client *c = h->client;

		end_hold(h, NULL);
		show(c);
	}
	set_timer(d->manual);
}
