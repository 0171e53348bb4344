// SPDX-License-Identifier: MIT
#include "client/shim/shim_order.h"

#include <errno.h>

#include "client/shim/shim_conn.h"
#include "client/shim/shim_hold.h"
#include "client/shim/shim_pause.h"
#include "client/shim/shim_progress.h"
#include "client/shim/shim_queue.h"

/* No daemon has a reason to want more. */
#define LEASE_MAX_NS 60000000000ull

static uint64_t lease_end(struct gp_shim *s, const struct gp_wire_order *o)
{
	uint64_t lease = o->lease_ns < LEASE_MAX_NS ? o->lease_ns : LEASE_MAX_NS;

	return s->sys->now_ns() + lease;
}

static bool is_gone(struct gp_shim *s, const struct gp_wire_order *o)
{
	const struct gp_shim_queue *q = gp_shim_queue_find(s, o->queue_id);

	return o->queue_id != GP_WIRE_QUEUE_ALL && (!q || q->gpu_id != o->gpu_id);
}

static uint32_t result_of(int error)
{
	switch (error) {
	case 0:
		return GP_WIRE_OK;
	case ESRCH:
		return GP_WIRE_GONE;
	case EAGAIN:
	case EBUSY:
		return GP_WIRE_BUSY_NOW;
	}
	return GP_WIRE_ERROR;
}

static void answer(struct gp_shim *s, const struct gp_wire_order *o,
		   const struct gp_pause_result *p, uint64_t took_ns)
{
	struct gp_wire_done m = {
		.epoch = o->epoch,
		.gpu_id = o->gpu_id,
		.result = result_of(p->error),
		.error = (uint32_t)p->error,
		.nr_queues = p->nr_queues,
		.nr_cycles = p->nr_cycles,
		.took_ns = took_ns,
	};

	pthread_mutex_lock(&s->lock);
	gp_conn_send_locked(s, &m.hdr, GP_WIRE_DONE, sizeof(m));
	pthread_mutex_unlock(&s->lock);
}

/* Return: 0 or errno. Both locks. */
static int set_level_locked(struct gp_shim *s, const struct gp_wire_order *o)
{
	if (is_gone(s, o))
		return ESRCH;
	if (o->hdr.type == GP_WIRE_HOLD && gp_pause_is_lost(s, o->gpu_id))
		return EACCES;
	if (o->hdr.type == GP_WIRE_HOLD)
		return -gp_client_holds_set(&s->holds, o, lease_end(s, o));
	gp_progress_expect_locked(s, o->gpu_id);
	return -gp_client_holds_clear(&s->holds, o);
}

void gp_order_do(struct gp_shim *s, const struct gp_wire_order *o)
{
	struct gp_pause_result result = {};
	uint64_t start = s->sys->now_ns();

	if (o->hdr.type == GP_WIRE_RENEW) {
		pthread_mutex_lock(&s->call_lock);
		pthread_mutex_lock(&s->lock);
		gp_client_holds_renew(&s->holds, o->epoch, lease_end(s, o));
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_unlock(&s->call_lock);
		return;
	}
	if (o->epoch <= s->epoch)
		return;
	s->epoch = o->epoch;
	pthread_mutex_lock(&s->call_lock);
	pthread_mutex_lock(&s->lock);
	result.error = set_level_locked(s, o);
	pthread_mutex_unlock(&s->lock);
	if (!result.error)
		gp_pause_apply(s, o->gpu_id, o->grace, &result);
	pthread_mutex_unlock(&s->call_lock);
	answer(s, o, &result, s->sys->now_ns() - start);
}
