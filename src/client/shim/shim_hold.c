// SPDX-License-Identifier: MIT
#include "client/shim/shim_hold.h"

#include <errno.h>
#include <string.h>

#include "client/shim/shim_queue.h"

#define each_hold(s, h)                                                                \
	for ((h) = (s)->holds; (h) < (s)->holds + GP_SHIM_MAX_HOLDS; (h)++)             \
		if ((h)->epoch)

static struct gp_shim_hold *find(struct gp_shim *s, const struct gp_wire_order *o,
				 uint32_t queue_id)
{
	struct gp_shim_hold *h;

	each_hold(s, h)
		if (h->gpu_id == o->gpu_id && h->holder == o->holder && h->queue_id == queue_id)
			return h;
	return NULL;
}

int gp_hold_set(struct gp_shim *s, const struct gp_wire_order *order, uint64_t until_ns)
{
	struct gp_shim_hold *h = find(s, order, order->queue_id);
	uint32_t i;

	for (i = 0; !h && i < GP_SHIM_MAX_HOLDS; i++)
		if (!s->holds[i].epoch)
			h = &s->holds[i];
	if (!h)
		return -ENOSPC;
	h->epoch = order->epoch;
	h->gpu_id = order->gpu_id;
	h->queue_id = order->queue_id;
	h->holder = order->holder;
	h->until_ns = until_ns;
	return 0;
}

int gp_hold_clear(struct gp_shim *s, const struct gp_wire_order *order)
{
	struct gp_shim_hold *h;

	if (order->queue_id != GP_WIRE_QUEUE_ALL && find(s, order, GP_WIRE_QUEUE_ALL))
		return -EINVAL;
	each_hold(s, h)
		if (h->gpu_id == order->gpu_id && h->holder == order->holder &&
		    (order->queue_id == GP_WIRE_QUEUE_ALL || h->queue_id == order->queue_id))
			h->epoch = 0;
	return 0;
}

void gp_hold_renew(struct gp_shim *s, uint64_t epoch, uint64_t until_ns)
{
	struct gp_shim_hold *h;

	each_hold(s, h)
		if (h->epoch == epoch)
			h->until_ns = until_ns;
}

bool gp_hold_expire(struct gp_shim *s, uint64_t now_ns, struct gp_shim_hold *out)
{
	struct gp_shim_hold *h;

	each_hold(s, h) {
		if (h->until_ns > now_ns)
			continue;
		*out = *h;
		h->epoch = 0;
		return true;
	}
	return false;
}

uint64_t gp_hold_next_ns(const struct gp_shim *s)
{
	const struct gp_shim_hold *h;
	uint64_t next = UINT64_MAX;

	each_hold(s, h)
		if (h->until_ns < next)
			next = h->until_ns;
	return next;
}

void gp_hold_drop_all(struct gp_shim *s)
{
	memset(s->holds, 0, sizeof(s->holds));
}

bool gp_hold_has(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	const struct gp_shim_hold *h;

	if (!gp_shim_queue_is_compute(q))
		return false;
	each_hold(s, h)
		if (h->gpu_id == q->gpu_id &&
		    (h->queue_id == GP_WIRE_QUEUE_ALL || h->queue_id == q->queue_id))
			return true;
	return false;
}

bool gp_hold_wants(const struct gp_shim *s, uint32_t gpu_id, uint32_t type)
{
	const struct gp_shim_queue q = {
		.gpu_id = gpu_id,
		.type = type,
		.queue_id = GP_WIRE_QUEUE_ALL,
	};

	return gp_hold_has(s, &q);
}
