// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/cwsr.h"

#include "gpu/dispatch.h"
#include "gpu/pm4_queue.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

/*
 * Control stack of one XCC, from CTL_STACK_OFFSET to CTL_STACK_SIZE: a head, a
 * record for each dispatch in flight, then the engine's wave records.
 */
struct ctl_head {
	u32 magic;
	u32 nr_dispatches;
	u32 nr_waves;
	u32 state_bytes;	/* really written to the save area */
};

/* What all XCCs must agree on. */
struct ctl_common {
	u64 packet;
	u64 signal;
	struct gpu_kernarg arg;
	u64 step_ns;
	u32 steps;
	u32 flags;
	u32 nr_groups;
	u32 lds_bytes;
	u16 vgprs;
	u16 waves;
	u32 reserved;
};

struct ctl_dispatch {
	struct ctl_common common;
	u32 next;
	u32 done;
	u32 nr_saved;
	u32 reserved;
};

static u64 mqd_of(const struct gpu_slot *slot, u32 xcc)
{
	return slot->mqd + (u64)xcc * slot->stride;
}

/* Where the used part of the control stack begins. */
static u64 ctl_addr(const struct gpu_slot *slot, u32 xcc)
{
	return mqd_of(slot, xcc) + GPU_MQD_CTL_STACK + slot->area[xcc].ctl_offset;
}

int gpu_saver_write(struct gpu_saver *s, const void *src, u32 len)
{
	int err;

	if (len > s->addr_end - s->addr)
		return -ENOSPC;
	err = gpu_host_write(s->gpu, s->slot->pasid, s->addr, src, len);
	s->addr += len;
	return err;
}

int gpu_saver_read(struct gpu_saver *s, void *dst, u32 len)
{
	int err;

	if (len > s->addr_end - s->addr)
		return -EINVAL;
	err = gpu_host_read(s->gpu, s->slot->pasid, s->addr, dst, len);
	s->addr += len;
	return err;
}

/* Workgroups of a share that have begun and not ended. */
static u32 nr_begun(const struct gpu_share *share)
{
	return share->next - share->done;
}

static u32 count_waves(const struct gpu_slot *slot, u32 xcc, u64 *state_bytes)
{
	u32 waves = 0, i;

	*state_bytes = 0;
	for (i = 0; i < slot->nr_dispatches; i++) {
		const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];
		u32 nr = nr_begun(&d->share[xcc]);

		waves += nr * d->waves;
		*state_bytes += (u64)nr * d->group_bytes;
	}
	return waves;
}

static u32 ctl_used(const struct gpu_slot *slot, u32 nr_waves)
{
	if (!slot->nr_dispatches)
		return 0;
	/* A word for each wave, and mostly one that says what they have. */
	if (gpu_slot_is_isa(slot))
		return (ISA_CTL_HEAD_WORDS + !!nr_waves + nr_waves) * 4;
	return (u32)(sizeof(struct ctl_head) + slot->nr_dispatches * sizeof(struct ctl_dispatch)) +
	       nr_waves * GPU_CTL_BYTES_PER_WAVE;
}

u64 gpu_cwsr_bytes(const struct gpu *gpu, const struct gpu_slot *slot, u32 xcc)
{
	u64 state_bytes;
	u32 nr_waves = count_waves(slot, xcc, &state_bytes);

	return state_bytes + ctl_used(slot, nr_waves);
}

u64 gpu_cwsr_saved_bytes(const struct gpu_slot *slot, u32 xcc)
{
	const struct gpu_save_area *a = &slot->area[xcc];

	if (a->ctl_offset >= a->ctl_bytes)
		return 0;
	return (u64)(a->ctl_bytes - a->ctl_offset) +
	       (a->wave_end > a->ctl_bytes ? a->wave_end - a->ctl_bytes : 0);
}

static void fill_record(struct ctl_dispatch *r, const struct gpu_dispatch *d, u32 xcc)
{
	const struct gpu_share *share = &d->share[xcc];

	memset(r, 0, sizeof(*r));
	r->common.packet = d->packet;
	r->common.signal = d->signal;
	r->common.arg = d->arg;
	r->common.step_ns = d->step_ns;
	r->common.steps = d->steps;
	r->common.flags = d->flags;
	r->common.nr_groups = d->nr_groups;
	r->common.lds_bytes = d->lds_bytes;
	r->common.vgprs = (u16)d->vgprs;
	r->common.waves = (u16)d->waves;
	r->next = share->next;
	r->done = share->done;
	r->nr_saved = nr_begun(share);
}

static int save_list(struct gpu_saver *s, struct gpu_cohort *c)
{
	int err = 0;

	for (; c && !err; c = c->next)
		err = c->dispatch->engine->save(s, c);
	return err;
}

/* Waves of all dispatches on one XCC; records of dispatches go before @s->ctl. */
static int save_waves(struct gpu_saver *s, struct ctl_dispatch *records)
{
	struct gpu_slot *slot = s->slot;
	int err = 0;
	u32 i;

	for (i = 0; i < slot->nr_dispatches && !err; i++) {
		struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		fill_record(&records[i], d, s->xcc);
		err = save_list(s, d->share[s->xcc].resident);
		if (!err)
			err = save_list(s, d->share[s->xcc].pending);
	}
	return err;
}

static void corrupt(struct gpu *gpu, const struct gpu_slot *slot, u64 begin, u64 end)
{
	u64 size = end - begin;
	u64 addr;
	u8 byte;

	if (!gpu->faults.is_corrupting || !size)
		return;
	addr = begin + gpu->faults.corrupt_byte % size;
	if (gpu_host_read(gpu, slot->pasid, addr, &byte, 1))
		return;
	byte ^= 1;
	if (gpu_host_write(gpu, slot->pasid, addr, &byte, 1))
		return;
	gpu->faults.is_corrupting = false;
	gpu_trace(gpu, GPU_TRACE_FAULT, slot, GPU_FAULT_CORRUPT, addr);
}

#define SHIFT_BYTES 1024
#define SHIFTED_BYTES 2048

/* As a restore would that takes a part of the registers too far along: two rows of four. */
static void shift(struct gpu *gpu, const struct gpu_slot *slot, u64 begin, u64 end)
{
	u64 at = begin + gpu->faults.shift_byte;

	if (!gpu->faults.is_shifting || end - begin < SHIFT_BYTES + SHIFTED_BYTES ||
	    gpu->faults.shift_byte > end - begin - SHIFT_BYTES - SHIFTED_BYTES ||
	    gpu->scratch_bytes < SHIFTED_BYTES)
		return;
	if (gpu_host_read(gpu, slot->pasid, at + SHIFT_BYTES, gpu->scratch, SHIFTED_BYTES) ||
	    gpu_host_write(gpu, slot->pasid, at, gpu->scratch, SHIFTED_BYTES))
		return;
	gpu->faults.is_shifting = false;
	gpu_trace(gpu, GPU_TRACE_FAULT, slot, GPU_FAULT_SHIFT, at);
}

static int save_xcc(struct gpu *gpu, struct gpu_slot *slot, u32 xcc)
{
	struct gpu_save_area *a = &slot->area[xcc];
	u64 state_bytes, begin = a->base + a->ctl_bytes;
	u32 nr_waves = count_waves(slot, xcc, &state_bytes);
	u32 used = ctl_used(slot, nr_waves);
	struct ctl_head *head = (struct ctl_head *)gpu->scratch;
	struct ctl_dispatch *records = (struct ctl_dispatch *)(head + 1);
	struct gpu_saver s = { .gpu = gpu, .slot = slot, .xcc = xcc, .addr = begin };
	int err;

	if (used > a->ctl_bytes || used > gpu->scratch_bytes ||
	    (nr_waves && (a->bytes < a->ctl_bytes || state_bytes > a->bytes - a->ctl_bytes)))
		return -ENOSPC;
	s.addr_end = begin + state_bytes;
	s.ctl = (u8 *)(records + slot->nr_dispatches);
	s.ctl_end = gpu->scratch + used;
	err = save_waves(&s, records);
	if (err)
		return err;
	head->magic = gpu->waves->magic;
	head->nr_dispatches = slot->nr_dispatches;
	head->nr_waves = nr_waves;
	head->state_bytes = (u32)(s.addr - begin);
	corrupt(gpu, slot, begin, s.addr);
	a->ctl_offset = a->ctl_bytes - used;
	a->wave_end = a->ctl_bytes + (u32)state_bytes;
	err = gpu_host_write(gpu, GPU_PASID_GART, ctl_addr(slot, xcc), gpu->scratch,
			     (u32)(s.ctl - gpu->scratch));
	shift(gpu, slot, begin, s.addr);
	return err;
}

static int write_word(struct gpu *gpu, u64 mqd, u32 offset, u32 value)
{
	return gpu_host_write(gpu, GPU_PASID_GART, mqd + offset, &value, sizeof(value));
}

/*
 * The write pointer is the anchor from which the read pointer's upper bits are
 * found again, so it must be less than a ring ahead of it. The true one is read
 * from memory when the queue is mapped.
 */
static int write_pointers(struct gpu *gpu, const struct gpu_slot *slot, u64 mqd)
{
	u64 wptr = min(slot->wptr, slot->rptr + slot->ring_mask) * gpu_slot_unit(slot);
	u32 rptr = (u32)((slot->rptr & slot->ring_mask) * gpu_slot_unit(slot));
	int err;

	err = write_word(gpu, mqd, GPU_MQD_PQ_RPTR, rptr);
	if (!err)
		err = write_word(gpu, mqd, GPU_MQD_PQ_WPTR_LO, (u32)wptr);
	if (!err)
		err = write_word(gpu, mqd, GPU_MQD_PQ_WPTR_HI, (u32)(wptr >> 32));
	return err;
}

static int write_mqd(struct gpu *gpu, const struct gpu_slot *slot, u32 xcc, bool is_stopped)
{
	const struct gpu_save_area *a = &slot->area[xcc];
	u64 mqd = mqd_of(slot, xcc);
	int err = write_pointers(gpu, slot, mqd);

	if (!err && !slot->is_aql)
		err = gpu_pm4_save(gpu, slot, mqd);
	if (!err)
		err = write_word(gpu, mqd, GPU_MQD_CTL_STACK_OFFSET, a->ctl_offset);
	if (!err)
		err = write_word(gpu, mqd, GPU_MQD_WG_STATE_OFFSET, a->wave_end);
	/* A queue that is well has 0 there. */
	if (!err && (is_stopped || slot->has_failed))
		err = write_word(gpu, mqd, GPU_MQD_ERROR, is_stopped ? GPU_MQD_ERROR_STOPPED : 0);
	return err;
}

static void set_empty(struct gpu_save_area *a)
{
	a->ctl_offset = a->ctl_bytes;
	a->wave_end = a->ctl_bytes;
}

static int save_isa(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = gpu_isa_save(gpu, slot);
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc && !err; x++) {
		const struct gpu_save_area *a = &slot->area[x];

		corrupt(gpu, slot, a->base + a->ctl_bytes, a->base + a->wave_end);
		shift(gpu, slot, a->base + a->ctl_bytes, a->base + a->wave_end);
	}
	return err;
}

static int save_xccs(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = 0;
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc && !err; x++) {
		set_empty(&slot->area[x]);
		if (slot->nr_dispatches)
			err = save_xcc(gpu, slot, x);
	}
	return err;
}

int gpu_cwsr_save(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = gpu_slot_is_isa(slot) ? save_isa(gpu, slot) : save_xccs(gpu, slot);
	u32 x;

	/* All or nothing: half a context must not look like one. */
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		int mqd_err;

		if (err)
			set_empty(&slot->area[x]);
		mqd_err = write_mqd(gpu, slot, x,
				    slot->how != GPU_DEQUEUE_RESET && (err || slot->has_failed));
		err = err ? err : mqd_err;
	}
	return err;
}

static int restore_dispatch(struct gpu *gpu, struct gpu_slot *slot, const struct ctl_dispatch *r)
{
	struct gpu_dispatch *d = gpu_dispatch_get(slot);
	int err;

	/* It was consumed: before the read pointer, or in the indirect buffer there. */
	if (!d || r->common.packet >= slot->rptr + !slot->is_aql)
		return -EINVAL;
	d->packet = r->common.packet;
	d->signal = r->common.signal;
	d->arg = r->common.arg;
	d->step_ns = r->common.step_ns;
	d->steps = r->common.steps;
	d->flags = r->common.flags;
	d->nr_groups = r->common.nr_groups;
	d->lds_bytes = r->common.lds_bytes;
	d->vgprs = r->common.vgprs;
	d->waves = r->common.waves;
	err = gpu_dispatch_check(gpu, d);
	if (!err && d->lds_bytes != r->common.lds_bytes)
		err = -EINVAL;
	return err;
}

/* The next cohorts of a share. At most as many rounds as workgroups, each has bytes. */
static int restore_share(struct gpu_saver *s, struct gpu_dispatch *d, u32 nr)
{
	while (nr) {
		struct gpu_cohort *c = gpu_cohort_get(s->gpu, d, s->xcc);
		int err;

		if (!c)
			return -ENOMEM;
		err = d->engine->restore(s, c, nr);
		gpu_cohort_add_pending(c);
		if (err)
			return err;
		d->slot->nr_waves += c->nr * d->waves;
		nr -= c->nr;
	}
	return 0;
}

static int check_record(const struct ctl_dispatch *r, const struct ctl_dispatch *first,
			const struct gpu_share *share)
{
	if (memcmp(&r->common, &first->common, sizeof(r->common)))
		return -EINVAL;
	if (r->next > share->nr || r->done > r->next || r->nr_saved != r->next - r->done)
		return -EINVAL;
	return r->reserved || r->common.reserved ? -EINVAL : 0;
}

static int restore_record(struct gpu_saver *s, u32 index, const struct ctl_dispatch *r)
{
	struct gpu_slot *slot = s->slot;
	struct gpu_dispatch *d;
	struct ctl_dispatch first;
	int err;

	if (!s->xcc) {
		err = restore_dispatch(s->gpu, slot, r);
		if (err)
			return err;
	}
	d = &slot->dispatch[slot->order[index]];
	/* XCC 0's record, as it was read, is what the others must equal. */
	fill_record(&first, d, s->xcc);
	if (!s->xcc)
		first.common = r->common;
	err = check_record(r, &first, &d->share[s->xcc]);
	if (err)
		return err;
	d->share[s->xcc].next = r->next;
	d->share[s->xcc].done = r->done;
	d->nr_left -= r->done;
	/* One that was drained or killed begins anew with its next wave on a CU. */
	d->has_begun |= r->nr_saved != 0;
	return restore_share(s, d, r->nr_saved);
}

/* More cannot have been on an XCC, so there cannot be more in a save. */
static u32 max_state_bytes(const struct gpu_profile *p)
{
	return gpu_profile_cwsr_bytes(p) - gpu_profile_ctl_stack_bytes(p);
}

/* Read the control stack of an XCC into the scratch buffer and check its head. */
static int read_ctl(struct gpu_saver *s, struct ctl_head *head)
{
	struct gpu *gpu = s->gpu;
	const struct gpu_save_area *a = &s->slot->area[s->xcc];
	u32 len = a->ctl_bytes - a->ctl_offset, need;

	if (a->ctl_offset >= a->ctl_bytes || len < sizeof(*head) || len > gpu->scratch_bytes ||
	    a->wave_end < a->ctl_bytes || a->wave_end > a->bytes ||
	    a->wave_end - a->ctl_bytes > max_state_bytes(gpu->profile))
		return -EINVAL;
	if (gpu_host_read(gpu, GPU_PASID_GART, ctl_addr(s->slot, s->xcc), gpu->scratch, len))
		return -EFAULT;
	memcpy(head, gpu->scratch, sizeof(*head));
	if (head->magic != gpu->waves->magic || !head->nr_dispatches ||
	    head->nr_dispatches > GPU_MAX_DISPATCHES ||
	    head->state_bytes > a->wave_end - a->ctl_bytes)
		return -EINVAL;
	need = (u32)(sizeof(*head) + head->nr_dispatches * sizeof(struct ctl_dispatch));
	if (len < need || head->nr_waves != (len - need) / GPU_CTL_BYTES_PER_WAVE ||
	    (len - need) % GPU_CTL_BYTES_PER_WAVE)
		return -EINVAL;
	s->ctl = gpu->scratch + need;
	s->ctl_end = gpu->scratch + len;
	s->addr = a->base + a->ctl_bytes;
	s->addr_end = s->addr + head->state_bytes;
	return 0;
}

static int restore_xcc(struct gpu *gpu, struct gpu_slot *slot, u32 xcc)
{
	struct gpu_saver s = { .gpu = gpu, .slot = slot, .xcc = xcc };
	struct ctl_head head;
	struct ctl_dispatch r;
	u64 state_bytes;
	int err = read_ctl(&s, &head);
	u32 i;

	if (err)
		return err;
	if (xcc && head.nr_dispatches != slot->nr_dispatches)
		return -EINVAL;
	for (i = 0; i < head.nr_dispatches && !err; i++) {
		memcpy(&r, gpu->scratch + sizeof(head) + i * sizeof(r), sizeof(r));
		err = restore_record(&s, i, &r);
	}
	if (err)
		return err;
	/* Nothing may be left over, and the MQD must have told the same story. */
	if (s.addr != s.addr_end || head.nr_waves != count_waves(slot, xcc, &state_bytes) ||
	    state_bytes != slot->area[xcc].wave_end - slot->area[xcc].ctl_bytes)
		return -EINVAL;
	return 0;
}

/* The first word of every control stack says what wrote it. */
bool gpu_cwsr_is_isa(struct gpu *gpu, const struct gpu_slot *slot)
{
	u32 magic = 0;

	if (slot->area[0].ctl_offset >= slot->area[0].ctl_bytes)
		return false;
	return !gpu_host_read(gpu, GPU_PASID_GART, ctl_addr(slot, 0), &magic, sizeof(magic)) &&
	       magic == gpu_isa_wave_ops.magic;
}

int gpu_cwsr_restore(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = 0;
	u32 i, x;

	if (gpu_cwsr_is_isa(gpu, slot))
		return gpu_isa_restore(gpu, slot);
	for (x = 0; x < gpu->profile->nr_xcc && !err; x++)
		err = restore_xcc(gpu, slot, x);
	if (err)
		return err;
	for (i = 0; i < slot->nr_dispatches; i++)
		if (!slot->dispatch[slot->order[i]].nr_left)
			return -EINVAL;
	return 0;
}
