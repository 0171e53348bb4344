// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/verbs/verb_stats_since.h"
#include "cli/cli_watch.h"

#include <string.h>

#define BAR 40

static const struct cli_verb verb = {
	.name = "stats",
	.usage = "[OPTION...]",
	.doc = "Counters and latencies of each device since the daemon began. switch: from the\n"
	       "decision to the end of the change; off: time off the GPU; decision: from a\n"
	       "message to the first order; fanout: from the first order to the last answer.",
	.options = CLI_OPTS_READ | CLI_OPTS_TABLE | CLI_OPTS_DEVICE | CLI_OPTS_STATS,
};

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
	{ "decision_p99_ns", "DECISION_P99", "decision.p99_ns", CLI_COLUMN_NS, false },
	{ "fanout_p99_ns", "FANOUT_P99", "fanout.p99_ns", CLI_COLUMN_NS, false },
	{ "decision_p50_ns", "DECISION_P50", "decision.p50_ns", CLI_COLUMN_NS, true },
	{ "fanout_p50_ns", "FANOUT_P50", "fanout.p50_ns", CLI_COLUMN_NS, true },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, true },
};

static json_int_t most_of(const json_t *buckets)
{
	json_int_t most = 1;

	for (size_t i = 0; i < json_array_size(buckets); i++) {
		json_int_t n = json_integer_value(json_object_get(json_array_get(buckets, i),
								  "count"));

		most = max(most, n);
	}
	return most;
}

static void print_buckets(const json_t *buckets)
{
	json_int_t most = most_of(buckets);

	for (size_t i = 0; i < json_array_size(buckets); i++) {
		const json_t *b = json_array_get(buckets, i);
		json_int_t count = json_integer_value(json_object_get(b, "count"));
		char text[CLI_TEXT_MAX_DURATION];
		int bar = (int)((count * BAR + most - 1) / most);

		cli_format_duration((u64)json_integer_value(json_object_get(b, "le_ns")), text);
		printf("  <= %9s %9lld  %.*s\n", text, (long long)count, bar,
		       "########################################");
	}
}

static void print_histogram(const char *device, const char *name, const json_t *h)
{
	char p50[CLI_CELL_MAX], p99[CLI_CELL_MAX], most[CLI_CELL_MAX];

	if (!json_integer_value(json_object_get(h, "count")))
		return;
	printf("\n%s %s: %lld, p50 %s, p99 %s, most %s\n", device, name,
	       (long long)json_integer_value(json_object_get(h, "count")),
	       cli_format_value(json_object_get(h, "p50_ns"), CLI_COLUMN_NS, p50),
	       cli_format_value(json_object_get(h, "p99_ns"), CLI_COLUMN_NS, p99),
	       cli_format_value(json_object_get(h, "max_ns"), CLI_COLUMN_NS, most));
	print_buckets(json_object_get(h, "buckets"));
}

static void print_histograms(const json_t *rows)
{
	static const char *const names[] = { "switch", "off", "decision", "fanout" };

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		for (u32 n = 0; n < ARRAY_SIZE(names); n++)
			print_histogram(json_string_value(json_object_get(row, "id")), names[n],
					json_object_get(row, names[n]));
	}
}

static int stats_once(struct cli_session *s, const struct cli_options *o, void *arg)
{
	const struct cli_view *view = arg;
	json_t *parameters = o->device ? json_pack("{s:I}", "gpu_id", (json_int_t)o->device) : NULL;
	json_t *reply, *rows;
	int ret = cli_session_call(s, NULL, "GetStatistics", parameters, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	rows = json_incref(json_object_get(reply, "nodes"));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		char id[32];

		snprintf(id, sizeof(id), "gpu:%lld",
			 (long long)json_integer_value(json_object_get(row, "gpu_id")));
		json_object_set_new(row, "id", json_string(id));
	}
	if (o->since)
		ret = cli_stats_since(rows, o->since);
	if (ret != CLI_GO_ON) {
		json_decref(rows);
		return ret;
	}
	rows = cli_view_apply(view, rows);
	if (o->is_json)
		return cli_print_json(cli_schema("stats", json_pack("{s:o}", "devices",
								    cli_view_json(view, rows, o))),
				      cli_watch_is_line(o));
	cli_view_print(view, rows, o);
	if (o->is_histogram && !o->is_csv)
		print_histograms(rows);
	json_decref(rows);
	return cli_finish(CLI_EXIT_OK);
}

int cli_stats_main(int argc, char **argv)
{
	struct cli_view view;
	struct cli_session s;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON)
		ret = cli_options_no_words(&o, 0);
	if (ret == CLI_GO_ON)
		ret = cli_view_init(&view, columns, ARRAY_SIZE(columns), &o);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_watch(&s, &o, stats_once, &view);
	cli_session_close(&s);
	return ret;
}
