// SPDX-License-Identifier: MIT
/*
 * Rights at /dev/gpreempt: two ordinary users and root. Administrators decide which users
 * may open the device; here all may.
 *
 * Variant: hooks
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=100"
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define MS 20000

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .steps = 0, .step_ns = 1000000, .seed = 1,
};

static uint32_t gpu_id;

static void begin(void)
{
	gt_user_load();
	gpu_id = gt_gpk_gpu_id();
}

static void end(void)
{
	gt_gpk_check_left();
	gt_gpk_unload();
}

static int set_policy(struct gpreempt_ioc_policy arg)
{
	arg.size = sizeof(arg);
	return ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &arg) ? -errno : 0;
}

/* A user cannot see what the GPU does. */
static bool is_active(const struct gt_job *j)
{
	return gt_gpk_flags(j->pid, j->queue_id) & GPREEMPT_QUEUE_F_ACTIVE;
}

static void touch_anothers(const void *arg)
{
	const struct gt_job *j = arg;
	int pidfd = gt_user_pidfd(j->pid);

	GT_EXPECT(-EPERM, gt_gpk_hold(gpu_id, j->pid, ALL, LEASE_MS));
	GT_EXPECT(-EPERM, gt_gpk_hold(gpu_id, j->pid, j->queue_id, LEASE_MS));
	GT_EXPECT(-EPERM, gt_gpk_release(gpu_id, j->pid, ALL));
	GT_EXPECT(-EPERM, gt_user_set_prio(pidfd, 0));
	GT_EXPECT(-EPERM, gt_user_set_prio(pidfd, 12));
}

static void touch_own(const void *arg)
{
	const struct gt_job *j = arg;
	int pidfd = gt_user_pidfd(j->pid);

	GT_EXPECT(0, gt_gpk_hold(gpu_id, j->pid, ALL, LEASE_MS));
	GT_CHECK(!is_active(j), "it runs");
	GT_EXPECT(0, gt_gpk_release(gpu_id, j->pid, ALL));
	GT_CHECK(is_active(j), "it does not run");
	GT_EXPECT(0, gt_user_set_prio(pidfd, 0));
	GT_EXPECT(-EPERM, gt_user_set_prio(pidfd, 8));
}

/* Holds it; the file is closed at the end of this process. */
static void hold_and_end(const void *arg)
{
	const struct gt_job *j = arg;

	GT_EXPECT(0, gt_gpk_hold(gpu_id, j->pid, ALL, LEASE_MS));
	GT_CHECK(!is_active(j), "it runs");
}

static void others_cannot_touch_queues(void)
{
	struct gt_job j;

	begin();
	gt_job_start_as(&j, &endless, gt_user_become_user);
	gt_user_as(GT_OTHER, touch_anothers, &j);
	GT_CHECK(is_active(&j), "it was preempted");
	GT_CHECK(gt_stat(0, "waves"), "it does not run");
	gt_job_kill(&j);
	end();
}

/* Control: the same by users that may. */
static void the_owner_and_root_can(void)
{
	struct gt_job j;

	begin();
	gt_job_start_as(&j, &endless, gt_user_become_user);
	gt_user_as(GT_USER, touch_own, &j);
	gt_user_as(0, hold_and_end, &j);
	gt_gpk_wait_waves(1, MS);
	gt_user_as(GT_USER, hold_and_end, &j);
	gt_gpk_wait_waves(1, MS);
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(j.pid), 12));
	gt_job_kill(&j);
	end();
}

/* A hold by root is root's: the owner cannot end it. */
static void holds_belong_to_files(void)
{
	struct gt_job j;

	begin();
	gt_job_start_as(&j, &endless, gt_user_become_user);
	GT_EXPECT(0, gt_gpk_hold(gpu_id, j.pid, ALL, LEASE_MS));
	gt_user_as(GT_USER, hold_and_end, &j);
	gt_sleep_us(100000);
	GT_CHECK(!gt_stat(0, "waves"), "another user's file let it go");
	GT_EXPECT(0, gt_gpk_release(gpu_id, j.pid, ALL));
	gt_gpk_wait_waves(1, MS);
	gt_job_kill(&j);
	end();
}

static void raise_oneself(const void *arg)
{
	static const struct gpreempt_ioc_attr raising[] = {
		{ .valid = GPREEMPT_ATTR_F_PRIO, .prio = 8 },
		{ .valid = GPREEMPT_ATTR_F_PRIO, .prio = 15 },
		{ .valid = GPREEMPT_ATTR_F_WEIGHT, .weight = 10000 },
		{ .valid = GPREEMPT_ATTR_F_SLICE, .slice_ns = 10000000000 },
		{ .valid = GPREEMPT_ATTR_F_DEADLINE, .deadline_ns = 1000000 },
		{ .valid = GPREEMPT_ATTR_F_LATENCY_CRITICAL, .latency_critical = 1 },
		{ .valid = GPREEMPT_ATTR_F_NO_PREEMPT, .no_preempt = 1 },
		{ .valid = GPREEMPT_ATTR_F_DETECT, .detect = GPREEMPT_DETECT_CRITICAL },
		{ .valid = GPREEMPT_ATTR_F_DETECT, .detect = GPREEMPT_DETECT_DOORBELL },
	};
	int expected = arg ? -EPERM : 0;
	size_t i;

	for (i = 0; i < sizeof(raising) / sizeof(raising[0]); i++)
		GT_EXPECT(expected, gt_user_set_attr(-1, raising[i]));
}

static void lower_oneself(const void *arg)
{
	uint32_t prio;

	for (prio = 0; prio <= 7; prio++)
		GT_EXPECT(0, gt_user_set_prio(-1, prio));
	GT_EXPECT(0, gt_user_set_attr(-1, (struct gpreempt_ioc_attr){
		.valid = GPREEMPT_ATTR_F_WEIGHT, .weight = 1 }));
	GT_EXPECT(0, gt_user_set_attr(-1, (struct gpreempt_ioc_attr){
		.valid = GPREEMPT_ATTR_F_DETECT, .detect = GPREEMPT_DETECT_MANUAL }));
}

static void raising_needs_permission(void)
{
	begin();
	gt_user_as(GT_USER, lower_oneself, NULL);
	gt_user_as(GT_USER, raise_oneself, "");
	/* Control. */
	gt_user_as(0, raise_oneself, NULL);
	end();
}

static void govern(const void *arg)
{
	int expected = arg ? -EPERM : 0;

	GT_EXPECT(expected, set_policy((struct gpreempt_ioc_policy){
		.valid = GPREEMPT_POLICY_F_POLICY, .policy = "fair" }));
	GT_EXPECT(expected, set_policy((struct gpreempt_ioc_policy){
		.valid = GPREEMPT_POLICY_F_ENABLED, .enabled = 1 }));
	GT_EXPECT(expected, set_policy((struct gpreempt_ioc_policy){
		.valid = GPREEMPT_POLICY_F_PARAM, .param = "max_wait_ns", .value = 1000000 }));
}

static void policy_needs_permission(void)
{
	begin();
	gt_user_as(GT_USER, govern, "");
	/* Control. */
	gt_user_as(0, govern, NULL);
	end();
}

static void is_protected(void (*become)(void))
{
	struct gt_job j;

	begin();
	gt_job_start_as(&j, &endless, become);
	gt_user_as(GT_USER, touch_anothers, &j);
	GT_CHECK(gt_stat(0, "waves"), "it does not run");
	/* Control. */
	gt_user_as(0, hold_and_end, &j);
	gt_job_kill(&j);
	end();
}

/* A process of the same user that may not be dumped, as after setuid, is not the user's. */
static void undumpable(void)
{
	gt_user_become(GT_USER);
	prctl(PR_SET_DUMPABLE, 0);
}

static void undumpable_processes_are_protected(void)
{
	is_protected(undumpable);
}

/* Nor is one that keeps what root may do. */
static void capable(void)
{
	prctl(PR_SET_KEEPCAPS, 1);
	gt_user_become(GT_USER);
}

static void capable_processes_are_protected(void)
{
	is_protected(capable);
}

static int hold_fd(int fd)
{
	struct gpreempt_ioc_ref ref = { .pidfd = fd, .queue_id = ALL, .gpu_id = gpu_id };
	struct gpreempt_ioc_switch arg = { .size = sizeof(arg), .gpu_id = gpu_id, .nr_out = 1,
					   .refs = (uintptr_t)&ref, .lease_ms = 1000,
					   .ref_size = sizeof(ref) };

	return ioctl(gt_gpk_dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : ref.result;
}

/* An end of a process; its pidfd stays. */
static int pidfd_of_dead(bool reaped)
{
	pid_t pid = fork();
	siginfo_t info;
	int fd;

	if (!pid)
		_exit(0);
	fd = gt_user_pidfd(pid);
	GT_CHECK(!waitid(P_PID, pid, &info, WEXITED | (reaped ? 0 : WNOWAIT)), "wait");
	return fd;
}

static void forged_pidfds_are_refused(void)
{
	int forged[] = { open("/proc/self", O_RDONLY | O_DIRECTORY), open("/dev/null", O_RDWR),
			 eventfd(0, 0), open("/proc/self/status", O_RDONLY), 999, -3, INT32_MIN,
			 INT32_MAX };
	size_t i;
	int fd;

	begin();
	for (i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		GT_EXPECT(-EBADF, hold_fd(forged[i]));
		GT_EXPECT(-EBADF, gt_user_set_prio(forged[i], 1));
	}
	GT_EXPECT(-EBADF, hold_fd(gt_gpk_dev));
	fd = pidfd_of_dead(true);
	GT_EXPECT(-ESRCH, hold_fd(fd));
	GT_EXPECT(-ESRCH, gt_user_set_prio(fd, 1));
	/* A zombie: it has no queues. */
	GT_EXPECT(-ESRCH, hold_fd(pidfd_of_dead(false)));
	/* This process has none either. Control: a real one is found, see above. */
	GT_EXPECT(-ESRCH, hold_fd(-1));
	GT_EXPECT(0, gt_user_set_prio(-1, 1));
	end();
}

static const struct gt_case cases[] = {
	{ "others_cannot_touch_queues", others_cannot_touch_queues, TINY, 60 },
	{ "the_owner_and_root_can", the_owner_and_root_can, TINY, 60 },
	{ "holds_belong_to_files", holds_belong_to_files, TINY, 60 },
	{ "raising_needs_permission", raising_needs_permission, TINY, 60 },
	{ "policy_needs_permission", policy_needs_permission, TINY, 60 },
	{ "undumpable_processes_are_protected", undumpable_processes_are_protected, TINY, 60 },
	{ "capable_processes_are_protected", capable_processes_are_protected, TINY, 60 },
	{ "forged_pidfds_are_refused", forged_pidfds_are_refused, TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
