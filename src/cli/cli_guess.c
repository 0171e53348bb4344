// SPDX-License-Identifier: MIT
#include "cli/cli_guess.h"

#include <stdio.h>
#include <string.h>

#define MAX_WORD 40

/* Letters to insert, to take away, to change or to swap with their neighbour. */
static u32 distance_of(const char *a, const char *b)
{
	u32 rows[3][MAX_WORD + 1], *two = rows[0], *one = rows[1], *now = rows[2];
	size_t la = strlen(a), lb = strlen(b);

	if (la > MAX_WORD || lb > MAX_WORD)
		return MAX_WORD;
	for (u32 j = 0; j <= lb; j++)
		one[j] = j;
	for (u32 i = 1; i <= la; i++) {
		u32 *old = two;

		now[0] = i;
		for (u32 j = 1; j <= lb; j++) {
			u32 least = one[j - 1] + (a[i - 1] != b[j - 1]);

			least = min(least, one[j] + 1);
			least = min(least, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = min(least, two[j - 2] + 1);
			now[j] = least;
		}
		two = one;
		one = now;
		now = old;
	}
	return one[lb];
}

void cli_guess_init(struct cli_guess *g, const char *word)
{
	*g = (struct cli_guess){ .word = word, .distance = MAX_WORD };
}

void cli_guess_try(struct cli_guess *g, const char *name)
{
	size_t len = strlen(g->word);
	u32 d = distance_of(g->word, name);

	/* What begins so is near however much is missing. */
	if (len > 2 && !strncmp(g->word, name, len))
		d = 1;
	/* A third of the letters may be wrong, but of two none. */
	if (d < g->distance && d <= (len < 3 ? 0 : 1 + len / 5)) {
		g->distance = d;
		g->best = name;
	}
}

const char *cli_guess_text(struct cli_guess *g)
{
	if (g->best)
		snprintf(g->text, sizeof(g->text), "; did you mean %.40s?", g->best);
	return g->text;
}
