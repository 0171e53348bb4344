// SPDX-License-Identifier: MIT
#include "cli/cli_verb.h"
#include "rules/text.h"
#include "sim/sim_mix.h"

static void list_gpus(void)
{
	const struct gpu_profile *p;

	puts("gpus");
	for (u32 i = 0; (p = gpu_profile_at(i)); i++)
		printf("  %-13s %u XCC x %u CU, %u queue slots, %u VMIDs\n", p->name, p->nr_xcc,
		       p->cu_per_xcc, p->nr_slots, p->nr_vmids);
}

static void list_policies(void)
{
	const char *name;

	puts("policies");
	for (u32 i = 0; (name = gp_policy_name_at(i)); i++)
		printf("  %-13s %s\n", name, cli_policy_doc(name));
}

static void list_mixes(void)
{
	const struct sim_mix *m;

	puts("kernel mixes");
	for (u32 i = 0; (m = sim_mix_at(i)); i++)
		printf("  %-13s %u kernels, %u us\n", m->name, m->nr_kernels, m->sum_us);
}

static int list(struct cli_session *s)
{
	list_gpus();
	puts("engines\n  timed         durations only, for large sweeps\n"
	     "  state         registers and LDS that evolve and end in memory, for proofs");
	list_policies();
	puts("mechanisms");
	for (u32 i = 0; i < SIM_MECH_COUNT; i++)
		printf("  %-13s %s\n", sim_mechanism_name((enum sim_mechanism)i),
		       sim_mechanism_doc((enum sim_mechanism)i));
	puts("detection modes");
	for (u32 i = 0; i < SIM_DETECT_COUNT; i++)
		printf("  %-13s %s\n", sim_detect_name((enum sim_detect)i),
		       sim_detect_doc((enum sim_detect)i));
	puts("models");
	for (u32 i = 0; i < SIM_MODEL_COUNT; i++)
		printf("  %-13s %s\n", sim_model_name((enum sim_model)i),
		       sim_model_doc((enum sim_model)i));
	list_mixes();
	return cli_finish(CLI_EXIT_OK);
}

static int params(struct cli_session *s)
{
	static const char *const headers[] = { "PARAMETER", "DEFAULT", "MIN", "MAX", NULL };
	const struct gp_param_desc *d;
	struct cli_table t;
	char name[GP_TEXT_PARAM_MAX];

	cli_table_init(&t, headers, 1);
	for (u32 i = 0; (d = gp_text_param(i, name)); i++) {
		cli_table_add_row(&t);
		cli_table_set(&t, 0, "%s", name);
		cli_table_set(&t, 1, "%llu", (unsigned long long)d->def);
		cli_table_set(&t, 2, "%llu", (unsigned long long)d->min);
		cli_table_set(&t, 3, "%llu", (unsigned long long)d->max);
	}
	cli_table_print(&t, stdout);
	cli_table_fini(&t);
	putchar('\n');
	for (u32 i = 0; (d = gp_text_param(i, name)); i++)
		printf("%-24s %s\n", name, d->doc);
	return cli_finish(CLI_EXIT_OK);
}

const struct cli_verb cli_verb_sim_list = {
	.name = "sim list",
	.usage = "",
	.example = "gpreempt sim list",
	.options = CLI_OPTS_SIM,
	.run = list,
};

const struct cli_verb cli_verb_sim_params = {
	.name = "sim params",
	.usage = "",
	.example = "gpreempt sim params",
	.options = CLI_OPTS_SIM,
	.run = params,
};
