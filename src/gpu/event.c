// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/event.h"

static bool is_before(const struct gpu_heap_node *a, const struct gpu_heap_node *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static void put_node(struct gpu_heap *heap, u32 pos, const struct gpu_heap_node *node)
{
	heap->node[pos] = *node;
	node->event->pos = pos + 1;
}

/* At most log2(nr) rounds. */
static void sift_up(struct gpu_heap *heap, u32 pos, struct gpu_heap_node node)
{
	while (pos) {
		u32 parent = (pos - 1) / 2;

		if (!is_before(&node, &heap->node[parent]))
			break;
		put_node(heap, pos, &heap->node[parent]);
		pos = parent;
	}
	put_node(heap, pos, &node);
}

static void sift_down(struct gpu_heap *heap, u32 pos, struct gpu_heap_node node)
{
	for (;;) {
		u32 child = 2 * pos + 1;

		if (child >= heap->nr)
			break;
		if (child + 1 < heap->nr && is_before(&heap->node[child + 1], &heap->node[child]))
			child++;
		if (!is_before(&heap->node[child], &node))
			break;
		put_node(heap, pos, &heap->node[child]);
		pos = child;
	}
	put_node(heap, pos, &node);
}

void gpu_heap_add(struct gpu_heap *heap, struct gpu_event *event, u64 at_ns)
{
	struct gpu_heap_node node = { .at_ns = at_ns, .event = event };

	gpu_heap_remove(heap, event);
	if (at_ns == U64_MAX || GP_WARN_ON(heap->nr == heap->max))
		return;
	event->at_ns = at_ns;
	node.seq = heap->seq++;
	sift_up(heap, heap->nr++, node);
}

void gpu_heap_remove(struct gpu_heap *heap, struct gpu_event *event)
{
	u32 pos = event->pos;
	struct gpu_heap_node last;

	if (!pos)
		return;
	event->pos = 0;
	last = heap->node[--heap->nr];
	if (last.event == event)
		return;
	pos--;
	if (pos && is_before(&last, &heap->node[(pos - 1) / 2]))
		sift_up(heap, pos, last);
	else
		sift_down(heap, pos, last);
}
