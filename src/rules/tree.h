/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A balanced tree of nodes that the caller embeds in its own structs. Insertion,
 * removal, search, the neighbour and the count of a range take O(log n), whatever keys
 * a client chooses. There is no recursion and no allocation. The caller serialises.
 */
#ifndef GP_RULES_TREE_H
#define GP_RULES_TREE_H

#include "gp_port.h"

/* The place of an object in a tree. */
struct gp_tree_node {
	struct gp_tree_node *up;       /* parent, NULL for the root */
	struct gp_tree_node *child[2]; /* subtree of smaller nodes, subtree of larger nodes */
	u32 height;		       /* of the subtree with this node; 0 = in no tree */
	u32 nr;			       /* nodes of that subtree */
};

/* The order of two numbers, for comparisons of keys. */
static inline int gp_tree_order(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Order of two nodes: negative, 0 or positive, as @a is before, equal to or after @b. */
typedef int (*gp_tree_cmp)(const struct gp_tree_node *a, const struct gp_tree_node *b);

/* A tree; all zero is an empty one but for @cmp. */
struct gp_tree {
	struct gp_tree_node *root; /* root */
	gp_tree_cmp cmp;	   /* order of the nodes */
};

/**
 * gp_tree_insert() - put a node in
 * @t: tree
 * @n: node that is in no tree
 *
 * Return: 0, -EEXIST an equal node is there.
 */
int gp_tree_insert(struct gp_tree *t, struct gp_tree_node *n);

/**
 * gp_tree_remove() - take a node out
 * @t: tree
 * @n: node of this tree, or in none: then nothing happens
 */
void gp_tree_remove(struct gp_tree *t, struct gp_tree_node *n);

/**
 * gp_tree_at_least() - the first node that is not before a key
 * @t: tree
 * @key: node that need not be in a tree; only what the order looks at is read
 *
 * Return: the node, NULL if all are before @key.
 */
struct gp_tree_node *gp_tree_at_least(const struct gp_tree *t, const struct gp_tree_node *key);

/**
 * gp_tree_find() - the node that is equal to a key
 * @t: tree
 * @key: as for gp_tree_at_least()
 *
 * Return: the node, NULL if there is none.
 */
struct gp_tree_node *gp_tree_find(const struct gp_tree *t, const struct gp_tree_node *key);

/**
 * gp_tree_first() - the first node of all
 * @t: tree
 *
 * Return: the node, NULL if the tree is empty.
 */
struct gp_tree_node *gp_tree_first(const struct gp_tree *t);

/**
 * gp_tree_next() - the node after a node
 * @n: node in a tree
 *
 * Return: the node, NULL after the last.
 */
struct gp_tree_node *gp_tree_next(const struct gp_tree_node *n);

/**
 * gp_tree_rank() - how many nodes are before a key
 * @t: tree
 * @key: as for gp_tree_at_least()
 *
 * Return: the number.
 */
u32 gp_tree_rank(const struct gp_tree *t, const struct gp_tree_node *key);

/**
 * gp_tree_nr() - how many nodes there are
 * @t: tree
 *
 * Return: the number.
 */
static inline u32 gp_tree_nr(const struct gp_tree *t)
{
	return t->root ? t->root->nr : 0;
}

#endif
