// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"

static const struct gp_verb verb = {
	.name = "metrics",
	.usage = "[OPTION...]",
	.doc = "Prints the daemon's counters as Prometheus text.",
	.options = 0,
};

int gp_metrics_main(int argc, char **argv)
{
	struct gp_session s;
	struct gp_options o;
	const char *text;
	json_t *reply;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret == GP_GO_ON)
		ret = gp_options_no_words(&o, 0);
	if (ret == GP_GO_ON)
		ret = gp_session_open(&s, &o, false);
	if (ret != GP_GO_ON)
		return ret;
	ret = gp_session_call(&s, NULL, "GetMetrics", NULL, &reply);
	gp_session_close(&s);
	if (ret != GP_GO_ON)
		return ret;
	text = json_string_value(json_object_get(reply, "text"));
	if (text)
		fputs(text, stdout);
	ret = gp_cli_finish(text ? GP_EXIT_OK : GP_EXIT_FAILED);
	json_decref(reply);
	return ret;
}
