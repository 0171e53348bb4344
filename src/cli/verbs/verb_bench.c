// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_bench_way.h"
#include "cli/cli_session.h"
#include "cli/cli_view.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUEUES 4
#define DEFAULT_COUNT 50

static const struct gp_verb verb = {
	.name = "bench mechanisms",
	.usage = "[OPTION...]",
	.doc = "Measures what each way to stop a queue costs on this machine's driver, on one\n"
	       "queue and on several, with queues of its own that have no work: the calls, the\n"
	       "firmware and the runlist, without waves to save. Others on the GPU are\n"
	       "interrupted each time.",
	.options = GP_OPTS_BENCH | GP_OPTS_JSON | GP_OPTS_TABLE | GP_OPTS_DEVICE,
};

static const struct gp_column columns[] = {
	{ "name", "MECHANISM", NULL, GP_COLUMN_TEXT, false },
	{ "what", "CALL", NULL, GP_COLUMN_TEXT, false },
	{ "nr_queues", "QUEUES", NULL, GP_COLUMN_INT, false },
	{ "cycles", "CYCLES", NULL, GP_COLUMN_INT, false },
	{ "count", "COUNT", NULL, GP_COLUMN_INT, false },
	{ "stop_p50_ns", "STOP_P50", NULL, GP_COLUMN_NS, false },
	{ "stop_p99_ns", "STOP_P99", NULL, GP_COLUMN_NS, false },
	{ "resume_p50_ns", "RESUME_P50", NULL, GP_COLUMN_NS, false },
	{ "resume_p99_ns", "RESUME_P99", NULL, GP_COLUMN_NS, false },
	{ "result", "RESULT", NULL, GP_COLUMN_TEXT, true },
	{ "reason", "NOT_BECAUSE", NULL, GP_COLUMN_TEXT, false },
};

static void add_percentiles(json_t *row, const struct gp_bench_result *r)
{
	static const char *const keys[GP_BENCH_SIDE_COUNT][2] = {
		{ "stop_p50_ns", "stop_p99_ns" },
		{ "resume_p50_ns", "resume_p99_ns" },
	};

	for (u32 side = 0; side < GP_BENCH_SIDE_COUNT; side++) {
		for (u32 i = 0; i < 2; i++) {
			u32 at = i ? r->nr * 99 / 100 : r->nr / 2;

			json_object_set_new(row, keys[side][i],
					    r->err ? json_null() :
						     json_integer((json_int_t)r->ns[side][at]));
		}
	}
}

static json_t *measure(const struct gp_bench_way *way, const struct gp_node *node, u32 nr_queues,
		       u32 count)
{
	static struct gp_bench_result r;
	u32 nr = way->is_batch ? nr_queues : 1;
	const char *reason = way->reason;
	char text[160];
	json_t *row;

	memset(&r, 0, sizeof(r));
	r.err = -EOPNOTSUPP;
	if (way->run) {
		gp_bench_try(way, node, nr_queues, count, &r);
		snprintf(text, sizeof(text), "%s: %s", r.step, strerror(-r.err));
		reason = r.err ? text : NULL;
	}
	row = json_pack("{s:s, s:s, s:s, s:s?, s:I, s:i}", "name", way->name, "what", way->what,
			"result", r.err ? "unavailable" : "measured", "reason", reason, "nr_queues",
			(json_int_t)nr, "count", r.err ? 0 : (int)r.nr);
	json_object_set_new(row, "cycles", r.err ? json_null() :
					   json_integer(way->is_one_cycle ? 1 : nr));
	add_percentiles(row, &r);
	return row;
}

static const struct gp_node *choose(const struct gp_node *nodes, size_t nr, u64 gpu_id)
{
	for (size_t i = 0; i < nr; i++) {
		if (!gpu_id || nodes[i].gpu_id == gpu_id)
			return &nodes[i];
	}
	return NULL;
}

static int print(const struct gp_options *o, const struct gp_view *view, json_t *rows, u32 gpu_id)
{
	char id[24];

	snprintf(id, sizeof(id), "gpu:%u", gpu_id);
	rows = gp_view_apply(view, rows);
	if (o->is_json)
		return gp_print_json(gp_schema("bench", json_pack("{s:s, s:o}", "device", id,
								  "mechanisms",
								  gp_view_json(view, rows, o))),
				     false);
	gp_view_print(view, rows, o);
	json_decref(rows);
	return gp_cli_finish(GP_EXIT_OK);
}

static int bench_node(const struct gp_options *o, const struct gp_view *view,
		      const struct gp_node *node)
{
	u32 nr_queues = (u32)(o->nr_queues ? o->nr_queues : DEFAULT_QUEUES);
	u32 count = (u32)(o->count ? o->count : DEFAULT_COUNT);
	json_t *rows = json_array();

	for (u32 i = 0; i < gp_bench_nr_ways; i++)
		json_array_append_new(rows, measure(&gp_bench_ways[i], node, nr_queues, count));
	return print(o, view, rows, node->gpu_id);
}

static int mechanisms(int argc, char **argv)
{
	const struct gp_node *node;
	struct gp_node *nodes = NULL;
	struct gp_view view;
	struct gp_options o;
	size_t nr = 0;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret == GP_GO_ON)
		ret = gp_options_no_words(&o, 0);
	if (ret == GP_GO_ON)
		ret = gp_view_init(&view, columns, ARRAY_SIZE(columns), &o);
	if (ret != GP_GO_ON)
		return ret;
	if (o.nr_queues > GP_BENCH_QUEUES || o.count > GP_BENCH_SAMPLES) {
		gp_cli_error("bench", "at most %d queues and %d samples", GP_BENCH_QUEUES,
			     GP_BENCH_SAMPLES);
		return GP_EXIT_USAGE;
	}
	gp_discover_nodes(NULL, &nodes, &nr);
	node = choose(nodes, nr, o.device);
	if (node) {
		ret = bench_node(&o, &view, node);
	} else {
		gp_cli_error("bench", nr ? "no such device; see gpreempt list devices" :
					   "there is no AMD GPU here; try gpreempt check");
		ret = nr ? GP_EXIT_NOT_FOUND : GP_EXIT_UNSUPPORTED;
	}
	free(nodes);
	return ret;
}

int gp_bench_main(int argc, char **argv)
{
	static const struct gp_command commands[] = {
		{ "mechanisms", mechanisms, "cost of each way to stop a queue" },
		{ NULL, NULL, NULL },
	};

	return gp_command_run("gpreempt bench", commands, argc - 1, argv + 1);
}
