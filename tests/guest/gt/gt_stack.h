/* SPDX-License-Identifier: MIT */
/*
 * Programs of the user-space stack, run in the guest as they are installed. A test
 * that uses this says "Needs: stack" in its first comment.
 *
 * Every program writes to a file of its own under /tmp, so that a case can look at
 * what was said and vehicle/run never takes it for a result.
 */
#ifndef GT_STACK_H
#define GT_STACK_H

#include "gt/gt.h"

#define GT_USER 1000	/* in group render, as people who use GPUs are */
#define GT_OTHER_USER 1001
#define GT_GROUP_RENDER 104

#define GT_SOCKET "/run/gpreempt/gpreempt.sock"

/**
 * struct gt_program - a program that runs
 * @pid: its process
 * @output: where its stdout and stderr go
 */
struct gt_program {
	pid_t pid;
	char output[64];
};

/* What a normal system's udev does for the devices of a GPU. */
void gt_stack_devices(void);

/* Runs @argv (NULL at the end) as @uid; found by PATH as on a normal system. */
void gt_program_start(struct gt_program *p, uid_t uid, const char *const argv[]);
/* Return: exit code, 128 + signal, or -ETIMEDOUT; the last leaves it running. */
int gt_program_wait(struct gt_program *p, unsigned int ms);
/* Sends a signal and waits. Return: as gt_program_wait(). */
int gt_program_stop(struct gt_program *p, int signal, unsigned int ms);
/* Start and wait. Ends the case after @ms. */
int gt_program_run(struct gt_program *p, uid_t uid, unsigned int ms, const char *const argv[]);
/* For the reader of a failed case. */
void gt_program_show(const struct gt_program *p);
/* A number after "KEY " at the start of a line of its output. */
uint64_t gt_program_value(const struct gt_program *p, const char *key);
/* Waits for a text in its output. Return: 0 or -ETIMEDOUT */
int gt_program_says(const struct gt_program *p, const char *text, unsigned int ms);

#define GT_RUN(p, uid, ms, ...) \
	gt_program_run(p, uid, ms, (const char *const[]){ __VA_ARGS__, NULL })
#define GT_START(p, uid, ...) \
	gt_program_start(p, uid, (const char *const[]){ __VA_ARGS__, NULL })

#endif
