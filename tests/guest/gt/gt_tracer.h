/* SPDX-License-Identifier: MIT */
/*
 * A target with queues, and gpreempt-tracer beside it, driven over a socket pair as the
 * daemon does it. The simulated GPU says whether the target really stands still.
 */
#ifndef GT_TRACER_H
#define GT_TRACER_H

#include "gt/gt_debug.h"
#include "client/wire.h"

#define GT_TRACER_PATH "/usr/local/libexec/gpreempt-tracer"
#define GT_TARGET_WAVES 4

/**
 * struct gt_target - a process with a queue that does what it is told
 * @pid: the process
 * @ctl: socket to it
 */
struct gt_target {
	pid_t pid;
	int ctl;
};

/* What it is told, a byte each; it answers with the same byte when it is done. */
#define GT_TARGET_ENDLESS 'e'	/* launch a kernel that never ends */
#define GT_TARGET_SHORT 's'	/* run a kernel of 20 ms, check its result */
#define GT_TARGET_LONG 'l'	/* launch one of 1.5 s */
#define GT_TARGET_WAIT 'w'	/* wait for that, check its result */
#define GT_TARGET_LOOP 'r'	/* run kernels until the next byte; then answer */
#define GT_TARGET_QUEUE 'q'	/* another queue, and launch the endless kernel there */
#define GT_TARGET_DESTROY 'd'	/* destroy the first queue */
#define GT_TARGET_SIGNALS 'c'	/* answer with how many signals came, 4 bytes */
#define GT_TARGET_ALLOC 'a'	/* something that needs the driver */
#define GT_TARGET_EXIT 'x'	/* end, code 0; no answer */
#define GT_TARGET_EXEC 'y'	/* become /bin/true; no answer */
#define GT_TARGET_LOSE_MAIN 'm'	/* its main thread ends, another goes on */

#define GT_TARGET_NO_RUNTIME 1u	/* does not enable its runtime */
#define GT_TARGET_NO_QUEUE 2u	/* makes no queue */

/* A process that has made its queue. */
void gt_target_start(struct gt_target *t, unsigned int flags);
void gt_target_tell(struct gt_target *t, char what);
/* Tells, and waits for the answer. */
void gt_target_do(struct gt_target *t, char what);
/* Waits for an answer. Return: 0 or -ETIMEDOUT. */
int gt_target_answers(struct gt_target *t, char what, unsigned int ms);
unsigned int gt_target_signals(struct gt_target *t);
/* Exit code 0 within the time, or the case ends. */
void gt_target_ends(struct gt_target *t, unsigned int ms);

/**
 * struct gt_tracer - a tracer and what it said
 * @pid: the tracer
 * @sock: to it
 * @gpu_id: node of the first queue
 * @epoch: of the last order
 * @queue_id: of the next orders; WIRE_QUEUE_ALL after gt_tracer_start()
 * @holder: of the next orders
 * @nr_queues: queues told
 * @nr_busy: edges told
 * @nr_idle: same
 * @notes: how often each code came
 * @note_value: value of the last note
 * @is_over: it closed the socket
 */
struct gt_tracer {
	pid_t pid;
	int sock;
	uint32_t gpu_id;
	uint64_t epoch;
	uint32_t queue_id;
	uint32_t holder;
	int nr_queues;
	int nr_busy;
	int nr_idle;
	int notes[8];
	uint64_t note_value;
	bool is_over;
};

/* Starts it as @uid, up to the welcome. */
void gt_tracer_start(struct gt_tracer *r, pid_t target, uid_t uid);
/* The same, and waits until it is attached. */
void gt_tracer_attach(struct gt_tracer *r, const struct gt_target *t);
/* Sends an order; the last one's epoch if it is a RENEW. */
void gt_tracer_order(struct gt_tracer *r, enum wire_type type, uint64_t lease_ns);
/* Sends an order and waits for DONE. */
struct wire_done gt_tracer_do(struct gt_tracer *r, enum wire_type type, uint64_t lease_ns);
/* HOLD or RELEASE that must succeed and be seen on the GPU. */
void gt_tracer_hold(struct gt_tracer *r, uint64_t lease_ns);
void gt_tracer_release(struct gt_tracer *r);
/* Takes messages for a time. */
void gt_tracer_listen(struct gt_tracer *r, unsigned int ms);
/* Takes messages until a note comes. Return: 0 or -ETIMEDOUT */
int gt_tracer_wait_note(struct gt_tracer *r, enum wire_note_code code, unsigned int ms);
/* Waits for the end of the process. Return: its exit code, 128 + signal. */
int gt_tracer_ends(struct gt_tracer *r, unsigned int ms);
/* Closes the socket; it must end well. */
void gt_tracer_close(struct gt_tracer *r);

#endif
