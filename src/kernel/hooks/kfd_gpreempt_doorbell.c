// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Armed doorbells: the first store to an idle process's doorbells is a page fault.
 *
 * The doorbells of a process on a node, its slice, are two pages mapped lazily. To
 * arm is to take the pages out of the page tables; the store that follows faults,
 * finds the pages mapped again, and is repeated: no store is lost, and all
 * later ones cost nothing.
 *
 * The order that loses no wake-up. Fault: insert all pages, then clear armed; the
 * fault that cleared it wakes. Arm: set armed, take the pages out, and after that the caller
 * looks at the write pointers, which a client writes before it rings. A store before
 * the pages went is seen by that look, a store after it faults.
 *
 * A slice outlives its pdd, as a mapping may: a mapping made through an inherited file
 * keeps another process alive and not this one.
 *
 * Mappings are remembered by address and looked up again to arm. munmap() frees the page
 * tables of a mapping and closes it with mmap_lock held for reading only: a mapping
 * that is still remembered may be on its way out, one that is found is not.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "kfd_priv.h"
#include "kfd_gpreempt_priv.h"

#define SLICE_MAPPINGS 8
/* From a fault to the next arming: else the page goes before the store is repeated. */
#define SLICE_GAP_NS (1 * NSEC_PER_MSEC)

/* The doorbells of a process on a node. */
struct kfd_gpreempt_slice {
	struct kref ref;		    /* the pdd's, each mapping's, an arming call's */
	struct mm_struct *mm;		    /* memory map they are mapped in; grabbed, not used */
	unsigned long pfn;		    /* first page */
	u32 nr_pages;			    /* pages */
	u32 gpu_id;			    /* node */
	u64 process;			    /* generation; written when the client asks */
	spinlock_t lock;		    /* protects @addr and @nr_addrs */
	unsigned long addr[SLICE_MAPPINGS]; /* where they are mapped, or were a moment ago */
	u32 nr_addrs;			    /* how many */
	bool eager;			    /* mapped for good; mmap_lock */
	bool dead;			    /* another process has them: nothing may be mapped */
	atomic_t armed;			    /* 1 = the next fault tells the client */
	u64 fault_ns;			    /* when it last did */
};

static void slice_release(struct kref *ref)
{
	struct kfd_gpreempt_slice *s = container_of(ref, struct kfd_gpreempt_slice, ref);

	mmdrop(s->mm);
	kfree(s);
}

struct kfd_gpreempt_slice *kfd_gpreempt_slice_get(struct kfd_gpreempt_slice *s)
{
	if (s)
		kref_get(&s->ref);
	return s;
}

void kfd_gpreempt_slice_put(struct kfd_gpreempt_slice *s)
{
	if (s)
		kref_put(&s->ref, slice_release);
}

void kfd_gpreempt_slice_disarm(struct kfd_gpreempt_slice *s)
{
	atomic_set(&s->armed, 0);
}

static bool take_armed(struct kfd_gpreempt_slice *s)
{
	return atomic_xchg(&s->armed, 0);
}

static void slice_rang(struct kfd_gpreempt_slice *s)
{
	WRITE_ONCE(s->fault_ns, ktime_get_ns());
	kfd_gpreempt_rang(s->gpu_id, READ_ONCE(s->process));
}

static vm_fault_t doorbell_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct kfd_gpreempt_slice *s = vma->vm_private_data;
	vm_fault_t ret = VM_FAULT_NOPAGE;
	u32 i;

	if (!s || READ_ONCE(s->dead))
		return VM_FAULT_SIGBUS;
	/* As io_remap_pfn_range(): a BAR is not encrypted memory. */
	for (i = 0; i < s->nr_pages && ret == VM_FAULT_NOPAGE; i++)
		ret = vmf_insert_pfn_prot(vma, vma->vm_start + i * PAGE_SIZE, s->pfn + i,
					  pgprot_decrypted(vma->vm_page_prot));
	if (take_armed(s))
		slice_rang(s);
	return ret;
}

/* A copy of the mapping: there is none after a fork, and a move fails. */
static void doorbell_open(struct vm_area_struct *vma)
{
	vma->vm_private_data = NULL;
}

static void doorbell_close(struct vm_area_struct *vma)
{
	struct kfd_gpreempt_slice *s = vma->vm_private_data;
	u32 i;

	if (!s)
		return;
	spin_lock(&s->lock);
	for (i = 0; i < s->nr_addrs; i++)
		if (s->addr[i] == vma->vm_start) {
			s->addr[i] = s->addr[--s->nr_addrs];
			break;
		}
	spin_unlock(&s->lock);
	vma->vm_private_data = NULL;
	kfd_gpreempt_slice_put(s);
}

static int doorbell_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int doorbell_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.open = doorbell_open,
	.close = doorbell_close,
	.may_split = doorbell_may_split,
	.mremap = doorbell_mremap,
	.fault = doorbell_fault,
};

static struct kfd_gpreempt_slice *slice_of(struct kfd_process_device *pdd, phys_addr_t address,
					   struct mm_struct *mm)
{
	struct kfd_gpreempt_slice *s = pdd->gpreempt.slice;

	if (s)
		return s;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return NULL;
	kref_init(&s->ref);
	spin_lock_init(&s->lock);
	mmgrab(mm);
	s->mm = mm;
	s->pfn = address >> PAGE_SHIFT;
	s->nr_pages = kfd_doorbell_process_slice(pdd->dev->kfd) >> PAGE_SHIFT;
	s->gpu_id = pdd->dev->id;
	/* Seen by the client's calls, which hold dqm_lock. */
	smp_store_release(&pdd->gpreempt.slice, s);
	return s;
}

/* False if there are too many mappings. */
static bool slice_remember(struct kfd_gpreempt_slice *s, unsigned long addr)
{
	bool fits;

	spin_lock(&s->lock);
	fits = s->nr_addrs < SLICE_MAPPINGS;
	if (fits)
		s->addr[s->nr_addrs++] = addr;
	spin_unlock(&s->lock);
	return fits;
}

bool kfd_gpreempt_doorbell_mmap(struct kfd_process_device *pdd, struct vm_area_struct *vma,
				phys_addr_t address)
{
	struct kfd_gpreempt_slice *s = slice_of(pdd, address, vma->vm_mm);

	if (!s)
		return false;
	/* Pages of a private mapping cannot be inserted by a fault. */
	if (s->mm != vma->vm_mm || is_cow_mapping(vma->vm_flags) ||
	    !slice_remember(s, vma->vm_start)) {
		s->eager = true;
		/* From now on a store may come without a fault: the client has to look. */
		if (take_armed(s))
			slice_rang(s);
		return false;
	}
	vma->vm_private_data = kfd_gpreempt_slice_get(s);
	vma->vm_ops = &doorbell_vm_ops;
	return true;
}

void kfd_gpreempt_doorbell_free(struct kfd_process_device *pdd)
{
	struct kfd_gpreempt_slice *s = pdd->gpreempt.slice;

	if (!s)
		return;
	pdd->gpreempt.slice = NULL;
	WRITE_ONCE(s->dead, true);
	kfd_gpreempt_slice_disarm(s);
	kfd_gpreempt_slice_put(s);
}

/* mmap_lock is held: a mapping that is found stays, and none is added. */
static u32 slice_mappings(struct kfd_gpreempt_slice *s, struct vm_area_struct **vmas)
{
	unsigned long addr[SLICE_MAPPINGS];
	u32 i, nr, found = 0;

	spin_lock(&s->lock);
	nr = s->nr_addrs;
	memcpy(addr, s->addr, sizeof(addr));
	spin_unlock(&s->lock);
	for (i = 0; i < nr; i++) {
		struct vm_area_struct *vma = vma_lookup(s->mm, addr[i]);

		if (vma && vma->vm_ops == &doorbell_vm_ops && vma->vm_private_data == s)
			vmas[found++] = vma;
	}
	return found;
}

/* All mappings lose their pages; -EAGAIN if there is none or the map is being changed. */
static int slice_arm(struct kfd_gpreempt_slice *s)
{
	struct vm_area_struct *vmas[SLICE_MAPPINGS];
	int ret = -EAGAIN;
	u32 i, nr;

	if (!mmget_not_zero(s->mm))
		return -ESRCH;
	if (!mmap_read_trylock(s->mm))
		goto out;
	nr = slice_mappings(s, vmas);
	if (s->eager)
		ret = -EOPNOTSUPP;
	if (s->eager || !nr)
		goto unlock;
	atomic_set(&s->armed, 1);
	smp_mb(); /* armed before the pages go: a fault must see it */
	for (i = 0; i < nr; i++)
		zap_vma_ptes(vmas[i], vmas[i]->vm_start, vmas[i]->vm_end - vmas[i]->vm_start);
	smp_mb(); /* the pages are gone before the caller looks at pointers */
	ret = 0;
unlock:
	mmap_read_unlock(s->mm);
out:
	/* Perhaps the last user: the whole teardown would run here. */
	mmput_async(s->mm);
	return ret;
}

int kfd_gpreempt_arm(u32 gpu_id, u64 process, bool arm)
{
	struct device_queue_manager *dqm = kfd_gpreempt_node_get(gpu_id);
	struct kfd_gpreempt_slice *s = NULL;
	struct kfd_process_device *pdd;
	int ret = 0;

	if (!dqm)
		return -ESRCH;
	kfd_gpreempt_call_begin(dqm);
	pdd = kfd_gpreempt_find(dqm, process);
	if (pdd)
		/* Pairs with the release where a slice is made. */
		s = kfd_gpreempt_slice_get(smp_load_acquire(&pdd->gpreempt.slice));
	if (s)
		WRITE_ONCE(s->process, process);
	kfd_gpreempt_call_end(dqm);
	kfd_gpreempt_node_put();
	if (!s)
		return pdd ? -EAGAIN : -ESRCH;
	if (!arm)
		kfd_gpreempt_slice_disarm(s);
	else if (ktime_get_ns() - READ_ONCE(s->fault_ns) < SLICE_GAP_NS)
		ret = -EAGAIN;
	else
		ret = slice_arm(s);
	kfd_gpreempt_slice_put(s);
	return ret;
}
KFD_GPREEMPT_EXPORT(kfd_gpreempt_arm);
