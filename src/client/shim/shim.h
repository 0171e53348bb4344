/* SPDX-License-Identifier: MIT */
/*
 * DOC: The shim: a library inside the client that stops and continues its queues
 *
 * It is preloaded. It sees the queues of its process in the ioctls that make them
 * (ioctl.c), learns of work by the doorbell stores of ROCr (hsa.c) or by looking at
 * read and write pointers (detect.c), and a thread of its own (control.c) obeys
 * the daemon: it stops queues that have work with UPDATE_QUEUE or one DBG_TRAP
 * batch (pause.c).
 *
 * What the application sees of a queue is its wish; what the driver has is the wish
 * or, while the queue is held, the wish with percentage 0. Without a
 * daemon, or if it dies, hangs or talks nonsense, nothing is held.
 *
 * Two locks, always in this order:
 *   call_lock  held over calls of the driver that make, change or end queues, so
 *              that an id cannot change its meaning meanwhile; may be held for
 *              milliseconds
 *   lock       state of queues, holds and the connection. Threads of the application take it
 *              in a doorbell store, so it is never held over anything that waits: calls of
 *              the driver, of the file system, for other threads, for memory of the
 *              application or of a device. What is sent or written with it is not waited for
 */
#ifndef GP_SHIM_SHIM_H
#define GP_SHIM_SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/idle.h"
#include "client/shim/shim_fd.h"
#include "driver/kfd_abi.h"
#include "client/client_hold.h"
#include "client/client_request.h"

/* Queue ids are less than this (kfd_priv.h: KFD_MAX_NUM_OF_QUEUES_PER_PROCESS). */
#define SHIM_MAX_QUEUES 1024
/* 8 bytes each in a slice of 8 KiB per process and GPU (kfd_doorbell.c). */
#define SHIM_NR_DOORBELLS 1024
/* GPUs told apart by the address of their slice. */
#define SHIM_NR_SLICES 8
#define SHIM_NR_SLOTS (SHIM_NR_DOORBELLS * SHIM_NR_SLICES)

struct shim;

/**
 * struct shim_piece - a piece of this process's memory
 * @addr: where it is
 * @to: where it is copied to
 * @bytes: how much
 * @error: output: 0 or -EFAULT
 */
struct shim_piece {
	uint64_t addr;
	void *to;
	size_t bytes;
	int error;
};

/**
 * struct shim_sys - the world around the shim
 * @ioctl: the real one; -1 and errno
 * @open_kfd: a descriptor of /dev/kfd, or -errno
 * @connect: a non-blocking SEQPACKET socket to the daemon, or -errno
 * @now_ns: CLOCK_MONOTONIC
 * @read_memory: copy pieces of this process's memory, as many as possible with one call
 * @write_memory: copy to an address of this process, 0 or -EFAULT
 * @occupancy: waves of this process on a node: 0 none, > 0 some, -1 not known
 * @window: called where a decision "idle" was made and is not yet published; NULL = nothing
 */
struct shim_sys {
	int (*ioctl)(int fd, unsigned long request, void *arg);
	int (*open_kfd)(void);
	int (*connect)(void);
	uint64_t (*now_ns)(void);
	void (*read_memory)(struct shim_piece *pieces, uint32_t nr);
	int (*write_memory)(uint64_t addr, const void *from, size_t bytes);
	int (*occupancy)(uint32_t gpu_id);
	void (*window)(void);
};

/**
 * struct shim_props - what UPDATE_QUEUE sets
 * @ring_addr: ring
 * @ring_bytes: its size
 * @percentage: with the XCC in bits 8-15
 * @prio: 0..15
 */
struct shim_props {
	uint64_t ring_addr;
	uint32_t ring_bytes;
	uint32_t percentage;
	uint32_t prio;
};

/* How idle is being proven where barrier packets may be put in. */
enum shim_proof {
	SHIM_QUIET,		/* waiting until nothing was written for a while */
	SHIM_BARRIER,		/* a barrier packet is on its way */
};

/**
 * struct shim_queue - a queue of this process
 * @used: there is such a queue
 * @queue_id: its id and its place in the table
 * @gpu_id: node
 * @type: enum drv_kfd_queue_type
 * @wish: what the application wants; call_lock
 * @has: what the driver has; call_lock
 * @wptr_addr: write index
 * @rptr_addr: read index
 * @is_readable: both can be read here
 * @made: number of the queue in the life of the process; ids are used again
 * @doorbell: index in the slice of its node
 * @slice: of its slots, or -1: in which slice its doorbell is mapped is not known yet
 * @is_dbg_stopped: stopped by DBG_TRAP; call_lock
 * @is_dbg_new: not yet in a snapshot, cannot be stopped so; call_lock
 * @is_watched: its doorbell is not seen: its pointers are looked at
 * @is_busy: has work, or it is not known to have none
 * @is_deciding: idle is published and not yet told
 * @busy_since_ns: since when
 * @proof: of idle by a barrier packet, while busy
 * @wptr: for that: write index at the last look
 * @quiet_since_ns: for that: when @wptr was seen first
 * @pace_ns: for that: wait between looks, grows
 * @idle: what else is known of its work
 * @requests: those of an AQL queue
 * @changed_ns: when it was last stopped or continued; set under call_lock alone
 * @look_ns: when to look next; UINT64_MAX = never
 * @hsa: struct shim_hsa_queue of hsa.c, or NULL
 */
struct shim_queue {
	bool used;
	uint32_t queue_id;
	uint32_t gpu_id;
	uint32_t type;
	struct shim_props wish;
	struct shim_props has;
	uint64_t wptr_addr;
	uint64_t rptr_addr;
	bool is_readable;
	uint64_t made;
	uint32_t doorbell;
	int slice;
	bool is_dbg_stopped;
	bool is_dbg_new;
	bool is_watched;
	bool is_busy;
	bool is_deciding;
	uint64_t busy_since_ns;
	enum shim_proof proof;
	uint64_t wptr;
	uint64_t quiet_since_ns;
	uint64_t pace_ns;
	struct gp_idle idle;
	struct client_requests requests;
	_Atomic uint64_t changed_ns;
	uint64_t look_ns;
	struct shim_hsa_queue *hsa;
};

enum shim_dbg_state {
	SHIM_DBG_OFF,		/* no session */
	SHIM_DBG_ON,
	SHIM_DBG_FAILED,	/* tried, or another debugger is there: never again */
};

/**
 * struct shim_progress - what is expected after a release
 * @gpu_id: node; 0 = nothing is
 * @queue_id: a queue that had work
 * @rptr: its read index at the first look after it
 * @has_rptr: there was such a look
 * @until_ns: when to give up
 * @look_ns: next look
 * @pace_ns: wait between looks
 */
struct shim_progress {
	uint32_t gpu_id;
	uint32_t queue_id;
	uint64_t rptr;
	bool has_rptr;
	uint64_t until_ns;
	uint64_t look_ns;
	uint64_t pace_ns;
};

#define SHIM_MAX_NODES 64

/**
 * struct shim - everything
 * @sys: the world
 * @call_lock: see DOC
 * @lock: see DOC
 * @holds: what is held; both locks to change, one to look
 * @queues: by id
 * @nr_queues: one more than the largest id there ever was
 * @nr_made: queues there ever were
 * @kfd: descriptor opened for the shim's calls, -1 = none
 * @kfd_id: what it is
 * @their_kfd: the one with which the application last made a queue
 * @is_started: the thread runs or was tried
 * @is_stopping: end of the thread, for tests
 * @thread: the control thread
 * @wake_fd: pipe that wakes it; read end first
 * @wake_id: what its ends are; both are the same
 * @is_dirty: something to apply or to tell, see shim_control_wake_locked()
 * @sock: connection, -1 = none
 * @sock_id: what it is
 * @is_welcome: the daemon answered
 * @is_broken: sending failed: close it
 * @since_ns: when the connection was made
 * @retry_ns: when to try to connect again
 * @backoff_ns: wait before that
 * @again_ns: wait before what the driver refused is tried again; 0 = it refused nothing
 * @epoch: largest so far in this connection
 * @welcome: the answer
 * @sees: WIRE_SEES_*; ROCr has its bits changed without a lock
 * @told_sees: as the daemon knows it
 * @stores_index: the application stores the write index of a queue with several producers;
 *	set without a lock
 * @waited_ns: when the application last learned that something of its work has ended
 * @has_runtime: the process enabled the runtime for debuggers
 * @dbg: own debug session; call_lock
 * @dbg_pipe: of the session; call_lock
 * @dbg_pipe_id: what its ends are
 * @lost: nodes on which a queue of this process was reset, 0 = none; both locks to change
 * @progress: by node
 * @skip_recheck: do not look again after publishing idle: only to show that it is needed
 * @nr_calls: UPDATE_QUEUE and DBG_TRAP calls that cost a runlist cycle
 */
struct shim {
	const struct shim_sys *sys;
	pthread_mutex_t call_lock;
	pthread_mutex_t lock;
	struct client_holds holds;
	struct shim_queue queues[SHIM_MAX_QUEUES];
	uint32_t nr_queues; /* what comes from here on is cleared in a child */
	uint64_t nr_made;
	int kfd;
	struct shim_fd_id kfd_id;
	int their_kfd;
	bool is_started;
	bool is_stopping;
	pthread_t thread;
	int wake_fd[2];
	struct shim_fd_id wake_id;
	bool is_dirty;
	int sock;
	struct shim_fd_id sock_id;
	bool is_welcome;
	bool is_broken;
	uint64_t since_ns;
	uint64_t retry_ns;
	uint64_t backoff_ns;
	uint64_t again_ns;
	uint64_t epoch;
	struct wire_welcome welcome;
	_Atomic uint32_t sees;
	uint32_t told_sees;
	bool stores_index;
	uint64_t waited_ns;
	bool has_runtime;
	enum shim_dbg_state dbg;
	int dbg_pipe[2];
	struct shim_fd_id dbg_pipe_id;
	uint32_t lost[SHIM_MAX_NODES];
	struct shim_progress progress[SHIM_MAX_NODES];
	bool skip_recheck;
	uint64_t nr_calls;
};

/*
 * For each doorbell how many idle queues may be behind it: not 0 = a ring is worth
 * telling. Read without a lock by the wrapped store, written under lock.
 */
extern uint32_t shim_slots[SHIM_NR_SLOTS];

/**
 * shim_slot() - place of a doorbell
 * @addr: where it is mapped
 *
 * Return: index into shim_slots.
 */
static inline uint32_t shim_slot(uintptr_t addr)
{
	return addr >> 3 & (SHIM_NR_SLOTS - 1);
}

/**
 * shim_init() - begin; allocates and starts nothing
 * @s: memory
 * @sys: the world; must live as long
 */
void shim_init(struct shim *s, const struct shim_sys *sys);

/**
 * shim_forget() - what a child does after a fork: it has no queues and no thread
 * @s: shim
 *
 * Descriptors are closed, locks made new.
 */
void shim_forget(struct shim *s);

/* The one of this process, see entry.c. */
extern struct shim shim_self;

/**
 * shim_debug() - a line on stderr if $GPREEMPT_DEBUG is set
 * @fmt: as of printf
 */
void shim_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
