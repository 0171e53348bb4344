// SPDX-License-Identifier: MIT
#include "unit.h"

#include "gpu/gpu_slot.h"

#define NR_WORDS 10 /* of 304 CUs */

static void set_bits(u32 *mask, u32 from, u32 to)
{
	memset(mask, 0, NR_WORDS * sizeof(*mask));
	for (; from < to; from++)
		mask[from / 32] |= 1u << from % 32;
}

static void spread(const char *profile, u32 from, u32 to, u32 xcc, u32 *se_mask)
{
	u32 mask[NR_WORDS];

	set_bits(mask, from, to);
	gpu_cu_mask_spread(gpu_profile_find(profile), mask, NR_WORDS * 32, xcc, se_mask);
}

/* The examples in the comment of mqd_symmetrically_map_cu_mask(). */
static void bits_go_round_xccs_then_engines(void **state)
{
	u32 se[GPU_MAX_SE_PER_XCC];

	spread("mi210", 0, 1, 0, se);
	assert_int_equal(se[0], 1);
	assert_int_equal(se[1], 0);
	spread("mi210", 1, 10, 0, se);
	assert_int_equal(se[0], 1 << 1);
	assert_int_equal(se[1], 3);
	assert_int_equal(se[7], 1);
	spread("mi300x", 1, 9, 0, se);
	assert_int_equal(se[0], 0);
	assert_int_equal(se[1], 1);
	spread("mi300x", 1, 9, 1, se);
	assert_int_equal(se[0], 1);
	assert_int_equal(se[1], 0);
}

/* 38 CUs in 4 engines: two have 10, two 9; the last bits belong to those with 10. */
static void engines_of_unequal_size(void **state)
{
	u32 se[GPU_MAX_SE_PER_XCC];

	spread("mi300x", 0, 304, 7, se);
	assert_int_equal(se[0], 0x3ff);
	assert_int_equal(se[1], 0x3ff);
	assert_int_equal(se[2], 0x1ff);
	assert_int_equal(se[3], 0x1ff);
	spread("mi300x", 303, 304, 7, se);
	assert_int_equal(se[1], 0x200);
	spread("mi300x", 303, 304, 6, se);
	assert_int_equal(se[1], 0);
}

static void cus_beyond_a_short_mask_are_off(void **state)
{
	u32 mask[1] = { ~0u }, se[GPU_MAX_SE_PER_XCC];

	gpu_cu_mask_spread(gpu_profile_find("mi210"), mask, 32, 0, se);
	assert_int_equal(se[0], 0xf);
	assert_int_equal(se[7], 0xf);
}

static void an_engine_is_where_its_cus_are(void **state)
{
	const struct gpu_profile *p = gpu_profile_find("mi300x");
	u32 se_mask[GPU_MAX_SE_PER_XCC] = { 0, 1, 0, 0 }, nr[4] = { 0 }, i;
	struct gpu_cus cus;

	assert_true(gpu_cu_mask_read(p, se_mask, &cus));
	for (i = 0; i < p->cu_per_xcc; i++) {
		assert_int_equal(gpu_cus_has(&cus, i), i == 10);
		nr[gpu_profile_se_of(p, i)]++;
	}
	assert_int_equal(nr[0], 10);
	assert_int_equal(nr[3], 9);
	memset(se_mask, 0xff, sizeof(se_mask));
	assert_false(gpu_cu_mask_read(p, se_mask, &cus));
}

static u32 cus_off(const struct gpu_profile *p, const u32 *se_mask, struct gpu_cus *cus)
{
	u32 nr = 0, i;

	assert_true(gpu_cu_mask_read(p, se_mask, cus));
	for (i = 0; i < p->cu_per_xcc; i++)
		nr += !gpu_cus_has(cus, i);
	return nr;
}

/* On mi210 an engine has CUs on both sides of the first 64. */
static void each_cu_can_be_off(void **state)
{
	const struct gpu_profile *p = gpu_profile_find("mi210");
	u32 se_mask[GPU_MAX_SE_PER_XCC], at = 0, se, cu;
	struct gpu_cus cus;

	for (se = 0; se < p->se_per_xcc; se++) {
		for (cu = 0; cu < gpu_profile_se_cus(p, se); cu++, at++) {
			memset(se_mask, 0xff, sizeof(se_mask));
			se_mask[se] &= ~(1u << cu);
			assert_int_equal(cus_off(p, se_mask, &cus), 1);
			assert_false(gpu_cus_has(&cus, at));
		}
	}
	assert_int_equal(at, p->cu_per_xcc);
}

/* A word names 16 CUs of an engine, and there are words for eight engines. */
static void cus_without_a_bit_are_on(void **state)
{
	u32 se_mask[GPU_MAX_SE_PER_XCC] = { 0 };
	struct gpu_profile p = *gpu_profile_find("tiny");
	struct gpu_cus cus;

	p.se_per_xcc = 1;
	p.cu_per_xcc = GPU_MAX_CU_PER_XCC;
	assert_int_equal(cus_off(&p, se_mask, &cus), 16);
	p.se_per_xcc = 16;
	assert_int_equal(cus_off(&p, se_mask, &cus), GPU_MAX_CU_PER_XCC / 2);
	assert_true(gpu_cus_has(&cus, GPU_MAX_CU_PER_XCC / 2));
}

static void start(struct world_queue *q, u32 nr_groups, u32 flags)
{
	struct world_kernel k = { .nr_groups = nr_groups, .group_size = 1024, .vgprs = 64,
				  .steps = 10, .step_ns = 1000, .flags = flags };

	world_dispatch(q, &k);
	world_ring(q);
}

/* CUs with less than their 32 waves free. Counts those in @mask only, or outside of it. */
static u32 busy_cus(struct world *w, const struct world_queue *q, bool is_inside)
{
	const struct gpu_slot *slot = gpu_slot_find(w->gpu, q->doorbell);
	u32 nr = 0, x, i;

	for (x = 0; x < w->profile->nr_xcc; x++)
		for (i = 0; i < w->profile->cu_per_xcc; i++)
			nr += w->gpu->xcc[x].waves[i] < 32 &&
			      gpu_cus_has(&slot->cus[x], i) == is_inside;
	return nr;
}

static void mask(struct world_queue *q, u32 from, u32 to)
{
	u32 bits[NR_WORDS];

	set_bits(bits, from, to);
	world_queue_set_cus(q, bits, NR_WORDS * 32);
}

static void place(const char *profile, u32 from, u32 to)
{
	struct world *w = unit_world(profile, "timed");
	struct world_queue *q = world_queue(w, P1, 7);

	mask(q, from, to);
	start(q, 4000, GPU_PROGRAM_ENDLESS);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(busy_cus(w, q, true), to - from);
	assert_int_equal(busy_cus(w, q, false), 0);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), (to - from) * 32);
	unit_done(w);
}

static void workgroups_go_where_the_mask_allows(void **state)
{
	place("tiny", 0, 4);
	place("tiny", 3, 8);
	place("mi300x", 0, 152);
	place("mi300x", 152, 304);
	place("mi210", 5, 6);
}

/* The negative control: without a mask the same workgroups are outside of it. */
static void without_a_mask_they_go_everywhere(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	u32 i, nr = 0;

	start(q, 4000, GPU_PROGRAM_ENDLESS);
	unit_map_all(w);
	world_run_for(w, MS);
	for (i = 4; i < 8; i++)
		nr += w->gpu->xcc[0].waves[i] < 32;
	assert_int_equal(nr, 4);
	unit_done(w);
}

static void resize(struct world *w, struct world_queue *q, u32 from, u32 to)
{
	assert_true(world_preempt(w));
	mask(q, from, to);
	unit_map_all(w);
	world_run_for(w, 1000);
}

/* 16 workgroups of 16 waves fill 8 CUs; on 4 half of them wait until the others have ended. */
static void waves_that_come_back_to_fewer_cus_wait_for_room(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	const struct gpu_slot *slot;

	start(q, 16, 0);
	unit_map_all(w);
	world_run_for(w, 3000);
	resize(w, q, 4, 8);
	slot = gpu_slot_find(w->gpu, q->doorbell);
	assert_int_equal(slot->nr_waves, 256);
	assert_int_equal(slot->nr_resident, 128);
	assert_int_equal(busy_cus(w, q, false), 0);
	/* And on all of them none waits. */
	resize(w, q, 0, 8);
	slot = gpu_slot_find(w->gpu, q->doorbell);
	assert_int_equal(slot->nr_resident, 256);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(gpu_stats(w->gpu)->nr_workgroups, 16);
	assert_int_equal(gpu_stats(w->gpu)->nr_faults, 0);
	unit_done(w);
}

static u32 waves_of_second(u32 first_prio, u32 from, u32 to)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *a = world_queue(w, P1, first_prio), *b = world_queue(w, P2, 7);
	u32 nr;

	mask(a, from, to);
	start(a, 4000, GPU_PROGRAM_ENDLESS);
	start(b, 4000, GPU_PROGRAM_ENDLESS);
	unit_map_all(w);
	world_run_for(w, MS);
	nr = gpu_waves(w->gpu, b->doorbell);
	unit_done(w);
	return nr;
}

static void a_queue_that_waits_keeps_its_own_cus_only(void **state)
{
	/* More urgent: the other one has what is outside of the mask. */
	assert_int_equal(waves_of_second(15, 0, 4), 4 * 32);
	assert_int_equal(waves_of_second(15, 0, 8), 0);
	/* Not a single CU: it never runs, and keeps none from others. */
	assert_int_equal(waves_of_second(15, 0, 0), 8 * 32);
	/* Equal: they share those of the mask. */
	assert_int_equal(waves_of_second(7, 0, 4), 4 * 32 + 2 * 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_go_round_xccs_then_engines),
		cmocka_unit_test(engines_of_unequal_size),
		cmocka_unit_test(cus_beyond_a_short_mask_are_off),
		cmocka_unit_test(an_engine_is_where_its_cus_are),
		cmocka_unit_test(each_cu_can_be_off),
		cmocka_unit_test(cus_without_a_bit_are_on),
		cmocka_unit_test(workgroups_go_where_the_mask_allows),
		cmocka_unit_test(without_a_mask_they_go_everywhere),
		cmocka_unit_test(waves_that_come_back_to_fewer_cus_wait_for_room),
		cmocka_unit_test(a_queue_that_waits_keeps_its_own_cus_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
