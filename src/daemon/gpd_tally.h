/* SPDX-License-Identifier: MIT */
/*
 * DOC: Totals of groups
 *
 * What the processes of a group had and how they waited, in sum, for accounting: a job is asked
 * for when its processes are gone. A tally begins with the first entity of a group of an account
 * and is kept for GPD_TALLY_KEPT_NS after its last one; a daemon that ends in order hands
 * its tallies to the next one by the state file.
 *
 * Groups have the names that users choose: an account has at most GPD_TALLIES_USER of them, and
 * never more than it leaves to others. Beyond that its oldest that has ended gives way; where
 * none has, a new group is not counted.
 *
 * Only what the daemon's own core schedules is counted.
 */
#ifndef GPD_TALLY_H
#define GPD_TALLY_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpreemptd.h"

#include <jansson.h>

#define GPD_TALLIES_MAX 2048
#define GPD_TALLIES_USER 256
#define GPD_TALLY_KEPT_NS (600 * GPD_NS_PER_SEC)

struct gpd_tally_user;

/* The tally of a group of an account. */
struct gpd_tally {
	struct gp_tree_node by_name;	 /* in gpd_tallies.tree: group, then account */
	TAILQ_ENTRY(gpd_tally) of_user;	 /* in gpd_tally_user.tallies */
	TAILQ_ENTRY(gpd_tally) of_ended; /* in gpd_tallies.ended, while it has no entity */
	struct gpd_tally_user *user;
	char group[WIRE_NAME_LEN];
	uid_t uid;			    /* of its first process */
	LIST_HEAD(, gpd_entity) entities;   /* that count into it now */
	struct gpd_sums over;		    /* of entities that count no more */
	struct gp_small_hist waits;	    /* how long work waited */
	uint64_t ended_ns;		    /* when the last entity went */
};

/* Before the state is read. 0 or -errno. */
int gpd_tally_init(struct gpd *d);

void gpd_tally_free(struct gpd *d);

/* An entity has its group from now on; it has a member. */
void gpd_tally_join(struct gpd_entity *e);

/* It is about to go, or to have another group. */
void gpd_tally_leave(struct gpd_entity *e);

/* What the core knows of an entity, with the time since its state changed last; or -ENOENT. */
int gpd_tally_entity(const struct gpd_entity *e, struct gp_entity_info *info);

/* The sum of all, those that still run included. */
void gpd_tally_sum(const struct gpd *d, const struct gpd_tally *t, struct gpd_sums *sum);

/* The account of a tally. */
u64 gpd_tally_account(const struct gpd_tally *t);

/*
 * Call @each with the newest tallies of every account, GPD_TALLIES_SHOWN of one at most and eight
 * times as many of all.
 */
#define GPD_TALLIES_SHOWN 64
void gpd_tally_each(struct gpd *d, void (*each)(struct gpd_tally *t, void *data), void *data);

/* For the state file of a daemon that ends, and out of it. */
json_t *gpd_tally_save(struct gpd *d);
void gpd_tally_load(struct gpd *d, const json_t *totals);

/* The method ListTotals. */
void gpd_tally_list(struct gpd_conn *conn, const struct gpd_request *r);

#endif
