// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* amdkfd gives the firmware this long to answer an unmap: queue_preemption_timeout_ms. */
#define FENCE_TIMEOUT_NS 9000000000ull
/* After the last request a run settles: this long, plus a few times its longest request. */
#define SETTLE_NS 2000000000ull

void sim_at(struct sim *sim, u64 at_ns, enum sim_event_kind kind, u32 index, u64 arg)
{
	if (sim_calendar_add(&sim->calendar, at_ns, kind, index, arg))
		sim->error = -ENOMEM;
}

void sim_mark(struct sim *sim, const char *text)
{
	if (sim->observer && sim->observer->mark)
		sim->observer->mark(sim->observer, sim->now_ns, text);
}

static u64 gart_bytes(const struct sim *sim)
{
	u64 per_xcc = 8192 + gpu_profile_ctl_stack_bytes(sim->profile);
	u64 per_queue = per_xcc * sim->profile->nr_xcc;

	return sim->nr_queues * (per_queue + 4 * 64) + sim->nr_procs * 4 * 128ull + (1u << 20);
}

static int make_procs(struct sim *sim)
{
	const struct sim_scenario *sc = sim->sc;
	u32 p = 0, q = 0;
	int ret = 0;

	sim->procs = calloc(sim->nr_procs, sizeof(*sim->procs));
	sim->queues = calloc(sim->nr_queues, sizeof(*sim->queues));
	sim->waiting = calloc(sim->nr_queues, sizeof(struct sim_queue *));
	if (!sim->procs || !sim->queues || !sim->waiting)
		return -ENOMEM;
	for (u32 c = 0; c < sc->nr_classes; c++)
		for (u32 n = 0; n < sc->classes[c].processes && !ret; n++, p++) {
			sim->procs[p].index = p;
			sim->procs[p].queues = &sim->queues[q];
			q += sc->classes[c].queues;
			ret = sim_proc_init(&sim->procs[p], sim, c, n);
		}
	return ret;
}

static int make_gpu(struct sim *sim)
{
	struct gpu_config config = {
		.profile = sim->profile,
		.engine = sim->sc->engine,
		.nr_slots = sim->sc->nr_slots,
		.has_contention = sim->sc->hardware.has_contention ||
				  sim->sc->mechanism == SIM_MECH_RESIZE,
		.seed = sim->sc->model == SIM_MODEL_FIXED ? 0 : sim->sc->seed + 1,
	};

	sim->host.ops = &sim_host_ops;
	return gpu_create(&config, &sim->host, &sim->gpu);
}

static int sim_init(struct sim *sim, char *error, size_t error_size)
{
	const struct sim_scenario *sc = sim->sc;
	const struct gpu_profile *base;
	int ret;

	base = sim_scenario_gpu(sc);
	if (!base)
		return -EINVAL;
	sim_model_profile(sc, base, &sim->own);
	sim->profile = &sim->own;
	for (u32 c = 0; c < sc->nr_classes; c++) {
		sim->nr_procs += sc->classes[c].processes;
		sim->nr_queues += sc->classes[c].processes * sc->classes[c].queues;
		memcpy(sim->result->classes[c].name, sc->classes[c].name, SIM_NAME_MAX);
	}
	sim->result->nr_classes = sc->nr_classes;
	sim->end_ns = sc->duration_ns;
	sim->gpu_next_ns = U64_MAX;
	sim_rng_seed(&sim->rng, sc->seed);
	ret = sim_space_init(&sim->gart, GPU_PASID_GART, gart_bytes(sim));
	if (!ret)
		ret = make_procs(sim);
	if (!ret)
		ret = make_gpu(sim);
	if (!ret)
		sim_life_start(sim);
	if (!ret && sim_mechanism_uses_detection(sc->mechanism))
		ret = sim_core_init(sim, error, error_size);
	sim->mech = sim_mech_find(sc->mechanism);
	return ret;
}

static void sim_fini(struct sim *sim)
{
	if (sim->gpu)
		gpu_destroy(sim->gpu);
	sim_core_fini(sim);
	for (u32 i = 0; sim->procs && i < sim->nr_procs; i++)
		sim_proc_fini(&sim->procs[i]);
	sim_hws_fini(sim);
	free(sim->procs);
	free(sim->waiting);
	free(sim->queues);
	sim_space_fini(&sim->gart);
	sim_calendar_fini(&sim->calendar);
}

static void inject(struct sim *sim, const struct sim_fault_spec *f)
{
	u64 arg = f->arg;

	if (f->kind >= GPU_FAULT_COUNT) {
		sim->forced = (enum gp_result)(f->kind - GPU_FAULT_COUNT);
		sim->nr_forced = f->arg;
		return;
	}
	if (f->kind == GPU_FAULT_REFUSE)
		for (u32 i = 0; i < sim->nr_procs; i++)
			if (sim->procs[i].spec == &sim->sc->classes[f->arg]) {
				arg = SIM_DOORBELL(sim->procs[i].queues[0].index);
				break;
			}
	gpu_inject(sim->gpu, (enum gpu_fault)f->kind, arg);
}

static void take_results(struct sim *sim)
{
	u64 nr_cus = (u64)sim->profile->nr_xcc * sim->profile->cu_per_xcc;
	struct sim_result *r = sim->result;
	const struct gp_node_stats *stats;

	sim->gpu_next_ns = gpu_advance(sim->gpu, sim->now_ns);
	sim_watch_end(sim);
	r->virtual_ns = sim->now_ns;
	if (sim->nr_active)
		r->active_ns += sim->now_ns - min(sim->active_since_ns, sim->now_ns);
	sim->active_since_ns = sim->now_ns;
	r->unmaps = gpu_stats(sim->gpu)->nr_unmaps;
	r->rotations = gpu_stats(sim->gpu)->nr_rotations;
	if (r->virtual_ns)
		r->occupancy = (double)gpu_stats(sim->gpu)->busy_cu_ns /
			       (double)(nr_cus * r->virtual_ns);
	if (!sim->sched)
		return;
	stats = gp_sched_node_stats(sim->sched, 0);
	r->switches = stats->nr_switches;
	r->preemptions = stats->nr_preemptions;
	r->resumes = stats->nr_resumes;
	r->starved_max_ns = stats->off_max_ns;
	for (u32 i = 0; i < sim->nr_procs; i++) {
		const struct sim_proc *p = &sim->procs[i];
		u64 since_ns = max(p->off_since_ns, p->active_since_ns);

		if (p->off && !p->gone && p->outstanding)
			r->starved_max_ns = max(r->starved_max_ns, sim->now_ns - since_ns);
	}
}

/*
 * Results are those of this moment; what follows only proves them: every process is
 * given back to the GPU and finishes what has begun.
 */
static void end_requests(struct sim *sim)
{
	take_results(sim);
	sim->stopping = true;
	sim_team_end(sim);
	if (sim->sched)
		sim_core_stop(sim);
}

static void handle(struct sim *sim, const struct sim_event *e)
{
	switch (e->kind) {
	case SIM_EV_ARRIVAL:
		if (e->arg)
			sim_proc_arrival_closed(&sim->queues[e->arg - 1]);
		else
			sim_proc_arrival(&sim->procs[e->index]);
		break;
	case SIM_EV_PUMP:
		if (e->arg)
			sim->queues[e->index].launching = false;
		sim_queue_pump(&sim->queues[e->index]);
		break;
	case SIM_EV_STORE:
		sim->gpu_next_ns = gpu_doorbell(sim->gpu, SIM_DOORBELL(e->index), e->arg,
						sim->now_ns);
		break;
	case SIM_EV_BUSY:
	case SIM_EV_IDLE:
	case SIM_EV_ENDING:
	case SIM_EV_PROGRESS:
	case SIM_EV_TICK:
		sim_detect_event(sim, e);
		break;
	case SIM_EV_CORE_TIMER:
		gp_act_timer(&sim->act);
		break;
	case SIM_EV_MECH:
		if (sim_core_is_switching(sim, e->arg))
			sim->mech->step(sim);
		break;
	case SIM_EV_FAILED:
		if (sim_core_is_switching(sim, e->arg))
			sim_switch_done(sim);
		break;
	case SIM_EV_FAULT:
		inject(sim, &sim->sc->faults[e->index]);
		break;
	case SIM_EV_LIFE:
		sim_life_event(sim, e);
		break;
	case SIM_EV_END:
		end_requests(sim);
		break;
	}
}

static void check_hang(struct sim *sim)
{
	if (sim->hws.waiting && sim->now_ns - sim->hws.unmap_ns > FENCE_TIMEOUT_NS)
		snprintf(sim->result->stopped, sizeof(sim->result->stopped),
			 "node hung: no answer to an unmap for 9 s");
}

/* Move to the next moment at which something happens, and let it happen. */
static void step(struct sim *sim)
{
	u64 next = sim_calendar_next(&sim->calendar);

	if (sim->gpu_next_ns <= next) {
		sim->now_ns = max(sim->now_ns, sim->gpu_next_ns);
		sim->gpu_next_ns = gpu_advance(sim->gpu, sim->now_ns);
	} else {
		struct sim_event e = sim_calendar_pop(&sim->calendar);

		sim->now_ns = e.at_ns;
		handle(sim, &e);
	}
	if (sim->act.is_switching && sim->mech->poll)
		sim->mech->poll(sim);
}

static u64 settle_limit(const struct sim *sim)
{
	u64 longest = 0;

	for (u32 c = 0; c < sim->sc->nr_classes; c++) {
		u64 sum = 0;

		for (u32 k = 0; k < sim->sc->classes[c].nr_kernels; k++)
			if (!sim->sc->classes[c].kernels[k].endless)
				sum += max(sim->sc->classes[c].kernels[k].duration_ns,
					   sim->sc->classes[c].kernels[k].longest_ns);
		longest = max(longest, sum);
	}
	return sim->end_ns + SETTLE_NS + 4 * longest;
}

static bool is_empty(const struct sim *sim, u32 first, u32 *at)
{
	for (*at = first; *at < sim->nr_queues; ++*at)
		if (sim_queue_outstanding(&sim->queues[*at]) && !sim->queues[*at].proc->gone)
			return false;
	return true;
}

/* Looks on where it stopped the last time; all are looked at before it says yes. */
static bool has_settled(struct sim *sim)
{
	return is_empty(sim, sim->nr_settled, &sim->nr_settled) &&
	       is_empty(sim, 0, &sim->nr_settled);
}

/* When something happens next; U64_MAX = nothing does. */
u64 sim_next_ns(const struct sim *sim)
{
	return min(sim_calendar_next(&sim->calendar), sim->gpu_next_ns);
}

/**
 * sim_is_over() - has a run ended?
 * @sim: run
 *
 * Return: true if it has: all is done, it goes on for too long, or there is an error.
 */
bool sim_is_over(struct sim *sim)
{
	u64 next = sim_next_ns(sim);

	if (sim->error || sim->result->stopped[0] || next == U64_MAX)
		return true;
	return sim->stopping && (next > sim->limit_ns || has_settled(sim));
}

/**
 * sim_step() - the next thing happens
 * @sim: run that is not over
 */
void sim_step(struct sim *sim)
{
	step(sim);
	check_hang(sim);
	if (sim->now_ns >= sim->shown_ns && sim->observer && sim->observer->progress) {
		sim->shown_ns = sim->now_ns + sim->end_ns / 200 + 1;
		sim->observer->progress(sim->observer, min(sim->now_ns, sim->end_ns), sim->end_ns);
	}
}

/**
 * sim_start() - time begins
 * @sim: run, open
 */
void sim_start(struct sim *sim)
{
	sim->limit_ns = settle_limit(sim);
	sim_watch_tracks(sim);
	sim->error = sim->mech->start(sim);
	if (sim->error)
		return;
	sim->gpu_next_ns = gpu_advance(sim->gpu, 0);
	if (sim->sched)
		sim_detect_start(sim);
	for (u32 i = 0; i < sim->nr_procs; i++)
		sim_proc_start(&sim->procs[i]);
	for (u32 i = 0; i < sim->sc->nr_faults; i++)
		sim_at(sim, sim->sc->faults[i].at_ns, SIM_EV_FAULT, i, 0);
	sim_at(sim, sim->end_ns, SIM_EV_END, 0, 0);
}

/*
 * A class whose requests come no matter what and of which more than a tenth did not end falls
 * behind: the next ones wait ever longer, and what they waited so far says nothing of that.
 * Two a process may just have come.
 */
static void mark_behind(const struct sim_class_spec *spec, struct sim_class_result *cr)
{
	if (spec->arrival.kind == SIM_ARRIVAL_CLOSED || cr->waiting.nr <= 2 * spec->processes ||
	    cr->waiting.nr * 10 <= cr->requests)
		return;
	for (u64 i = 0; i < cr->waiting.nr; i++)
		cr->waiting.ns[i] = SIM_NEVER;
}

static int finish(struct sim *sim)
{
	struct sim_result *r = sim->result;
	const struct gpu_stats *stats = gpu_stats(sim->gpu);
	struct sim_summary floor = { 0 };
	int ret = sim_samples_summary(&r->preempt_samples, NULL, &r->preempt_latency);

	/* Requests that did not even end after the run. */
	for (u32 i = 0; i < sim->nr_queues && !ret; i++)
		ret = sim_queue_take_waiting(&sim->queues[i], r->virtual_ns);
	if (!ret && r->floor_ns)
		ret = sim_model_floor(sim, sim->floor_bytes, &floor);
	r->floor_p99_ns = floor.p99;
	sim_verify_end(sim);
	r->saves = stats->nr_saves;
	r->restores = stats->nr_restores;
	for (u32 c = 0; c < r->nr_classes && !ret; c++) {
		struct sim_class_result *cr = &r->classes[c];

		mark_behind(&sim->sc->classes[c], cr);
		ret = sim_samples_summary(&cr->samples, &cr->waiting, &cr->latency);
		if (r->virtual_ns)
			cr->throughput_per_s = (double)cr->completed * 1e9 / (double)r->virtual_ns;
	}
	return ret;
}

/**
 * sim_open() - make a run: clients, GPU, scheduler
 * @sim: all zero but for scenario, result and observer
 * @error: output on error
 * @error_size: its size
 *
 * Return: 0, -ENOMEM, -EINVAL; sim_close() follows in any case.
 */
int sim_open(struct sim *sim, char *error, size_t error_size)
{
	sim->error = sim_init(sim, error, error_size);
	return sim->error;
}

/**
 * sim_close() - the end of a run: results are complete
 * @sim: run that is over, or could not be opened
 *
 * Return: 0 or the error that ended it.
 */
int sim_close(struct sim *sim)
{
	int ret = sim->error;

	if (!ret && !sim->stopping)
		end_requests(sim);
	if (!ret)
		ret = finish(sim);
	sim_fini(sim);
	return ret;
}

int sim_run_one(const struct sim_scenario *sc, struct sim_observer *observer,
		struct sim_result *result, char *error, size_t error_size)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	int ret;

	if (!sim)
		return -ENOMEM;
	sim->sc = sc;
	sim->result = result;
	sim->observer = observer;
	if (!sim_open(sim, error, error_size)) {
		sim_start(sim);
		while (!sim_is_over(sim))
			sim_step(sim);
	}
	ret = sim_close(sim);
	free(sim);
	return ret;
}

/* The class by itself, on the stock driver, with nothing going wrong. */
static int run_alone(const struct sim_scenario *sc, u32 class_index, struct sim_class_result *out,
		     char *error, size_t error_size)
{
	struct sim_scenario one = *sc;
	struct sim_result *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return -ENOMEM;
	one.mechanism = SIM_MECH_NONE;
	one.nr_faults = 0;
	one.nr_classes = 1;
	one.classes[0] = sc->classes[class_index];
	ret = sim_run_gpus(&one, NULL, r, error, error_size);
	out->alone = r->classes[0].latency;
	out->alone_throughput_per_s = r->classes[0].throughput_per_s;
	out->alone_gpu_ns = r->classes[0].gpu_ns;
	out->alone_active_ns = r->classes[0].alone_active_ns;
	sim_result_fini(r);
	free(r);
	return ret;
}

static u64 wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

int sim_run(const struct sim_scenario *sc, bool alone, struct sim_observer *observer,
	    struct sim_result *result, char *error, size_t error_size)
{
	u64 begin = wall_clock();
	int ret;

	memset(result, 0, sizeof(*result));
	snprintf(error, error_size, "out of memory");
	ret = sim_run_gpus(sc, observer, result, error, error_size);
	for (u32 c = 0; alone && !ret && c < sc->nr_classes; c++)
		ret = run_alone(sc, c, &result->classes[c], error, error_size);
	result->wall_ns = wall_clock() - begin;
	return ret;
}

void sim_result_fini(struct sim_result *r)
{
	for (u32 c = 0; c < r->nr_classes; c++) {
		sim_samples_fini(&r->classes[c].samples);
		sim_samples_fini(&r->classes[c].waiting);
	}
	sim_samples_fini(&r->preempt_samples);
}
