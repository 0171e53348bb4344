/* SPDX-License-Identifier: MIT */
/* The name that a user may have meant. */
#ifndef GP_CLI_GUESS_H
#define GP_CLI_GUESS_H

#include "gp_port.h"

struct cli_guess {
	const char *word;	/* what was typed */
	const char *best;	/* nearest name so far; NULL = none is near */
	u32 distance;	/* of it: letters to change */
	char text[64];	/* of cli_guess_text() */
};

void cli_guess_init(struct cli_guess *g, const char *word);

/* One name that there is. */
void cli_guess_try(struct cli_guess *g, const char *name);

/* "; did you mean NAME?", or "" if nothing is near. */
const char *cli_guess_text(struct cli_guess *g);

#endif
