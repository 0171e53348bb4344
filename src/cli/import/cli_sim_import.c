// SPDX-License-Identifier: MIT
/* gpreempt sim import: a kernel trace as text of a scenario. */
#include "cli/cli_outfile.h"
#include "cli/import/cli_import_job.h"
#include "cli/sim/cli_sim.h"
#include "rules/text.h"

#include <stdlib.h>
#include <string.h>

/* Arrivals whose gaps differ by less than this are evenly spaced. */
#define EVEN_PERCENT 5

struct import {
	const struct cli_options *o;
	struct cli_import trace;
	struct cli_import_job job;
	struct sim_scenario sc;
	FILE *out;
};

static void print_kernel(FILE *out, const struct sim_kernel_spec *k, u32 times)
{
	char text[GP_TEXT_NUMBER_MAX];

	fprintf(out, "kernel = %s", gp_text_time(k->duration_ns, text));
	if (times > 1)
		fprintf(out, " x %u", times);
	if (k->fill_ppm)
		fprintf(out, " fill %u%%", k->fill_ppm / 10000);
	else
		fprintf(out, " grid %u", k->workgroups);
	fprintf(out, " size %u vgprs %u lds %u\n", k->workgroup_size, k->vgprs, k->lds_bytes);
}

static void print_kernels(FILE *out, const struct sim_class_spec *c)
{
	for (u32 i = 0, times = 1; i < c->nr_kernels; i++, times++) {
		if (i + 1 < c->nr_kernels &&
		    !memcmp(&c->kernels[i], &c->kernels[i + 1], sizeof(c->kernels[i])))
			continue;
		print_kernel(out, &c->kernels[i], times);
		times = 0;
	}
}

static u64 mean_gap(const struct sim_arrival *a)
{
	return a->nr_trace < 2 ? 1000000000ull : a->trace_ns[a->nr_trace - 1] / (a->nr_trace - 1);
}

static bool is_even(const struct sim_arrival *a)
{
	u64 mean = mean_gap(a);

	for (u32 i = 1; i < a->nr_trace; i++) {
		u64 gap = a->trace_ns[i] - a->trace_ns[i - 1];

		if (gap * 100 > mean * (100 + EVEN_PERCENT) ||
		    gap * 100 < mean * (100 - EVEN_PERCENT))
			return false;
	}
	return true;
}

/* Times that follow no rule go to a file beside the scenario. */
static int write_times(const struct import *im, const struct sim_class_spec *c)
{
	struct cli_outfile f = { 0 };
	const char *slash = strrchr(im->o->output, '/');
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%.*s%s.times",
		 slash ? (int)(slash + 1 - im->o->output) : 0, im->o->output, c->name);
	err = cli_outfile_open(&f, path);
	if (err)
		return cli_fail(path, err, NULL);
	for (u32 i = 0; i < c->arrival.nr_trace; i++)
		fprintf(f.file, "%llu\n", (unsigned long long)c->arrival.trace_ns[i]);
	err = cli_outfile_commit(&f);
	cli_outfile_abort(&f);
	return err ? cli_fail(path, err, NULL) : CLI_GO_ON;
}

static int print_arrival(const struct import *im, const struct sim_class_spec *c)
{
	const struct sim_arrival *a = &c->arrival;
	char text[GP_TEXT_NUMBER_MAX];

	if (a->kind == SIM_ARRIVAL_CLOSED) {
		fprintf(im->out, "arrival = closed %u", a->concurrency);
		if (a->think_ns)
			fprintf(im->out, " think %s", gp_text_time(a->think_ns, text));
		fputc('\n', im->out);
	} else if (is_even(a)) {
		fprintf(im->out, "arrival = uniform every %s\n", gp_text_time(mean_gap(a), text));
	} else if (im->o->output) {
		fprintf(im->out, "arrival = trace %s.times\n", c->name);
		return write_times(im, c);
	} else {
		fprintf(im->out, "# as often as recorded, at random times; --output keeps the "
				 "times\n"
				 "arrival = poisson every %s\n",
			gp_text_time(mean_gap(a), text));
	}
	return CLI_GO_ON;
}

static int print_class(const struct import *im, const struct sim_class_spec *c)
{
	int ret;

	fprintf(im->out, "\n[class %s]\npriority = %u\n", c->name, c->attr.prio);
	if (c->attr.latency_critical)
		fputs("latency-critical = yes\n", im->out);
	ret = print_arrival(im, c);
	if (ret == CLI_GO_ON)
		print_kernels(im->out, c);
	return ret;
}

static int print_all(const struct import *im)
{
	int ret = CLI_GO_ON;

	fprintf(im->out, "# From a kernel trace (%s): %llu kernels, GPU busy %.0f "
			 "%%", im->trace.format,
		(unsigned long long)im->trace.nr,
		100 * (double)im->job.busy_ns / (double)im->job.span_ns);
	if (im->job.nr_requests && !im->o->is_offline)
		fprintf(im->out, ", %llu requests", (unsigned long long)im->job.nr_requests);
	if (im->trace.nr_shapeless)
		fprintf(im->out, ", %llu kernels without a grid",
			(unsigned long long)im->trace.nr_shapeless);
	fputc('\n', im->out);
	for (u32 i = 0; ret == CLI_GO_ON && i < im->sc.nr_classes; i++)
		ret = print_class(im, &im->sc.classes[i]);
	return ret;
}

static int write_all(struct import *im)
{
	struct cli_outfile f = { 0 };
	int err, ret;

	if (!im->o->output) {
		im->out = stdout;
		ret = print_all(im);
		return ret == CLI_GO_ON ? cli_finish(CLI_EXIT_OK) : ret;
	}
	err = cli_outfile_open(&f, im->o->output);
	if (err)
		return cli_fail(im->o->output, err, NULL);
	im->out = f.file;
	ret = print_all(im);
	if (ret == CLI_GO_ON) {
		err = cli_outfile_commit(&f);
		ret = err ? cli_fail(im->o->output, err, NULL) : CLI_EXIT_OK;
	}
	cli_outfile_abort(&f);
	return ret;
}

static int make_classes(struct import *im, const struct gpu_profile *gpu)
{
	struct cli_import_plan plan = { gpu, 1, 0 };
	const char *name = im->o->klass ? im->o->klass : im->o->is_offline ? "offline"
									   : "online";
	int err;

	sim_scenario_defaults(&im->sc);
	if (im->job.nr_requests && !im->o->is_offline)
		err = cli_import_online(&im->job, &plan, name, &im->sc);
	else
		err = cli_import_offline(&im->job, &plan, name, &im->sc);
	return err ? cli_fail(im->o->words[0], err, NULL) : write_all(im);
}

static int import(struct cli_session *s)
{
	static struct import im;
	const struct gpu_profile *gpu = gpu_profile_find(s->o.gpu ? s->o.gpu : "mi300x");
	char error[512] = "";
	int ret, err;

	im.o = &s->o;
	err = cli_import_read(&im.trace, s->o.words[0], error, sizeof(error));
	if (err) {
		cli_error_line(error);
		ret = CLI_EXIT_USAGE;
	} else {
		err = cli_import_job_init(&im.job, &im.trace, s->o.gap_ns);
		ret = err ? cli_fail(s->o.words[0], err, NULL) : make_classes(&im, gpu);
	}
	sim_scenario_fini(&im.sc);
	cli_import_job_fini(&im.job);
	cli_import_fini(&im.trace);
	return ret;
}

static int prepare(struct cli_session *s)
{
	if (s->o.nr_words != 1) {
		cli_error("sim import", "takes one kernel trace, not %d", s->o.nr_words);
		return CLI_EXIT_USAGE;
	}
	if (s->o.gpu && !gpu_profile_find(s->o.gpu)) {
		cli_error("--gpu", "no '%.40s'; see gpreempt sim list", s->o.gpu);
		return CLI_EXIT_USAGE;
	}
	return CLI_GO_ON;
}

const struct cli_verb cli_verb_sim_import = {
	.name = "sim import",
	.usage = "FILE [OPTION...]",
	.doc = "Prints the class of a scenario that does what a kernel trace shows: rocprofv3\n"
	       "--kernel-trace (CSV, JSON, SQLite), rocprof --timestamp on (CSV), PyTorch "
	       "profiler (JSON).",
	.example = "gpreempt sim import serve_kernel_trace.csv >mine.scn",
	.options = CLI_OPTS_SIM | CLI_OPTS_TRACES | CLI_OPTS_IMPORT,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = import,
};
