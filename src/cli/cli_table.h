/* SPDX-License-Identifier: MIT */
/*
 * A table of text for people: aligned columns, no boxes. Cells are copied.
 */
#ifndef GP_CLI_TABLE_H
#define GP_CLI_TABLE_H

#include "gp_port.h"

#include <stdio.h>

#define CLI_TABLE_COLUMNS 32
#define CLI_TABLE_CELL 160

/* Colours of a cell: those of the terminal. */
enum cli_table_color {
	CLI_TABLE_PLAIN = 0,
	CLI_TABLE_RED = 31,
	CLI_TABLE_GREEN = 32,
	CLI_TABLE_YELLOW = 33,
	CLI_TABLE_CYAN = 36,
};

struct cli_table_cell {
	char text[CLI_TABLE_CELL];
	enum cli_table_color color;
};

struct cli_table {
	u32 nr_columns;
	u32 nr_left;	/* how many columns, from the left, are text */
	u32 left;	/* bit of each column that is text; the others are numbers */
	u32 nr_rows;	/* the header not counted */
	int error;	/* 0 or -ENOMEM */
	const char *headers[CLI_TABLE_COLUMNS];
	struct cli_table_cell *cells;	/* rows times columns */
	bool no_header;	/* print only the rows */
	bool is_colored;
	u32 hidden; /* bit of each column that is not printed */
};

/**
 * cli_table_init() - an empty table
 * @t: table
 * @headers: names of the columns, ended by NULL; must outlive the table
 * @nr_left: how many columns, from the left, are text
 */
void cli_table_init(struct cli_table *t, const char *const *headers, u32 nr_left);
void cli_table_fini(struct cli_table *t);

/* Adds a row of "-". */
void cli_table_add_row(struct cli_table *t);

/* Sets a cell of the last row. */
void cli_table_set(struct cli_table *t, u32 column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Colours a cell of the last row. */
void cli_table_color(struct cli_table *t, u32 column, enum cli_table_color color);

const char *cli_table_cell(const struct cli_table *t, u32 row, u32 column);
void cli_table_print(const struct cli_table *t, FILE *out);

/**
 * cli_table_fit() - hide columns until lines are short enough
 * @t: table, filled
 * @columns: which may be hidden, the first one first
 * @nr: how many
 * @width: longest line that fits; 0 = any does
 */
void cli_table_fit(struct cli_table *t, const u32 *columns, u32 nr, u32 width);

#endif
