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

/* The account of all that ask over HTTP; no uid and no namespace has this number. */
#define GPD_ACCOUNT_HTTP ((u64)3 << 32)

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

/* To which user a process of a uid belongs; foreign if its namespaces cannot be read. */
void gpd_trust_owner(const struct gpd *d, pid_t pid, uid_t uid, struct gpd_owner *owner);

/* Does a process belong to root or to the daemon's own user? Never in another namespace. */
bool gpd_trust_is_root(const struct gpd_owner *owner);

/* May a connection stop, continue and change a process of this owner? */
bool gpd_trust_may_touch(const struct gpd_cred *cred, const struct gpd_owner *owner);

/* The same for a process that need not be a client. */
bool gpd_trust_may_touch_process(const struct gpd *d, const struct gpd_cred *cred, pid_t pid,
				 uid_t uid);

/*
 * Does the driver show a queue of a real node? Asked at most once a second. 0 it does, -ENOENT it
 * does not, -errno it could not be asked.
 */
int gpd_trust_shows(struct gpd_queue *q);

/* Whether it did within the last second. */
bool gpd_trust_was_shown(const struct gpd_queue *q, uint64_t now_ns);

/*
 * Is something believed that concerns the processes of others? If the user of the client is
 * privileged, or another account said the same within a minute.
 */
bool gpd_trust_claim(struct gpd_node *n, enum gpd_claim claim, const struct gpd_client *c);

/*
 * What the core is told of an order that failed, or was not answered: one user's failures are
 * not those of the GPU. If it is not believed, a HOLD counts as put off, a RELEASE as carried
 * out.
 */
enum gp_result gpd_trust_result(struct gpd_member *m, enum gp_result result);

/* Whether processes of no other user than that of a client are on a node. */
bool gpd_trust_is_alone(const struct gpd_node *n, const struct gpd_client *c);

/*
 * gpd_auth.c: rights of connections. Every connection may look, and change processes of its own
 * user as long as nothing becomes more urgent (rules/right.h) than every process may be: the
 * default attributes, or those of an open class. Privileged are root, the user the daemon runs
 * as, and the members of the configured group: they may touch others' processes, raise, and
 * change policies.
 */

/* What is at the other end of a socket. 0 or -errno. */
int gpd_auth_peer(const struct gpd *d, int fd, struct gpd_cred *cred);

/*
 * May a connection give a process these attributes? A grant is the limit of the process that has
 * it, NULL = none. It may keep those until now, @old, NULL = none; if not, @why says the reason.
 */
bool gpd_auth_check(const struct gpd_config *config, const struct gpd_cred *cred,
		    const struct gpd_grant *grant, const struct gpd_attrs *old,
		    const struct gpd_attrs *new, char *why, size_t size);

/* Start from the attributes of a class, the group is kept; false if there is none. */
bool gpd_auth_class(const struct gpd_config *config, const char *name, struct gpd_attrs *attrs);

/*
 * The first attributes of a client, from its grant and its HELLO; what goes too far is clamped,
 * and noted.
 */
void gpd_auth_wishes(struct gpd_client *c, const struct wire_hello *m);

#endif
