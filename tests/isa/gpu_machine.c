// SPDX-License-Identifier: MIT
#include "gpu_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASID WORLD_FIRST_PASID
#define SCRATCH_WAVE_BYTES (64u << 10)

void *machine_at(struct machine *m, u64 address, u64 bytes)
{
	return world_at(&m->w, PASID, address, bytes);
}

/* Words behind the read pointer, as ROCr has them in amd_queue_t. */
void machine_give_scratch(struct machine *m)
{
	u64 base = world_alloc(&m->w, PASID, MACHINE_SCRATCH_BYTES, 1u << 20), at = m->q->rptr_addr;
	u32 waves = MACHINE_SCRATCH_BYTES / SCRATCH_WAVE_BYTES / m->w.profile->nr_xcc;

	world_set_u32(&m->w, PASID, at + 8, 0x80);
	world_set_u32(&m->w, PASID, at + 12, min(waves, 0x7ffu) | SCRATCH_WAVE_BYTES / 1024 << 12);
	world_set_u64(&m->w, PASID, at + 16, base | 1ull << 63);
	world_set_u32(&m->w, PASID, at + 24, ~0u);
	world_set_u32(&m->w, PASID, at + 28, 1u << 19 | 3u << 21 | 1u << 23);
	world_set_u64(&m->w, PASID, at + 32, base);
	world_set_u64(&m->w, PASID, at + 40, MACHINE_SCRATCH_BYTES);
}

void machine_init(struct machine *m, struct rig *r, const struct machine_options *o)
{
	struct world_options options = {
		.profile = o->profile,
		.engine = "state",
		.has_machine_code = true,
		.handler = o->handler,
		.max_wave_bytes = o->max_wave_bytes,
		.slice = o->slice,
		.max_instructions = o->max_instructions,
	};
	u32 k;

	memset(m, 0, sizeof(*m));
	if (world_init(&m->w, &options))
		abort();
	m->w.tba = world_alloc(&m->w, PASID, 8192, 4096);
	m->w.tma = m->w.tba + 4096 + 2048;
	memcpy(machine_at(m, m->w.tba, 4096), rig_at(r, RIG_TBA), 4096);
	m->q = world_queue(&m->w, PASID, 7);
	m->code = world_alloc(&m->w, PASID, MACHINE_CODE_BYTES, 4096);
	memcpy(machine_at(m, m->code, MACHINE_CODE_BYTES), rig_at(r, LAUNCH_CODE),
	       MACHINE_CODE_BYTES);
	for (k = 0; k < 3; k++)
		m->buffer[k] = world_alloc(&m->w, PASID, LAUNCH_BUFFER_BYTES, 4096);
	if (!o->has_no_scratch)
		machine_give_scratch(m);
}

void machine_fini(struct machine *m)
{
	world_fini(&m->w);
}

void machine_fill(struct machine *m, struct rig *r, u64 seed)
{
	u32 k, i;

	r->random = seed;
	for (k = 0; k < 3; k++) {
		u32 *to = launch_buffer(r, k);

		for (i = 0; i < LAUNCH_BUFFER_BYTES / 4; i++)
			to[i] = k < 2 ? (u32)rig_random(r) : 0;
		if (m)
			memcpy(machine_at(m, m->buffer[k], LAUNCH_BUFFER_BYTES), to,
			       LAUNCH_BUFFER_BYTES);
	}
}

static u64 write_args(struct machine *m, u32 n)
{
	u64 at = world_alloc(&m->w, PASID, 512, 64);
	u32 k;

	for (k = 0; k < 3; k++)
		world_set_u64(&m->w, PASID, at + 8 * k, m->buffer[k]);
	world_set_u64(&m->w, PASID, at + 24, n);
	return at;
}

void machine_dispatch_at(struct machine *m, const struct launch *l, u64 descriptor)
{
	struct gpu_aql_dispatch pkt = {
		.header = GPU_AQL_KERNEL_DISPATCH | 1u << 9,
		.setup = 2,
		.workgroup_size = { (u16)l->local[0], (u16)l->local[1], 1 },
		.grid_size = { l->local[0] * l->groups[0], l->local[1] * l->groups[1], 1 },
		.kernel_object = descriptor,
	};

	m->signal = world_signal(&m->w, PASID, 1, 0);
	pkt.completion_signal = m->signal;
	pkt.kernarg_address = write_args(m, l->n);
	memcpy(world_packet(m->q, m->q->wptr++), &pkt, sizeof(pkt));
}

void machine_dispatch(struct machine *m, const struct launch *l)
{
	machine_dispatch_at(m, l, m->code + launch_descriptor(l->name));
}

u64 machine_assemble(struct machine *m, const u32 *words, u32 nr)
{
	struct gpu_kernel_desc desc = { .entry_offset = 256, .rsrc2 = 2 << 1, .properties = 8 };
	u64 at = world_alloc(&m->w, PASID, 256 + nr * 4 + 256, 256);

	memcpy(machine_at(m, at, sizeof(desc)), &desc, sizeof(desc));
	memcpy(machine_at(m, at + 256, nr * 4), words, nr * 4);
	return at;
}

void machine_map(struct machine *m)
{
	world_runlist_all(&m->w);
	world_fence(&m->w);
	world_hiq_ring(&m->w);
	if (!world_run_fence(&m->w, MACHINE_LIMIT_NS))
		abort();
}

bool machine_is_done(struct machine *m)
{
	return world_signal_value(&m->w, PASID, m->signal) == 0;
}

bool machine_finish(struct machine *m)
{
	u64 end = m->w.now_ns + MACHINE_LIMIT_NS;

	while (!machine_is_done(m) && m->w.next_ns <= end) {
		m->w.now_ns = max(m->w.now_ns, m->w.next_ns);
		m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	}
	return machine_is_done(m);
}
