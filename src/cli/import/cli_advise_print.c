// SPDX-License-Identifier: MIT
#include "cli/import/cli_advise.h"

#include "cli/cli.h"
#include "sim/sim_result_json.h"

#include <math.h>
#include <string.h>

/* Side by side is as good as alone, or with is no better than without, within this. */
#define AS_GOOD 1.1
/* Another policy is worth it if it leaves offline so much more at the same latency. */
#define MORE_KEPT 0.05
#define SAME_P99 1.02
#define FEW_REQUESTS 100

/* A double holds SIM_NEVER as something larger. */
static u64 ns_of(double ns)
{
	return ns < (double)SIM_NEVER ? (u64)ns : SIM_NEVER;
}

enum cli_verdict cli_advice_verdict(const struct cli_advice *a)
{
	double alone = (double)cli_outcomes_median(&a->alone)->p99_ns;
	u64 today = cli_outcomes_median(&a->today)->p99_ns;
	u64 with = cli_outcomes_median(&a->with)->p99_ns;

	if (today != SIM_NEVER && (double)today <= AS_GOOD * alone)
		return CLI_VERDICT_NOTHING;
	if (with == SIM_NEVER || (today != SIM_NEVER && (double)with * AS_GOOD >= (double)today))
		return CLI_VERDICT_NO_GAIN;
	return CLI_VERDICT_USE;
}

const char *cli_advice_policy(const struct cli_advice *a)
{
	const struct cli_outcome *with = cli_outcomes_median(&a->with);

	return a->fair.p99_ns != SIM_NEVER &&
			       (double)a->fair.p99_ns <= SAME_P99 * (double)with->p99_ns &&
			       a->fair.kept > with->kept + MORE_KEPT
		       ? "fair"
		       : "prio";
}

/* "5.52 ms (5.50 ms to 5.56 ms)". */
static const char *range(const struct cli_advice *a, const struct cli_outcomes *o,
			 const struct cli_outcomes *more, char *out, size_t size)
{
	char t[3][CLI_TEXT_MAX_DURATION];
	struct cli_range r;

	cli_advice_p99(a, o, more, &r);
	cli_format_reached(cli_outcomes_median(o)->p99_ns, t[0]);
	cli_format_reached(ns_of(r.least), t[1]);
	cli_format_reached(ns_of(r.most), t[2]);
	if (strcmp(t[1], t[2]))
		snprintf(out, size, "%s (%s to %s)", t[0], t[1], t[2]);
	else
		snprintf(out, size, "%s", t[0]);
	return out;
}

static void print_alone(const struct cli_advice *a)
{
	const struct cli_import_job *job = &a->jobs[0];
	char text[96], length[CLI_TEXT_MAX_DURATION];
	const struct cli_import_request *r = &job->requests[job->median[0]];

	printf("alone      online p99 %s: %llu requests of %llu kernels, up to %s, GPU busy "
	       "%.0f %% "
	       "(%s)\n",
	       range(a, &a->alone, NULL, text, sizeof(text)),
	       (unsigned long long)job->nr_requests, (unsigned long long)r->nr,
	       cli_format_duration(r->end_ns - r->start_ns, length),
	       100 * (double)job->busy_ns / (double)job->span_ns, a->traces[0].format);
}

static void print_side(const char *name, const struct cli_advice *a, const struct cli_outcomes *o,
		       const struct cli_outcomes *more)
{
	const struct cli_outcome *m = cli_outcomes_median(o);
	struct cli_range kept;
	char text[96];

	cli_advice_kept(o, &kept);
	printf("%-10s online p99 %s", name, range(a, o, more, text, sizeof(text)));
	if (m->p99_ns == SIM_NEVER)
		printf(", %llu of %llu requests end", (unsigned long long)m->completed,
		       (unsigned long long)m->requests);
	else
		printf(", %.2f x alone",
		       (double)m->p99_ns / (double)cli_outcomes_median(&a->alone)->p99_ns);
	printf("; offline keeps %.0f %% (%.0f to %.0f)\n", 100 * m->kept, 100 * kept.least,
	       100 * kept.most);
}

static void print_set(const struct cli_advice *a)
{
	char t[2][CLI_TEXT_MAX_DURATION];

	switch (cli_advice_verdict(a)) {
	case CLI_VERDICT_NOTHING:
		puts("set        nothing: side by side on the stock driver, online is as good "
		     "as alone");
		break;
	case CLI_VERDICT_NO_GAIN:
		puts("set        nothing: preemption does not help these two; see gpreempt sim "
		     "compare");
		break;
	case CLI_VERDICT_USE:
		printf("set        run -c realtime the online job, run -c besteffort the "
		       "offline job; "
		       "policy %s; detection doorbell (critical: %s, poll: %s)\n",
		       cli_advice_policy(a), cli_format_reached(a->critical.p99_ns, t[0]),
		       cli_format_reached(a->poll.p99_ns, t[1]));
	}
}

/* What this answer rests on, and what it leaves out. */
static void print_unknown(const struct cli_advice *a)
{
	printf("not known  simulated %s; ranges are for 9 of 10 recordings like this, by %u runs, "
	       "times that are %.1f %% off%s; not in the model: memory bandwidth and caches that "
	       "both share, copies, the host",
	       a->gpu->name, a->nr_runs, 100 * cli_advice_spread(a),
	       a->costs.nr ? ", and software half and twice as quick" : "");
	if (a->jobs[0].nr_requests < FEW_REQUESTS)
		printf("; %llu requests are few for a p99",
		       (unsigned long long)a->jobs[0].nr_requests);
	for (u32 i = 0; i < 2; i++) {
		if (a->traces[i].nr_shapeless)
			printf("; %s: %llu kernels without a grid count as filling the GPU",
			       i ? "offline" : "online",
			       (unsigned long long)a->traces[i].nr_shapeless);
		if (a->jobs[i].kernel_ns > a->jobs[i].busy_ns + a->jobs[i].busy_ns / 20)
			printf("; %s: kernels that overlap count one after the other",
			       i ? "offline" : "online");
		if (a->traces[i].nr_agents > 1)
			printf("; %s: only %s of %u GPUs", i ? "offline" : "online",
			       a->traces[i].agents[a->traces[i].agent], a->traces[i].nr_agents);
	}
	putchar('\n');
}

void cli_advice_print(const struct cli_advice *a)
{
	print_alone(a);
	print_side("today", a, &a->today, NULL);
	print_side("gpreempt", a, &a->with, &a->costs);
	print_set(a);
	print_unknown(a);
}

static json_t *ns_or_null(u64 ns)
{
	return ns == SIM_NEVER ? json_null() : json_integer((json_int_t)ns);
}

static json_t *side_json(const struct cli_advice *a, const struct cli_outcomes *o,
			 const struct cli_outcomes *more)
{
	const struct cli_outcome *m = cli_outcomes_median(o);
	struct cli_range p99, kept;

	cli_advice_p99(a, o, more, &p99);
	cli_advice_kept(o, &kept);
	return json_pack("{s:o, s:o, s:o, s:I, s:I, s:f, s:f, s:f}",
			 "p99_ns", ns_or_null(m->p99_ns),
			 "p99_least_ns", ns_or_null(ns_of(p99.least)),
			 "p99_most_ns", ns_or_null(ns_of(p99.most)),
			 "requests", (json_int_t)m->requests, "completed", (json_int_t)m->completed,
			 "offline_kept", m->kept, "offline_kept_least", kept.least,
			 "offline_kept_most", kept.most);
}

int cli_advice_json(const struct cli_advice *a, FILE *out)
{
	static const char *const verdicts[] = { "nothing", "no-gain", "use" };
	json_t *o = json_pack("{s:s, s:s, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:b}",
			      "schema", "gpreempt.advise/1", "gpu", a->gpu->name,
			      "runs", (json_int_t)a->nr_runs,
			      "verdict", verdicts[cli_advice_verdict(a)],
			      "policy", cli_advice_policy(a),
			      "alone", side_json(a, &a->alone, NULL),
			      "today", side_json(a, &a->today, NULL),
			      "gpreempt", side_json(a, &a->with, &a->costs),
			      "other_costs", side_json(a, &a->costs, NULL),
			      "recorded_requests", (json_int_t)a->jobs[0].nr_requests,
			      "shapeless_kernels",
			      (json_int_t)(a->traces[0].nr_shapeless + a->traces[1].nr_shapeless),
			      "simulated", 1);
	int err = o ? sim_json_write(o, out) : -ENOMEM;

	json_decref(o);
	return err;
}
