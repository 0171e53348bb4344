// SPDX-License-Identifier: MIT
#include "unit.h"

#include "daemon/gpd_util.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint32_t take(struct gpd_bucket *b, uint32_t tries, uint64_t now_ns)
{
	uint32_t nr = 0;

	while (tries--)
		nr += gpd_bucket_take(b, 1000, 100, now_ns);
	return nr;
}

static void a_bucket_gives_its_burst_then_its_rate(void **state)
{
	struct gpd_bucket b = { 0 };
	uint64_t t = GPD_NS_PER_SEC;

	assert_int_equal(take(&b, 500, t), 100);
	assert_int_equal(take(&b, 500, t + 10 * GPD_NS_PER_MS), 10);
	assert_int_equal(take(&b, 500, t + 10 * GPD_NS_PER_SEC), 100);
}

/* Tokens that come slower than they are asked for are not lost to rounding. */
static void a_bucket_asked_often_fills_all_the_same(void **state)
{
	struct gpd_bucket b = { 0 };
	uint64_t t = GPD_NS_PER_SEC;
	uint32_t nr = 0;
	int i;

	take(&b, 100, t);
	for (i = 0; i < 100000; i++)
		nr += gpd_bucket_take(&b, 1000, 100, t += 10500);
	assert_in_range(nr, 1040, 1051);
}

static void text_of_strangers_is_cleaned(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "plain", "plain" },	      { "a\nb\x1b[0m", "a?b?[0m" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" }, { "\xff\xc3", "??" },
		{ "\xc2\x85", "??" },	      { "\xe0\x80\x80", "???" },
		{ "", "" },
	};
	char text[16];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gpd_text_clean(text, sizeof(text), cases[i].in, strlen(cases[i].in));
		assert_string_equal(text, cases[i].out);
	}
	gpd_text_clean(text, sizeof(text), "no end and longer than there is room", 36);
	assert_int_equal(strlen(text), sizeof(text) - 1);
	gpd_text_clean(text, 4, "ab\xc3\xbc", 4);
	assert_string_equal(text, "ab");
}

static void a_process_is_read(void **state)
{
	struct gpd_proc proc;

	assert_int_equal(gpd_proc_read(getpid(), &proc), 0);
	assert_int_equal(proc.uid, geteuid());
	assert_int_equal(proc.state, 'R');
	assert_true(proc.start_time > 0);
	assert_int_equal(gpd_proc_read(4194303, &proc), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_gives_its_burst_then_its_rate),
		cmocka_unit_test(a_bucket_asked_often_fills_all_the_same),
		cmocka_unit_test(text_of_strangers_is_cleaned),
		cmocka_unit_test(a_process_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
