// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"

#include "cli/cli_session.h"
#include "cli/cli_table.h"
#include "cli/cli_view.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct gp_verb verb = {
	.name = "check",
	.usage = "[OPTION...]",
	.doc = "Looks whether this machine can preempt: kernel, driver, GPUs, "
	       "firmware, permissions,\n"
	       "kernel module, shim, daemon, and what schedules. Ends with 1 if something fails;\n"
	       "warnings count with --strict only. A machine without an AMD GPU fails.",
	.options = GP_OPTS_CHECK | GP_OPTS_JSON,
};

static const char *const names[] = {
	[GP_CHECK_OK] = "ok",
	[GP_CHECK_WARN] = "warn",
	[GP_CHECK_FAIL] = "fail",
};

void gp_check_add(struct gp_check *c, enum gp_check_result result, const char *name,
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

void gp_check_append(struct gp_check *c, const char *name, const char *text)
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
static void print_list(const struct gp_check *c, const struct gp_options *o)
{
	static const u8 colors[] = {
		[GP_CHECK_OK] = GP_TABLE_GREEN,
		[GP_CHECK_WARN] = GP_TABLE_YELLOW,
		[GP_CHECK_FAIL] = GP_TABLE_RED,
	};
	bool is_colored = gp_use_color(o);

	for (size_t i = 0; i < json_array_size(c->list); i++) {
		const char *name, *result, *text, *remedy = NULL;
		enum gp_check_result r = GP_CHECK_OK;

		json_unpack(json_array_get(c->list, i), "{s:s, s:s, s:s, s?:s?}", "name", &name,
			    "result", &result, "text", &text, "remedy", &remedy);
		while (r < GP_CHECK_FAIL && strcmp(names[r], result))
			r++;
		if (o->is_quiet && r == GP_CHECK_OK)
			continue;
		if (is_colored)
			printf("\033[%um%-4s\033[0m", colors[r], result);
		else
			printf("%-4s", result);
		printf("  %-12s  %s%s%s\n", name, text, remedy ? "; try " : "",
		       remedy ? remedy : "");
	}
}

static int print_json(struct gp_check *c, bool is_bad)
{
	json_t *out = json_pack("{s:o, s:i, s:i, s:i}", "checks", c->list, "nr_ok",
				c->nr[GP_CHECK_OK], "nr_warn", c->nr[GP_CHECK_WARN], "nr_fail",
				c->nr[GP_CHECK_FAIL]);

	gp_print_json(gp_schema("check", out), false);
	return gp_cli_finish(is_bad ? GP_EXIT_FAILED : GP_EXIT_OK);
}

static int finish(struct gp_check *c, const struct gp_options *o)
{
	bool is_bad = c->nr[GP_CHECK_FAIL] || (o->is_strict && c->nr[GP_CHECK_WARN]);

	if (o->is_json)
		return print_json(c, is_bad);
	print_list(c, o);
	json_decref(c->list);
	return gp_cli_finish(is_bad ? GP_EXIT_FAILED : GP_EXIT_OK);
}

int gp_check_main(int argc, char **argv)
{
	/* Another root is for tests: a machine that is not this one. */
	const char *root = getenv("GPREEMPT_TEST_ROOT");
	struct gp_check c = { 0 };
	bool has_module = false;
	struct gp_options o;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret == GP_GO_ON)
		ret = gp_options_no_words(&o, 0);
	if (ret != GP_GO_ON)
		return ret;
	c.list = json_array();
	if (gp_check_machine(&c, root))
		has_module = gp_check_module(&c, root);
	gp_check_stack(&c, &o, has_module);
	return finish(&c, &o);
}
