// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/slot.h"

static void id_of_a_removed_entity_is_refused_for_ever(void **state)
{
	struct rig *r = *state;
	u32 old = rig_add(r, 5);
	u32 young;

	rig_remove(r, old);
	young = rig_add(r, 5);
	assert_int_equal((u32)r->id[old], (u32)r->id[young]);
	assert_int_not_equal(r->id[old], r->id[young]);
	assert_int_equal(gp_sched_entity_remove(r->s, r->id[old], r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_queue_busy(r->s, r->queue[old], r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_queue_busy(r->s, r->queue[young], r->now_ns, &r->out), 0);
}

static void entity_and_queue_ids_are_never_confused(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);

	assert_int_equal(gp_sched_entity_remove(r->s, r->queue[e], r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_queue_busy(r->s, r->id[e], r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_queue_busy(r->s, GP_ID_NONE, r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_entity_remove(r->s, U64_MAX, r->now_ns, &r->out), -ENOENT);
}

static void full_tables_are_refused(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u64 id;
	u32 i;

	gp_attr_default(&attr);
	for (i = 0; i < RIG_ENTITIES; i++)
		rig_add(r, 5);
	assert_int_equal(gp_sched_entity_add(r->s, 0, &attr, 0, r->now_ns, &r->out, &id), -ENOSPC);
	for (i = 0; i < RIG_ENTITIES; i++)
		assert_int_equal(
			gp_sched_queue_add(r->s, r->id[0], 0, r->now_ns, &r->out, &id), 0);
	assert_int_equal(gp_sched_queue_add(r->s, r->id[0], 0, r->now_ns, &r->out, &id), -ENOSPC);
	rig_remove(r, 0);
	r->nr = 0;
	rig_add(r, 5);
}

static void slot_with_its_last_generation_is_retired(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	u32 slot = (u32)r->id[e];

	rig_entity(r, e)->gen = 0xffffffffU;
	r->id[e] = gp_entity_id(r->s, rig_entity(r, e));
	rig_remove(r, e);
	e = rig_add(r, 5);
	assert_int_not_equal((u32)r->id[e], slot);
}

static void slot_can_be_reused_while_its_old_entity_is_in_flight(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u32 young;

	rig_busy(r, low);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
	rig_remove(r, low);
	young = rig_add(r, 3);
	assert_int_equal((u32)r->id[low], (u32)r->id[young]);
	rig_done(r);
	assert_state(r, young, IDLE);
	assert_int_equal(rig_stats(r)->nr_preemptions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(id_of_a_removed_entity_is_refused_for_ever),
		RIG_TEST(entity_and_queue_ids_are_never_confused),
		RIG_TEST(full_tables_are_refused),
		RIG_TEST(slot_with_its_last_generation_is_retired),
		RIG_TEST(slot_can_be_reused_while_its_old_entity_is_in_flight),
	};

	return cmocka_run_group_tests_name("core/slot", tests, NULL, NULL);
}
