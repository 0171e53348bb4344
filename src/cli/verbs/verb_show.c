// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_watch.h"

#include <string.h>

static const struct cli_verb verb = {
	.name = "show",
	.usage = "gpu:ID|PID|PID/GPU/QUEUE [OPTION...]",
	.doc = "Shows everything about one device, process or queue, and why it is in its state.",
	.options = CLI_OPTS_READ,
};

static const char *const singular[CLI_OBJECT_COUNT] = {
	[CLI_OBJECT_DEVICE] = "device",
	[CLI_OBJECT_QUEUE] = "queue",
	[CLI_OBJECT_PROCESS] = "process",
};

static bool has(const json_t *row, const char *key, const char *text)
{
	const json_t *list = json_object_get(row, key);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *is = json_string_value(json_array_get(list, i));

		if (is && !strncmp(is, text, strlen(text)))
			return true;
	}
	return false;
}

static const char *text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static json_int_t number(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

/* Do both have queues on one device? */
static bool do_meet(const json_t *queues, json_int_t a, json_int_t b)
{
	for (size_t i = 0; i < json_array_size(queues); i++) {
		const json_t *x = json_array_get(queues, i);

		for (size_t k = 0; number(x, "pid") == a && k < json_array_size(queues); k++) {
			const json_t *y = json_array_get(queues, k);

			if (number(y, "pid") == b && number(x, "gpu_id") == number(y, "gpu_id"))
				return true;
		}
	}
	return false;
}

/* Those that run and are more urgent: what the scheduler stopped it for. */
static void name_urgent(const json_t *processes, const json_t *queues, const json_t *me, char *out,
			size_t size)
{
	const json_t *prio = json_object_get(json_object_get(me, "attributes"), "priority");
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(processes) && len + 48 < size; i++) {
		const json_t *p = json_array_get(processes, i);
		const json_t *other = json_object_get(json_object_get(p, "attributes"), "priority");

		if (!number(p, "nr_busy") || has(p, "held", "sched") ||
		    json_integer_value(other) <= json_integer_value(prio) ||
		    !do_meet(queues, number(p, "pid"), number(me, "pid")))
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%lld (%.15s, priority %lld)",
					len ? ", " : "", (long long)number(p, "pid"),
					text_of(p, "comm"), (long long)json_integer_value(other));
	}
}

static void explain_process(const json_t *p, const json_t *processes, const json_t *queues,
			    char *out, size_t size)
{
	char urgent[300];

	if (!strcmp(text_of(p, "mechanism"), "none")) {
		snprintf(out, size, "it is not controlled: it was not started with gpreempt run; "
			 "gpreempt attach can do it from outside");
	} else if (has(p, "held", "manual")) {
		snprintf(out, size, "stopped by hand; gpreempt resume continues it");
	} else if (has(p, "held", "sched")) {
		name_urgent(processes, queues, p, urgent, sizeof(urgent));
		snprintf(out, size, "stopped by the scheduler%s%s", *urgent ? " for " : "", urgent);
	} else if (!number(p, "nr_busy")) {
		snprintf(out, size, "it has no work");
	} else {
		snprintf(out, size, "it has work and nothing holds it");
	}
}

static void explain_device(const json_t *d, char *out, size_t size)
{
	const char *breaker = text_of(d, "breaker");

	if (json_is_false(json_object_get(d, "enabled")))
		snprintf(out, size, "scheduling is off: the driver alone decides");
	else if (*breaker && strcmp(breaker, "closed"))
		snprintf(out, size, "breaker %s: %s", breaker, text_of(d, "breaker_reason"));
	else
		snprintf(out, size, "scheduling is on");
}

static void explain_queue(const json_t *q, char *out, size_t size)
{
	if (has(q, "held", "manual"))
		snprintf(out, size, "stopped by hand; gpreempt resume continues it");
	else if (has(q, "held", "sched"))
		snprintf(out, size, "its process is stopped by the scheduler");
	else if (!strncmp(text_of(q, "type"), "sdma", 4))
		snprintf(out, size, "copy queues are never stopped");
	else
		snprintf(out, size, "nothing holds it");
}

static void print_pair(const char *name, const char *value, const char *source)
{
	if (source)
		printf("%18s: %s  [%s]\n", name, value, source);
	else
		printf("%18s: %s\n", name, value);
}

/* Every column there can be, also those that list does not show. */
static void print_row(const struct cli_objects *k, const json_t *row)
{
	const json_t *sources = json_object_get(row, "source");
	char text[CLI_CELL_MAX];

	for (u32 i = 0; i < k->nr_columns; i++) {
		const struct cli_column *c = &k->columns[i];

		/* They are sentences: print_notes(). */
		if (!strcmp(c->name, "notes"))
			continue;
		print_pair(c->name, cli_format_value(cli_column_value(c, row), c->kind, text),
			   json_string_value(json_object_get(sources, c->name)));
	}
}

static void print_notes(const json_t *row)
{
	const json_t *notes = json_object_get(row, "notes");
	char text[CLI_CELL_MAX];

	for (size_t i = 0; i < json_array_size(notes); i++)
		printf("%18s  %s\n", i ? "" : "note:",
		       cli_format_value(json_array_get(notes, i), CLI_COLUMN_TEXT, text));
}

/* The queues of a process, or of a device. */
static json_t *queues_of(const json_t *all, const struct cli_object_ref *ref)
{
	const char *key = ref->kind == CLI_OBJECT_DEVICE ? "gpu_id" : "pid";
	u32 id = ref->kind == CLI_OBJECT_DEVICE ? ref->gpu_id : ref->pid;
	json_t *out = json_array();

	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *q = json_array_get(all, i);

		if (number(q, key) == id)
			json_array_append(out, q);
	}
	return out;
}

static void print_object(const struct cli_object_ref *ref, const json_t *row, const json_t *queues,
			 const char *why, const struct cli_options *o)
{
	struct cli_options plain = { .color = o->color };
	struct cli_view view;

	printf("%s %s\n", singular[ref->kind], ref->text);
	print_pair("why", why, NULL);
	print_row(&cli_objects[ref->kind], row);
	print_notes(row);
	if (!json_array_size(queues))
		return;
	putchar('\n');
	cli_view_init(&view, cli_objects[CLI_OBJECT_QUEUE].columns,
		      cli_objects[CLI_OBJECT_QUEUE].nr_columns, &plain);
	cli_view_print(&view, queues, &plain);
}

static int show_row(const struct cli_object_ref *ref, json_t *row, const json_t *rows,
		    const json_t *all_queues, const struct cli_options *o)
{
	json_t *queues = ref->kind == CLI_OBJECT_QUEUE ? json_array() : queues_of(all_queues, ref);
	char why[512];

	if (ref->kind == CLI_OBJECT_PROCESS)
		explain_process(row, rows, all_queues, why, sizeof(why));
	else if (ref->kind == CLI_OBJECT_DEVICE)
		explain_device(row, why, sizeof(why));
	else
		explain_queue(row, why, sizeof(why));
	if (o->is_json)
		return cli_print_json(
			cli_schema("show", json_pack("{s:s, s:s, s:O, s:o}", "kind",
						     singular[ref->kind], "why", why,
						     singular[ref->kind], row, "queues", queues)),
			cli_watch_is_line(o));
	print_object(ref, row, queues, why, o);
	json_decref(queues);
	return cli_finish(CLI_EXIT_OK);
}

static int show_once(struct cli_session *s, const struct cli_options *o, void *arg)
{
	const struct cli_object_ref *ref = arg;
	json_t *rows, *queues, *row;
	int ret = cli_objects_get(s, ref->kind, o, &rows);

	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_objects_get(s, CLI_OBJECT_QUEUE, o, &queues);
	if (ret == CLI_GO_ON) {
		row = cli_object_find(rows, ref);
		if (row) {
			ret = show_row(ref, row, rows, queues, o);
		} else {
			cli_error(ref->text, "no such %s; see gpreempt list",
				  singular[ref->kind]);
			ret = CLI_EXIT_NOT_FOUND;
		}
		json_decref(queues);
	}
	json_decref(rows);
	return ret;
}

int cli_show_main(int argc, char **argv)
{
	struct cli_object_ref ref;
	struct cli_session s;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON && !o.nr_words) {
		cli_error("show", "which object? see gpreempt list");
		return CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON)
		ret = cli_options_no_words(&o, 1);
	if (ret == CLI_GO_ON)
		ret = cli_object_parse(o.words[0], &ref);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, true);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_watch(&s, &o, show_once, &ref);
	cli_session_close(&s);
	return ret;
}
