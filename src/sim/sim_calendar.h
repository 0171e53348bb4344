/* SPDX-License-Identifier: MIT */
/*
 * The simulator's calendar: things to do at a time. Equal times come out in the
 * order they went in, so a run is the same every time.
 */
#ifndef GP_SIM_CALENDAR_H
#define GP_SIM_CALENDAR_H

#include "gp_port.h"

enum gp_sim_event_kind {
	GP_EV_ARRIVAL,	  /* process @who: a request comes */
	GP_EV_PUMP,	  /* queue @who: submit what can be submitted */
	GP_EV_STORE,	  /* queue @who: the doorbell store happens */
	GP_EV_BUSY,	  /* process @who: detection saw work */
	GP_EV_IDLE,	  /* queue @who: quiet long enough? @arg: doorbells rung by then */
	GP_EV_PROGRESS,	  /* queue @who: a request was completed and more are there */
	GP_EV_TICK,	  /* periodic scan; @arg: 0 all, 1 latency-critical, 2 triggered */
	GP_EV_CORE_TIMER, /* the core's timer; @arg: which setting */
	GP_EV_MECH,	  /* the mechanism's next step; @arg: which switch */
	GP_EV_FAILED,	  /* a switch failed by a fault; @arg: which switch */
	GP_EV_FAULT,	  /* fault @who of the scenario */
	GP_EV_END,	  /* no more requests */
};

/**
 * struct gp_sim_event - one entry
 * @at_ns: when
 * @seq: order among equals, set by gp_calendar_add()
 * @arg: see enum gp_sim_event_kind
 * @kind: what
 * @who: process or queue index
 */
struct gp_sim_event {
	u64 at_ns;
	u64 seq;
	u64 arg;
	enum gp_sim_event_kind kind;
	u32 who;
};

/**
 * struct gp_calendar - a binary heap of events
 * @heap: the heap
 * @nr: entries
 * @cap: room
 * @seq: last order number
 */
struct gp_calendar {
	struct gp_sim_event *heap;
	size_t nr;
	size_t cap;
	u64 seq;
};

/**
 * gp_calendar_add() - note an event
 * @c: calendar
 * @at_ns: when
 * @kind: what
 * @who: process or queue
 * @arg: argument
 *
 * Return: 0 or -ENOMEM.
 */
int gp_calendar_add(struct gp_calendar *c, u64 at_ns, enum gp_sim_event_kind kind, u32 who,
		    u64 arg);

/* Time of the first event; U64_MAX if there is none. */
static inline u64 gp_calendar_next(const struct gp_calendar *c)
{
	return c->nr ? c->heap[0].at_ns : U64_MAX;
}

/* Take the first event. The calendar must not be empty. */
struct gp_sim_event gp_calendar_pop(struct gp_calendar *c);

void gp_calendar_fini(struct gp_calendar *c);

#endif
