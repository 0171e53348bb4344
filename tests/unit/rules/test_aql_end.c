// SPDX-License-Identifier: MIT
/*
 * What the packets of a ring say: never that something has ended which has not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/aql_end.h"

#define NR_PACKETS 64

struct signal {
	int64_t kind;
	int64_t value;
};

static struct {
	uint8_t bytes[48];
	uint64_t reserved;
	uint64_t signal;
} packets[NR_PACKETS];
static struct signal signals[NR_PACKETS];
static struct gp_aql_mark mark;
static uint64_t wptr;
static uint64_t unreadable;

static int read_own(void *data, uint64_t addr, void *to, size_t bytes)
{
	if (addr < 4096 || addr == unreadable)
		return -EIO;
	memcpy(to, (void *)(uintptr_t)addr, bytes);
	return 0;
}

static struct gp_aql_ring ring = { .read = read_own, .bytes = sizeof(packets) };

static int setup(void **state)
{
	memset(packets, 0, sizeof(packets));
	memset(signals, 0, sizeof(signals));
	mark = (struct gp_aql_mark){};
	wptr = 0;
	unreadable = 0;
	ring.addr = (uintptr_t)packets;
	return 0;
}

static void put(struct signal *signal)
{
	packets[wptr++ % NR_PACKETS].signal = (uintptr_t)signal;
	if (signal)
		signal->value = 1;
}

static enum gp_aql_end end(void)
{
	return gp_aql_end(&ring, &mark, wptr);
}

static void nothing_has_ended(void **state)
{
	assert_int_equal(end(), GP_AQL_ENDED);
}

static void each_signal_counts(void **state)
{
	put(&signals[0]);
	put(&signals[1]);
	assert_int_equal(end(), GP_AQL_RUNNING);
	/* Not in order: the newest says nothing of the one before it. */
	signals[1].value = 0;
	assert_int_equal(end(), GP_AQL_RUNNING);
	signals[0].value = 0;
	assert_int_equal(end(), GP_AQL_ENDED);
	assert_int_equal(mark.from, 2);
}

static void ended_ones_are_not_looked_at_again(void **state)
{
	put(&signals[0]);
	put(&signals[1]);
	signals[0].value = 0;
	assert_int_equal(end(), GP_AQL_RUNNING);
	/* Its owner uses the signal for something else. */
	signals[0].value = 1;
	signals[1].value = 0;
	assert_int_equal(end(), GP_AQL_ENDED);
}

static void one_without_a_signal_is_not_known(void **state)
{
	put(NULL);
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	put(&signals[0]);
	assert_int_equal(end(), GP_AQL_RUNNING);
	signals[0].value = 0;
	assert_int_equal(end(), GP_AQL_LAST_ENDED);
	put(NULL);
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	gp_aql_mark_idle(&mark, wptr);
	assert_int_equal(end(), GP_AQL_ENDED);
}

static void too_many_are_never_all_known(void **state)
{
	int i;

	for (i = 0; i < 3 * NR_PACKETS; i++) {
		put(&signals[i % NR_PACKETS]);
		signals[i % NR_PACKETS].value = 0;
	}
	assert_int_equal(end(), GP_AQL_LAST_ENDED);
	assert_int_equal(end(), GP_AQL_LAST_ENDED);
	put(&signals[0]);
	assert_int_equal(end(), GP_AQL_RUNNING);
	gp_aql_mark_idle(&mark, wptr);
	assert_int_equal(end(), GP_AQL_ENDED);
}

static void memory_that_is_gone_says_nothing(void **state)
{
	put(&signals[0]);
	signals[0].value = 0;
	unreadable = (uintptr_t)&signals[0].value;
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	unreadable = (uintptr_t)&packets[0].signal;
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	unreadable = 0;
	ring.bytes = 0;
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	ring.bytes = sizeof(packets);
	packets[0].signal = 17;
	assert_int_equal(end(), GP_AQL_UNKNOWN);
	/* Control */
	packets[0].signal = (uintptr_t)&signals[0];
	assert_int_equal(end(), GP_AQL_ENDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_has_ended, setup),
		cmocka_unit_test_setup(each_signal_counts, setup),
		cmocka_unit_test_setup(ended_ones_are_not_looked_at_again, setup),
		cmocka_unit_test_setup(one_without_a_signal_is_not_known, setup),
		cmocka_unit_test_setup(too_many_are_never_all_known, setup),
		cmocka_unit_test_setup(memory_that_is_gone_says_nothing, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
