/* SPDX-License-Identifier: MIT */
/*
 * What top shows: one look at the daemon, as lines of text. Knows no terminal.
 */
#ifndef GP_CLI_TOP_MODEL_H
#define GP_CLI_TOP_MODEL_H

#include "cli/cli_objects.h"

/**
 * struct cli_top_row - a process on the screen
 * @pid: process
 * @prio: its priority, -1 = unknown
 * @nr_queues: queues
 * @nr_busy: of these, with work
 * @run_ppm: share of the last interval it ran, in millionths; -1 = unknown
 * @off_ppm: share it was off the GPU though it had work
 * @preempted_per_s: how often it was stopped
 * @nr_preempted: the same since it began
 * @off_max_ns: longest time off
 * @is_manual: held by hand
 * @state: word
 * @comm: name
 * @klass: class
 * @mechanism: word
 * @where: devices it has queues on
 */
struct cli_top_row {
	u32 pid;
	int prio;
	u32 nr_queues;
	u32 nr_busy;
	s64 run_ppm;
	s64 off_ppm;
	double preempted_per_s;
	u64 nr_preempted;
	u64 off_max_ns;
	bool is_manual;
	char state[16];
	char comm[24];
	char klass[16];
	char mechanism[12];
	char where[24];
};

/**
 * struct cli_top_device - a device on the screen
 * @id: "gpu:1"
 * @name: for people
 * @policy: word
 * @health: "ok", "off", or the breaker's state
 * @reason: why it is not ok
 * @nr_queues: queues
 * @nr_busy: of these, with work
 * @nr_out: entities off the GPU
 * @preempted_per_s: preemptions
 * @p50_ns: of a switch; 0 = unknown
 * @p99_ns: the same
 * @nr_preemptions: since the daemon began
 */
struct cli_top_device {
	char id[24];
	char name[24];
	char policy[16];
	char health[16];
	char reason[96];
	u32 nr_queues;
	u32 nr_busy;
	u32 nr_out;
	double preempted_per_s;
	u64 p50_ns;
	u64 p99_ns;
	u64 nr_preemptions;
};

enum cli_top_sort {
	CLI_TOP_BY_PRIO,
	CLI_TOP_BY_RUN,
	CLI_TOP_BY_OFF,
	CLI_TOP_BY_PREEMPTED,
	CLI_TOP_BY_PID,
	CLI_TOP_SORT_COUNT
};

/**
 * struct cli_top - the picture, and what is needed for the next
 * @head: first line
 * @devices: devices
 * @nr_devices: how many
 * @rows: processes
 * @nr_rows: how many
 * @now_ns: when this was
 * @before: the processes of the look before, for rates: {"PID": {...}}
 * @before_ns: when that was; 0 = there was none
 * @device_before: preemptions of each device then
 */
struct cli_top {
	char head[160];
	struct cli_top_device *devices;
	u32 nr_devices;
	struct cli_top_row *rows;
	u32 nr_rows;
	u64 now_ns;
	json_t *before;
	u64 before_ns;
	json_t *device_before;
};

/**
 * cli_top_look() - take a picture
 * @t: zeroed at first; the picture before gives the rates
 * @s: conversation
 * @o: options: --device
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_top_look(struct cli_top *t, struct cli_session *s, const struct cli_options *o);

/* The order of the rows. @is_up: smallest first. */
void cli_top_sort(struct cli_top *t, enum cli_top_sort by, bool is_up);

/* "prio", "run", … 0 or -EINVAL. */
int cli_top_parse_sort(const char *text, enum cli_top_sort *by, bool *is_up);
const char *cli_top_sort_name(enum cli_top_sort by);

void cli_top_fini(struct cli_top *t);

#endif
