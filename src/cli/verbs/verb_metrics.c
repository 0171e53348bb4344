// SPDX-License-Identifier: MIT
#include "cli/cli_verb.h"

static int metrics(struct cli_session *s)
{
	const char *text;
	json_t *reply;
	int ret = cli_session_call(s, NULL, "GetMetrics", NULL, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	text = cli_text(reply, "text");
	fputs(text, stdout);
	ret = cli_finish(*text ? CLI_EXIT_OK : CLI_EXIT_FAILED);
	json_decref(reply);
	return ret;
}

const struct cli_verb cli_verb_metrics = {
	.name = "metrics",
	.usage = "[OPTION...]",
	.doc = "Prints the daemon's counters as Prometheus text.",
	.example = "gpreempt metrics",
	.partner = CLI_PARTNER_DAEMON,
	.run = metrics,
};
