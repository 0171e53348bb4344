// SPDX-License-Identifier: MIT
#include "cli/cli_outfile.h"
#include "cli/sim/cli_sim.h"
#include "cli/sim/cli_sim_demo_page.h"
#include "sim/sim_result_json.h"

#include <string.h>
#include <unistd.h>

#define DEFAULT_OUT "gpreempt-demo"
#define SCENARIO "/demo.scn"
/* The page and results.json have the columns that are too much for a line. */
#define LINE 80

/* Everything of one demo. */
struct demo {
	const struct cli_options *o;
	const char *out;	/* folder */
	const char *file;	/* of the scenario */
	struct sim_scenario sc;
	enum sim_mechanism mechanism;	/* its own, before the comparison tries all */
	enum sim_detect detect;	/* the same */
	struct cli_comparison c;
	struct cli_demo_runs runs; /* of the scenario's own mechanism, and of none */
};

static int out_path(const struct demo *d, const char *name, char *path, size_t size)
{
	int len = snprintf(path, size, "%s/%s", d->out, name);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

static int write_results(struct demo *d, FILE *out)
{
	json_t *array = json_array();
	int err = cli_comparison_json(&d->c, array);

	if (!err)
		err = sim_json_write(array, out);
	json_decref(array);
	return err;
}

static int write_page(struct demo *d, FILE *out)
{
	return cli_demo_page(out, &d->c, &d->runs, true);
}

static int write_file(struct demo *d, const char *name, int (*write)(struct demo *d, FILE *out))
{
	struct cli_outfile f;
	char path[4096];
	int err = out_path(d, name, path, sizeof(path));

	if (!err)
		err = cli_outfile_open(&f, path);
	if (err)
		return cli_fail(d->out, err, NULL);
	err = write(d, f.file);
	if (!err)
		err = cli_outfile_commit(&f);
	cli_outfile_abort(&f);
	return err ? cli_fail(path, err, NULL) : CLI_GO_ON;
}

/* One more run of the scenario as it is, watched: the trace and the timeline. */
static int record(struct demo *d)
{
	char path[4096], error[256] = "";
	int err = out_path(d, "trace.json", path, sizeof(path));

	if (err)
		return cli_fail(d->out, err, NULL);
	err = cli_demo_record(&d->runs, &d->sc, d->mechanism, d->detect, path, error,
			      sizeof(error));
	return err ? cli_sim_fail(path, err, error) : CLI_GO_ON;
}

/* The headline once more, of hardware that is much worse than the profile says. */
static int print_pessimist(struct demo *d)
{
	static struct sim_result r;
	struct sim_scenario sc = d->sc;
	char error[256] = "", text[128];
	int err;

	sc.mechanism = d->mechanism;
	sc.detect = d->detect;
	sc.model = SIM_MODEL_PESSIMIST;
	err = sim_run(&sc, true, NULL, &r, error, sizeof(error));
	if (!err) {
		cli_comparison_figures(&d->c, &r, text, sizeof(text));
		printf("\nwith a quarter of the bandwidth and firmware five times as slow, %s",
		       sim_mechanism_name(sc.mechanism));
		if (sim_mechanism_uses_detection(sc.mechanism))
			printf(", %s", sim_detect_name(sc.detect));
		printf(": %s\n", text);
	}
	sim_result_fini(&r);
	return err ? cli_sim_fail(d->file, err, error) : CLI_GO_ON;
}

static int compare(struct demo *d)
{
	struct cli_progress progress;
	char error[256] = "";
	int err;

	cli_progress_init(&progress, d->o->is_quiet, d->c.nr_rows);
	err = cli_comparison_run(&d->c, &progress, error, sizeof(error));
	cli_progress_finish(&progress);
	if (err)
		return cli_sim_fail(d->file, err, error);
	err = cli_comparison_print(&d->c, LINE);
	return err ? cli_fail(d->file, err, NULL) : print_pessimist(d);
}

static int print_end(const struct demo *d)
{
	char text[512];
	int err = cli_comparison_headline(&d->c, d->mechanism, d->detect, text, sizeof(text));

	if (err)
		return cli_fail(d->file, err, NULL);
	printf("\n%s/index.html    with and without, latencies, every mechanism\n"
	       "%s/trace.json    open it in https://ui.perfetto.dev\n"
	       "%s/results.json  the figures\n\n"
	       "simulated: %s\n",
	       d->out, d->out, d->out, text);
	return CLI_EXIT_OK;
}

static int run_demo(struct demo *d)
{
	const char *stopped;
	int ret = cli_outfile_folder(d->out);

	if (ret)
		return cli_fail(d->out, ret, NULL);
	d->mechanism = d->sc.mechanism;
	d->detect = d->sc.detect;
	cli_comparison_init(&d->c, &d->sc);
	ret = compare(d);
	if (ret == CLI_GO_ON)
		ret = record(d);
	if (ret == CLI_GO_ON)
		ret = write_file(d, "results.json", write_results);
	if (ret == CLI_GO_ON)
		ret = write_file(d, "index.html", write_page);
	stopped = cli_comparison_stopped(&d->c);
	if (ret == CLI_GO_ON && stopped) {
		cli_error(d->file, "a run stopped: %s", stopped);
		ret = CLI_EXIT_FAILED;
	} else if (ret == CLI_GO_ON) {
		ret = print_end(d);
	}
	cli_demo_runs_fini(&d->runs);
	cli_comparison_fini(&d->c);
	return cli_finish(ret);
}

/* That of the source tree, or the installed one. */
static const char *find_scenario(void)
{
	return access(GP_SCENARIO_DIR SCENARIO, R_OK) ? GP_DATADIR SCENARIO :
							GP_SCENARIO_DIR SCENARIO;
}

static int demo(struct cli_session *s)
{
	static struct demo d;
	int ret;

	d.o = &s->o;
	d.out = s->o.out ? s->o.out : DEFAULT_OUT;
	d.file = s->o.scenario ? s->o.scenario : find_scenario();
	ret = cli_sim_load(&s->o, d.file, &d.sc);
	if (ret != CLI_GO_ON)
		return ret;
	ret = run_demo(&d);
	sim_scenario_fini(&d.sc);
	return ret;
}

static int prepare(struct cli_session *s)
{
	if (!s->o.nr_words)
		return CLI_GO_ON;
	cli_error("sim demo", "takes no files; try --scenario");
	return CLI_EXIT_USAGE;
}

const struct cli_verb cli_verb_sim_demo = {
	.name = "sim demo",
	.usage = "[OPTION...]",
	.example = "gpreempt sim demo --out out/demo",
	.options = CLI_OPTS_SIM | CLI_OPTS_SIM_DEMO,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = demo,
};
