/* SPDX-License-Identifier: MIT */
/*
 * DOC: The shim: a library inside the client that stops and continues its queues
 *
 * It is preloaded. It sees the queues of its process in the ioctls that make them
 * (shim_ioctl.c), learns of work by the doorbell stores of ROCr (shim_hsa.c) or by looking
 * at read and write pointers (shim_detect.c), and a thread of its own (shim_control.c)
 * obeys the daemon (shim_conn.c): it stops queues that have work with UPDATE_QUEUE
 * (shim_pause.c) or one DBG_TRAP batch (shim_selfdbg.c).
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
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client_hold.h"
#include "client/shim/shim_fd.h"
#include "driver/kfd.h"
#include "rules/arrival.h"
#include "rules/idle.h"

/* Queue ids are less than this (kfd_priv.h: KFD_MAX_NUM_OF_QUEUES_PER_PROCESS). */
#define SHIM_MAX_QUEUES 1024
/* 8 bytes each in a slice of 8 KiB per process and GPU (kfd_doorbell.c). */
#define SHIM_NR_DOORBELLS 1024
/* GPUs told apart by the address of their slice. */
#define SHIM_NR_SLICES 8
#define SHIM_NR_SLOTS (SHIM_NR_DOORBELLS * SHIM_NR_SLICES)

struct shim;

/* A piece of this process's memory. */
struct shim_piece {
	uint64_t addr;	/* where it is */
	void *to;	/* where it is copied to */
	size_t bytes;
	int error;	/* output: 0 or -EFAULT */
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

/* How idle is being proven where barrier packets may be put in. */
enum shim_proof {
	SHIM_QUIET,		/* waiting until nothing was written for a while */
	SHIM_BARRIER,		/* a barrier packet is on its way */
};

/* A queue of this process. */
struct shim_queue {
	bool used; /* there is such a queue */
	uint32_t queue_id; /* its id and its place in the table */
	uint32_t gpu_id; /* node */
	uint32_t type; /* enum drv_kfd_queue_type */
	struct kfd_ioctl_update_queue_args wish; /* what the application wants; call_lock */
	struct kfd_ioctl_update_queue_args has; /* what the driver has; call_lock */
	uint64_t wptr_addr; /* write index */
	uint64_t rptr_addr; /* read index */
	bool is_readable; /* both can be read here */
	uint64_t made; /* number of the queue in the life of the process; ids are used again */
	uint32_t doorbell; /* index in the slice of its node */
	int slice; /* of its slots, or -1: in which slice its doorbell is mapped is not known yet */
	bool is_dbg_stopped; /* stopped by DBG_TRAP; call_lock */
	bool is_dbg_new; /* not yet in a snapshot, cannot be stopped so; call_lock */
	bool is_watched; /* its doorbell is not seen: its pointers are looked at */
	bool is_busy; /* has work, or it is not known to have none */
	bool is_deciding; /* idle is published and not yet told */
	uint64_t busy_since_ns; /* since when */
	enum shim_proof proof; /* of idle by a barrier packet, while busy */
	uint64_t wptr; /* for that: write index at the last look */
	uint64_t quiet_since_ns; /* for that: when @wptr was seen first */
	uint64_t pace_ns; /* for that: wait between looks, grows */
	struct gp_idle idle; /* what else is known of its work */
	struct gp_arrivals requests; /* those of an AQL queue */
	_Atomic uint64_t changed_ns; /* last stopped or continued then; set under call_lock */
	uint64_t look_ns; /* when to look next; UINT64_MAX = never */
	struct shim_hsa_queue *hsa; /* of shim_hsa_queue.c, or NULL */
};

enum shim_dbg_state {
	SHIM_DBG_OFF,		/* no session */
	SHIM_DBG_ON,
	SHIM_DBG_FAILED,	/* tried, or another debugger is there: never again */
};

/* What is expected after a release. */
struct shim_progress {
	uint32_t gpu_id; /* node; 0 = nothing is */
	uint32_t queue_id; /* a queue that had work */
	uint64_t rptr; /* its read index at the first look after it */
	bool has_rptr; /* there was such a look */
	uint64_t until_ns; /* when to give up */
	uint64_t look_ns; /* next look */
	uint64_t pace_ns; /* wait between looks */
};

#define SHIM_MAX_NODES 64

/* Everything. */
struct shim {
	const struct shim_sys *sys; /* the world */
	pthread_mutex_t call_lock; /* see DOC */
	pthread_mutex_t lock; /* see DOC */
	struct client_holds holds; /* what is held; both locks to change, one to look */
	struct shim_queue queues[SHIM_MAX_QUEUES]; /* by id */
	/* What comes from here on is cleared in a child. */
	uint32_t nr_queues; /* one more than the largest id there ever was */
	uint64_t nr_made; /* queues there ever were */
	int kfd; /* descriptor opened for the shim's calls, -1 = none */
	struct shim_fd_id kfd_id; /* what it is */
	int their_kfd; /* the one with which the application last made a queue */
	bool is_started; /* the thread runs or was tried */
	bool is_stopping; /* end of the thread, for tests */
	pthread_t thread; /* the control thread */
	int wake_fd[2]; /* pipe that wakes it; read end first */
	struct shim_fd_id wake_id; /* what its ends are; both are the same */
	bool is_dirty; /* something to apply or to tell, see shim_control_wake_locked() */
	int sock; /* connection, -1 = none */
	struct shim_fd_id sock_id; /* what it is */
	bool is_welcome; /* the daemon answered */
	bool is_broken; /* sending failed: close it */
	uint64_t since_ns; /* when the connection was made */
	uint64_t retry_ns; /* when to try to connect again */
	uint64_t backoff_ns; /* wait before that */
	uint64_t again_ns; /* wait before another try of what the driver refused; 0 = nothing */
	struct wire_welcome welcome; /* the answer */
	_Atomic uint32_t sees; /* WIRE_SEES_*; ROCr has its bits changed without a lock */
	uint32_t told_sees; /* as the daemon knows it */
	/* The application stores the write index of a queue with several producers; no lock. */
	bool stores_index;
	uint64_t waited_ns; /* the application last learned of an end of work then */
	bool has_runtime; /* the process enabled the runtime for debuggers */
	enum shim_dbg_state dbg; /* own debug session; call_lock */
	int dbg_pipe[2]; /* of the session; call_lock */
	struct shim_fd_id dbg_pipe_id; /* what its ends are */
	uint32_t lost[SHIM_MAX_NODES]; /* nodes with a reset queue, 0 = none; both locks */
	struct shim_progress progress[SHIM_MAX_NODES]; /* by node */
	bool skip_recheck; /* no look after publishing idle: shows that it is needed */
	uint64_t nr_calls; /* UPDATE_QUEUE and DBG_TRAP calls that cost a runlist cycle */
};

/*
 * For each doorbell how many idle queues may be behind it: not 0 = a ring is worth
 * telling. Read without a lock by the wrapped store, written under lock.
 */
extern uint32_t shim_slots[SHIM_NR_SLOTS];

/* Place of a doorbell that is mapped at @addr. */
static inline uint32_t shim_slot(uintptr_t addr)
{
	return addr >> 3 & (SHIM_NR_SLOTS - 1);
}

/* Begins; allocates and starts nothing. @sys must live as long. */
void shim_init(struct shim *s, const struct shim_sys *sys);

/* A child after a fork has no queues and no thread: closes descriptors, makes locks new. */
void shim_forget(struct shim *s);

/* The one of this process, see shim_entry.c. */
extern struct shim shim_self;

/* A line on stderr if $GPREEMPT_DEBUG is set. */
void shim_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Takes and frees both locks, in the order of DOC. */
void shim_lock_both(struct shim *s);
void shim_unlock_both(struct shim *s);

/*
 * The way of an application's thread into the shim. A doorbell store is no cancellation
 * point, leaves errno alone and is allowed in a signal handler; the wrapped store keeps all
 * of that. A thread that left with a lock would leave held queues held for ever.
 */
struct shim_guard {
	sigset_t mask; /* blocked signals before */
	int cancel; /* whether the thread could be cancelled */
	int error; /* errno; shim_guard_lock() alone */
};

/* Neither signal nor cancellation: a handler may end the program or jump away. Then as before. */
void shim_guard_begin(struct shim_guard *g);
void shim_guard_end(const struct shim_guard *g);

/* The same with @s->lock taken, and errno left alone. */
void shim_guard_lock(struct shim *s, struct shim_guard *g);
void shim_guard_unlock(struct shim *s, const struct shim_guard *g);

#endif
