// SPDX-License-Identifier: MIT
#include "client/client_hold.h"

/*
 * A process that destroys a queue waits as long as it is suspended; no daemon has a reason to
 * want more.
 */
#define LEASE_MAX_NS 60000000000ull

static struct client_hold *from_hold(struct gp_hold *h)
{
	return h ? container_of(h, struct client_hold, hold) : NULL;
}

static struct gp_hold_target target_of(uint32_t gpu_id, uint32_t queue_id)
{
	return (struct gp_hold_target){
		.node = gpu_id,
		.queue = queue_id == WIRE_QUEUE_ALL ? GP_HOLD_ALL : queue_id,
	};
}

static struct client_hold *find(const struct client_holds *hs, uint32_t holder,
				uint32_t gpu_id, uint32_t queue_id)
{
	struct gp_hold_target target = target_of(gpu_id, queue_id);

	return from_hold(gp_holds_find(&hs->set, holder, &target));
}

static void drop(struct client_holds *hs, struct client_hold *h)
{
	gp_holds_drop(&hs->set, &h->hold);
	h->epoch = 0;
}

void client_holds_init(struct client_holds *hs)
{
	gp_holds_init(&hs->set, CLIENT_HOLDS);
	hs->nr_places = 0;
	hs->epoch = 0;
}

bool client_holds_is_new(struct client_holds *hs, const struct wire_order *o)
{
	if (o->epoch <= hs->epoch)
		return false;
	hs->epoch = o->epoch;
	return true;
}

static uint64_t lease_end(const struct wire_order *o, uint64_t now_ns)
{
	return now_ns + (o->lease_ns < LEASE_MAX_NS ? o->lease_ns : LEASE_MAX_NS);
}

static struct client_hold *take_place(struct client_holds *hs)
{
	uint32_t i;

	for (i = 0; i < hs->nr_places && hs->places[i].epoch; i++)
		;
	if (i == CLIENT_HOLDS)
		return NULL;
	if (i == hs->nr_places)
		hs->nr_places++;
	return &hs->places[i];
}

static int add(struct client_holds *hs, const struct wire_order *o, uint64_t now_ns)
{
	struct client_hold *h = take_place(hs);

	if (!h)
		return -ENOSPC;
	*h = (struct client_hold){
		.hold.target = target_of(o->gpu_id, o->queue_id),
		.hold.owner = o->holder,
		.hold.until_ns = lease_end(o, now_ns),
		.epoch = o->epoch,
		.grace = o->grace,
	};
	return gp_holds_add(&hs->set, &h->hold);
}

int client_holds_set(struct client_holds *hs, const struct wire_order *o, uint64_t now_ns)
{
	struct client_hold *h = find(hs, o->holder, o->gpu_id, o->queue_id);

	if (!h)
		return add(hs, o, now_ns);
	h->epoch = o->epoch;
	h->grace = o->grace;
	gp_holds_renew(&hs->set, &h->hold, lease_end(o, now_ns));
	return 0;
}

static void clear_node(struct client_holds *hs, const struct wire_order *o)
{
	struct gp_hold *h = gp_holds_first_on(&hs->set, 0, o->gpu_id), *next;

	for (; h; h = next) {
		next = gp_holds_next_on(h);
		if (h->owner == o->holder)
			drop(hs, from_hold(h));
	}
}

int client_holds_clear(struct client_holds *hs, const struct wire_order *o)
{
	struct client_hold *h;

	if (o->queue_id == WIRE_QUEUE_ALL) {
		clear_node(hs, o);
		return 0;
	}
	if (find(hs, o->holder, o->gpu_id, WIRE_QUEUE_ALL))
		return -EINVAL;
	h = find(hs, o->holder, o->gpu_id, o->queue_id);
	if (h)
		drop(hs, h);
	return 0;
}

void client_holds_renew(struct client_holds *hs, const struct wire_order *o, uint64_t now_ns)
{
	uint32_t i;

	for (i = 0; i < hs->nr_places; i++)
		if (hs->places[i].epoch == o->epoch)
			gp_holds_renew(&hs->set, &hs->places[i].hold, lease_end(o, now_ns));
}

bool client_holds_expire(struct client_holds *hs, uint64_t now_ns, struct client_hold *out)
{
	struct client_hold *h = from_hold(gp_holds_expired(&hs->set, now_ns));

	if (!h)
		return false;
	*out = *h;
	drop(hs, h);
	return true;
}

bool client_holds_covers(const struct client_holds *hs, uint32_t gpu_id, uint32_t queue_id)
{
	struct gp_hold_target target = target_of(gpu_id, queue_id);

	return gp_holds_covers(&hs->set, &target);
}

uint32_t client_holds_grace(const struct client_holds *hs, uint32_t gpu_id)
{
	struct gp_hold *h = gp_holds_first_on(&hs->set, 0, gpu_id);
	uint32_t grace = 0;

	for (; h; h = gp_holds_next_on(h))
		if (from_hold(h)->grace > grace)
			grace = from_hold(h)->grace;
	return grace;
}
