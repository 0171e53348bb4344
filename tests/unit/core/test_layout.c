// SPDX-License-Identifier: MIT
#include "rig.h"

static void impossible_configurations_have_no_size(void **state)
{
	static const struct gp_sched_config bad[] = {
		{ .nr_nodes = 0, .max_entities = 1, .max_queues = 1 },
		{ .nr_nodes = 65, .max_entities = 1, .max_queues = 1 },
		{ .nr_nodes = 1, .max_entities = 0, .max_queues = 1 },
		{ .nr_nodes = 1, .max_entities = 1, .max_queues = 0 },
		{ .nr_nodes = 1, .max_entities = 0xffffffffU, .max_queues = 1 },
		{ .nr_nodes = 1, .max_entities = 1, .max_queues = 0xffffffffU },
	};
	struct rig *r = *state;
	struct gp_sched *s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(gp_sched_size(&bad[i]), 0);
		assert_int_equal(gp_sched_init(r->mem, 1 << 30, &bad[i], &s), -EINVAL);
	}
}

static void too_little_or_crooked_memory_is_refused(void **state)
{
	struct gp_sched_config config = { .nr_nodes = 1, .max_entities = 8, .max_queues = 8 };
	struct rig *r = *state;
	size_t size = gp_sched_size(&config);
	struct gp_sched *s;

	assert_int_equal(gp_sched_init(r->mem, size - 1, &config, &s), -ENOSPC);
	assert_int_equal(gp_sched_init((char *)r->mem + 8, size, &config, &s), -EINVAL);
	assert_int_equal(gp_sched_init(r->mem, size, &config, &s), 0);
}

static void large_server_fits_into_two_mib(void **state)
{
	struct gp_sched_config config = { .nr_nodes = 8, .max_entities = 4096, .max_queues = 4096 };

	(void)state;
	assert_in_range(gp_sched_size(&config), 1, 2 << 20);
}

static void new_scheduler_has_the_documented_state(void **state)
{
	struct rig *r = *state;

	assert_string_equal(gp_sched_node_policy(r->s, 0), "prio");
	assert_string_equal(gp_sched_node_policy(r->s, 1), "prio");
	assert_null(gp_sched_node_policy(r->s, 2));
	assert_null(gp_sched_node_stats(r->s, 2));
	assert_breaker(r, CLOSED);
	assert_null(gp_sched_check(r->s));
}

/* Every entity in every heap of one node: the worst for the shared memory. */
static void all_entities_of_one_node_fit(void **state)
{
	struct rig *r = *state;
	u32 i;

	r->switch_ns = 10 * GP_US;
	rig_param(r, "prio.age_ns", 100 * GP_MS);
	for (i = 0; i < RIG_ENTITIES; i++)
		rig_busy(r, rig_add(r, (u8)(i % 16)));
	rig_run(r, 3 * GP_SEC);
	assert_null(gp_sched_check(r->s));
}

static void copy_of_the_memory_is_a_snapshot(void **state)
{
	struct gp_sched_config config = { .nr_nodes = 2, .max_entities = RIG_ENTITIES,
					  .max_queues = 2 * RIG_ENTITIES };
	size_t size = gp_sched_size(&config);
	struct rig *r = *state;
	void *copy = malloc(size);
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	struct gp_actions first;

	assert_non_null(copy);
	rig_busy(r, low);
	memcpy(copy, r->mem, size);
	memset(&r->out, 0, sizeof(r->out));
	rig_busy(r, high);
	first = r->out;
	rig_done(r);
	memcpy(r->mem, copy, size);
	assert_state(r, low, RUNNING);
	r->now_ns -= 30 * GP_US;
	memset(&r->out, 0, sizeof(r->out));
	rig_busy(r, high);
	assert_memory_equal(&first, &r->out, sizeof(first));
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(impossible_configurations_have_no_size),
		RIG_TEST(too_little_or_crooked_memory_is_refused),
		RIG_TEST(large_server_fits_into_two_mib),
		RIG_TEST(new_scheduler_has_the_documented_state),
		RIG_TEST(all_entities_of_one_node_fit),
		RIG_TEST(copy_of_the_memory_is_a_snapshot),
	};

	return cmocka_run_group_tests_name("core/layout", tests, NULL, NULL);
}
