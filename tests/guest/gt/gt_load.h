/* SPDX-License-Identifier: MIT */
/*
 * The workload programs load_online and load_offline, started by the driver alone or
 * under gpreempt, and watched from outside.
 */
#ifndef GT_LOAD_H
#define GT_LOAD_H

#include "gt/gt_daemon.h"
#include "loads/load.h"

enum gt_how {
	GT_PLAIN,  /* the driver alone */
	GT_SHIM,   /* gpreempt run */
	GT_DBG,	   /* started without it, attached to afterwards */
	GT_KERNEL, /* gpreempt run, where the kernel module schedules */
};

/**
 * struct gt_load - a workload that runs
 * @program: program
 * @pid: of the workload itself
 * @progress: what it tells
 */
struct gt_load {
	struct gt_program program;
	pid_t pid;
	const struct load_progress *progress;
};

/**
 * gt_load_start() - start one; it has launched a kernel when this returns
 * @l: load
 * @how: mechanism; if it is not GT_PLAIN the daemon runs, and knows it afterwards
 * @uid: whose process it is
 * @klass: class for gpreempt
 * @argv: program and options, at most 8, then NULL
 */
void gt_load_start(struct gt_load *l, enum gt_how how, uid_t uid, const char *klass,
		   const char *const argv[]);

#define GT_LOAD(l, how, uid, klass, ...) \
	gt_load_start(l, how, uid, klass, (const char *const[]){ __VA_ARGS__, NULL })

/* Waits for the end of one with --count. Ends the case if results are not exact. */
void gt_load_wait(struct gt_load *l, unsigned int ms);
/* SIGTERM, then as gt_load_wait(). */
void gt_load_stop(struct gt_load *l, unsigned int ms);
/* SIGKILL */
void gt_load_kill(struct gt_load *l);

/* Waits until it has completed another @nr kernels. Return: 0 or -ETIMEDOUT. */
int gt_load_moves(const struct gt_load *l, uint64_t nr, unsigned int ms);

/* The hardware's own word: how many queues of a process are in slots of GPU 0. */
unsigned int gt_load_mapped(const struct gt_load *l);
/* Waits for that. Return: 0 or -ETIMEDOUT. */
int gt_load_wait_mapped(const struct gt_load *l, unsigned int nr, unsigned int ms);

/* Notes what is known of one that does not get on. */
void gt_load_describe(const struct gt_load *l, const char *name);

/* Puts a process under the dbg mechanism. */
void gt_daemon_attach(pid_t pid, const char *klass);

/* Random numbers that another run repeats: the seed is printed. */
void gt_random_seed(uint64_t seed);
uint64_t gt_random(uint64_t below);

#endif
