// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "driver/system.h"

static void facts_of_the_guest_are_read(void **state)
{
	struct drv_system s;

	drv_system_read(FIXTURE, &s);
	assert_string_equal(s.kernel, "6.12.115+deb12-amd64");
	assert_string_equal(s.module, "kfdsim");
	assert_int_equal(s.sched_policy.source, GPREEMPT_SOURCE_SYSFS);
	assert_int_equal(s.sched_policy.value, DRV_SCHED_POLICY_HWS);
	assert_int_equal(s.cwsr_enable.value, 1);
	assert_int_equal(s.preemption_timeout_ms.value, 9000);
	/* -1: no number of anything. */
	assert_int_equal(s.max_processes.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(s.ptrace_scope.source, GPREEMPT_SOURCE_SYSFS);
	assert_int_equal(s.ptrace_scope.value, 0);
	assert_int_equal(s.debugfs, 0);
	assert_int_equal(s.kfd, -ENOENT);
}

static void nothing_is_unknown_and_not_zero(void **state)
{
	struct drv_system s;

	drv_system_read(FIXTURE "/nowhere", &s);
	assert_string_equal(s.kernel, "");
	assert_string_equal(s.module, "");
	assert_int_equal(s.sched_policy.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(s.cwsr_enable.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(s.ptrace_scope.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(s.kfd_mode.source, GPREEMPT_SOURCE_UNKNOWN);
	assert_int_equal(s.kfd, -ENOENT);
	assert_int_equal(s.debugfs, -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_the_guest_are_read),
		cmocka_unit_test(nothing_is_unknown_and_not_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
