// SPDX-License-Identifier: MIT
#include "bench_gpu.h"

#include "bench.h"
#include "world.h"

#define CYCLES 10000
#define CYCLE_RUN_NS 5000	/* time the waves run between two preemptions */
#define CYCLE_BOUND 20000.0
#define FENCE_NS 1000000000ull
#define DISPATCHES 1000000
#define NR_ROUNDS 3

static int start(struct world *w, const char *profile, const char *engine)
{
	struct world_options o = { .profile = profile, .engine = engine, .proc_bytes = 8ull << 30 };

	return world_init(w, &o);
}

static int wait_mapped(struct world *w)
{
	world_runlist_all(w);
	world_fence(w);
	world_hiq_ring(w);
	return world_run_fence(w, FENCE_NS) ? 0 : -ETIME;
}

static double per_second(u64 nr, uint64_t since_ns)
{
	return (double)nr * 1e9 / (double)(bench_cpu_ns() - since_ns);
}

/* 16 workgroups of 2 waves with LDS run on; the same pieces of time with or without cycles. */
static int run_cycles(bool is_preempted, double *rate)
{
	struct world_kernel k = { .steps = 10000000, .step_ns = 1000, .vgprs = 16, .nr_groups = 16,
				  .group_size = 128, .lds_bytes = 1024, .has_out = true };
	struct world w;
	struct world_queue *q;
	uint64_t start_ns;
	u32 i;
	int err = start(&w, "tiny", "state");

	if (err)
		return err;
	q = world_queue(&w, WORLD_FIRST_PASID, 7);
	world_dispatch(q, &k);
	world_ring(q);
	err = wait_mapped(&w);
	world_run_for(&w, CYCLE_RUN_NS);
	start_ns = bench_cpu_ns();
	for (i = 0; i < CYCLES && !err; i++) {
		world_run_for(&w, CYCLE_RUN_NS);
		if (!is_preempted)
			continue;
		err = world_preempt(&w) ? wait_mapped(&w) : -ETIME;
	}
	/* State is lazy: a last save makes both kinds of run take all their steps. */
	if (!err && !world_preempt(&w))
		err = -ETIME;
	*rate = per_second(CYCLES, start_ns);
	if (!err && gpu_stats(w.gpu)->nr_saves != (is_preempted ? CYCLES + 1 : 1))
		err = -EIO;
	world_fini(&w);
	return err;
}

int bench_gpu(struct bench *b)
{
	struct bench_result r = {
		.bench = "sim.cycles", .name = "state engine, tiny", .unit = "cycles/s",
		.bound = CYCLE_BOUND, .kind = BENCH_AT_LEAST, .has_baseline = true,
	};
	double with[NR_ROUNDS], without[NR_ROUNDS];
	u32 i;

	for (i = 0; i < NR_ROUNDS; i++) {
		int err = run_cycles(false, &without[i]);

		if (!err)
			err = run_cycles(true, &with[i]);
		if (err)
			return err;
	}
	r.value = bench_median(with, NR_ROUNDS);
	r.baseline = bench_median(without, NR_ROUNDS);
	return bench_report(b, &r);
}

/* Keep every queue of the world supplied until enough dispatches have ended. */
static void feed(struct world *w, const struct world_dispatch *d)
{
	u32 i;

	while (gpu_stats(w->gpu)->nr_dispatches < DISPATCHES) {
		for (i = 0; i < w->nr_queues; i++) {
			struct world_queue *q = &w->queue[i];
			u64 rptr = world_u64(w, q->pasid, q->rptr_addr);

			while (q->wptr - rptr < q->nr_packets / 4)
				world_dispatch_again(q, &d[i]);
			world_ring(q);
		}
		world_run_for(w, 20000);
	}
}

static int run_dispatches(const char *profile, u32 nr_queues, u32 nr_groups, double *rate)
{
	struct world_kernel k = { .steps = 1, .step_ns = 5000, .vgprs = 32,
				  .nr_groups = nr_groups };
	struct world_dispatch d[WORLD_MAX_QUEUES];
	struct world w;
	uint64_t start_ns;
	u32 i;
	int err = start(&w, profile, "timed");

	if (err)
		return err;
	for (i = 0; i < nr_queues; i++)
		d[i] = world_dispatch(world_queue(&w, WORLD_FIRST_PASID + i % 8, 7), &k);
	err = wait_mapped(&w);
	start_ns = bench_cpu_ns();
	if (!err)
		feed(&w, d);
	*rate = per_second(gpu_stats(w.gpu)->nr_dispatches, start_ns);
	world_fini(&w);
	return err;
}

int bench_gpu_dispatches(struct bench *b)
{
	static const struct {
		const char *name;
		u32 nr_queues;
		u32 nr_groups;
	} cases[] = {
		{ "mi300x, 24 queues, 1 workgroup", 24, 1 },
		{ "mi300x, 64 queues, 1 workgroup", 64, 1 },
		{ "mi300x, 64 queues, 8 workgroups", 64, 8 },
		{ "mi300x, 24 queues, 304 workgroups", 24, 304 },
	};
	u32 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_result r = { .bench = "gpu.dispatches", .name = cases[i].name,
					     .unit = "dispatches/s", .kind = BENCH_INFO };
		int err = run_dispatches("mi300x", cases[i].nr_queues, cases[i].nr_groups,
					 &r.value);

		if (!err)
			err = bench_report(b, &r);
		if (err)
			return err;
	}
	return 0;
}
