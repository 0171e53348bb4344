// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/group.h"
#include "rules/right.h"

static int cmp_attr(const struct gp_attr *a, const struct gp_attr *b)
{
	int ret = 0;

#define X(name, text, member, ...) ret = ret ? ret : gp_tree_order(a->member, b->member);
	GP_ATTRS(X)
#undef X
	return ret;
}

static int by_key(const struct gp_tree_node *x, const struct gp_tree_node *y)
{
	const struct gp_group_key *a = &container_of(x, struct gp_group, node)->key;
	const struct gp_group_key *b = &container_of(y, struct gp_group, node)->key;

	if (a->user != b->user)
		return gp_tree_order(a->user, b->user);
	if (a->group != b->group)
		return gp_tree_order(a->group, b->group);
	if (a->share != b->share)
		return gp_tree_order(a->share, b->share);
	return cmp_attr(&a->attr, &b->attr);
}

static bool can_join(const struct gp_group_key *key)
{
	return key->group != GP_GROUP_NONE && key->user != GP_GROUP_NO_USER && !key->is_alone;
}

bool gp_group_is_one(const struct gp_group_key *a, const struct gp_group_key *b)
{
	return can_join(a) && can_join(b) && a->user == b->user && a->group == b->group &&
	       a->share == b->share && !gp_attr_differs(&a->attr, &b->attr);
}

void gp_groups_init(struct gp_groups *set)
{
	*set = (struct gp_groups){ .tree.cmp = by_key };
}

static struct gp_group *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gp_group, node) : NULL;
}

struct gp_group *gp_groups_find(const struct gp_groups *set, const struct gp_group_key *key)
{
	const struct gp_group probe = { .key = *key };

	return can_join(key) ? of(gp_tree_find(&set->tree, &probe.node)) : NULL;
}

struct gp_group *gp_groups_from(const struct gp_groups *set, u64 user, u64 group)
{
	/* No attributes are before these. */
	const struct gp_group probe = { .key = { .user = user, .group = group } };

	return of(gp_tree_at_least(&set->tree, &probe.node));
}

struct gp_group *gp_groups_next(const struct gp_group *g)
{
	return of(gp_tree_next(&g->node));
}

int gp_groups_add(struct gp_groups *set, struct gp_group *g)
{
	g->node = (struct gp_tree_node){};
	return can_join(&g->key) ? gp_tree_insert(&set->tree, &g->node) : 0;
}

void gp_groups_remove(struct gp_groups *set, struct gp_group *g)
{
	gp_tree_remove(&set->tree, &g->node);
}
