// SPDX-License-Identifier: MIT
#include "client/shim/shim_hold.h"

#include "client/shim/shim_queue.h"

bool gp_hold_has(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	return gp_shim_queue_is_compute(q) &&
	       gp_client_holds_covers(&s->holds, q->gpu_id, q->queue_id);
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
