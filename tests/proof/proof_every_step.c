// SPDX-License-Identifier: MIT
/*
 * A mix of dispatches under the state engine, preempted at every moment at which a
 * wave can be between two steps, and between these moments. Each time the memory
 * must end up bit for bit as without preemption.
 *
 * "resize": the queues come back on other CUs, those of one process on what the other
 * has not, and later once more on all of them. No wave may be where its mask is not.
 *
 * Usage: proof_every_step [PROFILE [resize]]
 */
#include "proof.h"

#include "gpu/gpu_slot.h"

#include <stdlib.h>

#define GRID_NS 100	/* all times of the undisturbed run are multiples of it */
#define LIMIT_NS 10000000ull
#define MASK_WORDS 10
#define NR_MASKS 4

static const char *profile = "tiny";

/* A buffer with two kernels side by side and, after them, a third; results in between. */
static void fill_pm4(struct proof_mix *m, struct world_queue *q)
{
	struct world_kernel k = { .steps = 6, .step_ns = 400, .vgprs = 16, .nr_groups = 30,
				  .group_size = 128, .lds_bytes = 1024, .seed = 8,
				  .has_out = true, .has_no_signal = true };
	u64 word = world_alloc(&m->w, q->pasid, 64, 64);
	u32 first = m->nr_dispatches;

	world_queue_make_pm4(q);
	world_pm4_begin_buffer(q, 1024);
	proof_add(m, q, &k);
	k.seed = 9;
	proof_add(m, q, &k);
	world_pm4_write(q, word, 1, GPU_WRITE_DATA_DST_MEMORY);
	proof_release(m, q, first);
	world_pm4_wait(q, word, GPU_WAIT_EQUAL, 1);
	k.seed = 10;
	k.has_no_signal = false;
	proof_add(m, q, &k);
	world_pm4_end_buffer(q);
	world_pm4_release(q, word + 8, 2, GPU_RELEASE_DATA_64, 0);
}

/* Two processes, four queues: barriers, LDS, small and large workgroups, PM4. */
static void build(struct proof_mix *m)
{
	struct world_options o = { .profile = profile, .engine = "state", .proc_bytes = 1 << 30 };
	struct world_kernel small = { .steps = 9, .step_ns = 300, .vgprs = 8, .nr_groups = 40,
				      .group_size = 64, .seed = 1, .has_out = true };
	struct world_kernel wide = { .steps = 5, .step_ns = 700, .vgprs = 40, .nr_groups = 12,
				     .group_size = 512, .lds_bytes = 3000, .seed = 2,
				     .has_out = true, .has_barrier = true };
	struct world_kernel many = { .steps = 4, .step_ns = 500, .vgprs = 24, .nr_groups = 300,
				     .group_size = 128, .lds_bytes = 512, .seed = 3,
				     .has_out = true };
	struct world_queue *q[4];
	u64 dep;
	u32 i;

	memset(m, 0, sizeof(*m));
	if (world_init(&m->w, &o))
		proof_fail("no world");
	for (i = 0; i < 4; i++)
		q[i] = world_queue(&m->w, WORLD_FIRST_PASID + i / 2, 3 + 4 * (i % 3));
	proof_add(m, q[0], &small);
	proof_add(m, q[0], &wide);
	proof_add(m, q[1], &many);
	dep = m->dispatch[2].signal;
	world_barrier(q[0], GPU_AQL_BARRIER_AND, true, &dep, 1, 0);
	small.seed = 4;
	proof_add(m, q[0], &small);
	dep = m->dispatch[1].signal;
	world_barrier(q[1], GPU_AQL_BARRIER_OR, false, &dep, 1, 0);
	wide.seed = 5;
	wide.has_barrier = false;
	proof_add(m, q[1], &wide);
	many.seed = 6;
	many.nr_groups = 100;
	proof_add(m, q[2], &many);
	small.seed = 7;
	proof_add(m, q[2], &small);
	fill_pm4(m, q[3]);
	proof_start(m);
}

/* Return: how long the mix takes alone. */
static u64 run_alone(struct proof_mix *m)
{
	build(m);
	while (!proof_is_done(m)) {
		if (m->w.next_ns > LIMIT_NS)
			proof_fail("undisturbed run does not end");
		if (m->w.next_ns % GRID_NS)
			proof_fail("an event at %llu: not every moment would be tried",
				   (unsigned long long)m->w.next_ns);
		m->w.now_ns = m->w.next_ns;
		m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	}
	world_run_idle(&m->w, LIMIT_NS);
	return m->w.now_ns;
}

/* CUs of a queue: a process has a half, one CU of each XCC, or what that leaves. */
static void make_mask(const struct proof_mix *m, const struct world_queue *q, u32 kind, u32 *mask)
{
	u32 nr_cus = m->w.profile->nr_xcc * m->w.profile->cu_per_xcc;
	u32 border = kind < 2 ? nr_cus / 2 : m->w.profile->nr_xcc;
	bool is_low = (q->pasid == WORLD_FIRST_PASID) == (kind % 2 == 0);
	u32 i;

	memset(mask, 0, MASK_WORDS * sizeof(*mask));
	for (i = 0; i < nr_cus; i++)
		if ((i < border) == is_low)
			mask[i / 32] |= 1u << i % 32;
}

/* Workgroups of a dispatch on CUs that the mask does not have. */
static u32 count_outside(const struct proof_mix *m, const struct gpu_dispatch *d, const u32 *mask)
{
	u32 se_mask[GPU_MAX_SE_PER_XCC], nr = 0, x, i;
	const struct gpu_cohort *c;
	struct gpu_cus cus;

	for (x = 0; x < m->w.profile->nr_xcc; x++) {
		gpu_cu_mask_spread(m->w.profile, mask, MASK_WORDS * 32, x, se_mask);
		gpu_cu_mask_read(m->w.profile, se_mask, &cus);
		for (c = d->share[x].resident; c; c = c->next)
			for (i = 0; i < m->w.profile->cu_per_xcc; i++)
				nr += gpu_cus_has(&cus, i) ? 0 : c->per_cu[i];
	}
	return nr;
}

static u32 outside_masks(struct proof_mix *m, u32 kind)
{
	u32 mask[MASK_WORDS], nr = 0, i, j;

	for (i = 0; i < m->w.nr_queues; i++) {
		struct gpu_slot *slot = gpu_slot_find(m->w.gpu, m->w.queue[i].doorbell);

		make_mask(m, &m->w.queue[i], kind, mask);
		for (j = 0; slot && j < slot->nr_dispatches; j++)
			nr += count_outside(m, &slot->dispatch[slot->order[j]], mask);
	}
	return nr;
}

static void preempt(struct proof_mix *m, u64 at_ns)
{
	if (!world_preempt(&m->w))
		proof_fail("preemption at %llu does not end", (unsigned long long)at_ns);
}

static void set_masks(struct proof_mix *m, u32 kind)
{
	u32 mask[MASK_WORDS], i;

	memset(mask, 0xff, sizeof(mask));
	for (i = 0; i < m->w.nr_queues; i++) {
		if (kind < NR_MASKS)
			make_mask(m, &m->w.queue[i], kind, mask);
		world_queue_set_cus(&m->w.queue[i], mask, MASK_WORDS * 32);
	}
}

/*
 * Preempted, the queues get other CUs for a time; preempted again, all of them. Return:
 * workgroups seen where they may not be.
 */
static u32 resize(struct proof_mix *m, u64 at_ns, bool is_ignored)
{
	u32 kind = (u32)(at_ns / (GRID_NS / 2) % NR_MASKS), nr = 0, i;

	if (!is_ignored)
		set_masks(m, kind);
	world_runlist_all(&m->w);
	world_hiq_ring(&m->w);
	for (i = 0; i < 8; i++) {
		world_run_for(&m->w, 650 + m->w.profile->map_ns);
		nr += outside_masks(m, kind);
	}
	preempt(m, at_ns);
	set_masks(m, NR_MASKS);
	return nr;
}

/* The control: masks that are not there must be noticed. */
static void ignore_masks(u64 total_ns)
{
	static struct proof_mix m;
	u32 nr = 0;
	u64 at_ns;

	for (at_ns = 0; at_ns < total_ns; at_ns += total_ns / 16 / GRID_NS * GRID_NS) {
		build(&m);
		world_run_for(&m.w, at_ns);
		preempt(&m, at_ns);
		nr += resize(&m, at_ns, true) != 0;
		world_fini(&m.w);
	}
	if (!nr)
		proof_fail("masks that are ignored were not noticed");
	proof_say("%u of 16 resizes whose masks were left out were noticed", nr);
}

static u64 run_preempted(struct proof_mix *m, u64 at_ns, bool is_resizing)
{
	const struct gpu_stats *s;
	u64 saves;

	build(m);
	world_run_for(&m->w, at_ns);
	preempt(m, at_ns);
	if (is_resizing && resize(m, at_ns, false))
		proof_fail("preempted at %llu: waves outside of their mask",
			   (unsigned long long)at_ns);
	world_runlist_all(&m->w);
	world_hiq_ring(&m->w);
	if (!world_run_idle(&m->w, LIMIT_NS) || !proof_is_done(m))
		proof_fail("preempted at %llu, the mix does not end", (unsigned long long)at_ns);
	s = gpu_stats(m->w.gpu);
	saves = s->nr_saves;
	if (s->nr_saves != s->nr_restores || s->nr_faults)
		proof_fail("preempted at %llu: %llu saves, %llu restores, %llu faults",
			   (unsigned long long)at_ns, (unsigned long long)s->nr_saves,
			   (unsigned long long)s->nr_restores, (unsigned long long)s->nr_faults);
	return saves;
}

int main(int argc, char **argv)
{
	static struct proof_mix alone, m;
	bool is_resizing = argc > 2 && !strcmp(argv[2], "resize");
	u64 total_ns, at_ns, nr = 0, saves = 0, next_line = 0;
	const char *where;

	if (argc > 1)
		profile = argv[1];
	total_ns = run_alone(&alone);
	where = proof_check_tally(&alone);

	if (where)
		proof_fail("undisturbed: %s", where);
	proof_say("undisturbed run: %llu ns, %u dispatches", (unsigned long long)total_ns,
		  alone.nr_dispatches);
	if (is_resizing)
		ignore_masks(total_ns);
	for (at_ns = 0; at_ns <= total_ns; at_ns += GRID_NS / 2) {
		saves += run_preempted(&m, at_ns, is_resizing);
		where = proof_compare(&alone, &m);
		if (where)
			proof_fail("preempted at %llu: memory differs at %s",
				   (unsigned long long)at_ns, where);
		world_fini(&m.w);
		nr++;
		if (at_ns * 10 >= next_line) {
			proof_say("%3llu %%: %llu preemptions, %llu contexts saved, memory exact",
				  (unsigned long long)(at_ns * 100 / total_ns),
				  (unsigned long long)nr, (unsigned long long)saves);
			next_line += total_ns;
		}
	}
	world_fini(&alone.w);
	proof_say("%llu preemptions, %llu contexts saved and restored, memory exact each time",
		  (unsigned long long)nr, (unsigned long long)saves);
	return saves ? 0 : 1;
}
