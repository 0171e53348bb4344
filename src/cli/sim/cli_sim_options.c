// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_options.h"

#include "cli/cli.h"
#include "rules/text.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_POLICY = 256,
	OPT_MECHANISM,
	OPT_DETECT,
	OPT_GPU,
	OPT_SEED,
	OPT_DURATION,
	OPT_JSON,
	OPT_TRACE,
	OPT_OUT,
	OPT_SCENARIO,
};

#define ALL_RUNS (CLI_VERB_RUN | CLI_VERB_COMPARE)

static const struct {
	const char *name;
	const char *value;	/* what it takes, NULL = nothing */
	int id;
	u32 verbs;
	const char *doc;
} options[] = {
	{ "policy", "NAME", OPT_POLICY, ALL_RUNS, "scheduling policy" },
	{ "mechanism", "NAME", OPT_MECHANISM, CLI_VERB_RUN, "how queues leave the GPU" },
	{ "detect", "MODE", OPT_DETECT, CLI_VERB_RUN, "how new work is noticed" },
	{ "gpu", "NAME", OPT_GPU, ALL_RUNS, "which GPU is simulated" },
	{ "seed", "N", OPT_SEED, ALL_RUNS, "seed of every random number" },
	{ "duration", "TIME", OPT_DURATION, ALL_RUNS, "virtual time in which requests arrive" },
	{ "json", NULL, OPT_JSON, ALL_RUNS, "results for programs" },
	{ "trace", "FILE", OPT_TRACE, CLI_VERB_RUN, "write a timeline for Perfetto" },
	{ "out", "DIR", OPT_OUT, CLI_VERB_DEMO, "folder for the files, gpreempt-demo" },
	{ "scenario", "FILE", OPT_SCENARIO, CLI_VERB_DEMO, "another scenario" },
	{ "quiet", NULL, 'q', ALL_RUNS | CLI_VERB_DEMO, "no progress bar" },
	{ "help", NULL, 'h', ~0u, "this text" },
};

static void print_help(const char *command, enum cli_sim_verb verb, const char *usage)
{
	printf("usage: gpreempt sim %s %s\n\n", command, usage);
	for (u32 i = 0; i < ARRAY_SIZE(options); i++) {
		char text[32];

		if (!(options[i].verbs & verb))
			continue;
		snprintf(text, sizeof(text), "--%s%s%s", options[i].name,
			 options[i].value ? " " : "", options[i].value ? options[i].value : "");
		printf("  %-18s %s\n", text, options[i].doc);
	}
}

/* One more than there are options, so that the last one ends the list. */
static void make_long_options(enum cli_sim_verb verb, struct option *out)
{
	memset(out, 0, (ARRAY_SIZE(options) + 1) * sizeof(*out));
	for (u32 i = 0; i < ARRAY_SIZE(options); i++) {
		if (!(options[i].verbs & verb))
			continue;
		*out++ = (struct option){
			.name = options[i].name,
			.has_arg = options[i].value ? required_argument : no_argument,
			.val = options[i].id,
		};
	}
}

static int bad_option(const char *object, const char *cause)
{
	cli_error(object, "%s", cause);
	return CLI_EXIT_USAGE;
}

static int set_seed(struct cli_sim_options *o, const char *text)
{
	if (gp_text_read_u64(text, 0, INT64_MAX, &o->seed)) {
		cli_error("--seed", "'%.40s' is not a number from 0 to %lld", text,
			  (long long)INT64_MAX);
		return CLI_EXIT_USAGE;
	}
	o->has_seed = true;
	return CLI_GO_ON;
}

static int set_duration(struct cli_sim_options *o, const char *text)
{
	if (!gp_text_read_time(text, 0, &o->duration_ns) && o->duration_ns)
		return CLI_GO_ON;
	cli_error("--duration", "'%.40s' is not a duration such as 20ms", text);
	return CLI_EXIT_USAGE;
}

static int set_option(struct cli_sim_options *o, int id, const char *value)
{
	switch (id) {
	case OPT_POLICY:
		o->policy = value;
		break;
	case OPT_MECHANISM:
		o->mechanism = value;
		break;
	case OPT_DETECT:
		o->detect = value;
		break;
	case OPT_GPU:
		o->gpu = value;
		break;
	case OPT_SEED:
		return set_seed(o, value);
	case OPT_DURATION:
		return set_duration(o, value);
	case OPT_JSON:
		o->is_json = true;
		break;
	case OPT_TRACE:
		o->trace = value;
		break;
	case OPT_OUT:
		o->out = value;
		break;
	case OPT_SCENARIO:
		o->scenario = value;
		break;
	case 'q':
		o->is_quiet = true;
		break;
	}
	return CLI_GO_ON;
}

int cli_sim_options_parse(int argc, char **argv, enum cli_sim_verb verb, const char *usage,
			  struct cli_sim_options *o)
{
	struct option long_options[ARRAY_SIZE(options) + 1];
	int id, ret = CLI_GO_ON;

	memset(o, 0, sizeof(*o));
	make_long_options(verb, long_options);
	opterr = 0;
	optind = 0;
	while (ret == CLI_GO_ON &&
	       (id = getopt_long(argc, argv, ":qh", long_options, NULL)) != -1) {
		const char *word = argv[optind - 1];

		if (id == 'h') {
			print_help(argv[0], verb, usage);
			return cli_finish(CLI_EXIT_OK);
		}
		if (id == '?')
			ret = bad_option(word, "no such option here, or too many values");
		else if (id == ':')
			ret = bad_option(word, "needs a value");
		else
			ret = set_option(o, id, optarg);
	}
	o->nr_files = argc - optind;
	o->files = argv + optind;
	return ret;
}

static int set_name(const char *option, const char *value, char *out)
{
	if (strlen(value) >= SIM_NAME_MAX) {
		cli_error(option, "'%.40s...' is too long", value);
		return CLI_EXIT_USAGE;
	}
	strcpy(out, value);
	return CLI_GO_ON;
}

static int unknown(const char *option, const char *value)
{
	cli_error(option, "no '%.40s'; see gpreempt sim list", value);
	return CLI_EXIT_USAGE;
}

static bool is_policy(const char *name)
{
	const char *policy;

	for (u32 i = 0; (policy = gp_policy_name_at(i)); i++) {
		if (!strcmp(policy, name))
			return true;
	}
	return false;
}

static int apply(const struct cli_sim_options *o, struct sim_scenario *sc)
{
	int ret = CLI_GO_ON;

	if (o->policy)
		ret = is_policy(o->policy) ? set_name("--policy", o->policy, sc->policy) :
					     unknown("--policy", o->policy);
	if (ret == CLI_GO_ON && o->gpu)
		ret = gpu_profile_find(o->gpu) ? set_name("--gpu", o->gpu, sc->gpu) :
						unknown("--gpu", o->gpu);
	if (ret == CLI_GO_ON && o->mechanism && sim_mechanism_parse(o->mechanism, &sc->mechanism))
		ret = unknown("--mechanism", o->mechanism);
	if (ret == CLI_GO_ON && o->detect && sim_detect_parse(o->detect, &sc->detect))
		ret = unknown("--detect", o->detect);
	if (o->has_seed)
		sc->seed = o->seed;
	if (o->duration_ns)
		sc->duration_ns = o->duration_ns;
	return ret;
}

int cli_sim_options_load(const struct cli_sim_options *o, const char *file, struct sim_scenario *sc)
{
	char error[512];
	int ret;

	if (sim_scenario_load(sc, file, error, sizeof(error))) {
		cli_error_line(error);
		return CLI_EXIT_USAGE;
	}
	ret = apply(o, sc);
	if (ret == CLI_GO_ON && sim_scenario_validate(sc, error, sizeof(error))) {
		cli_error(file, "%s", error);
		ret = CLI_EXIT_USAGE;
	}
	if (ret != CLI_GO_ON)
		sim_scenario_fini(sc);
	return ret;
}
