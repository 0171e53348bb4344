// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim.h"

#include "rules/guess.h"
#include "rules/text.h"

#include <string.h>

const char *cli_sim_name(const char *option, u32 i)
{
	const struct gpu_profile *gpu = gpu_profile_at(i);

	if (!strcmp(option, "gpu"))
		return gpu ? gpu->name : NULL;
	if (!strcmp(option, "policy"))
		return gp_policy_name_at(i);
	if (!strcmp(option, "mechanism"))
		return i < SIM_MECH_COUNT ? sim_mechanism_name((enum sim_mechanism)i) : NULL;
	if (!strcmp(option, "detect"))
		return i < SIM_DETECT_COUNT ? sim_detect_name((enum sim_detect)i) : NULL;
	return NULL;
}

/* @is_known: only a name that is known is let in, and those are short. */
static int set_name(const char *option, const char *value, bool is_known, char *out)
{
	struct gp_guess guess;

	if (!is_known) {
		gp_guess_init(&guess, value);
		for (u32 i = 0; cli_sim_name(option + 2, i); i++)
			gp_guess_try(&guess, cli_sim_name(option + 2, i));
		cli_error(option, "no '%.40s'%s", value,
			  guess.best ? gp_guess_text(&guess) : "; see gpreempt sim list");
		return CLI_EXIT_USAGE;
	}
	if (out)
		snprintf(out, SIM_NAME_MAX, "%s", value);
	return CLI_GO_ON;
}

/* Messages, each with the line that it is about. */
static void print_errors(char *lines)
{
	for (char *line; (line = strsep(&lines, "\n"));) {
		if (*line == ' ')
			fprintf(stderr, "%s\n", line);
		else
			cli_error_line(line);
	}
}

/* A name, or a file of gpreempt calibrate. */
static int set_gpu(const char *value, struct sim_scenario *sc)
{
	char error[4096];

	if (!gpu_profile_find(value) && strpbrk(value, "./")) {
		if (!sim_scenario_load_profile(sc, value, error, sizeof(error)))
			return CLI_GO_ON;
		print_errors(error);
		return CLI_EXIT_USAGE;
	}
	sc->has_profile = false;
	return set_name("--gpu", value, gpu_profile_find(value), sc->gpu);
}

static int apply(const struct cli_options *o, struct sim_scenario *sc)
{
	int ret = CLI_GO_ON;

	if (o->policy)
		ret = set_name("--policy", o->policy, gp_text_is_policy(o->policy), sc->policy);
	if (ret == CLI_GO_ON && o->gpu)
		ret = set_gpu(o->gpu, sc);
	if (ret == CLI_GO_ON && o->mechanism)
		ret = set_name("--mechanism", o->mechanism,
			       !sim_mechanism_parse(o->mechanism, &sc->mechanism), NULL);
	if (ret == CLI_GO_ON && o->detect)
		ret = set_name("--detect", o->detect, !sim_detect_parse(o->detect, &sc->detect),
			       NULL);
	if (ret == CLI_GO_ON && o->model)
		ret = set_name("--model", o->model, !sim_model_parse(o->model, &sc->model), NULL);
	if (o->seed)
		sc->seed = o->seed - 1;
	if (o->duration_ns)
		sc->duration_ns = o->duration_ns;
	return ret;
}

int cli_sim_load(const struct cli_options *o, const char *file, struct sim_scenario *sc)
{
	char error[4096];
	int ret;

	if (sim_scenario_load(sc, file, error, sizeof(error))) {
		print_errors(error);
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

int cli_sim_fail(const char *file, int err, const char *error)
{
	cli_fail(file, err, error);
	return err == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILED;
}
