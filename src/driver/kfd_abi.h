/* SPDX-License-Identifier: MIT */
/*
 * DOC: amdkfd's ioctl ABI
 *
 * The kernel's public header has what is older than Debian 12. The debugger interface is
 * younger, so its few structures are declared here, in our own words; tests/guest/cases/test_abi.c
 * holds each size, offset and number against the header of the kernel that runs in the guest.
 *
 * Three things of the real ABI are easily got wrong. The driver finds a call by
 * its number alone and copies as many bytes as the caller's size says, so a program
 * may use a shorter or longer structure than ours: compare _IOC_NR(), never the
 * whole command. Success of SUSPEND_QUEUES and RESUME_QUEUES is a count, not 0.
 * And sysfs numbers queue types differently from this ABI (see discover.h).
 */
#ifndef GP_MECHANISM_KFD_ABI_H
#define GP_MECHANISM_KFD_ABI_H

#include <linux/kfd_ioctl.h>
#include <stdbool.h>
#include <stdint.h>

#define DRV_KFD_PATH "/dev/kfd"
/* Processes and their queues. */
#define DRV_KFD_PROC "/sys/class/kfd/kfd/proc"

/* First version with the debugger calls. */
#define DRV_KFD_DEBUG_MAJOR 1
#define DRV_KFD_DEBUG_MINOR 13

enum drv_kfd_queue_type {
	DRV_KFD_QUEUE_PM4 = KFD_IOC_QUEUE_TYPE_COMPUTE,
	DRV_KFD_QUEUE_SDMA = KFD_IOC_QUEUE_TYPE_SDMA,
	DRV_KFD_QUEUE_AQL = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
	DRV_KFD_QUEUE_SDMA_XGMI = KFD_IOC_QUEUE_TYPE_SDMA_XGMI,
	DRV_KFD_QUEUE_SDMA_BY_ENGINE = 4, /* from version 1.17 on */
};

/* Can queues of this type be stopped? */
static inline bool drv_kfd_is_compute(uint32_t type)
{
	return type == DRV_KFD_QUEUE_PM4 || type == DRV_KFD_QUEUE_AQL;
}

/* Bits of a percentage that say how much of the queue may run; above them is its XCC. */
#define DRV_KFD_PERCENT_MASK 0xffu

/**
 * struct drv_kfd_runtime_enable - RUNTIME_ENABLE
 * @r_debug: address for debuggers, or 0
 * @mode: DRV_KFD_RUNTIME_ENABLE; 0 disables
 * @capabilities: output
 *
 * Gives -EEXIST if the process has queues already, and sleeps while a debugger
 * that was there first does not answer.
 */
struct drv_kfd_runtime_enable {
	uint64_t r_debug;
	uint32_t mode;
	uint32_t capabilities;
};

#define DRV_KFD_RUNTIME_ENABLE 1u

enum drv_kfd_runtime_state {
	DRV_KFD_RUNTIME_STATE_DISABLED = 0,
	DRV_KFD_RUNTIME_STATE_ENABLED = 1,
	DRV_KFD_RUNTIME_STATE_BUSY = 2,
	DRV_KFD_RUNTIME_STATE_ERROR = 3,
};

/* What ENABLE tells of the target. */
struct drv_kfd_runtime_info {
	uint64_t r_debug; /* as the target gave it */
	uint32_t state; /* enum drv_kfd_runtime_state */
	uint32_t ttmp_setup; /* the target asked for it */
};

/* Exceptions, as bits. */
#define DRV_KFD_EC_QUEUE_NEW (1ULL << 30)
#define DRV_KFD_EC_QUEUE_DELETE (1ULL << 31)
#define DRV_KFD_EC_PROCESS_RUNTIME (1ULL << 47)

/* A queue in a snapshot. */
struct drv_kfd_queue_entry {
	uint64_t exceptions; /* raised and not yet cleared */
	uint64_t ring_addr; /* ring in the process */
	uint64_t wptr_addr; /* where the write index is */
	uint64_t rptr_addr; /* where the read index is */
	uint64_t save_addr; /* CWSR save area */
	uint32_t queue_id; /* its number */
	uint32_t gpu_id; /* its node */
	uint32_t ring_bytes; /* size of the ring */
	uint32_t type; /* enum drv_kfd_queue_type */
	uint32_t save_bytes; /* of one XCC */
	uint32_t reserved; /* zero */
};

enum drv_kfd_dbg_op {
	DRV_KFD_DBG_ENABLE = 0,
	DRV_KFD_DBG_DISABLE = 1,
	DRV_KFD_DBG_SEND_RUNTIME_EVENT = 2,
	DRV_KFD_DBG_SUSPEND_QUEUES = 6,
	DRV_KFD_DBG_RESUME_QUEUES = 7,
	DRV_KFD_DBG_QUERY_EVENT = 11,
	DRV_KFD_DBG_QUEUE_SNAPSHOT = 13,
};

/* What becomes of each queue id of SUSPEND_QUEUES and RESUME_QUEUES. */
#define DRV_KFD_DBG_QUEUE_ERROR (1u << 30)	/* the hardware failed */
#define DRV_KFD_DBG_QUEUE_INVALID (1u << 31)	/* unknown, new, dying, or named twice */

/* Grace is an 8-bit field of 1K clocks where 0 means for ever; more is cut off silently. */
#define DRV_KFD_GRACE_MIN 1
#define DRV_KFD_GRACE_MAX 255
/* suspend_queues() of amdkfd leaves what the hardware has. */
#define DRV_KFD_GRACE_OWN 0xffffffffu

/* Most queues one call takes. */
#define DRV_KFD_DBG_QUEUES_MAX 1024

/**
 * struct drv_kfd_dbg_trap - DBG_TRAP
 * @pid: target, in the caller's pid namespace
 * @op: enum drv_kfd_dbg_op
 * @enable: ENABLE: exceptions to hear of, struct drv_kfd_runtime_info, pipe for dots
 * @event: SEND_RUNTIME_EVENT; QUERY_EVENT: exceptions to clear in, raised out
 * @suspend: SUSPEND_QUEUES: exceptions to clear, array of ids, how many, grace
 * @resume: RESUME_QUEUES: array of ids and how many; no array = all
 * @snapshot: QUEUE_SNAPSHOT: exceptions to clear, array of entries, room in and number
 *	there are out, size of an entry
 */
struct drv_kfd_dbg_trap {
	uint32_t pid;
	uint32_t op;
	union {
		struct {
			uint64_t exceptions;
			uint64_t info_ptr;
			uint32_t info_bytes;
			uint32_t fd;
		} enable;
		struct {
			uint64_t exceptions;
			uint32_t gpu_id;
			uint32_t queue_id;
		} event;
		struct {
			uint64_t exceptions;
			uint64_t ids_ptr;
			uint32_t nr;
			uint32_t grace;
		} suspend;
		struct {
			uint64_t ids_ptr;
			uint32_t nr;
			uint32_t pad;
		} resume;
		struct {
			uint64_t exceptions;
			uint64_t buf_ptr;
			uint32_t nr;
			uint32_t entry_bytes;
		} snapshot;
	};
};

#define DRV_KFD_IOC_RUNTIME_ENABLE \
	_IOWR(AMDKFD_IOCTL_BASE, 0x25, struct drv_kfd_runtime_enable)
#define DRV_KFD_IOC_DBG_TRAP \
	_IOWR(AMDKFD_IOCTL_BASE, 0x26, struct drv_kfd_dbg_trap)

#endif
