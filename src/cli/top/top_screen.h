/* SPDX-License-Identifier: MIT */
/* The full screen: what is on it besides the picture, and what draws it. */
#ifndef GP_CLI_TOP_SCREEN_H
#define GP_CLI_TOP_SCREEN_H

#include "cli/top/top_model.h"

/* Less than this is too small to say anything. */
#define CLI_TOP_COLUMNS 40
#define CLI_TOP_LINES 8

struct cli_top_screen {
	struct cli_top top; /* what is on it */
	struct cli_session *s;
	u32 by;		/* cell that rows are sorted by */
	bool is_up;	/* smallest first */
	u32 selected;	/* pid; the selection moves with its process */
	bool is_detail; /* the selected one alone, with all there is to say */
	bool no_charts;
	char filter[24];  /* which processes */
	char gpu[12];	  /* of which GPU; "" = all */
	char status[160]; /* last line */
	int ask;	  /* a question is open: what y does */
	u32 asked;	  /* to which pid */
	int prio;	  /* new priority, if that is asked */
	bool is_waiting;  /* for the daemon to come back */
};

void cli_top_draw(struct cli_top_screen *c);

/* Which of those that match is the selected one; the first if it is gone. @nr: how many match. */
u32 cli_top_selected(struct cli_top_screen *c, u32 *nr);

/* All keys and columns, until a key goes back. */
void cli_top_help(void);

/* Colours and keys of the terminal. */
void cli_top_start(const struct cli_options *o);

#endif
