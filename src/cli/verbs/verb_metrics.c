// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"

static const struct cli_verb verb = {
	.name = "metrics",
	.usage = "[OPTION...]",
	.doc = "Prints the daemon's counters as Prometheus text.",
	.options = 0,
};

int cli_metrics_main(int argc, char **argv)
{
	struct cli_session s;
	struct cli_options o;
	const char *text;
	json_t *reply;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret == CLI_GO_ON)
		ret = cli_options_no_words(&o, 0);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_call(&s, NULL, "GetMetrics", NULL, &reply);
	cli_session_close(&s);
	if (ret != CLI_GO_ON)
		return ret;
	text = json_string_value(json_object_get(reply, "text"));
	if (text)
		fputs(text, stdout);
	ret = cli_finish(text ? CLI_EXIT_OK : CLI_EXIT_FAILED);
	json_decref(reply);
	return ret;
}
