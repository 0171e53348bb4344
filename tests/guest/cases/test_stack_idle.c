// SPDX-License-Identifier: MIT
/*
 * What is idle: a kernel that was fetched and waits for room has equal indices and no
 * waves, for as long as a process that gpreempt does not know fills the GPU. It is work, but
 * does not keep others away for good.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <string.h>
#include <unistd.h>

#define PERIOD "150"
#define LOOK_US 25000
/* Longer than a period and a request; less than the second after which waves are not waited for. */
#define STUCK_NS 200000000ull
#define SURE_NS 900000000ull
#define IDLE_MS 10000
#define STUCK_MS 10000

static uint64_t nr_busy(pid_t pid)
{
	struct gt_view v;

	GT_CHECK(!gt_daemon_view(pid, &v), "%d is not listed", pid);
	return v.nr_busy;
}

static int wait_busy(pid_t pid, uint64_t nr)
{
	uint64_t end = gt_deadline_ns(IDLE_MS);

	while (nr_busy(pid) != nr) {
		if (gt_now_ns() > end)
			return -1;
		gt_sleep_us(5000);
	}
	return 0;
}

/* Returns when the GPU is full and a request waits for longer than one takes. */
static void wait_stuck(const struct gt_load *online)
{
	uint64_t end = gt_deadline_ns(STUCK_MS);
	const struct load_progress *p = online->progress;

	while (p->launched == p->completed || !gt_stat(0, "waves") ||
	       gt_now_ns() < p->last_ns + STUCK_NS) {
		GT_CHECK(gt_now_ns() < end, "requests do not wait");
		gt_sleep_us(1000);
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
	GT_CHECK(!wait_busy(online.pid, 0), "is never idle");
	GT_LOAD(&offline, GT_PLAIN, 0, NULL, "load_offline", "--endless");
	wait_stuck(&online);
	before = online.progress->completed;
	for (i = 0;; i++) {
		uint64_t busy = nr_busy(online.pid);

		/* It waits for less than the time since the last one ended. */
		if (gt_now_ns() > online.progress->last_ns + SURE_NS)
			break;
		GT_CHECK(online.progress->completed == before, "there was room, look %d", i);
		GT_CHECK(busy == 1, "idle while it waits, look %d", i);
		gt_sleep_us(LOOK_US);
	}
	GT_CHECK(i, "no look");
	/* No room is made for it; still it is not forgotten. */
	GT_CHECK(!wait_busy(online.pid, 0), "keeps others away for good");
	GT_CHECK(!wait_busy(online.pid, 1), "is forgotten");
	gt_load_stop(&offline, 10000);
	GT_CHECK(!gt_load_moves(&online, 2, 5000), "no request");
	GT_CHECK(!wait_busy(online.pid, 0), "is never idle again");
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
