// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Cohorts: the pool they come from, the lists they are in, how they stop and go.
 */
#include "gpu/cu.h"
#include "gpu/dispatch.h"
#include "gpu/wave.h"

static int grow_pool(struct gp_gpu *gpu)
{
	struct gp_gpu_host *host = gpu->host;
	struct gp_chunk *chunk;
	u8 *at;
	u32 i;

	chunk = host->ops->alloc(host, sizeof(*chunk) + GP_CHUNK_COHORTS * gpu->cohort_bytes);
	if (!chunk)
		return -ENOMEM;
	chunk->next = gpu->chunks;
	gpu->chunks = chunk;
	at = (u8 *)(chunk + 1);
	for (i = 0; i < GP_CHUNK_COHORTS; i++, at += gpu->cohort_bytes) {
		struct gp_cohort *c = (struct gp_cohort *)at;

		c->next = gpu->free_cohorts;
		gpu->free_cohorts = c;
	}
	return 0;
}

struct gp_cohort *gp_cohort_get(struct gp_gpu *gpu, struct gp_dispatch *d, u32 xcc)
{
	struct gp_cohort *c;

	if (!gpu->free_cohorts && grow_pool(gpu))
		return NULL;
	c = gpu->free_cohorts;
	gpu->free_cohorts = c->next;
	/* per_cu[] of a free cohort is all 0: gp_cu_release() leaves it so. */
	memset(c, 0, sizeof(*c));
	c->event.kind = GP_EVENT_COHORT;
	c->dispatch = d;
	c->xcc = (u16)xcc;
	c->lo = GP_GPU_MAX_CU_PER_XCC;
	return c;
}

void gp_cohort_put(struct gp_gpu *gpu, struct gp_cohort *c)
{
	c->next = gpu->free_cohorts;
	gpu->free_cohorts = c;
}

void gp_cohort_add_pending(struct gp_cohort *c)
{
	struct gp_share *share = &c->dispatch->share[c->xcc];

	c->next = NULL;
	c->prev = share->pending_end;
	if (share->pending_end)
		share->pending_end->next = c;
	else
		share->pending = c;
	share->pending_end = c;
}

/* Now, or at the end if it is frozen: how long a cohort has run. */
static u64 ran_until(const struct gp_cohort *c, u64 now_ns)
{
	return c->is_frozen ? c->ran_ns : c->ran_ns + (now_ns - c->start_ns);
}

static void freeze_share(struct gp_gpu *gpu, struct gp_share *share)
{
	struct gp_cohort *c;

	for (c = share->resident; c; c = c->next) {
		c->ran_ns = ran_until(c, gpu->now_ns);
		c->is_frozen = true;
		gp_gpu_heap_remove(&gpu->heap, &c->event);
	}
}

void gp_slot_freeze(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u32 i, x;

	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gp_dispatch *d = &slot->dispatch[slot->order[i]];

		d->leader = NULL;
		for (x = 0; x < gpu->profile->nr_xcc; x++)
			freeze_share(gpu, &d->share[x]);
	}
}

static u32 drop_list(struct gp_gpu *gpu, struct gp_cohort *c)
{
	u32 nr = 0;

	while (c) {
		struct gp_cohort *next = c->next;

		nr += c->nr;
		gp_gpu_heap_remove(&gpu->heap, &c->event);
		gpu->waves->drop(gpu, c);
		gp_cu_release(gpu, c);
		gp_cohort_put(gpu, c);
		c = next;
	}
	return nr;
}

u32 gp_slot_drop_waves(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u32 i, x, nr = 0;

	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gp_dispatch *d = &slot->dispatch[slot->order[i]];

		d->leader = NULL;
		for (x = 0; x < gpu->profile->nr_xcc; x++) {
			struct gp_share *share = &d->share[x];

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
	return nr;
}

static void rewind_dispatch(struct gp_gpu *gpu, struct gp_dispatch *d)
{
	u32 x;

	d->nr_left = d->nr_groups;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		d->share[x].next = 0;
		d->share[x].done = 0;
	}
}

void gp_slot_kill(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u32 nr = gp_slot_drop_waves(gpu, slot);
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++)
		rewind_dispatch(gpu, &slot->dispatch[slot->order[i]]);
	gpu->stats.nr_killed += nr;
	gp_gpu_trace(gpu, GP_GPU_TRACE_RESET, slot, nr, 0);
}
