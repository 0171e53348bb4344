// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/entity.h"

static const char *const legal[] = {
	"idle waiting",
	"waiting idle",
	"waiting running",
	"waiting preempting",
	"running idle",
	"running preempting",
	"preempting idle",
	"preempting waiting",
	"preempting running",
	"preempting preempted",
	"preempted preempting",
	"preempted resuming",
	"resuming idle",
	"resuming running",
	"resuming preempted",
	"idle preempting",
};

static bool is_legal(u32 from, u32 to)
{
	char text[64];
	size_t i;

	if (to == GP_ENTITY_LOST)
		return from != GP_ENTITY_LOST;
	snprintf(text, sizeof(text), "%s %s", gp_entity_state_name(from), gp_entity_state_name(to));
	for (i = 0; i < ARRAY_SIZE(legal); i++)
		if (!strcmp(legal[i], text))
			return true;
	return false;
}

static void table_has_exactly_the_legal_transitions(void **state)
{
	u32 from, to;

	(void)state;
	for (from = 0; from < GP_ENTITY_STATE_COUNT; from++)
		for (to = 0; to < GP_ENTITY_STATE_COUNT; to++)
			assert_int_equal(gp_entity_may_become(from, to), is_legal(from, to));
	assert_false(gp_entity_may_become(GP_ENTITY_STATE_COUNT, GP_ENTITY_IDLE));
	assert_false(gp_entity_may_become(GP_ENTITY_IDLE, GP_ENTITY_STATE_COUNT));
}

static void illegal_transition_warns_and_changes_nothing(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	struct gp_entity before = *rig_entity(r, e);
	struct gp_call c = {
		.s = r->s,
		.n = &r->s->node[0],
		.stats = &r->s->stats[0],
		.now_ns = r->now_ns,
		.out = &r->out,
	};

	gp_port_warn_count();
	assert_false(gp_entity_set_state(&c, rig_entity(r, e), GP_ENTITY_RESUMING));
	assert_false(gp_entity_set_state(&c, rig_entity(r, e), GP_ENTITY_IDLE));
	assert_int_equal(gp_port_warn_count(), 2);
	assert_memory_equal(&before, rig_entity(r, e), sizeof(before));
	assert_null(gp_sched_check(r->s));
}

static void full_life_accounts_run_and_off_times(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	struct gp_entity_info info;

	rig_busy(r, low);
	assert_state(r, low, RUNNING);
	r->now_ns += 100 * GP_US;
	rig_busy(r, high);
	assert_state(r, low, PREEMPTING);
	assert_state(r, high, WAITING);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
	r->now_ns += 200 * GP_US;
	rig_idle(r, high);
	assert_state(r, high, IDLE);
	rig_run(r, 100 * GP_US);
	assert_state(r, low, RESUMING);
	rig_done(r);
	assert_state(r, low, RUNNING);

	assert_int_equal(gp_sched_entity_info(r->s, r->id[low], &info), 0);
	assert_int_equal(info.run_ns, 100 * GP_US);
	assert_int_equal(info.off_ns, (200 + 100 + 30) * GP_US);
	assert_int_equal(info.off_max_ns, info.off_ns);
	assert_int_equal(info.nr_preempted, 1);
	assert_int_equal(info.nr_resumed, 1);
	assert_int_equal(rig_stats(r)->off_max_ns, info.off_max_ns);
	assert_int_equal(rig_stats(r)->off_ns.nr, 1);
}

static u64 waited_ns[8];
static u32 nr_waited;

static void note_wait(void *data, const struct gp_trace *t)
{
	(void)data;
	if (t->kind == GP_TRACE_WAITED && nr_waited < 8)
		waited_ns[nr_waited++] = t->arg[0];
}

/* From the first sign of work to the first run; work that goes on has waited once. */
static void wait_of_online_work_is_counted_once(void **state)
{
	struct rig *r = *state;
	const struct gp_small_hist *wait = &rig_stats(r)->wait_ns;
	u32 low = rig_add(r, 3), high = rig_add(r, 9);

	nr_waited = 0;
	r->s->config.trace = note_wait;
	rig_busy(r, low);
	r->now_ns += 100 * GP_US;
	rig_busy(r, high);
	r->now_ns += 40 * GP_US;
	rig_done(r);
	assert_state(r, high, RUNNING);
	assert_int_equal(wait->nr, 1);
	assert_int_equal(wait->max, 40 * GP_US);
	r->now_ns += 200 * GP_US;
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_done(r);
	assert_state(r, low, RUNNING);
	/* Offline work did not wait, ran, was off and ran again: nothing of it is in there. */
	assert_int_equal(wait->nr, 1);
	assert_int_equal(nr_waited, 2);
	assert_int_equal(waited_ns[0], 0);
	assert_int_equal(waited_ns[1], 40 * GP_US);
}

/* It ended while others were being taken off the GPU for it. */
static void work_that_never_ran_has_waited_until_its_end(void **state)
{
	struct rig *r = *state;
	const struct gp_small_hist *wait = &rig_stats(r)->wait_ns;
	u32 low = rig_add(r, 3), high = rig_add(r, 9);

	rig_busy(r, low);
	r->now_ns += 100 * GP_US;
	rig_busy(r, high);
	assert_state(r, high, WAITING);
	r->now_ns += 25 * GP_US;
	rig_idle(r, high);
	assert_int_equal(wait->nr, 1);
	assert_int_equal(wait->max, 25 * GP_US);
}

static void arm_and_disarm_follow_the_work(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	assert_true(rig_has_action(r, GP_ACTION_DISARM, r->id[low]));
	rig_busy(r, high);
	rig_done(r);
	/* Off the GPU its work can end, and start again unseen if not looked at. */
	rig_idle(r, low);
	assert_true(rig_has_action(r, GP_ACTION_ARM, r->id[low]));
	rig_busy(r, low);
	assert_true(rig_has_action(r, GP_ACTION_DISARM, r->id[low]));
	assert_state(r, low, PREEMPTED);
}

static void entity_is_busy_while_any_queue_is(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	u64 second;

	assert_int_equal(gp_sched_queue_add(r->s, r->id[e], 7, r->now_ns, &r->out, &second), 0);
	rig_busy(r, e);
	assert_int_equal(gp_sched_queue_busy(r->s, second, r->now_ns, &r->out), 0);
	assert_int_equal(r->out.nr, 0);
	rig_idle(r, e);
	assert_state(r, e, RUNNING);
	assert_int_equal(gp_sched_queue_idle(r->s, second, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_state(r, e, IDLE);
}

static void removing_a_busy_queue_ends_its_work(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);

	rig_busy(r, e);
	assert_int_equal(gp_sched_queue_remove(r->s, r->queue[e], r->now_ns, &r->out), 0);
	rig_take(r);
	assert_state(r, e, IDLE);
	assert_int_equal(gp_sched_queue_busy(r->s, r->queue[e], r->now_ns, &r->out), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(table_has_exactly_the_legal_transitions),
		RIG_TEST(illegal_transition_warns_and_changes_nothing),
		RIG_TEST(full_life_accounts_run_and_off_times),
		RIG_TEST(wait_of_online_work_is_counted_once),
		RIG_TEST(work_that_never_ran_has_waited_until_its_end),
		RIG_TEST(arm_and_disarm_follow_the_work),
		RIG_TEST(entity_is_busy_while_any_queue_is),
		RIG_TEST(removing_a_busy_queue_ends_its_work),
	};

	return cmocka_run_group_tests_name("core/entity", tests, NULL, NULL);
}
