// SPDX-License-Identifier: MIT
/*
 * Inference beside training on one GPU, by the patched driver alone and where gpreempt.ko
 * schedules: what an online request waits, and what is left to the offline job.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"
#include "gt/gt_story.h"

#include <unistd.h>

#define TINY "profile=tiny"
/* In virtual time, where nothing but the model and what system calls cost comes between. */
#define MIN_RATIO 80
#define MIN_OFFLINE_PERMILLE 900

static void the_patched_driver_alone_lets_online_wait(void)
{
	struct gt_story s;

	gt_gpk_unload();
	gt_stack_devices();
	gt_story_run(GT_PLAIN, GT_USER, GT_STORY_WITHOUT, &s);
	gt_story_note("without", &s);
	GT_CHECK(s.p50_us > 100000, "nothing to gain");
	gt_story_keep_without(&s);
}

/* The module's own figure is told by the daemon: every request, and none longer than it took. */
static void waits_are_told(const struct gt_story *s)
{
	int fd = gt_control_open();
	json_t *reply = gt_control_call(fd, "GetStatistics", "{}");
	json_t *wait = json_object_get(json_array_get(json_object_get(reply, "nodes"), 0), "wait");
	json_int_t nr = json_integer_value(json_object_get(wait, "count"));
	json_int_t p99_ns = json_integer_value(json_object_get(wait, "p99_ns"));

	gt_note("module: %lld waits, p99 %lld ns", nr, p99_ns);
	GT_CHECK(nr > 0, "no wait was counted");
	GT_CHECK(p99_ns > 0 && p99_ns <= (json_int_t)s->p99_us * 1000 * 9 / 8, "p99 %lld ns",
		 p99_ns);
	json_decref(reply);
	close(fd);
}

static void the_module_makes_online_quick(void)
{
	struct gt_story s, without;
	struct gt_program daemon;

	gt_story_without(&without);
	gt_command_begin(&daemon, NULL);
	gt_story_run(GT_KERNEL, GT_USER, GT_STORY_WITH, &s);
	gt_story_note("module", &s);
	gt_note("module: p99 without / with = %.1f", (double)without.p99_us / s.p99_us);
	GT_CHECK(s.nr_preempted > 0, "nothing was preempted");
	GT_CHECK(without.p99_us >= MIN_RATIO * s.p99_us, "ratio %.1f",
		 (double)without.p99_us / s.p99_us);
	GT_CHECK(s.permille >= MIN_OFFLINE_PERMILLE, "offline lost too much");
	waits_are_told(&s);
	gt_command_end(&daemon);
}

static const struct gt_case cases[] = {
	{ "the_patched_driver_alone_lets_online_wait", the_patched_driver_alone_lets_online_wait,
	  TINY, 60 },
	{ "the_module_makes_online_quick", the_module_makes_online_quick, TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
