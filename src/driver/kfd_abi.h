/* SPDX-License-Identifier: MIT */
/*
 * DOC: The part of amdkfd's ioctl ABI that is used here
 *
 * Debian 12's own headers are older than the debugger interface, so the few
 * structures are declared here, in our own words. tests/guest/test_abi.c holds each
 * size, offset and number against the header of the kernel that runs in the guest.
 *
 * Three things of the real ABI are easily got wrong. The driver finds a call by
 * its number alone and copies as many bytes as the caller's size says, so a program
 * may use a shorter or longer structure than ours: compare DRV_KFD_NR(), never the
 * whole command. Success of SUSPEND_QUEUES and RESUME_QUEUES is a count, not 0.
 * And sysfs numbers queue types differently from this ABI (see discover.h).
 */
#ifndef GP_MECHANISM_KFD_ABI_H
#define GP_MECHANISM_KFD_ABI_H

#include <linux/ioctl.h>
#include <stdint.h>

#define DRV_KFD_PATH "/dev/kfd"
#define DRV_KFD_MAGIC 'K'
#define DRV_KFD_IS_CALL(cmd) (_IOC_TYPE(cmd) == DRV_KFD_MAGIC)
#define DRV_KFD_NR(cmd) _IOC_NR(cmd)

/* First version with the debugger calls. */
#define DRV_KFD_DEBUG_MAJOR 1
#define DRV_KFD_DEBUG_MINOR 13

enum drv_kfd_nr {
	DRV_KFD_NR_GET_VERSION = 0x01,
	DRV_KFD_NR_CREATE_QUEUE = 0x02,
	DRV_KFD_NR_DESTROY_QUEUE = 0x03,
	DRV_KFD_NR_UPDATE_QUEUE = 0x07,
	DRV_KFD_NR_WAIT_EVENTS = 0x0c,
	DRV_KFD_NR_ACQUIRE_VM = 0x15,
	DRV_KFD_NR_ALLOC_MEMORY = 0x16,
	DRV_KFD_NR_MAP_MEMORY = 0x18,
	DRV_KFD_NR_SMI_EVENTS = 0x1f,
	DRV_KFD_NR_RUNTIME_ENABLE = 0x25,
	DRV_KFD_NR_DBG_TRAP = 0x26,
};

/**
 * struct drv_kfd_version - GET_VERSION
 * @major: output
 * @minor: output
 */
struct drv_kfd_version {
	uint32_t major;
	uint32_t minor;
};

enum drv_kfd_queue_type {
	DRV_KFD_QUEUE_PM4 = 0,
	DRV_KFD_QUEUE_SDMA = 1,
	DRV_KFD_QUEUE_AQL = 2,
	DRV_KFD_QUEUE_SDMA_XGMI = 3,
	DRV_KFD_QUEUE_SDMA_BY_ENGINE = 4,
};

/* Bits of a percentage: how much of the queue may run (0 = not at all), and its target XCC. */
#define DRV_KFD_PERCENT_MASK 0xffu
#define DRV_KFD_PERCENT_MAX 100
#define DRV_KFD_PERCENT_XCC_SHIFT 8
#define DRV_KFD_PRIO_MAX 15

/**
 * struct drv_kfd_create_queue - CREATE_QUEUE
 * @ring_addr: ring in the process
 * @wptr_addr: where the write index is
 * @rptr_addr: where the read index is
 * @doorbell_offset: output: for mmap, and the doorbell inside that
 * @ring_bytes: size of the ring
 * @gpu_id: node
 * @type: enum drv_kfd_queue_type
 * @percentage: see DRV_KFD_PERCENT_MASK
 * @prio: 0..15
 * @queue_id: output
 * @eop_addr: end-of-pipe buffer
 * @eop_bytes: its size
 * @save_addr: CWSR save area
 * @save_bytes: its size for one XCC
 * @ctl_stack_bytes: of these, control stack
 * @sdma_engine: for DRV_KFD_QUEUE_SDMA_BY_ENGINE; absent before version 1.17
 * @pad: zero
 */
struct drv_kfd_create_queue {
	uint64_t ring_addr;
	uint64_t wptr_addr;
	uint64_t rptr_addr;
	uint64_t doorbell_offset;
	uint32_t ring_bytes;
	uint32_t gpu_id;
	uint32_t type;
	uint32_t percentage;
	uint32_t prio;
	uint32_t queue_id;
	uint64_t eop_addr;
	uint64_t eop_bytes;
	uint64_t save_addr;
	uint32_t save_bytes;
	uint32_t ctl_stack_bytes;
	uint32_t sdma_engine;
	uint32_t pad;
};

/**
 * struct drv_kfd_acquire_vm - ACQUIRE_VM: addresses of this process on a GPU
 * @drm_fd: render node
 * @gpu_id: node
 */
struct drv_kfd_acquire_vm {
	uint32_t drm_fd;
	uint32_t gpu_id;
};

/* Flags of memory. */
#define DRV_KFD_MEMORY_GTT (1u << 1)
#define DRV_KFD_MEMORY_NO_SUBSTITUTE (1u << 28)
#define DRV_KFD_MEMORY_EXECUTABLE (1u << 30)
#define DRV_KFD_MEMORY_WRITABLE (1u << 31)

/**
 * struct drv_kfd_alloc_memory - ALLOC_MEMORY_OF_GPU
 * @va_addr: where the GPU shall see it
 * @bytes: how much
 * @handle: output
 * @mmap_offset: output: for mmap of the render node
 * @gpu_id: node
 * @flags: DRV_KFD_MEMORY_*
 */
struct drv_kfd_alloc_memory {
	uint64_t va_addr;
	uint64_t bytes;
	uint64_t handle;
	uint64_t mmap_offset;
	uint32_t gpu_id;
	uint32_t flags;
};

/**
 * struct drv_kfd_map_memory - MAP_MEMORY_TO_GPU
 * @handle: memory
 * @gpu_ids_ptr: nodes
 * @nr: how many
 * @nr_done: output: how many have it
 */
struct drv_kfd_map_memory {
	uint64_t handle;
	uint64_t gpu_ids_ptr;
	uint32_t nr;
	uint32_t nr_done;
};

/**
 * struct drv_kfd_destroy_queue - DESTROY_QUEUE
 * @queue_id: queue
 * @pad: zero
 */
struct drv_kfd_destroy_queue {
	uint32_t queue_id;
	uint32_t pad;
};

/**
 * struct drv_kfd_update_queue - UPDATE_QUEUE
 * @ring_addr: the real ring: the driver checks it, and 0 stops the queue
 * @queue_id: queue
 * @ring_bytes: the real size
 * @percentage: see DRV_KFD_PERCENT_MASK
 * @prio: 0..15
 */
struct drv_kfd_update_queue {
	uint64_t ring_addr;
	uint32_t queue_id;
	uint32_t ring_bytes;
	uint32_t percentage;
	uint32_t prio;
};

/**
 * struct drv_kfd_event_data - one event of WAIT_EVENTS
 * @payload: output, by kind of event
 * @ext: zero
 * @event_id: event
 * @pad: zero
 */
struct drv_kfd_event_data {
	uint64_t payload[4];
	uint64_t ext;
	uint32_t event_id;
	uint32_t pad;
};

/**
 * struct drv_kfd_wait_events - WAIT_EVENTS
 * @events_ptr: struct drv_kfd_event_data[]
 * @nr_events: how many
 * @wait_for_all: 0 = any
 * @timeout_ms: 0xffffffff = for ever
 * @result: output: DRV_KFD_WAIT_*
 */
struct drv_kfd_wait_events {
	uint64_t events_ptr;
	uint32_t nr_events;
	uint32_t wait_for_all;
	uint32_t timeout_ms;
	uint32_t result;
};

#define DRV_KFD_WAIT_COMPLETE 0
#define DRV_KFD_WAIT_TIMEOUT 1
#define DRV_KFD_WAIT_FAIL 2

/**
 * struct drv_kfd_runtime_enable - RUNTIME_ENABLE
 * @r_debug: address for debuggers, or 0
 * @mode: DRV_KFD_RUNTIME_*; 0 disables
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
#define DRV_KFD_RUNTIME_TTMP 2u

enum drv_kfd_runtime_state {
	DRV_KFD_RUNTIME_STATE_DISABLED = 0,
	DRV_KFD_RUNTIME_STATE_ENABLED = 1,
	DRV_KFD_RUNTIME_STATE_BUSY = 2,
	DRV_KFD_RUNTIME_STATE_ERROR = 3,
};

/**
 * struct drv_kfd_runtime_info - what ENABLE tells of the target
 * @r_debug: as the target gave it
 * @state: enum drv_kfd_runtime_state
 * @ttmp_setup: the target asked for it
 */
struct drv_kfd_runtime_info {
	uint64_t r_debug;
	uint32_t state;
	uint32_t ttmp_setup;
};

/* Exceptions, as bits. */
#define DRV_KFD_EC_QUEUE_PREEMPTION_ERROR (1ULL << 29)
#define DRV_KFD_EC_QUEUE_NEW (1ULL << 30)
#define DRV_KFD_EC_QUEUE_DELETE (1ULL << 31)
#define DRV_KFD_EC_DEVICE_FATAL_HALT (1ULL << 34)
#define DRV_KFD_EC_PROCESS_RUNTIME (1ULL << 47)
#define DRV_KFD_EC_DEVICE_REMOVE (1ULL << 48)

/**
 * struct drv_kfd_queue_entry - a queue in a snapshot
 * @exceptions: raised and not yet cleared
 * @ring_addr: ring in the process
 * @wptr_addr: where the write index is
 * @rptr_addr: where the read index is
 * @save_addr: CWSR save area
 * @queue_id: its number
 * @gpu_id: its node
 * @ring_bytes: size of the ring
 * @type: enum drv_kfd_queue_type
 * @save_bytes: of one XCC
 * @reserved: zero
 */
struct drv_kfd_queue_entry {
	uint64_t exceptions;
	uint64_t ring_addr;
	uint64_t wptr_addr;
	uint64_t rptr_addr;
	uint64_t save_addr;
	uint32_t queue_id;
	uint32_t gpu_id;
	uint32_t ring_bytes;
	uint32_t type;
	uint32_t save_bytes;
	uint32_t reserved;
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

/* Events of a node, for every process that may open the driver. */
enum drv_kfd_smi_event {
	DRV_KFD_SMI_GPU_PRE_RESET = 3,
	DRV_KFD_SMI_GPU_POST_RESET = 4,
};

/**
 * struct drv_kfd_smi_events - SMI_EVENTS
 * @gpu_id: in: node
 * @fd: out: takes a mask of events (event 1 is bit 0), gives lines "EVENT TEXT", EVENT in hex
 */
struct drv_kfd_smi_events {
	uint32_t gpu_id;
	uint32_t fd;
};

#define DRV_KFD_IOC_GET_VERSION \
	_IOR(DRV_KFD_MAGIC, DRV_KFD_NR_GET_VERSION, struct drv_kfd_version)
#define DRV_KFD_IOC_CREATE_QUEUE \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_CREATE_QUEUE, struct drv_kfd_create_queue)
#define DRV_KFD_IOC_DESTROY_QUEUE \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_DESTROY_QUEUE, struct drv_kfd_destroy_queue)
#define DRV_KFD_IOC_UPDATE_QUEUE \
	_IOW(DRV_KFD_MAGIC, DRV_KFD_NR_UPDATE_QUEUE, struct drv_kfd_update_queue)
#define DRV_KFD_IOC_WAIT_EVENTS \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_WAIT_EVENTS, struct drv_kfd_wait_events)
#define DRV_KFD_IOC_ACQUIRE_VM \
	_IOW(DRV_KFD_MAGIC, DRV_KFD_NR_ACQUIRE_VM, struct drv_kfd_acquire_vm)
#define DRV_KFD_IOC_ALLOC_MEMORY \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_ALLOC_MEMORY, struct drv_kfd_alloc_memory)
#define DRV_KFD_IOC_MAP_MEMORY \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_MAP_MEMORY, struct drv_kfd_map_memory)
#define DRV_KFD_IOC_SMI_EVENTS \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_SMI_EVENTS, struct drv_kfd_smi_events)
#define DRV_KFD_IOC_RUNTIME_ENABLE \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_RUNTIME_ENABLE, struct drv_kfd_runtime_enable)
#define DRV_KFD_IOC_DBG_TRAP \
	_IOWR(DRV_KFD_MAGIC, DRV_KFD_NR_DBG_TRAP, struct drv_kfd_dbg_trap)

#endif
