// SPDX-License-Identifier: MIT
/*
 * Mechanisms: what they have in common, and the one that does nothing.
 */
#include "sim/sim.h"

/* How long the scheduler's thread still has other things to do. */
u64 sim_mech_busy_ns(const struct sim *sim)
{
	return sim->thread_ns > sim->now_ns ? sim->thread_ns - sim->now_ns : 0;
}

/* A process is to be off the GPU, or on it. */
void sim_mech_set_level(struct sim_proc *proc, bool off)
{
	if (off && !proc->off) {
		proc->off_since_ns = proc->sim->now_ns;
		sim_watch_preempt(proc);
	}
	if (proc->job)
		sim_team_level(proc, off);
	proc->off = off;
	for (u32 j = 0; j < proc->spec->queues; j++)
		proc->queues[j].want_on = !off;
}

/* Note which processes the switch in flight wants off or on; it is for those that come. */
void sim_mech_set_levels(struct sim *sim)
{
	const struct gp_switch *sw = &sim->act.sw;
	u32 nr = sw->nr_preempt + sw->nr_resume;

	for (u32 i = 0; i < nr; i++) {
		u32 member = (sw->nr_preempt + i) % nr;
		struct sim_proc *proc = sim_core_proc(sim, sw->id[member]);

		if (proc)
			sim_mech_set_level(proc, member < sw->nr_preempt);
	}
}

static int start_hws(struct sim *sim)
{
	int ret = sim_hws_init(sim);

	if (!ret)
		sim_hws_map(sim);
	return ret;
}

const struct sim_mech_ops sim_mech_none = {
	.start = start_hws,
};

/*
 * cwsr: one node-wide cycle of the firmware scheduler for all members together.
 * Locks and flags, unmap with fence, runlist: each is an event, so that the time
 * software takes is part of the latency.
 */

static void next_phase(struct sim *sim, u32 phase, u64 delay_ns)
{
	sim->hws.phase = phase;
	sim_at(sim, sim->now_ns + delay_ns, SIM_EV_MECH, 0, sim->act.sw.seq);
}

static void cwsr_begin(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	sim_mech_set_levels(sim);
	next_phase(sim, SIM_HWS_UNMAP, sim_mech_busy_ns(sim) + c->decide_ns + c->driver_ns);
}

/* A queue that refused is still on the GPU, whatever was asked of it. */
static void mark_refused(struct sim *sim)
{
	u32 doorbell = sim_hws_take_refused(sim);
	struct sim_proc *proc;

	if (!doorbell)
		return;
	proc = sim->queues[SIM_QUEUE_OF(doorbell)].proc;
	for (u32 i = 0; i < sim->act.sw.nr_preempt; i++)
		if (sim->act.sw.id[i] == proc->core_id) {
			sim->act.results[i] = GP_RESULT_ERROR;
			proc->off = false;
		}
}

static void cwsr_step(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	switch (sim->hws.phase) {
	case SIM_HWS_UNMAP:
		sim->hws.phase = SIM_HWS_FENCE;
		sim_hws_unmap(sim);
		break;
	case SIM_HWS_FENCE:
		mark_refused(sim);
		next_phase(sim, SIM_HWS_MAP, c->runlist_ns);
		break;
	case SIM_HWS_MAP:
		sim->hws.phase = SIM_HWS_IDLE;
		sim_resize_write(sim);
		sim_hws_map(sim);
		sim_switch_done(sim);
		break;
	case SIM_HWS_NOTHING:
		sim->hws.phase = SIM_HWS_IDLE;
		sim_switch_done(sim);
		break;
	default:
		break;
	}
}

static void cwsr_poll(struct sim *sim)
{
	struct sim_hws *h = &sim->hws;

	if (h->phase != SIM_HWS_FENCE || !h->waiting || *h->fence < h->fence_seq)
		return;
	h->waiting = false;
	next_phase(sim, SIM_HWS_FENCE, sim->sc->costs.fence_ns);
}

const struct sim_mech_ops sim_mech_cwsr = {
	.start = start_hws,
	.begin = cwsr_begin,
	.step = cwsr_step,
	.poll = cwsr_poll,
};

/* The same cycle, unless no level and no mask changes: then there is nothing to do. */
static void resize_begin(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;
	u64 delay_ns = sim_mech_busy_ns(sim) + c->decide_ns;

	if (sim_resize_set_levels(sim))
		next_phase(sim, SIM_HWS_UNMAP, delay_ns + c->driver_ns);
	else
		next_phase(sim, SIM_HWS_NOTHING, delay_ns);
}

const struct sim_mech_ops sim_mech_resize = {
	.start = sim_resize_start,
	.begin = resize_begin,
	.step = cwsr_step,
	.poll = cwsr_poll,
};

/*
 * launch-block: the client's launch worker stops launching. What is on the GPU
 * stays there until it ends.
 */

static void block_begin(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	sim_mech_set_levels(sim);
	sim_at(sim, sim->now_ns + sim_mech_busy_ns(sim) + c->decide_ns + c->block_ns, SIM_EV_MECH,
	       0, sim->act.sw.seq);
}

static void block_step(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct sim_proc *proc = &sim->procs[i];
		bool was_blocked = proc->blocked;

		proc->blocked = proc->off;
		for (u32 j = 0; was_blocked && !proc->blocked && j < proc->spec->queues; j++)
			sim_queue_pump(&proc->queues[j]);
	}
	sim_switch_done(sim);
}

const struct sim_mech_ops sim_mech_launch_block = {
	.start = start_hws,
	.begin = block_begin,
	.step = block_step,
};

/* The ops of a mechanism. */
const struct sim_mech_ops *sim_mech_find(enum sim_mechanism m)
{
	static const struct sim_mech_ops *const table[SIM_MECH_COUNT] = {
		[SIM_MECH_NONE] = &sim_mech_none,
		[SIM_MECH_HWPRIO] = &sim_mech_none,
		[SIM_MECH_LAUNCH_BLOCK] = &sim_mech_launch_block,
		[SIM_MECH_DRAIN] = &sim_mech_hqd_drain,
		[SIM_MECH_RESET] = &sim_mech_hqd_reset,
		[SIM_MECH_CWSR] = &sim_mech_cwsr,
		[SIM_MECH_CWSR_QUEUE] = &sim_mech_hqd_save,
		[SIM_MECH_RESIZE] = &sim_mech_resize,
	};

	return table[m];
}
