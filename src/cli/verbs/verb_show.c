// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <string.h>

static const char *const singular[CLI_OBJECT_COUNT] = {
	[CLI_OBJECT_DEVICE] = "device",
	[CLI_OBJECT_QUEUE] = "queue",
	[CLI_OBJECT_PROCESS] = "process",
};

/* Do both have queues on one device? */
static bool do_meet(const json_t *queues, json_int_t a, json_int_t b)
{
	for (size_t i = 0; i < json_array_size(queues); i++) {
		const json_t *x = json_array_get(queues, i);

		for (size_t k = 0; cli_number(x, "pid") == a && k < json_array_size(queues); k++) {
			const json_t *y = json_array_get(queues, k);

			if (cli_number(y, "pid") == b &&
			    cli_number(x, "gpu_id") == cli_number(y, "gpu_id"))
				return true;
		}
	}
	return false;
}

/* Those that run and are more urgent: what the scheduler stopped it for. */
static void name_urgent(const json_t *processes, const json_t *queues, const json_t *me, char *out,
			size_t size)
{
	json_int_t prio = cli_number(json_object_get(me, "attributes"), "priority");
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(processes) && len + 48 < size; i++) {
		const json_t *p = json_array_get(processes, i);
		json_int_t other = cli_number(json_object_get(p, "attributes"), "priority");

		if (!cli_number(p, "nr_busy") || cli_has(p, "held", "sched") || other <= prio ||
		    !do_meet(queues, cli_number(p, "pid"), cli_number(me, "pid")))
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%lld (%.15s, priority %lld)",
					len ? ", " : "", cli_number(p, "pid"), cli_text(p, "comm"),
					other);
	}
}

static void explain_process(const json_t *p, const json_t *processes, const json_t *queues,
			    char *out, size_t size)
{
	char urgent[300];

	if (!strcmp(cli_text(p, "mechanism"), "none")) {
		snprintf(out, size, "it is not controlled: it was not started with gpreempt run; "
			 "gpreempt attach can do it from outside");
	} else if (cli_has(p, "held", "manual")) {
		snprintf(out, size, "stopped by hand; gpreempt resume continues it");
	} else if (cli_has(p, "held", "sched")) {
		name_urgent(processes, queues, p, urgent, sizeof(urgent));
		snprintf(out, size, "stopped by the scheduler%s%s", *urgent ? " for " : "", urgent);
	} else if (!cli_number(p, "nr_busy")) {
		snprintf(out, size, "it has no work");
	} else {
		snprintf(out, size, "it has work and nothing holds it");
	}
}

static void explain_device(const json_t *d, char *out, size_t size)
{
	const char *breaker = cli_text(d, "breaker");

	if (json_is_false(json_object_get(d, "enabled")))
		snprintf(out, size, "scheduling is off: the driver alone decides");
	else if (*breaker && strcmp(breaker, "closed"))
		snprintf(out, size, "breaker %s: %s", breaker, cli_text(d, "breaker_reason"));
	else
		snprintf(out, size, "scheduling is on");
}

static void explain_queue(const json_t *q, char *out, size_t size)
{
	if (cli_has(q, "held", "manual"))
		snprintf(out, size, "stopped by hand; gpreempt resume continues it");
	else if (cli_has(q, "held", "sched"))
		snprintf(out, size, "its process is stopped by the scheduler");
	else if (!strncmp(cli_text(q, "type"), "sdma", 4))
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

		if (cli_number(q, key) == id)
			json_array_append(out, q);
	}
	return out;
}

static void print_object(struct cli_session *s, const struct cli_object_ref *ref,
			 const json_t *row, const json_t *queues, const char *why)
{
	printf("%s %s\n", singular[ref->kind], ref->text);
	print_pair("why", why, NULL);
	print_row(&cli_objects[ref->kind], row);
	print_notes(row);
	if (!json_array_size(queues))
		return;
	putchar('\n');
	cli_view_init(&s->view, cli_objects[CLI_OBJECT_QUEUE].columns,
		      cli_objects[CLI_OBJECT_QUEUE].nr_columns, &s->o);
	cli_view_print(&s->view, queues, &s->o);
}

static int show_row(struct cli_session *s, const struct cli_object_ref *ref, json_t *row,
		    const json_t *rows, const json_t *all_queues)
{
	json_t *queues = ref->kind == CLI_OBJECT_QUEUE ? json_array() : queues_of(all_queues, ref);
	const char *kind = singular[ref->kind];
	char why[512];

	if (ref->kind == CLI_OBJECT_PROCESS)
		explain_process(row, rows, all_queues, why, sizeof(why));
	else if (ref->kind == CLI_OBJECT_DEVICE)
		explain_device(row, why, sizeof(why));
	else
		explain_queue(row, why, sizeof(why));
	if (s->o.is_json)
		return cli_print_json("show",
				      json_pack("{s:s, s:s, s:O, s:o}", "kind", kind, "why", why,
						kind, row, "queues", queues),
				      s->is_repeated);
	print_object(s, ref, row, queues, why);
	json_decref(queues);
	return cli_finish(CLI_EXIT_OK);
}

static int show(struct cli_session *s)
{
	struct cli_object_ref ref;
	json_t *rows, *queues, *row;
	u64 gpu_id;
	int ret;

	cli_object_parse(s->o.words[0], &ref);
	if (ref.kind == CLI_OBJECT_DEVICE && !ref.gpu_id) {
		ret = cli_objects_find_gpu(s, ref.text, &gpu_id);
		if (ret != CLI_GO_ON)
			return ret;
		ref.gpu_id = (u32)gpu_id;
	}
	ret = cli_objects_get(s, ref.kind, &rows);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_objects_get(s, CLI_OBJECT_QUEUE, &queues);
	if (ret == CLI_GO_ON) {
		row = cli_object_find(rows, &ref);
		if (row) {
			ret = show_row(s, &ref, row, rows, queues);
		} else {
			cli_error(ref.text, "no such %s; see gpreempt list", singular[ref.kind]);
			ret = CLI_EXIT_NOT_FOUND;
		}
		json_decref(queues);
	}
	json_decref(rows);
	return ret;
}

static int prepare(struct cli_session *s)
{
	struct cli_object_ref ref;

	if (s->o.nr_words)
		return cli_object_parse(s->o.words[0], &ref);
	cli_error("show", "which object? see gpreempt list");
	return CLI_EXIT_USAGE;
}

const struct cli_verb cli_verb_show = {
	.name = "show",
	.usage = "gpu:ID|PID|PID/GPU/QUEUE [OPTION...]",
	.doc = "Shows everything about one device, process or queue, and why it is in its state.",
	.example = "gpreempt show 4711\n"
		   "gpreempt show gpu:51234",
	.options = CLI_OPTS_READ,
	.nr_words = 1,
	.partner = CLI_PARTNER_ANY,
	.prepare = prepare,
	.run = show,
};
