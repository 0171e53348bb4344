// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * One simulated GPU: a struct amdgpu_device filled as far as amdkfd reads it,
 * from a profile of gpu/. The order of probe and remove is that of amdgpu_device.c
 * and amdgpu_amdkfd.c.
 */
#include "kfdsim.h"

#include <drm/drm_drv.h>
#include <linux/pci.h>

#define NR_PIPES 4
#define QUEUES_PER_PIPE 8
#define NR_SDMA 2
#define NR_VMIDS KFDSIM_NR_VMIDS

/* Of machine code in one call: some milliseconds of an emulated processor, under cp.lock. */
#define MAX_INSTRUCTIONS 4096

static u32 nr_slots(const struct gpu_profile *p)
{
	return kfdsim_slots ?: p->nr_slots;
}

static u32 nr_vmids(const struct gpu_profile *p)
{
	return kfdsim_vmids ?: p->nr_vmids;
}

static bool is_gfx90a(const struct gpu_profile *p)
{
	return p->gfx_version == 90010;
}

static enum amdgpu_pkg_type get_pkg_type(struct amdgpu_device *adev)
{
	return AMDGPU_PKG_TYPE_OAM;
}

static const struct amdgpu_smuio_funcs smuio_funcs = { .get_pkg_type = get_pkg_type };

static enum amdgpu_memory_partition query_mem_partition_mode(struct amdgpu_device *adev)
{
	return AMDGPU_NPS1_PARTITION_MODE;
}

static const struct amdgpu_gmc_funcs gmc_funcs = {
	.query_mem_partition_mode = query_mem_partition_mode,
};

static void fill_ids(struct kfdsim_device *kdev)
{
	struct amdgpu_device *adev = &kdev->adev;

	adev->rev_id = 1;
	/* Chosen so that gpu_id, a hash of it and the bus, differs (kfd_topology.c). */
	adev->unique_id = 0x6770000000000000ull + kdev->index;
	if (is_gfx90a(kdev->profile)) {
		adev->asic_type = CHIP_ALDEBARAN;
		adev->ip_versions[GC_HWIP][0] = IP_VERSION(9, 4, 2);
		adev->ip_versions[SDMA0_HWIP][0] = IP_VERSION(4, 4, 0);
	} else {
		adev->asic_type = CHIP_IP_DISCOVERY;
		adev->ip_versions[GC_HWIP][0] = IP_VERSION(9, 4, 3);
		adev->ip_versions[SDMA0_HWIP][0] = IP_VERSION(4, 4, 2);
	}
	adev->smuio.funcs = &smuio_funcs;
}

/* CUs spread evenly over the shader engines of an XCC, the rest on the first. */
static void fill_cus(struct kfdsim_device *kdev)
{
	const struct gpu_profile *p = kdev->profile;
	struct amdgpu_gfx *gfx = &kdev->adev.gfx;
	u32 xcc, se;

	gfx->config.max_shader_engines = p->se_per_xcc;
	gfx->config.max_sh_per_se = 1;
	gfx->config.max_cu_per_sh = DIV_ROUND_UP(p->cu_per_xcc, p->se_per_xcc);
	gfx->cu_info.number = p->cu_per_xcc * p->nr_xcc;
	gfx->cu_info.simd_per_cu = p->simd_per_cu;
	gfx->cu_info.max_waves_per_simd = p->waves_per_simd;
	gfx->cu_info.wave_front_size = 64;
	gfx->cu_info.max_scratch_slots_per_cu = 32;
	gfx->cu_info.lds_size = p->lds_bytes_per_cu >> 10;
	for (xcc = 0; xcc < p->nr_xcc; xcc++)
		for (se = 0; se < p->se_per_xcc; se++)
			/* amdgpu folds 8 engines of one array into 4 of two. */
			gfx->cu_info.bitmap[xcc][se % 4][se / 4] =
				(1u << gpu_profile_se_cus(p, se)) - 1;
}

static void fill_gfx(struct kfdsim_device *kdev)
{
	const struct gpu_profile *p = kdev->profile;
	struct amdgpu_gfx *gfx = &kdev->adev.gfx;

	gfx->xcc_mask = (1u << p->nr_xcc) - 1;
	gfx->num_xcc_per_xcp = p->nr_xcc;
	gfx->mec.num_mec = 2;
	gfx->mec.num_pipe_per_mec = NR_PIPES;
	gfx->mec.num_queue_per_pipe = QUEUES_PER_PIPE;
	/* Cache sizes of gfx 9.4.3 come from here, in KiB (CDNA3 ISA manual). */
	gfx->config.gc_tcp_size_per_cu = 32;
	gfx->config.gc_l1_instruction_cache_size_per_sqc = 64;
	gfx->config.gc_l1_data_cache_size_per_sqc = 16;
	gfx->config.gc_num_cu_per_sqc = 2;
	gfx->config.gc_tcc_size = 4096;
	fill_cus(kdev);
}

static void fill_memory(struct kfdsim_device *kdev)
{
	struct amdgpu_device *adev = &kdev->adev;

	kdev->vram_bytes = (u64)kfdsim_vram_mb << 20;
	adev->gmc.real_vram_size = kdev->vram_bytes;
	adev->gmc.visible_vram_size = kdev->vram_bytes;
	adev->gmc.noretry = 1;
	adev->gmc.gmc_funcs = &gmc_funcs;
	adev->vm_manager.max_pfn = 1ull << (48 - AMDGPU_GPU_PAGE_SHIFT);
	adev->vm_manager.first_kfd_vmid = NR_VMIDS - nr_vmids(kdev->profile);
	adev->gds.gws_size = 64;
	adev->sdma.num_instances = NR_SDMA;
	spin_lock_init(&adev->mman.bdev.lru_lock);
	/* The lock is ours; the array must not take one of its own with irqs on. */
	xa_init(&kdev->vms);
}

static void fill_resources(struct kfdsim_device *kdev, struct kgd2kfd_shared_resources *res)
{
	struct amdgpu_device *adev = &kdev->adev;
	u32 vmids = nr_vmids(kdev->profile);

	res->compute_vmid_bitmap = ((1u << vmids) - 1) << (NR_VMIDS - vmids);
	res->num_pipe_per_mec = NR_PIPES;
	res->num_queue_per_pipe = QUEUES_PER_PIPE;
	bitmap_set(res->cp_queue_bitmap, 0, nr_slots(kdev->profile));
	res->gpuvm_size = AMDGPU_GMC_HOLE_START;
	res->drm_render_minor = adev->ddev.render->index;
	res->sdma_doorbell_idx = adev->doorbell_index.sdma_engine;
	res->doorbell_physical_address = adev->doorbell.base;
	res->doorbell_aperture_size = adev->doorbell.size;
	/* amdgpu_doorbell.h: what SDMA, IH and VCN have, in 64-bit doorbells */
	res->non_cp_doorbells_start = AMDGPU_DOORBELL_LAYOUT1_FIRST_NON_CP;
	res->non_cp_doorbells_end = AMDGPU_DOORBELL_LAYOUT1_LAST_NON_CP;
}

static void fill_doorbell_index(struct amdgpu_device *adev)
{
	u32 i;

	/*
	 * vega20_reg_init.c: vega20_doorbell_index_init, and the same numbers in aqua_vanjaram.c.
	 * In doorbells of 64 bits: twice as much would put an engine's odd queues, 512 behind the
	 * even ones (kfd_device_queue_manager.c), out of the slice of their process.
	 */
	for (i = 0; i < NR_SDMA; i++)
		adev->doorbell_index.sdma_engine[i] =
			AMDGPU_VEGA20_DOORBELL_sDMA_ENGINE0 + i * 0xa;
	adev->doorbell_index.sdma_doorbell_range = 20;
}

static int start_kfd(struct kfdsim_device *kdev)
{
	struct kgd2kfd_shared_resources res = {};
	struct amdgpu_device *adev = &kdev->adev;

	fill_resources(kdev, &res);
	adev->kfd.dev = kgd2kfd_probe(adev, false);
	if (!adev->kfd.dev)
		return -ENODEV;
	adev->kfd.init_complete = kgd2kfd_device_init(adev->kfd.dev, &res);
	if (adev->kfd.init_complete)
		return 0;
	kfdsim_reset_stop(kdev);
	kgd2kfd_device_exit(adev->kfd.dev);
	adev->kfd.dev = NULL;
	return -EIO;
}

static int create_cp(struct kfdsim_device *kdev)
{
	struct gpu_config config = {
		.profile = kdev->profile,
		.engine = kfdsim_engine,
		.nr_slots = nr_slots(kdev->profile),
		.nr_vmids = nr_vmids(kdev->profile),
		.max_wave_bytes = (u64)kfdsim_wave_mb << 20,
		.slice = kfdsim_slice,
		.max_instructions = MAX_INSTRUCTIONS,
	};

	if (!strcmp(kfdsim_handler, "shortcut"))
		config.handler = GPU_HANDLER_SHORTCUT;
	else if (strcmp(kfdsim_handler, "run"))
		return -EINVAL;
	kdev->cp.host.ops = &kfdsim_host_ops;
	mutex_init(&kdev->cp.lock);
	return gpu_create(&config, &kdev->cp.host, &kdev->cp.gpu);
}

static void fill(struct kfdsim_device *kdev, struct pci_dev *pdev)
{
	kdev->adev.dev = &pdev->dev;
	kdev->adev.pdev = pdev;
	fill_ids(kdev);
	fill_gfx(kdev);
	fill_memory(kdev);
	fill_doorbell_index(&kdev->adev);
	kfdsim_gart_init(kdev);
}

/* Start a GPU and give it to amdkfd. */
int kfdsim_device_probe(struct pci_dev *pdev, const struct gpu_profile *profile, unsigned int index)
{
	struct kfdsim_device *kdev;
	int r;

	kdev = devm_drm_dev_alloc(&pdev->dev, &kfdsim_drm_driver, struct kfdsim_device, adev.ddev);
	if (IS_ERR(kdev))
		return PTR_ERR(kdev);
	pci_set_drvdata(pdev, kdev);
	kdev->profile = profile;
	kdev->index = index;
	fill(kdev, pdev);
	r = kfdsim_reset_init(kdev);
	if (r)
		return r;
	r = kfdsim_doorbell_init(kdev);
	if (r)
		goto err_reset;
	r = create_cp(kdev);
	if (r)
		goto err_doorbell;
	r = kfdsim_cp_start(kdev);
	if (r)
		goto err_gpu;
	r = drm_dev_register(adev_to_drm(&kdev->adev), 0);
	if (r)
		goto err_cp;
	r = start_kfd(kdev);
	if (r)
		goto err_drm;
	kfdsim_debugfs_add(kdev);
	return 0;

err_drm:
	drm_dev_unregister(adev_to_drm(&kdev->adev));
err_cp:
	kfdsim_cp_stop(kdev);
err_gpu:
	gpu_destroy(kdev->cp.gpu);
err_doorbell:
	kfdsim_doorbell_fini(kdev);
err_reset:
	kfdsim_reset_fini(kdev);
	return r;
}

void kfdsim_device_remove(struct pci_dev *pdev)
{
	struct kfdsim_device *kdev = pci_get_drvdata(pdev);

	kfdsim_debugfs_remove(kdev);
	kfdsim_reset_stop(kdev);
	kgd2kfd_device_exit(kdev->adev.kfd.dev);
	kdev->adev.kfd.dev = NULL;
	drm_dev_unregister(adev_to_drm(&kdev->adev));
	kfdsim_cp_stop(kdev);
	gpu_destroy(kdev->cp.gpu);
	kfdsim_reset_fini(kdev);
	kfdsim_doorbell_fini(kdev);
	kfdsim_gart_fini(kdev);
	if (atomic64_read(&kdev->vram_used) || !xa_empty(&kdev->vms))
		dev_err(&pdev->dev, "kfdsim: leaked: %lld bytes of VRAM, VMs %s\n",
			(s64)atomic64_read(&kdev->vram_used),
			xa_empty(&kdev->vms) ? "none" : "some");
	xa_destroy(&kdev->vms);
}
