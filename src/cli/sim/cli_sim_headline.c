// SPDX-License-Identifier: MIT
/* A comparison in one sentence. */
#include "cli/cli.h"
#include "cli/sim/cli_sim_comparison.h"

#include <string.h>

/* Names of the classes of one side, as "a, b". */
static void names_of(const struct cli_comparison *c, bool is_online, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (u32 i = 0; i < c->sc->nr_classes && len < size; i++) {
		if (c->is_online[i] == is_online)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
						c->sc->classes[i].name);
	}
}

static const struct cli_comparison_row *row_of(const struct cli_comparison *c,
					       enum sim_mechanism mechanism,
					       enum sim_detect detect)
{
	for (u32 i = 0; i < c->nr_rows; i++) {
		const struct cli_comparison_row *row = &c->rows[i];

		if (row->mechanism == mechanism && !row->reason[0] &&
		    (row->detect == detect || !sim_mechanism_uses_detection(mechanism)))
			return row;
	}
	return NULL;
}

/* Work that runs is neither saved nor killed by these. */
static bool is_waiting(enum sim_mechanism m)
{
	return m == SIM_MECH_HWPRIO || m == SIM_MECH_LAUNCH_BLOCK || m == SIM_MECH_DRAIN;
}

static int best_waiting(const struct cli_comparison *c, u64 *p99)
{
	struct sim_summary s;

	*p99 = SIM_NEVER;
	for (u32 i = 0; i < c->nr_rows; i++) {
		int err;

		if (!is_waiting(c->rows[i].mechanism) || c->rows[i].reason[0])
			continue;
		err = cli_comparison_summary(c, &c->rows[i], &s);
		if (err)
			return err;
		*p99 = s.p99 ? min(*p99, s.p99) : *p99;
	}
	return 0;
}

/* The slowest of the online classes alone; 0 = not known. */
static u64 alone_p99(const struct cli_comparison *c, const struct sim_result *r)
{
	u64 worst = 0;

	for (u32 i = 0; i < r->nr_classes; i++) {
		if (c->is_online[i] && sim_summary_has_p99(&r->classes[i].alone))
			worst = max(worst, r->classes[i].alone.p99);
	}
	return worst;
}

int cli_comparison_headline(const struct cli_comparison *c, enum sim_mechanism mechanism,
			    enum sim_detect detect, char *text, size_t size)
{
	const struct cli_comparison_row *with = row_of(c, mechanism, detect);
	const struct cli_comparison_row *stock = row_of(c, SIM_MECH_NONE, detect);
	char t[3][CLI_TEXT_MAX_DURATION], online[128], offline[128], ratio[48] = "";
	struct sim_summary today, now;
	u64 best, alone;
	int err;

	*text = '\0';
	if (!with || !stock)
		return 0;
	err = cli_comparison_summary(c, stock, &today);
	if (!err)
		err = cli_comparison_summary(c, with, &now);
	if (!err)
		err = best_waiting(c, &best);
	if (err)
		return err;
	names_of(c, true, online, sizeof(online));
	names_of(c, false, offline, sizeof(offline));
	alone = alone_p99(c, &with->result);
	if (alone && now.p99 != SIM_NEVER)
		snprintf(ratio, sizeof(ratio), " (%.2f x alone)", (double)now.p99 / (double)alone);
	snprintf(text, size, "p99 of %s: stock driver %s, best without saving %s, gpreempt %s%s",
		 online, cli_format_reached(today.p99, t[0]), cli_format_reached(best, t[1]),
		 cli_format_reached(now.p99, t[2]), ratio);
	if (cli_comparison_offline_done(c, &with->result) >= 0)
		snprintf(text + strlen(text), size - strlen(text), "; %s keeps %.0f %%", offline,
			 100 * cli_comparison_offline_done(c, &with->result));
	snprintf(text + strlen(text), size - strlen(text), "; %llu workgroups lost",
		 (unsigned long long)with->result.lost);
	return 0;
}
