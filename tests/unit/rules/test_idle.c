// SPDX-License-Identifier: MIT
/*
 * What is seen of a queue, look by look. The clock is the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/idle.h"

#define US 1000ull
#define MS 1000000ull
#define S 1000000000ull

static struct gp_idle q;
static struct gp_idle_seen seen;
static enum gp_aql_end end;
static enum gp_idle_waves waves;
static u32 nr_end, nr_waves;
static const struct gp_idle_pace pace = {
	.quiet_ns = 200 * US,
	.busy_ns = 1 * MS,
	.busy_max_ns = 5 * MS,
	.poll_ns = 1 * MS,
	.poll_max_ns = 16 * MS,
};

static int setup(void **state)
{
	seen = (struct gp_idle_seen){ .now_ns = 10 * S, .wrap = U64_MAX };
	end = GP_AQL_UNKNOWN;
	waves = GP_IDLE_WAVES_NONE;
	nr_end = 0;
	nr_waves = 0;
	gp_idle_init(&q, false, seen.now_ns);
	return 0;
}

/* One look; what is asked for is answered from the variables above. */
static enum gp_idle_answer look(void)
{
	enum gp_idle_answer answer;

	seen.end = GP_AQL_NOT_ASKED;
	seen.waves = GP_IDLE_WAVES_NOT_ASKED;
	while ((answer = gp_idle_look(&q, &pace, &seen)) > GP_IDLE_BUSY) {
		if (answer == GP_IDLE_ASK_END) {
			assert_int_equal(seen.end, GP_AQL_NOT_ASKED);
			seen.end = end;
			nr_end++;
		} else {
			assert_int_equal(seen.waves, GP_IDLE_WAVES_NOT_ASKED);
			seen.waves = waves;
			nr_waves++;
		}
	}
	return answer;
}

static enum gp_idle_answer look_after(u64 ns)
{
	seen.now_ns += ns;
	return look();
}

/* Looks when it is asked to until it is idle. Return: how long that took. */
static u64 time_to_idle(u64 limit_ns)
{
	u64 from_ns = seen.now_ns;

	while (look() == GP_IDLE_BUSY && seen.now_ns < from_ns + limit_ns) {
		assert_true(q.look_ns > seen.now_ns);
		seen.now_ns = min(q.look_ns, from_ns + limit_ns);
	}
	return seen.now_ns - from_ns;
}

/* Packets came and were consumed. */
static void consume(u64 nr)
{
	seen.wptr += nr;
	seen.rptr = seen.wptr;
}

static void indices_that_differ_are_work(void **state)
{
	assert_int_equal(look(), GP_IDLE_IDLE);
	seen.wptr = 1;
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	assert_int_equal(look_after(S), GP_IDLE_BUSY);
	assert_int_equal(look_after(100 * S), GP_IDLE_BUSY);
	assert_int_equal(nr_end + nr_waves, 0);
}

static void indices_of_pm4_count_modulo_the_ring(void **state)
{
	seen.wrap = 1023;
	seen.wptr = 1024;
	assert_int_equal(look(), GP_IDLE_BUSY);
	end = GP_AQL_ENDED;
	assert_int_equal(look_after(MS), GP_IDLE_IDLE);
	seen.wptr = 1025;
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	assert_int_equal(look_after(2 * S), GP_IDLE_BUSY);
}

static void work_that_came_and_went_is_not_missed(void **state)
{
	consume(3);
	assert_int_equal(look(), GP_IDLE_BUSY);
	assert_int_equal(nr_end + nr_waves, 0);
	assert_int_equal(q.look_ns, seen.now_ns + pace.quiet_ns);
}

static void packets_that_have_all_ended_prove_it_at_once(void **state)
{
	consume(3);
	look();
	end = GP_AQL_ENDED;
	assert_int_equal(look_after(pace.quiet_ns), GP_IDLE_IDLE);
	/* What costs more was not asked. */
	assert_int_equal(nr_waves, 0);
	assert_int_equal(q.mark.from, 3);
}

static void waves_are_work_whatever_packets_say(void **state)
{
	consume(1);
	look();
	seen.now_ns += MS;
	seen.end = GP_AQL_ENDED;
	seen.waves = GP_IDLE_WAVES_SOME;
	assert_int_equal(gp_idle_look(&q, &pace, &seen), GP_IDLE_BUSY);
	/* Of a queue that seemed to have none too. */
	gp_idle_init(&q, false, seen.now_ns);
	q.rptr = seen.rptr;
	q.wptr = seen.wptr;
	assert_int_equal(gp_idle_look(&q, &pace, &seen), GP_IDLE_BUSY);
}

static void newest_packet_that_ended_needs_two_looks(void **state)
{
	consume(1);
	end = GP_AQL_LAST_ENDED;
	look();
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	assert_int_equal(look_after(GP_IDLE_LAST_NS), GP_IDLE_IDLE);
	consume(1);
	assert_in_range(time_to_idle(S), GP_IDLE_LAST_NS, 5 * MS);
}

static void newest_packet_that_ended_had_room_in_a_crowd(void **state)
{
	consume(1);
	end = GP_AQL_LAST_ENDED;
	waves = GP_IDLE_WAVES_CROWDED;
	assert_in_range(time_to_idle(S), GP_IDLE_LAST_NS, 5 * MS);
}

static void what_the_driver_told_needs_two_looks(void **state)
{
	consume(1);
	look();
	seen.ended_ns = seen.now_ns + 1;
	assert_in_range(time_to_idle(S), pace.busy_ns, GP_IDLE_EMPTY_NS / 2);
	/* What ended before the newest work came says nothing of it. */
	consume(1);
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
}

static void packet_that_says_it_runs_outweighs_the_driver(void **state)
{
	consume(1);
	look();
	seen.ended_ns = seen.now_ns + 1;
	end = GP_AQL_RUNNING;
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
}

static void waves_that_were_seen_make_their_absence_tell(void **state)
{
	consume(1);
	look();
	waves = GP_IDLE_WAVES_SOME;
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	waves = GP_IDLE_WAVES_NONE;
	seen.now_ns = q.look_ns;
	assert_in_range(time_to_idle(S), GP_IDLE_EMPTY_NS, 20 * MS);
	/* New packets were not seen to run. */
	consume(1);
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
}

static void room_makes_the_absence_of_waves_tell(void **state)
{
	consume(1);
	waves = GP_IDLE_WAVES_NONE_BUT_ROOM;
	assert_in_range(time_to_idle(S), GP_IDLE_EMPTY_NS, 20 * MS);
}

static void crowd_hides_what_waits_for_room(void **state)
{
	consume(1);
	waves = GP_IDLE_WAVES_CROWDED;
	assert_int_equal(time_to_idle(100 * S), 100 * S);
	assert_int_equal(look(), GP_IDLE_BUSY);
	waves = GP_IDLE_WAVES_NONE_BUT_ROOM;
	assert_in_range(time_to_idle(S), GP_IDLE_EMPTY_NS, 20 * MS);
}

static void few_looks_are_not_enough_however_long(void **state)
{
	u32 i;

	consume(1);
	look();
	waves = GP_IDLE_WAVES_NONE_BUT_ROOM;
	for (i = 0; i < GP_IDLE_LOOKS - 1; i++)
		assert_int_equal(look_after(100 * S), GP_IDLE_BUSY);
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	assert_int_equal(look_after(5 * MS), GP_IDLE_IDLE);
}

static void open_signal_is_doubted_and_asked_again(void **state)
{
	u64 step;

	consume(1);
	end = GP_AQL_RUNNING;
	q.mark.from = 0;
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
	for (step = GP_IDLE_ANY_NS; step < 200 * S; step *= 2) {
		u64 later = min(step, GP_IDLE_DOUBT_MAX_NS);

		assert_int_equal(q.doubt_ns, seen.now_ns + later);
		assert_true(q.look_ns <= q.doubt_ns);
		assert_int_equal(look_after(later - 1), GP_IDLE_IDLE);
		assert_int_equal(look_after(1), GP_IDLE_BUSY);
		assert_int_equal(q.mark.from, 0);
		assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
	}
	seen.now_ns = q.doubt_ns;
	end = GP_AQL_ENDED;
	assert_int_equal(look(), GP_IDLE_IDLE);
	assert_int_equal(q.doubt_ns, 0);
	assert_int_equal(q.mark.from, 1);
}

static void new_work_ends_a_doubt(void **state)
{
	consume(1);
	end = GP_AQL_RUNNING;
	time_to_idle(3 * S);
	assert_int_not_equal(q.doubt_ns, 0);
	consume(1);
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
	assert_int_equal(q.doubt_ns, 0);
	/* What had not ended then does not count for the new packets. */
	assert_int_equal(gp_idle_mark(&q)->from, 1);
}

static void stopped_queue_keeps_its_work(void **state)
{
	consume(1);
	look();
	seen.is_stopped = true;
	assert_int_equal(look_after(100 * S), GP_IDLE_BUSY);
	assert_int_equal(q.look_ns, U64_MAX);
	assert_int_equal(nr_end + nr_waves, 0);
	seen.is_stopped = false;
	gp_idle_restart(&q, &pace, seen.now_ns);
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
	/* Work can come to it, and none is made up. */
	seen.is_stopped = true;
	assert_int_equal(look_after(MS), GP_IDLE_IDLE);
	gp_idle_restart(&q, &pace, seen.now_ns);
	assert_int_equal(look_after(MS), GP_IDLE_IDLE);
	seen.wptr++;
	assert_int_equal(look_after(MS), GP_IDLE_BUSY);
}

static void waves_before_a_stop_do_not_count_after_it(void **state)
{
	consume(1);
	waves = GP_IDLE_WAVES_SOME;
	look();
	look_after(MS);
	assert_true(q.has_run);
	gp_idle_restart(&q, &pace, seen.now_ns);
	waves = GP_IDLE_WAVES_NONE;
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
}

static void blocked_queue_has_no_say_and_forgets_nothing(void **state)
{
	seen.wptr = 1;
	assert_int_equal(look(), GP_IDLE_BUSY);
	seen.is_blocked = true;
	assert_int_equal(look_after(S), GP_IDLE_IDLE);
	assert_int_equal(q.look_ns, seen.now_ns + GP_IDLE_BLOCKED_NS);
	seen.is_blocked = false;
	assert_int_equal(look_after(S), GP_IDLE_BUSY);
}

static void unreadable_queue_is_judged_by_its_waves(void **state)
{
	seen.is_unread = true;
	assert_int_equal(look(), GP_IDLE_IDLE);
	gp_idle_work(&q, &pace, seen.now_ns);
	waves = GP_IDLE_WAVES_UNKNOWN;
	assert_int_equal(time_to_idle(100 * S), 100 * S);
	assert_int_equal(nr_end, 0);
	waves = GP_IDLE_WAVES_NONE_BUT_ROOM;
	assert_in_range(time_to_idle(S), GP_IDLE_EMPTY_NS, 20 * MS);
}

static void waves_are_not_asked_for_too_often(void **state)
{
	consume(1);
	look();
	waves = GP_IDLE_WAVES_SOME;
	look_after(MS);
	assert_int_equal(nr_waves, 1);
	assert_int_equal(look_after(10 * US), GP_IDLE_BUSY);
	assert_int_equal(nr_waves, 1);
	/* But when something has ended. */
	seen.ended_ns = seen.now_ns + 5;
	look_after(10 * US);
	assert_int_equal(nr_waves, 2);
}

static void polling_gets_slower_with_the_time_without_work(void **state)
{
	u64 at;

	look_after(US);
	assert_int_equal(q.look_ns, seen.now_ns + pace.poll_ns);
	look_after(80 * MS);
	assert_in_range(q.look_ns, seen.now_ns + 5 * MS, seen.now_ns + 6 * MS);
	look_after(100 * S);
	assert_int_equal(q.look_ns, seen.now_ns + pace.poll_max_ns);
	at = q.look_ns;
	gp_idle_work(&q, &pace, seen.now_ns);
	assert_true(q.look_ns < at);
}

static void queue_that_was_there_before_must_be_proven_idle(void **state)
{
	gp_idle_init(&q, true, seen.now_ns);
	assert_in_range(time_to_idle(3 * S), GP_IDLE_ANY_NS, GP_IDLE_ANY_NS + 20 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(indices_that_differ_are_work, setup),
		cmocka_unit_test_setup(indices_of_pm4_count_modulo_the_ring, setup),
		cmocka_unit_test_setup(work_that_came_and_went_is_not_missed, setup),
		cmocka_unit_test_setup(packets_that_have_all_ended_prove_it_at_once, setup),
		cmocka_unit_test_setup(waves_are_work_whatever_packets_say, setup),
		cmocka_unit_test_setup(newest_packet_that_ended_needs_two_looks, setup),
		cmocka_unit_test_setup(newest_packet_that_ended_had_room_in_a_crowd, setup),
		cmocka_unit_test_setup(what_the_driver_told_needs_two_looks, setup),
		cmocka_unit_test_setup(packet_that_says_it_runs_outweighs_the_driver, setup),
		cmocka_unit_test_setup(waves_that_were_seen_make_their_absence_tell, setup),
		cmocka_unit_test_setup(room_makes_the_absence_of_waves_tell, setup),
		cmocka_unit_test_setup(crowd_hides_what_waits_for_room, setup),
		cmocka_unit_test_setup(few_looks_are_not_enough_however_long, setup),
		cmocka_unit_test_setup(open_signal_is_doubted_and_asked_again, setup),
		cmocka_unit_test_setup(new_work_ends_a_doubt, setup),
		cmocka_unit_test_setup(stopped_queue_keeps_its_work, setup),
		cmocka_unit_test_setup(waves_before_a_stop_do_not_count_after_it, setup),
		cmocka_unit_test_setup(blocked_queue_has_no_say_and_forgets_nothing, setup),
		cmocka_unit_test_setup(unreadable_queue_is_judged_by_its_waves, setup),
		cmocka_unit_test_setup(waves_are_not_asked_for_too_often, setup),
		cmocka_unit_test_setup(polling_gets_slower_with_the_time_without_work, setup),
		cmocka_unit_test_setup(queue_that_was_there_before_must_be_proven_idle, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
