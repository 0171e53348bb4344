/* SPDX-License-Identifier: MIT */
/*
 * DOC: Users and their budgets
 *
 * A user is one account as the daemon sees it. Everything that a user can make more of is
 * counted here, and everything that the daemon does for a user is charged here: a user
 * that wants more than its share waits for itself.
 *
 * Privileged connections have no budget. They are a user of their own, so that the root of
 * a container without a user namespace takes nothing from root.
 *
 * Of each count one user has a share, and all users together leave a quarter to
 * privileged ones: no number of accounts keeps root out.
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
/* Holds by hand of one user. */
#define GPD_USER_HOLDS_MAX 512
/* Subscriptions of one user. */
#define GPD_USER_MONITORS_MAX 4
/* Tracers that one user may have running. */
#define GPD_USER_TRACERS_MAX 32

/**
 * gpd_user_get() - the user of a connection
 * @d: daemon
 * @uid: account
 * @privileged: no budget
 *
 * Return: the user with one more reference, NULL without memory.
 */
struct gpd_user *gpd_user_get(struct gpd *d, uid_t uid, bool privileged);

/**
 * gpd_user_of_peer() - the user at the other end of a socket
 * @d: daemon
 * @fd: socket
 * @cred: output: the other end
 *
 * Return: as gpd_user_get().
 */
struct gpd_user *gpd_user_of_peer(struct gpd *d, int fd, struct gpd_cred *cred);

/* Forget all users; no reference is left. */
void gpd_user_fini(struct gpd *d);

/* Another reference. */
struct gpd_user *gpd_user_ref(struct gpd_user *u);

/* Give a reference back; NULL is fine. */
void gpd_user_put(struct gpd_user *u);

/**
 * gpd_user_take() - count one more
 * @u: user
 * @what: of what
 *
 * Return: true if there was room; each is given back with gpd_user_give().
 */
bool gpd_user_take(struct gpd_user *u, enum gpd_budget what);

/* One less of what was taken. */
void gpd_user_give(struct gpd_user *u, enum gpd_budget what);

/**
 * gpd_user_most() - the share of one user
 * @d: daemon
 * @what: of what
 *
 * Return: most that a user without privileges may have.
 */
uint64_t gpd_user_most(const struct gpd *d, enum gpd_budget what);

/**
 * gpd_user_may_log() - may a line about this user go into the log?
 * @u: user
 *
 * Return: false if there were many lines lately.
 */
bool gpd_user_may_log(struct gpd_user *u);

/**
 * gpd_user_may_note() - may a note of this user concern others now?
 * @u: user
 *
 * Return: false if there were many lately.
 */
bool gpd_user_may_note(struct gpd_user *u);

/**
 * gpd_user_may_work() - may the daemon do something for this user now?
 * @u: user
 *
 * Return: true if so. If not, nothing is heard from its sockets until it has rested, and
 * gpd_control_resume() goes on with its requests.
 */
bool gpd_user_may_work(struct gpd_user *u);

/* The daemon begins, and ends, to work for a user. Calls do not nest. */
void gpd_user_begin(struct gpd_user *u);
void gpd_user_end(struct gpd_user *u);

#endif
