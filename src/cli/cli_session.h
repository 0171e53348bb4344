/* SPDX-License-Identifier: MIT */
/*
 * A verb's conversation with the daemon, or with the machine where there is none.
 * Errors are printed here, in one line; what comes back is the exit code.
 */
#ifndef GP_CLI_SESSION_H
#define GP_CLI_SESSION_H

#include "gpreempt/gpreempt.h"

#include "cli/cli_view.h"

/**
 * struct cli_session - the conversation
 * @verb: the verb
 * @o: options
 * @view: what is shown, of a verb with columns
 * @g: handle; NULL = none is needed
 * @is_direct: without the daemon
 * @is_repeated: the verb says the same again and again; JSON is in one line then
 */
struct cli_session {
	const struct cli_verb *verb;
	struct cli_options o;
	struct cli_view view;
	struct gpreempt *g;
	bool is_direct;
	bool is_repeated;
};

/**
 * cli_session_open() - connect
 * @s: conversation with its options; the caller closes @s->g
 * @may_be_direct: go on without the daemon if it does not run
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_session_open(struct cli_session *s, bool may_be_direct);

/* Where the daemon listens, if it does. */
void cli_session_socket(const struct cli_options *o, char *out, size_t size);

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

/* As cli_session_call() without a message: 0 or -errno, and gpreempt_strerror() says more. */
int cli_session_ask(struct gpreempt *g, const char *method, json_t *parameters, json_t **reply);

/* Whether the kernel module schedules, by an answer of GetInfo. */
bool cli_is_module(const json_t *info);

/* Prints what the last call of the library failed with; gives the exit code. */
int cli_session_fail(struct cli_session *s, const char *object, int err);

/* What cli_session_list() asks for. */
enum cli_list {
	CLI_LIST_NODES,
	CLI_LIST_PROCESSES,
	CLI_LIST_TOTALS,	/* by the daemon only */
	CLI_LIST_QUEUES,
};

/* A list with the keys of io.gpreempt; without a daemon from the library. As cli_session_call(). */
int cli_session_list(struct cli_session *s, enum cli_list what, json_t **out);

/* {} for all devices, or the one of --device. */
json_t *cli_session_device(const struct cli_session *s);

/* {"schema": "gpreempt.VERB/1", ...rest}; takes the reference to @rest. */
json_t *cli_schema(const char *verb, json_t *rest);

/* Prints cli_schema() for programs; in a line if @is_line. Gives the exit code. */
int cli_print_json(const char *verb, json_t *rest, bool is_line);

/**
 * cli_session_show() - print rows as the options want them
 * @s: conversation with a view
 * @verb: of the schema
 * @rest: for programs, what comes before the rows; the reference is taken
 * @key: for programs, the key of the rows
 * @rows: as cli_view_apply() gave them; the reference is taken
 *
 * Return: exit code.
 */
int cli_session_show(struct cli_session *s, const char *verb, json_t *rest, const char *key,
		     json_t *rows);

/**
 * cli_stream_run() - read events
 * @s: conversation with the daemon; can do nothing else afterwards
 * @flags: GPREEMPT_MONITOR_*
 * @duration_ns: end after this; 0 = never
 * @event: gets each event, borrowed; false = enough
 * @arg: for it
 *
 * SIGINT and SIGTERM end it as if it were enough.
 *
 * Return: CLI_EXIT_OK, or the exit code after a message.
 */
int cli_stream_run(struct cli_session *s, unsigned int flags, u64 duration_ns,
		   bool (*event)(const json_t *event, void *arg), void *arg);

#endif
