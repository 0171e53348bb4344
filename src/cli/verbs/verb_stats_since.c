// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_stats_since.h"

#include "cli/cli_options.h"

#include <string.h>

static const char *const histograms[] = { "switch", "off", "decision", "fanout" };

static json_int_t number(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

/* Return: false if it went backwards: another daemon. */
static bool subtract(json_t *row, const json_t *before, const char *key)
{
	json_int_t left = number(row, key) - number(before, key);

	json_object_set_new(row, key, json_integer(left));
	return left >= 0;
}

static json_int_t count_in(const json_t *buckets, json_int_t le_ns)
{
	for (size_t i = 0; i < json_array_size(buckets); i++)
		if (number(json_array_get(buckets, i), "le_ns") == le_ns)
			return number(json_array_get(buckets, i), "count");
	return 0;
}

static bool subtract_buckets(json_t *now, const json_t *before)
{
	for (size_t i = json_array_size(now); i-- > 0;) {
		json_t *b = json_array_get(now, i);
		json_int_t left = number(b, "count") - count_in(before, number(b, "le_ns"));

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
	json_int_t wanted = (number(h, "count") * percent + 99) / 100, seen = 0;

	for (size_t i = 0; i < json_array_size(buckets); i++) {
		seen += number(json_array_get(buckets, i), "count");
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

	json_object_foreach(before, key, value)
		if (!strncmp(key, "nr_", 3) && json_is_integer(value))
			ok &= subtract(row, before, key);
	for (u32 i = 0; i < ARRAY_SIZE(histograms); i++)
		ok &= subtract_histogram(json_object_get(row, histograms[i]),
					 json_object_get(before, histograms[i]));
	json_object_set_new(row, "off_max_ns", json_null());
	return ok;
}

static json_t *device_of(const json_t *devices, json_int_t gpu_id)
{
	for (size_t i = 0; i < json_array_size(devices); i++)
		if (number(json_array_get(devices, i), "gpu_id") == gpu_id)
			return json_array_get(devices, i);
	return NULL;
}

int cli_stats_since(json_t *rows, const char *file)
{
	json_t *all = json_load_file(file, JSON_DISABLE_EOF_CHECK, NULL);
	const char *schema = json_string_value(json_object_get(all, "schema"));
	bool ok = true;

	if (!schema || strcmp(schema, "gpreempt.stats/1")) {
		cli_error(file, "no output of gpreempt stats --json");
		json_decref(all);
		return CLI_EXIT_USAGE;
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		json_t *before = device_of(json_object_get(all, "devices"),
					   number(row, "gpu_id"));

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
