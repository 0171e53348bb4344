// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/gpu.h"

#include "gpu/aql_queue.h"
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

#define MAX_VMIDS 15	/* there are 16 and VMID 0 is the driver's */
#define MAX_SE_PER_XCC 32
#define MAX_SIMD_PER_CU 16
#define MAX_WAVES_PER_SIMD 64
#define MAX_BYTES_PER_CU (4u << 20)
#define MAX_COST_NS 10000000000ull	/* the SLOW fault multiplies it by up to a million */
#define MAX_GRACE 255			/* the field has 8 bits */
#define MIN_SCRATCH_BYTES (64 << 10)
#define EVENTS_PER_SLOT 2
#define OTHER_EVENTS (2 + GP_MAX_SDMA_QUEUES)	/* firmware, quantum, copy engines */

static const struct gp_wave_ops *const engines[] = { &gp_timed_wave_ops, &gp_state_wave_ops };

void gp_gpu_trace(struct gp_gpu *gpu, enum gp_gpu_trace_kind kind, const struct gp_slot *slot,
		  u64 arg0, u64 arg1)
{
	struct gp_gpu_trace t;

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

void gp_gpu_irq(struct gp_gpu *gpu, enum gp_gpu_irq_source source, const struct gp_slot *slot,
		u32 context)
{
	struct gp_gpu_irq irq = {
		.source = source,
		.pasid = slot ? slot->pasid : GP_PASID_GART,
		.vmid = slot ? slot->vmid : 0,
		.context = context,
		.doorbell = slot ? slot->doorbell : gpu->firmware.doorbell,
	};

	gpu->host->ops->irq(gpu->host, &irq);
}

static const struct gp_wave_ops *find_engine(const char *name)
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

/* What arrays and multiplications in this folder can take. */
static bool is_shape_sane(const struct gp_profile *p)
{
	return is_in(p->nr_xcc, 1, GP_GPU_MAX_XCC) && is_in(p->se_per_xcc, 1, MAX_SE_PER_XCC) &&
	       is_in(p->cu_per_xcc, 1, GP_GPU_MAX_CU_PER_XCC) &&
	       is_in(p->simd_per_cu, 1, MAX_SIMD_PER_CU) &&
	       is_in(p->waves_per_simd, 1, MAX_WAVES_PER_SIMD) &&
	       is_in(p->vgpr_bytes_per_cu, 1, MAX_BYTES_PER_CU) &&
	       is_in(p->sgpr_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->lds_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->hwreg_bytes_per_cu, 0, MAX_BYTES_PER_CU) &&
	       is_in(p->nr_slots, 1, GP_GPU_MAX_SLOTS) && is_in(p->nr_vmids, 1, MAX_VMIDS);
}

/* What must take time takes some, and none takes so long that sums overflow. */
static bool is_cost_sane(const struct gp_profile *p)
{
	return p->packet_ns && p->packet_ns <= MAX_COST_NS && p->unmap_ns <= MAX_COST_NS &&
	       p->map_ns <= MAX_COST_NS && p->map_queue_ns <= MAX_COST_NS &&
	       p->hqd_ns <= MAX_COST_NS && p->quantum_unit_ns &&
	       p->quantum_unit_ns <= MAX_COST_NS && p->cwsr_bytes_per_us && p->clock_khz &&
	       is_in(p->grace_default, 0, MAX_GRACE);
}

static bool is_config_sane(const struct gp_gpu_config *c)
{
	return c->profile && is_shape_sane(c->profile) && is_cost_sane(c->profile) &&
	       c->nr_slots <= GP_GPU_MAX_SLOTS && c->nr_vmids <= MAX_VMIDS;
}

static void *alloc_part(struct gp_gpu *gpu, size_t bytes)
{
	return gpu->host->ops->alloc(gpu->host, bytes);
}

/* Everything but cohorts and wave state is allocated here, once. */
static int alloc_parts(struct gp_gpu *gpu)
{
	const struct gp_profile *p = gpu->profile;
	u32 max_groups = p->nr_xcc * p->cu_per_xcc * p->simd_per_cu * p->waves_per_simd;

	gpu->cohort_bytes = (sizeof(struct gp_cohort) + p->cu_per_xcc * sizeof(u16) + 7) & ~7ull;
	gpu->heap.max = max_groups + GP_GPU_MAX_SLOTS * EVENTS_PER_SLOT + OTHER_EVENTS;
	gpu->heap.node = alloc_part(gpu, gpu->heap.max * sizeof(*gpu->heap.node));
	gpu->scratch_bytes = max(gp_profile_ctl_stack_bytes(p), (u32)MIN_SCRATCH_BYTES);
	gpu->scratch = alloc_part(gpu, gpu->scratch_bytes);
	return gpu->heap.node && gpu->scratch ? 0 : -ENOMEM;
}

int gp_gpu_create(const struct gp_gpu_config *config, struct gp_gpu_host *host,
		  struct gp_gpu **out)
{
	const struct gp_wave_ops *engine = find_engine(config->engine);
	struct gp_gpu *gpu;
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
	gpu->grace_reg = config->grace_reg ? config->grace_reg : GP_REG_CP_IQ_WAIT_TIME2;
	if (alloc_parts(gpu)) {
		gp_gpu_destroy(gpu);
		return -ENOMEM;
	}
	for (i = 0; i < GP_GPU_MAX_SLOTS; i++) {
		gpu->slot[i].index = i;
		gp_slot_forget(gpu, &gpu->slot[i]);
	}
	gp_cu_init(gpu);
	gp_fault_init(gpu);
	gp_runlist_init(gpu);
	gp_sdma_init(gpu);
	gp_firmware_init(gpu);
	*out = gpu;
	return 0;
}

static void free_if(struct gp_gpu_host *host, void *mem)
{
	if (mem)
		host->ops->free(host, mem);
}

void gp_gpu_destroy(struct gp_gpu *gpu)
{
	struct gp_gpu_host *host = gpu->host;
	u32 i;

	for (i = 0; i < GP_GPU_MAX_SLOTS; i++)
		gp_slot_forget(gpu, &gpu->slot[i]);
	while (gpu->chunks) {
		struct gp_chunk *next = gpu->chunks->next;

		host->ops->free(host, gpu->chunks);
		gpu->chunks = next;
	}
	free_if(host, gpu->heap.node);
	free_if(host, gpu->scratch);
	free_if(host, gpu->runlist.entry);
	host->ops->free(host, gpu);
}

static void kick_slot(struct gp_gpu *gpu, struct gp_slot *slot)
{
	if (slot->is_aql)
		gp_aql_kick(gpu, slot);
	else
		gp_pm4_kick(gpu, slot);
}

static void packet_event(struct gp_gpu *gpu, struct gp_slot *slot)
{
	if (slot->is_aql)
		gp_aql_event(gpu, slot);
	else
		gp_pm4_event(gpu, slot);
}

static void kick_slots(struct gp_gpu *gpu)
{
	while (gpu->kick) {
		u32 i = gp_next_bit(gpu->kick, 0);

		gpu->kick &= ~GP_BIT(i);
		kick_slot(gpu, &gpu->slot[i]);
	}
}

static void check_barriers(struct gp_gpu *gpu)
{
	u32 left;

	gpu->is_signalled = false;
	for (left = gpu->waiting; left; left &= left - 1)
		packet_event(gpu, &gpu->slot[gp_next_bit(left, 0)]);
}

static void fill_xccs(struct gp_gpu *gpu)
{
	while (gpu->fill) {
		u32 x = gp_next_bit(gpu->fill, 0);

		gpu->fill &= ~GP_BIT(x);
		gp_dispatch_fill(gpu, x);
	}
}

static void kill_failed(struct gp_gpu *gpu)
{
	while (gpu->failed) {
		struct gp_slot *slot = &gpu->slot[gp_next_bit(gpu->failed, 0)];

		gpu->failed &= ~GP_BIT(slot->index);
		gp_aql_stop(gpu, slot);
		gp_slot_kill(gpu, slot);
		gpu->is_firmware_kicked = true;
	}
}

static void kick_firmware(struct gp_gpu *gpu)
{
	gpu->is_firmware_kicked = false;
	gp_hqd_settle(gpu);
	gp_firmware_kick(gpu);
}

/*
 * Ends: a barrier that passes takes packet_ns to be followed by another, a queue
 * fails once, and the firmware stops at a packet that takes time.
 */
void gp_gpu_settle(struct gp_gpu *gpu)
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
		else
			break;
	}
}

static void run_event(struct gp_gpu *gpu, struct gp_event *event)
{
	switch (event->kind) {
	case GP_EVENT_COHORT:
		gp_cohort_end(gpu, container_of(event, struct gp_cohort, event));
		break;
	case GP_EVENT_PACKET:
		packet_event(gpu, container_of(event, struct gp_slot, packet_event));
		break;
	case GP_EVENT_HQD:
		gp_hqd_event(gpu, container_of(event, struct gp_slot, hqd_event));
		break;
	case GP_EVENT_FIRMWARE:
		gp_firmware_event(gpu);
		break;
	case GP_EVENT_QUANTUM:
		gp_runlist_event(gpu);
		break;
	case GP_EVENT_SDMA:
		gp_sdma_event(gpu, container_of(event, struct gp_sdma_queue, event));
		break;
	}
}

static bool is_settled(const struct gp_gpu *gpu)
{
	return !gpu->failed && !gpu->kick && !gpu->is_signalled && !gpu->fill &&
	       !gpu->is_firmware_kicked;
}

static void run_events(struct gp_gpu *gpu, u64 now_ns)
{
	while (gp_gpu_heap_next_ns(&gpu->heap) <= now_ns) {
		gpu->now_ns = gp_gpu_heap_next_ns(&gpu->heap);
		/* All that happens at one moment first, then its consequences. */
		while (gp_gpu_heap_next_ns(&gpu->heap) == gpu->now_ns) {
			struct gp_event *event = gpu->heap.node[0].event;

			gp_gpu_heap_remove(&gpu->heap, event);
			run_event(gpu, event);
		}
		gp_gpu_settle(gpu);
	}
	gpu->now_ns = now_ns;
}

u64 gp_gpu_advance(struct gp_gpu *gpu, u64 now_ns)
{
	now_ns = max(now_ns, gpu->now_ns);
	run_events(gpu, now_ns);
	/* Something was injected since the last call; that has no time of its own. */
	if (!is_settled(gpu)) {
		gp_gpu_settle(gpu);
		run_events(gpu, now_ns);
	}
	gp_cu_account(gpu);
	return gp_gpu_next_ns(gpu);
}

u64 gp_gpu_next_ns(const struct gp_gpu *gpu)
{
	return is_settled(gpu) ? gp_gpu_heap_next_ns(&gpu->heap) : gpu->now_ns;
}

u64 gp_gpu_doorbell(struct gp_gpu *gpu, u32 index, u64 value, u64 now_ns)
{
	struct gp_slot *slot;

	gp_gpu_advance(gpu, now_ns);
	if (gpu->firmware.is_loaded && index == gpu->firmware.doorbell) {
		gp_hiq_doorbell(gpu, value);
		gp_gpu_settle(gpu);
		return gp_gpu_next_ns(gpu);
	}
	if (gp_sdma_doorbell(gpu, index, value))
		return gp_gpu_next_ns(gpu);
	slot = gp_slot_find(gpu, index);
	if (!slot || slot->state != GP_SLOT_ACTIVE)
		return gp_gpu_next_ns(gpu);
	/* AQL rings with the index of a packet, PM4 with the write pointer. */
	gp_aql_set_wptr(slot, slot->is_aql ? value + 1 : value);
	if (slot->packet_state == GP_PACKET_STALLED)
		slot->packet_state = GP_PACKET_NONE;
	gpu->kick |= GP_BIT(slot->index);
	gpu->is_signalled |= gpu->waiting != 0;
	gp_gpu_settle(gpu);
	return gp_gpu_next_ns(gpu);
}

int gp_gpu_slot_of(const struct gp_gpu *gpu, u32 doorbell)
{
	const struct gp_slot *slot = gp_slot_find((struct gp_gpu *)gpu, doorbell);

	return slot ? (int)slot->index : -ENOENT;
}

void gp_gpu_reset(struct gp_gpu *gpu, u64 now_ns)
{
	u32 left;

	gp_gpu_advance(gpu, now_ns);
	for (left = gpu->mapped; left; left &= left - 1) {
		struct gp_slot *slot = &gpu->slot[gp_next_bit(left, 0)];

		gp_slot_kill(gpu, slot);
		gp_slot_forget(gpu, slot);
	}
	gp_fault_reset(gpu);
	gp_runlist_init(gpu);
	gp_sdma_init(gpu);
	gp_firmware_init(gpu);
	gp_gpu_settle(gpu);
}

const struct gp_gpu_stats *gp_gpu_stats(const struct gp_gpu *gpu)
{
	return &gpu->stats;
}

u32 gp_gpu_waves(const struct gp_gpu *gpu, u32 doorbell)
{
	u32 nr = 0, left;

	for (left = gpu->mapped; left; left &= left - 1) {
		const struct gp_slot *slot = &gpu->slot[gp_next_bit(left, 0)];

		if (!doorbell || slot->doorbell == doorbell)
			nr += slot->nr_resident;
	}
	return nr;
}

u64 gp_gpu_context_bytes(const struct gp_gpu *gpu, u32 doorbell, u64 *largest)
{
	const struct gp_slot *slot = gp_slot_find((struct gp_gpu *)gpu, doorbell);
	u64 sum = 0, most = 0;
	u32 x;

	for (x = 0; slot && slot->nr_waves && x < gpu->profile->nr_xcc; x++) {
		u64 bytes = gp_cwsr_bytes(gpu, slot, x);

		sum += bytes;
		most = max(most, bytes);
	}
	if (largest)
		*largest = most;
	return sum;
}
