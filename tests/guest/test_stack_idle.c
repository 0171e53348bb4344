// SPDX-License-Identifier: MIT
/*
 * What is idle: a kernel that was fetched and waits for room has equal indices and no
 * waves, for as long as somebody fills the GPU whom gpreempt does not know. It is work.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt_load.h"

#include <string.h>
#include <unistd.h>

#define PERIOD "150"
#define PERIOD_MS 150
/* Longer than a runlist cycle, less than the second after which waves are not waited for. */
#define NR_LOOKS 10
#define LOOK_US 25000
#define IDLE_MS 3000
#define STUCK_MS 10000

static uint64_t nr_busy(pid_t pid)
{
	struct gt_view v;

	GT_CHECK(!gt_daemon_view(pid, &v), "%d is not listed", pid);
	return v.nr_busy;
}

static int wait_idle(pid_t pid)
{
	uint64_t end = gt_now_ns() + IDLE_MS * 1000000ull;

	while (nr_busy(pid)) {
		if (gt_now_ns() > end)
			return -1;
		gt_sleep_us(5000);
	}
	return 0;
}

/* Returns when the GPU is full and a request has waited for long; how many had ended. */
static uint64_t wait_stuck(const struct gt_load *online)
{
	uint64_t end = gt_now_ns() + STUCK_MS * 1000000ull, completed;

	for (;;) {
		completed = online->progress->completed;
		if (gt_load_moves(online, 1, 2 * PERIOD_MS) &&
		    online->progress->launched > completed && gt_stat(0, "waves"))
			return completed;
		GT_CHECK(gt_now_ns() < end, "requests do not wait");
	}
}

static void what_waits_for_room_has_work(enum gt_how how)
{
	struct gt_load offline, online;
	struct gt_program daemon;
	uint64_t before;
	int i;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	/* With a period that leaves it idle most of the time. */
	GT_LOAD(&online, how, 0, "realtime", "load_online", "--period-ms", PERIOD);
	GT_CHECK(!gt_load_moves(&online, 2, 5000), "no request");
	/* Control: what has ended is idle. */
	GT_CHECK(!wait_idle(online.pid), "is never idle");
	GT_LOAD(&offline, GT_PLAIN, 0, NULL, "load_offline", "--endless");
	before = wait_stuck(&online);
	for (i = 0; i < NR_LOOKS; i++) {
		uint64_t busy = nr_busy(online.pid);

		/* First whether it waits still: if not it may well be idle. */
		GT_CHECK(online.progress->completed == before, "there was room, look %d", i);
		GT_CHECK(busy == 1, "idle while it waits, look %d", i);
		gt_sleep_us(LOOK_US);
	}
	gt_load_stop(&offline, 10000);
	GT_CHECK(!gt_load_moves(&online, 2, 5000), "no request");
	GT_CHECK(!wait_idle(online.pid), "is never idle again");
	gt_load_stop(&online, 10000);
	gt_daemon_stop(&daemon);
}

static void what_waits_for_room_has_work_shim(void)
{
	what_waits_for_room_has_work(GT_SHIM);
}

static void what_waits_for_room_has_work_dbg(void)
{
	what_waits_for_room_has_work(GT_DBG);
}

static const struct gt_case cases[] = {
	{ "what_waits_for_room_has_work_shim", what_waits_for_room_has_work_shim, "profile=tiny",
	  30 },
	{ "what_waits_for_room_has_work_dbg", what_waits_for_room_has_work_dbg, "profile=tiny",
	  30 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
