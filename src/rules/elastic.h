/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: To shrink instead of to leave
 *
 * An elastic entity that has to make room can keep running on some of the CUs: its waves are
 * saved as for any preemption, and those come back that its new CU mask has room for. This
 * says how many CUs that are, from what the more urgent ones need.
 *
 * What they need is learned from their kernels: the CUs that the largest of late fills. CUs
 * are counted in steps of one on each XCC, as workgroups are dealt to XCCs in turn and the
 * XCC that has fewest would be waited for.
 *
 * GP_ELASTIC_AUTO shrinks only as far as the urgent kernels lose no more than slack_ppm, by
 * the two factors of contention: what others on the GPU cost by caches and memory, and what
 * it costs to be crowded on few CUs (src/gpu/contention.h; on a GPU they are measured). Where
 * that leaves less than the floor, all is saved: sharing is never taken for free.
 *
 * Pure functions; the caller serialises.
 */
#ifndef GP_RULES_ELASTIC_H
#define GP_RULES_ELASTIC_H

#include "gp_port.h"

/* X(NAME, "text") */
#define GP_ELASTICS(X)                                                                   \
	X(OFF, "off")       /* it leaves */                                              \
	X(AUTO, "auto")     /* it shrinks where that costs the others little */          \
	X(ALWAYS, "always") /* it shrinks as long as there is one CU of each XCC for it */

enum gp_elastic {
#define X(name, text) GP_ELASTIC_##name,
	GP_ELASTICS(X)
#undef X
	GP_ELASTIC_COUNT
};

/**
 * struct gp_elastic_gpu - where it runs
 * @nr_cus: CUs of the node
 * @nr_xcc: XCCs of the node
 * @issue_ppm: what a kernel loses that is crowded on CUs that are full, not empty
 * @memory_ppm: what it loses beside others that have the whole GPU
 * @slack_ppm: what it may lose, for GP_ELASTIC_AUTO
 */
struct gp_elastic_gpu {
	u32 nr_cus;
	u32 nr_xcc;
	u32 issue_ppm;
	u32 memory_ppm;
	u32 slack_ppm;
};

/**
 * struct gp_elastic_attr - what is said of an entity
 * @mode: whether it shrinks
 * @floor: with fewer CUs it rather leaves; 0 = a quarter for GP_ELASTIC_AUTO, else none
 * @ceiling: it never has more; 0 = all
 */
struct gp_elastic_attr {
	enum gp_elastic mode;
	u32 floor;
	u32 ceiling;
};

/**
 * struct gp_elastic_fill - CUs that the kernels of an entity fill
 * @cus_q16: the most of late, in 1/65536; 0 = not known
 */
struct gp_elastic_fill {
	u32 cus_q16;
};

/**
 * gp_elastic_learn() - a kernel began
 * @fill: its entity
 * @cus: CUs that it fills, 1 to 65535
 *
 * More counts at once, less by and by: half of a difference is forgotten in some 700 kernels.
 */
void gp_elastic_learn(struct gp_elastic_fill *fill, u32 cus);

/**
 * gp_elastic_need() - CUs that an entity needs
 * @fill: what was learned
 * @gpu: GPU
 *
 * Return: CUs, all of them if nothing is known.
 */
u32 gp_elastic_need(const struct gp_elastic_fill *fill, const struct gp_elastic_gpu *gpu);

/**
 * gp_elastic_most() - CUs of an elastic entity that need not make room
 * @attr: entity
 * @gpu: GPU
 * @reserved: CUs that more urgent ones find free at any time
 *
 * Return: CUs, at least one of each XCC.
 */
u32 gp_elastic_most(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu,
		    u32 reserved);

/**
 * gp_elastic_shrink() - CUs of an entity that has to make room
 * @attr: entity
 * @gpu: GPU
 * @need: CUs that the more urgent ones need, together
 * @reserved: CUs that they find free at any time
 *
 * If they need no more than what is reserved it keeps what it has: a reservation
 * is not weighed again.
 *
 * Return: CUs, 0 = it is saved and leaves; never more than gp_elastic_most().
 */
u32 gp_elastic_shrink(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu,
		      u32 need, u32 reserved);

#endif
