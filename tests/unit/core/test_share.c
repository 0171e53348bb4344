// SPDX-License-Identifier: MIT
#include "rig.h"

#define SEC GP_SEC
#define NONE GP_ID_NONE

static u64 add_share(struct rig *r, u64 parent, u32 weight, u64 quota_ns, u64 period_ns)
{
	struct gp_share_attr attr = {
		.weight = weight,
		.quota_ns = quota_ns,
		.period_ns = period_ns ? period_ns : 100 * GP_MS,
	};
	u64 id;

	assert_int_equal(gp_sched_share_add(r->s, 0, parent, &attr, 0, r->now_ns, &r->out, &id), 0);
	rig_take(r);
	return id;
}

static void join(struct rig *r, u32 e, u64 share)
{
	assert_int_equal(gp_sched_entity_join(r->s, r->id[e], share, r->now_ns, &r->out), 0);
	rig_take(r);
}

static u32 add_in(struct rig *r, u64 share, u32 weight)
{
	struct gp_attr attr;
	u32 e;

	gp_attr_default(&attr);
	attr.weight = weight;
	e = rig_add_attr(r, &attr);
	join(r, e, share);
	return e;
}

static struct gp_share_info info_of(struct rig *r, u64 share)
{
	struct gp_share_info info;

	assert_int_equal(gp_sched_share_info(r->s, share, r->now_ns, &info), 0);
	return info;
}

/* Within 2 % of a second of what is expected of it. */
static void assert_has(u64 ran_ns, u64 of_ns, u64 parts, u64 whole)
{
	u64 want_ns = of_ns * parts / whole;
	u64 diff_ns = ran_ns > want_ns ? ran_ns - want_ns : want_ns - ran_ns;

	if (diff_ns > of_ns / 50)
		fail_msg("%llu of %llu us, not %llu/%llu", (unsigned long long)ran_ns / 1000,
			 (unsigned long long)of_ns / 1000, (unsigned long long)parts,
			 (unsigned long long)whole);
}

/* 300 : 100 : 100 at the top; below the first 100 : 200, below that 1 : 1. */
static void nested(struct rig *r, u32 e[6])
{
	u64 a = add_share(r, NONE, 300, 0, 0);
	u64 b = add_share(r, NONE, 100, 0, 0);
	u64 a1 = add_share(r, a, 100, 0, 0);
	u64 a2 = add_share(r, a, 200, 0, 0);
	u32 i;

	e[0] = add_in(r, a1, 100);
	e[1] = add_in(r, a2, 50);
	e[2] = add_in(r, a2, 50);
	e[3] = add_in(r, b, 700);
	e[4] = rig_add(r, GP_PRIO_DEFAULT);
	for (i = 0; i < 5; i++)
		rig_busy(r, e[i]);
}

static void weights_of_shares_are_kept_under(struct rig *r, const char *policy)
{
	static const u64 parts[] = { 3, 3, 3, 3, 3 };
	u64 ran_ns[5], total_ns = 0;
	u32 e[6], i;

	r->switch_ns = 50 * GP_US;
	rig_policy(r, policy);
	nested(r, e);
	rig_run(r, 200 * GP_MS);
	for (i = 0; i < 5; i++)
		ran_ns[i] = rig_ran(r, e[i]);
	rig_run(r, SEC);
	for (i = 0; i < 5; i++) {
		ran_ns[i] = rig_ran(r, e[i]) - ran_ns[i];
		total_ns += ran_ns[i];
	}
	assert_true(total_ns > SEC * 9 / 10);
	for (i = 0; i < 5; i++)
		assert_has(ran_ns[i], total_ns, parts[i], 15);
}

static void fair_keeps_weights_of_nested_shares(void **state)
{
	weights_of_shares_are_kept_under(*state, "fair");
}

static void slice_keeps_weights_of_nested_shares(void **state)
{
	weights_of_shares_are_kept_under(*state, "slice");
}

/* What a share has does not depend on how many are in it. */
static void one_share_of_many_processes_is_worth_one(void **state)
{
	struct rig *r = *state;
	u64 one = add_share(r, NONE, 100, 0, 0);
	u64 many = add_share(r, NONE, 100, 0, 0);
	u64 before_ns, all_ns;
	u32 e, i;

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "fair");
	for (i = 0; i < 40; i++)
		rig_busy(r, add_in(r, many, 1 + i));
	e = add_in(r, one, 3);
	rig_busy(r, e);
	rig_run(r, 100 * GP_MS);
	before_ns = info_of(r, one).usage_ns;
	all_ns = before_ns + info_of(r, many).usage_ns;
	rig_run(r, SEC);
	all_ns = info_of(r, one).usage_ns + info_of(r, many).usage_ns - all_ns;
	assert_has(info_of(r, one).usage_ns - before_ns, all_ns, 1, 2);
}

/* What one leaves goes to the others of its share first. */
static void share_without_work_leaves_its_part_to_the_siblings(void **state)
{
	struct rig *r = *state;
	u64 ran_ns[3];
	u32 e[6];

	r->switch_ns = 20 * GP_US;
	rig_policy(r, "fair");
	nested(r, e);
	rig_run(r, 100 * GP_MS);
	rig_idle(r, e[1]);
	rig_idle(r, e[2]);
	rig_run(r, 100 * GP_MS);
	ran_ns[0] = rig_ran(r, e[0]);
	ran_ns[1] = rig_ran(r, e[3]);
	rig_run(r, SEC);
	assert_has(rig_ran(r, e[0]) - ran_ns[0], SEC, 3, 5);
	assert_has(rig_ran(r, e[3]) - ran_ns[1], SEC, 1, 5);
}

static const char *const policies[] = { "prio", "fair", "slice", "edf", "laxity", "mlfq" };

static void restart(void **state)
{
	rig_teardown(state);
	assert_int_equal(rig_setup(state), 0);
}

static void budget_is_kept_by_every_policy(void **state)
{
	u32 k, beside;

	for (k = 0; k < ARRAY_SIZE(policies); k++) {
		for (beside = 0; beside < 2; beside++) {
			struct rig *r;
			u64 g, before_ns;
			u32 e;

			restart(state);
			r = *state;
			r->switch_ns = 100 * GP_US;
			rig_policy(r, policies[k]);
			g = add_share(r, NONE, 10000, 20 * GP_MS, 100 * GP_MS);
			e = add_in(r, g, 100);
			rig_busy(r, e);
			if (beside)
				rig_busy(r, rig_add(r, 1));
			rig_run(r, 300 * GP_MS);
			before_ns = rig_ran(r, e);
			rig_run(r, SEC);
			assert_has(rig_ran(r, e) - before_ns, SEC, 20, 100);
		}
	}
}

/* The GPU is empty for the rest of the period. */
static void without_budget_nothing_runs(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 10 * GP_MS, 100 * GP_MS);
	u32 e = add_in(r, g, 100);

	r->switch_ns = 30 * GP_US;
	rig_busy(r, e);
	rig_run(r, 11 * GP_MS);
	assert_state(r, e, PREEMPTED);
	assert_true(info_of(r, g).is_throttled);
	rig_run(r, 85 * GP_MS);
	assert_state(r, e, PREEMPTED);
	rig_run(r, 5 * GP_MS);
	assert_state(r, e, RUNNING);
	assert_false(info_of(r, g).is_throttled);
	assert_int_equal(info_of(r, g).nr_throttled, 1);
}

/* Work that comes while the budget is used up waits, too. */
static void newcomer_has_no_budget_either(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 10 * GP_MS, 100 * GP_MS);
	u64 below = add_share(r, g, 100, 0, 0);
	u32 first = add_in(r, g, 100), late, moved;

	r->switch_ns = 30 * GP_US;
	rig_busy(r, first);
	rig_run(r, 20 * GP_MS);
	late = add_in(r, below, 100);
	rig_busy(r, late);
	moved = rig_add(r, GP_PRIO_MAX);
	rig_busy(r, moved);
	rig_run(r, GP_MS);
	assert_state(r, moved, RUNNING);
	join(r, moved, below);
	rig_run(r, GP_MS);
	assert_state(r, late, PREEMPTED);
	assert_state(r, moved, PREEMPTED);
	join(r, moved, NONE);
	rig_run(r, GP_MS);
	assert_state(r, moved, RUNNING);
	assert_state(r, late, PREEMPTED);
}

static void budget_above_is_a_budget_of_all_below(void **state)
{
	struct rig *r = *state;
	u64 top = add_share(r, NONE, 100, 30 * GP_MS, 100 * GP_MS);
	u64 a = add_share(r, top, 100, 10 * GP_MS, 100 * GP_MS);
	u64 b = add_share(r, top, 100, 0, 0);
	u64 before_ns[3], after_ns[3];
	u32 i;

	r->switch_ns = 50 * GP_US;
	rig_policy(r, "fair");
	for (i = 0; i < 3; i++) {
		rig_busy(r, add_in(r, a, 100));
		rig_busy(r, add_in(r, b, 100));
	}
	rig_run(r, 300 * GP_MS);
	before_ns[0] = info_of(r, top).usage_ns;
	before_ns[1] = info_of(r, a).usage_ns;
	before_ns[2] = info_of(r, b).usage_ns;
	rig_run(r, SEC);
	after_ns[0] = info_of(r, top).usage_ns;
	after_ns[1] = info_of(r, a).usage_ns;
	after_ns[2] = info_of(r, b).usage_ns;
	assert_has(after_ns[0] - before_ns[0], SEC, 30, 100);
	assert_has(after_ns[1] - before_ns[1], SEC, 10, 100);
	assert_has(after_ns[2] - before_ns[2], SEC, 20, 100);
}

/* Two at a time use the budget twice as fast. */
static void processes_that_run_together_share_the_budget(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 20 * GP_MS, 100 * GP_MS);
	u32 i;

	r->switch_ns = 50 * GP_US;
	for (i = 0; i < 2; i++)
		rig_busy(r, add_in(r, g, 100));
	rig_run(r, SEC);
	assert_has(info_of(r, g).usage_ns, SEC, 20, 100);
	assert_has(rig_ran(r, 0), SEC, 10, 100);
}

static void budget_binds_nobody_while_preemption_is_off(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 10 * GP_MS, 100 * GP_MS);
	u32 e = add_in(r, g, 100);

	r->switch_ns = 30 * GP_US;
	rig_busy(r, e);
	rig_run(r, 20 * GP_MS);
	assert_state(r, e, PREEMPTED);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, false, r->now_ns, &r->out), 0);
	rig_take(r);
	rig_run(r, GP_MS);
	assert_state(r, e, RUNNING);
	rig_run(r, 200 * GP_MS);
	assert_state(r, e, RUNNING);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, true, r->now_ns, &r->out), 0);
	rig_take(r);
	rig_run(r, 101 * GP_MS);
	assert_state(r, e, PREEMPTED);
}

static void new_limit_counts_at_once(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 10 * GP_MS, 1000 * GP_MS);
	struct gp_share_attr attr = info_of(r, g).attr;
	u32 e = add_in(r, g, 100);

	r->switch_ns = 30 * GP_US;
	rig_busy(r, e);
	rig_run(r, 20 * GP_MS);
	assert_state(r, e, PREEMPTED);
	attr.quota_ns = 50 * GP_MS;
	assert_int_equal(gp_sched_share_set_attr(r->s, g, &attr, r->now_ns, &r->out), 0);
	rig_take(r);
	rig_run(r, GP_MS);
	assert_state(r, e, RUNNING);
	rig_run(r, 60 * GP_MS);
	assert_state(r, e, PREEMPTED);
	attr.quota_ns = 0;
	assert_int_equal(gp_sched_share_set_attr(r->s, g, &attr, r->now_ns, &r->out), 0);
	rig_take(r);
	rig_run(r, GP_MS);
	assert_state(r, e, RUNNING);
}

static void times_of_a_share_are_told(void **state)
{
	struct rig *r = *state;
	u64 top = add_share(r, NONE, 100, 0, 0);
	u64 g = add_share(r, top, 100, 10 * GP_MS, 100 * GP_MS);
	u32 e = add_in(r, g, 100);
	struct gp_share_info info;

	r->switch_ns = 100 * GP_US;
	rig_busy(r, e);
	rig_run(r, SEC);
	info = info_of(r, g);
	assert_int_equal(info.nr_periods, 10);
	assert_in_range(info.nr_throttled, 9, 11);
	assert_in_range(info.throttled_ns, 880 * GP_MS, 905 * GP_MS);
	assert_in_range(info.full_ns, 895 * GP_MS, 905 * GP_MS);
	assert_int_equal(info.full_ns, info.some_ns);
	assert_int_equal(info.usage_ns + info.full_ns, SEC);
	assert_int_equal(info_of(r, top).usage_ns, info.usage_ns);
	assert_int_equal(info_of(r, top).nr_periods, 0);
	assert_int_equal(info_of(r, top).nr_entities, 0);
	assert_int_equal(info.nr_entities, 1);
}

static void share_with_something_in_it_stays(void **state)
{
	struct rig *r = *state;
	u64 top = add_share(r, NONE, 100, 0, 0);
	u64 g = add_share(r, top, 100, 0, 0);
	u32 e = add_in(r, g, 100);

	rig_busy(r, e);
	assert_int_equal(gp_sched_share_remove(r->s, top, r->now_ns, &r->out), -EBUSY);
	assert_int_equal(gp_sched_share_remove(r->s, g, r->now_ns, &r->out), -EBUSY);
	rig_remove(r, e);
	assert_int_equal(gp_sched_share_remove(r->s, g, r->now_ns, &r->out), 0);
	assert_int_equal(gp_sched_share_remove(r->s, g, r->now_ns, &r->out), -ENOENT);
	assert_int_equal(gp_sched_share_remove(r->s, top, r->now_ns, &r->out), 0);
}

static void what_cannot_be_is_refused(void **state)
{
	struct rig *r = *state;
	struct gp_share_attr attr;
	u64 id = NONE, other;
	u32 e = rig_add(r, 7), i;

	gp_share_attr_default(&attr);
	assert_int_equal(gp_sched_share_add(r->s, 1, NONE, &attr, 0, 0, &r->out, &other), 0);
	assert_int_equal(gp_sched_share_add(r->s, 0, other, &attr, 0, 0, &r->out, &id), -EINVAL);
	assert_int_equal(gp_sched_entity_join(r->s, r->id[e], other, 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_entity_join(r->s, r->id[e], r->id[e], 0, &r->out), -ENOENT);
	assert_int_equal(gp_sched_share_add(r->s, 2, NONE, &attr, 0, 0, &r->out, &id), -EINVAL);
	for (i = 0; i < GP_SHARE_DEPTH_MAX; i++)
		id = add_share(r, id, 100, 0, 0);
	assert_int_equal(gp_sched_share_add(r->s, 0, id, &attr, 0, 0, &r->out, &id), -EINVAL);
	while (!gp_sched_share_add(r->s, 0, NONE, &attr, 0, 0, &r->out, &id))
		;
	assert_int_equal(gp_sched_share_add(r->s, 0, NONE, &attr, 0, 0, &r->out, &id), -ENOSPC);
	attr.weight = 0;
	assert_int_equal(gp_sched_share_set_attr(r->s, id, &attr, 0, &r->out), -EINVAL);
	gp_share_attr_default(&attr);
	attr.period_ns = 1;
	assert_int_equal(gp_sched_share_set_attr(r->s, id, &attr, 0, &r->out), -EINVAL);
}

/* A mechanism that cannot stop it lets it run over; the next periods pay for that. */
static void what_was_overdrawn_is_paid_back(void **state)
{
	struct rig *r = *state;
	u64 g = add_share(r, NONE, 100, 10 * GP_MS, 100 * GP_MS);
	struct gp_attr attr;
	u32 e;

	gp_attr_default(&attr);
	attr.no_preempt = true;
	e = rig_add_attr(r, &attr);
	join(r, e, g);
	r->switch_ns = 30 * GP_US;
	rig_busy(r, e);
	rig_run(r, 25 * GP_MS);
	assert_state(r, e, RUNNING);
	attr.no_preempt = false;
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[e], &attr, r->now_ns, &r->out), 0);
	rig_take(r);
	rig_run(r, 80 * GP_MS);
	assert_state(r, e, PREEMPTED);
	rig_run(r, 94 * GP_MS);
	assert_state(r, e, PREEMPTED);
	rig_run(r, 2 * GP_MS);
	assert_state(r, e, RUNNING);
}

static void enable(struct rig *r, bool on)
{
	assert_int_equal(gp_sched_set_enabled(r->s, 0, on, r->now_ns, &r->out), 0);
	rig_take(r);
}

static u32 roll(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*seed >> 33) % below;
}

static void change_something(struct rig *r, u64 *seed, u64 *share)
{
	u32 e = roll(seed, r->nr), g = roll(seed, 12);
	struct gp_share_attr attr = {
		.weight = 1 + roll(seed, 10000),
		.quota_ns = roll(seed, 3) * (1 + roll(seed, 900)) * GP_US,
		.period_ns = (1 + roll(seed, 3)) * GP_MS,
	};

	switch (roll(seed, 9)) {
	case 0:
	case 1:
	case 2:
		rig_busy(r, e);
		break;
	case 3:
	case 4:
		rig_idle(r, e);
		break;
	case 5:
		join(r, e, roll(seed, 5) ? share[g] : NONE);
		break;
	case 6:
		assert_int_equal(gp_sched_share_set_attr(r->s, share[g], &attr, r->now_ns, &r->out),
				 0);
		rig_take(r);
		break;
	case 7:
		rig_prio(r, e, (u8)roll(seed, 16));
		break;
	default:
		enable(r, roll(seed, 4));
		break;
	}
}

/* rig_take() looks at all that must be true after each event. */
static void random_events_keep_what_must_be_true(void **state)
{
	u64 share[12], seed, i;
	struct rig *r;
	u32 k;

	for (seed = 1; seed <= 24; seed++) {
		u64 dice = seed;

		restart(state);
		r = *state;
		rig_policy(r, policies[seed % ARRAY_SIZE(policies)]);
		rig_param(r, "max_wait_ns", 3 * GP_MS);
		for (k = 0; k < 12; k++)
			share[k] = add_share(r, k < 3 ? NONE : share[roll(&dice, k)], 100, 0, 0);
		for (k = 0; k < 30; k++)
			rig_add(r, (u8)roll(&dice, 16));
		for (i = 0; i < 1000; i++) {
			change_something(r, &dice, share);
			if (r->in_flight && !roll(&dice, 3))
				rig_done_with(r, roll(&dice, 20) ? GP_RESULT_OK :
								   (enum gp_result)roll(&dice, 4));
			rig_run(r, roll(&dice, 400) * GP_US);
		}
		r->switch_ns = 10 * GP_US;
		enable(r, false);
		rig_run(r, 5 * SEC);
		for (k = 0; k < 30; k++)
			if (rig_state(r, k) != GP_ENTITY_LOST)
				assert_true(gp_is_on(rig_entity(r, k)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(fair_keeps_weights_of_nested_shares),
		RIG_TEST(slice_keeps_weights_of_nested_shares),
		RIG_TEST(one_share_of_many_processes_is_worth_one),
		RIG_TEST(share_without_work_leaves_its_part_to_the_siblings),
		RIG_TEST(budget_is_kept_by_every_policy),
		RIG_TEST(without_budget_nothing_runs),
		RIG_TEST(newcomer_has_no_budget_either),
		RIG_TEST(budget_above_is_a_budget_of_all_below),
		RIG_TEST(processes_that_run_together_share_the_budget),
		RIG_TEST(budget_binds_nobody_while_preemption_is_off),
		RIG_TEST(new_limit_counts_at_once),
		RIG_TEST(times_of_a_share_are_told),
		RIG_TEST(share_with_something_in_it_stays),
		RIG_TEST(what_cannot_be_is_refused),
		RIG_TEST(what_was_overdrawn_is_paid_back),
		RIG_TEST(random_events_keep_what_must_be_true),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
