// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "event.h"

static bool is_before(const struct gp_event *a, const struct gp_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static void put(struct gp_heap *heap, u32 pos, struct gp_event *event)
{
	heap->node[pos] = event;
	event->pos = pos + 1;
}

/* At most log2(nr) rounds. */
static void sift_up(struct gp_heap *heap, u32 pos, struct gp_event *event)
{
	while (pos) {
		u32 parent = (pos - 1) / 2;

		if (!is_before(event, heap->node[parent]))
			break;
		put(heap, pos, heap->node[parent]);
		pos = parent;
	}
	put(heap, pos, event);
}

static void sift_down(struct gp_heap *heap, u32 pos, struct gp_event *event)
{
	for (;;) {
		u32 child = 2 * pos + 1;

		if (child >= heap->nr)
			break;
		if (child + 1 < heap->nr && is_before(heap->node[child + 1], heap->node[child]))
			child++;
		if (!is_before(heap->node[child], event))
			break;
		put(heap, pos, heap->node[child]);
		pos = child;
	}
	put(heap, pos, event);
}

void gp_heap_add(struct gp_heap *heap, struct gp_event *event, u64 at_ns)
{
	gp_heap_remove(heap, event);
	if (at_ns == U64_MAX || GP_WARN_ON(heap->nr == heap->max))
		return;
	event->at_ns = at_ns;
	event->seq = heap->seq++;
	sift_up(heap, heap->nr++, event);
}

void gp_heap_remove(struct gp_heap *heap, struct gp_event *event)
{
	u32 pos = event->pos;
	struct gp_event *last;

	if (!pos)
		return;
	event->pos = 0;
	last = heap->node[--heap->nr];
	if (last == event)
		return;
	pos--;
	if (pos && is_before(last, heap->node[(pos - 1) / 2]))
		sift_up(heap, pos, last);
	else
		sift_down(heap, pos, last);
}
