// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <signal.h>

static int prepare(struct cli_session *s)
{
	struct cli_object_ref ref;
	int ret;

	if (s->o.nr_words != 1) {
		cli_error(s->verb->name, "which process? gpreempt %s PID", s->verb->name);
		return CLI_EXIT_USAGE;
	}
	ret = cli_object_parse(s->o.words[0], &ref);
	if (ret == CLI_GO_ON && (ref.kind != CLI_OBJECT_PROCESS || ref.gpu_id)) {
		cli_error(s->o.words[0], "not a process id");
		ret = CLI_EXIT_USAGE;
	}
	return ret;
}

/* "No such object" of a process that there is means something else. */
static int explain(struct cli_session *s, const struct cli_object_ref *ref, bool is_attach, int err)
{
	bool is_there = !kill((pid_t)ref->pid, 0) || errno == EPERM;

	if (cli_exit_of(err) != CLI_EXIT_NOT_FOUND || !is_there)
		return cli_session_fail(s, s->o.words[0], err);
	if (is_attach)
		cli_error(s->o.words[0], "it has no GPU queues that can be seen, or may not be "
					 "traced");
	else
		cli_error(s->o.words[0], "it was not attached: gpreempt show says what controls "
					 "it");
	return CLI_EXIT_NOT_FOUND;
}

static int change(struct cli_session *s)
{
	struct cli_object_ref ref;
	bool is_attach = s->verb == &cli_verb_attach;
	json_t *reply;
	int err;

	cli_object_parse(s->o.words[0], &ref);
	err = cli_session_ask(s->g, is_attach ? "Attach" : "Detach",
			      json_pack("{s:I}", "pid", (json_int_t)ref.pid), &reply);
	if (err) {
		json_decref(reply);
		return explain(s, &ref, is_attach, err);
	}
	json_decref(reply);
	if (!s->o.is_quiet)
		printf("%u: %sed\n", ref.pid, s->verb->name);
	return cli_finish(CLI_EXIT_OK);
}

const struct cli_verb cli_verb_attach = {
	.name = "attach",
	.usage = "PID [OPTION...]",
	.doc = "Puts a process that was not started with gpreempt run under control, through a\n"
	       "tracer process. Needs ptrace permission and excludes debuggers.",
	.example = "gpreempt attach 4711",
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = change,
};

const struct cli_verb cli_verb_detach = {
	.name = "detach",
	.usage = "PID [OPTION...]",
	.doc = "Lets go of a process that was attached; its queues go on.",
	.example = "gpreempt detach 4711",
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = change,
};
