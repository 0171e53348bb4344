// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What must be true of gangs between two calls: for tests in user space, as core/check.c is. */
#include "core/sched_types.h"
#include "rules/gang_types.h"

#define CHECK(cond, text)            \
	do {                         \
		if (!(cond))         \
			return text; \
	} while (0)

static const char *check_gang(const struct gp_gangs *g, const struct gp_gang *gang)
{
	struct gp_gang sum = { 0 };
	u32 i;

	for (i = gang->first; i != GP_GANG_NONE; i = g->rank[i].next) {
		gp_gang_count(&sum, &g->rank[i], 1);
		sum.nr_ranks++;
		CHECK(!(sum.nodes >> g->rank[i].node & 1), "two ranks of a gang on a node");
		sum.nodes |= 1ULL << g->rank[i].node;
		CHECK(g->set_of[g->rank[i].node] == gang->set, "rank outside of its set");
	}
	CHECK(sum.nr_ranks == gang->nr_ranks && sum.nodes == gang->nodes, "ranks are miscounted");
	CHECK(sum.nr_work == gang->nr_work && sum.nr_away == gang->nr_away &&
		      sum.nr_unsettled == gang->nr_unsettled,
	      "what ranks do is miscounted");
	CHECK(gang->is_busy == (gang->nr_work && !gang->is_stalled), "gang has work, or not");
	CHECK((gang->list == GP_GANG_AWAY) == (gang->nr_away && !gang->is_stalled),
	      "gang stalls, or not");
	CHECK(gang->list != GP_GANG_PAUSES || gang->is_stalled, "gang pauses without a reason");
	return NULL;
}

const char *gp_gangs_check(const struct gp_gangs *g)
{
	const char *bad = gp_sched_check(g->up);
	u32 i;

	for (i = 0; !bad && i < g->config.max_gangs; i++)
		if (g->gang[i].live)
			bad = check_gang(g, &g->gang[i]);
	return bad;
}
