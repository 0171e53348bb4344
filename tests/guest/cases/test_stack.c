// SPDX-License-Identifier: MIT
/*
 * The ground the user-space stack stands on in the guest: dynamic programs, preloading,
 * an unprivileged user who may use the GPU and nothing more.
 *
 * Needs: stack
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_stack.h"

#include <unistd.h>

static void the_command_runs(void)
{
	struct gt_program p;
	int r = GT_RUN(&p, 0, 5000, "gpreempt", "--version");

	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
}

static void a_user_may_use_the_gpu(void)
{
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, GT_USER, 10000, "load_online", "--count", "3", "--period-ms", "1");
	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_program_value(&p, "exact") == 1, "results");
}

/* Control: without the group's permission the driver cannot even be opened. */
static void a_user_may_not_without_the_group(void)
{
	struct gt_program p;

	gt_stack_devices();
	GT_CHECK(!chown("/dev/kfd", 0, 0), "chown");
	GT_CHECK(GT_RUN(&p, GT_USER, 10000, "load_online", "--count", "1") != 0,
		 "/dev/kfd is open to all");
}

static const struct gt_case cases[] = {
	{ "the_command_runs", the_command_runs, NULL, 0 },
	{ "a_user_may_use_the_gpu", a_user_may_use_the_gpu, "profile=tiny", 0 },
	{ "a_user_may_not_without_the_group", a_user_may_not_without_the_group, "profile=tiny",
	  0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
