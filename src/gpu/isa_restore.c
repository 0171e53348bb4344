// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waves of machine code on their way back: from the control stack to groups that wait
 * in the save area, and from there to CUs. All of it can be written by the client and is
 * not trusted.
 */
#include "gpu/dispatch.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

void gpu_isa_unlist(struct gpu_isa_group *g)
{
	struct gpu_isa_group **head = &g->cohort->dispatch->slot->saved[g->cohort->xcc];

	if (g->prev)
		g->prev->next = g->next;
	else if (*head == g)
		*head = g->next;
	if (g->next)
		g->next->prev = g->prev;
	g->next = NULL;
	g->prev = NULL;
}

static void list_first(struct gpu_isa_group *g)
{
	struct gpu_isa_group **head = &g->cohort->dispatch->slot->saved[g->cohort->xcc];

	g->next = *head;
	if (*head)
		(*head)->prev = g;
	*head = g;
}

static int load_by_shortcut(struct gpu *gpu, struct gpu_isa_group *g)
{
	int err = 0;
	u32 i;

	for (i = 0; i < g->nr && !err; i++) {
		g->wave[i]->isa.status = 0;
		err = gpu_isa_read_record(gpu, g, i, !i);
	}
	return err;
}

int gpu_isa_load(struct gpu *gpu, struct gpu_isa_group *g)
{
	int err = gpu_isa_group_fill(gpu, g);
	u32 i;

	if (err)
		return err;
	gpu_isa_unlist(g);
	g->phase = GPU_ISA_RUNNING;
	if (gpu->handler == GPU_HANDLER_SHORTCUT)
		err = load_by_shortcut(gpu, g);
	else
		for (i = 0; i < g->nr; i++)
			isa_restore_start(&g->wave[i]->isa, g->record[i], !i);
	/* It may be on its way out again. */
	if (!err && g->is_ordered)
		gpu_isa_order(gpu, g);
	return err;
}

/* The dispatch that a wave word names, if the wave can be one of its. */
static struct gpu_dispatch *owner_of(struct gpu_slot *slot, const struct isa_ctl_wave *word)
{
	struct gpu_dispatch *d;

	if (word->tag >= slot->nr_dispatches)
		return NULL;
	d = &slot->dispatch[slot->order[word->tag]];
	if (word->nr_vgprs != d->vgprs || word->acc_offset != d->kernel.acc_offset ||
	    word->nr_sgprs != d->kernel.nr_sgprs || word->lds_bytes != d->lds_bytes ||
	    word->has_scratch != !!d->kernel.private_bytes)
		return NULL;
	return d;
}

static int restore_wave(struct gpu_isa_group *g, const struct isa_ctl_wave *word, u64 begin)
{
	struct gpu_dispatch *d = g->cohort->dispatch;

	if (owner_of(d->slot, word) != d || g->nr == d->waves)
		return -EINVAL;
	g->record[g->nr] = begin + word->record;
	g->scratch_slot[g->nr] = (u16)word->scratch_slot;
	g->nr++;
	if (!word->has_scratch)
		return 0;
	if (gpu_spi_claim_scratch(d->slot, g->cohort->xcc, word->scratch_slot))
		return -EINVAL;
	g->has_scratch |= (u16)GPU_BIT(g->nr - 1);
	return 0;
}

/* A group whose first wave was read: the cohort that will bring it back. */
static struct gpu_isa_group *begin_group(struct gpu *gpu, struct gpu_slot *slot, u32 xcc,
					 const struct isa_ctl_wave *word, int *err)
{
	struct gpu_dispatch *d = owner_of(slot, word);
	struct gpu_cohort *c;

	*err = d ? -ENOMEM : -EINVAL;
	c = d ? gpu_cohort_get(gpu, d, xcc) : NULL;
	if (!c)
		return NULL;
	c->nr = 1;
	gpu_cohort_add_pending(c);
	slot->nr_waves += d->waves;
	if (!gpu_isa_group_alloc(gpu, c, 0))
		return NULL;
	c->isa->phase = GPU_ISA_WAITING;
	c->isa->se = word->se;
	list_first(c->isa);
	c->isa->is_restoring = gpu->handler == GPU_HANDLER_RUN;
	slot->nr_restoring += c->isa->is_restoring;
	*err = 0;
	return c->isa;
}

static int restore_groups(struct gpu *gpu, struct gpu_slot *slot, u32 xcc,
			  struct isa_ctl_reader *r, u64 begin)
{
	struct gpu_isa_group *g = NULL;
	struct isa_ctl_wave word;
	int got, err = 0;

	while ((got = isa_ctl_read(r, &word)) == 1 && !err) {
		if (word.is_first)
			g = begin_group(gpu, slot, xcc, &word, &err);
		if (!err)
			err = restore_wave(g, &word, begin);
	}
	return err ? err : got;
}

static int restore_xcc(struct gpu *gpu, struct gpu_slot *slot, u32 xcc)
{
	const struct gpu_save_area *a = &slot->area[xcc];
	u64 from = slot->mqd + (u64)xcc * slot->stride + GPU_MQD_CTL_STACK + a->ctl_offset;
	u32 bytes = a->ctl_bytes - a->ctl_offset;
	const u32 *words = (u32 *)gpu->scratch;
	struct isa_ctl_reader r;

	if (a->ctl_offset > a->ctl_bytes || bytes % 4 || bytes < ISA_CTL_HEAD_WORDS * 4 ||
	    bytes > gpu->scratch_bytes || a->wave_end < a->ctl_bytes || a->wave_end > a->bytes)
		return -EINVAL;
	if (gpu_host_read(gpu, GPU_PASID_GART, from, gpu->scratch, bytes))
		return -EFAULT;
	if (words[0] != gpu_isa_wave_ops.magic || words[1] != slot->nr_dispatches)
		return -EINVAL;
	isa_ctl_read_start(&r, gpu->isa->env.arch, words, bytes / 4, a->wave_end - a->ctl_bytes);
	return restore_groups(gpu, slot, xcc, &r, a->base + a->ctl_bytes);
}

/* As many groups as each dispatch has begun and not ended. */
static int check_counts(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 i, x;

	for (i = 0; i < slot->nr_dispatches; i++) {
		const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		for (x = 0; x < gpu->profile->nr_xcc; x++) {
			const struct gpu_cohort *c = d->share[x].pending;
			u32 nr = 0;

			for (; c; c = c->next)
				nr++;
			if (nr != d->share[x].next - d->share[x].done)
				return -EINVAL;
		}
	}
	return 0;
}

int gpu_isa_restore(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = gpu_isa_prepare(gpu);
	u32 x;

	if (!err)
		err = gpu_isa_read_dispatches(gpu, slot);
	for (x = 0; x < gpu->profile->nr_xcc && !err; x++)
		err = restore_xcc(gpu, slot, x);
	return err ? err : check_counts(gpu, slot);
}
