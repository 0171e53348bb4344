// SPDX-License-Identifier: MIT
/*
 * The negative control: damage to a saved context must not go unnoticed. One bit is
 * flipped at a random place of the used save area or control stack, by hand or by
 * the injected fault, or the saved waves are forgotten altogether. Each time either
 * the restore must report an error for that queue, or the memory at the end must be
 * wrong, and wrong only for the waves whose bytes were hit. Without damage the same
 * check must pass. One queue has AQL packets, the other PM4.
 *
 * Usage: proof_corrupt [SEED [TRIALS]]
 */
#include "proof.h"

#include <stdlib.h>

#define LIMIT_NS 500000ull

enum damage {
	DAMAGE_NONE,
	DAMAGE_WAVES,	/* a bit of the wave state */
	DAMAGE_CTL,	/* a bit of the control stack */
	DAMAGE_FAULT,	/* GPU_FAULT_CORRUPT */
	DAMAGE_FORGET,	/* the MQD says that nothing was saved */
	DAMAGE_COUNT
};

static const char *const damage_name[] = { "none", "wave state", "control stack", "injected fault",
					   "restore skipped" };

struct outcome {
	u64 nr;
	u64 errors;	/* the restore noticed */
	u64 wrong;	/* the memory shows it */
};

struct hit {
	u32 dispatch;	/* whose bytes */
	u32 group;
	bool is_known;
};

static const char *engine = "state";

static void build(struct proof_mix *m, const char *profile)
{
	struct world_options o = { .profile = profile, .engine = engine, .proc_bytes = 1ull << 30 };
	struct world_kernel k = { .steps = 110, .step_ns = 500, .vgprs = 16, .nr_groups = 20,
				  .group_size = 128, .lds_bytes = 1024, .has_out = true };
	u32 i;

	memset(m, 0, sizeof(*m));
	if (world_init(&m->w, &o))
		proof_fail("no world");
	for (i = 0; i < 2; i++) {
		struct world_queue *q = world_queue(&m->w, WORLD_FIRST_PASID + i, 7);

		k.has_no_signal = i == 1;
		if (i == 1)
			world_queue_make_pm4(q);
		k.seed = i + 1;
		proof_add(m, q, &k);
		k.seed = i + 11;
		k.nr_groups = 9;
		proof_add(m, q, &k);
		k.nr_groups = 20;
	}
	proof_release(m, &m->w.queue[1], 0);
	proof_start(m);
}

static void flip(struct proof_mix *m, u32 pasid, u64 addr, struct proof_rng *rng)
{
	u8 *byte = world_at(&m->w, pasid, addr, 1);

	*byte ^= (u8)(1u << proof_below(rng, 8));
}

static u32 mqd_word(struct proof_mix *m, const struct world_queue *q, u32 xcc, u32 offset)
{
	return world_u32(&m->w, GPU_PASID_GART, q->mqd + xcc * q->stride + offset);
}

/* Bytes of saved wave state on one XCC. */
static u32 state_bytes(struct proof_mix *m, const struct world_queue *q, u32 xcc)
{
	return mqd_word(m, q, xcc, GPU_MQD_WG_STATE_OFFSET) -
	       mqd_word(m, q, xcc, GPU_MQD_CTL_STACK_SIZE);
}

/* All workgroups of this mix have the same size, so the place tells which one it is. */
static struct hit find_hit(struct proof_mix *m, const struct world_queue *q, u32 xcc, u32 offset)
{
	u32 group_bytes = 2 * (16 * 256 + 640) + 1024;
	u64 base = q->area + (u64)xcc * q->area_bytes +
		   mqd_word(m, q, xcc, GPU_MQD_CTL_STACK_SIZE);
	u64 group = base + offset / group_bytes * group_bytes;
	u32 nr_groups = state_bytes(m, q, xcc) / group_bytes;
	u32 first = 20 / m->w.profile->nr_xcc + (xcc < 20 % m->w.profile->nr_xcc);
	struct hit hit = { .is_known = true };

	/* Hardware register 2 is the workgroup; those of the first dispatch come first. */
	hit.group = world_u32(&m->w, q->pasid, group + 8);
	hit.dispatch = (u32)(q - m->w.queue) * 2 + (offset / group_bytes >= first);
	if (offset / group_bytes >= nr_groups)
		proof_fail("the save area has another layout than expected");
	return hit;
}

static struct hit damage_waves(struct proof_mix *m, struct proof_rng *rng)
{
	struct world_queue *q = &m->w.queue[proof_below(rng, 2)];
	u32 xcc = proof_below(rng, m->w.profile->nr_xcc);
	u32 offset = proof_below(rng, state_bytes(m, q, xcc));
	struct hit hit = find_hit(m, q, xcc, offset);

	flip(m, q->pasid, q->area + (u64)xcc * q->area_bytes +
	     mqd_word(m, q, xcc, GPU_MQD_CTL_STACK_SIZE) + offset, rng);
	return hit;
}

static void damage_ctl(struct proof_mix *m, struct proof_rng *rng)
{
	struct world_queue *q = &m->w.queue[proof_below(rng, 2)];
	u32 xcc = proof_below(rng, m->w.profile->nr_xcc);
	u32 from = mqd_word(m, q, xcc, GPU_MQD_CTL_STACK_OFFSET);
	u32 to = mqd_word(m, q, xcc, GPU_MQD_CTL_STACK_SIZE);

	flip(m, GPU_PASID_GART,
	     q->mqd + xcc * q->stride + GPU_MQD_CTL_STACK + from + proof_below(rng, to - from),
	     rng);
}

static void damage_forget(struct proof_mix *m, struct proof_rng *rng)
{
	struct world_queue *q = &m->w.queue[proof_below(rng, 2)];
	u32 x;

	for (x = 0; x < m->w.profile->nr_xcc; x++) {
		u64 mqd = q->mqd + x * q->stride;
		u32 size = mqd_word(m, q, x, GPU_MQD_CTL_STACK_SIZE);

		world_set_u32(&m->w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_OFFSET, size);
		world_set_u32(&m->w, GPU_PASID_GART, mqd + GPU_MQD_WG_STATE_OFFSET, size);
	}
}

static struct hit do_damage(struct proof_mix *m, enum damage damage, struct proof_rng *rng)
{
	struct hit hit = { 0 };

	if (damage == DAMAGE_WAVES)
		return damage_waves(m, rng);
	if (damage == DAMAGE_CTL)
		damage_ctl(m, rng);
	else if (damage == DAMAGE_FORGET)
		damage_forget(m, rng);
	return hit;
}

/* Only results of the workgroup that was hit may differ. */
static void check_locality(struct proof_mix *a, struct proof_mix *b, struct hit hit)
{
	u32 i, g;

	for (i = 0; i < a->nr_dispatches; i++) {
		const struct world_dispatch *d = &a->dispatch[i];
		u32 pasid = a->queue_of[i]->pasid, bytes = d->waves * 8;

		for (g = 0; g < a->nr_groups[i]; g++) {
			const void *x = world_at(&a->w, pasid, d->out + g * (u64)bytes, bytes);
			const void *y = world_at(&b->w, pasid, d->out + g * (u64)bytes, bytes);
			bool is_hit = i == hit.dispatch && g == hit.group;

			if (!!memcmp(x, y, bytes) != is_hit)
				proof_fail("dispatch %u workgroup %u: %s", i, g,
					   is_hit ? "damaged but right" : "wrong but not damaged");
		}
	}
}

/* Both dispatches of both queues have all their waves on CUs, and will for 25 us. */
static void run_until_busy(struct proof_mix *m)
{
	while (gpu_waves(m->w.gpu, 0) < 2 * (20 + 9) * 2) {
		if (m->w.now_ns > LIMIT_NS)
			proof_fail("waves never start");
		world_run_for(&m->w, 100);
	}
}

static void run_trial(struct proof_mix *alone, const char *profile, enum damage damage,
		      struct proof_rng *rng, struct outcome *o)
{
	static struct proof_mix m;
	const char *where;
	struct hit hit;
	bool has_error;

	build(&m, profile);
	run_until_busy(&m);
	world_run_for(&m.w, proof_below(rng, 24000));
	if (damage == DAMAGE_FAULT)
		gpu_inject(m.w.gpu, GPU_FAULT_CORRUPT, proof_random(rng));
	if (!world_preempt(&m.w) || gpu_stats(m.w.gpu)->nr_saves != 2)
		proof_fail("both contexts must be saved");
	hit = do_damage(&m, damage, rng);
	world_runlist_all(&m.w);
	world_hiq_ring(&m.w);
	world_run_idle(&m.w, LIMIT_NS);
	has_error = gpu_stats(m.w.gpu)->nr_faults != 0;
	where = proof_compare(alone, &m);
	o->nr++;
	o->errors += has_error;
	o->wrong += !has_error && where;
	if ((damage != DAMAGE_NONE) != (has_error || where))
		proof_fail("%s: damage %s: %s", profile, damage_name[damage],
			   where ? where : "not noticed");
	if (!has_error && hit.is_known && !strcmp(engine, "state"))
		check_locality(alone, &m, hit);
	world_fini(&m.w);
}

/* The timed engine writes only a part of what it accounts; the fault knows which. */
static bool is_tried(enum damage damage)
{
	return !strcmp(engine, "state") || (damage != DAMAGE_WAVES && damage != DAMAGE_CTL);
}

static void run_trials(const char *profile, u32 trials, struct proof_rng *rng)
{
	static struct proof_mix alone;
	enum damage damage;

	build(&alone, profile);
	if (!world_run_idle(&alone.w, LIMIT_NS) || !proof_is_done(&alone))
		proof_fail("undisturbed run does not end");
	for (damage = DAMAGE_NONE; damage < DAMAGE_COUNT; damage++) {
		u32 nr = damage == DAMAGE_NONE || damage == DAMAGE_FORGET ? 20 : trials;
		struct outcome o = { 0 };

		if (!is_tried(damage))
			continue;
		while (nr--)
			run_trial(&alone, profile, damage, rng, &o);
		proof_say("%s %s, %s: %llu trials, %llu errors, %llu wrong results, %llu exact",
			  profile, engine, damage_name[damage], (unsigned long long)o.nr,
			  (unsigned long long)o.errors, (unsigned long long)o.wrong,
			  (unsigned long long)(o.nr - o.errors - o.wrong));
	}
	world_fini(&alone.w);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 4711;
	u32 trials = argc > 2 ? (u32)strtoul(argv[2], NULL, 0) : 1000;
	struct proof_rng rng = { .state = seed | 1 };

	proof_say("seed %llu", (unsigned long long)seed);
	run_trials("tiny", trials, &rng);
	run_trials("mi308x", trials / 4, &rng);
	engine = "timed";
	run_trials("mi300x", trials / 4, &rng);
	return 0;
}
