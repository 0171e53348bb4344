// SPDX-License-Identifier: MIT
#include "sim/sim_calendar.h"

#include <stdlib.h>

static bool before(const struct gp_sim_event *a, const struct gp_sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static int grow(struct gp_calendar *c)
{
	size_t cap = c->cap ? c->cap * 2 : 256;
	struct gp_sim_event *heap = realloc(c->heap, cap * sizeof(*heap));

	if (!heap)
		return -ENOMEM;
	c->heap = heap;
	c->cap = cap;
	return 0;
}

int gp_calendar_add(struct gp_calendar *c, u64 at_ns, enum gp_sim_event_kind kind, u32 who,
		    u64 arg)
{
	struct gp_sim_event e = { .at_ns = at_ns, .kind = kind, .who = who, .arg = arg };
	size_t i;

	if (c->nr == c->cap && grow(c))
		return -ENOMEM;
	e.seq = ++c->seq;
	for (i = c->nr++; i && before(&e, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		c->heap[i] = c->heap[(i - 1) / 2];
	c->heap[i] = e;
	return 0;
}

struct gp_sim_event gp_calendar_pop(struct gp_calendar *c)
{
	struct gp_sim_event first = c->heap[0];
	struct gp_sim_event last = c->heap[--c->nr];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < c->nr) {
		if (child + 1 < c->nr && before(&c->heap[child + 1], &c->heap[child]))
			child++;
		if (!before(&c->heap[child], &last))
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = last;
	return first;
}

void gp_calendar_fini(struct gp_calendar *c)
{
	free(c->heap);
	memset(c, 0, sizeof(*c));
}
