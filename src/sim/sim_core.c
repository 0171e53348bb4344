// SPDX-License-Identifier: MIT
/*
 * The scheduling core at work in the simulator: events in, actions carried out.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

struct sim_proc *sim_core_proc(struct sim *sim, u64 id)
{
	u64 index;

	return gp_sched_entity_cookie(sim->sched, id, &index) ? NULL : &sim->procs[index];
}

static struct sim *sim_of(struct gp_act *a)
{
	return container_of(a, struct sim, act);
}

static void report(struct gp_act *a, enum gp_report report, u64 id)
{
	struct sim_proc *proc = id == GP_ID_NONE ? NULL : sim_core_proc(sim_of(a), id);
	char text[128];

	if (proc)
		snprintf(text, sizeof(text), "%s %u: %s", proc->spec->name, proc->number,
			 gp_report_name(report));
	else
		snprintf(text, sizeof(text), "node: %s", gp_report_name(report));
	sim_mark(sim_of(a), text);
}

/* A fault in the mechanism: nothing is done, every member gets the same answer. */
static void fail_switch(struct sim *sim)
{
	const struct gp_switch *sw = &sim->act.sw;

	sim->nr_forced--;
	for (u32 i = 0; i < sw->nr_preempt + sw->nr_resume; i++)
		sim->act.results[i] = (u8)sim->forced;
	sim_at(sim, sim->now_ns + sim->sc->costs.driver_ns, SIM_EV_FAILED, 0, sw->seq);
}

/* Only schedules: no mechanism is over with a switch at once. */
static bool begin(struct gp_act *a)
{
	struct sim *sim = sim_of(a);

	sim->sw_begin_ns = sim->now_ns;
	if (sim->nr_forced)
		fail_switch(sim);
	else
		sim->mech->begin(sim);
	return false;
}

static void set_timer(struct gp_act *a)
{
	struct sim *sim = sim_of(a);

	if (a->timer_ns != U64_MAX)
		sim_at(sim, max(a->timer_ns, sim->now_ns), SIM_EV_CORE_TIMER, 0, 0);
}

static void watch(struct gp_act *a, u64 id, bool arm)
{
	struct sim_proc *proc = sim_core_proc(sim_of(a), id);

	if (proc)
		sim_detect_arm(proc, arm);
}

static u64 now_ns(struct gp_act *a)
{
	return sim_of(a)->now_ns;
}

static void gang_news(struct gp_act *a)
{
	struct sim *sim = sim_of(a);

	if (sim->team)
		sim_team_news(sim);
}

static const struct gp_act_ops act_ops = {
	.now_ns = now_ns,
	.begin = begin,
	.set_timer = set_timer,
	.watch = watch,
	.report = report,
	.gang = gang_news,
};

bool sim_core_is_switching(const struct sim *sim, u64 seq)
{
	return sim->act.is_switching && sim->act.sw.seq == seq;
}

/* Tells the core whether a queue has work, unless it knows. */
void sim_core_tell(struct sim_queue *q, bool busy)
{
	struct sim *sim = q->proc->sim;
	int (*event)(struct gp_sched * s, u64 id, u64 now_ns, struct gp_actions * out) =
		busy ? gp_sched_queue_busy : gp_sched_queue_idle;

	if (q->core_busy == busy)
		return;
	q->core_busy = busy;
	if (!event(sim->sched, q->core_id, sim->now_ns, &sim->act.acts))
		gp_act_run(&sim->act);
}

/**
 * sim_core_progress() - tell the core which request of a busy queue is the oldest now
 * @q: queue
 *
 * Only of processes with a deadline: to others it means nothing.
 */
void sim_core_progress(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;
	u64 since_ns;

	if (!q->core_busy || !q->nr_requests || !q->proc->spec->attr.deadline_ns)
		return;
	since_ns = q->requests[q->head].arrival_ns;
	if (since_ns == q->core_since_ns)
		return;
	q->core_since_ns = since_ns;
	if (!gp_sched_queue_progress(sim->sched, q->core_id, since_ns, sim->now_ns,
				     &sim->act.acts))
		gp_act_run(&sim->act);
}

/* No more scheduling: all processes are resumed. */
void sim_core_stop(struct sim *sim)
{
	gp_sched_set_enabled(sim->sched, 0, false, sim->now_ns, &sim->act.acts);
	gp_act_run(&sim->act);
}

/**
 * sim_switch_done() - the mechanism finished the switch in flight
 * @sim: run, results in gp_act.results
 */
void sim_switch_done(struct sim *sim)
{
	sim_watch_switch(sim);
	gp_act_done(&sim->act);
}

static int set_params(struct sim *sim, char *error, size_t error_size)
{
	const struct sim_scenario *sc = sim->sc;
	int ret;

	/* A drain takes as long as the kernel: wait as long as amdkfd does. */
	if (sc->mechanism == SIM_MECH_DRAIN)
		gp_sched_param_set(sim->sched, 0, "deadline_ns", 9000000000ull, NULL);
	for (u32 i = 0; i < sc->nr_params; i++) {
		const struct sim_param_set *p = &sc->params[i];

		ret = gp_sched_param_set(sim->sched, 0, p->name, p->value, NULL);
		if (ret) {
			snprintf(error, error_size, "parameter %s: cannot be set", p->name);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * The firmware takes turns among processes and queues that do not fit, whether they have work
 * or not. Those without work can be left out where a doorbell tells at once that they have some.
 */
static void set_room(struct sim *sim)
{
	const struct sim_scenario *sc = sim->sc;

	if (!sim_mechanism_is_cycle(sc->mechanism) || sc->detect != SIM_DETECT_DOORBELL)
		return;
	gp_sched_set_room(sim->sched, 0, sim->profile->nr_vmids, sim_hws_slots(sim), 0,
			  &sim->act.acts);
	gp_act_run(&sim->act);
}

/* Tell the scheduler of a process that is there now. Return: 0 or -errno. */
int sim_core_add(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;
	int ret = gp_sched_entity_add(sim->sched, 0, &proc->spec->attr, proc->index, sim->now_ns,
				      &sim->act.acts, &proc->core_id);

	if (ret)
		return ret;
	gp_act_run(&sim->act);
	ret = sim_share_join(proc);
	for (u32 i = 0; i < proc->spec->queues && !ret; i++) {
		struct sim_queue *q = &proc->queues[i];

		ret = gp_sched_queue_add(sim->sched, proc->core_id, q->index, sim->now_ns,
					 &sim->act.acts, &q->core_id);
		if (!ret)
			gp_act_run(&sim->act);
	}
	return ret;
}

/**
 * sim_core_init() - make the scheduler and tell it of every process
 * @sim: run with its processes
 * @error: output on error
 * @error_size: its size
 *
 * Return: 0, -ENOMEM, -EINVAL.
 */
int sim_core_init(struct sim *sim, char *error, size_t error_size)
{
	struct gp_sched_config config = {
		.nr_nodes = 1,
		.max_entities = sim->nr_procs,
		.max_queues = sim->nr_queues,
		.has_gates = true,
		.max_shares = min(sim_share_count(sim->sc), GP_SHARES_MAX),
	};
	size_t size = (gp_sched_size(&config) + 63) & ~(size_t)63;
	int ret;

	sim->sched_mem = aligned_alloc(64, size);
	if (!sim->sched_mem || sim_share_init(sim))
		return -ENOMEM;
	ret = gp_sched_init(sim->sched_mem, size, &config, &sim->sched);
	if (ret)
		return ret;
	gp_act_init(&sim->act, sim->sched, 0, &act_ops);
	ret = set_params(sim, error, error_size);
	if (!ret && gp_sched_set_policy(sim->sched, 0, sim->sc->policy, 0, &sim->act.acts)) {
		snprintf(error, error_size, "policy %s: unknown", sim->sc->policy);
		ret = -EINVAL;
	}
	set_room(sim);
	for (u32 i = 0; i < sim->nr_procs && !ret; i++)
		if (!sim->procs[i].gone)
			ret = sim_core_add(&sim->procs[i]);
	return ret;
}

/* A process is gone, with all its queues. */
void sim_core_remove(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;

	if (!gp_sched_entity_remove(sim->sched, proc->core_id, sim->now_ns, &sim->act.acts))
		gp_act_run(&sim->act);
}

void sim_core_fini(struct sim *sim)
{
	sim_share_fini(sim);
	free(sim->sched_mem);
}
