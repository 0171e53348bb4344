/* SPDX-License-Identifier: MIT */
/*
 * Members and entities, and what the core wants of them. Files call each other downwards:
 * gpd_silent.c and gpd_progress.c, the engine (gpd_engine.h), gpd_fanout.c, gpd_member.c.
 */
#ifndef GPD_MEMBER_H
#define GPD_MEMBER_H

#include "daemon/gpreemptd.h"

/*
 * gpd_member.c: what is stopped together, and what is held. Calls of the core leave their
 * actions in gpd_node.act for the engine.
 */

/*
 * The member of a client on a node, made and in its entity if it was not there; NULL with
 * -ENOMEM, -ENOSPC or -EDQUOT in @err.
 */
struct gpd_member *gpd_member_get(struct gpd_client *c, struct gpd_node *n, int *err);

/* The member of a client on a node, NULL if there is none. */
struct gpd_member *gpd_member_find(struct gpd_client *c, const struct gpd_node *n);

/* Leave the entity and free it. Its client lets go of its queues when they are gone. */
void gpd_member_put(struct gpd_member *m);

/* Enter the entity of the client's group, or one of its own. 0, -ENOMEM, -ENOSPC, -EDQUOT. */
int gpd_member_join(struct gpd_member *m);

/* Leave the entity, which is removed if it is empty then. */
void gpd_member_leave(struct gpd_member *m);

/* The attributes of its client changed. Return: its entity has them too; else it must leave. */
bool gpd_member_change(struct gpd_member *m);

/* Hold or release for the scheduler. Return: 0, -EPIPE the client is gone. */
int gpd_member_order(struct gpd_member *m, bool release);

/* An answer. Return: it is that to the newest order, and the first. */
bool gpd_member_answered(struct gpd_member *m, uint64_t epoch);

/* Send a RELEASE if the scheduler holds it; the answer is not waited for. */
void gpd_member_let_go(struct gpd_member *m);

/* Whether its entity has other members. */
bool gpd_member_has_others(const struct gpd_member *m);

/* The timer that renews what is held; it runs only then. Make it: 0 or -errno. */
int gpd_lease_init(struct gpd *d);
void gpd_lease_fini(struct gpd *d);

/* Something was held or released: start it if it is needed. */
void gpd_lease_update(struct gpd *d);

/*
 * gpd_fanout.c: what the core wants is carried out; how a switch goes is told in gpd_engine.h
 */

/* The core has a node: begin to carry out what it wants there. */
void gpd_fanout_init(struct gpd_node *n);

/* The core was called, its actions are in gpd_node.act: carry out all that can be now. */
void gpd_fanout_settle(struct gpd_node *n);

/* What became of the order of a member; nothing happens if it owed no answer. */
void gpd_fanout_answered(struct gpd_member *m, enum gp_result result);

/* A member could not be stopped: the others of its entity go on too. */
void gpd_fanout_failed(struct gpd_member *m);

/* An answer of a client. Return: the switch in flight waited for it. */
bool gpd_fanout_done(struct gpd_member *m, const struct wire_done *done);

/* The switch that is under way is lost with its node. */
void gpd_fanout_forget(struct gpd_node *n);

/*
 * gpd_silent.c: clients that do not answer, or fail
 */

/* gpd_node.timer: the time of the core, or of a look at clients that owe an answer. */
int gpd_silent_timer(sd_event_source *s, uint64_t usec, void *node);

/*
 * A client has answered an order; @is_awaited: the switch in flight waited for it. A client that
 * fails all the time is left alone, one that was silent is taken in again: not at once if that
 * happens again and again.
 */
void gpd_silent_done(struct gpd_member *m, const struct wire_done *done, bool is_awaited);

/* A client has said HELLO: what its process did before counts. */
void gpd_silent_hello(struct gpd_client *c);

/* A queue of it has work, or is new: it may be asked for an answer, or be taken in again. */
void gpd_silent_busy(struct gpd_queue *q);

/*
 * gpd_progress.c: does a process go on after it was released? Clients look at read pointers;
 * the driver's cu_occupancy tells a long kernel from a queue that stands still.
 */

/* A client says whether something moved after a release. */
void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved);

/*
 * A client says that a queue of it was reset. After that, the next UPDATE_QUEUE of the process
 * takes everybody's queues off the node, fails with EACCES and leaves it so. That process is
 * left alone from then on, and another one is stopped and continued, which maps all again: one
 * of the same user, or one of another user where the driver sees no waves, or where two users
 * say so.
 */
void gpd_progress_reset(struct gpd_client *c, uint32_t gpu_id);

/* A client has carried out an order: its cycle maps all of the node again. */
void gpd_progress_done(struct gpd_member *m, const struct wire_done *done);

/* A user has come to a node: it is scheduled again if another user alone had it put out. */
void gpd_progress_join(struct gpd_node *n, const struct gpd_client *c);

/* A queue has work: if none had before, it is the first that can map all again. */
void gpd_progress_busy(struct gpd_queue *q);

#endif
