// SPDX-License-Identifier: MIT
/* Keys of the section [cgroup PATH], and the key of a class that names one. */
#include "sim/sim_scenario_parse.h"

#include <string.h>

static int set_said(struct sim_parser *p, const struct sim_key *key, char *value)
{
	int err = gp_cgroup_read(key->name, value, &p->cgroup->attr);

	if (err == -ERANGE)
		return sim_parser_fail(p, "%s: '%.40s' is out of range", key->name, value);
	if (err)
		return sim_parser_fail(p, "%s: '%.40s' is not such as '%s'", key->name, value,
				       !strcmp(key->name, "max") ? "20000 100000" : "100");
	return 0;
}

const struct sim_key sim_cgroup_keys[] = {
#define X(bit, text) { .name = text, .set = set_said },
	GP_CGROUP_KEYS(X)
#undef X
	{ .name = NULL },
};

int sim_parse_cgroup(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (!gp_cgroup_is_path(value) || strlen(value) >= SIM_CGROUP_LEN ||
	    strchr(value, '?') || strcspn(value, "*") + 1 < strlen(value))
		return sim_parser_fail(p, "%s: a path such as /batch, or /pods/* for one each",
				       key->name);
	strcpy(p->class->cgroup, value);
	return 0;
}
