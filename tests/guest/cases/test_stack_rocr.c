// SPDX-License-Identifier: MIT
/*
 * Programs on Debian's ROCr, which know nothing of gpreempt, under `gpreempt run`:
 * paused in the middle of a kernel, continued, with exact results. ROCr is in a root
 * of its own, so this is also how a container comes under gpreempt.
 *
 * Needs: stack clients
 * Clock: host, ROCr spins on the clock
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"
#include "gt/gt_root.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_KERNELS 30
#define NR_KERNELS_BESIDE 80	/* still there when the online job is */
#define KERNEL_MS "40"
#define PAUSE_MS 500

static void start(struct gt_program *p, const char *root, unsigned int nr)
{
	char count[16];

	gt_root_enter(root);
	snprintf(count, sizeof(count), "%u", nr);
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	GT_START(p, 0, "gpreempt", "run", "-c", "besteffort", "--", "chroot", root,
		 "/usr/bin/client_kernel", count, KERNEL_MS);
	unsetenv("LD_LIBRARY_PATH");
	if (gt_program_says(p, "completed 2", 20000)) {
		gt_program_show(p);
		gt_fail("the program does not get to its second kernel");
	}
}

static void finish(struct gt_program *p, const char *root)
{
	int r = gt_program_wait(p, 30000);

	if (r)
		gt_program_show(p);
	GT_CHECK(!r, "ended with %d", r);
	GT_CHECK(gt_file_has(p->output, "exact 1"), "results");
	gt_root_leave(root);
}

/* The number of the last "completed". */
static unsigned int completed(const struct gt_program *p)
{
	char text[32];
	unsigned int n;

	for (n = 0; n < NR_KERNELS; n++) {
		snprintf(text, sizeof(text), "completed %u\n", n + 1);
		if (!gt_file_has(p->output, text))
			break;
	}
	return n;
}

static void pause_and_continue(const char *root)
{
	struct gt_program daemon, p;
	unsigned int before;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	start(&p, root, NR_KERNELS);
	fd = gt_control_open();
	GT_CHECK(!strcmp(gt_control_hold(fd, "Suspend", p.pid), "ok"), "Suspend");
	/* What ended before the pause may not be printed yet. */
	gt_sleep_us(100000);
	before = completed(&p);
	GT_CHECK(before < NR_KERNELS, "too late");
	gt_sleep_us(PAUSE_MS * 1000);
	GT_CHECK(completed(&p) == before, "went on while it was paused");
	GT_CHECK(!strcmp(gt_control_hold(fd, "Resume", p.pid), "ok"), "Resume");
	finish(&p, root);
	gt_note("paused after %u of %u kernels", before, NR_KERNELS);
	gt_daemon_stop(&daemon);
}

static void rocr_5_is_paused_and_continued(void)
{
	pause_and_continue(GT_ROOT_ROCR_5);
}

static void rocr_6_is_paused_and_continued(void)
{
	pause_and_continue(GT_ROOT_ROCR_6);
}

/* By the scheduler, for a more urgent process. */
static void rocr_makes_room(void)
{
	struct gt_program daemon, p;
	struct gt_view view = {};
	struct gt_load online;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	start(&p, GT_ROOT_ROCR_6, NR_KERNELS_BESIDE);
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online", "--count", "20");
	gt_load_wait(&online, 30000);
	GT_CHECK(!gt_daemon_view(p.pid, &view), "not listed");
	finish(&p, GT_ROOT_ROCR_6);
	gt_note("preempted %lu times; online p99 %lu us", view.nr_preempted,
		gt_program_value(&online.program, "p99_us"));
	GT_CHECK(view.nr_preempted > 0, "was never preempted");
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "rocr_5_is_paused_and_continued", rocr_5_is_paused_and_continued, "profile=tiny", 90 },
	{ "rocr_6_is_paused_and_continued", rocr_6_is_paused_and_continued, "profile=tiny", 90 },
	{ "rocr_makes_room", rocr_makes_room, "profile=tiny", 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
