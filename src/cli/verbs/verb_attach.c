// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

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

static int change(struct cli_session *s)
{
	struct cli_object_ref ref;
	json_t *reply;
	int ret;

	cli_object_parse(s->o.words[0], &ref);
	ret = cli_session_call(s, s->o.words[0],
			       s->verb == &cli_verb_attach ? "Attach" : "Detach",
			       json_pack("{s:I}", "pid", (json_int_t)ref.pid), &reply);
	if (ret != CLI_GO_ON)
		return ret;
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
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = change,
};

const struct cli_verb cli_verb_detach = {
	.name = "detach",
	.usage = "PID [OPTION...]",
	.doc = "Lets go of a process that was attached; its queues go on.",
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = change,
};
