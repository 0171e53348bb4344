// SPDX-License-Identifier: MIT
#include "cli/cli_stream.h"
#include "cli/cli_view.h"

#include <string.h>

static const struct cli_verb verb = {
	.name = "monitor",
	.usage = "[OPTION...]",
	.doc = "Prints what happens as it happens: time in seconds of the machine's "
	       "monotonic clock,\n"
	       "kind, object (PID/GPU/QUEUE or gpu:ID), text.",
	.options = CLI_OPTS_MONITOR,
};

static const struct cli_column columns[] = {
	{ "time_ns", "TIME", NULL, CLI_COLUMN_INT, false },
	{ "kind", "KIND", NULL, CLI_COLUMN_TEXT, false },
	{ "pid", "PID", NULL, CLI_COLUMN_INT, false },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, false },
	{ "queue_id", "QUEUE_ID", NULL, CLI_COLUMN_INT, false },
	{ "text", "TEXT", NULL, CLI_COLUMN_TEXT, false },
};

/**
 * struct monitor - what is printed
 * @o: options
 * @view: conditions
 * @nr: events so far
 */
struct monitor {
	const struct cli_options *o;
	struct cli_view view;
	u64 nr;
};

static void name_object(const json_t *e, char *out, size_t size)
{
	const json_t *pid = json_object_get(e, "pid"), *gpu = json_object_get(e, "gpu_id");
	const json_t *queue = json_object_get(e, "queue_id");
	int n = 0;

	strcpy(out, "-");
	if (json_is_integer(pid))
		n = snprintf(out, size, "%lld", (long long)json_integer_value(pid));
	if (json_is_integer(gpu))
		n += snprintf(out + n, size - (size_t)n, n ? "/%lld" : "gpu:%lld",
			      (long long)json_integer_value(gpu));
	if (json_is_integer(queue) && n)
		snprintf(out + n, size - (size_t)n, "/%lld", (long long)json_integer_value(queue));
}

static void print_line(const json_t *e)
{
	u64 ns = (u64)json_integer_value(json_object_get(e, "time_ns"));
	char kind[CLI_CELL_MAX], text[CLI_CELL_MAX], object[64];

	name_object(e, object, sizeof(object));
	printf("%llu.%06llu  %-9s  %-16s  %s\n", (unsigned long long)(ns / 1000000000),
	       (unsigned long long)(ns / 1000 % 1000000),
	       cli_format_value(json_object_get(e, "kind"), CLI_COLUMN_TEXT, kind), object,
	       cli_format_value(json_object_get(e, "text"), CLI_COLUMN_TEXT, text));
}

static bool print_event(const json_t *event, void *arg)
{
	struct monitor *m = arg;
	json_t *rows = cli_view_apply(&m->view, json_pack("[O]", event));
	bool is_in = json_array_size(rows);

	json_decref(rows);
	if (!is_in)
		return true;
	if (m->o->is_json)
		cli_print_json(cli_schema("monitor", json_copy((json_t *)event)), true);
	else
		print_line(event);
	fflush(stdout);
	m->nr++;
	return (!m->o->count || m->nr < m->o->count) && !ferror(stdout);
}

int cli_monitor_main(int argc, char **argv)
{
	struct cli_session s;
	struct cli_options o;
	struct monitor m = { .o = &o };
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON)
		ret = cli_options_no_words(&o, 0);
	if (ret == CLI_GO_ON)
		ret = cli_view_init(&m.view, columns, ARRAY_SIZE(columns), &o);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_stream_run(&s, o.is_trace ? GPREEMPT_MONITOR_TRACE : 0, 0, print_event, &m);
	cli_session_close(&s);
	return cli_finish(ret);
}
