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
 * struct touch - a page of a process that is to be there at the next look
 * @work: for the worker
 * @mm: whose
 * @addr: where
 */
struct touch {
	struct work_struct work;
	struct mm_struct *mm;
	u64 addr;
};

static void touch_page(struct work_struct *work)
{
	struct touch *t = container_of(work, struct touch, work);

	kthread_use_mm(t->mm);
	if (fault_in_readable((char __user *)(uintptr_t)t->addr, sizeof(u64)))
		pr_debug("gpreempt: no pointer at %llx\n", t->addr);
	kthread_unuse_mm(t->mm);
	mmput(t->mm);
	kfree(t);
}

/* @mm is in use by the caller. */
static void touch(struct mm_struct *mm, u64 addr)
{
	struct touch *t = kmalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	INIT_WORK(&t->work, touch_page);
	mmget(mm);
	t->mm = mm;
	t->addr = addr;
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

	if (!(q->flags & KFD_GPREEMPT_AQL) || !wptr || gpk_mutation == 2)
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

bool gpk_pointer_read(struct gpk_entity *e)
{
	struct mm_struct *mm = e->mm;
	bool may_touch = ktime_get_ns() - e->touch_ns > TOUCH_GAP_NS;
	struct gpk_queue *q;

	if (!mmget_not_zero(mm))
		return false;
	kthread_use_mm(mm);
	list_for_each_entry(q, &e->queues, link) {
		if (read_queue(e, q) || !may_touch)
			continue;
		/* Not resident: no news until it is. */
		touch(mm, q->wptr);
		touch(mm, q->rptr);
		e->touch_ns = ktime_get_ns();
	}
	kthread_unuse_mm(mm);
	/* Perhaps the last user: its teardown is not for this thread. */
	mmput_async(mm);
	return true;
}
