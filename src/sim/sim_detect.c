// SPDX-License-Identifier: MIT
/*
 * How the scheduling core learns that a process has work, and that it has none.
 *
 * poll, critical, manual: a scan compares what was submitted with what is done.
 * doorbell: an idle process's doorbell page is unmapped; the first store faults,
 * which costs the submitter a little and wakes the scheduler. The way back is
 * the completion interrupt plus a quiet time. Arming is always followed by a
 * look at the pointers, so a store that slipped in before is not missed.
 */
#include "sim/sim.h"

static u64 wake_up(struct gp_sim *sim)
{
	const struct gp_sim_costs *c = &sim->sc->costs;

	return c->wake_ns + gp_rng_below(&sim->rng, c->wake_jitter_ns + 1);
}

static bool by_doorbell(const struct gp_sim *sim)
{
	return sim->sched && sim->sc->detect == GP_DETECT_DOORBELL;
}

/* Everything has a signal here, and what is done is known to the packet. */
static bool has_work(struct gp_sim_queue *q)
{
	static const struct gp_idle_pace pace = { .busy_ns = 1 };
	const struct gp_idle_seen seen = {
		.now_ns = q->proc->sim->now_ns,
		.rptr = q->done,
		.wptr = gp_sim_queue_written(q),
		.wrap = U64_MAX,
		.end = GP_AQL_ENDED,
	};

	return gp_idle_look(&q->idle, &pace, &seen) == GP_IDLE_BUSY;
}

static bool has_any_work(struct gp_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (has_work(&proc->queues[i]))
			return true;
	return false;
}

/* Tell the core what is true of every queue of a process. */
static void scan(struct gp_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (has_work(&proc->queues[i])) {
			gp_core_busy(&proc->queues[i]);
			gp_core_progress(&proc->queues[i]);
		}
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (!has_work(&proc->queues[i]))
			gp_core_idle(&proc->queues[i]);
}

/**
 * gp_detect_doorbell() - a client rings its doorbell
 * @q: queue
 *
 * The store itself reaches the GPU now or, after a fault, a little later.
 */
void gp_detect_doorbell(struct gp_sim_queue *q)
{
	struct gp_sim *sim = q->proc->sim;
	u64 delay = 0;

	if (by_doorbell(sim) && q->proc->armed) {
		delay = sim->sc->costs.fault_ns;
		q->proc->armed = false;
		gp_sim_at(sim, sim->now_ns + delay + wake_up(sim), GP_EV_BUSY, q->proc->index, 0);
	}
	gp_sim_at(sim, sim->now_ns + delay, GP_EV_STORE, q->index, gp_sim_queue_written(q) - 1);
}

/**
 * gp_detect_quiet() - a queue has just completed everything it had
 * @q: queue
 */
void gp_detect_quiet(struct gp_sim_queue *q)
{
	struct gp_sim *sim = q->proc->sim;

	if (by_doorbell(sim))
		gp_sim_at(sim, sim->now_ns + sim->sc->costs.irq_ns + sim->sc->costs.idle_ns,
			  GP_EV_IDLE, q->index, q->nr_rings);
}

/**
 * gp_detect_progress() - a queue has just completed a request and has others
 * @q: queue
 */
void gp_detect_progress(struct gp_sim_queue *q)
{
	struct gp_sim *sim = q->proc->sim;

	if (by_doorbell(sim) && q->proc->spec->attr.deadline_ns)
		gp_sim_at(sim, sim->now_ns + sim->sc->costs.irq_ns, GP_EV_PROGRESS, q->index, 0);
}

/**
 * gp_detect_arm() - the core wants to know of the next busy or idle edge
 * @proc: process
 * @arm: true: it is idle, watch for work
 */
void gp_detect_arm(struct gp_proc *proc, bool arm)
{
	struct gp_sim *sim = proc->sim;

	proc->armed = arm;
	if (arm && by_doorbell(sim) && has_any_work(proc)) {
		proc->armed = false;
		gp_sim_at(sim, sim->now_ns, GP_EV_BUSY, proc->index, 0);
	}
}

static u64 tick_period(const struct gp_sim *sim, u64 which)
{
	const struct gp_sim_costs *c = &sim->sc->costs;

	return which == 0 ? c->poll_ns : which == 1 ? c->critical_ns : c->trigger_ns;
}

static void tick(struct gp_sim *sim, u64 which)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct gp_proc *proc = &sim->procs[i];
		bool critical = sim->sc->detect == GP_DETECT_CRITICAL &&
				proc->spec->attr.latency_critical;

		if (which == 2 || critical == (which == 1))
			scan(proc);
	}
	if (!sim->stopping)
		gp_sim_at(sim, sim->now_ns + tick_period(sim, which), GP_EV_TICK, 0, which);
}

static void start_tick(struct gp_sim *sim, u64 which)
{
	u64 period = tick_period(sim, which);

	if (period)
		gp_sim_at(sim, gp_rng_below(&sim->rng, period), GP_EV_TICK, 0, which);
}

/**
 * gp_detect_start() - begin to watch
 * @sim: run
 */
void gp_detect_start(struct gp_sim *sim)
{
	switch (sim->sc->detect) {
	case GP_DETECT_CRITICAL:
		start_tick(sim, 1);
		start_tick(sim, 0);
		break;
	case GP_DETECT_POLL:
		start_tick(sim, 0);
		break;
	case GP_DETECT_MANUAL:
		start_tick(sim, 2);
		break;
	default:
		break;
	}
}

/**
 * gp_detect_event() - GP_EV_BUSY, GP_EV_IDLE, GP_EV_PROGRESS, GP_EV_TICK
 * @sim: run
 * @e: event
 */
void gp_detect_event(struct gp_sim *sim, const struct gp_sim_event *e)
{
	if (e->kind == GP_EV_TICK)
		tick(sim, e->arg);
	else if (e->kind == GP_EV_BUSY)
		scan(&sim->procs[e->who]);
	else if (e->kind == GP_EV_PROGRESS)
		gp_core_progress(&sim->queues[e->who]);
	else if (sim->queues[e->who].nr_rings == e->arg)
		scan(sim->queues[e->who].proc);
}
