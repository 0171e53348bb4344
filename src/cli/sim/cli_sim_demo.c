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
	struct gp_sim_options o;
	const char *file;
	struct gp_scenario sc;
	enum gp_mechanism mechanism;
	enum gp_detect detect;
	struct gp_comparison c;
	struct gp_recorder rec;
};

static int fail(const char *object, int err)
{
	gp_cli_error(object, "%s", strerror(-err));
	return GP_EXIT_FAILED;
}

static int fail_run(const struct demo *d, int err, const char *error)
{
	gp_cli_error(d->file, "%s", error[0] ? error : strerror(-err));
	return err == -EINVAL ? GP_EXIT_USAGE : GP_EXIT_FAILED;
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
	int err = gp_comparison_json(&d->c, array);

	if (!err)
		err = gp_json_write(array, out);
	json_decref(array);
	return err;
}

static int write_page(struct demo *d, FILE *out)
{
	return gp_demo_page(out, &d->c, &d->rec, d->mechanism, d->detect);
}

static int write_file(struct demo *d, const char *name, int (*write)(struct demo *d, FILE *out))
{
	struct gp_outfile f;
	char path[4096];
	int err = out_path(d, name, path, sizeof(path));

	if (!err)
		err = gp_outfile_open(&f, path);
	if (err)
		return fail(d->o.out, err);
	err = write(d, f.file);
	if (!err)
		err = gp_outfile_commit(&f);
	gp_outfile_abort(&f);
	return err ? fail(path, err) : GP_GO_ON;
}

/* One more run of the scenario as it is, watched: the trace and the timeline. */
static int record(struct demo *d)
{
	struct gp_sim_result *r = calloc(1, sizeof(*r));
	struct gp_sim_trace trace = { 0 };
	struct gp_fanout fanout;
	char path[4096], error[256] = "";
	int ret = GP_GO_ON;
	int err = r ? out_path(d, "trace.json", path, sizeof(path)) : -ENOMEM;

	if (!err)
		err = gp_sim_trace_open(&trace, path);
	if (err) {
		free(r);
		return fail(d->o.out, err);
	}
	gp_fanout_init(&fanout);
	gp_fanout_add(&fanout, &trace.base);
	gp_fanout_add(&fanout, &d->rec.base);
	d->sc.mechanism = d->mechanism;
	d->sc.detect = d->detect;
	err = gp_sim_run(&d->sc, false, &fanout.base, r, error, sizeof(error));
	if (err) {
		ret = fail_run(d, err, error);
	} else {
		err = d->rec.error ? d->rec.error : gp_sim_trace_commit(&trace);
		ret = err ? fail(path, err) : GP_GO_ON;
	}
	gp_sim_trace_fini(&trace);
	gp_sim_result_fini(r);
	free(r);
	return ret;
}

static int compare(struct demo *d)
{
	struct gp_progress progress;
	char error[256] = "";
	int err;

	gp_progress_init(&progress, d->o.is_quiet, d->c.nr_rows);
	err = gp_comparison_run(&d->c, &progress, error, sizeof(error));
	gp_progress_finish(&progress);
	if (err)
		return fail_run(d, err, error);
	err = gp_sim_compare_print(&d->c);
	return err ? fail(d->file, err) : GP_GO_ON;
}

static int run_demo(struct demo *d)
{
	const char *stopped;
	int ret = make_folder(d->o.out);

	if (ret)
		return fail(d->o.out, ret);
	d->mechanism = d->sc.mechanism;
	d->detect = d->sc.detect;
	gp_comparison_init(&d->c, &d->sc);
	gp_recorder_init(&d->rec);
	ret = compare(d);
	if (ret == GP_GO_ON)
		ret = record(d);
	if (ret == GP_GO_ON)
		ret = write_file(d, "results.json", write_results);
	if (ret == GP_GO_ON)
		ret = write_file(d, "index.html", write_page);
	stopped = gp_comparison_stopped(&d->c);
	if (ret == GP_GO_ON && stopped) {
		gp_cli_error(d->file, "a run stopped: %s", stopped);
		ret = GP_EXIT_FAILED;
	} else if (ret == GP_GO_ON) {
		printf("\n%s/index.html    timeline of one preemption, latency distributions\n"
		       "%s/trace.json    open it in https://ui.perfetto.dev\n"
		       "%s/results.json  the figures\n", d->o.out, d->o.out, d->o.out);
		ret = GP_EXIT_OK;
	}
	gp_recorder_fini(&d->rec);
	gp_comparison_fini(&d->c);
	return gp_cli_finish(ret);
}

/* That of the source tree, or the installed one. */
static const char *find_scenario(void)
{
	return access(GP_SCENARIO_DIR SCENARIO, R_OK) ? GP_DATADIR SCENARIO :
							GP_SCENARIO_DIR SCENARIO;
}

int gp_sim_cmd_demo(int argc, char **argv)
{
	struct demo *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return fail("sim demo", -ENOMEM);
	ret = gp_sim_options_parse(argc, argv, GP_VERB_DEMO, "[OPTION...]", &d->o);
	if (ret == GP_GO_ON && d->o.nr_files) {
		gp_cli_error("sim demo", "takes no files; try --scenario");
		ret = GP_EXIT_USAGE;
	}
	if (ret == GP_GO_ON) {
		if (!d->o.out)
			d->o.out = DEFAULT_OUT;
		d->file = d->o.scenario ? d->o.scenario : find_scenario();
		ret = gp_sim_options_load(&d->o, d->file, &d->sc);
	}
	if (ret == GP_GO_ON) {
		ret = run_demo(d);
		gp_scenario_fini(&d->sc);
	}
	free(d);
	return ret;
}
