/* SPDX-License-Identifier: MIT */
/*
 * A tracer process of one target, as its owner sees it: started, spoken to over a
 * socketpair in the words of client/wire.h, ended by closing that. What it holds
 * goes on when it ends, whichever ends first.
 */
#ifndef GP_LIB_TRACER_H
#define GP_LIB_TRACER_H

#include "driver/kfd_abi.h"
#include "client/client_hold.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The tracer. */
struct lib_tracer_link {
	uint32_t pid;	/* target */
	pid_t child;	/* process of the tracer */
	int fd;	/* socket to it; -1 = it is gone */
	uint64_t epoch;	/* of the last order */
	struct drv_kfd_queue_entry *queues;	/* what it told */
	size_t nr_queues;
	struct client_holds held;	/* by it */
	char reason[128];	/* why it was refused, or why it is gone */
};

/**
 * lib_tracer_start() - start a tracer and wait until it has its target
 * @t: output; to be stopped even after a failure
 * @program: path of gpreempt-tracer
 * @pid: target
 * @deadline_ns: give up then
 *
 * Return: 0, -ENOENT no such program, -ETIMEDOUT, -EPROTO, or what the tracer was
 * refused with: -EPERM, -ESRCH, -EBUSY, -EOPNOTSUPP, …
 */
int lib_tracer_start(struct lib_tracer_link *t, const char *program, uint32_t pid,
		     uint64_t deadline_ns);

/**
 * lib_tracer_order() - hold or release
 * @t: tracer
 * @type: WIRE_HOLD or WIRE_RELEASE
 * @gpu_id: node
 * @queue_id: queue, or WIRE_QUEUE_ALL
 * @lease_ns: of a hold
 * @deadline_ns: give up then
 *
 * Return: 0, -ESRCH, -EBUSY, -EIO, -ETIMEDOUT, -EPIPE the tracer is gone, -ENOSPC.
 */
int lib_tracer_order(struct lib_tracer_link *t, enum wire_type type, uint32_t gpu_id,
		     uint32_t queue_id, uint64_t lease_ns, uint64_t deadline_ns);

/* Reads what it has told meanwhile; does not wait. */
void lib_tracer_catch_up(struct lib_tracer_link *t);

/* Whether it is gone, and its process has ended. */
bool lib_tracer_is_over(struct lib_tracer_link *t);

/**
 * lib_tracer_stop() - end tracers: everything goes on
 * @list: tracers
 * @nr: how many
 * @deadline_ns: they are killed after half of the time and left alone then; 0 = at once
 */
void lib_tracer_stop(struct lib_tracer_link *const *list, size_t nr, uint64_t deadline_ns);

#endif
