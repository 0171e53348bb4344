/* SPDX-License-Identifier: MIT */
/*
 * Devices, processes and queues: their columns, how they are named on a command line,
 * and what is added to the daemon's rows for people.
 */
#ifndef GP_CLI_OBJECTS_H
#define GP_CLI_OBJECTS_H

#include "cli/cli_session.h"
#include "driver/discover.h"

enum cli_object_kind {
	CLI_OBJECT_DEVICE,
	CLI_OBJECT_QUEUE,
	CLI_OBJECT_PROCESS,
	/* These are listed only, and of all GPUs together. */
	CLI_OBJECT_JOB,
	CLI_OBJECT_TOTAL,
	CLI_OBJECT_CGROUP,
	CLI_OBJECT_COUNT
};

/* A kind of object. */
struct cli_objects {
	const char *name;	/* plural, as list takes it and as the key of its JSON */
	const struct cli_column *columns;	/* what can be shown */
	u32 nr_columns;
};

extern const struct cli_objects cli_objects[CLI_OBJECT_COUNT];

/* An object as it is named on a command line. */
struct cli_object_ref {
	enum cli_object_kind kind;	/* a process on one device is a process */
	u32 pid;
	u32 gpu_id;	/* 0 = all */
	u32 queue_id;
	const char *text;	/* as it was named */
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

/* What a row or an event is about, as cli_object_parse() takes it; "-" = nothing. */
void cli_object_name(const json_t *row, char *out, size_t size);

/* Adds that as its "id". */
void cli_object_add_id(json_t *row);

/* The row of one object out of all; NULL = not there. Borrowed. */
json_t *cli_object_find(const json_t *rows, const struct cli_object_ref *ref);

/*
 * Jobs: the processes of a user that are stopped and continued together, by the name of their
 * group. All as rows, and the pids of one as texts, at least one. As cli_session_call().
 */
int cli_jobs_get(struct cli_session *s, json_t **out);
int cli_jobs_pids(struct cli_session *s, const char *name, json_t **out);

/* Cgroups of which something is said, as rows. As cli_session_call(). */
int cli_cgroups_get(struct cli_session *s, json_t **out);

/* What is before the path of a cgroup on a command line. */
#define CLI_CGROUP "cgroup:"

/* "cgroup:PATH": the path, NULL = it is something else. */
const char *cli_cgroup_path(const char *text);

/* Of set: settings of a cgroup, KEY=VALUE each. The exit code. */
int cli_cgroup_set(struct cli_session *s);

/* Is the device of --device there? Return: CLI_GO_ON, or the exit code after a message. */
int cli_objects_check_device(struct cli_session *s);

/* The GPU of a name, see drv_node_is_named(). CLI_GO_ON, or the exit code after a message. */
int cli_objects_find_gpu(struct cli_session *s, const char *name, u64 *gpu_id);

/* The GPU of --device or --gpu, without them the first; NULL = there is none. */
const struct drv_node *cli_node_choose(const struct drv_node *nodes, size_t nr,
				       const struct cli_options *o);

#endif
