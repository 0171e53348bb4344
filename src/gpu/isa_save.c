// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waves of machine code on their way into memory: AMD's control stack and records
 * (isa/ctlstack.h, isa/record.h).
 */
#include "gpu/dispatch.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

/* A control stack in the making. */
struct layout {
	struct gpu *gpu;
	struct gpu_slot *slot;
	u32 xcc;
	u64 begin; /* address of the first record */
	u64 end;   /* of what may be written */
	struct isa_ctl_writer w;
};

static bool is_in_group(const struct gpu_isa_group *g, u32 i)
{
	return g->phase == GPU_ISA_WAITING || gpu_isa_is_live(g->wave[i]);
}

static u32 tag_of(const struct gpu_dispatch *d)
{
	const struct gpu_slot *slot = d->slot;
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++)
		if (&slot->dispatch[slot->order[i]] == d)
			break;
	return i;
}

/* The words and the place of one wave. */
static int lay_wave(struct layout *l, const struct gpu_isa_group *g, u32 i, bool is_first,
		    bool is_last, u64 *record)
{
	const struct gpu_dispatch *d = g->cohort->dispatch;
	struct isa_ctl_wave word = {
		.nr_vgprs = d->vgprs,
		.acc_offset = d->kernel.acc_offset,
		.nr_sgprs = d->kernel.nr_sgprs,
		.lds_bytes = d->lds_bytes,
		.scratch_slot = g->scratch_slot[i],
		.se = g->se,
		.tag = tag_of(d),
		.has_scratch = g->has_scratch >> i & 1,
		.is_first = is_first,
		.is_last = is_last,
	};
	int err = isa_ctl_write(&l->w, l->gpu->isa->env.arch, &word);

	if (!err && word.record + word.record_bytes > l->end - l->begin)
		err = -ENOSPC;
	*record = l->begin + word.record;
	return err;
}

/* Down in memory, so that what comes later is not overwritten. */
static int move_record(struct layout *l, u64 from, u64 to, u32 bytes)
{
	struct gpu *gpu = l->gpu;
	u32 pasid = l->slot->pasid, done = 0;
	int err = 0;

	while (done < bytes && from != to && !err) {
		u32 part = min(bytes - done, (u32)GPU_ISA_BOUNCE_BYTES);

		err = gpu_host_read(gpu, pasid, from + done, gpu->isa->bounce, part);
		if (!err)
			err = gpu_host_write(gpu, pasid, to + done, gpu->isa->bounce, part);
		done += part;
	}
	return err;
}

/* The last wave of a group has the lowest record, the first the highest. */
static int lay_group(struct layout *l, struct gpu_isa_group *g)
{
	const struct gpu_dispatch *d = g->cohort->dispatch;
	u32 first = 0, i = g->nr;
	bool is_last = true;
	int err = 0;

	while (first < g->nr && !is_in_group(g, first))
		first++;
	while (i-- > first && !err) {
		u64 old = g->record[i];

		if (!is_in_group(g, i))
			continue;
		err = lay_wave(l, g, i, i == first, is_last, &g->record[i]);
		is_last = false;
		if (!err && g->phase == GPU_ISA_WAITING)
			err = move_record(l, old, g->record[i],
					  isa_record_bytes(d->vgprs, d->kernel.nr_sgprs,
							   i == first ? d->lds_bytes : 0));
	}
	return err;
}

/*
 * Groups that still wait in the save area first: they are there by address and can
 * only move down. All others have read theirs and wait for the answer.
 */
static int lay_groups(struct layout *l)
{
	struct gpu_slot *slot = l->slot;
	struct gpu_isa_group *g;
	struct gpu_cohort *c;
	int err = 0;
	u32 i;

	for (g = slot->saved[l->xcc]; g && !err; g = g->next)
		err = lay_group(l, g);
	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gpu_share *share = &slot->dispatch[slot->order[i]].share[l->xcc];

		for (c = share->resident; c && !err; c = c->next)
			if (c->isa->phase == GPU_ISA_ASKED)
				err = lay_group(l, c->isa);
	}
	return err;
}

/* The two words below the others are skipped by every reader: they say whose it is. */
static int write_stack(struct layout *l)
{
	struct gpu_save_area *a = &l->slot->area[l->xcc];
	const struct gpu_slot *slot = l->slot;
	u64 to = slot->mqd + (u64)l->xcc * slot->stride + GPU_MQD_CTL_STACK;
	u32 *words = l->w.words + l->w.top;

	words[0] = gpu_isa_wave_ops.magic;
	words[1] = slot->nr_dispatches;
	a->ctl_offset = l->w.top * 4;
	a->wave_end = a->ctl_bytes + (u32)l->w.record;
	return gpu_host_write(l->gpu, GPU_PASID_GART, to + a->ctl_offset, words,
			      a->ctl_bytes - a->ctl_offset);
}

static int lay_out(struct gpu *gpu, struct gpu_slot *slot, u32 xcc)
{
	const struct gpu_save_area *a = &slot->area[xcc];
	struct layout l = { .gpu = gpu, .slot = slot, .xcc = xcc };
	int err;

	if (a->bytes < a->ctl_bytes || a->ctl_bytes > gpu->scratch_bytes || a->ctl_bytes % 4)
		return -ENOSPC;
	l.begin = a->base + a->ctl_bytes;
	l.end = a->base + a->bytes;
	isa_ctl_write_start(&l.w, (u32 *)gpu->scratch, a->ctl_bytes / 4);
	err = lay_groups(&l);
	if (!err)
		err = isa_ctl_write_end(&l.w);
	return err ? err : write_stack(&l);
}

static u32 first_live(const struct gpu_isa_group *g)
{
	u32 i = 0;

	while (i < g->nr && !gpu_isa_is_live(g->wave[i]))
		i++;
	return i;
}

/* Without the handler: all of it now. */
static int save_by_shortcut(struct gpu *gpu, struct gpu_isa_group *g)
{
	u32 first = first_live(g), i;
	int err = 0;

	for (i = first; i < g->nr && !err; i++) {
		if (gpu_isa_is_live(g->wave[i]))
			err = gpu_isa_write_record(gpu, g, i, i == first);
	}
	return err;
}

static void answer(struct gpu *gpu, struct gpu_isa_group *g)
{
	u32 first = first_live(g), i;

	g->phase = GPU_ISA_GRANTED;
	for (i = first; i < g->nr; i++)
		if (gpu_isa_is_live(g->wave[i]))
			isa_save_answer(&g->wave[i]->isa, g->record[i], i == first);
	gpu_heap_add(&gpu->heap, &g->cohort->event, gpu->now_ns);
}

static void grant_group(struct gpu *gpu, struct gpu_slot *slot, struct gpu_isa_group *g)
{
	if (g->phase != GPU_ISA_ASKED)
		return;
	if (!slot->save_err && gpu->handler == GPU_HANDLER_RUN) {
		answer(gpu, g);
		return;
	}
	if (!slot->save_err)
		slot->save_err = save_by_shortcut(gpu, g);
	gpu_isa_note_saved(gpu, g);
}

void gpu_isa_grant(struct gpu *gpu, struct gpu_slot *slot, u32 xcc)
{
	int err = lay_out(gpu, slot, xcc);
	struct gpu_cohort *c;
	u32 i;

	slot->granted |= GPU_BIT(xcc);
	if (err && !slot->save_err)
		slot->save_err = err;
	for (i = 0; i < slot->nr_dispatches; i++)
		for (c = slot->dispatch[slot->order[i]].share[xcc].resident; c; c = c->next)
			grant_group(gpu, slot, c->isa);
}

int gpu_isa_save(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++)
		if (!(slot->granted & GPU_BIT(x)))
			gpu_isa_grant(gpu, slot, x);
	return slot->save_err ? slot->save_err : gpu_isa_write_dispatches(gpu, slot);
}
