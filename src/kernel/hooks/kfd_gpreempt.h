/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Preemption as a service of amdkfd
 *
 * What gpreempt.ko asks of amdkfd, and what amdkfd tells it. All exports are in
 * the symbol namespace GPREEMPT; there are five. The second half of this file is
 * for amdkfd's own files: the calls that the patch beside it puts in them.
 *
 * Names. A process on a node and a queue are named by generations: 64-bit numbers
 * from one counter that are never used twice. Pids, pasids and queue ids are
 * recycled at once and never name anything here; they are shown only.
 *
 * Locks. Nothing of the caller's may be held around the exports, as they take
 * dqm_lock (switch, query) or a process's mmap_lock (arm). Callbacks may neither
 * sleep nor call back.
 *
 * Failing open. Without a registered client nothing is preempted, nothing is armed
 * and a doorbell fault just maps the page. Unregistering resumes and disarms
 * everything first. If the client makes no call for KFD_GPREEMPT_WATCHDOG_MS while
 * something is preempted, everything is resumed and the client is told so. A call that
 * waits for dqm_lock, or takes long, counts as long as it lasts. Only a queue whose saved
 * state was found altered stays off the GPU.
 */
#ifndef KFD_GPREEMPT_H
#define KFD_GPREEMPT_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct mm_struct;
struct pid;

#define KFD_GPREEMPT_WATCHDOG_MS 2000
/* Most references one switch takes. */
#define KFD_GPREEMPT_REFS_MAX 1024
/* All compute queues of a process, those it will create included. */
#define KFD_GPREEMPT_ALL 0ULL
/* Grace: the driver's own default; otherwise 1..255 thousand GPU clocks. */
#define KFD_GPREEMPT_GRACE_DEFAULT 0

/**
 * struct kfd_gpreempt_ref - names what is to be switched, and says what became of it
 * @process: generation of a process on the node
 * @queue: generation of one of its queues, or KFD_GPREEMPT_ALL. The two are levels of
 *	their own: a queue runs when neither it nor its process is preempted
 * @result: output: 0; -ESRCH gone; -EIO hardware failed or is in reset: what was to be
 *	preempted is as it was, but a queue that refused was reset and does not run any
 *	more; -EBADMSG saved state was altered while preempted (verify): the queue stays
 *	preempted for good, without a client too
 * @was: amdkfd's own
 */
struct kfd_gpreempt_ref {
	u64 process;
	u64 queue;
	int result;
	u32 was;
};

#define KFD_GPREEMPT_AQL BIT(0)			/* packets of 64 bytes; else PM4 dwords */
#define KFD_GPREEMPT_ACTIVE BIT(1)		/* in the runlist */
#define KFD_GPREEMPT_PREEMPTED BIT(2)		/* by a switch */
#define KFD_GPREEMPT_EVICTED BIT(3)
#define KFD_GPREEMPT_SUSPENDED BIT(4)		/* by a debugger */
#define KFD_GPREEMPT_RUNNING BIT(5)		/* has waves on the GPU */
#define KFD_GPREEMPT_RUNNING_KNOWN BIT(6)	/* this GPU can tell */
#define KFD_GPREEMPT_CROWDED BIT(7)		/* other queues have waves on the GPU */
#define KFD_GPREEMPT_DAMAGED BIT(8)		/* saved state was altered: never runs again */

/* A compute queue. */
struct kfd_gpreempt_queue {
	u64 process;	 /* generation of its process on the node */
	u64 queue;	 /* its generation */
	struct pid *pid; /* its process, with a reference for the caller */
	/*
	 * its memory map, grabbed for the caller (mmdrop()); a process that executes another
	 * program has another one
	 */
	struct mm_struct *mm;
	u32 queue_id;	/* as user space knows it */
	u32 flags;	/* KFD_GPREEMPT_* */
	u32 ring_bytes; /* size of the ring */
	u64 ring;	/* user address of the ring */
	u64 rptr;	/* user address of the read pointer */
	u64 wptr;	/* user address of the write pointer */
};

/**
 * struct kfd_gpreempt_ops - what amdkfd tells
 * @changed: queues or processes came or went, were evicted or restored, suspended or
 *	resumed by a debugger: ask; under dqm_lock
 * @doorbell: an armed doorbell was rung, and is mapped again; in a page fault
 * @completion: an interrupt says that something of this process ended, on one of its
 *	nodes; called for each; in the interrupt worker. A hint
 * @reset: a node is being reset or goes for good (@done false), works again or is new
 *	(true). A partition change makes new nodes, with ids that the client may not know
 * @watchdog: nothing was heard for too long, everything on the node was resumed
 *
 * Callbacks run in an RCU read section: they set a flag and wake.
 */
struct kfd_gpreempt_ops {
	void (*changed)(u32 gpu_id);
	void (*doorbell)(u32 gpu_id, u64 process);
	void (*completion)(u32 gpu_id, u64 process);
	void (*reset)(u32 gpu_id, bool done);
	void (*watchdog)(u32 gpu_id);
};

#define KFD_GPREEMPT_MODE_NONE 0	/* queues cannot be preempted */
#define KFD_GPREEMPT_MODE_HWS 1		/* firmware, by runlists */
#define KFD_GPREEMPT_MODE_NO_HWS 2	/* the driver, by queue slots */
#define KFD_GPREEMPT_MODE_MES 3		/* firmware, queue by queue */

/* A node. */
struct kfd_gpreempt_gpu {
	u32 gpu_id; /* its id */
	u32 mode;   /* how its queues are scheduled: KFD_GPREEMPT_MODE_* */
	/*
	 * under the firmware by runlists: most processes and compute queues that are mapped at
	 * a time; of more it takes turns, whether they have work or not. 0 = no such limit
	 */
	u32 max_processes;
	u32 max_queues;
};

/**
 * kfd_gpreempt_register() - become the client; there is one at a time
 * @ops: callbacks; stay valid until kfd_gpreempt_unregister() returns
 * @verify: keep a digest of what describes the saved waves of each preempted queue,
 *	for every XCC, and compare before it is mapped again
 * @gpus: filled with the nodes there are, as far as they fit
 * @nr: in: room, out: how many
 *
 * What there is already is asked for with kfd_gpreempt_query().
 *
 * Context: may sleep.
 * Return: 0, -EBUSY there is one already.
 */
int kfd_gpreempt_register(const struct kfd_gpreempt_ops *ops, bool verify,
			  struct kfd_gpreempt_gpu *gpus, u32 *nr);

/**
 * kfd_gpreempt_unregister() - disarm and resume everything, then hear no more
 * @ops: as given to kfd_gpreempt_register()
 *
 * Context: may sleep. No callback runs after this returned.
 */
void kfd_gpreempt_unregister(const struct kfd_gpreempt_ops *ops);

/**
 * kfd_gpreempt_switch() - preempt some, resume others, in one runlist cycle
 * @gpu_id: node
 * @refs: first those to preempt, then those to resume; level-set
 * @nr_out: how many to preempt
 * @nr_in: how many to resume
 * @grace: 1..255, or KFD_GPREEMPT_GRACE_DEFAULT
 *
 * When it returns 0, the preempted are off the GPU. The resumed are in the runlist
 * that was sent; it is not waited for. A switch that changes nothing costs nothing, but
 * after one that failed the next one or the next query repeats its cycle, or the watchdog.
 *
 * Context: may sleep, up to the driver's preemption time-out.
 * Return: 0 and a result per reference; -ENODEV no such node; -EINVAL; -EOPNOTSUPP
 * scheduler mode; -EIO in reset or failed: see the results.
 */
int kfd_gpreempt_switch(u32 gpu_id, struct kfd_gpreempt_ref *refs, u32 nr_out, u32 nr_in,
			u32 grace);

/* All processes of a node, and what they have on the GPU. */
#define KFD_GPREEMPT_EVERY U64_MAX

/**
 * kfd_gpreempt_query() - list compute queues
 * @gpu_id: node
 * @process: one process, 0 for all, or KFD_GPREEMPT_EVERY; but for 0, KFD_GPREEMPT_RUNNING
 *	and CROWDED are looked up too, once for all of them
 * @queues: filled with as many as fit; the caller puts the pids and drops the memory maps
 * @nr: in: room, out: how many there are
 *
 * Context: may sleep.
 * Return: 0, -ENODEV.
 */
int kfd_gpreempt_query(u32 gpu_id, u64 process, struct kfd_gpreempt_queue *queues, u32 *nr);

/**
 * kfd_gpreempt_arm() - unmap the doorbells of a process, or map them again
 * @gpu_id: node
 * @process: generation
 * @arm: the next store calls doorbell(); false: no store will
 *
 * The caller looks at the pointers once more after arming: work that came before
 * makes no fault.
 *
 * Context: may sleep.
 * Return: 0; -ESRCH gone; -EAGAIN not mapped yet, its memory map is busy, or the last
 * fault is less than the gap ago: try later; -EOPNOTSUPP mapped in a way that cannot
 * be armed.
 */
int kfd_gpreempt_arm(u32 gpu_id, u64 process, bool arm);

/*
 * For amdkfd: what the patch calls. None fails, all but the doorbell ones are called
 * with dqm_lock held unless said otherwise.
 */
struct device_queue_manager;
struct kfd_dev;
struct kfd_process;
struct kfd_process_device;
struct qcm_process_device;
struct queue;
struct vm_area_struct;

#define KFD_GPREEMPT_BY_PROCESS BIT(0)
#define KFD_GPREEMPT_BY_QUEUE BIT(1)

/* Ours in struct queue_properties; under dqm_lock. */
struct kfd_gpreempt_state {
	u64 generation; /* names the queue */
	u64 digest;	/* of what describes its saved waves, taken when it was preempted */
	u8 preempted;	/* not in the runlist by order of the client: KFD_GPREEMPT_BY_* */
	bool verified;	/* @digest is valid */
	bool damaged;	/* saved state was altered: it is never mapped again */
	bool lost;	/* a reset took its waves: a resume does not map it again */
};

/* Ours in struct device_queue_manager; under dqm_lock. */
struct kfd_gpreempt_node {
	struct list_head link;	      /* all nodes; nodes_sem */
	struct xarray processes;      /* struct kfd_process_device with a name, by that */
	struct delayed_work watchdog; /* resumes everything if the client is silent */
	unsigned long heard;	      /* jiffies when the client's last call ended */
	/* calls of the client that are under way, dqm_lock held or waited for */
	atomic_t nr_calls;
	bool registered; /* there is a client, and @watchdog is initialised */
	/* the last cycle failed: a queue that is said to run may not be in the runlist */
	bool stale;
};

/* Ours in struct kfd_process_device. */
struct kfd_gpreempt_pdd {
	/*
	 * names the process on this node; 0 = never had a queue, or had become another program
	 * before its first
	 */
	u64 generation;
	/*
	 * memory map of the process, grabbed while it has a generation; dqm_lock. That of
	 * struct kfd_process goes before the queues do
	 */
	struct mm_struct *mm;
	/* of this node, valid with @generation: the node may go before the process does */
	u32 gpu_id;
	/* all compute queues are, and new ones are born so; dqm_lock */
	bool preempted;
	struct kfd_gpreempt_slice *slice; /* its doorbells, reference-counted */
};

/* A queue of any kind is being created: before its MQD is initialised. */
void kfd_gpreempt_queue_init(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
			     struct queue *q);
/* A queue was created, is being destroyed, was evicted, restored, suspended or resumed. */
void kfd_gpreempt_changed(struct device_queue_manager *dqm);
/* A process leaves the node, with all its queues. */
void kfd_gpreempt_process_removed(struct device_queue_manager *dqm,
				  struct qcm_process_device *qpd);
/* No lock: a node works, and has its id. */
void kfd_gpreempt_node_added(struct device_queue_manager *dqm);
/* No lock: the node goes for good; there are no queues on it. */
void kfd_gpreempt_node_removed(struct device_queue_manager *dqm);
/* No lock: an event interrupt reached this process. */
void kfd_gpreempt_completion(struct kfd_process *p);
/* No lock: reset of all nodes of a device begins or is done. */
void kfd_gpreempt_reset(struct kfd_dev *kfd, bool done);
/* mmap_lock for writing. True: mapped lazily, nothing more to do. */
bool kfd_gpreempt_doorbell_mmap(struct kfd_process_device *pdd, struct vm_area_struct *vma,
				phys_addr_t address);
/* No lock: the doorbells of a process are about to be freed. */
void kfd_gpreempt_doorbell_free(struct kfd_process_device *pdd);

#endif
