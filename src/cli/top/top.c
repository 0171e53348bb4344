// SPDX-License-Identifier: MIT
/* The keys of the full screen, and when it looks again. */
#include "cli/cli_verb.h"
#include "cli/top/top_screen.h"

#include <ctype.h>
#include <limits.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEASE_MS 60000
#define ESCAPE 27
#define CTRL_U 21

static struct cli_top_row *get_selected(struct cli_top_screen *c)
{
	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (c->top.rows[i].pid == c->selected)
			return &c->top.rows[i];
	}
	return NULL;
}

static void move_selection(struct cli_top_screen *c, int by)
{
	u32 nr, at = cli_top_selected(c, &nr), n = 0;
	u32 to = by < 0 ? at - (at > 0) : min(at + 1, nr ? nr - 1 : 0);

	for (u32 i = 0; i < c->top.nr_rows; i++) {
		if (cli_top_matches(&c->top, &c->top.rows[i], c->filter, c->gpu) && n++ == to)
			c->selected = c->top.rows[i].pid;
	}
}

/* Says what became of it in the last line. Takes the reference. */
static void order(struct cli_top_screen *c, const char *method, json_t *parameters,
		  const char *done)
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

static void act(struct cli_top_screen *c)
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

static void ask(struct cli_top_screen *c, int key)
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
		int prio = atoi(r->cells[CLI_TOP_PRIO]);

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
static void read_filter(struct cli_top_screen *c)
{
	size_t len;
	int key;

	timeout(-1);
	do {
		snprintf(c->status, sizeof(c->status), "filter: %s_", c->filter);
		cli_top_draw(c);
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

/* What y or another key says to the open question. */
static void answer(struct cli_top_screen *c, int key)
{
	c->status[0] = '\0';
	/* The selection goes to another only when this one is gone. */
	if (key == 'y' && c->selected != c->asked)
		snprintf(c->status, sizeof(c->status), "%u is gone", c->asked);
	else if (key == 'y')
		act(c);
	else
		snprintf(c->status, sizeof(c->status), "cancelled");
	c->ask = 0;
}

static void sort_by(struct cli_top_screen *c, u32 cell)
{
	c->by = cell % CLI_TOP_CELLS;
	c->is_up = cli_top_sorts_up(c->by);
}

/* All GPUs, the first, the next, …, all. */
static void next_gpu(struct cli_top_screen *c)
{
	u32 next = 0;

	for (u32 i = 0; c->gpu[0] && i < c->top.nr_devices; i++) {
		if (!strcmp(c->top.devices[i].cells[CLI_TOP_DEVICE_GPU], c->gpu))
			next = i + 1;
	}
	snprintf(c->gpu, sizeof(c->gpu), "%.11s",
		 next < c->top.nr_devices ? c->top.devices[next].cells[CLI_TOP_DEVICE_GPU] : "");
}

/* False = end. */
static bool handle(struct cli_top_screen *c, int key)
{
	if (c->ask && (key == ERR || key == KEY_RESIZE))
		return true;
	if (c->ask) {
		answer(c, key);
		return true;
	}
	if (key != ERR)
		c->status[0] = '\0';
	switch (key) {
	case 'q':
		if (!c->is_detail)
			return false;
		c->is_detail = false;
		break;
	case KEY_UP:
	case 'k':
		move_selection(c, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_selection(c, 1);
		break;
	case 'o':
	case '>':
		sort_by(c, c->by + 1);
		break;
	case '<':
		sort_by(c, c->by + CLI_TOP_CELLS - 1);
		break;
	case 'R':
		c->is_up = !c->is_up;
		break;
	case 'c':
		c->no_charts = !c->no_charts;
		break;
	case 'g':
		next_gpu(c);
		break;
	case '\n':
	case KEY_ENTER:
		c->is_detail = !c->is_detail && get_selected(c);
		break;
	case '/':
		read_filter(c);
		break;
	case ESCAPE:
	case CTRL_U:
		if (!c->is_detail)
			c->filter[0] = c->gpu[0] = '\0';
		c->is_detail = false;
		break;
	case '?':
	case 'h':
	case KEY_F(1):
		cli_top_help();
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

/*
 * Looks once more. A daemon that has gone may come back, after an upgrade for one: the screen stays
 * and says so, and the next look tries again.
 */
static int look(struct cli_top_screen *c)
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
	/* What is written over it is open no more. */
	c->ask = 0;
	/* What was printed of it stands on the screen. */
	clearok(curscr, TRUE);
	snprintf(c->status, sizeof(c->status),
		 "the daemon does not answer; waiting for it, q ends");
	return CLI_GO_ON;
}

/* Keys are served at once; looks keep their distance, or the rates would mean nothing. */
static int run_screen(struct cli_top_screen *c)
{
	const struct cli_options *o = &c->s->o;
	u64 next_ns = 0, nr = 0;
	int ret = CLI_GO_ON;

	cli_top_start(o);
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
		cli_top_draw(c);
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
static int run_once(struct cli_top_screen *c)
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
	bool is_up;
	u32 by;

	if (s->o.sort && cli_top_parse_sort(s->o.sort, &by, &is_up)) {
		char names[160] = "";

		for (u32 i = 0; i < CLI_TOP_CELLS; i++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 i ? ", " : "one of ", cli_top_sort_name(i));
		cli_error("--sort", "%s", names);
		return CLI_EXIT_USAGE;
	}
	if (s->o.is_once || (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)))
		return CLI_GO_ON;
	cli_error("top", "needs a terminal; try gpreempt top --once");
	return CLI_EXIT_FAILED;
}

static int top(struct cli_session *s)
{
	struct cli_top_screen c = { .by = CLI_TOP_PRIO, .s = s };
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
	.doc = "Shows devices and processes on a full screen with charts, refreshed every\n"
	       "second. Keys: up and down select, Enter shows all about a process, < and > sort\n"
	       "by another column, / filters, g shows one GPU alone, + and - change the\n"
	       "priority, s suspends for a minute, r resumes, ? helps, q ends. --sort is a\n"
	       "column (prio, run, off, wait, …), with - before it the largest first. RUN% and\n"
	       "OFF% are shares of the last interval: running, and off the GPU with work. After\n"
	       "a state, ! is: off the GPU for about as long as max_wait_ns lets a process be.",
	.example = "gpreempt top\n"
		   "gpreempt top --sort -off --gpu 0",
	.options = CLI_OPTS_TOP | CLI_OPTS_DEVICE,
	.partner = CLI_PARTNER_ANY,
	.prepare = prepare,
	.run = top,
};
