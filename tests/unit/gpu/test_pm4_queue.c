// SPDX-License-Identifier: MIT
/* Queues of PM4 packets: each packet, buffers, dispatches, and leaving at any moment. */
#include "unit.h"

#define RING_DW (256 * 16)
#define GROUPS 300
#define WAVES 2
#define STEPS 100

struct client {
	struct world *w;
	struct world_queue *q;
	u64 mem;	/* zeroed words to play with */
};

static struct client create(const char *profile, const char *engine)
{
	struct client c = { .w = unit_world(profile, engine) };

	c.q = world_queue(c.w, P1, 7);
	c.mem = world_alloc(c.w, P1, 4096, 4096);
	world_queue_make_pm4(c.q);
	return c;
}

/* A program and its arguments in memory, and the registers that name them. */
static struct gpu_kernarg put_kernel(struct client *c, u64 seed)
{
	struct gpu_program program = { .magic = GPU_PROGRAM_MAGIC, .steps = STEPS,
				       .step_ns = 1000 };
	struct gpu_kernarg arg = { .seed = seed };
	u64 code = world_alloc(c->w, P1, 256, 256), args = world_alloc(c->w, P1, sizeof(arg), 64);
	const u32 threads[] = { 64, WAVES, 1 };
	const u32 where[] = { (u32)(code >> 8), (u32)(code >> 40) };
	const u32 rsrc[] = { 7, 2 << 15 };
	const u32 user[] = { (u32)args, (u32)(args >> 32) };

	arg.tally = world_alloc(c->w, P1, 16, 64);
	arg.out = world_alloc(c->w, P1, 8 * GROUPS * WAVES, 64);
	arg.count = world_alloc(c->w, P1, 8 * GROUPS, 64);
	memcpy(world_at(c->w, P1, code, sizeof(program)), &program, sizeof(program));
	memcpy(world_at(c->w, P1, args, sizeof(arg)), &arg, sizeof(arg));
	world_pm4_set_sh(c->q, GPU_SH_REG_NUM_THREAD_X, threads, 3);
	world_pm4_set_sh(c->q, GPU_SH_REG_PGM_LO, where, 2);
	world_pm4_set_sh(c->q, GPU_SH_REG_PGM_RSRC1, rsrc, 2);
	world_pm4_set_sh(c->q, GPU_SH_REG_USER_DATA_0, user, 2);
	return arg;
}

static void packets_write_and_interrupt_in_order(void **state)
{
	struct client c = create("tiny", "timed");
	u32 i;

	unit_map_all(c.w);
	/* Round the ring several times, with packets across its end. */
	for (i = 1; i < 500; i++) {
		world_pm4_nop(c.q, 1);
		world_pm4_write(c.q, c.mem, i, GPU_WRITE_DATA_DST_MEMORY);
		world_pm4_write(c.q, c.mem + 4, i, GPU_WRITE_DATA_DST_L2);
		world_pm4_nop(c.q, 5);
		world_pm4_acquire(c.q);
		world_pm4_release(c.q, c.mem + 8, (u64)i << 32 | 5, GPU_RELEASE_DATA_64, i);
		world_pm4_release(c.q, c.mem + 16, (u64)i << 32 | i, GPU_RELEASE_DATA_32, 0);
		world_ring(c.q);
		assert_true(world_run_idle(c.w, MS));
		assert_int_equal(world_u32(c.w, P1, c.mem), i);
		assert_int_equal(world_u32(c.w, P1, c.mem + 4), i);
		assert_int_equal(world_u64(c.w, P1, c.mem + 8), (u64)i << 32 | 5);
		assert_int_equal(world_u64(c.w, P1, c.mem + 16), i);
		assert_int_equal(c.w->nr_irqs[GPU_IRQ_EOP], i);
		assert_int_equal(c.w->last_irq.context, i);
		assert_int_equal(world_u64(c.w, P1, c.q->rptr_addr), c.q->wptr % RING_DW);
	}
	assert_true(world_preempt(c.w));
	assert_int_equal(unit_mqd(c.q, GPU_MQD_PQ_RPTR), c.q->wptr % RING_DW);
	assert_int_equal(unit_mqd(c.q, GPU_MQD_PQ_WPTR_LO), c.q->wptr);
	unit_done(c.w);
}

static void a_wait_looks_until_it_is_true(void **state)
{
	static const struct {
		enum gpu_wait_function function;
		u32 no;
		u32 yes;
	} cases[] = {
		{ GPU_WAIT_LESS, 5, 4 }, { GPU_WAIT_LESS_EQUAL, 6, 5 },
		{ GPU_WAIT_EQUAL, 4, 0x105 },
		{ GPU_WAIT_NOT_EQUAL, 5, 6 }, { GPU_WAIT_GREATER_EQUAL, 4, 5 },
		{ GPU_WAIT_GREATER, 5, 6 },
	};
	struct client c = create("tiny", "timed");
	u32 i;

	unit_map_all(c.w);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		world_set_u32(c.w, P1, c.mem, cases[i].no);
		world_pm4_wait(c.q, c.mem, cases[i].function, 5);
		world_pm4_write(c.q, c.mem + 4, i + 1, GPU_WRITE_DATA_DST_MEMORY);
		world_ring(c.q);
		world_run_for(c.w, MS);
		assert_int_equal(world_u32(c.w, P1, c.mem + 4), i);
		/* It leaves and comes back, and waits still. */
		assert_true(world_preempt(c.w));
		unit_map_all(c.w);
		world_run_for(c.w, MS);
		assert_int_equal(world_u32(c.w, P1, c.mem + 4), i);
		world_set_u32(c.w, P1, c.mem, cases[i].yes);
		world_run_for(c.w, MS);
		assert_int_equal(world_u32(c.w, P1, c.mem + 4), i + 1);
	}
	unit_done(c.w);
}

static void half_a_packet_waits_for_the_rest(void **state)
{
	struct client c = create("tiny", "timed");

	unit_map_all(c.w);
	world_pm4_write(c.q, c.mem, 1, GPU_WRITE_DATA_DST_MEMORY);
	c.q->wptr -= 2;
	world_ring(c.q);
	assert_true(world_run_idle(c.w, MS));
	assert_int_equal(world_u32(c.w, P1, c.mem), 0);
	c.q->wptr += 2;
	world_ring(c.q);
	assert_true(world_run_idle(c.w, MS));
	assert_int_equal(world_u32(c.w, P1, c.mem), 1);
	unit_done(c.w);
}

/* Two kernels, the second and all after it inside a buffer; the end is a fence. */
static void write_work(struct client *c, struct gpu_kernarg *arg)
{
	u64 ib = world_alloc(c->w, P1, 4096, 4096);
	u32 nr;

	arg[0] = put_kernel(c, 7);
	world_pm4_dispatch(c->q, GROUPS / 10, 5, 2);
	c->q->ib = ib;
	world_pm4_nop(c->q, 3);
	arg[1] = put_kernel(c, 9);
	world_pm4_dispatch(c->q, GROUPS, 1, 1);
	world_pm4_release(c->q, c->mem, 1, GPU_RELEASE_DATA_32, 33);
	world_pm4_wait(c->q, c->mem, GPU_WAIT_EQUAL, 1);
	/* The registers are still there. */
	world_pm4_dispatch(c->q, GROUPS, 1, 1);
	world_pm4_write(c->q, c->mem + 4, 2, GPU_WRITE_DATA_DST_MEMORY);
	nr = c->q->ib_dw;
	c->q->ib = 0;
	world_pm4_buffer(c->q, ib, nr);
	world_pm4_buffer(c->q, ib, 0);
	world_pm4_release(c->q, c->mem + 8, 3, GPU_RELEASE_DATA_64, 34);
}

static void a_release_waits_for_the_dispatches_before_it(void **state)
{
	struct client c = create("tiny", "timed");
	struct gpu_kernarg arg = put_kernel(&c, 1);

	world_pm4_dispatch(c.q, GROUPS, 1, 1);
	world_pm4_dispatch(c.q, GROUPS, 1, 1);
	world_pm4_write(c.q, c.mem, 1, GPU_WRITE_DATA_DST_MEMORY);
	world_pm4_release(c.q, c.mem + 8, 1, GPU_RELEASE_DATA_64, 0);
	world_ring(c.q);
	unit_map_all(c.w);
	world_run_for(c.w, 50000);
	/* Others do not wait. */
	assert_int_equal(world_u32(c.w, P1, c.mem), 1);
	assert_int_equal(world_u64(c.w, P1, c.mem + 8), 0);
	assert_true(world_run_idle(c.w, 10 * MS));
	assert_int_equal(world_u64(c.w, P1, c.mem + 8), 1);
	assert_int_equal(world_u64(c.w, P1, arg.tally), 2 * GROUPS);
	unit_done(c.w);
}

/* Another GPU has nothing but the bytes. */
static void change_gpu(struct client *c)
{
	struct gpu_config config = { .profile = c->w->profile, .engine = "state" };

	assert_true(world_preempt(c->w));
	gpu_destroy(c->w->gpu);
	assert_int_equal(gpu_create(&config, &c->w->host, &c->w->gpu), 0);
	assert_int_equal(gpu_hqd_load(c->w->gpu, 3, P1, 5, c->q->mqd, c->w->now_ns), 0);
	c->w->next_ns = gpu_next_ns(c->w->gpu);
}

/* Run the work, taken out @every_ns if not 0. Return: the results, to be freed. */
static u64 *run_work(const char *profile, u64 every_ns, bool is_other_gpu)
{
	struct client c = create(profile, "state");
	struct gpu_kernarg arg[2];
	u64 *out = calloc(2 * GROUPS * WAVES, sizeof(*out));
	u32 i, k;

	write_work(&c, arg);
	world_ring(c.q);
	unit_map_all(c.w);
	if (is_other_gpu) {
		world_run_for(c.w, every_ns);
		change_gpu(&c);
	}
	for (i = 0; every_ns && !is_other_gpu && i < 2000; i++) {
		world_run_for(c.w, every_ns);
		if (world_u64(c.w, P1, c.mem + 8))
			break;
		assert_true(world_preempt(c.w));
		unit_map_all(c.w);
	}
	assert_true(world_run_idle(c.w, 100 * MS));
	assert_int_equal(world_u32(c.w, P1, c.mem), 1);
	assert_int_equal(world_u32(c.w, P1, c.mem + 4), 2);
	assert_int_equal(world_u64(c.w, P1, c.mem + 8), 3);
	assert_int_equal(c.w->nr_irqs[GPU_IRQ_EOP], 2);
	assert_int_equal(c.w->last_irq.context, 34);
	assert_int_equal(world_u64(c.w, P1, c.q->rptr_addr), c.q->wptr);
	for (k = 0; k < 2; k++) {
		assert_int_equal(world_u64(c.w, P1, arg[k].tally), GROUPS * (k + 1));
		for (i = 0; i < GROUPS; i++)
			assert_int_equal(world_u64(c.w, P1, arg[k].count + 8 * i), k + 1);
		memcpy(out + k * GROUPS * WAVES,
		       world_at(c.w, P1, arg[k].out, 8 * GROUPS * WAVES), 8 * GROUPS * WAVES);
	}
	unit_done(c.w);
	return out;
}

/* The same kernel by an AQL packet. */
static void check_against_aql(const u64 *out)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = GROUPS, .group_size = 64 * WAVES, .steps = STEPS,
				  .step_ns = 1000, .vgprs = 64, .lds_bytes = 1024, .seed = 7,
				  .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);

	world_ring(q);
	unit_map_all(w);
	assert_true(world_run_idle(w, 100 * MS));
	assert_memory_equal(out, world_at(w, P1, d.out, 8 * GROUPS * WAVES), 8 * GROUPS * WAVES);
	unit_done(w);
}

static void leaving_at_any_moment_changes_no_result(void **state)
{
	static const u64 every_ns[] = { 700, 1300, 3700, 11000, 49000, 100300, 230000 };
	u64 *want = run_work("tiny", 0, false), *got;
	u32 i;

	check_against_aql(want);
	for (i = 0; i < ARRAY_SIZE(every_ns); i++) {
		got = run_work("tiny", every_ns[i], false);
		assert_memory_equal(got, want, 2 * GROUPS * WAVES * sizeof(u64));
		free(got);
		got = run_work("tiny", every_ns[i], true);
		assert_memory_equal(got, want, 2 * GROUPS * WAVES * sizeof(u64));
		free(got);
	}
	got = run_work("mi300x", 20000, false);
	assert_memory_equal(got, want, 2 * GROUPS * WAVES * sizeof(u64));
	free(got);
	free(want);
}

static void without_cwsr_registers_and_position_survive(void **state)
{
	struct client c = create("tiny", "timed");
	struct gpu_kernarg arg[2];
	u32 nr_inside = 0, i;

	world_queue_disable_cwsr(c.q);
	write_work(&c, arg);
	world_ring(c.q);
	unit_map_all(c.w);
	for (i = 0; i < 200; i++) {
		world_run_for(c.w, 300);
		assert_true(world_preempt(c.w));
		nr_inside += unit_mqd(c.q, GPU_MQD_IB_RPTR) != 0;
		unit_map_all(c.w);
	}
	assert_true(world_run_idle(c.w, 100 * MS));
	assert_int_equal(world_u64(c.w, P1, c.mem + 8), 3);
	assert_int_equal(world_u64(c.w, P1, arg[0].tally), GROUPS);
	assert_int_equal(world_u64(c.w, P1, arg[1].tally), 2 * GROUPS);
	/* It was really there. */
	assert_true(nr_inside);
	assert_int_equal(unit_mqd(c.q, GPU_MQD_IB_RPTR), 0);
	unit_done(c.w);
}

/* Every time it has just time for one packet; what called the buffer does not count. */
static void a_buffer_advances_however_often_it_leaves(void **state)
{
	struct client c = create("mi300x", "timed");
	u32 i;

	world_pm4_begin_buffer(c.q, 4096);
	for (i = 0; i < 20; i++)
		world_pm4_write(c.q, c.mem, i + 1, GPU_WRITE_DATA_DST_MEMORY);
	world_pm4_end_buffer(c.q);
	world_ring(c.q);
	for (i = 0; i < 20; i++) {
		unit_map_all(c.w);
		world_run_for(c.w, c.w->profile->packet_ns);
		assert_int_equal(world_u32(c.w, P1, c.mem), i + 1);
		assert_true(world_preempt(c.w));
	}
	unit_done(c.w);
}

/* Put @pkt, then a write that must not happen. */
static void check_stops(const u32 *pkt, u32 nr, enum gpu_irq_source source)
{
	struct client c = create("tiny", "timed");
	u32 i;

	world_pm4_put(c.q, pkt, nr);
	for (i = 0; i < 16; i++)
		world_pm4_nop(c.q, 1);
	world_pm4_write(c.q, c.mem, 1, GPU_WRITE_DATA_DST_MEMORY);
	world_ring(c.q);
	unit_map_all(c.w);
	world_run_for(c.w, MS);
	assert_int_equal(c.w->nr_irqs[source], 1);
	assert_int_equal(world_u32(c.w, P1, c.mem), 0);
	assert_true(world_preempt(c.w));
	assert_int_equal(unit_mqd(c.q, GPU_MQD_ERROR), GPU_MQD_ERROR_STOPPED);
	unit_done(c.w);
}

static void what_is_no_packet_stops_the_queue(void **state)
{
	static const struct {
		u32 nr;
		u32 pkt[8];
		enum gpu_irq_source source;
	} cases[] = {
		{ 1, { 0 }, GPU_IRQ_BAD_OPCODE },
		{ 1, { 0x80000000 }, GPU_IRQ_BAD_OPCODE },
		{ 2, { 0xc0001100 }, GPU_IRQ_BAD_OPCODE },		/* unknown */
		{ 2, { 0xc0003700 }, GPU_IRQ_BAD_OPCODE },		/* too short */
		{ 5, { 0xc0033700, 0, 0x1000 }, GPU_IRQ_BAD_OPCODE },	/* to a register */
		{ 5, { 0xc0033700, 0x500, 0x1000 }, GPU_IRQ_MEM_FAULT },
		{ 8, { 0xc0064900, 0, 0x20000000, 0x1000 }, GPU_IRQ_MEM_FAULT },
		{ 8, { 0xc0064900, 0, 0xe0000000 }, GPU_IRQ_BAD_OPCODE },
		{ 8, { 0xc0064900, 0, 0x06000000 }, GPU_IRQ_BAD_OPCODE },
		{ 7, { 0xc0053c00, 0x03 }, GPU_IRQ_BAD_OPCODE },	/* of a register */
		{ 7, { 0xc0053c00, 0x17 }, GPU_IRQ_BAD_OPCODE },
		{ 7, { 0xc0053c00, 0x13 }, GPU_IRQ_MEM_FAULT },
		{ 4, { 0xc0023f00, 0x1000, 0, 16 }, GPU_IRQ_MEM_FAULT },
		{ 4, { 0xc0023f00, 0x1000, 0, 1 << 20 | 16 }, GPU_IRQ_BAD_OPCODE },
		{ 3, { 0xc0017600, 0x400 }, GPU_IRQ_BAD_OPCODE },
		{ 5, { 0xc0031500, 1, 1, 1, 1 }, GPU_IRQ_MEM_FAULT },	/* no program */
		{ 5, { 0xc0031500, 1, 1, 1, 0 }, GPU_IRQ_BAD_OPCODE },
		{ 5, { 0xc0031500, ~0u, ~0u, ~0u, 1 }, GPU_IRQ_BAD_OPCODE },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check_stops(cases[i].pkt, cases[i].nr, cases[i].source);
}

static void a_buffer_in_a_buffer_or_cut_short_stops_the_queue(void **state)
{
	u32 cut;

	for (cut = 0; cut < 2; cut++) {
		struct client c = create("tiny", "timed");

		c.q->ib = c.mem + 1024;
		if (cut)
			world_pm4_write(c.q, c.mem, 1, GPU_WRITE_DATA_DST_MEMORY);
		else
			world_pm4_buffer(c.q, c.mem + 1024, 4);
		c.q->ib = 0;
		world_pm4_buffer(c.q, c.mem + 1024, c.q->ib_dw - cut);
		world_ring(c.q);
		unit_map_all(c.w);
		world_run_for(c.w, MS);
		assert_int_equal(c.w->nr_irqs[GPU_IRQ_BAD_OPCODE], 1);
		assert_int_equal(world_u32(c.w, P1, c.mem), 0);
		unit_done(c.w);
	}
}

static void a_position_in_no_buffer_stops_the_queue(void **state)
{
	struct client c = create("tiny", "timed");

	world_set_u32(c.w, GPU_PASID_GART, c.q->mqd + GPU_MQD_IB_RPTR, 8);
	world_pm4_write(c.q, c.mem, 1, GPU_WRITE_DATA_DST_MEMORY);
	world_ring(c.q);
	unit_map_all(c.w);
	world_run_for(c.w, MS);
	assert_int_equal(c.w->nr_irqs[GPU_IRQ_BAD_OPCODE], 1);
	assert_int_equal(world_u32(c.w, P1, c.mem), 0);
	unit_done(c.w);
}

static u32 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33);
}

/* Whatever the bytes are, the queue can be taken out, and others go on. */
static void any_bytes_do_no_harm(void **state)
{
	static const u32 ops[] = { 0x10, 0x15, 0x37, 0x3c, 0x3f, 0x49, 0x58, 0x76, 0x11 };
	u64 seed = 1;
	u32 round, i;

	for (round = 0; round < 200; round++) {
		struct client c = create("tiny", "state");
		struct world_queue *other = world_queue(c.w, P2, 7);
		struct world_kernel k = { .nr_groups = 4, .steps = 5 };
		struct world_dispatch d = world_dispatch(other, &k);

		put_kernel(&c, round);
		for (i = 0; i < 200; i++) {
			u32 word = next_random(&seed) % 64;

			if (!(next_random(&seed) % 4))
				word = (u32)c.q->ring + next_random(&seed) % 8192;
			if (!(next_random(&seed) % 3))
				word = 0xc0000000 | (next_random(&seed) % 8) << 16 |
				       ops[next_random(&seed) % ARRAY_SIZE(ops)] << 8;
			world_pm4_put(c.q, &word, 1);
		}
		world_ring(c.q);
		world_ring(other);
		unit_map_all(c.w);
		world_run_for(c.w, MS);
		assert_true(world_preempt(c.w));
		unit_map_all(c.w);
		world_run_for(c.w, MS);
		assert_int_equal(unit_tally(other, &d), 4);
		unit_done(c.w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_write_and_interrupt_in_order),
		cmocka_unit_test(a_wait_looks_until_it_is_true),
		cmocka_unit_test(half_a_packet_waits_for_the_rest),
		cmocka_unit_test(a_release_waits_for_the_dispatches_before_it),
		cmocka_unit_test(leaving_at_any_moment_changes_no_result),
		cmocka_unit_test(without_cwsr_registers_and_position_survive),
		cmocka_unit_test(a_buffer_advances_however_often_it_leaves),
		cmocka_unit_test(what_is_no_packet_stops_the_queue),
		cmocka_unit_test(a_buffer_in_a_buffer_or_cut_short_stops_the_queue),
		cmocka_unit_test(a_position_in_no_buffer_stops_the_queue),
		cmocka_unit_test(any_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
