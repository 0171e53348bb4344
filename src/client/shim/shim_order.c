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

static uint64_t lease_end(struct shim *s, const struct wire_order *o)
{
	uint64_t lease = o->lease_ns < LEASE_MAX_NS ? o->lease_ns : LEASE_MAX_NS;

	return s->sys->now_ns() + lease;
}

static bool is_gone(struct shim *s, const struct wire_order *o)
{
	const struct shim_queue *q = shim_queue_find(s, o->queue_id);

	return o->queue_id != WIRE_QUEUE_ALL && (!q || q->gpu_id != o->gpu_id);
}

static uint32_t result_of(int error)
{
	switch (error) {
	case 0:
		return WIRE_OK;
	case ESRCH:
		return WIRE_GONE;
	case EAGAIN:
	case EBUSY:
		return WIRE_BUSY_NOW;
	}
	return WIRE_ERROR;
}

static void answer(struct shim *s, const struct wire_order *o,
		   const struct shim_pause_result *p, uint64_t took_ns)
{
	struct wire_done m = {
		.epoch = o->epoch,
		.gpu_id = o->gpu_id,
		.result = result_of(p->error),
		.error = (uint32_t)p->error,
		.nr_queues = p->nr_queues,
		.nr_cycles = p->nr_cycles,
		.took_ns = took_ns,
	};

	pthread_mutex_lock(&s->lock);
	shim_conn_send_locked(s, &m.hdr, WIRE_DONE, sizeof(m));
	pthread_mutex_unlock(&s->lock);
}

/* Return: 0 or errno. Both locks. */
static int set_level_locked(struct shim *s, const struct wire_order *o)
{
	if (is_gone(s, o))
		return ESRCH;
	if (o->hdr.type == WIRE_HOLD && shim_pause_is_lost(s, o->gpu_id))
		return EACCES;
	if (o->hdr.type == WIRE_HOLD)
		return -client_holds_set(&s->holds, o, lease_end(s, o));
	shim_progress_expect_locked(s, o->gpu_id);
	return -client_holds_clear(&s->holds, o);
}

void shim_order_do(struct shim *s, const struct wire_order *o)
{
	struct shim_pause_result result = {};
	uint64_t start = s->sys->now_ns();

	if (o->hdr.type == WIRE_RENEW) {
		pthread_mutex_lock(&s->call_lock);
		pthread_mutex_lock(&s->lock);
		client_holds_renew(&s->holds, o->epoch, lease_end(s, o));
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
		shim_pause_apply(s, o->gpu_id, o->grace, &result);
	pthread_mutex_unlock(&s->call_lock);
	answer(s, o, &result, s->sys->now_ns() - start);
}
