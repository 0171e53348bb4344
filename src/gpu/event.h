/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Things that will happen: an indexed binary heap ordered by time, then by the
 * order of scheduling. An event is embedded in what it belongs to. The heap has
 * a fixed capacity: the number of objects that own an event is bounded.
 */
#ifndef GP_GPU_EVENT_H
#define GP_GPU_EVENT_H

#include "gp_port.h"

enum gpu_event_kind {
	GPU_EVENT_COHORT,	/* workgroups end */
	GPU_EVENT_PACKET,	/* an AQL packet has been read, or look again at a barrier */
	GPU_EVENT_HQD,		/* load or dequeue by hand is over */
	GPU_EVENT_FIRMWARE,	/* the scheduler firmware's step is over */
	GPU_EVENT_QUANTUM,	/* the process quantum is over */
	GPU_EVENT_SDMA,		/* a packet of a copy engine is over */
};

/* Something that will happen. */
struct gpu_event {
	u64 at_ns;	/* when */
	u32 pos;	/* place in the heap plus 1; 0 = not scheduled */
	enum gpu_event_kind kind;	/* what */
};

/* Keys are kept beside the pointers: comparing must not touch the events. */
struct gpu_heap_node {
	u64 at_ns;
	u64 seq;
	struct gpu_event *event;
};

/* Scheduled events. */
struct gpu_heap {
	struct gpu_heap_node *node;	/* heap array */
	u32 nr;	/* events in it */
	u32 max;	/* room */
	u64 seq;	/* number of the next event; ties: scheduled first, happens first */
};

/**
 * gpu_heap_add() - schedule an event, or move it if it is scheduled
 * @heap: heap
 * @event: event, its kind is set
 * @at_ns: when; U64_MAX = never, which takes it out
 */
void gpu_heap_add(struct gpu_heap *heap, struct gpu_event *event, u64 at_ns);

/* Take an event out; nothing happens if it is not scheduled. */
void gpu_heap_remove(struct gpu_heap *heap, struct gpu_event *event);

static inline bool gpu_event_is_scheduled(const struct gpu_event *event)
{
	return event->pos != 0;
}

/* Time of the first event, U64_MAX = there is none. */
static inline u64 gpu_heap_next_ns(const struct gpu_heap *heap)
{
	return heap->nr ? heap->node[0].at_ns : U64_MAX;
}

#endif
