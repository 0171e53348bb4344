// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <string.h>
#include <unistd.h>

/* CLI_OBJECT_COUNT: there is no such kind. */
static enum cli_object_kind parse_kind(const struct cli_options *o)
{
	static const struct {
		const char *name;
		enum cli_object_kind kind;
	} others[] = {
		{ "gpus", CLI_OBJECT_DEVICE },
		{ "processes", CLI_OBJECT_PROCESS },
		{ "groups", CLI_OBJECT_JOB },
	};
	u32 kind = 0;

	if (!o->nr_words)
		return CLI_OBJECT_PROCESS;
	for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(o->words[0], others[i].name))
			return others[i].kind;
	}
	while (kind < CLI_OBJECT_COUNT && strcmp(o->words[0], cli_objects[kind].name))
		kind++;
	return (enum cli_object_kind)kind;
}

static int prepare(struct cli_session *s)
{
	enum cli_object_kind kind = parse_kind(&s->o);
	int ret;

	if (kind == CLI_OBJECT_COUNT) {
		cli_error(s->o.words[0],
			  "list knows devices, queues, procs, jobs, totals and cgroups");
		return CLI_EXIT_USAGE;
	}
	ret = cli_options_no_words(&s->o, 1);
	if (ret == CLI_GO_ON && kind >= CLI_OBJECT_JOB && (s->o.device || s->o.gpu_name)) {
		cli_error(cli_objects[kind].name,
			  "they are of all GPUs: no --device or --gpu here");
		ret = CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON)
		ret = cli_view_init(&s->view, cli_objects[kind].columns,
				    cli_objects[kind].nr_columns, &s->o);
	if (!s->view.sort)
		s->view.sort = &cli_objects[kind].columns[0];
	return ret;
}

static int list(struct cli_session *s)
{
	enum cli_object_kind kind = parse_kind(&s->o);
	const char *name = cli_objects[kind].name;
	json_t *rows;
	int ret = cli_objects_get(s, kind, &rows);

	if (ret != CLI_GO_ON)
		return ret;
	if (kind == CLI_OBJECT_PROCESS && !json_array_size(rows) && isatty(STDERR_FILENO) &&
	    !s->o.is_quiet && !s->o.is_json && !s->o.is_csv)
		fputs("no process has GPU queues; start one with gpreempt run -- COMMAND\n",
		      stderr);
	return cli_session_show(s, "list", json_pack("{s:s}", "kind", name), name,
				cli_view_apply(&s->view, rows));
}

const struct cli_verb cli_verb_list = {
	.name = "list",
	.usage = "[devices|queues|procs|jobs|totals|cgroups] [OPTION...]",
	.doc = "Lists GPUs, queues, processes that have queues (procs, if nothing is said), or\n"
	       "jobs: the processes of a group; totals: what jobs had in sum, also after their\n"
	       "end, for ten minutes; or cgroups with a share, which needs privilege.",
	.example = "gpreempt list\n"
		   "gpreempt list queues --gpu 0 --filter busy=yes\n"
		   "gpreempt list --csv --fields pid,comm,gpu,off_ns --sort -off_ns",
	.options = CLI_OPTS_READ | CLI_OPTS_TABLE | CLI_OPTS_DEVICE,
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_ANY,
	.prepare = prepare,
	.run = list,
};
