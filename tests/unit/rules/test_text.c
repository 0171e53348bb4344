// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/text.h"

#define NEVER_WRITTEN 12345u

static void numbers_are_digits(void **state)
{
	static const struct {
		const char *text;
		int ret;
		u64 value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "42", 0, 42 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, U64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "1ms", -EINVAL, 0 },
		{ "99999999999999999999999999x", -EINVAL, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 v = NEVER_WRITTEN;

		assert_int_equal(gp_text_read_u64(cases[i].text, 0, U64_MAX, &v), cases[i].ret);
		assert_int_equal(v, cases[i].ret ? NEVER_WRITTEN : cases[i].value);
	}
}

static void numbers_have_a_range(void **state)
{
	u64 v = NEVER_WRITTEN;

	assert_int_equal(gp_text_read_u64("4", 5, 10, &v), -ERANGE);
	assert_int_equal(gp_text_read_u64("11", 5, 10, &v), -ERANGE);
	assert_int_equal(v, NEVER_WRITTEN);
	assert_int_equal(gp_text_read_u64("5", 5, 10, &v), 0);
	assert_int_equal(gp_text_read_u64("10", 5, 10, &v), 0);
	assert_int_equal(v, 10);
}

static void decimals_are_exact(void **state)
{
	u64 v = NEVER_WRITTEN;

	assert_int_equal(gp_text_read_decimal("1.5", 1000000, "", &v), 0);
	assert_int_equal(v, 1500000);
	assert_int_equal(gp_text_read_decimal("12.5%", 10000, "%", &v), 0);
	assert_int_equal(v, 125000);
	assert_int_equal(gp_text_read_decimal("0.000001", 1000000, "", &v), 0);
	assert_int_equal(v, 1);
	assert_int_equal(gp_text_read_decimal("0.0000010", 1000000, "", &v), 0);
	assert_int_equal(gp_text_read_decimal("0.0000001", 1000000, "", &v), -EINVAL);
	assert_int_equal(gp_text_read_decimal("1.", 1000000, "", &v), -EINVAL);
	assert_int_equal(gp_text_read_decimal(".5", 1000000, "", &v), -EINVAL);
	assert_int_equal(gp_text_read_decimal("1", 1000000, "%", &v), -EINVAL);
	assert_int_equal(gp_text_read_decimal("1%%", 1000000, "%", &v), -EINVAL);
	assert_int_equal(gp_text_read_decimal("18446744073710", 1000000, "", &v), -ERANGE);
	assert_int_equal(v, 1);
}

static void times_have_units(void **state)
{
	static const struct {
		const char *text;
		u64 unit;
		int ret;
		u64 ns;
	} cases[] = {
		{ "20ms", 0, 0, 20000000 },
		{ "20 ms", 0, 0, 20000000 },
		{ "1.5s", 0, 0, 1500000000 },
		{ "0.5min", 0, 0, 30000000000 },
		{ "2h", 0, 0, 7200000000000 },
		{ "7ns", 0, 0, 7 },
		{ "1.000us", 0, 0, 1000 },
		{ "0", 0, 0, 0 },
		{ "0.0", 0, 0, 0 },
		{ "0h", 0, 0, 0 },
		{ "0.1h", 0, 0, 360000000000 },
		{ "1.0000000000000000s", 0, 0, 1000000000 },
		{ "1.00000000001s", 0, -EINVAL, 0 },
		{ "0.0005us", 0, -EINVAL, 0 },
		{ "20msx", 0, -EINVAL, 0 },
		{ "1,5s", 0, -EINVAL, 0 },
		{ "1.s", 0, -EINVAL, 0 },
		{ "1.5ns", 0, -EINVAL, 0 },
		{ "5", 0, -EINVAL, 0 },
		{ "5", GP_TEXT_S, 0, 5000000000 },
		{ "0.25", GP_TEXT_S, 0, 250000000 },
		{ "5", GP_TEXT_NS, 0, 5 },
		{ "0.5", GP_TEXT_NS, -EINVAL, 0 },
		{ "5ms", GP_TEXT_S, 0, 5000000 },
		{ "", GP_TEXT_S, -EINVAL, 0 },
		{ "ms", 0, -EINVAL, 0 },
		{ "5 ", GP_TEXT_S, -EINVAL, 0 },
		{ " 5", GP_TEXT_S, -EINVAL, 0 },
		{ "5ms ", 0, -EINVAL, 0 },
		{ "5m", 0, -EINVAL, 0 },
		{ "5 m s", 0, -EINVAL, 0 },
		{ "1.2.3s", 0, -EINVAL, 0 },
		{ "1..2s", 0, -EINVAL, 0 },
		{ ".5s", 0, -EINVAL, 0 },
		{ "-5s", 0, -EINVAL, 0 },
		{ "1e3s", 0, -EINVAL, 0 },
		{ "inf", GP_TEXT_S, -EINVAL, 0 },
		{ "18446744073709551615ns", 0, 0, U64_MAX },
		{ "18446744073709551616ns", 0, -ERANGE, 0 },
		{ "18446744073.709551615s", 0, 0, U64_MAX },
		{ "18446744073.709551616s", 0, -ERANGE, 0 },
		{ "6000000h", 0, -ERANGE, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 v = NEVER_WRITTEN;
		int ret = gp_text_read_time(cases[i].text, cases[i].unit, &v);

		if (ret != cases[i].ret)
			fail_msg("%s: %d", cases[i].text, ret);
		assert_int_equal(v, cases[i].ret ? NEVER_WRITTEN : cases[i].ns);
	}
}

static void yes_and_no(void **state)
{
	static const char *const yes[] = { "yes", "true", "1" };
	static const char *const no[] = { "no", "false", "0" };
	bool v;
	u32 i;

	for (i = 0; i < 3; i++) {
		v = false;
		assert_int_equal(gp_text_read_bool(yes[i], &v), 0);
		assert_true(v);
		assert_int_equal(gp_text_read_bool(no[i], &v), 0);
		assert_false(v);
	}
	assert_int_equal(gp_text_read_bool("", &v), -EINVAL);
	assert_int_equal(gp_text_read_bool("YES", &v), -EINVAL);
	assert_int_equal(gp_text_read_bool("2", &v), -EINVAL);
}

static void text_is_read_back(void **state)
{
	static const struct {
		u64 ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" }, { 7, "7ns" }, { 1000, "1us" }, { 1500000, "1500us" },
		{ 20000000, "20ms" }, { 90000000000, "90s" }, { 3600000000000, "3600s" },
		{ U64_MAX, "18446744073709551615ns" },
		{ 10000000000000000000ull, "10000000000s" },
	};
	char text[GP_TEXT_NUMBER_MAX];
	u64 v;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(gp_text_time(cases[i].ns, text), cases[i].text);
		assert_int_equal(gp_text_read_time(text, 0, &v), 0);
		assert_int_equal(v, cases[i].ns);
		gp_text_u64(cases[i].ns, text);
		assert_int_equal(gp_text_read_u64(text, 0, U64_MAX, &v), 0);
		assert_int_equal(v, cases[i].ns);
	}
	assert_string_equal(gp_text_u64(0, text), "0");
	assert_string_equal(gp_text_u64(10, text), "10");
}

static void parameters_have_one_name(void **state)
{
	const struct gp_param_desc *desc, *found;
	char name[GP_TEXT_PARAM_MAX];
	u64 v, nr_policy = 0;
	u32 i;

	for (i = 0; (desc = gp_text_param(i, name)); i++) {
		char text[GP_TEXT_NUMBER_MAX];

		assert_true(strlen(name) < GP_TEXT_PARAM_MAX / 2);
		assert_ptr_equal(gp_params_find(name), desc);
		assert_int_equal(gp_text_read_param(name, gp_text_u64(desc->def, text), &v, &found),
				 0);
		assert_int_equal(v, desc->def);
		assert_ptr_equal(found, desc);
		nr_policy += !!strchr(name, '.');
	}
	assert_true(gp_text_is_policy("fair"));
	assert_false(gp_text_is_policy("fai"));
	assert_false(gp_text_is_policy(""));
	assert_true(i > 10 && nr_policy > 3 && nr_policy < i);
	assert_null(gp_text_param(i, name));
}

static void parameters_are_read_by_their_unit(void **state)
{
	const struct gp_param_desc *desc = NULL;
	u64 v = NEVER_WRITTEN;

	assert_int_equal(gp_text_read_param("min_run_ns", "2ms", &v, NULL), 0);
	assert_int_equal(v, 2000000);
	assert_int_equal(gp_text_read_param("min_run_ns", "2000001", &v, NULL), 0);
	assert_int_equal(v, 2000001);
	assert_int_equal(gp_text_read_param("rate_per_s", "2ms", &v, NULL), -EINVAL);
	assert_int_equal(gp_text_read_param("min_run_ns", "1000000h", &v, &desc), -ERANGE);
	assert_non_null(desc);
	assert_int_equal(gp_text_read_param("nothing", "1", &v, &desc), -ENOENT);
	assert_null(desc);
	assert_int_equal(v, 2000001);
	assert_string_equal(gp_text_unit("min_run_ns"), "ns");
	assert_string_equal(gp_text_unit("a_ppm"), "ppm");
	assert_null(gp_text_unit("width"));
	assert_null(gp_text_unit("ns"));
	assert_null(gp_text_unit("rate_per_s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_digits),
		cmocka_unit_test(numbers_have_a_range),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(yes_and_no),
		cmocka_unit_test(text_is_read_back),
		cmocka_unit_test(parameters_have_one_name),
		cmocka_unit_test(parameters_are_read_by_their_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
