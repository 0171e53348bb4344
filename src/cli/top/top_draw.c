// SPDX-License-Identifier: MIT
/* Everything that top puts on the screen; what is shown comes from top_model.c. */
#include "cli/top/top_screen.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of colours have the numbers of their colours, but that of the headers. */
#define PAIR_OF_HEAD 7
#define RUN ((chtype)'|' | (chtype)COLOR_PAIR(COLOR_GREEN))
#define OFF ((chtype)'-' | (chtype)COLOR_PAIR(COLOR_YELLOW))
#define RATE ((chtype)'#' | (chtype)COLOR_PAIR(COLOR_CYAN))
/* With fewer lines charts would take room that processes need. */
#define CHART_LINES 18
#define AXIS 5 /* "100% " */
#define TWO_CHARTS 100

/* A line that fills the width, so that an attribute shows to its end. */
static void put_line(int y, attr_t attr, const char *text)
{
	attron(attr);
	mvprintw(y, 0, "%-*.*s", COLS, COLS, text);
	attroff(attr);
}

static void color(int y, int at, size_t len, short pair)
{
	if (pair && at < COLS)
		mvchgat(y, at, (int)len, (attr_t)COLOR_PAIR(pair), pair, NULL);
}

/* Red is 31 in the terminal's own words and 1 here; so with the others. */
static short pair_of(const char *word)
{
	return (short)(cli_color_of(word) % 10);
}

/* Colours a word that is in the line already, as it means. */
static void tint(int y, const char *line, const char *word)
{
	const char *at = strstr(line, word);

	if (at)
		color(y, (int)(at - line), strlen(word), pair_of(word));
}

static void put_bar(int y, int x, const struct cli_top_row *r)
{
	u32 run, off;

	if (x + CLI_TOP_BAR + 3 > COLS)
		return;
	if (!r) {
		mvprintw(y, x, "|run -off");
		return;
	}
	cli_top_bar(r, &run, &off);
	mvaddch(y, x, '[');
	for (u32 i = 0; i < CLI_TOP_BAR; i++)
		addch(i < run ? RUN : i < run + off ? OFF : (chtype)' ');
	addch(']');
}

static int draw_devices(struct cli_top_screen *c, int y)
{
	char line[CLI_TOP_LINE];

	put_line(y++, COLOR_PAIR(PAIR_OF_HEAD), cli_top_device_line(NULL, COLS, line));
	for (u32 i = 0; i < c->top.nr_devices && y < LINES - 4; i++) {
		const struct cli_top_device *d = &c->top.devices[i];

		put_line(y, 0, cli_top_device_line(d, COLS, line));
		tint(y++, line, d->cells[CLI_TOP_HEALTH]);
		if (d->reason[0] && y < LINES - 4)
			mvprintw(y++, 4, "%.*s", COLS - 5, d->reason);
	}
	return y;
}

u32 cli_top_selected(struct cli_top_screen *c, u32 *nr)
{
	u32 at = 0, n = 0, first = 0;
	bool is_there = false;

	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (!cli_top_matches(&c->top, &c->top.rows[i], c->filter, c->gpu))
			continue;
		if (!n)
			first = c->top.rows[i].pid;
		if (c->top.rows[i].pid == c->selected) {
			at = n;
			is_there = true;
		}
		n++;
	}
	if (!is_there)
		c->selected = first;
	*nr = n;
	return at;
}

static void draw_row(struct cli_top_screen *c, int y, const struct cli_top_row *r)
{
	bool is_selected = r->pid == c->selected;
	char line[CLI_TOP_LINE];
	u32 at, len;

	cli_top_row_line(r, COLS, line);
	put_line(y, is_selected ? A_REVERSE : 0, line);
	if (!is_selected && cli_top_find_cell(CLI_TOP_STATE, COLS, &at, &len))
		color(y, (int)at, len, r->is_late ? COLOR_RED : pair_of(r->cells[CLI_TOP_STATE]));
	put_bar(y, (int)strlen(line) + 2, r);
}

/* The column that rows are sorted by is marked. */
static void draw_head(struct cli_top_screen *c, int y)
{
	char line[CLI_TOP_LINE];
	u32 at, len;

	put_line(y, COLOR_PAIR(PAIR_OF_HEAD), cli_top_row_line(NULL, COLS, line));
	attron(COLOR_PAIR(PAIR_OF_HEAD));
	put_bar(y, (int)strlen(line) + 2, NULL);
	attroff(COLOR_PAIR(PAIR_OF_HEAD));
	if (cli_top_find_cell(c->by, COLS, &at, &len))
		mvchgat(y, (int)at, (int)len, A_BOLD | A_UNDERLINE, PAIR_OF_HEAD, NULL);
}

/* From line @y to before line @end. Return: the line after the last. */
static int draw_rows(struct cli_top_screen *c, int y, int end)
{
	u32 nr, at = cli_top_selected(c, &nr), n = 0;
	int room = max(end - y - 1, 1);
	u32 skip = at >= (u32)room ? at - (u32)room + 1 : 0;
	bool is_part = c->filter[0] || c->gpu[0];

	draw_head(c, y++);
	for (u32 i = 0; i < c->top.nr_rows && y < end; i++) {
		const struct cli_top_row *r = &c->top.rows[i];

		if (cli_top_matches(&c->top, r, c->filter, c->gpu) && n++ >= skip)
			draw_row(c, y++, r);
	}
	if (!nr && y < end)
		mvprintw(y++, 2, "%s", is_part ? "no process matches" : "no process has queues");
	return y;
}

/* A frame of @lines: its title, and what the top and the bottom stand for. */
static void draw_frame(int y, int x, int width, int lines, const char *title, const char *top)
{
	attron(A_BOLD);
	mvprintw(y, x, "%.*s", width, title);
	attroff(A_BOLD);
	attron(A_DIM);
	mvprintw(y + 1, x, "%*s", AXIS - 1, top);
	mvprintw(y + lines - 1, x, "%*s", AXIS - 1, "0");
	attroff(A_DIM);
}

/* What a process did, the last look on the right. */
static void draw_trail(int y, int x, int width, int lines, const struct cli_top_row *r,
		       const struct cli_top_trail *p)
{
	u32 high = (u32)lines - 1, wide = (u32)(width - AXIS);
	u32 nr = p ? min(p->nr, wide) : 0;
	char title[96];

	snprintf(title, sizeof(title), "%s (%s): | runs, - off the GPU with work",
		 r->cells[CLI_TOP_PID], r->cells[CLI_TOP_COMMAND]);
	draw_frame(y, x, width, lines, title, "100%");
	for (u32 i = 0; i < nr; i++) {
		u32 k = p->nr - nr + i, run = (p->run[k] * high + 50) / 100;
		u32 off = min((p->off[k] * high + 50) / 100, high - run);

		for (u32 h = 0; h < run + off; h++)
			mvaddch(y + (int)(high - h), x + AXIS + (int)(wide - nr + i),
				h < run ? RUN : OFF);
	}
}

static void draw_rates(int y, int x, int width, int lines, const struct cli_top *t)
{
	u32 high = (u32)lines - 1, wide = (u32)(width - AXIS);
	u32 nr = min(t->nr_per_s, wide), from = t->nr_per_s - nr;
	double most = 1;
	char top[AXIS];

	for (u32 i = from; i < t->nr_per_s; i++)
		most = max(most, t->per_s[i]);
	snprintf(top, sizeof(top), "%.0f", most < 9999 ? most : 9999);
	draw_frame(y, x, width, lines, "preemptions a second, all GPUs", top);
	for (u32 i = 0; i < nr; i++) {
		u32 h = (u32)(t->per_s[from + i] * high / most + 0.5);

		while (h-- > 0)
			mvaddch(y + (int)(high - h), x + AXIS + (int)(wide - nr + i), RATE);
	}
}

static const struct cli_top_row *selected_row(const struct cli_top_screen *c)
{
	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (c->top.rows[i].pid == c->selected)
			return &c->top.rows[i];
	}
	return NULL;
}

/* One chart, or two beside each other. */
static void draw_charts(struct cli_top_screen *c, int y, int lines)
{
	const struct cli_top_row *r = selected_row(c);
	int width = COLS >= TWO_CHARTS ? COLS / 2 - 2 : COLS;

	if (r)
		draw_trail(y, 0, width, lines, r, cli_top_trail_of(&c->top, r->pid));
	if (!r || width < COLS)
		draw_rates(y, r ? COLS / 2 : 0, width, lines, &c->top);
}

/* All that there is to say of a process, in as many columns as there is room for. */
static int draw_facts(const json_t *p, int y, int end)
{
	const struct cli_objects *k = &cli_objects[CLI_OBJECT_PROCESS];
	int per_row = max(COLS / 40, 1), nr = 0;
	char text[CLI_CELL_MAX];

	for (u32 i = 0; i < k->nr_columns; i++) {
		const struct cli_column *col = &k->columns[i];
		int at = y + nr / per_row, x = nr % per_row * 40;

		cli_format_value(cli_column_value(col, p), col->kind, text);
		if (at >= end || !strcmp(text, "-") || !*text || !strcmp(col->name, "notes") ||
		    !strcmp(col->name, "sees"))
			continue;
		attron(A_DIM);
		mvprintw(at, x, "%-11.11s", col->header);
		attroff(A_DIM);
		printw(" %.26s", text);
		nr++;
	}
	return y + (nr + per_row - 1) / per_row;
}

static void draw_detail(struct cli_top_screen *c)
{
	const struct cli_top_row *r = selected_row(c);
	const json_t *p = cli_top_process(&c->top, c->selected);
	int lines = LINES >= CHART_LINES ? LINES / 3 : 0, y;

	if (!r || !p) {
		mvprintw(2, 2, "the process is gone");
		return;
	}
	y = draw_facts(p, 2, LINES - 1 - lines);
	for (size_t i = 0; i < json_array_size(json_object_get(p, "notes")); i++) {
		if (y < LINES - 1 - lines)
			mvprintw(y++, 0, "%.*s", COLS,
				 json_string_value(
					 json_array_get(json_object_get(p, "notes"), i)));
	}
	if (r->is_late && y < LINES - 1 - lines)
		put_line(y, COLOR_PAIR(COLOR_RED),
			 "! off the GPU for about as long as max_wait_ns lets it be");
	if (lines)
		draw_trail(LINES - 1 - lines, 0, COLS, lines, r,
			   cli_top_trail_of(&c->top, r->pid));
}

static void draw_list(struct cli_top_screen *c)
{
	int lines = LINES >= CHART_LINES && !c->no_charts ? LINES / 4 : 0;
	int y = LINES > 12 ? draw_devices(c, 2) + 1 : draw_devices(c, 1);

	draw_rows(c, y, LINES - 1 - lines - (lines > 0));
	if (lines)
		draw_charts(c, LINES - 1 - lines, lines);
}

static void draw_last(const struct cli_top_screen *c)
{
	char last[240];

	if (c->is_detail)
		snprintf(last, sizeof(last), "Esc back  s suspend  r resume  +/- priority  ? help");
	else
		snprintf(last, sizeof(last),
			 "? help  q end  o order: %s%s%s%s%s  Enter detail  s suspend  r resume  "
			 "+/- priority",
			 cli_top_sort_name(c->by), c->gpu[0] ? "  GPU " : "", c->gpu,
			 c->filter[0] ? "  filter: " : "  / filter", c->filter);
	put_line(LINES - 1, c->status[0] ? A_BOLD : A_DIM, c->status[0] ? c->status : last);
}

void cli_top_draw(struct cli_top_screen *c)
{
	erase();
	if (COLS < CLI_TOP_COLUMNS || LINES < CLI_TOP_LINES) {
		mvprintw(0, 0, "%dx%d is too small: %dx%d at least", COLS, LINES, CLI_TOP_COLUMNS,
			 CLI_TOP_LINES);
		refresh();
		return;
	}
	put_line(0, A_BOLD, c->top.head);
	if (c->is_detail)
		draw_detail(c);
	else
		draw_list(c);
	draw_last(c);
	refresh();
}

static const char *const help[] = {
	"up, down  select a process",
	"Enter     all about the selected one; Esc goes back",
	"o, < >    sort by the next column, the one before; R turns the order round",
	"/         only processes with this in their name or number; Esc shows all",
	"g         only the processes of the next GPU",
	"c         charts or none",
	"+, -      raise or lower the priority of the selected one",
	"s         suspend it for a minute",
	"r         resume it",
	"q         end",
	"",
	"GPU             its number, as amd-smi counts",
	"QUEUES, BUSY    queues, and those with work",
	"OUT             processes that are off the GPU",
	"STATE           with ! it is off the GPU for about as long as max_wait_ns lets it be",
	"RUN%, OFF%      share of the last interval: running, off the GPU with work",
	"PRE/S           preemptions a second in the last interval",
	"PREEMPTED       all of them",
	"OFF_MAX         the longest time off the GPU",
	"SW_P50, SW_P99  how long a switch takes",
	"WAIT_P99        how long work waited for its first run; of a device, online work",
	"",
	"A narrow terminal has no room for all columns; those that matter least go first.",
};

/* Words of a line until it is full. Return: what is left of it. */
static const char *wrap(const char *text, int width, int *len)
{
	*len = (int)strlen(text);
	if (*len <= width)
		return text + *len;
	for (*len = width; *len > 1 && text[*len] != ' ';)
		--*len;
	return text + *len + strspn(text + *len, " ");
}

/* All lines from the one with number @skip on. Return: how many there are in all. */
static int put_help(int skip)
{
	static const char more[] = "down: more. Any key goes back.";
	int nr = 0, len;

	erase();
	for (u32 i = 0; i < ARRAY_SIZE(help); i++) {
		const char *rest = help[i];

		do {
			bool is_first = rest == help[i];
			const char *next = wrap(rest, COLS - (is_first ? 0 : 4), &len);

			if (nr >= skip && nr - skip < LINES - 1)
				mvprintw(nr - skip, is_first ? 0 : 4, "%.*s", len, rest);
			nr++;
			rest = next;
		} while (*rest);
	}
	put_line(LINES - 1, A_DIM, nr - skip > LINES - 1 ? more : strchr(more, 'A'));
	refresh();
	return nr;
}

void cli_top_help(void)
{
	int skip = 0, nr, key;

	timeout(-1);
	do {
		nr = put_help(skip);
		key = getch();
		if ((key == KEY_DOWN || key == 'j' || key == ' ') && skip + LINES - 1 < nr)
			skip += LINES / 2;
		else if ((key == KEY_UP || key == 'k') && skip)
			skip = max(skip - LINES / 2, 0);
		else if (key != KEY_RESIZE)
			return;
	} while (true);
}

void cli_top_start(const struct cli_options *o)
{
	cli_catch_end();
	initscr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	if (o->color == CLI_COLOR_NEVER || (o->color == CLI_COLOR_AUTO && getenv("NO_COLOR")) ||
	    !has_colors())
		return;
	start_color();
	use_default_colors();
	for (short i = COLOR_RED; i <= COLOR_CYAN; i++)
		init_pair(i, i, -1);
	init_pair(PAIR_OF_HEAD, COLOR_BLACK, COLOR_CYAN);
}
