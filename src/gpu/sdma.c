// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/sdma.h"

#include "gpu/pm4.h"

/* Offsets in struct v9_sdma_mqd (v9_structs.h). */
#define MQD_RB_CNTL 0x00	/* bits 1-5: ring bytes = 4 << n */
#define MQD_RB_BASE 0x04	/* 64 bit: ring address >> 8 */
#define MQD_RB_RPTR 0x0c	/* 64 bit: bytes */
#define MQD_RPTR_ADDR_HI 0x20
#define MQD_RPTR_ADDR_LO 0x24
#define MQD_WORDS 10

#define MIN_RING_ORDER 6
#define MAX_RING_ORDER 26
#define POLL_NS 10000		/* between two looks of POLL_REGMEM */
#define CHUNK_BYTES 4096
#define MAX_PACKET_DW 8

enum {
	OP_NOP = 0,
	OP_COPY = 1,
	OP_WRITE = 2,
	OP_FENCE = 5,
	OP_TRAP = 6,
	OP_POLL = 8,
	OP_ATOMIC = 10,
	OP_FILL = 11,
	OP_TIMESTAMP = 13,
};

#define SUB_COPY_LINEAR 0
#define ATOMIC_ADD64 47
#define POLL_MEMORY (1u << 31)	/* else a register: ROCr flushes the HDP cache so */
#define TRAP_CONTEXT_MASK 0x0fffffffu

/* What a packet has done. */
enum outcome { DONE, WAIT, FAULT, ILLEGAL };

static u64 pair(const u32 *words)
{
	return words[0] | (u64)words[1] << 32;
}

static struct gpu_sdma_queue *find(struct gpu *gpu, u32 doorbell)
{
	u32 i;

	for (i = 0; i < GPU_MAX_SDMA_QUEUES; i++)
		if (gpu->sdma[i].is_mapped && gpu->sdma[i].doorbell == doorbell)
			return &gpu->sdma[i];
	return NULL;
}

static struct gpu_sdma_queue *find_free(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_MAX_SDMA_QUEUES; i++)
		if (!gpu->sdma[i].is_mapped)
			return &gpu->sdma[i];
	return NULL;
}

static void trace(struct gpu *gpu, enum gpu_trace_kind kind, const struct gpu_sdma_queue *q)
{
	struct gpu_trace t = {
		.now_ns = gpu->now_ns,
		.kind = kind,
		.pasid = q->pasid,
		.doorbell = q->doorbell,
		.arg = { GPU_MAX_SLOTS + (u32)(q - gpu->sdma), 0 },
	};

	if (gpu->host->ops->trace)
		gpu->host->ops->trace(gpu->host, &t);
}

static void irq(struct gpu *gpu, const struct gpu_sdma_queue *q, enum gpu_irq_source source,
		u32 context)
{
	struct gpu_irq i = {
		.source = source,
		.pasid = q->pasid,
		/* Copy engines use the process's VMID; which one does not matter here. */
		.vmid = gpu_next_bit(gpu->firmware.vmid_mask, 0),
		.context = context,
		.doorbell = q->doorbell,
	};

	gpu->host->ops->irq(gpu->host, &i);
}

void gpu_sdma_init(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_MAX_SDMA_QUEUES; i++) {
		gpu_heap_remove(&gpu->heap, &gpu->sdma[i].event);
		memset(&gpu->sdma[i], 0, sizeof(gpu->sdma[i]));
		gpu->sdma[i].event.kind = GPU_EVENT_SDMA;
	}
}

/* Words of the packet at the read pointer; the ring may wrap inside. */
static int fetch(struct gpu *gpu, const struct gpu_sdma_queue *q, u32 *words, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		u64 at = q->ring + ((q->rptr + 4ull * i) & (q->ring_bytes - 1));

		if (gpu_host_read(gpu, q->pasid, at, &words[i], sizeof(words[i])))
			return -EFAULT;
	}
	return 0;
}

/* Dwords of a packet; 0 = no such packet. @words: the first four */
static u32 length(const u32 *words)
{
	switch (words[0] & 0xff) {
	case OP_NOP:
		return 1 + (words[0] >> 16 & 0x3fff);
	case OP_COPY:
		return (words[0] >> 8 & 0xff) == SUB_COPY_LINEAR ? 7 : 0;
	case OP_WRITE:
		return 4 + (words[3] & 0xfffff) + 1;
	case OP_FENCE:
		return 4;
	case OP_TRAP:
		return 2;
	case OP_POLL:
		return 6;
	case OP_ATOMIC:
		return 8;
	case OP_FILL:
		return 5;
	case OP_TIMESTAMP:
		return 3;
	default:
		return 0;
	}
}

/* Bytes that a packet moves: what its time depends on. */
static u64 moved(const u32 *words)
{
	switch (words[0] & 0xff) {
	case OP_COPY:
		return (words[1] & 0x3fffffff) + 1ull;
	case OP_FILL:
		return (words[4] & 0x3fffffff) + 1ull;
	default:
		return 0;
	}
}

/* The next packet starts; its effect comes at its end. */
static void start(struct gpu *gpu, struct gpu_sdma_queue *q)
{
	u32 words[MAX_PACKET_DW] = { 0 };
	u64 ns = gpu->profile->packet_ns;

	if (q->has_failed || q->rptr == q->wptr || gpu_event_is_scheduled(&q->event))
		return;
	if (!fetch(gpu, q, words, MAX_PACKET_DW))
		ns += moved(words) * 1000 / gpu->profile->cwsr_bytes_per_us;
	gpu_heap_add(&gpu->heap, &q->event, gpu->now_ns + ns);
}

/* Bounded by the size of a packet: 2^30 bytes. */
static enum outcome copy(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	u64 left = moved(words), src = pair(&words[3]), dst = pair(&words[5]);

	while (left) {
		u32 len = (u32)min(left, (u64)CHUNK_BYTES);

		if (gpu_host_read(gpu, q->pasid, src, gpu->scratch, len) ||
		    gpu_host_write(gpu, q->pasid, dst, gpu->scratch, len))
			return FAULT;
		src += len;
		dst += len;
		left -= len;
	}
	return DONE;
}

static enum outcome fill(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	u64 left = moved(words), dst = pair(&words[1]);
	u32 i;

	for (i = 0; i < CHUNK_BYTES; i += sizeof(u32))
		memcpy(gpu->scratch + i, &words[3], sizeof(u32));
	while (left) {
		u32 len = (u32)min(left, (u64)CHUNK_BYTES);

		if (gpu_host_write(gpu, q->pasid, dst, gpu->scratch, len))
			return FAULT;
		dst += len;
		left -= len;
	}
	return DONE;
}

/* Data follows the packet in the ring. */
static enum outcome write_words(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	u64 dst = pair(&words[1]);
	u32 nr = (words[3] & 0xfffff) + 1, i, word;

	for (i = 0; i < nr; i++) {
		u64 at = q->ring + ((q->rptr + 4ull * (4 + i)) & (q->ring_bytes - 1));

		if (gpu_host_read(gpu, q->pasid, at, &word, sizeof(word)) ||
		    gpu_host_write(gpu, q->pasid, dst + 4ull * i, &word, sizeof(word)))
			return FAULT;
	}
	return DONE;
}

static bool compare(u32 func, u32 value, u32 reference)
{
	switch (func) {
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	case 6:
		return value > reference;
	default:
		return true;
	}
}

static enum outcome poll(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	u32 value;

	/* There are neither registers nor caches to flush. */
	if (!(words[0] & POLL_MEMORY))
		return DONE;
	if (gpu_host_read(gpu, q->pasid, pair(&words[1]), &value, sizeof(value)))
		return FAULT;
	return compare(words[0] >> 28 & 7, value & words[4], words[3]) ? DONE : WAIT;
}

static enum outcome atomic(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	if (words[0] >> 25 != ATOMIC_ADD64)
		return ILLEGAL;
	return gpu_host_add64(gpu, q->pasid, pair(&words[1]), (s64)pair(&words[3])) ? FAULT : DONE;
}

static enum outcome run(struct gpu *gpu, struct gpu_sdma_queue *q, const u32 *words)
{
	u64 ticks = gpu->now_ns / 10;	/* 100 MHz, as the driver's counter */

	switch (words[0] & 0xff) {
	case OP_COPY:
		return copy(gpu, q, words);
	case OP_FILL:
		return fill(gpu, q, words);
	case OP_WRITE:
		return write_words(gpu, q, words);
	case OP_FENCE:
		return gpu_host_write(gpu, q->pasid, pair(&words[1]), &words[3], sizeof(u32)) ?
		       FAULT : DONE;
	case OP_TIMESTAMP:
		return gpu_host_write(gpu, q->pasid, pair(&words[1]), &ticks, sizeof(ticks)) ?
		       FAULT : DONE;
	case OP_TRAP:
		irq(gpu, q, GPU_IRQ_SDMA_TRAP, words[1] & TRAP_CONTEXT_MASK);
		return DONE;
	case OP_POLL:
		return poll(gpu, q, words);
	case OP_ATOMIC:
		return atomic(gpu, q, words);
	default:
		return DONE;
	}
}

static void fail(struct gpu *gpu, struct gpu_sdma_queue *q, enum gpu_irq_source source)
{
	q->has_failed = true;
	gpu->stats.nr_faults++;
	irq(gpu, q, source, 0);
}

void gpu_sdma_event(struct gpu *gpu, struct gpu_sdma_queue *q)
{
	u32 words[MAX_PACKET_DW] = { 0 };
	enum outcome outcome = FAULT;
	u32 nr = 0;

	if (!fetch(gpu, q, words, MAX_PACKET_DW)) {
		nr = length(words);
		outcome = nr && 4ull * nr <= q->wptr - q->rptr ? run(gpu, q, words) : ILLEGAL;
	}
	if (outcome == WAIT) {
		gpu_heap_add(&gpu->heap, &q->event, gpu->now_ns + POLL_NS);
		return;
	}
	if (outcome != DONE) {
		fail(gpu, q, outcome == FAULT ? GPU_IRQ_MEM_FAULT : GPU_IRQ_BAD_OPCODE);
		return;
	}
	q->rptr += 4ull * nr;
	gpu->is_signalled = true;
	if (q->rptr_addr && gpu_host_write(gpu, q->pasid, q->rptr_addr, &q->rptr, sizeof(q->rptr)))
		fail(gpu, q, GPU_IRQ_MEM_FAULT);
	start(gpu, q);
}

bool gpu_sdma_is_packet(const u32 *pkt)
{
	return gpu_pm4_get(pkt, GPU_MAP_QUEUES_EXT_ENGINE_SEL) ||
	       gpu_pm4_get(pkt, GPU_MAP_QUEUES_ENGINE_SEL) == GPU_MAP_ENGINE_SDMA0 ||
	       gpu_pm4_get(pkt, GPU_MAP_QUEUES_ENGINE_SEL) == GPU_MAP_ENGINE_SDMA1;
}

static void set_wptr(struct gpu *gpu, struct gpu_sdma_queue *q, u64 wptr)
{
	/* Behind the read pointer or more than a ring ahead: not a write pointer. */
	if (wptr - q->rptr <= q->ring_bytes && !(wptr & 3))
		q->wptr = wptr;
	start(gpu, q);
}

static int parse(struct gpu_sdma_queue *q, const u32 *mqd)
{
	u32 order = mqd[MQD_RB_CNTL / 4] >> 1 & 0x1f;

	if (order < MIN_RING_ORDER || order > MAX_RING_ORDER)
		return -EINVAL;
	q->ring_bytes = 4ull << order;
	q->ring = pair(&mqd[MQD_RB_BASE / 4]) << 8;
	q->rptr = pair(&mqd[MQD_RB_RPTR / 4]);
	q->wptr = q->rptr;
	q->rptr_addr = mqd[MQD_RPTR_ADDR_LO / 4] | (u64)mqd[MQD_RPTR_ADDR_HI / 4] << 32;
	return 0;
}

void gpu_sdma_map(struct gpu *gpu, const u32 *pkt, u32 pasid)
{
	u32 doorbell = gpu_pm4_get(pkt, GPU_MAP_QUEUES_DOORBELL);
	u64 mqd_addr = gpu_pm4_get(pkt, GPU_MAP_QUEUES_MQD_LO) |
		       (u64)gpu_pm4_get(pkt, GPU_MAP_QUEUES_MQD_HI) << 32;
	u64 wptr_addr = gpu_pm4_get(pkt, GPU_MAP_QUEUES_WPTR_LO) |
			(u64)gpu_pm4_get(pkt, GPU_MAP_QUEUES_WPTR_HI) << 32;
	struct gpu_sdma_queue *q = find_free(gpu);
	u32 mqd[MQD_WORDS];
	u64 wptr;

	if (!q || find(gpu, doorbell) ||
	    gpu_host_read(gpu, GPU_PASID_GART, mqd_addr, mqd, sizeof(mqd)) || parse(q, mqd))
		return;
	q->is_mapped = true;
	q->has_failed = false;
	q->pasid = pasid;
	q->doorbell = doorbell;
	q->mqd = mqd_addr;
	trace(gpu, GPU_TRACE_MAP, q);
	if (!gpu_host_read(gpu, pasid, wptr_addr, &wptr, sizeof(wptr)))
		set_wptr(gpu, q, wptr);
}

void gpu_sdma_unmap(struct gpu *gpu, struct gpu_sdma_queue *q)
{
	gpu_heap_remove(&gpu->heap, &q->event);
	gpu_host_write(gpu, GPU_PASID_GART, q->mqd + MQD_RB_RPTR, &q->rptr, sizeof(q->rptr));
	trace(gpu, GPU_TRACE_UNMAP, q);
	q->is_mapped = false;
}

bool gpu_sdma_doorbell(struct gpu *gpu, u32 index, u64 wptr)
{
	struct gpu_sdma_queue *q = find(gpu, index);

	if (q)
		set_wptr(gpu, q, wptr);
	return q;
}
