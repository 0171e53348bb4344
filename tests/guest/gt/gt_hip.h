/* SPDX-License-Identifier: MIT */
/*
 * Programs on Debian's HIP, ours of tests/guest/hip and others, each suite in a root folder of its
 * own: see vehicle/hip.
 * A test that uses this says "Needs: hip:SUITE" in its first comment.
 */
#ifndef GT_HIP_H
#define GT_HIP_H

#include "gt/gt_load.h"
#include "gt/gt_root.h"

#define GT_HIP_5_2 "host"	/* Debian 12 */
#define GT_HIP_5_7 "trixie"	/* Debian 13 */
#define GT_HIP_6 "sid"		/* unstable */

/* Makes a root ready, with the guest's own folders; skips the case if there is none. */
void gt_hip_enter(const char *suite);
void gt_hip_leave(const char *suite);

/**
 * gt_hip_run() - start a program of a root
 * @p: program
 * @suite: root, which has been entered
 * @how: mechanism; with GT_DBG it is started without gpreempt, see gt_daemon_attach()
 * @klass: class for gpreempt
 * @argv: path and arguments, at most 8, then NULL
 */
void gt_hip_run(struct gt_program *p, const char *suite, enum gt_how how, const char *klass,
		const char *const argv[]);

/**
 * gt_hip_start() - start hip_jobs
 * @p: program
 * @suite: root, which has been entered
 * @how: mechanism; with GT_DBG it is attached to after its first job
 * @klass: class for gpreempt
 * @argv: its arguments, at most 8, then NULL
 */
void gt_hip_start(struct gt_program *p, const char *suite, enum gt_how how, const char *klass,
		  const char *const argv[]);

#define GT_HIP_RUN(p, suite, how, klass, ...) \
	gt_hip_run(p, suite, how, klass, (const char *const[]){ __VA_ARGS__, NULL })
#define GT_HIP(p, suite, how, klass, ...) \
	gt_hip_start(p, suite, how, klass, (const char *const[]){ __VA_ARGS__, NULL })

/* Waits for its end. Return: 0 if all results were those of the processor. */
int gt_hip_wait(struct gt_program *p, unsigned int ms);

#endif
