// SPDX-License-Identifier: MIT
#include "daemon/gpd_cgroup.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "daemon/module/gpd_module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is done before it is another's turn: to look one up is worth some that are passed by. */
#define STEPS_A_TURN 64
#define STEPS_A_CLIENT 16
/* Cgroups whose averages are told in a turn: for each the kernel module asks all of its GPUs. */
#define AVERAGES_A_TURN 16
/* How long one without clients is kept. */
#define KEPT_NS (600 * GPD_NS_PER_SEC)

/* What SetCgroup has said of a path. */
struct said {
	LIST_ENTRY(said) link; /* in gpd_cgroups.said */
	struct gp_cgroup_attr attr;
	char path[GPD_CGROUP_LEN];
};

/* All cgroups. */
struct gpd_cgroups {
	struct gp_tree tree; /* by path */
	LIST_HEAD(, said) said;
	uint32_t nr_said;
	uint64_t number;	/* of the last one that was made */
	sd_event_source *timer; /* averages, and those without clients; on while there are some */
	struct gpd_cgroup_place at; /* the last one for which that was done, if there are more */
	/* Looks clients up again, a few at a time; on until the last change reached all. */
	sd_event_source *pass;
	struct gpd_round round;
	struct gpd_round changed; /* when something changed last */
	struct gpd_round all;	  /* when it did for all clients */
};

static struct gpd_cgroup *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_cgroup, by_path) : NULL;
}

static int by_path(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_cgroup *x = container_of(a, struct gpd_cgroup, by_path);
	const struct gpd_cgroup *y = container_of(b, struct gpd_cgroup, by_path);
	int order = strcmp(x->path, y->path);

	return order ? order : gp_tree_order(x->retired, y->retired);
}

static struct gpd_cgroup *find(const struct gpd *d, const char *path)
{
	struct gpd_cgroup key = { .retired = 0 };

	snprintf(key.path, sizeof(key.path), "%s", path);
	return of(gp_tree_find(&d->cgroups->tree, &key.by_path));
}

struct gpd_cgroup *gpd_cgroup_next(const struct gpd *d, const struct gpd_cgroup *g)
{
	return of(g ? gp_tree_next(&g->by_path) : gp_tree_first(&d->cgroups->tree));
}

struct gpd_cgroup *gpd_cgroup_step(const struct gpd *d, struct gpd_cgroup_place *at)
{
	struct gpd_cgroup key = { .retired = at->retired + 1 };
	struct gpd_cgroup *g;

	snprintf(key.path, sizeof(key.path), "%s", at->path);
	g = of(gp_tree_at_least(&d->cgroups->tree, &key.by_path));
	if (!g)
		return NULL;
	snprintf(at->path, sizeof(at->path), "%s", g->path);
	at->retired = g->retired;
	return g;
}

static struct said *find_said(const struct gpd *d, const char *path)
{
	struct said *s;

	LIST_FOREACH(s, &d->cgroups->said, link)
		if (!strcmp(s->path, path))
			return s;
	return NULL;
}

void gpd_cgroup_would(const struct gpd *d, const char *path, const struct gp_cgroup_attr *more,
		      uint32_t clear, struct gp_cgroup_attr *attr)
{
	const struct gpd_config *config = d->config;
	const struct said *s = find_said(d, path);
	struct gp_cgroup_attr said;
	uint32_t i;

	gp_cgroup_default(&said);
	if (s)
		said = s->attr;
	gp_cgroup_merge(&said, more, true);
	said.mask &= ~clear;
	gp_cgroup_default(attr);
	for (i = 0; i < config->nr_cgroups; i++)
		if (gp_cgroup_matches(config->cgroups[i].pattern, path))
			gp_cgroup_merge(attr, &config->cgroups[i].attr, true);
	gpd_cgroup_xattrs(path, attr);
	gp_cgroup_merge(attr, &said, true);
}

void gpd_cgroup_said(const struct gpd *d, const char *path, struct gp_cgroup_attr *attr)
{
	struct gp_cgroup_attr nothing;

	gp_cgroup_default(&nothing);
	gpd_cgroup_would(d, path, &nothing, 0, attr);
}

/*
 * Shares
 */

static void begin_pass(struct gpd *d)
{
	d->cgroups->changed = d->cgroups->round;
	sd_event_source_set_enabled(d->cgroups->pass, SD_EVENT_ONESHOT);
}

/* Its processes are looked up again, and those below. */
static void note_changed(struct gpd_cgroup *g)
{
	g->changed = g->d->cgroups->round;
	begin_pass(g->d);
}

static void set_said(struct gpd_cgroup *g, const struct gp_cgroup_attr *said)
{
	struct gp_cgroup_attr all = *said;
	struct gp_share_attr attr;
	struct gpd_node *n;

	if (g->above)
		gp_cgroup_inherit(&all, &g->above->all);
	/* The rest is in the share alone. */
	if (gp_cgroup_differ(&all, &g->all) & (GP_CGROUP_LATENCY | GP_CGROUP_IDLE))
		note_changed(g);
	g->all = all;
	if (!gp_cgroup_differ(said, &g->said))
		return;
	g->said = *said;
	gp_cgroup_share(said, &attr);
	for (n = g->d->node; n < g->d->node + g->d->nr_nodes; n++)
		if (!gp_sched_share_set_attr(g->d->sched, g->share[n->index], &attr, gpd_now_ns(),
					     &n->act.acts))
			gpd_fanout_settle(n);
	gpd_module_cgroup_tell(g->d, g->path, said);
}

u64 gpd_cgroup_share(struct gpd_cgroup *g, struct gpd_node *n)
{
	struct gp_share_attr attr;
	u64 above;

	if (!g)
		return GP_ID_NONE;
	if (g->share[n->index] != GP_ID_NONE)
		return g->share[n->index];
	above = gpd_cgroup_share(g->above, n);
	gp_cgroup_share(&g->said, &attr);
	if (gp_sched_share_add(g->d->sched, n->index, above, &attr, (u64)(uintptr_t)g,
			       gpd_now_ns(), &n->act.acts, &g->share[n->index]))
		return above;
	gpd_fanout_settle(n);
	return g->share[n->index];
}

static void add(struct gpd_cgroup_use *use, const struct gp_share_info *info, uint32_t nr_throttled)
{
	use->nr_throttled += nr_throttled;
	use->info.usage_ns += info->usage_ns;
	use->info.nr_periods += info->nr_periods;
	use->info.nr_throttled += info->nr_throttled;
	use->info.throttled_ns += info->throttled_ns;
	use->info.some_ns += info->some_ns;
	use->info.full_ns += info->full_ns;
}

void gpd_cgroup_count(const struct gpd_cgroup *g, struct gpd_cgroup_use *use)
{
	struct gp_share_info info;
	uint32_t i, nr;

	*use = (struct gpd_cgroup_use){ 0 };
	for (i = 0; i < g->d->nr_nodes; i++)
		if (!gp_sched_share_info(g->d->sched, g->share[g->d->node[i].index], gpd_now_ns(),
					 &info))
			add(use, &info, info.is_throttled);
	if (gpd_module_cgroup_use(g->d, g->path, &info, &nr))
		add(use, &info, nr);
}

/*
 * Coming and going
 */

static void note_empty(struct gpd_cgroup *g)
{
	g->left_ns = g->nr_clients || g->nr_below || g->nr_listed ? 0 : gpd_now_ns();
}

static void average(struct gpd_cgroup *g, uint64_t now_ns)
{
	struct gpd_cgroup_use use;

	gpd_cgroup_count(g, &use);
	gp_pressure_tell(&g->some, use.info.some_ns, now_ns);
	gp_pressure_tell(&g->full, use.info.full_ns, now_ns);
}

/* What SetCgroup says of it, the module is to know before the next process comes. */
static void untell(const struct gpd_cgroup *g)
{
	struct gp_cgroup_attr nothing;

	gp_cgroup_default(&nothing);
	if (!g->retired && !find_said(g->d, g->path))
		gpd_module_cgroup_tell(g->d, g->path, &nothing);
}

/* Unless an entity is in a share of it still: then later. */
static void forget(struct gpd_cgroup *g)
{
	struct gpd *d = g->d;
	struct gpd_node *n;

	for (n = d->node; n < d->node + d->nr_nodes; n++) {
		int err = gp_sched_share_remove(d->sched, g->share[n->index], gpd_now_ns(),
						&n->act.acts);

		if (err == -EBUSY)
			return;
		if (!err)
			gpd_fanout_settle(n);
		g->share[n->index] = GP_ID_NONE;
	}
	untell(g);
	gp_tree_remove(&d->cgroups->tree, &g->by_path);
	if (g->above) {
		g->above->nr_below--;
		note_empty(g->above);
	}
	gpd_user_give(g->user, GPD_BUDGET_CGROUPS);
	gpd_user_put(g->user);
	free(g);
}

/* The one of a user that has been empty for the longest time; @above is to have another in it. */
static struct gpd_cgroup *oldest(const struct gpd_user *u, const struct gpd_cgroup *above)
{
	struct gpd_cgroup *g, *found = NULL;

	for (g = gpd_cgroup_next(u->d, NULL); g; g = gpd_cgroup_next(u->d, g))
		if (g->user == u && g->left_ns && g != above &&
		    (!found || g->left_ns < found->left_ns))
			found = g;
	return found;
}

static bool take_place(struct gpd_user *u, const struct gpd_cgroup *above)
{
	struct gpd_cgroup *old;

	if (gpd_user_take(u, GPD_BUDGET_CGROUPS))
		return true;
	old = oldest(u, above);
	if (old)
		forget(old);
	return old && gpd_user_take(u, GPD_BUDGET_CGROUPS);
}

/*
 * Whose places it takes from: those of root, if only root can have made the folder. What root
 * says of it is to hold whatever the user of its processes has made elsewhere.
 */
static struct gpd_user *payer(struct gpd_user *u, const char *path)
{
	struct gpd_user *root = gpd_cgroup_is_roots(path) ? gpd_user_get(u->d, &u->d->own, true) :
							    NULL;

	return root ? root : gpd_user_ref(u);
}

static struct gpd_cgroup *make(struct gpd_user *u, const char *path, struct gpd_cgroup *above,
			       const struct gp_cgroup_attr *said)
{
	struct gpd_user *user = payer(u, path);
	struct gpd_cgroup *g = take_place(user, above) ? calloc(1, sizeof(*g)) : NULL;
	struct gpd *d = u->d;

	if (!g) {
		if (gpd_user_may_log(u))
			gpd_log(LOG_WARNING, "cgroup %s: no room for its share", path);
		gpd_user_put(user);
		return NULL;
	}
	g->d = d;
	g->user = user;
	g->above = above;
	g->number = ++d->cgroups->number;
	snprintf(g->path, sizeof(g->path), "%s", path);
	gp_tree_insert(&d->cgroups->tree, &g->by_path);
	if (above)
		above->nr_below++;
	set_said(g, said);
	note_empty(g);
	average(g, gpd_now_ns());
	if (!gpd_timer_is_on(d->cgroups->timer))
		gpd_timer_set(d->cgroups->timer, gpd_now_ns() + GP_PRESSURE_PERIOD_NS);
	return g;
}

/* Of one in between something is said now, or not any more: its shares have another place. */
static void retire(struct gpd_cgroup *g)
{
	gp_tree_remove(&g->d->cgroups->tree, &g->by_path);
	g->retired = g->number;
	gp_tree_insert(&g->d->cgroups->tree, &g->by_path);
	note_changed(g);
}

/* The cgroup of a path, NULL if nothing is said of it, or if there are too many. */
static struct gpd_cgroup *get(struct gpd_user *u, const char *path, struct gpd_cgroup *above)
{
	struct gpd_cgroup *g = find(u->d, path);
	struct gp_cgroup_attr said;

	gpd_cgroup_said(u->d, path, &said);
	if (g && (g->above != above || !said.mask)) {
		retire(g);
		g = NULL;
		if (!said.mask)
			gpd_module_cgroup_tell(u->d, path, &said);
	}
	if (g)
		set_said(g, &said);
	return g || !said.mask ? g : make(u, path, above, &said);
}

/*
 * The deepest cgroup at or above a path of which something is said, with all above it; what is
 * deeper than shares can be is not looked at.
 */
static struct gpd_cgroup *look_up(struct gpd_user *u, const char *path)
{
	struct gpd_cgroup *g = NULL, *next;
	char above[GPD_CGROUP_LEN];
	size_t end = 0;
	int nr = 0;

	while (path[end] && path[end + 1] && nr++ < (int)GP_SHARE_DEPTH_MAX) {
		end += 1 + strcspn(path + end + 1, "/");
		snprintf(above, sizeof(above), "%.*s", (int)end, path);
		next = get(u, above, g);
		g = next ? next : g;
	}
	return g;
}

static void set_cgroup(struct gpd_client *c, struct gpd_cgroup *g)
{
	struct gpd_cgroup *old = c->cgroup;

	if (g) {
		g->nr_clients++;
		note_empty(g);
	}
	c->cgroup = g;
	if (!old)
		return;
	old->nr_clients--;
	note_empty(old);
}

void gpd_cgroup_join(struct gpd_client *c)
{
	char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN];
	struct gpd_cgroup *g = NULL;

	/* That it is the process is asked last: then what was read is of that one. */
	if (c->pid <= GPD_PID_MAX && !gpd_cgroup_paths(c->pid, path) &&
	    gp_cgroup_is_path(path[GPD_HIERARCHY_UNIFIED]) && gpd_proc_is(c->pid, c->start_time))
		g = look_up(c->user, path[GPD_HIERARCHY_UNIFIED]);
	set_cgroup(c, g);
}

void gpd_cgroup_leave(struct gpd_client *c)
{
	set_cgroup(c, NULL);
}

/*
 * Where the module schedules
 */

void gpd_cgroup_list(struct gpd_user *u, const char *path)
{
	struct gpd_cgroup *g = look_up(u, path);

	if (g)
		g->nr_counted++;
}

/* Those of which SetCgroup has said something, before a process is in them. */
static void look_up_said(struct gpd *d)
{
	struct gpd_user *root = gpd_module_has_cgroups(d) ? gpd_user_get(d, &d->own, true) : NULL;
	const struct said *s;
	int folder;

	if (!root)
		return;
	LIST_FOREACH(s, &d->cgroups->said, link) {
		folder = gpd_cgroup_open(s->path);
		if (folder < 0)
			continue;
		close(folder);
		look_up(root, s->path);
	}
	gpd_user_put(root);
}

void gpd_cgroup_listed(struct gpd *d)
{
	struct gpd_cgroup *g;

	look_up_said(d);
	for (g = gpd_cgroup_next(d, NULL); g; g = gpd_cgroup_next(d, g)) {
		g->nr_listed = g->nr_counted;
		g->nr_counted = 0;
		if (g->nr_listed || !g->left_ns)
			note_empty(g);
	}
}

void gpd_cgroup_tell_all(struct gpd *d)
{
	struct gpd_cgroup *g;

	for (g = gpd_cgroup_next(d, NULL); g; g = gpd_cgroup_next(d, g))
		if (!g->retired)
			gpd_module_cgroup_tell(d, g->path, &g->said);
	look_up_said(d);
}

/*
 * Changes
 */

static bool is_due(const struct gpd_client *c)
{
	const struct gpd_cgroups *all = c->d->cgroups;
	const struct gpd_cgroup *g;

	if (c->state != GPD_CLIENT_KNOWN)
		return false;
	for (g = c->cgroup; g; g = g->above)
		if (!gpd_round_is_over(&g->changed, &all->round))
			return true;
	return !gpd_round_is_over(&all->all, &all->round);
}

/* In the time of its user. */
static void look_again(struct gpd_client *c)
{
	gpd_user_begin(c->user);
	gpd_cgroup_join(c);
	gpd_engine_attrs(c);
	gpd_user_end(c->user);
}

static int on_pass(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	struct gpd_round *round = &d->cgroups->round;
	int left = STEPS_A_TURN;
	struct gpd_client *c;

	while (left > 0) {
		c = gpd_round_next(d, round);
		if (gpd_round_is_over(&d->cgroups->changed, round))
			return 0;
		left -= is_due(c) ? STEPS_A_CLIENT : 1;
		if (is_due(c))
			look_again(c);
		gpd_round_step(round, c);
	}
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

void gpd_cgroup_changed(struct gpd *d)
{
	struct gp_cgroup_attr said;
	struct gpd_cgroup *g;

	/* Those above come first in the order of paths. */
	for (g = gpd_cgroup_next(d, NULL); g; g = gpd_cgroup_next(d, g)) {
		gpd_cgroup_said(d, g->path, &said);
		if (!g->retired)
			set_said(g, &said);
	}
	look_up_said(d);
	d->cgroups->all = d->cgroups->round;
	begin_pass(d);
}

int gpd_cgroup_say(struct gpd *d, const char *path, const struct gp_cgroup_attr *attr,
		   uint32_t clear)
{
	struct gpd_cgroups *all = d->cgroups;
	struct said *s = find_said(d, path);

	if (!s && all->nr_said == GPD_CGROUPS_SAID_MAX)
		return -ENOSPC;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		gp_cgroup_default(&s->attr);
		snprintf(s->path, sizeof(s->path), "%s", path);
		LIST_INSERT_HEAD(&all->said, s, link);
		all->nr_said++;
	}
	gp_cgroup_merge(&s->attr, attr, true);
	s->attr.mask &= ~clear;
	if (s->attr.mask)
		return 0;
	LIST_REMOVE(s, link);
	all->nr_said--;
	free(s);
	return 0;
}

/* False after the last one. */
static bool average_some(struct gpd *d, uint64_t now_ns)
{
	struct gpd_cgroup *g;
	int nr;

	for (nr = 0; nr < AVERAGES_A_TURN; nr++) {
		g = gpd_cgroup_step(d, &d->cgroups->at);
		if (!g)
			return false;
		average(g, now_ns);
		if (g->left_ns && (g->retired || now_ns - g->left_ns >= KEPT_NS))
			forget(g);
	}
	return true;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	uint64_t now_ns = gpd_now_ns();
	bool more = average_some(d, now_ns);

	if (!more)
		d->cgroups->at = (struct gpd_cgroup_place){ 0 };
	if (gp_tree_first(&d->cgroups->tree))
		gpd_timer_set(s, now_ns + (more ? 0 : GP_PRESSURE_PERIOD_NS));
	return 0;
}

int gpd_cgroup_init(struct gpd *d)
{
	int err;

	d->cgroups = calloc(1, sizeof(*d->cgroups));
	if (!d->cgroups)
		return -ENOMEM;
	d->cgroups->tree.cmp = by_path;
	d->cgroups->round.lap = 1;
	err = gpd_defer_add(d->event, &d->cgroups->pass, GPD_PRIORITY_USER, on_pass, d);
	if (err >= 0)
		err = gpd_timer_add(d->event, &d->cgroups->timer, on_timer, d);
	if (err >= 0)
		err = sd_event_source_set_priority(d->cgroups->timer, GPD_PRIORITY_USER);
	return err < 0 ? err : 0;
}

void gpd_cgroup_free(struct gpd *d)
{
	struct gpd_cgroup *g;
	struct said *s;

	if (!d->cgroups)
		return;
	while ((g = gpd_cgroup_next(d, NULL))) {
		gp_tree_remove(&d->cgroups->tree, &g->by_path);
		gpd_user_give(g->user, GPD_BUDGET_CGROUPS);
		gpd_user_put(g->user);
		free(g);
	}
	while ((s = LIST_FIRST(&d->cgroups->said))) {
		LIST_REMOVE(s, link);
		free(s);
	}
	sd_event_source_unref(d->cgroups->pass);
	sd_event_source_unref(d->cgroups->timer);
	free(d->cgroups);
	d->cgroups = NULL;
}

json_t *gpd_cgroup_save(struct gpd *d)
{
	json_t *all = json_object();
	char text[GP_CGROUP_TEXT_MAX];
	const struct said *s;
	u32 i;

	LIST_FOREACH(s, &d->cgroups->said, link) {
		json_t *of_one = json_object();

		for (i = 0; i < GP_CGROUP_COUNT; i++)
			if (s->attr.mask & 1U << i)
				json_object_set_new(of_one, gp_cgroup_name(i),
						    json_string(gp_cgroup_text(&s->attr, i, text)));
		json_object_set_new(all, s->path, of_one);
	}
	return all;
}

void gpd_cgroup_load(struct gpd *d, const json_t *cgroups)
{
	struct gp_cgroup_attr attr;
	const char *path, *key;
	json_t *of_one, *value;

	json_object_foreach((json_t *)cgroups, path, of_one) {
		gp_cgroup_default(&attr);
		json_object_foreach(of_one, key, value)
			gp_cgroup_read(key, json_string_value(value) ?: "", &attr);
		if (gp_cgroup_is_path(path) && strlen(path) < GPD_CGROUP_LEN && attr.mask)
			gpd_cgroup_say(d, path, &attr, 0);
	}
}
