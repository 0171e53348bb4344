// SPDX-License-Identifier: MIT
/* A page on what happened on this machine: how long work waited, and what was preempted for it. */
#include "cli/cli_objects.h"
#include "cli/cli_outfile.h"
#include "cli/cli_stats.h"
#include "cli/cli_verb.h"
#include "trace/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FILE "gpreempt-report.html"
/* A curve is drawn of so many durations at most. */
#define POINTS 2000
#define CURVES 32

/* What the page is made of. */
struct page {
	FILE *out;
	const char *since; /* file; NULL = since the daemon began */
	json_t *info;
	json_t *devices;	/* as gpreempt list devices */
	json_t *stats;		/* as gpreempt stats */
	json_t *classes;	/* of all devices */
	json_t *processes;
};

/* A table of rows: its columns, and where each value is. */
struct table {
	const json_t *rows;
	const struct cli_column *columns;
};

static const struct cli_column device_columns[] = {
	{ "gpu", "GPU", NULL, CLI_COLUMN_INT, false },
	{ "name", "Name", NULL, CLI_COLUMN_TEXT, false },
	{ "policy", "Policy", NULL, CLI_COLUMN_TEXT, false },
	{ "breaker", "Breaker", NULL, CLI_COLUMN_TEXT, false },
	{ "count", "Requests", "wait.count", CLI_COLUMN_INT, false },
	{ "p50", "Wait p50", "wait.p50_ns", CLI_COLUMN_NS, false },
	{ "p99", "p99", "wait.p99_ns", CLI_COLUMN_NS, false },
	{ "p999", "p99.9", "wait.p999_ns", CLI_COLUMN_NS, false },
	{ "nr_preemptions", "Preemptions", NULL, CLI_COLUMN_INT, false },
	{ "switch", "Switch p99", "switch.p99_ns", CLI_COLUMN_NS, false },
	{ "off", "Off the GPU p99", "off.p99_ns", CLI_COLUMN_NS, false },
	{ "nr_starvation", "At max_wait_ns", NULL, CLI_COLUMN_INT, false },
	{ "nr_failed", "Failed", NULL, CLI_COLUMN_INT, false },
};

static const struct cli_column class_columns[] = {
	{ "class", "Class", NULL, CLI_COLUMN_TEXT, false },
	{ "gpu", "GPU", NULL, CLI_COLUMN_INT, false },
	{ "count", "Requests", "wait.count", CLI_COLUMN_INT, false },
	{ "p50", "Wait p50", "wait.p50_ns", CLI_COLUMN_NS, false },
	{ "p99", "p99", "wait.p99_ns", CLI_COLUMN_NS, false },
	{ "p999", "p99.9", "wait.p999_ns", CLI_COLUMN_NS, false },
};

static const struct cli_column process_columns[] = {
	{ "comm", "Command", NULL, CLI_COLUMN_TEXT, false },
	{ "class", "Class", "attributes.class", CLI_COLUMN_TEXT, false },
	{ "pid", "PID", NULL, CLI_COLUMN_INT, false },
	{ "priority", "Priority", "attributes.priority", CLI_COLUMN_INT, false },
	{ "gpu", "GPU", NULL, CLI_COLUMN_LIST, false },
	{ "nr_preempted", "Preempted", NULL, CLI_COLUMN_INT, false },
	{ "run_ns", "Ran", NULL, CLI_COLUMN_NS, false },
	{ "off_ns", "Off the GPU", NULL, CLI_COLUMN_NS, false },
	{ "off_max_ns", "longest", NULL, CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "Wait p99", NULL, CLI_COLUMN_NS, false },
};

static const char *cell(const void *data, u32 row, u32 column)
{
	static char text[CLI_CELL_MAX];
	const struct table *t = data;
	const struct cli_column *c = &t->columns[column];

	return cli_format_value(cli_column_value(c, json_array_get(t->rows, row)), c->kind, text);
}

static void put_table(FILE *out, const json_t *rows, const struct cli_column *columns, u32 nr,
		      u32 nr_left)
{
	const char *headers[16];
	struct table data = { rows, columns };
	struct trace_report_table t = {
		.nr_columns = nr,
		.nr_left = nr_left,
		.nr_rows = (u32)json_array_size(rows),
		.headers = headers,
		.cell = cell,
		.data = &data,
		.marked_row = (u32)json_array_size(rows),
	};

	for (u32 i = 0; i < nr; i++)
		headers[i] = columns[i].header;
	trace_report_table(out, &t);
}

static json_int_t sum_of(const json_t *rows, const char *key)
{
	json_int_t sum = 0;

	for (size_t i = 0; i < json_array_size(rows); i++)
		sum += cli_number(json_array_get(rows, i), key);
	return sum;
}

/* The device on which 99 % of online work waited longest, if any came. */
static const json_t *worst_wait(const json_t *stats)
{
	const json_t *worst = NULL;

	for (size_t i = 0; i < json_array_size(stats); i++) {
		const json_t *w = json_object_get(json_array_get(stats, i), "wait");

		if (cli_number(w, "count") &&
		    (!worst || cli_number(w, "p99_ns") > cli_number(worst, "p99_ns")))
			worst = w;
	}
	return worst;
}

static void make_lead(const struct page *p, char *out, size_t size)
{
	const json_t *w = worst_wait(p->stats);
	char p99[CLI_TEXT_MAX_DURATION];

	if (!w) {
		snprintf(out, size, "No online work came.");
		return;
	}
	snprintf(out, size,
		 "99 of 100 pieces of online work began within %s, on the GPU where they waited "
		 "longest; for that, other work was taken off a GPU %lld times.",
		 cli_format_duration((u64)cli_number(w, "p99_ns"), p99),
		 sum_of(p->stats, "nr_preemptions"));
}

static void put_numbers(const struct page *p)
{
	const json_t *w = worst_wait(p->stats);
	char p99[CLI_CELL_MAX], p999[CLI_CELL_MAX], nr[24], starved[24];
	struct trace_report_number numbers[] = {
		{ p99, "wait of online work, p99" },
		{ p999, "p99.9" },
		{ nr, "preemptions" },
		{ starved, "times a process was off the GPU as long as max_wait_ns" },
	};

	cli_format_value(json_object_get(w, "p99_ns"), CLI_COLUMN_NS, p99);
	cli_format_value(json_object_get(w, "p999_ns"), CLI_COLUMN_NS, p999);
	snprintf(nr, sizeof(nr), "%lld", sum_of(p->stats, "nr_preemptions"));
	snprintf(starved, sizeof(starved), "%lld", sum_of(p->stats, "nr_starvation"));
	trace_report_numbers(p->out, numbers, ARRAY_SIZE(numbers));
}

/* What needs a look. */
static void put_notices(const struct page *p)
{
	char text[300];

	for (size_t i = 0; i < json_array_size(p->devices); i++) {
		const json_t *d = json_array_get(p->devices, i);

		if (!strcmp(cli_text(d, "breaker"), "closed") &&
		    json_is_true(json_object_get(d, "enabled")))
			continue;
		if (json_is_false(json_object_get(d, "enabled")))
			snprintf(text, sizeof(text), "GPU %lld: scheduling is off.",
				 cli_number(d, "gpu"));
		else
			snprintf(text, sizeof(text), "GPU %lld: breaker %s, %.100s.",
				 cli_number(d, "gpu"), cli_text(d, "breaker"),
				 cli_text(d, "breaker_reason"));
		trace_report_notice(p->out, text);
	}
	if (!sum_of(p->stats, "nr_failed"))
		return;
	snprintf(text, sizeof(text),
		 "%lld switches failed; the queues ran on. The log of gpreemptd says why.",
		 sum_of(p->stats, "nr_failed"));
	trace_report_notice(p->out, text);
}

/* Durations as the buckets have them, fewer if there are many. */
static u64 *spread(const json_t *wait, u64 *nr)
{
	const json_t *buckets = json_object_get(wait, "buckets");
	u64 count = (u64)cli_number(wait, "count"), seen = 0;
	u64 *all = calloc(POINTS + 1, sizeof(*all));

	*nr = 0;
	for (size_t i = 0; all && count && i < json_array_size(buckets); i++) {
		const json_t *b = json_array_get(buckets, i);
		u64 end;

		seen = min(seen + (u64)cli_number(b, "count"), count);
		end = count <= POINTS ? seen : (u64)((double)seen / (double)count * POINTS + 0.5);
		while (*nr < end)
			all[(*nr)++] = max((u64)cli_number(b, "le_ns"), (u64)1000);
	}
	return all;
}

static void put_curves(const struct page *p)
{
	struct trace_report_curve curves[CURVES];
	char labels[CURVES][64];
	u32 nr = 0;

	for (size_t i = 0; i < json_array_size(p->classes) && nr < CURVES; i++) {
		const json_t *k = json_array_get(p->classes, i);
		struct trace_report_curve *c = &curves[nr];
		u64 *all, nr_points;

		all = spread(json_object_get(k, "wait"), &nr_points);
		if (!nr_points) {
			free(all);
			continue;
		}
		snprintf(labels[nr], sizeof(labels[nr]), "%.40s, GPU %lld", cli_text(k, "class"),
			 cli_number(k, "gpu"));
		*c = (struct trace_report_curve){ labels[nr], nr % GP_REPORT_COLOURS,
						  nr / GP_REPORT_COLOURS, nr_points, nr_points,
						  all, false };
		nr++;
	}
	if (nr)
		trace_report_curves(p->out, "share of the work of each class that began after so "
				    "long", curves, nr);
	for (u32 i = 0; i < nr; i++)
		free((void *)curves[i].sorted_ns);
}

static void put_page(const struct page *p, const char *lead)
{
	char host[65] = "this machine", title[128], when[64], text[400];
	time_t now = time(NULL);

	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M %Z", localtime(&now));
	snprintf(title, sizeof(title), "GPUs of %s", host);
	trace_report_begin(p->out, title, NULL);
	trace_report_lead(p->out, lead);
	put_numbers(p);
	put_notices(p);
	snprintf(text, sizeof(text), "Until %s, since %s%.200s%s. Times are upper ends of buckets.",
		 when, p->since ? "the file " : "gpreemptd ", p->since ? p->since :
		 cli_text(p->info, "version"), p->since ? " was written" : " began");
	trace_report_paragraph(p->out, text);
	trace_report_heading(p->out, "GPUs");
	put_table(p->out, p->stats, device_columns, ARRAY_SIZE(device_columns), 4);
	trace_report_heading(p->out, "How long work waited, by class");
	if (!json_array_size(p->classes))
		trace_report_paragraph(p->out, "No class had work that the daemon saw.");
	put_curves(p);
	put_table(p->out, p->classes, class_columns, ARRAY_SIZE(class_columns), 1);
	trace_report_heading(p->out, "Processes that are there now");
	put_table(p->out, p->processes, process_columns, ARRAY_SIZE(process_columns), 2);
	trace_report_end(p->out);
}

/* Each row of statistics with what the list knows of its device; its classes on their own. */
static void join(struct page *p)
{
	p->classes = json_array();
	for (size_t i = 0; i < json_array_size(p->stats); i++) {
		json_t *row = json_array_get(p->stats, i);
		struct cli_object_ref ref = { .kind = CLI_OBJECT_DEVICE,
					      .gpu_id = (u32)cli_number(row, "gpu_id") };
		json_t *classes = json_object_get(row, "classes");

		json_object_update_missing(row, cli_object_find(p->devices, &ref));
		for (size_t n = 0; n < json_array_size(classes); n++) {
			json_t *k = json_array_get(classes, n);

			json_object_set(k, "gpu", json_object_get(row, "gpu"));
			if (cli_number(json_object_get(k, "wait"), "count"))
				json_array_append(p->classes, k);
		}
	}
}

static int save(struct page *p, const char *path, bool is_quiet)
{
	struct cli_outfile f = { 0 };
	char lead[300];
	int err = cli_outfile_open(&f, path);

	if (err)
		return cli_fail(path, err, NULL);
	p->out = f.file;
	make_lead(p, lead, sizeof(lead));
	put_page(p, lead);
	err = cli_outfile_commit(&f);
	cli_outfile_abort(&f);
	if (err)
		return cli_fail(path, err, NULL);
	if (!is_quiet)
		printf("%s: %s\n", path, lead);
	return cli_finish(CLI_EXIT_OK);
}

static int report(struct cli_session *s)
{
	struct page p = { .since = s->o.since };
	int ret = cli_session_call(s, NULL, "GetInfo", NULL, &p.info);

	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_DEVICE, &p.devices);
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_PROCESS, &p.processes);
	if (ret == CLI_GO_ON)
		ret = cli_stats_get(s, &p.stats);
	if (ret == CLI_GO_ON) {
		join(&p);
		ret = save(&p, s->o.output ? s->o.output : DEFAULT_FILE, s->o.is_quiet);
		json_decref(p.classes);
		json_decref(p.stats);
	}
	json_decref(p.info);
	json_decref(p.devices);
	json_decref(p.processes);
	return ret;
}

const struct cli_verb cli_verb_report = {
	.name = "report",
	.usage = "[OPTION...]",
	.doc = "Writes a page on this machine: how long work waited by GPU and class, what was\n"
	       "preempted for it, and the processes that are there. Without --since of the time\n"
	       "since the daemon began; a cron job that keeps gpreempt stats --json gives days.",
	.example = "gpreempt report -o now.html\n"
		   "gpreempt report --since yesterday.json -o today.html",
	.options = CLI_OPTS_REPORT | CLI_OPTS_DEVICE,
	.partner = CLI_PARTNER_DAEMON,
	.run = report,
};
