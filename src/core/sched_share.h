/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Shares
 *
 * A share is a part of a node for some entities: those of a cgroup, of a user. Shares
 * form a tree, as cgroups do. A share has a weight and may have a budget:
 *
 *   weight   under fair and slice, what is below a share has together its part by weight
 *	      among the siblings that have work. Entities in no share are siblings of the
 *	      shares at the top. Within a share entities and shares compete by their
 *	      weights again.
 *   budget   run time of all entities below, no more than @quota_ns in each @period_ns,
 *	      under every policy. When it is used up they leave the GPU until the next
 *	      period, even if no other has work. What was used beyond it, because a switch
 *	      takes time or an entity cannot be preempted, is taken off the next period;
 *	      what was not used is lost. While the breaker is open or the node is switched
 *	      off it does not count.
 *
 * Two entities that run at a time use two seconds in one, as processes on two processors do.
 *
 * An event costs what it does without shares, and O(depth) and O(log of all shares) more.
 * The end of a budget and the beginning of a period are carried out a few entities an event;
 * as long as there are more, the next event follows at once.
 */
#ifndef GP_CORE_SCHED_SHARE_H
#define GP_CORE_SCHED_SHARE_H

#include "core/sched.h"

#define GP_SHARES_MAX (1U << 16)
#define GP_SHARE_DEPTH_MAX 16U
#define GP_SHARE_PERIOD_MIN_NS ((u64)1000000)
#define GP_SHARE_PERIOD_MAX_NS ((u64)1000000000)

/* What a share is given. */
struct gp_share_attr {
	u32 weight;    /* 1..GP_WEIGHT_MAX */
	u64 quota_ns;  /* run time in each period, 0 = no limit; at most an hour */
	u64 period_ns; /* GP_SHARE_PERIOD_MIN_NS..GP_SHARE_PERIOD_MAX_NS */
};

/* What a share has used. Times are totals since it was added. */
struct gp_share_info {
	u64 cookie;		   /* the caller's name */
	u32 node;		   /* node index */
	struct gp_share_attr attr; /* what it is given */
	u32 nr_entities;	   /* entities in it, not in those below */
	bool is_throttled;	   /* its budget is used up */
	u64 usage_ns;		   /* run time */
	u64 nr_periods;		   /* periods that had work */
	u64 nr_throttled;	   /* times the budget was used up */
	u64 throttled_ns;	   /* time until the next period then */
	u64 some_ns;		   /* time in which an entity had work and did not run */
	u64 full_ns;		   /* time in which some had work and none ran */
};

/**
 * gp_share_attr_default() - fill in what a share has that none was given for
 * @attr: output
 */
void gp_share_attr_default(struct gp_share_attr *attr);

/**
 * gp_share_attr_is_valid() - can a share have these?
 * @attr: attributes
 *
 * Return: false if one is out of range.
 */
bool gp_share_attr_is_valid(const struct gp_share_attr *attr);

/**
 * gp_sched_share_add() - make a share
 * @s: scheduler
 * @node: node index
 * @parent: the share it is in, or GP_ID_NONE
 * @attr: what it is given, checked
 * @cookie: the caller's name for it
 * @now_ns: time
 * @out: actions
 * @id: its id
 *
 * Return: 0, -EINVAL bad node or attribute, parent of another node or too deep, -ENOENT no
 * such parent, -ENOSPC there are gp_sched_config.max_shares.
 */
int gp_sched_share_add(struct gp_sched *s, u32 node, u64 parent, const struct gp_share_attr *attr,
		       u64 cookie, u64 now_ns, struct gp_actions *out, u64 *id);

/**
 * gp_sched_share_set_attr() - change what a share is given
 * @s: scheduler
 * @id: share
 * @attr: new attributes, checked
 * @now_ns: time
 * @out: actions
 *
 * Return: 0, -ENOENT, -EINVAL.
 */
int gp_sched_share_set_attr(struct gp_sched *s, u64 id, const struct gp_share_attr *attr,
			    u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_share_remove() - end a share
 * @s: scheduler
 * @id: share
 * @now_ns: time
 * @out: actions
 *
 * Return: 0, -ENOENT, -EBUSY something is in it.
 */
int gp_sched_share_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_entity_join() - an entity is in this share from now on
 * @s: scheduler
 * @id: entity
 * @share: share of its node, or GP_ID_NONE
 * @now_ns: time
 * @out: actions
 *
 * Return: 0, -ENOENT no such entity or share, -EINVAL of another node.
 */
int gp_sched_entity_join(struct gp_sched *s, u64 id, u64 share, u64 now_ns,
			 struct gp_actions *out);

/**
 * gp_sched_share_info() - look at a share
 * @s: scheduler
 * @id: share
 * @now_ns: time up to which it is told
 * @info: output
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_share_info(const struct gp_sched *s, u64 id, u64 now_ns, struct gp_share_info *info);

/**
 * gp_trace_share() - the attributes in a record
 * @t: GP_TRACE_EVENT_SHARE_ADD or GP_TRACE_EVENT_SHARE_ATTR
 * @attr: output
 */
void gp_trace_share(const struct gp_trace *t, struct gp_share_attr *attr);

#endif
