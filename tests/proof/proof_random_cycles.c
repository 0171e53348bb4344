// SPDX-License-Identifier: MIT
/*
 * 100 000 save/restore cycles at random moments: random mixes of AQL and of PM4 queues on
 * every profile, under the firmware scheduler with random faults, and slot by slot without it;
 * some come back on other CUs, in half of the mixes waves cost each other time. In the end
 * memory must be exact, every saved context restored, nothing lost and nothing repeated.
 *
 * Usage: proof_random_cycles [SEED [CYCLES]]
 */
#include "proof.h"

#include <stdlib.h>

#define LIMIT_NS 1000000000000ull
#define FENCE_NS 1000000000ull
#define HQD_NS 1000000000ull
#define BUFFER_BYTES 2048
#define MASK_WORDS 10

struct totals {
	u64 cycles;
	u64 saves;
	u64 restores;
	u64 bytes;
	u64 workgroups;
	u64 refused;
	u64 lost_fences;
	u64 rounds;
	u64 pm4_saves;		/* a PM4 queue was out with waves */
	u64 resized;		/* a queue with waves came back under another CU mask */
	u64 pm4_inside;		/* a PM4 queue was out in the middle of a buffer */
};

static const char *const profiles[] = { "tiny", "tiny", "tiny", "mi210", "mi308x", "mi300x" };

static struct world_kernel random_kernel(struct proof_rng *rng, bool is_tiny)
{
	return (struct world_kernel){
		.steps = 20 + proof_below(rng, is_tiny ? 400 : 100),
		.step_ns = 100 + proof_below(rng, is_tiny ? 900 : 5000),
		.vgprs = 8 + 8 * proof_below(rng, 4),
		.nr_groups = 1 + proof_below(rng, 24),
		.group_size = 64 * (1 + proof_below(rng, 3)),
		.lds_bytes = proof_below(rng, 2) * 600,
		.seed = proof_random(rng),
		.has_barrier = proof_below(rng, 2),
		.has_out = true,
	};
}

static void fill_aql(struct proof_mix *m, struct world_queue *q, struct proof_rng *rng,
		     bool is_tiny)
{
	u32 nr = 1 + proof_below(rng, 3);

	while (nr--) {
		struct world_kernel k = random_kernel(rng, is_tiny);

		proof_add(m, q, &k);
	}
}

/* Wait for a dispatch of an earlier queue of the process, if there is one. */
static void wait_for_other(struct proof_mix *m, struct world_queue *q, struct proof_rng *rng)
{
	u32 i = proof_below(rng, m->nr_dispatches + 1);

	if (i == m->nr_dispatches || m->queue_of[i] == q || m->queue_of[i]->pasid != q->pasid)
		return;
	world_pm4_wait(q, m->dispatch[i].signal + GPU_SIGNAL_VALUE_OFFSET, GPU_WAIT_EQUAL, 0);
}

/* Some dispatches are waited for, others run side by side; in the ring or in a buffer. */
static void fill_pm4(struct proof_mix *m, struct world_queue *q, struct proof_rng *rng,
		     bool is_tiny)
{
	u64 word = world_alloc(&m->w, q->pasid, 64, 64);
	u32 first = m->nr_dispatches, nr = 1 + proof_below(rng, 3), i;
	bool has_buffer = proof_below(rng, 2);

	world_queue_make_pm4(q);
	if (has_buffer)
		world_pm4_begin_buffer(q, BUFFER_BYTES);
	for (i = 0; i < nr; i++) {
		struct world_kernel k = random_kernel(rng, is_tiny);

		k.has_no_signal = proof_below(rng, 2);
		wait_for_other(m, q, rng);
		proof_add(m, q, &k);
		world_pm4_write(q, word, i + 1, GPU_WRITE_DATA_DST_MEMORY);
		world_pm4_wait(q, word, GPU_WAIT_EQUAL, i + 1);
		world_pm4_nop(q, 1 + proof_below(rng, 5));
	}
	if (has_buffer && proof_below(rng, 2)) {
		proof_release(m, q, first);
		world_pm4_end_buffer(q);
	} else {
		if (has_buffer)
			world_pm4_end_buffer(q);
		proof_release(m, q, first);
	}
}

/* The same @seed builds the same mix in any world. */
static void build(struct proof_mix *m, u64 seed)
{
	struct proof_rng rng = { .state = seed };
	struct world_options o = { .engine = "state", .proc_bytes = 2ull << 30 };
	u32 nr_queues, nr_procs, i;
	bool is_tiny;

	memset(m, 0, sizeof(*m));
	o.profile = profiles[proof_below(&rng, (u32)(sizeof(profiles) / sizeof(profiles[0])))];
	o.has_contention = seed >> 9 & 1;
	is_tiny = !strcmp(o.profile, "tiny");
	if (world_init(&m->w, &o))
		proof_fail("no world");
	nr_queues = 1 + proof_below(&rng, 5);
	nr_procs = 1 + proof_below(&rng, 3);
	for (i = 0; i < nr_queues; i++) {
		struct world_queue *q = world_queue(&m->w, WORLD_FIRST_PASID + i % nr_procs,
						    proof_below(&rng, 16));

		if (proof_below(&rng, 2))
			fill_pm4(m, q, &rng, is_tiny);
		else
			fill_aql(m, q, &rng, is_tiny);
	}
}

static u32 mqd_word(struct proof_mix *m, const struct world_queue *q, u32 offset)
{
	return world_u32(&m->w, GPU_PASID_GART, q->mqd + offset);
}

/* What a PM4 queue that has just left its slot took with it. */
static void count_pm4(struct proof_mix *m, const struct world_queue *q, struct totals *t)
{
	if (!q->is_pm4)
		return;
	t->pm4_saves += mqd_word(m, q, GPU_MQD_CTL_STACK_OFFSET) !=
			mqd_word(m, q, GPU_MQD_CTL_STACK_SIZE);
	t->pm4_inside += mqd_word(m, q, GPU_MQD_IB_RPTR) != 0;
}

/* Other CUs for a queue that is out: some that come after each other, so some of each XCC. */
static void resize(struct proof_mix *m, struct world_queue *q, struct proof_rng *rng,
		   struct totals *t)
{
	u32 nr_xcc = m->w.profile->nr_xcc, nr_cus = nr_xcc * m->w.profile->cu_per_xcc;
	u32 nr = nr_xcc + proof_below(rng, nr_cus - nr_xcc + 1);
	u32 from = proof_below(rng, nr_cus - nr + 1), mask[MASK_WORDS] = { 0 }, i;

	if (proof_below(rng, 4))
		return;
	for (i = from; i < from + nr; i++)
		mask[i / 32] |= 1u << i % 32;
	world_queue_set_cus(q, mask, nr_cus);
	t->resized += mqd_word(m, q, GPU_MQD_CTL_STACK_OFFSET) !=
		      mqd_word(m, q, GPU_MQD_CTL_STACK_SIZE);
}

static void wait_fence(struct proof_mix *m, struct totals *t)
{
	if (world_run_fence(&m->w, FENCE_NS))
		return;
	/* A lost fence: a driver would give up; this one asks again. */
	t->lost_fences++;
	world_fence(&m->w);
	world_hiq_ring(&m->w);
	if (!world_run_fence(&m->w, FENCE_NS))
		proof_fail("the fence never comes");
}

static void inject(struct proof_mix *m, struct proof_rng *rng)
{
	u32 q = proof_below(rng, m->w.nr_queues);

	switch (proof_below(rng, 12)) {
	case 0:
		gpu_inject(m->w.gpu, GPU_FAULT_REFUSE, m->w.queue[q].doorbell);
		break;
	case 1:
		gpu_inject(m->w.gpu, GPU_FAULT_SLOW, 1 + proof_below(rng, 10));
		break;
	case 2:
		gpu_inject(m->w.gpu, GPU_FAULT_LOSE_FENCE, 1);
		break;
	case 3:
		world_grace(&m->w, proof_below(rng, 256));
		break;
	case 4:
	case 5:
		gpu_inject(m->w.gpu, GPU_FAULT_CLEAR, 0);
		break;
	default:
		break;
	}
}

/* Unmap some queues or all, by any selector that saves. */
static void unmap_some(struct proof_mix *m, struct proof_rng *rng)
{
	u32 param[4], i, nr = 1 + proof_below(rng, 4);

	switch (proof_below(rng, 6)) {
	case 0:
		for (i = 0; i < nr; i++)
			param[i] = m->w.queue[proof_below(rng, m->w.nr_queues)].doorbell;
		world_unmap(&m->w, GPU_UNMAP_SPECIFIED, GPU_UNMAP_PREEMPT, param, nr);
		break;
	case 1:
		param[0] = m->w.queue[proof_below(rng, m->w.nr_queues)].pasid;
		world_unmap(&m->w, GPU_UNMAP_BY_PASID, GPU_UNMAP_DISABLE_PROCESS, param, 1);
		break;
	case 2:
		world_unmap(&m->w, GPU_UNMAP_ALL, GPU_UNMAP_PREEMPT, NULL, 0);
		break;
	default:
		world_unmap(&m->w, GPU_UNMAP_ALL_NON_STATIC, GPU_UNMAP_PREEMPT, NULL, 0);
		break;
	}
}

static void cycle_firmware(struct proof_mix *m, struct proof_rng *rng, struct totals *t)
{
	u64 traces = m->w.nr_traces[GPU_TRACE_FAULT];
	u32 i;

	world_run_for(&m->w, proof_below(rng, 4000));
	inject(m, rng);
	unmap_some(m, rng);
	world_fence(&m->w);
	world_hiq_ring(&m->w);
	wait_fence(m, t);
	for (i = 0; i < m->w.nr_queues; i++) {
		if (gpu_slot_of(m->w.gpu, m->w.queue[i].doorbell) >= 0)
			continue;
		count_pm4(m, &m->w.queue[i], t);
		resize(m, &m->w.queue[i], rng, t);
	}
	t->refused += m->w.nr_traces[GPU_TRACE_FAULT] - traces;
	if (proof_below(rng, 2))
		world_run_for(&m->w, proof_below(rng, 3000));
	world_runlist_all(&m->w);
	if (proof_below(rng, 2)) {
		world_fence(&m->w);
		world_hiq_ring(&m->w);
		wait_fence(m, t);
	} else {
		world_hiq_ring(&m->w);
	}
	t->cycles++;
}

static void wait_slot(struct proof_mix *m, u32 slot)
{
	u64 end = m->w.now_ns + HQD_NS;

	m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	while (gpu_hqd_is_busy(m->w.gpu, slot)) {
		if (m->w.next_ns > end)
			proof_fail("slot %u stays busy", slot);
		m->w.now_ns = m->w.next_ns;
		m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	}
}

static void load_slot(struct proof_mix *m, u32 i)
{
	const struct world_queue *q = &m->w.queue[i];

	if (gpu_hqd_load(m->w.gpu, i, q->pasid, 3 + i, q->mqd, m->w.now_ns))
		proof_fail("slot %u cannot be loaded", i);
	wait_slot(m, i);
}

static void cycle_by_hand(struct proof_mix *m, struct proof_rng *rng, struct totals *t)
{
	u32 i = proof_below(rng, m->w.nr_queues);

	world_run_for(&m->w, proof_below(rng, 4000));
	if (gpu_hqd_dequeue(m->w.gpu, i,
			    proof_below(rng, 40) ? GPU_DEQUEUE_SAVE : GPU_DEQUEUE_DRAIN,
			    m->w.now_ns))
		proof_fail("slot %u cannot be dequeued", i);
	wait_slot(m, i);
	if (gpu_hqd_is_active(m->w.gpu, i))
		proof_fail("slot %u is still active", i);
	count_pm4(m, &m->w.queue[i], t);
	resize(m, &m->w.queue[i], rng, t);
	world_run_for(&m->w, proof_below(rng, 2000));
	load_slot(m, i);
	t->cycles++;
}

static void run_alone(struct proof_mix *m, u64 seed)
{
	build(m, seed);
	proof_start(m);
	if (!world_run_idle(&m->w, LIMIT_NS) || !proof_is_done(m))
		proof_fail("undisturbed run does not end");
}

static void check(struct proof_mix *alone, struct proof_mix *m, u64 seed, struct totals *t)
{
	const struct gpu_stats *s = gpu_stats(m->w.gpu);
	const char *where;

	gpu_inject(m->w.gpu, GPU_FAULT_CLEAR, 0);
	world_runlist_all(&m->w);
	world_hiq_ring(&m->w);
	if (!world_run_idle(&m->w, LIMIT_NS) || !proof_is_done(m))
		proof_fail("mix %#llx does not end", (unsigned long long)seed);
	where = proof_compare(alone, m);
	if (!where)
		where = proof_check_tally(m);
	if (where)
		proof_fail("mix %#llx: %s", (unsigned long long)seed, where);
	if (s->nr_saves != s->nr_restores || s->save_bytes != s->restore_bytes || s->nr_killed ||
	    s->nr_faults)
		proof_fail("mix %#llx: %llu saves, %llu restores, %llu killed, %llu faults",
			   (unsigned long long)seed, (unsigned long long)s->nr_saves,
			   (unsigned long long)s->nr_restores, (unsigned long long)s->nr_killed,
			   (unsigned long long)s->nr_faults);
	t->saves += s->nr_saves;
	t->restores += s->nr_restores;
	t->bytes += s->save_bytes;
	t->workgroups += s->nr_workgroups;
	t->rounds++;
}

static void run_round(u64 seed, struct totals *t, u64 max_cycles)
{
	static struct proof_mix alone, m;
	struct proof_rng rng = { .state = seed ^ 0x5851f42d4c957f2dull };
	bool is_by_hand = proof_below(&rng, 4) == 0;
	u32 i;

	run_alone(&alone, seed);
	build(&m, seed);
	for (i = 0; i < m.w.nr_queues; i++)
		world_ring(&m.w.queue[i]);
	for (i = 0; i < m.w.nr_queues && is_by_hand; i++)
		load_slot(&m, i);
	if (!is_by_hand)
		proof_start(&m);
	while (!proof_is_done(&m) && t->cycles < max_cycles) {
		if (is_by_hand)
			cycle_by_hand(&m, &rng, t);
		else
			cycle_firmware(&m, &rng, t);
	}
	check(&alone, &m, seed, t);
	world_fini(&m.w);
	world_fini(&alone.w);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240607;
	u64 cycles = argc > 2 ? strtoull(argv[2], NULL, 0) : 100000;
	struct proof_rng rng = { .state = seed | 1 };
	struct totals t = { 0 };
	u64 next_line = 0;

	proof_say("seed %llu", (unsigned long long)seed);
	while (t.cycles < cycles) {
		run_round(proof_random(&rng) | 1, &t, cycles);
		if (t.cycles < next_line)
			continue;
		proof_say("%llu cycles, %llu mixes, %llu saves, %llu MiB",
			  (unsigned long long)t.cycles, (unsigned long long)t.rounds,
			  (unsigned long long)t.saves, (unsigned long long)(t.bytes >> 20));
		next_line = t.cycles + cycles / 10;
	}
	proof_say("%llu cycles in %llu mixes: %llu contexts saved, %llu restored, %llu workgroups, "
		  "%llu fences lost, %llu faults took effect: memory exact",
		  (unsigned long long)t.cycles, (unsigned long long)t.rounds,
		  (unsigned long long)t.saves, (unsigned long long)t.restores,
		  (unsigned long long)t.workgroups, (unsigned long long)t.lost_fences,
		  (unsigned long long)t.refused);
	proof_say("%llu times waves came back on other CUs", (unsigned long long)t.resized);
	proof_say("a PM4 queue was out with waves %llu times, in the middle of a buffer %llu times",
		  (unsigned long long)t.pm4_saves, (unsigned long long)t.pm4_inside);
	return t.saves == t.restores && t.saves > cycles / 10 && t.pm4_saves > cycles / 100 &&
	       t.pm4_inside > cycles / 100 && t.resized > cycles / 100 ? 0 : 1;
}
