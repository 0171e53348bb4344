// SPDX-License-Identifier: MIT
#include "unit.h"

#include "daemon/control/gpd_control_decode.h"

#include <errno.h>
#include <string.h>

static struct gpd_request r;
static struct gpd_refusal refusal;

static int decode(const char *text)
{
	return gpd_control_decode(text, strlen(text), &r, &refusal);
}

static void a_request_without_parameters(void **state)
{
	assert_int_equal(decode("{\"method\": \"io.gpreempt.GetInfo\"}"), 0);
	assert_int_equal(r.method, GPD_METHOD_GET_INFO);
	assert_int_equal(r.has, 0);
	assert_false(r.more);
}

static void all_parameters_arrive(void **state)
{
	assert_int_equal(decode("{\"method\": \"io.gpreempt.Suspend\", \"parameters\": "
				"{\"targets\": [{\"pid\": 7}, {\"pid\": 8, \"gpu_id\": 3, "
				"\"queue_id\": 2}], \"lease_ms\": 50, \"keep\": true}}"),
			 0);
	assert_int_equal(r.nr_targets, 2);
	assert_int_equal(r.targets[0].pid, 7);
	assert_int_equal(r.targets[0].queue_id, WIRE_QUEUE_ALL);
	assert_int_equal(r.targets[1].gpu_id, 3);
	assert_int_equal(r.targets[1].queue_id, 2);
	assert_int_equal(r.lease_ms, 50);
	assert_true(r.keep);
	assert_false(r.has & GPD_HAS_TIMEOUT);
}

static void null_is_not_given(void **state)
{
	assert_int_equal(decode("{\"method\": \"io.gpreempt.ListQueues\", "
				"\"parameters\": {\"pid\": null}}"),
			 0);
	assert_int_equal(r.has, 0);
	assert_int_equal(decode("{\"method\": \"io.gpreempt.Detach\", "
				"\"parameters\": {\"pid\": null}}"),
			 -EINVAL);
	assert_string_equal(refusal.value, "pid");
}

static void what_a_method_does_not_know_is_refused(void **state)
{
	assert_int_equal(decode("{\"method\": \"io.gpreempt.GetInfo\", "
				"\"parameters\": {\"pid\": 1}}"),
			 -EINVAL);
	assert_string_equal(refusal.error, "org.varlink.service.InvalidParameter");
	assert_string_equal(refusal.key, "parameter");
	assert_string_equal(refusal.value, "pid");
}

static void methods_and_interfaces_are_named(void **state)
{
	assert_int_equal(decode("{\"method\": \"io.gpreempt.No\"}"), -EINVAL);
	assert_string_equal(refusal.error, "org.varlink.service.MethodNotFound");
	assert_int_equal(decode("{\"method\": \"io.gpreemp.GetInfo\"}"), -EINVAL);
	assert_string_equal(refusal.error, "org.varlink.service.InterfaceNotFound");
	assert_int_equal(decode("{\"method\": \"GetInfo\"}"), -EINVAL);
}

static void what_is_no_request_ends_the_connection(void **state)
{
	assert_int_equal(decode(""), -EBADMSG);
	assert_int_equal(decode("{}"), -EBADMSG);
	assert_int_equal(decode("{\"method\": \"io.gpreempt.GetInfo\", \"x\": 1}"), -EBADMSG);
	assert_int_equal(decode("{\"method\": \"io.gpreempt.GetInfo\"} x"), -EBADMSG);
}

static void a_refusal_can_be_shown(void **state)
{
	size_t i;

	assert_int_equal(decode("{\"method\": \"io.gpreempt.\\u0007\\u00ff\"}"), -EINVAL);
	for (i = 0; refusal.value[i]; i++)
		assert_true(refusal.value[i] >= ' ' && refusal.value[i] <= '~');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_without_parameters),
		cmocka_unit_test(all_parameters_arrive),
		cmocka_unit_test(null_is_not_given),
		cmocka_unit_test(what_a_method_does_not_know_is_refused),
		cmocka_unit_test(methods_and_interfaces_are_named),
		cmocka_unit_test(what_is_no_request_ends_the_connection),
		cmocka_unit_test(a_refusal_can_be_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
