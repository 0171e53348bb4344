// SPDX-License-Identifier: MIT
/*
 * What the GPU's trace means for a run: how long waves ran, how long a
 * preemption took, which boxes an observer draws.
 */
#include "sim/sim.h"

#include <stdio.h>

const char *sim_span_kind_name(enum sim_span_kind kind)
{
	static const char *const names[SIM_SPAN_COUNT] = {
		[SIM_SPAN_KERNEL] = "kernel", [SIM_SPAN_SAVE] = "save",
		[SIM_SPAN_OFF] = "off",	     [SIM_SPAN_RESTORE] = "restore",
		[SIM_SPAN_WAIT] = "wait",     [SIM_SPAN_SWITCH] = "switch",
	};

	return kind < SIM_SPAN_COUNT ? names[kind] : "?";
}

static void emit(struct sim *sim, enum sim_span_kind kind, u32 track, u64 from_ns, u64 arg)
{
	struct sim_span span = {
		.kind = kind, .track = track, .from_ns = from_ns, .to_ns = sim->now_ns, .arg = arg,
	};

	if (sim->observer && sim->observer->span && span.from_ns < span.to_ns)
		sim->observer->span(sim->observer, &span);
}

/* A request of the queue has ended. */
void sim_watch_request(struct sim_queue *q, u64 arrival_ns)
{
	struct sim *sim = q->proc->sim;

	if (sim->observer && sim->observer->request)
		sim->observer->request(sim->observer, q->index, arrival_ns, sim->now_ns);
}

/* Name the tracks to the observer. */
void sim_watch_tracks(struct sim *sim)
{
	struct sim_observer *o = sim->observer;

	if (!o || !o->track)
		return;
	for (u32 i = 0; i < sim->nr_queues; i++) {
		struct sim_queue *q = &sim->queues[i];

		o->track(o, i, q->proc->spec->name, q->proc->number, (u32)(q - q->proc->queues));
	}
	o->track(o, sim->nr_queues, "node", 0, 0);
}

/* The waves of a queue stop or end: account for the time they ran. */
static void stop_running(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	if (!q->running)
		return;
	q->running = false;
	if (q->since_ns < sim->end_ns)
		q->gpu_ns += min(sim->now_ns, sim->end_ns) - q->since_ns;
	emit(sim, SIM_SPAN_KERNEL, q->index, q->since_ns, q->packet);
}

static void start_running(struct sim_queue *q)
{
	q->running = true;
	q->since_ns = q->proc->sim->now_ns;
}

static void move_to(struct sim_queue *q, enum sim_where where)
{
	static const enum sim_span_kind kind[] = {
		[SIM_AT_SAVING] = SIM_SPAN_SAVE,
		[SIM_AT_OFF] = SIM_SPAN_OFF,
		[SIM_AT_RESTORING] = SIM_SPAN_RESTORE,
	};

	if (q->where != SIM_AT_GPU)
		emit(q->proc->sim, kind[q->where], q->index, q->since_ns, 0);
	q->where = where;
	q->since_ns = q->proc->sim->now_ns;
}

static bool has_saves(const struct sim *sim)
{
	return sim_mechanism_is_cycle(sim->sc->mechanism) ||
	       sim->sc->mechanism == SIM_MECH_CWSR_QUEUE;
}

/* The model's bound for a preemption that saves so much. */
static u64 floor_ns(const struct sim *sim, u64 bytes)
{
	if (sim_mechanism_is_cycle(sim->sc->mechanism))
		return gpu_profile_floor_ns(sim->profile, bytes);
	/* A queue by itself: no runlist, and the beneficiary's packet has long been read. */
	return sim->profile->hqd_ns + gpu_profile_save_ns(sim->profile, bytes) +
	       sim->profile->cold_ns;
}

/* The XCC that has most has at least its share of all. */
static void note_floor(struct sim *sim, u64 bytes)
{
	struct sim_result *r = sim->result;
	u64 ns = floor_ns(sim, bytes / sim->profile->nr_xcc);

	if (!bytes || (r->floor_ns && ns >= r->floor_ns))
		return;
	r->floor_ns = ns;
	sim->floor_bytes = bytes / sim->profile->nr_xcc;
}

/* A doorbell ends the idleness of a queue. */
void sim_watch_wait(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	q->waiting = true;
	q->edge_ns = sim->now_ns;
	q->victim = -1;
	q->victim_bytes = 0;
	q->waiting_at = sim->nr_waiting;
	sim->waiting[sim->nr_waiting++] = q;
}

static void stop_waiting(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;
	struct sim_queue *last = sim->waiting[--sim->nr_waiting];

	q->waiting = false;
	sim->waiting[q->waiting_at] = last;
	last->waiting_at = q->waiting_at;
}

/* A queue is no more: it waits for nothing. */
void sim_watch_forget(struct sim_queue *q)
{
	if (q->waiting)
		stop_waiting(q);
}

/*
 * First wave after idleness: the latency counts if another had to leave for it,
 * not if room was found before that.
 */
static void first_wave(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;
	struct sim_observer *o = sim->observer;

	if (!q->waiting)
		return;
	stop_waiting(q);
	emit(sim, SIM_SPAN_WAIT, q->index, q->edge_ns, 0);
	if (q->victim < 0 || (has_saves(sim) && !q->victim_bytes))
		return;
	if (sim_samples_add(&sim->result->preempt_samples, sim->now_ns - q->edge_ns))
		sim->error = -ENOMEM;
	note_floor(sim, q->victim_bytes);
	if (o && o->preemption)
		o->preemption(o, q->index, q->edge_ns, (u32)q->victim, q->victim_ns, sim->now_ns);
}

static const struct sim_queue *running_queue(const struct sim_proc *proc)
{
	for (u32 i = 0; i < proc->spec->queues; i++)
		if (proc->queues[i].running)
			return &proc->queues[i];
	return NULL;
}

/**
 * sim_watch_preempt() - a process is told to leave the GPU
 * @victim: process
 *
 * If it has waves there, every other that waits for a first wave has been
 * helped. The victim's own wait is not a preemption's latency and is not counted.
 */
void sim_watch_preempt(struct sim_proc *victim)
{
	const struct sim_queue *leaving = running_queue(victim);
	struct sim *sim = victim->sim;

	for (u32 i = sim->nr_waiting; i--;) {
		struct sim_queue *q = sim->waiting[i];

		if (q->proc == victim) {
			stop_waiting(q);
		} else if (leaving && !q->proc->off) {
			q->victim = (int)leaving->index;
			q->victim_ns = sim->now_ns;
		}
	}
}

/* The waves of a victim stop: from here on room is being made. */
static void note_victim(struct sim_queue *victim, u64 bytes)
{
	struct sim *sim = victim->proc->sim;

	for (u32 i = 0; i < sim->nr_waiting; i++) {
		struct sim_queue *q = sim->waiting[i];

		if (q->victim >= 0) {
			q->victim = (int)victim->index;
			q->victim_ns = sim->now_ns;
			q->victim_bytes += bytes;
		}
	}
}

static void save_begin(struct sim_queue *q, const struct gpu_trace *t)
{
	stop_running(q);
	move_to(q, SIM_AT_SAVING);
	if (!q->proc->off)
		return;
	note_victim(q, t->arg[0]);
}

static void on_queue(struct sim_queue *q, const struct gpu_trace *t)
{
	switch (t->kind) {
	case GPU_TRACE_DISPATCH_BEGIN:
		stop_running(q);
		q->packet = t->arg[0];
		first_wave(q);
		start_running(q);
		sim_detect_began(q, q->packet);
		sim_resize_began(q, q->packet);
		break;
	case GPU_TRACE_DISPATCH_END:
		stop_running(q);
		break;
	case GPU_TRACE_SAVE_BEGIN:
		save_begin(q, t);
		break;
	case GPU_TRACE_SAVE_END:
		move_to(q, SIM_AT_OFF);
		break;
	case GPU_TRACE_RESTORE_BEGIN:
		move_to(q, SIM_AT_RESTORING);
		break;
	case GPU_TRACE_RESTORE_END:
		move_to(q, SIM_AT_GPU);
		start_running(q);
		sim_detect_restored(q->proc->sim);
		break;
	case GPU_TRACE_RESET:
		q->proc->sim->nr_killed_dead += q->proc->gone ? t->arg[0] : 0;
		/* fall through */
	case GPU_TRACE_UNMAP:
		if (q->proc->off && q->running)
			note_victim(q, 0);
		stop_running(q);
		break;
	default:
		break;
	}
}

/* The GPU's trace hook. */
void sim_watch_trace(struct gpu_host *host, const struct gpu_trace *t)
{
	struct sim *sim = container_of(host, struct sim, host);

	if (t->kind == GPU_TRACE_FAULT)
		sim_mark(sim, "injected fault took effect");
	if (t->doorbell >= SIM_DOORBELL(0))
		on_queue(&sim->queues[SIM_QUEUE_OF(t->doorbell)], t);
}

/* A switch ended. */
void sim_watch_switch(struct sim *sim)
{
	if (sim->team)
		sim_team_switched(sim, sim->now_ns - sim->sw_begin_ns);
	emit(sim, SIM_SPAN_SWITCH, sim->nr_queues, sim->sw_begin_ns,
	     (u64)sim->act.sw.nr_preempt << 32 | sim->act.sw.nr_resume);
}

static void note_shares(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		const struct sim_proc *proc = &sim->procs[i];
		struct sim_class_result *r = proc->result;

		if (!proc->number)
			r->process_least_ns = proc->gpu_ns;
		r->process_least_ns = min(r->process_least_ns, proc->gpu_ns);
		r->process_most_ns = max(r->process_most_ns, proc->gpu_ns);
	}
}

/* Requests stop: close what is open. */
void sim_watch_end(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_queues; i++) {
		struct sim_queue *q = &sim->queues[i];
		struct sim_proc *proc = q->proc;

		if (q->running) {
			stop_running(q);
			start_running(q);
		}
		proc->result->gpu_ns += q->gpu_ns;
		proc->gpu_ns += q->gpu_ns;
		if (proc->outstanding && q == proc->queues)
			proc->result->alone_active_ns +=
				sim->end_ns - min(proc->active_since_ns, sim->end_ns);
	}
	note_shares(sim);
}
