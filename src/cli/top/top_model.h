/* SPDX-License-Identifier: MIT */
/*
 * What top shows: one look at the daemon, as cells and lines of text, for the screen and for
 * --once. Knows no terminal.
 */
#ifndef GP_CLI_TOP_MODEL_H
#define GP_CLI_TOP_MODEL_H

#include "cli/cli_objects.h"

#define CLI_TOP_LINE 256
#define CLI_TOP_BAR 20
#define CLI_TOP_CELL 24

enum cli_top_sort {
	CLI_TOP_BY_PRIO,
	CLI_TOP_BY_RUN,
	CLI_TOP_BY_OFF,
	CLI_TOP_BY_PREEMPTED,
	CLI_TOP_BY_PID,
	CLI_TOP_SORT_COUNT
};

/* Cells are in the order of their headers; these are looked for. */
enum {
	CLI_TOP_PID = 0,
	CLI_TOP_COMMAND = 1,
	CLI_TOP_STATE = 7,
	CLI_TOP_CELLS = 13,
	CLI_TOP_DEVICE = 0,
	CLI_TOP_HEALTH = 3,
	CLI_TOP_DEVICE_CELLS = 11,
};

/* A process on the screen. */
struct cli_top_row {
	u32 pid;
	double keys[CLI_TOP_SORT_COUNT];	/* shares are in millionths; -1 = unknown */
	char cells[CLI_TOP_CELLS][CLI_TOP_CELL];
};

/* A device on the screen. */
struct cli_top_device {
	char reason[96];	/* why it is not ok */
	char cells[CLI_TOP_DEVICE_CELLS][CLI_TOP_CELL];
};

/* The picture, and what is needed for the next. */
struct cli_top {
	char head[160];	/* first line */
	struct cli_top_device *devices;
	u32 nr_devices;
	struct cli_top_row *rows;
	u32 nr_rows;
	u64 now_ns;	/* when this was */
	json_t *before;	/* the processes of the look before, for rates: {"PID": {...}} */
	u64 before_ns;	/* when that was; 0 = there was none */
	json_t *device_before;	/* the devices then */
};

/**
 * cli_top_look() - take a picture
 * @t: zeroed at first; the picture before gives the rates
 * @s: conversation
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_top_look(struct cli_top *t, struct cli_session *s);

/* The order of the rows. @is_up: smallest first. */
void cli_top_sort(struct cli_top *t, enum cli_top_sort by, bool is_up);

/* "prio", "run", … 0 or -EINVAL. */
int cli_top_parse_sort(const char *text, enum cli_top_sort *by, bool *is_up);
const char *cli_top_sort_name(enum cli_top_sort by);

void cli_top_fini(struct cli_top *t);

/*
 * A line without its end, NULL = the header; gives @out, of CLI_TOP_LINE bytes. Where @width is
 * not enough for all columns, those that matter least are left out, down to 80.
 */
const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out);
const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out);

/**
 * cli_top_bar() - what a process did in the last interval
 * @r: process
 * @run: how many of CLI_TOP_BAR cells it ran
 * @off: how many it was off the GPU though it had work
 */
void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off);

/* Is this process one of those that were asked for? A part of its name or its number. */
bool cli_top_matches(const struct cli_top_row *r, const char *text);

#endif
