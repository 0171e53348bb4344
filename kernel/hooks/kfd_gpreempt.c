// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The client of the preemption service: who it is, what it is told, and what it
 * may ask about. The switch is in kfd_gpreempt_switch.c, doorbells are in
 * kfd_gpreempt_doorbell.c.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "kfd_priv.h"
#include "kfd_gpreempt_priv.h"

static const struct kfd_gpreempt_ops __rcu *client;
static DEFINE_MUTEX(client_mutex);
static atomic64_t last_generation;

bool kfd_gpreempt_verify;

u64 kfd_gpreempt_generation(void)
{
	return atomic64_inc_return(&last_generation);
}

/*
 * tell() - call a member of the client's table, if there is a client
 *
 * For callers that need no answer; an RCU read section around one call.
 */
#define tell(member, ...)                                                \
	do {                                                             \
		const struct kfd_gpreempt_ops *ops;                      \
									 \
		rcu_read_lock();                                         \
		ops = rcu_dereference(client);                           \
		if (ops)                                                 \
			ops->member(__VA_ARGS__);                        \
		rcu_read_unlock();                                       \
	} while (0)

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
	return flags;
}

/* Whether waves of this queue, and of others, are on the GPU; @waves NULL: not known. */
static u32 running_flags(const struct queue *q, const struct kfd_cu_occupancy *waves)
{
	u32 i, flags = KFD_GPREEMPT_RUNNING_KNOWN;

	if (!waves)
		return 0;
	for (i = 0; i < AMDGPU_MAX_QUEUES; i++) {
		if (!waves[i].wave_cnt)
			continue;
		if (waves[i].doorbell_off == q->properties.doorbell_off)
			flags |= KFD_GPREEMPT_RUNNING;
		else
			flags |= KFD_GPREEMPT_CROWDED;
	}
	return flags;
}

static void describe(struct kfd_process_device *pdd, const struct queue *q,
		     const struct kfd_cu_occupancy *waves, struct kfd_gpreempt_queue *out)
{
	mmgrab(pdd->gpreempt.mm);
	*out = (struct kfd_gpreempt_queue){
		.process = pdd->gpreempt.generation,
		.queue = q->properties.gpreempt.generation,
		.pid = get_task_pid(pdd->process->lead_thread, PIDTYPE_TGID),
		.mm = pdd->gpreempt.mm,
		.gpu_id = pdd->dev->id,
		.queue_id = q->properties.queue_id,
		.priority = q->properties.priority,
		.flags = queue_flags(q) | running_flags(q, waves),
		.ring_bytes = q->properties.queue_size,
		.ring = q->properties.queue_address,
		.rptr = (uintptr_t)q->properties.read_ptr,
		.wptr = (uintptr_t)q->properties.write_ptr,
	};
}

struct kfd_process_device *kfd_gpreempt_find(struct device_queue_manager *dqm, u64 process)
{
	struct device_process_node *cur;

	list_for_each_entry(cur, &dqm->queues, list) {
		struct kfd_process_device *pdd = qpd_to_pdd(cur->qpd);

		if (pdd->gpreempt.generation == process)
			return pdd;
	}
	return NULL;
}

void kfd_gpreempt_queue_init(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
			     struct queue *q)
{
	struct kfd_gpreempt_pdd *p = &qpd_to_pdd(qpd)->gpreempt;

	if (!kfd_gpreempt_is_compute(q))
		return;
	if (!p->generation) {
		p->generation = kfd_gpreempt_generation();
		p->mm = qpd->pqm->process->mm;
		mmgrab(p->mm);
	}
	/* The dqm forgets a process with its last queue; then nobody could let it go. */
	if (list_empty(&qpd->queues_list))
		p->preempted = false;
	q->properties.gpreempt.generation = kfd_gpreempt_generation();
	q->properties.gpreempt.preempted = p->preempted ? KFD_GPREEMPT_BY_PROCESS : 0;
}

void kfd_gpreempt_changed(struct device_queue_manager *dqm)
{
	if (dqm->gpreempt.registered)
		tell(changed, dqm->dev->id);
}

void kfd_gpreempt_process_removed(struct device_queue_manager *dqm,
				  struct qcm_process_device *qpd)
{
	struct kfd_gpreempt_pdd *p = &qpd_to_pdd(qpd)->gpreempt;

	p->preempted = false;
	if (p->generation)
		mmdrop(p->mm);
	p->mm = NULL;
	WRITE_ONCE(p->generation, 0);
	kfd_gpreempt_changed(dqm);
}

void kfd_gpreempt_completion(struct kfd_process *p)
{
	u32 i;

	for (i = 0; i < p->n_pdds; i++) {
		u64 process = READ_ONCE(p->pdds[i]->gpreempt.generation);

		if (process)
			tell(completion, p->pdds[i]->dev->id, process);
	}
}

void kfd_gpreempt_locked(u32 gpu_id)
{
	tell(locked, gpu_id);
}

void kfd_gpreempt_rang(u32 gpu_id, u64 process)
{
	tell(doorbell, gpu_id, process);
}

/*
 * forget_holds() - a reset takes the saved waves with it: nothing is held any more
 *
 * Queues stay inactive: the reset is about to evict all of them, for good.
 */
static void forget_holds(struct device_queue_manager *dqm)
{
	struct device_process_node *cur;
	struct queue *q;

	dqm_lock(dqm);
	list_for_each_entry(cur, &dqm->queues, list) {
		qpd_to_pdd(cur->qpd)->gpreempt.preempted = false;
		list_for_each_entry(q, &cur->qpd->queues_list, list)
			q->properties.gpreempt.preempted = 0;
	}
	dqm_unlock(dqm);
}

void kfd_gpreempt_reset(struct kfd_dev *kfd, bool done)
{
	u32 i;

	for (i = 0; i < kfd->num_nodes; i++) {
		if (!done)
			forget_holds(kfd->nodes[i]->dqm);
		tell(reset, kfd->nodes[i]->id, done);
	}
}

static void watchdog(struct work_struct *work)
{
	struct delayed_work *delayed = to_delayed_work(work);
	struct device_queue_manager *dqm =
		container_of(delayed, struct device_queue_manager, gpreempt.watchdog);
	bool resumed;

	dqm_lock(dqm);
	resumed = kfd_gpreempt_resume_all(dqm);
	dqm_unlock(dqm);
	if (!resumed)
		return;
	dev_warn(dqm->dev->adev->dev, "gpreempt: the scheduler is silent, all queues resumed\n");
	tell(watchdog, dqm->dev->id);
}

static void admit(struct device_queue_manager *dqm)
{
	dqm_lock(dqm);
	INIT_DELAYED_WORK(&dqm->gpreempt.watchdog, watchdog);
	dqm->gpreempt.registered = true;
	dqm_unlock(dqm);
}

/* Nobody is told anything of this node any more, and nothing of it is held. */
static void withdraw(struct device_queue_manager *dqm)
{
	struct device_process_node *cur;

	dqm_lock(dqm);
	dqm->gpreempt.registered = false;
	list_for_each_entry(cur, &dqm->queues, list) {
		struct kfd_gpreempt_slice *slice =
			kfd_gpreempt_slice_get(qpd_to_pdd(cur->qpd)->gpreempt.slice);

		if (slice)
			kfd_gpreempt_slice_disarm(slice);
		kfd_gpreempt_slice_put(slice);
	}
	kfd_gpreempt_resume_all(dqm);
	dqm_unlock(dqm);
	cancel_delayed_work_sync(&dqm->gpreempt.watchdog);
}

void kfd_gpreempt_node_removed(struct device_queue_manager *dqm)
{
	bool registered;

	dqm_lock(dqm);
	registered = dqm->gpreempt.registered;
	dqm->gpreempt.registered = false;
	dqm_unlock(dqm);
	if (!registered)
		return;
	/* Its memory goes with the node. */
	cancel_delayed_work_sync(&dqm->gpreempt.watchdog);
	tell(reset, dqm->dev->id, false);
}

int kfd_gpreempt_register(const struct kfd_gpreempt_ops *ops, bool verify, u32 *gpu_ids, u32 *nr)
{
	u32 room = *nr, found = 0;
	struct kfd_node *node;
	int ret = 0;
	u8 i;

	mutex_lock(&client_mutex);
	if (rcu_access_pointer(client)) {
		ret = -EBUSY;
		goto out;
	}
	kfd_gpreempt_verify = verify;
	rcu_assign_pointer(client, ops);
	for (i = 0; !kfd_topology_enum_kfd_devices(i, &node); i++) {
		/* A processor's node has no queues. */
		if (!node || found == room)
			continue;
		admit(node->dqm);
		gpu_ids[found++] = node->id;
	}
	*nr = found;
out:
	mutex_unlock(&client_mutex);
	return ret;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_register);

void kfd_gpreempt_unregister(const struct kfd_gpreempt_ops *ops)
{
	struct kfd_node *node;
	u8 i;

	mutex_lock(&client_mutex);
	if (WARN_ON(rcu_access_pointer(client) != ops))
		goto out;
	for (i = 0; !kfd_topology_enum_kfd_devices(i, &node); i++)
		if (node && node->dqm->gpreempt.registered)
			withdraw(node->dqm);
	rcu_assign_pointer(client, NULL);
	synchronize_rcu();
out:
	mutex_unlock(&client_mutex);
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_unregister);

/* Waves on the GPU by queue, for kfree(); NULL if this GPU cannot tell. */
static struct kfd_cu_occupancy *count_waves(struct kfd_node *node)
{
	struct kfd_cu_occupancy *waves;
	int max_waves_per_cu;

	if (!node->kfd2kgd->get_cu_occupancy)
		return NULL;
	waves = kcalloc(AMDGPU_MAX_QUEUES, sizeof(*waves), GFP_KERNEL);
	if (waves)
		node->kfd2kgd->get_cu_occupancy(node->adev, waves, &max_waves_per_cu,
						ffs(node->xcc_mask) - 1);
	return waves;
}

static u32 list_queues(struct device_queue_manager *dqm, u64 process,
		       const struct kfd_cu_occupancy *waves, struct kfd_gpreempt_queue *queues,
		       u32 room)
{
	struct device_process_node *cur;
	struct queue *q;
	u32 found = 0;

	list_for_each_entry(cur, &dqm->queues, list) {
		struct kfd_process_device *pdd = qpd_to_pdd(cur->qpd);

		if (process && pdd->gpreempt.generation != process)
			continue;
		list_for_each_entry(q, &cur->qpd->queues_list, list) {
			if (!kfd_gpreempt_is_compute(q))
				continue;
			if (found < room)
				describe(pdd, q, waves, &queues[found]);
			found++;
		}
	}
	return found;
}

int kfd_gpreempt_query(u32 gpu_id, u64 process, struct kfd_gpreempt_queue *queues, u32 *nr)
{
	struct kfd_node *node = kfd_device_by_id(gpu_id);
	struct kfd_cu_occupancy *waves = NULL;
	struct device_queue_manager *dqm;

	if (!node)
		return -ENODEV;
	dqm = node->dqm;
	if (process)
		waves = count_waves(node);
	dqm_lock(dqm);
	*nr = list_queues(dqm, process, waves, queues, *nr);
	/* The client lives. */
	if (dqm->gpreempt.registered && delayed_work_pending(&dqm->gpreempt.watchdog))
		mod_delayed_work(system_wq, &dqm->gpreempt.watchdog,
				 msecs_to_jiffies(KFD_GPREEMPT_WATCHDOG_MS));
	dqm_unlock(dqm);
	kfree(waves);
	return 0;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_query);
