// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory ioctls' lower half: what amdgpu_amdkfd_gpuvm.c is in amdgpu, without
 * placement. VRAM and GTT differ in accounting only.
 */
#include "kfdsim.h"

#include <drm/drm_vma_manager.h>
#include <linux/mm.h>
#include <uapi/linux/kfd_ioctl.h>

#define MEM_OF_DEVICE (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)

enum mem_kind { MEM_NONE, MEM_VRAM, MEM_GTT, MEM_USER, MEM_DEVICE };

/* Of several flags the first counts, in the order in which amdgpu asks for them. */
static enum mem_kind kind_of(u32 flags)
{
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
		return MEM_VRAM;
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT)
		return MEM_GTT;
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)
		return MEM_USER;
	return flags & MEM_OF_DEVICE ? MEM_DEVICE : MEM_NONE;
}

/* Return: 0, -EINVAL nothing can be that large, -ENOMEM nothing here is. */
static int check_size(const struct kfdsim_device *kdev, u64 bytes, enum mem_kind kind)
{
	u64 most = kind == MEM_VRAM ? kdev->vram_bytes : (u64)totalram_pages() << PAGE_SHIFT;

	if (!bytes || bytes > U64_MAX - PAGE_SIZE)
		return -EINVAL;
	return PAGE_ALIGN(bytes) > most ? -ENOMEM : 0;
}

/* Give a new BO its pages. @addr: user or bus address. */
static int back(struct kfdsim_device *kdev, struct kfdsim_bo *bo, struct kfdsim_vm *vm,
		enum mem_kind kind, u64 addr)
{
	switch (kind) {
	case MEM_VRAM:
		return kfdsim_bo_charge_vram(kdev, bo);
	case MEM_USER:
		return vm->info && addr ? kfdsim_userptr_add(bo, vm->info, addr) : -EINVAL;
	case MEM_DEVICE:
		kfdsim_bo_borrow(bo, pfn_to_page(addr >> PAGE_SHIFT));
		return 0;
	default:
		return 0;
	}
}

static struct kgd_mem *mem_create(struct kfdsim_bo *bo, u64 va, u32 flags)
{
	struct kgd_mem *mem = kzalloc(sizeof(*mem), GFP_KERNEL);

	if (!mem)
		return NULL;
	mutex_init(&mem->lock);
	INIT_LIST_HEAD(&mem->attachments);
	mem->bo = &bo->abo;
	mem->va = va;
	mem->alloc_flags = flags;
	mem->domain = kind_of(flags) == MEM_VRAM ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
	mem->aql_queue = flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM;
	bo->abo.kfd_bo = mem;
	return mem;
}

static int publish(struct kfdsim_bo *bo, void *drm_priv, u64 *offset)
{
	struct drm_gem_object *gem = &bo->abo.tbo.base;
	int r = drm_gem_create_mmap_offset(gem);

	if (!r)
		r = drm_vma_node_allow(&gem->vma_node, drm_priv);
	if (!r && offset)
		*offset = drm_vma_node_offset_addr(&gem->vma_node);
	return r;
}

int amdgpu_amdkfd_gpuvm_alloc_memory_of_gpu(struct amdgpu_device *adev, uint64_t va, uint64_t size,
					    void *drm_priv, struct kgd_mem **mem, uint64_t *offset,
					    uint32_t flags, bool criu_resume)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct kfdsim_vm *vm = to_kfdsim_vm(drm_priv_to_vm(drm_priv));
	enum mem_kind kind = kind_of(flags);
	bool is_ours = kind == MEM_VRAM || kind == MEM_GTT;
	struct kfdsim_bo *bo;
	int r;

	if (kind == MEM_NONE)
		return -EINVAL;

	/* A ring that is mapped twice, one after the other: half the memory. */
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM)
		size >>= 1;
	r = check_size(kdev, size, kind);
	if (r)
		return r;
	bo = kfdsim_bo_create(kdev, size);
	if (!bo)
		return -ENOMEM;
	r = back(kdev, bo, vm, kind, offset ? *offset : 0);
	if (!r && is_ours)
		r = publish(bo, drm_priv, offset);
	if (r)
		goto err_put;
	*mem = mem_create(bo, va, flags);
	r = -ENOMEM;
	if (!*mem)
		goto err_revoke;
	(*mem)->process_info = vm->info;
	return 0;

err_revoke:
	if (is_ours)
		drm_vma_node_revoke(&bo->abo.tbo.base.vma_node, drm_priv);
err_put:
	kfdsim_userptr_remove(bo);
	kfdsim_bo_put(bo);
	return r;
}

int amdgpu_amdkfd_gpuvm_free_memory_of_gpu(struct amdgpu_device *adev, struct kgd_mem *mem,
					   void *drm_priv, uint64_t *size)
{
	struct kfdsim_bo *bo = to_kfdsim_bo(mem->bo);

	scoped_guard(mutex, &mem->lock)
		if (mem->mapped_to_gpu_memory)
			return -EBUSY;
	if (size)
		*size = bo->vram_charge;
	if (!bo->is_borrowed)
		drm_vma_node_revoke(&bo->abo.tbo.base.vma_node, drm_priv);
	bo->abo.kfd_bo = NULL;
	kfdsim_userptr_remove(bo);
	kfdsim_bo_put(bo);
	mutex_destroy(&mem->lock);
	kfree(mem);
	return 0;
}

int amdgpu_amdkfd_gpuvm_map_memory_to_gpu(struct amdgpu_device *adev, struct kgd_mem *mem,
					  void *drm_priv)
{
	struct kfdsim_vm *vm = to_kfdsim_vm(drm_priv_to_vm(drm_priv));
	int r;

	guard(mutex)(&mem->lock);
	if (kfdsim_vm_is_mapped(vm, mem))
		return 0;
	r = kfdsim_vm_map(vm, mem, mem->va);
	if (!r && mem->aql_queue)
		r = kfdsim_vm_map(vm, mem, mem->va + mem->bo->tbo.base.size);
	if (r)
		kfdsim_vm_unmap(vm, mem);
	return r;
}

int amdgpu_amdkfd_gpuvm_unmap_memory_from_gpu(struct amdgpu_device *adev, struct kgd_mem *mem,
					      void *drm_priv)
{
	guard(mutex)(&mem->lock);
	return kfdsim_vm_unmap(to_kfdsim_vm(drm_priv_to_vm(drm_priv)), mem);
}

bool amdgpu_amdkfd_bo_mapped_to_dev(void *drm_priv, struct kgd_mem *mem)
{
	guard(mutex)(&mem->lock);
	return kfdsim_vm_is_mapped(to_kfdsim_vm(drm_priv_to_vm(drm_priv)), mem);
}

int amdgpu_amdkfd_gpuvm_map_gtt_bo_to_kernel(struct kgd_mem *mem, void **kptr, uint64_t *size)
{
	struct kfdsim_bo *bo = to_kfdsim_bo(mem->bo);

	if (bo->is_borrowed)
		return -EINVAL;
	*kptr = kfdsim_bo_vmap(bo);
	if (!*kptr)
		return -ENOMEM;
	if (size)
		*size = amdgpu_bo_size(mem->bo);
	return 0;
}

/* The mapping stays as long as the memory does. */
void amdgpu_amdkfd_gpuvm_unmap_gtt_bo_from_kernel(struct kgd_mem *mem)
{
}

/* Mappings are there at once; there is nothing to wait for or to undo. */
int amdgpu_amdkfd_gpuvm_sync_memory(struct amdgpu_device *adev, struct kgd_mem *mem, bool intr)
{
	return 0;
}

int amdgpu_amdkfd_gpuvm_dmaunmap_mem(struct kgd_mem *mem, void *drm_priv)
{
	return 0;
}

size_t amdgpu_amdkfd_get_available_memory(struct amdgpu_device *adev, uint8_t xcp_id)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	u64 used = atomic64_read(&kdev->vram_used);

	return used < kdev->vram_bytes ? kdev->vram_bytes - used : 0;
}

void amdgpu_amdkfd_get_local_mem_info(struct amdgpu_device *adev,
				      struct kfd_local_mem_info *mem_info, struct amdgpu_xcp *xcp)
{
	memset(mem_info, 0, sizeof(*mem_info));
	/* All of it can be mapped by the CPU ("large BAR"). */
	mem_info->local_mem_size_public = to_kfdsim(adev)->vram_bytes;
	mem_info->vram_width = 4096;
	mem_info->mem_clk_max = 1600;
}

u64 amdgpu_amdkfd_xcp_memory_size(struct amdgpu_device *adev, int xcp_id)
{
	return to_kfdsim(adev)->vram_bytes;
}

int kfd_debugfs_kfd_mem_limits(struct seq_file *m, void *data)
{
	seq_puts(m, "kfdsim keeps limits per device: see kfdsim/*/stats\n");
	return 0;
}
