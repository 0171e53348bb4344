// SPDX-License-Identifier: MIT
#include "load.h"

#include <math.h>

struct load *load_new(const char *policy, u64 seed)
{
	struct load *l = calloc(1, sizeof(*l));
	void *r;

	assert_non_null(l);
	assert_int_equal(rig_setup(&r), 0);
	l->r = r;
	l->seed = seed * 2654435761U + 1;
	l->r->switch_ns = 50 * GP_US;
	rig_policy(l->r, policy);
	return l;
}

void load_free(struct load *l)
{
	void *r = l->r;
	u32 i;

	for (i = 0; i < l->nr; i++)
		free(l->client[i].request);
	rig_teardown(&r);
	free(l);
}

u64 load_pick(struct load *l, u64 below)
{
	l->seed = l->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (l->seed >> 20) % below;
}

struct load_client *load_add(struct load *l)
{
	struct load_client *c = &l->client[l->nr++];

	assert_true(l->nr <= LOAD_CLIENTS);
	gp_attr_default(&c->attr);
	c->work_ns = U64_MAX;
	c->closed = true;
	c->depth = 1;
	c->next_ns = U64_MAX;
	return c;
}

static u64 next_gap(struct load *l, const struct load_client *c)
{
	if (!c->jitter)
		return c->gap_ns;
	return (u64)((double)c->gap_ns * -log((double)(1 + load_pick(l, 1000000)) / 1000001));
}

static u64 next_work(struct load *l, const struct load_client *c)
{
	if (!c->spread || c->work_ns == U64_MAX)
		return c->work_ns;
	return c->work_ns / 2 + load_pick(l, c->work_ns);
}

static void add_request(struct load *l, struct load_client *c)
{
	if (c->nr == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->request = realloc(c->request, c->room * sizeof(*c->request));
		assert_non_null(c->request);
	}
	c->request[c->nr++] = (struct load_request){
		.arrival_ns = l->r->now_ns,
		.work_ns = next_work(l, c),
	};
}

static bool has_work(const struct load_client *c)
{
	return c->nr > c->nr_done;
}

static void arrive(struct load *l, struct load_client *c)
{
	bool had_work = has_work(c);

	add_request(l, c);
	if (had_work)
		return;
	c->left_ns = c->request[c->nr_done].work_ns;
	rig_busy(l->r, c->e);
}

void load_start(struct load *l)
{
	u32 i, k;

	for (i = 0; i < l->nr; i++) {
		struct load_client *c = &l->client[i];

		c->e = rig_add_attr(l->r, &c->attr);
		if (!c->closed)
			c->next_ns = l->r->now_ns + 1 + load_pick(l, c->gap_ns);
		for (k = 0; c->closed && k < c->depth; k++)
			arrive(l, c);
	}
}

static void complete(struct load *l, struct load_client *c)
{
	c->request[c->nr_done++].done_ns = l->r->now_ns;
	if (c->closed && c->gap_ns)
		c->next_ns = l->r->now_ns + next_gap(l, c);
	else if (c->closed)
		add_request(l, c);
	if (!has_work(c)) {
		rig_idle(l->r, c->e);
		return;
	}
	c->left_ns = c->request[c->nr_done].work_ns;
	if (!c->silent)
		rig_progress(l->r, c->e, c->request[c->nr_done].arrival_ns);
}

static bool runs(struct load *l, const struct load_client *c)
{
	return has_work(c) && rig_entity(l->r, c->e)->state == GP_ENTITY_RUNNING;
}

static u32 count_running(struct load *l)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < l->nr; i++)
		nr += runs(l, &l->client[i]);
	return nr;
}

static u64 next_ns(struct load *l, u32 nr_running)
{
	struct rig *r = l->r;
	u64 ns = r->in_flight ? min(r->timer_ns, r->sw_start_ns + r->switch_ns) : r->timer_ns;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		const struct load_client *c = &l->client[i];

		ns = min(ns, c->next_ns);
		if (c->left_ns != U64_MAX && runs(l, c))
			ns = min(ns, r->now_ns + c->left_ns * nr_running);
	}
	return max(ns, r->now_ns);
}

/* Everything goes on as it is up to a time. */
static void pass(struct load *l, u64 until_ns, u32 nr_running)
{
	u64 ran_ns = nr_running ? (until_ns - l->r->now_ns) / nr_running : 0;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		struct load_client *c = &l->client[i];

		if (!runs(l, c))
			continue;
		c->gpu_ns += ran_ns;
		if (c->left_ns != U64_MAX)
			c->left_ns -= min(ran_ns, c->left_ns);
	}
	l->r->now_ns = until_ns;
}

static void note_waits(struct load *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		struct load_client *c = &l->client[i];
		bool waits = has_work(c) && !runs(l, c);

		if (waits && !c->waits)
			c->wait_since_ns = l->r->now_ns;
		if (waits)
			c->wait_max_ns = max(c->wait_max_ns, l->r->now_ns - c->wait_since_ns);
		c->waits = waits;
	}
}

/* What clients do now. A client that has less left than a share can be has ended. */
static void act(struct load *l, u32 nr_running)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		struct load_client *c = &l->client[i];

		if (runs(l, c) && c->left_ns < max(nr_running, 1U))
			complete(l, c);
		if (c->next_ns > l->r->now_ns)
			continue;
		c->next_ns = c->closed ? U64_MAX : l->r->now_ns + next_gap(l, c);
		arrive(l, c);
	}
}

void load_run(struct load *l, u64 ns)
{
	u64 end_ns = l->r->now_ns + ns;

	while (l->r->now_ns < end_ns) {
		u32 nr_running = count_running(l);

		pass(l, min(next_ns(l, nr_running), end_ns), nr_running);
		note_waits(l);
		act(l, nr_running);
		note_waits(l);
		rig_run(l->r, 0);
		note_waits(l);
	}
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

u64 load_percentile(const struct load_client *c, u32 per_mille)
{
	u64 *ns = calloc(c->nr_done, sizeof(*ns));
	u64 value;
	u32 i;

	assert_true(ns && c->nr_done);
	for (i = 0; i < c->nr_done; i++)
		ns[i] = c->request[i].done_ns - c->request[i].arrival_ns;
	qsort(ns, c->nr_done, sizeof(*ns), compare);
	value = ns[(u64)(c->nr_done - 1) * per_mille / 1000];
	free(ns);
	return value;
}

u32 load_misses(const struct load *l, const struct load_client *c)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		u64 due_ns = c->request[i].arrival_ns + c->attr.deadline_ns;
		u64 done_ns = i < c->nr_done ? c->request[i].done_ns : l->r->now_ns;

		nr += done_ns > due_ns;
	}
	return nr;
}

u32 load_scaled(u32 nr)
{
	const char *scale = getenv("GP_TEST_SCALE");
	int by = scale ? atoi(scale) : 1;

	/* With fewer still, chance would decide. */
	by = min(by, 10);
	return by > 1 ? max(nr / (u32)by, 1U) : nr;
}
