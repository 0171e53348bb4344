// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The GART: what the driver shares with the firmware. HIQ ring, MQDs, runlists
 * and fences get an address here and are found by it again.
 */
#include "kfdsim.h"

#define GART_BASE 0x7f0000000000ull
#define GART_BYTES (4ull << 30)
#define GUARD_BYTES PAGE_SIZE	/* so that an overrun meets nothing */

void kfdsim_gart_init(struct kfdsim_device *kdev)
{
	mutex_init(&kdev->gart_lock);
	drm_mm_init(&kdev->gart_mm, GART_BASE, GART_BYTES);
}

void kfdsim_gart_fini(struct kfdsim_device *kdev)
{
	if (!drm_mm_clean(&kdev->gart_mm)) {
		dev_err(kdev->adev.dev, "kfdsim: GART memory leaked\n");
		return;
	}
	drm_mm_takedown(&kdev->gart_mm);
}

static void *find(struct kfdsim_device *kdev, u64 addr, u32 len)
{
	struct drm_mm_node *node;

	drm_mm_for_each_node_in_range(node, &kdev->gart_mm, addr, addr + 1) {
		struct kfdsim_bo *bo = container_of(node, struct kfdsim_bo, gart);
		u64 end = node->start + node->size - GUARD_BYTES;

		if (addr + len <= end)
			return bo->vaddr + (addr - node->start);
	}
	return NULL;
}

/* What the firmware does to memory of the driver. -EFAULT: not all of it is one allocation. */
int kfdsim_gart_copy(struct kfdsim_device *kdev, u64 addr, void *buf, u32 len,
		     enum kfdsim_access access)
{
	void *mem;

	guard(mutex)(&kdev->gart_lock);
	mem = find(kdev, addr, len);
	if (!mem)
		return -EFAULT;
	kfdsim_copy(mem, buf, len, access);
	return 0;
}

static int insert(struct kfdsim_device *kdev, struct kfdsim_bo *bo)
{
	guard(mutex)(&kdev->gart_lock);
	return drm_mm_insert_node(&kdev->gart_mm, &bo->gart,
				  ((u64)bo->nr_pages << PAGE_SHIFT) + GUARD_BYTES);
}

int amdgpu_amdkfd_alloc_gtt_mem(struct amdgpu_device *adev, size_t size, void **mem_obj,
				uint64_t *gpu_addr, void **cpu_ptr, bool mqd_gfx9)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct kfdsim_bo *bo = kfdsim_bo_create(kdev, size);
	int r = -ENOMEM;

	if (!bo)
		return -ENOMEM;
	if (kfdsim_bo_vmap(bo))
		r = insert(kdev, bo);
	if (r) {
		kfdsim_bo_put(bo);
		return r;
	}
	*mem_obj = &bo->abo;
	*gpu_addr = bo->gart.start;
	*cpu_ptr = bo->vaddr;
	return 0;
}

void amdgpu_amdkfd_free_gtt_mem(struct amdgpu_device *adev, void **mem_obj)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct amdgpu_bo *abo = *mem_obj;

	if (!abo)
		return;
	scoped_guard(mutex, &kdev->gart_lock)
		drm_mm_remove_node(&to_kfdsim_bo(abo)->gart);
	kfdsim_bo_put(to_kfdsim_bo(abo));
	*mem_obj = NULL;
}

u64 amdgpu_bo_gpu_offset(struct amdgpu_bo *bo)
{
	return to_kfdsim_bo(bo)->gart.start;
}
