// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_commands.h"

#include "cli/cli.h"
#include "cli/sim/cli_sim_fanout.h"
#include "cli/sim/cli_sim_progress.h"
#include "sim/sim_result_json.h"
#include "cli/sim/cli_sim_options.h"
#include "cli/sim/cli_sim_trace.h"
#include "cli/cli_table.h"

#include <string.h>
#include <sys/stat.h>

static void set_duration(struct gp_table *t, u32 column, u64 nr, u64 ns)
{
	char text[GP_TEXT_MAX_DURATION];

	if (nr)
		gp_table_set(t, column, "%s", gp_format_reached(ns, text));
}

static void print_header(const struct gp_scenario *sc, const struct gp_sim_result *r)
{
	char text[GP_TEXT_MAX_DURATION];

	printf("%s%s%s\n", sc->name, sc->title[0] ? ": " : "", sc->title);
	printf("simulated %s, policy %s, mechanism %s", sc->gpu, sc->policy,
	       gp_mechanism_name(sc->mechanism));
	if (gp_mechanism_uses_detection(sc->mechanism))
		printf(", detection %s", gp_detect_name(sc->detect));
	printf(", %s of virtual time, seed %llu\n\n", gp_format_duration(r->virtual_ns, text),
	       (unsigned long long)sc->seed);
}

static void print_classes(const struct gp_sim_result *r)
{
	static const char *const headers[] = {
		"CLASS", "REQUESTS", "COMPLETED", "PER_SECOND", "MEAN", "P50", "P99", "MAX",
		"ALONE_P99", "P99/ALONE", NULL,
	};
	struct gp_table t;

	gp_table_init(&t, headers, 1);
	for (u32 i = 0; i < r->nr_classes; i++) {
		const struct gp_class_result *c = &r->classes[i];

		gp_table_add_row(&t);
		gp_table_set(&t, 0, "%s", c->name);
		gp_table_set(&t, 1, "%llu", (unsigned long long)c->requests);
		gp_table_set(&t, 2, "%llu", (unsigned long long)c->completed);
		gp_table_set(&t, 3, "%.1f", c->throughput_per_s);
		set_duration(&t, 4, c->requests, c->latency.mean);
		set_duration(&t, 5, c->requests, c->latency.p50);
		set_duration(&t, 6, c->requests, c->latency.p99);
		set_duration(&t, 7, c->requests, c->latency.max);
		set_duration(&t, 8, c->alone.p99, c->alone.p99);
		if (!c->requests || !gp_summary_has_p99(&c->alone))
			continue;
		if (c->latency.p99 == GP_NEVER)
			gp_table_set(&t, 9, "never");
		else
			gp_table_set(&t, 9, "%.2f",
				     (double)c->latency.p99 / (double)c->alone.p99);
	}
	gp_table_print(&t, stdout);
	gp_table_fini(&t);
}

static void print_totals(const struct gp_sim_result *r)
{
	char p50[GP_TEXT_MAX_DURATION], p99[GP_TEXT_MAX_DURATION], most[GP_TEXT_MAX_DURATION];

	printf("\nswitches %llu, preemptions %llu, resumes %llu, dispatches %llu\n",
	       (unsigned long long)r->switches, (unsigned long long)r->preemptions,
	       (unsigned long long)r->resumes, (unsigned long long)r->dispatches);
	if (r->preempt_latency.nr)
		printf("preempt latency p50 %s, p99 %s, max %s\n",
		       gp_format_duration(r->preempt_latency.p50, p50),
		       gp_format_duration(r->preempt_latency.p99, p99),
		       gp_format_duration(r->preempt_latency.max, most));
	if (r->floor_ns)
		printf("floor of the model %s\n", gp_format_duration(r->floor_ns, p50));
	printf("longest time off the GPU %s\n", gp_format_duration(r->starved_max_ns, p50));
	printf("lost %llu, repeated %llu\n", (unsigned long long)r->lost,
	       (unsigned long long)r->repeated);
}

static int print_result(const struct gp_sim_options *o, const struct gp_scenario *sc,
			const struct gp_sim_result *r)
{
	int err = 0;

	if (o->is_json) {
		err = gp_sim_result_json(sc, r, stdout);
	} else {
		print_header(sc, r);
		print_classes(r);
		print_totals(r);
	}
	if (err == -ENOMEM) {
		gp_cli_error(sc->name, "%s", strerror(-err));
		return GP_EXIT_FAILED;
	}
	if (r->stopped[0])
		gp_cli_error(sc->name, "stopped: %s", r->stopped);
	return gp_cli_finish(r->stopped[0] ? GP_EXIT_FAILED : GP_EXIT_OK);
}

static int fail_trace(const char *path, int err)
{
	gp_cli_error(path, "%s", strerror(-err));
	return GP_EXIT_FAILED;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int run(const struct gp_sim_options *o, const char *file, const struct gp_scenario *sc,
	       struct gp_observer *observer, struct gp_sim_result *r)
{
	char error[256] = "";
	int err = gp_sim_run(sc, true, observer, r, error, sizeof(error));

	if (!err)
		return GP_GO_ON;
	gp_cli_error(file, "%s", error[0] ? error : strerror(-err));
	return err == -EINVAL ? GP_EXIT_USAGE : GP_EXIT_FAILED;
}

static int run_and_print(const struct gp_sim_options *o, const struct gp_scenario *sc,
			 struct gp_sim_result *r)
{
	struct gp_progress progress;
	struct gp_sim_trace trace = { 0 };
	struct gp_fanout fanout;
	int ret, err;

	if (o->trace && is_same_file(o->trace, o->files[0])) {
		gp_cli_error("--trace", "%s is the scenario", o->trace);
		return GP_EXIT_USAGE;
	}
	gp_fanout_init(&fanout);
	gp_progress_init(&progress, o->is_quiet, 1);
	gp_fanout_add(&fanout, &progress.base);
	if (o->trace) {
		err = gp_sim_trace_open(&trace, o->trace);
		if (err)
			return fail_trace(o->trace, err);
		gp_fanout_add(&fanout, &trace.base);
	}
	ret = run(o, o->files[0], sc, &fanout.base, r);
	gp_progress_finish(&progress);
	if (ret == GP_GO_ON && o->trace) {
		err = gp_sim_trace_commit(&trace);
		if (err)
			ret = fail_trace(o->trace, err);
	}
	gp_sim_trace_fini(&trace);
	return ret == GP_GO_ON ? print_result(o, sc, r) : ret;
}

int gp_sim_cmd_run(int argc, char **argv)
{
	static struct gp_sim_result r;
	struct gp_sim_options o;
	struct gp_scenario sc;
	int ret = gp_sim_options_parse(argc, argv, GP_VERB_RUN, "FILE [OPTION...]", &o);

	if (ret != GP_GO_ON)
		return ret;
	if (o.nr_files != 1) {
		gp_cli_error("sim run", "takes one scenario file, not %d", o.nr_files);
		return GP_EXIT_USAGE;
	}
	ret = gp_sim_options_load(&o, o.files[0], &sc);
	if (ret != GP_GO_ON)
		return ret;
	ret = run_and_print(&o, &sc, &r);
	gp_sim_result_fini(&r);
	gp_scenario_fini(&sc);
	return ret;
}
