// SPDX-License-Identifier: MIT
#include "cli/cli_complete.h"
#include "cli/cli_verb.h"

#include <string.h>

static int print_version(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		puts("usage: gpreempt version\n\nPrints the version, as gpreempt --version.");
	else
		printf("gpreempt %s\n", GP_VERSION);
	return cli_finish(CLI_EXIT_OK);
}

static int print_help(int argc, char **argv);
static int print_completion(int argc, char **argv);

static const struct cli_command trace_commands[] = {
	{ "record", "write events to a file", &cli_verb_trace_record, NULL, NULL },
	{ "convert", "make a timeline of it", &cli_verb_trace_convert, NULL, NULL },
	{ 0 },
};

static const struct cli_command bench_commands[] = {
	{ "mechanisms", "cost of each way to stop a queue", &cli_verb_bench, NULL, NULL },
	{ 0 },
};

static const struct cli_command sim_commands[] = {
	{ "run", "run a scenario", &cli_verb_sim_run, NULL, NULL },
	{ "compare", "run scenarios under every mechanism", &cli_verb_sim_compare, NULL, NULL },
	{ "demo", "inference beside training: table, trace, page", &cli_verb_sim_demo, NULL, NULL },
	{ "import", "make a scenario of a kernel trace", &cli_verb_sim_import, NULL, NULL },
	{ "list", "GPUs, policies, mechanisms, detection modes, mixes", &cli_verb_sim_list, NULL,
	  NULL },
	{ "params", "parameters of the scheduling core", &cli_verb_sim_params, NULL, NULL },
	{ 0 },
};

static const struct cli_command commands[] = {
	{ "", "Decide and try", NULL, NULL, NULL },
	{ "advise", "would it help two jobs of which there are kernel traces", &cli_verb_advise,
	  NULL, NULL },
	{ "sim", "run scenarios on a simulated GPU", NULL, sim_commands, NULL },
	{ "check", "can this machine preempt, and if not, why", &cli_verb_check, NULL, NULL },
	{ "selftest", "try preemption on a GPU, step by step, with kernels of its own",
	  &cli_verb_selftest, NULL, NULL },
	{ "calibrate", "make a GPU for sim of what selftest measured", &cli_verb_calibrate, NULL,
	  NULL },
	{ "bench", "measure what stopping a queue costs here", NULL, bench_commands, NULL },
	{ "", "Look", NULL, NULL, NULL },
	{ "list", "list GPUs, queues, processes or jobs", &cli_verb_list, NULL, NULL },
	{ "show", "show everything about one GPU, process or queue", &cli_verb_show, NULL, NULL },
	{ "top", "watch and control processes on a full screen", &cli_verb_top, NULL, NULL },
	{ "stats", "show counters and latencies of the scheduler", &cli_verb_stats, NULL, NULL },
	{ "report", "write a page on this machine: waits, preemptions", &cli_verb_report, NULL,
	  NULL },
	{ "monitor", "stream scheduler events", &cli_verb_monitor, NULL, NULL },
	{ "trace", "record a timeline of events", NULL, trace_commands, NULL },
	{ "metrics", "print metrics for Prometheus", &cli_verb_metrics, NULL, NULL },
	{ "", "Control", NULL, NULL, NULL },
	{ "run", "start a program with GPU scheduling attributes", &cli_verb_run, NULL, NULL },
	{ "set", "change attributes of a process", &cli_verb_set, NULL, NULL },
	{ "grant", "say what processes may be before they exist", &cli_verb_grant, NULL, NULL },
	{ "revoke", "end a grant", &cli_verb_revoke, NULL, NULL },
	{ "suspend", "stop queues by hand, for a time", &cli_verb_suspend, NULL, NULL },
	{ "resume", "continue suspended queues", &cli_verb_resume, NULL, NULL },
	{ "attach", "control a process that was not started with run", &cli_verb_attach, NULL,
	  NULL },
	{ "detach", "stop controlling an attached process", &cli_verb_detach, NULL, NULL },
	{ "policy", "show or change the scheduling policy", &cli_verb_policy, NULL, NULL },
	{ "config", "show, check or reload the daemon's configuration", &cli_verb_config, NULL,
	  NULL },
	{ "cdi", "write classes as devices of containers, for podman and others", &cli_verb_cdi,
	  NULL, NULL },
	{ "", "About", NULL, NULL, NULL },
	{ "version", "print the version", NULL, NULL, print_version },
	{ "help", "list the commands, or the options of one", NULL, NULL, print_help },
	/* For the completion of shells. */
	{ "complete", NULL, NULL, NULL, print_completion },
	{ 0 },
};

static int print_completion(int argc, char **argv)
{
	return cli_complete(commands, argc - 1, argv + 1);
}

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
		return cli_verb_main(&cli_verb_summary, argc, argv);
	return cli_command_run("gpreempt", commands, argc - 1, argv + 1);
}
