/* SPDX-License-Identifier: MIT */
/*
 * Attackers: processes of an ordinary user, or of the root of a container, that give up their
 * rights before they do anything; and a measure of what a request of root takes meanwhile.
 *
 * An attack is a burst of calls, from one or several threads. It runs in one of two ways.
 * Beside the requests, again and again, whenever no other process wants the processor: the
 * guest has only one. Or before each request: every thread has done its burst, or waits for
 * an answer, when root asks, and nothing of it was served yet. In virtual time what a
 * request takes then is what is done before it, and the same in every run.
 */
#ifndef GT_ATTACK_H
#define GT_ATTACK_H

#include "gt/gt.h"

#define GT_ATTACK_THREADS 32

enum gt_who {
	GT_WHO_USER,
	GT_WHO_CONTAINER, /* root in a pid namespace, with the capabilities that Docker leaves */
};

/**
 * struct gt_attack_plan - what an attacker does
 * @name: for the reader
 * @nr_threads: at most GT_ATTACK_THREADS
 * @prepare: called once, or NULL
 * @act: a burst of a thread
 */
struct gt_attack_plan {
	const char *name;
	unsigned int nr_threads;
	void (*prepare)(void);
	void (*act)(unsigned int thread);
};

/**
 * struct gt_attack - an attacker that runs
 * @pid: process
 * @orders: write end, answers: read end; of one that attacks before requests
 */
struct gt_attack {
	pid_t pid;
	int orders;
	int answers;
	bool before;
};

/* Gives up all other rights, for good. */
void gt_who_become(enum gt_who who);

/* Starts one, which is prepared when this returns. */
void gt_attack_start(struct gt_attack *a, const struct gt_attack_plan *plan, enum gt_who who,
		     bool before);
void gt_attack_end(struct gt_attack *a);

/**
 * gt_attack_worst_ns() - what nine in ten requests take at most
 * @a: attacker, NULL = there is none
 * @request: of root; waits for its answer
 * @nr: how often
 */
uint64_t gt_attack_worst_ns(struct gt_attack *a, void (*request)(void), unsigned int nr);

/* A daemon that answers requests: attackers do not take the processor from it. */
void gt_attack_daemon(pid_t pid);

/* Ends the case if requests take more than five times as long as without the attack. */
void gt_attack_judge(const struct gt_attack_plan *plan, enum gt_who who, void (*request)(void));

#endif
