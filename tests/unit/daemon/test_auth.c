// SPDX-License-Identifier: MIT
#include "unit.h"

#include "daemon/gpd_grant.h"
#include "daemon/gpd_trust.h"

#include <string.h>

static struct gpd_config config;
static const struct gpd_cred user = { .owner.uid = 1000 };
static const struct gpd_cred boss = { .owner.uid = 1000, .privileged = true };
static struct gpd_attrs plain;
static char why[GPD_NOTE_LEN];

static int setup(void **state)
{
	gpd_config_default(&config);
	gpd_auth_class(&config, "default", &plain);
	return 0;
}

static bool may_with(const struct gpd_grant *grant, const struct gpd_cred *cred,
		     const struct gpd_attrs *old, const struct gpd_attrs *new)
{
	why[0] = '\0';
	return gpd_auth_check(&config, cred, grant, old, new, why, sizeof(why));
}

static bool may(const struct gpd_cred *cred, const struct gpd_attrs *old,
		const struct gpd_attrs *new)
{
	return may_with(NULL, cred, old, new);
}

static void raising_is_a_privilege_lowering_is_not(void **state)
{
	struct gpd_attrs a = plain;

	for (a.core.prio = 0; a.core.prio <= GP_PRIO_MAX; a.core.prio++) {
		assert_int_equal(may(&user, NULL, &a), a.core.prio <= GP_PRIO_DEFAULT);
		assert_int_equal(!why[0], a.core.prio <= GP_PRIO_DEFAULT);
		assert_true(may(&boss, NULL, &a));
	}
}

static void privileges_one_by_one(void **state)
{
	struct gpd_attrs a = plain;

	assert_true(may(&user, NULL, &a));
	a.core.latency_critical = true;
	assert_false(may(&user, NULL, &a));
	a = plain;
	a.core.no_preempt = true;
	assert_false(may(&user, NULL, &a));
	a = plain;
	a.core.weight = GP_WEIGHT_DEFAULT + 1;
	assert_false(may(&user, NULL, &a));
	a = plain;
	a.core.deadline_ns = 1000000000;
	assert_false(may(&user, NULL, &a));
	assert_true(may(&boss, NULL, &a));
	a = plain;
	a.core.slice_ns = 1;
	assert_false(may(&user, NULL, &a));
	a = plain;
	strcpy(a.klass, "realtime");
	assert_false(may(&user, NULL, &a));
	assert_true(may(&boss, NULL, &a));
}

static void what_was_given_may_be_kept_but_not_taken_further(void **state)
{
	struct gpd_attrs old = plain;
	struct gpd_attrs new;

	gpd_auth_class(&config, "realtime", &old);
	old.core.slice_ns = 10;
	old.core.deadline_ns = 100;
	new = old;
	new.core.slice_ns = 5;
	new.core.deadline_ns = 200;
	assert_true(may(&user, &old, &new));
	new.core.deadline_ns = 50;
	assert_false(may(&user, &old, &new));
	new = old;
	new.core.prio = old.core.prio + 1;
	assert_false(may(&user, &old, &new));
}

static void an_open_class_gives_what_it_says(void **state)
{
	char error[64];
	struct gpd_attrs a = plain;

	gpd_config_set(&config, "class lab", "priority", "9", "test", error, sizeof(error));
	gpd_auth_class(&config, "lab", &a);
	assert_true(may(&user, NULL, &a));
	a.core.prio = 10;
	assert_false(may(&user, NULL, &a));
}

static void a_grant_is_the_limit_instead(void **state)
{
	struct gpd_grant high = { .attrs = plain }, low = { .attrs = plain };
	struct gpd_attrs a = plain;

	gpd_auth_class(&config, "realtime", &high.attrs);
	gpd_auth_class(&config, "besteffort", &low.attrs);
	strcpy(low.attrs.group, "job");
	a = high.attrs;
	assert_true(may_with(&high, &user, &plain, &a));
	a.core.prio++;
	assert_false(may_with(&high, &user, &plain, &a));
	assert_true(may_with(&high, &boss, &plain, &a));
	/* Less than every process may have; what it has already it may keep. */
	a = low.attrs;
	assert_true(may_with(&low, &user, NULL, &a));
	a.core.prio = GP_PRIO_DEFAULT;
	assert_false(may_with(&low, &user, &low.attrs, &a));
	assert_true(may_with(&low, &user, &a, &a));
	a = low.attrs;
	strcpy(a.group, "other");
	assert_false(may_with(&low, &user, NULL, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(raising_is_a_privilege_lowering_is_not, setup),
		cmocka_unit_test_setup(privileges_one_by_one, setup),
		cmocka_unit_test_setup(what_was_given_may_be_kept_but_not_taken_further, setup),
		cmocka_unit_test_setup(an_open_class_gives_what_it_says, setup),
		cmocka_unit_test_setup(a_grant_is_the_limit_instead, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
