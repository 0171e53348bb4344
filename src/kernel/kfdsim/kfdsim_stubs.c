// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Symbols of amdgpu that amdkfd links to and that need no behaviour here: module
 * parameters, inventory, features this GPU lacks, other generations of hardware.
 */
#include "kfdsim.h"

#include <linux/version.h>

#include "amdgpu_mes.h"
#include "amdgpu_ras.h"
#include "amdgpu_xcp.h"
#include "kfd_priv.h"

/* Module parameters of amdgpu, with its defaults (amdgpu_drv.c). */
int sched_policy = KFD_SCHED_POLICY_HWS;
module_param_unsafe(sched_policy, int, 0444);
MODULE_PARM_DESC(sched_policy, "0 HWS (default), 1 HWS without oversubscription, 2 no HWS");
int hws_max_conc_proc = -1;
module_param(hws_max_conc_proc, int, 0444);
MODULE_PARM_DESC(hws_max_conc_proc, "processes the firmware maps at a time, -1 = all VMIDs");
int cwsr_enable = 1;
module_param(cwsr_enable, int, 0444);
MODULE_PARM_DESC(cwsr_enable, "save and restore waves: 1 (default)");
int max_num_of_queues_per_device = KFD_MAX_NUM_OF_QUEUES_PER_DEVICE_DEFAULT;
module_param(max_num_of_queues_per_device, int, 0444);
MODULE_PARM_DESC(max_num_of_queues_per_device, "4096 by default");
int queue_preemption_timeout_ms = 9000;
module_param(queue_preemption_timeout_ms, int, 0644);
MODULE_PARM_DESC(queue_preemption_timeout_ms, "after that an unmap has failed: 9000");
int send_sigterm;
module_param(send_sigterm, int, 0444);
MODULE_PARM_DESC(send_sigterm, "SIGTERM a process for an exception that is not handled: 0");
int halt_if_hws_hang;
module_param(halt_if_hws_hang, int, 0644);
MODULE_PARM_DESC(halt_if_hws_hang, "stop when the firmware hangs: 0");
bool debug_evictions;
module_param(debug_evictions, bool, 0644);
MODULE_PARM_DESC(debug_evictions, "print why a process is evicted: 0");
bool hws_gws_support;
int amdgpu_no_queue_eviction_on_vm_fault;
int amdgpu_emu_mode;
int amdgpu_exp_hw_support;
int amdgpu_use_xgmi_p2p = 1;
uint amdgpu_sdma_phase_quantum = 32;

const char *amdgpu_asic_name[] = {
	[0 ... CHIP_LAST - 1] = "UNKNOWN",
	[CHIP_ALDEBARAN] = "ALDEBARAN",
	[CHIP_IP_DISCOVERY] = "IP DISCOVERY",
	[CHIP_LAST] = "LAST",
};

/* Callback tables of generations that no profile has. */
const struct kfd2kgd_calls gfx_v7_kfd2kgd;
const struct kfd2kgd_calls gfx_v8_kfd2kgd;
const struct kfd2kgd_calls gfx_v9_kfd2kgd;
const struct kfd2kgd_calls arcturus_kfd2kgd;
const struct kfd2kgd_calls gfx_v10_kfd2kgd;
const struct kfd2kgd_calls gfx_v10_3_kfd2kgd;
const struct kfd2kgd_calls gfx_v11_kfd2kgd;
const struct kfd2kgd_calls gfx_v12_kfd2kgd;

/* Inventory. */

uint32_t amdgpu_amdkfd_get_fw_version(struct amdgpu_device *adev, enum kgd_engine_type type)
{
	return 78;	/* older than what accepts a grace period of 0 on any part */
}

uint64_t amdgpu_amdkfd_get_gpu_clock_counter(struct amdgpu_device *adev)
{
	return ktime_get_ns() / 10;	/* 100 MHz */
}

uint32_t amdgpu_amdkfd_get_max_engine_clock_in_mhz(struct amdgpu_device *adev)
{
	return to_kfdsim(adev)->profile->clock_khz / 1000;
}

int amdgpu_amdkfd_get_pcie_bandwidth_mbytes(struct amdgpu_device *adev, bool is_min)
{
	return 31504;	/* PCIe 4.0 x16 */
}

int amdgpu_amdkfd_get_xgmi_bandwidth_mbytes(struct amdgpu_device *dst, struct amdgpu_device *src,
					    bool is_min)
{
	return 0;
}

uint8_t amdgpu_amdkfd_get_xgmi_hops_count(struct amdgpu_device *dst, struct amdgpu_device *src)
{
	return 1;
}

bool amdgpu_amdkfd_have_atomics_support(struct amdgpu_device *adev) { return true; }
uint64_t amdgpu_dpm_get_thermal_throttling_counter(struct amdgpu_device *adev) { return 0; }
bool amdgpu_sriov_xnack_support(struct amdgpu_device *adev) { return true; }

/* 4 pipes of 8 queues, on the first MEC: see kfdsim_device.c. */
void amdgpu_queue_mask_bit_to_mec_queue(struct amdgpu_device *adev, int bit, int *mec, int *pipe,
					int *queue)
{
	*queue = bit % adev->gfx.mec.num_queue_per_pipe;
	*pipe = bit / adev->gfx.mec.num_queue_per_pipe % adev->gfx.mec.num_pipe_per_mec;
	*mec = bit / adev->gfx.mec.num_queue_per_pipe / adev->gfx.mec.num_pipe_per_mec;
}

int amdgpu_queue_mask_bit_to_set_resource_bit(struct amdgpu_device *adev, int queue_bit)
{
	return queue_bit;
}

int amdgpu_xcp_get_inst_details(struct amdgpu_xcp *xcp, enum AMDGPU_XCP_IP_BLOCK ip,
				uint32_t *inst_mask)
{
	return -EINVAL;	/* one node for all XCCs: there are no partitions */
}

int amdgpu_xcp_query_partition_mode(struct amdgpu_xcp_mgr *xcp_mgr, u32 flags)
{
	return AMDGPU_SPX_PARTITION_MODE;
}

/* Features this GPU lacks. */

int amdgpu_amdkfd_alloc_gws(struct amdgpu_device *adev, size_t size, void **mem_obj)
{
	*mem_obj = adev;	/* a token; only add_gws_to_process() would look at it */
	return 0;
}

void amdgpu_amdkfd_free_gws(struct amdgpu_device *adev, void *mem_obj) { }

int amdgpu_amdkfd_add_gws_to_process(void *info, void *gws, struct kgd_mem **mem)
{
	return -EINVAL;
}

int amdgpu_amdkfd_remove_gws_from_process(void *info, void *mem) { return -EINVAL; }
void amdgpu_amdkfd_block_mmu_notifications(void *p) { }
int amdgpu_amdkfd_criu_resume(void *p) { return -EINVAL; }

/* The buffer of amdgpu_amdkfd_get_dmabuf_info() became an output. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 96)
#define METADATA void **metadata_buffer
#else
#define METADATA void *metadata_buffer
#endif

int amdgpu_amdkfd_get_dmabuf_info(struct amdgpu_device *adev, int dma_buf_fd,
				  struct amdgpu_device **dmabuf_adev, uint64_t *bo_size,
				  METADATA, size_t buffer_size, uint32_t *metadata_size,
				  uint32_t *flags, int8_t *xcp_id)
{
	return -EINVAL;
}

int amdgpu_amdkfd_gpuvm_export_dmabuf(struct kgd_mem *mem, struct dma_buf **dmabuf)
{
	return -EINVAL;
}

int amdgpu_amdkfd_gpuvm_import_dmabuf_fd(struct amdgpu_device *adev, int fd, uint64_t va,
					 void *drm_priv, struct kgd_mem **mem, uint64_t *size,
					 uint64_t *mmap_offset)
{
	return -EINVAL;
}

int amdgpu_amdkfd_get_tile_config(struct amdgpu_device *adev, struct tile_config *config)
{
	return -EINVAL;
}

int amdgpu_ttm_tt_get_userptr(const struct ttm_buffer_object *tbo, uint64_t *user_addr)
{
	return -EINVAL;
}

struct amdgpu_task_info *amdgpu_vm_get_task_info_pasid(struct amdgpu_device *adev, u32 pasid)
{
	return NULL;
}

void amdgpu_vm_put_task_info(struct amdgpu_task_info *task_info) { }

/* Errors of memory (RAS) are not simulated. */

bool amdgpu_amdkfd_is_fed(struct amdgpu_device *adev) { return false; }

void amdgpu_amdkfd_ras_poison_consumption_handler(struct amdgpu_device *adev,
						  enum amdgpu_ras_block block, uint32_t reset)
{
}

void amdgpu_amdkfd_ras_pasid_poison_consumption_handler(struct amdgpu_device *adev,
							enum amdgpu_ras_block block,
							uint16_t pasid, pasid_notify pasid_fn,
							void *data, uint32_t reset)
{
}

u64 amdgpu_ras_acquire_event_id(struct amdgpu_device *adev, enum ras_event_type type) { return 0; }

int amdgpu_ras_mark_ras_event_caller(struct amdgpu_device *adev, enum ras_event_type type,
				     const void *caller)
{
	return 0;
}

void amdgpu_ras_event_log_print(struct amdgpu_device *adev, u64 event_id, const char *fmt, ...) { }

/* Caches and power states are not simulated. */

void amdgpu_amdkfd_debug_mem_fence(struct amdgpu_device *adev) { }
void amdgpu_amdkfd_set_compute_idle(struct amdgpu_device *adev, bool idle) { }
void amdgpu_device_flush_hdp(struct amdgpu_device *adev, struct amdgpu_ring *ring) { }
void amdgpu_gfx_off_ctrl(struct amdgpu_device *adev, bool enable) { }

/* NO_HWS: flush by a command buffer on a kernel ring, of which there is none. */
int amdgpu_amdkfd_submit_ib(struct amdgpu_device *adev, enum kgd_engine_type engine, uint32_t vmid,
			    uint64_t gpu_addr, uint32_t *ib_cmd, uint32_t ib_len)
{
	return 0;
}

/* Other generations of hardware: gfx7 faults, the MES of gfx11 and later. */

int amdgpu_amdkfd_gpuvm_get_vm_fault_info(struct amdgpu_device *adev,
					  struct kfd_vm_fault_info *mem)
{
	return -EINVAL;
}

int amdgpu_amdkfd_map_gtt_bo_to_gart(struct amdgpu_bo *bo, struct amdgpu_bo **bo_gart)
{
	return -EINVAL;
}

int amdgpu_mes_doorbell_process_slice(struct amdgpu_device *adev) { return PAGE_SIZE; }

int amdgpu_mes_flush_shader_debugger(struct amdgpu_device *adev, uint64_t process_context_addr)
{
	return -EINVAL;
}

int amdgpu_mes_set_shader_debugger(struct amdgpu_device *adev, uint64_t process_context_addr,
				   uint32_t spi_gdbg_per_vmid_cntl,
				   const uint32_t *tcp_watch_cntl, uint32_t flags, bool trap_en)
{
	return -EINVAL;
}

int amdgpu_mes_suspend(struct amdgpu_device *adev) { return -EINVAL; }
int amdgpu_mes_resume(struct amdgpu_device *adev) { return -EINVAL; }
