// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An AVL tree: the heights of the two subtrees of a node differ by one at most, so that n
 * nodes are less than 1.45 log2(n + 2) high.
 */
#include "rules/tree.h"

static u32 height(const struct gp_tree_node *n)
{
	return n ? n->height : 0;
}

static u32 nr(const struct gp_tree_node *n)
{
	return n ? n->nr : 0;
}

static void update(struct gp_tree_node *n)
{
	n->height = 1 + max(height(n->child[0]), height(n->child[1]));
	n->nr = 1 + nr(n->child[0]) + nr(n->child[1]);
}

/* Puts @to, which may be NULL, where @from is. */
static void replace(struct gp_tree *t, const struct gp_tree_node *from, struct gp_tree_node *to)
{
	struct gp_tree_node *up = from->up;

	if (to)
		to->up = up;
	if (!up)
		t->root = to;
	else
		up->child[up->child[1] == from] = to;
}

static void adopt(struct gp_tree_node *n, u32 side, struct gp_tree_node *child)
{
	n->child[side] = child;
	if (child)
		child->up = n;
}

/* Lifts the child on one side above @n. Return: the child. */
static struct gp_tree_node *rotate(struct gp_tree *t, struct gp_tree_node *n, u32 side)
{
	struct gp_tree_node *child = n->child[side];

	replace(t, n, child);
	adopt(n, side, child->child[!side]);
	adopt(child, !side, n);
	update(n);
	update(child);
	return child;
}

/* Return: what is in the place of @n afterwards. */
static struct gp_tree_node *balance(struct gp_tree *t, struct gp_tree_node *n)
{
	u32 side = height(n->child[1]) > height(n->child[0]);
	struct gp_tree_node *high = n->child[side];

	update(n);
	if (height(high) < height(n->child[!side]) + 2)
		return n;
	if (height(high->child[!side]) > height(high->child[side]))
		rotate(t, high, !side);
	return rotate(t, n, side);
}

/* Something changed at @n: at most the height of the tree in steps. */
static void settle(struct gp_tree *t, struct gp_tree_node *n)
{
	while (n)
		n = balance(t, n)->up;
}

int gp_tree_insert(struct gp_tree *t, struct gp_tree_node *n)
{
	struct gp_tree_node *up = NULL, *at = t->root;
	int order = 0;

	while (at) {
		order = t->cmp(n, at);
		if (!order)
			return -EEXIST;
		up = at;
		at = at->child[order > 0];
	}
	*n = (struct gp_tree_node){ .up = up, .height = 1, .nr = 1 };
	if (up)
		up->child[order > 0] = n;
	else
		t->root = n;
	settle(t, up);
	return 0;
}

void gp_tree_remove(struct gp_tree *t, struct gp_tree_node *n)
{
	struct gp_tree_node *next, *from = n->up;

	if (!n->height)
		return;
	if (!n->child[0] || !n->child[1]) {
		replace(t, n, n->child[0] ? n->child[0] : n->child[1]);
	} else {
		next = gp_tree_next(n);
		from = next->up == n ? next : next->up;
		replace(t, next, next->child[1]);
		adopt(next, 0, n->child[0]);
		adopt(next, 1, n->child[1]);
		replace(t, n, next);
	}
	settle(t, from);
	*n = (struct gp_tree_node){};
}

struct gp_tree_node *gp_tree_at_least(const struct gp_tree *t, const struct gp_tree_node *key)
{
	struct gp_tree_node *at = t->root, *best = NULL;

	while (at) {
		bool is_before = t->cmp(at, key) < 0;

		if (!is_before)
			best = at;
		at = at->child[is_before];
	}
	return best;
}

struct gp_tree_node *gp_tree_find(const struct gp_tree *t, const struct gp_tree_node *key)
{
	struct gp_tree_node *n = gp_tree_at_least(t, key);

	return n && !t->cmp(n, key) ? n : NULL;
}

static struct gp_tree_node *leftmost(struct gp_tree_node *n)
{
	while (n && n->child[0])
		n = n->child[0];
	return n;
}

struct gp_tree_node *gp_tree_first(const struct gp_tree *t)
{
	return leftmost(t->root);
}

struct gp_tree_node *gp_tree_next(const struct gp_tree_node *n)
{
	if (n->child[1])
		return leftmost(n->child[1]);
	while (n->up && n->up->child[1] == n)
		n = n->up;
	return n->up;
}

u32 gp_tree_rank(const struct gp_tree *t, const struct gp_tree_node *key)
{
	const struct gp_tree_node *at = t->root;
	u32 rank = 0;

	while (at) {
		bool is_before = t->cmp(at, key) < 0;

		if (is_before)
			rank += 1 + nr(at->child[0]);
		at = at->child[is_before];
	}
	return rank;
}
