// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/aql_queue.h"

#include "gpu/dispatch.h"
#include "gpu/pm4_queue.h"
#include "gpu/wave_isa.h"

static u32 packet_type(const struct gpu_slot *slot)
{
	return GPU_AQL_HEADER_TYPE(slot->packet.header);
}

static u64 packet_addr(const struct gpu_slot *slot)
{
	return slot->ring + (slot->rptr & slot->ring_mask) * GPU_AQL_PACKET_BYTES;
}

void gpu_packet_set_state(struct gpu *gpu, struct gpu_slot *slot, enum gpu_packet_state state)
{
	slot->packet_state = state;
	if (state == GPU_PACKET_DEPS)
		gpu->waiting |= GPU_BIT(slot->index);
	else
		gpu->waiting &= ~GPU_BIT(slot->index);
}

void gpu_aql_stop(struct gpu *gpu, struct gpu_slot *slot)
{
	gpu_heap_remove(&gpu->heap, &slot->packet_event);
	gpu_packet_set_state(gpu, slot, GPU_PACKET_NONE);
	gpu->kick &= ~GPU_BIT(slot->index);
}

void gpu_aql_set_wptr(struct gpu_slot *slot, u64 wptr)
{
	u64 nr_packets = slot->ring_mask + 1;

	if ((s64)(wptr - slot->wptr) > 0)
		slot->wptr = wptr;
	if (slot->wptr - slot->rptr > nr_packets)
		slot->wptr = slot->rptr + nr_packets;
}

void gpu_packet_note_idle(struct gpu *gpu, struct gpu_slot *slot)
{
	if (!slot->was_busy || slot->nr_dispatches)
		return;
	slot->was_busy = false;
	gpu_trace(gpu, GPU_TRACE_IDLE, slot, 0, 0);
}

/* Read the packet at the read pointer. Return: there is a valid one. */
static bool peek(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->rptr == slot->wptr) {
		gpu_packet_note_idle(gpu, slot);
		return false;
	}
	if (gpu_host_read(gpu, slot->pasid, packet_addr(slot), &slot->packet,
			  GPU_AQL_PACKET_BYTES)) {
		gpu_slot_fail(gpu, slot, GPU_IRQ_MEM_FAULT);
		return false;
	}
	if (packet_type(slot) == GPU_AQL_INVALID) {
		gpu_packet_set_state(gpu, slot, GPU_PACKET_STALLED);
		return false;
	}
	slot->was_busy = true;
	slot->deps_seen = 0;
	slot->must_empty = false;
	slot->has_asked_scratch = false;
	gpu_packet_set_state(gpu, slot, GPU_PACKET_HELD);
	return true;
}

static bool must_wait(const struct gpu_slot *slot)
{
	if (slot->packet.header & GPU_AQL_HEADER_BARRIER || slot->must_empty)
		return slot->nr_dispatches != 0;
	return packet_type(slot) == GPU_AQL_KERNEL_DISPATCH &&
	       slot->nr_dispatches == GPU_MAX_DISPATCHES;
}

/* From its read to its first wave. */
static u64 packet_ns(const struct gpu *gpu, struct gpu_slot *slot)
{
	const struct gpu_profile *p = gpu->profile;
	u64 ns = p->packet_ns;

	if (slot->packet.header & GPU_AQL_HEADER_BARRIER)
		ns += p->barrier_ns;
	if (slot->is_cold)
		ns += p->cold_ns;
	slot->is_cold = false;
	return ns;
}

void gpu_aql_kick(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->state != GPU_SLOT_ACTIVE || slot->has_failed)
		return;
	if (slot->packet_state == GPU_PACKET_NONE && !peek(gpu, slot))
		return;
	if (slot->packet_state != GPU_PACKET_HELD || must_wait(slot))
		return;
	gpu_packet_set_state(gpu, slot, GPU_PACKET_TIMED);
	gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + packet_ns(gpu, slot));
}

/*
 * Machine code keeps its packet until it ends: AMD's debugger finds the kernel of a wave there,
 * and takes what is before the read pointer for ended.
 */
static u64 first_kept(const struct gpu_slot *slot)
{
	u64 first = slot->rptr;
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++) {
		const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		if (d->engine == &gpu_isa_wave_ops)
			first = min(first, d->packet);
	}
	return first;
}

int gpu_aql_report(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 first = first_kept(slot);

	if (!slot->rptr_addr)
		return 0;
	return gpu_host_write(gpu, slot->pasid, slot->rptr_addr, &first, sizeof(first));
}

static int consume(struct gpu *gpu, struct gpu_slot *slot)
{
	u16 header = GPU_AQL_INVALID;
	int err = gpu_host_write(gpu, slot->pasid, packet_addr(slot), &header, sizeof(header));

	slot->rptr++;
	slot->must_empty = false;
	gpu_packet_set_state(gpu, slot, GPU_PACKET_NONE);
	gpu->kick |= GPU_BIT(slot->index);
	return err ? err : gpu_aql_report(gpu, slot);
}

/* Workgroups of a grid, 0 = none, or too many to count. */
static u32 count_groups(const struct gpu_aql_dispatch *pkt)
{
	u32 nr_dims = pkt->setup & 3 ? pkt->setup & 3 : 3;
	u64 nr = 1;
	u32 i;

	for (i = 0; i < nr_dims; i++) {
		u32 size = pkt->workgroup_size[i];

		if (!size || !pkt->grid_size[i])
			return 0;
		nr *= ((u64)pkt->grid_size[i] + size - 1) / size;
		if (nr > 0xffffffffu)
			return 0;
	}
	return (u32)nr;
}

/* Waves of a workgroup, 0 = none or too many. */
static u32 count_waves(const struct gpu_aql_dispatch *pkt)
{
	u32 nr_dims = pkt->setup & 3 ? pkt->setup & 3 : 3;
	u64 items = 1;
	u32 i;

	for (i = 0; i < nr_dims; i++)
		items *= pkt->workgroup_size[i];
	if (!items || items > GPU_MAX_WAVES_PER_GROUP * GPU_LANES)
		return 0;
	return (u32)((items + GPU_LANES - 1) / GPU_LANES);
}

/* What a kernel's first word says: a program of the model, or machine code. */
static int read_kernel(struct gpu *gpu, const struct gpu_aql_dispatch *pkt,
		       struct gpu_dispatch *d)
{
	u32 pasid = d->slot->pasid, magic;
	struct gpu_kernel_desc desc;
	u64 entry;
	int err;

	err = gpu_host_read(gpu, pasid, pkt->kernel_object, &desc, sizeof(desc));
	if (err)
		return err;
	entry = pkt->kernel_object + (u64)desc.entry_offset;
	err = gpu_host_read(gpu, pasid, entry, &magic, sizeof(magic));
	if (err)
		return err;
	d->vgprs = gpu_dispatch_vgprs(desc.rsrc1);
	d->lds_bytes = max(pkt->group_segment_size, desc.group_segment_bytes);
	d->slot->error_code = GPU_ERROR_ILLEGAL;
	if (magic == GPU_PROGRAM_MAGIC)
		return gpu_dispatch_read(gpu, d, entry, pkt->kernarg_address);
	err = gpu_isa_prepare(gpu);
	return err ? err : gpu_spi_read(gpu, d);
}

int gpu_aql_fill(struct gpu *gpu, struct gpu_dispatch *d, const struct gpu_aql_dispatch *pkt)
{
	int err;

	d->signal = pkt->completion_signal;
	d->kernel.packet = *pkt;
	d->nr_groups = count_groups(pkt);
	d->waves = count_waves(pkt);
	d->slot->error_code = !d->nr_groups ? GPU_ERROR_DIMENSIONS : GPU_ERROR_GROUP_SIZE;
	if (!d->nr_groups || !d->waves)
		return -EINVAL;
	if (!pkt->kernel_object) {
		d->slot->error_code = GPU_ERROR_CODE;
		return -EINVAL;
	}
	err = read_kernel(gpu, pkt, d);
	return err ? err : gpu_dispatch_check(gpu, d);
}

/* One format of control stack for all that is in flight. */
static bool is_of_another_engine(const struct gpu_slot *slot, const struct gpu_dispatch *d)
{
	return slot->dispatch[slot->order[0]].engine != d->engine;
}

static int poll_later(struct gpu *gpu, struct gpu_slot *slot)
{
	gpu_packet_set_state(gpu, slot, GPU_PACKET_DEPS);
	gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + GPU_BARRIER_POLL_NS);
	return 0;
}

/*
 * Scratch memory is too small: AMD's runtime is told by the signal that its queue names,
 * gives more, and clears the signal again.
 */
static int ask_for_scratch(struct gpu *gpu, struct gpu_slot *slot)
{
	s64 value = GPU_INACTIVE_SCRATCH;
	u64 signal;
	int err;

	slot->error_code = GPU_ERROR_REGISTERS;
	err = gpu_spi_inactive_signal(gpu, slot, &signal);
	if (err)
		return err;
	err = gpu_host_write(gpu, slot->pasid, signal + GPU_SIGNAL_VALUE_OFFSET, &value,
			     sizeof(value));
	if (!err)
		err = gpu_signal_raise(gpu, slot, signal);
	slot->has_asked_scratch = true;
	return err ? err : poll_later(gpu, slot);
}

/* Return: 1 = it was given, or was not asked for, 0 = not yet, -errno. */
static int look_for_scratch(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 signal;
	s64 value;
	int err;

	if (!slot->has_asked_scratch)
		return 1;
	err = gpu_spi_inactive_signal(gpu, slot, &signal);
	if (!err)
		err = gpu_host_read(gpu, slot->pasid, signal + GPU_SIGNAL_VALUE_OFFSET, &value,
				    sizeof(value));
	return err ? err : !value;
}

static int start_dispatch(struct gpu *gpu, struct gpu_slot *slot)
{
	const struct gpu_aql_dispatch *pkt = &slot->packet.dispatch;
	struct gpu_dispatch *d = gpu_dispatch_get(slot);
	int err;

	if (GP_WARN_ON(!d))
		return -EBUSY;
	d->packet = slot->rptr;
	err = gpu_aql_fill(gpu, d, pkt);
	if (err) {
		gpu_dispatch_put(d);
		return err == -ENOSPC ? ask_for_scratch(gpu, slot) : err;
	}
	if (is_of_another_engine(slot, d)) {
		gpu_dispatch_put(d);
		slot->must_empty = true;
		gpu_packet_set_state(gpu, slot, GPU_PACKET_HELD);
		return 0;
	}
	if (pkt->header & GPU_AQL_HEADER_ACQUIRE)
		gpu_isa_invalidate(gpu, slot);
	gpu_dispatch_offer(gpu, d);
	return consume(gpu, slot);
}

static int try_dispatch(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = look_for_scratch(gpu, slot);

	if (err < 0)
		return err;
	if (!err)
		return poll_later(gpu, slot);
	slot->has_asked_scratch = false;
	gpu_heap_remove(&gpu->heap, &slot->packet_event);
	return start_dispatch(gpu, slot);
}

/* Look at signals not yet seen satisfied. Return: 1 = barrier passes, 0, -EFAULT. */
static int check_deps(struct gpu *gpu, struct gpu_slot *slot)
{
	const struct gpu_aql_barrier *pkt = &slot->packet.barrier;
	bool is_or = packet_type(slot) == GPU_AQL_BARRIER_OR;
	u32 nr_used = 0, nr_seen = 0, i;
	s64 value;

	for (i = 0; i < ARRAY_SIZE(pkt->dep_signal); i++) {
		if (!pkt->dep_signal[i])
			continue;
		nr_used++;
		if (!(slot->deps_seen & GPU_BIT(i))) {
			int err = gpu_host_read(gpu, slot->pasid,
						pkt->dep_signal[i] + GPU_SIGNAL_VALUE_OFFSET,
						&value, sizeof(value));

			if (err)
				return err;
			if (!value)
				slot->deps_seen |= GPU_BIT(i);
		}
		nr_seen += !!(slot->deps_seen & GPU_BIT(i));
	}
	if (is_or)
		return nr_seen || !nr_used;
	return nr_seen == nr_used;
}

/* A packet that has no waves is done. */
static int pass(struct gpu *gpu, struct gpu_slot *slot, u64 signal)
{
	int err;

	gpu_heap_remove(&gpu->heap, &slot->packet_event);
	gpu->stats.nr_packets++;
	err = consume(gpu, slot);
	return err ? err : gpu_signal_complete(gpu, slot, signal);
}

static int try_barrier(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 signal = slot->packet.barrier.completion_signal;
	int err = check_deps(gpu, slot);

	if (err < 0)
		return err;
	if (!err)
		return poll_later(gpu, slot);
	gpu_trace(gpu, GPU_TRACE_BARRIER, slot, slot->rptr, 0);
	return pass(gpu, slot, signal);
}

/* What AMD's runtime sends after it has loaded code: caches are to be invalidated. */
static int try_vendor(struct gpu *gpu, struct gpu_slot *slot)
{
	struct gpu_aql_pm4_ib pkt = slot->packet.pm4_ib;
	int err;

	if (pkt.format != GPU_AQL_FORMAT_PM4_IB) {
		slot->error_code = GPU_ERROR_VENDOR;
		return -EINVAL;
	}
	err = gpu_pm4_run_buffer(gpu, slot, pkt.ib);
	slot->packet.pm4_ib = pkt;
	if (err < 0)
		return err;
	return err ? pass(gpu, slot, pkt.completion_signal) : poll_later(gpu, slot);
}

static int run_packet(struct gpu *gpu, struct gpu_slot *slot)
{
	switch (packet_type(slot)) {
	case GPU_AQL_KERNEL_DISPATCH:
		return try_dispatch(gpu, slot);
	case GPU_AQL_BARRIER_AND:
	case GPU_AQL_BARRIER_OR:
		return try_barrier(gpu, slot);
	case GPU_AQL_VENDOR:
		return try_vendor(gpu, slot);
	default:
		return -EINVAL;
	}
}

void gpu_aql_event(struct gpu *gpu, struct gpu_slot *slot)
{
	int err;

	if (slot->state != GPU_SLOT_ACTIVE || slot->has_failed)
		return;
	if (slot->packet_state != GPU_PACKET_TIMED && slot->packet_state != GPU_PACKET_DEPS)
		return;
	slot->error_code = 0;
	err = run_packet(gpu, slot);
	if (err)
		gpu_slot_fail(gpu, slot, gpu_irq_of(err));
}
