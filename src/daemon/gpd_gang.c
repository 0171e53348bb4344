// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_gang.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "rules/gang.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define GANGS_MAX 1024

struct gpd_gangs {
	struct gp_gangs *rule;
	void *mem;		/* its memory */
	uint64_t noisy;		/* bit mask of nodes with news */
	uint32_t nr_ranks;	/* entities that are ranks */
	sd_event_source *hear;	/* hears the news; on only while there are some */
	sd_event_source *timer; /* for what is decided without news */
	/* Entities that are to be ranks: they join when the core is not in use. */
	LIST_HEAD(, gpd_entity) joining;
};

/* What was left of the event before is carried out first. */
static struct gp_act *enter(void *data, u32 node)
{
	struct gpd *d = data;

	if (node >= d->nr_nodes)
		return NULL;
	gpd_fanout_settle(&d->node[node]);
	return &d->node[node].act;
}

static void leave(void *data, u32 node)
{
	struct gpd *d = data;

	gpd_fanout_settle(&d->node[node]);
}

static const struct gp_gangs_ops ops = { .enter = enter, .leave = leave };

static void join_all(struct gpd *d)
{
	struct gpd_gangs *g = d->gangs;

	while (!LIST_EMPTY(&g->joining)) {
		struct gpd_entity *e = LIST_FIRST(&g->joining);
		int err;

		LIST_REMOVE(e, of_gangs);
		err = gp_gangs_join(g->rule, &e->group.key, e->node->index, e->id, gpd_now_ns());
		e->gang = err ? GPD_GANG_NONE : GPD_GANG_RANK;
		g->nr_ranks += !err;
		/* One that is held while others of its group run joins them when it is back. */
		if (err && err != -EEXIST)
			gpd_log(LOG_WARNING, "node %" PRIu32 ": no room for another gang",
				e->node->gpu_id);
	}
}

static void run(struct gpd *d)
{
	struct gpd_gangs *g = d->gangs;
	uint64_t noisy = g->noisy;

	g->noisy = 0;
	join_all(d);
	g->noisy |= gp_gangs_run(g->rule, noisy, gpd_now_ns());
	if (g->noisy)
		sd_event_source_set_enabled(g->hear, SD_EVENT_ONESHOT);
	gpd_timer_set(g->timer, gp_gangs_next_ns(g->rule));
}

static int on_news(sd_event_source *s, void *data)
{
	run(data);
	return 0;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	run(data);
	return 0;
}

void gpd_gang_news(struct gpd_node *n)
{
	struct gpd_gangs *g = n->d->gangs;

	if (!g || !g->nr_ranks)
		return;
	g->noisy |= 1ULL << n->index;
	sd_event_source_set_enabled(g->hear, SD_EVENT_ONESHOT);
}

/*
 * A gang connects GPUs: gangs of other users on these take turns from then on, though they share
 * none. That is for root to say, or to grant with the group.
 */
static bool may_connect(const struct gpd_client *c)
{
	return c->user->privileged || (c->grant && c->grant->attrs.group[0]);
}

void gpd_gang_join(struct gpd_entity *e, const char *name)
{
	struct gpd_client *c = LIST_FIRST(&e->members)->client;
	struct gpd_gangs *g = e->node->d->gangs;

	if (!g || !gp_group_is_gang(name) || e->group.key.is_alone)
		return;
	if (!may_connect(c)) {
		gpd_client_note(c, "its group is no gang: that needs privilege, or a grant of it");
		return;
	}
	e->gang = GPD_GANG_JOINS;
	LIST_INSERT_HEAD(&g->joining, e, of_gangs);
	sd_event_source_set_enabled(g->hear, SD_EVENT_ONESHOT);
}

void gpd_gang_leave(struct gpd_entity *e)
{
	struct gpd *d = e->node->d;

	if (e->gang == GPD_GANG_JOINS)
		LIST_REMOVE(e, of_gangs);
	if (e->gang == GPD_GANG_RANK) {
		d->gangs->nr_ranks--;
		gp_gangs_leave(d->gangs->rule, e->node->index, e->id, gpd_now_ns());
		sd_event_source_set_enabled(d->gangs->hear, SD_EVENT_ONESHOT);
	}
	e->gang = GPD_GANG_NONE;
}

void gpd_gang_ask_again(struct gpd_entity *e)
{
	const struct gpd_client *c = e ? LIST_FIRST(&e->members)->client : NULL;

	if (!e || (e->gang != GPD_GANG_NONE) == may_connect(c))
		return;
	if (e->gang != GPD_GANG_NONE)
		gpd_gang_leave(e);
	else
		gpd_gang_join(e, c->attrs.group);
}

int gpd_gang_init(struct gpd *d)
{
	struct gp_gangs_config config = {
		.nr_nodes = d->max_nodes,
		.max_gangs = GANGS_MAX,
		.max_ranks = GPD_ENTITIES_MAX,
		.ops = &ops,
		.data = d,
	};
	struct gpd_gangs *g = calloc(1, sizeof(*g));
	int err;

	d->gangs = g;
	if (!g)
		return -ENOMEM;
	LIST_INIT(&g->joining);
	g->mem = aligned_alloc(64, (gp_gangs_size(&config) + 63) / 64 * 64);
	if (!g->mem)
		return -ENOMEM;
	g->rule = gp_gangs_init(g->mem, &config);
	err = gpd_defer_add(d->event, &g->hear, GPD_PRIORITY_ROOT, on_news, d);
	return err < 0 ? err : gpd_timer_add(d->event, &g->timer, on_timer, d);
}

void gpd_gang_fini(struct gpd *d)
{
	struct gpd_gangs *g = d->gangs;

	if (!g)
		return;
	sd_event_source_unref(g->hear);
	sd_event_source_unref(g->timer);
	free(g->mem);
	free(g);
	d->gangs = NULL;
}
