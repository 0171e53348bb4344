/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The name that a user may have meant. */
#ifndef GP_RULES_GUESS_H
#define GP_RULES_GUESS_H

#include "gp_port.h"

#define GP_GUESS_TEXT 64

/* A word, and what is nearest to it. */
struct gp_guess {
	const char *word;	  /* what was typed */
	const char *best;	  /* nearest name so far; NULL = none is near */
	u32 distance;		  /* of it: letters to change */
	char text[GP_GUESS_TEXT]; /* of gp_guess_text() */
};

/* Nothing is near yet. @word must outlive the guess. */
void gp_guess_init(struct gp_guess *g, const char *word);

/* One name that there is. It must outlive the guess. */
void gp_guess_try(struct gp_guess *g, const char *name);

/* "; did you mean NAME?", or "" if nothing is near. */
const char *gp_guess_text(struct gp_guess *g);

#endif
