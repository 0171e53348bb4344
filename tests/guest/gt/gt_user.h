/* SPDX-License-Identifier: MIT */
/*
 * Ordinary users, for the tests of rights at /dev/gpreempt.
 */
#ifndef GT_USER_H
#define GT_USER_H

#include "gt/gt_gpk.h"

#include <string.h>

#define GT_USER 1000
#define GT_OTHER 1001

/* Loads gpreempt.ko, switched off, and lets every user open the devices. */
void gt_user_load(void);
/* Becomes a user, with a file of its own: what is held by it ends with it. */
void gt_user_become(uid_t uid);
/* The same, for processes that are started so. */
void gt_user_become_user(void);
/* Runs @act as a user, in a process of its own; ends the case if it fails. */
void gt_user_as(uid_t uid, void (*act)(const void *arg), const void *arg);
int gt_user_pidfd(pid_t pid);
/* Attributes of a process, -1 = the caller's. Return: 0 or -errno. */
int gt_user_set_attr(int pidfd, struct gpreempt_ioc_attr arg);
int gt_user_set_prio(int pidfd, uint32_t prio);

#define GT_EXPECT(expected, call)                                                         \
	do {                                                                              \
		int r_ = (call);                                                          \
									                  \
		GT_CHECK(r_ == (expected), "%s: %s", #call, strerror(-r_));               \
	} while (0)

#endif
