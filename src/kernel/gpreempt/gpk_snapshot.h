/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Snapshots of a node: copies that the monitor makes and callers read under RCU. Looking
 * costs the monitor one copy for any number of callers, and a small part of its time at
 * most: see gpk_snapshot.c.
 */
#ifndef GPK_SNAPSHOT_H
#define GPK_SNAPSHOT_H

#include <linux/pid.h>
#include <linux/rcupdate.h>
#include "uapi/linux/gpreempt.h"

#include "core/sched.h"

struct gpk_node;

/**
 * struct gpk_seen - a process in a snapshot
 * @pid: process, with a reference
 * @info: what the core says of it
 * @since_ns: when its state changed last
 * @first: index of its first queue
 * @nr: queues
 * @nr_manual: holds by hand of all its queues
 * @sched_out: preempted by the scheduler
 */
struct gpk_seen {
	struct pid *pid;
	struct gp_entity_info info;
	u64 since_ns;
	u32 first;
	u32 nr;
	u32 nr_manual;
	bool sched_out;
};

/**
 * struct gpk_snapshot - a node at some time
 * @rcu: readers may be there when it is replaced
 * @round: of the monitor
 * @time_ns: when it was made
 * @stats: counters; without size
 * @policy: name
 * @enabled: scheduling is on
 * @nr_seen: processes
 * @nr_queues: queues
 * @queues: of all of them; without pid and without times of the current state
 * @seen: processes
 */
struct gpk_snapshot {
	struct rcu_head rcu;
	u64 round;
	u64 time_ns;
	struct gpreempt_ioc_stats stats;
	char policy[GPREEMPT_ABI_NAME_LEN];
	bool enabled;
	u32 nr_seen;
	u32 nr_queues;
	struct gpreempt_ioc_queue *queues;
	struct gpk_seen seen[];
};

/**
 * gpk_look() - have a snapshot that is not older than this call
 * @n: node
 *
 * What follows reads n->snapshot under RCU.
 *
 * Context: may sleep. Not in the monitor.
 * Return: 0, -ERESTARTSYS killed, -ENOMEM.
 */
int gpk_look(struct gpk_node *n);
/* The same, and copies the counters. */
int gpk_look_stats(struct gpk_node *n, struct gpreempt_ioc_stats *stats);

/* In the monitor: makes the snapshot that callers wait for, if it is time. */
void gpk_snapshot_run(struct gpk_node *n);
/* When it will be time; U64_MAX if no caller waits. */
u64 gpk_snapshot_next(const struct gpk_node *n);
/* In the monitor: a snapshot of its own, or NULL; for gpk_snapshot_free(). */
struct gpk_snapshot *gpk_snapshot_make(struct gpk_node *n);
void gpk_snapshot_free(struct gpk_snapshot *s);

#endif
