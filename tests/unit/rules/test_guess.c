// SPDX-License-Identifier: MIT
/* Names that a user may have meant: what is near is found, what is far is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/guess.h"

static const char *guess(const char *word)
{
	static const char *const names[] = { "listing", "list", "stats", "priority", "max_wait_ns",
					     "off" };
	static struct gp_guess g;
	unsigned int i;

	gp_guess_init(&g, word);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		gp_guess_try(&g, names[i]);
	return gp_guess_text(&g);
}

static void near_names_are_found(void **state)
{
	assert_string_equal(guess("lst"), "; did you mean list?");	    /* one is missing */
	assert_string_equal(guess("lisst"), "; did you mean list?");	    /* one too many */
	assert_string_equal(guess("lost"), "; did you mean list?");	    /* another one */
	assert_string_equal(guess("lsit"), "; did you mean list?");	    /* two changed places */
	assert_string_equal(guess("max_wait"), "; did you mean max_wait_ns?"); /* it begins so */
	/* What is meant is nearer than what begins so. */
	assert_string_equal(guess("list"), "; did you mean list?");
}

static void far_ones_are_not(void **state)
{
	assert_string_equal(guess(""), "");
	assert_string_equal(guess("o"), "");
	assert_string_equal(guess("xyzzy"), "");
	assert_string_equal(guess("lt"), "");
}

/* Whatever is typed, and whatever it is compared with, stays within the text. */
static void long_words_are_cut(void **state)
{
	char word[200], name[200];
	struct gp_guess g;
	size_t len;

	for (len = 0; len < sizeof(word) - 1; len++) {
		memset(word, 'a', len);
		memset(name, 'a', len + 1);
		word[len] = name[len + 1] = '\0';
		gp_guess_init(&g, word);
		gp_guess_try(&g, name);
		assert_true(strlen(gp_guess_text(&g)) < sizeof(g.text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_names_are_found),
		cmocka_unit_test(far_ones_are_not),
		cmocka_unit_test(long_words_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
