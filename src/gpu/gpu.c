// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/gpu.h"

#include "gpu/aql_queue.h"
#include "gpu/contention.h"
#include "gpu/cu.h"
#include "gpu/cwsr.h"
#include "gpu/dispatch.h"
#include "gpu/fault.h"
#include "gpu/firmware.h"
#include "gpu/gpu_loop.h"
#include "gpu/hiq.h"
#include "gpu/hqd.h"
#include "gpu/pm4.h"
#include "gpu/pm4_queue.h"
#include "gpu/runlist.h"
#include "gpu/sdma.h"
#include "gpu/gpu_slot.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

#define MAX_VMIDS 15	/* there are 16 and VMID 0 is the driver's */
#define MAX_SE_PER_XCC 32
#define MAX_SIMD_PER_CU 16
#define MAX_WAVES_PER_SIMD 64
#define MAX_BYTES_PER_CU (4u << 20)
#define MAX_COST_NS 10000000000ull	/* the SLOW fault multiplies it by up to a million */
#define MAX_GRACE 255			/* the field has 8 bits */
#define MAX_CLOCKS (1u << 20)
#define MAX_SLICE 65536u
#define MIN_SCRATCH_BYTES (64 << 10)
#define EVENTS_PER_SLOT 2
#define OTHER_EVENTS (2 + GPU_MAX_SDMA_QUEUES)	/* firmware, quantum, copy engines */

static const struct gpu_wave_ops *const engines[] = { &gpu_timed_wave_ops, &gpu_state_wave_ops };

void gpu_trace(struct gpu *gpu, enum gpu_trace_kind kind, const struct gpu_slot *slot,
	       u64 arg0, u64 arg1)
{
	struct gpu_trace t;

	if (!gpu->host->ops->trace)
		return;
	t.now_ns = gpu->now_ns;
	t.kind = kind;
	t.pasid = slot ? slot->pasid : 0;
	t.doorbell = slot ? slot->doorbell : 0;
	t.arg[0] = arg0;
	t.arg[1] = arg1;
	gpu->host->ops->trace(gpu->host, &t);
}

static u32 error_code(enum gpu_irq_source source, const struct gpu_slot *slot)
{
	switch (source) {
	case GPU_IRQ_MEM_FAULT:
		return GPU_ERROR_MEMORY;
	case GPU_IRQ_BAD_OPCODE:
		return slot && slot->error_code ? slot->error_code : GPU_ERROR_PACKET;
	default:
		return 0;
	}
}

void gpu_irq(struct gpu *gpu, enum gpu_irq_source source, const struct gpu_slot *slot,
	     u32 context)
{
	struct gpu_irq irq = {
		.source = source,
		.pasid = slot ? slot->pasid : GPU_PASID_GART,
		.vmid = slot ? slot->vmid : 0,
		.context = context,
		.doorbell = slot ? slot->doorbell : gpu->firmware.doorbell,
		.code = error_code(source, slot),
		.address = slot ? slot->error_address : 0,
	};

	gpu->host->ops->irq(gpu->host, &irq);
}

static const struct gpu_wave_ops *find_engine(const char *name)
{
	u32 i;

	for (i = 0; name && i < ARRAY_SIZE(engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

static bool is_in(u32 value, u32 least, u32 most)
{
	return value >= least && value <= most;
}

#define MAX_CONTENTION_PPM (10 * GPU_PPM_ONE)

/* What arrays and multiplications in this folder can take. */
static bool is_shape_sane(const struct gpu_profile *p)
{
	return is_in(p->nr_xcc, 1, GPU_MAX_XCC) && is_in(p->se_per_xcc, 1, MAX_SE_PER_XCC) &&
	       is_in(p->cu_per_xcc, 1, GPU_MAX_CU_PER_XCC) &&
	       is_in(p->simd_per_cu, 1, MAX_SIMD_PER_CU) &&
	       is_in(p->waves_per_simd, 1, MAX_WAVES_PER_SIMD) &&
	       is_in(p->vgpr_bytes_per_cu, 1, MAX_BYTES_PER_CU) &&
	       is_in(p->sgpr_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->lds_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->hwreg_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->nr_slots, 1, GPU_MAX_SLOTS) && is_in(p->nr_vmids, 1, MAX_VMIDS);
}

/* What must take time takes some, and none takes so long that sums overflow. */
static bool is_cost_sane(const struct gpu_profile *p)
{
	return p->packet_ns && p->packet_ns <= MAX_COST_NS && p->unmap_ns <= MAX_COST_NS &&
	       p->map_ns <= MAX_COST_NS && p->map_queue_ns <= MAX_COST_NS &&
	       p->hqd_ns <= MAX_COST_NS && p->cold_ns <= MAX_COST_NS &&
	       p->barrier_ns <= MAX_COST_NS && p->retry_ns <= MAX_COST_NS &&
	       is_in(p->issue_ppm, 0, MAX_CONTENTION_PPM) &&
	       is_in(p->memory_ppm, 0, MAX_CONTENTION_PPM) &&
	       is_in(p->spread_ppm, 0, GPU_PPM_ONE) && is_in(p->retry_ppm, 0, GPU_PPM_ONE) &&
	       p->quantum_unit_ns &&
	       p->quantum_unit_ns <= MAX_COST_NS && p->cwsr_bytes_per_us && p->clock_khz &&
	       is_in(p->grace_default, 0, MAX_GRACE) &&
	       is_in(p->inst_clocks, 0, MAX_CLOCKS) && is_in(p->memory_clocks, 0, MAX_CLOCKS);
}

static bool is_config_sane(const struct gpu_config *c)
{
	return c->profile && is_shape_sane(c->profile) && is_cost_sane(c->profile) &&
	       c->nr_slots <= GPU_MAX_SLOTS && c->nr_vmids <= MAX_VMIDS &&
	       c->slice <= MAX_SLICE && c->handler <= GPU_HANDLER_SHORTCUT;
}

static void *alloc_part(struct gpu *gpu, size_t bytes)
{
	return gpu->host->ops->alloc(gpu->host, bytes);
}

/* Everything but cohorts and wave state is allocated here, once. */
static int alloc_parts(struct gpu *gpu)
{
	const struct gpu_profile *p = gpu->profile;
	u32 max_groups = p->nr_xcc * p->cu_per_xcc * p->simd_per_cu * p->waves_per_simd;

	gpu->cohort_bytes = (sizeof(struct gpu_cohort) + p->cu_per_xcc * sizeof(u16) + 7) & ~7ull;
	gpu->heap.max = max_groups + GPU_MAX_SLOTS * EVENTS_PER_SLOT + OTHER_EVENTS;
	gpu->heap.node = alloc_part(gpu, gpu->heap.max * sizeof(*gpu->heap.node));
	gpu->scratch_bytes = max(gpu_profile_ctl_stack_bytes(p), (u32)MIN_SCRATCH_BYTES);
	gpu->scratch = alloc_part(gpu, gpu->scratch_bytes);
	return gpu->heap.node && gpu->scratch ? 0 : -ENOMEM;
}

int gpu_create(const struct gpu_config *config, struct gpu_host *host,
	       struct gpu **out)
{
	const struct gpu_wave_ops *engine = find_engine(config->engine);
	struct gpu *gpu;
	u32 i;

	if (!is_config_sane(config))
		return -EINVAL;
	if (!engine)
		return -ENOENT;
	gpu = host->ops->alloc(host, sizeof(*gpu));
	if (!gpu)
		return -ENOMEM;
	gpu->host = host;
	gpu->profile = config->profile;
	gpu->waves = engine;
	gpu->nr_slots = config->nr_slots ? config->nr_slots : config->profile->nr_slots;
	gpu->nr_vmids = config->nr_vmids ? config->nr_vmids : config->profile->nr_vmids;
	gpu->grace_reg = config->grace_reg ? config->grace_reg : GPU_REG_CP_IQ_WAIT_TIME2;
	gpu->handler = config->handler;
	gpu->max_wave_bytes = config->max_wave_bytes;
	gpu->slice = config->slice ? config->slice : GPU_ISA_SLICE;
	gpu->random = config->seed;
	gpu->spread_ppm = config->seed ? config->profile->spread_ppm : 0;
	gpu->max_instructions = config->max_instructions;
	gpu->has_contention = config->has_contention;
	if (alloc_parts(gpu)) {
		gpu_destroy(gpu);
		return -ENOMEM;
	}
	for (i = 0; i < GPU_MAX_SLOTS; i++) {
		gpu->slot[i].index = i;
		gpu_slot_forget(gpu, &gpu->slot[i]);
	}
	gpu_cu_init(gpu);
	gpu_fault_init(gpu);
	gpu_runlist_init(gpu);
	gpu_sdma_init(gpu);
	gpu_firmware_init(gpu);
	*out = gpu;
	return 0;
}

static void free_if(struct gpu_host *host, void *mem)
{
	if (mem)
		host->ops->free(host, mem);
}

void gpu_destroy(struct gpu *gpu)
{
	struct gpu_host *host = gpu->host;
	u32 i;

	for (i = 0; i < GPU_MAX_SLOTS; i++)
		gpu_slot_forget(gpu, &gpu->slot[i]);
	while (gpu->chunks) {
		struct gpu_chunk *next = gpu->chunks->next;

		host->ops->free(host, gpu->chunks);
		gpu->chunks = next;
	}
	gpu_isa_destroy(gpu);
	free_if(host, gpu->heap.node);
	free_if(host, gpu->scratch);
	free_if(host, gpu->runlist.entry);
	host->ops->free(host, gpu);
}

static void kick_slot(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->is_aql)
		gpu_aql_kick(gpu, slot);
	else
		gpu_pm4_kick(gpu, slot);
}

static void packet_event(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->is_aql)
		gpu_aql_event(gpu, slot);
	else
		gpu_pm4_event(gpu, slot);
}

static void kick_slots(struct gpu *gpu)
{
	while (gpu->kick) {
		u32 i = gpu_next_bit(gpu->kick, 0);

		gpu->kick &= ~GPU_BIT(i);
		kick_slot(gpu, &gpu->slot[i]);
	}
}

static void check_barriers(struct gpu *gpu)
{
	u32 left;

	gpu->is_signalled = false;
	for (left = gpu->waiting; left; left &= left - 1)
		packet_event(gpu, &gpu->slot[gpu_next_bit(left, 0)]);
}

static void fill_xccs(struct gpu *gpu)
{
	while (gpu->fill) {
		u32 x = gpu_next_bit(gpu->fill, 0);

		gpu->fill &= ~GPU_BIT(x);
		gpu_dispatch_fill(gpu, x);
	}
}

static void kill_failed(struct gpu *gpu)
{
	while (gpu->failed) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(gpu->failed, 0)];

		gpu->failed &= ~GPU_BIT(slot->index);
		gpu_aql_stop(gpu, slot);
		gpu_slot_kill(gpu, slot);
		gpu->is_firmware_kicked = true;
	}
}

static void kick_firmware(struct gpu *gpu)
{
	gpu->is_firmware_kicked = false;
	gpu_hqd_settle(gpu);
	gpu_firmware_kick(gpu);
}

/*
 * Ends: a barrier that passes takes packet_ns to be followed by another, a queue
 * fails once, and the firmware stops at a packet that takes time.
 */
void gpu_settle(struct gpu *gpu)
{
	for (;;) {
		if (gpu->failed)
			kill_failed(gpu);
		else if (gpu->kick)
			kick_slots(gpu);
		else if (gpu->is_signalled)
			check_barriers(gpu);
		else if (gpu->fill)
			fill_xccs(gpu);
		else if (gpu->is_firmware_kicked)
			kick_firmware(gpu);
		else if (gpu->is_crowd_new)
			gpu_contention_update(gpu);
		else
			break;
	}
}

static void run_event(struct gpu *gpu, struct gpu_event *event)
{
	switch (event->kind) {
	case GPU_EVENT_COHORT:
		gpu_cohort_event(gpu, container_of(event, struct gpu_cohort, event));
		break;
	case GPU_EVENT_PACKET:
		packet_event(gpu, container_of(event, struct gpu_slot, packet_event));
		break;
	case GPU_EVENT_HQD:
		gpu_hqd_event(gpu, container_of(event, struct gpu_slot, hqd_event));
		break;
	case GPU_EVENT_FIRMWARE:
		gpu_firmware_event(gpu);
		break;
	case GPU_EVENT_QUANTUM:
		gpu_runlist_event(gpu);
		break;
	case GPU_EVENT_SDMA:
		gpu_sdma_event(gpu, container_of(event, struct gpu_sdma_queue, event));
		break;
	}
}

static bool is_settled(const struct gpu *gpu)
{
	return !gpu->failed && !gpu->kick && !gpu->is_signalled && !gpu->fill &&
	       !gpu->is_firmware_kicked && !gpu->is_crowd_new;
}

static bool may_go_on(const struct gpu *gpu)
{
	return gpu->stats.nr_instructions < gpu->last_instruction;
}

static void run_events(struct gpu *gpu, u64 now_ns)
{
	while (gpu_heap_next_ns(&gpu->heap) <= now_ns && may_go_on(gpu)) {
		gpu->now_ns = gpu_heap_next_ns(&gpu->heap);
		/* All that happens at one moment first, then its consequences. */
		while (gpu_heap_next_ns(&gpu->heap) == gpu->now_ns && may_go_on(gpu)) {
			struct gpu_event *event = gpu->heap.node[0].event;

			gpu_heap_remove(&gpu->heap, event);
			run_event(gpu, event);
		}
		gpu_settle(gpu);
	}
	if (gpu_heap_next_ns(&gpu->heap) > now_ns)
		gpu->now_ns = now_ns;
}

u64 gpu_advance(struct gpu *gpu, u64 now_ns)
{
	gpu->last_instruction = U64_MAX;
	if (gpu->max_instructions)
		gpu->last_instruction = gpu->stats.nr_instructions + gpu->max_instructions;
	now_ns = max(now_ns, gpu->now_ns);
	run_events(gpu, now_ns);
	/* Something was injected since the last call; that has no time of its own. */
	if (!is_settled(gpu)) {
		gpu_settle(gpu);
		run_events(gpu, now_ns);
	}
	gpu_cu_account(gpu);
	return gpu_next_ns(gpu);
}

u64 gpu_now_ns(const struct gpu *gpu)
{
	return gpu->now_ns;
}

u64 gpu_next_ns(const struct gpu *gpu)
{
	return is_settled(gpu) ? gpu_heap_next_ns(&gpu->heap) : gpu->now_ns;
}

u64 gpu_doorbell(struct gpu *gpu, u32 index, u64 value, u64 now_ns)
{
	struct gpu_slot *slot;

	gpu_advance(gpu, now_ns);
	if (gpu->firmware.is_loaded && index == gpu->firmware.doorbell) {
		gpu_hiq_doorbell(gpu, value);
		gpu_settle(gpu);
		return gpu_next_ns(gpu);
	}
	if (gpu_sdma_doorbell(gpu, index, value))
		return gpu_next_ns(gpu);
	slot = gpu_slot_find(gpu, index);
	if (!slot || slot->state != GPU_SLOT_ACTIVE)
		return gpu_next_ns(gpu);
	/* AQL rings with the index of a packet, PM4 with the write pointer. */
	gpu_aql_set_wptr(slot, slot->is_aql ? value + 1 : value);
	if (slot->packet_state == GPU_PACKET_STALLED)
		slot->packet_state = GPU_PACKET_NONE;
	gpu->kick |= GPU_BIT(slot->index);
	gpu->is_signalled |= gpu->waiting != 0;
	gpu_settle(gpu);
	return gpu_next_ns(gpu);
}

void gpu_vmid_set(struct gpu *gpu, u32 vmid, const struct gpu_vmid *regs)
{
	if (vmid < GPU_NR_VMIDS)
		gpu->vmid[vmid] = *regs;
}

int gpu_slot_of(const struct gpu *gpu, u32 doorbell)
{
	const struct gpu_slot *slot = gpu_slot_find((struct gpu *)gpu, doorbell);

	return slot ? (int)slot->index : -ENOENT;
}

void gpu_reset(struct gpu *gpu, u64 now_ns)
{
	u32 left;

	gpu_advance(gpu, now_ns);
	for (left = gpu->mapped; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		gpu_slot_kill(gpu, slot);
		gpu_slot_forget(gpu, slot);
	}
	gpu_fault_reset(gpu);
	gpu_runlist_init(gpu);
	gpu_sdma_init(gpu);
	gpu_firmware_init(gpu);
	gpu_settle(gpu);
}

const struct gpu_stats *gpu_stats(const struct gpu *gpu)
{
	return &gpu->stats;
}

u32 gpu_waves(const struct gpu *gpu, u32 doorbell)
{
	u32 nr = 0, left;

	for (left = gpu->mapped; left; left &= left - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (!doorbell || slot->doorbell == doorbell)
			nr += slot->nr_resident;
	}
	return nr;
}

u64 gpu_context_bytes(const struct gpu *gpu, u32 doorbell, u64 *largest)
{
	const struct gpu_slot *slot = gpu_slot_find((struct gpu *)gpu, doorbell);
	u64 sum = 0, most = 0;
	u32 x;

	for (x = 0; slot && slot->nr_waves && x < gpu->profile->nr_xcc; x++) {
		u64 bytes = gpu_cwsr_bytes(gpu, slot, x);

		sum += bytes;
		most = max(most, bytes);
	}
	if (largest)
		*largest = most;
	return sum;
}
