// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <string.h>
#include <time.h>

static const struct cli_column columns[] = {
	{ "time_ns", "TIME", NULL, CLI_COLUMN_INT, false },
	{ "kind", "KIND", NULL, CLI_COLUMN_TEXT, false },
	{ "pid", "PID", NULL, CLI_COLUMN_INT, false },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, false },
	{ "queue_id", "QUEUE_ID", NULL, CLI_COLUMN_INT, false },
	{ "text", "TEXT", NULL, CLI_COLUMN_TEXT, false },
};

/* "2026-11-18T12:00:00.000000+01:00": what the clocks differ by now, they did then. */
static void format_wall(u64 ns, char *out, size_t size)
{
	struct timespec wall;
	char zone[8];
	struct tm tm;
	time_t s;

	clock_gettime(CLOCK_REALTIME, &wall);
	ns += (u64)wall.tv_sec * CLI_NS_PER_S + (u64)wall.tv_nsec - cli_now_ns();
	s = (time_t)(ns / CLI_NS_PER_S);
	localtime_r(&s, &tm);
	strftime(out, size, "%FT%T", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(out + strlen(out), size - strlen(out), ".%06llu%.3s:%s",
		 (unsigned long long)(ns / 1000 % 1000000), zone, zone + 3);
}

static void format_time(const json_t *e, bool is_wall, char *out, size_t size)
{
	u64 ns = (u64)cli_number(e, "time_ns");

	if (is_wall)
		format_wall(ns, out, size);
	else
		snprintf(out, size, "%llu.%06llu", (unsigned long long)(ns / 1000000000),
			 (unsigned long long)(ns / 1000 % 1000000));
}

static void print_line(const json_t *e, bool is_wall)
{
	char kind[CLI_CELL_MAX], text[CLI_CELL_MAX], object[64], time[64];

	cli_object_name(e, object, sizeof(object));
	format_time(e, is_wall, time, sizeof(time));
	printf("%s  %-9s  %-16s  %s\n", time,
	       cli_format_value(json_object_get(e, "kind"), CLI_COLUMN_TEXT, kind), object,
	       cli_format_value(json_object_get(e, "text"), CLI_COLUMN_TEXT, text));
}

static void print_json(const json_t *e, bool is_wall)
{
	json_t *copy = json_copy((json_t *)e);
	char time[64];

	format_time(e, is_wall, time, sizeof(time));
	if (is_wall)
		json_object_set_new(copy, "time", json_string(time));
	cli_print_json("monitor", copy, true);
}

/* --count is how many are still to come. */
static bool print_event(const json_t *event, void *arg)
{
	struct cli_session *s = arg;
	json_t *rows = cli_view_apply(&s->view, json_pack("[O]", event));
	bool is_in = json_array_size(rows);

	json_decref(rows);
	if (!is_in)
		return true;
	if (s->o.is_json)
		print_json(event, s->o.is_wall);
	else
		print_line(event, s->o.is_wall);
	fflush(stdout);
	return (!s->o.count || --s->o.count) && !ferror(stdout);
}

static int monitor(struct cli_session *s)
{
	unsigned int flags = s->o.is_trace ? GPREEMPT_MONITOR_TRACE : 0;

	return cli_finish(cli_stream_run(s, flags, 0, print_event, s));
}

const struct cli_verb cli_verb_monitor = {
	.name = "monitor",
	.usage = "[OPTION...]",
	.doc = "Prints what happens as it happens: time in seconds of the machine's "
	       "monotonic clock\n"
	       "(--time wall: date and time of day), kind, object (PID/GPU/QUEUE or gpu:ID), "
	       "text.",
	.example = "gpreempt monitor --time wall\n"
		   "gpreempt monitor --json --count 100",
	.options = CLI_OPTS_MONITOR,
	.partner = CLI_PARTNER_DAEMON,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = monitor,
};
