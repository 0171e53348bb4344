// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The render node: open makes a GPU address space, mmap reaches buffers, and
 * AMDGPU_INFO answers what libdrm and ROCr ask before they trust a device.
 */
#include "kfdsim.h"

#include <drm/amdgpu_drm.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.mmap = drm_gem_mmap,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

static int answer(struct drm_amdgpu_info *info, const void *data, size_t bytes)
{
	void __user *out = u64_to_user_ptr(info->return_pointer);

	return copy_to_user(out, data, min_t(size_t, info->return_size, bytes)) ? -EFAULT : 0;
}

static void fill_dev_info(struct kfdsim_device *kdev, struct drm_amdgpu_info_device *out)
{
	const struct gpu_profile *p = kdev->profile;

	out->device_id = kdev->adev.pdev->device;
	out->chip_rev = kdev->adev.rev_id;
	out->family = AMDGPU_FAMILY_AI;
	out->num_shader_engines = p->se_per_xcc;
	out->num_shader_arrays_per_engine = 1;
	out->cu_active_number = p->cu_per_xcc * p->nr_xcc;
	out->wave_front_size = 64;
	out->max_engine_clock = p->clock_khz;
	out->gpu_counter_freq = 100000;	/* kHz: soc15.c, soc15_get_xclk */
	/* amdgpu_kms.c: the first 2 MiB are reserved, the hole starts at 47 bits. */
	out->virtual_address_offset = AMDGPU_VA_RESERVED_BOTTOM;
	out->virtual_address_max = AMDGPU_GMC_HOLE_START;
	out->virtual_address_alignment = PAGE_SIZE;
	out->pte_fragment_size = 1 << 21;
	out->gart_page_size = AMDGPU_GPU_PAGE_SIZE;
	out->high_va_offset = AMDGPU_GMC_HOLE_END;
	out->high_va_max = AMDGPU_GMC_HOLE_END | (AMDGPU_GMC_HOLE_START - 1);
	out->vram_type = AMDGPU_VRAM_TYPE_HBM;
	out->vram_bit_width = 4096;
}

static int answer_dev_info(struct kfdsim_device *kdev, struct drm_amdgpu_info *info)
{
	struct drm_amdgpu_info_device *out = kzalloc(sizeof(*out), GFP_KERNEL);
	int r;

	if (!out)
		return -ENOMEM;
	fill_dev_info(kdev, out);
	r = answer(info, out, sizeof(*out));
	kfree(out);
	return r;
}

static int info_ioctl(struct drm_device *ddev, void *data, struct drm_file *file)
{
	struct kfdsim_device *kdev = to_kfdsim(drm_to_adev(ddev));
	struct drm_amdgpu_info *info = data;
	u64 zeros[16] = {};
	u32 yes = 1;

	switch (info->query) {
	case AMDGPU_INFO_ACCEL_WORKING:
		return answer(info, &yes, sizeof(yes));
	case AMDGPU_INFO_DEV_INFO:
		return answer_dev_info(kdev, info);
	case AMDGPU_INFO_READ_MMR_REG:
		/* libdrm reads GB_ADDR_CONFIG and tiling modes: graphics only. */
		return answer(info, zeros,
			      min_t(size_t, sizeof(zeros), 4ul * info->read_mmr_reg.count));
	default:
		return -EINVAL;
	}
}

static const struct drm_ioctl_desc ioctls[] = {
	DRM_IOCTL_DEF_DRV(AMDGPU_INFO, info_ioctl, DRM_RENDER_ALLOW),
};

const struct drm_driver kfdsim_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER,
	.open = kfdsim_vm_open,
	.postclose = kfdsim_vm_close,
	.ioctls = ioctls,
	.num_ioctls = ARRAY_SIZE(ioctls),
	.fops = &fops,
	/* What libdrm and libhsakmt look for. */
	.name = "amdgpu",
	.desc = "AMD GPU (simulated)",
	.date = "20150101",
	.major = 3,
	.minor = 59,
};

int amdgpu_file_to_fpriv(struct file *filp, struct amdgpu_fpriv **fpriv)
{
	struct drm_file *file;

	if (filp->f_op != &fops)
		return -EINVAL;
	file = filp->private_data;
	*fpriv = file->driver_priv;
	return 0;
}
