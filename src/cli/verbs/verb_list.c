// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_watch.h"

#include <string.h>

static const struct gp_verb verb = {
	.name = "list",
	.usage = "[devices|queues|procs|jobs] [OPTION...]",
	.doc = "Lists GPUs, queues, processes that have queues (procs, if nothing is said), or\n"
	       "jobs: the processes of a group.",
	.options = GP_OPTS_READ | GP_OPTS_TABLE | GP_OPTS_DEVICE,
};

/**
 * struct list - what is listed
 * @kind: of object
 * @view: how
 */
struct list {
	enum gp_object_kind kind;
	struct gp_view view;
};

static int list_once(struct gp_session *s, const struct gp_options *o, void *arg)
{
	const struct list *l = arg;
	const char *name = gp_objects[l->kind].name;
	json_t *rows;
	int ret = gp_objects_get(s, l->kind, o, &rows);

	if (ret != GP_GO_ON)
		return ret;
	rows = gp_view_apply(&l->view, rows);
	if (o->is_json)
		return gp_print_json(gp_schema("list", json_pack("{s:s, s:o}", "kind", name, name,
								 gp_view_json(&l->view, rows, o))),
				     gp_watch_is_line(o));
	gp_view_print(&l->view, rows, o);
	json_decref(rows);
	return gp_cli_finish(GP_EXIT_OK);
}

static int parse_kind(const struct gp_options *o, enum gp_object_kind *kind)
{
	*kind = GP_OBJECT_PROCESS;
	if (!o->nr_words)
		return GP_GO_ON;
	for (u32 i = 0; i < GP_OBJECT_COUNT; i++) {
		if (!strcmp(o->words[0], gp_objects[i].name)) {
			*kind = (enum gp_object_kind)i;
			return gp_options_no_words(o, 1);
		}
	}
	gp_cli_error(o->words[0], "list knows devices, queues, procs and jobs");
	return GP_EXIT_USAGE;
}

int gp_list_main(int argc, char **argv)
{
	struct gp_session s;
	struct gp_options o;
	struct list l;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret == GP_GO_ON)
		ret = parse_kind(&o, &l.kind);
	if (ret == GP_GO_ON)
		ret = gp_view_init(&l.view, gp_objects[l.kind].columns,
				   gp_objects[l.kind].nr_columns, &o);
	if (ret == GP_GO_ON && !o.sort)
		l.view.sort = &gp_objects[l.kind].columns[0];
	if (ret == GP_GO_ON)
		ret = gp_session_open(&s, &o, true);
	if (ret != GP_GO_ON)
		return ret;
	ret = gp_watch(&s, &o, list_once, &l);
	gp_session_close(&s);
	return ret;
}
