// SPDX-License-Identifier: MIT
#include "client/shim/shim_hold.h"

#include "client/shim/shim_queue.h"

bool shim_hold_has(const struct shim *s, const struct shim_queue *q)
{
	return shim_queue_is_compute(q) &&
	       client_holds_covers(&s->holds, q->gpu_id, q->queue_id);
}

bool shim_hold_wants(const struct shim *s, uint32_t gpu_id, uint32_t type)
{
	const struct shim_queue q = {
		.gpu_id = gpu_id,
		.type = type,
		.queue_id = WIRE_QUEUE_ALL,
	};

	return shim_hold_has(s, &q);
}
