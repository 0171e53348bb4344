/* SPDX-License-Identifier: MIT */
/*
 * Devices, processes and queues: their columns, how they are named on a command line,
 * and what is added to the daemon's rows for people.
 */
#ifndef GP_CLI_OBJECTS_H
#define GP_CLI_OBJECTS_H

#include "cli/cli_session.h"

enum cli_object_kind {
	CLI_OBJECT_DEVICE,
	CLI_OBJECT_QUEUE,
	CLI_OBJECT_PROCESS,
	CLI_OBJECT_JOB,	/* listed only */
	CLI_OBJECT_COUNT
};

/**
 * struct cli_objects - a kind of object
 * @name: plural, as list takes it and as the key of its JSON
 * @columns: what can be shown
 * @nr_columns: how many
 */
struct cli_objects {
	const char *name;
	const struct cli_column *columns;
	u32 nr_columns;
};

extern const struct cli_objects cli_objects[CLI_OBJECT_COUNT];

/**
 * struct cli_object_ref - an object as it is named on a command line
 * @kind: what it is; a process on one device is a process
 * @pid: process
 * @gpu_id: device, 0 = all
 * @queue_id: queue
 * @text: as it was named
 */
struct cli_object_ref {
	enum cli_object_kind kind;
	u32 pid;
	u32 gpu_id;
	u32 queue_id;
	const char *text;
};

/**
 * cli_object_parse() - "gpu:ID", "PID", "PID/GPU", "PID/GPU/QUEUE"
 * @text: what was named
 * @ref: output
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_object_parse(const char *text, struct cli_object_ref *ref);

/* All objects of a kind, each with its "id"; on one device if --device says so. */
int cli_objects_get(struct cli_session *s, enum cli_object_kind kind, json_t **out);

/* The "id" of a device or a queue, as cli_object_parse() takes it. */
void cli_object_add_id(json_t *row, enum cli_object_kind kind);

/* The row of one object out of all; NULL = not there. Borrowed. */
json_t *cli_object_find(const json_t *rows, const struct cli_object_ref *ref);

/*
 * Jobs: the processes of a user that are stopped and continued together, by the name of their
 * group. All as rows, and the pids of one, at least one. As cli_session_call().
 */
int cli_jobs_get(struct cli_session *s, json_t **out);
int cli_jobs_pids(struct cli_session *s, const char *name, json_t **out);

#endif
