/* SPDX-License-Identifier: MIT */
/*
 * Members and entities: what is stopped together, and at which level each
 * is held. Calls of the core leave their actions in gpd.out for the engine, the
 * only caller here.
 */
#ifndef GPD_MEMBER_H
#define GPD_MEMBER_H

#include "daemon/gpreemptd.h"

/**
 * gpd_member_get() - the member of a client on a node
 * @c: client
 * @n: node
 * @err: output if NULL is returned: -ENOMEM, -ENOSPC, -EDQUOT
 *
 * Return: the member, made and in its entity if it was not there.
 */
struct gpd_member *gpd_member_get(struct gpd_client *c, struct gpd_node *n, int *err);

/* Leave the entity and free it. Its client lets go of its queues when they are gone. */
void gpd_member_put(struct gpd_member *m);

/**
 * gpd_member_join() - enter the entity of the client's group, or one of its own
 * @m: member without an entity
 *
 * Return: 0, -ENOMEM, -ENOSPC, -EDQUOT.
 */
int gpd_member_join(struct gpd_member *m);

/* Leave the entity, which is removed if it is empty then. */
void gpd_member_leave(struct gpd_member *m);

/**
 * gpd_member_order() - hold or release a member for the scheduler
 * @m: member
 * @o: what to send; epoch and lease are filled in
 * @release: RELEASE, else HOLD
 *
 * Return: 0, -EPIPE the client is gone.
 */
int gpd_member_order(struct gpd_member *m, struct wire_order *o, bool release);

/* Send a RELEASE if the scheduler holds it; the answer is not waited for. */
void gpd_member_let_go(struct gpd_member *m);

/* The same for all of an entity: one that cannot be stopped keeps no other held. */
void gpd_member_let_go_all(struct gpd_entity *e);

/* Whether its entity has other members. */
bool gpd_member_has_others(const struct gpd_member *m);

/**
 * gpd_member_done() - the client answered the order of a switch
 * @m: member
 * @done: answer; if it could not hold, it is released, as the core takes it to run
 */
void gpd_member_done(struct gpd_member *m, const struct wire_done *done);

/**
 * gpd_member_key() - what decides with which others a client is one entity
 * @c: client
 * @key: output
 */
void gpd_member_key(const struct gpd_client *c, struct gp_group_key *key);

/**
 * gpd_member_change() - the attributes of a member's client have changed
 * @m: member
 *
 * Return: true if its entity has them now, false if the member has to leave it.
 */
bool gpd_member_change(struct gpd_member *m);

#endif
