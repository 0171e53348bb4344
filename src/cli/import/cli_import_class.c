// SPDX-License-Identifier: MIT
/* Jobs as classes: kernels with what they occupy, and when requests come. */
#include "cli/import/cli_import_job.h"

#include "gpu/aql.h"
#include "sim/sim_rng.h"

#include <stdlib.h>
#include <string.h>

/* A pause of this length inside a request is one of the host's, and not added to a kernel. */
#define HOST_GAP_NS 10000ull
/* Rounds in which a grid larger than the GPU is run; more make no difference, and take time. */
#define MAX_ROUNDS 16
#define MAX_GRID (1u << 20)
/* So many requests of an offline job make up a run: half a percent each. */
#define OFFLINE_REQUESTS 200
/* A job that is idle for less than this never waits for its host. */
#define BUSY_PERCENT 98
#define FIRST_NS 5000000ull
#define PHASE_NS 20000000ull
#define TAIL_NS 1000000ull
/* Of a long recording the beginning is enough. */
#define WINDOW_NS 20000000000ull
#define MAX_REQUESTS 20000
/* A row of n is found after about n / e draws. */
#define MAX_DRAWS 256
#define ONLINE_PRIO 12
#define OFFLINE_PRIO 2

/* A kernel whose time is that of the whole dispatch. */
struct piece {
	u64 ns;
	struct sim_kernel_spec spec;
};

struct pieces {
	u64 nr;
	struct piece *all;
};

static const struct sim_kernel_spec pause_spec = {
	.workgroups = 1,
	.workgroup_size = 64,
	.vgprs = 8,
};

static u32 clamp(u64 value, u32 least, u32 most)
{
	return value < least ? least : value > most ? most
						    : (u32)value;
}

static struct sim_kernel_spec shape_of(const struct cli_import_kernel *k,
				       const struct gpu_profile *gpu)
{
	struct sim_kernel_spec s = {
		.workgroup_size = k->workgroup_size ? k->workgroup_size : 256,
		.vgprs = k->vgprs ? clamp(k->vgprs, 8, 512) : 64,
		.lds_bytes = clamp(k->lds_bytes, 0, clamp(gpu->lds_bytes_per_cu, 0, 65536)),
	};
	u64 room = sim_kernel_room(gpu, &s);

	/* Registers beyond what the GPU has are spilled by the compiler, not refused. */
	while (!room && s.vgprs > 8) {
		s.vgprs /= 2;
		room = sim_kernel_room(gpu, &s);
	}
	if (k->workgroups)
		s.workgroups = clamp(k->workgroups, 1, clamp(room * MAX_ROUNDS, 1, MAX_GRID));
	else
		s.fill_ppm = 1000000;
	return s;
}

/* Each workgroup runs as long as one of the rounds that the grid takes. */
static struct sim_kernel_spec finished(const struct piece *p, const struct gpu_profile *gpu)
{
	struct sim_kernel_spec s = p->spec;
	u64 room = max(sim_kernel_room(gpu, &s), (u64)1);
	u64 rounds = s.fill_ppm ? 1 : (s.workgroups + room - 1) / room;

	s.duration_ns = max(p->ns / rounds, (u64)GPU_PROGRAM_MIN_STEP_NS);
	return s;
}

/* What of a kernel lies after the end of those before; moves that end. */
static u64 own_ns(const struct cli_import_kernel *k, u64 *end_ns)
{
	u64 from = max(k->start_ns, *end_ns);

	if (k->end_ns <= from)
		return 0;
	*end_ns = k->end_ns;
	return k->end_ns - from;
}

static void add_gap(struct pieces *p, u64 gap_ns, const struct gpu_profile *gpu)
{
	u64 lost = gap_ns > gpu->packet_ns ? gap_ns - gpu->packet_ns : 0;

	if (lost > HOST_GAP_NS + gpu->packet_ns)
		p->all[p->nr++] = (struct piece){ lost - gpu->packet_ns, pause_spec };
	else if (p->nr)
		p->all[p->nr - 1].ns += lost;
}

/* Two neighbours as one, in the shape of the longer one, until there is room for all. */
static void merge(struct pieces *p, u64 most, const struct gpu_profile *gpu)
{
	while (p->nr > most) {
		u64 nr = 0;

		for (u64 i = 0; i < p->nr; i += 2) {
			struct piece one = p->all[i];

			if (i + 1 < p->nr) {
				if (one.ns < p->all[i + 1].ns)
					one.spec = p->all[i + 1].spec;
				one.ns += p->all[i + 1].ns + gpu->packet_ns;
			}
			p->all[nr++] = one;
		}
		p->nr = nr;
	}
}

static int take_kernels(struct pieces *p, const struct gpu_profile *gpu,
			struct sim_class_spec *class)
{
	merge(p, SIM_MAX_KERNELS, gpu);
	class->kernels = calloc(max(p->nr, (u64)1), sizeof(*class->kernels));
	if (!class->kernels)
		return -ENOMEM;
	for (u64 i = 0; i < p->nr; i++)
		class->kernels[i] = finished(&p->all[i], gpu);
	class->nr_kernels = (u32)p->nr;
	return 0;
}

static int request_kernels(const struct cli_import_job *job, const struct cli_import_request *r,
			   const struct gpu_profile *gpu, struct sim_class_spec *class)
{
	const struct cli_import_kernel *k = &job->trace->kernels[r->first];
	struct pieces p = { 0, calloc(2 * r->nr, sizeof(*p.all)) };
	u64 end = r->start_ns;
	int err;

	if (!p.all)
		return -ENOMEM;
	for (u64 i = 0; i < r->nr; i++) {
		u64 gap = k[i].start_ns > end ? k[i].start_ns - end : 0, ns = own_ns(&k[i], &end);

		if (!ns)
			continue;
		add_gap(&p, gap, gpu);
		p.all[p.nr++] = (struct piece){ ns, shape_of(&k[i], gpu) };
	}
	err = take_kernels(&p, gpu, class);
	free(p.all);
	return err;
}

static struct sim_class_spec *add_class(struct sim_scenario *sc, const char *name, u32 number)
{
	struct sim_class_spec *c = &sc->classes[sc->nr_classes];

	if (sc->nr_classes == SIM_MAX_CLASSES)
		return NULL;
	sc->nr_classes++;
	sim_class_init(c);
	snprintf(c->name, sizeof(c->name), number ? "%.50s-%u" : "%.50s", name, number + 1);
	return c;
}

static int by_time(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* One draw for all that waited: evenly over the time in which they can have come. */
static bool draw_together(const struct cli_import_request *r, u64 nr, struct sim_rng *rng, u64 *at)
{
	for (u64 i = 1; i < nr; i++)
		at[i] = r[0].start_ns + sim_rng_below(rng, max(r[nr - 1].start_ns - r[0].start_ns,
							       (u64)1));
	qsort(at + 1, nr - 1, sizeof(*at), by_time);
	/* Each came before it began. */
	for (u64 i = 1; i < nr; i++) {
		if (at[i] > r[i].start_ns)
			return false;
	}
	return true;
}

/*
 * Requests that ran back to back: the first came when it began. Of those that come at random, all
 * orders in which each came before it began are equally likely, so that draws are taken until one
 * is such. In a row so long that none is, each comes while the one before runs.
 */
static void draw_row(const struct cli_import_request *r, u64 nr, struct sim_rng *rng, u64 *at)
{
	at[0] = r[0].start_ns;
	for (u32 i = 0; nr > 1 && i < MAX_DRAWS; i++) {
		if (draw_together(r, nr, rng, at))
			return;
	}
	for (u64 i = 1; i < nr; i++) {
		u64 before = max(r[i].start_ns - r[i - 1].start_ns, (u64)1);

		at[i] = max(r[i].start_ns - sim_rng_below(rng, before), at[i - 1]);
	}
}

/* When each request came, from the first on. */
static u64 *arrivals(const struct cli_import_job *job, struct sim_rng *rng)
{
	const struct cli_import_request *r = job->requests;
	u64 *at = calloc(job->nr_requests, sizeof(*at));
	u64 nr;

	for (u64 i = 0; at && i < job->nr_requests; i += nr) {
		for (nr = 1; i + nr < job->nr_requests && r[i + nr].has_waited;)
			nr++;
		draw_row(&r[i], nr, rng, &at[i]);
	}
	for (u64 i = 0; at && i < job->nr_requests; i++)
		at[i] -= r[0].start_ns;
	return at;
}

/* What of a recording is played, and how often. */
struct play {
	u64 *at; /* when each request comes */
	u64 nr;	 /* of the requests, the first so many */
	u64 period_ns;
	u64 repeats;
};

static u64 nr_of_shape(const struct cli_import_job *job, const struct play *p, u32 shape)
{
	u64 nr = 0;

	for (u64 i = 0; i < p->nr; i++)
		nr += job->requests[i].shape == shape;
	return nr;
}

/* All requests of a shape, again and again. */
static int shape_arrivals(const struct cli_import_job *job, u32 shape, const struct play *p,
			  struct sim_class_spec *c)
{
	u64 *times = calloc(nr_of_shape(job, p, shape) * p->repeats, sizeof(*times));
	u32 nr = 0;

	if (!times)
		return -ENOMEM;
	for (u64 k = 0; k < p->repeats; k++) {
		for (u64 i = 0; i < p->nr; i++) {
			if (job->requests[i].shape == shape)
				times[nr++] = k * p->period_ns + p->at[i];
		}
	}
	c->arrival.kind = SIM_ARRIVAL_TRACE;
	c->arrival.nr_trace = nr;
	c->arrival.trace_ns = times;
	c->stop_ns = c->start_ns + times[nr - 1] + 1;
	return 0;
}

static int plan_play(const struct cli_import_job *job, const struct cli_import_plan *plan,
		     struct sim_rng *rng, struct play *p)
{
	const struct cli_import_request *r = job->requests;
	u64 length, least;

	p->at = arrivals(job, rng);
	if (!p->at)
		return -ENOMEM;
	p->nr = 1;
	while (p->nr < job->nr_requests && p->nr < MAX_REQUESTS && p->at[p->nr] <= WINDOW_NS)
		p->nr++;
	length = p->at[p->nr - 1];
	length += p->nr > 1 ? length / (p->nr - 1) : 0;
	least = r[p->nr - 1].end_ns - r[0].start_ns;
	p->period_ns = max(length, least) + 1;
	p->repeats = clamp(plan->duration_ns / p->period_ns, 1,
			   clamp(MAX_REQUESTS / p->nr, 1, MAX_REQUESTS));
	return 0;
}

static int add_shape(const struct cli_import_job *job, const struct cli_import_plan *plan,
		     const struct play *p, u32 shape, struct sim_class_spec *c)
{
	int err;

	if (!c)
		return -E2BIG;
	c->attr.prio = ONLINE_PRIO;
	c->attr.latency_critical = true;
	err = request_kernels(job, &job->requests[job->median[shape]], plan->gpu, c);
	return err ? err : shape_arrivals(job, shape, p, c);
}

int cli_import_online(const struct cli_import_job *job, const struct cli_import_plan *plan,
		      const char *name, struct sim_scenario *sc)
{
	struct play p = { 0 };
	struct sim_rng rng;
	u64 start;
	int err;

	sim_rng_seed(&rng, plan->seed);
	start = FIRST_NS + sim_rng_below(&rng, PHASE_NS);
	err = plan_play(job, plan, &rng, &p);
	for (u32 s = 0; !err && s < job->nr_shapes; s++) {
		struct sim_class_spec *c;

		if (!nr_of_shape(job, &p, s))
			continue;
		c = add_class(sc, name, s);
		if (c)
			c->start_ns = start;
		err = add_shape(job, plan, &p, s, c);
	}
	free(p.at);
	sc->duration_ns = start + p.repeats * p.period_ns + TAIL_NS;
	return err;
}

/* Every so many kernels one, so that a request is short beside the run. */
static int offline_kernels(const struct cli_import_job *job, const struct cli_import_plan *plan,
			   u64 nr, struct sim_class_spec *c)
{
	const struct cli_import *t = job->trace;
	struct pieces p = { 0, calloc(nr, sizeof(*p.all)) };
	struct sim_rng rng;
	u64 phase;
	int err;

	if (!p.all)
		return -ENOMEM;
	sim_rng_seed(&rng, plan->seed);
	phase = sim_rng_below(&rng, t->nr);
	for (u64 i = 0; i < nr; i++) {
		const struct cli_import_kernel *k =
			&t->kernels[(phase + i * t->nr / nr) % t->nr];

		/* Those that ran side by side share the time in which they did. */
		u64 ns = (u64)((double)(k->end_ns - k->start_ns) * (double)job->busy_ns /
			       (double)job->kernel_ns);

		p.all[p.nr++] = (struct piece){ max(ns, (u64)1), shape_of(k, plan->gpu) };
	}
	err = take_kernels(&p, plan->gpu, c);
	free(p.all);
	return err;
}

int cli_import_offline(const struct cli_import_job *job, const struct cli_import_plan *plan,
		       const char *name, struct sim_scenario *sc)
{
	struct sim_class_spec *c = add_class(sc, name, 0);
	u64 mean = max(job->busy_ns / job->trace->nr, (u64)1), nr;

	if (!c)
		return -E2BIG;
	nr = clamp(sc->duration_ns / OFFLINE_REQUESTS / mean, 1, SIM_MAX_KERNELS);
	nr = min(nr, job->trace->nr);
	c->attr.prio = OFFLINE_PRIO;
	c->arrival = (struct sim_arrival){ .kind = SIM_ARRIVAL_CLOSED, .concurrency = 2 };
	if (job->busy_ns * 100 < job->span_ns * BUSY_PERCENT) {
		c->arrival.concurrency = 1;
		c->arrival.think_ns = (job->span_ns - job->busy_ns) / job->trace->nr * nr;
	}
	return offline_kernels(job, plan, nr, c);
}
