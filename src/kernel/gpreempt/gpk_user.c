// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How much each user has: see gpk_user.h.
 */
#include <linux/slab.h>

#include "gpk_user.h"

struct gpk_user *gpk_user_get(struct gpk_users *users, kuid_t uid, gfp_t gfp)
{
	struct gpk_user *u;

	hash_for_each_possible(users->hash, u, hash, __kuid_val(uid)) {
		if (!uid_eq(u->uid, uid))
			continue;
		u->nr++;
		return u;
	}
	u = kzalloc(sizeof(*u), gfp);
	if (!u)
		return NULL;
	u->uid = uid;
	u->nr = 1;
	hash_add(users->hash, &u->hash, __kuid_val(uid));
	return u;
}

void gpk_user_put(struct gpk_user *u)
{
	if (--u->nr)
		return;
	hash_del(&u->hash);
	kfree(u);
}
