// SPDX-License-Identifier: MIT
#include "unit.h"

#include "gpu/contention.h"
#include "gpu/gpu_slot.h"

#define RUN_NS 100000ull

static struct world *make(u32 issue_ppm, u32 memory_ppm, const char *engine,
			  struct gpu_profile *own)
{
	struct world_options o = { .own = own, .engine = engine, .has_contention = true };
	struct world *w = malloc(sizeof(*w));

	*own = *gpu_profile_find("tiny");
	own->issue_ppm = issue_ppm;
	own->memory_ppm = memory_ppm;
	assert_int_equal(world_init(w, &o), 0);
	return w;
}

/* A workgroup of 256 lanes is an eighth of a CU, of 1024 a half. */
static struct world_dispatch start(struct world_queue *q, u32 nr_groups, u32 group_size, u64 ns)
{
	struct world_kernel k = { .nr_groups = nr_groups, .group_size = group_size, .vgprs = 64,
				  .steps = (u32)(ns / 1000), .step_ns = 1000,
				  .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);

	world_ring(q);
	return d;
}

static u64 end_of(struct world_queue *q, const struct world_dispatch *d)
{
	u64 began = q->world->last_trace_ns[GPU_TRACE_DISPATCH_BEGIN];

	while (unit_signal(q, d) && q->world->next_ns != U64_MAX)
		world_run_for(q->world, q->world->next_ns - q->world->now_ns);
	assert_int_equal(unit_signal(q, d), 0);
	return q->world->now_ns - began;
}

static void alone(u32 nr_groups, u32 group_size, u32 rounds)
{
	struct gpu_profile own;
	struct world *w = make(1000000, 1000000, "timed", &own);
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_dispatch d = start(q, nr_groups, group_size, RUN_NS);

	unit_map_all(w);
	world_run_for(w, own.packet_ns);
	assert_int_equal(end_of(q, &d), rounds * RUN_NS);
	unit_done(w);
}

/* Whatever its size: what was given is its duration alone. */
static void a_kernel_alone_runs_at_its_own_pace(void **state)
{
	alone(1, 256, 1);
	alone(8, 256, 1);
	alone(11, 256, 1);
	alone(63, 256, 1);
	alone(64, 256, 1);
	alone(100, 256, 2);
	alone(5, 1024, 1);
	alone(40, 1024, 3);
}

static void a_grid_may_be_as_large_as_can_be_said(void **state)
{
	struct world_options o = { .profile = "mi300x", .engine = "timed", .has_contention = true };
	struct world_kernel k = { .nr_groups = ~0u, .group_size = 1, .vgprs = 64,
				  .flags = GPU_PROGRAM_ENDLESS };
	struct world *w = malloc(sizeof(*w));
	struct world_queue *q;

	assert_int_equal(world_init(w, &o), 0);
	q = world_queue(w, P1, 7);
	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), 304 * 32);
	assert_int_equal(gpu_slot_find(w->gpu, q->doorbell)->dispatch[0].pace_ppm, 1000000);
	unit_done(w);
}

/* Time of a kernel of 8 workgroups with @mask, beside one of @other eighths on the other CUs. */
static u64 beside(u32 issue_ppm, u32 memory_ppm, u32 mask, u32 other, u32 other_mask)
{
	struct gpu_profile own;
	struct world *w = make(issue_ppm, memory_ppm, "timed", &own);
	struct world_queue *a = world_queue(w, P1, 7), *b = world_queue(w, P2, 7);
	struct world_dispatch d;
	u64 ns;

	world_queue_set_cus(a, &mask, 32);
	world_queue_set_cus(b, &other_mask, 32);
	if (other)
		start(b, other, 256, 10 * RUN_NS);
	unit_map_all(w);
	world_run_for(w, 10000);
	d = start(a, 8, 256, RUN_NS);
	world_run_for(w, own.packet_ns);
	ns = end_of(a, &d);
	unit_done(w);
	return ns;
}

static void fewer_cus_cost_issue_slots(void **state)
{
	/* 8 on 8 CUs see an eighth, 8 on 2 see a half: 3/8 more. */
	assert_int_equal(beside(0, 0, 0x03, 0, 0xff), RUN_NS);
	assert_int_equal(beside(1000000, 0, 0xff, 0, 0xff), RUN_NS);
	assert_int_equal(beside(1000000, 0, 0x03, 0, 0xff), RUN_NS * 11 / 8);
	assert_int_equal(beside(200000, 0, 0x03, 0, 0xff), RUN_NS + RUN_NS * 3 / 40);
}

static void others_cost_where_they_are(void **state)
{
	/* 32 others on the 4 CUs that these do not have: half the GPU is theirs. */
	assert_int_equal(beside(0, 500000, 0x0f, 32, 0xf0), RUN_NS + RUN_NS / 4);
	/* Issue slots are those of the same CUs only: 8 on 4 CUs see a quarter. */
	assert_int_equal(beside(1000000, 0, 0x0f, 32, 0xf0), RUN_NS + RUN_NS / 8);
	assert_int_equal(beside(1000000, 0, 0xff, 32, 0xff), RUN_NS + RUN_NS / 2);
	assert_int_equal(beside(1000000, 500000, 0xff, 32, 0xff), RUN_NS + RUN_NS * 3 / 4);
}

/* Half of the work beside another, half alone; the result is that of every step. */
static void the_pace_changes_with_what_runs_beside(void **state)
{
	struct gpu_profile own;
	struct world *w = make(0, 1000000, "state", &own);
	struct world_queue *a = world_queue(w, P1, 7), *b = world_queue(w, P2, 7);
	struct world_dispatch da, db;
	u64 begin;

	da = start(a, 32, 256, RUN_NS);
	db = start(b, 32, 256, RUN_NS / 2);
	unit_map_all(w);
	world_run_for(w, own.packet_ns);
	begin = w->last_trace_ns[GPU_TRACE_DISPATCH_BEGIN];
	/* Each has half of the GPU: 1.5 times as long, until the shorter one has ended. */
	assert_int_equal(end_of(b, &db), RUN_NS * 3 / 4);
	end_of(a, &da);
	assert_int_equal(w->now_ns - begin, RUN_NS * 3 / 4 + RUN_NS / 2);
	assert_int_equal(unit_tally(a, &da), 32);
	assert_int_equal(world_u64(w, a->pasid, da.tally + 8), 32 * RUN_NS);
	unit_done(w);
}

/* A context saved in the middle of a step has done as much as its pace allowed. */
static void saved_work_is_what_was_done(void **state)
{
	struct gpu_profile own;
	struct world *w = make(0, 700000, "state", &own);
	struct world_queue *a = world_queue(w, P1, 7), *b = world_queue(w, P2, 7);
	struct world_dispatch da, db;
	u32 i;

	da = start(a, 32, 256, 20 * RUN_NS);
	db = start(b, 24, 256, 20 * RUN_NS);

	unit_map_all(w);
	for (i = 0; i < 20; i++) {
		while (gpu_waves(w->gpu, 0) < (32 + 24) * 4 && w->now_ns < 10 * MS)
			world_run_for(w, 100);
		world_run_for(w, 3333);
		assert_true(world_preempt(w));
		unit_map_all(w);
	}
	assert_true(world_run_idle(w, 10 * MS));
	assert_int_equal(world_u64(w, a->pasid, da.tally + 8), 640 * RUN_NS);
	assert_int_equal(world_u64(w, b->pasid, db.tally + 8), 480 * RUN_NS);
	assert_int_equal(gpu_stats(w->gpu)->nr_faults, 0);
	assert_int_equal(gpu_stats(w->gpu)->nr_saves, 40);
	unit_done(w);
}

static void work_and_time_are_inverse(void **state)
{
	struct gpu_dispatch d = { 0 };
	u64 work;

	for (d.pace_ppm = 1000000; d.pace_ppm < 9000000; d.pace_ppm += 777777) {
		for (work = 1; work < 1ull << 54; work = work * 5 + 3) {
			u64 ns = gpu_paced_ns(&d, work);

			assert_true(gpu_worked_ns(&d, ns) >= work);
			assert_true(gpu_worked_ns(&d, ns - 1) < work);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_alone_runs_at_its_own_pace),
		cmocka_unit_test(a_grid_may_be_as_large_as_can_be_said),
		cmocka_unit_test(fewer_cus_cost_issue_slots),
		cmocka_unit_test(others_cost_where_they_are),
		cmocka_unit_test(the_pace_changes_with_what_runs_beside),
		cmocka_unit_test(saved_work_is_what_was_done),
		cmocka_unit_test(work_and_time_are_inverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
