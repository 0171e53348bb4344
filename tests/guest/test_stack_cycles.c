// SPDX-License-Identifier: MIT
/*
 * Ten thousand times paused and continued, through the daemon: nothing changes in what
 * is computed.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt_load.h"

#include <string.h>
#include <unistd.h>

#define NR_CYCLES 5000		/* by each of two mechanisms */
#define LOOK_EVERY 250
#define MAP_MS 2000

/* Every so often, do not believe the daemon but look at the hardware. */
static void cycle(const struct gt_load *l, int fd, bool look)
{
	const char *r = gt_control_hold(fd, "Suspend", l->pid);

	GT_CHECK(!strcmp(r, "ok"), "Suspend: %s", r);
	if (look)
		GT_CHECK(!gt_load_mapped(l), "suspended, and has a slot");
	r = gt_control_hold(fd, "Resume", l->pid);
	GT_CHECK(!strcmp(r, "ok"), "Resume: %s", r);
	if (look)
		GT_CHECK(!gt_load_wait_mapped(l, 1, MAP_MS), "resumed, and has no slot");
}

static void cycles(enum gt_how how)
{
	uint64_t start = gt_now_ns(), saves, took_ms;
	struct gt_program daemon;
	struct gt_load l;
	unsigned int i;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&l, how, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	fd = gt_control_open();
	saves = gt_stat(0, "saves");
	for (i = 0; i < gt_scaled(NR_CYCLES); i++)
		cycle(&l, fd, i % LOOK_EVERY == 0);
	took_ms = (gt_now_ns() - start) / 1000000;
	gt_note("%u cycles in %lu ms, %lu saves with waves, %lu kernels", i, took_ms,
		gt_stat(0, "saves") - saves, l.progress->completed);
	GT_CHECK(gt_stat(0, "saves") - saves >= i / 2, "hardly anything was saved");
	gt_load_stop(&l, 10000);
	gt_daemon_stop(&daemon);
	GT_CHECK(gt_stat(0, "saves") == gt_stat(0, "restores"), "saves differ from restores");
	GT_CHECK(!gt_stat(0, "faults") && !gt_stat(0, "killed"), "faults");
}

static void shim_cycles_change_nothing(void)
{
	cycles(GT_SHIM);
}

static void dbg_cycles_change_nothing(void)
{
	cycles(GT_DBG);
}

/* Control: one byte of one save changed, and the load says so. */
static void a_changed_byte_is_seen(void)
{
	struct gt_program daemon;
	struct gt_load l;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&l, GT_SHIM, GT_USER, "besteffort", "load_offline", "--kernel-ms", "1000");
	gt_sleep_us(100000);
	gt_fault(0, "corrupt 70000");
	fd = gt_control_open();
	cycle(&l, fd, true);
	GT_CHECK(!gt_load_moves(&l, 2, 10000), "it does not go on");
	GT_CHECK(l.progress->wrong > 0, "nobody noticed");
	gt_load_kill(&l);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "shim_cycles_change_nothing", shim_cycles_change_nothing, "profile=tiny", 120 },
	{ "dbg_cycles_change_nothing", dbg_cycles_change_nothing, "profile=tiny", 120 },
	{ "a_changed_byte_is_seen", a_changed_byte_is_seen, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
