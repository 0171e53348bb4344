// SPDX-License-Identifier: MIT
/*
 * The end of a queue's work, foreseen by the packets that are left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/ending.h"

#define US ((u64)1000)
#define LEAD (50 * US)

static struct gp_ending e;
static u64 now, packet;

static int begin(void **state)
{
	(void)state;
	memset(&e, 0, sizeof(e));
	now = 1000 * US;
	packet = 0;
	return 0;
}

/* A request of so many packets of this length, and a gap. */
static void request(u32 nr, u64 each, u64 gap)
{
	gp_ending_busy(&e, now);
	for (; nr--; now += each)
		gp_ending_began(&e, packet++, now);
	gp_ending_quiet(&e, now);
	now += gap;
}

static u64 foreseen(u64 nr_left)
{
	u64 at = gp_ending_at_ns(&e, nr_left, now, LEAD);

	return at == U64_MAX ? at : at - now;
}

static void nothing_is_foreseen_before_a_gap_was_seen(void **state)
{
	(void)state;
	assert_true(foreseen(1) == U64_MAX);
	request(3, 80 * US, 500 * US);
	assert_true(foreseen(1) == U64_MAX);
	request(3, 80 * US, 500 * US);
	assert_int_equal(foreseen(1), 30 * US);
	assert_int_equal(foreseen(2), 160 * US - LEAD * 3 / 4);
	assert_int_equal(foreseen(3), 240 * US - LEAD * 3 / 4);
	assert_true(foreseen(0) == U64_MAX);
	assert_true(foreseen(4) == U64_MAX);
	assert_true(foreseen(GP_ENDING_PACKETS + 1) == U64_MAX);
}

static void short_last_packet_is_foreseen_with_those_before(void **state)
{
	(void)state;
	request(20, 20 * US, 500 * US);
	request(20, 20 * US, 500 * US);
	assert_int_equal(foreseen(1), 0);
	assert_int_equal(foreseen(3), 60 * US - LEAD * 3 / 4);
	assert_int_equal(foreseen(GP_ENDING_PACKETS), 160 * US - LEAD * 3 / 4);
}

static void longer_counts_at_once_shorter_by_and_by(void **state)
{
	u32 i;

	(void)state;
	request(1, 80 * US, 500 * US);
	request(1, 400 * US, 500 * US);
	assert_int_equal(foreseen(1), 350 * US);
	request(1, 80 * US, 500 * US);
	assert_int_equal(foreseen(1), 310 * US);
	for (i = 0; i < 60; i++)
		request(1, 80 * US, 500 * US);
	assert_in_range(foreseen(1), 30 * US, 31 * US);
}

static void gaps_shorter_than_a_round_trip_are_left_alone(void **state)
{
	u32 i;

	(void)state;
	request(1, 80 * US, 500 * US);
	request(1, 80 * US, 99 * US);
	request(1, 80 * US, 500 * US);
	assert_true(foreseen(1) == U64_MAX);
	for (i = 0; i < 2; i++)
		request(1, 80 * US, 500 * US);
	assert_int_equal(foreseen(1), 30 * US);
}

static void packets_that_were_not_seen_say_nothing(void **state)
{
	(void)state;
	request(4, 80 * US, 500 * US);
	request(4, 80 * US, 500 * US);
	packet += 5;
	gp_ending_busy(&e, now);
	gp_ending_began(&e, packet++, now);
	now += 80 * US;
	gp_ending_quiet(&e, now);
	assert_int_equal(foreseen(1), 30 * US);
	assert_int_equal(foreseen(2), 160 * US - LEAD * 3 / 4);
}

/* Whatever the times are: never before now. */
static void hostile_times_do_no_harm(void **state)
{
	static const u64 times[] = { 0, 1, U64_MAX, U64_MAX / 2, 1000, U64_MAX - 1 };
	u32 i, k;

	(void)state;
	for (i = 0; i < 6; i++)
		for (k = 0; k < 6; k++) {
			gp_ending_busy(&e, times[i]);
			gp_ending_began(&e, times[k], times[k]);
			gp_ending_quiet(&e, times[(i + k) % 6]);
			assert_true(gp_ending_at_ns(&e, 1, 5000, LEAD) >= 5000);
		}
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_foreseen_before_a_gap_was_seen),
		TEST(short_last_packet_is_foreseen_with_those_before),
		TEST(longer_counts_at_once_shorter_by_and_by),
		TEST(gaps_shorter_than_a_round_trip_are_left_alone),
		TEST(packets_that_were_not_seen_say_nothing),
		TEST(hostile_times_do_no_harm),
	};

	return cmocka_run_group_tests_name("rules/ending", tests, NULL, NULL);
}
