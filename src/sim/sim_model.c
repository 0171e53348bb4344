// SPDX-License-Identifier: MIT
/*
 * From the profile of a GPU to the one that is simulated: what a scenario says of the hardware,
 * and how much of the model is in force.
 */
#include "sim/sim.h"
#include "gpu/vary.h"

/* What the unknown is held against: hardware and firmware that are this much worse. */
#define PESSIMIST_BANDWIDTH 4
#define PESSIMIST_FIRMWARE 5

static u64 scaled(u64 value, u64 ppm)
{
	return value * ppm / SIM_PPM_ONE;
}

static void scale_firmware(struct gpu_profile *p, u64 ppm)
{
	p->unmap_ns = scaled(p->unmap_ns, ppm);
	p->map_ns = scaled(p->map_ns, ppm);
	p->map_queue_ns = scaled(p->map_queue_ns, ppm);
	p->hqd_ns = scaled(p->hqd_ns, ppm);
}

static void add_effects(struct gpu_profile *p, const struct sim_hardware *hw)
{
	p->spread_ppm = hw->spread_ppm == SIM_UNSET ? p->spread_ppm : (u32)hw->spread_ppm;
	p->cold_ns = hw->cold_ns == SIM_UNSET ? p->l2_bytes * 1000ull / p->cwsr_bytes_per_us :
						hw->cold_ns;
	p->retry_ns = hw->retry_ns;
	p->retry_ppm = (u32)hw->retry_ppm;
}

void sim_model_profile(const struct sim_scenario *sc, const struct gpu_profile *base,
		       struct gpu_profile *out)
{
	const struct sim_hardware *hw = &sc->hardware;
	bool is_pessimist = sc->model == SIM_MODEL_PESSIMIST;

	*out = *base;
	out->cwsr_bytes_per_us = max(scaled(base->cwsr_bytes_per_us, hw->bandwidth_ppm) /
					     (is_pessimist ? PESSIMIST_BANDWIDTH : 1), (u64)1);
	scale_firmware(out, hw->firmware_ppm * (is_pessimist ? PESSIMIST_FIRMWARE : 1));
	out->barrier_ns = hw->barrier_ns;
	out->issue_ppm = hw->issue_ppm == SIM_UNSET ? base->issue_ppm : (u32)hw->issue_ppm;
	out->memory_ppm = hw->memory_ppm == SIM_UNSET ? base->memory_ppm : (u32)hw->memory_ppm;
	out->spread_ppm = sc->model == SIM_MODEL_FIXED ? 0 : out->spread_ppm;
	if (sc->model != SIM_MODEL_FIXED)
		add_effects(out, hw);
}

/* A wake-up or an interrupt now and then waits for something else on that processor. */
static u64 tail_ns(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	if (sim->sc->model == SIM_MODEL_FIXED ||
	    !gpu_chance(&sim->rng.state, (u32)c->tail_ppm))
		return 0;
	return gpu_exponential(sim_rng_next(&sim->rng), c->tail_ns);
}

u64 sim_model_wake_ns(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	return c->wake_ns + sim_rng_below(&sim->rng, c->wake_jitter_ns + 1) + tail_ns(sim);
}

u64 sim_model_irq_ns(struct sim *sim)
{
	return sim->sc->costs.irq_ns + tail_ns(sim);
}

u64 sim_model_arm_ns(const struct sim *sim)
{
	return sim->sc->model == SIM_MODEL_FIXED ? 0 : sim->sc->costs.arm_ns;
}

/* The model's bound for a preemption that saves so much, as it is this time. */
static u64 draw_floor(const struct sim *sim, u64 bytes, u64 *state)
{
	const struct gpu_profile *p = sim->profile;
	u64 save_ns = gpu_vary(state, gpu_profile_save_ns(p, bytes), p->spread_ppm);
	u64 retry_ns = gpu_chance(state, p->retry_ppm) ? p->retry_ns : 0;
	u64 fixed_ns;

	if (!sim_mechanism_is_cycle(sim->sc->mechanism))
		return gpu_vary(state, p->hqd_ns, p->spread_ppm) + save_ns + retry_ns + p->cold_ns;
	fixed_ns = gpu_profile_floor_ns(p, bytes) - p->unmap_ns - p->map_ns - p->map_queue_ns -
		   gpu_profile_save_ns(p, bytes);
	return fixed_ns + gpu_vary(state, p->unmap_ns, p->spread_ppm) + save_ns + retry_ns +
	       gpu_vary(state, p->map_ns + p->map_queue_ns, p->spread_ppm);
}

#define FLOOR_DRAWS 4096

int sim_model_floor(const struct sim *sim, u64 bytes, struct sim_summary *out)
{
	struct sim_samples s = { 0 };
	u64 state = 1;
	int ret = 0;

	for (u32 i = 0; i < FLOOR_DRAWS && !ret; i++)
		ret = sim_samples_add(&s, draw_floor(sim, bytes, &state));
	if (!ret)
		ret = sim_samples_summary(&s, NULL, out);
	sim_samples_fini(&s);
	return ret;
}
