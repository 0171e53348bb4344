/* SPDX-License-Identifier: MIT */
/*
 * Members and entities, and what the core wants of them. Files call each other downwards:
 * gpd_silent.c and gpd_progress.c, gpd_engine.c, gpd_fanout.c and gpd_late.c, gpd_member.c.
 */
#ifndef GPD_ENGINE_H
#define GPD_ENGINE_H

#include "daemon/gpd_ops.h"
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

/* Send a RELEASE if the scheduler holds it; the answer is not waited for. */
void gpd_member_let_go(struct gpd_member *m);

/* Whether its entity has other members. */
bool gpd_member_has_others(const struct gpd_member *m);

/* gpd.renew, the timer that renews what is held; it runs only then. Make it: 0 or -errno. */
int gpd_lease_init(struct gpd *d);

/* Something was held or released: start it if it is needed. */
void gpd_lease_update(struct gpd *d);

/*
 * gpd_fanout.c: what the core wants is carried out; how a switch goes is told below
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
 * gpd_late.c: answers that are slow. Nothing is decided on a node while a switch is in flight, so
 * a client of any user could keep all others waiting. A client without privileges is waited for
 * no longer than a few times what an order takes; after that its order counts as carried out,
 * and no switch waits for clients of its user for a while. An honest client loses nothing: its
 * answer comes later and changes nothing. If that says that the order failed, the member is tried
 * again; if none comes within the time of a silent client, it is left alone as one.
 */

/* A switch begins: when its members are looked at. */
void gpd_late_begin(struct gpd_node *n);

/*
 * The order of a member that the switch in flight waits for counts as carried out; the answer
 * is looked for later.
 */
void gpd_late_take(struct gpd_member *m);

/* An order of the switch in flight was sent to a member, which is among those that wait. */
void gpd_late_ordered(struct gpd_member *m);

/* The patience of the switch in flight is over. */
void gpd_late_look(struct gpd_node *n);

/* A member has carried out an order that the switch in flight waited for. */
void gpd_late_learn(struct gpd_member *m);

/* An answer of a client. Return: to an order that no switch waits for any more. */
bool gpd_late_done(struct gpd_member *m, const struct wire_done *done);

/* Its answers do not matter any more. */
void gpd_late_forget(struct gpd_member *m);

/*
 * gpd_silent.c: clients that do not answer, or fail
 */

/* gpd_node.timer: the time of the core, or of a look at clients that owe an answer. */
int gpd_silent_timer(sd_event_source *s, uint64_t usec, void *node);

/* gpd_node.taken_timer: a look at clients that owe an answer for which no switch waits. */
int gpd_silent_taken(sd_event_source *s, uint64_t usec, void *node);

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

/* gpd.unbar: take in again a client that answers and was silent too often, one a turn. */
int gpd_silent_unbar(sd_event_source *s, uint64_t usec, void *d);

/* A client is gone. */
void gpd_silent_forget(struct gpd_client *c);

/*
 * gpd_progress.c: does a process go on after it was released? Clients look at read pointers;
 * the driver's cu_occupancy tells a long kernel from a queue that stands still.
 */

/* A client says whether something moved after a release. */
void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved);

/*
 * A client says that a queue of it was reset. After that, the next UPDATE_QUEUE of the process
 * takes all queues off the node, fails with EACCES and leaves it so. That process is
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

/*
 * Between the core and the clients: events go in, actions come out and are carried out.
 *
 * A switch is all HOLDs, then all RELEASEs, without waiting in between. Each order has an epoch
 * larger than any before. The switch is done when every member of every entity has answered;
 * the worst answer of its members is that of an entity. What happens if an answer does not
 * come, and why it is done so, is in docs/design/protocol.md, "How a switch is carried out".
 */

/* Make the scheduler of a daemon that has its nodes, and free it. 0 or -errno. */
int gpd_engine_init(struct gpd *d);
void gpd_engine_fini(struct gpd *d);

/* A node of the daemon goes to the core, where its index is free. 0 or -errno. */
int gpd_engine_node(struct gpd_node *n);

/* A compute queue of a client appeared; its member is found or made. 0, -ENOSPC, -ENOMEM. */
int gpd_engine_queue_add(struct gpd_queue *q, struct gpd_node *n);

/* A queue is gone; its member and entity with it if it was the last. */
void gpd_engine_queue_remove(struct gpd_queue *q);

/* Tell the core whether a queue has work, if that is news to it. */
void gpd_engine_queue_level(struct gpd_queue *q);

/* Tell the core that a queue completed requests; the oldest that is left came then. */
void gpd_engine_queue_progress(struct gpd_queue *q, uint64_t since_ns);

/* A client has other attributes: its members find their entities anew if need be. */
void gpd_engine_attrs(struct gpd_client *c);

/* A member that counts as held is not: it is released, and is to the core as one that runs. */
void gpd_engine_again(struct gpd_member *m);

/* A member has answered: one that is back on the GPU joins the group that it waited for. */
void gpd_engine_rejoin(struct gpd_member *m);

/* Hold and release a member once more: it was released, and nothing moves. */
void gpd_engine_nudge(struct gpd_member *m);

/* Schedule a node, or do not. 0 or -errno. */
int gpd_engine_set_enabled(struct gpd_node *n, bool enabled);

/* Leave a node to another scheduler; the core is off where it is not the one. */
void gpd_engine_set_ops(struct gpd_node *n, const struct gpd_node_ops *ops);

/* Take a node out of scheduling, and say why. */
void gpd_engine_put_out(struct gpd_node *n, const char *reason);

/* A node is being reset: every queue on it is lost, nothing is held, clients are told. */
void gpd_engine_lost(struct gpd_node *n);

/* The reset is over: queues made from now on are scheduled. */
void gpd_engine_back(struct gpd_node *n);

/* Release everything that the scheduler holds, without waiting for an answer. */
void gpd_engine_release_all(struct gpd *d);

/*
 * The nodes: GPUs that amdkfd lists, and simulated ones.
 */

/* Find the nodes there are, of a daemon with its configuration, before its scheduler. */
void gpd_nodes_init(struct gpd *d);

/* A node that the core has: its configuration, what was saved of it, and its resets. */
void gpd_nodes_begin(struct gpd_node *n);

/* Hear of no more resets. */
void gpd_nodes_fini(struct gpd *d);

/* A node, NULL if there is none; the driver is asked for one that is new, once a second. */
struct gpd_node *gpd_nodes_find(struct gpd *d, uint32_t gpu_id);

/* Whether a node is scheduled; it may have been switched off from outside. */
static inline bool gpd_nodes_is_enabled(struct gpd_node *n)
{
	if (n->ops->refresh)
		n->ops->refresh(n);
	return n->enabled;
}

/*
 * Whether a node is of gfx942. The driver of 6.12 leaves a process that ends with a
 * debug session of its own open there hanging for ever (docs/upstream-bugs.md).
 */
bool gpd_nodes_have_gfx942(const struct gpd *d);

#endif
