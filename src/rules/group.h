/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Groups
 *
 * A group is preempted and resumed as one: it is one entity of the core, made of several
 * processes. Processes are one entity if
 *
 *   they belong to the same user,
 *   they name the same group,
 *   they are in the same cgroup, as far as it has a share, and
 *   they have the same attributes.
 *
 * So joining makes nothing more urgent. A process whose attributes change leaves the
 * entity and joins another, or becomes one of its own. A process that names no group, whose
 * user is not known, or that cannot be preempted for a reason that is not an attribute
 * (it does not answer) is an entity of its own: it takes nothing from the others.
 *
 * The caller embeds struct gp_group in its entity and owns the memory. Every call takes
 * O(log n) of the entities in the set. The caller serialises.
 *
 * A process joins what gp_groups_find() gives, or becomes a new entity that gp_groups_add() opens
 * to others. gp_groups_remove() comes with the last member.
 */
#ifndef GP_RULES_GROUP_H
#define GP_RULES_GROUP_H

#include "core/sched.h"
#include "rules/tree.h"

/*
 * A group whose name begins with this is a gang: its entities on all nodes leave and come back
 * together, see rules/gang.h.
 */
#define GP_GROUP_GANG "gang:"
/* gp_group_key.group: none. */
#define GP_GROUP_NONE ((u64)0)
/* gp_group_key.user: not known. */
#define GP_GROUP_NO_USER U64_MAX

/**
 * struct gp_group_key - what decides with which others a process is one entity
 * @user: its user, or GP_GROUP_NO_USER
 * @group: number of its group (see gp_group_number()), or GP_GROUP_NONE
 * @share: the caller's number of what they are in together, or 0
 * @attr: its attributes
 * @is_alone: it cannot be stopped together with others
 */
struct gp_group_key {
	u64 user;
	u64 group;
	u64 share;
	struct gp_attr attr;
	bool is_alone;
};

/* An entity that others may join. */
struct gp_group {
	struct gp_group_key key;  /* of all members; stays as it is while in a set */
	struct gp_tree_node node; /* private */
};

/* The entities of a node that others may join. */
struct gp_groups {
	struct gp_tree tree; /* private */
};

/**
 * gp_group_number() - the number of a group that has a name
 * @name: name
 *
 * Two names may have one number. Groups are a user's own, so that no other user can
 * choose a name to meet them.
 *
 * Return: the number, GP_GROUP_NONE for the empty name only.
 */
static inline u64 gp_group_number(const char *name)
{
	u64 hash = 0xcbf29ce484222325ULL;

	if (!*name)
		return GP_GROUP_NONE;
	/* FNV-1a */
	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 0x100000001b3ULL;
	return hash ? hash : 1;
}

/**
 * gp_group_is_gang() - is a group a gang?
 * @name: its name
 *
 * Return: true if so.
 */
static inline bool gp_group_is_gang(const char *name)
{
	const char *prefix = GP_GROUP_GANG;

	while (*prefix && *name == *prefix) {
		name++;
		prefix++;
	}
	return !*prefix && *name;
}

/**
 * gp_group_is_one() - are two processes one entity?
 * @a: one
 * @b: another
 *
 * Return: true if so.
 */
bool gp_group_is_one(const struct gp_group_key *a, const struct gp_group_key *b);

/**
 * gp_groups_init() - make an empty set
 * @set: set
 */
void gp_groups_init(struct gp_groups *set);

/**
 * gp_groups_find() - the entity that a process joins
 * @set: set
 * @key: of the process
 *
 * Return: the group, NULL if the process is an entity of its own.
 */
struct gp_group *gp_groups_find(const struct gp_groups *set, const struct gp_group_key *key);

/**
 * gp_groups_add() - others may join this entity from now on
 * @set: set
 * @g: with its key. One that nothing can join is kept out, and may be passed to
 *	gp_groups_remove() all the same
 *
 * Return: 0, -EEXIST there is an entity with this key.
 */
int gp_groups_add(struct gp_groups *set, struct gp_group *g);

/**
 * gp_groups_from() - the first entity of a group, in the order of users and then of groups
 * @set: set
 * @user: user
 * @group: number of a group of that user
 *
 * Return: that one; if there is none, the first of the next group; NULL if there is none either.
 */
struct gp_group *gp_groups_from(const struct gp_groups *set, u64 user, u64 group);

/**
 * gp_groups_next() - the entity after another, in the same order
 * @g: in a set
 *
 * Return: the next, or NULL.
 */
struct gp_group *gp_groups_next(const struct gp_group *g);

/**
 * gp_groups_remove() - the entity has no member left
 * @set: set
 * @g: passed to gp_groups_add() before
 */
void gp_groups_remove(struct gp_groups *set, struct gp_group *g);

#endif
