// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a process's memory says of its queues. The pointers of a queue, its ring and its
 * signals are read through the process's memory map and never faulted in by the
 * monitor, as a fault may take as long as its owner likes: a worker does that, once in
 * a while.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

#define TOUCH_GAP_NS (20 * NSEC_PER_MSEC)

/* AQL packets of every type end with the handle of their completion signal. */
#define PACKET_BYTES 64
#define PACKET_SIGNAL 56
/* amd_signal_t: counts down from one. */
#define SIGNAL_VALUE 8

static struct workqueue_struct *touch_wq;

/**
 * struct gpk_touch - pages of a process that are to be there at the next look
 * @ref: of the entity, and of the work while it is under way
 * @work: for the worker
 * @busy: it is under way: its owner decides how long a fault takes
 * @mm: whose
 * @addr: where
 */
struct gpk_touch {
	struct kref ref;
	struct work_struct work;
	atomic_t busy;
	struct mm_struct *mm;
	u64 addr[2];
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

static void touch_pages(struct work_struct *work)
{
	struct gpk_touch *t = container_of(work, struct gpk_touch, work);
	u32 i;

	kthread_use_mm(t->mm);
	for (i = 0; i < ARRAY_SIZE(t->addr); i++)
		if (fault_in_readable((char __user *)(uintptr_t)t->addr[i], sizeof(u64)))
			pr_debug("gpreempt: no pointer at %llx\n", t->addr[i]);
	kthread_unuse_mm(t->mm);
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

static bool read_word(u64 addr, u64 *value)
{
	return !copy_from_user_nofault(value, (const void __user *)(uintptr_t)addr, sizeof(*value));
}

/* PM4 read pointers wrap with the ring and count dwords; AQL ones do neither. */
static u64 pending_of(const struct gpk_queue *q, u64 rptr, u64 wptr)
{
	if (q->flags & KFD_GPREEMPT_AQL)
		return wptr - rptr;
	return (wptr - rptr) & (q->ring_bytes / sizeof(u32) - 1);
}

/* Of the packet before @wptr. It is consumed, and stays in its slot until the ring is full. */
static enum gpk_signal last_signal(const struct gpk_queue *q, u64 wptr)
{
	u64 slot, signal, value;

	if (!(q->flags & KFD_GPREEMPT_AQL) || !wptr)
		return GPK_SIGNAL_NONE;
	slot = (wptr - 1) & (q->ring_bytes / PACKET_BYTES - 1);
	if (!read_word(q->ring + slot * PACKET_BYTES + PACKET_SIGNAL, &signal) || !signal)
		return GPK_SIGNAL_NONE;
	if (!read_word(signal + SIGNAL_VALUE, &value))
		return GPK_SIGNAL_NONE;
	return (s64)value > 0 ? GPK_SIGNAL_OPEN : GPK_SIGNAL_DONE;
}

/* Something was submitted: nothing that was seen before says that it is done. */
static void note_work(struct gpk_entity *e, struct gpk_queue *q)
{
	q->quiet = 0;
	q->work_ns = ktime_get_ns();
	q->seen_ns = q->work_ns;
	e->completed = false;
}

static bool read_queue(struct gpk_entity *e, struct gpk_queue *q)
{
	u64 rptr, wptr;

	if (!read_word(q->wptr, &wptr) || !read_word(q->rptr, &rptr))
		return false;
	q->pending = pending_of(q, rptr, wptr);
	if (wptr != q->wptr_seen)
		note_work(e, q);
	q->wptr_seen = wptr;
	q->signal = q->work_ns && !q->pending ? last_signal(q, wptr) : GPK_SIGNAL_NONE;
	return true;
}

int gpk_pointer_read(struct gpk_entity *e)
{
	struct mm_struct *mm = e->mm;
	bool may_touch = ktime_get_ns() - e->touch_ns > TOUCH_GAP_NS;
	struct gpk_queue *q;
	int ret = 0;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	kthread_use_mm(mm);
	list_for_each_entry(q, &e->queues, link) {
		if (read_queue(e, q))
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
