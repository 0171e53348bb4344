// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whole-GPU reset. amdkfd asks for it when the firmware no longer answers
 * (kfd_device_queue_manager.c: kfd_hws_hang). What amdgpu_device_gpu_recover()
 * does to compute: lock out, tell amdkfd, reset, tell amdkfd.
 */
#include "kfdsim.h"

static void reset(struct work_struct *work)
{
	struct amdgpu_device *adev = container_of(work, struct amdgpu_device, kfd.reset_work);
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct amdgpu_reset_context context = {
		.method = AMD_RESET_METHOD_NONE,
		.reset_req_dev = adev,
		.src = AMDGPU_RESET_SRC_HWS,
	};

	dev_info(adev->dev, "GPU reset begin!\n");
	atomic_set(&kdev->reset_domain.in_gpu_reset, 1);
	down_write(&kdev->reset_domain.sem);
	kgd2kfd_pre_reset(adev->kfd.dev, &context);
	scoped_guard(mutex, &kdev->cp.lock) {
		gpu_reset(kdev->cp.gpu, kfdsim_cp_now(&kdev->cp));
		kdev->cp.hiq_doorbell = 0;
		kdev->cp.nr_mapped = 0;
	}
	atomic_set(&kdev->reset_domain.in_gpu_reset, 0);
	up_write(&kdev->reset_domain.sem);
	if (kgd2kfd_post_reset(adev->kfd.dev))
		dev_err(adev->dev, "kfdsim: amdkfd did not come back after the reset\n");
	else
		dev_info(adev->dev, "GPU reset(1) succeeded!\n");
}

/* A file that asked for it and was closed need not be waited for. */
#define LOCK_OUT_MAX (10 * HZ)

static void lock_out(struct work_struct *work)
{
	struct kfdsim_lock_out *l = container_of(work, struct kfdsim_lock_out, work);
	struct kfdsim_device *kdev = container_of(l, struct kfdsim_device, lock_out);

	down_write(&kdev->reset_domain.sem);
	complete(&l->begun);
	wait_for_completion_timeout(&l->end, LOCK_OUT_MAX);
	up_write(&kdev->reset_domain.sem);
}

int kfdsim_reset_lock_out(struct kfdsim_device *kdev, bool begin)
{
	struct kfdsim_lock_out *l = &kdev->lock_out;

	if (!begin) {
		complete(&l->end);
		flush_work(&l->work);
		return 0;
	}
	if (work_busy(&l->work))
		return -EBUSY;
	reinit_completion(&l->begun);
	reinit_completion(&l->end);
	schedule_work(&l->work);
	wait_for_completion(&l->begun);
	return 0;
}

void amdgpu_amdkfd_gpu_reset(struct amdgpu_device *adev)
{
	/* A device that amdkfd takes apart need not come back. */
	if (READ_ONCE(to_kfdsim(adev)->is_leaving))
		return;
	queue_work(adev->reset_domain->wq, &adev->kfd.reset_work);
}

int kfdsim_reset_init(struct kfdsim_device *kdev)
{
	struct amdgpu_reset_domain *domain = &kdev->reset_domain;

	init_rwsem(&domain->sem);
	atomic_set(&domain->in_gpu_reset, 0);
	domain->wq = alloc_ordered_workqueue("kfdsim-reset", 0);
	if (!domain->wq)
		return -ENOMEM;
	kdev->adev.reset_domain = domain;
	INIT_WORK(&kdev->adev.kfd.reset_work, reset);
	INIT_WORK(&kdev->lock_out.work, lock_out);
	init_completion(&kdev->lock_out.begun);
	init_completion(&kdev->lock_out.end);
	return 0;
}

/* Before amdkfd lets go of the device: what is under way ends, and no other begins. */
void kfdsim_reset_stop(struct kfdsim_device *kdev)
{
	scoped_guard(mutex, &kdev->cp.lock)
		WRITE_ONCE(kdev->is_leaving, true);
	kfdsim_reset_lock_out(kdev, false);
	flush_workqueue(kdev->reset_domain.wq);
}

void kfdsim_reset_fini(struct kfdsim_device *kdev)
{
	destroy_workqueue(kdev->reset_domain.wq);
}

void amdgpu_reset_get_desc(struct amdgpu_reset_context *rst_ctxt, char *buf, size_t len)
{
	strscpy(buf, "HWS hang", len);
}
