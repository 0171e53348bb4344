// SPDX-License-Identifier: MIT
#include "daemon/gpd_grant.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_gang.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection that is answered when all clients were looked at. */
struct waiter {
	TAILQ_ENTRY(waiter) link; /* in gpd_grants.waiters */
	struct gpd_conn *conn;	  /* NULL = it is gone */
	struct gpd_round since;	  /* when it began to wait */
	struct gpd_grant scope;	  /* of the grant that was made, or ended: pid 0, cgroup "" */
};

/* Parents that are read before it is another's turn. */
#define STEPS_A_TURN 8

/* All grants. */
struct gpd_grants {
	struct gp_tree tree;	/* by scope */
	uint64_t era;		/* changes when a grant comes or goes; never 0 */
	sd_event_source *timer; /* ends those whose lease is over */
	/* Looks which grant each client has, one at a time; on until all know of each change. */
	sd_event_source *pass;
	struct gpd_round round;
	struct gpd_round changed; /* when something changed last */
	struct gpd_climb way;	  /* of the next client */
	TAILQ_HEAD(, waiter) waiters; /* the one that waits longest first */
};

static struct gpd_grant *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_grant, by_scope) : NULL;
}

static int by_scope(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_grant *x = container_of(a, struct gpd_grant, by_scope);
	const struct gpd_grant *y = container_of(b, struct gpd_grant, by_scope);

	return x->pid != y->pid ? gp_tree_order((u64)x->pid, (u64)y->pid) :
				  strcmp(x->cgroup, y->cgroup);
}

static struct gpd_grant *find(const struct gpd *d, pid_t pid, const char *cgroup)
{
	struct gpd_grant key = { .pid = pid };

	snprintf(key.cgroup, sizeof(key.cgroup), "%.*s", GPD_CGROUP_LEN - 1, cgroup);
	return of(gp_tree_find(&d->grants->tree, &key.by_scope));
}

/* Those of cgroups come first. */
static bool has_processes(const struct gpd *d)
{
	const struct gpd_grant first = { .pid = 1 };

	return gp_tree_rank(&d->grants->tree, &first.by_scope) < gp_tree_nr(&d->grants->tree);
}

/*
 * One parent. A number that belongs to another process by now counts no more; a parent that began
 * after its child is another process.
 */
static void step(const struct gpd *d, struct gpd_climb *way)
{
	struct gpd_grant *g = find(d, way->next, "");
	struct gpd_proc proc;

	if (way->nr++ >= GPD_GRANT_STEPS || gpd_proc_read(way->next, &proc) ||
	    proc.start_time > way->child_time) {
		way->next = 0;
		return;
	}
	if (g && g->start_time == proc.start_time)
		way->grant = g;
	way->next = way->grant ? 0 : proc.parent;
	way->child_time = proc.start_time;
}

bool gpd_grant_climb(const struct gpd *d, struct gpd_climb *way, pid_t pid, uint64_t start_time)
{
	int i;

	if (way->era != d->grants->era || way->pid != pid || way->start_time != start_time)
		*way = (struct gpd_climb){
			.pid = pid,
			.start_time = start_time,
			.era = d->grants->era,
			.next = has_processes(d) && pid <= GPD_PID_MAX ? pid : 0,
			.child_time = start_time,
		};
	if (!way->next)
		return true;
	for (i = 0; i < STEPS_A_TURN && way->next; i++)
		step(d, way);
	return false;
}

static struct gpd_grant *of_path(const struct gpd *d, char *path)
{
	struct gpd_grant *g = NULL;

	while (!g && path[0] == '/' && path[1]) {
		g = find(d, 0, path);
		*strrchr(path, '/') = '\0';
	}
	return g;
}

/*
 * The unified hierarchy, and the freezer of the old ones: Slurm keeps its jobs there, and only root
 * moves processes in either.
 */
static struct gpd_grant *of_cgroup(const struct gpd *d, pid_t pid)
{
	char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN];
	struct gpd_grant *g = NULL;
	int i;

	if (gpd_cgroup_paths(pid, path))
		return NULL;
	for (i = 0; i < GPD_HIERARCHY_COUNT && !g; i++)
		g = of_path(d, path[i]);
	return g;
}

struct gpd_grant *gpd_grant_find(const struct gpd *d, struct gpd_climb *way, pid_t pid,
				 uint64_t start_time)
{
	if (!gp_tree_first(&d->grants->tree) || pid > GPD_PID_MAX || !gpd_proc_is(pid, start_time))
		return NULL;
	while (!gpd_grant_climb(d, way, pid, start_time))
		;
	return way->grant ? way->grant : of_cgroup(d, pid);
}

static void free_ended(struct gpd_grant *g)
{
	if (g->has_ended && !g->nr_clients)
		free(g);
}

void gpd_grant_give(struct gpd_client *c, struct gpd_grant *g)
{
	struct gpd_grant *old = c->grant;

	if (g)
		g->nr_clients++;
	c->grant = g;
	if (!old)
		return;
	old->nr_clients--;
	free_ended(old);
}

static void change(struct gpd_client *c, const struct gpd_attrs *attrs)
{
	struct gpd_member *m;

	c->attrs = *attrs;
	gpd_engine_attrs(c);
	/* The name of its group may be the same, and the right to a gang another. */
	LIST_FOREACH(m, &c->members, of_client)
	gpd_gang_ask_again(m->entity);
	gpd_monitor_attrs(c->d, c->pid, attrs);
}

static void apply(struct gpd_client *c, struct gpd_grant *g)
{
	struct gpd_attrs attrs = g->attrs;

	if (!attrs.group[0])
		memcpy(attrs.group, c->attrs.group, sizeof(attrs.group));
	gpd_grant_give(c, g);
	change(c, &attrs);
}

/* What every process may have is kept, but not a group that it had by the grant. */
static void withdraw(struct gpd_client *c)
{
	const struct gpd_class *k = gpd_config_class(c->d->config, c->attrs.klass);
	struct gpd_attrs attrs = c->attrs;
	struct gpd_attrs most = { 0 };

	gpd_auth_class(c->d->config, k && k->open ? k->name : GPD_DEFAULT_CLASS, &most);
	gp_attr_copy(&attrs.core, &most.core, gp_right_excess(&attrs.core, &most.core));
	memcpy(attrs.klass, most.klass, sizeof(attrs.klass));
	if (c->grant->attrs.group[0])
		attrs.group[0] = '\0';
	gpd_grant_give(c, NULL);
	change(c, &attrs);
}

static void set_timer(struct gpd *d)
{
	uint64_t next_ns = U64_MAX;
	struct gp_tree_node *n;

	for (n = gp_tree_first(&d->grants->tree); n; n = gp_tree_next(n))
		next_ns = min(next_ns, of(n)->until_ns);
	gpd_timer_set(d->grants->timer, next_ns);
}

static json_t *scope_json(const struct gpd_grant *g)
{
	return json_pack("{s:o, s:o}", "pid", g->pid ? json_integer(g->pid) : json_null(), "cgroup",
			 g->pid ? json_null() : json_string(g->cgroup));
}

static json_t *grant_json(const struct gpd_grant *g)
{
	uint64_t now_ns = gpd_now_ns();
	json_t *out = scope_json(g);

	json_object_set_new(out, "attributes", gpd_list_attributes(&g->attrs));
	json_object_set_new(out, "lease_ms", g->until_ns == U64_MAX ? json_null() :
			    json_integer((json_int_t)((g->until_ns - min(now_ns, g->until_ns)) /
						      GPD_NS_PER_MS)));
	json_object_set_new(out, "nr_clients", json_integer(g->nr_clients));
	return out;
}

/* A client for which another grant counts now has that one. */
static void look_at(struct gpd_client *c)
{
	struct gpd_grants *all = c->d->grants;
	struct gpd_grant *g = c->grant;

	if (c->state == GPD_CLIENT_KNOWN)
		g = gpd_grant_find(c->d, &all->way, c->pid, c->start_time);
	if (g && (g != c->grant || !gpd_round_is_over(&g->since, &all->round)))
		apply(c, g);
	else if (!g && c->grant)
		withdraw(c);
}

static void answer(struct gpd *d, struct waiter *w)
{
	const struct gpd_grant *g = find(d, w->scope.pid, w->scope.cgroup);
	struct gpd_conn *conn = w->conn;

	if (!conn)
		return;
	conn->waiting = false;
	if (g)
		gpd_control_reply(conn, json_pack("{s:o}", "grant", grant_json(g)));
	else
		gpd_control_reply(conn, json_object());
	gpd_control_next(conn);
}

static void answer_some(struct gpd *d)
{
	struct gpd_grants *all = d->grants;
	struct waiter *w;

	while ((w = TAILQ_FIRST(&all->waiters)) && gpd_round_is_over(&w->since, &all->round)) {
		TAILQ_REMOVE(&all->waiters, w, link);
		answer(d, w);
		free(w);
	}
}

/* A client takes some turns: its parents are many files. */
static int on_pass(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	struct gpd_grants *all = d->grants;
	struct gpd_client *c = gpd_round_next(d, &all->round);

	if (c && !gpd_round_is_over(&all->changed, &all->round) &&
	    gpd_grant_climb(d, &all->way, c->pid, c->start_time)) {
		look_at(c);
		gpd_round_step(&all->round, c);
	}
	answer_some(d);
	if (gpd_round_is_over(&all->changed, &all->round))
		return 0;
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* Something has changed: all clients are looked at. */
static void begin_pass(struct gpd *d)
{
	d->grants->changed = d->grants->round;
	sd_event_source_set_enabled(d->grants->pass, SD_EVENT_ONESHOT);
}

static void wait_for_pass(struct gpd_conn *conn, const struct gpd_grant *g)
{
	struct waiter *w = calloc(1, sizeof(*w));

	begin_pass(conn->d);
	if (!w) {
		gpd_control_failed(conn, -ENOMEM, "out of memory");
		return;
	}
	w->conn = conn;
	w->since = conn->d->grants->round;
	if (g)
		w->scope = *g;
	conn->waiting = true;
	TAILQ_INSERT_TAIL(&conn->d->grants->waiters, w, link);
}

void gpd_grant_forget(struct gpd *d, const struct gpd_conn *conn)
{
	struct waiter *w;

	if (!d->grants)
		return;
	TAILQ_FOREACH(w, &d->grants->waiters, link)
		if (w->conn == conn)
			w->conn = NULL;
}

/* Its clients keep it until the pass has come to them. */
static void end(struct gpd *d, struct gpd_grant *g)
{
	gp_tree_remove(&d->grants->tree, &g->by_scope);
	d->grants->era++;
	g->has_ended = true;
	if (g->nr_clients)
		begin_pass(d);
	free_ended(g);
}

/* Ends what is over; that of a process when it is gone and no client has it. */
static void sweep(struct gpd *d)
{
	struct gp_tree_node *n = gp_tree_first(&d->grants->tree);
	uint64_t now_ns = gpd_now_ns();

	while (n) {
		struct gpd_grant *g = of(n);

		n = gp_tree_next(n);
		if (g->until_ns <= now_ns ||
		    (g->pid && !g->nr_clients && !gpd_proc_is(g->pid, g->start_time)))
			end(d, g);
	}
	set_timer(d);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	sweep(data);
	gpd_state_soon(data);
	return 0;
}

int gpd_grant_init(struct gpd *d)
{
	int err;

	d->grants = calloc(1, sizeof(*d->grants));
	if (!d->grants)
		return -ENOMEM;
	d->grants->tree.cmp = by_scope;
	d->grants->era = 1;
	d->grants->round.lap = 1;
	TAILQ_INIT(&d->grants->waiters);
	err = gpd_defer_add(d->event, &d->grants->pass, GPD_PRIORITY_USER, on_pass, d);
	return err < 0 ? err : gpd_timer_add(d->event, &d->grants->timer, on_timer, d);
}

void gpd_grant_free(struct gpd *d)
{
	struct gp_tree_node *n;
	struct waiter *w;

	if (!d->grants)
		return;
	while ((w = TAILQ_FIRST(&d->grants->waiters))) {
		TAILQ_REMOVE(&d->grants->waiters, w, link);
		free(w);
	}
	while ((n = gp_tree_first(&d->grants->tree))) {
		gp_tree_remove(&d->grants->tree, n);
		free(of(n));
	}
	sd_event_source_unref(d->grants->pass);
	sd_event_source_unref(d->grants->timer);
	free(d->grants);
	d->grants = NULL;
}

json_t *gpd_grant_save(struct gpd *d)
{
	json_t *all = json_array();
	struct gp_tree_node *n;

	for (n = gp_tree_first(&d->grants->tree); n; n = gp_tree_next(n)) {
		struct gpd_grant *g = of(n);
		json_t *out = scope_json(g);

		json_object_set_new(out, "start_time", json_integer((json_int_t)g->start_time));
		json_object_set_new(out, "attributes", gpd_list_attributes(&g->attrs));
		json_object_set_new(out, "until_ns", g->until_ns == U64_MAX ? json_null() :
				    json_integer((json_int_t)g->until_ns));
		json_array_append_new(all, out);
	}
	return all;
}

static uint64_t number(const json_t *entry, const char *key, uint64_t none)
{
	const json_t *value = json_object_get(entry, key);

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : none;
}

/* The clock is that of the boot, and so are the numbers of processes: both still mean the same. */
void gpd_grant_load(struct gpd *d, const json_t *grants)
{
	json_t *entry;
	size_t i;

	json_array_foreach(grants, i, entry) {
		const char *cgroup = json_string_value(json_object_get(entry, "cgroup"));
		struct gpd_grant *g = calloc(1, sizeof(*g));

		if (!g)
			return;
		g->pid = (pid_t)number(entry, "pid", 0);
		g->start_time = number(entry, "start_time", 0);
		g->until_ns = number(entry, "until_ns", U64_MAX);
		snprintf(g->cgroup, sizeof(g->cgroup), "%s", cgroup ? cgroup : "");
		if (!g->pid == !cgroup || i >= GPD_GRANTS_MAX ||
		    !gpd_state_read_attributes(json_object_get(entry, "attributes"), &g->attrs) ||
		    gp_tree_insert(&d->grants->tree, &g->by_scope))
			free(g);
	}
	sweep(d);
}

/* The scope that a request names; false after an error was sent. */
static bool read_scope(struct gpd_conn *conn, const struct gpd_request *r, struct gpd_grant *g)
{
	struct gpd_proc proc = { 0 };

	if (!(r->has & GPD_HAS_PID) == !(r->has & GPD_HAS_CGROUP)) {
		gpd_control_failed(conn, -EINVAL, "either a pid or a cgroup");
		return false;
	}
	memcpy(g->cgroup, r->cgroup, sizeof(g->cgroup));
	g->pid = (pid_t)r->pid;
	if (r->has & GPD_HAS_PID && gpd_proc_read(g->pid, &proc))
		return gpd_methods_refuse(conn, r->pid, -ESRCH);
	g->start_time = proc.start_time;
	return true;
}

/*
 * What is said of a process reaches its descendants in the module: there a grant is that, and no
 * cgroup is known.
 */
static void say_to_module(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_grant g = { .until_ns = U64_MAX };
	struct gpd_attrs old;

	if (r->has & (GPD_HAS_CGROUP | GPD_HAS_LEASE))
		gpd_control_error(conn, "NotSupported", "reason",
				  "the kernel module knows neither cgroups nor leases of grants");
	else if (read_scope(conn, r, &g) && gpd_methods_change(conn, r, &old, &g.attrs))
		gpd_control_reply(conn, json_pack("{s:o}", "grant", grant_json(&g)));
}

static struct gpd_grant *add(struct gpd *d, const struct gpd_grant *scope)
{
	struct gpd_grant *g = find(d, scope->pid, scope->cgroup);

	if (g)
		return g;
	sweep(d);
	if (d->grants->tree.root && d->grants->tree.root->nr >= GPD_GRANTS_MAX)
		return NULL;
	g = calloc(1, sizeof(*g));
	if (g) {
		*g = *scope;
		gp_tree_insert(&d->grants->tree, &g->by_scope);
	}
	return g;
}

void gpd_grant_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_grant scope = { 0 };
	struct gpd *d = conn->d;
	struct gpd_grant *g;

	if (d->ops != &gpd_client_ops) {
		say_to_module(conn, r);
		return;
	}
	gpd_auth_class(d->config, GPD_DEFAULT_CLASS, &scope.attrs);
	if (!read_scope(conn, r, &scope) ||
	    !gpd_methods_apply(conn, &r->attributes, NULL, NULL, &scope.attrs))
		return;
	g = add(d, &scope);
	if (!g) {
		gpd_control_failed(conn, -ENOSPC, "more than %d grants", GPD_GRANTS_MAX);
		return;
	}
	g->start_time = scope.start_time;
	d->grants->era++;
	g->attrs = scope.attrs;
	g->until_ns = r->lease_ms ? gpd_now_ns() + r->lease_ms * GPD_NS_PER_MS : U64_MAX;
	g->since = d->grants->round;
	set_timer(d);
	gpd_state_soon(d);
	wait_for_pass(conn, g);
}

void gpd_grant_revoke(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd *d = conn->d;
	struct gpd_grant *g;

	if (!(r->has & GPD_HAS_PID) == !(r->has & GPD_HAS_CGROUP)) {
		gpd_control_failed(conn, -EINVAL, "either a pid or a cgroup");
		return;
	}
	g = find(d, (pid_t)r->pid, r->cgroup);
	if (!g) {
		gpd_control_error(conn, "NotFound", "what", "grant of %s %.*" PRIu64 "%s",
				  r->pid ? "process" : "cgroup", r->pid ? 1 : 0, r->pid, r->cgroup);
		return;
	}
	end(d, g);
	set_timer(d);
	gpd_state_soon(d);
	wait_for_pass(conn, NULL);
}

void gpd_grant_list(struct gpd_conn *conn, const struct gpd_request *r)
{
	json_t *all = json_array();
	struct gp_tree_node *n;

	sweep(conn->d);
	for (n = gp_tree_first(&conn->d->grants->tree); n; n = gp_tree_next(n))
		json_array_append_new(all, grant_json(of(n)));
	gpd_control_reply(conn, json_pack("{s:o}", "grants", all));
}
