/* SPDX-License-Identifier: MIT */
/*
 * DOC: Users and their budgets
 *
 * A user is one account as the daemon sees it, see gpd_trust_owner(). Everything that a user
 * can make more of is counted here, and everything that the daemon does for a user is charged
 * here: a user that wants more than its share waits for itself.
 *
 * Privileged connections have no budget. They are a user of their own: one account may have
 * connections of both kinds, as the group of a process can change.
 *
 * Of each count one user has a share, and never more than it leaves to others. All users
 * together leave a quarter to privileged ones: no number of accounts keeps root out.
 */
#ifndef GPD_USER_H
#define GPD_USER_H

#include "daemon/gpreemptd.h"

/*
 * What the loop serves first, see sd_event_source_set_priority(3): clients of root before all.
 * New connections take turns with users, or one that connects without end would keep the
 * others from being heard.
 */
#define GPD_PRIORITY_ROOT (SD_EVENT_PRIORITY_NORMAL + 5)
#define GPD_PRIORITY_USER (SD_EVENT_PRIORITY_NORMAL + 20)
#define GPD_PRIORITY_ACCEPT GPD_PRIORITY_USER

/* Parts of the daemon's time that one user may have, in percent. */
#define GPD_USER_TIME_PERCENT 25

/* The user of a process, with one more reference; NULL without memory. */
struct gpd_user *gpd_user_get(struct gpd *d, const struct gpd_owner *owner, bool privileged);

/* Forget all users; no reference is left. */
void gpd_user_fini(struct gpd *d);

/* Another reference. */
struct gpd_user *gpd_user_ref(struct gpd_user *u);

/* Give a reference back; NULL is fine. */
void gpd_user_put(struct gpd_user *u);

/* Count one more, if there is room; each is given back with gpd_user_give(). */
bool gpd_user_take(struct gpd_user *u, enum gpd_budget what);
void gpd_user_give(struct gpd_user *u, enum gpd_budget what);

/* May a line about this user go into the log? False if there were many lately. */
bool gpd_user_may_log(struct gpd_user *u);

/* May a note of this user concern others now? False if there were many lately. */
bool gpd_user_may_note(struct gpd_user *u);

/* The daemon begins, and ends, to work for a user. Calls do not nest. */
void gpd_user_begin(struct gpd_user *u);

/* It begins for one that is known at the end only. */
void gpd_user_begin_unknown(struct gpd *d);
void gpd_user_end(struct gpd_user *u);

/*
 * An answer of its client was slow: for a second, twice as long each time, no switch waits for
 * its clients (gpd_late.c).
 */
void gpd_user_was_slow(struct gpd_user *u);
bool gpd_user_is_slow(const struct gpd_user *u);

/*
 * Listening unix sockets.
 */

/*
 * Listen at a path, where a socket without a listener is replaced. @l has its daemon and what
 * takes connections, each on account of its user; without room left for one it rests. @mode is
 * that of the file, whose group the configuration says. 0, -EADDRINUSE, -ENAMETOOLONG, -errno.
 */
int gpd_sock_listen(struct gpd_listener *l, const char *path, int type, uint64_t mode);

/* Listen no more, if it does. */
void gpd_sock_close(struct gpd_listener *l);

/* Remove a socket without a listener. 0, -EADDRINUSE it has one, -errno. */
int gpd_sock_clear(const char *path, int type);

/* Make the folder of a path, if it is not there. 0 or -errno. */
int gpd_sock_make_dir(const char *path);

#endif
