// SPDX-License-Identifier: MIT
/*
 * A process under the shim that forks without another program: its child is a client of
 * its own, what is held of the one is not held of the other, and both compute what they
 * should.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_daemon.h"

#include <string.h>
#include <unistd.h>

#define KERNEL_MS "50"
#define NR_KERNELS "40"
#define KNOWN_MS 5000

static void a_child_is_a_client_of_its_own(void)
{
	struct gt_program daemon, load;
	pid_t child;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_START(&load, 0, "gpreempt", "run", "--", "load_fork", KERNEL_MS, NR_KERNELS);
	GT_CHECK(!gt_program_says(&load, "child 1", 20000), "no kernel of the child");
	child = (pid_t)gt_program_value(&load, "child_pid");
	GT_CHECK(!gt_daemon_wait_view(load.pid, "shim", 1, KNOWN_MS), "no parent");
	GT_CHECK(!gt_daemon_wait_view(child, "shim", 1, KNOWN_MS), "no child");
	fd = gt_control_open();
	GT_CHECK(!strcmp(gt_control_hold(fd, "Suspend", load.pid), "ok"), "suspend");
	/* Control: the parent stands still. */
	GT_CHECK(gt_program_says(&load, "parent " NR_KERNELS, 3000), "it was not held");
	GT_CHECK(!gt_program_says(&load, "child " NR_KERNELS, 20000), "the child was held too");
	GT_CHECK(!strcmp(gt_control_hold(fd, "Resume", load.pid), "ok"), "resume");
	close(fd);
	GT_CHECK(!gt_program_wait(&load, 30000), "results");
	GT_CHECK(gt_program_value(&load, "exact") == 1, "results");
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "a_child_is_a_client_of_its_own", a_child_is_a_client_of_its_own, "profile=tiny", 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
