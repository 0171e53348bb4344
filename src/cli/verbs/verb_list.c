// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_watch.h"

#include <string.h>

static const struct cli_verb verb = {
	.name = "list",
	.usage = "[devices|queues|procs|jobs] [OPTION...]",
	.doc = "Lists GPUs, queues, processes that have queues (procs, if nothing is said), or\n"
	       "jobs: the processes of a group.",
	.options = CLI_OPTS_READ | CLI_OPTS_TABLE | CLI_OPTS_DEVICE,
};

/**
 * struct list - what is listed
 * @kind: of object
 * @view: how
 */
struct list {
	enum cli_object_kind kind;
	struct cli_view view;
};

static int list_once(struct cli_session *s, const struct cli_options *o, void *arg)
{
	const struct list *l = arg;
	const char *name = cli_objects[l->kind].name;
	json_t *rows;
	int ret = cli_objects_get(s, l->kind, o, &rows);

	if (ret != CLI_GO_ON)
		return ret;
	rows = cli_view_apply(&l->view, rows);
	if (o->is_json) {
		json_t *shown = json_pack("{s:s, s:o}", "kind", name, name,
					  cli_view_json(&l->view, rows, o));

		return cli_print_json(cli_schema("list", shown), cli_watch_is_line(o));
	}
	cli_view_print(&l->view, rows, o);
	json_decref(rows);
	return cli_finish(CLI_EXIT_OK);
}

static int parse_kind(const struct cli_options *o, enum cli_object_kind *kind)
{
	*kind = CLI_OBJECT_PROCESS;
	if (!o->nr_words)
		return CLI_GO_ON;
	for (u32 i = 0; i < CLI_OBJECT_COUNT; i++) {
		if (!strcmp(o->words[0], cli_objects[i].name)) {
			*kind = (enum cli_object_kind)i;
			return cli_options_no_words(o, 1);
		}
	}
	cli_error(o->words[0], "list knows devices, queues, procs and jobs");
	return CLI_EXIT_USAGE;
}

int cli_list_main(int argc, char **argv)
{
	struct cli_session s;
	struct cli_options o;
	struct list l;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON)
		ret = parse_kind(&o, &l.kind);
	if (ret == CLI_GO_ON)
		ret = cli_view_init(&l.view, cli_objects[l.kind].columns,
				    cli_objects[l.kind].nr_columns, &o);
	if (ret == CLI_GO_ON && !o.sort)
		l.view.sort = &cli_objects[l.kind].columns[0];
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, true);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_watch(&s, &o, list_once, &l);
	cli_session_close(&s);
	return ret;
}
