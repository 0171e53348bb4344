// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory of processes on the GPU. The kernel may take pages away at any time; it
 * says so first, through an MMU notifier. As amdgpu_amdkfd_gpuvm.c does it: the
 * first notice stops all queues of the process (kgd2kfd_quiesce_mm), the pages are
 * given back, and a worker takes the new ones and lets the queues go on. What is not
 * mapped any more by then stays without pages; the GPU faults if it touches it.
 *
 * A notice comes with mmap_lock held. Stopping the queues waits for the simulated
 * firmware, which never takes that lock.
 */
#include "kfdsim.h"

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>

#include "kfd_priv.h"

#define RESTORE_DELAY_MS 1	/* AMDGPU_USERPTR_RESTORE_DELAY_MS */

/* One per userptr BO. Lists and flags under info->notifier_lock. */
struct kfdsim_userptr {
	struct mmu_interval_notifier notifier;
	struct kfdsim_bo *bo;
	struct amdkfd_process_info *info;
	struct list_head node;	/* in info->userptr_valid_list or _inval_list */
	unsigned long addr;
};

static void set_away(struct kfdsim_bo *bo, bool is_away)
{
	guard(write_lock)(&kfdsim_vm_lock);
	bo->is_away = is_away;
	if (is_away)
		kfdsim_vm_outdate(bo->userptr->info);
}

/* An access that has begun comes to its end first; there are no others. */
static void drop_pages(struct kfdsim_bo *bo)
{
	unsigned long i;

	set_away(bo, true);
	kfdsim_vm_drain(bo->userptr->info);
	for (i = 0; i < bo->nr_pages; i++) {
		if (bo->pages[i])
			unpin_user_page(bo->pages[i]);
		WRITE_ONCE(bo->pages[i], NULL);
	}
}

static bool on_notice(struct mmu_interval_notifier *notifier,
		      const struct mmu_notifier_range *range, unsigned long seq)
{
	struct kfdsim_userptr *u = container_of(notifier, struct kfdsim_userptr, notifier);
	struct amdkfd_process_info *info = u->info;

	if (!mmu_notifier_range_blockable(range))
		return false;
	guard(mutex)(&info->notifier_lock);
	mmu_interval_set_seq(notifier, seq);
	list_move_tail(&u->node, &info->userptr_inval_list);
	if (++info->evicted_bos == 1) {
		/*
		 * May fail: the firmware hangs, or the process is being taken apart. A queue
		 * that goes on finds no memory then.
		 */
		kgd2kfd_quiesce_mm(notifier->mm, KFD_QUEUE_EVICTION_TRIGGER_USERPTR);
		queue_delayed_work(system_freezable_wq, &info->restore_userptr_work,
				   msecs_to_jiffies(RESTORE_DELAY_MS));
	}
	drop_pages(u->bo);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = { .invalidate = on_notice };

/* Pages into @pages, which has room for all; none of them if not all are there. */
static int pin(struct mm_struct *mm, struct kfdsim_userptr *u, struct page **pages)
{
	unsigned long nr = u->bo->nr_pages;
	long n;

	mmap_read_lock(mm);
	n = pin_user_pages_remote(mm, u->addr, nr, FOLL_WRITE, pages, NULL);
	mmap_read_unlock(mm);
	if (n == nr)
		return 0;
	if (n > 0)
		unpin_user_pages(pages, n);
	return n < 0 ? n : -EFAULT;
}

/* Return: 0, -EAGAIN the pages changed meanwhile, or why there are none. */
static int refill(struct mm_struct *mm, struct kfdsim_userptr *u)
{
	unsigned long seq = mmu_interval_read_begin(&u->notifier);
	struct page **pages = kvcalloc(u->bo->nr_pages, sizeof(*pages), GFP_KERNEL);
	int r;

	if (!pages)
		return -ENOMEM;
	r = pin(mm, u, pages);
	if (r)
		goto out;
	mutex_lock(&u->info->notifier_lock);
	if (mmu_interval_read_retry(&u->notifier, seq)) {
		r = -EAGAIN;
	} else {
		drop_pages(u->bo);
		memcpy(u->bo->pages, pages, u->bo->nr_pages * sizeof(*pages));
		set_away(u->bo, false);
	}
	mutex_unlock(&u->info->notifier_lock);
	if (r)
		unpin_user_pages(pages, u->bo->nr_pages);
out:
	kvfree(pages);
	return r;
}

static struct kfdsim_userptr *first_invalid(struct amdkfd_process_info *info)
{
	struct kfdsim_userptr *u;

	guard(mutex)(&info->notifier_lock);
	u = list_first_entry_or_null(&info->userptr_inval_list, struct kfdsim_userptr, node);
	if (u)
		list_move_tail(&u->node, &info->userptr_valid_list);
	return u;
}

/* info->lock keeps the BOs; it is not held where a notice may wait for it. */
static int refill_all(struct mm_struct *mm, struct amdkfd_process_info *info)
{
	struct kfdsim_userptr *u;
	int r = 0;

	guard(mutex)(&info->lock);
	/* Filling may itself cause a notice (a zero page is replaced): then try again. */
	while (r != -ENOMEM && (u = first_invalid(info)))
		r = refill(mm, u);
	return r == -ENOMEM ? r : 0;
}

static void restore(struct work_struct *work)
{
	struct amdkfd_process_info *info =
		container_of(work, struct amdkfd_process_info, restore_userptr_work.work);
	struct task_struct *task = get_pid_task(info->pid, PIDTYPE_PID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;
	u32 evicted = READ_ONCE(info->evicted_bos);
	bool is_done = false;

	if (!mm)
		goto out;
	if (evicted && !refill_all(mm, info)) {
		mutex_lock(&info->notifier_lock);
		is_done = info->evicted_bos == evicted && list_empty(&info->userptr_inval_list);
		if (is_done)
			info->evicted_bos = 0;
		mutex_unlock(&info->notifier_lock);
	}
	if (is_done)
		kgd2kfd_resume_mm(mm);
	else if (evicted)
		queue_delayed_work(system_freezable_wq, &info->restore_userptr_work,
				   msecs_to_jiffies(RESTORE_DELAY_MS));
	mmput(mm);
out:
	if (task)
		put_task_struct(task);
}

void kfdsim_userptr_init(struct amdkfd_process_info *info)
{
	INIT_LIST_HEAD(&info->userptr_valid_list);
	INIT_LIST_HEAD(&info->userptr_inval_list);
	INIT_DELAYED_WORK(&info->restore_userptr_work, restore);
}

void kfdsim_userptr_fini(struct amdkfd_process_info *info)
{
	cancel_delayed_work_sync(&info->restore_userptr_work);
}

/* The worker does not find it any more; no notice comes. */
static void unlist(struct kfdsim_userptr *u)
{
	guard(mutex)(&u->info->lock);
	guard(mutex)(&u->info->notifier_lock);
	list_del(&u->node);
}

/* Let a new BO be memory of the calling process. -EFAULT: not all of it is mapped at @addr. */
int kfdsim_userptr_add(struct kfdsim_bo *bo, struct amdkfd_process_info *info, unsigned long addr)
{
	struct kfdsim_userptr *u = kzalloc(sizeof(*u), GFP_KERNEL);
	int r;

	if (!u)
		return -ENOMEM;
	u->bo = bo;
	u->info = info;
	u->addr = untagged_addr(addr);
	bo->is_borrowed = true;
	bo->userptr = u;
	/* The first notice may come before the next call has returned. */
	scoped_guard(mutex, &info->notifier_lock)
		list_add_tail(&u->node, &info->userptr_valid_list);
	r = mmu_interval_notifier_insert(&u->notifier, current->mm, u->addr,
					 bo->nr_pages << PAGE_SHIFT, &notifier_ops);
	if (r) {
		unlist(u);
		bo->userptr = NULL;
		kfree(u);
		return r;
	}
	do {
		r = refill(current->mm, u);
	} while (r == -EAGAIN);
	/* The caller gives the BO up, which ends the rest. */
	return r;
}

/* Before the process_info goes: when amdkfd frees the memory. */
void kfdsim_userptr_remove(struct kfdsim_bo *bo)
{
	struct kfdsim_userptr *u = bo->userptr;

	if (!u)
		return;
	mmu_interval_notifier_remove(&u->notifier);
	unlist(u);
	drop_pages(bo);
	bo->userptr = NULL;
	kfree(u);
}
