// SPDX-License-Identifier: MIT
/*
 * A process is held by hand at any moment of what the scheduler does with it: either gets its
 * own answers. `vehicle/run --racy` plants what this is to find.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <string.h>
#include <unistd.h>

#define REQUESTS "10"
#define PERIOD_MS "5"
#define HOLDS 5
/* Not a multiple of the period: at every moment of it. */
#define GAP_US 3700

static void is_ok(int fd, const char *method, pid_t pid, int i)
{
	const char *answer = gt_control_hold(fd, method, pid);

	GT_CHECK(!strcmp(answer, "ok"), "%s %d: %s", method, i, answer);
}

static void the_hand_and_the_scheduler_get_their_own_answers(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;
	struct gt_view view;
	int fd, i;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline", "--endless");
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online", "--period-ms", PERIOD_MS,
		"--count", REQUESTS);
	fd = gt_control_open();
	for (i = 0; i < HOLDS; i++) {
		is_ok(fd, "Suspend", offline.pid, i);
		is_ok(fd, "Resume", offline.pid, i);
		gt_sleep_us(GAP_US);
	}
	close(fd);
	gt_load_wait(&online, 30000);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline is not listed");
	gt_note("%d holds by hand beside %lu of the scheduler's", HOLDS, view.nr_preempted);
	GT_CHECK(view.nr_preempted > HOLDS / 2, "the scheduler did little");
	gt_load_kill(&offline);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "the_hand_and_the_scheduler_get_their_own_answers",
	  the_hand_and_the_scheduler_get_their_own_answers, "profile=tiny", 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
