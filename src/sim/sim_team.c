// SPDX-License-Identifier: MIT
/*
 * Several GPUs with one clock: a process of a gang is on each of them, and its ranks meet at
 * barriers. Each GPU is a run of its own with a scheduler of its own, as in
 * the kernel module; what is decided of gangs is decided above them (rules/gang.h).
 *
 * What is measured here is the same whatever decides: a gang is split while some of its ranks
 * were told to leave their GPU and others were not, and it stalls while, beside
 * that, one that is on its GPU waits at a barrier.
 */
#include "sim/sim.h"
#include "rules/gang.h"

#include <stdlib.h>

/* A gang of a class. */
struct sim_job {
	struct sim_team *team;
	struct sim_proc *rank[SIM_MAX_GPUS];
	u64 waiting;	   /* bit mask of the ranks that have come to the barrier */
	u64 off;	   /* bit mask of the ranks that were told to leave */
	u64 split_ns;	   /* since when it is split, SIM_NEVER = it is not */
	u64 stall_ns;	   /* since when it stalls, SIM_NEVER = it does not */
};

/* The GPUs. */
struct sim_team {
	struct sim **sims;
	u32 nr;
	u32 nr_jobs;
	struct sim_job *jobs;
	struct gp_gangs *gangs; /* NULL: the scheduler knows none */
	void *mem;
	u64 now_ns;
	u64 noisy;	/* GPUs with news */
	u64 look_ns;	/* when the news are heard */
	bool is_ending; /* no more requests: no rank is waited for */
	struct sim_gang_result *result;
};

static u64 all_of(const struct sim_team *t)
{
	return t->nr == 64 ? U64_MAX : (1ULL << t->nr) - 1;
}

/* Notes the end of a time, or its begin. */
static void note(bool is_on, u64 now_ns, u64 *since_ns, u64 *sum_ns, u64 *max_ns)
{
	if (is_on == (*since_ns != SIM_NEVER))
		return;
	if (is_on) {
		*since_ns = now_ns;
		return;
	}
	*sum_ns += now_ns - *since_ns;
	*max_ns = max(*max_ns, now_ns - *since_ns);
	*since_ns = SIM_NEVER;
}

static void measure(struct sim_job *job, u64 now_ns)
{
	struct sim_gang_result *r = job->team->result;
	bool is_split = job->off && job->off != all_of(job->team);

	if (job->team->is_ending)
		is_split = false;
	note(is_split, now_ns, &job->split_ns, &r->split_ns, &r->split_max_ns);
	note(is_split && (job->waiting & ~job->off), now_ns, &job->stall_ns, &r->stall_ns,
	     &r->stall_max_ns);
}

/**
 * sim_team_level() - a rank is told to leave its GPU, or to come back
 * @proc: process of a gang
 * @off: which
 */
void sim_team_level(struct sim_proc *proc, bool off)
{
	struct sim_job *job = proc->job;
	u64 bit = 1ULL << proc->rank;
	bool was_off = job->off & bit;

	if (off == was_off)
		return;
	job->off ^= bit;
	job->team->result->nr_off += off && job->off == all_of(job->team);
	measure(job, proc->sim->now_ns);
}

/* All have come: what each waits for in its memory is there. */
static void release(struct sim_job *job)
{
	for (u64 left = job->waiting; left; left &= left - 1) {
		struct sim_queue *q = job->rank[__builtin_ctzll(left)]->queues;

		q->meets[(q->met - 1) & (q->nr_packets - 1)].value = 0;
	}
	job->waiting = 0;
}

/**
 * sim_team_look() - has a rank come to a barrier?
 * @q: its queue, after it has completed or written something
 */
void sim_team_look(struct sim_queue *q)
{
	struct sim_job *job = q->proc->job;

	if (!job || !sim_queue_outstanding(q) || q->met == q->done + 1 ||
	    !q->image[q->done & (q->nr_packets - 1)]->spec->is_barrier)
		return;
	q->met = q->done + 1;
	job->waiting |= 1ULL << q->proc->rank;
	if (job->waiting == all_of(job->team) || job->team->is_ending) {
		job->team->result->nr_barriers += !job->team->is_ending;
		release(job);
	}
	measure(job, q->proc->sim->now_ns);
}

/* A scheduler has news of gangs: they are heard after a wake-up. */
void sim_team_news(struct sim *sim)
{
	struct sim_team *t = sim->team;

	if (!t->gangs || t->is_ending)
		return;
	if (!t->noisy)
		t->look_ns = sim->now_ns + sim->sc->costs.wake_ns;
	t->noisy |= 1ULL << sim->team_index;
}

void sim_team_switched(struct sim *sim, u64 ns)
{
	struct sim_gang_result *r = sim->team->result;

	r->switch_max_ns = max(r->switch_max_ns, ns);
}

/* No more requests on a GPU, and so on none: what has begun is to end. */
void sim_team_end(struct sim *sim)
{
	struct sim_team *t = sim->team;

	if (!t || t->is_ending)
		return;
	t->is_ending = true;
	for (u32 i = 0; i < t->nr_jobs; i++) {
		measure(&t->jobs[i], sim->now_ns);
		release(&t->jobs[i]);
	}
}

static struct gp_act *enter(void *data, u32 node)
{
	struct sim_team *t = data;
	struct sim *sim = t->sims[node];

	/* Nothing happens there before its next event, which is not earlier. */
	sim->now_ns = max(sim->now_ns, t->now_ns);
	return &sim->act;
}

static const struct gp_gangs_ops gang_ops = { .enter = enter };

static int make_gangs(struct sim_team *t)
{
	struct gp_gangs_config config = {
		.nr_nodes = t->nr,
		.max_gangs = t->nr_jobs,
		.max_ranks = t->nr_jobs * t->nr,
		.ops = &gang_ops,
		.data = t,
	};
	int ret = 0;

	t->mem = aligned_alloc(64, (gp_gangs_size(&config) + 63) & ~(size_t)63);
	if (!t->mem)
		return -ENOMEM;
	t->gangs = gp_gangs_init(t->mem, &config);
	for (u32 j = 0; j < t->nr_jobs; j++) {
		for (u32 i = 0; i < t->nr && !ret; i++) {
			struct sim_proc *proc = t->jobs[j].rank[i];
			struct gp_group_key key = { .group = j + 1, .attr = proc->spec->attr };

			ret = gp_gangs_join(t->gangs, &key, i, proc->core_id, 0);
		}
	}
	return ret;
}

/* Processes of a gang have the same place in the list of processes of each GPU's class. */
static int make_jobs(struct sim_team *t)
{
	struct sim *first = t->sims[0];

	for (u32 p = 0; p < first->nr_procs; p++)
		t->nr_jobs += first->procs[p].spec->is_gang;
	t->jobs = calloc(t->nr_jobs, sizeof(*t->jobs));
	return t->jobs ? 0 : -ENOMEM;
}

static void fill_jobs(struct sim_team *t)
{
	for (u32 i = 0; i < t->nr; i++) {
		struct sim *sim = t->sims[i];
		u32 j = 0;

		sim->team = t;
		sim->team_index = i;
		for (u32 p = 0; p < sim->nr_procs; p++) {
			struct sim_proc *proc = &sim->procs[p];

			if (!proc->spec->is_gang)
				continue;
			t->jobs[j].team = t;
			t->jobs[j].rank[i] = proc;
			t->jobs[j].split_ns = SIM_NEVER;
			t->jobs[j].stall_ns = SIM_NEVER;
			proc->job = &t->jobs[j++];
			proc->rank = i;
		}
	}
}

/* The one at which something happens first, NULL = all are over. */
static struct sim *next_sim(const struct sim_team *t)
{
	struct sim *first = NULL;

	for (u32 i = 0; i < t->nr; i++)
		if (!sim_is_over(t->sims[i]) &&
		    (!first || sim_next_ns(t->sims[i]) < sim_next_ns(first)))
			first = t->sims[i];
	return first;
}

static u64 gangs_ns(const struct sim_team *t)
{
	u64 next = t->gangs && !t->is_ending ? gp_gangs_next_ns(t->gangs) : U64_MAX;

	return t->noisy && !t->is_ending ? min(next, t->look_ns) : next;
}

static void run_gangs(struct sim_team *t)
{
	u64 noisy = t->noisy;

	t->noisy = 0;
	t->noisy |= gp_gangs_run(t->gangs, noisy, t->now_ns);
	t->look_ns = t->now_ns;
}

static void loop(struct sim_team *t)
{
	struct sim *sim;

	while ((sim = next_sim(t))) {
		if (gangs_ns(t) <= sim_next_ns(sim)) {
			t->now_ns = max(t->now_ns, gangs_ns(t));
			run_gangs(t);
			continue;
		}
		t->now_ns = max(t->now_ns, sim_next_ns(sim));
		sim_step(sim);
	}
}

/**
 * sim_team_run() - run several GPUs in one clock
 * @sims: runs, open
 * @nr: how many
 * @sc: scenario of all
 * @result: output
 *
 * Return: 0, -ENOMEM, -EINVAL.
 */
int sim_team_run(struct sim **sims, u32 nr, const struct sim_scenario *sc,
		 struct sim_gang_result *result)
{
	struct sim_team t = { .sims = sims, .nr = nr, .result = result };
	struct gp_gangs_stats stats = { 0 };
	int ret = make_jobs(&t);

	if (!ret) {
		fill_jobs(&t);
		for (u32 i = 0; i < nr; i++)
			sim_start(sims[i]);
		if (sc->has_gangs && sims[0]->sched)
			ret = make_gangs(&t);
	}
	if (!ret)
		loop(&t);
	if (t.gangs)
		gp_gangs_stats(t.gangs, &stats);
	result->has = true;
	result->nr_late = stats.nr_late;
	result->nr_stalled = stats.nr_stalled;
	for (u32 i = 0; i < nr; i++)
		sims[i]->team = NULL;
	free(t.jobs);
	free(t.mem);
	return ret;
}
