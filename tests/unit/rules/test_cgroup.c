// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rules/cgroup.h"
#include "rules/pressure.h"

#define MS ((u64)1000000)
#define SEC (1000 * MS)

static int say(struct gp_cgroup_attr *a, const char *name, const char *text)
{
	return gp_cgroup_read(name, text, a);
}

static void values_are_those_of_cgroup_v2(void **state)
{
	struct gp_cgroup_attr a;

	(void)state;
	gp_cgroup_default(&a);
	assert_int_equal(a.mask, 0);
	assert_int_equal(say(&a, "weight", "250"), 0);
	assert_int_equal(say(&a, "max", "20000 50000"), 0);
	assert_int_equal(say(&a, "latency", "1500"), 0);
	assert_int_equal(say(&a, "idle", "1"), 0);
	assert_int_equal(a.mask, GP_CGROUP_ALL);
	assert_int_equal(a.weight, 250);
	assert_int_equal(a.quota_ns, 20 * MS);
	assert_int_equal(a.period_ns, 50 * MS);
	assert_int_equal(a.latency_ns, 1500000);
	assert_true(a.idle);
	assert_int_equal(say(&a, "max", "5000"), 0);
	assert_int_equal(a.period_ns, 100 * MS);
	assert_int_equal(say(&a, "max", "max"), 0);
	assert_int_equal(a.quota_ns, 0);
}

static void what_is_no_value_changes_nothing(void **state)
{
	static const char *const bad[][2] = {
		{ "weight", "0" }, { "weight", "10001" }, { "weight", "" }, { "weight", "1 " },
		{ "max", "" }, { "max", "999" }, { "max", "1000 999" }, { "max", "5000 1000001" },
		{ "max", "5000 50000 1" }, { "max", "maximum" }, { "max", "-1" },
		{ "max", "99999999999999999999999999999" }, { "idle", "2" }, { "latency", "1ms" },
		{ "latency", "3600000001" }, { "weights", "1" }, { "", "1" },
	};
	struct gp_cgroup_attr a, before;
	size_t i;

	(void)state;
	gp_cgroup_default(&a);
	say(&a, "max", "3000 40000");
	before = a;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(say(&a, bad[i][0], bad[i][1]) < 0);
		assert_memory_equal(&a, &before, sizeof(a));
	}
}

static void text_is_read_back(void **state)
{
	static const char *const max[] = { "max 100000", "1000 1000", "3600000000 1000000" };
	char text[GP_CGROUP_TEXT_MAX];
	struct gp_cgroup_attr a;
	size_t i;

	(void)state;
	gp_cgroup_default(&a);
	for (i = 0; i < 3; i++) {
		assert_int_equal(say(&a, "max", max[i]), 0);
		assert_string_equal(gp_cgroup_text(&a, GP_CGROUP_INDEX_MAX, text), max[i]);
	}
	assert_string_equal(gp_cgroup_text(&a, GP_CGROUP_INDEX_WEIGHT, text), "100");
	assert_string_equal(gp_cgroup_text(&a, GP_CGROUP_INDEX_IDLE, text), "0");
	assert_string_equal(gp_cgroup_text(&a, GP_CGROUP_COUNT, text), "");
}

static void others_can_only_lower(void **state)
{
	struct gp_cgroup_attr a, wish;

	(void)state;
	gp_cgroup_default(&a);
	say(&a, "max", "20000 100000");
	gp_cgroup_default(&wish);
	say(&wish, "weight", "5000");
	say(&wish, "max", "3000 10000");
	say(&wish, "latency", "10");
	say(&wish, "idle", "0");
	gp_cgroup_merge(&a, &wish, false);
	assert_int_equal(a.weight, 100);
	assert_int_equal(a.quota_ns, 20 * MS);
	assert_int_equal(a.latency_ns, 0);
	say(&wish, "weight", "20");
	say(&wish, "max", "1000 10000");
	say(&wish, "idle", "1");
	gp_cgroup_merge(&a, &wish, false);
	assert_int_equal(a.weight, 20);
	assert_int_equal(a.quota_ns, MS);
	assert_true(a.idle);
	gp_cgroup_merge(&a, &(struct gp_cgroup_attr){ .mask = GP_CGROUP_MAX, .period_ns = MS },
			false);
	assert_int_equal(a.quota_ns, MS);
	gp_cgroup_merge(&a, &(struct gp_cgroup_attr){ .mask = GP_CGROUP_IDLE }, true);
	assert_false(a.idle);
}

static void processes_have_what_it_means(void **state)
{
	struct gp_attr attr = { .prio = 9, .weight = 7, .deadline_ns = 5 * MS };
	struct gp_cgroup_attr a;
	struct gp_share_attr share;

	(void)state;
	gp_cgroup_default(&a);
	say(&a, "latency", "9000");
	gp_cgroup_apply(&a, &attr);
	assert_int_equal(attr.deadline_ns, 5 * MS);
	say(&a, "latency", "900");
	gp_cgroup_apply(&a, &attr);
	assert_int_equal(attr.deadline_ns, 900000);
	assert_int_equal(attr.prio, 9);
	say(&a, "idle", "1");
	gp_cgroup_apply(&a, &attr);
	gp_cgroup_share(&a, &share);
	assert_int_equal(attr.prio, 0);
	assert_int_equal(attr.deadline_ns, 0);
	assert_int_equal(share.weight, 1);
	assert_true(gp_share_attr_is_valid(&share));
}

/* What the compiler leaves between members says nothing. */
static void what_is_said_is_compared(void **state)
{
	struct gp_cgroup_attr a, b;

	memset(&a, 0, sizeof(a));
	memset(&b, 0xff, sizeof(b));
	gp_cgroup_read("idle", "1", &a);
	b.mask = a.mask;
	b.weight = a.weight;
	b.quota_ns = a.quota_ns;
	b.period_ns = a.period_ns;
	b.latency_ns = a.latency_ns;
	b.idle = a.idle;
	assert_int_equal(gp_cgroup_differ(&a, &b), 0);
	gp_cgroup_read("weight", "7", &b);
	gp_cgroup_read("max", "5000", &b);
	assert_int_equal(gp_cgroup_differ(&a, &b), GP_CGROUP_WEIGHT | GP_CGROUP_MAX);
	gp_cgroup_read("idle", "0", &b);
	gp_cgroup_read("latency", "5", &b);
	assert_int_equal(gp_cgroup_differ(&a, &b), GP_CGROUP_ALL);
}

static void paths_are_looked_at(void **state)
{
	static const char *const good[] = { "/", "/a", "/a.slice/b:c/..d", "/s.slice/x@1.service" };
	static const char *const bad[] = { "", "a", "//", "/a/", "/a//b", "/.", "/a/../b", "/a/.",
					   "/a\nb", "/\x7f" };
	char text[GP_CGROUP_PATH_MAX + 1];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(gp_cgroup_is_path(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(gp_cgroup_is_path(bad[i]));
	memset(text, 'x', sizeof(text));
	text[0] = '/';
	text[GP_CGROUP_PATH_MAX] = '\0';
	assert_false(gp_cgroup_is_path(text));
	text[GP_CGROUP_PATH_MAX - 1] = '\0';
	assert_true(gp_cgroup_is_path(text));
}

static void patterns_match_names(void **state)
{
	(void)state;
	assert_true(gp_cgroup_matches("/a", "/a"));
	assert_false(gp_cgroup_matches("/a", "/ab"));
	assert_true(gp_cgroup_matches("/*.service", "/train.service"));
	assert_false(gp_cgroup_matches("/*.service", "/a/train.service"));
	assert_true(gp_cgroup_matches("/*/*.scope", "/kube/cri-1.scope"));
	assert_true(gp_cgroup_matches("/kubepods*/*pod*", "/kubepods.slice/kubepods-pod12.slice"));
	assert_true(gp_cgroup_matches("/j?b", "/job"));
	assert_false(gp_cgroup_matches("/a?b", "/a/b"));
	assert_false(gp_cgroup_matches("/a*", "/a/b"));
	assert_true(gp_cgroup_matches("/a**b*", "/axxbxxb"));
	assert_false(gp_cgroup_matches("", "/"));
}

/* What half of the time is kept waiting. */
static void pressure_is_that_of_the_last_while(void **state)
{
	struct gp_pressure p = { 0 };
	u64 now_ns = SEC, total_ns = 0;
	int i;

	(void)state;
	gp_pressure_tell(&p, 0, now_ns);
	for (i = 0; i < 10; i++) {
		now_ns += 2 * SEC;
		total_ns += SEC;
		gp_pressure_tell(&p, total_ns, now_ns);
	}
	/* 1 - e^-2 of a half; 1 - e^(-20/60); 1 - e^(-20/300) */
	assert_in_range(p.avg_ppm[0], 432332 - 200, 432332 + 200);
	assert_in_range(p.avg_ppm[1], 141734 - 200, 141734 + 200);
	assert_in_range(p.avg_ppm[2], 32246 - 200, 32246 + 200);
	gp_pressure_tell(&p, total_ns, now_ns + 3600 * SEC);
	assert_int_equal(p.avg_ppm[0], 0);
	assert_true(p.avg_ppm[2] < 100);
	gp_pressure_tell(&p, total_ns, now_ns);
	gp_pressure_tell(&p, 0, now_ns + 3602 * SEC);
	assert_int_equal(p.avg_ppm[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_cgroup_v2),
		cmocka_unit_test(what_is_no_value_changes_nothing),
		cmocka_unit_test(text_is_read_back),
		cmocka_unit_test(others_can_only_lower),
		cmocka_unit_test(processes_have_what_it_means),
		cmocka_unit_test(what_is_said_is_compared),
		cmocka_unit_test(paths_are_looked_at),
		cmocka_unit_test(patterns_match_names),
		cmocka_unit_test(pressure_is_that_of_the_last_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
