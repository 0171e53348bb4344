// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/guess.h"

#define MAX_WORD 40

static size_t length_of(const char *text)
{
	size_t len = 0;

	while (text[len])
		len++;
	return len;
}

static bool begins_with(const char *text, const char *with, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] != with[i])
			return false;
	}
	return true;
}

/* Letters to insert, to take away, to change or to swap with their neighbour. */
static u32 distance_of(const char *a, const char *b)
{
	u32 rows[3][MAX_WORD + 1], *two = rows[0], *one = rows[1], *now = rows[2];
	size_t la = length_of(a), lb = length_of(b);

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

void gp_guess_init(struct gp_guess *g, const char *word)
{
	*g = (struct gp_guess){ .word = word, .distance = MAX_WORD };
}

void gp_guess_try(struct gp_guess *g, const char *name)
{
	size_t len = length_of(g->word);
	u32 d = distance_of(g->word, name);

	/* What begins so is near however much is missing. */
	if (d > 1 && len > 2 && begins_with(name, g->word, len))
		d = 1;
	/* A third of the letters may be wrong, but of two none. */
	if (d < g->distance && d <= (len < 3 ? 0 : 1 + len / 5)) {
		g->distance = d;
		g->best = name;
	}
}

const char *gp_guess_text(struct gp_guess *g)
{
	static const char *const before = "; did you mean ";
	size_t len = length_of(before), n;

	g->text[0] = '\0';
	if (!g->best)
		return g->text;
	n = min(length_of(g->best), (size_t)MAX_WORD);
	memcpy(g->text, before, len);
	memcpy(g->text + len, g->best, n);
	memcpy(g->text + len + n, "?", 2);
	return g->text;
}
