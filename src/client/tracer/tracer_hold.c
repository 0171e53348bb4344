// SPDX-License-Identifier: MIT
#include "client/tracer/tracer.h"

#include <errno.h>

#include "driver/kfd.h"

#define TRIES 2

struct tracer_queue *tracer_find(struct tracer *t, uint32_t id)
{
	struct tracer_queue *q;

	for (q = t->queues; q < t->queues + t->nr_queues; q++)
		if (q->e.queue_id == id)
			return q;
	return NULL;
}

static bool is_held(const struct tracer *t, const struct tracer_queue *q)
{
	return client_holds_covers(&t->holds, q->e.gpu_id, q->e.queue_id);
}

/* The compute queues of a node that are not what the holds say. */
static uint32_t collect(struct tracer *t, uint32_t gpu_id, bool suspend)
{
	struct tracer_queue *q;
	uint32_t nr = 0;

	for (q = t->queues; q < t->queues + t->nr_queues; q++) {
		if (q->e.gpu_id == gpu_id && drv_kfd_is_compute(q->e.type) &&
		    q->suspended != suspend && is_held(t, q) == suspend)
			t->ids[nr++] = q->e.queue_id;
	}
	return nr;
}

/* Return: how many were neither done nor failed: new since, or gone. */
static uint32_t take_results(struct tracer *t, uint32_t nr, bool suspend, struct wire_done *d)
{
	struct tracer_queue *q;
	uint32_t i, nr_invalid = 0;
	int r;

	for (i = 0; i < nr; i++) {
		r = drv_kfd_dbg_result(t->ids[i]);
		q = tracer_find(t, drv_kfd_dbg_id(t->ids[i]));
		if (r == -ESRCH) {
			nr_invalid++;
			continue;
		}
		/* If the hardware failed the driver still counts it as suspended. */
		if (q)
			q->suspended = suspend;
		if (q && !suspend)
			tracer_restart(t, q);
		wire_worsen(d, -r);
		d->nr_queues += !r;
	}
	return nr_invalid;
}

/* One batch. Return: queues that want another try, or -errno. */
static int batch(struct tracer *t, uint32_t gpu_id, bool suspend, uint32_t grace,
		 struct wire_done *d)
{
	uint32_t nr = collect(t, gpu_id, suspend);
	int r;

	if (!nr)
		return 0;
	if (suspend)
		r = drv_kfd_dbg_suspend(t->kfd, (uint32_t)t->thread, t->ids, nr, grace);
	else
		r = drv_kfd_dbg_resume(t->kfd, (uint32_t)t->thread, t->ids, nr);
	if (r == -ESRCH)
		tracer_end(t, 0, "the driver does not know it any more");
	if (r < 0)
		return r;
	d->nr_cycles++;
	return (int)take_results(t, nr, suspend, d);
}

static void settle_one(struct tracer *t, uint32_t gpu_id, bool suspend, struct wire_done *d)
{
	uint32_t grace = client_holds_grace(&t->holds, gpu_id);
	int r = 0, try;

	grace = grace > DRV_KFD_GRACE_MIN ? grace : DRV_KFD_GRACE_MIN;
	/* A second time for those that were made between the snapshot and the call. */
	for (try = 0; try < TRIES; try++) {
		r = batch(t, gpu_id, suspend, grace, d);
		if (r <= 0)
			break;
		if (tracer_refresh(t))
			break;
	}
	if (r < 0)
		wire_worsen(d, -r);
	else if (r > 0 && collect(t, gpu_id, suspend))
		/* There, but not to be stopped: it is being destroyed. */
		wire_worsen(d, EBUSY);
}

void tracer_settle(struct tracer *t, uint32_t gpu_id, struct wire_done *done)
{
	struct wire_done ignored = {};
	struct wire_done *d = done ? done : &ignored;
	uint32_t before;

	settle_one(t, gpu_id, true, d);
	before = d->nr_queues;
	if (!t->done)
		settle_one(t, gpu_id, false, d);
	if (d->nr_queues > before)
		tracer_expect(t, gpu_id);
	/* It is not tried again: the end of the session lets it go on. */
	if (!t->done && collect(t, gpu_id, false))
		tracer_end(t, EIO, "the driver would not continue it");
}

static bool has_queue(struct tracer *t, const struct wire_order *o)
{
	const struct tracer_queue *q = tracer_find(t, o->queue_id);

	return q && q->e.gpu_id == o->gpu_id && drv_kfd_is_compute(q->e.type);
}

static int set_level(struct tracer *t, const struct wire_order *o)
{
	if (o->hdr.type == WIRE_RELEASE)
		return client_holds_clear(&t->holds, o);
	/* Queues made a moment ago are to be in the same batch. */
	if (tracer_refresh(t))
		return -ESRCH;
	if (o->queue_id != WIRE_QUEUE_ALL && !has_queue(t, o))
		return -ENOENT;
	return client_holds_set(&t->holds, o, tracer_now_ns());
}

void tracer_order(struct tracer *t, const struct wire_order *o)
{
	struct wire_done d = { .epoch = o->epoch, .gpu_id = o->gpu_id };
	uint64_t begin = tracer_now_ns();
	int r;

	if (o->hdr.type == WIRE_RENEW) {
		client_holds_renew(&t->holds, o, begin);
		return;
	}
	if (!client_holds_is_new(&t->holds, o))
		return;
	r = set_level(t, o);
	wire_worsen(&d, -r);
	if (!r)
		tracer_settle(t, o->gpu_id, &d);
	d.took_ns = tracer_now_ns() - begin;
	tracer_send_done(t, &d);
}

uint64_t tracer_leases(struct tracer *t, uint64_t now_ns)
{
	struct client_hold h;

	while (client_holds_expire(&t->holds, now_ns, &h)) {
		uint32_t gpu_id = (uint32_t)h.hold.target.node;

		tracer_settle(t, gpu_id, NULL);
		tracer_note(t, WIRE_NOTE_LEASE_ENDED, gpu_id, h.hold.owner, "lease ended");
	}
	return gp_holds_next_ns(&t->holds.set);
}
