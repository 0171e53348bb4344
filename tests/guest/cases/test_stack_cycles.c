// SPDX-License-Identifier: MIT
/*
 * Ten thousand times paused and continued, through the daemon: nothing changes in what
 * is computed.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <string.h>
#include <unistd.h>

#define NR_CYCLES 5000		/* by each of two mechanisms, of all jobs together */
#define NR_JOBS 4
#define LOOK_EVERY 50
#define MAP_MS 2000

static void order(const struct gt_load *l, unsigned int nr, int fd, const char *method)
{
	json_t *targets = json_array(), *reply, *result;
	unsigned int i;
	size_t n;

	for (i = 0; i < nr; i++)
		json_array_append_new(targets, json_pack("{s:i}", "pid", (int)l[i].pid));
	reply = gt_control_call(fd, method, "{s:o}", "targets", targets);
	json_array_foreach(json_object_get(reply, "results"), n, result)
		GT_CHECK(!strcmp(json_string_value(json_object_get(result, "result")), "ok"),
			 "%s: %s", method, json_dumps(result, 0));
	GT_CHECK(n == nr, "%lu results", n);
	json_decref(reply);
}

/* Every so often, do not believe the daemon but look at the hardware. */
static void cycle(const struct gt_load *l, unsigned int nr, int fd, bool look)
{
	unsigned int i;

	order(l, nr, fd, "Suspend");
	for (i = 0; look && i < nr; i++)
		GT_CHECK(!gt_load_mapped(&l[i]), "suspended, and has a slot");
	order(l, nr, fd, "Resume");
	for (i = 0; look && i < nr; i++)
		GT_CHECK(!gt_load_wait_mapped(&l[i], 1, MAP_MS), "resumed, and has no slot");
}

/* Little to save in each job: it is the number of times that counts here. */
static void start_job(struct gt_load *l, enum gt_how how)
{
	GT_LOAD(l, how, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20", "--lds-bytes",
		"1024");
}

static void cycles(enum gt_how how)
{
	unsigned int nr = gt_scaled(NR_CYCLES) / NR_JOBS, i;
	struct gt_load l[NR_JOBS];
	struct gt_program daemon;
	uint64_t start, saves;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	for (i = 0; i < NR_JOBS; i++)
		start_job(&l[i], how);
	fd = gt_control_open();
	saves = gt_stat(0, "saves");
	start = gt_now_ns();
	for (i = 0; i < nr; i++)
		cycle(l, NR_JOBS, fd, i % LOOK_EVERY == 0);
	gt_note("%u cycles of %u jobs in %lu ms, %lu saves with waves", nr, NR_JOBS,
		(gt_now_ns() - start) / 1000000, gt_stat(0, "saves") - saves);
	GT_CHECK(gt_stat(0, "saves") - saves >= nr * NR_JOBS / 2, "hardly anything was saved");
	for (i = 0; i < NR_JOBS; i++)
		gt_load_stop(&l[i], 10000);
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
	cycle(&l, 1, fd, true);
	GT_CHECK(!gt_load_moves(&l, 2, 10000), "it does not go on");
	GT_CHECK(l.progress->wrong > 0, "not noticed");
	gt_load_kill(&l);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "shim_cycles_change_nothing", shim_cycles_change_nothing, "profile=tiny", 300 },
	{ "dbg_cycles_change_nothing", dbg_cycles_change_nothing, "profile=tiny", 300 },
	{ "a_changed_byte_is_seen", a_changed_byte_is_seen, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
