// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "driver/kfd.h"

static void debugger_calls_came_with_1_13(void **state)
{
	static const struct {
		struct kfd_ioctl_get_version_args v;
		bool has;
	} cases[] = {
		{ { 0, 99 }, false }, { { 1, 0 }, false }, { { 1, 12 }, false },
		{ { 1, 13 }, true },  { { 1, 17 }, true }, { { 2, 0 }, true },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(drv_kfd_version_has_debug(&cases[i].v), cases[i].has);
}

static void result_bits_are_decoded(void **state)
{
	assert_int_equal(drv_kfd_dbg_result(5), 0);
	assert_int_equal(drv_kfd_dbg_result(5 | DRV_KFD_DBG_QUEUE_INVALID), -ESRCH);
	assert_int_equal(drv_kfd_dbg_result(5 | DRV_KFD_DBG_QUEUE_ERROR), -EIO);
	assert_int_equal(drv_kfd_dbg_result(5 | DRV_KFD_DBG_QUEUE_ERROR |
					    DRV_KFD_DBG_QUEUE_INVALID),
			 -EIO);
	assert_int_equal(drv_kfd_dbg_id(5 | DRV_KFD_DBG_QUEUE_ERROR | DRV_KFD_DBG_QUEUE_INVALID),
			 5);
}

static void errno_comes_back_negative(void **state)
{
	struct drv_kfd_runtime_info info;
	struct kfd_ioctl_get_version_args v;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_int_equal(drv_kfd_get_version(-1, &v), -EBADF);
	assert_int_equal(drv_kfd_get_version(fd, &v), -ENOTTY);
	assert_int_equal(drv_kfd_dbg_enable(fd, 1, 0, fd, &info), -ENOTTY);
	assert_int_equal(drv_kfd_dbg_queues(fd, 1, NULL, 0, 0), -ENOTTY);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debugger_calls_came_with_1_13),
		cmocka_unit_test(result_bits_are_decoded),
		cmocka_unit_test(errno_comes_back_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
