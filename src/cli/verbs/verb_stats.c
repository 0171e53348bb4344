// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_stats.h"
#include "cli/cli_verb.h"

#include <string.h>

#define BAR 40

static const struct cli_column columns[] = {
	{ "id", "DEVICE", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_events", "EVENTS", NULL, CLI_COLUMN_INT, false },
	{ "nr_switches", "SWITCHES", NULL, CLI_COLUMN_INT, false },
	{ "nr_preemptions", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "nr_resumes", "RESUMED", NULL, CLI_COLUMN_INT, false },
	{ "nr_failed", "FAILED", NULL, CLI_COLUMN_INT, false },
	{ "nr_deadline", "LATE", NULL, CLI_COLUMN_INT, false },
	{ "nr_starvation", "STARVED", NULL, CLI_COLUMN_INT, false },
	{ "nr_rate_limited", "LIMITED", NULL, CLI_COLUMN_INT, true },
	{ "nr_left_to_finish", "LEFT", NULL, CLI_COLUMN_INT, true },
	{ "cost_ns", "COST", NULL, CLI_COLUMN_NS, false },
	{ "switch_p50_ns", "SWITCH_P50", "switch.p50_ns", CLI_COLUMN_NS, false },
	{ "switch_p99_ns", "SWITCH_P99", "switch.p99_ns", CLI_COLUMN_NS, false },
	{ "off_p50_ns", "OFF_P50", "off.p50_ns", CLI_COLUMN_NS, false },
	{ "off_p99_ns", "OFF_P99", "off.p99_ns", CLI_COLUMN_NS, false },
	{ "off_max_ns", "OFF_MAX", NULL, CLI_COLUMN_NS, true },
	{ "wait_p50_ns", "WAIT_P50", "wait.p50_ns", CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", "wait.p99_ns", CLI_COLUMN_NS, false },
	{ "wait_p999_ns", "WAIT_P99.9", "wait.p999_ns", CLI_COLUMN_NS, false },
	{ "decision_p99_ns", "DECISION_P99", "decision.p99_ns", CLI_COLUMN_NS, false },
	{ "fanout_p99_ns", "FANOUT_P99", "fanout.p99_ns", CLI_COLUMN_NS, false },
	{ "decision_p50_ns", "DECISION_P50", "decision.p50_ns", CLI_COLUMN_NS, true },
	{ "fanout_p50_ns", "FANOUT_P50", "fanout.p50_ns", CLI_COLUMN_NS, true },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, true },
};

static const struct cli_column class_columns[] = {
	{ "id", "DEVICE", NULL, CLI_COLUMN_TEXT, false },
	{ "class", "CLASS", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_waits", "WAITS", "wait.count", CLI_COLUMN_INT, false },
	{ "wait_p50_ns", "WAIT_P50", "wait.p50_ns", CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", "wait.p99_ns", CLI_COLUMN_NS, false },
	{ "wait_p999_ns", "WAIT_P99.9", "wait.p999_ns", CLI_COLUMN_NS, false },
	{ "wait_max_ns", "WAIT_MAX", "wait.max_ns", CLI_COLUMN_NS, false },
};

static void print_buckets(const json_t *buckets)
{
	json_int_t most = 1;

	for (size_t i = 0; i < json_array_size(buckets); i++)
		most = max(most, cli_number(json_array_get(buckets, i), "count"));
	for (size_t i = 0; i < json_array_size(buckets); i++) {
		const json_t *b = json_array_get(buckets, i);
		json_int_t count = cli_number(b, "count");
		char text[CLI_TEXT_MAX_DURATION];
		int bar = (int)((count * BAR + most - 1) / most);

		printf("  <= %9s %9lld  %.*s\n",
		       cli_format_duration((u64)cli_number(b, "le_ns"), text), count, bar,
		       "########################################");
	}
}

static void print_histogram(const char *device, const char *name, const json_t *h)
{
	char p50[CLI_CELL_MAX], p99[CLI_CELL_MAX], most[CLI_CELL_MAX];

	if (!cli_number(h, "count"))
		return;
	printf("\n%s %s: %lld, p50 %s, p99 %s, most %s\n", device, name, cli_number(h, "count"),
	       cli_format_value(json_object_get(h, "p50_ns"), CLI_COLUMN_NS, p50),
	       cli_format_value(json_object_get(h, "p99_ns"), CLI_COLUMN_NS, p99),
	       cli_format_value(json_object_get(h, "max_ns"), CLI_COLUMN_NS, most));
	print_buckets(json_object_get(h, "buckets"));
}

static void print_histograms(const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		for (u32 n = 0; n < CLI_STATS_HISTOGRAMS; n++)
			print_histogram(cli_text(row, "id"), cli_stats_histograms[n],
					json_object_get(row, cli_stats_histograms[n]));
	}
}

/* How long the work of each class waited, if any has. */
static void print_classes(const struct cli_session *s, const json_t *rows)
{
	json_t *all = json_array();
	struct cli_view view;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const json_t *classes = json_object_get(row, "classes");

		for (size_t n = 0; n < json_array_size(classes); n++) {
			json_t *k = json_copy(json_array_get(classes, n));

			json_object_set(k, "id", json_object_get(row, "id"));
			json_array_append_new(all, k);
		}
	}
	if (json_array_size(all) &&
	    cli_view_init(&view, class_columns, ARRAY_SIZE(class_columns),
			  &(struct cli_options){ .sort = "class" }) == CLI_GO_ON) {
		putchar('\n');
		all = cli_view_apply(&view, all);
		cli_view_print(&view, all, &s->o);
	}
	json_decref(all);
}

static int stats(struct cli_session *s)
{
	json_t *rows;
	int ret = cli_stats_get(s, &rows);

	if (ret != CLI_GO_ON)
		return ret;
	rows = cli_view_apply(&s->view, rows);
	ret = cli_session_show(s, "stats", json_object(), "devices", json_incref(rows));
	if (!s->o.fields && !s->o.is_quiet && !s->o.is_csv && !s->o.is_json)
		print_classes(s, rows);
	if (s->o.is_histogram && !s->o.is_csv && !s->o.is_json)
		print_histograms(rows);
	json_decref(rows);
	return cli_finish(ret);
}

const struct cli_verb cli_verb_stats = {
	.name = "stats",
	.usage = "[OPTION...]",
	.doc = "Counters and latencies of each device since the daemon began. switch: from the\n"
	       "decision to the end of the change; off: time off the GPU; wait: how long online\n"
	       "work (priority above 7, or latency-critical) waited for its first run; decision:\n"
	       "from a message to the first order; fanout: from the first order to the last\n"
	       "answer. Below, how long all work of each class waited.",
	.example = "gpreempt stats\n"
		   "gpreempt stats --gpu 0 --histogram",
	.options = CLI_OPTS_READ | CLI_OPTS_TABLE | CLI_OPTS_DEVICE | CLI_OPTS_STATS,
	.partner = CLI_PARTNER_DAEMON,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = stats,
};
