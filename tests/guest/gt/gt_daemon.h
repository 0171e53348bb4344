/* SPDX-License-Identifier: MIT */
/*
 * gpreemptd in the guest: started with a configuration of the test's own, asked over
 * its control socket without the library that people use for that.
 */
#ifndef GT_DAEMON_H
#define GT_DAEMON_H

#include <jansson.h>

#include "gt/gt_stack.h"

#define GT_LEASE_MS 1000	/* the default */
/* What a loaded machine adds to a lease: emulated processors, several processes. */
#define GT_SLACK_MS 1500

/* Starts it; @config: text of its configuration file, or NULL. Answers when this returns. */
void gt_daemon_start(struct gt_program *d, const char *config);
/* A value of the core on every node. */
void gt_daemon_param(const char *name, uint64_t value);
/* By SIGTERM. Ends the case if it does not end, or not well. */
void gt_daemon_stop(struct gt_program *d);

/* A connection to the control socket. Ends the case if there is none. */
int gt_control_open(void);

/**
 * gt_control_call() - ask and wait for the answer
 * @fd: connection
 * @method: without "io.gpreempt."
 * @format: parameters as of json_pack()
 *
 * Return: the "parameters" of the reply, for json_decref(); ends the case on an error.
 */
json_t *gt_control_call(int fd, const char *method, const char *format, ...);

/* The same; @error gets the error's name without "io.gpreempt." or "". */
json_t *gt_control_try(int fd, char error[64], const char *method, const char *format, ...);

/**
 * struct gt_view - a process as the daemon sees it
 * @mechanism: text
 * @state: text
 * @nr_queues: queues
 * @nr_busy: those with work
 * @nr_preempted: how often
 */
struct gt_view {
	char mechanism[16];
	char state[32];
	uint64_t nr_queues;
	uint64_t nr_busy;
	uint64_t nr_preempted;
};

/* Return: 0 or -ENOENT: the daemon does not list that process. */
int gt_daemon_view(pid_t pid, struct gt_view *view);
/* Waits until a process is under a mechanism with so many queues; NULL: is not listed. */
int gt_daemon_wait_view(pid_t pid, const char *mechanism, uint64_t nr_queues, unsigned int ms);

/* "ok", or what became of a Suspend or Resume of a whole process, and why. */
const char *gt_control_hold(int fd, const char *method, pid_t pid);

#endif
