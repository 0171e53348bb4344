// SPDX-License-Identifier: MIT
#include "cli/cli_class.h"
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"
#include "rules/guess.h"
#include "rules/text.h"

#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, TIME, NAME, BOOL };

static const struct {
	const char *word;
	const char *key;
	enum kind kind;
} keys[] = {
	{ "prio", "priority", NUMBER },
	{ "priority", "priority", NUMBER },
	{ "weight", "weight", NUMBER },
	{ "slice", "slice_ns", TIME },
	{ "deadline", "deadline_ns", TIME },
	{ "class", "class", NAME },
	{ "group", "group", NAME },
	{ "critical", "latency_critical", BOOL },
	{ "latency_critical", "latency_critical", BOOL },
};

/* NULL: the value is not of this kind. */
static json_t *parse_value(enum kind kind, const char *text)
{
	bool is_set;
	u64 v;

	switch (kind) {
	case NUMBER:
		if (gp_text_read_u64(text, 0, INT32_MAX, &v))
			return NULL;
		return json_integer((json_int_t)v);
	case TIME:
		/* 5 of what? A slice of seconds is hardly meant. */
		if (gp_text_read_time(text, 0, &v) || v > INT64_MAX)
			return NULL;
		return json_integer((json_int_t)v);
	case NAME:
		return json_string(text);
	case BOOL:
		return gp_text_read_bool(text, &is_set) ? NULL : json_boolean(is_set);
	}
	return NULL;
}

static int refuse(const char *word, u32 i)
{
	static const char *const wanted[] = {
		[NUMBER] = "a number",
		[TIME] = "a time such as 5ms",
		[NAME] = "a name",
		[BOOL] = "yes or no",
	};

	cli_error(word, "%s is %s", keys[i].word,
		  strcmp(keys[i].key, "priority") ? wanted[keys[i].kind] : "a number from 0 to 15");
	return CLI_EXIT_USAGE;
}

int cli_set_pair(json_t *attributes, const char *word)
{
	size_t len = strcspn(word, "=");
	struct gp_guess guess;
	char name[41];

	snprintf(name, sizeof(name), "%.*s", (int)min(len, (size_t)40), word);

	for (u32 i = 0; word[len] && i < ARRAY_SIZE(keys); i++) {
		json_t *value;

		if (strlen(keys[i].word) != len || strncmp(keys[i].word, word, len))
			continue;
		value = parse_value(keys[i].kind, word + len + 1);
		if (value && !strcmp(keys[i].key, "priority") &&
		    json_integer_value(value) > GPREEMPT_PRIO_MAX) {
			json_decref(value);
			value = NULL;
		}
		if (!value)
			return refuse(word, i);
		json_object_set_new(attributes, keys[i].key, value);
		return CLI_GO_ON;
	}
	gp_guess_init(&guess, name);
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		gp_guess_try(&guess, keys[i].word);
	cli_error(word, "not KEY=VALUE of a process%s",
		  guess.best ? gp_guess_text(&guess) : "; try gpreempt set --help");
	return CLI_EXIT_USAGE;
}

/* "prio 5 -> 9", for what changed. */
static void print_changes(const char *pid, const json_t *reply, bool is_dry)
{
	json_t *old = json_object_get(reply, "old"), *new = json_object_get(reply, "new");
	char from[CLI_CELL_MAX], to[CLI_CELL_MAX];
	bool any = false;
	const char *key;
	json_t *value;

	json_object_foreach(new, key, value) {
		enum cli_column_kind kind = strstr(key, "_ns") ? CLI_COLUMN_NS : CLI_COLUMN_INT;

		if (json_equal(json_object_get(old, key), value))
			continue;
		printf("%s%s: %s %s -> %s\n", is_dry ? "would change " : "", pid, key,
		       cli_format_value(json_object_get(old, key), kind, from),
		       cli_format_value(value, kind, to));
		any = true;
	}
	if (!any)
		printf("%s: nothing changes\n", pid);
}

static int change(struct cli_session *s, const char *pid, json_t *attributes)
{
	json_t *parameters = json_pack("{s:I, s:O, s:b}", "pid", (json_int_t)strtoll(pid, NULL, 10),
				       "attributes", attributes, "dry_run", s->o.is_dry_run);
	json_t *reply;
	int ret = cli_session_call(s, pid, "SetAttributes", parameters, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	if (s->o.is_json)
		return cli_print_json("set", reply, s->o.job);
	if (!s->o.is_quiet)
		print_changes(pid, reply, s->o.is_dry_run);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

/* Attributes belong to a process: that of the queue, if it is there. */
static int find_queue(struct cli_session *s)
{
	struct cli_object_ref ref;
	json_t *queues;
	int ret = cli_object_parse(s->o.queue, &ref);

	if (ret == CLI_GO_ON && ref.kind != CLI_OBJECT_QUEUE) {
		cli_error(s->o.queue, "not PID/GPU/QUEUE");
		ret = CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_QUEUE, &queues);
	if (ret != CLI_GO_ON)
		return ret;
	if (cli_object_find(queues, &ref)) {
		s->o.pid = ref.pid;
	} else {
		cli_error(s->o.queue, "no such queue");
		ret = CLI_EXIT_NOT_FOUND;
	}
	json_decref(queues);
	return ret;
}

/* The pids that are meant, as texts. */
static int find_targets(struct cli_session *s, json_t **pids)
{
	char number[GP_TEXT_NUMBER_MAX];
	int ret = CLI_GO_ON;

	if (s->o.job)
		return cli_jobs_pids(s, s->o.job, pids);
	if (s->o.queue)
		ret = find_queue(s);
	if (ret == CLI_GO_ON)
		*pids = json_pack("[s]", gp_text_u64(s->o.pid, number));
	return ret;
}

static int change_all(struct cli_session *s, json_t *attributes)
{
	json_t *pids;
	int ret = find_targets(s, &pids);

	if (ret != CLI_GO_ON)
		return ret;
	ret = CLI_EXIT_OK;
	for (size_t i = 0; ret == CLI_EXIT_OK && i < json_array_size(pids); i++)
		ret = change(s, json_string_value(json_array_get(pids, i)), attributes);
	json_decref(pids);
	return ret;
}

/* The first word becomes --pid, if no option names the process. */
static int parse_target(struct cli_options *o)
{
	struct cli_object_ref ref = { .kind = CLI_OBJECT_PROCESS };
	int ret = CLI_GO_ON;

	if (!o->pid && !o->queue && !o->job && o->nr_words) {
		ret = cli_object_parse(o->words[0], &ref);
		o->pid = ref.pid;
		o->words++;
		o->nr_words--;
	}
	if (ret != CLI_GO_ON || (ref.kind == CLI_OBJECT_PROCESS && !ref.gpu_id && o->nr_words &&
				 !!o->pid + !!o->queue + !!o->job == 1))
		return ret;
	cli_error("set", "attributes belong to a process: gpreempt set PID KEY=VALUE...");
	return CLI_EXIT_USAGE;
}

static int set(struct cli_session *s)
{
	json_t *attributes;
	int ret;

	if (s->o.nr_words && cli_cgroup_path(s->o.words[0]))
		return cli_cgroup_set(s);
	attributes = json_object();
	ret = parse_target(&s->o);

	for (int i = 0; ret == CLI_GO_ON && i < s->o.nr_words; i++)
		ret = cli_set_pair(attributes, s->o.words[i]);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(s, false);
	if (ret == CLI_GO_ON && *cli_text(attributes, "class"))
		ret = cli_class_check(s->g, "class", cli_text(attributes, "class"));
	if (ret == CLI_GO_ON)
		ret = change_all(s, attributes);
	json_decref(attributes);
	return ret;
}

const struct cli_verb cli_verb_set = {
	.name = "set",
	.usage = "PID KEY=VALUE... | --pid|--queue|--job ID KEY=VALUE... |\n"
		 "       gpreempt set cgroup:PATH KEY=VALUE... [OPTION...]",
	.doc = "Changes attributes of a process, or of each of a job: prio=0..15, class=NAME, "
	       "weight=1..10000, slice=TIME,\n"
	       "deadline=TIME, group=NAME (group= for none), critical=yes|no. Raising a priority\n"
	       "above the default needs privilege.\n"
	       "Of a cgroup: weight=1..10000, max=\"QUOTA PERIOD\" and latency=N in microseconds,\n"
	       "idle=0|1, as cpu.weight, cpu.max, io.latency and cpu.idle; without a value it is\n"
	       "taken back. Needs privilege.",
	.example = "gpreempt set 4711 class=besteffort\n"
		   "gpreempt set --job nightly weight=50\n"
		   "gpreempt set cgroup:/serving max=\"50000 100000\"",
	.options = CLI_OPTS_DRY | CLI_OPTS_PID | CLI_OPTS_JSON,
	.nr_words = CLI_WORDS_ANY,
	.run = set,
};
