// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"


#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[CLI_CHECK_OK] = "ok",
	[CLI_CHECK_WARN] = "warn",
	[CLI_CHECK_FAIL] = "fail",
};

void cli_check_add(struct cli_check *c, enum cli_check_result result, const char *name,
		   const char *remedy, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_array_append_new(c->list, json_pack("{s:s, s:s, s:s, s:s?}", "name", name, "result",
						 names[result], "text", text, "remedy", remedy));
	c->nr[result]++;
}

void cli_check_append(struct cli_check *c, const char *name, const char *text)
{
	for (size_t i = 0; i < json_array_size(c->list); i++) {
		json_t *found = json_array_get(c->list, i);
		char all[640];

		if (strcmp(cli_text(found, "name"), name))
			continue;
		snprintf(all, sizeof(all), "%s%s", cli_text(found, "text"), text);
		json_object_set_new(found, "text", json_string(all));
	}
}

/* "warn  daemon  it does not run; try ..." */
static void print_list(const struct cli_check *c, const struct cli_options *o)
{
	bool is_colored = cli_use_color(o);

	for (size_t i = 0; i < json_array_size(c->list); i++) {
		const json_t *row = json_array_get(c->list, i);
		const char *result = cli_text(row, "result"), *remedy = cli_text(row, "remedy");

		if (o->is_quiet && !strcmp(result, names[CLI_CHECK_OK]))
			continue;
		if (is_colored)
			printf("\033[%um%-4s\033[0m", cli_color_of(result), result);
		else
			printf("%-4s", result);
		printf("  %-12s  %s%s%s\n", cli_text(row, "name"), cli_text(row, "text"),
		       *remedy ? "; try " : "", remedy);
	}
}

static int check(struct cli_session *s)
{
	/* Another root is for tests: a machine that is not this one. */
	const char *root = getenv("GPREEMPT_TEST_ROOT");
	struct cli_check c = { .list = json_array() };
	bool has_module = cli_check_machine(&c, root) && cli_check_module(&c, root);
	bool is_bad;

	cli_check_stack(&c, &s->o, has_module);
	is_bad = c.nr[CLI_CHECK_FAIL] || (s->o.is_strict && c.nr[CLI_CHECK_WARN]);
	if (s->o.is_json)
		cli_print_json("check",
			       json_pack("{s:O, s:i, s:i, s:i}", "checks", c.list, "nr_ok",
					 c.nr[CLI_CHECK_OK], "nr_warn", c.nr[CLI_CHECK_WARN],
					 "nr_fail", c.nr[CLI_CHECK_FAIL]),
			       false);
	else
		print_list(&c, &s->o);
	json_decref(c.list);
	return cli_finish(is_bad ? CLI_EXIT_FAILED : CLI_EXIT_OK);
}

const struct cli_verb cli_verb_check = {
	.name = "check",
	.usage = "[OPTION...]",
	.doc = "Looks whether this machine can preempt: kernel, driver, GPUs, "
	       "firmware, permissions,\n"
	       "kernel module, shim, daemon, and what schedules. Ends with 1 if something fails;\n"
	       "warnings count with --strict only. A machine without an AMD GPU fails.",
	.example = "gpreempt check\n"
		   "gpreempt check --strict --json",
	.options = CLI_OPTS_CHECK | CLI_OPTS_JSON,
	.run = check,
};
