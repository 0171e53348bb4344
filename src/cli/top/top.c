// SPDX-License-Identifier: MIT
/*
 * The full screen. Everything that draws or reads keys is here; what is shown comes
 * from top_model.c.
 */
#include "cli/cli_verb.h"
#include "cli/top/top_model.h"

#include <ctype.h>
#include <limits.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEASE_MS 60000
#define ESCAPE 27
#define CTRL_U 21

struct screen {
	struct cli_top top;	/* what is on it */
	struct cli_session *s;
	enum cli_top_sort by;
	bool is_up;	/* smallest first */
	u32 selected;	/* pid; the selection moves with its process */
	char filter[24];	/* which processes */
	char status[160];	/* last line */
	int ask;	/* a question is open: what y does */
	u32 asked;	/* to which pid */
	int prio;	/* new priority, if that is asked */
	bool is_waiting; /* for the daemon to come back */
};

/* Pairs of colours have the numbers of their colours, but that of the headers. */
#define PAIR_OF_HEAD 7

/* A line that fills the width, so that an attribute shows to its end. */
static void put_line(int y, attr_t attr, const char *text)
{
	attron(attr);
	mvprintw(y, 0, "%-*.*s", COLS, COLS, text);
	attroff(attr);
}

/* Colours a word that is in the line already, as it means. */
static void tint(int y, const char *line, const char *word)
{
	const char *at = strstr(line, word);
	/* Red is 31 in the terminal's own words and 1 here; so with the others. */
	short pair = (short)(cli_color_of(word) % 10);

	if (at && pair && at - line < COLS)
		mvchgat(y, (int)(at - line), (int)strlen(word), (attr_t)COLOR_PAIR(pair), pair,
			NULL);
}

static void put_bar(int y, int x, const struct cli_top_row *r)
{
	u32 run, off;

	if (x + CLI_TOP_BAR + 3 > COLS)
		return;
	cli_top_bar(r, &run, &off);
	mvaddch(y, x, '[');
	for (u32 i = 0; i < CLI_TOP_BAR; i++)
		addch(i < run ? '|' | COLOR_PAIR(COLOR_GREEN) :
		      i < run + off ? '-' | COLOR_PAIR(COLOR_YELLOW) : ' ');
	addch(']');
}

static int draw_devices(struct screen *c, int y)
{
	char line[CLI_TOP_LINE];

	put_line(y++, COLOR_PAIR(PAIR_OF_HEAD), cli_top_device_line(NULL, COLS, line));
	for (u32 i = 0; i < c->top.nr_devices && y < LINES - 4; i++) {
		const struct cli_top_device *d = &c->top.devices[i];

		put_line(y, 0, cli_top_device_line(d, COLS, line));
		tint(y++, line, d->cells[CLI_TOP_HEALTH]);
		if (d->reason[0] && y < LINES - 4)
			mvprintw(y++, 11, "%.*s", COLS - 12, d->reason);
	}
	return y;
}

/* Which of those that match is the selected one; the first if it is gone. */
static u32 find_selected(struct screen *c, u32 *nr)
{
	u32 at = 0, n = 0, first = 0;
	bool is_there = false;

	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (!cli_top_matches(&c->top.rows[i], c->filter))
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

static void draw_rows(struct screen *c, int y)
{
	char line[CLI_TOP_LINE];
	u32 nr, at = find_selected(c, &nr), n = 0;
	int room = max(LINES - y - 2, 1);
	u32 skip = at >= (u32)room ? at - (u32)room + 1 : 0;

	put_line(y++, COLOR_PAIR(PAIR_OF_HEAD), cli_top_row_line(NULL, COLS, line));
	for (u32 i = 0; i < c->top.nr_rows && y < LINES - 1; i++) {
		const struct cli_top_row *r = &c->top.rows[i];
		bool is_selected = r->pid == c->selected;

		if (!cli_top_matches(r, c->filter) || n++ < skip)
			continue;
		cli_top_row_line(r, COLS, line);
		put_line(y, is_selected ? A_REVERSE : 0, line);
		if (!is_selected)
			tint(y, line, r->cells[CLI_TOP_STATE]);
		put_bar(y++, (int)strlen(line) + 2, r);
	}
	if (!nr)
		mvprintw(y, 2, "%s", c->filter[0] ? "no process matches" : "no process has queues");
}

static void draw(struct screen *c)
{
	char last[200];
	int y;

	erase();
	put_line(0, A_BOLD, c->top.head);
	y = draw_devices(c, 2);
	draw_rows(c, y + 1);
	snprintf(last, sizeof(last),
		 "? help  q end  s suspend  r resume  +/- priority  / filter%s%s  o order: %s",
		 c->filter[0] ? ": " : "", c->filter, cli_top_sort_name(c->by));
	put_line(LINES - 1, c->status[0] ? A_BOLD : A_DIM, c->status[0] ? c->status : last);
	refresh();
}

static void show_help(void)
{
	static const char text[] =
		"up, down  select a process\n"
		"o         the next order: prio, run, off, preempted, pid\n"
		"/         only processes with this in their name or number; Esc shows all\n"
		"+, -      raise or lower the priority of the selected one\n"
		"s         suspend it for a minute\n"
		"r         resume it\n"
		"q         end\n"
		"\n"
		"QUEUES, BUSY    queues, and those with work\n"
		"OUT             processes that are stopped\n"
		"RUN%, OFF%      share of the last interval: running, stopped with work to do\n"
		"PRE/S           preemptions a second in the last interval\n"
		"PREEMPTED       all of them\n"
		"OFF_MAX         the longest time off the GPU\n"
		"SW_P50, SW_P99  how long a switch takes\n"
		"\n"
		"A narrow terminal has no room for NAME, CLASS, QUEUES and PREEMPTED.\n"
		"\n"
		"Any key goes back.";

	timeout(-1);
	do {
		erase();
		mvaddstr(0, 0, text);
		refresh();
	} while (getch() == KEY_RESIZE);
}

static struct cli_top_row *get_selected(struct screen *c)
{
	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (c->top.rows[i].pid == c->selected)
			return &c->top.rows[i];
	}
	return NULL;
}

static void move_selection(struct screen *c, int by)
{
	u32 nr, at = find_selected(c, &nr), n = 0;
	u32 to = by < 0 ? at - (at > 0) : min(at + 1, nr ? nr - 1 : 0);

	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (cli_top_matches(&c->top.rows[i], c->filter) && n++ == to)
			c->selected = c->top.rows[i].pid;
	}
}

/* Says what became of it in the last line. Takes the reference. */
static void order(struct screen *c, const char *method, json_t *parameters, const char *done)
{
	json_t *reply;
	int err = cli_session_ask(c->s->g, method, parameters, &reply);
	const json_t *first = json_array_get(json_object_get(reply, "results"), 0);
	const char *reason = cli_text(first, "reason");

	snprintf(c->status, sizeof(c->status), "%.150s",
		 err ? gpreempt_strerror(c->s->g) : *reason ? reason
							    : done);
	json_decref(reply);
}

static void act(struct screen *c)
{
	json_int_t pid = c->asked;

	switch (c->ask) {
	case 's':
		order(c, "Suspend", json_pack("{s:[{s:I}], s:i, s:b}", "targets", "pid", pid,
					      "lease_ms", LEASE_MS, "keep", 1), "suspended");
		break;
	case 'r':
		order(c, "Resume", json_pack("{s:[{s:I}]}", "targets", "pid", pid), "resumed");
		break;
	case '+':
		order(c, "SetAttributes", json_pack("{s:I, s:{s:i}}", "pid", pid, "attributes",
						    "priority", c->prio), "priority changed");
		break;
	}
}

static void ask(struct screen *c, int key)
{
	const struct cli_top_row *r = get_selected(c);

	if (!r || c->s->is_direct || !c->s->g) {
		snprintf(c->status, sizeof(c->status), "%s",
			 r ? "this needs the daemon" : "none selected");
		return;
	}
	c->ask = key == '-' ? '+' : key;
	c->asked = r->pid;
	if (key == '+' || key == '-') {
		int prio = (int)r->keys[CLI_TOP_BY_PRIO];

		c->prio = min(max(prio + (key == '+' ? 1 : -1), 0), GPREEMPT_PRIO_MAX);
		snprintf(c->status, sizeof(c->status), "priority of %u (%s) %d -> %d? y/n", r->pid,
			 r->cells[CLI_TOP_COMMAND], prio, c->prio);
		return;
	}
	snprintf(c->status, sizeof(c->status), "%s %u (%s)%s? y/n",
		 key == 's' ? "suspend" : "resume", r->pid, r->cells[CLI_TOP_COMMAND],
		 key == 's' ? " for a minute" : "");
}

/* The filter is typed in the last line; Enter or Escape ends it. */
static void read_filter(struct screen *c)
{
	size_t len;
	int key;

	timeout(-1);
	do {
		snprintf(c->status, sizeof(c->status), "filter: %s_", c->filter);
		draw(c);
		key = cli_is_over() ? ERR : getch();
		len = strlen(c->filter);
		if (key == CTRL_U) {
			c->filter[0] = '\0';
		} else if ((key == KEY_BACKSPACE || key == 127) && len) {
			c->filter[len - 1] = '\0';
		} else if (key > 0 && key < 256 && isprint(key) && len + 1 < sizeof(c->filter)) {
			c->filter[len] = (char)key;
			c->filter[len + 1] = '\0';
		}
	} while (key != '\n' && key != ESCAPE && key != ERR);
	if (key == ESCAPE)
		c->filter[0] = '\0';
	c->status[0] = '\0';
}

/* False = end. */
static bool handle(struct screen *c, int key)
{
	if (c->ask && (key == ERR || key == KEY_RESIZE))
		return true;
	if (c->ask) {
		c->status[0] = '\0';
		/* The selection goes to another only when this one is gone. */
		if (key == 'y' && c->selected != c->asked)
			snprintf(c->status, sizeof(c->status), "%u is gone", c->asked);
		else if (key == 'y')
			act(c);
		else
			snprintf(c->status, sizeof(c->status), "cancelled");
		c->ask = 0;
		return true;
	}
	if (key != ERR)
		c->status[0] = '\0';
	switch (key) {
	case 'q':
		return false;
	case KEY_UP:
	case 'k':
		move_selection(c, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_selection(c, 1);
		break;
	case 'o':
		c->by = (enum cli_top_sort)((c->by + 1) % CLI_TOP_SORT_COUNT);
		c->is_up = c->by == CLI_TOP_BY_PID;
		break;
	case '/':
		read_filter(c);
		break;
	case ESCAPE:
	case CTRL_U:
		c->filter[0] = '\0';
		break;
	case '?':
	case 'h':
	case KEY_F(1):
		show_help();
		break;
	case '+':
	case '-':
	case 's':
	case 'r':
		ask(c, key);
		break;
	}
	return true;
}

static void start_screen(const struct cli_options *o)
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

/*
 * Looks once more. A daemon that has gone may come back, after an upgrade for one: the screen stays
 * and says so, and the next look tries again.
 */
static int look(struct screen *c)
{
	struct cli_session *s = c->s;
	int ret = CLI_EXIT_NO_DAEMON;

	if (!s->g && gpreempt_open(&s->g, GPREEMPT_OPEN_DAEMON, s->o.socket))
		s->g = NULL;
	if (s->g)
		ret = cli_top_look(&c->top, s);
	if (ret == CLI_GO_ON && c->is_waiting)
		c->status[0] = '\0';
	c->is_waiting = ret == CLI_EXIT_NO_DAEMON && !s->is_direct;
	if (!c->is_waiting)
		return ret;
	gpreempt_close(s->g);
	s->g = NULL;
	/* What was printed of it stands on the screen. */
	clearok(curscr, TRUE);
	snprintf(c->status, sizeof(c->status),
		 "the daemon does not answer; waiting for it, q ends");
	return CLI_GO_ON;
}

/* Keys are served at once; looks keep their distance, or the rates would mean nothing. */
static int run_screen(struct screen *c)
{
	const struct cli_options *o = &c->s->o;
	u64 next_ns = 0, nr = 0;
	int ret = CLI_GO_ON;

	start_screen(o);
	while (!cli_is_over()) {
		u64 now_ns = cli_now_ns();

		if (now_ns >= next_ns) {
			ret = look(c);
			next_ns = now_ns + (o->watch_ns ? o->watch_ns : CLI_NS_PER_S);
			nr++;
		}
		if (ret != CLI_GO_ON)
			break;
		cli_top_sort(&c->top, c->by, c->is_up);
		draw(c);
		if (o->count && nr >= o->count)
			break;
		timeout((int)min((u64)((next_ns - now_ns) / CLI_NS_PER_MS + 1), (u64)60000));
		if (!handle(c, getch()))
			break;
	}
	endwin();
	if (ret == CLI_GO_ON)
		return CLI_EXIT_OK;
	cli_error("top", "the daemon does not answer any more");
	return ret;
}

/* Text for a pipe: rates need two looks. */
static int run_once(struct screen *c)
{
	char line[CLI_TOP_LINE];
	int ret = cli_top_look(&c->top, c->s);

	if (ret == CLI_GO_ON) {
		cli_sleep(c->s->o.watch_ns ? c->s->o.watch_ns : CLI_NS_PER_S / 4);
		ret = cli_top_look(&c->top, c->s);
	}
	if (ret != CLI_GO_ON)
		return ret;
	cli_top_sort(&c->top, c->by, c->is_up);
	printf("%s\n\n%s\n", c->top.head, cli_top_device_line(NULL, INT_MAX, line));
	for (u32 i = 0; i < c->top.nr_devices; i++)
		puts(cli_top_device_line(&c->top.devices[i], INT_MAX, line));
	printf("\n%s\n", cli_top_row_line(NULL, INT_MAX, line));
	for (u32 i = 0; i < c->top.nr_rows; i++)
		puts(cli_top_row_line(&c->top.rows[i], INT_MAX, line));
	return cli_finish(CLI_EXIT_OK);
}

static int prepare(struct cli_session *s)
{
	enum cli_top_sort by;
	bool is_up;

	if (s->o.sort && cli_top_parse_sort(s->o.sort, &by, &is_up)) {
		cli_error("--sort", "prio, run, off, preempted or pid");
		return CLI_EXIT_USAGE;
	}
	if (s->o.is_once || (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)))
		return CLI_GO_ON;
	cli_error("top", "needs a terminal; try gpreempt top --once");
	return CLI_EXIT_FAILED;
}

static int top(struct cli_session *s)
{
	struct screen c = { .by = CLI_TOP_BY_PRIO, .s = s };
	int ret;

	if (s->o.sort)
		cli_top_parse_sort(s->o.sort, &c.by, &c.is_up);
	ret = s->o.is_once ? run_once(&c) : run_screen(&c);
	cli_top_fini(&c.top);
	return ret;
}

const struct cli_verb cli_verb_top = {
	.name = "top",
	.usage = "[OPTION...]",
	.doc = "Shows devices and processes on a full screen, refreshed every second. Keys: up\n"
	       "and down select, o changes the order, / filters, + and - change the priority, s\n"
	       "suspends for a minute, r resumes, ? helps, q ends. --sort is one of prio, run,\n"
	       "off, preempted, pid. RUN% and OFF% are shares of the last interval: running, and\n"
	       "stopped with work to do.",
	.options = CLI_OPTS_TOP | CLI_OPTS_DEVICE,
	.partner = CLI_PARTNER_ANY,
	.prepare = prepare,
	.run = top,
};
