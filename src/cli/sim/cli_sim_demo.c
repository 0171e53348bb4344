// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_commands.h"

#include "cli/cli.h"
#include "cli/sim/cli_sim_demo_page.h"
#include "cli/sim/cli_sim_fanout.h"
#include "sim/sim_result_json.h"
#include "cli/sim/cli_sim_compare.h"
#include "cli/sim/cli_sim_options.h"
#include "cli/sim/cli_sim_trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_OUT "gpreempt-demo"
#define SCENARIO "/demo.scn"

/**
 * struct demo - everything of one demo
 * @o: options
 * @file: scenario file
 * @sc: the scenario
 * @mechanism: its own mechanism, before the comparison tries all
 * @detect: its own detection mode
 * @c: the comparison
 * @rec: one run of the scenario's own mechanism
 */
struct demo {
	struct cli_sim_options o;
	const char *file;
	struct sim_scenario sc;
	enum sim_mechanism mechanism;
	enum sim_detect detect;
	struct cli_comparison c;
	struct cli_recorder rec;
};

static int fail(const char *object, int err)
{
	cli_error(object, "%s", strerror(-err));
	return CLI_EXIT_FAILED;
}

static int fail_run(const struct demo *d, int err, const char *error)
{
	cli_error(d->file, "%s", error[0] ? error : strerror(-err));
	return err == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILED;
}

/* mkdir -p */
static int make_folder(const char *path)
{
	char part[4096];

	if (!*path || strlen(path) >= sizeof(part))
		return *path ? -ENAMETOOLONG : -ENOENT;
	strcpy(part, path);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(part, 0777) && errno != EEXIST ? -errno : 0;
}

static int out_path(const struct demo *d, const char *name, char *path, size_t size)
{
	int len = snprintf(path, size, "%s/%s", d->o.out, name);

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
	return cli_demo_page(out, &d->c, &d->rec, d->mechanism, d->detect);
}

static int write_file(struct demo *d, const char *name, int (*write)(struct demo *d, FILE *out))
{
	struct cli_outfile f;
	char path[4096];
	int err = out_path(d, name, path, sizeof(path));

	if (!err)
		err = cli_outfile_open(&f, path);
	if (err)
		return fail(d->o.out, err);
	err = write(d, f.file);
	if (!err)
		err = cli_outfile_commit(&f);
	cli_outfile_abort(&f);
	return err ? fail(path, err) : CLI_GO_ON;
}

/* One more run of the scenario as it is, watched: the trace and the timeline. */
static int record(struct demo *d)
{
	struct sim_result *r = calloc(1, sizeof(*r));
	struct cli_sim_trace trace = { 0 };
	struct cli_fanout fanout;
	char path[4096], error[256] = "";
	int ret = CLI_GO_ON;
	int err = r ? out_path(d, "trace.json", path, sizeof(path)) : -ENOMEM;

	if (!err)
		err = cli_sim_trace_open(&trace, path);
	if (err) {
		free(r);
		return fail(d->o.out, err);
	}
	cli_fanout_init(&fanout);
	cli_fanout_add(&fanout, &trace.base);
	cli_fanout_add(&fanout, &d->rec.base);
	d->sc.mechanism = d->mechanism;
	d->sc.detect = d->detect;
	err = sim_run(&d->sc, false, &fanout.base, r, error, sizeof(error));
	if (err) {
		ret = fail_run(d, err, error);
	} else {
		err = d->rec.error ? d->rec.error : cli_sim_trace_commit(&trace);
		ret = err ? fail(path, err) : CLI_GO_ON;
	}
	cli_sim_trace_fini(&trace);
	sim_result_fini(r);
	free(r);
	return ret;
}

static int compare(struct demo *d)
{
	struct cli_progress progress;
	char error[256] = "";
	int err;

	cli_progress_init(&progress, d->o.is_quiet, d->c.nr_rows);
	err = cli_comparison_run(&d->c, &progress, error, sizeof(error));
	cli_progress_finish(&progress);
	if (err)
		return fail_run(d, err, error);
	err = cli_sim_compare_print(&d->c);
	return err ? fail(d->file, err) : CLI_GO_ON;
}

static int run_demo(struct demo *d)
{
	const char *stopped;
	int ret = make_folder(d->o.out);

	if (ret)
		return fail(d->o.out, ret);
	d->mechanism = d->sc.mechanism;
	d->detect = d->sc.detect;
	cli_comparison_init(&d->c, &d->sc);
	cli_recorder_init(&d->rec);
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
		printf("\n%s/index.html    timeline of one preemption, latency distributions\n"
		       "%s/trace.json    open it in https://ui.perfetto.dev\n"
		       "%s/results.json  the figures\n", d->o.out, d->o.out, d->o.out);
		ret = CLI_EXIT_OK;
	}
	cli_recorder_fini(&d->rec);
	cli_comparison_fini(&d->c);
	return cli_finish(ret);
}

/* That of the source tree, or the installed one. */
static const char *find_scenario(void)
{
	return access(GP_SCENARIO_DIR SCENARIO, R_OK) ? GP_DATADIR SCENARIO :
							GP_SCENARIO_DIR SCENARIO;
}

int cli_sim_cmd_demo(int argc, char **argv)
{
	struct demo *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return fail("sim demo", -ENOMEM);
	ret = cli_sim_options_parse(argc, argv, CLI_VERB_DEMO, "[OPTION...]", &d->o);
	if (ret == CLI_GO_ON && d->o.nr_files) {
		cli_error("sim demo", "takes no files; try --scenario");
		ret = CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON) {
		if (!d->o.out)
			d->o.out = DEFAULT_OUT;
		d->file = d->o.scenario ? d->o.scenario : find_scenario();
		ret = cli_sim_options_load(&d->o, d->file, &d->sc);
	}
	if (ret == CLI_GO_ON) {
		ret = run_demo(d);
		sim_scenario_fini(&d->sc);
	}
	free(d);
	return ret;
}
