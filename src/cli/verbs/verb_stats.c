// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
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
	{ "decision_p99_ns", "DECISION_P99", "decision.p99_ns", CLI_COLUMN_NS, false },
	{ "fanout_p99_ns", "FANOUT_P99", "fanout.p99_ns", CLI_COLUMN_NS, false },
	{ "decision_p50_ns", "DECISION_P50", "decision.p50_ns", CLI_COLUMN_NS, true },
	{ "fanout_p50_ns", "FANOUT_P50", "fanout.p50_ns", CLI_COLUMN_NS, true },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, true },
};

static const char *const histograms[] = { "switch", "off", "decision", "fanout" };

/* Return: false if it went backwards: another daemon. */
static bool subtract(json_t *row, const json_t *before, const char *key)
{
	json_int_t left = cli_number(row, key) - cli_number(before, key);

	json_object_set_new(row, key, json_integer(left));
	return left >= 0;
}

static json_int_t count_in(const json_t *buckets, json_int_t le_ns)
{
	for (size_t i = 0; i < json_array_size(buckets); i++)
		if (cli_number(json_array_get(buckets, i), "le_ns") == le_ns)
			return cli_number(json_array_get(buckets, i), "count");
	return 0;
}

static bool subtract_buckets(json_t *now, const json_t *before)
{
	for (size_t i = json_array_size(now); i-- > 0;) {
		json_t *b = json_array_get(now, i);
		json_int_t left = cli_number(b, "count") - count_in(before, cli_number(b, "le_ns"));

		if (left < 0)
			return false;
		if (left)
			json_object_set_new(b, "count", json_integer(left));
		else
			json_array_remove(now, i);
	}
	return true;
}

/* Upper end of the bucket in which it is. */
static json_t *percentile(const json_t *h, json_int_t percent)
{
	json_t *buckets = json_object_get(h, "buckets");
	json_int_t wanted = (cli_number(h, "count") * percent + 99) / 100, seen = 0;

	for (size_t i = 0; i < json_array_size(buckets); i++) {
		seen += cli_number(json_array_get(buckets, i), "count");
		if (seen >= wanted)
			return json_incref(json_object_get(json_array_get(buckets, i), "le_ns"));
	}
	return json_null();
}

static bool subtract_histogram(json_t *h, const json_t *before)
{
	if (!json_is_object(h) || !json_is_object(before))
		return false;
	if (!subtract(h, before, "count") || !subtract(h, before, "sum_ns") ||
	    !subtract_buckets(json_object_get(h, "buckets"), json_object_get(before, "buckets")))
		return false;
	json_object_set_new(h, "min_ns", json_null());
	json_object_set_new(h, "max_ns", json_null());
	json_object_set_new(h, "p50_ns", percentile(h, 50));
	json_object_set_new(h, "p90_ns", percentile(h, 90));
	json_object_set_new(h, "p99_ns", percentile(h, 99));
	return true;
}

static bool subtract_device(json_t *row, json_t *before)
{
	const char *key;
	json_t *value;
	bool ok = true;

	json_object_foreach(before, key, value) {
		if (!strncmp(key, "nr_", 3) && json_is_integer(value))
			ok &= subtract(row, before, key);
	}
	for (u32 i = 0; i < ARRAY_SIZE(histograms); i++)
		ok &= subtract_histogram(json_object_get(row, histograms[i]),
					 json_object_get(before, histograms[i]));
	json_object_set_new(row, "off_max_ns", json_null());
	return ok;
}

/*
 * Takes away what was when @file, an output of gpreempt stats --json, was written. Percentiles
 * are made of the buckets that are left; the largest and the smallest value of an interval
 * cannot be known.
 */
static int take_since(json_t *rows, const char *file)
{
	json_t *all = json_load_file(file, JSON_DISABLE_EOF_CHECK, NULL);
	bool ok = true;

	if (strcmp(cli_text(all, "schema"), "gpreempt.stats/1")) {
		cli_error(file, "no output of gpreempt stats --json");
		json_decref(all);
		return CLI_EXIT_USAGE;
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		struct cli_object_ref ref = {
			.kind = CLI_OBJECT_DEVICE,
			.gpu_id = (u32)cli_number(row, "gpu_id"),
		};
		json_t *before = cli_object_find(json_object_get(all, "devices"), &ref);

		/* A device that is new has had nothing before. */
		if (before)
			ok &= subtract_device(row, before);
	}
	json_decref(all);
	if (ok)
		return CLI_GO_ON;
	cli_error(file, "not of this daemon, or not all of its fields");
	return CLI_EXIT_FAILED;
}

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

		for (u32 n = 0; n < ARRAY_SIZE(histograms); n++)
			print_histogram(cli_text(row, "id"), histograms[n],
					json_object_get(row, histograms[n]));
	}
}

static int stats(struct cli_session *s)
{
	json_t *reply, *rows;
	int ret = cli_session_call(s, NULL, "GetStatistics", cli_session_device(s), &reply);

	if (ret != CLI_GO_ON)
		return ret;
	rows = json_incref(json_object_get(reply, "nodes"));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(rows); i++)
		cli_object_add_id(json_array_get(rows, i));
	if (s->o.since)
		ret = take_since(rows, s->o.since);
	if (ret != CLI_GO_ON) {
		json_decref(rows);
		return ret;
	}
	rows = cli_view_apply(&s->view, rows);
	ret = cli_session_show(s, "stats", json_object(), "devices", json_incref(rows));
	if (s->o.is_histogram && !s->o.is_csv && !s->o.is_json)
		print_histograms(rows);
	json_decref(rows);
	return cli_finish(ret);
}

const struct cli_verb cli_verb_stats = {
	.name = "stats",
	.usage = "[OPTION...]",
	.doc = "Counters and latencies of each device since the daemon began. switch: from the\n"
	       "decision to the end of the change; off: time off the GPU; decision: from a\n"
	       "message to the first order; fanout: from the first order to the last answer.",
	.options = CLI_OPTS_READ | CLI_OPTS_TABLE | CLI_OPTS_DEVICE | CLI_OPTS_STATS,
	.partner = CLI_PARTNER_DAEMON,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = stats,
};
