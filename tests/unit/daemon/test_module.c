// SPDX-License-Identifier: MIT
/*
 * What can be said of the kernel module without one; the rest is tests/guest/test_sched_stack.c.
 */
#include "unit.h"

#include "driver/module.h"
#include "daemon/module/gpd_module_types.h"

#include <errno.h>
#include <string.h>

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
		cmocka_unit_test(without_a_module_nothing_is_its),
		cmocka_unit_test(numbers_that_are_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
