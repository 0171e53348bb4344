/* SPDX-License-Identifier: MIT */
/*
 * The ladder of kit/kit_ladder.h as a verb: its first rung, its output.
 */
#ifndef GP_CLI_SELFTEST_H
#define GP_CLI_SELFTEST_H

#include "cli/cli_verb.h"
#include "kit/kit_ladder.h"

#define CLI_SELFTEST_RUNGS 16

/* A climb and what came of it. */
struct cli_selftest {
	const struct cli_options *o;
	struct kit_climb climb;
	u32 nr;	/* rungs that were tried */
	const struct kit_rung *rung[CLI_SELFTEST_RUNGS];
	struct kit_report report[CLI_SELFTEST_RUNGS];
	bool is_complete;
};

/* How it ended, a sentence. */
void cli_selftest_end(const struct cli_selftest *t, char *out, size_t size);

/* Writes selftest.json, which is @report, and selftest.html into a folder. 0 or -errno. */
int cli_selftest_bundle(const struct cli_selftest *t, const char *folder, json_t *report);

/* The machine, by what gpreempt check finds, and a list of what is known to be bad. */
extern const struct kit_rung cli_rung_machine;

#endif
