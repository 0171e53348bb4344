// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"

static const struct gp_verb attach_verb = {
	.name = "attach",
	.usage = "PID [OPTION...]",
	.doc = "Puts a process that was not started with gpreempt run under control, through a\n"
	       "tracer process. Needs ptrace permission and excludes debuggers.",
	.options = 0,
};

static const struct gp_verb detach_verb = {
	.name = "detach",
	.usage = "PID [OPTION...]",
	.doc = "Lets go of a process that was attached; its queues go on.",
	.options = 0,
};

static int change(int argc, char **argv, const struct gp_verb *verb, const char *method,
		  const char *done)
{
	struct gp_object_ref ref;
	struct gp_session s;
	struct gp_options o;
	json_t *reply;
	int ret = gp_options_parse(argc, argv, verb, &o);

	if (ret == GP_GO_ON && o.nr_words != 1) {
		gp_cli_error(verb->name, "which process? gpreempt %s PID", verb->name);
		return GP_EXIT_USAGE;
	}
	if (ret == GP_GO_ON)
		ret = gp_object_parse(o.words[0], &ref);
	if (ret == GP_GO_ON && (ref.kind != GP_OBJECT_PROCESS || ref.gpu_id)) {
		gp_cli_error(o.words[0], "not a process id");
		return GP_EXIT_USAGE;
	}
	if (ret == GP_GO_ON)
		ret = gp_session_open(&s, &o, false);
	if (ret != GP_GO_ON)
		return ret;
	ret = gp_session_call(&s, o.words[0], method,
			      json_pack("{s:I}", "pid", (json_int_t)ref.pid), &reply);
	gp_session_close(&s);
	if (ret != GP_GO_ON)
		return ret;
	json_decref(reply);
	if (!o.is_quiet)
		printf("%u: %s\n", ref.pid, done);
	return gp_cli_finish(GP_EXIT_OK);
}

int gp_attach_main(int argc, char **argv)
{
	return change(argc, argv, &attach_verb, "Attach", "attached");
}

int gp_detach_main(int argc, char **argv)
{
	return change(argc, argv, &detach_verb, "Detach", "detached");
}
