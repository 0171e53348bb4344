// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory. Whatever the driver calls it (VRAM, GTT, doorbell, userptr), a buffer
 * is an array of pages, and pages come into being at the first touch: the save
 * area of an MI300X queue has 177 MiB of which a test uses little.
 *
 * User mappings are of page frames without struct page, as TTM's are
 * (ttm_bo_vm.c: ttm_bo_vm_fault_reserved), so that what cannot be done with
 * them on a real system cannot be done here.
 */
#include "kfdsim.h"

#include <drm/drm_gem.h>
#include <linux/highmem.h>
#include <linux/vmalloc.h>

/*
 * Pages of all BOs. They belong to no process in the eyes of the OOM killer, which would
 * kill other processes for them, so they are at most three quarters of the machine.
 */
static atomic_long_t nr_pages_used;

static struct page *take_page(gfp_t gfp)
{
	struct page *page = NULL;

	if (atomic_long_inc_return(&nr_pages_used) <= totalram_pages() / 4 * 3)
		page = alloc_page(gfp | __GFP_ZERO | __GFP_NOWARN);
	if (!page)
		atomic_long_dec(&nr_pages_used);
	return page;
}

static void give_page(struct page *page)
{
	__free_page(page);
	atomic_long_dec(&nr_pages_used);
}

/* Several may touch a page first; one of them wins. */
static struct page *get_page_at(struct kfdsim_bo *bo, unsigned long index, gfp_t gfp)
{
	struct page *page = READ_ONCE(bo->pages[index]);
	struct page *new;

	if (page || bo->is_borrowed)
		return page;
	new = take_page(gfp);
	if (!new)
		return NULL;
	page = cmpxchg(&bo->pages[index], NULL, new);
	if (!page)
		return new;
	give_page(new);
	return page;
}

static struct page *find_page(struct kfdsim_bo *bo, u64 offset)
{
	if (offset >> PAGE_SHIFT >= bo->nr_pages || bo->is_away)
		return NULL;
	return get_page_at(bo, offset >> PAGE_SHIFT, GFP_ATOMIC);
}

/*
 * The GPU's way to memory: the kernel address of a byte, valid to the end of its page, or NULL.
 * To be undone before the next one. Context: any; does not sleep. The GPU holds kfdsim_vm_lock.
 */
void *kfdsim_bo_lock_page(struct kfdsim_bo *bo, u64 offset)
{
	struct page *page = find_page(bo, offset);

	return page ? kmap_local_page(page) + offset_in_page(offset) : NULL;
}

/* The same for the whole page, and as long as the page is the BO's. */
void *kfdsim_bo_page(struct kfdsim_bo *bo, u64 offset)
{
	struct page *page = find_page(bo, offset);

	BUILD_BUG_ON(IS_ENABLED(CONFIG_HIGHMEM));
	return page ? page_address(page) : NULL;
}

void kfdsim_bo_unlock_page(void *addr)
{
	kunmap_local(addr);
}

/* The whole of it as one range of kernel addresses, until the end of the BO. */
void *kfdsim_bo_vmap(struct kfdsim_bo *bo)
{
	unsigned long i;

	if (bo->vaddr)
		return bo->vaddr;
	for (i = 0; i < bo->nr_pages; i++)
		if (!get_page_at(bo, i, GFP_KERNEL))
			return NULL;
	bo->vaddr = vmap(bo->pages, bo->nr_pages, VM_MAP, PAGE_KERNEL);
	return bo->vaddr;
}

static void free_pages_of(struct kfdsim_bo *bo)
{
	unsigned long i;

	if (!bo->pages)
		return;
	for (i = 0; !bo->is_borrowed && i < bo->nr_pages; i++)
		if (bo->pages[i])
			give_page(bo->pages[i]);
	kvfree(bo->pages);
}

static void gem_free(struct drm_gem_object *gem)
{
	struct kfdsim_bo *bo = gem_to_kfdsim_bo(gem);
	struct kfdsim_device *kdev = to_kfdsim(drm_to_adev(gem->dev));

	drm_gem_object_release(gem);
	if (bo->vaddr)
		vunmap(bo->vaddr);
	free_pages_of(bo);
	atomic64_sub(bo->vram_charge, &kdev->vram_used);
	kfree(bo);
}

/* Not from the start of the vma: munmap() and mprotect() of a part split it. */
static u64 offset_of(struct vm_area_struct *vma, unsigned long addr)
{
	struct drm_gem_object *gem = vma->vm_private_data;
	u64 first = vma->vm_pgoff - drm_vma_node_start(&gem->vma_node);

	return (first << PAGE_SHIFT) + (addr - vma->vm_start);
}

static vm_fault_t gem_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct kfdsim_bo *bo = gem_to_kfdsim_bo(vma->vm_private_data);
	unsigned long index = offset_of(vma, vmf->address) >> PAGE_SHIFT;
	struct page *page;

	if (index >= bo->nr_pages)
		return VM_FAULT_SIGBUS;
	page = get_page_at(bo, index, GFP_KERNEL);
	/* VM_FAULT_OOM would have the access tried again, for ever. */
	if (!page)
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(vma, vmf->address, page_to_pfn(page));
}

/* For ptrace and /proc/PID/mem; amdgpu_gem.c has ttm_bo_vm_access here. */
static int gem_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len, int write)
{
	struct kfdsim_bo *bo = gem_to_kfdsim_bo(vma->vm_private_data);
	u64 offset = offset_of(vma, addr);
	int chunk = min_t(u64, len, PAGE_SIZE - offset_in_page(offset));
	void *mem = kfdsim_bo_lock_page(bo, offset);

	if (!mem)
		return -EIO;
	if (write)
		memcpy(mem, buf, chunk);
	else
		memcpy(buf, mem, chunk);
	kfdsim_bo_unlock_page(mem);
	return chunk;
}

static const struct vm_operations_struct gem_vm_ops = {
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
	.fault = gem_fault,
	.access = gem_access,
};

static int gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	/*
	 * libhsakmt maps memory that the CPU is not to touch privately and without any
	 * access; amdgpu_gem.c (amdgpu_gem_object_mmap) lets it, for debuggers.
	 */
	if (is_cow_mapping(vma->vm_flags) && !(vma->vm_flags & VM_ACCESS_FLAGS))
		vm_flags_clear(vma, VM_MAYWRITE);
	/* Any other private mapping would need pages to copy. */
	if (gem_to_kfdsim_bo(gem)->is_borrowed || is_cow_mapping(vma->vm_flags))
		return -EINVAL;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

static const struct drm_gem_object_funcs gem_funcs = {
	.free = gem_free,
	.mmap = gem_mmap,
	.vm_ops = &gem_vm_ops,
};

/* Memory that holds zeros, rounded up to pages, with one reference; NULL: there is none. */
struct kfdsim_bo *kfdsim_bo_create(struct kfdsim_device *kdev, u64 bytes)
{
	struct kfdsim_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);

	if (!bo)
		return NULL;
	bytes = PAGE_ALIGN(bytes);
	bo->nr_pages = bytes >> PAGE_SHIFT;
	bo->pages = kvcalloc(bo->nr_pages, sizeof(*bo->pages), GFP_KERNEL | __GFP_NOWARN);
	if (!bo->pages) {
		kfree(bo);
		return NULL;
	}
	bo->abo.tbo.base.funcs = &gem_funcs;
	/* amdgpu_bo_unreserve() takes the LRU lock through this pointer. */
	bo->abo.tbo.bdev = &kdev->adev.mman.bdev;
	drm_gem_private_object_init(adev_to_drm(&kdev->adev), &bo->abo.tbo.base, bytes);
	return bo;
}

void kfdsim_bo_put(struct kfdsim_bo *bo)
{
	drm_gem_object_put(&bo->abo.tbo.base);
}

/* Count a new BO against the size of VRAM. -ENOMEM: that is full. */
int kfdsim_bo_charge_vram(struct kfdsim_device *kdev, struct kfdsim_bo *bo)
{
	u64 bytes = (u64)bo->nr_pages << PAGE_SHIFT;

	if (atomic64_add_return(bytes, &kdev->vram_used) > kdev->vram_bytes) {
		atomic64_sub(bytes, &kdev->vram_used);
		return -ENOMEM;
	}
	bo->vram_charge = bytes;
	return 0;
}

/* Let a new BO be pages of the device. */
void kfdsim_bo_borrow(struct kfdsim_bo *bo, struct page *first)
{
	unsigned long i;

	bo->is_borrowed = true;
	for (i = 0; i < bo->nr_pages; i++)
		bo->pages[i] = first + i;
}

struct amdgpu_bo *amdgpu_bo_ref(struct amdgpu_bo *bo)
{
	if (bo)
		drm_gem_object_get(&bo->tbo.base);
	return bo;
}

void amdgpu_bo_unref(struct amdgpu_bo **bo)
{
	if (*bo)
		drm_gem_object_put(&(*bo)->tbo.base);
	*bo = NULL;
}
