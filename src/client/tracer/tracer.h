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

#include "rules/idle.h"
#include "driver/kfd_abi.h"
#include "client/client_hold.h"
#include "client/client_request.h"

#define TRACER_QUEUES DRV_KFD_DBG_QUEUES_MAX
#define TRACER_NODES 64
#define TRACER_NEVER UINT64_MAX

/**
 * struct tracer_queue - a queue of the target
 * @e: as the driver says; e.exceptions is what was raised when it was seen
 * @seen: number of the snapshot it was in last
 * @suspended: stopped by the tracer
 * @busy: what the daemon was told
 * @idle: what is known of its work
 * @requests: those of an AQL queue
 * @unreadable: its indices cannot be read
 */
struct tracer_queue {
	struct drv_kfd_queue_entry e;
	uint64_t seen;
	bool suspended;
	bool busy;
	struct gp_idle idle;
	struct client_requests requests;
	bool unreadable;
};

/**
 * struct tracer_node - a GPU that was let go on
 * @gpu_id: node
 * @until_ns: a sign of life is expected until then; 0 = none
 */
struct tracer_node {
	uint32_t gpu_id;
	uint64_t until_ns;
};

/**
 * struct tracer - everything
 * @pid: target
 * @thread: a thread of it that is traced and has not ended; the main thread while that lives.
 *	The driver finds the target by it
 * @sock: to the daemon
 * @kfd: /dev/kfd, -1 = not open
 * @mem: memory of the target, -1 = not open
 * @pipe: of the driver's dots; read end first
 * @sigs: signalfd
 * @is_seized: the target is traced
 * @is_enabled: the debug session is open
 * @is_gone: the target does not exist any more
 * @done: leave the loop
 * @why: the reason, for people
 * @error: errno of the reason, 0 = nothing is wrong
 * @epoch: largest seen
 * @lease_ns: default lease
 * @wants_progress: the daemon wants to hear of completed requests
 * @poll_ns: time between looks at a queue that may have work
 * @quiet_ns: how long indices are equal before idle is to be proven
 * @next_refresh_ns: when to ask the driver for the queues, whatever there is to look at
 * @snapshot: number of the last snapshot
 * @nr_queues: queues
 * @queues: in no order
 * @holds: what is held
 * @nr_nodes: nodes
 * @nodes: in no order
 * @entries: room for a snapshot
 * @ids: room for a batch
 */
struct tracer {
	pid_t pid;
	pid_t thread;
	int sock;
	int kfd;
	int mem;
	int pipe[2];
	int sigs;
	bool is_seized;
	bool is_enabled;
	bool is_gone;
	bool done;
	const char *why;
	int error;
	uint64_t epoch;
	uint64_t lease_ns;
	bool wants_progress;
	uint64_t poll_ns;
	uint64_t quiet_ns;
	uint64_t next_refresh_ns;
	uint64_t snapshot;
	size_t nr_queues;
	struct tracer_queue queues[TRACER_QUEUES];
	struct client_holds holds;
	size_t nr_nodes;
	struct tracer_node nodes[TRACER_NODES];
	struct drv_kfd_queue_entry entries[TRACER_QUEUES];
	uint32_t ids[TRACER_QUEUES];
};

/* CLOCK_MONOTONIC. */
uint64_t tracer_now_ns(void);

/**
 * tracer_end() - leave the loop at the next turn
 * @t: tracer
 * @error: errno of the reason, 0 = nothing is wrong; the first reason counts
 * @why: for people
 */
void tracer_end(struct tracer *t, int error, const char *why);

/* tracer_wire.c */

/**
 * tracer_hello() - say which process is traced and wait for the welcome
 * @t: tracer
 *
 * Return: 0, -ETIMEDOUT, -ECONNREFUSED, -EPIPE, -EPROTO.
 */
int tracer_hello(struct tracer *t);

/**
 * tracer_read() - carry out what the daemon says
 * @t: tracer; ends if the daemon is gone or talks nonsense
 */
void tracer_read(struct tracer *t);

/* Send. The header is filled in. 0 or -errno; -EAGAIN: the daemon does not read. */
int tracer_send_queue(struct tracer *t, const struct tracer_queue *q);
int tracer_send_edge(struct tracer *t, enum wire_type type,
		     const struct tracer_queue *q);
int tracer_send_progress(struct tracer *t, const struct tracer_queue *q,
			 uint64_t since_ns);
int tracer_send_done(struct tracer *t, struct wire_done *done);
int tracer_note(struct tracer *t, enum wire_note_code code, uint32_t gpu_id,
		uint64_t value, const char *text);

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

/**
 * tracer_release() - trace the target no longer
 * @t: tracer
 */
void tracer_release(struct tracer *t);

/* tracer_session.c */

/**
 * tracer_open() - open the debug session
 * @t: tracer; the target is seized
 *
 * Return: 0, or -errno with @t->why.
 */
int tracer_open(struct tracer *t);

/**
 * tracer_close() - close the session: everything goes on
 * @t: tracer
 */
void tracer_close(struct tracer *t);

/**
 * tracer_events() - the driver has written a dot
 * @t: tracer
 */
void tracer_events(struct tracer *t);

/**
 * tracer_refresh() - bring the queues up to date
 * @t: tracer; ends if the driver does not know the target any more
 *
 * Return: 0 or -errno.
 */
int tracer_refresh(struct tracer *t);

/* tracer_hold.c */

/* HOLD, RELEASE: answered; RENEW: not. */
void tracer_hold(struct tracer *t, const struct wire_order *o);
void tracer_unhold(struct tracer *t, const struct wire_order *o);
void tracer_renew(struct tracer *t, const struct wire_order *o);

/**
 * tracer_settle() - make the queues of a node what the holds say
 * @t: tracer; ends if the driver would not continue one
 * @gpu_id: node
 * @done: what was done is added to it; may be NULL
 */
void tracer_settle(struct tracer *t, uint32_t gpu_id, struct wire_done *done);

/**
 * tracer_leases() - end the holds whose lease is over
 * @t: tracer
 * @now_ns: time
 *
 * Return: when the next one ends, TRACER_NEVER = none.
 */
uint64_t tracer_leases(struct tracer *t, uint64_t now_ns);

/* tracer_watch.c */

/**
 * tracer_look() - look at the indices if it is time
 * @t: tracer
 * @now_ns: time
 *
 * Return: when to look next.
 */
uint64_t tracer_look(struct tracer *t, uint64_t now_ns);

/**
 * tracer_begin() - begin to follow a queue
 * @q: queue, with what the daemon was told
 */
void tracer_begin(struct tracer_queue *q);

/**
 * tracer_restart() - a queue was let go on: what is known of it is old
 * @t: tracer
 * @q: queue
 */
void tracer_restart(struct tracer *t, struct tracer_queue *q);

/**
 * tracer_expect() - a node was let go on: look for a sign of life
 * @t: tracer
 * @gpu_id: node
 */
void tracer_expect(struct tracer *t, uint32_t gpu_id);

#endif
