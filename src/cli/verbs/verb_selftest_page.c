// SPDX-License-Identifier: MIT
/*
 * The bundle of a climb: the report for programs, and a page for people. What kind of machine it
 * is stands there, and nothing about who uses it.
 */
#include "cli/cli_outfile.h"
#include "cli/verbs/verb_selftest.h"

#include <stdio.h>
#include <string.h>

#include "trace/report.h"

#define MAX_CURVES 32

enum column {
	COLUMN_RESULT,
	COLUMN_RUNG,
	COLUMN_SAID,
	COLUMN_TIME,
	COLUMN_COUNT
};

static const char *cell(const void *data, u32 row, u32 column)
{
	static char text[2 * KIT_TEXT + 16];
	const struct cli_selftest *t = data;
	const struct kit_report *r = &t->report[row];

	switch (column) {
	case COLUMN_RESULT:
		return kit_result_names[r->result];
	case COLUMN_RUNG:
		return t->rung[row]->name;
	case COLUMN_SAID:
		snprintf(text, sizeof(text), "%s%s%s", r->text, *r->remedy ? "; try " : "",
			 r->remedy);
		return text;
	default:
		return cli_format_duration(r->ns, text);
	}
}

static void put_rungs(FILE *out, const struct cli_selftest *t)
{
	static const char *const headers[COLUMN_COUNT] = { "Result", "Rung", "What was seen",
							   "Took" };
	const struct trace_report_table table = {
		.nr_columns = COLUMN_COUNT,
		.nr_left = COLUMN_TIME,
		.nr_rows = t->nr,
		.headers = headers,
		.cell = cell,
		.data = t,
		.marked_row = t->is_complete || !t->nr ? t->nr : t->nr - 1,
	};

	trace_report_heading(out, "Rungs");
	trace_report_table(out, &table);
}

/* The distributions of a name, or all that have no waves. */
static void put_curves(FILE *out, const struct kit_report *r, const char *name,
		       const char *description)
{
	static char labels[MAX_CURVES][64];
	struct trace_report_curve curves[MAX_CURVES];
	u32 nr = 0;

	for (u32 i = 0; i < r->nr_series && nr < MAX_CURVES; i++) {
		const struct kit_series *s = &r->series[i];

		if (!s->nr || (name && strcmp(s->name, name)) || (!name && s->waves))
			continue;
		if (name)
			snprintf(labels[nr], sizeof(labels[nr]), "%u waves, %.1f MiB", s->waves,
				 (double)s->bytes / (1 << 20));
		else
			snprintf(labels[nr], sizeof(labels[nr]), "%s", s->name);
		curves[nr] = (struct trace_report_curve){
			.label = labels[nr],
			.colour = nr % GP_REPORT_COLOURS,
			.dash = nr / GP_REPORT_COLOURS % 4,
			.nr = s->nr,
			.nr_total = s->nr,
			.sorted_ns = s->ns,
		};
		nr++;
	}
	if (!nr)
		return;
	trace_report_heading(out, description);
	trace_report_curves(out, description, curves, nr);
}

static void put_costs(FILE *out, const struct cli_selftest *t)
{
	for (u32 i = 0; i < t->nr; i++) {
		const struct kit_report *r = &t->report[i];

		if (!r->nr_series)
			continue;
		put_curves(out, r, "save", "To stop: until the call returns, by what is saved");
		put_curves(out, r, "restore", "To continue: until every wave goes on");
		put_curves(out, r, NULL, "Without waves");
		trace_report_paragraph(
			out, "call: the driver alone. stop, go: an idle queue. packet: from the "
			     "doorbell to the signal. first: from letting a queue go on to the "
			     "signal of its packet. wake: a thread that waits.");
	}
}

static void put_machine(FILE *out, const struct cli_selftest *t)
{
	const struct drv_node *n = t->climb.node;
	char text[256];

	snprintf(text, sizeof(text),
		 "%s, %llu XCC, %llu compute units, MEC firmware %llu; gpreempt %s", n->name,
		 (unsigned long long)n->nr_xcc.value, (unsigned long long)n->nr_cu.value,
		 (unsigned long long)n->mec_fw.value, GP_VERSION);
	trace_report_paragraph(out, text);
}

static void put_page(FILE *out, const struct cli_selftest *t)
{
	char end[512];

	cli_selftest_end(t, end, sizeof(end));
	trace_report_begin(out, "gpreempt selftest", NULL);
	trace_report_lead(out, end);
	put_machine(out, t);
	put_rungs(out, t);
	put_costs(out, t);
	trace_report_file(out, "selftest.json", "the same for programs; gpreempt calibrate makes a "
						"GPU for the simulator of it");
	trace_report_end(out);
}

static void put_json(FILE *out, json_t *report)
{
	json_dumpf(report, out, JSON_INDENT(1) | JSON_SORT_KEYS);
	fputc('\n', out);
}

int cli_selftest_bundle(const struct cli_selftest *t, const char *folder, json_t *report)
{
	static const char *const names[] = { "selftest.json", "selftest.html" };
	int err = cli_outfile_folder(folder);

	for (u32 i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		struct cli_outfile f = { 0 };
		char path[4096];

		if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]) >= (int)sizeof(path))
			return -ENAMETOOLONG;
		err = cli_outfile_open(&f, path);
		if (err)
			break;
		if (i)
			put_page(f.file, t);
		else
			put_json(f.file, report);
		err = cli_outfile_commit(&f);
	}
	return err;
}
