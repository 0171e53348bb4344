// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GPU address spaces. Opening the render node makes one (as amdgpu_kms.c:
 * amdgpu_driver_open_kms does); amdkfd takes it over with ACQUIRE_VM and gives it
 * a PASID, by which the simulated GPU finds it.
 *
 * There are no page tables. Mappings sit in an interval tree, the one that amdgpu
 * keeps beside its page tables, and every access of the GPU looks there.
 */
#include "kfdsim.h"

#include <drm/drm_file.h>
#include <linux/interval_tree_generic.h>
#include <uapi/linux/kfd_ioctl.h>

/*
 * Protects which VM has which PASID, the mappings of every VM, and user memory that goes
 * away. One for all GPUs: memory may be mapped on several.
 */
DEFINE_RWLOCK(kfdsim_vm_lock);

#define START(m) ((m)->start)
#define LAST(m) ((m)->last)
INTERVAL_TREE_DEFINE(struct amdgpu_bo_va_mapping, rb, uint64_t, __subtree_last, START, LAST,
		     static, va_tree)
#undef START
#undef LAST

static struct kfdsim_mapping *to_mapping(struct amdgpu_bo_va_mapping *map)
{
	return container_of(map, struct kfdsim_mapping, map);
}

int kfdsim_vm_open(struct drm_device *ddev, struct drm_file *file)
{
	struct kfdsim_device *kdev = to_kfdsim(drm_to_adev(ddev));
	struct kfdsim_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL);
	struct kfdsim_bo *root;

	if (!vm)
		return -ENOMEM;
	/* amdkfd takes the reservation of the root as the lock of the VM. */
	root = kfdsim_bo_create(kdev, PAGE_SIZE);
	if (!root) {
		kfree(vm);
		return -ENOMEM;
	}
	vm->kdev = kdev;
	vm->fpriv.vm.root.bo = &root->abo;
	vm->fpriv.vm.va = RB_ROOT_CACHED;
	file->driver_priv = &vm->fpriv;
	return 0;
}

void kfdsim_vm_close(struct drm_device *ddev, struct drm_file *file)
{
	struct amdgpu_fpriv *fpriv = file->driver_priv;
	struct kfdsim_vm *vm = to_kfdsim_vm(&fpriv->vm);

	/* As amdgpu_vm_fini() does: the process may have been gone first. */
	amdgpu_amdkfd_gpuvm_destroy_cb(&vm->kdev->adev, &fpriv->vm);
	if (!RB_EMPTY_ROOT(&fpriv->vm.va.rb_root))
		dev_err(vm->kdev->adev.dev, "kfdsim: closing a VM with mappings\n");
	amdgpu_bo_unref(&fpriv->vm.root.bo);
	kfree(vm);
	file->driver_priv = NULL;
}

static struct kfdsim_mapping *find_mapping(struct kfdsim_vm *vm, struct kgd_mem *mem)
{
	struct kfdsim_mapping *m;

	list_for_each_entry(m, &mem->attachments, node)
		if (m->bo_va.base.vm == &vm->fpriv.vm)
			return m;
	return NULL;
}

bool kfdsim_vm_is_mapped(struct kfdsim_vm *vm, struct kgd_mem *mem)
{
	return find_mapping(vm, mem);
}

/* amdgpu_vm.c: amdgpu_vm_verify_parameters. @bytes is less than the address space. */
static bool is_reachable(struct kfdsim_vm *vm, u64 va, u64 bytes)
{
	u64 end = vm->kdev->adev.vm_manager.max_pfn << AMDGPU_GPU_PAGE_SHIFT;

	return PAGE_ALIGNED(va) && va < end && bytes <= end - va;
}

static u32 last_generation; /* under kfdsim_vm_lock */

/*
 * Pointers to pages of a process that waves have are good no longer than to the end of what
 * they are at: kfdsim_vm_drain() waits for that. Caller holds kfdsim_vm_lock for writing.
 */
void kfdsim_vm_outdate(struct amdkfd_process_info *info)
{
	if (!++last_generation)
		last_generation = 1;
	to_kfdsim_process(info)->generation = last_generation;
}

/*
 * No wave has a pointer any more that is older than the generation. Context: may sleep; holds
 * neither cp.lock nor kfdsim_vm_lock. A GPU that has none yet gets none that is older.
 */
void kfdsim_vm_drain(struct amdkfd_process_info *info)
{
	struct kfdsim_process *process = to_kfdsim_process(info);
	unsigned int i;

	for (i = 0; i < KFDSIM_MAX_GPUS; i++) {
		struct kfdsim_device *user = READ_ONCE(process->user[i]);

		if (!user)
			continue;
		mutex_lock(&user->cp.lock);
		mutex_unlock(&user->cp.lock);
	}
}

/* Caller holds mem->lock. -EINVAL: something is there or there is no such place. */
int kfdsim_vm_map(struct kfdsim_vm *vm, struct kgd_mem *mem, u64 va)
{
	struct kfdsim_mapping *first = find_mapping(vm, mem);
	struct kfdsim_bo *bo = to_kfdsim_bo(mem->bo);
	struct kfdsim_mapping *m;
	int r = 0;

	if (!is_reachable(vm, va, (u64)bo->nr_pages << PAGE_SHIFT))
		return -EINVAL;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->bo_va.base.bo = mem->bo;
	m->bo_va.base.vm = &vm->fpriv.vm;
	m->map.bo_va = first ? &first->bo_va : &m->bo_va;
	m->map.start = va >> AMDGPU_GPU_PAGE_SHIFT;
	m->map.last = m->map.start + bo->nr_pages - 1;
	if (mem->alloc_flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
		m->map.flags = AMDGPU_PTE_WRITEABLE;
	write_lock(&kfdsim_vm_lock);
	if (va_tree_iter_first(&vm->fpriv.vm.va, m->map.start, m->map.last))
		r = -EINVAL;
	else
		va_tree_insert(&m->map, &vm->fpriv.vm.va);
	write_unlock(&kfdsim_vm_lock);
	if (r) {
		kfree(m);
		return r;
	}
	list_add_tail(&m->node, &mem->attachments);
	mem->mapped_to_gpu_memory++;
	return 0;
}

/* Caller holds mem->lock. -EINVAL: it is not there. -EBUSY: a queue uses it. */
int kfdsim_vm_unmap(struct kfdsim_vm *vm, struct kgd_mem *mem)
{
	struct kfdsim_mapping *m = find_mapping(vm, mem);

	if (!m)
		return -EINVAL;
	/* amdgpu_amdkfd_gpuvm.c: unmap_bo_from_gpuvm */
	if (m->map.bo_va->queue_refcount)
		return -EBUSY;
	for (; m; m = find_mapping(vm, mem)) {
		scoped_guard(write_lock, &kfdsim_vm_lock)
		{
			va_tree_remove(&m->map, &vm->fpriv.vm.va);
			if (vm->info)
				kfdsim_vm_outdate(vm->info);
		}
		list_del(&m->node);
		kfree(m);
		mem->mapped_to_gpu_memory--;
	}
	if (vm->info)
		kfdsim_vm_drain(vm->info);
	return 0;
}

/* Caller holds kfdsim_vm_lock. NULL: nothing is mapped there, or not for this. */
static struct amdgpu_bo_va_mapping *map_at(struct kfdsim_vm *vm, u64 addr,
					   enum kfdsim_access access)
{
	u64 page = addr >> AMDGPU_GPU_PAGE_SHIFT;
	struct amdgpu_bo_va_mapping *map = NULL;

	if (vm)
		map = va_tree_iter_first(&vm->fpriv.vm.va, page, page);
	if (map && access == KFDSIM_WRITE && !(map->flags & AMDGPU_PTE_WRITEABLE))
		map = NULL;
	return map;
}

static struct kfdsim_bo *bo_of(struct amdgpu_bo_va_mapping *map)
{
	return to_kfdsim_bo(to_mapping(map)->bo_va.base.bo);
}

static u64 offset_in(const struct amdgpu_bo_va_mapping *map, u64 addr)
{
	return addr - (map->start << AMDGPU_GPU_PAGE_SHIFT);
}

/* Caller holds kfdsim_vm_lock. NULL: nothing is mapped there, or not for this. */
static void *lock_byte(struct kfdsim_device *kdev, u32 pasid, u64 addr, enum kfdsim_access access)
{
	struct amdgpu_bo_va_mapping *map = map_at(xa_load(&kdev->vms, pasid), addr, access);

	return map ? kfdsim_bo_lock_page(bo_of(map), offset_in(map, addr)) : NULL;
}

static int copy_chunk(struct kfdsim_device *kdev, u32 pasid, u64 addr, void *buf, u32 len,
		      enum kfdsim_access access)
{
	void *mem;

	guard(read_lock)(&kfdsim_vm_lock);
	mem = lock_byte(kdev, pasid, addr, access);
	if (!mem)
		return -EFAULT;
	kfdsim_copy(mem, buf, len, access);
	kfdsim_bo_unlock_page(mem);
	return 0;
}

/*
 * What the GPU does to memory of a process. -EFAULT: not all of it is mapped; what came before
 * has been done.
 */
int kfdsim_vm_copy(struct kfdsim_device *kdev, u32 pasid, u64 addr, void *buf, u32 len,
		   enum kfdsim_access access)
{
	while (len) {
		u32 chunk = min_t(u32, len, PAGE_SIZE - offset_in_page(addr));
		int r = copy_chunk(kdev, pasid, addr, buf, chunk, access);

		if (r)
			return r;
		addr += chunk;
		buf += chunk;
		len -= chunk;
	}
	return 0;
}

/* A signal's value: the CPU side changes it with atomic instructions, too. */
int kfdsim_vm_add64(struct kfdsim_device *kdev, u32 pasid, u64 addr, s64 delta, s64 *value)
{
	atomic64_t *mem;

	if (!IS_ALIGNED(addr, sizeof(*mem)))
		return -EFAULT;
	guard(read_lock)(&kfdsim_vm_lock);
	mem = lock_byte(kdev, pasid, addr, KFDSIM_WRITE);
	if (!mem)
		return -EFAULT;
	*value = atomic64_add_return(delta, mem);
	kfdsim_bo_unlock_page(mem);
	return 0;
}

/*
 * The page at an address, for machine code; @can_write: in: to store there, out: stores may. Good
 * as long as the caller holds cp.lock and, after that, kfdsim_vm_generation() is as it was.
 * Return: 0, -EFAULT.
 */
int kfdsim_vm_page(struct kfdsim_device *kdev, u32 pasid, u64 addr, bool *can_write, void **at)
{
	struct amdgpu_bo_va_mapping *map;
	struct kfdsim_vm *vm;

	guard(read_lock)(&kfdsim_vm_lock);
	vm = xa_load(&kdev->vms, pasid);
	map = map_at(vm, addr, *can_write ? KFDSIM_WRITE : KFDSIM_READ);
	if (!map)
		return -EFAULT;
	*at = kfdsim_bo_page(bo_of(map), offset_in(map, addr));
	*can_write = map->flags & AMDGPU_PTE_WRITEABLE;
	WRITE_ONCE(to_kfdsim_process(vm->info)->user[kdev->index], kdev);
	return *at ? 0 : -EFAULT;
}

/* 0: there is no such process any more. */
u32 kfdsim_vm_generation(struct kfdsim_device *kdev, u32 pasid)
{
	struct kfdsim_vm *vm;

	guard(read_lock)(&kfdsim_vm_lock);
	vm = xa_load(&kdev->vms, pasid);
	return vm ? to_kfdsim_process(vm->info)->generation : 0;
}

struct amdgpu_bo_va_mapping *amdgpu_vm_bo_lookup_mapping(struct amdgpu_vm *vm, uint64_t addr)
{
	guard(read_lock)(&kfdsim_vm_lock);
	return va_tree_iter_first(&vm->va, addr, addr);
}

/* kfd_queue.c finds back the count that it raised through the mapping. */
struct amdgpu_bo_va *amdgpu_vm_bo_find(struct amdgpu_vm *vm, struct amdgpu_bo *bo)
{
	struct amdgpu_bo_va_mapping *map;

	guard(read_lock)(&kfdsim_vm_lock);
	map = va_tree_iter_first(&vm->va, 0, U64_MAX);
	for (; map; map = va_tree_iter_next(map, 0, U64_MAX))
		if (map->bo_va->base.bo == bo)
			return map->bo_va;
	return NULL;
}

int amdgpu_amdkfd_gpuvm_set_vm_pasid(struct amdgpu_device *adev, struct amdgpu_vm *avm, u32 pasid)
{
	struct kfdsim_vm *vm = to_kfdsim_vm(avm);
	struct kfdsim_device *kdev = vm->kdev;
	int r = xa_reserve(&kdev->vms, pasid, GFP_KERNEL);

	if (r)
		return r;
	write_lock(&kfdsim_vm_lock);
	xa_store(&kdev->vms, pasid, vm, GFP_NOWAIT);
	vm->pasid = pasid;
	write_unlock(&kfdsim_vm_lock);
	return 0;
}

/* The page directory's address is a cookie here; the PASID finds the VM. */
uint64_t amdgpu_amdkfd_gpuvm_get_process_page_dir(void *drm_priv)
{
	return (u64)to_kfdsim_vm(drm_priv_to_vm(drm_priv))->pasid << PAGE_SHIFT;
}

int amdgpu_vm_flush_compute_tlb(struct amdgpu_device *adev, struct amdgpu_vm *vm,
				uint32_t flush_type, uint32_t xcc_mask)
{
	return 0;	/* nothing is cached */
}
