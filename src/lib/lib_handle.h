/* SPDX-License-Identifier: MIT */
/*
 * What is behind a struct gpreempt, and the calls of the library's own files to each
 * other. Nothing of this is exported.
 */
#ifndef GP_LIB_HANDLE_H
#define GP_LIB_HANDLE_H

#include "gpreempt/gpreempt.h"

#include "lib/lib_conn.h"
#include "driver/address.h"

#include <jansson.h>

/* How long a call takes at most if the caller does not say. */
#define LIB_TIMEOUT_NS 5000000000ull

#define LIB_INTERFACE "io.gpreempt."

struct lib_direct;

/* A handle. */
struct gpreempt {
	char socket[DRV_ADDRESS_MAX];
	struct lib_conn conn;	/* to @socket */
	struct lib_direct *direct;	/* without the daemon; NULL = with */
	bool is_monitor;	/* the connection is an event stream */
	int remote_errno;	/* in the last error reply, 0 = none */
	char error[256];	/* last failure in words */
};

/* Begins a public call: there is no failure yet. */
void lib_begin(struct gpreempt *g);

/* Remembers a failure in words, as printf. Gives @ret, what the call returns. */
int lib_fail(struct gpreempt *g, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for -ENOMEM. */
int lib_no_memory(struct gpreempt *g);

/* A public call with a daemon begins: 0, -EOPNOTSUPP without one, -EBUSY it is a monitor. */
int lib_begin_daemon(struct gpreempt *g);

/**
 * lib_call() - ask the daemon
 * @g: handle
 * @method: without the interface
 * @parameters: object; the reference is taken; NULL = {}
 * @deadline_ns: give up then
 * @reply: "parameters" of the reply, a new reference
 *
 * After -ETIMEDOUT, -EPIPE and -EPROTO the connection is closed; the next call
 * connects again.
 *
 * Return: as gpreempt_call().
 */
int lib_call(struct gpreempt *g, const char *method, json_t *parameters, uint64_t deadline_ns,
	     json_t **reply);

/* How long to wait for a daemon that has so much time: it needs some to say what became of it. */
uint64_t lib_patience(uint64_t timeout_ns);

/*
 * Suspends or resumes the process at this end of the connection: the daemon knows which it is,
 * also if it has another number there. 0 or -errno; -EINVAL the daemon is too old for it.
 */
int lib_order_self(struct gpreempt *g, bool is_suspend, uint64_t lease_ns);

/* Connects if there is no connection. 0 or -errno. */
int lib_connect(struct gpreempt *g, uint64_t deadline_ns);

/*
 * A handle without the daemon: lists from discovery, and a tracer process for each process whose
 * queues are stopped.
 */

/* 0, -ENODEV no amdkfd here, -ENOMEM. */
int lib_direct_open(struct lib_direct **out);

/* What was stopped goes on. Harmless on NULL. */
void lib_direct_close(struct lib_direct *d);

/* The public calls on a handle without a daemon; arguments are checked. */
int lib_direct_nodes(struct gpreempt *g, void **out, size_t *nr);
int lib_direct_processes(struct gpreempt *g, void **out, size_t *nr);
int lib_direct_queues(struct gpreempt *g, void **out, size_t *nr);
int lib_direct_order(struct gpreempt *g, bool is_suspend, struct gpreempt_ref *refs, size_t nr,
		     uint64_t lease_ns, uint64_t timeout_ns);

/* What this machine has, daemon or not. */
void lib_direct_probe(struct gpreempt_caps *caps);

#endif
