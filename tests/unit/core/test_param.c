// SPDX-License-Identifier: MIT
#include "rig.h"

static const char *full_name(char *text, size_t size, u32 i, const struct gp_param_desc **desc)
{
	const char *policy;

	*desc = gp_sched_param_desc(i, &policy);
	if (!*desc)
		return NULL;
	snprintf(text, size, "%s%s%s", policy ? policy : "", policy ? "." : "", (*desc)->name);
	return text;
}

static void every_parameter_has_its_default_and_keeps_its_range(void **state)
{
	const struct gp_param_desc *desc, *told;
	struct rig *r = *state;
	char name[64];
	u64 value;
	u32 i;

	/* A node of which the rig has set none. */
	for (i = 0; full_name(name, sizeof(name), i, &desc); i++) {
		assert_int_equal(gp_sched_param_get(r->s, 1, name, &value), 0);
		assert_int_equal(value, desc->def);
		assert_in_range(desc->def, desc->min, desc->max);
		assert_true(desc->doc[0] != '\0');
		assert_int_equal(gp_sched_param_set(r->s, 1, name, desc->max, NULL), 0);
		assert_int_equal(gp_sched_param_set(r->s, 1, name, desc->max + 1, &told), -ERANGE);
		assert_ptr_equal(told, desc);
		if (desc->min)
			assert_int_equal(gp_sched_param_set(r->s, 1, name, desc->min - 1, &told),
					 -ERANGE);
		assert_int_equal(gp_sched_param_get(r->s, 1, name, &value), 0);
		assert_int_equal(value, desc->max);
		assert_int_equal(gp_sched_param_set(r->s, 1, name, desc->min, NULL), 0);
	}
	assert_true(i > 13);
}

static void names_are_unique(void **state)
{
	const struct gp_param_desc *a, *b;
	char name[64], other[64];
	u32 i, k;

	(void)state;
	for (i = 0; full_name(name, sizeof(name), i, &a); i++)
		for (k = 0; k < i; k++) {
			full_name(other, sizeof(other), k, &b);
			assert_string_not_equal(name, other);
		}
}

static void nodes_have_their_own_values(void **state)
{
	struct rig *r = *state;
	u64 value;

	assert_int_equal(gp_sched_param_set(r->s, 1, "min_run_ns", 5, NULL), 0);
	assert_int_equal(gp_sched_param_get(r->s, 0, "min_run_ns", &value), 0);
	assert_int_equal(value, 100 * GP_US);
}

static void unknown_names_and_nodes_are_refused(void **state)
{
	struct rig *r = *state;
	u64 value;

	assert_int_equal(gp_sched_param_set(r->s, 0, "nonsense", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 0, "width", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 0, "fair", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 0, "fair.", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 0, "fair.min_run_ns", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 0, "", 1, NULL), -ENOENT);
	assert_int_equal(gp_sched_param_set(r->s, 2, "min_run_ns", 1, NULL), -EINVAL);
	assert_int_equal(gp_sched_param_get(r->s, 2, "min_run_ns", &value), -EINVAL);
	assert_int_equal(gp_sched_param_get(r->s, 0, "nonsense", &value), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(every_parameter_has_its_default_and_keeps_its_range),
		RIG_TEST(names_are_unique),
		RIG_TEST(nodes_have_their_own_values),
		RIG_TEST(unknown_names_and_nodes_are_refused),
	};

	return cmocka_run_group_tests_name("core/param", tests, NULL, NULL);
}
