// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/report.h"
#include "trace/svg.h"

#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size;

static FILE *begin(void)
{
	return open_memstream(&text, &size);
}

static int count(const char *what)
{
	int nr = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		nr++;
	return nr;
}

static void texts_are_escaped(void **state)
{
	FILE *out = begin();

	trace_report_paragraph(out, "<script>alert('x') & \"y\"</script>");
	fclose(out);
	assert_string_equal(text, "<p>&lt;script&gt;alert(&#39;x&#39;) &amp; &quot;y&quot;"
				  "&lt;/script&gt;</p>\n");
	free(text);
}

static void durations_have_no_needless_digits(void **state)
{
	static const struct {
		s64 ns;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999 ns" },
		{ 500000, "500 µs" },
		{ 1500000, "1.5 ms" },
		{ -20000, "-20 µs" },
		{ 2000000000, "2 s" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		char got[32];

		trace_svg_duration(cases[i].ns, got, sizeof(got));
		assert_string_equal(got, cases[i].text);
	}
}

static void only_boxes_inside_the_window_are_drawn(void **state)
{
	static const char *const tracks[] = { "one" };
	static const char *const kinds[] = { "kernel" };
	const struct trace_report_span spans[] = {
		{ 0, 0, 0, 99 }, { 0, 0, 90, 110 }, { 0, 0, 150, 160 }, { 0, 0, 199, 300 },
		{ 0, 0, 200, 300 }, { 7, 0, 150, 160 }, { 0, 3, 150, 160 },
	};
	struct trace_report_timeline t = {
		.description = "d", .from_ns = 100, .to_ns = 200, .zero_ns = 150, .nr_tracks = 1,
		.tracks = tracks, .nr_kinds = 1, .kinds = kinds, .nr_spans = ARRAY_SIZE(spans),
		.spans = spans,
	};
	FILE *out = begin();

	trace_report_timeline(out, &t);
	fclose(out);
	assert_int_equal(count("<title>kernel"), 3);
	assert_int_equal(count("class=\"zero\""), 1);
	assert_null(strstr(text, "nan"));
	free(text);
}

static void curves_without_points_are_in_the_legend_only(void **state)
{
	const u64 ns[] = { 1000, 2000, 50000 };
	const struct trace_report_curve curves[] = {
		{ "some", 0, 0, 3, 3, ns, true },
		{ "none at all", 1, 1, 0, 10, NULL, false },
	};
	FILE *out = begin();

	trace_report_curves(out, "d", curves, 2);
	fclose(out);
	assert_int_equal(count("<path class=\"curve"), 1);
	assert_non_null(strstr(text, "none at all (most never end)"));
	assert_null(strstr(text, "nan"));
	free(text);
	out = begin();
	trace_report_curves(out, "d", curves + 1, 1);
	fclose(out);
	assert_int_equal(count("<path class=\"curve"), 0);
	free(text);
}

static void what_was_never_reached_has_its_own_place(void **state)
{
	const struct trace_report_point points[] = {
		{ "quick", 0, 5000000, 0.74, true },
		{ "slow", 1, 50000000, 0.75, false },
		{ "not <at> all", 2, U64_MAX, 1.0, false },
	};
	FILE *out = begin();

	trace_report_scatter(out, "d", "x", "y", points, 3);
	fclose(out);
	assert_int_equal(count("<circle class=\"dot"), 3);
	assert_int_equal(count("<circle class=\"ring"), 1);
	assert_non_null(strstr(text, "cx=\"930.0\""));
	assert_non_null(strstr(text, "not &lt;at&gt; all"));
	assert_null(strstr(text, "nan"));
	free(text);
	out = begin();
	trace_report_scatter(out, "d", "x", "y", points + 2, 1);
	fclose(out);
	assert_int_equal(count("<circle"), 0);
	free(text);
}

/* The end of a text, a letter of which is eight units wide at most. */
static double end_of(const char *p)
{
	double x = strtod(strstr(p, " x=\"") + 4, NULL);
	const char *words = strchr(p, '>') + 1;
	double width = 8 * (double)(strchr(words, '<') - words);

	if (strstr(p, "\"end\"") < words && strstr(p, "\"end\""))
		return x;
	return x + (strstr(p, "\"middle\"") && strstr(p, "\"middle\"") < words ? width / 2 : width);
}

static void assert_no_text_is_cut_off(void)
{
	int nr = 0;

	for (const char *p = text; (p = strstr(p, "<text ")); p++, nr++)
		assert_true(end_of(p) <= 1000);
	assert_true(nr > 5);
}

/* The last decade of an axis may end at its right end. */
static void units_of_axes_are_inside_of_the_picture(void **state)
{
	const struct trace_report_point points[] = {
		{ "a", 0, 500, 0.74, true },
		{ "a long name of a mechanism", 1, 99000000, 0.75, false },
		{ "not at all", 2, U64_MAX, 1.0, false },
	};
	const u64 ns[] = { 500, 99000000 };
	const struct trace_report_curve curve = { "c", 0, 0, 2, 2, ns, false };
	FILE *out = begin();

	trace_report_curves(out, "d", &curve, 1);
	fclose(out);
	assert_non_null(strstr(text, ">100 ms<"));
	assert_no_text_is_cut_off();
	free(text);
	out = begin();
	trace_report_scatter(out, "d", "x", "y", points, 3);
	fclose(out);
	assert_no_text_is_cut_off();
	free(text);
}

/* What is marked is wide, and under what has the same values: both are seen. */
static void marked_ones_hide_no_others(void **state)
{
	const u64 ns[] = { 1000, 2000, 50000 };
	const struct trace_report_curve curves[] = {
		{ "a", 0, 0, 3, 3, ns, false },
		{ "b", 1, 0, 3, 3, ns, true },
		{ "c", 2, 0, 3, 3, ns, false },
	};
	const struct trace_report_point points[] = {
		{ "a", 0, 5000000, 0.74, false },
		{ "b", 1, 5000000, 0.74, true },
		{ "c", 2, 50000000, 0.75, false },
	};
	FILE *out = begin();

	trace_report_curves(out, "d", curves, 3);
	fclose(out);
	assert_true(strstr(text, "<path class=\"curve s1 d0 marked\"") <
		    strstr(text, "<path class=\"curve s0 d0\""));
	free(text);
	out = begin();
	trace_report_scatter(out, "d", "x", "y", points, 3);
	fclose(out);
	assert_true(strstr(text, "r=\"11\"") < strstr(text, "r=\"6\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(durations_have_no_needless_digits),
		cmocka_unit_test(only_boxes_inside_the_window_are_drawn),
		cmocka_unit_test(curves_without_points_are_in_the_legend_only),
		cmocka_unit_test(what_was_never_reached_has_its_own_place),
		cmocka_unit_test(units_of_axes_are_inside_of_the_picture),
		cmocka_unit_test(marked_ones_hide_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
