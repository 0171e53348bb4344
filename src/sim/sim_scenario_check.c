// SPDX-License-Identifier: MIT
/* What no single line of a scenario can be blamed for. */
#include "sim/sim_scenario_parse.h"

#include <stdio.h>
#include <string.h>

struct check {
	const struct sim_scenario *sc;
	const struct gpu_profile *gpu;
	char *error;
	size_t error_size;
};

#define FAIL(c, ...) (sim_scenario_say((c)->error, (c)->error_size, __VA_ARGS__), -EINVAL)

const struct gpu_profile *sim_scenario_gpu(const struct sim_scenario *sc)
{
	return sc->has_profile ? &sc->profile : gpu_profile_find(sc->gpu);
}

bool sim_engine_exists(const char *name)
{
	return !strcmp(name, "timed") || !strcmp(name, "state");
}

static int check_names(const struct check *c)
{
	const struct sim_scenario *sc = c->sc;

	if (!c->gpu)
		return FAIL(c, "no gpu '%s'; see gpreempt sim list", sc->gpu);
	if (!sim_engine_exists(sc->engine))
		return FAIL(c, "no engine '%s'; see gpreempt sim list", sc->engine);
	if (!gp_text_is_policy(sc->policy))
		return FAIL(c, "no policy '%s'; see gpreempt sim list", sc->policy);
	if (sc->mechanism >= SIM_MECH_COUNT || sc->detect >= SIM_DETECT_COUNT)
		return FAIL(c, "no such mechanism or detection mode");
	return 0;
}

static int check_params(const struct check *c)
{
	for (u32 i = 0; i < c->sc->nr_params; i++) {
		const struct sim_param_set *set = &c->sc->params[i];
		const struct gp_param_desc *desc = gp_params_find(set->name);

		if (!desc)
			return FAIL(c, "no parameter '%s'; see gpreempt sim params", set->name);
		if (set->value < desc->min || set->value > desc->max)
			return FAIL(c, "%s: %llu is out of range, %llu to %llu", set->name,
				    (unsigned long long)set->value, (unsigned long long)desc->min,
				    (unsigned long long)desc->max);
	}
	return 0;
}

/* Registers are allocated in blocks of 8 per work-item; a wave has 64 of them. */
static u32 wave_vgpr_bytes(const struct sim_kernel_spec *k)
{
	return (k->vgprs + 7) / 8 * 8 * 64 * 4;
}

/* All ranks come to it as often, each after something that takes time. */
static int check_barrier(const struct check *c, const struct sim_class_spec *class, u32 index)
{
	if (!class->is_gang)
		return FAIL(c, "class %s: kernel %u: a barrier needs gang = yes", class->name,
			    index + 1);
	if (!index || class->kernels[index - 1].is_barrier)
		return FAIL(c, "class %s: kernel %u: a barrier comes after a kernel", class->name,
			    index + 1);
	return 0;
}

static int check_gang(const struct check *c, const struct sim_class_spec *class)
{
	if (!class->is_gang)
		return 0;
	if (class->queues != 1 || class->arrival.kind != SIM_ARRIVAL_CLOSED ||
	    class->arrival.concurrency != 1)
		return FAIL(c, "class %s: a gang has one queue and sends one request after the "
			       "other",
			    class->name);
	if (class->joins_ns || class->dies_ns != U64_MAX)
		return FAIL(c, "class %s: a gang is there all the time", class->name);
	return 0;
}

static int check_kernel(const struct check *c, const struct sim_class_spec *class, u32 index)
{
	const struct sim_kernel_spec *k = &class->kernels[index];
	const struct gpu_profile *g = c->gpu;
	u32 waves, waves_per_simd;

	if (k->is_barrier)
		return check_barrier(c, class, index);
	if (!k->workgroup_size || k->workgroup_size > 1024 || k->vgprs < 8 || k->vgprs > 512)
		return FAIL(c, "class %s: kernel %u: out of range", class->name, index + 1);
	if (!k->fill_ppm && !k->workgroups)
		return FAIL(c, "class %s: kernel %u: no workgroups", class->name, index + 1);
	if (!k->endless && !k->duration_ns)
		return FAIL(c, "class %s: kernel %u: no duration", class->name, index + 1);
	waves = (k->workgroup_size + 63) / 64;
	waves_per_simd = g->vgpr_bytes_per_cu / g->simd_per_cu / wave_vgpr_bytes(k);
	waves_per_simd = min(waves_per_simd, g->waves_per_simd);
	if (waves_per_simd * g->simd_per_cu < waves)
		return FAIL(c, "class %s: kernel %u: a workgroup of %u with %u vgprs does not fit "
			    "a CU of %s", class->name, index + 1, k->workgroup_size, k->vgprs,
			    g->name);
	if (k->lds_bytes > g->lds_bytes_per_cu)
		return FAIL(c, "class %s: kernel %u: %u bytes of LDS do not fit a CU of %s",
			    class->name, index + 1, k->lds_bytes, g->name);
	return 0;
}

static int check_class(const struct check *c, const struct sim_class_spec *class)
{
	u64 requests = sim_arrival_estimate(&class->arrival, c->sc->duration_ns);

	if (!class->processes || !class->queues || !class->nr_kernels)
		return FAIL(c, "class %s: needs a process, a queue and a kernel", class->name);
	if (class->start_ns >= class->stop_ns)
		return FAIL(c, "class %s: starts when it has stopped", class->name);
	if (class->joins_ns >= class->dies_ns)
		return FAIL(c, "class %s: dies before it joins", class->name);
	if (class->arrival.nr_phases && class->arrival.kind == SIM_ARRIVAL_CLOSED)
		return FAIL(c, "class %s: a closed loop has no phases", class->name);
	if (requests * class->processes > SIM_REQUESTS_MAX)
		return FAIL(c, "class %s: about %llu requests, at most %llu", class->name,
			    (unsigned long long)(requests * class->processes), SIM_REQUESTS_MAX);
	if (check_gang(c, class))
		return -EINVAL;
	for (u32 i = 0; i < class->nr_kernels; i++) {
		int err = check_kernel(c, class, i);

		if (err)
			return err;
	}
	return 0;
}

/* Queues that are loaded and dequeued by hand need a slot each. */
static bool needs_slots(enum sim_mechanism m)
{
	return m == SIM_MECH_DRAIN || m == SIM_MECH_RESET || m == SIM_MECH_CWSR_QUEUE;
}

static int check_queues(const struct check *c)
{
	const struct sim_scenario *sc = c->sc;
	u32 slots = sc->nr_slots ? sc->nr_slots : c->gpu->nr_slots;
	u64 queues = 0;

	/* Of the first GPU, which has most. */
	for (u32 i = 0; i < sc->nr_classes; i++)
		queues += (u64)sim_class_processes(sc, i, 0) * sc->classes[i].queues;
	if (queues > SIM_QUEUES_MAX)
		return FAIL(c, "%llu queues on a GPU, at most %d", (unsigned long long)queues,
			    SIM_QUEUES_MAX);
	if (needs_slots(sc->mechanism) && queues > slots)
		return FAIL(c, "mechanism %s needs a slot per queue: %llu queues, %u slots",
			    sim_mechanism_name(sc->mechanism), (unsigned long long)queues, slots);
	return 0;
}

int sim_scenario_validate(const struct sim_scenario *sc, char *error, size_t error_size)
{
	struct check c = { sc, sim_scenario_gpu(sc), error, error_size };
	int err = check_names(&c);

	if (!err)
		err = check_params(&c);
	if (!err && (sc->duration_ns < SIM_NS_PER_US || sc->duration_ns > SIM_RUN_MAX_NS))
		err = FAIL(&c, "duration: out of range, 1us to 1h");
	if (!err && sc->nr_slots > GPU_MAX_SLOTS)
		err = FAIL(&c, "slots: out of range, 1 to %d", GPU_MAX_SLOTS);
	if (!err && (!sc->nr_gpus || sc->nr_gpus > SIM_MAX_GPUS))
		err = FAIL(&c, "gpus: out of range, 1 to %d", SIM_MAX_GPUS);
	if (!err && !sc->nr_classes)
		err = FAIL(&c, "no class");
	if (!err && sc->detect == SIM_DETECT_MANUAL && !sc->costs.trigger_ns &&
	    sim_mechanism_uses_detection(sc->mechanism))
		err = FAIL(&c, "detection mode manual needs a trigger in [costs]");
	if (!err)
		err = check_queues(&c);
	for (u32 i = 0; !err && i < sc->nr_classes; i++)
		err = check_class(&c, &sc->classes[i]);
	return err;
}
