// SPDX-License-Identifier: MIT
/*
 * Several GPUs: the processes of each class are dealt out in turn, and every GPU is a run of its
 * own with a scheduler of its own, as nodes share nothing but gangs (sim_team.c). What they
 * gave is put together.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

/* What one GPU has of a scenario. */
struct part {
	struct sim_scenario sc;
	u32 class_of[SIM_MAX_CLASSES]; /* for each class here, which it is in the whole */
	struct sim_result result;
};

static void deal(const struct sim_scenario *sc, u32 gpu, struct part *p)
{
	p->sc = *sc;
	p->sc.nr_gpus = 1;
	p->sc.nr_classes = 0;
	/* What goes wrong on purpose does so on the first. */
	p->sc.nr_faults = gpu ? 0 : sc->nr_faults;
	p->sc.seed = sc->seed + gpu;
	for (u32 c = 0; c < sc->nr_classes; c++) {
		u32 here = sim_class_processes(sc, c, gpu);

		if (!here)
			continue;
		p->class_of[p->sc.nr_classes] = c;
		p->sc.classes[p->sc.nr_classes] = sc->classes[c];
		p->sc.classes[p->sc.nr_classes++].processes = here;
	}
}

static int append(struct sim_samples *to, const struct sim_samples *from)
{
	int ret = 0;

	for (u64 i = 0; i < from->nr && !ret; i++)
		ret = sim_samples_add(to, from->ns[i]);
	return ret;
}

static int add_class(struct sim_class_result *to, const struct sim_class_result *from)
{
	int ret = append(&to->samples, &from->samples);

	if (!ret)
		ret = append(&to->waiting, &from->waiting);
	to->process_least_ns = to->requests || to->gpu_ns ?
				       min(to->process_least_ns, from->process_least_ns) :
				       from->process_least_ns;
	to->process_most_ns = max(to->process_most_ns, from->process_most_ns);
	to->requests += from->requests;
	to->completed += from->completed;
	to->throughput_per_s += from->throughput_per_s;
	to->dropped += from->dropped;
	to->missed += from->missed;
	to->gpu_ns += from->gpu_ns;
	to->alone_active_ns += from->alone_active_ns;
	return ret;
}

static void add_counters(struct sim_result *to, const struct sim_result *from)
{
	to->virtual_ns = max(to->virtual_ns, from->virtual_ns);
	to->switches += from->switches;
	to->preemptions += from->preemptions;
	to->resumes += from->resumes;
	to->lost += from->lost;
	to->repeated += from->repeated;
	to->dispatches += from->dispatches;
	to->saves += from->saves;
	to->restores += from->restores;
	to->unmaps += from->unmaps;
	to->active_ns += from->active_ns;
	to->rotations += from->rotations;
	to->starved_max_ns = max(to->starved_max_ns, from->starved_max_ns);
	if (from->floor_ns && (!to->floor_ns || from->floor_ns < to->floor_ns)) {
		to->floor_ns = from->floor_ns;
		to->floor_p99_ns = from->floor_p99_ns;
	}
	if (!to->stopped[0])
		memcpy(to->stopped, from->stopped, sizeof(to->stopped));
}

static int add_part(struct sim_result *to, const struct part *p)
{
	int ret = append(&to->preempt_samples, &p->result.preempt_samples);

	add_counters(to, &p->result);
	for (u32 c = 0; c < p->result.nr_classes && !ret; c++)
		ret = add_class(&to->classes[p->class_of[c]], &p->result.classes[c]);
	return ret;
}

static int summarize(struct sim_result *r)
{
	int ret = sim_samples_summary(&r->preempt_samples, NULL, &r->preempt_latency);

	for (u32 c = 0; c < r->nr_classes && !ret; c++)
		ret = sim_samples_summary(&r->classes[c].samples, &r->classes[c].waiting,
					  &r->classes[c].latency);
	return ret;
}

static int run_part(const struct sim_scenario *sc, u32 gpu, struct sim_observer *observer,
		    struct sim_result *result, char *error, size_t error_size)
{
	struct part *p = calloc(1, sizeof(*p));
	int ret = 0;

	if (!p)
		return -ENOMEM;
	deal(sc, gpu, p);
	if (p->sc.nr_classes)
		ret = sim_run_one(&p->sc, gpu ? NULL : observer, &p->result, error, error_size);
	if (!ret)
		ret = add_part(result, p);
	result->occupancy += p->result.occupancy / sc->nr_gpus;
	sim_result_fini(&p->result);
	free(p);
	return ret;
}

/* One GPU of those that share a clock. */
struct member {
	struct sim sim;
	struct part part;
};

static int run_members(struct member *m, u32 nr, const struct sim_scenario *sc,
		       struct sim_result *result)
{
	struct sim *sims[SIM_MAX_GPUS];
	int ret;

	for (u32 g = 0; g < nr; g++)
		sims[g] = &m[g].sim;
	ret = sim_team_run(sims, nr, sc, &result->gangs);
	for (u32 g = 0; g < nr && ret; g++)
		sims[g]->error = ret;
	return ret;
}

/* Gangs have a process on each GPU: all are one run. */
static int run_together(const struct sim_scenario *sc, struct sim_observer *observer,
			struct sim_result *result, char *error, size_t error_size)
{
	struct member *m = calloc(sc->nr_gpus, sizeof(*m));
	u32 nr = 0;
	int ret = m ? 0 : -ENOMEM;

	for (; nr < sc->nr_gpus && !ret; nr++) {
		deal(sc, nr, &m[nr].part);
		m[nr].sim.sc = &m[nr].part.sc;
		m[nr].sim.result = &m[nr].part.result;
		m[nr].sim.observer = nr ? NULL : observer;
		ret = sim_open(&m[nr].sim, error, error_size);
	}
	if (!ret)
		ret = run_members(m, nr, sc, result);
	for (u32 g = 0; g < nr; g++) {
		int err = sim_close(&m[g].sim);

		ret = ret ? ret : err;
		if (!ret)
			ret = add_part(result, &m[g].part);
		result->occupancy += m[g].part.result.occupancy / sc->nr_gpus;
		sim_result_fini(&m[g].part.result);
	}
	free(m);
	return ret;
}

static int run_apart(const struct sim_scenario *sc, struct sim_observer *observer,
		     struct sim_result *result, char *error, size_t error_size)
{
	int ret = 0;

	for (u32 g = 0; g < sc->nr_gpus && !ret; g++)
		ret = run_part(sc, g, observer, result, error, error_size);
	return ret;
}

int sim_run_gpus(const struct sim_scenario *sc, struct sim_observer *observer,
		 struct sim_result *result, char *error, size_t error_size)
{
	bool has_gang = sim_scenario_has_gang(sc);
	int ret;

	if (sc->nr_gpus <= 1 && !has_gang)
		return sim_run_one(sc, observer, result, error, error_size);
	result->nr_classes = sc->nr_classes;
	for (u32 c = 0; c < sc->nr_classes; c++)
		memcpy(result->classes[c].name, sc->classes[c].name, SIM_NAME_MAX);
	ret = (has_gang ? run_together : run_apart)(sc, observer, result, error, error_size);
	return ret ? ret : summarize(result);
}
