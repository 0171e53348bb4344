// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim.h"
#include "cli/sim/cli_sim_progress.h"
#include "cli/sim/cli_sim_trace.h"
#include "sim/sim_result_json.h"

#include <sys/stat.h>

static void set_duration(struct cli_table *t, u32 column, u64 nr, u64 ns)
{
	char text[CLI_TEXT_MAX_DURATION];

	if (nr)
		cli_table_set(t, column, "%s", cli_format_reached(ns, text));
}

static void print_header(const struct sim_scenario *sc, const struct sim_result *r)
{
	char text[CLI_TEXT_MAX_DURATION];

	printf("%s%s%s\n", sc->name, sc->title[0] ? ": " : "", sc->title);
	printf("simulated %s, model %s, policy %s, mechanism %s", sc->gpu,
	       sim_model_name(sc->model), sc->policy, sim_mechanism_name(sc->mechanism));
	if (sim_mechanism_uses_detection(sc->mechanism))
		printf(", detection %s", sim_detect_name(sc->detect));
	printf(", %s of virtual time, seed %llu\n\n", cli_format_duration(r->virtual_ns, text),
	       (unsigned long long)sc->seed);
}

static void print_classes(const struct sim_result *r)
{
	static const char *const headers[] = {
		"CLASS", "REQUESTS", "COMPLETED", "PER_SECOND", "MEAN", "P50", "P99", "MAX",
		"ALONE_P99", "P99/ALONE", NULL,
	};
	struct cli_table t;

	cli_table_init(&t, headers, 1);
	for (u32 i = 0; i < r->nr_classes; i++) {
		const struct sim_class_result *c = &r->classes[i];

		cli_table_add_row(&t);
		cli_table_set(&t, 0, "%s", c->name);
		cli_table_set(&t, 1, "%llu", (unsigned long long)c->requests);
		cli_table_set(&t, 2, "%llu", (unsigned long long)c->completed);
		cli_table_set(&t, 3, "%.1f", c->throughput_per_s);
		set_duration(&t, 4, c->requests, c->latency.mean);
		set_duration(&t, 5, c->requests, c->latency.p50);
		set_duration(&t, 6, c->requests, c->latency.p99);
		set_duration(&t, 7, c->requests, c->latency.max);
		set_duration(&t, 8, c->alone.p99, c->alone.p99);
		if (!c->requests || !sim_summary_has_p99(&c->alone))
			continue;
		if (c->latency.p99 == SIM_NEVER)
			cli_table_set(&t, 9, "never");
		else
			cli_table_set(&t, 9, "%.2f",
				      (double)c->latency.p99 / (double)c->alone.p99);
	}
	cli_table_print(&t, stdout);
	cli_table_fini(&t);
}

static void print_totals(const struct sim_result *r)
{
	char p50[CLI_TEXT_MAX_DURATION], p99[CLI_TEXT_MAX_DURATION], most[CLI_TEXT_MAX_DURATION];

	printf("\nswitches %llu, preemptions %llu, resumes %llu, dispatches %llu\n",
	       (unsigned long long)r->switches, (unsigned long long)r->preemptions,
	       (unsigned long long)r->resumes, (unsigned long long)r->dispatches);
	if (r->preempt_latency.nr)
		printf("preempt latency p50 %s, p99 %s, max %s\n",
		       cli_format_duration(r->preempt_latency.p50, p50),
		       cli_format_duration(r->preempt_latency.p99, p99),
		       cli_format_duration(r->preempt_latency.max, most));
	if (r->floor_ns)
		printf("floor of the model %s\n", cli_format_duration(r->floor_ns, p50));
	printf("longest time off the GPU %s\n", cli_format_duration(r->starved_max_ns, p50));
	printf("lost %llu, repeated %llu\n", (unsigned long long)r->lost,
	       (unsigned long long)r->repeated);
}

static void print_gangs(const struct sim_gang_result *r)
{
	char split[CLI_TEXT_MAX_DURATION], stall[CLI_TEXT_MAX_DURATION];
	char most[CLI_TEXT_MAX_DURATION];

	if (!r->has)
		return;
	printf("gangs: taken off %llu times, met %llu times, longest split %s, longest stall %s, "
	       "longest switch %s\n",
	       (unsigned long long)r->nr_off, (unsigned long long)r->nr_barriers,
	       cli_format_duration(r->split_max_ns, split),
	       cli_format_duration(r->stall_max_ns, stall),
	       cli_format_duration(r->switch_max_ns, most));
}

static int print_result(const struct cli_options *o, const struct sim_scenario *sc,
			const struct sim_result *r)
{
	if (!o->is_json) {
		print_header(sc, r);
		print_classes(r);
		print_totals(r);
		print_gangs(&r->gangs);
	} else if (sim_result_json(sc, r, stdout) == -ENOMEM) {
		return cli_fail(sc->name, -ENOMEM, NULL);
	}
	if (r->stopped[0])
		cli_error(sc->name, "stopped: %s", r->stopped);
	return cli_finish(r->stopped[0] ? CLI_EXIT_FAILED : CLI_EXIT_OK);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int run_and_print(const struct cli_options *o, const struct sim_scenario *sc,
			 struct sim_result *r)
{
	struct cli_sim_trace trace = { 0 };
	struct cli_progress progress;
	char error[256] = "";
	int err = 0;

	if (o->trace && is_same_file(o->trace, o->words[0])) {
		cli_error("--trace", "%s is the scenario", o->trace);
		return CLI_EXIT_USAGE;
	}
	cli_progress_init(&progress, o->is_quiet, 1);
	if (o->trace)
		err = cli_sim_trace_open(&trace, o->trace, sc, &progress.base);
	if (err)
		return cli_fail(o->trace, err, NULL);
	err = sim_run(sc, !o->no_alone, o->trace ? &trace.base : &progress.base, r, error,
		      sizeof(error));
	cli_progress_finish(&progress);
	if (err) {
		cli_sim_trace_fini(&trace);
		return cli_sim_fail(o->words[0], err, error);
	}
	if (o->trace)
		err = cli_sim_trace_commit(&trace);
	cli_sim_trace_fini(&trace);
	return err ? cli_fail(o->trace, err, NULL) : print_result(o, sc, r);
}

static int run(struct cli_session *s)
{
	static struct sim_result r;
	struct sim_scenario sc;
	int ret;

	if (s->o.nr_words != 1) {
		cli_error("sim run", "takes one scenario file, not %d", s->o.nr_words);
		return CLI_EXIT_USAGE;
	}
	ret = cli_sim_load(&s->o, s->o.words[0], &sc);
	if (ret != CLI_GO_ON)
		return ret;
	ret = run_and_print(&s->o, &sc, &r);
	sim_result_fini(&r);
	sim_scenario_fini(&sc);
	return ret;
}

const struct cli_verb cli_verb_sim_run = {
	.name = "sim run",
	.usage = "FILE [OPTION...]",
	.example = "gpreempt sim run scenarios/two-tenants-fair.scn\n"
		   "gpreempt sim run mine.scn --mechanism none --trace none.json",
	.options = CLI_OPTS_SIM | CLI_OPTS_SIM_FILES | CLI_OPTS_SIM_RUN,
	.nr_words = CLI_WORDS_ANY,
	.run = run,
};
