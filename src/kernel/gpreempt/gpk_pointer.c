// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a process's memory says of its queues. The pointers of a queue, its ring and its
 * signals are read through the process's memory map and never faulted in by the
 * monitor: a worker does that, once in a while. It does not wait for a page either, which may
 * take as long as its owner likes (userfaultfd, a file system in user space). What has to be
 * read from a disk is begun, and there at a later look.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

#define TOUCH_GAP_NS (20 * NSEC_PER_MSEC)

static struct workqueue_struct *touch_wq;

/* Pages of a process that are to be there at the next look. */
struct gpk_touch {
	struct kref ref;	 /* of the entity, and of the work while it is under way */
	struct work_struct work; /* for the worker */
	atomic_t busy;		 /* it is under way */
	struct mm_struct *mm;	 /* whose */
	u64 addr[2];		 /* where */
};

static void touch_release(struct kref *ref)
{
	kfree(container_of(ref, struct gpk_touch, ref));
}

void gpk_touch_put(struct gpk_touch *t)
{
	if (t)
		kref_put(&t->ref, touch_release);
}

/* mmap_lock is held, and stays so: see FAULT_FLAG_RETRY_NOWAIT. */
static void touch_page(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	if (vma && vma->vm_flags & VM_READ)
		handle_mm_fault(vma, addr, FAULT_FLAG_REMOTE | FAULT_FLAG_ALLOW_RETRY |
				FAULT_FLAG_RETRY_NOWAIT, NULL);
}

static void touch_pages(struct work_struct *work)
{
	struct gpk_touch *t = container_of(work, struct gpk_touch, work);
	u32 i;

	if (mmap_read_trylock(t->mm)) {
		for (i = 0; i < ARRAY_SIZE(t->addr); i++)
			touch_page(t->mm, t->addr[i]);
		mmap_read_unlock(t->mm);
	}
	mmput(t->mm);
	atomic_set_release(&t->busy, 0);
	gpk_touch_put(t);
}

static struct gpk_touch *touch_of(struct gpk_entity *e)
{
	struct gpk_touch *t = e->touch;

	if (t)
		return t;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return NULL;
	kref_init(&t->ref);
	INIT_WORK(&t->work, touch_pages);
	e->touch = t;
	return t;
}

/* The memory of @e is in use by the caller. One at a time, or a slow one would collect them. */
static void touch(struct gpk_entity *e, const struct gpk_queue *q)
{
	struct gpk_touch *t = touch_of(e);

	if (!t || atomic_cmpxchg(&t->busy, 0, 1))
		return;
	kref_get(&t->ref);
	mmget(e->mm);
	t->mm = e->mm;
	t->addr[0] = q->wptr;
	t->addr[1] = q->rptr;
	e->touch_ns = ktime_get_ns();
	queue_work(touch_wq, &t->work);
}

int gpk_pointer_init(void)
{
	touch_wq = alloc_workqueue("gpreempt", WQ_UNBOUND, 0);
	return touch_wq ? 0 : -ENOMEM;
}

void gpk_pointer_fini(void)
{
	destroy_workqueue(touch_wq);
}

static int read_user(void *data, u64 addr, void *to, size_t bytes)
{
	const void __user *from = (const void __user *)(uintptr_t)addr;

	return copy_from_user_nofault(to, from, bytes) ? -EFAULT : 0;
}

/* PM4 read pointers wrap with the ring and count dwords; AQL ones do neither. */
static u64 wrap_of(const struct gpk_queue *q)
{
	return q->flags & KFD_GPREEMPT_AQL ? U64_MAX : q->ring_bytes / sizeof(u32) - 1;
}

static enum gp_aql_end end_of(struct gpk_queue *q)
{
	const struct gp_aql_ring ring = {
		.read = read_user, .addr = q->ring, .bytes = q->ring_bytes,
	};

	if (!(q->flags & KFD_GPREEMPT_AQL))
		return GP_AQL_UNKNOWN;
	return gp_aql_end(&ring, gp_idle_mark(&q->idle), q->look.wptr);
}

static void look_at_queue(struct gpk_queue *q, const struct gp_idle_pace *pace)
{
	struct gp_idle_seen *look = &q->look;

	look->is_unread = read_user(NULL, q->wptr, &look->wptr, sizeof(look->wptr)) ||
			  read_user(NULL, q->rptr, &look->rptr, sizeof(look->rptr));
	look->wrap = wrap_of(q);
	if (!look->is_unread)
		q->pending = (look->wptr - look->rptr) & look->wrap;
	q->answer = gp_idle_look(&q->idle, pace, look);
	if (q->answer != GP_IDLE_ASK_END)
		return;
	look->end = end_of(q);
	q->answer = gp_idle_look(&q->idle, pace, look);
}

int gpk_pointer_look(struct gpk_entity *e, const struct gp_idle_pace *pace)
{
	struct mm_struct *mm = e->mm;
	bool may_touch = ktime_get_ns() - e->touch_ns > TOUCH_GAP_NS;
	struct gpk_queue *q;
	int ret = 0;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	kthread_use_mm(mm);
	list_for_each_entry(q, &e->queues, link) {
		look_at_queue(q, pace);
		if (!q->look.is_unread)
			continue;
		/* Not resident: no news until it is. */
		ret = -EAGAIN;
		if (may_touch)
			touch(e, q);
	}
	kthread_unuse_mm(mm);
	/* Perhaps the last user: its teardown is not for this thread. */
	mmput_async(mm);
	return ret;
}
