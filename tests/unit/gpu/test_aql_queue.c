// SPDX-License-Identifier: MIT
#include "unit.h"

static void a_dispatch_completes_and_is_consumed(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 5, .steps = 4, .step_ns = 500 };
	struct world_dispatch d = world_dispatch(q, &k);

	unit_map_all(w);
	world_ring(q);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 0);
	assert_int_equal(unit_tally(q, &d), 5);
	assert_int_equal(world_u64(w, P1, d.tally + 8), 5 * 2000);
	assert_int_equal(world_u64(w, P1, q->rptr_addr), 1);
	assert_int_equal(world_packet(q, 0)[0], GPU_AQL_INVALID);
	assert_int_equal(w->nr_traces[GPU_TRACE_IDLE], 1);
	unit_done(w);
}

/* packet_ns lies between the doorbell and the first wave. */
static void a_packet_takes_time_to_be_read(void **state)
{
	struct world *w = unit_world("mi300x", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 1 };
	u64 start;

	unit_map_all(w);
	world_dispatch(q, &k);
	start = w->now_ns;
	world_ring(q);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(w->last_trace_ns[GPU_TRACE_DISPATCH_BEGIN] - start, 2000);
	unit_done(w);
}

static void the_barrier_bit_orders_dispatches(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 100, .step_ns = 1000 };

	unit_map_all(w);
	world_dispatch(q, &k);
	world_dispatch(q, &k);
	k.has_barrier = true;
	world_dispatch(q, &k);
	world_ring(q);
	world_run_for(w, 50000);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), 2);
	world_run_for(w, 100000);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), 1);
	assert_true(world_run_idle(w, MS));
	unit_done(w);
}

static void no_more_than_eight_dispatches_are_in_flight(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 100, .step_ns = 1000 };
	u32 i;

	unit_map_all(w);
	for (i = 0; i < 20; i++)
		world_dispatch(q, &k);
	world_ring(q);
	world_run_for(w, 50000);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), 8);
	assert_true(world_run_idle(w, 10 * MS));
	assert_int_equal(gpu_stats(w->gpu)->nr_dispatches, 20);
	unit_done(w);
}

static void barrier_and_waits_for_all_signals(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7), *other = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 20, .step_ns = 1000 };
	u64 deps[2], done = world_signal(w, P1, 1, 0);

	deps[0] = world_signal(w, P1, 1, 0);
	deps[1] = world_dispatch(other, &k).signal;
	world_barrier(q, GPU_AQL_BARRIER_AND, false, deps, 2, done);
	unit_map_all(w);
	world_ring(q);
	world_ring(other);
	world_run_for(w, 100000);
	assert_int_equal(world_signal_value(w, P1, done), 1);
	/* The host changes a signal: the GPU is not told, it looks now and then. */
	world_set_u64(w, P1, deps[0] + GPU_SIGNAL_VALUE_OFFSET, 0);
	world_run_for(w, 10000);
	assert_int_equal(world_signal_value(w, P1, done), 0);
	unit_done(w);
}

static void barrier_or_waits_for_one_signal_and_sees_it_at_once(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7), *other = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 23, .step_ns = 1111 };
	u64 deps[2], done = world_signal(w, P1, 1, 0);

	deps[0] = world_signal(w, P1, 1, 0);
	deps[1] = world_dispatch(other, &k).signal;
	world_barrier(q, GPU_AQL_BARRIER_OR, false, deps, 2, done);
	unit_map_all(w);
	world_ring(q);
	world_ring(other);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(world_signal_value(w, P1, done), 0);
	assert_int_equal(w->last_trace_ns[GPU_TRACE_BARRIER],
			 w->last_trace_ns[GPU_TRACE_DISPATCH_END]);
	unit_done(w);
}

static void an_event_signal_raises_an_interrupt(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	u64 done = world_signal(w, P1, 1, 77);
	u64 mailbox = world_u64(w, P1, done + offsetof(struct gpu_signal, event_mailbox));

	world_barrier(q, GPU_AQL_BARRIER_AND, false, NULL, 0, done);
	unit_map_all(w);
	world_ring(q);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(w->nr_irqs[GPU_IRQ_EOP], 1);
	assert_int_equal(w->last_irq.context, 77);
	assert_int_equal(w->last_irq.pasid, P1);
	assert_int_equal(w->last_irq.doorbell, q->doorbell);
	assert_int_equal(world_u64(w, P1, mailbox), 77);
	unit_done(w);
}

static void an_invalid_header_stalls_until_the_doorbell(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 1 };
	struct world_dispatch d;

	unit_map_all(w);
	d = world_dispatch(q, &k);
	world_packet(q, 0)[0] = GPU_AQL_INVALID;
	world_ring(q);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 1);
	world_packet(q, 0)[0] = GPU_AQL_KERNEL_DISPATCH;
	world_run_for(w, MS);
	assert_int_equal(unit_signal(q, &d), 1);
	world_ring(q);
	world_run_for(w, MS);
	assert_int_equal(unit_signal(q, &d), 0);
	unit_done(w);
}

static void a_doorbell_rung_while_unmapped_is_not_lost(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 1 };
	struct world_dispatch d = world_dispatch(q, &k);

	world_ring(q);
	world_run_for(w, MS);
	assert_int_equal(unit_signal(q, &d), 1);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(unit_signal(q, &d), 0);
	unit_done(w);
}

static void a_full_ring_wraps_and_survives_a_preemption(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 1, .step_ns = 200 };
	struct world_dispatch d = world_dispatch(q, &k);
	u32 i;

	for (i = 1; i < q->nr_packets; i++)
		world_dispatch_again(q, &d);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 2000);
	for (i = 0; i < 3; i++) {
		assert_true(world_preempt(w));
		unit_map_all(w);
		assert_true(world_run_idle(w, 100 * MS));
		assert_int_equal(world_u64(w, P1, q->rptr_addr), q->wptr);
		while (q->wptr < (i + 2) * q->nr_packets)
			world_dispatch_again(q, &d);
		assert_true(world_preempt(w));
		world_ring(q);
		unit_map_all(w);
	}
	assert_true(world_run_idle(w, 100 * MS));
	assert_int_equal(unit_tally(q, &d), 4 * q->nr_packets);
	unit_done(w);
}

static void expect_stopped(struct world *w, struct world_queue *q, enum gpu_irq_source source,
			   u32 code)
{
	unit_map_all(w);
	world_ring(q);
	assert_true(world_run_idle(w, 10 * MS));
	assert_int_equal(w->nr_irqs[source], 1);
	assert_int_equal(w->last_irq.doorbell, q->doorbell);
	assert_int_equal(w->last_irq.code, code);
	assert_int_equal(gpu_stats(w->gpu)->nr_dispatches, 0);
	assert_int_equal(gpu_waves(w->gpu, 0), 0);
	unit_done(w);
}

static void illegal_packets_stop_the_queue(void **state)
{
	static const struct {
		u32 offset;
		u8 byte;
		enum gpu_irq_source source;
		u32 code;
	} damage[] = {
		{ 0, GPU_AQL_VENDOR, GPU_IRQ_BAD_OPCODE, GPU_ERROR_PACKET },
		{ 0, GPU_AQL_AGENT_DISPATCH, GPU_IRQ_BAD_OPCODE, GPU_ERROR_PACKET },
		{ 0, 200, GPU_IRQ_BAD_OPCODE, GPU_ERROR_PACKET },
		/* workgroup too large, of nothing */
		{ 5, 255, GPU_IRQ_BAD_OPCODE, GPU_ERROR_GROUP_SIZE },
		{ 4, 0, GPU_IRQ_BAD_OPCODE, GPU_ERROR_DIMENSIONS },
		/* more LDS than a CU has */
		{ 31, 1, GPU_IRQ_BAD_OPCODE, GPU_ERROR_GROUP_SEGMENT },
		/* kernel object, arguments */
		{ 39, 1, GPU_IRQ_MEM_FAULT, GPU_ERROR_MEMORY },
		{ 47, 1, GPU_IRQ_MEM_FAULT, GPU_ERROR_MEMORY },
	};
	struct world_kernel k = { .steps = 1 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(damage); i++) {
		struct world *w = unit_world("tiny", "timed");
		struct world_queue *q = world_queue(w, P1, 7);

		world_dispatch(q, &k);
		world_packet(q, 0)[damage[i].offset] = damage[i].byte;
		expect_stopped(w, q, damage[i].source, damage[i].code);
	}
}

static void programs_that_are_none_stop_the_queue(void **state)
{
	static const u32 offset[] = { 0, 4, 16 };	/* magic, flags, step */
	struct world_kernel k = { .steps = 1, .step_ns = 100 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		struct world *w = unit_world("tiny", "timed");
		struct world_queue *q = world_queue(w, P1, 7);
		u64 object;

		world_dispatch(q, &k);
		memcpy(&object, world_packet(q, 0) + 32, sizeof(object));
		((u8 *)world_at(w, P1, object + 256 + offset[i], 1))[0] ^= 0x42;
		expect_stopped(w, q, GPU_IRQ_BAD_OPCODE, GPU_ERROR_ILLEGAL);
	}
}

static void a_packet_without_a_kernel_stops_the_queue(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 1 };

	world_dispatch(q, &k);
	memset(world_packet(q, 0) + 32, 0, sizeof(u64));
	expect_stopped(w, q, GPU_IRQ_BAD_OPCODE, GPU_ERROR_CODE);
}

/* What ROCr writes to have caches invalidated. */
static void put_vendor(struct world_queue *q, u64 ib, u32 nr_dw, u64 signal)
{
	struct gpu_aql_pm4_ib pkt = {
		.header = GPU_AQL_VENDOR | GPU_AQL_HEADER_BARRIER,
		.format = GPU_AQL_FORMAT_PM4_IB,
		.nr_left = 10,
		.completion_signal = signal,
	};

	gpu_pm4_begin(pkt.ib, GPU_PM4_INDIRECT_BUFFER, GPU_PM4_INDIRECT_BUFFER_DW);
	pkt.ib[1] = (u32)ib;
	pkt.ib[2] = (u32)(ib >> 32);
	gpu_pm4_set(pkt.ib, GPU_INDIRECT_BUFFER_SIZE, nr_dw);
	memcpy(world_packet(q, q->wptr++), &pkt, sizeof(pkt));
}

static void a_vendor_packet_of_another_format_has_its_code(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);

	put_vendor(q, 0, 0, 0);
	world_packet(q, 0)[offsetof(struct gpu_aql_pm4_ib, format)] = 2;
	expect_stopped(w, q, GPU_IRQ_BAD_OPCODE, GPU_ERROR_VENDOR);
}

static void a_vendor_packet_runs_its_buffer(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	u64 signal = world_signal(w, P1, 1, 0), word = world_alloc(w, P1, 64, 64);
	struct world_kernel k = { .steps = 1 };
	struct world_dispatch d, e;
	u64 ib;

	d = world_dispatch(q, &k);
	world_pm4_begin_buffer(q, 256);
	world_pm4_acquire(q);
	world_pm4_wait(q, word, GPU_WAIT_EQUAL, 1);
	world_pm4_write(q, word + 8, 77, GPU_WRITE_DATA_DST_MEMORY);
	ib = q->ib;
	q->ib = 0;
	put_vendor(q, ib, q->ib_dw, signal);
	k.has_barrier = true;
	e = world_dispatch(q, &k);
	unit_map_all(w);
	world_ring(q);
	world_run_for(w, MS);
	/* It waits, also for a queue that was away meanwhile. */
	assert_int_equal(unit_signal(q, &d), 0);
	assert_int_equal(world_signal_value(w, P1, signal), 1);
	assert_true(world_preempt(w));
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(world_signal_value(w, P1, signal), 1);
	world_set_u32(w, P1, word, 1);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(world_signal_value(w, P1, signal), 0);
	assert_int_equal(world_u32(w, P1, word + 8), 77);
	assert_int_equal(unit_signal(q, &e), 0);
	assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], 0);
	unit_done(w);
}

static void a_vendor_packet_with_a_bad_buffer_stops_the_queue(void **state)
{
	static const u32 words[][2] = {
		{ 0xc0001100, 0 }, /* unknown */
		{ 0xc0041000, 0 }, /* over the end */
		{ 0, 0 },	   /* no packet */
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct world *w = unit_world("tiny", "timed");
		struct world_queue *q = world_queue(w, P1, 7);
		u64 ib = world_alloc(w, P1, 64, 64);

		memcpy(world_at(w, P1, ib, 8), words[i], 8);
		put_vendor(q, ib, 2, 0);
		expect_stopped(w, q, GPU_IRQ_BAD_OPCODE, GPU_ERROR_PACKET);
	}
}

static void a_fault_in_a_kernel_stops_only_its_queue(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7), *other = world_queue(w, P2, 7);
	struct world_kernel k = { .steps = 1, .nr_groups = 10 };
	struct world_dispatch bad = world_dispatch(q, &k), good = world_dispatch(other, &k);

	world_set_u64(w, P1, bad.kernarg, 0x1234);
	unit_map_all(w);
	world_ring(q);
	world_ring(other);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	assert_int_equal(unit_signal(q, &bad), 1);
	assert_int_equal(unit_signal(other, &good), 0);
	assert_true(world_preempt(w));
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dispatch_completes_and_is_consumed),
		cmocka_unit_test(a_packet_takes_time_to_be_read),
		cmocka_unit_test(the_barrier_bit_orders_dispatches),
		cmocka_unit_test(no_more_than_eight_dispatches_are_in_flight),
		cmocka_unit_test(barrier_and_waits_for_all_signals),
		cmocka_unit_test(barrier_or_waits_for_one_signal_and_sees_it_at_once),
		cmocka_unit_test(an_event_signal_raises_an_interrupt),
		cmocka_unit_test(an_invalid_header_stalls_until_the_doorbell),
		cmocka_unit_test(a_doorbell_rung_while_unmapped_is_not_lost),
		cmocka_unit_test(a_full_ring_wraps_and_survives_a_preemption),
		cmocka_unit_test(illegal_packets_stop_the_queue),
		cmocka_unit_test(programs_that_are_none_stop_the_queue),
		cmocka_unit_test(a_packet_without_a_kernel_stops_the_queue),
		cmocka_unit_test(a_vendor_packet_of_another_format_has_its_code),
		cmocka_unit_test(a_vendor_packet_runs_its_buffer),
		cmocka_unit_test(a_vendor_packet_with_a_bad_buffer_stops_the_queue),
		cmocka_unit_test(a_fault_in_a_kernel_stops_only_its_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
