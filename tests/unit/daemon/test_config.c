// SPDX-License-Identifier: MIT
#include "unit.h"

#include "daemon/gpd_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct gpd_config c;
static char error[256];

static int set(const char *section, const char *key, const char *value)
{
	error[0] = '\0';
	return gpd_config_set(&c, section, key, value, "here", error, sizeof(error));
}

static const struct gpd_setting *setting(const char *section, const char *key)
{
	const struct gpd_setting *found = NULL;
	uint32_t i;

	for (i = 0; i < c.nr_settings; i++)
		if (!strcmp(c.settings[i].section, section) && !strcmp(c.settings[i].key, key)) {
			assert_null(found);
			found = &c.settings[i];
		}
	return found;
}

static void defaults_are_settings_and_hold(void **state)
{
	gpd_config_default(&c);
	assert_int_equal(c.lease_ns, 1000000000);
	assert_int_equal(c.http_port, 0);
	assert_int_equal(c.dbg, GPD_DBG_MANUAL);
	assert_string_equal(c.policy, "prio");
	assert_string_equal(setting("daemon", "lease_ms")->origin, "default");
	assert_int_equal(gpd_config_class(&c, "realtime")->attr.prio, 12);
	assert_false(gpd_config_class(&c, "realtime")->open);
	assert_true(gpd_config_class(&c, "besteffort")->open);
	assert_null(gpd_config_class(&c, "nothing"));
	assert_int_equal(gpd_config_finish(&c, error, sizeof(error)), 0);
}

static void a_value_replaces_the_one_before(void **state)
{
	gpd_config_default(&c);
	assert_int_equal(set("daemon", "lease_ms", "500"), 0);
	assert_int_equal(c.lease_ns, 500000000);
	assert_string_equal(setting("daemon", "lease_ms")->value, "500");
	assert_string_equal(setting("daemon", "lease_ms")->origin, "here");
	assert_int_equal(set("policy", "min_run_ns", "5"), 0);
	assert_int_equal(set("policy", "min_run_ns", "6"), 0);
	assert_int_equal(c.nr_params, 1);
	assert_int_equal(c.params[0].value, 6);
}

static void a_refused_value_changes_nothing(void **state)
{
	static const char *const bad[] = { "", "x", "-1", "29", "60001", "1e3", " 500",
					   "99999999999999999999" };
	size_t i;

	gpd_config_default(&c);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(set("daemon", "lease_ms", bad[i]), -EINVAL);
		assert_non_null(strstr(error, "lease_ms"));
		assert_int_equal(c.lease_ns, 1000000000);
		assert_string_equal(setting("daemon", "lease_ms")->origin, "default");
	}
}

static void a_new_class_starts_from_the_default(void **state)
{
	gpd_config_default(&c);
	assert_int_equal(set("class batch", "weight", "50"), 0);
	assert_int_equal(gpd_config_class(&c, "batch")->attr.prio, GP_PRIO_DEFAULT);
	assert_int_equal(gpd_config_class(&c, "batch")->attr.weight, 50);
	assert_int_equal(set("class batch", "slice_ns", "20ms"), 0);
	assert_int_equal(gpd_config_class(&c, "batch")->attr.slice_ns, 20000000);
	assert_int_equal(set("class batch", "deadline_ns", "1000"), 0);
	assert_int_equal(gpd_config_class(&c, "batch")->attr.deadline_ns, 1000);
	assert_int_equal(set("class batch", "slice_ns", "61min"), -EINVAL);
	assert_true(gpd_config_class(&c, "batch")->open);
	assert_int_equal(set("class a b", "weight", "50"), -EINVAL);
	assert_int_equal(set("class ", "weight", "50"), -EINVAL);
}

static void tables_have_an_end(void **state)
{
	char name[32];
	int i;
	int err = 0;

	gpd_config_default(&c);
	for (i = 0; i < 2 * GPD_CLASSES_MAX && !err; i++) {
		snprintf(name, sizeof(name), "class c%d", i);
		err = set(name, "priority", "1");
	}
	assert_int_equal(err, -EINVAL);
	assert_int_equal(c.nr_classes, GPD_CLASSES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_settings_and_hold),
		cmocka_unit_test(a_value_replaces_the_one_before),
		cmocka_unit_test(a_refused_value_changes_nothing),
		cmocka_unit_test(a_new_class_starts_from_the_default),
		cmocka_unit_test(tables_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
