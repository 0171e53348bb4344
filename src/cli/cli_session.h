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
 * struct cli_session - the conversation
 * @g: handle
 * @is_direct: without the daemon
 */
struct cli_session {
	struct gpreempt *g;
	bool is_direct;
};

/**
 * cli_session_open() - connect
 * @s: output
 * @o: options
 * @may_be_direct: go on without the daemon if it does not run
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_session_open(struct cli_session *s, const struct cli_options *o, bool may_be_direct);
void cli_session_close(struct cli_session *s);

/**
 * cli_session_call() - ask the daemon
 * @s: conversation
 * @object: what it is about, for the message; NULL = the method
 * @method: of io.gpreempt
 * @parameters: the reference is taken; NULL = {}
 * @reply: a new reference
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_session_call(struct cli_session *s, const char *object, const char *method,
		     json_t *parameters, json_t **reply);

/* Prints what the last call of the library failed with; gives the exit code. */
int cli_session_fail(struct cli_session *s, const char *object, int err);

/* Lists, with the keys of io.gpreempt; without a daemon from the library. As cli_session_call(). */
int cli_session_nodes(struct cli_session *s, json_t **out);
int cli_session_processes(struct cli_session *s, json_t **out);
int cli_session_queues(struct cli_session *s, json_t **out);

/* {"schema": "gpreempt.VERB/1", ...rest}; takes the reference to @rest. */
json_t *cli_schema(const char *verb, json_t *rest);

/* Prints an object for programs; one line if @is_line. Takes the reference. Gives the exit code. */
int cli_print_json(json_t *object, bool is_line);

#endif
