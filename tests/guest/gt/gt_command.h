/* SPDX-License-Identifier: MIT */
/*
 * The command gpreempt, run beside the kernel module, and the module's own word on what
 * it did.
 */
#ifndef GT_COMMAND_H
#define GT_COMMAND_H

#include "gt/gt_load.h"
#include "gt/gt_offline.h"

#define GT_COMMAND_MS 20000
#define GT_DENIED 5	/* exit code, gpreempt(1) */

/* Loads gpreempt.ko and leaves its file closed. */
void gt_command_load(void);

/* Loads it and starts a daemon; ends both. @config: as of gt_daemon_start(). */
void gt_command_begin(struct gt_program *daemon, const char *config);
void gt_command_end(struct gt_program *daemon);

/* Runs a program; it must end with @code and say @text (NULL = anything). */
void gt_command_as(uid_t uid, int code, const char *text, const char *const argv[]);

/* Runs a program again and again, until it says @text: what is to be seen needs a moment. */
void gt_command_until(const char *text, const char *const argv[]);

#define GT_COMMAND_UNTIL(text, ...) \
	gt_command_until(text, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })
#define GT_COMMAND(text, ...) \
	gt_command_as(0, 0, text, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })
#define GT_REFUSED(uid, ...) \
	gt_command_as(uid, GT_DENIED, NULL, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })

/* One run of gpreempt check, which must say both, and that the driver has the hooks. */
void gt_command_check(const char *module, const char *mechanism);

#define GT_CHECK_LOADED \
	"ok    module        gpreempt.ko with ABI 2 on 1 GPU; detection: poll, critical, " \
	"doorbell, manual"

/* Priority of a process, as the module has it. */
uint32_t gt_command_prio(pid_t pid);

#endif
