// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/pm4_queue.h"

#include "gpu/aql_queue.h"
#include "gpu/dispatch.h"
#include "gpu/pm4.h"
#include "gpu/wave_isa.h"

#define LDS_UNIT 512 /* COMPUTE_PGM_RSRC2.LDS_SIZE: 128 dwords */
#define MAX_AQL_IB_DW 4096 /* of a buffer that is worked off at once */

/* Where the registers are: in the MQD, and for SET_SH_REG (0 = not there). */
static const struct {
	u16 mqd;
	u16 sh;
} regs[GPU_PM4_REG_COUNT] = {
	[GPU_PM4_NUM_THREAD_X] = { GPU_MQD_NUM_THREAD_X, GPU_SH_REG_NUM_THREAD_X },
	[GPU_PM4_NUM_THREAD_Y] = { GPU_MQD_NUM_THREAD_Y, GPU_SH_REG_NUM_THREAD_X + 1 },
	[GPU_PM4_NUM_THREAD_Z] = { GPU_MQD_NUM_THREAD_Z, GPU_SH_REG_NUM_THREAD_X + 2 },
	[GPU_PM4_PGM_LO] = { GPU_MQD_PGM_LO, GPU_SH_REG_PGM_LO },
	[GPU_PM4_PGM_HI] = { GPU_MQD_PGM_HI, GPU_SH_REG_PGM_LO + 1 },
	[GPU_PM4_PGM_RSRC1] = { GPU_MQD_PGM_RSRC1, GPU_SH_REG_PGM_RSRC1 },
	[GPU_PM4_PGM_RSRC2] = { GPU_MQD_PGM_RSRC2, GPU_SH_REG_PGM_RSRC1 + 1 },
	[GPU_PM4_USER_DATA_0] = { GPU_MQD_USER_DATA_0, GPU_SH_REG_USER_DATA_0 },
	[GPU_PM4_USER_DATA_1] = { GPU_MQD_USER_DATA_1, GPU_SH_REG_USER_DATA_0 + 1 },
	[GPU_PM4_IB_RPTR] = { GPU_MQD_IB_RPTR, 0 },
};

void gpu_pm4_parse(struct gpu_slot *slot, const u32 *mqd)
{
	u32 i;

	for (i = 0; i < GPU_PM4_REG_COUNT; i++)
		slot->pm4.reg[i] = mqd[regs[i].mqd / 4];
}

int gpu_pm4_save(struct gpu *gpu, const struct gpu_slot *slot, u64 mqd)
{
	int err = 0;
	u32 i;

	for (i = 0; i < GPU_PM4_REG_COUNT && !err; i++)
		err = gpu_host_write(gpu, GPU_PASID_GART, mqd + regs[i].mqd, &slot->pm4.reg[i],
				     sizeof(u32));
	return err;
}

static u64 pair(u32 lo, u32 hi)
{
	return lo | (u64)hi << 32;
}

static u32 opcode(const struct gpu_slot *slot)
{
	return gpu_pm4_get(slot->packet.pm4, GPU_PM4_OPCODE);
}

/* Dwords of the packet, header included. */
static u32 length(const struct gpu_slot *slot)
{
	u32 count = gpu_pm4_get(slot->packet.pm4, GPU_PM4_COUNT);

	if (opcode(slot) == GPU_PM4_NOP && count == GPU_PM4_NOP_COUNT_ONE)
		return 1;
	return count + 2;
}

/* Dwords from the packet on that may be read. */
static u64 nr_there(const struct gpu_slot *slot)
{
	if (slot->pm4.ib_dw)
		return slot->pm4.ib_dw - slot->pm4.reg[GPU_PM4_IB_RPTR];
	return slot->wptr - slot->rptr;
}

/* A dword of the packet; the ring may wrap inside. */
static int read_dword(struct gpu *gpu, const struct gpu_slot *slot, u32 index, u32 *word)
{
	u64 addr;

	if (slot->pm4.ib_dw)
		addr = slot->pm4.ib + 4ull * (slot->pm4.reg[GPU_PM4_IB_RPTR] + index);
	else
		addr = slot->ring + 4 * ((slot->rptr + index) & slot->ring_mask);
	return gpu_host_read(gpu, slot->pasid, addr, word, sizeof(*word));
}

/* The length is one that a packet of this kind has. */
static bool is_length_legal(const struct gpu_slot *slot)
{
	u32 nr = length(slot);

	switch (opcode(slot)) {
	case GPU_PM4_NOP:
		return true;
	case GPU_PM4_WRITE_DATA:
		return nr >= GPU_PM4_WRITE_DATA_DW;
	case GPU_PM4_SET_SH_REG:
		return nr >= 3;
	case GPU_PM4_RELEASE_MEM:
		return nr == GPU_PM4_RELEASE_MEM_DW;
	case GPU_PM4_ACQUIRE_MEM:
		return nr == GPU_PM4_ACQUIRE_MEM_DW;
	case GPU_PM4_WAIT_REG_MEM:
		return nr == GPU_PM4_WAIT_REG_MEM_DW;
	case GPU_PM4_DISPATCH_DIRECT:
		return nr == GPU_PM4_DISPATCH_DIRECT_DW;
	case GPU_PM4_INDIRECT_BUFFER:
		return nr == GPU_PM4_INDIRECT_BUFFER_DW;
	default:
		return false;
	}
}

/* What is wrong with a packet before all of it has been read. Return: 0, -EINVAL. */
static int check_header(const struct gpu_slot *slot)
{
	bool is_buffer = opcode(slot) == GPU_PM4_INDIRECT_BUFFER;

	if (gpu_pm4_get(slot->packet.pm4, GPU_PM4_TYPE) != 3 || !is_length_legal(slot))
		return -EINVAL;
	/* One level only. */
	if (slot->pm4.ib_dw)
		return is_buffer || length(slot) > nr_there(slot) ? -EINVAL : 0;
	/* An MQD that speaks of a buffer where there is none. */
	if (slot->pm4.reg[GPU_PM4_IB_RPTR] && !is_buffer)
		return -EINVAL;
	return length(slot) > slot->ring_mask + 1 ? -EINVAL : 0;
}

/* Read the packet. Return: 1 = it is there, 0 = not all of it, -errno. */
static int fetch(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 nr = 1, i;
	int err;

	memset(&slot->packet, 0, sizeof(slot->packet));
	for (i = 0; i < nr; i++) {
		err = read_dword(gpu, slot, i, &slot->packet.pm4[i]);
		if (!err && !i)
			err = check_header(slot);
		if (err)
			return err;
		if (length(slot) > nr_there(slot))
			return 0;
		nr = min(length(slot), (u32)GPU_PM4_HEAD_DW);
	}
	return 1;
}

/* Return: there is a packet to run. */
static bool peek(struct gpu *gpu, struct gpu_slot *slot)
{
	int err;

	if (!nr_there(slot)) {
		gpu_packet_note_idle(gpu, slot);
		return false;
	}
	err = fetch(gpu, slot);
	if (err < 0) {
		gpu_slot_fail(gpu, slot, gpu_irq_of(err));
		return false;
	}
	gpu_packet_set_state(gpu, slot, err ? GPU_PACKET_HELD : GPU_PACKET_STALLED);
	slot->was_busy = true;
	return err;
}

static bool must_wait(const struct gpu_slot *slot)
{
	switch (opcode(slot)) {
	case GPU_PM4_RELEASE_MEM:
		return slot->nr_dispatches != 0;
	case GPU_PM4_DISPATCH_DIRECT:
		return slot->nr_dispatches == GPU_MAX_DISPATCHES;
	default:
		return false;
	}
}

/*
 * Going into a buffer is a part of reading the first packet there, also for a queue that
 * comes back into one: else a queue that is taken out often would never get anywhere.
 * An empty buffer has no such packet.
 */
static u64 reading_ns(const struct gpu *gpu, const struct gpu_slot *slot)
{
	if (opcode(slot) == GPU_PM4_INDIRECT_BUFFER &&
	    gpu_pm4_get(slot->packet.pm4, GPU_INDIRECT_BUFFER_SIZE))
		return 0;
	return gpu->profile->packet_ns;
}

void gpu_pm4_kick(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->state != GPU_SLOT_ACTIVE || slot->has_failed)
		return;
	if (slot->packet_state == GPU_PACKET_NONE && !peek(gpu, slot))
		return;
	if (slot->packet_state != GPU_PACKET_HELD || must_wait(slot))
		return;
	gpu_packet_set_state(gpu, slot, GPU_PACKET_TIMED);
	gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + reading_ns(gpu, slot));
}

/* Move on in the ring; the read pointer in memory is modulo the ring. */
static int consume_ring(struct gpu *gpu, struct gpu_slot *slot, u32 nr)
{
	u32 rptr;

	slot->rptr += nr;
	rptr = (u32)(slot->rptr & slot->ring_mask);
	if (!slot->rptr_addr)
		return 0;
	return gpu_host_write(gpu, slot->pasid, slot->rptr_addr, &rptr, sizeof(rptr));
}

/* The packet is done, and with the last one of a buffer the buffer. */
static int consume(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 *ib_rptr = &slot->pm4.reg[GPU_PM4_IB_RPTR];
	u32 nr = length(slot);

	gpu_packet_set_state(gpu, slot, GPU_PACKET_NONE);
	gpu->kick |= GPU_BIT(slot->index);
	gpu->stats.nr_packets += opcode(slot) != GPU_PM4_DISPATCH_DIRECT;
	if (slot->pm4.ib_dw) {
		*ib_rptr += nr;
		if (*ib_rptr < slot->pm4.ib_dw)
			return 0;
		nr = GPU_PM4_INDIRECT_BUFFER_DW;
	}
	*ib_rptr = 0;
	slot->pm4.ib_dw = 0;
	return consume_ring(gpu, slot, nr);
}

/* At most as many dwords as a header can count. */
static int write_data(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	u32 sel = gpu_pm4_get(pkt, GPU_WRITE_DATA_DST_SEL);
	u32 step = gpu_pm4_get(pkt, GPU_WRITE_DATA_NO_INCREMENT) ? 0 : 4;
	u64 addr = pair(pkt[2] & ~3u, pkt[3]);
	u32 nr = length(slot), i, word;
	int err = 0;

	if (sel != GPU_WRITE_DATA_DST_MEMORY && sel != GPU_WRITE_DATA_DST_L2)
		return -EINVAL;
	for (i = 4; i < nr && !err; i++, addr += step) {
		err = read_dword(gpu, slot, i, &word);
		if (!err)
			err = gpu_host_write(gpu, slot->pasid, addr, &word, sizeof(word));
	}
	gpu->is_signalled = true;
	return err;
}

static int write_release(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	u64 value = pair(pkt[5], pkt[6]);

	switch (gpu_pm4_get(pkt, GPU_RELEASE_MEM_DATA_SEL)) {
	case GPU_RELEASE_DATA_NONE:
		return 0;
	case GPU_RELEASE_DATA_32:
		return gpu_host_write(gpu, slot->pasid, pair(pkt[3] & ~3u, pkt[4]), &pkt[5],
				      sizeof(u32));
	case GPU_RELEASE_DATA_CLOCK:
		value = gpu->now_ns / GPU_CLOCK_NS;
		break;
	case GPU_RELEASE_DATA_64:
		break;
	default:
		return -EINVAL;
	}
	return gpu_host_write(gpu, slot->pasid, pair(pkt[3] & ~7u, pkt[4]), &value, sizeof(value));
}

static int release_mem(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	u32 sel = gpu_pm4_get(pkt, GPU_RELEASE_MEM_INT_SEL);
	int err;

	if (gpu_pm4_get(pkt, GPU_RELEASE_MEM_DST_SEL) > 1 || sel > GPU_RELEASE_INT_CONTEXT)
		return -EINVAL;
	err = write_release(gpu, slot);
	if (err)
		return err;
	gpu->is_signalled = true;
	if (sel != GPU_RELEASE_INT_NONE && sel != GPU_RELEASE_INT_DATA_ONLY)
		gpu_irq(gpu, GPU_IRQ_EOP, slot, gpu_pm4_get(pkt, GPU_RELEASE_MEM_CONTEXT));
	return 0;
}

static bool compare(u32 function, u32 value, u32 reference)
{
	switch (function) {
	case GPU_WAIT_LESS:
		return value < reference;
	case GPU_WAIT_LESS_EQUAL:
		return value <= reference;
	case GPU_WAIT_EQUAL:
		return value == reference;
	case GPU_WAIT_NOT_EQUAL:
		return value != reference;
	case GPU_WAIT_GREATER_EQUAL:
		return value >= reference;
	case GPU_WAIT_GREATER:
		return value > reference;
	default:
		return true;
	}
}

/* Return: 1 = passes, 0 = waits, -errno. */
static int wait_mem(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	u32 function = gpu_pm4_get(pkt, GPU_WAIT_REG_MEM_FUNCTION), value;
	int err;

	/* There are no registers to wait for. */
	if (gpu_pm4_get(pkt, GPU_WAIT_REG_MEM_SPACE) != 1 ||
	    gpu_pm4_get(pkt, GPU_WAIT_REG_MEM_OPERATION) || function > GPU_WAIT_GREATER)
		return -EINVAL;
	err = gpu_host_read(gpu, slot->pasid, pair(pkt[2] & ~3u, pkt[3]), &value, sizeof(value));
	return err ? err : compare(function, value & pkt[5], pkt[4]);
}

static void set_sh_reg(struct gpu_slot *slot, u32 offset, u32 value)
{
	u32 i;

	/* Others say how, not what: nothing here depends on them. */
	for (i = 0; i < GPU_PM4_REG_COUNT; i++)
		if (regs[i].sh && regs[i].sh == offset)
			slot->pm4.reg[i] = value;
}

static int set_sh_regs(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 offset = gpu_pm4_get(slot->packet.pm4, GPU_SET_SH_REG_OFFSET);
	u32 nr = length(slot) - 2, i, word;
	int err;

	if (offset >= GPU_SH_REG_END || nr > GPU_SH_REG_END - offset)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		err = read_dword(gpu, slot, 2 + i, &word);
		if (err)
			return err;
		set_sh_reg(slot, offset + i, word);
	}
	return 0;
}

/* Workgroups, or waves of one, in @out: a product of three. Return: 0, -EINVAL. */
static int multiply(const u32 *factor, u32 mask, u32 *out)
{
	u64 nr = 1;
	u32 i;

	for (i = 0; i < 3; i++) {
		nr *= factor[i] & mask;
		if (nr > 0xffffffffu)
			return -EINVAL;
	}
	*out = (u32)nr;
	return 0;
}

static int fill_dispatch(struct gpu *gpu, struct gpu_dispatch *d, u32 nr_groups)
{
	const u32 *reg = d->slot->pm4.reg;
	u64 program = pair(reg[GPU_PM4_PGM_LO], reg[GPU_PM4_PGM_HI]) << 8;
	u32 nr_items;
	int err;

	err = multiply(&reg[GPU_PM4_NUM_THREAD_X], 0xffff, &nr_items);
	if (err || nr_items > GPU_MAX_WAVES_PER_GROUP * GPU_LANES)
		return -EINVAL;
	d->packet = d->slot->rptr;
	d->nr_groups = nr_groups;
	d->waves = (nr_items + GPU_LANES - 1) / GPU_LANES;
	d->vgprs = gpu_dispatch_vgprs(reg[GPU_PM4_PGM_RSRC1]);
	d->lds_bytes = (reg[GPU_PM4_PGM_RSRC2] >> 15 & 0x1ff) * LDS_UNIT;
	err = gpu_dispatch_read(gpu, d, program,
				pair(reg[GPU_PM4_USER_DATA_0], reg[GPU_PM4_USER_DATA_1]));
	return err ? err : gpu_dispatch_check(gpu, d);
}

static int dispatch(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	struct gpu_dispatch *d;
	u32 nr_groups;
	int err;

	if (!gpu_pm4_get(pkt, GPU_DISPATCH_DIRECT_ENABLE) ||
	    gpu_pm4_get(pkt, GPU_DISPATCH_DIRECT_IN_THREADS) || multiply(&pkt[1], ~0u, &nr_groups))
		return -EINVAL;
	if (!nr_groups)
		return 0;
	d = gpu_dispatch_get(slot);
	if (GP_WARN_ON(!d))
		return -EBUSY;
	err = fill_dispatch(gpu, d, nr_groups);
	if (err) {
		gpu_dispatch_put(d);
		return err;
	}
	gpu_dispatch_offer(gpu, d);
	return 0;
}

/* Return: 1 = it was empty or at its end, 0 = go on inside it, -EINVAL. */
static int enter_buffer(struct gpu *gpu, struct gpu_slot *slot)
{
	const u32 *pkt = slot->packet.pm4;
	u32 nr = gpu_pm4_get(pkt, GPU_INDIRECT_BUFFER_SIZE);

	if (gpu_pm4_get(pkt, GPU_INDIRECT_BUFFER_CHAIN) || slot->pm4.reg[GPU_PM4_IB_RPTR] > nr)
		return -EINVAL;
	if (slot->pm4.reg[GPU_PM4_IB_RPTR] == nr)
		return 1;
	slot->pm4.ib = pair(pkt[1] & ~3u, pkt[2]);
	slot->pm4.ib_dw = nr;
	gpu_packet_set_state(gpu, slot, GPU_PACKET_NONE);
	gpu->kick |= GPU_BIT(slot->index);
	return 0;
}

static int poll_later(struct gpu *gpu, struct gpu_slot *slot)
{
	gpu_packet_set_state(gpu, slot, GPU_PACKET_DEPS);
	gpu_heap_add(&gpu->heap, &slot->packet_event, gpu->now_ns + GPU_BARRIER_POLL_NS);
	return 0;
}

static int run(struct gpu *gpu, struct gpu_slot *slot)
{
	switch (opcode(slot)) {
	case GPU_PM4_NOP:
		return 0;
	case GPU_PM4_ACQUIRE_MEM:
		gpu_isa_invalidate(gpu, slot);
		return 0;
	case GPU_PM4_WRITE_DATA:
		return write_data(gpu, slot);
	case GPU_PM4_RELEASE_MEM:
		return release_mem(gpu, slot);
	case GPU_PM4_SET_SH_REG:
		return set_sh_regs(gpu, slot);
	case GPU_PM4_DISPATCH_DIRECT:
		return dispatch(gpu, slot);
	default:
		return -EINVAL;
	}
}

static int run_packet(struct gpu *gpu, struct gpu_slot *slot)
{
	int err;

	switch (opcode(slot)) {
	case GPU_PM4_WAIT_REG_MEM:
		err = wait_mem(gpu, slot);
		if (!err)
			return poll_later(gpu, slot);
		gpu_heap_remove(&gpu->heap, &slot->packet_event);
		break;
	case GPU_PM4_INDIRECT_BUFFER:
		err = enter_buffer(gpu, slot);
		if (!err)
			return 0;
		break;
	default:
		err = run(gpu, slot);
		break;
	}
	return err < 0 ? err : consume(gpu, slot);
}

/* One packet of a buffer of an AQL queue. Return: 1 = done, 0 = it must wait, -errno. */
static int run_in_aql(struct gpu *gpu, struct gpu_slot *slot)
{
	int err = fetch(gpu, slot);

	if (err <= 0)
		return err ? err : -EINVAL;
	switch (opcode(slot)) {
	case GPU_PM4_WAIT_REG_MEM:
		return wait_mem(gpu, slot);
	case GPU_PM4_DISPATCH_DIRECT:
		return -EINVAL;
	default:
		if (must_wait(slot))
			return 0;
		err = run(gpu, slot);
		return err ? err : 1;
	}
}

int gpu_pm4_run_buffer(struct gpu *gpu, struct gpu_slot *slot, const u32 *pkt)
{
	u32 nr = gpu_pm4_get(pkt, GPU_INDIRECT_BUFFER_SIZE), *at = &slot->pm4.reg[GPU_PM4_IB_RPTR];
	int err = 1;

	if (gpu_pm4_get(pkt, GPU_PM4_TYPE) != 3 ||
	    gpu_pm4_get(pkt, GPU_PM4_OPCODE) != GPU_PM4_INDIRECT_BUFFER ||
	    gpu_pm4_get(pkt, GPU_INDIRECT_BUFFER_CHAIN) || nr > MAX_AQL_IB_DW)
		return -EINVAL;
	slot->pm4.ib = pair(pkt[1] & ~3u, pkt[2]);
	slot->pm4.ib_dw = nr;
	for (*at = 0; *at < nr && err == 1; *at += length(slot))
		err = run_in_aql(gpu, slot);
	slot->pm4.ib_dw = 0;
	*at = 0;
	return err;
}

void gpu_pm4_event(struct gpu *gpu, struct gpu_slot *slot)
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
