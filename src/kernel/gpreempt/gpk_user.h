/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How much each user has of something. The caller serialises.
 */
#ifndef GPK_USER_H
#define GPK_USER_H

#include <linux/hashtable.h>
#include <linux/uidgid.h>

/* A user that has some. */
struct gpk_user {
	struct hlist_node hash;
	kuid_t uid;
	u32 nr; /* how much */
};

/* All of these; all zero is none. */
struct gpk_users {
	DECLARE_HASHTABLE(hash, 8);
};

/* One more for a user: for gpk_user_put(), or NULL without memory. */
struct gpk_user *gpk_user_get(struct gpk_users *users, kuid_t uid, gfp_t gfp);
void gpk_user_put(struct gpk_user *u);

#endif
