// SPDX-License-Identifier: MIT
/*
 * Requests: which is the oldest that is not completed, and what the daemon is told of it.
 */
#include "rig.h"

#include "client/client_request.h"

static struct client_requests r;
static uint64_t since;

static bool look(uint64_t rptr, uint64_t wptr, uint64_t ms)
{
	return client_requests_look(&r, rptr, wptr, ms * MS, &since);
}

static int begin(void **state)
{
	memset(&r, 0, sizeof(r));
	client_requests_begin(&r, 100 * MS);
	return 0;
}

static void first_request_came_with_the_edge(void **state)
{
	assert_false(look(0, 1, 105));
	assert_false(look(0, 3, 110));
	assert_true(look(1, 3, 120));
	assert_int_equal(since, 110 * MS);
	/* Once. */
	assert_false(look(2, 3, 130));
	assert_false(look(3, 3, 140));
	/* The queue did not become idle in between. */
	assert_true(look(3, 4, 150));
	assert_int_equal(since, 150 * MS);
}

static void too_many_count_as_the_newest(void **state)
{
	uint64_t i;

	for (i = 1; i <= 20; i++)
		assert_false(look(0, i, 100 + i));
	assert_true(look(5, 20, 200));
	assert_int_equal(since, 106 * MS);
	assert_true(look(7, 20, 210));
	assert_int_equal(since, 108 * MS);
	assert_false(look(19, 20, 220));
	assert_false(look(20, 20, 230));
}

static void own_packet_is_no_request(void **state)
{
	assert_false(look(0, 1, 105));
	client_requests_own(&r, 2);
	assert_false(look(1, 2, 110));
	assert_false(look(2, 2, 120));
	client_requests_own(&r, 3);
	assert_false(look(2, 3, 130));
}

static void nothing_is_told_too_often(void **state)
{
	assert_false(look(0, 1, 101));
	assert_false(look(0, 2, 102));
	assert_false(look(0, 3, 103));
	assert_true(look(1, 3, 104));
	assert_false(client_requests_look(&r, 2, 3, 104 * MS + 1, &since));
	assert_true(look(2, 3, 105));
}

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
		cmocka_unit_test_setup(first_request_came_with_the_edge, begin),
		cmocka_unit_test_setup(too_many_count_as_the_newest, begin),
		cmocka_unit_test_setup(own_packet_is_no_request, begin),
		cmocka_unit_test_setup(nothing_is_told_too_often, begin),
		cmocka_unit_test_setup_teardown(shim_tells_a_daemon_that_wants_it, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(shim_tells_no_other, rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
