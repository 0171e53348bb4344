// SPDX-License-Identifier: MIT
/* Cgroups: what is said of them, and what they use. The daemon alone knows them. */
#include "cli/cli_objects.h"

#include "rules/cgroup.h"
#include "rules/guess.h"

#include <string.h>

const char *cli_cgroup_path(const char *text)
{
	size_t len = strlen(CLI_CGROUP);

	return strncmp(text, CLI_CGROUP, len) ? NULL : text + len;
}

/* As the kernel writes pressure: a share of time, in percent. */
static void add_averages(json_t *row, const char *which)
{
	static const char *const spans[] = { "avg10", "avg60", "avg300" };
	json_t *pressure = json_object_get(row, which);
	char key[24], name[24];

	for (u32 i = 0; i < ARRAY_SIZE(spans); i++) {
		json_int_t ppm;

		snprintf(name, sizeof(name), "%s_ppm", spans[i]);
		snprintf(key, sizeof(key), "%s_%s", which, spans[i]);
		ppm = cli_number(pressure, name) / 100;
		json_object_set_new(row, key, json_sprintf("%lld.%02lld", ppm / 100, ppm % 100));
	}
}

int cli_cgroups_get(struct cli_session *s, json_t **out)
{
	json_t *reply, *row;
	size_t i;
	int ret;

	if (s->is_direct) {
		cli_error("cgroups", "only the daemon knows them, and it does not run");
		return CLI_EXIT_NO_DAEMON;
	}
	ret = cli_session_call(s, NULL, "ListCgroups", NULL, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	*out = json_incref(json_object_get(reply, "cgroups"));
	json_decref(reply);
	json_array_foreach(*out, i, row) {
		add_averages(row, "some");
		add_averages(row, "full");
	}
	return CLI_GO_ON;
}

static int no_setting(const char *word, const char *name)
{
	struct gp_guess guess;

	gp_guess_init(&guess, name);
	for (u32 i = 0; gp_cgroup_name(i); i++)
		gp_guess_try(&guess, gp_cgroup_name(i));
	cli_error(word, "not weight=, max=, latency= or idle= of a cgroup%s",
		  gp_guess_text(&guess));
	return CLI_EXIT_USAGE;
}

/* Without a value it is taken back. */
static int parse_setting(json_t *settings, const char *word)
{
	struct gp_cgroup_attr attr;
	size_t len = strcspn(word, "=");
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%.*s", (int)min(len, sizeof(name) - 1), word);
	gp_cgroup_default(&attr);
	err = word[len] ? gp_cgroup_read(name, word[len + 1] ? word + len + 1 : "0", &attr) :
			  -ENOENT;
	if (err == -ENOENT)
		return no_setting(word, name);
	if (err && word[len + 1]) {
		cli_error(word, err == -ERANGE ? "%s is out of range" : "not a value of %s", name);
		return CLI_EXIT_USAGE;
	}
	json_object_set_new(settings, name,
			    word[len + 1] ? json_string(word + len + 1) : json_null());
	return CLI_GO_ON;
}

static void print_changes(const char *path, const json_t *reply, bool is_dry)
{
	json_t *new = json_object_get(reply, "new"), *value;
	const json_t *old = json_object_get(reply, "old");
	bool any = false;
	const char *key;

	json_object_foreach(new, key, value) {
		if (json_equal(json_object_get(old, key), value))
			continue;
		printf("%s%s: %s %s -> %s\n", is_dry ? "would change " : "", path, key,
		       cli_text(old, key), json_string_value(value));
		any = true;
	}
	if (!any)
		printf("%s: nothing changes\n", path);
}

int cli_cgroup_set(struct cli_session *s)
{
	const char *name = s->o.words[0], *path = cli_cgroup_path(name);
	json_t *settings = json_object(), *reply;
	int ret = CLI_GO_ON;

	if (!gp_cgroup_is_path(path) || s->o.nr_words < 2) {
		cli_error(name, s->o.nr_words < 2 ? "what? gpreempt set cgroup:PATH KEY=VALUE..." :
						    "not the path of a cgroup");
		ret = CLI_EXIT_USAGE;
	}
	for (int i = 1; ret == CLI_GO_ON && i < s->o.nr_words; i++)
		ret = parse_setting(settings, s->o.words[i]);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(s, false);
	if (ret == CLI_GO_ON)
		ret = cli_session_call(s, name, "SetCgroup",
				       json_pack("{s:s, s:O, s:b}", "cgroup", path, "settings",
						 settings, "dry_run", s->o.is_dry_run),
				       &reply);
	json_decref(settings);
	if (ret != CLI_GO_ON)
		return ret;
	if (s->o.is_json)
		return cli_print_json("set-cgroup", reply, false);
	if (!s->o.is_quiet)
		print_changes(name, reply, s->o.is_dry_run);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}
