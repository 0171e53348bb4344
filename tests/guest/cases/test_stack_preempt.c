// SPDX-License-Identifier: MIT
/*
 * Inference beside training on one GPU, by the driver alone and under gpreempt: what
 * an online request waits, what is left to the offline job, and that both compute
 * what they should.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_story.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS_ENDLESS "50"
#define NEVER_MS 1000
#define WARM_UP_US 300000
#define MIN_RATIO 10
/* In virtual time, where nothing but the model and what system calls cost comes between. */
#define MIN_RATIO_VIRTUAL 80
#define MIN_OFFLINE_PERMILLE_VIRTUAL 900
/* The median of these at least, on any machine; the tail is judged by make soak. */
#define MIN_RATIO_P50 4
/* Control: what is not scheduled gains nothing. */
#define MAX_RATIO_OFF 2
/* A switch takes milliseconds here, two for each request: most of what is missing. */
#define MIN_OFFLINE_PERMILLE 400

static double ms_of(const json_t *node, const char *histogram, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(node, histogram), key)) / 1e6;
}

/* Where the time of a switch goes, by the daemon's own clock. */
static void note_statistics(void)
{
	int fd = gt_control_open();
	json_t *reply = gt_control_call(fd, "GetStatistics", "{}");
	json_t *node = json_array_get(json_object_get(reply, "nodes"), 0);

	gt_note("switch p50 %.1f ms, p99 %.1f ms; orders p50 %.1f ms, p99 %.1f ms, max %.1f ms; "
		"decision p50 %.2f ms, p99 %.2f ms", ms_of(node, "switch", "p50_ns"),
		ms_of(node, "switch", "p99_ns"), ms_of(node, "fanout", "p50_ns"),
		ms_of(node, "fanout", "p99_ns"), ms_of(node, "fanout", "max_ns"),
		ms_of(node, "decision", "p50_ns"), ms_of(node, "decision", "p99_ns"));
	json_decref(reply);
	close(fd);
}

static void the_driver_alone_lets_online_wait(void)
{
	struct gt_story s;

	gt_stack_devices();
	gt_story_run(GT_PLAIN, GT_USER, GT_STORY_WITHOUT, &s);
	gt_story_note("without", &s);
	GT_CHECK(s.p50_us > 100000, "nothing to gain");
	gt_story_keep_without(&s);
}

static void judge_exactly(const struct gt_story *s, uint64_t without)
{
	GT_CHECK(without >= MIN_RATIO_VIRTUAL * s->p99_us, "ratio %.1f",
		 (double)without / s->p99_us);
	GT_CHECK(s->permille >= MIN_OFFLINE_PERMILLE_VIRTUAL, "offline lost too much");
}

static void gains(enum gt_how how, const char *name)
{
	uint64_t before, after, alone, p99;
	struct gt_story s, without;
	struct gt_program daemon;

	gt_story_without(&without);
	p99 = without.p99_us;
	gt_stack_devices();
	before = gt_story_alone_us();
	gt_daemon_start(&daemon, NULL);
	gt_story_run(how, GT_USER, GT_STORY_WITH, &s);
	gt_story_note(name, &s);
	note_statistics();
	gt_daemon_stop(&daemon);
	after = gt_story_alone_us();
	alone = before > after ? before : after;
	gt_note("%s: p99 without / with = %.1f; alone %.1f ms", name, (double)p99 / s.p99_us,
		alone / 1e3);
	GT_CHECK(s.nr_preempted > 0, "nothing was preempted");
	GT_CHECK(without.p50_us >= MIN_RATIO_P50 * s.p50_us, "p50 %lu us",
		 s.p50_us);
	if (gt_is_virtual()) {
		judge_exactly(&s, p99);
		return;
	}
	/* A tail of emulated processors says little beside other work. */
	if (gt_scaled(2) != 2)
		return;
	if (p99 < MIN_RATIO * s.p99_us && alone * 4 * MIN_RATIO > p99)
		gt_skip("this machine is too busy to judge: ratio %.1f; alone, a request takes "
			"%.1f ms", (double)p99 / s.p99_us, alone / 1e3);
	GT_CHECK(p99 >= MIN_RATIO * s.p99_us, "ratio %.1f", (double)p99 / s.p99_us);
	GT_CHECK(s.permille >= MIN_OFFLINE_PERMILLE, "offline lost too much");
}

static void the_shim_makes_online_quick(void)
{
	gains(GT_SHIM, "shim");
}

static void dbg_makes_online_quick(void)
{
	gains(GT_DBG, "dbg");
}

/* Control: everything is there, and told not to schedule. */
static void switched_off_it_gains_nothing(void)
{
	struct gt_story s, without;
	struct gt_program daemon;
	int fd;

	gt_story_without(&without);
	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	fd = gt_control_open();
	json_decref(gt_control_call(fd, "SetPolicy", "{s:b}", "enabled", 0));
	gt_story_run(GT_SHIM, GT_USER, GT_STORY_WITHOUT, &s);
	gt_story_note("off", &s);
	gt_daemon_stop(&daemon);
	GT_CHECK(!s.nr_preempted, "%lu preemptions", s.nr_preempted);
	GT_CHECK(without.p99_us < MAX_RATIO_OFF * s.p99_us, "ratio %.1f",
		 (double)without.p99_us / s.p99_us);
}

/* A kernel that never ends: by the driver alone no other queue ever gets a CU. */
static void an_endless_kernel_makes_room(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline", "--endless");
	gt_sleep_us(WARM_UP_US);
	/*
	 * Control: a process that gpreempt does not know waits. One request may come first: with
	 * its queue the driver maps that of the endless kernel anew, which is read back then.
	 */
	GT_LOAD(&online, GT_PLAIN, 0, NULL, "load_online");
	GT_CHECK(gt_load_moves(&online, 2, NEVER_MS), "there was room");
	gt_load_kill(&online);
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online", "--count", REQUESTS_ENDLESS);
	if (gt_load_moves(&online, 1, NEVER_MS)) {
		gt_load_describe(&offline, "offline");
		gt_program_show(&daemon);
	}
	gt_load_wait(&online, 30000);
	gt_note("endless: online p50 %.1f ms, p99 %.1f ms",
		gt_program_value(&online.program, "p50_us") / 1e3,
		gt_program_value(&online.program, "p99_us") / 1e3);
	gt_load_stop(&offline, 10000);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "the_driver_alone_lets_online_wait", the_driver_alone_lets_online_wait,
	  "profile=tiny", 60 },
	{ "the_shim_makes_online_quick", the_shim_makes_online_quick, "profile=tiny", 60 },
	{ "dbg_makes_online_quick", dbg_makes_online_quick, "profile=tiny", 60 },
	{ "an_endless_kernel_makes_room", an_endless_kernel_makes_room, "profile=tiny", 60 },
	{ "switched_off_it_gains_nothing", switched_off_it_gains_nothing, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
