// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the client may ask: the compute queues of a node, and whether they run.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "amdgpu_reset.h"
#include "kfd_priv.h"
#include "kfd_gpreempt_priv.h"

static u32 queue_flags(const struct queue *q)
{
	const struct queue_properties *p = &q->properties;
	u32 flags = 0;

	if (p->format == KFD_QUEUE_FORMAT_AQL)
		flags |= KFD_GPREEMPT_AQL;
	if (p->is_active)
		flags |= KFD_GPREEMPT_ACTIVE;
	if (p->gpreempt.preempted)
		flags |= KFD_GPREEMPT_PREEMPTED;
	if (p->is_evicted)
		flags |= KFD_GPREEMPT_EVICTED;
	if (p->is_suspended)
		flags |= KFD_GPREEMPT_SUSPENDED;
	if (p->gpreempt.damaged)
		flags |= KFD_GPREEMPT_DAMAGED;
	return flags;
}

/* On the GPU, by queue slot. */
struct waves {
	bool known;		       /* the hardware was asked */
	u32 nr;			       /* slots with waves, of all XCCs */
	struct kfd_cu_occupancy *slot; /* how many, and of whom; for kfree() */
};

/* Only what has waves stays: it is compared with every queue. */
static void drop_empty(struct waves *w, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (w->slot[i].wave_cnt)
			w->slot[w->nr++] = w->slot[i];
}

/*
 * Of all XCCs: a packet's last workgroups may be on any of them. Not of hardware that is being
 * reset, sleeps, or is stopped. A GPU may be unable to tell.
 */
static void read_waves(struct kfd_node *node, struct waves *w)
{
	struct amdgpu_device *adev = node->adev;
	int xcc, max_waves_per_cu;
	u32 nr = 0;

	if (!node->kfd2kgd->get_cu_occupancy)
		return;
	w->slot = kcalloc(NUM_XCC(node->xcc_mask) * AMDGPU_MAX_QUEUES, sizeof(*w->slot),
			  GFP_KERNEL);
	if (!w->slot || !down_read_trylock(&adev->reset_domain->sem))
		return;
	if (!READ_ONCE(node->dqm->sched_running) || READ_ONCE(adev->in_suspend))
		goto out;
	for_each_inst(xcc, node->xcc_mask) {
		node->kfd2kgd->get_cu_occupancy(adev, w->slot + nr, &max_waves_per_cu, xcc);
		nr += AMDGPU_MAX_QUEUES;
	}
	drop_empty(w, nr);
	w->known = true;
out:
	up_read(&adev->reset_domain->sem);
}

/* Whether waves of this queue, and of others, are on the GPU. */
static u32 running_flags(const struct queue *q, const struct waves *w)
{
	u32 i, flags = w->known ? KFD_GPREEMPT_RUNNING_KNOWN : 0;

	for (i = 0; i < w->nr; i++)
		if (w->slot[i].doorbell_off == q->properties.doorbell_off)
			flags |= KFD_GPREEMPT_RUNNING;
		else
			flags |= KFD_GPREEMPT_CROWDED;
	return flags;
}

static void describe(struct kfd_process_device *pdd, const struct queue *q,
		     const struct waves *waves, struct kfd_gpreempt_queue *out)
{
	mmgrab(pdd->gpreempt.mm);
	*out = (struct kfd_gpreempt_queue){
		.process = pdd->gpreempt.generation,
		.queue = q->properties.gpreempt.generation,
		.pid = get_task_pid(pdd->process->lead_thread, PIDTYPE_TGID),
		.mm = pdd->gpreempt.mm,
		.queue_id = q->properties.queue_id,
		.flags = queue_flags(q) | running_flags(q, waves),
		.ring_bytes = q->properties.queue_size,
		.ring = q->properties.queue_address,
		.rptr = (uintptr_t)q->properties.read_ptr,
		.wptr = (uintptr_t)q->properties.write_ptr,
	};
}

/* Puts the queues of a process behind the @found there are. Return: how many there are then. */
static u32 list_process(struct kfd_process_device *pdd, const struct waves *waves,
			struct kfd_gpreempt_queue *queues, u32 room, u32 found)
{
	struct queue *q;

	list_for_each_entry(q, &pdd->qpd.queues_list, list) {
		if (!kfd_gpreempt_is_compute(q))
			continue;
		if (found < room)
			describe(pdd, q, waves, &queues[found]);
		found++;
	}
	return found;
}

static u32 list_queues(struct device_queue_manager *dqm, u64 process,
		       const struct waves *waves, struct kfd_gpreempt_queue *queues,
		       u32 room)
{
	struct kfd_process_device *pdd = kfd_gpreempt_find(dqm, process);
	struct device_process_node *cur;
	u32 found = 0;

	if (process && process != KFD_GPREEMPT_EVERY)
		return pdd ? list_process(pdd, waves, queues, room, 0) : 0;
	list_for_each_entry(cur, &dqm->queues, list) {
		pdd = qpd_to_pdd(cur->qpd);
		if (pdd->gpreempt.generation)
			found = list_process(pdd, waves, queues, room, found);
	}
	return found;
}

int kfd_gpreempt_query(u32 gpu_id, u64 process, struct kfd_gpreempt_queue *queues, u32 *nr)
{
	struct device_queue_manager *dqm = kfd_gpreempt_node_get(gpu_id);
	struct waves waves = {};

	if (!dqm)
		return -ENODEV;
	if (process && *nr)
		read_waves(dqm->dev, &waves);
	kfd_gpreempt_call_begin(dqm);
	/* As long as the client asks, the watchdog does not. */
	kfd_gpreempt_repeat(dqm);
	*nr = list_queues(dqm, process, &waves, queues, *nr);
	kfd_gpreempt_call_end(dqm);
	kfd_gpreempt_node_put();
	kfree(waves.slot);
	return 0;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_query);
