// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_commands.h"

#include "cli/cli.h"
#include "rules/text.h"
#include "sim/sim_mix.h"
#include "cli/verbs/verb_policy_doc.h"
#include "cli/sim/cli_sim_options.h"
#include "cli/cli_table.h"

static int no_files(const struct cli_sim_options *o)
{
	if (!o->nr_files)
		return CLI_GO_ON;
	cli_error(o->files[0], "one word too many");
	return CLI_EXIT_USAGE;
}

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

int cli_sim_cmd_list(int argc, char **argv)
{
	struct cli_sim_options o;
	int ret = cli_sim_options_parse(argc, argv, CLI_VERB_LIST, "", &o);

	if (ret == CLI_GO_ON)
		ret = no_files(&o);
	if (ret != CLI_GO_ON)
		return ret;
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
	list_mixes();
	return cli_finish(CLI_EXIT_OK);
}

int cli_sim_cmd_params(int argc, char **argv)
{
	static const char *const headers[] = { "PARAMETER", "DEFAULT", "MIN", "MAX", NULL };
	const struct gp_param_desc *d;
	struct cli_sim_options o;
	struct cli_table t;
	char name[GP_TEXT_PARAM_MAX];
	int ret = cli_sim_options_parse(argc, argv, CLI_VERB_LIST, "", &o);

	if (ret == CLI_GO_ON)
		ret = no_files(&o);
	if (ret != CLI_GO_ON)
		return ret;
	cli_table_init(&t, headers, 1);
	for (u32 i = 0; (d = gp_text_param(i, name)); i++) {
		cli_table_add_row(&t);
		cli_table_set(&t, 0, "%s", name);
		cli_table_set(&t, 1, "%llu", (unsigned long long)d->def);
		cli_table_set(&t, 2, "%llu", (unsigned long long)d->min);
		cli_table_set(&t, 3, "%llu", (unsigned long long)d->max);
	}
	cli_table_print(&t, stdout);
	putchar('\n');
	for (u32 i = 0; !t.error && (d = gp_text_param(i, name)); i++)
		printf("%-24s %s\n", cli_table_cell(&t, i, 0), d->doc);
	cli_table_fini(&t);
	return cli_finish(CLI_EXIT_OK);
}
