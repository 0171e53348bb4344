// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/aql_queue.h"

#include "gpu/dispatch.h"

static u32 packet_type(const struct gp_slot *slot)
{
	return GP_AQL_HEADER_TYPE(slot->packet.header);
}

static u64 packet_addr(const struct gp_slot *slot)
{
	return slot->ring + (slot->rptr & slot->ring_mask) * GP_AQL_PACKET_BYTES;
}

void gp_packet_set_state(struct gp_gpu *gpu, struct gp_slot *slot, enum gp_packet_state state)
{
	slot->packet_state = state;
	if (state == GP_PACKET_DEPS)
		gpu->waiting |= GP_BIT(slot->index);
	else
		gpu->waiting &= ~GP_BIT(slot->index);
}

void gp_aql_stop(struct gp_gpu *gpu, struct gp_slot *slot)
{
	gp_gpu_heap_remove(&gpu->heap, &slot->packet_event);
	gp_packet_set_state(gpu, slot, GP_PACKET_NONE);
	gpu->kick &= ~GP_BIT(slot->index);
}

void gp_aql_set_wptr(struct gp_slot *slot, u64 wptr)
{
	u64 nr_packets = slot->ring_mask + 1;

	if ((s64)(wptr - slot->wptr) > 0)
		slot->wptr = wptr;
	if (slot->wptr - slot->rptr > nr_packets)
		slot->wptr = slot->rptr + nr_packets;
}

void gp_packet_note_idle(struct gp_gpu *gpu, struct gp_slot *slot)
{
	if (!slot->was_busy || slot->nr_dispatches)
		return;
	slot->was_busy = false;
	gp_gpu_trace(gpu, GP_GPU_TRACE_IDLE, slot, 0, 0);
}

/* Read the packet at the read pointer. Return: there is a valid one. */
static bool peek(struct gp_gpu *gpu, struct gp_slot *slot)
{
	if (slot->rptr == slot->wptr) {
		gp_packet_note_idle(gpu, slot);
		return false;
	}
	if (gp_host_read(gpu, slot->pasid, packet_addr(slot), &slot->packet,
			 GP_AQL_PACKET_BYTES)) {
		gp_slot_fail(gpu, slot, GP_IRQ_MEM_FAULT);
		return false;
	}
	if (packet_type(slot) == GP_AQL_INVALID) {
		gp_packet_set_state(gpu, slot, GP_PACKET_STALLED);
		return false;
	}
	slot->was_busy = true;
	slot->deps_seen = 0;
	gp_packet_set_state(gpu, slot, GP_PACKET_HELD);
	return true;
}

static bool must_wait(const struct gp_slot *slot)
{
	if (slot->packet.header & GP_AQL_HEADER_BARRIER)
		return slot->nr_dispatches != 0;
	return packet_type(slot) == GP_AQL_KERNEL_DISPATCH &&
	       slot->nr_dispatches == GP_MAX_DISPATCHES;
}

void gp_aql_kick(struct gp_gpu *gpu, struct gp_slot *slot)
{
	if (slot->state != GP_SLOT_ACTIVE || slot->has_failed)
		return;
	if (slot->packet_state == GP_PACKET_NONE && !peek(gpu, slot))
		return;
	if (slot->packet_state != GP_PACKET_HELD || must_wait(slot))
		return;
	gp_packet_set_state(gpu, slot, GP_PACKET_TIMED);
	gp_gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + gpu->profile->packet_ns);
}

static int consume(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u16 header = GP_AQL_INVALID;
	int err = gp_host_write(gpu, slot->pasid, packet_addr(slot), &header, sizeof(header));

	slot->rptr++;
	gp_packet_set_state(gpu, slot, GP_PACKET_NONE);
	gpu->kick |= GP_BIT(slot->index);
	if (!err && slot->rptr_addr)
		err = gp_host_write(gpu, slot->pasid, slot->rptr_addr, &slot->rptr,
				    sizeof(slot->rptr));
	return err;
}

/* Workgroups of a grid, 0 = none, or too many to count. */
static u32 count_groups(const struct gp_aql_dispatch *pkt)
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
static u32 count_waves(const struct gp_aql_dispatch *pkt)
{
	u32 nr_dims = pkt->setup & 3 ? pkt->setup & 3 : 3;
	u64 items = 1;
	u32 i;

	for (i = 0; i < nr_dims; i++)
		items *= pkt->workgroup_size[i];
	if (!items || items > GP_MAX_WAVES_PER_GROUP * GP_LANES)
		return 0;
	return (u32)((items + GP_LANES - 1) / GP_LANES);
}

static int read_kernel(struct gp_gpu *gpu, const struct gp_aql_dispatch *pkt,
		       struct gp_dispatch *d)
{
	struct gp_kernel_desc desc;
	int err;

	err = gp_host_read(gpu, d->slot->pasid, pkt->kernel_object, &desc, sizeof(desc));
	if (!err)
		err = gp_dispatch_read(gpu, d, pkt->kernel_object + (u64)desc.entry_offset,
				       pkt->kernarg_address);
	if (err)
		return err;
	d->vgprs = gp_dispatch_vgprs(desc.rsrc1);
	d->lds_bytes = max(pkt->group_segment_size, desc.group_segment_bytes);
	return 0;
}

static int start_dispatch(struct gp_gpu *gpu, struct gp_slot *slot)
{
	const struct gp_aql_dispatch *pkt = &slot->packet.dispatch;
	struct gp_dispatch *d = gp_dispatch_get(slot);
	int err;

	if (GP_WARN_ON(!d))
		return -EBUSY;
	d->packet = slot->rptr;
	d->signal = pkt->completion_signal;
	d->nr_groups = count_groups(pkt);
	d->waves = count_waves(pkt);
	err = read_kernel(gpu, pkt, d);
	if (!err)
		err = gp_dispatch_check(gpu, d);
	if (err) {
		gp_dispatch_put(d);
		return err;
	}
	gp_dispatch_offer(gpu, d);
	return consume(gpu, slot);
}

/* Look at signals not yet seen satisfied. Return: 1 = barrier passes, 0, -EFAULT. */
static int check_deps(struct gp_gpu *gpu, struct gp_slot *slot)
{
	const struct gp_aql_barrier *pkt = &slot->packet.barrier;
	bool is_or = packet_type(slot) == GP_AQL_BARRIER_OR;
	u32 nr_used = 0, nr_seen = 0, i;
	s64 value;

	for (i = 0; i < ARRAY_SIZE(pkt->dep_signal); i++) {
		if (!pkt->dep_signal[i])
			continue;
		nr_used++;
		if (!(slot->deps_seen & GP_BIT(i))) {
			int err = gp_host_read(gpu, slot->pasid,
					       pkt->dep_signal[i] + GP_SIGNAL_VALUE_OFFSET, &value,
					       sizeof(value));

			if (err)
				return err;
			if (!value)
				slot->deps_seen |= GP_BIT(i);
		}
		nr_seen += !!(slot->deps_seen & GP_BIT(i));
	}
	if (is_or)
		return nr_seen || !nr_used;
	return nr_seen == nr_used;
}

static int try_barrier(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u64 signal = slot->packet.barrier.completion_signal;
	int err = check_deps(gpu, slot);

	if (err < 0)
		return err;
	if (!err) {
		gp_packet_set_state(gpu, slot, GP_PACKET_DEPS);
		gp_gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + GP_BARRIER_POLL_NS);
		return 0;
	}
	gp_gpu_heap_remove(&gpu->heap, &slot->packet_event);
	gp_gpu_trace(gpu, GP_GPU_TRACE_BARRIER, slot, slot->rptr, 0);
	gpu->stats.nr_packets++;
	err = consume(gpu, slot);
	return err ? err : gp_signal_complete(gpu, slot, signal);
}

static int run_packet(struct gp_gpu *gpu, struct gp_slot *slot)
{
	switch (packet_type(slot)) {
	case GP_AQL_KERNEL_DISPATCH:
		return start_dispatch(gpu, slot);
	case GP_AQL_BARRIER_AND:
	case GP_AQL_BARRIER_OR:
		return try_barrier(gpu, slot);
	default:
		return -EINVAL;
	}
}

void gp_aql_event(struct gp_gpu *gpu, struct gp_slot *slot)
{
	int err;

	if (slot->state != GP_SLOT_ACTIVE || slot->has_failed)
		return;
	if (slot->packet_state != GP_PACKET_TIMED && slot->packet_state != GP_PACKET_DEPS)
		return;
	err = run_packet(gpu, slot);
	if (err)
		gp_slot_fail(gpu, slot, gp_irq_of(err));
}
