// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Orders of the scheduler, as amdkfd takes them: a switch names entities of the core, each
 * of which is a process or a group of them.
 */
#include <linux/mm.h>

#include "gpk.h"
#include "gpreempt_trace.h"
#include "kfd_gpreempt.h"

static enum gp_result result_of(int ret)
{
	/* All of it goes on that ever will. */
	return ret == -EBADMSG ? GP_RESULT_OK : gp_act_result(ret);
}

/*
 * References for amdkfd, and which member of the switch each is of. An entity is in it once at
 * most, and there are not more: see entity_add().
 */
struct gpk_batch {
	u32 nr;
	struct {
		struct gpk_entity *e;
		u32 member;
		bool was_out;
	} of[GPK_ENTITIES_MAX];
	struct kfd_gpreempt_ref ref[GPK_ENTITIES_MAX];
};

static_assert(GPK_ENTITIES_MAX >= KFD_GPREEMPT_REFS_MAX);

static void batch_put(struct gpk_batch *b, struct gpk_node *n, struct gpk_entity *e, u32 member,
		      bool out)
{
	bool was_out = e->sched_out;

	e->sched_out = out;
	e->restart |= was_out && !out;
	/* Without work it is armed from now on, see watch_idle(). */
	if (out && !was_out)
		gpk_look_if_idle(n, e);
	if (!out && e->nr_manual)
		return;
	b->ref[b->nr] = (struct kfd_gpreempt_ref){ .process = e->generation };
	b->of[b->nr].e = e;
	b->of[b->nr].was_out = was_out;
	b->of[b->nr++].member = member;
}

static void batch_add(struct gpk_batch *b, struct gpk_node *n, u32 member, bool out)
{
	struct gpk_entity *e;

	n->act.results[member] = GP_RESULT_GONE;
	gpk_for_each_member(e, n, n->act.sw.id[member]) {
		n->act.results[member] = GP_RESULT_OK;
		batch_put(b, n, e, member, out);
	}
}

/*
 * amdkfd does not know this process any more. The process may get a queue again at once, and is
 * listed under the same name then. To the core it is lost for good, so it must come back as
 * another entity.
 */
static void forget_soon(struct gpk_node *n, struct gpk_entity *e)
{
	e->is_lost = true;
	n->resync_ns = 0;
}

/* The worst of a group counts; that one of it is gone says nothing of the others. */
static void batch_results(struct gpk_batch *b, struct gpk_node *n, int ret)
{
	u32 i;

	for (i = 0; i < b->nr; i++) {
		u8 *of_member = &n->act.results[b->of[i].member];
		u8 result;

		if (ret && ret != -EIO)
			b->ref[i].result = ret;
		if (b->ref[i].result == -ESRCH)
			forget_soon(n, b->of[i].e);
		if (b->ref[i].result == -EBADMSG)
			pr_warn_ratelimited("gpreempt: saved state of process %d was altered\n",
					    pid_nr(b->of[i].e->pid));
		result = result_of(b->ref[i].result);
		if (result == GP_RESULT_GONE && gpk_group_is_shared(n, b->of[i].e))
			continue;
		*of_member = max(*of_member, result);
	}
}

/*
 * To the core, an entity that failed is where it was: if one process of a group could not
 * be preempted, all of them run.
 */
static void batch_undo(struct gpk_batch *b, struct gpk_node *n)
{
	u32 i;

	for (i = 0; i < b->nr; i++) {
		struct gpk_entity *e = b->of[i].e;
		bool out = b->of[i].member < n->act.sw.nr_preempt;

		if (n->act.results[b->of[i].member] == GP_RESULT_OK)
			continue;
		e->sched_out = b->of[i].was_out;
		e->restart |= !e->sched_out;
		if (out && !e->sched_out && !b->ref[i].result && !e->nr_manual)
			gpk_switch(n, &b->ref[i], 0, 1, KFD_GPREEMPT_GRACE_DEFAULT);
	}
}

/*
 * Whether something is not where it is to be, and may get there. Nothing else reminds of a
 * resume that failed, or amdkfd makes up for it when the core does not want that any more.
 */
static bool is_unfinished(const struct kfd_gpreempt_ref *in, u32 nr_in, int ret)
{
	u32 i;

	if (ret)
		return ret == -EIO;
	for (i = 0; i < nr_in; i++)
		if (in[i].result && in[i].result != -ESRCH && in[i].result != -EBADMSG)
			return true;
	return false;
}

int gpk_switch(struct gpk_node *n, struct kfd_gpreempt_ref *refs, u32 nr_out, u32 nr_in, u32 grace)
{
	int ret = kfd_gpreempt_switch(n->gpu_id, refs, nr_out, nr_in, grace);

	n->moved = true;
	if (is_unfinished(refs + nr_out, nr_in, ret))
		gpk_resync_later(n);
	return ret;
}

void gpk_switch_do(struct gpk_node *n)
{
	u32 i, nr_out, nr = n->act.sw.nr_preempt + n->act.sw.nr_resume;
	struct gpk_batch *b = n->batch;
	int ret;

	b->nr = 0;
	for (i = 0; i < n->act.sw.nr_preempt; i++)
		batch_add(b, n, i, true);
	nr_out = b->nr;
	for (; i < nr; i++)
		batch_add(b, n, i, false);
	trace_gpreempt_switch_begin(n->gpu_id, n->act.sw.seq, nr_out, b->nr - nr_out);
	ret = gpk_switch(n, b->ref, nr_out, b->nr - nr_out, 0);
	trace_gpreempt_switch_end(n->gpu_id, n->act.sw.seq, ret, 0);
	batch_results(b, n, ret);
	batch_undo(b, n);
}

struct gpk_batch *gpk_batch_alloc(void)
{
	return kvzalloc(sizeof(struct gpk_batch), GFP_KERNEL);
}

struct kfd_gpreempt_ref *gpk_batch_refs(struct gpk_node *n)
{
	return n->batch->ref;
}
