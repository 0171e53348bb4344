/* SPDX-License-Identifier: MIT */
/*
 * What top shows: looks at the daemon, as cells and lines of text, for the screen and for
 * --once; and what was seen before, for charts. Knows no terminal.
 */
#ifndef GP_CLI_TOP_MODEL_H
#define GP_CLI_TOP_MODEL_H

#include "cli/cli_objects.h"

#define CLI_TOP_LINE 256
#define CLI_TOP_BAR 20
#define CLI_TOP_CELL 24
/* Looks that a chart can show. */
#define CLI_TOP_TRAIL 240

/* Cells of a process, in the order of their headers. */
enum {
	CLI_TOP_PID,
	CLI_TOP_COMMAND,
	CLI_TOP_CLASS,
	CLI_TOP_PRIO,
	CLI_TOP_GPU,
	CLI_TOP_QUEUES,
	CLI_TOP_BUSY,
	CLI_TOP_STATE,
	CLI_TOP_RUN,
	CLI_TOP_OFF,
	CLI_TOP_RATE,
	CLI_TOP_PREEMPTED,
	CLI_TOP_OFF_MAX,
	CLI_TOP_WAIT,
	CLI_TOP_CELLS,
};

/* Cells of a device that are looked for. */
enum {
	CLI_TOP_DEVICE = 0,
	CLI_TOP_DEVICE_GPU = 1,
	CLI_TOP_HEALTH = 4,
	CLI_TOP_DEVICE_CELLS = 13,
};

/* A process on the screen. Shares are in millionths; -1 = unknown. */
struct cli_top_row {
	u32 pid;
	double run_ppm;
	double off_ppm;
	double per_s; /* preemptions */
	bool is_late; /* off the GPU for about as long as it may be */
	char cells[CLI_TOP_CELLS][CLI_TOP_CELL];
};

/* A device on the screen. */
struct cli_top_device {
	double per_s;		/* preemptions */
	char reason[96];	/* why it is not ok */
	char cells[CLI_TOP_DEVICE_CELLS][CLI_TOP_CELL];
};

/* What a process did in the looks before, the last one at [nr - 1]. */
struct cli_top_trail {
	u32 pid;
	u32 nr;
	u64 off_since_ns;      /* it did not run since; 0 = it did, or had no work */
	u8 run[CLI_TOP_TRAIL]; /* percent */
	u8 off[CLI_TOP_TRAIL];
};

/* The picture, and what is needed for the next. */
struct cli_top {
	char head[160];	/* first line */
	struct cli_top_device *devices;
	u32 nr_devices;
	struct cli_top_row *rows;
	u32 nr_rows;
	u64 now_ns;	/* when this was */
	u64 max_wait_ns; /* longest time off the GPU; 0 = not known */
	json_t *before;	 /* the processes of this look, for the rates of the next: {"PID": {...}} */
	u64 before_ns;	/* when that was; 0 = there was none */
	json_t *device_before;	/* the devices then */
	struct cli_top_trail *trails; /* of the processes on the screen, by pid */
	u32 nr_trails;
	double per_s[CLI_TOP_TRAIL]; /* preemptions on all devices */
	u32 nr_per_s;
};

/**
 * cli_top_look() - take a picture
 * @t: zeroed at first; the picture before gives the rates
 * @s: conversation
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_top_look(struct cli_top *t, struct cli_session *s);

void cli_top_fini(struct cli_top *t);

/* All that the daemon says of a process on the screen; NULL = it is not there. Borrowed. */
const json_t *cli_top_process(const struct cli_top *t, u32 pid);

/* Of top_trail.c: one look more; since when it is off the GPU; what a chart shows, or NULL. */
void cli_top_trail_add(struct cli_top *t);
u64 cli_top_trail_off_ns(const struct cli_top *t, u32 pid);
const struct cli_top_trail *cli_top_trail_of(const struct cli_top *t, u32 pid);
void cli_top_trail_fini(struct cli_top *t);

/* The order of the rows, by a cell. @is_up: smallest first. */
void cli_top_sort(struct cli_top *t, u32 cell, bool is_up);

/* "prio", "-run", … 0 or -EINVAL. */
int cli_top_parse_sort(const char *text, u32 *cell, bool *is_up);
const char *cli_top_sort_name(u32 cell);
/* Does it read best with the smallest first? */
bool cli_top_sorts_up(u32 cell);

/*
 * A line without its end, NULL = the header; gives @out, of CLI_TOP_LINE bytes. Where @width is
 * not enough for all columns, those that matter least are left out, down to 40.
 */
const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out);
const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out);

/* Where a cell stands in that line, and how wide it is. False = it is left out. */
bool cli_top_find_cell(u32 cell, int width, u32 *at, u32 *len);

/**
 * cli_top_bar() - what a process did in the last interval
 * @r: process
 * @run: how many of CLI_TOP_BAR cells it ran
 * @off: how many it was off the GPU though it had work
 */
void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off);

/* Is this process one of those that were asked for? A part of its name or its number; "" = any. */
bool cli_top_matches(const struct cli_top *t, const struct cli_top_row *r, const char *text,
		     const char *gpu);

#endif
