// SPDX-License-Identifier: MIT
/* Statistics of the daemon, since it began or since a file with earlier ones was written. */
#include "cli/cli_stats.h"

#include "cli/cli_objects.h"

#include <string.h>

const char *const cli_stats_histograms[CLI_STATS_HISTOGRAMS] = { "switch", "off", "wait",
								 "decision", "fanout" };

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
static json_t *percentile(const json_t *h, json_int_t permille)
{
	json_t *buckets = json_object_get(h, "buckets");
	json_int_t wanted = (cli_number(h, "count") * permille + 999) / 1000, seen = 0;

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
	json_object_set_new(h, "p50_ns", percentile(h, 500));
	json_object_set_new(h, "p90_ns", percentile(h, 900));
	json_object_set_new(h, "p99_ns", percentile(h, 990));
	json_object_set_new(h, "p999_ns", percentile(h, 999));
	return true;
}

static json_t *find_class(const json_t *classes, const json_t *name)
{
	for (size_t i = 0; i < json_array_size(classes); i++) {
		json_t *k = json_array_get(classes, i);

		if (json_equal(json_object_get(k, "class"), name))
			return k;
	}
	return NULL;
}

/* A class that is new has had nothing before. */
static bool subtract_classes(json_t *now, const json_t *before)
{
	bool ok = true;

	for (size_t i = 0; i < json_array_size(now); i++) {
		json_t *k = json_array_get(now, i);
		json_t *was = find_class(before, json_object_get(k, "class"));

		if (was)
			ok &= subtract_histogram(json_object_get(k, "wait"),
						 json_object_get(was, "wait"));
	}
	return ok;
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
	for (u32 i = 0; i < CLI_STATS_HISTOGRAMS; i++)
		ok &= subtract_histogram(json_object_get(row, cli_stats_histograms[i]),
					 json_object_get(before, cli_stats_histograms[i]));
	json_object_set_new(row, "off_max_ns", json_null());
	return ok & subtract_classes(json_object_get(row, "classes"),
				     json_object_get(before, "classes"));
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

int cli_stats_get(struct cli_session *s, json_t **rows)
{
	json_t *reply;
	int ret = cli_session_call(s, NULL, "GetStatistics", cli_session_device(s), &reply);

	if (ret != CLI_GO_ON)
		return ret;
	*rows = json_incref(json_object_get(reply, "nodes"));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(*rows); i++)
		cli_object_add_id(json_array_get(*rows, i));
	if (s->o.since)
		ret = take_since(*rows, s->o.since);
	if (ret != CLI_GO_ON)
		json_decref(*rows);
	return ret;
}
