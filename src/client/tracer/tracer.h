/* SPDX-License-Identifier: MIT */
/*
 * DOC: gpreempt-tracer, which stops the queues of a process from outside
 *
 * One small process beside each target, because the driver lets only the thread that
 * traces a process debug it, and resumes the target's queues when that process ends.
 * One thread does everything, in one loop (tracer_main.c): messages of the daemon
 * (tracer_wire.c), stops of the target (tracer_ptrace.c), events of the driver
 * (tracer_session.c), holds and their leases (tracer_hold.c), and a look at the
 * read and write indices in the target's memory (tracer_watch.c).
 *
 * Whatever goes wrong ends the same way: everything is resumed, the session closed,
 * the target let go. If the tracer is killed, the kernel does that.
 *
 * Private to the program.
 */
#ifndef GP_MECHANISM_TRACER_H
#define GP_MECHANISM_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rules/arrival.h"
#include "rules/idle.h"
#include "driver/kfd_abi.h"
#include "client/client_hold.h"

#define TRACER_QUEUES DRV_KFD_DBG_QUEUES_MAX
#define TRACER_NODES 64
#define TRACER_NEVER UINT64_MAX

/* A queue of the target. */
struct tracer_queue {
	struct drv_kfd_queue_entry e; /* as the driver says, when it was seen first */
	uint64_t seen; /* number of the snapshot it was in last */
	bool suspended; /* stopped by the tracer */
	bool busy; /* what the daemon was told */
	struct gp_idle idle; /* what is known of its work */
	struct gp_arrivals requests; /* those of an AQL queue */
	bool unreadable; /* its indices cannot be read */
};

/* A GPU that was let go on. */
struct tracer_node {
	uint32_t gpu_id; /* node */
	uint64_t until_ns; /* a sign of life is expected until then; 0 = none */
};

/* Everything. */
struct tracer {
	pid_t pid; /* target */
	/*
	 * A thread of it that is traced and has not ended; the main thread while that lives. The
	 * driver finds the target by it.
	 */
	pid_t thread;
	int sock; /* to the daemon */
	int kfd; /* /dev/kfd, -1 = not open */
	int mem; /* memory of the target, -1 = not open */
	int pipe[2]; /* of the driver's dots; read end first */
	int sigs; /* signalfd */
	bool is_seized; /* the target is traced */
	bool is_enabled; /* the debug session is open */
	bool is_gone; /* the target does not exist any more */
	bool done; /* leave the loop */
	const char *why; /* the reason, for people */
	int error; /* errno of the reason, 0 = nothing is wrong */
	bool wants_progress; /* the daemon wants to hear of completed requests */
	uint64_t poll_ns; /* time between looks at a queue that may have work */
	uint64_t quiet_ns; /* how long indices are equal before idle is to be proven */
	uint64_t next_refresh_ns; /* when to ask the driver for the queues in any case */
	uint64_t snapshot; /* number of the last snapshot */
	size_t nr_queues; /* queues */
	struct tracer_queue queues[TRACER_QUEUES]; /* in no order */
	struct client_holds holds; /* what is held */
	size_t nr_nodes; /* nodes */
	struct tracer_node nodes[TRACER_NODES]; /* in no order */
	struct drv_kfd_queue_entry entries[TRACER_QUEUES]; /* room for a snapshot */
	uint32_t ids[TRACER_QUEUES]; /* room for a batch */
};

/* CLOCK_MONOTONIC. */
uint64_t tracer_now_ns(void);

/* Leave the loop. @error: errno, 0 = nothing is wrong. The first reason counts. */
void tracer_end(struct tracer *t, int error, const char *why);

/* The target cannot be traced. Return: @error. */
static inline int tracer_refuse(struct tracer *t, int error, const char *why)
{
	t->why = why;
	return error;
}

static inline uint64_t tracer_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* tracer_wire.c */

/**
 * tracer_hello() - say which process is traced and wait for the welcome
 * @t: tracer
 *
 * Return: 0, -ETIMEDOUT, -ECONNREFUSED, -EPIPE, -EPROTO.
 */
int tracer_hello(struct tracer *t);

/* Carry out what the daemon says. Ends if the daemon is gone or talks nonsense. */
void tracer_read(struct tracer *t);

/*
 * Send. 0 or -errno; -EAGAIN: the daemon does not read, which ends the conversation if it was
 * of a queue that came or went, or an answer: a peer that reads none is no scheduler.
 */
int tracer_send_queue(struct tracer *t, const struct tracer_queue *q);
int tracer_send_edge(struct tracer *t, enum wire_type type, const struct tracer_queue *q);
int tracer_send_progress(struct tracer *t, const struct tracer_queue *q, uint64_t since_ns);
int tracer_send_done(struct tracer *t, struct wire_done *done);
int tracer_note(struct tracer *t, enum wire_note_code code, uint32_t gpu_id, uint64_t value,
		const char *text);

/* tracer_ptrace.c */

/**
 * tracer_seize() - begin to trace the target
 * @t: tracer
 *
 * Return: 0; -ESRCH no such process; -EBUSY it is traced already; -EPERM not
 * allowed; -EINVAL not the leader of its threads; -EOPNOTSUPP its main thread has ended.
 * @t->why says it for people.
 */
int tracer_seize(struct tracer *t);

/**
 * tracer_stops() - look at what the target did, and let it go on
 * @t: tracer
 *
 * Signals are passed on, a stopped target stays stopped. Ends if the target ends:
 * it is let go only when the session is closed, because a process that exits with
 * a session open waits for ever in the driver.
 */
void tracer_stops(struct tracer *t);

/* Trace the target no longer. */
void tracer_release(struct tracer *t);

/* tracer_session.c */

/* Open the debug session of a target that is seized. 0, or -errno with @t->why. */
int tracer_open(struct tracer *t);

/* Close the session: everything goes on. */
void tracer_close(struct tracer *t);

/* The driver has written a dot. */
void tracer_events(struct tracer *t);

/* Bring the queues up to date; ends if the driver does not know the target. 0 or -errno. */
int tracer_refresh(struct tracer *t);

/* tracer_hold.c */

/* A queue by its number, or NULL. */
struct tracer_queue *tracer_find(struct tracer *t, uint32_t id);

/* HOLD, RELEASE: answered; RENEW: not. */
void tracer_order(struct tracer *t, const struct wire_order *o);

/**
 * tracer_settle() - make the queues of a node what the holds say
 * @t: tracer; ends if the driver would not continue one
 * @gpu_id: node
 * @done: what was done is added to it; may be NULL
 */
void tracer_settle(struct tracer *t, uint32_t gpu_id, struct wire_done *done);

/* End the holds whose lease is over. Return: when the next one ends, TRACER_NEVER = none. */
uint64_t tracer_leases(struct tracer *t, uint64_t now_ns);

/* tracer_watch.c */

/* Look at the indices if it is time. Return: when to look next. */
uint64_t tracer_look(struct tracer *t, uint64_t now_ns);

/* Begin to follow a queue, with what the daemon was told. */
void tracer_begin(struct tracer_queue *q);

/* A queue was let go on: what is known of it is old. */
void tracer_restart(struct tracer *t, struct tracer_queue *q);

/* A node was let go on: look for a sign of life. */
void tracer_expect(struct tracer *t, uint32_t gpu_id);

#endif
