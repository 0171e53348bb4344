/* SPDX-License-Identifier: MIT */
/*
 * Events on their way to connections that monitor. What happened is noted where it happens, in the
 * time of whatever caused it: that is a record in a ring, whose last thousands are kept. It
 * becomes JSON in the turn, and on the time, of the first subscriber that gets to it. A
 * subscriber that is slower than the ring is told how many events it lost.
 */
#ifndef GPD_EVENT_H
#define GPD_EVENT_H

#include "daemon/control/gpd_control.h"

/* What a record has beside its words. */
enum gpd_event_data {
	GPD_EVENT_PLAIN,  /* gpd_event.json */
	GPD_EVENT_TRACE,  /* a record of the core; for those alone that want them */
	GPD_EVENT_SWITCH, /* the beginning of a switch */
	GPD_EVENT_DONE,	  /* its end */
};

/* Something that happened. */
struct gpd_event {
	uint64_t time_ns;
	const char *kind;     /* of the interface; a constant */
	pid_t pid;	      /* process, 0 = none */
	uint32_t gpu_id;      /* node, 0 = none */
	uint32_t queue_id;    /* queue, WIRE_QUEUE_ALL = none */
	char text[256];	      /* for people; of a trace it follows from @trace */
	char *message;	      /* what is sent, NULL = not made yet */
	uint64_t nr_plain;    /* events before this one that are no traces */
	enum gpd_event_data has;
	json_t *json;	      /* of GPD_EVENT_PLAIN, NULL = none */
	struct gp_trace trace;
	uint64_t seq;	      /* of a switch */
	uint64_t took_ns;     /* of its end */
	pid_t *pids;	      /* of its beginning: processes that stop, then those that go on */
	uint32_t nr_preempt;
	uint32_t nr_resume;
};

/* Begin to keep events, as a connection gets them from now on. 0 or -errno. */
int gpd_event_begin(struct gpd_conn *conn);

/* Stop, and forget them. */
void gpd_event_fini(struct gpd *d);

/* Whether a connection gets events, or records of the core. */
bool gpd_event_is_wanted(struct gpd *d, bool trace);

/* The place of a new event, with its time, kind and words empty; NULL = none is wanted. */
struct gpd_event *gpd_event_add(struct gpd *d, uint64_t time_ns, const char *kind, bool trace);

/* Whether there are events that a connection has not got, and the next few of them. */
bool gpd_event_has_step(const struct gpd_conn *conn);
void gpd_event_step(struct gpd_conn *conn);

/* The first event of a connection. */
void gpd_event_greet(struct gpd_conn *conn);

#endif
