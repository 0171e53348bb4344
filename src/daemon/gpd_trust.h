/* SPDX-License-Identifier: MIT */
/*
 * DOC: What is believed, and of which client
 *
 * Every message has a row in the table of gpd_trust.c: what it can affect and what is checked
 * before it does. docs/design/daemon.md shows the same table; a test compares them. The rules
 * behind it:
 *
 *   A connection is privileged by its user only inside of the daemon's own namespaces: the
 *   root of a container is not root.
 *   A connection speaks for its own process. It touches processes of its own user, from
 *   inside of a container only those of that container.
 *   A queue counts if the driver shows it. Simulated nodes have no driver: what is said of
 *   them is taken at its word, within the budgets.
 *   What concerns processes of other users is believed if the driver says it, or if two
 *   accounts say it.
 *   What a user can make more of has a budget (gpd_user.h).
 */
#ifndef GPD_TRUST_H
#define GPD_TRUST_H

#include "daemon/control/gpd_control_decode.h"
#include "daemon/gpreemptd.h"

/* What is checked, gpd_trust_row.needs. */
#define GPD_NEEDS_PRIVILEGE (1u << 0)	/* a privileged connection */
#define GPD_NEEDS_OWNER (1u << 1)	/* a process of the same user, or privilege */
#define GPD_NEEDS_RIGHT (1u << 2)	/* the right to raise, for what is more urgent */
#define GPD_NEEDS_DRIVER (1u << 3)	/* the driver shows it */
#define GPD_NEEDS_TWO (1u << 4)		/* two users, or the driver, before others are affected */
#define GPD_NEEDS_BUDGET (1u << 5)	/* room in the budget of the user */

/* A message. */
struct gpd_trust_row {
	const char *message;	/* name, NULL = that of the method */
	const char *affects;	/* what it can affect */
	const char *check;	/* what is checked, for people */
	unsigned int needs;	/* the same as GPD_NEEDS_* */
};

/* The rows of the table: 0, 1, ...; false after the last. */
bool gpd_trust_row(uint32_t index, struct gpd_trust_row *row);

/* The row of a method; without its name. */
const struct gpd_trust_row *gpd_trust_method(enum gpd_method method);

/**
 * gpd_trust_owner() - to which user a process belongs
 * @d: daemon
 * @pid: process
 * @uid: its user
 * @owner: output; foreign if its namespaces cannot be read
 */
void gpd_trust_owner(const struct gpd *d, pid_t pid, uid_t uid, struct gpd_owner *owner);

/* Does a process belong to root or to the daemon's own user? Never in another namespace. */
bool gpd_trust_is_root(const struct gpd_owner *owner);

/* May a connection stop, continue and change a process of this owner? */
bool gpd_trust_may_touch(const struct gpd_cred *cred, const struct gpd_owner *owner);

/* The same for a process that need not be a client. */
bool gpd_trust_may_touch_process(const struct gpd *d, const struct gpd_cred *cred, pid_t pid,
				 uid_t uid);

/* Does the driver show a queue of a real node? Asked at most once a second. */
bool gpd_trust_shows(struct gpd_queue *q);

/* Whether it did within the last second. */
bool gpd_trust_was_shown(const struct gpd_queue *q, uint64_t now_ns);

/**
 * gpd_trust_claim() - is something believed that concerns the processes of others?
 * @n: node
 * @claim: what is claimed
 * @c: the client that does
 *
 * Return: true if its user is privileged, or another account said the same within a minute.
 */
bool gpd_trust_claim(struct gpd_node *n, enum gpd_claim claim, const struct gpd_client *c);

/**
 * gpd_trust_result() - what the core is told of an order that failed
 * @m: member whose client answered, or did not
 * @result: what became of the order
 *
 * One user's failures are not those of the GPU: a HOLD that failed counts as put off, a
 * RELEASE as carried out.
 *
 * Return: @result if it is believed.
 */
enum gp_result gpd_trust_result(struct gpd_member *m, enum gp_result result);

/* Whether processes of no other user than that of a client are on a node. */
bool gpd_trust_is_alone(const struct gpd_node *n, const struct gpd_client *c);

/* A number for a user; the same user in another container has another. */
u64 gpd_trust_account(const struct gpd_owner *owner);

#endif
