/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory queue descriptor of gfx9 (struct v9_mqd of v9_structs.h): byte
 * offsets of the words the model reads or writes. The MQD is 2048 bytes; on
 * parts with several XCCs there is one per XCC, GPU_MQD_STRIDE apart. The control
 * stack of a compute queue starts one page after its MQD.
 */
#ifndef GP_GPU_MQD_H
#define GP_GPU_MQD_H

#include "gp_port.h"

#define GPU_MQD_BYTES 2048
#define GPU_MQD_CTL_STACK 4096		/* control stack, from the start of the MQD */

#define GPU_MQD_HEADER 0x000		/* 0xC0310800 */
#define GPU_MQD_NUM_THREAD_X 0x020	/* COMPUTE_ registers of a PM4 queue */
#define GPU_MQD_NUM_THREAD_Y 0x024
#define GPU_MQD_NUM_THREAD_Z 0x028
#define GPU_MQD_PGM_LO 0x034
#define GPU_MQD_PGM_HI 0x038
#define GPU_MQD_PGM_RSRC1 0x04c
#define GPU_MQD_PGM_RSRC2 0x050
#define GPU_MQD_CUS_SE0 0x05c	/* CUs that it may use, for each shader engine of the XCC */
#define GPU_MQD_CUS_SE1 0x060
#define GPU_MQD_CUS_SE2 0x068
#define GPU_MQD_CUS_SE3 0x06c
#define GPU_MQD_CUS_SE4 0x09c	/* and 5 to 7 after it; gfx942 has other words there */
#define GPU_MQD_USER_DATA_0 0x104
#define GPU_MQD_USER_DATA_1 0x108
#define GPU_MQD_BASE_LO 0x200
#define GPU_MQD_BASE_HI 0x204
#define GPU_MQD_ACTIVE 0x208
#define GPU_MQD_VMID 0x20c
#define GPU_MQD_PERSISTENT_STATE 0x210
#define GPU_MQD_PIPE_PRIORITY 0x214	/* 0 low, 1 medium, 2 high */
#define GPU_MQD_QUEUE_PRIORITY 0x218	/* 0..15 */
#define GPU_MQD_QUANTUM 0x21c
#define GPU_MQD_PQ_BASE_LO 0x220	/* ring address >> 8 */
#define GPU_MQD_PQ_BASE_HI 0x224
#define GPU_MQD_PQ_RPTR 0x228		/* dwords, modulo ring */
#define GPU_MQD_RPTR_REPORT_LO 0x22c	/* address of the read pointer in memory */
#define GPU_MQD_RPTR_REPORT_HI 0x230
#define GPU_MQD_WPTR_POLL_LO 0x234	/* address of the write pointer in memory */
#define GPU_MQD_WPTR_POLL_HI 0x238
#define GPU_MQD_DOORBELL_CONTROL 0x23c	/* bits 2-27: dword index in the BAR */
#define GPU_MQD_PQ_CONTROL 0x244	/* bits 0-5: ring dwords = 2 << n */
#define GPU_MQD_IB_RPTR 0x250		/* dwords, in the indirect buffer at PQ_RPTR */
#define GPU_MQD_EOP_BASE_LO 0x294	/* address >> 8 */
#define GPU_MQD_EOP_BASE_HI 0x298
#define GPU_MQD_EOP_CONTROL 0x29c /* bits 0-5: dwords = 2 << n */
#define GPU_MQD_CTX_SAVE_BASE_LO 0x2ac
#define GPU_MQD_CTX_SAVE_BASE_HI 0x2b0
#define GPU_MQD_CTL_STACK_OFFSET 0x2b8	/* == CTL_STACK_SIZE: no saved waves */
#define GPU_MQD_CTL_STACK_SIZE 0x2bc
#define GPU_MQD_WG_STATE_OFFSET 0x2c0
#define GPU_MQD_CTX_SAVE_SIZE 0x2c4
#define GPU_MQD_ERROR 0x2cc		/* not 0: stopped by an error, does not run */
#define GPU_MQD_AQL_CONTROL 0x2d4	/* bits 0-14: not 0 = the packets are AQL */
#define GPU_MQD_PQ_WPTR_LO 0x2d8	/* dwords, 64 bit */
#define GPU_MQD_PQ_WPTR_HI 0x2dc
#define GPU_MQD_STRIDE 0x388		/* distance to the next XCC's MQD */
#define GPU_MQD_REFUSED_DOORBELL 0x3c0	/* HIQ: doorbell of a queue that refused */

/* What amdkfd writes for an AQL queue: 1 in CONTROL0. A PM4 queue has 0. */
#define GPU_MQD_AQL_CONTROL_MASK 0x7fffu
#define GPU_MQD_AQL_CONTROL_AQL 1u

/*
 * A queue that an error has stopped is written back empty and with this in its
 * MQD. It may be mapped but runs nothing, until it is reset while mapped or the
 * driver clears the word. XCC 0's counts.
 */
#define GPU_MQD_ERROR_STOPPED 1u

#define GPU_MQD_PERSISTENT_QSWITCH (1u << 30)	/* CWSR configured */

#endif
