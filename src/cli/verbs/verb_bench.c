// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"
#include "cli/verbs/verb_bench.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUEUES 4
#define DEFAULT_COUNT 50

static const struct cli_column columns[] = {
	{ "name", "MECHANISM", NULL, CLI_COLUMN_TEXT, false },
	{ "what", "CALL", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_queues", "QUEUES", NULL, CLI_COLUMN_INT, false },
	{ "cycles", "CYCLES", NULL, CLI_COLUMN_INT, false },
	{ "count", "COUNT", NULL, CLI_COLUMN_INT, false },
	{ "stop_p50_ns", "STOP_P50", NULL, CLI_COLUMN_NS, false },
	{ "stop_p99_ns", "STOP_P99", NULL, CLI_COLUMN_NS, false },
	{ "resume_p50_ns", "RESUME_P50", NULL, CLI_COLUMN_NS, false },
	{ "resume_p99_ns", "RESUME_P99", NULL, CLI_COLUMN_NS, false },
	{ "result", "RESULT", NULL, CLI_COLUMN_TEXT, true },
	{ "reason", "NOT_BECAUSE", NULL, CLI_COLUMN_TEXT, false },
};

static void add_percentiles(json_t *row, const struct cli_bench_result *r)
{
	static const char *const keys[CLI_BENCH_SIDE_COUNT][2] = {
		{ "stop_p50_ns", "stop_p99_ns" },
		{ "resume_p50_ns", "resume_p99_ns" },
	};

	for (u32 side = 0; side < CLI_BENCH_SIDE_COUNT; side++) {
		for (u32 i = 0; i < 2; i++) {
			u32 at = i ? r->nr * 99 / 100 : r->nr / 2;

			json_object_set_new(row, keys[side][i],
					    r->err ? json_null() :
						     json_integer((json_int_t)r->ns[side][at]));
		}
	}
}

static json_t *measure(const struct cli_bench_way *way, const struct drv_node *node, u32 nr_queues,
		       u32 count)
{
	static struct cli_bench_result r;
	u32 nr = way->is_batch ? nr_queues : 1;
	const char *reason = way->reason;
	char text[160];
	json_t *row;

	memset(&r, 0, sizeof(r));
	r.err = -EOPNOTSUPP;
	if (way->run) {
		cli_bench_try(way, node, nr_queues, count, &r);
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

static int bench_node(struct cli_session *s, const struct drv_node *node)
{
	u32 nr_queues = (u32)(s->o.nr_queues ? s->o.nr_queues : DEFAULT_QUEUES);
	u32 count = (u32)(s->o.count ? s->o.count : DEFAULT_COUNT);
	json_t *rows = json_array();
	char id[24];

	for (u32 i = 0; i < cli_bench_nr_ways; i++)
		json_array_append_new(rows, measure(&cli_bench_ways[i], node, nr_queues, count));
	snprintf(id, sizeof(id), "gpu:%u", node->gpu_id);
	return cli_session_show(s, "bench", json_pack("{s:s}", "device", id), "mechanisms",
				cli_view_apply(&s->view, rows));
}

static int mechanisms(struct cli_session *s)
{
	const struct drv_node *node;
	struct drv_node *nodes = NULL;
	size_t nr = 0;
	int ret;

	if (s->o.nr_queues > CLI_BENCH_QUEUES || s->o.count > CLI_BENCH_SAMPLES) {
		cli_error("bench", "at most %d queues and %d samples", CLI_BENCH_QUEUES,
			  CLI_BENCH_SAMPLES);
		return CLI_EXIT_USAGE;
	}
	drv_discover_nodes(NULL, &nodes, &nr);
	node = cli_node_choose(nodes, nr, &s->o);
	if (node) {
		ret = bench_node(s, node);
	} else {
		cli_error("bench", nr ? "no such device; see gpreempt list devices" :
					   "there is no AMD GPU here; try gpreempt check");
		ret = nr ? CLI_EXIT_NOT_FOUND : CLI_EXIT_UNSUPPORTED;
	}
	free(nodes);
	return ret;
}

const struct cli_verb cli_verb_bench = {
	.name = "bench mechanisms",
	.usage = "[OPTION...]",
	.doc = "Measures what each way to stop a queue costs on this machine's driver, on one\n"
	       "queue and on several, with queues of its own that have no work: the calls, the\n"
	       "firmware and the runlist, without waves to save. Others on the GPU are\n"
	       "interrupted each time.",
	.example = "gpreempt bench mechanisms --gpu 0 --json",
	.options = CLI_OPTS_BENCH | CLI_OPTS_JSON | CLI_OPTS_TABLE | CLI_OPTS_DEVICE,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = mechanisms,
};
