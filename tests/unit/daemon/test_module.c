// SPDX-License-Identifier: MIT
/*
 * What can be said of the kernel module without one; the rest is tests/guest/test_sched_stack.c.
 */
#include "unit.h"

#include "driver/module.h"
#include "daemon/module/gpd_module_types.h"

#include <errno.h>
#include <string.h>

static void sizes_are_the_abi(void **state)
{
	assert_int_equal(sizeof(struct gpreempt_ioc_caps), 536);
	assert_int_equal(sizeof(struct gpreempt_ioc_attr), 56);
	assert_int_equal(sizeof(struct gpreempt_ioc_queue), 88);
	assert_int_equal(sizeof(struct gpreempt_ioc_list), 24);
	assert_int_equal(sizeof(struct gpreempt_ioc_ref), 16);
	assert_int_equal(sizeof(struct gpreempt_ioc_switch), 40);
	assert_int_equal(sizeof(struct gpreempt_ioc_policy), 88);
	assert_int_equal(sizeof(struct gpreempt_ioc_trigger), 16);
	assert_int_equal(sizeof(struct gpreempt_ioc_stats), 168);
	assert_int_equal(sizeof(struct gpreempt_ioc_hist), 56);
	assert_int_equal(sizeof(struct gpreempt_abi_event), 40);
}

static void without_a_module_nothing_is_its(void **state)
{
	struct gpd *d = test_calloc(1, sizeof(*d));

	assert_int_equal(gpd_module_fd(d), -ENOENT);
	assert_false(gpd_module_has(d, 1, 0, WIRE_QUEUE_ALL));
	test_free(d);
}

static void numbers_that_are_no_process(void **state)
{
	assert_int_equal(drv_module_pidfd(0), -ESRCH);
	assert_int_equal(drv_module_pidfd(-5), -ESRCH);
	assert_int_equal(drv_module_pidfd(4194303), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_the_abi),
		cmocka_unit_test(without_a_module_nothing_is_its),
		cmocka_unit_test(numbers_that_are_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
