// SPDX-License-Identifier: MIT
#include "rig.h"

/* low off the GPU, high running. */
static u32 start(struct rig *r)
{
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	assert_null(gp_sched_check(r->s));
	return low;
}

static void wrong_state_is_found(void **state)
{
	struct rig *r = *state;
	u32 low = start(r);

	rig_entity(r, low)->state = GP_ENTITY_RUNNING;
	assert_non_null(gp_sched_check(r->s));
}

static void wrong_key_is_found(void **state)
{
	struct rig *r = *state;
	u32 low = start(r);

	rig_entity(r, low)->key++;
	assert_non_null(gp_sched_check(r->s));
}

static void wrong_count_is_found(void **state)
{
	struct rig *r = *state;

	start(r);
	r->s->stats[0].nr_out++;
	assert_non_null(gp_sched_check(r->s));
}

static void entity_in_flight_without_a_switch_is_found(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	r->s->node[0].sw.seq = 0;
	assert_non_null(gp_sched_check(r->s));
}

static void broken_heap_order_is_found(void **state)
{
	struct rig *r = *state;
	u32 i;

	for (i = 0; i < 10; i++)
		rig_busy(r, rig_add(r, 5));
	gp_heap_at(&r->s->pool[GP_POOL_BEST], &r->s->node[0].heap[GP_HEAP_RUNNING], 0)->key =
		U64_MAX;
	assert_non_null(gp_sched_check(r->s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(wrong_state_is_found),
		RIG_TEST(wrong_key_is_found),
		RIG_TEST(wrong_count_is_found),
		RIG_TEST(entity_in_flight_without_a_switch_is_found),
		RIG_TEST(broken_heap_order_is_found),
	};

	return cmocka_run_group_tests_name("core/check", tests, NULL, NULL);
}
