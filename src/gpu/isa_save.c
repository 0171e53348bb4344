// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Machine code in memory: AMD's control stack and records (isa/ctlstack.h,
 * isa/record.h). What these do not hold, dispatches in flight, goes to the
 * end-of-pipe buffer that the client gives to every queue and that only the packet
 * processor uses. All of it can be written by the client and is not trusted.
 */
#include "gpu/aql_queue.h"
#include "gpu/dispatch.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

struct eop_head {
	u32 magic;
	u32 nr;
};

/* A dispatch in flight; what its kernel needs is read again from the descriptor. */
struct eop_dispatch {
	u64 packet;
	struct gpu_aql_dispatch aql;
	u32 next[GPU_MAX_XCC];
	u32 done[GPU_MAX_XCC];
};

_Static_assert(sizeof(struct eop_head) + GPU_MAX_DISPATCHES * sizeof(struct eop_dispatch) <= 4096,
	       "the buffer that ROCr gives");

/* A record in the memory of a process. */
struct record_io {
	struct isa_record_io io;
	struct gpu *gpu;
	u32 pasid;
	u64 addr;
};

static int write_record(struct isa_record_io *io, u64 offset, const void *from, u32 bytes)
{
	struct record_io *r = container_of(io, struct record_io, io);

	return gpu_host_write(r->gpu, r->pasid, r->addr + offset, from, bytes);
}

static int read_record(struct isa_record_io *io, u64 offset, void *to, u32 bytes)
{
	struct record_io *r = container_of(io, struct record_io, io);

	return gpu_host_read(r->gpu, r->pasid, r->addr + offset, to, bytes);
}

static struct record_io record_io(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave)
{
	struct record_io r = {
		.io = { .write = write_record, .read = read_record },
		.gpu = gpu,
		.pasid = g->cohort->dispatch->slot->pasid,
		.addr = g->record[wave],
	};

	return r;
}

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
		struct record_io io = record_io(gpu, g, i);

		if (!gpu_isa_is_live(g->wave[i]))
			continue;
		err = isa_record_save(&g->wave[i]->isa, gpu->isa->env.arch, i == first, &io.io);
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

static int load_by_shortcut(struct gpu *gpu, struct gpu_isa_group *g)
{
	int err = 0;
	u32 i;

	for (i = 0; i < g->nr && !err; i++) {
		struct record_io io = record_io(gpu, g, i);

		g->wave[i]->isa.status = 0;
		err = isa_record_restore(&g->wave[i]->isa, gpu->isa->env.arch, !i, &io.io);
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

static int write_dispatches(struct gpu *gpu, struct gpu_slot *slot)
{
	struct eop_head head = { .magic = gpu_isa_wave_ops.magic, .nr = slot->nr_dispatches };
	u64 addr = slot->eop + sizeof(head);
	u32 i, x;
	int err;

	if (!slot->eop || slot->eop_bytes < sizeof(head) + head.nr * sizeof(struct eop_dispatch))
		return -ENOSPC;
	err = gpu_host_write(gpu, slot->pasid, slot->eop, &head, sizeof(head));
	for (i = 0; i < slot->nr_dispatches && !err; i++, addr += sizeof(struct eop_dispatch)) {
		const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];
		struct eop_dispatch r = { .packet = d->packet, .aql = d->kernel.packet };

		for (x = 0; x < gpu->profile->nr_xcc; x++) {
			r.next[x] = d->share[x].next;
			r.done[x] = d->share[x].done;
		}
		err = gpu_host_write(gpu, slot->pasid, addr, &r, sizeof(r));
	}
	return err;
}

int gpu_isa_save(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++)
		if (!(slot->granted & GPU_BIT(x)))
			gpu_isa_grant(gpu, slot, x);
	return slot->save_err ? slot->save_err : write_dispatches(gpu, slot);
}

static int restore_dispatch(struct gpu *gpu, struct gpu_slot *slot, const struct eop_dispatch *r)
{
	struct gpu_dispatch *d = gpu_dispatch_get(slot);
	u32 x;
	int err;

	if (!d || r->packet >= slot->rptr)
		return -EINVAL;
	d->packet = r->packet;
	err = gpu_aql_fill(gpu, d, &r->aql);
	if (err)
		return err;
	if (d->engine != &gpu_isa_wave_ops)
		return -EINVAL;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		struct gpu_share *share = &d->share[x];

		if (r->next[x] > share->nr || r->done[x] > r->next[x])
			return -EINVAL;
		share->next = r->next[x];
		share->done = r->done[x];
		d->nr_left -= share->done;
		d->has_begun |= share->next != share->done;
	}
	return d->nr_left ? 0 : -EINVAL;
}

static int restore_dispatches(struct gpu *gpu, struct gpu_slot *slot)
{
	struct eop_head head;
	u32 i;

	if (!slot->eop || gpu_host_read(gpu, slot->pasid, slot->eop, &head, sizeof(head)))
		return -EFAULT;
	if (head.magic != gpu_isa_wave_ops.magic || !head.nr || head.nr > GPU_MAX_DISPATCHES)
		return -EINVAL;
	for (i = 0; i < head.nr; i++) {
		u64 addr = slot->eop + sizeof(head) + i * sizeof(struct eop_dispatch);
		struct eop_dispatch r;
		int err = gpu_host_read(gpu, slot->pasid, addr, &r, sizeof(r));

		if (!err)
			err = restore_dispatch(gpu, slot, &r);
		if (err)
			return err;
	}
	return 0;
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
		err = restore_dispatches(gpu, slot);
	for (x = 0; x < gpu->profile->nr_xcc && !err; x++)
		err = restore_xcc(gpu, slot, x);
	return err ? err : check_counts(gpu, slot);
}
