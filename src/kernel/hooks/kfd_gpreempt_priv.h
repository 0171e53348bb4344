/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the files of this folder share, and the functions of
 * kfd_device_queue_manager.c that are not static any more.
 */
#ifndef KFD_GPREEMPT_PRIV_H
#define KFD_GPREEMPT_PRIV_H

#include <linux/version.h>

#include "kfd_device_queue_manager.h"
#include "kfd_gpreempt.h"

/* The namespace became a string in 6.13. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define KFD_GPREEMPT_EXPORT(sym) EXPORT_SYMBOL_NS_GPL(sym, "GPREEMPT")
#else
#define KFD_GPREEMPT_EXPORT(sym) EXPORT_SYMBOL_NS_GPL(sym, GPREEMPT)
#endif

/* kfd_device_queue_manager.c; all under dqm_lock */
int execute_queues_cpsch(struct device_queue_manager *dqm, enum kfd_unmap_queues_filter filter,
			 uint32_t filter_param, uint32_t grace_period);
void increment_queue_count(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
			   struct queue *q);
void decrement_queue_count(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
			   struct queue *q);
int add_queue_mes(struct device_queue_manager *dqm, struct queue *q,
		  struct qcm_process_device *qpd);
int remove_queue_mes(struct device_queue_manager *dqm, struct queue *q,
		     struct qcm_process_device *qpd);

/* Whether queues are verified; fixed while a client is registered. */
extern bool kfd_gpreempt_verify;

/* The next generation: never 0, never twice. */
u64 kfd_gpreempt_generation(void);

/*
 * A node, which does not go until it is given back; NULL if there is none. Not under
 * dqm_lock; nothing that waits for a client.
 */
struct device_queue_manager *kfd_gpreempt_node_get(u32 gpu_id);
void kfd_gpreempt_node_put(void);

/* The process of this generation on the node, or NULL; 0 names none. Under dqm_lock. */
struct kfd_process_device *kfd_gpreempt_find(struct device_queue_manager *dqm, u64 process);

/* Only these can be saved, and are switched. */
static inline bool kfd_gpreempt_is_compute(const struct queue *q)
{
	return q->properties.type == KFD_QUEUE_TYPE_COMPUTE;
}

/**
 * struct kfd_gpreempt_backend - how a scheduler mode takes queues off the GPU
 * @mode: KFD_GPREEMPT_MODE_*
 * @out: an active queue was made inactive; NULL = @commit does it
 * @in: an inactive one was made active
 * @commit: after all of them
 */
struct kfd_gpreempt_backend {
	u32 mode;
	int (*out)(struct device_queue_manager *dqm, struct queue *q,
		   struct qcm_process_device *qpd);
	int (*in)(struct device_queue_manager *dqm, struct queue *q,
		  struct qcm_process_device *qpd);
	int (*commit)(struct device_queue_manager *dqm, u32 grace);
};

/* NULL if queues cannot be preempted in this mode. */
const struct kfd_gpreempt_backend *
kfd_gpreempt_backend_of(const struct device_queue_manager *dqm);

/*
 * Clears every hold of a node in one cycle; under dqm_lock. True if there was one. If the node
 * is stale afterwards, it has to be called again.
 */
bool kfd_gpreempt_resume_all(struct device_queue_manager *dqm);

/* Repeats a cycle that failed, if the last one did; under dqm_lock. */
void kfd_gpreempt_repeat(struct device_queue_manager *dqm);

/*
 * A call of the client begins and ends: takes dqm_lock and gives it back. The watchdog does
 * not take a client for silent that is in a call, or was a moment ago.
 */
void kfd_gpreempt_call_begin(struct device_queue_manager *dqm);
void kfd_gpreempt_call_end(struct device_queue_manager *dqm);
/* Tells the client of a fault on armed doorbells. */
void kfd_gpreempt_rang(u32 gpu_id, u64 process);

/* No fault of this process will be told any more; the pages come back by themselves. */
void kfd_gpreempt_slice_disarm(struct kfd_gpreempt_slice *slice);

/* A reference to the doorbells of a process, or NULL; and its end. */
struct kfd_gpreempt_slice *kfd_gpreempt_slice_get(struct kfd_gpreempt_slice *slice);
void kfd_gpreempt_slice_put(struct kfd_gpreempt_slice *slice);

#endif
