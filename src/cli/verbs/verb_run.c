// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_options.h"
#include "cli/verbs/verb_run_module.h"
#include "cli/cli_shim_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_verb verb = {
	.name = "run",
	.usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
	.doc = "Starts a program whose queues can be stopped and continued: with the "
	       "shim for the\n"
	       "daemon, or with its attributes only where the kernel module schedules.\n"
	       "Ends with the program's status; 125 if gpreempt itself failed, 126 if the program\n"
	       "cannot be executed, 127 if there is none.",
	.options = CLI_OPTS_RUN | CLI_OPTS_COMMAND,
};

static void set_number(const char *name, u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	setenv(name, text, 1);
}

static void set_attributes(const struct cli_options *o)
{
	if (o->socket)
		setenv("GPREEMPT_SOCKET", o->socket, 1);
	if (o->prio)
		set_number("GPREEMPT_PRIORITY", o->prio - 1);
	if (o->klass)
		setenv("GPREEMPT_CLASS", o->klass, 1);
	if (o->weight)
		set_number("GPREEMPT_WEIGHT", o->weight);
	if (o->slice_ns)
		set_number("GPREEMPT_SLICE_NS", o->slice_ns);
	if (o->deadline_ns)
		set_number("GPREEMPT_DEADLINE_NS", o->deadline_ns);
	if (o->is_critical)
		setenv("GPREEMPT_LATENCY_CRITICAL", "1", 1);
	if (o->group)
		setenv("GPREEMPT_GROUP", o->group, 1);
}

/* Before what is preloaded already: our ioctl() must be the first. */
static int preload(const char *shim)
{
	const char *old = getenv("LD_PRELOAD");
	char *all;
	int n;

	if (strpbrk(shim, ": ")) {
		cli_error(shim, "LD_PRELOAD cannot take a path with a blank or a colon");
		return CLI_EXIT_RUN_FAILED;
	}
	if (old && strstr(old, shim))
		return CLI_GO_ON;
	n = asprintf(&all, "%s%s%s", shim, old && *old ? ":" : "", old && *old ? old : "");
	if (n < 0 || setenv("LD_PRELOAD", all, 1)) {
		cli_error("LD_PRELOAD", "%s", strerror(errno));
		return CLI_EXIT_RUN_FAILED;
	}
	free(all);
	return CLI_GO_ON;
}

static int check(const struct cli_options *o)
{
	if (!o->nr_words) {
		cli_error("run", "which program? try gpreempt run --help");
		return CLI_EXIT_RUN_FAILED;
	}
	if (o->weight > 10000) {
		cli_error("--weight", "a number from 1 to 10000");
		return CLI_EXIT_RUN_FAILED;
	}
	if ((o->klass && strlen(o->klass) > 31) || (o->group && strlen(o->group) > 31)) {
		cli_error(o->klass && strlen(o->klass) > 31 ? "--class" : "--group",
			  "a name of at most 31 bytes");
		return CLI_EXIT_RUN_FAILED;
	}
	return CLI_GO_ON;
}

static int use_shim(const struct cli_options *o)
{
	char shim[CLI_SHIM_PATH_MAX];
	int ret;

	if (cli_shim_find(o->shim, shim, sizeof(shim))) {
		cli_error(shim, "the shim is not there; try GPREEMPT_SHIM=FILE or --shim FILE");
		return CLI_EXIT_RUN_FAILED;
	}
	set_attributes(o);
	ret = preload(shim);
	if (ret == CLI_GO_ON && o->is_verbose)
		cli_error("run", "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
	return ret;
}

int cli_run_main(int argc, char **argv)
{
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret != CLI_GO_ON)
		return ret == CLI_EXIT_OK ? ret : CLI_EXIT_RUN_FAILED;
	ret = check(&o);
	if (ret != CLI_GO_ON)
		return ret;
	if (!cli_run_by_module(&o))
		ret = use_shim(&o);
	else if (o.is_verbose)
		cli_error("run", "the kernel module schedules: no shim");
	if (ret != CLI_GO_ON)
		return ret;
	execvp(o.words[0], o.words);
	ret = errno == ENOENT ? CLI_EXIT_RUN_MISSING : CLI_EXIT_RUN_CANNOT;
	cli_error(o.words[0], "%s", strerror(errno));
	return ret;
}
