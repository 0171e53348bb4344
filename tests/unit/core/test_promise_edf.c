// SPDX-License-Identifier: MIT
/*
 * What edf and laxity promise, on random sets of overlapping requests. The measure
 * is an EDF that knows every arrival and every length, and to which switches are
 * work: each request needs one.
 */
#include "load.h"

#define SETS 10000U
#define SET_NS (600 * GP_MS)
#define SWITCH_NS (20 * GP_US)
#define JOBS_MAX 4096U

/**
 * struct job - one request of the best order
 * @arrival_ns: arrival
 * @deadline_ns: deadline, absolute
 * @work_ns: work left
 */
struct job {
	u64 arrival_ns;
	u64 deadline_ns;
	u64 work_ns;
};

/**
 * struct score - requests and misses
 * @nr: requests
 * @late: missed by the scheduler
 * @best: missed by the best order
 */
struct score {
	u64 nr;
	u64 late;
	u64 best;
};

/* The job to run at a time: the earliest deadline of those that have arrived. */
static struct job *best_job(struct job *jobs, u32 nr, u64 now_ns, u64 *next_ns)
{
	struct job *best = NULL;
	u32 i;

	*next_ns = U64_MAX;
	for (i = 0; i < nr; i++) {
		if (!jobs[i].work_ns)
			continue;
		if (jobs[i].arrival_ns > now_ns)
			*next_ns = min(*next_ns, jobs[i].arrival_ns);
		else if (!best || jobs[i].deadline_ns < best->deadline_ns)
			best = &jobs[i];
	}
	return best;
}

/* Misses up to @end_ns, as load_misses() counts them. */
static u32 best_misses(struct job *jobs, u32 nr, u64 end_ns)
{
	u64 now_ns = 0;
	u32 nr_late = 0;
	u64 next_ns;
	u32 i;

	while (now_ns < end_ns) {
		struct job *j = best_job(jobs, nr, now_ns, &next_ns);
		u64 ran_ns;

		if (!j) {
			now_ns = next_ns;
			continue;
		}
		next_ns = min(next_ns, end_ns);
		ran_ns = min(j->work_ns, next_ns - now_ns);
		now_ns += ran_ns;
		j->work_ns -= ran_ns;
		nr_late += !j->work_ns && now_ns > j->deadline_ns;
	}
	for (i = 0; i < nr; i++)
		nr_late += jobs[i].work_ns && end_ns > jobs[i].deadline_ns;
	return nr_late;
}

/* Two to six clients with a load of so many percent, switches counted. */
static struct load *random_set(const char *policy, u64 seed, u32 percent)
{
	struct load *l = load_new(policy, seed);
	u32 nr = 2 + (u32)load_pick(l, 5);
	u32 i;

	l->r->switch_ns = SWITCH_NS;
	for (i = 0; i < nr; i++) {
		struct load_client *c = load_add(l);

		c->closed = false;
		c->jitter = load_pick(l, 2);
		c->spread = true;
		c->gap_ns = 5 * GP_MS + load_pick(l, 45 * GP_MS);
		c->attr.deadline_ns = c->gap_ns;
		c->attr.prio = (u8)i;
		c->work_ns = max(c->gap_ns * percent / 100 / nr, 2 * SWITCH_NS) - SWITCH_NS;
	}
	return l;
}

static void add_score(struct score *score, const struct load *l, u64 start_ns)
{
	static struct job jobs[JOBS_MAX];
	u32 nr = 0;
	u32 i, k;

	for (i = 0; i < l->nr; i++) {
		const struct load_client *c = &l->client[i];

		score->late += load_misses(l, c);
		for (k = 0; k < c->nr && nr < JOBS_MAX; k++)
			jobs[nr++] = (struct job){
				.arrival_ns = c->request[k].arrival_ns - start_ns,
				.deadline_ns = c->request[k].arrival_ns - start_ns +
					       c->attr.deadline_ns,
				.work_ns = c->request[k].work_ns + SWITCH_NS,
			};
	}
	assert_true(nr < JOBS_MAX);
	score->nr += nr;
	score->best += best_misses(jobs, nr, l->r->now_ns - start_ns);
}

static struct score try_sets(const char *policy, u32 nr_sets, u32 percent, bool silent)
{
	struct score score = { 0 };
	u32 set, i;

	for (set = 0; set < nr_sets; set++) {
		struct load *l = random_set(policy, set + 1, percent);
		u64 start_ns = l->r->now_ns;

		for (i = 0; i < l->nr; i++)
			l->client[i].silent = silent;
		load_start(l);
		load_run(l, SET_NS);
		add_score(&score, l, start_ns);
		load_free(l);
	}
	print_message("%s, load 0.%02u%s: %llu requests, %llu late, best %llu\n", policy, percent,
		      silent ? ", silent" : "", (unsigned long long)score.nr,
		      (unsigned long long)score.late, (unsigned long long)score.best);
	return score;
}

static void try_loads(const char *policy)
{
	static const u32 percent[] = { 50, 70, 85 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(percent); i++) {
		struct score s = try_sets(policy, load_scaled(SETS / 3 + 1), percent[i], false);

		assert_true(s.late <= s.best + s.nr / 200);
	}
}

static void edf_misses_are_within_half_a_percent_of_the_best(void **state)
{
	(void)state;
	try_loads("edf");
}

static void laxity_misses_are_within_half_a_percent_of_the_best(void **state)
{
	(void)state;
	try_loads("laxity");
}

/* Control: the bound above is one that a policy without deadlines does not keep. */
static void without_deadlines_the_bound_is_not_kept(void **state)
{
	struct score s = try_sets("fair", load_scaled(SETS / 10), 70, false);

	(void)state;
	assert_true(s.late > s.best + s.nr / 200);
}

/* A caller that cannot see completions loses little. */
static void without_completions_misses_are_within_two_percent(void **state)
{
	struct score s = try_sets("edf", load_scaled(SETS / 10), 85, true);

	(void)state;
	assert_true(s.late <= s.best + s.nr / 50);
}

/*
 * The urgent have priority until a request with a deadline cannot wait: those with
 * a deadline are late no more often than under edf by themselves, and little more
 * than their own work is taken from the urgent.
 */
static void laxity_is_in_time_below_urgent_work(void **state)
{
	struct load *l = load_new("laxity", 7);
	struct load_client *urgent = load_add(l);
	struct load_client *job[3];
	u64 job_ns = 0;
	u32 nr_late = 0, nr = 0;
	u32 i;

	(void)state;
	urgent->attr.prio = 12;
	for (i = 0; i < ARRAY_SIZE(job); i++) {
		job[i] = load_add(l);
		job[i]->attr.prio = (u8)(3 + i);
		job[i]->attr.deadline_ns = (20 + 10 * i) * GP_MS;
		job[i]->closed = false;
		job[i]->jitter = true;
		job[i]->gap_ns = 50 * GP_MS;
		job[i]->work_ns = 3 * GP_MS;
		job[i]->spread = true;
	}
	load_start(l);
	load_run(l, 60 * GP_SEC);
	for (i = 0; i < ARRAY_SIZE(job); i++) {
		job_ns += job[i]->gpu_ns;
		nr += job[i]->nr;
		nr_late += load_misses(l, job[i]);
	}
	print_message("laxity: %u of %u late, urgent %llu ms\n", nr_late, nr,
		      (unsigned long long)(urgent->gpu_ns / GP_MS));
	assert_true(nr_late <= nr / 20);
	assert_true(urgent->gpu_ns + job_ns >= 58 * GP_SEC);
	load_free(l);
}

/* A stream that never idles, with a long deadline, beside short requests with a tight one. */
static void beside_stream(const char *policy, bool silent)
{
	struct load *l = load_new(policy, 3);
	struct load_client *stream = load_add(l);
	struct load_client *tight = load_add(l);

	stream->attr.deadline_ns = 500 * GP_MS;
	stream->work_ns = 5 * GP_MS;
	stream->depth = 2;
	stream->silent = silent;
	tight->attr.deadline_ns = 20 * GP_MS;
	tight->closed = false;
	tight->jitter = true;
	tight->gap_ns = 100 * GP_MS;
	tight->work_ns = 2 * GP_MS;
	load_start(l);
	load_run(l, 60 * GP_SEC);
	assert_true(tight->nr > 500);
	assert_true(tight->nr_done + 1 >= tight->nr);
	assert_true(load_misses(l, tight) <= tight->nr / 100);
	assert_true(stream->gpu_ns + tight->gpu_ns >= 59 * GP_SEC);
	load_free(l);
}

static void stream_does_not_outrank_for_ever(void **state)
{
	(void)state;
	beside_stream("edf", false);
	beside_stream("edf", true);
}

/* Requests with nearer deadlines than the stream's ask for more than there is. */
static void stream_is_not_starved(void **state)
{
	u32 silent, i;

	(void)state;
	for (silent = 0; silent < 2; silent++) {
		struct load *l = load_new("edf", 5);
		struct load_client *stream = load_add(l);

		stream->attr.deadline_ns = 200 * GP_MS;
		stream->silent = silent;
		for (i = 0; i < 3; i++) {
			struct load_client *c = load_add(l);

			c->attr.deadline_ns = 20 * GP_MS;
			c->work_ns = 8 * GP_MS;
			c->silent = silent;
		}
		load_start(l);
		load_run(l, 20 * GP_SEC);
		for (i = 0; i < l->nr; i++)
			assert_true(l->client[i].gpu_ns >= 2 * GP_SEC);
		load_free(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edf_misses_are_within_half_a_percent_of_the_best),
		cmocka_unit_test(laxity_misses_are_within_half_a_percent_of_the_best),
		cmocka_unit_test(without_deadlines_the_bound_is_not_kept),
		cmocka_unit_test(without_completions_misses_are_within_two_percent),
		cmocka_unit_test(laxity_is_in_time_below_urgent_work),
		cmocka_unit_test(stream_does_not_outrank_for_ever),
		cmocka_unit_test(stream_is_not_starved),
	};

	return cmocka_run_group_tests_name("core/promise_edf", tests, NULL, NULL);
}
