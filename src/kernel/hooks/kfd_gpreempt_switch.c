// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The switch: some queues leave the GPU, others come back, in one runlist cycle.
 *
 * A queue that is preempted is inactive for a reason of its own, beside eviction,
 * suspension by a debugger and a percentage of zero: a flag in QUEUE_IS_ACTIVE.
 * Whatever else happens to it in the meantime goes on as in the unpatched driver.
 */
#include <linux/siphash.h>

#include "kfd_priv.h"
#include "kfd_mqd_manager.h"
#include "kfd_gpreempt_priv.h"
#include "v9_structs.h"

/*
 * Of what describes the saved waves of an unmapped queue, on all XCCs. The read and write
 * pointers, where the saved waves are, and the part of the control stack that is in use. What a
 * client may change meanwhile (size, priority, CU mask) is left out. The waves themselves are
 * in the client's own memory. Each part is keyed with the digest of what came before. siphash()
 * is in every kernel.
 */
static u64 digest_of(struct device_queue_manager *dqm, const struct queue *q)
{
	struct mqd_manager *mqd_mgr = dqm->mqd_mgrs[KFD_MQD_TYPE_CP];
	u64 stride = mqd_mgr->mqd_stride(mqd_mgr, (struct queue_properties *)&q->properties);
	u32 xcc, nr_xcc = NUM_XCC(dqm->dev->xcc_mask);
	siphash_key_t key = {};

	for (xcc = 0; xcc < nr_xcc; xcc++) {
		const struct v9_mqd *m = q->mqd + stride * xcc;
		const void *stack = (const void *)m + PAGE_SIZE;
		u32 size = min(m->cp_hqd_cntl_stack_size, q->properties.ctl_stack_size);
		u32 offset = min(m->cp_hqd_cntl_stack_offset, size);
		u32 words[] = {
			m->cp_hqd_pq_rptr, m->cp_hqd_pq_wptr_lo, m->cp_hqd_pq_wptr_hi,
			m->cp_hqd_ctx_save_base_addr_lo, m->cp_hqd_ctx_save_base_addr_hi,
			m->cp_hqd_cntl_stack_offset, m->cp_hqd_cntl_stack_size,
			m->cp_hqd_wg_state_offset,
		};

		key.key[0] = siphash(words, sizeof(words), &key);
		key.key[0] = siphash(stack + offset, size - offset, &key);
	}
	return key.key[0];
}

/* Only these have the MQD that digest_of() reads. */
static bool can_verify(const struct device_queue_manager *dqm)
{
	u32 version = KFD_GC_VERSION(dqm->dev);

	return kfd_gpreempt_verify && version >= IP_VERSION(9, 0, 0) &&
	       version < IP_VERSION(10, 0, 0);
}

/*
 * Whether a queue is inactive and nothing keeps it so. So amdkfd leaves a queue that it has
 * reset. Properties are changed a moment before the queue is activated: that looks the same,
 * but not in a process with a reset.
 */
static bool is_stopped(struct qcm_process_device *qpd, const struct queue *q)
{
	return qpd_to_pdd(qpd)->has_reset_queue && !q->properties.is_active &&
	       QUEUE_IS_ACTIVE(q->properties);
}

/* 0: nothing to do; 1: the queue was active; or -errno. */
static int queue_out(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
		     struct queue *q, u8 by)
{
	const struct kfd_gpreempt_backend *backend = kfd_gpreempt_backend_of(dqm);
	struct kfd_gpreempt_state *s = &q->properties.gpreempt;
	bool lost = is_stopped(qpd, q);
	u8 before = s->preempted;
	int ret = 0;

	s->preempted |= by;
	if (before)
		return 0;
	s->lost = lost;
	s->verified = false;
	if (!q->properties.is_active)
		return 0;
	decrement_queue_count(dqm, qpd, q);
	q->properties.is_active = false;
	if (backend->out)
		ret = backend->out(dqm, q, qpd);
	if (!ret)
		return 1;
	/* It is still there. */
	s->preempted = 0;
	q->properties.is_active = true;
	increment_queue_count(dqm, qpd, q);
	return ret;
}

static int queue_in(struct device_queue_manager *dqm, struct qcm_process_device *qpd,
		    struct queue *q, u8 by)
{
	const struct kfd_gpreempt_backend *backend = kfd_gpreempt_backend_of(dqm);
	struct kfd_gpreempt_state *s = &q->properties.gpreempt, before = *s;
	int ret = 0;

	if (!(s->preempted & by))
		return 0;
	if (s->verified && s->digest != digest_of(dqm, q))
		s->damaged = true;
	if (s->damaged)
		return -EBADMSG;
	s->preempted &= ~by;
	if (s->preempted)
		return 0;
	s->verified = false;
	/* Its waves went with a reset, what was saved before does not fit any more. */
	if (s->lost || !QUEUE_IS_ACTIVE(q->properties))
		return 0;
	q->properties.is_active = true;
	increment_queue_count(dqm, qpd, q);
	if (backend->in)
		ret = backend->in(dqm, q, qpd);
	if (!ret)
		return 1;
	/* It is not there. */
	decrement_queue_count(dqm, qpd, q);
	q->properties.is_active = false;
	*s = before;
	return ret;
}

/* Gives the result; @changed: the node has to be told, even if one of several failed. */
static int switch_one(struct device_queue_manager *dqm, const struct kfd_gpreempt_ref *ref,
		      bool out, bool *changed)
{
	struct kfd_process_device *pdd = kfd_gpreempt_find(dqm, ref->process);
	u8 by = ref->queue ? KFD_GPREEMPT_BY_QUEUE : KFD_GPREEMPT_BY_PROCESS;
	int error = 0, found = 0;
	struct queue *q;

	if (!pdd)
		return -ESRCH;
	if (ref->queue == KFD_GPREEMPT_ALL)
		pdd->gpreempt.preempted = out;
	list_for_each_entry(q, &pdd->qpd.queues_list, list) {
		int ret;

		if (!kfd_gpreempt_is_compute(q) ||
		    (ref->queue && ref->queue != q->properties.gpreempt.generation))
			continue;
		found = 1;
		ret = out ? queue_out(dqm, &pdd->qpd, q, by) : queue_in(dqm, &pdd->qpd, q, by);
		*changed |= ret > 0;
		if (ret < 0)
			error = ret;
	}
	return ref->queue && !found ? -ESRCH : error;
}

#define WAS_HELD BIT(0)

/* What has to be known of a reference if its switch fails. */
static u32 look_before(struct device_queue_manager *dqm, const struct kfd_gpreempt_ref *ref)
{
	struct kfd_process_device *pdd = kfd_gpreempt_find(dqm, ref->process);
	struct queue *q;

	if (!pdd)
		return 0;
	if (ref->queue == KFD_GPREEMPT_ALL)
		return pdd->gpreempt.preempted ? WAS_HELD : 0;
	list_for_each_entry(q, &pdd->qpd.queues_list, list)
		if (q->properties.gpreempt.generation == ref->queue &&
		    q->properties.gpreempt.preempted & KFD_GPREEMPT_BY_QUEUE)
			return WAS_HELD;
	return 0;
}

/* Take the digests of what has just been saved. */
static void note_held(struct device_queue_manager *dqm)
{
	struct device_process_node *cur;
	struct queue *q;

	if (!can_verify(dqm))
		return;
	list_for_each_entry(cur, &dqm->queues, list) {
		list_for_each_entry(q, &cur->qpd->queues_list, list) {
			struct kfd_gpreempt_state *s = &q->properties.gpreempt;

			if (!s->preempted || s->damaged || s->verified)
				continue;
			s->digest = digest_of(dqm, q);
			s->verified = true;
		}
	}
}

/*
 * One cycle for all that changed; the unmap is waited for, the map is not. amdkfd's notes of
 * queues that refused are wiped first, so that what is there afterwards is of this cycle. A
 * cycle that failed has to be repeated, as nothing else may come that does: only hardware that
 * does not answer is reset, with all that is there.
 */
static int commit(struct device_queue_manager *dqm, u32 grace)
{
	const struct kfd_gpreempt_backend *backend = kfd_gpreempt_backend_of(dqm);
	int ret = 0;

	if (dqm->detect_hang_info)
		dqm->detect_hang_info[0].queue_address = 0;
	if (backend->commit)
		ret = backend->commit(dqm, grace);
	dqm->gpreempt.stale = ret && ret != -ETIME && !amdgpu_amdkfd_is_fed(dqm->dev->adev);
	return ret;
}

/* Whether a queue was reset in the cycle that has just ended: it refused. */
static bool was_reset(const struct device_queue_manager *dqm, const struct queue *q)
{
	u32 i, nr = dqm->detect_hang_info_size / sizeof(*dqm->detect_hang_info);

	if (!dqm->detect_hang_info)
		return false;
	for (i = 0; i < nr && dqm->detect_hang_info[i].queue_address; i++)
		if (dqm->detect_hang_info[i].queue_address == q->properties.queue_address)
			return true;
	return false;
}

/*
 * Whether the cycle did not work for a reference. A queue that refuses is reset within the
 * cycle, which does not fail: its process is marked, and an active queue is made inactive;
 * those that are about to leave are inactive already.
 */
static void find_failed(struct device_queue_manager *dqm, struct kfd_gpreempt_ref *ref, int ret)
{
	struct kfd_process_device *pdd;
	struct queue *q;

	if (ref->result)
		return;
	if (ret) {
		ref->result = -EIO;
		return;
	}
	pdd = kfd_gpreempt_find(dqm, ref->process);
	if (!pdd->has_reset_queue)
		return;
	list_for_each_entry(q, &pdd->qpd.queues_list, list) {
		if (!kfd_gpreempt_is_compute(q) || !was_reset(dqm, q) ||
		    (ref->queue && ref->queue != q->properties.gpreempt.generation))
			continue;
		q->properties.gpreempt.lost = true;
		ref->result = -EIO;
	}
}

/*
 * What could not be preempted is not: the client takes it for running. Of a process with a
 * queue that was reset, the other queues come back.
 */
static bool undo_failed(struct device_queue_manager *dqm, struct kfd_gpreempt_ref *refs, u32 nr_out)
{
	bool changed = false;
	u32 i;

	for (i = 0; i < nr_out; i++)
		if (refs[i].result && !(refs[i].was & WAS_HELD))
			switch_one(dqm, &refs[i], false, &changed);
	return changed;
}

void kfd_gpreempt_repeat(struct device_queue_manager *dqm)
{
	if (dqm->gpreempt.stale)
		commit(dqm, 0);
}

bool kfd_gpreempt_resume_all(struct device_queue_manager *dqm)
{
	struct device_process_node *cur;
	int changed = 0, failed = 0, held = 0;
	struct queue *q;

	if (!kfd_gpreempt_backend_of(dqm))
		return false;
	list_for_each_entry(cur, &dqm->queues, list) {
		held |= qpd_to_pdd(cur->qpd)->gpreempt.preempted;
		qpd_to_pdd(cur->qpd)->gpreempt.preempted = false;
		list_for_each_entry(q, &cur->qpd->queues_list, list) {
			u8 was = q->properties.gpreempt.preempted;
			int ret;

			if (q->properties.gpreempt.damaged)
				continue;
			/* A queue that is resumed for good is not verified. */
			q->properties.gpreempt.verified = false;
			ret = queue_in(dqm, cur->qpd, q, 0xff);
			changed |= ret > 0;
			failed |= ret < 0;
			held |= ret < 0 ? 0 : was;
		}
	}
	if (changed || dqm->gpreempt.stale)
		commit(dqm, 0);
	dqm->gpreempt.stale |= failed;
	return held;
}

int kfd_gpreempt_switch(u32 gpu_id, struct kfd_gpreempt_ref *refs, u32 nr_out, u32 nr_in,
			u32 grace)
{
	u32 i, nr = nr_out + nr_in;
	struct device_queue_manager *dqm;
	bool changed;
	int ret = 0;

	if (nr_out > KFD_GPREEMPT_REFS_MAX || nr_in > KFD_GPREEMPT_REFS_MAX || grace > 255)
		return -EINVAL;
	dqm = kfd_gpreempt_node_get(gpu_id);
	if (!dqm)
		return -ENODEV;
	kfd_gpreempt_call_begin(dqm);
	if (!dqm->gpreempt.registered || !kfd_gpreempt_backend_of(dqm)) {
		ret = kfd_gpreempt_backend_of(dqm) ? -EINVAL : -EOPNOTSUPP;
		goto out;
	}
	changed = dqm->gpreempt.stale;
	for (i = 0; i < nr; i++) {
		refs[i].was = look_before(dqm, &refs[i]);
		refs[i].result = switch_one(dqm, &refs[i], i < nr_out, &changed);
	}
	if (changed) {
		ret = commit(dqm, grace) ? -EIO : 0;
		for (i = 0; i < nr; i++)
			find_failed(dqm, &refs[i], ret);
	}
	/* Hardware that is about to be reset is not asked again. */
	if (undo_failed(dqm, refs, nr_out) && !ret)
		ret = commit(dqm, 0) ? -EIO : 0;
	if (!ret)
		note_held(dqm);
	/* If nothing is held any more, it finds that out when the client is silent. */
	if (nr_out || dqm->gpreempt.stale)
		mod_delayed_work(system_wq, &dqm->gpreempt.watchdog,
				 msecs_to_jiffies(KFD_GPREEMPT_WATCHDOG_MS));
out:
	kfd_gpreempt_call_end(dqm);
	kfd_gpreempt_node_put();
	return ret;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_switch);
