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

/**
 * struct gpreempt - a handle
 * @socket: control socket
 * @conn: connection to it
 * @direct: without the daemon; NULL = with
 * @is_monitor: the connection is an event stream
 * @remote_errno: errno in the last error reply, 0 = none
 * @error: last failure in words
 */
struct gpreempt {
	char socket[DRV_ADDRESS_MAX];
	struct lib_conn conn;
	struct lib_direct *direct;
	bool is_monitor;
	int remote_errno;
	char error[256];
};

/* Begins a public call: there is no failure yet. */
void lib_begin(struct gpreempt *g);

/**
 * lib_fail() - remember a failure in words
 * @g: handle
 * @ret: what the call returns
 * @format: as printf
 *
 * Return: @ret.
 */
int lib_fail(struct gpreempt *g, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

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

/* Connects if there is no connection. 0 or -errno. */
int lib_connect(struct gpreempt *g, uint64_t deadline_ns);

/* Sends a request. Takes the reference to @parameters. */
int lib_send_request(struct gpreempt *g, const char *method, json_t *parameters, bool more,
		     uint64_t deadline_ns);

/**
 * lib_parse_reply() - look into a reply
 * @g: handle
 * @text: the reply
 * @reply: its "parameters", a new reference; also of an error, with its name under
 *	"error"; NULL if it is no reply at all
 *
 * Return: 0, the errno of an error reply, -EPROTO no reply at all.
 */
int lib_parse_reply(struct gpreempt *g, const char *text, json_t **reply);

#endif
