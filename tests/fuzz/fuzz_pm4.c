// SPDX-License-Identifier: MIT
/*
 * Bytes as PM4 packets: the first half of the input goes into the HIQ, the second
 * into the runlist IB. Queues with work are there to be mapped and unmapped; their
 * addresses are the same in every run, so the corpus can name them. Whatever the
 * bytes say, the model must stay inside its memory and come to an end.
 */
#include "../unit/gpu/world.c"
#include "../unit/gpu/world_hiq.c"
#include "../unit/gpu/world_pm4.c"

#define NR_QUEUES 4
#define NR_ROUNDS 8
#define ROUND_NS 250000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct world *w, bool is_state)
{
	struct world_options o = { .profile = "tiny", .engine = is_state ? "state" : "timed",
				   .nr_slots = 2, .nr_vmids = 2, .proc_bytes = 64 << 20 };
	struct world_kernel k = { .steps = 20, .step_ns = 2000, .vgprs = 8, .nr_groups = 6,
				  .group_size = 128, .lds_bytes = 512, .has_out = true };
	u32 i;

	if (world_init(w, &o))
		abort();
	w->quantum = 1;
	for (i = 0; i < NR_QUEUES; i++) {
		struct world_queue *q = world_queue(w, WORLD_FIRST_PASID + i % 3, i * 4);

		world_dispatch(q, &k);
		world_dispatch(q, &k);
		world_ring(q);
	}
}

static void put_bytes(struct world *w, const uint8_t *data, size_t size)
{
	size_t nr_hiq = min(size / 8, (size_t)w->hiq_dwords - 1);
	size_t ib_bytes = min(size - nr_hiq * 4, (size_t)4096);

	memcpy(world_at(w, GPU_PASID_GART, w->hiq_ring, nr_hiq * 4), data, nr_hiq * 4);
	memcpy(world_at(w, GPU_PASID_GART, w->ib, ib_bytes), data + nr_hiq * 4, ib_bytes);
	w->hiq_wptr = nr_hiq;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w;
	u32 i;

	if (size < 2)
		return 0;
	build(&w, data[0] & 1);
	put_bytes(&w, data + 1, size - 1);
	world_hiq_ring(&w);
	for (i = 0; i < NR_ROUNDS; i++) {
		world_run_for(&w, ROUND_NS);
		world_ring(&w.queue[i % NR_QUEUES]);
	}
	if (data[0] & 2)
		gpu_reset(w.gpu, w.now_ns);
	world_run_for(&w, ROUND_NS);
	world_fini(&w);
	return 0;
}
