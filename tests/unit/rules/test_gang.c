// SPDX-License-Identifier: MIT
/*
 * Gangs on nodes with a scheduler each, as in the kernel module: switches take time, fail,
 * or are never answered; work comes and goes. What is looked at is what the nodes do, not
 * what the rule believes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sched_types.h"
#include "rules/gang.h"

#define NODES 4U
#define GANGS 3U
#define LOCALS 2U
#define NEVER U64_MAX

struct world;

struct node {
	struct gp_act act;
	struct world *w;
	void *mem;
	u32 index;
	u64 done_ns;  /* end of its switch, NEVER = none, or it is not answered */
	bool hangs;   /* it answers no switch */
	u32 fails;    /* so many results to come are this */
	u8 result;
	u64 id[GANGS + LOCALS];
	u64 queue[GANGS + LOCALS];
	bool busy[GANGS + LOCALS];
};

struct world {
	struct node node[NODES];
	struct gp_gangs *g;
	void *mem;
	size_t mem_size;
	u64 now_ns;
	u64 noisy;
	u64 seed;
	u64 switch_ns;		/* how long a switch takes */
	u64 split_ns[GANGS];	/* since when a gang is split, NEVER = it is not */
	u64 split_max_ns;
	u64 wait_ns[GANGS];	/* since when one with work on all nodes is not whole */
	u64 wait_max_ns;
	u64 two_ns;		/* since when two hold half each */
	u64 two_max_ns;
	u32 nr_whole[GANGS];	/* times it became whole */
};

static u32 pick(struct world *w, u32 below)
{
	w->seed = w->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(w->seed >> 33) % below;
}

static u64 now_ns(struct gp_act *a)
{
	return container_of(a, struct node, act)->w->now_ns;
}

static bool begin(struct gp_act *a)
{
	struct node *n = container_of(a, struct node, act);
	u32 nr = a->sw.nr_preempt + a->sw.nr_resume;
	u32 i;

	for (i = 0; i < nr && n->fails; i++, n->fails--)
		a->results[i] = n->result;
	/* Nodes are not equally fast. */
	n->done_ns = n->w->now_ns + n->w->switch_ns / 2;
	n->done_ns += pick(n->w, (u32)(n->w->switch_ns / 2) + 1);
	if (n->hangs)
		n->done_ns = NEVER;
	return false;
}

static void drop(struct gp_act *a)
{
	container_of(a, struct node, act)->done_ns = NEVER;
}

static void gang_news(struct gp_act *a)
{
	struct node *n = container_of(a, struct node, act);

	n->w->noisy |= 1ULL << n->index;
}

static const struct gp_act_ops act_ops = {
	.now_ns = now_ns,
	.begin = begin,
	.drop = drop,
	.gang = gang_news,
};

static struct gp_act *enter(void *data, u32 node)
{
	struct world *w = data;

	return &w->node[node].act;
}

static const struct gp_gangs_ops gang_ops = { .enter = enter };

/* A rank with work that is on its GPU and was not told to leave. */
static bool is_on(const struct node *n, u32 gang)
{
	const struct gp_entity *e = &n->act.sched->entity[(u32)n->id[gang]];

	return gp_is_on(e) && e->state != GP_ENTITY_RESUMING;
}

static void note(bool is, u64 at_ns, u64 *since_ns, u64 *max_ns)
{
	if (is && *since_ns == NEVER)
		*since_ns = at_ns;
	if (*since_ns != NEVER)
		*max_ns = max(*max_ns, at_ns - *since_ns);
	if (!is)
		*since_ns = NEVER;
}

static void look(struct world *w)
{
	u32 halves = 0;
	u32 g, i;

	for (g = 0; g < GANGS; g++) {
		u32 on = 0, off = 0;
		bool whole;

		for (i = 0; i < NODES; i++) {
			on += w->node[i].busy[g] && is_on(&w->node[i], g);
			off += w->node[i].busy[g] && !is_on(&w->node[i], g);
		}
		whole = on == NODES;
		w->nr_whole[g] += whole && w->wait_ns[g] != NEVER;
		note(on && off, w->now_ns, &w->split_ns[g], &w->split_max_ns);
		note(on + off == NODES && !whole, w->now_ns, &w->wait_ns[g], &w->wait_max_ns);
		halves += on && off;
	}
	note(halves > 1, w->now_ns, &w->two_ns, &w->two_max_ns);
}

static void check(struct world *w)
{
	const char *bad = gp_gangs_check(w->g);
	u32 i;

	for (i = 0; i < NODES && !bad; i++)
		bad = gp_sched_check(w->node[i].act.sched);
	if (bad)
		fail_msg("%s", bad);
	look(w);
}

/* All that is due now, and the gangs after it. */
static void settle(struct world *w)
{
	u32 i, round;

	for (i = 0; i < NODES; i++) {
		struct node *n = &w->node[i];

		if (n->done_ns <= w->now_ns) {
			n->done_ns = NEVER;
			gp_act_done(&n->act);
		}
		gp_act_timer(&n->act);
	}
	for (round = 0; w->noisy || gp_gangs_next_ns(w->g) <= w->now_ns; round++) {
		u64 noisy = w->noisy;

		assert_true(round < 100);
		w->noisy = 0;
		w->noisy |= gp_gangs_run(w->g, noisy, w->now_ns);
	}
	check(w);
}

static u64 next_ns(const struct world *w)
{
	u64 next = gp_gangs_next_ns(w->g);
	u32 i;

	for (i = 0; i < NODES; i++) {
		next = min(next, w->node[i].done_ns);
		next = min(next, w->node[i].act.timer_ns);
	}
	return next;
}

static void run_until(struct world *w, u64 end_ns)
{
	while (next_ns(w) <= end_ns) {
		w->now_ns = max(w->now_ns, next_ns(w));
		settle(w);
	}
	w->now_ns = end_ns;
	settle(w);
}

static void set_busy(struct world *w, u32 node, u32 e, bool busy)
{
	struct node *n = &w->node[node];
	int err = busy ? gp_sched_queue_busy(n->act.sched, n->queue[e], w->now_ns, &n->act.acts) :
			 gp_sched_queue_idle(n->act.sched, n->queue[e], w->now_ns, &n->act.acts);

	n->busy[e] = busy;
	assert_int_equal(err, 0);
	gp_act_run(&n->act);
	settle(w);
}

static void set_all(struct world *w, u32 gang, bool busy)
{
	u32 i;

	for (i = 0; i < NODES; i++)
		set_busy(w, i, gang, busy);
}

static void add(struct node *n, u32 e, u8 prio)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.prio = prio;
	attr.deadline_ns = 10 * GP_MS;
	assert_int_equal(gp_sched_entity_add(n->act.sched, 0, &attr, e, n->w->now_ns, &n->act.acts,
					     &n->id[e]),
			 0);
	gp_act_run(&n->act);
	assert_int_equal(gp_sched_queue_add(n->act.sched, n->id[e], 0, n->w->now_ns, &n->act.acts,
					    &n->queue[e]),
			 0);
	gp_act_run(&n->act);
}

static void make_node(struct world *w, u32 i, const char *policy, u8 local_prio)
{
	static const struct gp_sched_config config = {
		.nr_nodes = 1, .max_entities = 8, .max_queues = 8, .has_gates = true,
	};
	struct node *n = &w->node[i];
	struct gp_sched *s;
	u32 e;

	n->w = w;
	n->index = i;
	n->done_ns = NEVER;
	n->mem = aligned_alloc(64, gp_sched_size(&config));
	assert_non_null(n->mem);
	assert_int_equal(gp_sched_init(n->mem, gp_sched_size(&config), &config, &s), 0);
	gp_act_init(&n->act, s, 0, &act_ops);
	assert_int_equal(gp_sched_set_policy(s, 0, policy, 0, &n->act.acts), 0);
	gp_act_run(&n->act);
	for (e = 0; e < GANGS + LOCALS; e++)
		add(n, e, e < GANGS ? GP_PRIO_DEFAULT : local_prio);
}

static struct gp_group_key key_of(const struct world *w, u32 gang)
{
	const struct gp_sched *s = w->node[0].act.sched;

	return (struct gp_group_key){
		.group = gang + 1,
		.attr = s->entity[(u32)w->node[0].id[gang]].attr,
	};
}

static struct world *make(const char *policy, u8 local_prio)
{
	struct gp_gangs_config config = {
		.nr_nodes = NODES, .max_gangs = GANGS, .max_ranks = GANGS * NODES,
		.ops = &gang_ops,
	};
	struct world *w = calloc(1, sizeof(*w));
	u32 g, i;

	assert_non_null(w);
	config.data = w;
	w->now_ns = GP_SEC;
	w->seed = 1;
	w->switch_ns = 100 * GP_US;
	w->two_ns = NEVER;
	for (i = 0; i < NODES; i++)
		make_node(w, i, policy, local_prio);
	w->mem_size = gp_gangs_size(&config);
	w->mem = aligned_alloc(64, (w->mem_size + 63) & ~(size_t)63);
	assert_non_null(w->mem);
	w->g = gp_gangs_init(w->mem, &config);
	assert_non_null(w->g);
	for (g = 0; g < GANGS; g++) {
		struct gp_group_key key = key_of(w, g);

		w->split_ns[g] = NEVER;
		w->wait_ns[g] = NEVER;
		for (i = 0; i < NODES; i++)
			assert_int_equal(gp_gangs_join(w->g, &key, i, w->node[i].id[g], w->now_ns),
					 0);
	}
	settle(w);
	return w;
}

static void unmake(struct world *w)
{
	u32 i;

	for (i = 0; i < NODES; i++)
		free(w->node[i].mem);
	free(w->mem);
	free(w);
}

static const char *const policies[] = { "prio", "fair", "slice", "edf", "laxity", "mlfq" };

static void gangs_take_turns_as_a_whole(void **state)
{
	struct gp_gangs_stats stats;
	u32 p, g;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct world *w = make(policies[p], 0);

		for (g = 0; g < GANGS; g++)
			set_all(w, g, true);
		/* Until here ranks had work on some nodes only. */
		run_until(w, w->now_ns + 50 * GP_MS);
		w->split_max_ns = w->two_max_ns = w->wait_max_ns = 0;
		run_until(w, w->now_ns + 5 * GP_SEC);
		for (g = 0; g < GANGS; g++)
			assert_in_range(w->nr_whole[g], 5, 100000);
		assert_in_range(w->split_max_ns, 0, w->switch_ns);
		assert_in_range(w->two_max_ns, 0, w->switch_ns);
		assert_in_range(w->wait_max_ns, 0, GP_SEC + 50 * GP_MS);
		gp_gangs_stats(w->g, &stats);
		assert_int_equal(stats.nr_stalled, 0);
		assert_int_equal(stats.nr_late, 0);
		unmake(w);
	}
}

/* The same nodes without gangs, each by itself: the test above can fail. */
static void without_gangs_they_are_split(void **state)
{
	struct world *w = make("fair", 0);
	u32 g, i;

	(void)state;
	for (g = 0; g < GANGS; g++)
		for (i = 0; i < NODES; i++)
			assert_int_equal(gp_gangs_leave(w->g, i, w->node[i].id[g], w->now_ns), 0);
	for (i = 0; i < NODES; i++)
		for (g = 0; g < GANGS; g++) {
			set_busy(w, i, (g + i) % GANGS, true);
			run_until(w, w->now_ns + GP_MS);
		}
	w->split_max_ns = w->two_max_ns = 0;
	run_until(w, w->now_ns + GP_SEC);
	assert_true(w->split_max_ns > GP_MS);
	assert_true(w->two_max_ns > GP_MS);
	unmake(w);
}

static void work_of_one_node_takes_the_gang_off_on_all(void **state)
{
	static const char *const turns[] = { "fair", "slice", "mlfq" };
	u32 p;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(turns); p++) {
		struct world *w = make(turns[p], GP_PRIO_DEFAULT);

		set_all(w, 0, true);
		set_busy(w, 1, GANGS, true);
		run_until(w, w->now_ns + 50 * GP_MS);
		w->split_max_ns = w->nr_whole[0] = 0;
		run_until(w, w->now_ns + 2 * GP_SEC);
		assert_in_range(w->nr_whole[0], 5, 1000);
		assert_in_range(w->split_max_ns, 0, w->switch_ns);
		unmake(w);
	}
}

/* A short request of one node takes that node only; a long one the gang off all. */
static void urgent_work_takes_one_node_and_then_all(void **state)
{
	struct world *w = make("prio", 12);
	struct gp_gangs_stats stats;

	(void)state;
	set_all(w, 0, true);
	run_until(w, w->now_ns + 10 * GP_MS);
	set_busy(w, 2, GANGS, true);
	run_until(w, w->now_ns + 2 * GP_MS);
	assert_false(is_on(&w->node[2], 0));
	assert_true(is_on(&w->node[0], 0) && is_on(&w->node[1], 0) && is_on(&w->node[3], 0));
	run_until(w, w->now_ns + 9 * GP_MS);
	assert_false(is_on(&w->node[0], 0) || is_on(&w->node[1], 0) || is_on(&w->node[3], 0));
	gp_gangs_stats(w->g, &stats);
	assert_int_equal(stats.nr_stalled, 1);
	/* Its node is free again: all come back. */
	set_busy(w, 2, GANGS, false);
	run_until(w, w->now_ns + 5 * GP_MS);
	assert_true(is_on(&w->node[0], 0) && is_on(&w->node[1], 0) && is_on(&w->node[2], 0) &&
		    is_on(&w->node[3], 0));
	assert_in_range(w->split_max_ns, 10 * GP_MS, 10 * GP_MS + 4 * w->switch_ns);
	unmake(w);
}

/* A stalled gang's nodes are free for work that was less entitled, and for other gangs. */
static void stalled_gang_lends_its_nodes(void **state)
{
	struct world *w = make("prio", 12);
	struct gp_attr attr;

	(void)state;
	gp_attr_default(&attr);
	attr.prio = 1;
	gp_sched_entity_set_attr(w->node[0].act.sched, w->node[0].id[GANGS + 1], &attr, w->now_ns,
				 &w->node[0].act.acts);
	gp_act_run(&w->node[0].act);
	set_all(w, 0, true);
	set_busy(w, 0, GANGS + 1, true);
	run_until(w, w->now_ns + 5 * GP_MS);
	assert_false(is_on(&w->node[0], GANGS + 1));
	set_busy(w, 2, GANGS, true);
	run_until(w, w->now_ns + 30 * GP_MS);
	assert_true(is_on(&w->node[0], GANGS + 1));
	unmake(w);
}

static void node_that_hangs_stops_the_others_for_a_deadline_only(void **state)
{
	u32 p, g;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct world *w = make(policies[p], 0);

		for (g = 0; g < GANGS; g++)
			set_all(w, g, true);
		run_until(w, w->now_ns + 50 * GP_MS);
		w->node[1].hangs = true;
		run_until(w, w->now_ns + 3 * GP_SEC);
		/* On the others gangs go on in turns, each by the deadline. */
		for (g = 0; g < GANGS; g++) {
			struct gp_entity_info info;

			assert_int_equal(gp_sched_entity_info(w->node[0].act.sched,
							      w->node[0].id[g], &info),
					 0);
			assert_true(info.nr_resumed > 2);
			assert_in_range(info.off_max_ns, 0, 2 * GP_SEC);
		}
		w->node[1].hangs = false;
		run_until(w, w->now_ns + 25 * GP_SEC);
		w->split_max_ns = w->two_max_ns = 0;
		run_until(w, w->now_ns + 2 * GP_SEC);
		assert_in_range(w->split_max_ns, 0, 2 * w->switch_ns);
		unmake(w);
	}
}

static void nodes_without_a_gang_in_common_do_not_wait_for_each_other(void **state)
{
	struct world *w = make("fair", 0);
	u32 i;

	(void)state;
	/* Gang 0 on nodes 0 and 1, gang 1 on nodes 2 and 3, gang 2 on none. */
	for (i = 0; i < NODES; i++) {
		gp_gangs_leave(w->g, i, w->node[i].id[2], w->now_ns);
		gp_gangs_leave(w->g, i, w->node[i].id[i / 2 ? 0 : 1], w->now_ns);
		settle(w);
	}
	for (i = 0; i < NODES; i++)
		set_busy(w, i, i / 2, true);
	run_until(w, w->now_ns + 10 * GP_MS);
	for (i = 0; i < NODES; i++)
		assert_true(is_on(&w->node[i], i / 2));
	run_until(w, w->now_ns + GP_SEC);
	for (i = 0; i < NODES; i++)
		assert_true(is_on(&w->node[i], i / 2));
	unmake(w);
}

/* All that a world is, to come back to it. */
struct snapshot {
	struct world w;
	void *mem;
	void *node[NODES];
};

static const struct gp_sched_config node_config = {
	.nr_nodes = 1, .max_entities = 8, .max_queues = 8, .has_gates = true,
};

static void take(const struct world *w, struct snapshot *s)
{
	u32 i;

	s->w = *w;
	memcpy(s->mem, w->mem, w->mem_size);
	for (i = 0; i < NODES; i++)
		memcpy(s->node[i], w->node[i].mem, gp_sched_size(&node_config));
}

static void restore(struct world *w, const struct snapshot *s)
{
	u32 i;

	*w = s->w;
	memcpy(w->mem, s->mem, w->mem_size);
	for (i = 0; i < NODES; i++)
		memcpy(w->node[i].mem, s->node[i], gp_sched_size(&node_config));
}

#define DEPTH 3
#define CHOICES 8

/* One of the few things that can happen to two gangs and the work of one node. */
static void happen(struct world *w, u32 what)
{
	switch (what) {
	case 0:
	case 1:
	case 2:
	case 3:
		set_busy(w, what / 2, what % 2, !w->node[what / 2].busy[what % 2]);
		break;
	case 4:
		set_busy(w, 1, GANGS, !w->node[1].busy[GANGS]);
		break;
	case 5:
		w->node[0].fails = 1;
		w->node[0].result = GP_RESULT_BUSY;
		break;
	case 6:
		run_until(w, w->now_ns + 60 * GP_US);
		break;
	default:
		run_until(w, w->now_ns + 6 * GP_MS);
		break;
	}
}

/* After whatever happened all have work, and after a while gangs are whole. */
static void must_be_whole(struct world *w)
{
	u32 g;

	w->node[0].fails = 0;
	for (g = 0; g < 2; g++)
		set_all(w, g, true);
	run_until(w, w->now_ns + 30 * GP_MS);
	w->split_max_ns = w->two_max_ns = 0;
	for (g = 0; g < 2; g++)
		w->nr_whole[g] = 0;
	run_until(w, w->now_ns + 30 * GP_MS);
	for (g = 0; g < 2; g++)
		assert_in_range(w->nr_whole[g], 1, 100);
	assert_in_range(w->split_max_ns, 0, w->switch_ns);
	assert_in_range(w->two_max_ns, 0, w->switch_ns);
}

static void explore(struct world *w, struct snapshot *s, u32 depth, u32 *nr)
{
	u32 what;

	take(w, s);
	if (depth == DEPTH) {
		++*nr;
		must_be_whole(w);
		restore(w, s);
		return;
	}
	for (what = 0; what < CHOICES; what++) {
		happen(w, what);
		explore(w, s + 1, depth + 1, nr);
		restore(w, s);
	}
}

/* Every order of these things, to a depth. */
static void gangs_are_whole_after_any_order_of_events(void **state)
{
	static const char *const names[] = { "prio", "fair" };
	struct snapshot s[DEPTH + 1] = { 0 };
	u32 nr = 0;
	u32 p, i, k;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(names); p++) {
		struct world *w = make(names[p], 0);

		for (k = 0; k <= DEPTH; k++) {
			s[k].mem = malloc(w->mem_size);
			for (i = 0; i < NODES; i++)
				s[k].node[i] = malloc(gp_sched_size(&node_config));
		}
		explore(w, s, 0, &nr);
		for (k = 0; k <= DEPTH; k++) {
			free(s[k].mem);
			for (i = 0; i < NODES; i++)
				free(s[k].node[i]);
		}
		unmake(w);
	}
	assert_int_equal(nr, 2 * CHOICES * CHOICES * CHOICES);
}

static void event(struct world *w)
{
	u32 i = pick(w, NODES);
	u32 e = pick(w, GANGS + LOCALS);
	struct gp_group_key key;

	switch (pick(w, 24)) {
	case 0:
		w->node[i].fails = 1 + pick(w, 3);
		w->node[i].result = pick(w, 2) ? GP_RESULT_BUSY : GP_RESULT_ERROR;
		break;
	case 1:
		w->node[i].hangs = !pick(w, 3);
		break;
	case 2:
		if (e < GANGS)
			gp_gangs_leave(w->g, i, w->node[i].id[e], w->now_ns);
		break;
	case 3:
	case 4:
		if (e >= GANGS)
			break;
		key = key_of(w, e);
		gp_gangs_join(w->g, &key, i, w->node[i].id[e], w->now_ns);
		break;
	case 5:
		gp_sched_set_policy(w->node[i].act.sched, 0, gp_policy_name_at(pick(w, 6)),
				    w->now_ns, &w->node[i].act.acts);
		gp_act_run(&w->node[i].act);
		break;
	case 6:
		w->switch_ns = (1 + pick(w, 1000)) * GP_US;
		break;
	case 7:
		gp_sched_set_enabled(w->node[i].act.sched, 0, pick(w, 4), w->now_ns,
				     &w->node[i].act.acts);
		gp_act_run(&w->node[i].act);
		break;
	default:
		set_busy(w, i, e, pick(w, 2));
		break;
	}
	settle(w);
	run_until(w, w->now_ns + pick(w, 3) * pick(w, 3000) * GP_US);
}

/* Whatever happened before: once all answers, gangs are whole again. */
static void gangs_recover_from_anything(void **state)
{
	u32 seed, i, g, k;

	(void)state;
	for (seed = 1; seed <= 15; seed++) {
		struct world *w = make(policies[seed % ARRAY_SIZE(policies)], GP_PRIO_DEFAULT);

		w->seed = seed;
		for (k = 0; k < 400; k++)
			event(w);
		for (i = 0; i < NODES; i++) {
			struct node *n = &w->node[i];

			n->hangs = false;
			n->fails = 0;
			gp_sched_set_policy(n->act.sched, 0, "fair", w->now_ns, &n->act.acts);
			gp_act_run(&n->act);
			gp_sched_set_enabled(n->act.sched, 0, true, w->now_ns, &n->act.acts);
			gp_act_run(&n->act);
		}
		w->switch_ns = 100 * GP_US;
		settle(w);
		for (g = 0; g < GANGS; g++) {
			struct gp_group_key key = key_of(w, g);

			for (i = 0; i < NODES; i++)
				gp_gangs_join(w->g, &key, i, w->node[i].id[g], w->now_ns);
			set_all(w, g, true);
		}
		run_until(w, w->now_ns + 25 * GP_SEC);
		w->split_max_ns = w->two_max_ns = w->wait_max_ns = 0;
		for (g = 0; g < GANGS; g++) {
			w->nr_whole[g] = 0;
			w->wait_ns[g] = w->wait_ns[g] == NEVER ? NEVER : w->now_ns;
		}
		run_until(w, w->now_ns + 2 * GP_SEC);
		assert_in_range(w->split_max_ns, 0, 2 * w->switch_ns);
		for (g = 0; g < GANGS; g++)
			assert_in_range(w->nr_whole[g], 2, 100000);
		unmake(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gangs_take_turns_as_a_whole),
		cmocka_unit_test(without_gangs_they_are_split),
		cmocka_unit_test(work_of_one_node_takes_the_gang_off_on_all),
		cmocka_unit_test(urgent_work_takes_one_node_and_then_all),
		cmocka_unit_test(stalled_gang_lends_its_nodes),
		cmocka_unit_test(node_that_hangs_stops_the_others_for_a_deadline_only),
		cmocka_unit_test(nodes_without_a_gang_in_common_do_not_wait_for_each_other),
		cmocka_unit_test(gangs_are_whole_after_any_order_of_events),
		cmocka_unit_test(gangs_recover_from_anything),
	};

	return cmocka_run_group_tests_name("rules/gang", tests, NULL, NULL);
}
