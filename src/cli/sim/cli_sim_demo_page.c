// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_demo_page.h"

#include "cli/cli.h"
#include "trace/report.h"

#include <stdlib.h>
#include <string.h>

static const char notice[] =
	"All figures on this page are simulated. They come from a model of the GPU and its driver "
	"in virtual time, not from silicon: they show how the mechanisms differ, not how fast a "
	"given machine is.";

static const char table_text[] =
	"P50 and P99 are latencies of online requests; never: more than that share of requests was "
	"unfinished when the run ended. P99/ALONE compares with the same class by itself on the "
	"stock driver, COMPLETED says how many requests ended. OFF_GPU and OFF_DONE are the "
	"share of "
	"GPU time and of throughput that offline work keeps, compared with running alone. PRE_P50 "
	"and PRE_P99 are the time from the doorbell of the request to its first wave, counted only "
	"when another process had to be preempted. LOST and REPEATED count workgroups.";

static const char curve_text[] =
	"Each curve says which share of the online requests took at most so long, with "
	"detection by "
	"doorbell. Left is better; the vertical axis stretches the slowest requests. A request "
	"that "
	"had not ended with the run counts as slower than all that had.";

static const char scatter_text[] =
	"A dot per mechanism, with detection by doorbell: what the slowest online requests "
	"wait, and "
	"what offline work keeps of its throughput. The left top is best.";

static const char *cell(const void *data, u32 row, u32 column)
{
	return cli_table_cell(data, row, column);
}

static int write_table(FILE *out, const struct cli_comparison *c, enum sim_mechanism mechanism,
		       enum sim_detect detect)
{
	struct cli_table t;
	int err = cli_comparison_table(c, &t);

	if (!err) {
		struct trace_report_table table = {
			.nr_columns = t.nr_columns,
			.nr_left = t.nr_left,
			.nr_rows = t.nr_rows,
			.headers = t.headers,
			.cell = cell,
			.data = &t,
			.marked_row = t.nr_rows,
		};

		for (u32 i = 0; i < c->nr_rows; i++) {
			if (c->rows[i].mechanism == mechanism && c->rows[i].detect == detect)
				table.marked_row = i;
		}
		trace_report_table(out, &table);
	}
	cli_table_fini(&t);
	return err;
}

struct curves {
	u32 nr;
	struct sim_samples samples[CLI_COMPARISON_ROWS];
	struct trace_report_curve curves[CLI_COMPARISON_ROWS];
};

static const u32 colours[SIM_MECH_COUNT] = {
	[SIM_MECH_NONE] = 7,
	[SIM_MECH_HWPRIO] = 2,
	[SIM_MECH_LAUNCH_BLOCK] = 4,
	[SIM_MECH_DRAIN] = 5,
	[SIM_MECH_RESET] = 1,
	[SIM_MECH_CWSR] = 0,
	[SIM_MECH_CWSR_QUEUE] = 3,
	[SIM_MECH_RESIZE] = 6,
};

/* The rows that are drawn: seventeen of them are not to be told apart. */
static bool is_drawn(const struct cli_comparison_row *row, const struct cli_demo_runs *runs)
{
	return !row->reason[0] && (!sim_mechanism_uses_detection(row->mechanism) ||
				   row->detect == runs->detect);
}

static int add_curve(struct curves *all, const struct cli_comparison *c,
		     const struct cli_comparison_row *row, bool is_marked)
{
	struct sim_samples waiting;
	u32 i = all->nr;
	int err = cli_comparison_online(c, row, &all->samples[i], &waiting);

	if (err)
		return err;
	sim_samples_fini(&waiting);
	all->nr++;
	sim_samples_sort(&all->samples[i]);
	all->curves[i] = (struct trace_report_curve){
		.label = sim_mechanism_name(row->mechanism),
		.colour = colours[row->mechanism],
		.nr = all->samples[i].nr,
		.nr_total = max(cli_comparison_requests(c, row), all->samples[i].nr),
		.sorted_ns = all->samples[i].ns,
		.is_marked = is_marked,
	};
	return 0;
}

static int write_curves(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs)
{
	struct curves *all = calloc(1, sizeof(*all));
	int err = all ? 0 : -ENOMEM;

	for (u32 i = 0; !err && i < c->nr_rows; i++) {
		if (is_drawn(&c->rows[i], runs))
			err = add_curve(all, c, &c->rows[i],
					c->rows[i].mechanism == runs->mechanism);
	}
	if (!err)
		trace_report_curves(out, "Distributions of online latency", all->curves, all->nr);
	for (u32 i = 0; all && i < all->nr; i++)
		sim_samples_fini(&all->samples[i]);
	free(all);
	return err;
}

static int write_scatter(FILE *out, const struct cli_comparison *c,
			 const struct cli_demo_runs *runs)
{
	struct trace_report_point points[SIM_MECH_COUNT];
	u32 nr = 0;

	for (u32 i = 0; i < c->nr_rows && nr < SIM_MECH_COUNT; i++) {
		const struct cli_comparison_row *row = &c->rows[i];
		struct sim_summary s;
		int err;

		if (!is_drawn(row, runs))
			continue;
		err = cli_comparison_summary(c, row, &s);
		if (err)
			return err;
		points[nr++] = (struct trace_report_point){
			.label = sim_mechanism_name(row->mechanism),
			.colour = colours[row->mechanism],
			.ns = s.p99,
			.share = cli_comparison_offline_done(c, &row->result),
			.is_marked = row->mechanism == runs->mechanism,
		};
	}
	trace_report_scatter(out, "Online latency against offline throughput, by mechanism",
			     "p99 of online requests", "throughput that offline work keeps",
			     points, nr);
	return 0;
}

/* The two figures that the page is about. */
static int write_numbers(FILE *out, const struct cli_comparison *c,
			 const struct cli_demo_runs *runs)
{
	char p99[2][CLI_TEXT_MAX_DURATION] = { "", "" }, kept[16] = "";
	const struct trace_report_number numbers[] = {
		{ p99[0], "p99 of online requests, stock driver" },
		{ p99[1], "p99 of online requests, gpreempt" },
		{ kept, "of its throughput offline work keeps" },
	};
	int err = 0;

	for (u32 i = 0; !err && i < c->nr_rows; i++) {
		const struct cli_comparison_row *row = &c->rows[i];
		bool is_with = row->mechanism == runs->mechanism;
		struct sim_summary s;

		if (!is_drawn(row, runs) || (!is_with && row->mechanism != SIM_MECH_NONE))
			continue;
		err = cli_comparison_summary(c, row, &s);
		cli_format_reached(err ? 0 : s.p99, p99[is_with]);
		if (is_with)
			snprintf(kept, sizeof(kept), "%.0f %%",
				 100 * cli_comparison_offline_done(c, &row->result));
	}
	if (!err)
		trace_report_numbers(out, numbers, ARRAY_SIZE(numbers));
	return err;
}

static int write_head(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs)
{
	const struct sim_scenario *sc = c->sc;
	char text[512];
	int err;

	trace_report_begin(out, sc->title[0] ? sc->title : sc->name, NULL);
	err = cli_comparison_headline(c, runs->mechanism, runs->detect, text, sizeof(text));
	if (!err && *text)
		trace_report_lead(out, text);
	if (!err)
		err = write_numbers(out, c, runs);
	trace_report_notice(out, notice);
	return err;
}

static void write_end(FILE *out, const struct cli_comparison *c, bool has_files)
{
	const struct sim_scenario *sc = c->sc;
	char duration[CLI_TEXT_MAX_DURATION], text[256];

	snprintf(text, sizeof(text), "Scenario %s on a simulated %s, policy %s, %s of virtual "
		 "time, seed %llu.", sc->name, sc->gpu, sc->policy,
		 cli_format_duration(sc->duration_ns, duration), (unsigned long long)sc->seed);
	trace_report_paragraph(out, text);
	if (has_files) {
		trace_report_file(out, "trace.json", "the timeline, for https://ui.perfetto.dev");
		trace_report_file(out, "results.json", "every figure, for programs");
	}
	trace_report_end(out);
}

int cli_demo_page(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs,
		  bool has_files)
{
	int err = write_head(out, c, runs);

	trace_report_heading(out, "One request, without and with");
	if (!err)
		err = cli_demo_timelines(out, c, runs);
	trace_report_heading(out, "What each mechanism gives and takes");
	trace_report_paragraph(out, scatter_text);
	if (!err)
		err = write_scatter(out, c, runs);
	trace_report_heading(out, "Latency of online requests");
	trace_report_paragraph(out, curve_text);
	if (!err)
		err = write_curves(out, c, runs);
	trace_report_heading(out, "Every mechanism and detection mode");
	if (!err)
		err = write_table(out, c, runs->mechanism, runs->detect);
	trace_report_paragraph(out, table_text);
	write_end(out, c, has_files);
	return err;
}
