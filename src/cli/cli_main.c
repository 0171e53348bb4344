// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include "cli/cli_options.h"

#include <stdlib.h>
#include <string.h>

static int print_version(int argc, char **argv)
{
	printf("gpreempt %s\n", GP_VERSION);
	return cli_finish(CLI_EXIT_OK);
}

static int print_help(int argc, char **argv);

static const struct cli_command commands[] = {
	{ "list", cli_list_main, "GPUs, queues, processes" },
	{ "show", cli_show_main, "everything about one of them" },
	{ "top", cli_top_main, "watch and control them on a full screen" },
	{ "run", cli_run_main, "start a program with GPU scheduling attributes" },
	{ "set", cli_set_main, "change attributes of a process" },
	{ "suspend", cli_suspend_main, "stop queues by hand, for a time" },
	{ "resume", cli_resume_main, "continue them" },
	{ "attach", cli_attach_main, "control a process that was not started with run" },
	{ "detach", cli_detach_main, "let it go" },
	{ "policy", cli_policy_main, "which policy schedules, and its parameters" },
	{ "stats", cli_stats_main, "counters and latencies" },
	{ "monitor", cli_monitor_main, "what happens, as it happens" },
	{ "trace", cli_trace_main, "record a timeline" },
	{ "check", cli_check_main, "can this machine preempt, and if not, why" },
	{ "config", cli_config_main, "the daemon's configuration" },
	{ "metrics", cli_metrics_main, "the same for Prometheus" },
	{ "bench", cli_bench_main, "what stopping a queue costs here" },
	{ "sim", cli_sim_main, "run scenarios on a simulated GPU" },
	{ "version", print_version, "print the version" },
	{ "help", print_help, "this text, or that of a command" },
	{ NULL, NULL, NULL },
};

/* "help VERB..." is "VERB... --help". */
static int print_help(int argc, char **argv)
{
	char *words[8];
	int nr = 0;

	for (int i = 1; i < argc && nr < 6; i++)
		words[nr++] = argv[i];
	words[nr++] = "--help";
	words[nr] = NULL;
	return cli_command_run("gpreempt", commands, nr, words);
}

/* Options before the verb belong to all verbs; gives how many words they take. */
static int skip_socket(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--socket")) {
		cli_options_set_socket(argv[2]);
		return 2;
	}
	if (argc > 1 && !strncmp(argv[1], "--socket=", 9)) {
		cli_options_set_socket(argv[1] + 9);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int skip = skip_socket(argc, argv);

	argc -= skip;
	argv += skip;
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		return print_version(0, NULL);
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return cli_command_run("gpreempt", commands, argc - 1, argv + 1);
	/* No verb: the summary, which has options too. */
	if (argc < 2 || argv[1][0] == '-')
		return cli_summary_main(argc, argv);
	return cli_command_run("gpreempt", commands, argc - 1, argv + 1);
}
