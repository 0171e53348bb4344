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

/* Of SIM_EV_ENDING's argument. */
#define IS_LATE (1ull << 63)

static bool by_doorbell(const struct sim *sim)
{
	return sim->sched && sim->sc->detect == SIM_DETECT_DOORBELL;
}

/* A request was announced and has not been launched. */
static bool is_hinted(const struct sim_queue *q)
{
	return q->proc->spec->has_hint && q->unwritten && !q->proc->sim->stopping;
}

/* Everything has a signal here, and what is done is known to the packet. */
static bool has_work(struct sim_queue *q)
{
	static const struct gp_idle_pace pace = { .busy_ns = 1 };
	const struct gp_idle_seen seen = {
		.now_ns = q->proc->sim->now_ns,
		.rptr = q->done,
		.wptr = sim_queue_written(q),
		.wrap = U64_MAX,
		.end = GP_AQL_ENDED,
	};

	if (q->ended == seen.wptr && q->ended)
		return is_hinted(q);
	return gp_idle_look(&q->idle, &pace, &seen) == GP_IDLE_BUSY || is_hinted(q);
}

static bool has_any_work(struct sim_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (has_work(&proc->queues[i]))
			return true;
	return false;
}

/* Tell the core what is true of every queue of a process. */
static void scan(struct sim_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (has_work(&proc->queues[i])) {
			sim_core_tell(&proc->queues[i], true);
			sim_core_progress(&proc->queues[i]);
		}
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (!has_work(&proc->queues[i]))
			sim_core_tell(&proc->queues[i], false);
}

/**
 * sim_detect_doorbell() - a client rings its doorbell
 * @q: queue
 *
 * The store itself reaches the GPU now or, after a fault, a little later.
 */
void sim_detect_doorbell(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;
	u64 delay = 0, seen_ns;

	if (by_doorbell(sim) && q->proc->armed) {
		bool is_unmapped = sim->now_ns >= q->proc->armed_ns;

		q->proc->armed = false;
		seen_ns = q->proc->armed_ns;
		if (is_unmapped) {
			delay = sim->sc->costs.fault_ns;
			seen_ns = sim->now_ns + delay + sim_model_wake_ns(sim);
		}
		sim_at(sim, max(seen_ns, sim->thread_ns), SIM_EV_BUSY, q->proc->index, 0);
	}
	sim_at(sim, sim->now_ns + delay, SIM_EV_STORE, q->index, sim_queue_written(q) - 1);
}

/* A client announces a request that it will launch. */
void sim_detect_hint(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	if (sim->sched)
		sim_at(sim, max(sim->now_ns + sim_model_wake_ns(sim), sim->thread_ns), SIM_EV_BUSY,
		       q->proc->index, 0);
}

/**
 * sim_detect_restored() - what was ordered back has waves
 * @sim: run
 *
 * A shorter time counts at once, longer ones by and by.
 */
void sim_detect_restored(struct sim *sim)
{
	u64 ns = sim->now_ns - sim->sw_begin_ns;

	if (!sim->lead_ns || ns < sim->lead_ns)
		sim->lead_ns = ns;
	else
		sim->lead_ns += (ns - sim->lead_ns) / 8;
}

/**
 * sim_detect_began() - a packet has its first wave
 * @q: queue
 * @packet: its index
 *
 * If it is one of the last, and where what stays on the GPU is not disturbed, what is off it
 * is ordered back before the end.
 */
void sim_detect_began(struct sim_queue *q, u64 packet)
{
	struct sim *sim = q->proc->sim;
	u64 at_ns;

	if (!by_doorbell(sim) || !sim->mech->is_local)
		return;
	gp_ending_began(&q->ending, packet, sim->now_ns);
	at_ns = gp_ending_at_ns(&q->ending, sim_queue_written(q) - packet, sim->now_ns,
				sim->lead_ns);
	if (at_ns != U64_MAX && !q->unwritten)
		sim_at(sim, at_ns, SIM_EV_ENDING, q->index, sim_queue_written(q));
}

/*
 * The end is near, or, as @arg says, should have come by now: a kernel that does not end is
 * work. From then on ends are not foreseen until a gap was seen again.
 */
static void ending(struct sim_queue *q, u64 arg)
{
	struct sim *sim = q->proc->sim;
	u64 written = arg & ~IS_LATE;

	if (q->proc->gone || q->unwritten || written != sim_queue_written(q) ||
	    !sim_queue_outstanding(q) || !(arg & IS_LATE) == (q->ended == written))
		return;
	q->ended = arg & IS_LATE ? 0 : written;
	if (arg & IS_LATE)
		q->ending.gap_ns = 0;
	else
		sim_at(sim, gp_ending_late_ns(sim->now_ns, sim->lead_ns), SIM_EV_ENDING, q->index,
		       written | IS_LATE);
	scan(q->proc);
}

/* A queue has just completed everything it had. */
void sim_detect_quiet(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	gp_ending_quiet(&q->ending, sim->now_ns);
	if (by_doorbell(sim))
		sim_at(sim, sim->now_ns + sim_model_irq_ns(sim) + sim->sc->costs.idle_ns,
		       SIM_EV_IDLE, q->index, q->nr_rings);
}

/* A queue has just completed a request and has others. */
void sim_detect_progress(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	if (by_doorbell(sim) && q->proc->spec->attr.deadline_ns)
		sim_at(sim, sim->now_ns + sim_model_irq_ns(sim), SIM_EV_PROGRESS, q->index, 0);
}

/**
 * sim_detect_arm() - the core wants to know of the next busy or idle edge
 * @proc: process
 * @arm: true: it is idle, watch for work
 *
 * Taking the page away keeps the scheduler's thread busy. A store that comes meanwhile does
 * not fault: the look at the pointers that follows finds it.
 */
void sim_detect_arm(struct sim_proc *proc, bool arm)
{
	struct sim *sim = proc->sim;

	proc->armed = arm;
	if (!arm || !by_doorbell(sim))
		return;
	sim->thread_ns = max(sim->thread_ns, sim->now_ns) + sim_model_arm_ns(sim);
	proc->armed_ns = sim->thread_ns;
	if (has_any_work(proc)) {
		proc->armed = false;
		sim_at(sim, proc->armed_ns, SIM_EV_BUSY, proc->index, 0);
	}
}

static bool is_core_busy(const struct sim_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (proc->queues[i].core_busy)
			return true;
	return false;
}

/*
 * The scheduler was woken for a process. Work that was done before it came makes no edge: the
 * core still counts on the doorbell, which the fault gave back.
 */
static void look(struct sim_proc *proc)
{
	if (proc->gone)
		return;
	scan(proc);
	if (by_doorbell(proc->sim) && !proc->armed && !is_core_busy(proc))
		sim_detect_arm(proc, true);
}

static u64 tick_period(const struct sim *sim, u64 which)
{
	const struct sim_costs *c = &sim->sc->costs;

	return which == 0 ? c->poll_ns : which == 1 ? c->critical_ns : c->trigger_ns;
}

static void tick(struct sim *sim, u64 which)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct sim_proc *proc = &sim->procs[i];
		bool critical = sim->sc->detect == SIM_DETECT_CRITICAL &&
				proc->spec->attr.latency_critical;

		if (!proc->gone && (which == 2 || critical == (which == 1)))
			scan(proc);
	}
	if (!sim->stopping)
		sim_at(sim, sim->now_ns + tick_period(sim, which), SIM_EV_TICK, 0, which);
}

static void start_tick(struct sim *sim, u64 which)
{
	u64 period = tick_period(sim, which);

	if (period)
		sim_at(sim, sim_rng_below(&sim->rng, period), SIM_EV_TICK, 0, which);
}

/* Begin to watch. */
void sim_detect_start(struct sim *sim)
{
	enum sim_detect detect = sim->sc->detect;

	if (detect == SIM_DETECT_CRITICAL)
		start_tick(sim, 1);
	if (detect == SIM_DETECT_CRITICAL || detect == SIM_DETECT_POLL)
		start_tick(sim, 0);
	if (detect == SIM_DETECT_MANUAL)
		start_tick(sim, 2);
}

/* SIM_EV_BUSY, SIM_EV_IDLE, SIM_EV_ENDING, SIM_EV_PROGRESS, SIM_EV_TICK. */
void sim_detect_event(struct sim *sim, const struct sim_event *e)
{
	if (e->kind == SIM_EV_TICK)
		tick(sim, e->arg);
	else if (e->kind == SIM_EV_BUSY)
		look(&sim->procs[e->index]);
	else if (e->kind == SIM_EV_ENDING)
		ending(&sim->queues[e->index], e->arg);
	else if (e->kind == SIM_EV_PROGRESS)
		sim_core_progress(&sim->queues[e->index]);
	else if (sim->queues[e->index].nr_rings == e->arg)
		scan(sim->queues[e->index].proc);
}
