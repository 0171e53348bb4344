// SPDX-License-Identifier: MIT
/*
 * Processes that come and die while others run. One that dies takes with it what it has in
 * flight: its queues leave the GPU, its requests are never answered.
 */
#include "sim/sim.h"

/* A node-wide cycle, unless one is under way: that will have the new list. */
static void remap_hws(struct sim *sim)
{
	if (sim->hws.phase != SIM_HWS_IDLE)
		return;
	sim_hws_unmap(sim);
	sim_hws_map(sim);
	/* No switch waits for this fence. */
	sim->hws.waiting = false;
}

static void remap(struct sim_proc *proc)
{
	if (proc->sim->mech->set_there)
		proc->sim->mech->set_there(proc);
	else
		remap_hws(proc->sim);
}

static void join(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;

	proc->gone = false;
	if (sim->sched && sim_core_add(proc))
		sim->error = -ENOMEM;
	remap(proc);
}

static void drop_requests(struct sim_queue *q)
{
	q->proc->result->dropped += q->nr_requests;
	q->nr_requests = 0;
	q->unwritten = 0;
	q->want_on = false;
	sim_watch_forget(q);
}

static void die(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;

	if (sim->stopping || proc->gone)
		return;
	proc->gone = true;
	for (u32 i = 0; i < proc->spec->queues; i++)
		drop_requests(&proc->queues[i]);
	if (proc->outstanding)
		sim_proc_set_active(proc, false);
	proc->outstanding = 0;
	if (sim->sched)
		sim_core_remove(proc);
	remap(proc);
}

/**
 * sim_life_start() - note when processes come and die
 * @sim: run, before its mechanism starts
 */
void sim_life_start(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct sim_proc *proc = &sim->procs[i];

		proc->gone = proc->spec->joins_ns != 0;
		if (proc->gone)
			sim_at(sim, proc->spec->joins_ns, SIM_EV_LIFE, i, true);
		if (proc->spec->dies_ns != U64_MAX)
			sim_at(sim, proc->spec->dies_ns, SIM_EV_LIFE, i, false);
	}
}

/* SIM_EV_LIFE */
void sim_life_event(struct sim *sim, const struct sim_event *e)
{
	if (e->arg)
		join(&sim->procs[e->index]);
	else
		die(&sim->procs[e->index]);
}
