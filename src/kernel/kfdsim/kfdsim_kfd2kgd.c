// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The callback tables: what amdkfd does to registers of the compute engine, done
 * to the model instead. gfx 9.4.2 and 9.4.3 need the same here; the model treats
 * all XCCs of a node as one, so calls for an XCC other than the first are no-ops.
 */
#include "kfdsim.h"

#include "gpu/mqd.h"
#include "gpu/pm4.h"
#include "gpu/inspect.h"
#include "kfd_device_queue_manager.h"
#include "kfd_priv.h"

#define QUEUES_PER_PIPE 8
#define POLL_US 100

static u32 slot_of(u32 pipe, u32 queue) { return pipe * QUEUES_PER_PIPE + queue; }
static u32 mqd_word(const void *mqd, u32 offset) { return *(const u32 *)(mqd + offset); }

/* The driver gives its own pointer; the model reads the MQD through the GART. */
static u64 mqd_gart(const void *mqd)
{
	return mqd_word(mqd, GPU_MQD_BASE_LO) | (u64)mqd_word(mqd, GPU_MQD_BASE_HI) << 32;
}

static u32 mqd_doorbell(const void *mqd)
{
	return mqd_word(mqd, GPU_MQD_DOORBELL_CONTROL) >> 2 & 0x3ffffff;
}

static int hiq_mqd_load(struct amdgpu_device *adev, void *mqd, uint32_t pipe, uint32_t queue,
			uint32_t doorbell_off, uint32_t inst)
{
	struct kfdsim_cp *cp = &to_kfdsim(adev)->cp;
	int r;

	if (inst)
		return 0;
	guard(mutex)(&cp->lock);
	r = gpu_hiq_load(cp->gpu, mqd_gart(mqd), kfdsim_cp_now(cp));
	if (!r)
		cp->hiq_doorbell = mqd_doorbell(mqd);
	return r;
}

/* Called when the HIQ has been told to unmap everything. */
int amdgpu_amdkfd_unmap_hiq(struct amdgpu_device *adev, u32 doorbell_off, u32 inst)
{
	struct kfdsim_cp *cp = &to_kfdsim(adev)->cp;

	if (inst)
		return 0;
	guard(mutex)(&cp->lock);
	cp->hiq_doorbell = 0;
	return 0;
}

static u32 pasid_of_vmid(struct amdgpu_device *adev, u32 vmid)
{
	/* NO_HWS: amdkfd itself keeps the table (kfd_device_queue_manager.c). */
	return adev->kfd.dev->nodes[0]->dqm->vmid_pasid[vmid];
}

static int hqd_load(struct amdgpu_device *adev, void *mqd, uint32_t pipe, uint32_t queue,
		    uint32_t __user *wptr, uint32_t wptr_shift, uint32_t wptr_mask,
		    struct mm_struct *mm, uint32_t inst)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	u32 vmid = mqd_word(mqd, GPU_MQD_VMID);

	if (inst)
		return 0;
	guard(mutex)(&kdev->cp.lock);
	kfdsim_cp_kick(kdev);
	return gpu_hqd_load(kdev->cp.gpu, slot_of(pipe, queue), pasid_of_vmid(adev, vmid), vmid,
			    mqd_gart(mqd), kfdsim_cp_now(&kdev->cp));
}

static bool is_slot_active(struct kfdsim_device *kdev, u32 slot)
{
	guard(mutex)(&kdev->cp.lock);
	gpu_advance(kdev->cp.gpu, kfdsim_cp_now(&kdev->cp));
	return gpu_hqd_is_active(kdev->cp.gpu, slot);
}

static enum gpu_dequeue dequeue_of(enum kfd_preempt_type type)
{
	switch (type) {
	case KFD_PREEMPT_TYPE_WAVEFRONT_RESET:
		return GPU_DEQUEUE_RESET;
	case KFD_PREEMPT_TYPE_WAVEFRONT_SAVE:
		return GPU_DEQUEUE_SAVE;
	default:
		return GPU_DEQUEUE_DRAIN;
	}
}

/* Return: 0 after a moment, or -ETIME: no time is left. */
static int wait_a_moment(unsigned long end)
{
	if (time_after(jiffies, end))
		return -ETIME;
	usleep_range(POLL_US, 2 * POLL_US);
	return 0;
}

static int dequeue(struct kfdsim_device *kdev, u32 slot, enum gpu_dequeue how)
{
	guard(mutex)(&kdev->cp.lock);
	kfdsim_cp_kick(kdev);
	return gpu_hqd_dequeue(kdev->cp.gpu, slot, how, kfdsim_cp_now(&kdev->cp));
}

/*
 * Hardware notes the request and heeds it once the queue has been loaded; the model refuses
 * meanwhile, so it is asked again.
 */
static int hqd_destroy(struct amdgpu_device *adev, void *mqd, enum kfd_preempt_type type,
		       unsigned int timeout, uint32_t pipe, uint32_t queue, uint32_t inst)
{
	unsigned long end = jiffies + msecs_to_jiffies(timeout);
	struct kfdsim_device *kdev = to_kfdsim(adev);
	u32 slot = slot_of(pipe, queue);
	int r;

	if (atomic_read(&kdev->reset_domain.in_gpu_reset))
		return -EIO;
	if (inst)
		return 0;
	while ((r = dequeue(kdev, slot, dequeue_of(type))) == -EBUSY)
		if (wait_a_moment(end))
			return -ETIME;
	if (r && r != -ENOENT)
		return r;
	while (is_slot_active(kdev, slot))
		if (wait_a_moment(end))
			return -ETIME;
	return 0;
}

static bool hqd_is_occupied(struct amdgpu_device *adev, uint64_t queue_address, uint32_t pipe,
			    uint32_t queue, uint32_t inst)
{
	return is_slot_active(to_kfdsim(adev), slot_of(pipe, queue));
}

static u64 pq_addr_locked(struct kfdsim_device *kdev, u32 slot)
{
	struct gpu_slot_content info;

	return gpu_slot_info(kdev->cp.gpu, slot, &info) ? info.ring : 0;
}

static uint64_t hqd_get_pq_addr(struct amdgpu_device *adev, uint32_t pipe, uint32_t queue,
				uint32_t inst)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);

	if (inst)
		return 0;
	guard(mutex)(&kdev->cp.lock);
	return pq_addr_locked(kdev, slot_of(pipe, queue));
}

static uint64_t hqd_reset(struct amdgpu_device *adev, uint32_t pipe, uint32_t queue, uint32_t inst,
			  unsigned int utimeout)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	u32 slot = slot_of(pipe, queue);
	u64 addr;

	guard(mutex)(&kdev->cp.lock);
	kfdsim_cp_kick(kdev);
	addr = pq_addr_locked(kdev, slot);
	if (addr && gpu_slot_reset(kdev->cp.gpu, slot, kfdsim_cp_now(&kdev->cp)))
		return 0;
	return addr;
}

/* CP_MQD_BASE_ADDR to CP_HQD_PQ_WPTR_HI: the MQD has them in the same order. */
#define HQD_FIRST_REG 0x1245u	/* gc_9_4_2_offset.h: regCP_MQD_BASE_ADDR */
#define HQD_NR_REGS 56

static int hqd_dump(struct amdgpu_device *adev, uint32_t pipe, uint32_t queue,
		    uint32_t (**dump)[2], uint32_t *n_regs, uint32_t inst)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	struct gpu_slot_content info = {};
	u32 words[HQD_NR_REGS] = {};
	u32 i;

	*dump = kmalloc_array(HQD_NR_REGS, sizeof(**dump), GFP_KERNEL);
	if (!*dump)
		return -ENOMEM;
	scoped_guard(mutex, &kdev->cp.lock)
		if (gpu_slot_info(kdev->cp.gpu, slot_of(pipe, queue), &info))
			kfdsim_gart_copy(kdev, info.mqd + GPU_MQD_BASE_LO, words, sizeof(words),
					 KFDSIM_READ);
	for (i = 0; i < HQD_NR_REGS; i++) {
		(*dump)[i][0] = (HQD_FIRST_REG + i) << 2;
		(*dump)[i][1] = words[i];
	}
	/* CP_HQD_ACTIVE is the third; the MQD's copy is stale while mapped. */
	(*dump)[2][1] = !!info.mqd;
	*n_regs = HQD_NR_REGS;
	return 0;
}

static int sdma_dump(struct amdgpu_device *adev, uint32_t engine, uint32_t queue,
		     uint32_t (**dump)[2], uint32_t *n_regs)
{
	*dump = kmalloc_array(1, sizeof(**dump), GFP_KERNEL);
	*n_regs = 0;
	return *dump ? 0 : -ENOMEM;
}

static void get_cu_occupancy(struct amdgpu_device *adev, struct kfd_cu_occupancy *occupancy,
			     int *max_waves_per_cu, uint32_t inst)
{
	struct kfdsim_device *kdev = to_kfdsim(adev);
	const struct gpu_profile *p = kdev->profile;
	struct gpu_slot_content info;
	u32 slot;

	*max_waves_per_cu = p->simd_per_cu * p->waves_per_simd;
	guard(mutex)(&kdev->cp.lock);
	kdev->cp.nr_occupancy++;
	for (slot = 0; slot < GPU_MAX_SLOTS; slot++) {
		if (!gpu_slot_info(kdev->cp.gpu, slot, &info))
			continue;
		/* amdkfd multiplies by the number of XCCs (kfd_process.c). */
		occupancy[slot].wave_cnt = gpu_waves(kdev->cp.gpu, info.doorbell) / p->nr_xcc;
		occupancy[slot].doorbell_off = info.doorbell;
	}
}

static void get_iq_wait_times(struct amdgpu_device *adev, uint32_t *wait_times, uint32_t inst)
{
	*wait_times = to_kfdsim(adev)->profile->grace_default << GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT;
}

static void build_grace_period_packet_info(struct amdgpu_device *adev, uint32_t wait_times,
					   uint32_t grace_period, uint32_t *reg_offset,
					   uint32_t *reg_data)
{
	/* As amdgpu_amdkfd_gfx_v9.c: 0 means for ever; more than 8 bits are cut off. */
	u32 grace = (grace_period ?: 1) << GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT;

	*reg_data = (wait_times & ~GPU_IQ_WAIT_TIME2_SCH_WAVE_MASK) |
		    (grace & GPU_IQ_WAIT_TIME2_SCH_WAVE_MASK);
	*reg_offset = GPU_REG_CP_IQ_WAIT_TIME2;
}

/* SPI_GDBG_PER_VMID_CNTL goes into MAP_PROCESS; the model does not look at it. */
#define TRAP_EN BIT(3)	/* gc_9_4_2_sh_mask.h */
#define LAUNCH_MODE_SHIFT 1

static uint32_t enable_debug_trap(struct amdgpu_device *adev, bool restore_dbg_registers,
				  uint32_t vmid)
{
	return TRAP_EN;
}

static uint32_t disable_debug_trap(struct amdgpu_device *adev, bool keep_trap_enabled,
				   uint32_t vmid)
{
	return keep_trap_enabled ? TRAP_EN : 0;
}

static int validate_trap_override_request(struct amdgpu_device *adev, uint32_t trap_override,
					  uint32_t *trap_mask_supported)
{
	/* Operations of the model raise no exceptions. */
	*trap_mask_supported = 0;
	if (trap_override != KFD_DBG_TRAP_OVERRIDE_OR &&
	    trap_override != KFD_DBG_TRAP_OVERRIDE_REPLACE)
		return -EPERM;
	return 0;
}

static uint32_t set_wave_launch_trap_override(struct amdgpu_device *adev, uint32_t vmid,
					      uint32_t trap_override, uint32_t trap_mask_bits,
					      uint32_t trap_mask_request, uint32_t *trap_mask_prev,
					      uint32_t kfd_dbg_trap_cntl_prev)
{
	*trap_mask_prev = 0;
	return TRAP_EN;
}

static uint32_t set_wave_launch_mode(struct amdgpu_device *adev, uint8_t wave_launch_mode,
				     uint32_t vmid)
{
	return wave_launch_mode << LAUNCH_MODE_SHIFT;
}

static uint32_t set_address_watch(struct amdgpu_device *adev, uint64_t watch_address,
				  uint32_t watch_address_mask, uint32_t watch_id,
				  uint32_t watch_mode, uint32_t debug_vmid, uint32_t inst)
{
	return 0;
}

static uint32_t clear_address_watch(struct amdgpu_device *adev, uint32_t watch_id) { return 0; }
static int init_interrupts(struct amdgpu_device *adev, uint32_t pipe, uint32_t inst) { return 0; }

static int set_pasid_vmid_mapping(struct amdgpu_device *adev, u32 pasid, unsigned int vmid,
				  uint32_t inst)
{
	return 0;	/* hqd_load() looks the PASID up */
}

/* Of a VMID, without HWS; with it the same comes in MAP_PROCESS. Caller holds cp.lock. */
static struct gpu_vmid *regs_of(struct kfdsim_cp *cp, u32 vmid)
{
	return &cp->vmid[vmid % KFDSIM_NR_VMIDS];
}

static void set_sh_mem(struct amdgpu_device *adev, uint32_t vmid, uint32_t sh_mem_config,
		       uint32_t sh_mem_ape1_base, uint32_t sh_mem_ape1_limit,
		       uint32_t sh_mem_bases, uint32_t inst)
{
	struct kfdsim_cp *cp = &to_kfdsim(adev)->cp;

	guard(mutex)(&cp->lock);
	regs_of(cp, vmid)->sh_mem_bases = sh_mem_bases;
	gpu_vmid_set(cp->gpu, vmid, regs_of(cp, vmid));
}

static void set_vm_context_page_table_base(struct amdgpu_device *adev, uint32_t vmid,
					   uint64_t page_table_base)
{
}

static void program_trap_handler_settings(struct amdgpu_device *adev, uint32_t vmid,
					  uint64_t tba_addr, uint64_t tma_addr, uint32_t inst)
{
	struct kfdsim_cp *cp = &to_kfdsim(adev)->cp;

	guard(mutex)(&cp->lock);
	regs_of(cp, vmid)->tba = tba_addr;
	regs_of(cp, vmid)->tma = tma_addr;
	gpu_vmid_set(cp->gpu, vmid, regs_of(cp, vmid));
}

static bool get_atc_vmid_pasid_mapping_info(struct amdgpu_device *adev, uint8_t vmid,
					    uint16_t *p_pasid)
{
	*p_pasid = pasid_of_vmid(adev, vmid);
	return *p_pasid;
}

/* NO_HWS: the last resort for waves that a process leaves behind. */
static int wave_control_execute(struct amdgpu_device *adev, uint32_t gfx_index_val,
				uint32_t sq_cmd, uint32_t inst)
{
	return 0;
}

static int hqd_sdma_load(struct amdgpu_device *adev, void *mqd, uint32_t __user *wptr,
			 struct mm_struct *mm)
{
	return -EOPNOTSUPP;
}

static bool hqd_sdma_is_occupied(struct amdgpu_device *adev, void *mqd) { return false; }

static int hqd_sdma_destroy(struct amdgpu_device *adev, void *mqd, unsigned int timeout)
{
	return 0;
}

#define GFX9_CALLS \
	.program_sh_mem_settings = set_sh_mem, \
	.set_pasid_vmid_mapping = set_pasid_vmid_mapping, \
	.init_interrupts = init_interrupts, \
	.hqd_load = hqd_load, \
	.hiq_mqd_load = hiq_mqd_load, \
	.hqd_sdma_load = hqd_sdma_load, \
	.hqd_dump = hqd_dump, \
	.hqd_sdma_dump = sdma_dump, \
	.hqd_is_occupied = hqd_is_occupied, \
	.hqd_destroy = hqd_destroy, \
	.hqd_sdma_is_occupied = hqd_sdma_is_occupied, \
	.hqd_sdma_destroy = hqd_sdma_destroy, \
	.wave_control_execute = wave_control_execute, \
	.get_atc_vmid_pasid_mapping_info = get_atc_vmid_pasid_mapping_info, \
	.set_vm_context_page_table_base = set_vm_context_page_table_base, \
	.enable_debug_trap = enable_debug_trap, \
	.disable_debug_trap = disable_debug_trap, \
	.validate_trap_override_request = validate_trap_override_request, \
	.set_wave_launch_trap_override = set_wave_launch_trap_override, \
	.set_wave_launch_mode = set_wave_launch_mode, \
	.set_address_watch = set_address_watch, \
	.clear_address_watch = clear_address_watch, \
	.get_iq_wait_times = get_iq_wait_times, \
	.build_grace_period_packet_info = build_grace_period_packet_info, \
	.get_cu_occupancy = get_cu_occupancy, \
	.program_trap_handler_settings = program_trap_handler_settings, \
	.hqd_get_pq_addr = hqd_get_pq_addr, \
	.hqd_reset = hqd_reset

const struct kfd2kgd_calls aldebaran_kfd2kgd = { GFX9_CALLS };
const struct kfd2kgd_calls gc_9_4_3_kfd2kgd = { GFX9_CALLS };
