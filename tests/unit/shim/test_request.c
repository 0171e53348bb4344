// SPDX-License-Identifier: MIT
/*
 * Requests: what the daemon is told of the oldest that is not completed.
 */
#include "rig.h"

static void welcome(uint32_t flags)
{
	rig_step();
	rig_welcome(flags);
	rig_step();
}

static int told(uint32_t flags)
{
	struct wire_progress m;
	uint32_t id = rig_create();
	int nr = 0, i;

	welcome(flags);
	rig_ring(id);
	for (i = 0; i < 4; i++) {
		rig_run(10 * MS);
		rig_ring(id);
		rig_run(10 * MS);
		rig.queues[id].rptr++;
	}
	while (rig_expect(WIRE_PROGRESS, &m, sizeof(m))) {
		assert_int_equal(m.queue_id, id);
		assert_int_equal(m.gpu_id, RIG_GPU);
		assert_true(m.since_ns <= m.hdr.time_ns);
		nr++;
	}
	return nr;
}

static void shim_tells_a_daemon_that_wants_it(void **state)
{
	assert_int_equal(told(WIRE_WELCOME_PROGRESS), 3);
}

/* An older daemon would end the conversation. */
static void shim_tells_no_other(void **state)
{
	assert_int_equal(told(0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shim_tells_a_daemon_that_wants_it, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(shim_tells_no_other, rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
