// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_metrics.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_util.h"
#include "driver/discover.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Buckets end at powers of two of a nanosecond: about 1 us to 8.6 s. */
#define FIRST_POWER 10
#define LAST_POWER 33

static void head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

#define LABELS_MAX (2 * GPD_CGROUP_LEN + 256)

/* Labels stand without their braces. Neither a name nor a path has a newline. */
static void label(char *labels, const char *name, const char *value)
{
	size_t len = strlen(labels);

	len += (size_t)snprintf(labels + len, LABELS_MAX - len, "%s%s=\"", len ? "," : "", name);
	for (; *value && len < LABELS_MAX - 3; value++) {
		if (*value == '\\' || *value == '"')
			labels[len++] = '\\';
		labels[len++] = *value;
	}
	strcpy(labels + len, "\"");
}

static void label_number(char *labels, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	label(labels, name, text);
}

/* The end of a bucket, in seconds. */
static const char *seconds_of(unsigned int power)
{
	static char text[LAST_POWER + 1][16];

	if (!text[power][0])
		snprintf(text[power], sizeof(text[power]), "%.9g", (double)(1ULL << power) / 1e9);
	return text[power];
}

static void histogram(FILE *f, const char *name, const char *labels, const struct gp_hist *h)
{
	unsigned int power;
	uint64_t count = 0;
	uint32_t i = 0;

	for (power = FIRST_POWER; power <= LAST_POWER; power++) {
		/* A power of two always begins a bucket. */
		for (; i < gp_hist_bucket(1ULL << power); i++)
			count += h->bucket[i];
		fprintf(f, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels,
			seconds_of(power), count);
	}
	fprintf(f, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, h->nr);
	fprintf(f, "%s_sum{%s} %.9f\n", name, labels, (double)h->sum / 1e9);
	fprintf(f, "%s_count{%s} %" PRIu64 "\n", name, labels, h->nr);
}

static void small_histogram(FILE *f, const char *name, const char *labels,
			    const struct gp_small_hist *small)
{
	struct gp_hist h;

	gp_small_hist_widen(small, &h);
	histogram(f, name, labels, &h);
}

static void of_node(FILE *f, const char *name, uint32_t gpu_id, const struct gp_hist *h)
{
	char labels[LABELS_MAX] = "";

	label_number(labels, "gpu_id", gpu_id);
	histogram(f, name, labels, h);
}

/* The label of a node, and its value. */
#define OF_NODE "{gpu_id=\"%" PRIu32 "\"} %" PRIu64 "\n"
#define for_each_node(n, d) for ((n) = (d)->node; (n) < (d)->node + (d)->nr_nodes; (n)++)

/* X(name, type, help, value of node n with statistics s) */
#define NODE_METRICS(X)                                                                           \
	X(enabled, gauge, "1 if the node is scheduled", gpd_nodes_is_enabled(n))                  \
	X(module, gauge, "1 if the kernel module schedules the node", !n->ops->is_core)           \
	X(entities, gauge, "entities on the node", s->nr_entities)                                \
	X(entities_out, gauge, "entities off the GPU now", s->nr_out)                             \
	X(members_held, gauge, "processes held by the scheduler", n->nr_held)                     \
	X(events_total, counter, "events of the core", s->nr_events)                              \
	X(switches_total, counter, "switches started", s->nr_switches)                            \
	X(preemptions_total, counter, "entities preempted", s->nr_preemptions)                    \
	X(resumes_total, counter, "entities resumed", s->nr_resumes)                              \
	X(switch_failures_total, counter, "members of switches that failed", s->nr_failed)        \
	X(switch_deadlines_total, counter, "switches that missed their deadline", s->nr_deadline) \
	X(starvations_total, counter, "times the starvation bound was enforced",                  \
	  s->nr_starvation)                                                                       \
	X(rate_limited_total, counter, "decisions put off by the rate limit", s->nr_rate_limited) \
	X(left_to_finish_total, counter, "victims spared as they were about to end",              \
	  s->nr_left_to_finish)                                                                   \
	X(no_progress_total, counter, "resumes after which nothing moved", n->nr_no_progress)

static void node_values(FILE *f, struct gpd *d)
{
	const struct gp_node_stats *s;
	struct gpd_node *n;

#define X(name, type, help, value)                                                        \
	head(f, "gpreempt_node_" #name, #type, help);                                     \
	for_each_node(n, d) {                                                             \
		s = n->ops->stats(n);                                                   \
		fprintf(f, "gpreempt_node_" #name OF_NODE, n->gpu_id, (uint64_t)(value)); \
	}
	NODE_METRICS(X)
#undef X
}

/* What joins the series here, which have gpu_id, with those of other tools. */
static void gpus(FILE *f, struct gpd *d)
{
	char pci[GPREEMPT_NAME_LEN], uuid[GPREEMPT_NAME_LEN], render[GPREEMPT_NAME_LEN];
	struct gpd_node *n;

	head(f, "gpreempt_gpu_info", "gauge", "other names of a GPU");
	for_each_node(n, d) {
		char labels[LABELS_MAX] = "";

		*render = '\0';
		if (n->about.render_minor)
			snprintf(render, sizeof(render), "renderD%" PRIu32, n->about.render_minor);
		label_number(labels, "gpu_id", n->gpu_id);
		label_number(labels, "gpu", n->about.gpu);
		label(labels, "pci", drv_node_pci(&n->about, pci));
		label(labels, "uuid", drv_node_uuid(&n->about, uuid));
		label(labels, "render", render);
		label(labels, "name", n->about.name);
		fprintf(f, "gpreempt_gpu_info{%s} 1\n", labels);
	}
}

static void breakers(FILE *f, struct gpd *d)
{
	struct gpd_node *n;
	unsigned int s;

	head(f, "gpreempt_node_breaker", "gauge", "1 for the state of the circuit breaker");
	for_each_node(n, d)
		for (s = 0; s < GP_BREAKER_STATE_COUNT; s++)
			fprintf(f,
				"gpreempt_node_breaker{gpu_id=\"%" PRIu32 "\",state=\"%s\"} %d\n",
				n->gpu_id, gp_breaker_state_name((enum gp_breaker_state)s),
				n->ops->stats(n)->breaker == s);
	head(f, "gpreempt_node_switch_cost_seconds", "gauge", "learned cost of a switch");
	for_each_node(n, d)
		fprintf(f, "gpreempt_node_switch_cost_seconds{gpu_id=\"%" PRIu32 "\"} %.9f\n",
			n->gpu_id, (double)n->ops->stats(n)->cost_ns / 1e9);
}

/* What only the kernel module has: X(name, help, member of struct gpd_counts) */
#define MODULE_METRICS(X)                                                 \
	X(wakeups, "times the kernel scheduler's thread ran", nr_wakeups) \
	X(timer_wakeups, "of these, by a timer", nr_timer_wakeups)        \
	X(doorbell_faults, "armed doorbells that told of work", nr_faults)

static void modules(FILE *f, struct gpd *d)
{
	struct gpd_counts c;
	struct gpd_node *n;

	for (n = d->node; n < d->node + d->nr_nodes && !n->ops->counts; n++)
		;
	if (n == d->node + d->nr_nodes)
		return;
#define X(name, help, member)                                                    \
	head(f, "gpreempt_module_" #name "_total", "counter", help);             \
	for_each_node(n, d)                                              \
		if (n->ops->counts && !n->ops->counts(n, &c))            \
			fprintf(f, "gpreempt_module_" #name "_total" OF_NODE, n->gpu_id, c.member);
	MODULE_METRICS(X)
#undef X
	head(f, "gpreempt_detect_seconds", "histogram",
	     "from the fault of an armed doorbell to the kernel scheduler");
	for_each_node(n, d)
		if (n->ops->counts)
			of_node(f, "gpreempt_detect_seconds", n->gpu_id, n->ops->detect(n));
}

/* X(name, help, histogram of node n) */
#define HISTOGRAMS(X)                                                     \
	X(switch, "duration of switches", &n->ops->stats(n)->switch_ns) \
	X(off, "times off the GPU", &n->ops->stats(n)->off_ns)          \
	X(decision, "from a message to the first order", &n->decision)    \
	X(fanout, "from the first order to the last answer", &n->fanout)

static void histograms(FILE *f, struct gpd *d)
{
	struct gpd_node *n;

#define X(name, help, value)                                      \
	head(f, "gpreempt_" #name "_seconds", "histogram", help); \
	for_each_node(n, d)                                       \
		of_node(f, "gpreempt_" #name "_seconds", n->gpu_id, value);
	HISTOGRAMS(X)
#undef X
}

#define WAIT_HELP "how long work waited for its first run, by "

static void node_waits(FILE *f, struct gpd *d)
{
	struct gpd_node *n;

	head(f, "gpreempt_wait_seconds", "histogram",
	     "how long online work waited for its first run");
	for_each_node(n, d) {
		char labels[LABELS_MAX] = "";

		label_number(labels, "gpu_id", n->gpu_id);
		small_histogram(f, "gpreempt_wait_seconds", labels, &n->ops->stats(n)->wait_ns);
	}
}

static void class_waits(FILE *f, struct gpd *d)
{
	struct gpd_class_waits *k;
	struct gpd_node *n;

	head(f, "gpreempt_class_wait_seconds", "histogram", WAIT_HELP "class");
	for_each_node(n, d)
		LIST_FOREACH(k, &n->class_waits, link) {
			char labels[LABELS_MAX] = "";

			label_number(labels, "gpu_id", n->gpu_id);
			label(labels, "class", k->klass);
			small_histogram(f, "gpreempt_class_wait_seconds", labels, &k->waits);
		}
}

/* What a person is here: the same user in a container is another account. */
static void label_user(char *labels, uid_t uid, u64 account)
{
	label_number(labels, "uid", uid);
	label_number(labels, "account", account);
}

/* An account is two users if it has privileged connections; the first speaks for both. */
static void user_wait(FILE *f, struct gpd_user *u)
{
	struct gp_small_hist sum = {};
	char labels[LABELS_MAX] = "";
	struct gpd_user *o;

	LIST_FOREACH(o, &u->d->users, link) {
		if (o->account != u->account || !o->waits.nr)
			continue;
		if (o != u && !sum.nr)
			return;
		gp_small_hist_merge(&sum, &o->waits);
	}
	label_user(labels, u->uid, u->account);
	small_histogram(f, "gpreempt_user_wait_seconds", labels, &sum);
}

/* A series lives as long as its user has processes here. */
static void user_waits(FILE *f, struct gpd *d)
{
	struct gpd_user *u;

	head(f, "gpreempt_user_wait_seconds", "histogram", WAIT_HELP "user");
	LIST_FOREACH(u, &d->users, link)
		if (u->waits.nr)
			user_wait(f, u);
}

/* Groups are a user's own; entities of one differ in their attributes. */
static bool is_one_group(const struct gp_group *a, const struct gp_group *b)
{
	return a->key.user == b->key.user && a->key.group == b->key.group;
}

/* Of the group whose first entity this is. Return: the first entity of the next group. */
static struct gp_group *group_wait(FILE *f, struct gp_group *first)
{
	const struct gpd_entity *e = container_of(first, struct gpd_entity, group);
	const struct gpd_client *c = LIST_FIRST(&e->members)->client;
	struct gp_small_hist sum = {};
	char labels[LABELS_MAX] = "";
	struct gp_group *g;

	for (g = first; g && is_one_group(g, first); g = gp_groups_next(g))
		gp_small_hist_merge(&sum, &container_of(g, struct gpd_entity, group)->waits);
	label_number(labels, "gpu_id", e->node->gpu_id);
	label(labels, "group", c->attrs.group);
	label_user(labels, c->owner.uid, e->group.key.user);
	small_histogram(f, "gpreempt_group_wait_seconds", labels, &sum);
	return g;
}

/*
 * Most groups that have a series, of a node and of a user there: each is a name that a user
 * chose, and no user takes all places.
 */
#define GROUPS_MAX 64
#define GROUPS_A_USER 8

static void group_waits_of_node(FILE *f, const struct gpd_node *n)
{
	struct gp_group *g = gp_groups_from(&n->groups, 0, 0);
	uint32_t nr = 0, nr_of_user = 0;
	u64 user = GP_GROUP_NO_USER;

	while (g && nr < GROUPS_MAX) {
		nr_of_user = g->key.user == user ? nr_of_user : 0;
		user = g->key.user;
		if (nr_of_user++ == GROUPS_A_USER) {
			g = gp_groups_from(&n->groups, user + 1, 0);
			continue;
		}
		g = group_wait(f, g);
		nr++;
	}
}

static void group_waits(FILE *f, struct gpd *d)
{
	struct gpd_node *n;

	head(f, "gpreempt_group_wait_seconds", "histogram", WAIT_HELP "group");
	for_each_node(n, d)
		group_waits_of_node(f, n);
}

/* A series of totals. */
struct total_metric {
	FILE *f;
	struct gpd *d;
	const char *name;
	uint64_t (*value)(const struct gpd_sums *sum, const struct gpd_tally *t);
	bool is_time;
};

static void put_total(struct gpd_tally *t, void *data)
{
	const struct total_metric *m = data;
	char labels[LABELS_MAX] = "";
	struct gpd_sums sum;

	gpd_tally_sum(m->d, t, &sum);
	label(labels, "group", t->group);
	label_user(labels, t->uid, gpd_tally_account(t));
	if (m->is_time)
		fprintf(m->f, "gpreempt_group_%s{%s} %.9f\n", m->name, labels,
			(double)m->value(&sum, t) / 1e9);
	else
		fprintf(m->f, "gpreempt_group_%s{%s} %" PRIu64 "\n", m->name, labels,
			m->value(&sum, t));
}

/* X(name, type, help, whether it is a time, value of the sum and the tally t) */
#define TOTALS(X)                                                                            \
	X(run_seconds_total, counter, "time with work on a GPU, by group", true, sum->run_ns)  \
	X(off_seconds_total, counter, "time with work off the GPU, by group", true,           \
	  sum->off_ns)                                                                        \
	X(off_max_seconds, gauge, "longest time with work off the GPU, by group", true,       \
	  sum->off_max_ns)                                                                    \
	X(preemptions_total, counter, "times preempted, by group", false, sum->nr_preempted)  \
	X(waited_seconds_total, counter, "how long work waited for its first run, by group",  \
	  true, t->waits.sum)

#define X(name, type, help, is_time, value)                                                    \
	static uint64_t total_##name(const struct gpd_sums *sum, const struct gpd_tally *t)   \
	{                                                                                     \
		return value;                                                                 \
	}
TOTALS(X)
#undef X

/* Of groups that are over too, for ten minutes. */
static void group_totals(FILE *f, struct gpd *d)
{
#define X(name, type, help, is_time, value)                                                    \
	head(f, "gpreempt_group_" #name, #type, help);                                        \
	gpd_tally_each(d, put_total,                                                          \
		       &(struct total_metric){ f, d, #name, total_##name, is_time });
	TOTALS(X)
#undef X
}

/* Most cgroups that have a series, of a user that is not root and of all: none takes all places. */
#define CGROUPS_A_USER GPD_TALLIES_SHOWN
#define CGROUPS_MAX (8 * CGROUPS_A_USER)

/* A cgroup that has series, counted once for all of them. */
struct shown_cgroup {
	const struct gpd_cgroup *g;
	struct gpd_cgroup_use use;
};

/* A value of a cgroup that its shares count. */
struct cgroup_value {
	const char *name;
	const char *help;
	size_t offset; /* in struct gp_share_info */
	bool is_time;
};

static const struct cgroup_value cgroup_values[] = {
#define V(text, member, is_time, help) \
	{ "gpreempt_cgroup_" text "_total", help, offsetof(struct gp_share_info, member), is_time }
	V("usage_seconds", usage_ns, true, "run time of the processes of a cgroup"),
	V("periods", nr_periods, false, "periods of gpu.max that had work"),
	V("throttled_periods", nr_throttled, false, "times gpu.max was used up"),
	V("throttled_seconds", throttled_ns, true, "time from there to the next period"),
	V("pressure_some_seconds", some_ns, true,
	  "time in which a process had work and did not run"),
	V("pressure_full_seconds", full_ns, true, "time in which some had work and none ran"),
#undef V
};

static void cgroup_value(FILE *f, const struct cgroup_value *v, const struct shown_cgroup *c)
{
	u64 value = *(const u64 *)((const char *)&c->use.info + v->offset);
	char labels[LABELS_MAX] = "";

	label(labels, "cgroup", c->g->path);
	if (v->is_time)
		fprintf(f, "%s{%s} %.6f\n", v->name, labels, (double)(value / 1000) / 1e6);
	else
		fprintf(f, "%s{%s} %" PRIu64 "\n", v->name, labels, value);
}

/* Return: how many were put into @out. */
static uint32_t count_cgroups(struct gpd *d, struct shown_cgroup *out)
{
	const struct gpd_cgroup *g;
	struct gpd_user *u;
	uint32_t nr = 0;

	LIST_FOREACH(u, &d->users, link)
		u->nr_shown = 0;
	for (g = gpd_cgroup_next(d, NULL); g && nr < CGROUPS_MAX; g = gpd_cgroup_next(d, g)) {
		if (g->retired || (!g->user->privileged && g->user->nr_shown == CGROUPS_A_USER))
			continue;
		g->user->nr_shown++;
		out[nr].g = g;
		gpd_cgroup_count(g, &out[nr++].use);
	}
	return nr;
}

static void cgroups(FILE *f, struct gpd *d)
{
	struct shown_cgroup *shown = malloc(CGROUPS_MAX * sizeof(*shown));
	uint32_t i, c, nr = shown ? count_cgroups(d, shown) : 0;

	for (i = 0; i < sizeof(cgroup_values) / sizeof(cgroup_values[0]); i++) {
		head(f, cgroup_values[i].name, "counter", cgroup_values[i].help);
		for (c = 0; c < nr; c++)
			cgroup_value(f, &cgroup_values[i], &shown[c]);
	}
	free(shown);
}

static void clients(FILE *f, struct gpd *d)
{
	static const struct gpd_mech_ops *const all[] = { &gpd_shim_ops, &gpd_dbg_ops,
							  &gpd_sim_ops };
	struct gpd_client *c;
	unsigned int i;
	uint32_t nr;

	head(f, "gpreempt_clients", "gauge", "processes under control");
	for (i = 0; i < 3; i++) {
		nr = 0;
		LIST_FOREACH(c, &d->clients, link)
			nr += c->state == GPD_CLIENT_KNOWN && c->ops == all[i];
		fprintf(f, "gpreempt_clients{mechanism=\"%s\"} %" PRIu32 "\n", all[i]->name, nr);
	}
}

static void count(FILE *f, const char *name, const char *type, const char *help, uint64_t value)
{
	head(f, name, type, help);
	fprintf(f, "%s %" PRIu64 "\n", name, value);
}

static void daemon_values(FILE *f, struct gpd *d)
{
	uint64_t up_ns = gpd_now_ns() - d->start_ns;
	struct timespec now;

	head(f, "gpreempt_build_info", "gauge", "version of the daemon");
	fprintf(f, "gpreempt_build_info{version=\"%s\"} 1\n", GPD_VERSION);
	head(f, "process_start_time_seconds", "gauge", "when the daemon began");
	clock_gettime(CLOCK_REALTIME, &now);
	fprintf(f, "process_start_time_seconds %.3f\n",
		(double)now.tv_sec + ((double)now.tv_nsec - (double)up_ns) / 1e9);
	head(f, "gpreempt_uptime_seconds", "gauge", "time since the daemon began");
	fprintf(f, "gpreempt_uptime_seconds %.3f\n", (double)up_ns / 1e9);
	count(f, "gpreempt_messages_total", "counter", "messages of clients", d->nr_messages);
	count(f, "gpreempt_clients_dropped_total", "counter", "clients that were dropped",
	      d->nr_dropped);
	count(f, "gpreempt_clients_refused_total", "counter", "clients that were not let in",
	      d->nr_refused);
	count(f, "gpreempt_manual_holds", "gauge", "holds by hand",
	      gpd_hold_nr(d));
}

/* What users, groups and cgroups have of the GPUs. */
static void by_owner(FILE *f, struct gpd *d)
{
	user_waits(f, d);
	group_waits(f, d);
	group_totals(f, d);
	cgroups(f, d);
}

char *gpd_metrics_text(struct gpd *d, enum gpd_metrics_of of)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	daemon_values(f, d);
	clients(f, d);
	gpus(f, d);
	node_values(f, d);
	breakers(f, d);
	histograms(f, d);
	node_waits(f, d);
	class_waits(f, d);
	if (of == GPD_METRICS_ALL)
		by_owner(f, d);
	modules(f, d);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

#define RECENT_NS GPD_NS_PER_SEC

static char *reply_of(const char *text)
{
	json_t *reply = json_pack("{s:{s:s?}}", "parameters", "text", text);
	char *out = text ? json_dumps(reply, JSON_COMPACT) : NULL;

	json_decref(reply);
	return out;
}

static void forget(struct gpd_metrics *m)
{
	free(m->text);
	free(m->reply);
	*m = (struct gpd_metrics){ 0 };
}

const char *gpd_metrics_recent(struct gpd *d, enum gpd_metrics_of of, bool as_reply)
{
	struct gpd_metrics *m = &d->metrics[of];
	uint64_t now_ns = gpd_now_ns();

	if (!m->text || now_ns - m->made_ns >= RECENT_NS) {
		forget(m);
		m->text = gpd_metrics_text(d, of);
		m->made_ns = now_ns;
	}
	if (as_reply && !m->reply)
		m->reply = reply_of(m->text);
	return as_reply ? m->reply : m->text;
}

void gpd_metrics_free(struct gpd *d)
{
	int i;

	for (i = 0; i < GPD_METRICS_KINDS; i++)
		forget(&d->metrics[i]);
}
