// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How a queue leaves the GPU and comes back, by scheduler mode.
 */
#include <linux/sched/mm.h>

#include "kfd_priv.h"
#include "kfd_mqd_manager.h"
#include "kfd_gpreempt_priv.h"

static int hws_commit(struct device_queue_manager *dqm, u32 grace)
{
	return execute_queues_cpsch(dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0,
				    grace ? grace : USE_DEFAULT_GRACE_PERIOD);
}

static const struct kfd_gpreempt_backend hws_backend = {
	.mode = KFD_GPREEMPT_MODE_HWS, .commit = hws_commit,
};

/* By reading only: no GPU with MES was at hand. */
static const struct kfd_gpreempt_backend mes_backend = {
	.mode = KFD_GPREEMPT_MODE_MES, .out = remove_queue_mes, .in = add_queue_mes,
};

static int slot_out(struct device_queue_manager *dqm, struct queue *q,
		    struct qcm_process_device *qpd)
{
	struct mqd_manager *mqd_mgr = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];

	if (!dqm->sched_running)
		return -EIO;
	return mqd_mgr->destroy_mqd(mqd_mgr, q->mqd,
				    dqm->dev->kfd->cwsr_enabled ?
					    KFD_PREEMPT_TYPE_WAVEFRONT_SAVE :
					    KFD_PREEMPT_TYPE_WAVEFRONT_DRAIN,
				    KFD_UNMAP_LATENCY_MS, q->pipe, q->queue);
}

static int slot_in(struct device_queue_manager *dqm, struct queue *q,
		   struct qcm_process_device *qpd)
{
	struct mqd_manager *mqd_mgr = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];
	/* The thread that opened the device may have ended, and its memory map lives on. */
	struct mm_struct *mm = qpd_to_pdd(qpd)->gpreempt.mm;
	int ret;

	if (!dqm->sched_running)
		return -EIO;
	if (!mm || !mmget_not_zero(mm))
		return -ESRCH;
	ret = mqd_mgr->load_mqd(mqd_mgr, q->mqd, q->pipe, q->queue, &q->properties, mm);
	/* Perhaps the last reference: its release takes dqm_lock. */
	mmput_async(mm);
	return ret;
}

static const struct kfd_gpreempt_backend slot_backend = {
	.mode = KFD_GPREEMPT_MODE_NO_HWS, .out = slot_out, .in = slot_in,
};

const struct kfd_gpreempt_backend *kfd_gpreempt_backend_of(const struct device_queue_manager *dqm)
{
	if (dqm->dev->kfd->shared_resources.enable_mes)
		return &mes_backend;
	switch (dqm->sched_policy) {
	case KFD_SCHED_POLICY_HWS:
		return &hws_backend;
	case KFD_SCHED_POLICY_NO_HWS:
		return &slot_backend;
	default:
		/* Preempted queues leave their slots to new ones: no way back. */
		return NULL;
	}
}
