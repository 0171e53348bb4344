// SPDX-License-Identifier: MIT
/*
 * Event sequences into the core. The first byte chooses the number of nodes and
 * the policy, then each event takes two bytes: what, and to whom. The world of
 * tests/model plays the mechanism and checks every invariant after every event;
 * at the end all must come back.
 *
 * One harness is one file for the build, hence the inclusion.
 */
#include "../model/world.c"

#include "../model/world_check.c"

#include "../model/world_guard.c"

#include "../model/world_switch.c"

#include "../model/settle.c"

#include <stdio.h>
#include <stdlib.h>

static const char *const policies[] = { "prio", "fair", "slice", "edf", "laxity", "mlfq" };

enum op {
	OP_BUSY,
	OP_IDLE,
	OP_DONE,
	OP_TIMER,
	OP_WAIT,
	OP_ADD,
	OP_REMOVE,
	OP_ATTR,
	OP_QUEUE_ADD,
	OP_QUEUE_REMOVE,
	OP_POLICY,
	OP_ENABLE,
	OP_LOSE,
	OP_BACK,
	OP_STALE,
	OP_PARAM,
	OP_COUNT
};

/* Entity, node and a number from one byte. */
static u32 entity_of(const struct world *w, u8 arg)
{
	return arg % w->nr_entities;
}

static u32 node_of(const struct world *w, u8 arg)
{
	return arg % w->nr_nodes;
}

static void attr_of(u8 arg, struct gp_attr *attr)
{
	gp_attr_default(attr);
	attr->prio = arg % (GP_PRIO_MAX + 1);
	attr->weight = 1 + 37U * (arg >> 3);
	attr->deadline_ns = (arg & 1) * 100 * GP_US * (arg >> 2);
	attr->slice_ns = (arg >> 1 & 1) * 50 * GP_US * (arg >> 4);
	attr->latency_critical = arg >> 7;
	attr->no_preempt = (arg & 0x70) == 0x70;
}

/* Only parameters whose bounds the world does not check. */
static void set_param(struct world *w, u8 arg)
{
	static const struct {
		const char *name;
		u64 value[2];
	} params[] = {
		{ "spare_victims", { 0, 1 } },
		{ "fair.width", { 1, 3 } },
		{ "slice.width", { 1, 2 } },
		{ "edf.width", { 1, 8 } },
		{ "mlfq.width", { 1, 4 } },
		{ "rate_per_s", { 1000, 1000000 } },
		{ "rate_burst", { 1, 4096 } },
		{ "mlfq.promote_ns", { 50 * GP_US, GP_MS } },
	};
	u32 which = (arg >> 1) % ARRAY_SIZE(params);
	u32 node;

	for (node = 0; node < w->nr_nodes; node++)
		world_param(w, node, params[which].name, params[which].value[arg & 1]);
}

static void change_policy(struct world *w, u8 arg)
{
	const char *name = policies[(arg >> 2) % ARRAY_SIZE(policies)];

	world_policy(w, node_of(w, arg), name);
}

static void lifecycle(struct world *w, enum op op, u8 arg)
{
	struct gp_attr attr;

	attr_of(arg, &attr);
	switch (op) {
	case OP_ADD:
		world_add(w, entity_of(w, arg), node_of(w, arg >> 3), &attr);
		break;
	case OP_REMOVE:
		world_remove(w, entity_of(w, arg));
		break;
	case OP_ATTR:
		world_attr(w, entity_of(w, arg), &attr);
		break;
	case OP_QUEUE_ADD:
		world_queue_add(w, entity_of(w, arg));
		break;
	case OP_QUEUE_REMOVE:
		world_queue_remove(w, entity_of(w, arg));
		break;
	default:
		break;
	}
}

static void node_event(struct world *w, enum op op, u8 arg)
{
	struct gp_attr attr;

	switch (op) {
	case OP_POLICY:
		change_policy(w, arg);
		break;
	case OP_ENABLE:
		world_enable(w, node_of(w, arg), arg >> 7);
		break;
	case OP_LOSE:
		world_lose(w, node_of(w, arg));
		break;
	case OP_BACK:
		if (arg < 0x80) {
			world_back(w, node_of(w, arg));
		} else {
			attr_of(arg, &attr);
			world_add_out(w, entity_of(w, arg), node_of(w, arg >> 3), &attr);
		}
		break;
	case OP_STALE:
		/* No op of its own: the corpus would mean something else. */
		if (arg < 0x80)
			world_stale_done(w, node_of(w, arg));
		else
			world_progress(w, entity_of(w, arg), (arg >> 3) % WORLD_QUEUES,
				       GP_US * (arg & 0x7f));
		break;
	case OP_PARAM:
		if (arg < 0x80)
			set_param(w, arg);
		else
			world_room(w, node_of(w, arg), (arg >> 2) % 8);
		break;
	default:
		break;
	}
}

static void one_event(struct world *w, u8 what, u8 arg)
{
	enum op op = what % OP_COUNT;

	switch (op) {
	case OP_BUSY:
		world_busy(w, entity_of(w, arg), (arg >> 3) % WORLD_QUEUES);
		break;
	case OP_IDLE:
		world_idle(w, entity_of(w, arg), (arg >> 3) % WORLD_QUEUES);
		break;
	case OP_DONE:
		world_done(w, node_of(w, arg), (arg >> 2) % WORLD_OUTCOME_COUNT,
			   GP_US * (arg >> 5));
		break;
	case OP_TIMER:
		/* Early, if it is one that can be. */
		if (arg < 0x80 || !world_early_timer(w, node_of(w, arg)))
			world_next_timer(w);
		break;
	case OP_WAIT:
		world_wait(w, GP_US * arg);
		break;
	default:
		if (op < OP_POLICY)
			lifecycle(w, op, arg);
		else
			node_event(w, op, arg);
		break;
	}
}

static void set_params(struct world *w)
{
	u32 node;

	for (node = 0; node < w->nr_nodes; node++) {
		world_param(w, node, "min_run_ns", 20 * GP_US);
		world_param(w, node, "hysteresis_ns", 30 * GP_US);
		world_param(w, node, "max_wait_ns", 700 * GP_US);
		world_param(w, node, "min_slice_ns", 40 * GP_US);
		world_param(w, node, "deadline_ns", 100 * GP_US);
		world_param(w, node, "open_ns", 150 * GP_US);
		world_param(w, node, "open_max_ns", 800 * GP_US);
		world_param(w, node, "retry_ns", 10 * GP_US);
		world_param(w, node, "fair.granularity_ns", 50 * GP_US);
		world_param(w, node, "slice.period_ns", 100 * GP_US);
		world_param(w, node, "mlfq.slice_ns", 30 * GP_US);
	}
}

static void fail_if_bad(const struct world *w)
{
	if (!w->bad)
		return;
	fprintf(stderr, "invariant violated: %s\n", w->bad);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char mem[1 << 18] __attribute__((aligned(64)));
	struct world w;
	size_t i;
	u32 node;

	if (size < 1 || gp_sched_size(&world_config) > sizeof(mem))
		return 0;
	world_init(&w, mem, 1 + data[0] % WORLD_NODES, WORLD_ENTITIES, 1);
	set_params(&w);
	for (node = 0; node < w.nr_nodes; node++)
		world_param(&w, node, "learn_gaps", data[0] >> 7);
	/* Untouched, the policy is prio, and the world checks its order too. */
	if (data[0] >> 2)
		for (node = 0; node < w.nr_nodes; node++)
			world_policy(&w, node, policies[(data[0] >> 2) % ARRAY_SIZE(policies)]);
	for (i = 1; i + 1 < size && !w.bad; i += 2)
		one_event(&w, data[i], data[i + 1]);
	fail_if_bad(&w);
	for (node = 0; node < w.nr_nodes; node++)
		world_enable(&w, node, true);
	if (!world_settles(&w, size & 1) && !w.bad)
		w.bad = "an entity is never resumed";
	fail_if_bad(&w);
	return 0;
}
