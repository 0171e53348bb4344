// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

static const struct cli_column columns[] = {
	{ "time_ns", "TIME", NULL, CLI_COLUMN_INT, false },
	{ "kind", "KIND", NULL, CLI_COLUMN_TEXT, false },
	{ "pid", "PID", NULL, CLI_COLUMN_INT, false },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, false },
	{ "queue_id", "QUEUE_ID", NULL, CLI_COLUMN_INT, false },
	{ "text", "TEXT", NULL, CLI_COLUMN_TEXT, false },
};

static void print_line(const json_t *e)
{
	u64 ns = (u64)cli_number(e, "time_ns");
	char kind[CLI_CELL_MAX], text[CLI_CELL_MAX], object[64];

	cli_object_name(e, object, sizeof(object));
	printf("%llu.%06llu  %-9s  %-16s  %s\n", (unsigned long long)(ns / 1000000000),
	       (unsigned long long)(ns / 1000 % 1000000),
	       cli_format_value(json_object_get(e, "kind"), CLI_COLUMN_TEXT, kind), object,
	       cli_format_value(json_object_get(e, "text"), CLI_COLUMN_TEXT, text));
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
		cli_print_json("monitor", json_copy((json_t *)event), true);
	else
		print_line(event);
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
	       "monotonic clock,\n"
	       "kind, object (PID/GPU/QUEUE or gpu:ID), text.",
	.options = CLI_OPTS_MONITOR,
	.partner = CLI_PARTNER_DAEMON,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = monitor,
};
