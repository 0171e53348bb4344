/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PM4 packets, of the HIQ and of user queues, dword by dword, as amdkfd encodes them
 * (kfd_pm4_headers_ai.h, kfd_pm4_headers_aldebaran.h, kfd_packet_manager_v9.c).
 * Fields are described by shift and width so that both sides of the wire, and
 * the fuzzer, use one table.
 */
#ifndef GP_GPU_PM4_H
#define GP_GPU_PM4_H

#include "gp_port.h"

enum gpu_pm4_opcode {
	GPU_PM4_NOP = 0x10,
	GPU_PM4_DISPATCH_DIRECT = 0x15,
	GPU_PM4_WRITE_DATA = 0x37,
	GPU_PM4_WAIT_REG_MEM = 0x3c,
	GPU_PM4_INDIRECT_BUFFER = 0x3f,
	GPU_PM4_RELEASE_MEM = 0x49,
	GPU_PM4_ACQUIRE_MEM = 0x58,
	GPU_PM4_SET_SH_REG = 0x76,
	GPU_PM4_SET_RESOURCES = 0xa0,
	GPU_PM4_MAP_PROCESS = 0xa1,
	GPU_PM4_MAP_QUEUES = 0xa2,
	GPU_PM4_UNMAP_QUEUES = 0xa3,
	GPU_PM4_QUERY_STATUS = 0xa4,
	GPU_PM4_RUN_LIST = 0xa5,
};

/* Packet lengths in dwords, header included. */
#define GPU_PM4_SET_RESOURCES_DW 8
#define GPU_PM4_RUN_LIST_DW 4
#define GPU_PM4_MAP_PROCESS_DW 16		/* gfx 9.0 form */
#define GPU_PM4_MAP_PROCESS_ALDEBARAN_DW 21	/* GC 9.4.2 (gfx90a) and 9.4.3 (gfx942) */
#define GPU_PM4_MAP_QUEUES_DW 7
#define GPU_PM4_UNMAP_QUEUES_DW 6
#define GPU_PM4_QUERY_STATUS_DW 7
#define GPU_PM4_WRITE_DATA_DW 5

/* A field: dword index in the packet, lowest bit, width. */
struct gpu_pm4_field {
	u8 dw;
	u8 shift;
	u8 width;
};

#define GPU_PM4_FIELD(name, d, s, w) \
	static const struct gpu_pm4_field name __attribute__((unused)) = { d, s, w }

GPU_PM4_FIELD(GPU_PM4_OPCODE, 0, 8, 8);
GPU_PM4_FIELD(GPU_PM4_COUNT, 0, 16, 14);	/* dwords after the header, minus 1 */
GPU_PM4_FIELD(GPU_PM4_TYPE, 0, 30, 2);	/* always 3 */

GPU_PM4_FIELD(GPU_SET_RESOURCES_VMID_MASK, 1, 0, 16);
GPU_PM4_FIELD(GPU_SET_RESOURCES_UNMAP_LATENCY, 1, 16, 8);	/* unit 100 ms */
GPU_PM4_FIELD(GPU_SET_RESOURCES_QUEUE_TYPE, 1, 29, 3);	/* 1 = HIQ */
GPU_PM4_FIELD(GPU_SET_RESOURCES_QUEUE_MASK_LO, 2, 0, 32);
GPU_PM4_FIELD(GPU_SET_RESOURCES_QUEUE_MASK_HI, 3, 0, 32);
GPU_PM4_FIELD(GPU_SET_RESOURCES_GWS_MASK_LO, 4, 0, 32);
GPU_PM4_FIELD(GPU_SET_RESOURCES_GWS_MASK_HI, 5, 0, 32);

GPU_PM4_FIELD(GPU_RUN_LIST_IB_LO, 1, 0, 32);		/* 4-byte aligned */
GPU_PM4_FIELD(GPU_RUN_LIST_IB_HI, 2, 0, 32);
GPU_PM4_FIELD(GPU_RUN_LIST_IB_SIZE, 3, 0, 20);		/* dwords */
GPU_PM4_FIELD(GPU_RUN_LIST_CHAIN, 3, 20, 1);		/* oversubscribed: rotate */
GPU_PM4_FIELD(GPU_RUN_LIST_OFFLOAD_POLLING, 3, 21, 1);
GPU_PM4_FIELD(GPU_RUN_LIST_IDLE_DISABLE, 3, 22, 1);
GPU_PM4_FIELD(GPU_RUN_LIST_VALID, 3, 23, 1);
GPU_PM4_FIELD(GPU_RUN_LIST_PROCESS_CNT, 3, 24, 4);	/* processes mapped at a time */

GPU_PM4_FIELD(GPU_MAP_PROCESS_PASID, 1, 0, 16);
GPU_PM4_FIELD(GPU_MAP_PROCESS_DIQ_ENABLE, 1, 24, 1);
GPU_PM4_FIELD(GPU_MAP_PROCESS_QUANTUM, 1, 25, 7);
GPU_PM4_FIELD(GPU_MAP_PROCESS_PT_LO, 2, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_PT_HI, 3, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_SH_MEM_BASES, 4, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_SH_MEM_CONFIG, 5, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_TBA_LO, 6, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_TBA_HI, 7, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_TMA_LO, 8, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_TMA_HI, 9, 0, 32);
GPU_PM4_FIELD(GPU_MAP_PROCESS_NUM_GWS, 13, 0, 7);
GPU_PM4_FIELD(GPU_MAP_PROCESS_SDMA_ENABLE, 13, 7, 1);
GPU_PM4_FIELD(GPU_MAP_PROCESS_NUM_QUEUES, 13, 22, 10);

GPU_PM4_FIELD(GPU_MAP_QUEUES_EXT_ENGINE_SEL, 1, 2, 2);
GPU_PM4_FIELD(GPU_MAP_QUEUES_QUEUE_SEL, 1, 4, 2);	/* 1 = firmware chooses the slot */
GPU_PM4_FIELD(GPU_MAP_QUEUES_GWS, 1, 12, 1);
GPU_PM4_FIELD(GPU_MAP_QUEUES_QUEUE_TYPE, 1, 21, 3);
GPU_PM4_FIELD(GPU_MAP_QUEUES_ENGINE_SEL, 1, 26, 3);
GPU_PM4_FIELD(GPU_MAP_QUEUES_NUM_QUEUES, 1, 29, 3);
GPU_PM4_FIELD(GPU_MAP_QUEUES_CHECK_DISABLE, 2, 1, 1);
GPU_PM4_FIELD(GPU_MAP_QUEUES_DOORBELL, 2, 2, 26);	/* dword index in the BAR */
GPU_PM4_FIELD(GPU_MAP_QUEUES_MQD_LO, 3, 0, 32);
GPU_PM4_FIELD(GPU_MAP_QUEUES_MQD_HI, 4, 0, 32);
GPU_PM4_FIELD(GPU_MAP_QUEUES_WPTR_LO, 5, 0, 32);
GPU_PM4_FIELD(GPU_MAP_QUEUES_WPTR_HI, 6, 0, 32);

enum gpu_map_queue_type {
	GPU_MAP_QUEUE_NORMAL = 0,
	GPU_MAP_QUEUE_DEBUG = 1,
	GPU_MAP_QUEUE_NORMAL_STATIC = 2,
	GPU_MAP_QUEUE_LOW_LATENCY_STATIC = 3,
};

enum gpu_map_engine {
	GPU_MAP_ENGINE_COMPUTE = 0,
	GPU_MAP_ENGINE_SDMA0 = 2,
	GPU_MAP_ENGINE_SDMA1 = 3,
};

GPU_PM4_FIELD(GPU_UNMAP_QUEUES_ACTION, 1, 0, 2);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_EXT_ENGINE_SEL, 1, 2, 2);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_QUEUE_SEL, 1, 4, 2);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_ENGINE_SEL, 1, 26, 3);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_NUM_QUEUES, 1, 29, 3);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_PASID, 2, 0, 16);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_DOORBELL0, 2, 2, 26);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_DOORBELL1, 3, 2, 26);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_DOORBELL2, 4, 2, 26);
GPU_PM4_FIELD(GPU_UNMAP_QUEUES_DOORBELL3, 5, 2, 26);

enum gpu_unmap_action {
	GPU_UNMAP_PREEMPT = 0,
	GPU_UNMAP_RESET = 1,
	GPU_UNMAP_DISABLE_PROCESS = 2,
};

enum gpu_unmap_sel {
	GPU_UNMAP_SPECIFIED = 0,
	GPU_UNMAP_BY_PASID = 1,
	GPU_UNMAP_ALL = 2,
	GPU_UNMAP_ALL_NON_STATIC = 3,
};

GPU_PM4_FIELD(GPU_QUERY_STATUS_CONTEXT_ID, 1, 0, 28);
GPU_PM4_FIELD(GPU_QUERY_STATUS_INTERRUPT_SEL, 1, 28, 2);
GPU_PM4_FIELD(GPU_QUERY_STATUS_COMMAND, 1, 30, 2);	/* 2 = fence after write ack */
GPU_PM4_FIELD(GPU_QUERY_STATUS_PASID, 2, 0, 16);
GPU_PM4_FIELD(GPU_QUERY_STATUS_ADDR_LO, 3, 0, 32);
GPU_PM4_FIELD(GPU_QUERY_STATUS_ADDR_HI, 4, 0, 32);
GPU_PM4_FIELD(GPU_QUERY_STATUS_DATA_LO, 5, 0, 32);
GPU_PM4_FIELD(GPU_QUERY_STATUS_DATA_HI, 6, 0, 32);

GPU_PM4_FIELD(GPU_WRITE_DATA_DST_SEL, 1, 8, 4);		/* 0 = register */
GPU_PM4_FIELD(GPU_WRITE_DATA_NO_INCREMENT, 1, 16, 1);
GPU_PM4_FIELD(GPU_WRITE_DATA_REG, 2, 0, 18);
GPU_PM4_FIELD(GPU_WRITE_DATA_VALUE, 4, 0, 32);

/*
 * Packets of user queues (soc15d.h, kfd_pm4_headers_ai.h). A NOP whose count has all
 * bits set is one dword.
 */
#define GPU_PM4_DISPATCH_DIRECT_DW 5
#define GPU_PM4_WAIT_REG_MEM_DW 7
#define GPU_PM4_INDIRECT_BUFFER_DW 4
#define GPU_PM4_RELEASE_MEM_DW 8
#define GPU_PM4_ACQUIRE_MEM_DW 7
#define GPU_PM4_NOP_COUNT_ONE 0x3fffu

#define GPU_WRITE_DATA_DST_L2 2
#define GPU_WRITE_DATA_DST_MEMORY 5

GPU_PM4_FIELD(GPU_DISPATCH_DIRECT_ENABLE, 4, 0, 1);
GPU_PM4_FIELD(GPU_DISPATCH_DIRECT_IN_THREADS, 4, 5, 1);

GPU_PM4_FIELD(GPU_WAIT_REG_MEM_FUNCTION, 1, 0, 3);
GPU_PM4_FIELD(GPU_WAIT_REG_MEM_SPACE, 1, 4, 2);		/* 1 = memory */
GPU_PM4_FIELD(GPU_WAIT_REG_MEM_OPERATION, 1, 6, 2);	/* 0 = wait */

enum gpu_wait_function {
	GPU_WAIT_ALWAYS = 0,
	GPU_WAIT_LESS = 1,
	GPU_WAIT_LESS_EQUAL = 2,
	GPU_WAIT_EQUAL = 3,
	GPU_WAIT_NOT_EQUAL = 4,
	GPU_WAIT_GREATER_EQUAL = 5,
	GPU_WAIT_GREATER = 6,
};

GPU_PM4_FIELD(GPU_INDIRECT_BUFFER_SIZE, 3, 0, 20);	/* dwords */
GPU_PM4_FIELD(GPU_INDIRECT_BUFFER_CHAIN, 3, 20, 1);

GPU_PM4_FIELD(GPU_RELEASE_MEM_DST_SEL, 2, 16, 2);	/* 0 and 1: memory */
GPU_PM4_FIELD(GPU_RELEASE_MEM_INT_SEL, 2, 24, 3);
GPU_PM4_FIELD(GPU_RELEASE_MEM_DATA_SEL, 2, 29, 3);
GPU_PM4_FIELD(GPU_RELEASE_MEM_CONTEXT, 7, 0, 32);

enum gpu_release_data {
	GPU_RELEASE_DATA_NONE = 0,
	GPU_RELEASE_DATA_32 = 1,
	GPU_RELEASE_DATA_64 = 2,
	GPU_RELEASE_DATA_CLOCK = 3,
};

enum gpu_release_int {
	GPU_RELEASE_INT_NONE = 0,
	GPU_RELEASE_INT_ONLY = 1,
	GPU_RELEASE_INT_AFTER_WRITE = 2,
	GPU_RELEASE_INT_DATA_ONLY = 3,
	GPU_RELEASE_INT_CONTEXT = 4,
};

GPU_PM4_FIELD(GPU_SET_SH_REG_OFFSET, 1, 0, 16);		/* dwords, from 0x2c00 */

/* Offsets for SET_SH_REG: gc_9_4_3_offset.h + 0x2000 - 0x2c00 */
#define GPU_SH_REG_NUM_THREAD_X 0x207u
#define GPU_SH_REG_PGM_LO 0x20cu
#define GPU_SH_REG_PGM_RSRC1 0x212u
#define GPU_SH_REG_USER_DATA_0 0x240u
#define GPU_SH_REG_END 0x400u

/*
 * CP_IQ_WAIT_TIME2 (gc_9_4_3_offset.h, gc_9_4_3_sh_mask.h), without the base of the
 * block that SOC15_REG_OFFSET() adds on real parts. SCH_WAVE is the grace
 * period in units of 1024 clocks, 8 bits: larger values alias, and 0 is for ever.
 */
#define GPU_REG_CP_IQ_WAIT_TIME2 0x10b0u
#define GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT 8
#define GPU_IQ_WAIT_TIME2_SCH_WAVE_MASK 0x0000ff00u

static inline u32 gpu_pm4_get(const u32 *pkt, struct gpu_pm4_field f)
{
	u32 mask = f.width == 32 ? ~0u : (1u << f.width) - 1;

	return (pkt[f.dw] >> f.shift) & mask;
}

static inline void gpu_pm4_set(u32 *pkt, struct gpu_pm4_field f, u32 value)
{
	u32 mask = f.width == 32 ? ~0u : (1u << f.width) - 1;

	pkt[f.dw] = (pkt[f.dw] & ~(mask << f.shift)) | (value & mask) << f.shift;
}

/**
 * gpu_pm4_begin() - clear a packet and write its header
 * @pkt: room for @nr_dw dwords
 * @op: opcode
 * @nr_dw: length of the packet, header included
 */
static inline void gpu_pm4_begin(u32 *pkt, enum gpu_pm4_opcode op, u32 nr_dw)
{
	memset(pkt, 0, nr_dw * sizeof(u32));
	gpu_pm4_set(pkt, GPU_PM4_OPCODE, op);
	gpu_pm4_set(pkt, GPU_PM4_COUNT, nr_dw - 2);
	gpu_pm4_set(pkt, GPU_PM4_TYPE, 3);
}

#endif
