/* SPDX-License-Identifier: MIT */
/*
 * A verb's conversation with the daemon, or with the machine where there is none.
 * Errors are printed here, in one line; what comes back is the exit code.
 */
#ifndef GP_CLI_SESSION_H
#define GP_CLI_SESSION_H

#include "gpreempt/gpreempt.h"

#include "cli/cli_options.h"

#include <jansson.h>

/**
 * struct gp_session - the conversation
 * @g: handle
 * @is_direct: without the daemon
 */
struct gp_session {
	struct gpreempt *g;
	bool is_direct;
};

/**
 * gp_session_open() - connect
 * @s: output
 * @o: options
 * @may_be_direct: go on without the daemon if it does not run
 *
 * Return: GP_GO_ON, or the exit code after a message.
 */
int gp_session_open(struct gp_session *s, const struct gp_options *o, bool may_be_direct);
void gp_session_close(struct gp_session *s);

/**
 * gp_session_call() - ask the daemon
 * @s: conversation
 * @object: what it is about, for the message; NULL = the method
 * @method: of io.gpreempt
 * @parameters: the reference is taken; NULL = {}
 * @reply: a new reference
 *
 * Return: GP_GO_ON, or the exit code after a message.
 */
int gp_session_call(struct gp_session *s, const char *object, const char *method,
		    json_t *parameters, json_t **reply);

/* Prints what the last call of the library failed with; gives the exit code. */
int gp_session_fail(struct gp_session *s, const char *object, int err);

/* Lists, with the keys of io.gpreempt; without a daemon from the library. As gp_session_call(). */
int gp_session_nodes(struct gp_session *s, json_t **out);
int gp_session_processes(struct gp_session *s, json_t **out);
int gp_session_queues(struct gp_session *s, json_t **out);

/* {"schema": "gpreempt.VERB/1", ...rest}; takes the reference to @rest. */
json_t *gp_schema(const char *verb, json_t *rest);

/* Prints an object for programs; one line if @is_line. Takes the reference. Gives the exit code. */
int gp_print_json(json_t *object, bool is_line);

#endif
