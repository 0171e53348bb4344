// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How waves of machine code begin: LLVM's AMDGPUUsage, "Initial Kernel Execution
 * State" and "Kernel Descriptor", for gfx90a and gfx942. Scratch memory is described
 * by the words that follow the read pointer in memory (struct gpu_queue_words).
 */
#include "gpu/dispatch.h"
#include "gpu/wave_isa.h"

/* Of kernel_code_properties: which user SGPRs there are. */
#define HAS_PRIVATE_BUFFER (1u << 0)
#define HAS_DISPATCH_PTR (1u << 1)
#define HAS_QUEUE_PTR (1u << 2)
#define HAS_KERNARG_PTR (1u << 3)
#define HAS_DISPATCH_ID (1u << 4)
#define HAS_FLAT_SCRATCH_INIT (1u << 5)
#define HAS_PRIVATE_SIZE (1u << 6)

#define SGPR_GRANULE 16
#define TMPRING_WAVES 0xfffu
#define TMPRING_WAVE_BYTES(x) (((x) >> 12 & 0x1fff) * 1024)

static bool is_gfx942(const struct gpu *gpu)
{
	return gpu_isa_arch(gpu) == ISA_GFX942;
}

/* Return: -EINVAL. */
static int refuse(struct gpu_dispatch *d, u32 code)
{
	d->slot->error_code = code;
	return -EINVAL;
}

static void count_groups(struct gpu_isa_kernel *k)
{
	u32 nr_dims = k->packet.setup & 3 ? k->packet.setup & 3 : 3, i;

	for (i = 0; i < 3; i++) {
		k->size[i] = i < nr_dims ? k->packet.workgroup_size[i] : 1;
		k->items[i] = i < nr_dims ? k->packet.grid_size[i] : 1;
		k->groups[i] = (u32)(((u64)k->items[i] + k->size[i] - 1) / k->size[i]);
	}
}

static int set_resources(struct gpu *gpu, struct gpu_dispatch *d,
			 const struct gpu_kernel_desc *desc)
{
	struct gpu_isa_kernel *k = &d->kernel;
	struct isa_ctl_wave shape;

	k->entry = (k->packet.kernel_object + (u64)desc->entry_offset) & ISA_ADDRESS_MASK;
	k->rsrc1 = desc->rsrc1;
	k->rsrc2 = desc->rsrc2;
	k->properties = desc->properties;
	k->private_bytes = max(k->packet.private_segment_size, desc->private_segment_bytes);
	d->vgprs = gpu_dispatch_vgprs(desc->rsrc1);
	k->acc_offset = min(((desc->rsrc3 & 0x3f) + 1) * 4, d->vgprs);
	k->nr_sgprs = ((desc->rsrc1 >> 6 & 0xf) / 2 + 1) * SGPR_GRANULE;
	d->lds_bytes = max(k->packet.group_segment_size, desc->group_segment_bytes);
	if (d->lds_bytes > gpu->profile->lds_bytes_per_cu)
		return refuse(d, GPU_ERROR_GROUP_SEGMENT);
	shape = (struct isa_ctl_wave){
		.nr_vgprs = d->vgprs,
		.acc_offset = k->acc_offset,
		.nr_sgprs = k->nr_sgprs,
	};
	return isa_ctl_is_allocation(&shape) ? 0 : refuse(d, GPU_ERROR_REGISTERS);
}

int gpu_spi_read(struct gpu *gpu, struct gpu_dispatch *d)
{
	struct gpu_isa_kernel *k = &d->kernel;
	struct gpu_kernel_desc desc;
	int err;

	err = gpu_host_read(gpu, d->slot->pasid, k->packet.kernel_object, &desc, sizeof(desc));
	if (err)
		return err;
	if ((k->packet.kernel_object + (u64)desc.entry_offset) & 0xff)
		return refuse(d, GPU_ERROR_CODE);
	d->engine = &gpu_isa_wave_ops;
	count_groups(k);
	err = set_resources(gpu, d, &desc);
	if (err)
		return err;
	d->wave_bytes = isa_record_bytes(d->vgprs, k->nr_sgprs, 0);
	return k->private_bytes ? gpu_spi_read_scratch(gpu, d) : 0;
}

/* Each XCC has its part. Slots are numbered with 9 bits in the control stack. */
static void set_scratch(struct gpu *gpu, struct gpu_scratch *s, const struct gpu_queue_words *q)
{
	u64 part = q->bytes / gpu->profile->nr_xcc, fit;
	u32 most = min(q->tmpring & TMPRING_WAVES, GPU_MAX_SCRATCH_SLOTS);

	memcpy(s->descriptor, q->descriptor, sizeof(s->descriptor));
	s->base = q->base & ISA_ADDRESS_MASK;
	s->xcc_bytes = part;
	s->wave_bytes = TMPRING_WAVE_BYTES(q->tmpring);
	fit = s->wave_bytes ? part / s->wave_bytes : 0;
	s->nr = (u32)min(fit, (u64)most);
}

int gpu_spi_read_scratch(struct gpu *gpu, struct gpu_dispatch *d)
{
	struct gpu_scratch *s = &d->slot->scratch;
	struct gpu_queue_words q;
	int err;

	if (!d->slot->rptr_addr)
		return -ENOSPC;
	err = gpu_host_read(gpu, d->slot->pasid, d->slot->rptr_addr, &q, sizeof(q));
	if (err)
		return err;
	set_scratch(gpu, s, &q);
	if ((u64)d->kernel.private_bytes * GPU_LANES > s->wave_bytes || s->nr < d->waves)
		return -ENOSPC;
	return 0;
}

int gpu_spi_inactive_signal(struct gpu *gpu, const struct gpu_slot *slot, u64 *signal)
{
	int err;

	if (!slot->rptr_addr)
		return -EINVAL;
	err = gpu_host_read(gpu, slot->pasid,
			    slot->rptr_addr + offsetof(struct gpu_queue_words, inactive_signal),
			    signal, sizeof(*signal));
	return err || *signal ? err : -EINVAL;
}

bool gpu_spi_has_scratch(const struct gpu_slot *slot, u32 xcc, u32 nr)
{
	const struct gpu_scratch *s = &slot->scratch;
	u32 used = 0, i;

	for (i = 0; i < ARRAY_SIZE(s->used[xcc]); i++)
		used += gpu_count_bits(s->used[xcc][i]);
	return used + nr <= s->nr;
}

int gpu_spi_claim_scratch(struct gpu_slot *slot, u32 xcc, u32 place)
{
	u32 *word = &slot->scratch.used[xcc][place / 32];

	if (place >= slot->scratch.nr || *word & GPU_BIT(place % 32))
		return -ENOSPC;
	*word |= GPU_BIT(place % 32);
	return 0;
}

int gpu_spi_take_scratch(struct gpu_slot *slot, u32 xcc, struct gpu_isa_group *g)
{
	u32 place = 0, i;

	for (i = 0; i < g->nr; i++, place++) {
		while (place < slot->scratch.nr && gpu_spi_claim_scratch(slot, xcc, place))
			place++;
		if (place >= slot->scratch.nr)
			break;
		g->scratch_slot[i] = (u16)place;
		g->has_scratch |= (u16)GPU_BIT(i);
	}
	return i == g->nr ? 0 : -ENOSPC;
}

void gpu_spi_free_scratch(struct gpu_slot *slot, u32 xcc, const struct gpu_isa_group *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (g->has_scratch & GPU_BIT(i))
			slot->scratch.used[xcc][g->scratch_slot[i] / 32] &=
				~GPU_BIT(g->scratch_slot[i] % 32);
}

/* Where a workgroup is in its grid, and how many work-items it has there. */
static void place_of(const struct gpu_isa_kernel *k, u32 id, u32 *at, u32 *size)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		at[i] = id % k->groups[i];
		id /= k->groups[i];
		size[i] = min(k->size[i], k->items[i] - at[i] * k->size[i]);
	}
}

u32 gpu_spi_count_waves(const struct gpu_dispatch *d, u32 id)
{
	u32 at[3], size[3];

	place_of(&d->kernel, id, at, size);
	return (size[0] * size[1] * size[2] + GPU_LANES - 1) / GPU_LANES;
}

static void put64(u32 *to, u64 value)
{
	to[0] = (u32)value;
	to[1] = (u32)(value >> 32);
}

static u64 queue_address(struct gpu *gpu, const struct gpu_slot *slot)
{
	struct gpu_queue_words q;

	if (!slot->rptr_addr ||
	    gpu_host_read(gpu, slot->pasid, slot->rptr_addr, &q, sizeof(q)))
		return 0;
	return slot->rptr_addr - q.queue_offset;
}

/* In the order in which the descriptor asks for them; at most 15. */
static void set_user_sgprs(struct gpu *gpu, const struct gpu_dispatch *d, u32 *sgpr)
{
	const struct gpu_isa_kernel *k = &d->kernel;
	const struct gpu_slot *slot = d->slot;

	if (k->properties & HAS_PRIVATE_BUFFER) {
		memcpy(sgpr, slot->scratch.descriptor, sizeof(slot->scratch.descriptor));
		sgpr += 4;
	}
	if (k->properties & HAS_DISPATCH_PTR) {
		put64(sgpr, slot->ring + (d->packet & slot->ring_mask) * GPU_AQL_PACKET_BYTES);
		sgpr += 2;
	}
	if (k->properties & HAS_QUEUE_PTR) {
		put64(sgpr, queue_address(gpu, slot));
		sgpr += 2;
	}
	if (k->properties & HAS_KERNARG_PTR) {
		put64(sgpr, k->packet.kernarg_address);
		sgpr += 2;
	}
	if (k->properties & HAS_DISPATCH_ID) {
		put64(sgpr, d->packet);
		sgpr += 2;
	}
	if (k->properties & HAS_FLAT_SCRATCH_INIT) {
		put64(sgpr, slot->scratch.base);
		sgpr += 2;
	}
	if (k->properties & HAS_PRIVATE_SIZE)
		*sgpr = k->private_bytes;
}

/* What comes after the user SGPRs, as far as COMPUTE_PGM_RSRC2 wants it. */
static void set_system_sgprs(const struct gpu_isa_kernel *k, u32 *sgpr, u32 wave, const u32 *at,
			     u32 nr_waves, bool has_offset, u32 scratch_offset)
{
	u32 n = k->rsrc2 >> 1 & 0x1f, i;

	for (i = 0; i < 3; i++)
		if (k->rsrc2 >> (7 + i) & 1)
			sgpr[n++] = at[i];
	if (k->rsrc2 >> 10 & 1)
		sgpr[n++] = nr_waves | (wave ? 0 : 1u << 31);
	if (k->rsrc2 & 1 && has_offset)
		sgpr[n] = scratch_offset;
}

/*
 * What the debugger reads: workgroup and wave in it, and the packet, modulo the ring.
 * ttmp11 [31:26] of gfx90a belong to the trap handler.
 */
static void set_ttmps(const struct gpu *gpu, const struct gpu_dispatch *d, struct isa_wave *w,
		      u32 wave, const u32 *at)
{
	u32 packet = (u32)(d->packet & d->slot->ring_mask) & 0x1ffffff;

	memcpy(&w->ttmp[8], at, 3 * sizeof(u32));
	w->ttmp[11] = wave;
	if (is_gfx942(gpu))
		w->ttmp[11] |= packet << 6;
	else
		w->ttmp[6] = packet;
}

/* Work-items, x first, packed into v0. */
static void set_items(struct isa_wave *w, u32 wave, const u32 *size)
{
	u32 nr = size[0] * size[1] * size[2], lane;

	for (lane = 0; lane < GPU_LANES; lane++) {
		u32 item = wave * GPU_LANES + lane;

		if (item >= nr)
			break;
		w->exec |= 1ull << lane;
		w->vgpr[0][lane] = item % size[0] | item / size[0] % size[1] << 10 |
				   item / size[0] / size[1] << 20;
	}
}

/* CU [11:8], SE [14:13], VMID [23:20], queue [26:24]: what a program may ask for. */
u32 gpu_spi_hw_id(const struct gpu *gpu, const struct gpu_isa_group *g, u32 wave)
{
	const struct gpu_slot *slot = g->cohort->dispatch->slot;

	return (wave / gpu->profile->simd_per_cu & 0xf) |
	       wave % gpu->profile->simd_per_cu % 4 << 4 | (g->cohort->lo & 0xfu) << 8 |
	       (g->se & 3) << 13 | (slot->vmid & 0xf) << 20 | (slot->index & 7) << 24;
}

static void start_wave(struct gpu *gpu, struct gpu_isa_group *g, u32 wave, const u32 *at,
		       const u32 *size)
{
	const struct gpu_dispatch *d = g->cohort->dispatch;
	const struct gpu_isa_kernel *k = &d->kernel;
	const struct gpu_scratch *s = &d->slot->scratch;
	struct isa_wave *w = &g->wave[wave]->isa;
	u32 offset = g->scratch_slot[wave] * s->wave_bytes;

	w->pc = k->entry;
	/* FLOAT_MODE, DX10_CLAMP, IEEE_MODE. */
	w->mode = (k->rsrc1 >> 12 & 0xff) | (k->rsrc1 >> 21 & 1) << 8 | (k->rsrc1 >> 23 & 1) << 9;
	w->status = ISA_STATUS_VALID | ISA_STATUS_ALLOW_REPLAY;
	set_user_sgprs(gpu, d, w->sgpr);
	set_system_sgprs(k, w->sgpr, wave, at, g->nr, !is_gfx942(gpu), offset);
	if (is_gfx942(gpu) && g->has_scratch)
		put64(&w->sgpr[min(w->nr_sgprs, 108u) - 6],
		      s->base + g->cohort->xcc * s->xcc_bytes + offset);
	set_ttmps(gpu, d, w, wave, at);
	set_items(w, wave, size);
}

void gpu_spi_start(struct gpu *gpu, struct gpu_isa_group *g)
{
	u32 at[3], size[3], i;

	place_of(&g->cohort->dispatch->kernel, g->id, at, size);
	for (i = 0; i < g->nr; i++)
		start_wave(gpu, g, i, at, size);
}
