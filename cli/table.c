// SPDX-License-Identifier: MIT
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void gp_table_init(struct gp_table *t, const char *const *headers, u32 nr_left)
{
	memset(t, 0, sizeof(*t));
	t->nr_left = nr_left;
	while (headers[t->nr_columns] && t->nr_columns < GP_TABLE_COLUMNS) {
		t->headers[t->nr_columns] = headers[t->nr_columns];
		t->nr_columns++;
	}
}

void gp_table_fini(struct gp_table *t)
{
	free(t->cells);
	memset(t, 0, sizeof(*t));
}

void gp_table_add_row(struct gp_table *t)
{
	if (t->nr_rows == t->cap) {
		u32 cap = t->cap ? 2 * t->cap : 16;
		void *mem = realloc(t->cells, (size_t)cap * t->nr_columns * sizeof(*t->cells));

		if (!mem) {
			t->error = -ENOMEM;
			return;
		}
		t->cells = mem;
		t->cap = cap;
	}
	t->nr_rows++;
	for (u32 c = 0; c < t->nr_columns; c++)
		gp_table_set(t, c, "-");
}

void gp_table_set(struct gp_table *t, u32 column, const char *format, ...)
{
	va_list args;

	if (t->error || !t->nr_rows || column >= t->nr_columns)
		return;
	va_start(args, format);
	vsnprintf(t->cells[(t->nr_rows - 1) * t->nr_columns + column], GP_TABLE_CELL, format,
		  args);
	va_end(args);
}

const char *gp_table_cell(const struct gp_table *t, u32 row, u32 column)
{
	return t->cells[row * t->nr_columns + column];
}

static u32 width_of(const struct gp_table *t, u32 column)
{
	size_t width = strlen(t->headers[column]);

	for (u32 r = 0; r < t->nr_rows; r++)
		width = max(width, strlen(gp_table_cell(t, r, column)));
	return (u32)width;
}

/* No blanks at the end of a line. */
static void print_cell(const struct gp_table *t, u32 column, const char *text, FILE *out)
{
	int width = (int)width_of(t, column);
	bool is_last = column + 1 == t->nr_columns;

	if (column >= t->nr_left)
		fprintf(out, "%*s", width, text);
	else
		fprintf(out, "%-*s", is_last ? 0 : width, text);
	fputs(is_last ? "\n" : "  ", out);
}

void gp_table_print(const struct gp_table *t, FILE *out)
{
	for (u32 c = 0; c < t->nr_columns; c++)
		print_cell(t, c, t->headers[c], out);
	for (u32 r = 0; r < t->nr_rows; r++) {
		for (u32 c = 0; c < t->nr_columns; c++)
			print_cell(t, c, gp_table_cell(t, r, c), out);
	}
}
