// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim.h"
#include "cli/sim/cli_sim_comparison.h"
#include "sim/sim_result_json.h"

#include <stdlib.h>

static void print_classes(const struct cli_comparison *c, bool is_online)
{
	const struct sim_result *r = &c->rows[0].result;
	bool is_first = true;

	printf("%s:", is_online ? "online " : "offline");
	for (u32 i = 0; i < c->sc->nr_classes; i++) {
		char text[CLI_TEXT_MAX_DURATION];
		const struct sim_class_spec *spec = &c->sc->classes[i];

		if (c->is_online[i] != is_online)
			continue;
		printf("%s %s (priority %u", is_first ? "" : ",", spec->name, spec->attr.prio);
		if (r->classes[i].alone.p99)
			printf(", alone p99 %s", cli_format_reached(r->classes[i].alone.p99, text));
		putchar(')');
		is_first = false;
	}
	puts(is_first ? " none" : "");
}

static void print_missing(const struct cli_comparison *c)
{
	for (u32 i = 0; i < c->nr_rows; i++) {
		const struct cli_comparison_row *row = &c->rows[i];

		if (row->reason[0] && (!i || row->mechanism != c->rows[i - 1].mechanism))
			printf("not run: %s\n", row->reason);
		if (row->result.stopped[0])
			printf("%s, %s: stopped: %s\n", sim_mechanism_name(row->mechanism),
			       cli_comparison_detect(row), row->result.stopped);
	}
}

int cli_comparison_print(const struct cli_comparison *c, u32 width)
{
	const struct sim_scenario *sc = c->sc;
	char text[CLI_TEXT_MAX_DURATION];
	struct cli_table t;
	int err = cli_comparison_table(c, &t);

	if (!err) {
		printf("%s%s%s\n", sc->name, sc->title[0] ? ": " : "", sc->title);
		printf("simulated %s, model %s, policy %s, %s of virtual time, seed %llu\n",
		       sc->gpu, sim_model_name(sc->model), sc->policy,
		       cli_format_duration(sc->duration_ns, text), (unsigned long long)sc->seed);
		print_classes(c, true);
		print_classes(c, false);
		putchar('\n');
		cli_comparison_fit(&t, width);
		cli_table_print(&t, stdout);
		print_missing(c);
	}
	cli_table_fini(&t);
	return err;
}

/* One at a time; too large for the stack. */
static struct cli_comparison comparison;

/* Runs one file; prints its table, or adds its runs to @json. */
static int compare_file(const char *file, struct sim_scenario *sc, struct cli_progress *progress,
			json_t *json, bool is_last)
{
	struct cli_comparison *c = &comparison;
	int ret = CLI_EXIT_OK, err;
	char error[256] = "";

	cli_comparison_init(c, sc);
	err = cli_comparison_run(c, progress, error, sizeof(error));
	cli_progress_finish(progress);
	if (!err)
		err = json ? cli_comparison_json(c, json) : cli_comparison_print(c, cli_width());
	if (!err && !json && !is_last)
		putchar('\n');
	if (err) {
		ret = cli_sim_fail(file, err, error);
	} else if (cli_comparison_stopped(c)) {
		cli_error(file, "a run stopped: %s", cli_comparison_stopped(c));
		ret = CLI_EXIT_FAILED;
	}
	cli_comparison_fini(c);
	return ret;
}

static int compare_all(const struct cli_options *o, struct sim_scenario *scenarios)
{
	json_t *json = o->is_json ? json_array() : NULL;
	struct cli_progress progress;
	int ret = CLI_EXIT_OK;
	u32 rows = 0;

	for (int i = 0; i < o->nr_words; i++) {
		cli_comparison_init(&comparison, &scenarios[i]);
		rows += comparison.nr_rows;
	}
	cli_progress_init(&progress, o->is_quiet, rows);
	for (int i = 0; i < o->nr_words; i++) {
		int one = compare_file(o->words[i], &scenarios[i], &progress, json,
				       i + 1 == o->nr_words);

		ret = max(ret, one);
	}
	if (json && ret != CLI_EXIT_USAGE && sim_json_write(json, stdout) == -ENOMEM)
		ret = cli_sim_fail("sim compare", -ENOMEM, NULL);
	json_decref(json);
	return cli_finish(ret);
}

static int compare(struct cli_session *s)
{
	struct sim_scenario *scenarios;
	int nr = 0, ret = CLI_GO_ON;

	if (!s->o.nr_words) {
		cli_error("sim compare", "takes one scenario file or more");
		return CLI_EXIT_USAGE;
	}
	scenarios = calloc((size_t)s->o.nr_words, sizeof(*scenarios));
	if (!scenarios)
		return cli_sim_fail("sim compare", -ENOMEM, NULL);
	/* All are read before the first runs: nothing is printed if one is bad. */
	while (nr < s->o.nr_words && ret == CLI_GO_ON) {
		ret = cli_sim_load(&s->o, s->o.words[nr], &scenarios[nr]);
		nr += ret == CLI_GO_ON;
	}
	if (ret == CLI_GO_ON)
		ret = compare_all(&s->o, scenarios);
	for (int i = 0; i < nr; i++)
		sim_scenario_fini(&scenarios[i]);
	free(scenarios);
	return ret;
}

const struct cli_verb cli_verb_sim_compare = {
	.name = "sim compare",
	.usage = "FILE... [OPTION...]",
	.example = "gpreempt sim compare scenarios/demo.scn\n"
		   "gpreempt sim compare mine.scn --gpu mi210 --json >mine.json",
	.options = CLI_OPTS_SIM | CLI_OPTS_SIM_FILES,
	.nr_words = CLI_WORDS_ANY,
	.run = compare,
};
