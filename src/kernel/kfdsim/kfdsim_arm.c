// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Armed doorbells: how a store to memory is noticed without looking for it.
 *
 * While no doorbell rings, no process has its doorbell pages in its page table: the next
 * store faults, the fault puts the page back and starts the CP looking. When none
 * has rung for a while, the pages are taken out again and the CP stops looking.
 *
 * Nothing is lost: a page is in a page table only while the CP looks, or is about to.
 *
 *	fault	page goes in	then is_watching = true		then the CP looks
 *	arm	is_watching = false	then all pages go out	then the CP looks
 *
 * A page that goes in after they all went out finds is_watching false and sets it; a
 * store through a page that goes out is there when the CP looks for the last time.
 *
 * The mappings are found as truncation finds those of a file, so that it does not
 * matter what the process does to them (mremap, munmap of a part, exit). amdkfd does
 * not let them be inherited by fork(). A private mapping is left as amdkfd makes it:
 * its stores stay in the process and ring nothing, here and on hardware.
 */
#include "kfdsim.h"

#include <linux/mm.h>

#include "kfd_priv.h"

/* The lower bits of an offset into /dev/kfd; above are the kind of memory and the GPU. */
#define OFFSET_PAGES (1ull << (KFD_MMAP_GPU_ID_SHIFT - PAGE_SHIFT))

static struct kfdsim_device *kdev_of(const struct vm_area_struct *vma)
{
	struct drm_gem_object *gem = vma->vm_private_data;

	return to_kfdsim(drm_to_adev(gem->dev));
}

/* How many mappings there are in a file; arm() walks the files that have any. */
static int count(const struct vm_area_struct *vma, int by)
{
	struct kfdsim_arm *arm = &kdev_of(vma)->arm;
	unsigned long file = (unsigned long)vma->vm_file->f_mapping;
	unsigned long nr;

	guard(mutex)(&arm->lock);
	nr = xa_to_value(xa_load(&arm->files, file)) + by;
	if (nr)
		return xa_err(xa_store(&arm->files, file, xa_mk_value(nr), GFP_KERNEL));
	xa_erase(&arm->files, file);
	return 0;
}

/* A part of a mapping that is there already. */
static void on_open(struct vm_area_struct *vma)
{
	count(vma, 1);
	drm_gem_vm_open(vma);
}

static void on_close(struct vm_area_struct *vma)
{
	count(vma, -1);
	drm_gem_vm_close(vma);
}

static vm_fault_t on_fault(struct vm_fault *vmf)
{
	struct kfdsim_device *kdev = kdev_of(vmf->vma);
	struct kfdsim_bo *bo = gem_to_kfdsim_bo(vmf->vma->vm_private_data);
	unsigned long index = vmf->pgoff % OFFSET_PAGES;
	vm_fault_t r;

	if (index >= bo->nr_pages)
		return VM_FAULT_SIGBUS;
	r = vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(bo->pages[index]));
	/* In this order: see above. */
	atomic64_inc(&kdev->arm.nr_faults);
	WRITE_ONCE(kdev->arm.is_watching, true);
	kfdsim_cp_kick(kdev);
	return r;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.open = on_open,
	.close = on_close,
	.fault = on_fault,
};

int kfdsim_doorbell_mmap(struct kfd_node *dev, struct kfd_process *process,
			 struct vm_area_struct *vma);

/*
 * Where kfd_mmap() of kfd_chardev.c calls kfd_doorbell_mmap(); the build renames that
 * call (see Kbuild). Context: mmap_lock of the process is held for writing; the mapping
 * is not yet among those of the file.
 */
int kfdsim_doorbell_mmap(struct kfd_node *dev, struct kfd_process *process,
			 struct vm_area_struct *vma)
{
	struct kfdsim_device *kdev = to_kfdsim(dev->adev);
	struct amdgpu_bo *abo;
	int r;

	r = kfd_doorbell_mmap(dev, process, vma);
	if (r || !(vma->vm_flags & VM_SHARED))
		return r;
	abo = kfd_get_process_device_data(dev, process)->qpd.proc_doorbells;
	vma->vm_private_data = &abo->tbo.base;
	r = count(vma, 1);
	if (r)
		return r;
	/* amdkfd ignores the lower bits. */
	vma->vm_pgoff -= vma->vm_pgoff % OFFSET_PAGES;
	WRITE_ONCE(kdev->arm.first_page, vma->vm_pgoff);
	drm_gem_object_get(&abo->tbo.base);
	vma->vm_ops = &doorbell_vm_ops;
	/* Armed from the start. This also ends the PAT's interest in the mapping. */
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
	return 0;
}

/*
 * In a thread of its own: taking pages out of page tables tells MMU notifiers, and
 * those of this device may wait for the CP.
 */
static void arm(struct work_struct *work)
{
	struct kfdsim_arm *arm = container_of(work, struct kfdsim_arm, work);
	struct kfdsim_device *kdev = container_of(arm, struct kfdsim_device, arm);
	unsigned long file;
	void *nr;

	/* Before pages go out, or a fault that puts one back could be overwritten: see above. */
	smp_store_mb(arm->is_watching, false);
	/* A mapping that is counted keeps its file, and cannot leave while we are here. */
	mutex_lock(&arm->lock);
	xa_for_each(&arm->files, file, nr)
		unmap_mapping_pages((struct address_space *)file, READ_ONCE(arm->first_page),
				    KFDSIM_BAR_BYTES >> PAGE_SHIFT, true);
	mutex_unlock(&arm->lock);
	kfdsim_cp_kick(kdev);
}

/*
 * Let the next store to any doorbell fault. Context: any. The CP has to go on looking while
 * @is_watching is true, and to look once more when it is kicked.
 */
void kfdsim_arm_start(struct kfdsim_device *kdev)
{
	schedule_work(&kdev->arm.work);
}

void kfdsim_arm_init(struct kfdsim_device *kdev)
{
	mutex_init(&kdev->arm.lock);
	xa_init(&kdev->arm.files);
	INIT_WORK(&kdev->arm.work, arm);
	/* No store of a process faults here if the driver's mappings are its own. */
	kdev->arm.is_watching = KFDSIM_LOOKS;
}

/* No process has this device any more. The CP may still ask for arming, in vain. */
void kfdsim_arm_fini(struct kfdsim_device *kdev)
{
	disable_work_sync(&kdev->arm.work);
	if (!xa_empty(&kdev->arm.files))
		dev_err(kdev->adev.dev, "kfdsim: doorbell mappings leaked\n");
	xa_destroy(&kdev->arm.files);
}
