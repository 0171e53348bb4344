// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the GPUs of one process share (struct amdkfd_process_info): the eviction
 * fence. amdgpu puts the fence on every buffer; a memory manager that wants a
 * buffer's place waits for it, and amdkfd then stops the process's queues.
 * Here nothing wants a place; debugfs "evict" asks for the fence by hand.
 */
#include "kfdsim.h"

#include <linux/sched/mm.h>

static struct amdgpu_amdkfd_fence *to_eviction(struct dma_fence *f)
{
	return container_of(f, struct amdgpu_amdkfd_fence, base);
}

static const char *driver_name(struct dma_fence *f)
{
	return "kfdsim";
}

static const char *timeline_name(struct dma_fence *f)
{
	return to_eviction(f)->timeline_name;
}

/* There is a waiter: amdkfd signals the fence once the queues are stopped. */
static bool enable_signaling(struct dma_fence *f)
{
	if (dma_fence_is_signaled(f))
		return true;
	return !kgd2kfd_schedule_evict_and_restore_process(to_eviction(f)->mm, f);
}

static void release(struct dma_fence *f)
{
	mmdrop(to_eviction(f)->mm);
	kfree_rcu(f, rcu);
}

static const struct dma_fence_ops eviction_ops = {
	.get_driver_name = driver_name,
	.get_timeline_name = timeline_name,
	.enable_signaling = enable_signaling,
	.release = release,
};

static atomic_t seqno;

/* A process has VMs on several devices; this protects info->eviction_fence. */
static DEFINE_RWLOCK(evict_lock);

static struct amdgpu_amdkfd_fence *fence_create(u64 context, struct mm_struct *mm)
{
	struct amdgpu_amdkfd_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence)
		return NULL;
	mmgrab(mm);
	fence->mm = mm;
	get_task_comm(fence->timeline_name, current);
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &eviction_ops, &fence->lock, context,
		       atomic_inc_return(&seqno));
	return fence;
}

static struct amdkfd_process_info *info_create(void)
{
	struct kfdsim_process *process = kzalloc(sizeof(*process), GFP_KERNEL);
	struct amdkfd_process_info *info;

	if (!process)
		return NULL;
	info = &process->info;
	scoped_guard(write_lock, &kfdsim_vm_lock)
		kfdsim_vm_outdate(info);
	mutex_init(&info->lock);
	mutex_init(&info->notifier_lock);
	kfdsim_userptr_init(info);
	info->pid = get_task_pid(current->group_leader, PIDTYPE_PID);
	info->eviction_fence = fence_create(dma_fence_context_alloc(1), current->mm);
	if (info->eviction_fence)
		return info;
	put_pid(info->pid);
	kfree(process);
	return NULL;
}

static void info_free(struct amdkfd_process_info *info)
{
	kfdsim_userptr_fini(info);
	dma_fence_put(&info->eviction_fence->base);
	put_pid(info->pid);
	mutex_destroy(&info->lock);
	mutex_destroy(&info->notifier_lock);
	kfree(to_kfdsim_process(info));
}

int amdgpu_amdkfd_gpuvm_acquire_process_vm(struct amdgpu_device *adev, struct amdgpu_vm *avm,
					   void **process_info, struct dma_fence **ef)
{
	struct kfdsim_vm *vm = to_kfdsim_vm(avm);
	struct amdkfd_process_info *info = *process_info;

	/* One process per VM, and a VM is of the GPU whose render node was opened. */
	if (vm->info || vm->kdev != to_kfdsim(adev))
		return -EINVAL;
	if (!info) {
		info = info_create();
		if (!info)
			return -ENOMEM;
		*process_info = info;
		if (ef)
			*ef = dma_fence_get(&info->eviction_fence->base);
	}
	scoped_guard(mutex, &info->lock)
		info->n_vms++;
	vm->info = info;
	return 0;
}

/* Afterwards no wave has a pointer to a page that only this VM maps. */
static void forget_pasid(struct kfdsim_vm *vm)
{
	scoped_guard(write_lock, &kfdsim_vm_lock)
	{
		if (vm->pasid)
			xa_erase(&vm->kdev->vms, vm->pasid);
		vm->pasid = 0;
	}
	if (vm->info)
		kfdsim_vm_drain(vm->info);
}

void amdgpu_amdkfd_gpuvm_destroy_cb(struct amdgpu_device *adev, struct amdgpu_vm *avm)
{
	struct kfdsim_vm *vm = to_kfdsim_vm(avm);
	struct amdkfd_process_info *info = vm->info;
	bool is_last;

	if (!info)
		return;
	forget_pasid(vm);
	scoped_guard(mutex, &info->lock)
		is_last = !--info->n_vms;
	vm->info = NULL;
	if (is_last)
		info_free(info);
}

/* The last chance before the PASID is given to another process. */
void amdgpu_amdkfd_gpuvm_release_process_vm(struct amdgpu_device *adev, void *drm_priv)
{
	forget_pasid(to_kfdsim_vm(drm_priv_to_vm(drm_priv)));
}

/* Nothing has moved; the process gets a new fence for the next time. */
int amdgpu_amdkfd_gpuvm_restore_process_bos(void *process_info, struct dma_fence __rcu **ef)
{
	struct amdkfd_process_info *info = process_info;
	struct amdgpu_amdkfd_fence *old = info->eviction_fence;
	struct amdgpu_amdkfd_fence *fence = fence_create(old->base.context, old->mm);

	if (!fence)
		return -ENOMEM;
	mutex_lock(&info->lock);
	write_lock(&evict_lock);
	info->eviction_fence = fence;
	write_unlock(&evict_lock);
	dma_fence_get(&fence->base);
	old = to_eviction(rcu_replace_pointer(*ef, &fence->base, true));
	mutex_unlock(&info->lock);
	/* One reference was the process's, one ours. */
	dma_fence_put(&old->base);
	dma_fence_put(&old->base);
	return 0;
}

/*
 * Want the memory of a process, as TTM does when it needs room: ask for the fence that is on all
 * its buffers. -ENOENT: no such process.
 */
int kfdsim_process_evict(struct kfdsim_device *kdev, u32 pasid)
{
	struct dma_fence *fence = NULL;
	struct kfdsim_vm *vm;

	read_lock(&kfdsim_vm_lock);
	read_lock(&evict_lock);
	vm = xa_load(&kdev->vms, pasid);
	if (vm && vm->info)
		fence = dma_fence_get(&vm->info->eviction_fence->base);
	read_unlock(&evict_lock);
	read_unlock(&kfdsim_vm_lock);
	if (!fence)
		return -ENOENT;
	dma_fence_enable_sw_signaling(fence);
	dma_fence_put(fence);
	return 0;
}

static DEFINE_IDA(pasids);

int amdgpu_pasid_alloc(unsigned int bits)
{
	/* Numbers that need all the bits first, as amdgpu_ids.c hands them out. */
	return ida_alloc_range(&pasids, 1u << (bits - 1), (1u << bits) - 1, GFP_KERNEL);
}

void amdgpu_pasid_free(u32 pasid)
{
	ida_free(&pasids, pasid);
}
