/* SPDX-License-Identifier: MIT */
/*
 * Rows of JSON as people and programs want to see them: chosen columns, sorted,
 * filtered, aligned or between commas. A view knows the columns there can be.
 */
#ifndef GP_CLI_VIEW_H
#define GP_CLI_VIEW_H

#include "cli/cli_options.h"
#include "cli/cli_table.h"

#include <jansson.h>

enum cli_column_kind {
	CLI_COLUMN_TEXT,
	CLI_COLUMN_LIST,	/* texts, joined by commas */
	CLI_COLUMN_BOOL,	/* yes, no */
	CLI_COLUMN_INT,
	CLI_COLUMN_HEX,
	CLI_COLUMN_BYTES,	/* with a unit that reads well */
	CLI_COLUMN_NS,	/* each value with the unit that reads well */
};

/**
 * struct cli_column - a column
 * @name: of the field
 * @header: for people; a unit is added to it
 * @path: keys that lead to the value, "a.b"; NULL = the name
 * @kind: how it is shown
 * @is_extra: only if asked for
 */
struct cli_column {
	const char *name;
	const char *header;
	const char *path;
	enum cli_column_kind kind;
	bool is_extra;
};

#define CLI_VIEW_COLUMNS 32
#define CLI_VIEW_CONDITIONS 8

/* Of a filter. */
struct cli_condition {
	const struct cli_column *column;
	char op;	/* '=', '!', '<', '>' */
	char text[64];	/* with what it is compared */
	double with;	/* the same of < and > */
};

/* What is shown. */
struct cli_view {
	const struct cli_column *columns;	/* those there are */
	u32 nr_columns;
	const struct cli_column *shown[CLI_VIEW_COLUMNS];
	u32 nr_shown;
	const struct cli_column *sort;	/* NULL = as it comes */
	bool is_down;	/* largest first */
	struct cli_condition conditions[CLI_VIEW_CONDITIONS];	/* what rows must fulfil */
	u32 nr_conditions;
};

/**
 * cli_view_init() - choose columns, order and conditions
 * @v: output
 * @columns: those there are
 * @nr: how many
 * @o: options
 *
 * "--fields help" prints the names.
 *
 * Return: CLI_GO_ON, or the exit code.
 */
int cli_view_init(struct cli_view *v, const struct cli_column *columns, u32 nr,
		  const struct cli_options *o);

/**
 * cli_view_apply() - rows that fulfil the conditions, sorted
 * @v: view
 * @rows: array; the reference is taken
 *
 * Return: a new array.
 */
json_t *cli_view_apply(const struct cli_view *v, json_t *rows);

/* Prints rows for people, or between commas. */
void cli_view_print(const struct cli_view *v, const json_t *rows, const struct cli_options *o);

/* For programs: the rows as they are, or only the fields that were named. Takes the reference. */
json_t *cli_view_json(const struct cli_view *v, json_t *rows, const struct cli_options *o);

/* Of a row: a number or 0; a text or ""; is there a text in a list that begins with @word? */
json_int_t cli_number(const json_t *row, const char *key);
const char *cli_text(const json_t *row, const char *key);
bool cli_has(const json_t *row, const char *key, const char *word);

/* The value of a column in a row; NULL = not there. Borrowed. */
const json_t *cli_column_value(const struct cli_column *c, const json_t *row);

#define CLI_CELL_MAX 160

/* A value as people read it; "-" = unknown; durations with their unit. Gives @out. */
const char *cli_format_value(const json_t *value, enum cli_column_kind kind, char *out);

/* The colour of a state, of health, or of a finding. */
enum cli_table_color cli_color_of(const char *word);

/* Is standard output to be coloured? */
bool cli_use_color(const struct cli_options *o);

#endif
