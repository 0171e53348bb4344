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
#include "gt/gt_load.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS_WITHOUT "25"	/* each waits for a kernel of 200 ms */
#define REQUESTS_WITH "250"
#define REQUESTS_ENDLESS "50"
#define NEVER_MS 1000
#define REQUESTS_ALONE "50"
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
#define WITHOUT "/tmp/without"

/**
 * struct story - what came of it
 * @p50_us: online
 * @p90_us: online
 * @p99_us: online
 * @max_us: online
 * @permille: of the time that offline kernels computed
 * @nr_preempted: how often the daemon stopped offline
 */
struct story {
	uint64_t p50_us;
	uint64_t p90_us;
	uint64_t p99_us;
	uint64_t max_us;
	uint64_t permille;
	uint64_t nr_preempted;
};

static void run_loads(enum gt_how how, uid_t uid, const char *requests, struct story *s)
{
	struct gt_load offline, online;
	struct gt_view view = {};

	GT_LOAD(&offline, how, uid, "besteffort", "load_offline");
	gt_sleep_us(WARM_UP_US);
	/* Only root may say that his work is more urgent than the default. */
	GT_LOAD(&online, how, 0, "realtime", "load_online", "--count", requests);
	gt_load_wait(&online, 60000);
	if (how != GT_PLAIN)
		GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline is not listed");
	gt_load_stop(&offline, 10000);
	s->p50_us = gt_program_value(&online.program, "p50_us");
	s->p90_us = gt_program_value(&online.program, "p90_us");
	s->p99_us = gt_program_value(&online.program, "p99_us");
	s->max_us = gt_program_value(&online.program, "max_us");
	s->permille = gt_program_value(&offline.program, "busy_permille");
	s->nr_preempted = view.nr_preempted;
}

static void note(const char *name, const struct story *s)
{
	gt_note("%s: online p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms; "
		"offline at work %.1f %%; %lu preemptions", name, s->p50_us / 1e3, s->p90_us / 1e3,
		s->p99_us / 1e3, s->max_us / 1e3, s->permille / 10.0, s->nr_preempted);
}

/*
 * Nobody else on the GPU: what is left is the emulated machine, and whoever shares it
 * with us.
 */
static uint64_t p99_alone_us(void)
{
	struct gt_program online;
	int r = GT_RUN(&online, 0, 60000, "load_online", "--count", REQUESTS_ALONE);

	GT_CHECK(!r, "online alone: %d", r);
	return gt_program_value(&online, "p99_us");
}

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
	struct story s;
	FILE *f;

	gt_stack_devices();
	run_loads(GT_PLAIN, GT_USER, REQUESTS_WITHOUT, &s);
	note("without", &s);
	GT_CHECK(s.p50_us > 100000, "nothing to gain");
	f = fopen(WITHOUT, "we");
	fprintf(f, "p50_us %lu\np99_us %lu\n", s.p50_us, s.p99_us);
	fclose(f);
}

/* Measured by the first case. */
static uint64_t p99_without_us(void)
{
	if (access(WITHOUT, F_OK))
		gt_skip("nothing to compare with: the case without gpreempt has not run");
	return gt_file_value(WITHOUT, "p99_us");
}

static void judge_exactly(const struct story *s, uint64_t without)
{
	GT_CHECK(without >= MIN_RATIO_VIRTUAL * s->p99_us, "ratio %.1f",
		 (double)without / s->p99_us);
	GT_CHECK(s->permille >= MIN_OFFLINE_PERMILLE_VIRTUAL, "offline lost too much");
}

static void gains(enum gt_how how, const char *name)
{
	uint64_t without = p99_without_us();
	struct gt_program daemon;
	uint64_t before, after, alone;
	struct story s;

	gt_stack_devices();
	before = p99_alone_us();
	gt_daemon_start(&daemon, NULL);
	run_loads(how, GT_USER, REQUESTS_WITH, &s);
	note(name, &s);
	note_statistics();
	gt_daemon_stop(&daemon);
	after = p99_alone_us();
	alone = before > after ? before : after;
	gt_note("%s: p99 without / with = %.1f; alone %.1f ms", name, (double)without / s.p99_us,
		alone / 1e3);
	GT_CHECK(s.nr_preempted > 0, "nothing was preempted");
	GT_CHECK(gt_file_value(WITHOUT, "p50_us") >= MIN_RATIO_P50 * s.p50_us, "p50 %lu us",
		 s.p50_us);
	if (gt_is_virtual()) {
		judge_exactly(&s, without);
		return;
	}
	/* A tail of emulated processors says little beside other work. */
	if (gt_scaled(2) != 2)
		return;
	if (without < MIN_RATIO * s.p99_us && alone * 4 * MIN_RATIO > without)
		gt_skip("this machine is too busy to judge: ratio %.1f; alone, a request takes "
			"%.1f ms", (double)without / s.p99_us, alone / 1e3);
	GT_CHECK(without >= MIN_RATIO * s.p99_us, "ratio %.1f", (double)without / s.p99_us);
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
	uint64_t without = p99_without_us();
	struct gt_program daemon;
	struct story s;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	fd = gt_control_open();
	json_decref(gt_control_call(fd, "SetPolicy", "{s:b}", "enabled", 0));
	run_loads(GT_SHIM, GT_USER, REQUESTS_WITHOUT, &s);
	note("off", &s);
	gt_daemon_stop(&daemon);
	GT_CHECK(!s.nr_preempted, "%lu preemptions", s.nr_preempted);
	GT_CHECK(without < MAX_RATIO_OFF * s.p99_us, "ratio %.1f", (double)without / s.p99_us);
}

/* A kernel that never ends: by the driver alone nobody else ever gets a CU. */
static void an_endless_kernel_makes_room(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline", "--endless");
	gt_sleep_us(WARM_UP_US);
	/*
	 * Control: somebody whom gpreempt does not know waits. One request may come first: with
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
