// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Cohorts: the pool they come from, the lists they are in, how they stop and go.
 */
#include "gpu/contention.h"
#include "gpu/cu.h"
#include "gpu/dispatch.h"
#include "gpu/wave.h"

static int grow_pool(struct gpu *gpu)
{
	struct gpu_host *host = gpu->host;
	struct gpu_chunk *chunk;
	u8 *at;
	u32 i;

	chunk = host->ops->alloc(host, sizeof(*chunk) + GPU_CHUNK_COHORTS * gpu->cohort_bytes);
	if (!chunk)
		return -ENOMEM;
	chunk->next = gpu->chunks;
	gpu->chunks = chunk;
	at = (u8 *)(chunk + 1);
	for (i = 0; i < GPU_CHUNK_COHORTS; i++, at += gpu->cohort_bytes) {
		struct gpu_cohort *c = (struct gpu_cohort *)at;

		c->next = gpu->free_cohorts;
		gpu->free_cohorts = c;
	}
	return 0;
}

struct gpu_cohort *gpu_cohort_get(struct gpu *gpu, struct gpu_dispatch *d, u32 xcc)
{
	struct gpu_cohort *c;

	if (!gpu->free_cohorts && grow_pool(gpu))
		return NULL;
	c = gpu->free_cohorts;
	gpu->free_cohorts = c->next;
	/* per_cu[] of a free cohort is all 0: gpu_cu_release() leaves it so. */
	memset(c, 0, sizeof(*c));
	c->event.kind = GPU_EVENT_COHORT;
	c->dispatch = d;
	c->xcc = (u16)xcc;
	c->lo = GPU_MAX_CU_PER_XCC;
	return c;
}

void gpu_cohort_put(struct gpu *gpu, struct gpu_cohort *c)
{
	c->next = gpu->free_cohorts;
	gpu->free_cohorts = c;
}

void gpu_cohort_add_pending(struct gpu_cohort *c)
{
	struct gpu_share *share = &c->dispatch->share[c->xcc];

	c->next = NULL;
	c->prev = share->pending_end;
	if (share->pending_end)
		share->pending_end->next = c;
	else
		share->pending = c;
	share->pending_end = c;
}

/* Now, or at the end if it is frozen: how long a cohort has run. */
static u64 ran_until(const struct gpu_cohort *c, u64 now_ns)
{
	return c->is_frozen ? c->ran_ns :
			      c->ran_ns + gpu_worked_ns(c->dispatch, now_ns - c->start_ns);
}

static void freeze_share(struct gpu *gpu, struct gpu_share *share)
{
	struct gpu_cohort *c;

	for (c = share->resident; c; c = c->next) {
		const struct gpu_wave_ops *engine = c->dispatch->engine;

		if (engine->stop && engine->stop(gpu, c))
			continue;
		c->ran_ns = ran_until(c, gpu->now_ns);
		c->is_frozen = true;
		gpu_heap_remove(&gpu->heap, &c->event);
	}
}

/* No wave is on its way into the save area. */
static void forget_save(struct gpu_slot *slot)
{
	slot->nr_saving = 0;
	slot->granted = 0;
	slot->save_err = 0;
	memset(slot->nr_unasked, 0, sizeof(slot->nr_unasked));
}

void gpu_slot_freeze(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 i, x;

	forget_save(slot);
	gpu->is_crowd_new = gpu->has_contention;
	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		d->leader = NULL;
		for (x = 0; x < gpu->profile->nr_xcc; x++)
			freeze_share(gpu, &d->share[x]);
	}
}

static u32 drop_list(struct gpu *gpu, struct gpu_cohort *c)
{
	u32 nr = 0;

	while (c) {
		struct gpu_cohort *next = c->next;

		nr += c->nr;
		gpu_heap_remove(&gpu->heap, &c->event);
		c->dispatch->engine->drop(gpu, c);
		gpu_cu_release(gpu, c);
		gpu_cohort_put(gpu, c);
		c = next;
	}
	return nr;
}

u32 gpu_slot_drop_waves(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 i, x, nr = 0;

	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		d->leader = NULL;
		for (x = 0; x < gpu->profile->nr_xcc; x++) {
			struct gpu_share *share = &d->share[x];

			nr += drop_list(gpu, share->resident);
			nr += drop_list(gpu, share->pending);
			share->resident = NULL;
			share->resident_end = NULL;
			share->pending = NULL;
			share->pending_end = NULL;
		}
	}
	slot->nr_waves = 0;
	slot->nr_resident = 0;
	slot->nr_saving = 0;
	return nr;
}

static void rewind_dispatch(struct gpu *gpu, struct gpu_dispatch *d)
{
	u32 x;

	d->nr_left = d->nr_groups;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		d->share[x].next = 0;
		d->share[x].done = 0;
	}
}

void gpu_slot_kill(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 nr = gpu_slot_drop_waves(gpu, slot);
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++)
		rewind_dispatch(gpu, &slot->dispatch[slot->order[i]]);
	gpu->stats.nr_killed += nr;
	gpu_trace(gpu, GPU_TRACE_RESET, slot, nr, 0);
}
