// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_policy_doc.h"

#include "gp_port.h"

#include <string.h>

static const struct {
	const char *name;
	const char *doc;
} docs[] = {
	{ "prio", "the highest priority runs; equals run together" },
	{ "fair", "the process that has run least for its weight runs; priorities do not count" },
	{ "slice", "in turn, each for its share of a round by weight, or its slice" },
	{ "edf", "the nearest deadline first; those without one come last" },
	{ "laxity", "as prio, until a deadline could be missed: that one first" },
	{ "mlfq", "a process that has used little time goes first; needs no attributes" },
};

const char *cli_policy_doc(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(docs); i++) {
		if (!strcmp(docs[i].name, name))
			return docs[i].doc;
	}
	return "";
}
