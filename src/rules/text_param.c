// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Apart from the grammar, which needs nothing of the core. */
#include "rules/text.h"

/* Return: the end. */
static char *append(char *out, const char *text)
{
	while (*text)
		*out++ = *text++;
	*out = '\0';
	return out;
}

const struct gp_param_desc *gp_text_param(u32 index, char *name)
{
	const char *policy;
	const struct gp_param_desc *desc = gp_sched_param_desc(index, &policy);

	if (!desc)
		return NULL;
	if (policy)
		name = append(append(name, policy), ".");
	append(name, desc->name);
	return desc;
}

int gp_text_read_param(const char *name, const char *text, u64 *value,
		       const struct gp_param_desc **desc)
{
	const struct gp_param_desc *found = gp_params_find(name);

	if (desc)
		*desc = found;
	if (!found)
		return -ENOENT;
	return gp_text_read_value(name, text, found->min, found->max, value);
}

bool gp_text_is_policy(const char *name)
{
	const char *policy;
	u32 i;

	for (i = 0; (policy = gp_policy_name_at(i)); i++)
		if (!strcmp(policy, name))
			return true;
	return false;
}
