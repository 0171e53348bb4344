// SPDX-License-Identifier: MIT
/* Copy engines: packets through a queue that a runlist maps. */
#include "unit.h"

#define DOORBELL 0x3000
#define RING_ORDER 8	/* 1 KiB */
#define RING_BYTES (4u << RING_ORDER)
#define BYTES 10000u

struct copier {
	struct world *w;
	u64 mqd;
	u64 ring;
	u64 rptr_addr;
	u64 wptr_addr;
	u64 at;
};

static void put(struct copier *c, u32 word)
{
	world_set_u32(c->w, P1, c->ring + c->at % RING_BYTES, word);
	c->at += 4;
}

static void put_copy(struct copier *c, u64 dst, u64 src, u32 bytes)
{
	put(c, 1);
	put(c, bytes - 1);
	put(c, 0);
	put(c, (u32)src);
	put(c, (u32)(src >> 32));
	put(c, (u32)dst);
	put(c, (u32)(dst >> 32));
}

static void put_fence(struct copier *c, u64 where, u32 value)
{
	put(c, 5);
	put(c, (u32)where);
	put(c, (u32)(where >> 32));
	put(c, value);
}

static void ring(struct copier *c)
{
	world_set_u64(c->w, P1, c->wptr_addr, c->at);
	c->w->next_ns = gpu_doorbell(c->w->gpu, DOORBELL, c->at, c->w->now_ns);
}

/* An MQD as update_mqd_sdma() of amdkfd writes it. */
static struct copier create(struct world *w)
{
	struct copier c = { .w = w };

	c.mqd = world_alloc(w, GPU_PASID_GART, 512, 4096);
	c.ring = world_alloc(w, P1, RING_BYTES, 4096);
	c.rptr_addr = world_alloc(w, P1, 8, 8);
	c.wptr_addr = world_alloc(w, P1, 8, 8);
	world_set_u32(w, GPU_PASID_GART, c.mqd, RING_ORDER << 1);
	world_set_u64(w, GPU_PASID_GART, c.mqd + 4, c.ring >> 8);
	world_set_u32(w, GPU_PASID_GART, c.mqd + 0x20, (u32)(c.rptr_addr >> 32));
	world_set_u32(w, GPU_PASID_GART, c.mqd + 0x24, (u32)c.rptr_addr);
	return c;
}

static void map(struct copier *c)
{
	u32 ib[GPU_PM4_MAP_PROCESS_DW + GPU_PM4_MAP_QUEUES_DW], run[GPU_PM4_RUN_LIST_DW];
	u32 *queue = ib + GPU_PM4_MAP_PROCESS_DW;
	u64 addr = world_alloc(c->w, GPU_PASID_GART, sizeof(ib), 4096);

	gpu_pm4_begin(ib, GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_DW);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_PASID, P1);
	gpu_pm4_begin(queue, GPU_PM4_MAP_QUEUES, GPU_PM4_MAP_QUEUES_DW);
	gpu_pm4_set(queue, GPU_MAP_QUEUES_ENGINE_SEL, GPU_MAP_ENGINE_SDMA0);
	gpu_pm4_set(queue, GPU_MAP_QUEUES_DOORBELL, DOORBELL);
	gpu_pm4_set(queue, GPU_MAP_QUEUES_MQD_LO, (u32)c->mqd);
	gpu_pm4_set(queue, GPU_MAP_QUEUES_MQD_HI, (u32)(c->mqd >> 32));
	gpu_pm4_set(queue, GPU_MAP_QUEUES_WPTR_LO, (u32)c->wptr_addr);
	gpu_pm4_set(queue, GPU_MAP_QUEUES_WPTR_HI, (u32)(c->wptr_addr >> 32));
	memcpy(world_at(c->w, GPU_PASID_GART, addr, sizeof(ib)), ib, sizeof(ib));
	gpu_pm4_begin(run, GPU_PM4_RUN_LIST, GPU_PM4_RUN_LIST_DW);
	gpu_pm4_set(run, GPU_RUN_LIST_IB_LO, (u32)addr);
	gpu_pm4_set(run, GPU_RUN_LIST_IB_HI, (u32)(addr >> 32));
	gpu_pm4_set(run, GPU_RUN_LIST_IB_SIZE, ARRAY_SIZE(ib));
	gpu_pm4_set(run, GPU_RUN_LIST_VALID, 1);
	world_hiq_emit(c->w, run, GPU_PM4_RUN_LIST_DW);
	world_hiq_ring(c->w);
	world_run_for(c->w, MS);
}

static void a_copy_arrives_before_its_fence(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct copier c = create(w);
	u64 src = world_alloc(w, P1, BYTES, 8), dst = world_alloc(w, P1, BYTES, 8);
	u64 fence = world_alloc(w, P1, 4, 4);
	u32 i;

	for (i = 0; i < BYTES; i++)
		*(u8 *)world_at(w, P1, src + i, 1) = (u8)(i * 7);
	map(&c);
	/* Round the ring several times. */
	for (i = 1; i < 100; i++) {
		memset(world_at(w, P1, dst, BYTES), 0, BYTES);
		put_copy(&c, dst, src, BYTES);
		put_fence(&c, fence, i);
		ring(&c);
		world_run_for(w, MS);
		assert_int_equal(world_u32(w, P1, fence), i);
		assert_memory_equal(world_at(w, P1, dst, BYTES), world_at(w, P1, src, BYTES),
				    BYTES);
		assert_int_equal(world_u64(w, P1, c.rptr_addr), c.at);
	}
	unit_done(w);
}

static void an_unmapped_queue_goes_on_where_it_was(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct copier c = create(w);
	u64 fence = world_alloc(w, P1, 8, 4);

	put_fence(&c, fence, 1);
	map(&c);
	ring(&c);
	world_run_for(w, MS);
	assert_int_equal(world_u32(w, P1, fence), 1);
	assert_true(world_preempt(w));
	assert_int_equal(world_u64(w, GPU_PASID_GART, c.mqd + 0x0c), c.at);
	world_set_u32(w, P1, fence, 0);
	put_fence(&c, fence + 4, 2);
	/* It is not heard; the write pointer in memory tells when it is mapped. */
	ring(&c);
	world_run_for(w, MS);
	assert_int_equal(world_u32(w, P1, fence + 4), 0);
	map(&c);
	assert_int_equal(world_u32(w, P1, fence + 4), 2);
	assert_int_equal(world_u32(w, P1, fence), 0);
	unit_done(w);
}

static void a_bad_packet_stops_the_queue(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct copier c = create(w);
	u64 fence = world_alloc(w, P1, 4, 4);

	map(&c);
	put_copy(&c, fence, 0x1000, 4);
	put_fence(&c, fence, 1);
	ring(&c);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	assert_int_equal(world_u32(w, P1, fence), 0);
	unit_done(w);
}

static void a_trap_interrupts(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct copier c = create(w);

	map(&c);
	put(&c, 6);
	put(&c, 42);
	ring(&c);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_SDMA_TRAP], 1);
	assert_int_equal(w->last_irq.context, 42);
	assert_int_equal(w->last_irq.pasid, P1);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_arrives_before_its_fence),
		cmocka_unit_test(an_unmapped_queue_goes_on_where_it_was),
		cmocka_unit_test(a_bad_packet_stops_the_queue),
		cmocka_unit_test(a_trap_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
