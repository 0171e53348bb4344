/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * AQL packets, signals and kernel descriptors as bytes in memory. Layouts are
 * those of the HSA runtime specification and, for signal and descriptor, of the
 * AMDGPU ABI that ROCr uses.
 */
#ifndef GP_GPU_AQL_H
#define GP_GPU_AQL_H

#include "gp_port.h"

#define GPU_AQL_PACKET_BYTES 64

enum gpu_aql_type {
	GPU_AQL_VENDOR = 0,
	GPU_AQL_INVALID = 1,
	GPU_AQL_KERNEL_DISPATCH = 2,
	GPU_AQL_BARRIER_AND = 3,
	GPU_AQL_AGENT_DISPATCH = 4,
	GPU_AQL_BARRIER_OR = 5,
};

#define GPU_AQL_HEADER_TYPE(h) ((h) & 0xff)
#define GPU_AQL_HEADER_BARRIER (1u << 8)	/* wait for all packets before this one */
#define GPU_AQL_HEADER_ACQUIRE (3u << 9)	/* scope in which memory is looked at anew */

struct gpu_aql_dispatch {
	u16 header;
	u16 setup;
	u16 workgroup_size[3];
	u16 reserved0;
	u32 grid_size[3];	/* in work-items */
	u32 private_segment_size;
	u32 group_segment_size;
	u64 kernel_object;	/* address of a struct gpu_kernel_desc */
	u64 kernarg_address;
	u64 reserved2;
	u64 completion_signal;	/* address of a struct gpu_signal, 0 = none */
};

struct gpu_aql_barrier {
	u16 header;
	u16 reserved0;
	u32 reserved1;
	u64 dep_signal[5];	/* 0 = not used */
	u64 reserved2;
	u64 completion_signal;
};

/* Vendor packet of AMD's runtime: an INDIRECT_BUFFER of PM4 packets. */
#define GPU_AQL_FORMAT_PM4_IB 1

struct gpu_aql_pm4_ib {
	u16 header;
	u8 format;
	u8 reserved0;
	u32 ib[4];
	u32 nr_left; /* dwords of this packet that are no PM4 */
	u32 reserved1[8];
	u64 completion_signal;
};

/* amd_signal_t: the value counts down; the CP then raises the event. */
struct gpu_signal {
	s64 kind;
	s64 value;
	u64 event_mailbox;	/* 0 = no interrupt */
	u32 event_id;
	u32 reserved1;
	u64 start_ts;
	u64 end_ts;
	u64 queue_ptr;
	u32 reserved3[2];
};

#define GPU_SIGNAL_VALUE_OFFSET 8

/* amd_queue_t, from the read pointer on, whose address the driver is told. */
struct gpu_queue_words {
	u64 read_dispatch_id;
	u32 queue_offset;  /* of the read pointer in amd_queue_t */
	u32 tmpring;	   /* COMPUTE_TMPRING_SIZE of scratch memory */
	u32 descriptor[4]; /* buffer descriptor of it */
	u64 base;
	u64 bytes;
	u32 lane_bytes;
	u32 properties;
	u32 reserved[2];
	u64 inactive_signal; /* says why the queue waits for its owner */
};

#define GPU_INACTIVE_SCRATCH 1 /* in the signal of a queue that waits: too little scratch */

/* amd_kernel_descriptor_t (code object v3 and later), 64 bytes. */
struct gpu_kernel_desc {
	u32 group_segment_bytes;
	u32 private_segment_bytes;
	u32 kernarg_bytes;
	u32 reserved0;
	s64 entry_offset;	/* of the program, from the descriptor */
	u8 reserved1[20];
	u32 rsrc3;
	u32 rsrc1;		/* bits 0-5: VGPRs / 8 - 1; bits 6-9: SGPRs / 16 - 1, doubled */
	u32 rsrc2;
	u16 properties;
	u8 reserved2[6];
};

/*
 * The program at the entry point, if it is not machine code: this record. Without page
 * pointers of the host everything else is an illegal instruction.
 * A workgroup runs for @steps x @step_ns. A step is at least 100 ns, a program at
 * most about half a year: anything else is not legal either, so that no program can
 * make the model count single nanoseconds or overflow.
 */
#define GPU_PROGRAM_MAGIC 0x31475047u	/* "GPG1" */
#define GPU_PROGRAM_ENDLESS 1u		/* never ends by itself */
#define GPU_PROGRAM_MIN_STEP_NS 100u
#define GPU_PROGRAM_MAX_NS (1ull << 54)

struct gpu_program {
	u32 magic;
	u32 flags;
	u32 steps;
	u32 reserved;
	u64 step_ns;
	u64 reserved1;
};

/*
 * What a kernel gets as arguments, and what it leaves in memory.
 *
 * When a workgroup ends it adds 1 to tally[0] and the time it has really
 * executed (in ns) to tally[1]. A run that loses work leaves less there than
 * the grid asks for, a run that repeats work leaves more.
 *
 * Under the state engine every wave w of workgroup g also writes its result, 8
 * bytes that depend on @seed, g, w and every step taken, to
 * out[g * waves_per_workgroup + w], and the workgroup adds 1 to count[g].
 */
struct gpu_kernarg {
	u64 tally;	/* address of u64[2], 0 = none */
	u64 out;	/* address, 0 = none */
	u64 count;	/* address of u64[workgroups], 0 = none */
	u64 seed;
};

_Static_assert(sizeof(struct gpu_aql_dispatch) == 64, "AQL packet");
_Static_assert(sizeof(struct gpu_aql_barrier) == 64, "AQL packet");
_Static_assert(sizeof(struct gpu_aql_pm4_ib) == 64, "AQL packet");
_Static_assert(sizeof(struct gpu_signal) == 64, "amd_signal_t");
_Static_assert(sizeof(struct gpu_kernel_desc) == 64, "amd_kernel_descriptor_t");
_Static_assert(sizeof(struct gpu_program) == 32, "program record");

#endif
