/* SPDX-License-Identifier: MIT */
/*
 * Holds by hand (rules/hold.h). Each is on one queue, or on all compute queues, of one process
 * on one node; it ends with a Resume, with its lease, or with the connection that made it
 * unless it was to be kept. Two holders are two holds: the target goes on with the last of
 * them. The daemon renews what it holds: if it hangs or dies, what it held goes on.
 *
 * A hold is carried out by a client or by the kernel module: two implementations of
 * struct gpd_hold_ops.
 */
#ifndef GPD_HOLD_H
#define GPD_HOLD_H

#include "daemon/control/gpd_control.h"
#include "rules/hold.h"

/* Holds that are ordered at once. */
#define GPD_HOLD_ITEMS 64

/* What is to be held or released. */
struct gpd_hold_item {
	const struct gpd_hold_ops *ops; /* what carries it out */
	u64 process;			/* number of the process, as @ops counts them */
	struct gpd_client *client;	/* its client, NULL = @ops needs none */
	pid_t pid;
	uid_t uid;	     /* its owner: numbers are used again */
	uint64_t start_time; /* for the same reason */
	uint32_t gpu_id;
	uint32_t queue_id; /* queue or WIRE_QUEUE_ALL */
	int result;	   /* output: 0, -ESRCH, -EPIPE, -EBUSY, -EPERM, -EDQUOT, -ENOMEM, -errno */
	uint64_t epoch;	   /* output: the order that @client has yet to answer, 0 = none */
};

/* What a target of Suspend or Resume means. */
struct gpd_hold_aim {
	struct gpd_conn *conn; /* connection that asks */
	const struct gpd_target *t;
	bool release;				   /* Resume */
	struct gpd_hold_item items[GPD_NODES_MAX]; /* output: one for each node */
	uint32_t nr;
	const char *why; /* output if there is none: the reason */
};

/* One hold. */
struct gpd_hold {
	struct gp_hold h;		/* target, owner, lease */
	const struct gpd_hold_ops *ops; /* what carries it out */
	struct gpd_user *user;		/* whose budget it takes from */
	struct gpd_hold_item *item;	/* for which it is ordered now, NULL = none */
	pid_t pid;
	int result;		   /* of the last order */
	struct gpd_client *client; /* of clients: client */
	uint64_t epoch;		   /* of clients: of the last order */
	int pidfd;		   /* of the module: process */
};

/* How holds are carried out. */
struct gpd_hold_ops {
	const char *says; /* in front of the reason why one was not */
	/* Find what is meant, and whether it may be. 0, -ESRCH, -EPERM, -EBUSY. */
	int (*aim)(struct gpd_hold_aim *a);
	/* Get ready, 0 or -errno, and undo it; NULL = nothing to do. */
	int (*open)(struct gpd *d, struct gpd_hold *h, const struct gpd_hold_item *item);
	void (*close)(struct gpd *d, struct gpd_hold *h);
	/*
	 * Hold, or release, up to GPD_HOLD_ITEMS on one node; sets gpd_hold.result and, if the
	 * answer comes later, gpd_hold.epoch. What is released is out of the set already.
	 */
	void (*order)(struct gpd *d, struct gpd_hold **holds, uint32_t nr, bool release);
	/* Give it another lease. 0, -ESRCH: there is nothing to hold any more. */
	int (*renew)(struct gpd *d, struct gpd_hold *h);
};

extern const struct gpd_hold_ops gpd_client_hold_ops;
extern const struct gpd_hold_ops gpd_module_hold_ops;

/* Make and free the set of holds. */
int gpd_hold_init(struct gpd *d);
void gpd_hold_fini(struct gpd *d);

/* How many holds there are. */
uint32_t gpd_hold_nr(const struct gpd *d);

/* How many there are on exactly the target of a hold. */
uint32_t gpd_hold_nr_on(const struct gpd *d, const struct gpd_hold *h);

/*
 * Hold up to GPD_HOLD_ITEMS items of one node and one implementation on account of the user of
 * the connection that asks. What is to be kept stays when the connection ends. It ends after
 * @lease_ns, 0 = only with the connection or a Resume.
 */
void gpd_hold_make(struct gpd_conn *conn, struct gpd_hold_item **items, uint32_t nr, bool keep,
		   uint64_t lease_ns);

/*
 * Undo it: the connection's own holds end, and the kept ones of its user; all if it is
 * privileged. Of WIRE_QUEUE_ALL also every single queue that is held.
 */
void gpd_hold_end(struct gpd_conn *conn, struct gpd_hold_item **items, uint32_t nr);

/* Whether a queue is held by hand, alone or with all others. */
bool gpd_hold_covers(const struct gpd *d, u64 process, uint32_t gpu_id, uint32_t queue_id);

/* The user of a hold on it that a connection may not end, NULL = there is none. */
const struct gpd_user *gpd_hold_other(const struct gpd_conn *conn, u64 process, uint32_t gpu_id,
				      uint32_t queue_id);

/* A client, the module, a connection is gone. */
void gpd_hold_forget_client(struct gpd_client *c);
void gpd_hold_forget_ops(struct gpd *d, const struct gpd_hold_ops *ops);
void gpd_hold_forget_conn(struct gpd *d, struct gpd_conn *conn);

/*
 * Suspend and Resume: orders to many clients, one reply when all have answered or
 * the time is over.
 */

/* Carry out a Suspend or Resume; the reply comes now or later. */
void gpd_suspend_call(struct gpd_conn *conn, const struct gpd_request *r);

/* Whether targets of the request in hand are left, and the next few of them. */
bool gpd_suspend_has_step(const struct gpd_conn *conn);
void gpd_suspend_step(struct gpd_conn *conn);

/* An answer of a client. Return: a request waited for it. */
bool gpd_suspend_done(struct gpd_client *c, const struct wire_done *done);

/* A client, a connection is gone. */
void gpd_suspend_client_gone(struct gpd_client *c);
void gpd_suspend_conn_gone(struct gpd_conn *conn);

#endif
