/* SPDX-License-Identifier: MIT */
/*
 * Rows of JSON as people and programs want to see them: chosen columns, sorted,
 * filtered, aligned or between commas. A view knows the columns there can be.
 */
#ifndef GP_CLI_VIEW_H
#define GP_CLI_VIEW_H

#include "cli/cli_options.h"

#include <jansson.h>

enum gp_column_kind {
	GP_COLUMN_TEXT,
	GP_COLUMN_LIST,	/* texts, joined by commas */
	GP_COLUMN_BOOL,	/* yes, no */
	GP_COLUMN_INT,
	GP_COLUMN_HEX,
	GP_COLUMN_BYTES,	/* with a unit that reads well */
	GP_COLUMN_NS,	/* one unit for the column, said in its header */
};

/**
 * struct gp_column - a column
 * @name: of the field
 * @header: for people; a unit is added to it
 * @path: keys that lead to the value, "a.b"; NULL = the name
 * @kind: how it is shown
 * @is_extra: only if asked for
 */
struct gp_column {
	const char *name;
	const char *header;
	const char *path;
	enum gp_column_kind kind;
	bool is_extra;
};

#define GP_VIEW_COLUMNS 32
#define GP_VIEW_CONDITIONS 8

/**
 * struct gp_condition - of a filter
 * @column: what is compared
 * @op: '=', '!', '<', '>'
 * @text: with what
 */
struct gp_condition {
	const struct gp_column *column;
	char op;
	char text[64];
};

/**
 * struct gp_view - what is shown
 * @columns: those there are
 * @nr_columns: how many
 * @shown: those that are shown
 * @nr_shown: how many
 * @sort: by which; NULL = as it comes
 * @is_down: largest first
 * @conditions: what rows must fulfil
 * @nr_conditions: how many
 */
struct gp_view {
	const struct gp_column *columns;
	u32 nr_columns;
	const struct gp_column *shown[GP_VIEW_COLUMNS];
	u32 nr_shown;
	const struct gp_column *sort;
	bool is_down;
	struct gp_condition conditions[GP_VIEW_CONDITIONS];
	u32 nr_conditions;
};

/**
 * gp_view_init() - choose columns, order and conditions
 * @v: output
 * @columns: those there are
 * @nr: how many
 * @o: options
 *
 * "--fields help" prints the names.
 *
 * Return: GP_GO_ON, or the exit code.
 */
int gp_view_init(struct gp_view *v, const struct gp_column *columns, u32 nr,
		 const struct gp_options *o);

/**
 * gp_view_apply() - rows that fulfil the conditions, sorted
 * @v: view
 * @rows: array; the reference is taken
 *
 * Return: a new array.
 */
json_t *gp_view_apply(const struct gp_view *v, json_t *rows);

/* Prints rows for people, or between commas. */
void gp_view_print(const struct gp_view *v, const json_t *rows, const struct gp_options *o);

/* For programs: the rows as they are, or only the fields that were named. Takes the reference. */
json_t *gp_view_json(const struct gp_view *v, json_t *rows, const struct gp_options *o);

/* The value of a column in a row; NULL = not there. Borrowed. */
const json_t *gp_column_value(const struct gp_column *c, const json_t *row);

#define GP_CELL_MAX 160

/* A value as people read it; "-" = unknown; durations with their unit. Gives @out. */
const char *gp_format_value(const json_t *value, enum gp_column_kind kind, char *out);

/* Is standard output to be coloured? */
bool gp_use_color(const struct gp_options *o);

#endif
