// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The doorbell BAR: ordinary pages that amdkfd maps into processes as it maps a
 * real BAR (kfd_doorbell.c: kfd_doorbell_mmap). A store leaves a value behind and
 * nothing else happens; the CP looks for values and takes them out.
 */
#include "kfdsim.h"

/* amdgpu keeps the start of the BAR for its own rings, so no index here is 0. */
#define KERNEL_BYTES (2 * PAGE_SIZE)

/*
 * Has it been rung? The value stored last, or KFDSIM_DOORBELL_NONE. A doorbell is 8 bytes; its
 * index in the BAR counts dwords (kfd_doorbell.c).
 */
u64 kfdsim_doorbell_take(struct kfdsim_device *kdev, u32 index)
{
	u64 *doorbell = &kdev->bar_mem[index / 2];
	u64 value;

	if (index >= KFDSIM_BAR_BYTES / sizeof(u32))
		return KFDSIM_DOORBELL_NONE;
	value = READ_ONCE(*doorbell);
	if (value == KFDSIM_DOORBELL_NONE)
		return value;
	value = xchg(doorbell, KFDSIM_DOORBELL_NONE);
	/* A client that stores 32 bits leaves the upper half as it was. */
	return value >> 32 == U32_MAX ? lower_32_bits(value) : value;
}

static void silence(struct kfdsim_device *kdev, u64 offset, u64 bytes)
{
	memset64(kdev->bar_mem + offset / sizeof(u64), KFDSIM_DOORBELL_NONE,
		 bytes / sizeof(u64));
}

int kfdsim_doorbell_init(struct kfdsim_device *kdev)
{
	struct amdgpu_device *adev = &kdev->adev;

	kdev->bar = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_COMP,
				get_order(KFDSIM_BAR_BYTES));
	kdev->mmio = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!kdev->bar || !kdev->mmio) {
		kfdsim_doorbell_fini(kdev);
		return -ENOMEM;
	}
	kdev->bar_mem = page_address(kdev->bar);
	silence(kdev, 0, KFDSIM_BAR_BYTES);
	drm_mm_init(&kdev->bar_mm, KERNEL_BYTES, KFDSIM_BAR_BYTES - KERNEL_BYTES);
	adev->doorbell.base = page_to_phys(kdev->bar);
	adev->doorbell.size = KFDSIM_BAR_BYTES;
	adev->rmmio_remap.bus_addr = page_to_phys(kdev->mmio);
	return 0;
}

void kfdsim_doorbell_fini(struct kfdsim_device *kdev)
{
	if (drm_mm_initialized(&kdev->bar_mm)) {
		if (!drm_mm_clean(&kdev->bar_mm))
			dev_err(kdev->adev.dev, "kfdsim: doorbell pages leaked\n");
		else
			drm_mm_takedown(&kdev->bar_mm);
	}
	if (kdev->bar)
		__free_pages(kdev->bar, get_order(KFDSIM_BAR_BYTES));
	if (kdev->mmio)
		__free_page(kdev->mmio);
	kdev->bar = NULL;
	kdev->mmio = NULL;
}

/*
 * amdkfd calls this for doorbell slices only (kfd_doorbell.c). A slice of 1024 doorbells is
 * aligned to its size: interrupts name a doorbell by 10 bits, and amdkfd looks for the
 * number in the slice (kfd_int_process_v9.c: KFD_DEBUG_DOORBELL_ID).
 */
int amdgpu_bo_create_kernel(struct amdgpu_device *adev, unsigned long size, int align, u32 domain,
			    struct amdgpu_bo **bo_ptr, u64 *gpu_addr, void **cpu_addr)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct kfdsim_bo *bo;
	int r;

	if (domain != AMDGPU_GEM_DOMAIN_DOORBELL)
		return -EINVAL;
	bo = kfdsim_bo_create(kdev, size);
	if (!bo)
		return -ENOMEM;
	scoped_guard(mutex, &kdev->gart_lock)
		r = drm_mm_insert_node_generic(&kdev->bar_mm, &bo->bar, PAGE_ALIGN(size),
					       roundup_pow_of_two(PAGE_ALIGN(size)), 0, 0);
	if (r) {
		kfdsim_bo_put(bo);
		return r;
	}
	kfdsim_bo_borrow(bo, kdev->bar + (bo->bar.start >> PAGE_SHIFT));
	silence(kdev, bo->bar.start, bo->bar.size);
	if (cpu_addr)
		*cpu_addr = (void *)kdev->bar_mem + bo->bar.start;
	*bo_ptr = &bo->abo;
	return 0;
}

void amdgpu_bo_free_kernel(struct amdgpu_bo **bo, u64 *gpu_addr, void **cpu_addr)
{
	struct kfdsim_device *kdev;

	if (!*bo)
		return;
	kdev = to_kfdsim(drm_to_adev((*bo)->tbo.base.dev));
	scoped_guard(mutex, &kdev->gart_lock)
		drm_mm_remove_node(&to_kfdsim_bo(*bo)->bar);
	amdgpu_bo_unref(bo);
}

uint32_t amdgpu_doorbell_index_on_bar(struct amdgpu_device *adev, struct amdgpu_bo *db_bo,
				      uint32_t doorbell_index, uint32_t db_size)
{
	return to_kfdsim_bo(db_bo)->bar.start / sizeof(u32) +
	       doorbell_index * DIV_ROUND_UP(db_size, 4);
}
