// SPDX-License-Identifier: MIT
#include "bench_waves.h"

#include <errno.h>
#include <math.h>

#include "bench.h"
#include "isa/float.h"
#include "../tests/isa/launch.h"

/* Short ones: what else runs on the core makes a round slower, never faster. */
#define NR_ROUNDS 40
#define ROUND_NS 25000000ull
#define NR_FLOATS 65536
#define LANES 64
#define ROWS_NS 5000000ull
#define HANDLER_NS 200000000ull
/* Parts of the baseline: two thirds of what it has, quiet or not. On a quiet core: 13 and 5 M/s. */
#define GEMM_BOUND 0.15
#define MFMA_BOUND 0.06

struct row {
	struct launch launch;
	const char *name;
	double bound; /* part of the baseline */
};

static const struct row rows[] = {
	{ { "gemm", { 16, 16 }, { 2, 1 }, 2000 }, "GEMM f32", GEMM_BOUND },
	{ { "gemm_tiled", { 16, 16 }, { 2, 1 }, 2000 }, "GEMM f32 in LDS", GEMM_BOUND },
	{ { "mfma_f32", { 64, 1 }, { 1, 1 }, 2000 }, "GEMM f32, MFMA 16x16x4", MFMA_BOUND },
	{ { "philox", { 64, 1 }, { 40, 1 }, 1 }, "integers", 0 },
	{ { "softmax", { 64, 1 }, { 4, 1 }, 10000 }, "softmax f32", 0 },
};

static void fill(struct rig *r)
{
	float *a = launch_buffer(r, 0), *b = launch_buffer(r, 1);
	int k;

	for (k = 0; k < NR_FLOATS; k++) {
		a[k] = (float)(k % 977) * 0.001f - 0.4f;
		b[k] = (float)(k % 773) * 0.002f - 0.7f;
	}
}

/* M instructions per second of processor time; below 0: a kernel did not end. */
static double measure(struct rig *r, const struct launch *l)
{
	uint64_t start = bench_cpu_ns(), ns, insts = 0;
	struct launch_stats s;

	do {
		fill(r);
		if (!launch_run(r, l, LAUNCH_ALONE, &s))
			return -1;
		insts += s.insts;
		ns = bench_cpu_ns() - start;
	} while (ns < ROUND_NS);
	return (double)insts * 1000 / (double)ns;
}

/*
 * The baseline: additions and multiplications of 64 lanes without an instruction to decode, in M
 * per second. A neighbour on the same core slows both down.
 */
static double measure_rows(struct rig *r)
{
	uint64_t start = bench_cpu_ns(), ns, n = 0;
	const uint32_t *a = launch_buffer(r, 0), *b = launch_buffer(r, 1);
	static uint32_t d[LANES];
	int i;

	do {
		for (i = 0; i < NR_FLOATS; i += LANES)
			isa_f32_fma_lanes(d, a + i, b + i, d, ~0ull, 0);
		n += NR_FLOATS / LANES;
		ns = bench_cpu_ns() - start;
	} while (ns < ROWS_NS);
	return (double)n * 1000 / (double)ns;
}

static int bench_row(struct bench *b, struct rig *r, const struct row *row)
{
	struct bench_result res = { .bench = "isa.waves", .name = row->name, .unit = "M/s" };
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		double v = measure(r, &row->launch);

		if (v < 0)
			return -EIO;
		fill(r);
		res.value = fmax(res.value, v);
		res.baseline = fmax(res.baseline, measure_rows(r));
	}
	res.has_baseline = true;
	res.bound = row->bound * res.baseline;
	res.kind = row->bound > 0 ? BENCH_AT_LEAST : BENCH_INFO;
	return bench_report(b, &res);
}

/* A wave of 128 VGPRs, saved and restored by AMD's handler. */
static int bench_handler(struct bench *b, struct rig *r)
{
	struct bench_result res = { .bench = "isa.waves", .unit = "us" };
	uint64_t start = bench_cpu_ns(), ns, n = 0;
	struct rig_saved s;
	struct rig_group g;

	rig_group_init(r, &g, 1, 128, 128, 112, 0);
	do {
		g.wave[0].status = ISA_STATUS_ALLOW_REPLAY;
		g.wave[0].pc = LAUNCH_CODE;
		if (!rig_save(r, &g, &s) || !rig_restore(r, &g, &s))
			return -EIO;
		n++;
		ns = bench_cpu_ns() - start;
	} while (ns < HANDLER_NS);
	rig_group_fini(&g);
	res.name = "save and restore of a wave, 128 VGPRs";
	res.value = (double)ns / 1000 / (double)n;
	return bench_report(b, &res);
}

int bench_waves(struct bench *b)
{
	struct rig r;
	size_t i;
	int err = 0;

	rig_init(&r, ISA_GFX90A);
	if (launch_load(&r, GP_ISA_KERNELS)) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !err; i++)
			err = bench_row(b, &r, &rows[i]);
	}
	if (!err && rig_load_handler(&r))
		err = bench_handler(b, &r);
	rig_fini(&r);
	return err;
}
