// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS GT_COMMAND_MS

void gt_command_load(void)
{
	gt_gpk_load("");
	gt_gpk_close();
}

uint32_t gt_command_prio(pid_t pid)
{
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC), r;
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = -1 };

	GT_CHECK(fd >= 0, "open: %s", strerror(errno));
	arg.pidfd = syscall(SYS_pidfd_open, pid, 0);
	GT_CHECK(arg.pidfd >= 0, "pidfd: %s", strerror(errno));
	r = ioctl(fd, GPREEMPT_IOC_GET_ATTR, &arg);
	GT_CHECK(!r, "attributes: %s", strerror(errno));
	close(arg.pidfd);
	close(fd);
	return arg.prio;
}

void gt_command_begin(struct gt_program *daemon, const char *config)
{
	gt_gpk_unload();
	gt_stack_devices();
	gt_command_load();
	gt_daemon_start(daemon, config);
}

void gt_command_end(struct gt_program *daemon)
{
	gt_daemon_stop(daemon);
	gt_gpk_unload();
}

void gt_command_as(uid_t uid, int code, const char *text, const char *const argv[])
{
	struct gt_program p;
	int r = gt_program_run(&p, uid, MS, argv);

	if (r != code || (text && gt_program_says(&p, text, 10))) {
		gt_program_show(&p);
		gt_fail("%s %s: %d, not %d and \"%s\"", argv[0], argv[1], r, code,
			text ? text : "");
	}
}

void gt_command_until(const char *text, const char *const argv[])
{
	uint64_t end = gt_deadline_ns(MS);
	struct gt_program p;

	while (gt_program_run(&p, 0, MS, argv) || gt_program_says(&p, text, 10)) {
		if (gt_now_ns() > end) {
			gt_program_show(&p);
			gt_fail("%s %s never says \"%s\"", argv[0], argv[1], text);
		}
		gt_sleep_us(10000);
	}
}

void gt_command_check(const char *module, const char *mechanism)
{
	struct gt_program p;
	int r = GT_RUN(&p, 0, MS, "gpreempt", "check");

	if (r || gt_program_says(&p, "ok    hooks         amdkfd is patched", 10) ||
	    gt_program_says(&p, module, 10) || gt_program_says(&p, mechanism, 10)) {
		gt_program_show(&p);
		gt_fail("check: %d, \"%s\", \"%s\"", r, module, mechanism);
	}
}
