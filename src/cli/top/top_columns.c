// SPDX-License-Identifier: MIT
/* The columns of top: which fit a terminal, and the order of the rows by any of them. */
#define _GNU_SOURCE
#include "cli/top/top_model.h"

#include <stdlib.h>
#include <string.h>

/* The column that is given what is left over. */
#define IS_WIDE(c) ((c)->most > (c)->width)

struct column {
	const char *header;
	u32 width;
	u32 most;     /* with room to spare; 0 = no more */
	bool is_text; /* on the left */
	u32 leaves;   /* which one is left out first, second, …; 0 = none does */
	const char *sort;
	bool is_up; /* reads best with the smallest first */
};

static const struct column row_columns[CLI_TOP_CELLS] = {
	[CLI_TOP_PID] = { "PID", 8, 0, false, 0, "pid", true },
	[CLI_TOP_COMMAND] = { "COMMAND", 8, 16, true, 0, "command", true },
	[CLI_TOP_CLASS] = { "CLASS", 11, 0, true, 2, "class", true },
	[CLI_TOP_PRIO] = { "PRIO", 4, 0, false, 9, "prio", false },
	[CLI_TOP_GPU] = { "GPU", 6, 0, true, 7, "gpu", true },
	[CLI_TOP_QUEUES] = { "QUEUES", 6, 0, false, 3, "queues", false },
	[CLI_TOP_BUSY] = { "BUSY", 4, 0, false, 5, "busy", false },
	[CLI_TOP_STATE] = { "STATE", 10, 0, true, 0, "state", true },
	[CLI_TOP_RUN] = { "RUN%", 5, 0, false, 0, "run", false },
	[CLI_TOP_OFF] = { "OFF%", 5, 0, false, 0, "off", false },
	[CLI_TOP_RATE] = { "PRE/S", 6, 0, false, 6, "rate", false },
	[CLI_TOP_PREEMPTED] = { "PREEMPTED", 9, 0, false, 1, "preempted", false },
	[CLI_TOP_OFF_MAX] = { "OFF_MAX", 8, 0, false, 4, "off_max", false },
	[CLI_TOP_WAIT] = { "WAIT_P99", 8, 0, false, 8, "wait", false },
};

static const struct column device_columns[CLI_TOP_DEVICE_CELLS] = {
	{ "DEVICE", 10, 0, true, 6, NULL, false },
	{ "GPU", 3, 0, false, 0, NULL, false },
	{ "NAME", 12, 0, true, 3, NULL, false },
	{ "POLICY", 6, 7, true, 7, NULL, false },
	{ "HEALTH", 9, 0, true, 0, NULL, false },
	{ "QUEUES", 6, 0, false, 4, NULL, false },
	{ "BUSY", 4, 0, false, 8, NULL, false },
	{ "OUT", 4, 0, false, 0, NULL, false },
	{ "PRE/S", 7, 0, false, 0, NULL, false },
	{ "PREEMPTED", 9, 0, false, 1, NULL, false },
	{ "SW_P50", 8, 0, false, 2, NULL, false },
	{ "SW_P99", 8, 0, false, 5, NULL, false },
	{ "WAIT_P99", 8, 0, false, 0, NULL, false },
};

/* Bit of each column that is there, and the width of the widest one that grows. */
static u32 choose(const struct column *all, u32 nr, int width, u32 *grown)
{
	u32 shown = (1u << nr) - 1, sum = 0, next = 1, room = (u32)width;

	for (u32 i = 0; i < nr; i++)
		sum += all[i].width + (i > 0);
	for (u32 i = 0; sum > room && i < nr; i++) {
		if (all[i].leaves != next)
			continue;
		shown &= ~(1u << i);
		sum -= all[i].width + 1;
		next++;
		i = (u32)-1;
	}
	*grown = 0;
	for (u32 i = 0; i < nr; i++) {
		if (IS_WIDE(&all[i]))
			*grown = min(all[i].most, all[i].width + (room > sum ? room - sum : 0));
	}
	return shown;
}

static u32 width_of(const struct column *c, u32 grown)
{
	return IS_WIDE(c) ? grown : c->width;
}

static const char *make_line(const struct column *all, u32 nr, const char (*cells)[CLI_TOP_CELL],
			     int width, char *out)
{
	u32 grown, shown = choose(all, nr, width, &grown), len = 0;

	for (u32 i = 0; i < nr; i++) {
		const char *cell = cells ? cells[i] : all[i].header;
		int w = (int)width_of(&all[i], grown);

		if (!(shown & (1u << i)))
			continue;
		if (len)
			out[len++] = ' ';
		/* A negative width is one on the left. */
		len += (u32)snprintf(out + len, CLI_TOP_LINE - len, "%*.*s",
				     all[i].is_text ? -w : w, w, cell);
	}
	return out;
}

const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out)
{
	return make_line(device_columns, CLI_TOP_DEVICE_CELLS, d ? d->cells : NULL, width, out);
}

const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out)
{
	return make_line(row_columns, CLI_TOP_CELLS, r ? r->cells : NULL, width, out);
}

bool cli_top_find_cell(u32 cell, int width, u32 *at, u32 *len)
{
	u32 grown, shown = choose(row_columns, CLI_TOP_CELLS, width, &grown);

	*at = 0;
	for (u32 i = 0; i < cell; i++)
		*at += shown & (1u << i) ? width_of(&row_columns[i], grown) + 1 : 0;
	*len = width_of(&row_columns[cell], grown);
	return shown & (1u << cell);
}

const char *cli_top_sort_name(u32 cell)
{
	return row_columns[cell].sort;
}

bool cli_top_sorts_up(u32 cell)
{
	return row_columns[cell].is_up;
}

int cli_top_parse_sort(const char *text, u32 *cell, bool *is_up)
{
	*is_up = *text != '-';
	text += !*is_up;
	for (*cell = 0; *cell < CLI_TOP_CELLS; ++*cell) {
		if (!strcmp(row_columns[*cell].sort, text))
			return 0;
	}
	return -EINVAL;
}

struct order {
	u32 cell;
	bool is_up;
};

/* A time has its unit in its cell: what is compared is the value. */
static double value_of(const char *cell)
{
	char *unit;
	double v = strtod(cell, &unit);

	if (unit == cell)
		return -1;
	for (u32 i = 0; *unit == ' ' && i < CLI_UNITS; i++) {
		if (!strcmp(unit + 1, cli_units[i].name))
			return v * cli_units[i].ns;
	}
	return v;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct cli_top_row *x = a, *y = b;
	const struct order *o = arg;
	double vx, vy;
	int by;

	if (row_columns[o->cell].is_text) {
		by = strcmp(x->cells[o->cell], y->cells[o->cell]);
	} else {
		vx = value_of(x->cells[o->cell]);
		vy = value_of(y->cells[o->cell]);
		by = (vx > vy) - (vx < vy);
	}
	if (by)
		return o->is_up ? by : -by;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

void cli_top_sort(struct cli_top *t, u32 cell, bool is_up)
{
	struct order o = { cell, is_up };

	qsort_r(t->rows, t->nr_rows, sizeof(*t->rows), compare, &o);
}
