// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"

#include "cli/cli_session.h"
#include "cli/cli_table.h"
#include "cli/cli_view.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_verb verb = {
	.name = "check",
	.usage = "[OPTION...]",
	.doc = "Looks whether this machine can preempt: kernel, driver, GPUs, "
	       "firmware, permissions,\n"
	       "kernel module, shim, daemon, and what schedules. Ends with 1 if something fails;\n"
	       "warnings count with --strict only. A machine without an AMD GPU fails.",
	.options = CLI_OPTS_CHECK | CLI_OPTS_JSON,
};

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
		const char *is, *old;
		char all[640];

		json_unpack(found, "{s:s, s:s}", "name", &is, "text", &old);
		if (strcmp(is, name))
			continue;
		snprintf(all, sizeof(all), "%s%s", old, text);
		json_object_set_new(found, "text", json_string(all));
	}
}

/* "warn  daemon  it does not run; try ..." */
static void print_list(const struct cli_check *c, const struct cli_options *o)
{
	static const u8 colors[] = {
		[CLI_CHECK_OK] = CLI_TABLE_GREEN,
		[CLI_CHECK_WARN] = CLI_TABLE_YELLOW,
		[CLI_CHECK_FAIL] = CLI_TABLE_RED,
	};
	bool is_colored = cli_use_color(o);

	for (size_t i = 0; i < json_array_size(c->list); i++) {
		const char *name, *result, *text, *remedy = NULL;
		enum cli_check_result r = CLI_CHECK_OK;

		json_unpack(json_array_get(c->list, i), "{s:s, s:s, s:s, s?:s?}", "name", &name,
			    "result", &result, "text", &text, "remedy", &remedy);
		while (r < CLI_CHECK_FAIL && strcmp(names[r], result))
			r++;
		if (o->is_quiet && r == CLI_CHECK_OK)
			continue;
		if (is_colored)
			printf("\033[%um%-4s\033[0m", colors[r], result);
		else
			printf("%-4s", result);
		printf("  %-12s  %s%s%s\n", name, text, remedy ? "; try " : "",
		       remedy ? remedy : "");
	}
}

static int print_json(struct cli_check *c, bool is_bad)
{
	json_t *out = json_pack("{s:o, s:i, s:i, s:i}", "checks", c->list, "nr_ok",
				c->nr[CLI_CHECK_OK], "nr_warn", c->nr[CLI_CHECK_WARN], "nr_fail",
				c->nr[CLI_CHECK_FAIL]);

	cli_print_json(cli_schema("check", out), false);
	return cli_finish(is_bad ? CLI_EXIT_FAILED : CLI_EXIT_OK);
}

static int finish(struct cli_check *c, const struct cli_options *o)
{
	bool is_bad = c->nr[CLI_CHECK_FAIL] || (o->is_strict && c->nr[CLI_CHECK_WARN]);

	if (o->is_json)
		return print_json(c, is_bad);
	print_list(c, o);
	json_decref(c->list);
	return cli_finish(is_bad ? CLI_EXIT_FAILED : CLI_EXIT_OK);
}

int cli_check_main(int argc, char **argv)
{
	/* Another root is for tests: a machine that is not this one. */
	const char *root = getenv("GPREEMPT_TEST_ROOT");
	struct cli_check c = { 0 };
	bool has_module = false;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON)
		ret = cli_options_no_words(&o, 0);
	if (ret != CLI_GO_ON)
		return ret;
	c.list = json_array();
	if (cli_check_machine(&c, root))
		has_module = cli_check_module(&c, root);
	cli_check_stack(&c, &o, has_module);
	return finish(&c, &o);
}
