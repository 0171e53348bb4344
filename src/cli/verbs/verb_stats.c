// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/verbs/verb_stats_since.h"
#include "cli/cli_watch.h"

#include <string.h>

#define BAR 40

static const struct gp_verb verb = {
	.name = "stats",
	.usage = "[OPTION...]",
	.doc = "Counters and latencies of each device since the daemon began. switch: from the\n"
	       "decision to the end of the change; off: time off the GPU; decision: from a\n"
	       "message to the first order; fanout: from the first order to the last answer.",
	.options = GP_OPTS_READ | GP_OPTS_TABLE | GP_OPTS_DEVICE | GP_OPTS_STATS,
};

static const struct gp_column columns[] = {
	{ "id", "DEVICE", NULL, GP_COLUMN_TEXT, false },
	{ "nr_events", "EVENTS", NULL, GP_COLUMN_INT, false },
	{ "nr_switches", "SWITCHES", NULL, GP_COLUMN_INT, false },
	{ "nr_preemptions", "PREEMPTED", NULL, GP_COLUMN_INT, false },
	{ "nr_resumes", "RESUMED", NULL, GP_COLUMN_INT, false },
	{ "nr_failed", "FAILED", NULL, GP_COLUMN_INT, false },
	{ "nr_deadline", "LATE", NULL, GP_COLUMN_INT, false },
	{ "nr_starvation", "STARVED", NULL, GP_COLUMN_INT, false },
	{ "nr_rate_limited", "LIMITED", NULL, GP_COLUMN_INT, true },
	{ "nr_left_to_finish", "LEFT", NULL, GP_COLUMN_INT, true },
	{ "cost_ns", "COST", NULL, GP_COLUMN_NS, false },
	{ "switch_p50_ns", "SWITCH_P50", "switch.p50_ns", GP_COLUMN_NS, false },
	{ "switch_p99_ns", "SWITCH_P99", "switch.p99_ns", GP_COLUMN_NS, false },
	{ "off_p50_ns", "OFF_P50", "off.p50_ns", GP_COLUMN_NS, false },
	{ "off_p99_ns", "OFF_P99", "off.p99_ns", GP_COLUMN_NS, false },
	{ "off_max_ns", "OFF_MAX", NULL, GP_COLUMN_NS, true },
	{ "decision_p99_ns", "DECISION_P99", "decision.p99_ns", GP_COLUMN_NS, false },
	{ "fanout_p99_ns", "FANOUT_P99", "fanout.p99_ns", GP_COLUMN_NS, false },
	{ "decision_p50_ns", "DECISION_P50", "decision.p50_ns", GP_COLUMN_NS, true },
	{ "fanout_p50_ns", "FANOUT_P50", "fanout.p50_ns", GP_COLUMN_NS, true },
	{ "gpu_id", "GPU_ID", NULL, GP_COLUMN_INT, true },
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
		char text[GP_TEXT_MAX_DURATION];
		int bar = (int)((count * BAR + most - 1) / most);

		gp_format_duration((u64)json_integer_value(json_object_get(b, "le_ns")), text);
		printf("  <= %9s %9lld  %.*s\n", text, (long long)count, bar,
		       "########################################");
	}
}

static void print_histogram(const char *device, const char *name, const json_t *h)
{
	char p50[GP_CELL_MAX], p99[GP_CELL_MAX], most[GP_CELL_MAX];

	if (!json_integer_value(json_object_get(h, "count")))
		return;
	printf("\n%s %s: %lld, p50 %s, p99 %s, most %s\n", device, name,
	       (long long)json_integer_value(json_object_get(h, "count")),
	       gp_format_value(json_object_get(h, "p50_ns"), GP_COLUMN_NS, p50),
	       gp_format_value(json_object_get(h, "p99_ns"), GP_COLUMN_NS, p99),
	       gp_format_value(json_object_get(h, "max_ns"), GP_COLUMN_NS, most));
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

static int stats_once(struct gp_session *s, const struct gp_options *o, void *arg)
{
	const struct gp_view *view = arg;
	json_t *parameters = o->device ? json_pack("{s:I}", "gpu_id", (json_int_t)o->device) : NULL;
	json_t *reply, *rows;
	int ret = gp_session_call(s, NULL, "GetStatistics", parameters, &reply);

	if (ret != GP_GO_ON)
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
		ret = gp_stats_since(rows, o->since);
	if (ret != GP_GO_ON) {
		json_decref(rows);
		return ret;
	}
	rows = gp_view_apply(view, rows);
	if (o->is_json)
		return gp_print_json(gp_schema("stats", json_pack("{s:o}", "devices",
								  gp_view_json(view, rows, o))),
				     gp_watch_is_line(o));
	gp_view_print(view, rows, o);
	if (o->is_histogram && !o->is_csv)
		print_histograms(rows);
	json_decref(rows);
	return gp_cli_finish(GP_EXIT_OK);
}

int gp_stats_main(int argc, char **argv)
{
	struct gp_view view;
	struct gp_session s;
	struct gp_options o;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret == GP_GO_ON)
		ret = gp_options_no_words(&o, 0);
	if (ret == GP_GO_ON)
		ret = gp_view_init(&view, columns, ARRAY_SIZE(columns), &o);
	if (ret == GP_GO_ON)
		ret = gp_session_open(&s, &o, false);
	if (ret != GP_GO_ON)
		return ret;
	ret = gp_watch(&s, &o, stats_once, &view);
	gp_session_close(&s);
	return ret;
}
