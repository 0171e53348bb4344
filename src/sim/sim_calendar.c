// SPDX-License-Identifier: MIT
#include "sim/sim_calendar.h"

#include <stdlib.h>

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static int grow(struct sim_calendar *c)
{
	size_t cap = c->cap ? c->cap * 2 : 256;
	struct sim_event *heap = realloc(c->heap, cap * sizeof(*heap));

	if (!heap)
		return -ENOMEM;
	c->heap = heap;
	c->cap = cap;
	return 0;
}

int sim_calendar_add(struct sim_calendar *c, u64 at_ns, enum sim_event_kind kind, u32 index,
		     u64 arg)
{
	struct sim_event e = { .at_ns = at_ns, .kind = kind, .index = index, .arg = arg };
	size_t i;

	if (c->nr == c->cap && grow(c))
		return -ENOMEM;
	e.seq = ++c->seq;
	for (i = c->nr++; i && before(&e, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		c->heap[i] = c->heap[(i - 1) / 2];
	c->heap[i] = e;
	return 0;
}

struct sim_event sim_calendar_pop(struct sim_calendar *c)
{
	struct sim_event first = c->heap[0];
	struct sim_event last = c->heap[--c->nr];
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

void sim_calendar_fini(struct sim_calendar *c)
{
	free(c->heap);
	memset(c, 0, sizeof(*c));
}
