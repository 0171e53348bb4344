/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Which queues have work
 *
 * A queue whose indices differ or move has work. Equal indices prove nothing: a packet is
 * consumed long before its kernel ends, and before its waves find room; waves that are saved
 * are on no GPU; any change of a runlist takes all waves off the GPU for a moment. Once the
 * indices have been equal and unmoved for the quiet time, a queue has no work if
 *
 *   every packet since it was last without work has a completion signal that was counted
 *     down: proven by one look;
 *   or the newest packet has, and GP_IDLE_LOOKS_ENDED looks over GP_IDLE_LAST_NS found no
 *     wave of it;
 *   or the driver told since that something of the process has ended, no packet says that
 *     it runs, and as many looks found no wave;
 *   or nothing is known of its packets, GP_IDLE_LOOKS looks over GP_IDLE_EMPTY_NS found no
 *     wave, and its waves were seen before or it is known that there was room for them;
 *   or, whatever its packets say, there was no wave for GP_IDLE_ANY_NS.
 *
 * After the last, a packet that still says that it runs is asked again after 1, 2, 4 .. 64 s
 * and counts as work for GP_IDLE_ANY_NS each time: it may have waited for room.
 *
 * A queue that is stopped by order has the work it had. A queue that could not run if it
 * were let go (evicted, suspended by a debugger, held by hand) has no say: it counts as
 * without work, but what it had is not forgotten.
 *
 * A process decides what its memory says. Callers that can see waves of a queue look at those
 * of queues without work too, from time to time: a wave is work whatever the memory says.
 *
 * The rule asks in up to three steps, cheap things first. The caller reads the indices and
 * calls gp_idle_look(); if the answer is GP_IDLE_ASK_END or GP_IDLE_ASK_WAVES, it fills that in
 * too and calls again with the same struct gp_idle_seen:
 *
 *	while ((answer = gp_idle_look(q, pace, &seen)) > GP_IDLE_BUSY)
 *		if (answer == GP_IDLE_ASK_END)
 *			seen.end = gp_aql_end(&ring, gp_idle_mark(q), seen.wptr);
 *		else
 *			seen.waves = ...;
 *
 * The caller may fill in everything at once where that is cheap. The caller serialises; if it
 * gave up its lock to ask, gp_idle_look() sees by the indices what has changed meanwhile, and
 * gp_idle_work() can have been called.
 */
#ifndef GP_RULES_IDLE_H
#define GP_RULES_IDLE_H

#include "gp_port.h"
#include "rules/aql_end.h"

/* So many looks without a wave, if something says that work has ended, and if nothing does. */
#define GP_IDLE_LOOKS_ENDED 2U
#define GP_IDLE_LOOKS 5U
/* And for so long: if the newest packet has ended, if nothing is known, if all else fails. */
#define GP_IDLE_LAST_NS ((u64)2000000)
#define GP_IDLE_EMPTY_NS ((u64)10000000)
#define GP_IDLE_ANY_NS ((u64)1000000000)
/* Looks at a queue that was taken for idle against the word of its packets get apart. */
#define GP_IDLE_DOUBT_MAX_NS (64 * GP_IDLE_ANY_NS)
/* Not all that keeps a queue from running is told: with work it is looked at so often. */
#define GP_IDLE_BLOCKED_NS ((u64)100000000)
/* Work is seen late by this part of the time that the queue had none. */
#define GP_IDLE_POLL_PART 16U

/* What is known of waves. */
enum gp_idle_waves {
	GP_IDLE_WAVES_NOT_ASKED,     /* not looked at yet */
	GP_IDLE_WAVES_UNKNOWN,	     /* the driver does not tell; time alone must do */
	GP_IDLE_WAVES_NONE,	     /* none; it is not known whether there was room for them */
	GP_IDLE_WAVES_NONE_BUT_ROOM, /* none, and others leave room for them */
	GP_IDLE_WAVES_CROWDED,	     /* none, and others have waves: they may wait for room */
	GP_IDLE_WAVES_SOME,	     /* there are some */
};

/**
 * struct gp_idle_seen - one look at a queue
 * @now_ns: time of the look
 * @rptr: read index
 * @wptr: write index
 * @wrap: bits of the indices that count for being equal: U64_MAX for AQL; a PM4 queue's
 *	read index counts modulo its ring: dwords of the ring minus one
 * @ended_ns: when the driver last told that something of the process has ended, 0 = never
 * @end: what its packets say; GP_AQL_NOT_ASKED = not looked at yet
 * @waves: its waves, or those of its process
 * @is_unread: the indices could not be read: what the queue had is not known to have ended,
 *	but by its waves
 * @is_stopped: it is off the GPU by order
 * @is_blocked: it could not run if it were let go
 */
struct gp_idle_seen {
	u64 now_ns;
	u64 rptr;
	u64 wptr;
	u64 wrap;
	u64 ended_ns;
	enum gp_aql_end end;
	enum gp_idle_waves waves;
	bool is_unread;
	bool is_stopped;
	bool is_blocked;
};

/* How often to look. */
struct gp_idle_pace {
	u64 quiet_ns;	 /* the indices must not have moved for so long; 0 = one look does */
	u64 busy_ns;	 /* time between the first looks at a queue with work; doubles ... */
	u64 busy_max_ns; /* ... up to this */
	/* Shortest time between looks at a queue without work; 0 = the caller is told of work. */
	u64 poll_ns;
	u64 poll_max_ns; /* longest */
};

/* What is remembered of a queue. */
struct gp_idle {
	u64 look_ns;		       /* when to look again, or sooner; U64_MAX = when told */
	bool has_work;		       /* what is believed; not answered while blocked */
	bool has_run;		       /* its waves were seen since work came or it was let go on */
	u32 nr_empty;		       /* looks without a wave since then */
	u64 rptr;		       /* last read index */
	u64 wptr;		       /* last write index */
	u64 moved_ns;		       /* work came, moved, was let go on or ended then */
	u64 asked_ns;		       /* last look at its waves with work unmoved, 0 = none */
	u64 empty_ns;		       /* first of the looks without a wave */
	u64 pace_ns;		       /* time from @asked_ns to the next look */
	u64 doubt_ns;		       /* when to ask it again, taken for idle; 0 = never */
	u64 doubt_step_ns;	       /* how long that was after it */
	struct gp_aql_mark mark;       /* how far its packets were followed */
	struct gp_aql_mark doubt_mark; /* the same when it was taken for idle */
};

/* What follows from a look. */
enum gp_idle_answer {
	GP_IDLE_IDLE,	   /* it has no work, or has no say */
	GP_IDLE_BUSY,	   /* it has work, or may have */
	GP_IDLE_ASK_END,   /* fill in gp_idle_seen.end and call again */
	GP_IDLE_ASK_WAVES, /* fill in gp_idle_seen.waves and call again */
};

/**
 * gp_idle_init() - begin to follow a queue
 * @q: output
 * @has_work: what is to be believed before the first proof: true for a queue that was there
 *	before, false for one that was made just now
 * @now_ns: time
 *
 * Indices begin at 0: a queue whose first look finds others has got work since, or is not
 * new. It counts as busy until it is proven idle.
 */
void gp_idle_init(struct gp_idle *q, bool has_work, u64 now_ns);

/**
 * gp_idle_work() - work came, as a doorbell told
 * @q: queue
 * @pace: pace
 * @now_ns: time
 */
void gp_idle_work(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns);

/**
 * gp_idle_restart() - the queue was let go on after it had been stopped
 * @q: queue
 * @pace: pace
 * @now_ns: time
 *
 * Its waves are not back at once: what was seen before counts for nothing.
 */
void gp_idle_restart(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns);

/**
 * gp_idle_mark() - from where to follow its packets for gp_idle_seen.end
 * @q: queue
 *
 * Return: the mark for gp_aql_end(), which moves it.
 */
static inline struct gp_aql_mark *gp_idle_mark(struct gp_idle *q)
{
	return q->has_work ? &q->mark : &q->doubt_mark;
}

/**
 * gp_idle_look() - has it work?
 * @q: queue
 * @pace: how often to look
 * @s: what was seen; the same for all calls of one look
 *
 * Return: see enum gp_idle_answer. GP_IDLE_ASK_END is answered at most once in a look, and
 * so is GP_IDLE_ASK_WAVES. With GP_IDLE_IDLE and GP_IDLE_BUSY gp_idle.look_ns is set.
 */
enum gp_idle_answer gp_idle_look(struct gp_idle *q, const struct gp_idle_pace *pace,
				 const struct gp_idle_seen *s);

#endif
