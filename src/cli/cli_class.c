// SPDX-License-Identifier: MIT
#include "cli/cli_class.h"

#include "rules/guess.h"

#include <string.h>

/* Says which classes there are, and which was meant. */
static int no_class(const char *object, const char *name, const json_t *settings)
{
	char all[256] = "";
	struct gp_guess guess;
	const json_t *row;
	size_t i, len = 0;

	gp_guess_init(&guess, name);
	json_array_foreach(settings, i, row) {
		const char *section = cli_text(row, "section");

		if (strncmp(section, "class ", 6))
			continue;
		gp_guess_try(&guess, section + 6);
		if (!strstr(all, section + 6) && len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
						len ? ", " : "", section + 6);
	}
	cli_error(object, "no class '%.40s'%s; there are %s", name, gp_guess_text(&guess), all);
	return CLI_EXIT_NOT_FOUND;
}

int cli_class_check(struct gpreempt *g, const char *object, const char *name)
{
	json_t *config = NULL, *settings;
	const json_t *row;
	bool is_there = false;
	size_t i;
	int ret = CLI_GO_ON;

	cli_session_ask(g, "GetConfig", NULL, &config);
	settings = json_object_get(config, "settings");
	json_array_foreach(settings, i, row) {
		const char *section = cli_text(row, "section");

		is_there |= !strncmp(section, "class ", 6) && !strcmp(section + 6, name);
	}
	if (!is_there && json_array_size(settings))
		ret = no_class(object, name, settings);
	json_decref(config);
	return ret;
}
