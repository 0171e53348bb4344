// SPDX-License-Identifier: MIT
#include "unit.h"

#include "daemon/control/gpd_list.h"
#include "daemon/gpd_state.h"

#include <string.h>

static void attributes_come_back_as_they_were(void **state)
{
	struct gpd_attrs in = { .klass = "default", .group = "g" };
	struct gpd_attrs out = { 0 };
	json_t *json;

	gp_attr_default(&in.core);
	in.core.prio = 11;
	in.core.deadline_ns = 1ULL << 40;
	in.core.latency_critical = true;
	json = gpd_list_attributes(&in);
	assert_true(gpd_state_read_attributes(json, &out));
	json_decref(json);
	assert_memory_equal(&in.core, &out.core, sizeof(in.core));
	assert_string_equal(out.klass, "default");
	assert_string_equal(out.group, "g");
}

/* What the core would not take must not get to it. */
static void nonsense_is_not_taken(void **state)
{
	static const struct {
		const char *key;
		const char *value;
	} bad[] = {
		{ "priority", "16" },  { "priority", "-1" },  { "priority", "\"x\"" },
		{ "weight", "0" },     { "weight", "10001" }, { "slice_ns", "-1" },
		{ "deadline_ns", "{}" }, { "no_preempt", "1" }, { "class", "5" },
		{ "group", "\"a name that is much too long for a group\"" },
	};
	struct gpd_attrs in = { .klass = "default" };
	struct gpd_attrs out;
	size_t i;

	gp_attr_default(&in.core);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *json = gpd_list_attributes(&in);

		assert_true(gpd_state_read_attributes(json, &out));
		json_object_set_new(json, bad[i].key, json_loads(bad[i].value, JSON_DECODE_ANY,
								 NULL));
		assert_false(gpd_state_read_attributes(json, &out));
		json_object_del(json, bad[i].key);
		assert_false(gpd_state_read_attributes(json, &out));
		json_decref(json);
	}
	assert_false(gpd_state_read_attributes(NULL, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_come_back_as_they_were),
		cmocka_unit_test(nonsense_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
