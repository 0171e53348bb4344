/* SPDX-License-Identifier: MIT */
/*
 * The simulator's calendar: things to do at a time. Equal times come out in the
 * order they went in, so a run is the same every time.
 */
#ifndef GP_SIM_CALENDAR_H
#define GP_SIM_CALENDAR_H

#include "gp_port.h"

enum sim_event_kind {
	SIM_EV_ARRIVAL,	   /* process @index: a request comes */
	SIM_EV_PUMP,	   /* queue @index: submit what can be submitted */
	SIM_EV_STORE,	   /* queue @index: the doorbell store happens */
	SIM_EV_BUSY,	   /* process @index: detection saw work */
	SIM_EV_IDLE,	   /* queue @index: quiet long enough? @arg: doorbells rung by then */
	SIM_EV_ENDING,	   /* queue @index: its last packets end soon, or should have */
	SIM_EV_PROGRESS,   /* queue @index: a request was completed and more are there */
	SIM_EV_TICK,	   /* periodic scan; @arg: 0 all, 1 latency-critical, 2 triggered */
	SIM_EV_CORE_TIMER, /* the core's timer */
	SIM_EV_MECH,	   /* the mechanism's next step; @arg: which switch */
	SIM_EV_FAILED,	   /* a switch failed by a fault; @arg: which switch */
	SIM_EV_FAULT,	   /* fault @index of the scenario */
	SIM_EV_LIFE,	   /* process @index comes; @arg 0: it dies */
	SIM_EV_END,	   /* no more requests */
};

/* One entry. */
struct sim_event {
	u64 at_ns;		  /* when */
	u64 seq;		  /* order among equals, set by sim_calendar_add() */
	u64 arg;		  /* see enum sim_event_kind */
	enum sim_event_kind kind; /* what */
	u32 index;		  /* process or queue index */
};

/* A binary heap of events. */
struct sim_calendar {
	struct sim_event *heap; /* the heap */
	size_t nr;		/* entries */
	size_t cap;		/* room */
	u64 seq;		/* last order number */
};

/**
 * sim_calendar_add() - note an event
 * @c: calendar
 * @at_ns: when
 * @kind: what
 * @index: process or queue
 * @arg: argument
 *
 * Return: 0 or -ENOMEM.
 */
int sim_calendar_add(struct sim_calendar *c, u64 at_ns, enum sim_event_kind kind, u32 index,
		     u64 arg);

/* Time of the first event; U64_MAX if there is none. */
static inline u64 sim_calendar_next(const struct sim_calendar *c)
{
	return c->nr ? c->heap[0].at_ns : U64_MAX;
}

/* Take the first event. The calendar must not be empty. */
struct sim_event sim_calendar_pop(struct sim_calendar *c);

void sim_calendar_fini(struct sim_calendar *c);

#endif
