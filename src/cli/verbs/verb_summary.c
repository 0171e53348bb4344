// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <string.h>

static const struct cli_column columns[] = {
	{ "id", "DEVICE", NULL, CLI_COLUMN_TEXT, false },
	{ "name", "NAME", NULL, CLI_COLUMN_TEXT, false },
	{ "policy", "POLICY", NULL, CLI_COLUMN_TEXT, false },
	{ "health", "HEALTH", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_queues", "QUEUES", NULL, CLI_COLUMN_INT, false },
	{ "nr_busy", "BUSY", NULL, CLI_COLUMN_INT, false },
	{ "nr_out", "OUT", NULL, CLI_COLUMN_INT, false },
	{ "nr_preemptions", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "preemptions_per_s", "MEAN_PER_S", NULL, CLI_COLUMN_INT, false },
	{ "switch_p50_ns", "SWITCH_P50", NULL, CLI_COLUMN_NS, false },
	{ "switch_p99_ns", "SWITCH_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", NULL, CLI_COLUMN_NS, false },
};

/* "3d 4h", "2h 5m", "4m 10s", "12s" */
static void format_uptime(u64 ns, char *out, size_t size)
{
	unsigned int s = (unsigned int)(ns / CLI_NS_PER_S);

	if (s >= 86400)
		snprintf(out, size, "%ud %uh", s / 86400, s / 3600 % 24);
	else if (s >= 3600)
		snprintf(out, size, "%uh %um", s / 3600, s / 60 % 60);
	else if (s >= 60)
		snprintf(out, size, "%um %us", s / 60, s % 60);
	else
		snprintf(out, size, "%us", s);
}

/* Health in one word, and preemptions a second since the daemon began. */
static void add_summary(json_t *row, const json_t *info)
{
	double up = (double)cli_number(info, "uptime_ns") / CLI_NS_PER_S;
	const char *breaker = json_string_value(json_object_get(row, "breaker"));
	const char *health = "-";
	char rate[32];

	if (json_is_false(json_object_get(row, "enabled")) && info)
		health = "off";
	else if (breaker)
		health = strcmp(breaker, "closed") ? breaker : "ok";
	snprintf(rate, sizeof(rate), "%.1f",
		 up > 0 ? (double)cli_number(row, "nr_preemptions") / up : 0.0);
	json_object_set_new(row, "health", json_string(health));
	json_object_set_new(row, "preemptions_per_s",
			    info ? json_string(rate) : json_null());
}

static void print_head(const json_t *info)
{
	json_int_t nr = cli_number(info, "nr_clients");
	char mechanisms[CLI_CELL_MAX], up[32];

	if (!info) {
		puts("gpreemptd does not run: what follows is from the driver alone");
		return;
	}
	format_uptime((u64)cli_number(info, "uptime_ns"), up, sizeof(up));
	cli_format_value(json_object_get(info, "mechanisms"), CLI_COLUMN_LIST, mechanisms);
	printf("gpreemptd %s, pid %lld, up %s, %lld client%s, mechanisms %s\n",
	       cli_text(info, "version"), cli_number(info, "pid"), up, nr, nr == 1 ? "" : "s",
	       mechanisms);
	if (json_is_string(json_object_get(info, "last_exit")))
		printf("last exit: %s\n", cli_text(info, "last_exit"));
}

static void print_reasons(const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		if (*cli_text(row, "breaker_reason"))
			printf("%s: %s\n", cli_text(row, "id"), cli_text(row, "breaker_reason"));
	}
}

static int summary(struct cli_session *s)
{
	json_t *info = NULL, *rows;
	int ret = CLI_GO_ON;

	if (!s->is_direct)
		ret = cli_session_call(s, NULL, "GetInfo", NULL, &info);
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_DEVICE, &rows);
	if (ret != CLI_GO_ON) {
		json_decref(info);
		return ret;
	}
	for (size_t i = 0; i < json_array_size(rows); i++)
		add_summary(json_array_get(rows, i), info);
	if (s->o.is_json)
		return cli_print_json("summary",
				      json_pack("{s:o?, s:o}", "daemon", info, "devices", rows),
				      s->is_repeated);
	print_head(info);
	putchar('\n');
	cli_view_print(&s->view, rows, &s->o);
	print_reasons(rows);
	json_decref(info);
	json_decref(rows);
	return cli_finish(CLI_EXIT_OK);
}

const struct cli_verb cli_verb_summary = {
	.name = "",
	.usage = "[OPTION...] | COMMAND [OPTION...]",
	.doc = "Without a command: devices, policies, queues, preemptions and health "
	       "on one screen.\n"
	       "gpreempt help lists the commands.",
	.example = "gpreempt\n"
		   "gpreempt --watch=5s",
	.options = CLI_OPTS_READ,
	.partner = CLI_PARTNER_ANY,
	.columns = columns,
	.nr_columns = ARRAY_SIZE(columns),
	.run = summary,
};
