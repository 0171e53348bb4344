/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shares inside the core: what entities tell of themselves, and what decisions ask. Private
 * to the core; the caller of the event serialises.
 *
 * An entity contends while it has work and no budget keeps it away. A share contends while
 * anything in it does; then its weight counts in the share above, or in the node. Every
 * contending entity or share is on a list of the share it is in, so that one without budget
 * finds those that have to leave.
 */
#ifndef GP_CORE_SHARE_H
#define GP_CORE_SHARE_H

#include "core/slot.h"

/**
 * gp_share_got_work() - an entity has work
 * @c: call
 * @e: entity, before the policy hears of it
 */
void gp_share_got_work(struct gp_call *c, struct gp_entity *e);

/**
 * gp_share_lost_work() - an entity has no work any more
 * @c: call
 * @e: entity, before the policy hears of it
 */
void gp_share_lost_work(struct gp_call *c, struct gp_entity *e);

/**
 * gp_share_runs() - an entity begins or ends to run
 * @c: call
 * @e: entity
 * @runs: RUNNING or not
 */
void gp_share_runs(struct gp_call *c, struct gp_entity *e, bool runs);

/**
 * gp_share_reweigh() - an entity has another weight
 * @c: call
 * @e: entity
 */
void gp_share_reweigh(struct gp_call *c, struct gp_entity *e);

/**
 * gp_share_join() - an entity is in another share
 * @c: call
 * @e: entity; a lost one has left for good, and joins none
 * @g: the share, NULL = none
 */
void gp_share_join(struct gp_call *c, struct gp_entity *e, struct gp_share *g);

/**
 * gp_share_set_attr() - a share is given something else
 * @c: call
 * @g: share
 * @attr: attributes, checked
 */
void gp_share_set_attr(struct gp_call *c, struct gp_share *g, const struct gp_share_attr *attr);

/**
 * gp_share_forget() - a share is to be freed
 * @c: call
 * @g: share with nothing in it
 */
void gp_share_forget(struct gp_call *c, struct gp_share *g);

/**
 * gp_share_expire() - end and begin periods whose time has come
 * @c: call
 *
 * At most GP_STEP_MAX of each; if there are more, gp_node.more is set.
 */
void gp_share_expire(struct gp_call *c);

/**
 * gp_share_next_ns() - when to be called next
 * @c: call
 *
 * Return: time, U64_MAX = never.
 */
u64 gp_share_next_ns(const struct gp_call *c);

/* Binary places of gp_share_weight(). */
#define GP_SHARE_BITS 28U

/**
 * gp_share_weight() - weight of an entity among all of the node
 * @c: call
 * @e: entity
 *
 * Return: its weight times its part in each share above it times their weights, as a number
 * with GP_SHARE_BITS binary places; at least 1.
 */
u64 gp_share_weight(const struct gp_call *c, const struct gp_entity *e);

#endif
