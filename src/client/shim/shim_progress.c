// SPDX-License-Identifier: MIT
#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

#define MS 1000000ull
#define PATIENCE_NS (1000 * MS)

static struct shim_progress *find(struct shim *s, uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < SHIM_MAX_NODES; i++)
		if (s->progress[i].gpu_id == gpu_id)
			return &s->progress[i];
	return NULL;
}

void shim_progress_expect_locked(struct shim *s, uint32_t gpu_id)
{
	struct shim_progress *p = find(s, gpu_id);
	struct shim_queue *q, *one = NULL;

	shim_queue_each(s, q)
		if (q->gpu_id == gpu_id && q->is_busy && q->is_readable && shim_pause_is_stopped(q))
			one = q;
	if (!p)
		p = find(s, 0);
	if (!one || !p)
		return;
	p->gpu_id = gpu_id;
	p->queue_id = one->queue_id;
	p->has_rptr = false;
	p->look_ns = s->sys->now_ns();
	p->until_ns = p->look_ns + PATIENCE_NS;
	p->pace_ns = MS;
}

/* Return: the code of the note, or 0: nothing to say yet. Only this thread changes @p. */
static uint32_t judge(struct shim *s, struct shim_progress *p, uint64_t now_ns)
{
	struct shim_view v = { .q = shim_queue_find(s, p->queue_id) };
	int waves;

	pthread_mutex_unlock(&s->lock);
	waves = s->sys->occupancy(p->gpu_id);
	pthread_mutex_lock(&s->lock);
	if (v.q && v.q->used)
		shim_queue_view_locked(s, &v, 1);
	if (!v.q || !v.q->used || !v.q->is_busy || waves > 0)
		return WIRE_NOTE_PROGRESS;
	if (p->has_rptr && v.rptr != p->rptr)
		return WIRE_NOTE_PROGRESS;
	p->rptr = v.rptr;
	p->has_rptr = true;
	return now_ns >= p->until_ns ? WIRE_NOTE_NO_PROGRESS : 0;
}

static void step(struct shim *s, struct shim_progress *p, uint64_t now_ns)
{
	struct shim_queue *q = shim_queue_find(s, p->queue_id);
	uint32_t code;

	/* Held again before anything could be seen. */
	if (q && shim_pause_is_stopped(q)) {
		p->gpu_id = 0;
		return;
	}
	code = judge(s, p, now_ns);
	if (code) {
		shim_conn_note_locked(s, code, p->gpu_id, p->queue_id, "");
		p->gpu_id = 0;
		return;
	}
	p->look_ns = now_ns + p->pace_ns;
	p->pace_ns *= 2;
	if (p->look_ns > p->until_ns)
		p->look_ns = p->until_ns;
}

uint64_t shim_progress_step_locked(struct shim *s, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;
	struct shim_progress *p;

	for (p = s->progress; p < s->progress + SHIM_MAX_NODES; p++) {
		if (p->gpu_id && now_ns >= p->look_ns)
			step(s, p, now_ns);
		if (p->gpu_id && p->look_ns < next)
			next = p->look_ns;
	}
	return next;
}
