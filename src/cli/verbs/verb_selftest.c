// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"
#include "cli/verbs/verb_selftest.h"

#include "driver/system.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_COUNT 100

static const char *const colors[KIT_RESULTS] = {
	[KIT_OK] = "32",
	[KIT_SKIP] = "33",
	[KIT_FAIL] = "31",
};

/* "ok    update       stopped and continued 20 times, ..." */
static void print_rung(const struct cli_selftest *t, const struct kit_rung *rung,
		       const struct kit_report *r)
{
	const char *result = kit_result_names[r->result];

	if (t->o->is_json || (t->o->is_quiet && r->result != KIT_FAIL))
		return;
	if (cli_use_color(t->o))
		printf("\033[%sm%-4s\033[0m", colors[r->result], result);
	else
		printf("%-4s", result);
	printf("  %-10s  %s%s%s\n", rung->name, r->text, *r->remedy ? "; try " : "", r->remedy);
	fflush(stdout);
}

/* A stop before each rung, for a careful user. False = no more. */
static bool may_go(const struct cli_selftest *t, const struct kit_rung *rung)
{
	int c;

	if (!t->o->is_stepwise)
		return true;
	fprintf(stderr, "next: %s: %s [return]\n", rung->name, rung->doc);
	do
		c = getchar();
	while (c != '\n' && c != EOF);
	return c != EOF;
}

static bool climb(struct cli_selftest *t, const struct kit_rung *rung)
{
	struct kit_report *r = &t->report[t->nr];

	if (!may_go(t, rung))
		return false;
	kit_climb_rung(&t->climb, rung, r);
	t->rung[t->nr++] = rung;
	print_rung(t, rung, r);
	return r->result != KIT_FAIL;
}

static void climb_all(struct cli_selftest *t)
{
	bool goes_on = climb(t, &cli_rung_machine);

	for (const struct kit_rung *rung = kit_rungs; goes_on && rung->name; rung++)
		goes_on = t->nr < CLI_SELFTEST_RUNGS && climb(t, rung);
	t->is_complete = goes_on;
}

/* What stopped its own queue here, in words. */
static void list_ways(const struct cli_selftest *t, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (u32 i = 0; i < KIT_WAYS; i++)
		if (t->climb.ways >> i & 1)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "",
						kit_way_names[i]);
}

static bool has_stopped(const struct cli_selftest *t)
{
	for (u32 i = 0; i < t->nr; i++)
		if (t->rung[i]->ways && t->report[i].result != KIT_SKIP &&
		    !(i == t->nr - 1 && t->report[i].is_refused))
			return true;
	return false;
}

static const char *say_failure(const struct cli_selftest *t)
{
	if (!has_stopped(t))
		return "nothing was preempted on this GPU";
	return t->report[t->nr - 1].is_refused ? "that says nothing of this GPU" :
						 "do not use gpreempt on this GPU yet";
}

void cli_selftest_end(const struct cli_selftest *t, char *out, size_t size)
{
	char ways[64];

	list_ways(t, ways, sizeof(ways));
	if (t->is_complete)
		snprintf(out, size, "preemption works on this GPU (%s); nothing was lost", ways);
	else if (t->nr && t->report[t->nr - 1].result == KIT_FAIL)
		snprintf(out, size, "stopped at %s; %s", t->rung[t->nr - 1]->name, say_failure(t));
	else
		snprintf(out, size, "ended by the user after %u rungs", t->nr);
}

static void print_end(const struct cli_selftest *t)
{
	char text[512];

	cli_selftest_end(t, text, sizeof(text));
	if (!t->o->is_quiet || !t->is_complete)
		printf("%s\n", text);
}

static json_t *series_json(const struct kit_series *s)
{
	json_t *ns = json_array();

	for (u32 i = 0; i < s->nr; i++)
		json_array_append_new(ns, json_integer((json_int_t)s->ns[i]));
	return json_pack("{s:s, s:I, s:i, s:o}", "name", s->name, "bytes", (json_int_t)s->bytes,
			 "waves", (int)s->waves, "ns", ns);
}

static json_t *rung_json(const struct kit_rung *rung, const struct kit_report *r)
{
	json_t *series = json_array();

	for (u32 i = 0; i < r->nr_series; i++)
		json_array_append_new(series, series_json(&r->series[i]));
	return json_pack("{s:s, s:s, s:s, s:s?, s:I, s:I, s:I, s:o}", "name", rung->name, "result",
			 kit_result_names[r->result], "text", r->text, "remedy",
			 *r->remedy ? r->remedy : NULL, "ns", (json_int_t)r->ns, "stops",
			 (json_int_t)r->stops, "waves", (json_int_t)r->waves, "series", series);
}

/* What kind of machine it is, and nothing about who uses it. */
static json_t *machine_json(const struct cli_selftest *t)
{
	const struct drv_node *n = t->climb.node;
	struct drv_system s;

	drv_system_read(t->climb.root, &s);
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "version",
			 GP_VERSION, "kernel", s.kernel, "driver_version", s.module_version, "gpu",
			 n->name, "nr_xcc", (json_int_t)n->nr_xcc.value, "nr_cu",
			 (json_int_t)n->nr_cu.value, "save_bytes",
			 (json_int_t)n->cwsr_bytes.value, "mec_firmware",
			 (json_int_t)n->mec_fw.value, "kfd_major", (json_int_t)s.kfd_major.value,
			 "kfd_minor", (json_int_t)s.kfd_minor.value, "sched_policy",
			 (json_int_t)s.sched_policy.value, "fill", (json_int_t)t->climb.fill);
}

static json_t *result_json(const struct cli_selftest *t)
{
	json_t *rungs = json_array(), *ways = json_array();

	for (u32 i = 0; i < t->nr; i++)
		json_array_append_new(rungs, rung_json(t->rung[i], &t->report[i]));
	for (u32 i = 0; i < KIT_WAYS; i++)
		if (t->climb.ways >> i & 1)
			json_array_append_new(ways, json_string(kit_way_names[i]));
	return json_pack("{s:o, s:b, s:o, s:o}", "machine", machine_json(t), "complete",
			 t->is_complete, "mechanisms", ways, "rungs", rungs);
}

/* The end of a climb, as the options want it. Gives the exit code. */
static int report(const struct cli_selftest *t)
{
	json_t *all = cli_schema("selftest", result_json(t));
	int err = 0;

	if (t->o->is_json) {
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
		putchar('\n');
	} else {
		print_end(t);
	}
	if (t->o->output)
		err = cli_selftest_bundle(t, t->o->output, all);
	json_decref(all);
	if (err)
		return cli_fail(t->o->output, err, NULL);
	if (t->o->output && !t->o->is_json && !t->o->is_quiet)
		printf("%s has the bundle to send: selftest.json, selftest.html; no user data\n",
		       t->o->output);
	return t->is_complete ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static int selftest(struct cli_session *s)
{
	struct drv_node *nodes = NULL;
	struct cli_selftest *t = calloc(1, sizeof(*t));
	int ret = CLI_EXIT_FAILED;
	size_t nr = 0;

	if (!t)
		return cli_fail("selftest", -ENOMEM, NULL);
	/* Another root is for tests: a machine that is not this one. */
	t->climb.root = getenv("GPREEMPT_TEST_ROOT");
	drv_discover_nodes(t->climb.root, &nodes, &nr);
	t->o = &s->o;
	t->climb.nodes = nodes;
	t->climb.nr_nodes = nr;
	t->climb.node = cli_node_choose(nodes, nr, &s->o);
	t->climb.is_shared = s->o.is_shared;
	t->climb.fill = (u32)(s->o.fill ? min(s->o.fill, (u64)100) : 100);
	t->climb.count = (u32)(s->o.count ? min(s->o.count, (u64)KIT_SAMPLES) : DEFAULT_COUNT);
	if (t->climb.node) {
		climb_all(t);
		ret = report(t);
	} else {
		cli_error("selftest", nr ? "no such device; see gpreempt list devices" :
					   "there is no AMD GPU here; try gpreempt check");
		ret = nr ? CLI_EXIT_NOT_FOUND : CLI_EXIT_UNSUPPORTED;
	}
	free(nodes);
	free(t);
	return cli_finish(ret);
}

const struct cli_verb cli_verb_selftest = {
	.name = "selftest",
	.usage = "[OPTION...]",
	.doc = "Tries preemption on a GPU, from what cannot do harm upwards, with queues and\n"
	       "kernels of its own, and stops at the first surprise. No other process is\n"
	       "touched; if one uses the GPU, nothing is stopped without --shared. Ends with 1\n"
	       "if a rung fails.",
	.example = "gpreempt selftest\n"
		   "gpreempt selftest --json --gpu 0 >selftest.json",
	.options = CLI_OPTS_SELFTEST | CLI_OPTS_JSON | CLI_OPTS_DEVICE,
	.run = selftest,
};
