/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the shim ask of each other, by file. A name that ends with _locked: @s->lock
 * is held. Where nothing else is said no lock is.
 */
#ifndef GP_SHIM_PART_H
#define GP_SHIM_PART_H

#include "client/shim/shim.h"

/*
 * shim_conn.c: the conversation with the daemon. Sending never waits: a daemon that does not
 * read is as good as dead, and the connection is marked broken.
 */

/* Tell of a queue; @type: WIRE_BUSY, WIRE_IDLE, WIRE_QUEUE_REMOVE. */
void shim_conn_queue_locked(struct shim *s, const struct shim_queue *q);
void shim_conn_edge_locked(struct shim *s, uint16_t type, const struct shim_queue *q);

/* A queue completed requests and has more; the oldest of these came at @since_ns. */
void shim_conn_progress_locked(struct shim *s, const struct shim_queue *q, uint64_t since_ns);

/* Something worth knowing: see enum wire_note_code. */
void shim_conn_note_locked(struct shim *s, uint32_t code, uint32_t gpu_id, uint64_t value,
			   const char *text);

/* A queue was reset: the process is left alone on that node. */
void shim_conn_lost_locked(struct shim *s, uint32_t gpu_id);

/* First wait before another try to connect. */
#define SHIM_CONN_BACKOFF_MIN_NS 50000000ull

/* Connects if it is time, carries out what the daemon says, or ends the conversation. */
void shim_conn_step(struct shim *s, uint64_t now_ns);

/* When shim_conn_step() is to be called again, whatever comes; UINT64_MAX = never. */
uint64_t shim_conn_next_ns(const struct shim *s);

/*
 * shim_control.c: the control thread connects to the daemon, carries out its orders, ends what
 * is held when the lease is over or the daemon is gone, and proves idle.
 */

/**
 * shim_control_start() - start the thread unless it runs; errors leave the client unscheduled
 * @s: shim
 * @fd: /dev/kfd of the application, used while no other can be opened
 */
void shim_control_start(struct shim *s, int fd);

/* Ends the thread, for tests. */
void shim_control_stop(struct shim *s);

/**
 * shim_control_step() - do what is to be done now, all of the thread's work; never waits
 * @s: shim
 *
 * Return: when to be called again at the latest; earlier if the socket is readable or
 * @wake_fd is.
 */
uint64_t shim_control_step(struct shim *s);

/* There is something for the thread. */
void shim_control_wake_locked(struct shim *s);

/*
 * The descriptor for the shim's own calls of the driver, opened again if the application closed
 * it; else the application's. Context: call_lock.
 */
int shim_control_kfd(struct shim *s);

/*
 * DOC: Which queues have work (shim_detect.c)
 *
 * Busy begins with a ring of the doorbell. The wrapped store of shim_hsa.c tells of it,
 * but only if the queue counts as idle: one load and a compare otherwise. Queues
 * whose rings are not told of (clients without ROCr, queues inside ROCr) are watched
 * by looking at their pointers, less often the longer nothing happens.
 *
 * Busy ends with a proof. A queue that was quiet for a while gets a barrier packet; if
 * that completes and nothing was written behind it, all work before it is done. Where no
 * packet may be put in, rules/idle.h decides by pointers, packets and waves.
 *
 * A ring between the decision and its publication must not be lost. The submitter
 * moves the write index, loads the state, rings. The detector publishes "idle", makes
 * every thread of the process pass a barrier (membarrier) and reads the write index
 * again: either the submitter saw "idle" or the detector sees the index. So
 * the submitter needs no fence, which would wait for the uncached store.
 */

/* Begin to follow a queue that was made just now. */
void shim_detect_new_locked(struct shim *s, struct shim_queue *q);

/*
 * Begin to follow all queues: there is a daemon. A queue counts as busy until idle is proven,
 * unless nothing was ever put in. The lock is released meanwhile, and @is_welcome is set when
 * it is held for good.
 */
void shim_detect_begin_locked(struct shim *s);

/**
 * shim_detect_ring() - a doorbell was rung that may belong to an idle queue
 * @s: shim
 * @doorbell: address of the doorbell
 * @wptr_addr: address of the write index: says which queue
 *
 * Context: any thread of the application, after the ring.
 */
void shim_detect_ring(struct shim *s, uintptr_t doorbell, uint64_t wptr_addr);

/* ROCr was called and may have rung queues of its own. */
void shim_detect_api(struct shim *s);

/*
 * Look where it is time to; the lock is released meanwhile. Return: when to look next,
 * UINT64_MAX = not at all.
 */
uint64_t shim_detect_step_locked(struct shim *s, uint64_t now_ns);

/*
 * shim_ioctl.c: the application's ioctls. Those that make, change and end queues are carried
 * out so that a hold stays a hold; everything else goes to the driver as it is.
 */

/* Must shim_ioctl_call() be asked? Console ioctls have the same type but no size. */
static inline bool shim_ioctl_is_ours(unsigned long request)
{
	if (_IOC_TYPE(request) != AMDKFD_IOCTL_BASE || !_IOC_SIZE(request))
		return false;
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
	case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
	case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
	case _IOC_NR(DRV_KFD_IOC_RUNTIME_ENABLE):
	case _IOC_NR(DRV_KFD_IOC_DBG_TRAP):
		return true;
	}
	return false;
}

/* Carries out an ioctl of the application: result and errno as of ioctl(). */
int shim_ioctl_call(struct shim *s, int fd, unsigned long request, void *arg);

/*
 * shim_pause.c: stopping and continuing queues at the least number of runlist cycles. Every
 * UPDATE_QUEUE that reaches the driver costs one on the whole node, so what the driver
 * has already is not said again. Context of these: call_lock.
 */

/* Is it a compute queue that is held? The holds are changed under both locks; one will do here. */
bool shim_pause_is_held(const struct shim *s, const struct shim_queue *q);

/**
 * shim_pause_apply() - make the driver have what holds and wishes say
 * @s: shim
 * @gpu_id: node, 0 = all
 * @grace: for DBG_TRAP, 0 = the default
 * @out: what became of it is added
 *
 * Held queues without work are left alone: they cost nothing until they ring.
 */
void shim_pause_apply(struct shim *s, uint32_t gpu_id, uint32_t grace, struct wire_done *out);

/* Does a queue run that should not, or the other way round? */
bool shim_pause_is_needed(struct shim *s);

/* UPDATE_QUEUE of the application, with its descriptor. 0, or -1 and errno of the driver. */
int shim_pause_wish(struct shim *s, struct shim_queue *q, int fd,
		    const struct kfd_ioctl_update_queue_args *wish);

/* Is it stopped and the application does not want it to be? */
bool shim_pause_is_stopped(const struct shim_queue *q);

/* Was a queue of this process reset on the node? Then nothing can be stopped or continued. */
bool shim_pause_is_lost(const struct shim *s, uint32_t gpu_id);

/*
 * Closes the own debug session for good, before the process ends or closes its runtime: the
 * driver waits for a debugger that it cannot find any more otherwise. Context: not call_lock.
 */
void shim_pause_end_dbg(struct shim *s);

/*
 * shim_progress.c: after a release the daemon wants to know whether the work goes on:
 * WIRE_NOTE_PROGRESS as soon as a read index moves or waves are seen, WIRE_NOTE_NO_PROGRESS
 * after a second without any sign.
 */

/* A node is about to be released. Context: both locks. */
void shim_progress_expect_locked(struct shim *s, uint32_t gpu_id);

/* Look; the lock is released meanwhile. Return: when to look again, UINT64_MAX = not at all. */
uint64_t shim_progress_step_locked(struct shim *s, uint64_t now_ns);

/*
 * shim_selfdbg.c: a debug session of the process on itself stops any number of queues in one
 * runlist cycle. It has side effects (see docs/design/shim.md), so it is used only where
 * the daemon allows it and the process has enabled its runtime. At the first error it
 * is given up for the life of the process. Context of these: call_lock.
 */

/* Stop queues: those that were have is_dbg_stopped set. Counts are added to @out. */
void shim_selfdbg_suspend(struct shim *s, struct shim_queue **queues, uint32_t nr,
			  uint32_t grace, struct wire_done *out);

/* Continue those of the queues that were stopped so. */
void shim_selfdbg_resume(struct shim *s, struct shim_queue **queues, uint32_t nr,
			 struct wire_done *out);

/* Close the session, never open one again. Every queue goes on. */
void shim_selfdbg_end(struct shim *s);

#endif
