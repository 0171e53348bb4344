// SPDX-License-Identifier: MIT
/*
 * A long random run is recorded through the trace hook, and the records of its
 * events are played into a second scheduler: it must give the same records.
 */
#include "rig.h"

#define EVENTS 20000
#define RECORDS_MAX (40 * EVENTS)
#define ENTITIES 12U
#define QUEUES 24U
#define SHARES 6U

static const struct gp_sched_config config = {
	.nr_nodes = 2,
	.max_entities = ENTITIES,
	.max_queues = QUEUES,
	.has_gates = true,
	.max_shares = SHARES,
};

/**
 * struct tape - what a trace hook has seen
 * @nr: records
 * @t: the records
 */
struct tape {
	u32 nr;
	struct gp_trace t[RECORDS_MAX];
};

/**
 * struct run - one scheduler and what a random caller knows about it
 * @s: scheduler
 * @now_ns: time
 * @seed: of the random numbers
 * @entity: ids; GP_ID_NONE = none
 * @queue: ids; GP_ID_NONE = none
 * @owner: index of the entity of each queue
 * @share: ids; GP_ID_NONE = none
 * @sw: switch in flight of each node
 * @out: actions
 */
struct run {
	struct gp_sched *s;
	u64 now_ns;
	u64 seed;
	u64 entity[ENTITIES];
	u64 queue[QUEUES];
	u32 owner[QUEUES];
	u64 share[SHARES];
	struct gp_switch sw[2];
	struct gp_actions out;
};

static void record(void *data, const struct gp_trace *t)
{
	struct tape *tape = data;

	assert_true(tape->nr < RECORDS_MAX);
	tape->t[tape->nr++] = *t;
}

static struct gp_sched *make(struct tape *tape)
{
	struct gp_sched_config traced = config;
	size_t size = gp_sched_size(&config);
	void *mem = aligned_alloc(64, size);
	struct gp_sched *s;

	assert_non_null(mem);
	traced.trace = record;
	traced.trace_data = tape;
	assert_int_equal(gp_sched_init(mem, size, &traced, &s), 0);
	return s;
}

static u32 pick(struct run *r, u32 below)
{
	r->seed = r->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(r->seed >> 33) % below;
}

static struct gp_attr some_attr(struct run *r)
{
	return (struct gp_attr){
		.prio = (u8)pick(r, GP_PRIO_MAX + 1),
		.latency_critical = pick(r, 2),
		.no_preempt = !pick(r, 8),
		.weight = 1 + pick(r, GP_WEIGHT_MAX),
		.slice_ns = pick(r, 2) * 200 * GP_US,
		.deadline_ns = pick(r, 2) * 500 * GP_US,
	};
}

static void take(struct run *r)
{
	u32 i;

	for (i = 0; i < r->out.nr; i++)
		if (r->out.a[i].kind == GP_ACTION_SWITCH)
			r->sw[r->out.node] = r->out.sw;
}

static void entity_event(struct run *r, u32 e)
{
	struct gp_attr attr = some_attr(r);
	u32 q;

	if (r->entity[e] == GP_ID_NONE && !pick(r, 4)) {
		assert_int_equal(gp_sched_entity_add_out(r->s, pick(r, 2), &attr, pick(r, 1000),
							 r->now_ns, &r->out, &r->entity[e]),
				 0);
	} else if (r->entity[e] == GP_ID_NONE) {
		assert_int_equal(gp_sched_entity_add(r->s, pick(r, 2), &attr, pick(r, 1000),
						     r->now_ns, &r->out, &r->entity[e]),
				 0);
	} else if (pick(r, 2)) {
		gp_sched_entity_gate(r->s, r->entity[e], (enum gp_gate)pick(r, GP_GATE_COUNT),
				     r->now_ns, &r->out);
	} else if (pick(r, 2)) {
		gp_sched_entity_set_attr(r->s, r->entity[e], &attr, r->now_ns, &r->out);
	} else {
		gp_sched_entity_remove(r->s, r->entity[e], r->now_ns, &r->out);
		r->entity[e] = GP_ID_NONE;
		for (q = 0; q < QUEUES; q++)
			if (r->owner[q] == e)
				r->queue[q] = GP_ID_NONE;
	}
}

static void queue_event(struct run *r, u32 q)
{
	if (r->queue[q] == GP_ID_NONE) {
		r->owner[q] = q % ENTITIES;
		if (r->entity[r->owner[q]] == GP_ID_NONE)
			return;
		assert_int_equal(gp_sched_queue_add(r->s, r->entity[r->owner[q]], pick(r, 1000),
						    r->now_ns, &r->out, &r->queue[q]),
				 0);
	} else if (!pick(r, 10)) {
		gp_sched_queue_remove(r->s, r->queue[q], r->now_ns, &r->out);
		r->queue[q] = GP_ID_NONE;
	} else if (!pick(r, 4)) {
		gp_sched_queue_progress(r->s, r->queue[q], r->now_ns - pick(r, 2) * GP_MS,
					r->now_ns, &r->out);
	} else if (pick(r, 2)) {
		gp_sched_queue_busy(r->s, r->queue[q], r->now_ns, &r->out);
	} else {
		gp_sched_queue_idle(r->s, r->queue[q], r->now_ns, &r->out);
	}
}

/* Refused as often as not: of another node, in use, gone. */
static void share_event(struct run *r)
{
	u32 g = pick(r, SHARES), e = pick(r, ENTITIES);
	struct gp_share_attr attr = {
		.weight = 1 + pick(r, GP_WEIGHT_MAX),
		.quota_ns = pick(r, 2) * 100 * GP_US,
		.period_ns = GP_MS,
	};

	switch (pick(r, 4)) {
	case 0:
		if (r->share[g] == GP_ID_NONE)
			gp_sched_share_add(r->s, pick(r, 2), r->share[pick(r, SHARES)], &attr, 0,
					   r->now_ns, &r->out, &r->share[g]);
		break;
	case 1:
		gp_sched_share_set_attr(r->s, r->share[g], &attr, r->now_ns, &r->out);
		break;
	case 2:
		if (!gp_sched_share_remove(r->s, r->share[g], r->now_ns, &r->out))
			r->share[g] = GP_ID_NONE;
		break;
	default:
		gp_sched_entity_join(r->s, r->entity[e], r->share[g], r->now_ns, &r->out);
		break;
	}
}

static void done_event(struct run *r, u32 node)
{
	u8 results[ENTITIES];
	u32 nr = r->sw[node].nr_preempt + r->sw[node].nr_resume;
	u32 i;

	/* Also values that do not exist. */
	for (i = 0; i < nr; i++)
		results[i] = pick(r, 64) ? GP_RESULT_OK : (u8)pick(r, 6);
	gp_sched_switch_done(r->s, node, r->sw[node].seq, results, nr, r->now_ns, &r->out);
}

static void node_event(struct run *r, u32 node)
{
	const struct gp_param_desc *desc;
	const char *policy;

	switch (pick(r, 40)) {
	case 0:
		if (!pick(r, 5))
			gp_sched_node_lost(r->s, node, r->now_ns, &r->out);
		break;
	case 1:
	case 2:
		gp_sched_node_back(r->s, node, r->now_ns, &r->out);
		break;
	case 3:
		gp_sched_set_policy(r->s, node, gp_policy_name_at(pick(r, 6)), r->now_ns, &r->out);
		break;
	case 4:
	case 5:
		gp_sched_set_enabled(r->s, node, pick(r, 3), r->now_ns, &r->out);
		break;
	case 8:
		gp_sched_set_alone(r->s, node, pick(r, 2), r->now_ns, &r->out);
		break;
	case 7:
		gp_sched_set_room(r->s, node, pick(r, 6), pick(r, 12), r->now_ns, &r->out);
		break;
	case 6:
		desc = gp_sched_param_desc(pick(r, 13), &policy);
		r->out.nr = 0;
		gp_sched_param_set(r->s, node, desc->name, desc->def / (1 + pick(r, 4)), NULL);
		break;
	default:
		gp_sched_timer(r->s, node, r->now_ns, &r->out);
		break;
	}
}

static void random_event(struct run *r)
{
	r->now_ns += pick(r, 100) * GP_US;
	r->out.nr = 0;
	switch (pick(r, 9)) {
	case 0:
		entity_event(r, pick(r, ENTITIES));
		break;
	case 8:
		share_event(r);
		break;
	case 1:
	case 2:
	case 3:
		done_event(r, pick(r, 2));
		break;
	case 4:
		node_event(r, pick(r, 2));
		break;
	default:
		queue_event(r, pick(r, QUEUES));
		break;
	}
	take(r);
}

static void replay_done(struct gp_sched *s, const struct gp_trace *t, struct gp_actions *out)
{
	u8 *results = gp_sched_results(s, t->node);

	assert_int_equal(gp_sched_switch_done(s, t->node, t->arg[0], results, (u32)t->arg[1],
					      t->now_ns, out),
			 0);
	memset(results, GP_RESULT_OK, ENTITIES);
}

static void replay_param(struct gp_sched *s, const struct gp_trace *t)
{
	const char *policy;
	const struct gp_param_desc *desc = gp_sched_param_desc((u32)t->arg[0], &policy);
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", policy ? policy : "", policy ? "." : "",
		 desc->name);
	assert_int_equal(gp_sched_param_set(s, t->node, name, t->arg[1], NULL), 0);
}

static int replay_node(struct gp_sched *s, const struct gp_trace *t, struct gp_actions *out)
{
	struct gp_share_attr share;
	u64 id;

	switch (t->kind) {
	case GP_TRACE_EVENT_TIMER:
		return gp_sched_timer(s, t->node, t->now_ns, out);
	case GP_TRACE_EVENT_POLICY:
		return gp_sched_set_policy(s, t->node, gp_policy_name_at((u32)t->arg[0]),
					   t->now_ns, out);
	case GP_TRACE_EVENT_ENABLE:
		return gp_sched_set_enabled(s, t->node, t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_ROOM:
		return gp_sched_set_room(s, t->node, (u32)t->arg[0], (u32)(t->arg[0] >> 32),
					 t->now_ns, out);
	case GP_TRACE_EVENT_ALONE:
		return gp_sched_set_alone(s, t->node, t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_NODE_LOST:
		return gp_sched_node_lost(s, t->node, t->now_ns, out);
	case GP_TRACE_EVENT_NODE_BACK:
		return gp_sched_node_back(s, t->node, t->now_ns, out);
	case GP_TRACE_EVENT_RESULT:
		gp_sched_results(s, t->node)[t->arg[0]] = (u8)t->arg[1];
		return 0;
	case GP_TRACE_EVENT_SWITCH_DONE:
		replay_done(s, t, out);
		return 0;
	case GP_TRACE_EVENT_PARAM:
		replay_param(s, t);
		return 0;
	case GP_TRACE_EVENT_SHARE_ADD:
		gp_trace_share(t, &share);
		return gp_sched_share_add(s, t->node, t->arg[3], &share, 0, t->now_ns, out, &id);
	case GP_TRACE_EVENT_SHARE_ATTR:
		gp_trace_share(t, &share);
		return gp_sched_share_set_attr(s, t->id, &share, t->now_ns, out);
	case GP_TRACE_EVENT_SHARE_REMOVE:
		return gp_sched_share_remove(s, t->id, t->now_ns, out);
	case GP_TRACE_EVENT_JOIN:
		return gp_sched_entity_join(s, t->id, t->arg[0], t->now_ns, out);
	default:
		/* A transition or an action: what the scheduler says by itself. */
		return 0;
	}
}

static int replay(struct gp_sched *s, const struct gp_trace *t, struct gp_actions *out)
{
	struct gp_attr attr;
	u64 id;

	switch (t->kind) {
	case GP_TRACE_EVENT_ADD:
		gp_trace_attr(t, &attr);
		if (gp_trace_is_out(t))
			return gp_sched_entity_add_out(s, t->node, &attr, t->arg[3], t->now_ns,
						       out, &id);
		return gp_sched_entity_add(s, t->node, &attr, t->arg[3], t->now_ns, out, &id);
	case GP_TRACE_EVENT_REMOVE:
		return gp_sched_entity_remove(s, t->id, t->now_ns, out);
	case GP_TRACE_EVENT_ATTR:
		gp_trace_attr(t, &attr);
		return gp_sched_entity_set_attr(s, t->id, &attr, t->now_ns, out);
	case GP_TRACE_EVENT_GATE:
		return gp_sched_entity_gate(s, t->id, (enum gp_gate)t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_QUEUE_ADD:
		return gp_sched_queue_add(s, t->id, t->arg[1], t->now_ns, out, &id);
	case GP_TRACE_EVENT_QUEUE_REMOVE:
		return gp_sched_queue_remove(s, t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_BUSY:
		return gp_sched_queue_busy(s, t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_IDLE:
		return gp_sched_queue_idle(s, t->arg[0], t->now_ns, out);
	case GP_TRACE_EVENT_PROGRESS:
		return gp_sched_queue_progress(s, t->arg[0], t->arg[1], t->now_ns, out);
	default:
		return replay_node(s, t, out);
	}
}

static void check_same(const struct tape *first, const struct tape *second)
{
	u32 i;

	assert_int_equal(second->nr, first->nr);
	for (i = 0; i < first->nr; i++)
		assert_memory_equal(&second->t[i], &first->t[i], sizeof(first->t[i]));
}

static u32 count(const struct tape *tape, enum gp_trace_kind kind)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < tape->nr; i++)
		nr += tape->t[i].kind == kind;
	return nr;
}

static void recorded_run_can_be_replayed_from_its_records(void **state)
{
	struct tape *tape = calloc(2, sizeof(*tape));
	struct run r = { .now_ns = GP_SEC, .seed = 1 };
	struct gp_actions out;
	struct gp_sched *s;
	u32 i;

	(void)state;
	assert_non_null(tape);
	r.s = make(&tape[0]);
	for (i = 0; i < EVENTS; i++)
		random_event(&r);
	for (i = 0; i < GP_TRACE_KIND_COUNT; i++)
		assert_true(count(&tape[0], i) > 0);
	assert_true(count(&tape[0], GP_TRACE_ACTION_SWITCH) > EVENTS / 50);

	s = make(&tape[1]);
	for (i = 0; i < tape[0].nr; i++)
		assert_int_equal(replay(s, &tape[0].t[i], &out), 0);
	check_same(&tape[0], &tape[1]);
	assert_null(gp_sched_check(s));
	free(s);
	free(r.s);
	free(tape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_run_can_be_replayed_from_its_records),
	};

	return cmocka_run_group_tests_name("core/replay", tests, NULL, NULL);
}
