// SPDX-License-Identifier: MIT
#include "cli/cli_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_table_init(struct cli_table *t, const char *const *headers, u32 nr_left)
{
	memset(t, 0, sizeof(*t));
	t->nr_left = nr_left;
	t->left = nr_left < 32 ? (1u << nr_left) - 1 : ~0u;
	while (headers[t->nr_columns] && t->nr_columns < CLI_TABLE_COLUMNS) {
		t->headers[t->nr_columns] = headers[t->nr_columns];
		t->nr_columns++;
	}
}

void cli_table_fini(struct cli_table *t)
{
	free(t->cells);
	memset(t, 0, sizeof(*t));
}

void cli_table_add_row(struct cli_table *t)
{
	size_t row = t->nr_columns * sizeof(*t->cells);

	/* Room for as many again. */
	if (!(t->nr_rows & (t->nr_rows - 1))) {
		void *cells = realloc(t->cells, max(2 * t->nr_rows, 1u) * row);

		if (!cells) {
			t->error = -ENOMEM;
			return;
		}
		t->cells = cells;
	}
	t->nr_rows++;
	for (u32 c = 0; c < t->nr_columns; c++) {
		cli_table_set(t, c, "-");
		cli_table_color(t, c, CLI_TABLE_PLAIN);
	}
}

/* Of the last row; NULL = there is none. */
static struct cli_table_cell *cell_of(struct cli_table *t, u32 column)
{
	if (t->error || !t->nr_rows || column >= t->nr_columns)
		return NULL;
	return &t->cells[(t->nr_rows - 1) * t->nr_columns + column];
}

void cli_table_color(struct cli_table *t, u32 column, enum cli_table_color color)
{
	struct cli_table_cell *cell = cell_of(t, column);

	if (cell)
		cell->color = color;
}

void cli_table_set(struct cli_table *t, u32 column, const char *format, ...)
{
	struct cli_table_cell *cell = cell_of(t, column);
	va_list args;

	va_start(args, format);
	if (cell)
		vsnprintf(cell->text, sizeof(cell->text), format, args);
	va_end(args);
}

const char *cli_table_cell(const struct cli_table *t, u32 row, u32 column)
{
	return t->cells[row * t->nr_columns + column].text;
}

static u32 width_of(const struct cli_table *t, u32 column)
{
	size_t width = t->no_header ? 0 : strlen(t->headers[column]);

	for (u32 r = 0; r < t->nr_rows; r++)
		width = max(width, strlen(cli_table_cell(t, r, column)));
	return (u32)width;
}

static bool is_hidden(const struct cli_table *t, u32 column)
{
	return t->hidden & (1u << column);
}

static bool is_last_shown(const struct cli_table *t, u32 column)
{
	while (++column < t->nr_columns) {
		if (!is_hidden(t, column))
			return false;
	}
	return true;
}

/* No blanks at the end of a line; the colour is on the text alone. */
static void print_cell(const struct cli_table *t, u32 column, u32 width, const char *text,
		       enum cli_table_color color, FILE *out)
{
	int pad = (int)width - (int)strlen(text);
	bool is_last = is_last_shown(t, column);
	bool is_left = t->left & (1u << column);

	if (is_hidden(t, column))
		return;
	if (!is_left)
		fprintf(out, "%*s", pad, "");
	if (color && t->is_colored)
		fprintf(out, "\033[%um%s\033[0m", color, text);
	else
		fputs(text, out);
	if (is_left && !is_last)
		fprintf(out, "%*s", pad, "");
	fputs(is_last ? "\n" : "  ", out);
}

void cli_table_fit(struct cli_table *t, const u32 *columns, u32 nr, u32 width)
{
	u32 line = 0;

	for (u32 c = 0; c < t->nr_columns; c++)
		line += is_hidden(t, c) ? 0 : width_of(t, c) + 2;
	for (u32 i = 0; width && i < nr && line > width + 2; i++) {
		line -= is_hidden(t, columns[i]) ? 0 : width_of(t, columns[i]) + 2;
		t->hidden |= 1u << columns[i];
	}
}

void cli_table_print(const struct cli_table *t, FILE *out)
{
	u32 width[CLI_TABLE_COLUMNS];

	for (u32 c = 0; c < t->nr_columns; c++)
		width[c] = width_of(t, c);
	for (u32 c = 0; !t->no_header && c < t->nr_columns; c++)
		print_cell(t, c, width[c], t->headers[c], CLI_TABLE_PLAIN, out);
	for (u32 r = 0; r < t->nr_rows; r++) {
		for (u32 c = 0; c < t->nr_columns; c++)
			print_cell(t, c, width[c], cli_table_cell(t, r, c),
				   t->cells[r * t->nr_columns + c].color, out);
	}
}
