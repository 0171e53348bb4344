/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: What is said of a cgroup
 *
 * GPU time of a cgroup is said in the words of its processor time. Each is an extended
 * attribute of its folder (with gpu. in front), a key of [cgroup] in the configuration and in
 * scenarios, and NAME=VALUE on the command line:
 *
 *   weight   1 to 10000, as cpu.weight: its part among its siblings under fair and slice
 *   max      "MAX PERIOD" in microseconds, as cpu.max: run time in each period; "max" is no
 *	      limit, a period that is left out is 100000
 *   latency  microseconds, as the target of io.latency: the deadline of each request under edf
 *	      and laxity; 0 is none
 *   idle     0 or 1, as cpu.idle: its processes have the lowest priority and weight
 *
 * A user that may raise may say all of it. What others say counts as far as it lowers.
 *
 * A path is that of the unified hierarchy: "/" and names with "/" in between. A pattern is
 * a path in which '*' stands for any part of one name and '?' for one byte.
 */
#ifndef GP_RULES_CGROUP_H
#define GP_RULES_CGROUP_H

#include "core/sched_share.h"

/* X(NAME, "name"): in the order of the bits of gp_cgroup_attr.mask. */
#define GP_CGROUP_KEYS(X)     \
	X(WEIGHT, "weight")   \
	X(MAX, "max")         \
	X(LATENCY, "latency") \
	X(IDLE, "idle")

enum gp_cgroup_index {
#define X(name, text) GP_CGROUP_INDEX_##name,
	GP_CGROUP_KEYS(X)
#undef X
		GP_CGROUP_COUNT
};

enum gp_cgroup_bit {
#define X(name, text) GP_CGROUP_##name = 1 << GP_CGROUP_INDEX_##name,
	GP_CGROUP_KEYS(X)
#undef X
		GP_CGROUP_ALL = (1 << GP_CGROUP_COUNT) - 1
};

/* Longest path, with its end. */
#define GP_CGROUP_PATH_MAX 512
/* Room for the output of gp_cgroup_text(). */
#define GP_CGROUP_TEXT_MAX 48

/* What is said. */
struct gp_cgroup_attr {
	u32 mask;	/* enum gp_cgroup_bit of what is said; the rest is as by default */
	u32 weight;	/* weight */
	u64 quota_ns;	/* max: its first number, 0 = no limit */
	u64 period_ns;	/* max: its second */
	u64 latency_ns; /* latency */
	bool idle;	/* idle */
};

/**
 * gp_cgroup_name() - name of a key
 * @index: 0, 1, ...
 *
 * Return: the name, NULL past the end.
 */
const char *gp_cgroup_name(u32 index);

/**
 * gp_cgroup_default() - nothing is said
 * @a: output
 */
void gp_cgroup_default(struct gp_cgroup_attr *a);

/**
 * gp_cgroup_read() - read the value of a key
 * @name: name of the key
 * @text: value; anything at all
 * @a: what was said before; changed only if the value is legal
 *
 * Return: 0, -ENOENT no such key, -EINVAL not a value, -ERANGE.
 */
int gp_cgroup_read(const char *name, const char *text, struct gp_cgroup_attr *a);

/**
 * gp_cgroup_text() - the value of a key, as gp_cgroup_read() takes it
 * @a: what is said
 * @index: key
 * @out: output, GP_CGROUP_TEXT_MAX bytes
 *
 * Return: @out, "" past the last key.
 */
const char *gp_cgroup_text(const struct gp_cgroup_attr *a, u32 index, char *out);

/**
 * gp_cgroup_differ() - compare what is said
 * @a: what is said
 * @b: what is said
 *
 * Return: enum gp_cgroup_bit of what is said in one only, or said otherwise; 0 = the same.
 */
u32 gp_cgroup_differ(const struct gp_cgroup_attr *a, const struct gp_cgroup_attr *b);

/**
 * gp_cgroup_merge() - say more
 * @a: what was said before
 * @more: what is said now; it counts
 * @may_raise: by one that may raise; else only what is less counts
 */
void gp_cgroup_merge(struct gp_cgroup_attr *a, const struct gp_cgroup_attr *more, bool may_raise);

/**
 * gp_cgroup_share() - the share of a cgroup
 * @a: what is said
 * @share: output
 */
void gp_cgroup_share(const struct gp_cgroup_attr *a, struct gp_share_attr *share);

/**
 * gp_cgroup_inherit() - what holds for the processes in a cgroup
 * @a: what is said of it, changed: idle if a cgroup above is, the shortest latency
 * @above: what holds for those of the cgroup above
 */
void gp_cgroup_inherit(struct gp_cgroup_attr *a, const struct gp_cgroup_attr *above);

/**
 * gp_cgroup_apply() - what it means for a process in the cgroup
 * @a: what is said, and inherited
 * @attr: attributes of the process, changed
 *
 * A process that has a sooner deadline keeps it.
 */
void gp_cgroup_apply(const struct gp_cgroup_attr *a, struct gp_attr *attr);

/**
 * gp_cgroup_is_path() - is it a path?
 * @text: text
 *
 * Return: true of one that begins with a slash, has no empty name, no "." and no "..", no
 * control character, and fits.
 */
bool gp_cgroup_is_path(const char *text);

/**
 * gp_cgroup_matches() - does a path match a pattern?
 * @pattern: pattern
 * @path: path
 *
 * Cost is at most the product of their lengths.
 *
 * Return: true if so.
 */
bool gp_cgroup_matches(const char *pattern, const char *path);

#endif
