// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"

static const struct cli_verb attach_verb = {
	.name = "attach",
	.usage = "PID [OPTION...]",
	.doc = "Puts a process that was not started with gpreempt run under control, through a\n"
	       "tracer process. Needs ptrace permission and excludes debuggers.",
	.options = 0,
};

static const struct cli_verb detach_verb = {
	.name = "detach",
	.usage = "PID [OPTION...]",
	.doc = "Lets go of a process that was attached; its queues go on.",
	.options = 0,
};

static int change(int argc, char **argv, const struct cli_verb *verb, const char *method,
		  const char *done)
{
	struct cli_object_ref ref;
	struct cli_session s;
	struct cli_options o;
	json_t *reply;
	int ret = cli_options_parse(argc, argv, verb, &o);

	if (ret == CLI_GO_ON && o.nr_words != 1) {
		cli_error(verb->name, "which process? gpreempt %s PID", verb->name);
		return CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON)
		ret = cli_object_parse(o.words[0], &ref);
	if (ret == CLI_GO_ON && (ref.kind != CLI_OBJECT_PROCESS || ref.gpu_id)) {
		cli_error(o.words[0], "not a process id");
		return CLI_EXIT_USAGE;
	}
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_call(&s, o.words[0], method,
			       json_pack("{s:I}", "pid", (json_int_t)ref.pid), &reply);
	cli_session_close(&s);
	if (ret != CLI_GO_ON)
		return ret;
	json_decref(reply);
	if (!o.is_quiet)
		printf("%u: %s\n", ref.pid, done);
	return cli_finish(CLI_EXIT_OK);
}

int cli_attach_main(int argc, char **argv)
{
	return change(argc, argv, &attach_verb, "Attach", "attached");
}

int cli_detach_main(int argc, char **argv)
{
	return change(argc, argv, &detach_verb, "Detach", "detached");
}
