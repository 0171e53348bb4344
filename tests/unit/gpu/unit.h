/* SPDX-License-Identifier: MIT */
/* What every unit test of gpu/ includes: cmocka and a world to test in. */
#ifndef GP_TEST_GPU_UNIT_H
#define GP_TEST_GPU_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "world.h"

#include <cmocka.h>

#define P1 WORLD_FIRST_PASID
#define P2 (WORLD_FIRST_PASID + 1)
#define MS 1000000ull

static inline struct world *unit_world(const char *profile, const char *engine)
{
	struct world_options o = { .profile = profile, .engine = engine };
	struct world *w = malloc(sizeof(*w));

	assert_int_equal(world_init(w, &o), 0);
	return w;
}

static inline void unit_done(struct world *w)
{
	world_fini(w);
	free(w);
}

static inline void unit_map_all(struct world *w)
{
	world_runlist_all(w);
	world_fence(w);
	world_hiq_ring(w);
	assert_true(world_run_fence(w, 100 * MS));
}

static inline u64 unit_tally(struct world_queue *q, const struct world_dispatch *d)
{
	return world_u64(q->world, q->pasid, d->tally);
}

static inline s64 unit_signal(struct world_queue *q, const struct world_dispatch *d)
{
	return world_signal_value(q->world, q->pasid, d->signal);
}

static inline u32 unit_mqd(struct world_queue *q, u32 offset)
{
	return world_u32(q->world, GPU_PASID_GART, q->mqd + offset);
}

#endif
