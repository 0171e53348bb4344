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

/* A process in a snapshot. */
struct gpk_seen {
	struct pid *pid;	    /* process, with a reference */
	struct gp_entity_info info; /* what the core says of it */
	u64 since_ns;		    /* when its state changed last */
	u32 first;		    /* index of its first queue */
	u32 nr;			    /* queues */
	u32 nr_manual;		    /* holds by hand of all its queues */
	bool sched_out;		    /* preempted by the scheduler */
};

/* A node at some time. */
struct gpk_snapshot {
	struct rcu_head rcu;		    /* readers may be there when it is replaced */
	u64 round;			    /* of the monitor */
	u64 time_ns;			    /* when it was made */
	struct gpreempt_ioc_stats stats;    /* counters; without size */
	char policy[GPREEMPT_ABI_NAME_LEN]; /* name */
	bool enabled;			    /* scheduling is on */
	u32 nr_seen;			    /* processes */
	u32 nr_queues;			    /* queues */
	/* of all of them; without pid and without times of the current state */
	struct gpreempt_ioc_queue *queues;
	struct gpk_seen seen[]; /* processes */
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
