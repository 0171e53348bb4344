// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The client of the preemption service: its registration, what it is told, and its nodes.
 * What it may ask is in kfd_gpreempt_query.c, the switch in kfd_gpreempt_switch.c, how
 * queues leave the GPU in kfd_gpreempt_backend.c, doorbells in kfd_gpreempt_doorbell.c.
 *
 * amdkfd frees a queue manager before it takes the node out of its topology, so nodes are
 * not looked up there: they are in a list of our own from the moment they work. A
 * function that uses one holds nodes_sem for reading. One that adds or removes a node, or
 * registers the client, holds it for writing. It is taken before dqm_lock.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>

#include "kfd_priv.h"
#include "kfd_gpreempt_priv.h"

/* How often the last resume is tried, if it fails: for a second. */
#define LAST_TRIES 100
#define LAST_PAUSE_MS 10

static const struct kfd_gpreempt_ops __rcu *client; /* written with nodes_sem */
static DECLARE_RWSEM(nodes_sem);
static LIST_HEAD(nodes);
static atomic64_t last_generation;

bool kfd_gpreempt_verify;

u64 kfd_gpreempt_generation(void)
{
	return atomic64_inc_return(&last_generation);
}

/*
 * Call a member of the client's table, if there is a client. For callers that need no answer;
 * an RCU read section around one call.
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

struct kfd_process_device *kfd_gpreempt_find(struct device_queue_manager *dqm, u64 process)
{
	struct kfd_process_device *pdd = xa_load(&dqm->gpreempt.processes, process);

	/* The dqm forgets a process with its last queue, and its name lasts. */
	return pdd && !list_empty(&pdd->qpd.queues_list) ? pdd : NULL;
}

struct device_queue_manager *kfd_gpreempt_node_get(u32 gpu_id)
{
	struct device_queue_manager *dqm;

	down_read(&nodes_sem);
	list_for_each_entry(dqm, &nodes, gpreempt.link)
		if (dqm->dev->id == gpu_id)
			return dqm;
	up_read(&nodes_sem);
	return NULL;
}

void kfd_gpreempt_node_put(void)
{
	up_read(&nodes_sem);
}

/*
 * A process that has become another program has no memory map here any more, or one that
 * only others still have and may drop at any time: nothing of it can be looked at, and it
 * stays without a name, unknown to the client.
 */
static void name_process(struct device_queue_manager *dqm, struct kfd_process_device *pdd)
{
	struct mm_struct *mm = READ_ONCE(pdd->process->mm);
	struct kfd_gpreempt_pdd *p = &pdd->gpreempt;
	u64 generation;

	if (p->generation || !mm || mm != current->mm)
		return;
	generation = kfd_gpreempt_generation();
	/* Without memory for it, it is unknown until its next queue. */
	if (xa_err(xa_store(&dqm->gpreempt.processes, generation, pdd, GFP_KERNEL)))
		return;
	p->gpu_id = dqm->dev->id;
	p->mm = mm;
	mmgrab(mm);
	/* An interrupt that sees the generation sees the node: kfd_gpreempt_completion(). */
	smp_store_release(&p->generation, generation);
}

void kfd_gpreempt_queue_init(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
			     struct queue *q)
{
	struct kfd_gpreempt_pdd *p = &qpd_to_pdd(qpd)->gpreempt;

	/*
	 * The dqm forgets a process with its last queue, of whatever kind: no call
	 * could resume it since.
	 */
	if (list_empty(&qpd->queues_list) || !dqm->gpreempt.registered)
		p->preempted = false;
	if (!kfd_gpreempt_is_compute(q))
		return;
	name_process(dqm, qpd_to_pdd(qpd));
	if (!p->generation)
		return;
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
	if (p->generation) {
		xa_erase(&dqm->gpreempt.processes, p->generation);
		mmdrop(p->mm);
	}
	p->mm = NULL;
	WRITE_ONCE(p->generation, 0);
	kfd_gpreempt_changed(dqm);
}

void kfd_gpreempt_completion(struct kfd_process *p)
{
	u32 i;

	for (i = 0; i < p->n_pdds; i++) {
		const struct kfd_gpreempt_pdd *pdd = &p->pdds[i]->gpreempt;
		/* Pairs with name_process(). */
		u64 process = smp_load_acquire(&pdd->generation);

		/* Its node may be freed already, if that GPU was removed. */
		if (process)
			tell(completion, pdd->gpu_id, process);
	}
}

void kfd_gpreempt_rang(u32 gpu_id, u64 process)
{
	tell(doorbell, gpu_id, process);
}

/*
 * A reset takes the saved waves with it: nothing is held any more. Queues stay inactive: the
 * reset is about to evict all of them, for good.
 */
static void forget_holds(struct device_queue_manager *dqm)
{
	struct device_process_node *cur;
	struct queue *q;

	dqm_lock(dqm);
	list_for_each_entry(cur, &dqm->queues, list) {
		qpd_to_pdd(cur->qpd)->gpreempt.preempted = false;
		list_for_each_entry(q, &cur->qpd->queues_list, list) {
			q->properties.gpreempt.preempted = 0;
			q->properties.gpreempt.damaged = false;
		}
	}
	dqm->gpreempt.stale = false;
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

void kfd_gpreempt_call_begin(struct device_queue_manager *dqm)
{
	atomic_inc(&dqm->gpreempt.nr_calls);
	dqm_lock(dqm);
}

void kfd_gpreempt_call_end(struct device_queue_manager *dqm)
{
	dqm->gpreempt.heard = jiffies;
	dqm_unlock(dqm);
	atomic_dec(&dqm->gpreempt.nr_calls);
}

/*
 * Whether nothing was heard of the client; under dqm_lock. The watchdog may have waited for a
 * slow call of the client itself, or with the client for another holder of the lock: how long
 * ago it was set off says nothing.
 */
static bool is_silent(const struct device_queue_manager *dqm)
{
	const struct kfd_gpreempt_node *n = &dqm->gpreempt;

	return !atomic_read(&n->nr_calls) &&
	       time_after_eq(jiffies, n->heard + msecs_to_jiffies(KFD_GPREEMPT_WATCHDOG_MS));
}

/* When the client would be silent if nothing more were heard of it. */
static unsigned long rest_of_silence(const struct device_queue_manager *dqm)
{
	unsigned long all = msecs_to_jiffies(KFD_GPREEMPT_WATCHDOG_MS);
	unsigned long passed = jiffies - dqm->gpreempt.heard;

	return passed < all ? all - passed : all;
}

static void watchdog(struct work_struct *work)
{
	struct delayed_work *delayed = to_delayed_work(work);
	struct device_queue_manager *dqm =
		container_of(delayed, struct device_queue_manager, gpreempt.watchdog);
	bool silent, resumed = false;

	dqm_lock(dqm);
	silent = is_silent(dqm);
	if (silent)
		resumed = kfd_gpreempt_resume_all(dqm);
	if ((!silent || dqm->gpreempt.stale) && dqm->gpreempt.registered)
		mod_delayed_work(system_wq, delayed, rest_of_silence(dqm));
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
	dqm->gpreempt.heard = jiffies;
	dqm->gpreempt.registered = true;
	dqm_unlock(dqm);
}

/* The last chance: no later call tries again. A reset that begins meanwhile ends it too. */
static void resume_for_good(struct device_queue_manager *dqm)
{
	u32 tries;

	kfd_gpreempt_resume_all(dqm);
	for (tries = 1; dqm->gpreempt.stale && tries < LAST_TRIES; tries++) {
		dqm_unlock(dqm);
		msleep(LAST_PAUSE_MS);
		dqm_lock(dqm);
		kfd_gpreempt_resume_all(dqm);
	}
	if (dqm->gpreempt.stale)
		dev_warn(dqm->dev->adev->dev, "gpreempt: queues may be missing on the GPU\n");
}

/* The client is told nothing of this node any more, and nothing of it is held. */
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
	resume_for_good(dqm);
	dqm_unlock(dqm);
	cancel_delayed_work_sync(&dqm->gpreempt.watchdog);
}

void kfd_gpreempt_node_added(struct device_queue_manager *dqm)
{
	down_write(&nodes_sem);
	xa_init(&dqm->gpreempt.processes);
	list_add_tail(&dqm->gpreempt.link, &nodes);
	if (rcu_access_pointer(client)) {
		admit(dqm);
		/* It may have been here before. */
		tell(reset, dqm->dev->id, true);
	}
	up_write(&nodes_sem);
}

void kfd_gpreempt_node_removed(struct device_queue_manager *dqm)
{
	bool registered;

	down_write(&nodes_sem);
	/* One that failed to start was never added: all is zero. */
	if (dqm->gpreempt.link.next) {
		list_del(&dqm->gpreempt.link);
		xa_destroy(&dqm->gpreempt.processes);
	}
	dqm_lock(dqm);
	registered = dqm->gpreempt.registered;
	dqm->gpreempt.registered = false;
	dqm_unlock(dqm);
	/* Its memory goes with the node. */
	if (registered)
		cancel_delayed_work_sync(&dqm->gpreempt.watchdog);
	up_write(&nodes_sem);
	if (registered)
		tell(reset, dqm->dev->id, false);
}

static u32 mode_of(const struct device_queue_manager *dqm)
{
	const struct kfd_gpreempt_backend *backend = kfd_gpreempt_backend_of(dqm);

	return backend ? backend->mode : KFD_GPREEMPT_MODE_NONE;
}

/* As pm_calc_rlib_size() counts, but for processes whose queues are all inactive. */
static void describe(struct device_queue_manager *dqm, struct kfd_gpreempt_gpu *gpu)
{
	*gpu = (struct kfd_gpreempt_gpu){ .gpu_id = dqm->dev->id, .mode = mode_of(dqm) };
	if (gpu->mode != KFD_GPREEMPT_MODE_HWS)
		return;
	gpu->max_processes = max(dqm->dev->max_proc_per_quantum, 1U);
	gpu->max_queues = get_cp_queues_num(dqm);
}

int kfd_gpreempt_register(const struct kfd_gpreempt_ops *ops, bool verify,
			  struct kfd_gpreempt_gpu *gpus, u32 *nr)
{
	struct device_queue_manager *dqm;
	u32 room = *nr, found = 0;
	int ret = 0;

	down_write(&nodes_sem);
	if (rcu_access_pointer(client)) {
		ret = -EBUSY;
		goto out;
	}
	kfd_gpreempt_verify = verify;
	rcu_assign_pointer(client, ops);
	list_for_each_entry(dqm, &nodes, gpreempt.link) {
		admit(dqm);
		if (found == room)
			continue;
		describe(dqm, &gpus[found++]);
	}
	*nr = found;
out:
	up_write(&nodes_sem);
	return ret;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_register);

void kfd_gpreempt_unregister(const struct kfd_gpreempt_ops *ops)
{
	struct device_queue_manager *dqm;

	down_write(&nodes_sem);
	if (WARN_ON(rcu_access_pointer(client) != ops))
		goto out;
	list_for_each_entry(dqm, &nodes, gpreempt.link)
		withdraw(dqm);
	rcu_assign_pointer(client, NULL);
	synchronize_rcu();
out:
	up_write(&nodes_sem);
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_unregister);

/* AMD's driver has no version, and DKMS does not replace what has the same. */
MODULE_VERSION("gpreempt-1");
