// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_compare.h"

#include "cli/cli.h"
#include "sim/sim_result_json.h"
#include "cli/sim/cli_sim_commands.h"
#include "cli/sim/cli_sim_options.h"

#include <stdlib.h>
#include <string.h>

static void print_classes(const struct gp_comparison *c, bool is_online)
{
	const struct gp_sim_result *r = &c->rows[0].result;
	bool is_first = true;

	printf("%s:", is_online ? "online " : "offline");
	for (u32 i = 0; i < c->sc->nr_classes; i++) {
		char text[GP_TEXT_MAX_DURATION];
		const struct gp_class_spec *spec = &c->sc->classes[i];

		if (c->is_online[i] != is_online)
			continue;
		printf("%s %s (priority %u", is_first ? "" : ",", spec->name, spec->attr.prio);
		if (r->classes[i].alone.p99)
			printf(", alone p99 %s", gp_format_reached(r->classes[i].alone.p99, text));
		putchar(')');
		is_first = false;
	}
	puts(is_first ? " none" : "");
}

static void print_missing(const struct gp_comparison *c)
{
	for (u32 i = 0; i < c->nr_rows; i++) {
		const struct gp_comparison_row *row = &c->rows[i];

		if (row->reason[0] && (!i || row->mechanism != c->rows[i - 1].mechanism))
			printf("not run: %s\n", row->reason);
		if (row->result.stopped[0])
			printf("%s, %s: stopped: %s\n", gp_mechanism_name(row->mechanism),
			       gp_comparison_detect(row), row->result.stopped);
	}
}

int gp_sim_compare_print(const struct gp_comparison *c)
{
	const struct gp_scenario *sc = c->sc;
	char text[GP_TEXT_MAX_DURATION];
	struct gp_table t;
	int err = gp_comparison_table(c, &t);

	if (!err) {
		printf("%s%s%s\n", sc->name, sc->title[0] ? ": " : "", sc->title);
		printf("simulated %s, policy %s, %s of virtual time, seed %llu\n", sc->gpu,
		       sc->policy, gp_format_duration(sc->duration_ns, text),
		       (unsigned long long)sc->seed);
		print_classes(c, true);
		print_classes(c, false);
		putchar('\n');
		gp_table_print(&t, stdout);
		print_missing(c);
	}
	gp_table_fini(&t);
	return err;
}

static int fail(const char *file, int err, const char *error)
{
	gp_cli_error(file, "%s", error[0] ? error : strerror(-err));
	return err == -EINVAL ? GP_EXIT_USAGE : GP_EXIT_FAILED;
}

/* Runs one file; prints its table, or adds its runs to @json. */
static int compare_file(const char *file, struct gp_scenario *sc, struct gp_progress *progress,
			json_t *json, bool is_last)
{
	struct gp_comparison *c = malloc(sizeof(*c));
	int ret = GP_EXIT_OK, err;
	char error[256] = "";

	if (!c)
		return fail(file, -ENOMEM, "");
	gp_comparison_init(c, sc);
	err = gp_comparison_run(c, progress, error, sizeof(error));
	gp_progress_finish(progress);
	if (!err)
		err = json ? gp_comparison_json(c, json) : gp_sim_compare_print(c);
	if (!err && !json && !is_last)
		putchar('\n');
	if (err) {
		ret = fail(file, err, error);
	} else if (gp_comparison_stopped(c)) {
		gp_cli_error(file, "a run stopped: %s", gp_comparison_stopped(c));
		ret = GP_EXIT_FAILED;
	}
	gp_comparison_fini(c);
	free(c);
	return ret;
}

static u32 rows_of(struct gp_scenario *sc)
{
	struct gp_comparison *c = malloc(sizeof(*c));
	u32 rows = 0;

	if (c) {
		gp_comparison_init(c, sc);
		rows = c->nr_rows;
	}
	free(c);
	return rows;
}

static int compare(const struct gp_sim_options *o, struct gp_scenario *scenarios)
{
	json_t *json = o->is_json ? json_array() : NULL;
	struct gp_progress progress;
	int ret = GP_EXIT_OK;
	u32 rows = 0;

	for (int i = 0; i < o->nr_files; i++)
		rows += rows_of(&scenarios[i]);
	gp_progress_init(&progress, o->is_quiet, rows);
	for (int i = 0; i < o->nr_files; i++) {
		int one = compare_file(o->files[i], &scenarios[i], &progress, json,
				       i + 1 == o->nr_files);

		ret = max(ret, one);
	}
	if (json && ret != GP_EXIT_USAGE && gp_json_write(json, stdout) == -ENOMEM)
		ret = fail("sim compare", -ENOMEM, "");
	json_decref(json);
	return gp_cli_finish(ret);
}

int gp_sim_cmd_compare(int argc, char **argv)
{
	struct gp_scenario *scenarios;
	struct gp_sim_options o;
	int nr = 0;
	int ret = gp_sim_options_parse(argc, argv, GP_VERB_COMPARE, "FILE... [OPTION...]", &o);

	if (ret != GP_GO_ON)
		return ret;
	if (!o.nr_files) {
		gp_cli_error("sim compare", "takes one scenario file or more");
		return GP_EXIT_USAGE;
	}
	scenarios = calloc((size_t)o.nr_files, sizeof(*scenarios));
	if (!scenarios)
		return fail("sim compare", -ENOMEM, "");
	/* All are read before the first runs: nothing is printed if one is bad. */
	while (nr < o.nr_files && ret == GP_GO_ON) {
		ret = gp_sim_options_load(&o, o.files[nr], &scenarios[nr]);
		nr += ret == GP_GO_ON;
	}
	if (ret == GP_GO_ON)
		ret = compare(&o, scenarios);
	for (int i = 0; i < nr; i++)
		gp_scenario_fini(&scenarios[i]);
	free(scenarios);
	return ret;
}
