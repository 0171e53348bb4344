// SPDX-License-Identifier: MIT
#include "cli/import/cli_advise.h"

#include "cli/cli_outfile.h"
#include "cli/sim/cli_sim.h"
#include "cli/sim/cli_sim_demo_page.h"

#include <ctype.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 5
#define DURATION_NS 4000000000ull
/* Runs that are done once: two other detection modes, another policy, two other costs. */
#define ONCE 5
#define PER_RUN 4
/* Standard deviations to each side that hold so many. */
#define NINE_IN_TEN 1.645

/* Which classes of a scenario a run has. */
enum part { BOTH,
	    ONLINE,
	    OFFLINE };

const struct cli_outcome *cli_outcomes_median(const struct cli_outcomes *o)
{
	return &o->all[o->nr / 2];
}

static int by_p99(const void *a, const void *b)
{
	const struct cli_outcome *x = a, *y = b;

	return (x->p99_ns > y->p99_ns) - (x->p99_ns < y->p99_ns);
}

static void add_outcome(struct cli_outcomes *to, const struct cli_outcome *one)
{
	to->all[to->nr++] = *one;
	qsort(to->all, to->nr, sizeof(to->all[0]), by_p99);
}

/* A name of a class may have letters, digits, and what follows; a file may be called anything. */
static void class_name(const char *path, char *out, size_t size)
{
	char copy[4096], *base;

	snprintf(copy, sizeof(copy), "%s", path);
	base = basename(copy);
	base[strcspn(base, ".")] = '\0';
	for (char *c = base; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '-';
	}
	snprintf(out, size, "%.40s", *base ? base : "job");
}

int cli_advice_scenario(const struct cli_advice *a, u32 run, struct sim_scenario *sc, char *error,
			size_t size)
{
	struct cli_import_plan plan = { a->gpu, run + 1, DURATION_NS };
	char names[2][48];
	int err;

	sim_scenario_defaults(sc);
	snprintf(sc->gpu, sizeof(sc->gpu), "%s", a->gpu->name);
	sc->seed = run + 1;
	class_name(a->files[0], names[0], sizeof(names[0]));
	class_name(a->files[1], names[1], sizeof(names[1]));
	if (!strcmp(names[0], names[1]))
		strcat(names[1], "-2");
	snprintf(sc->name, sizeof(sc->name), "advise");
	snprintf(sc->title, sizeof(sc->title), "%.48s beside %.48s", names[0], names[1]);
	err = cli_import_online(&a->jobs[0], &plan, names[0], sc);
	if (!err)
		err = cli_import_offline(&a->jobs[1], &plan, names[1], sc);
	snprintf(error, size, "%s", err ? strerror(-err) : "");
	if (!err)
		err = sim_scenario_validate(sc, error, size);
	if (err)
		sim_scenario_fini(sc);
	return err;
}

/* One class is the offline job's, the last; the view of a scenario without a part of it. */
static struct sim_scenario part_of(const struct sim_scenario *sc, enum part part)
{
	struct sim_scenario one = *sc;

	if (part == ONLINE)
		one.nr_classes--;
	if (part == OFFLINE) {
		one.classes[0] = sc->classes[sc->nr_classes - 1];
		one.nr_classes = 1;
	}
	return one;
}

/* Too large for the stack; one at a time. */
static struct cli_comparison scratch;

/* The p99 of so many is any of a few neighbours: a binomial number of requests is above it. */
static int find_neighbours(const struct cli_comparison_row *row, struct cli_outcome *out)
{
	struct sim_samples ended, waiting;
	int err = cli_comparison_online(&scratch, row, &ended, &waiting);
	double far, above;

	if (err)
		return err;
	if (ended.nr && !waiting.nr) {
		above = 0.01 * (double)ended.nr;
		far = NINE_IN_TEN * sqrt(above * 0.99);
		sim_samples_sort(&ended);
		out->p99_from_ns = ended.ns[ended.nr - 1 - min((u64)(above + far), ended.nr - 1)];
		out->p99_to_ns = ended.ns[ended.nr - 1 - (u64)fmax(above - far, 0)];
	}
	sim_samples_fini(&ended);
	sim_samples_fini(&waiting);
	return 0;
}

static int run_part(const struct sim_scenario *sc, enum part part, struct cli_progress *progress,
		    struct cli_outcome *out, char *error, size_t size)
{
	struct sim_scenario one = part_of(sc, part);
	struct cli_comparison_row *row = &scratch.rows[0];
	struct sim_summary s = { 0 };
	u32 nr_online = part == BOTH ? one.nr_classes - 1 : one.nr_classes;
	int err;

	memset(&scratch, 0, sizeof(scratch));
	scratch.sc = &one;
	for (u32 i = 0; part != OFFLINE && i < nr_online; i++)
		scratch.is_online[i] = true;
	err = sim_run(&one, false, &progress->base, &row->result, error, size);
	if (!err)
		err = cli_comparison_summary(&scratch, row, &s);
	*out = (struct cli_outcome){ .p50_ns = s.p50, .p99_ns = s.p99, .completed = s.nr };
	if (!err)
		err = find_neighbours(row, out);
	out->requests = cli_comparison_requests(&scratch, row);
	if (part != ONLINE)
		out->kept = row->result.classes[one.nr_classes - 1].throughput_per_s;
	sim_result_fini(&row->result);
	cli_progress_set_part(progress, progress->part + 1);
	return err;
}

static void scale_costs(struct sim_costs *c, u32 percent)
{
	u64 *all[] = { &c->fault_ns, &c->wake_ns, &c->wake_jitter_ns, &c->decide_ns, &c->driver_ns,
		       &c->fence_ns, &c->runlist_ns, &c->irq_ns };

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		*all[i] = *all[i] * percent / 100;
}

/* What is tried beside the stock driver. */
struct trial {
	enum sim_mechanism mechanism;
	enum sim_detect detect;
	const char *policy;
	u32 cost_percent;
};

static int try(struct sim_scenario *sc, const struct trial *trial, double alone,
	       struct cli_progress *progress, struct cli_outcome *out, char *error, size_t size)
{
	struct sim_costs costs = sc->costs;
	int err;

	sc->mechanism = trial->mechanism;
	sc->detect = trial->detect;
	snprintf(sc->policy, sizeof(sc->policy), "%s", trial->policy);
	scale_costs(&sc->costs, trial->cost_percent);
	err = run_part(sc, BOTH, progress, out, error, size);
	sc->costs = costs;
	out->kept = alone > 0 ? out->kept / alone : 0;
	out->grain = alone > 0 ? 1e9 / (alone * (double)sc->duration_ns) : 0;
	return err;
}

/* What is tried once, with the random numbers of the first run. */
static int try_once(struct cli_advice *a, struct sim_scenario *sc, double alone,
		    struct cli_progress *progress, char *error, size_t size)
{
	static const struct trial trials[ONCE] = {
		{ SIM_MECH_CWSR, SIM_DETECT_CRITICAL, "prio", 100 },
		{ SIM_MECH_CWSR, SIM_DETECT_POLL, "prio", 100 },
		{ SIM_MECH_CWSR, SIM_DETECT_DOORBELL, "fair", 100 },
		{ SIM_MECH_CWSR, SIM_DETECT_DOORBELL, "prio", 200 },
		{ SIM_MECH_CWSR, SIM_DETECT_DOORBELL, "prio", 50 },
	};
	struct cli_outcome out[ONCE];
	int err = 0;

	for (u32 i = 0; !err && i < ONCE; i++)
		err = try(sc, &trials[i], alone, progress, &out[i], error, size);
	if (err)
		return err;
	a->critical = out[0];
	a->poll = out[1];
	a->fair = out[2];
	add_outcome(&a->costs, &out[3]);
	add_outcome(&a->costs, &out[4]);
	return 0;
}

static int one_run(struct cli_advice *a, u32 run, struct cli_progress *progress, char *error,
		   size_t size)
{
	static const struct trial today = { SIM_MECH_NONE, SIM_DETECT_DOORBELL, "prio", 100 };
	static const struct trial with = { SIM_MECH_CWSR, SIM_DETECT_DOORBELL, "prio", 100 };
	struct cli_outcome alone, offline, out[2];
	struct sim_scenario sc;
	int err = cli_advice_scenario(a, run, &sc, error, size);

	if (err)
		return err;
	sc.mechanism = SIM_MECH_NONE;
	err = run_part(&sc, ONLINE, progress, &alone, error, size);
	if (!err)
		err = run_part(&sc, OFFLINE, progress, &offline, error, size);
	if (!err)
		err = try(&sc, &today, offline.kept, progress, &out[0], error, size);
	if (!err)
		err = try(&sc, &with, offline.kept, progress, &out[1], error, size);
	if (!err && !run)
		err = try_once(a, &sc, offline.kept, progress, error, size);
	sim_scenario_fini(&sc);
	if (err)
		return err;
	add_outcome(&a->alone, &alone);
	add_outcome(&a->today, &out[0]);
	add_outcome(&a->with, &out[1]);
	return 0;
}

static int run_all(struct cli_advice *a)
{
	struct cli_progress progress;
	char error[256] = "";
	int err = 0;

	cli_progress_init(&progress, a->o->is_quiet, a->nr_runs * PER_RUN + ONCE);
	for (u32 i = 0; !err && i < a->nr_runs; i++)
		err = one_run(a, i, &progress, error, sizeof(error));
	cli_progress_finish(&progress);
	return err ? cli_sim_fail("advise", err, error) : CLI_GO_ON;
}

/* The page of the demo, with these jobs. */
static int write_page(const struct cli_advice *a, FILE *out, char *error, size_t size)
{
	static struct cli_comparison c;
	struct cli_progress progress;
	struct cli_demo_runs runs = { 0 };
	struct sim_scenario sc;
	int err = cli_advice_scenario(a, 0, &sc, error, size);

	if (err)
		return err;
	cli_comparison_init(&c, &sc);
	cli_progress_init(&progress, a->o->is_quiet, c.nr_rows);
	err = cli_comparison_run(&c, &progress, error, size);
	cli_progress_finish(&progress);
	if (!err)
		err = cli_demo_record(&runs, &sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL, NULL, error,
				      size);
	if (!err)
		err = cli_demo_page(out, &c, &runs, false);
	cli_demo_runs_fini(&runs);
	cli_comparison_fini(&c);
	sim_scenario_fini(&sc);
	return err;
}

static int save_page(const struct cli_advice *a)
{
	struct cli_outfile f = { 0 };
	char error[256] = "";
	int err = cli_outfile_open(&f, a->o->html);

	if (err)
		return cli_fail(a->o->html, err, NULL);
	err = write_page(a, f.file, error, sizeof(error));
	if (!err)
		err = cli_outfile_commit(&f);
	cli_outfile_abort(&f);
	return err ? cli_sim_fail(a->o->html, err, error) : CLI_GO_ON;
}

static int read_job(struct cli_advice *a, u32 i)
{
	char error[512] = "";
	int err = cli_import_read(&a->traces[i], a->files[i], error, sizeof(error));

	if (err) {
		cli_error_line(error);
		return CLI_EXIT_USAGE;
	}
	err = cli_import_job_init(&a->jobs[i], &a->traces[i], a->o->gap_ns);
	return err ? cli_fail(a->files[i], err, NULL) : CLI_GO_ON;
}

static int read_jobs(struct cli_advice *a)
{
	int ret = read_job(a, 0);

	if (ret == CLI_GO_ON && !a->jobs[0].nr_requests) {
		cli_error(a->files[0], "no pauses part its kernels into requests; --gap says "
				       "how long "
				       "one is at least");
		ret = CLI_EXIT_USAGE;
	}
	return ret == CLI_GO_ON ? read_job(a, 1) : ret;
}

static int answer(struct cli_advice *a)
{
	int err = 0;

	if (a->o->is_json)
		err = cli_advice_json(a, stdout);
	else
		cli_advice_print(a);
	return err ? cli_fail("advise", err, NULL) : cli_finish(CLI_EXIT_OK);
}

static int advise(struct cli_session *s)
{
	static struct cli_advice a;
	int ret;

	a.o = &s->o;
	a.files[0] = s->o.words[0];
	a.files[1] = s->o.words[1];
	a.gpu = gpu_profile_find(s->o.gpu ? s->o.gpu : "mi300x");
	a.nr_runs = s->o.nr_runs ? (u32)s->o.nr_runs : DEFAULT_RUNS;
	ret = read_jobs(&a);
	if (ret == CLI_GO_ON)
		ret = run_all(&a);
	if (ret == CLI_GO_ON && s->o.html)
		ret = save_page(&a);
	if (ret == CLI_GO_ON)
		ret = answer(&a);
	for (u32 i = 0; i < 2; i++) {
		cli_import_job_fini(&a.jobs[i]);
		cli_import_fini(&a.traces[i]);
	}
	return ret;
}

static int prepare(struct cli_session *s)
{
	if (s->o.nr_words != 2) {
		cli_error("advise", "takes two kernel traces: the online job's, the offline job's");
		return CLI_EXIT_USAGE;
	}
	if (s->o.gpu && !gpu_profile_find(s->o.gpu)) {
		cli_error("--gpu", "no '%.40s'; see gpreempt sim list", s->o.gpu);
		return CLI_EXIT_USAGE;
	}
	if (s->o.nr_runs > CLI_ADVISE_RUNS) {
		cli_error("--runs", "at most %d", CLI_ADVISE_RUNS);
		return CLI_EXIT_USAGE;
	}
	return CLI_GO_ON;
}

const struct cli_verb cli_verb_advise = {
	.name = "advise",
	.usage = "ONLINE OFFLINE [OPTION...]",
	.doc = "Two kernel traces, each of a job by itself on the GPU: what to expect if they "
	       "share it.\n"
	       "A trace is that of rocprofv3 --kernel-trace (CSV, JSON or its database), "
	       "results.csv of\n"
	       "rocprof --timestamp on, or the JSON of the PyTorch profiler.",
	.example = "gpreempt advise serve_kernel_trace.csv train_kernel_trace.csv\n"
		   "gpreempt advise serve.csv train.csv --gpu mi210 --html advice.html",
	.options = CLI_OPTS_SIM | CLI_OPTS_TRACES | CLI_OPTS_ADVISE,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = advise,
};
