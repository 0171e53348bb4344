// SPDX-License-Identifier: MIT
/*
 * Benches of whole simulated runs: how many dispatches a second the simulator
 * manages, how long a preemption takes by detection mode, and what is left of
 * online latency and offline work when they share a GPU. All but the first are
 * in virtual time: simulated figures, the same on every machine.
 */
#include "bench_sim.h"
#include "sim/sim_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPEATS 5

static int run_model(const char *text, enum sim_mechanism m, enum sim_detect d,
		     enum sim_model model, bool alone, struct sim_result *r)
{
	char error[256] = "";
	struct sim_scenario sc;
	int ret = sim_scenario_parse(&sc, text, strlen(text), "bench", error, sizeof(error));

	if (!ret) {
		sc.mechanism = m;
		sc.detect = d;
		sc.model = model;
		ret = sim_scenario_validate(&sc, error, sizeof(error));
		if (!ret)
			ret = sim_run(&sc, alone, NULL, r, error, sizeof(error));
		sim_scenario_fini(&sc);
	}
	if (ret)
		fprintf(stderr, "gpreempt-bench: %s\n", error);
	else if (r->lost || (r->repeated && m != SIM_MECH_RESET) || r->stopped[0])
		fprintf(stderr, "gpreempt-bench: lost %llu, repeated %llu, stopped '%s'\n",
			(unsigned long long)r->lost, (unsigned long long)r->repeated, r->stopped);
	return ret;
}

static int run_text(const char *text, enum sim_mechanism m, enum sim_detect d, bool alone,
		    struct sim_result *r)
{
	return run_model(text, m, d, SIM_MODEL_FIXED, alone, r);
}

/*
 * sim.dispatches: 64 queues of 8 processes, more than there are slots, each
 * kept full. The baseline is the same with one doorbell and one interrupt per
 * kernel, where there are 32 kernels behind one.
 */

static int measure_dispatches(u32 per_request, double *rate)
{
	double rates[REPEATS];
	char text[256];

	snprintf(text, sizeof(text),
		 "[scenario]\nname = d\ngpu = mi210\nduration = 200ms\n[class loop]\n"
		 "processes = 8\nqueues = 8\narrival = closed 16\nkernel = 20us x %u grid 8\n",
		 per_request);
	for (u32 i = 0; i < REPEATS; i++) {
		uint64_t start_ns = bench_cpu_ns();
		struct sim_result r;
		int ret = run_text(text, SIM_MECH_CWSR, SIM_DETECT_DOORBELL, false, &r);

		if (ret)
			return ret;
		rates[i] = (double)r.dispatches * 1e9 / (double)(bench_cpu_ns() - start_ns);
		sim_result_fini(&r);
	}
	*rate = bench_median(rates, REPEATS);
	return 0;
}

int bench_dispatches(struct bench *b)
{
	double rate, single;
	int ret = measure_dispatches(32, &rate);

	if (!ret)
		ret = measure_dispatches(1, &single);
	if (ret)
		return ret;
	return bench_report(b, &(struct bench_result){
		.bench = "sim.dispatches", .name = "timed engine, 64 queues", .value = rate,
		.unit = "1/s", .baseline = single, .has_baseline = true, .bound = 1e6,
		.kind = BENCH_AT_LEAST });
}

/*
 * sim.tenants: a GPU with a thousand processes, all of which leave 20 times a second, and eight
 * such. The baseline is that the second takes eight times as long.
 */

static int measure_tenants(u32 gpus, double *seconds)
{
	double all[REPEATS];
	char text[256];

	snprintf(text, sizeof(text),
		 "[scenario]\nname = t\ngpus = %u\nduration = 200ms\n"
		 "[class online]\npriority = 12\nprocesses = %u\n"
		 "arrival = uniform 20/s\nmix = vgg\n"
		 "[class offline]\npriority = 3\nprocesses = %u\nkernel = 10ms\n",
		 gpus, gpus, 999 * gpus);
	for (u32 i = 0; i < REPEATS; i++) {
		uint64_t start_ns = bench_cpu_ns();
		struct sim_result r;
		int ret = run_text(text, SIM_MECH_CWSR, SIM_DETECT_DOORBELL, false, &r);

		if (ret)
			return ret;
		all[i] = (double)(bench_cpu_ns() - start_ns) / 1e9;
		sim_result_fini(&r);
	}
	*seconds = bench_median(all, REPEATS);
	return 0;
}

int bench_tenants(struct bench *b)
{
	double one, eight;
	int ret = measure_tenants(1, &one);

	if (!ret)
		ret = measure_tenants(8, &eight);
	if (ret)
		return ret;
	return bench_report(b, &(struct bench_result){
				       .bench = "sim.tenants",
				       .name = "8 GPUs x 1000 tenants to 1 GPU",
				       .value = eight / one,
				       .unit = "ratio",
				       .baseline = 8,
				       .has_baseline = true,
				       .bound = 12,
				       .kind = BENCH_AT_MOST,
			       });
}

/*
 * detect: an endless kernel on every CU of an MI300X; online requests at
 * intervals that walk over every phase of a poll. With fixed costs, so that what is seen is
 * detection; and once with costs that vary, against the p99 of the floor.
 */

static const char detect_text[] =
	"[scenario]\nname = detect\ngpu = mi300x\nduration = 12s\n"
	"[class online]\npriority = 12\nlatency-critical = yes\nstart = 20ms\n"
	"arrival = uniform every 23.713ms\nkernel = 50us fill 10%\n"
	"[class offline]\npriority = 3\narrival = closed\nkernel = endless fill 100%\n";

static int report_us(struct bench *b, const char *name, double ns, double floor_ns,
		     enum bench_kind kind, double bound_ns)
{
	return bench_report(b, &(struct bench_result){
		.bench = "detect", .name = name, .value = ns / 1e3, .unit = "us",
		.baseline = floor_ns / 1e3, .has_baseline = true, .bound = bound_ns / 1e3,
		.kind = kind });
}

static u64 smallest(const struct sim_samples *s)
{
	u64 least = U64_MAX;

	for (u64 i = 0; i < s->nr; i++)
		least = min(least, s->ns[i]);
	return least;
}

/* A periodic scan finds work anywhere in its period: the latencies fill it. */
static int detect_periodic(struct bench *b, enum sim_detect d, double period_ns)
{
	char least[32], median[32], most[32];
	struct sim_result r;
	int ret = run_text(detect_text, SIM_MECH_CWSR, d, false, &r);
	double floor_ns, low;

	if (ret)
		return ret;
	floor_ns = (double)r.floor_ns;
	low = (double)smallest(&r.preempt_samples);
	snprintf(least, sizeof(least), "%s, least", sim_detect_name(d));
	snprintf(median, sizeof(median), "%s, p50", sim_detect_name(d));
	snprintf(most, sizeof(most), "%s, most", sim_detect_name(d));
	ret = report_us(b, least, low, floor_ns, BENCH_AT_MOST, floor_ns + 0.1 * period_ns);
	if (!ret)
		ret = report_us(b, median, (double)r.preempt_latency.p50, floor_ns,
				BENCH_INFO, 0);
	if (!ret)
		ret = report_us(b, most, (double)r.preempt_latency.max, floor_ns, BENCH_AT_LEAST,
				0.9 * period_ns);
	if (!ret)
		ret = report_us(b, most, (double)r.preempt_latency.max, floor_ns, BENCH_AT_MOST,
				1.15 * floor_ns + period_ns);
	sim_result_fini(&r);
	return ret;
}

static int detect_varying(struct bench *b)
{
	struct sim_result r;
	int ret = run_model(detect_text, SIM_MECH_CWSR, SIM_DETECT_DOORBELL, SIM_MODEL_DEFAULT,
			    false, &r);

	if (ret)
		return ret;
	ret = report_us(b, "doorbell, p99, costs vary", (double)r.preempt_latency.p99,
			(double)r.floor_p99_ns, BENCH_AT_MOST, 1.15 * (double)r.floor_p99_ns);
	sim_result_fini(&r);
	return ret;
}

int bench_detect(struct bench *b)
{
	struct sim_result r;
	int ret = run_text(detect_text, SIM_MECH_CWSR, SIM_DETECT_DOORBELL, false, &r);

	if (ret)
		return ret;
	ret = report_us(b, "doorbell, p50", (double)r.preempt_latency.p50, (double)r.floor_ns,
			BENCH_INFO, 0);
	if (!ret)
		ret = report_us(b, "doorbell, p99", (double)r.preempt_latency.p99,
				(double)r.floor_ns, BENCH_AT_MOST, 1.15 * (double)r.floor_ns);
	sim_result_fini(&r);
	if (!ret)
		ret = detect_varying(b);
	if (!ret)
		ret = detect_periodic(b, SIM_DETECT_CRITICAL, 1e6);
	if (!ret)
		ret = detect_periodic(b, SIM_DETECT_POLL, 5e6);
	return ret;
}

/*
 * tail: 100 requests a second of the VGG mix beside offline kernels of every
 * length. A tail that was never reached, because too many requests do not end, is NaN.
 */

static void tail_text(char *text, size_t size, const char *kernel)
{
	snprintf(text, size,
		 "[scenario]\nname = tail\ngpu = mi300x\nduration = 3s\n"
		 "[class online]\npriority = 12\nlatency-critical = yes\nstart = 20ms\n"
		 "arrival = uniform 100/s\nmix = vgg\n"
		 "[class offline]\npriority = 3\narrival = closed 2\nkernel = %s fill 100%%\n",
		 kernel);
}

/**
 * struct tail - what one run left
 * @online: online p99 as a multiple of alone, NaN if too few requests ended
 * @offline: offline work as a share of what online leaves
 */
struct tail {
	double online;
	double offline;
};

static int measure_tail(const char *kernel, enum sim_mechanism m, enum sim_model model,
			struct tail *t)
{
	const struct sim_class_result *on, *off;
	struct sim_result r;
	double left, share;
	char text[512];
	int ret;

	tail_text(text, sizeof(text), kernel);
	ret = run_model(text, m, SIM_DETECT_DOORBELL, model, true, &r);
	if (ret)
		return ret;
	on = &r.classes[0];
	off = &r.classes[1];
	left = 1 - (double)on->alone_active_ns / (double)r.virtual_ns;
	share = (double)off->gpu_ns / (double)off->alone_gpu_ns;
	/* Time spent on work that is thrown away is no work. */
	if (m == SIM_MECH_RESET)
		share = off->alone_throughput_per_s > 0 ?
				off->throughput_per_s / off->alone_throughput_per_s : 0;
	t->online = sim_summary_has_p99(&on->latency) ?
			    (double)on->latency.p99 / (double)on->alone.p99 : NAN;
	t->offline = share / left;
	sim_result_fini(&r);
	return 0;
}

static int report_tail(struct bench *b, enum sim_mechanism m, enum sim_model model,
		       const char *kernel, const struct tail *t, const struct tail *none)
{
	bool bound = m == SIM_MECH_CWSR && model == SIM_MODEL_DEFAULT;
	char bench[32], name[48];
	int ret;

	snprintf(bench, sizeof(bench), "tail.%s%s", sim_mechanism_name(m),
		 model == SIM_MODEL_PESSIMIST ? ", pessimist" : "");
	snprintf(name, sizeof(name), "%s: online p99", kernel);
	ret = bench_report(b, &(struct bench_result){
		.bench = bench, .name = name, .value = t->online, .unit = "x alone",
		.baseline = none->online, .has_baseline = true, .bound = 1.10,
		.kind = bound ? BENCH_AT_MOST : BENCH_INFO });
	snprintf(name, sizeof(name), "%s: offline keeps", kernel);
	if (!ret)
		ret = bench_report(b, &(struct bench_result){
			.bench = bench, .name = name, .value = t->offline, .unit = "of rest",
			.baseline = none->offline, .has_baseline = true, .bound = 0.90,
			.kind = bound ? BENCH_AT_LEAST : BENCH_INFO });
	return ret;
}

int bench_tail(struct bench *b)
{
	static const char *const kernels[] = { "0.1ms", "1ms", "10ms", "100ms", "endless" };
	static const struct {
		enum sim_mechanism mechanism;
		enum sim_model model;
	} ways[] = {
		{ SIM_MECH_CWSR, SIM_MODEL_DEFAULT },
		{ SIM_MECH_CWSR, SIM_MODEL_PESSIMIST },
		{ SIM_MECH_CWSR_QUEUE, SIM_MODEL_DEFAULT },
		{ SIM_MECH_CWSR_QUEUE, SIM_MODEL_PESSIMIST },
		{ SIM_MECH_RESET, SIM_MODEL_DEFAULT },
		{ SIM_MECH_DRAIN, SIM_MODEL_DEFAULT },
		{ SIM_MECH_LAUNCH_BLOCK, SIM_MODEL_DEFAULT },
		{ SIM_MECH_HWPRIO, SIM_MODEL_DEFAULT },
	};
	struct tail none[ARRAY_SIZE(kernels)];
	int ret = 0;

	for (u32 k = 0; k < ARRAY_SIZE(kernels) && !ret; k++)
		ret = measure_tail(kernels[k], SIM_MECH_NONE, SIM_MODEL_DEFAULT, &none[k]);
	for (u32 m = 0; m < ARRAY_SIZE(ways) && !ret; m++)
		for (u32 k = 0; k < ARRAY_SIZE(kernels) && !ret; k++) {
			struct tail t;

			ret = measure_tail(kernels[k], ways[m].mechanism, ways[m].model, &t);
			if (!ret)
				ret = report_tail(b, ways[m].mechanism, ways[m].model,
						  kernels[k], &t, &none[k]);
		}
	return ret;
}
