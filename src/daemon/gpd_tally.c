// SPDX-License-Identifier: MIT
#include "daemon/gpd_tally.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_util.h"
#include "rules/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_OF_ALL (8 * GPD_TALLIES_SHOWN)
#define NR_BUCKETS (sizeof(((struct gp_small_hist *)0)->bucket) / sizeof(u32))

/* An account that has tallies. */
struct gpd_tally_user {
	LIST_ENTRY(gpd_tally_user) link; /* in gpd_tallies.users */
	u64 account;
	uint32_t nr;
	/* The one that began, or went on, last is the first. */
	TAILQ_HEAD(gpd_tally_list, gpd_tally) tallies;
};

/* All tallies. */
struct gpd_tallies {
	struct gp_tree tree;
	LIST_HEAD(, gpd_tally_user) users;
	TAILQ_HEAD(, gpd_tally) ended; /* the one that ended first is the first */
	sd_event_source *timer;	       /* forgets it; on only while there is one */
};

static struct gpd_tally *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_tally, by_name) : NULL;
}

static int by_name(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_tally *x = container_of(a, struct gpd_tally, by_name);
	const struct gpd_tally *y = container_of(b, struct gpd_tally, by_name);
	int order = strcmp(x->group, y->group);

	return order ? order : gp_tree_order(x->user->account, y->user->account);
}

u64 gpd_tally_account(const struct gpd_tally *t)
{
	return t->user->account;
}

/* The first tally that is not before this one. */
static struct gpd_tally *at_least(const struct gpd *d, const char *group, u64 account)
{
	struct gpd_tally_user user = { .account = account };
	struct gpd_tally key = { .user = &user };

	snprintf(key.group, sizeof(key.group), "%s", group);
	return of(gp_tree_at_least(&d->tallies->tree, &key.by_name));
}

static struct gpd_tally *find(const struct gpd *d, const char *group, u64 account)
{
	struct gpd_tally *t = at_least(d, group, account);

	return t && !strcmp(t->group, group) && t->user->account == account ? t : NULL;
}

static struct gpd_tally_user *find_user(const struct gpd *d, u64 account)
{
	struct gpd_tally_user *u;

	LIST_FOREACH(u, &d->tallies->users, link)
		if (u->account == account)
			return u;
	return NULL;
}

static void put_user(struct gpd_tally_user *u)
{
	if (u->nr)
		return;
	LIST_REMOVE(u, link);
	free(u);
}

static struct gpd_tally_user *get_user(struct gpd *d, u64 account)
{
	struct gpd_tally_user *u = find_user(d, account);

	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->account = account;
	TAILQ_INIT(&u->tallies);
	LIST_INSERT_HEAD(&d->tallies->users, u, link);
	return u;
}

static bool has_ended(const struct gpd_tally *t)
{
	return LIST_EMPTY(&t->entities);
}

/* One that has ended; its user may go with it. */
static void forget(struct gpd *d, struct gpd_tally *t)
{
	struct gpd_tally_user *u = t->user;

	gp_tree_remove(&d->tallies->tree, &t->by_name);
	TAILQ_REMOVE(&d->tallies->ended, t, of_ended);
	TAILQ_REMOVE(&u->tallies, t, of_user);
	u->nr--;
	free(t);
	put_user(u);
}

static void set_timer(struct gpd *d)
{
	const struct gpd_tally *first = TAILQ_FIRST(&d->tallies->ended);

	if (first && !gpd_timer_is_on(d->tallies->timer))
		gpd_timer_set(d->tallies->timer, first->ended_ns + GPD_TALLY_KEPT_NS);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	uint64_t now_ns = gpd_now_ns();
	struct gpd_tally *t;

	while ((t = TAILQ_FIRST(&d->tallies->ended)) && t->ended_ns + GPD_TALLY_KEPT_NS <= now_ns)
		forget(d, t);
	set_timer(d);
	return 0;
}

/* The oldest of a user that has ended. */
static struct gpd_tally *oldest(const struct gpd_tally_user *u)
{
	struct gpd_tally *t;

	TAILQ_FOREACH_REVERSE(t, &u->tallies, gpd_tally_list, of_user)
		if (has_ended(t))
			return t;
	return NULL;
}

static bool has_room(const struct gpd *d, const struct gpd_tally_user *u)
{
	uint32_t nr = d->tallies->tree.root ? d->tallies->tree.root->nr : 0;

	/* What is left halves with each account, see gpd_user_take(). */
	return u->nr < GPD_TALLIES_USER && u->nr < GPD_TALLIES_MAX - nr;
}

/* Of a user that is kept by another tally, or freed here if there is no room. */
static struct gpd_tally *make(struct gpd *d, struct gpd_tally_user *u, const char *group)
{
	struct gpd_tally *t;

	if (!has_room(d, u)) {
		t = oldest(u);
		if (t && u->nr > 1)
			forget(d, t);
	}
	t = has_room(d, u) ? calloc(1, sizeof(*t)) : NULL;
	if (!t) {
		put_user(u);
		return NULL;
	}
	t->user = u;
	snprintf(t->group, sizeof(t->group), "%s", group);
	u->nr++;
	TAILQ_INSERT_HEAD(&u->tallies, t, of_user);
	TAILQ_INSERT_TAIL(&d->tallies->ended, t, of_ended);
	gp_tree_insert(&d->tallies->tree, &t->by_name);
	return t;
}

static struct gpd_tally *get(struct gpd *d, u64 account, const char *group)
{
	struct gpd_tally *t = find(d, group, account);
	struct gpd_tally_user *u = t ? t->user : get_user(d, account);

	return t || !u ? t : make(d, u, group);
}

int gpd_tally_entity(const struct gpd_entity *e, struct gp_entity_info *info)
{
	uint64_t now_ns = gpd_now_ns();
	int err = gp_sched_entity_info(e->node->d->sched, e->id, info);

	if (err)
		return err;
	/* The core's clock stands still between events; people want to see times grow. */
	if (info->state == GP_ENTITY_RUNNING)
		info->run_ns += now_ns - min(now_ns, info->at_ns);
	if (info->state == GP_ENTITY_PREEMPTED && info->nr_busy) {
		info->off_ns += now_ns - min(now_ns, info->at_ns);
		info->off_max_ns = max(info->off_max_ns, now_ns - min(now_ns, e->since_ns));
	}
	return 0;
}

/* What an entity had since it has this group. */
static void add_entity(const struct gpd_entity *e, struct gpd_sums *sum)
{
	const struct gpd_sums *before = &e->tallied;
	struct gp_entity_info info;

	if (gpd_tally_entity(e, &info))
		return;
	sum->run_ns += info.run_ns - before->run_ns;
	sum->off_ns += info.off_ns - before->off_ns;
	sum->nr_preempted += info.nr_preempted - before->nr_preempted;
	if (info.off_max_ns > before->off_max_ns)
		sum->off_max_ns = max(sum->off_max_ns, info.off_max_ns);
}

/* What it had before it has this group. */
static void remember(struct gpd_entity *e)
{
	struct gp_entity_info info;

	if (gpd_tally_entity(e, &info))
		return;
	e->tallied = (struct gpd_sums){
		.run_ns = info.run_ns,
		.off_ns = info.off_ns,
		.off_max_ns = info.off_max_ns,
		.nr_preempted = info.nr_preempted,
	};
}

void gpd_tally_join(struct gpd_entity *e)
{
	const struct gpd_client *c = LIST_FIRST(&e->members)->client;
	struct gpd *d = e->node->d;
	struct gpd_tally *t;

	if (e->group.key.group == GP_GROUP_NONE || e->group.key.user == GP_GROUP_NO_USER)
		return;
	t = get(d, e->group.key.user, c->attrs.group);
	if (!t)
		return;
	if (has_ended(t)) {
		TAILQ_REMOVE(&d->tallies->ended, t, of_ended);
		TAILQ_REMOVE(&t->user->tallies, t, of_user);
		TAILQ_INSERT_HEAD(&t->user->tallies, t, of_user);
		t->uid = c->owner.uid;
	}
	remember(e);
	LIST_INSERT_HEAD(&t->entities, e, of_tally);
	e->tally = t;
}

void gpd_tally_leave(struct gpd_entity *e)
{
	struct gpd *d = e->node->d;
	struct gpd_tally *t = e->tally;

	if (!t)
		return;
	add_entity(e, &t->over);
	LIST_REMOVE(e, of_tally);
	e->tally = NULL;
	if (has_ended(t)) {
		t->ended_ns = gpd_now_ns();
		TAILQ_INSERT_TAIL(&d->tallies->ended, t, of_ended);
		set_timer(d);
	}
}

void gpd_tally_sum(const struct gpd *d, const struct gpd_tally *t, struct gpd_sums *sum)
{
	const struct gpd_entity *e;

	*sum = t->over;
	LIST_FOREACH(e, &t->entities, of_tally)
		add_entity(e, sum);
}

void gpd_tally_each(struct gpd *d, void (*each)(struct gpd_tally *t, void *data), void *data)
{
	uint32_t all = SHOWN_OF_ALL;
	struct gpd_tally_user *u;
	struct gpd_tally *t;

	LIST_FOREACH(u, &d->tallies->users, link) {
		uint32_t one = GPD_TALLIES_SHOWN;

		TAILQ_FOREACH(t, &u->tallies, of_user) {
			if (!one || !all)
				break;
			each(t, data);
			one--;
			all--;
		}
	}
}

static json_t *sums_json(const struct gpd_sums *s)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "run_ns", (json_int_t)s->run_ns, "off_ns",
			 (json_int_t)s->off_ns, "off_max_ns", (json_int_t)s->off_max_ns,
			 "nr_preempted", (json_int_t)s->nr_preempted);
}

static json_t *tally_json(const struct gpd *d, const struct gpd_tally *t)
{
	struct gpd_sums sum;
	json_t *out;

	gpd_tally_sum(d, t, &sum);
	out = sums_json(&sum);
	json_object_update_new(
		out, json_pack("{s:s, s:I, s:I, s:o, s:I}", "group", t->group, "uid",
			       (json_int_t)t->uid, "account", (json_int_t)t->user->account,
			       "ended_ns", drv_json_known(has_ended(t), gpd_now_ns() - t->ended_ns),
			       "wait_ns", (json_int_t)t->waits.sum));
	gpd_list_add_waits(out, &t->waits);
	return out;
}

/* The place in a list of tallies. */
struct cursor {
	char group[WIRE_NAME_LEN]; /* of the next one, and its account */
	u64 account;
	bool is_one; /* only this group */
};

/* Others' groups are for root: they say what runs on the machine. */
static bool may_see(const struct gpd_conn *conn, const struct gpd_tally *t)
{
	return conn->cred.privileged || conn->cred.owner.account == t->user->account;
}

static json_t *next_tally(struct gpd_conn *conn, void *cursor)
{
	struct cursor *cur = cursor;
	struct gpd_tally *t = at_least(conn->d, cur->group, cur->account);

	if (!t || (cur->is_one && strcmp(t->group, cur->group)))
		return NULL;
	memcpy(cur->group, t->group, sizeof(cur->group));
	/* No account has the last number: that of a process without one is in no group. */
	cur->account = t->user->account + 1;
	return may_see(conn, t) ? tally_json(conn->d, t) : json_null();
}

void gpd_tally_list(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct cursor *cur = calloc(1, sizeof(*cur));

	if (!cur) {
		gpd_control_failed(conn, -ENOMEM, "out of memory");
		return;
	}
	cur->is_one = r->has & GPD_HAS_GROUP;
	memcpy(cur->group, r->group, sizeof(cur->group));
	gpd_control_stream(conn, "totals", next_tally, free, cur);
}

int gpd_tally_init(struct gpd *d)
{
	d->tallies = calloc(1, sizeof(*d->tallies));
	if (!d->tallies)
		return -ENOMEM;
	d->tallies->tree.cmp = by_name;
	TAILQ_INIT(&d->tallies->ended);
	return gpd_timer_add(d->event, &d->tallies->timer, on_timer, d);
}

void gpd_tally_free(struct gpd *d)
{
	struct gpd_tally *t;

	if (!d->tallies)
		return;
	while ((t = TAILQ_FIRST(&d->tallies->ended)))
		forget(d, t);
	sd_event_source_unref(d->tallies->timer);
	free(d->tallies);
	d->tallies = NULL;
}

static json_t *save_waits(const struct gp_small_hist *waits)
{
	json_t *out = json_pack("[I, I, I]", (json_int_t)waits->nr, (json_int_t)waits->sum,
				(json_int_t)waits->max);
	size_t i;

	for (i = 0; i < NR_BUCKETS; i++)
		json_array_append_new(out, json_integer(waits->bucket[i]));
	return out;
}

static void load_waits(const json_t *saved, struct gp_small_hist *waits)
{
	size_t i;

	if (json_array_size(saved) != 3 + NR_BUCKETS)
		return;
	waits->nr = (u64)json_integer_value(json_array_get(saved, 0));
	waits->sum = (u64)json_integer_value(json_array_get(saved, 1));
	waits->max = (u64)json_integer_value(json_array_get(saved, 2));
	for (i = 0; i < NR_BUCKETS; i++)
		waits->bucket[i] = (u32)json_integer_value(json_array_get(saved, 3 + i));
}

json_t *gpd_tally_save(struct gpd *d)
{
	uint64_t now_ns = gpd_now_ns();
	json_t *all = json_array();
	struct gp_tree_node *n;

	for (n = gp_tree_first(&d->tallies->tree); n; n = gp_tree_next(n)) {
		const struct gpd_tally *t = of(n);
		struct gpd_sums sum;
		json_t *out;

		gpd_tally_sum(d, t, &sum);
		out = sums_json(&sum);
		json_object_update_new(
			out, json_pack("{s:s, s:I, s:I, s:I, s:o}", "group", t->group, "uid",
				       (json_int_t)t->uid, "account", (json_int_t)t->user->account,
				       "ended_ns",
				       (json_int_t)(has_ended(t) ? t->ended_ns : now_ns), "waits",
				       save_waits(&t->waits)));
		json_array_append_new(all, out);
	}
	return all;
}

static uint64_t number(const json_t *entry, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(entry, key));
}

static void load_one(struct gpd *d, const json_t *entry)
{
	const char *group = json_string_value(json_object_get(entry, "group"));
	u64 account = number(entry, "account");
	struct gpd_tally *t;

	if (!group || !*group || strlen(group) >= WIRE_NAME_LEN ||
	    account == GP_GROUP_NO_USER || find(d, group, account))
		return;
	t = get(d, account, group);
	if (!t)
		return;
	t->uid = (uid_t)number(entry, "uid");
	t->ended_ns = min(number(entry, "ended_ns"), gpd_now_ns());
	t->over = (struct gpd_sums){
		.run_ns = number(entry, "run_ns"),
		.off_ns = number(entry, "off_ns"),
		.off_max_ns = number(entry, "off_max_ns"),
		.nr_preempted = number(entry, "nr_preempted"),
	};
	load_waits(json_object_get(entry, "waits"), &t->waits);
}

static int by_end(const void *a, const void *b)
{
	const json_t *const *x = a;
	const json_t *const *y = b;

	return gp_tree_order(number(*x, "ended_ns"), number(*y, "ended_ns"));
}

/* In the order in which they ended: so are the lists. */
void gpd_tally_load(struct gpd *d, const json_t *totals)
{
	size_t nr = min(json_array_size(totals), (size_t)GPD_TALLIES_MAX);
	const json_t **sorted = calloc(nr ? nr : 1, sizeof(json_t *));
	size_t i;

	if (!sorted)
		return;
	for (i = 0; i < nr; i++)
		sorted[i] = json_array_get(totals, i);
	qsort(sorted, nr, sizeof(json_t *), by_end);
	for (i = 0; i < nr; i++)
		load_one(d, sorted[i]);
	free(sorted);
	set_timer(d);
}
