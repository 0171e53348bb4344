// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/right.h"

#define X(name, text, ...) text,
static const char *const attr_names[] = { GP_ATTRS(X) };
#undef X

static u32 bit(bool is_set, enum gp_attr_bit b)
{
	return is_set ? (u32)b : 0;
}

/* None is least. */
static bool is_sooner(u64 wish, u64 most)
{
	return wish && (!most || wish < most);
}

/* 0 is a default that is not known here: it is neither longer nor shorter than others. */
static bool is_longer(u64 wish, u64 most)
{
	return wish != most && (!wish || wish > most);
}

u32 gp_right_excess(const struct gp_attr *wish, const struct gp_attr *most)
{
	return bit(wish->prio > most->prio, GP_ATTR_PRIO) |
	       bit(wish->weight > most->weight, GP_ATTR_WEIGHT) |
	       bit(is_longer(wish->slice_ns, most->slice_ns), GP_ATTR_SLICE) |
	       bit(is_sooner(wish->deadline_ns, most->deadline_ns), GP_ATTR_DEADLINE) |
	       bit(wish->latency_critical && !most->latency_critical, GP_ATTR_LATENCY_CRITICAL) |
	       bit(wish->no_preempt && !most->no_preempt, GP_ATTR_NO_PREEMPT);
}

void gp_attr_copy(struct gp_attr *to, const struct gp_attr *from, u32 mask)
{
#define X(name, text, member, ...) to->member = mask & GP_ATTR_##name ? from->member : to->member;
	GP_ATTRS(X)
#undef X
}

u32 gp_attr_differs(const struct gp_attr *a, const struct gp_attr *b)
{
	u32 mask = 0;

#define X(name, text, member, ...) mask |= bit(a->member != b->member, GP_ATTR_##name);
	GP_ATTRS(X)
#undef X
	return mask;
}

const char *gp_attr_name(u32 mask)
{
	u32 i;

	for (i = 0; i < GP_ATTR_COUNT; i++)
		if (mask & 1U << i)
			return attr_names[i];
	return "unknown";
}
