// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The block of memory of a scheduler: what is where, and its first state. All
 * parts are aligned to a cache line. Statistics come last: they are large and
 * nothing else depends on them.
 */
#include "core/policy.h"

#define LINE 64U
/* A heap with entries has at most one chunk begun and one shifted; see heap.h. */
#define CHUNKS_PER_HEAP 2U

struct layout {
	size_t end; /* bytes given out so far */
	char *base; /* start of the block, NULL while only the size is wanted */
};

static void *part(struct layout *l, size_t nr, size_t size)
{
	size_t at = l->end;

	l->end += (nr * size + LINE - 1) & ~(size_t)(LINE - 1);
	return l->base ? l->base + at : NULL;
}

static u32 nr_chunks(const struct gp_sched_config *config, enum gp_pool pool)
{
	u32 nr_heaps = 0;
	u32 k;

	for (k = 0; k < GP_HEAP_KIND_COUNT; k++)
		nr_heaps += gp_pool_of(k) == pool;
	return config->max_entities / GP_HEAP_CHUNK +
	       CHUNKS_PER_HEAP * nr_heaps * config->nr_nodes;
}

static void lay_pools(struct layout *l, struct gp_sched *s, const struct gp_sched_config *config)
{
	u32 i;

	for (i = 0; i < GP_POOL_COUNT; i++) {
		struct gp_heap_pool *p = &s->pool[i];
		u32 nr = nr_chunks(config, i);

		p->entry = part(l, (size_t)nr * GP_HEAP_CHUNK, sizeof(*p->entry));
		p->pos = part(l, config->max_entities, sizeof(*p->pos));
		p->free = part(l, nr, sizeof(*p->free));
	}
}

/* Shares have a pool of their own, and a heap per node in it. */
static u32 nr_share_chunks(const struct gp_sched_config *config)
{
	return config->max_shares ? config->max_shares / GP_HEAP_CHUNK +
					    CHUNKS_PER_HEAP * config->nr_nodes : 0;
}

static void lay_shares(struct layout *l, struct gp_sched *s, const struct gp_sched_config *config)
{
	struct gp_heap_pool *p = &s->share_pool;
	u32 nr = nr_share_chunks(config);

	s->share = part(l, config->max_shares, sizeof(*s->share));
	s->place = part(l, nr ? config->max_entities : 0, sizeof(*s->place));
	p->entry = part(l, (size_t)nr * GP_HEAP_CHUNK, sizeof(*p->entry));
	p->pos = part(l, config->max_shares, sizeof(*p->pos));
	p->free = part(l, nr, sizeof(*p->free));
}

static bool is_valid(const struct gp_sched_config *config)
{
	return config->nr_nodes >= 1 && config->nr_nodes <= GP_NODES_MAX &&
	       config->max_entities >= 1 && config->max_entities <= GP_ENTITIES_MAX &&
	       config->max_queues >= 1 && config->max_queues <= GP_QUEUES_MAX &&
	       config->max_shares <= GP_SHARES_MAX;
}

static void lay_out(struct layout *l, struct gp_sched *s, const struct gp_sched_config *config)
{
	size_t per_heap = config->max_entities / GP_HEAP_CHUNK + CHUNKS_PER_HEAP;
	size_t per_share_heap = config->max_shares / GP_HEAP_CHUNK + CHUNKS_PER_HEAP;
	size_t per_switch = gp_switch_max(config);
	u16 *chunks, *share_chunks;
	u64 *member;
	u8 *results;
	u32 i, k;

	part(l, 1, sizeof(*s));
	s->node = part(l, config->nr_nodes, sizeof(*s->node));
	s->entity = part(l, config->max_entities, sizeof(*s->entity));
	s->queue = part(l, config->max_queues, sizeof(*s->queue));
	if (config->has_gates)
		s->news = part(l, config->max_entities, sizeof(*s->news));
	lay_pools(l, s, config);
	lay_shares(l, s, config);
	chunks = part(l, per_heap * GP_HEAP_KIND_COUNT * config->nr_nodes, sizeof(*chunks));
	share_chunks = part(l, config->max_shares ? per_share_heap * config->nr_nodes : 0,
			    sizeof(*share_chunks));
	member = part(l, per_switch * config->nr_nodes, sizeof(*member));
	results = part(l, per_switch * config->nr_nodes, sizeof(*results));
	s->stats = part(l, config->nr_nodes, sizeof(*s->stats));
	if (!l->base)
		return;
	for (i = 0; i < config->nr_nodes; i++) {
		struct gp_node *n = &s->node[i];

		n->member = member + i * per_switch;
		n->results = results + i * per_switch;
		n->share_heap.chunk = share_chunks + i * per_share_heap;
		for (k = 0; k < GP_HEAP_KIND_COUNT; k++)
			n->heap[k].chunk = chunks + (i * GP_HEAP_KIND_COUNT + k) * per_heap;
	}
}

size_t gp_sched_size(const struct gp_sched_config *config)
{
	struct layout l = { 0 };
	struct gp_sched s;

	if (!is_valid(config))
		return 0;
	lay_out(&l, &s, config);
	return l.end;
}

static void init_node(struct gp_sched *s, u32 index)
{
	struct gp_node *n = &s->node[index];
	u32 k;

	n->index = index;
	n->enabled = true;
	n->policy = gp_policy_at(0);
	n->entities = GP_SLOT_NONE;
	for (k = 0; k < GP_LIST_COUNT; k++)
		n->list[k] = (struct gp_list){ .first = GP_SLOT_NONE, .last = GP_SLOT_NONE };
	n->news = (struct gp_list){ .first = GP_SLOT_NONE, .last = GP_SLOT_NONE };
	n->throttled = GP_SLOT_NONE;
	n->pending = GP_SLOT_NONE;
	n->slice_owner = GP_SLOT_NONE;
	n->urgent = GP_SLOT_NONE;
	n->resume_slot = GP_SLOT_NONE;
	n->timer_ns = U64_MAX;
	gp_params_default(&n->params);
}

static void init_slots(struct gp_sched *s)
{
	u32 i;

	for (i = s->config.max_entities; i-- > 0;) {
		s->entity[i].next = i + 1 < s->config.max_entities ? i + 1 : GP_SLOT_NONE;
		s->entity[i].state = GP_ENTITY_LOST;
	}
	for (i = s->config.max_queues; i-- > 0;)
		s->queue[i].next = i + 1 < s->config.max_queues ? i + 1 : GP_SLOT_NONE;
	s->free_share = s->config.max_shares ? 0 : GP_SLOT_NONE;
	for (i = s->config.max_shares; i-- > 0;)
		s->share[i].next = i + 1 < s->config.max_shares ? i + 1 : GP_SLOT_NONE;
}

int gp_sched_init(void *mem, size_t size, const struct gp_sched_config *config,
		  struct gp_sched **out)
{
	struct layout l = { .base = mem };
	size_t need = gp_sched_size(config);
	struct gp_sched *s = mem;
	u32 i;

	if (!need || (size_t)mem % LINE)
		return -EINVAL;
	if (size < need)
		return -ENOSPC;
	memset(mem, 0, need);
	lay_out(&l, s, config);
	s->config = *config;
	for (i = 0; i < GP_POOL_COUNT; i++)
		gp_heap_pool_init(&s->pool[i], config->max_entities, nr_chunks(config, i));
	gp_heap_pool_init(&s->share_pool, config->max_shares, nr_share_chunks(config));
	for (i = 0; i < config->nr_nodes; i++)
		init_node(s, i);
	init_slots(s);
	*out = s;
	return 0;
}
