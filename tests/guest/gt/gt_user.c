// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_user.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void gt_user_load(void)
{
	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	GT_CHECK(!chmod("/dev/gpreempt", 0666) && !chmod("/dev/kfd", 0666) &&
		 !chmod("/dev/dri/renderD128", 0666), "chmod: %s", strerror(errno));
}

void gt_user_become(uid_t uid)
{
	GT_CHECK(!setresgid(uid, uid, uid) && !setresuid(uid, uid, uid), "%s", strerror(errno));
	/* A change of user takes it away. */
	prctl(PR_SET_DUMPABLE, 1);
	gt_gpk_reopen();
}

void gt_user_become_user(void)
{
	gt_user_become(GT_USER);
}

void gt_user_as(uid_t uid, void (*act)(const void *arg), const void *arg)
{
	pid_t pid = fork();
	int status;

	GT_CHECK(pid >= 0, "fork");
	if (!pid) {
		gt_user_become(uid);
		act(arg);
		_exit(0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	/* It has said why. */
	if (status)
		_exit(1);
}

int gt_user_pidfd(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	GT_CHECK(fd >= 0, "pidfd_open: %s", strerror(errno));
	return fd;
}

int gt_user_set_attr(int pidfd, struct gpreempt_ioc_attr arg)
{
	arg.size = sizeof(arg);
	arg.pidfd = pidfd;
	return ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg) ? -errno : 0;
}

int gt_user_set_prio(int pidfd, uint32_t prio)
{
	return gt_user_set_attr(pidfd, (struct gpreempt_ioc_attr){ .valid = GPREEMPT_ATTR_F_PRIO,
								   .prio = prio });
}
