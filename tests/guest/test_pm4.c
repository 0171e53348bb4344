// SPDX-License-Identifier: MIT
/*
 * Compute queues whose packets are PM4, through the driver.
 */
#define _GNU_SOURCE
#include "gt.h"
#include "pm4.h"

#define TINY "profile=tiny"
#define PAGE 4096ul

/* Puts a packet behind those before it; the ring is not filled here. */
static void put(struct gt_queue *q, const uint32_t *pkt, uint32_t nr)
{
	uint32_t *ring = (uint32_t *)q->ring;
	uint32_t i;

	for (i = 0; i < nr; i++)
		ring[*q->wptr + i] = pkt[i];
	__atomic_store_n(q->wptr, *q->wptr + nr, __ATOMIC_RELEASE);
}

static void ring(struct gt_queue *q)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->doorbell = *q->wptr;
}

static void put_write(struct gt_queue *q, volatile uint32_t *where, uint32_t value)
{
	uint32_t pkt[GP_PM4_WRITE_DATA_DW];

	gp_pm4_begin(pkt, GP_PM4_WRITE_DATA, GP_PM4_WRITE_DATA_DW);
	gp_pm4_set(pkt, GP_WRITE_DATA_DST_SEL, GP_WRITE_DATA_DST_MEMORY);
	pkt[2] = (uint32_t)(uintptr_t)where;
	pkt[3] = (uint32_t)((uintptr_t)where >> 32);
	pkt[4] = value;
	put(q, pkt, GP_PM4_WRITE_DATA_DW);
}

static void put_wait(struct gt_queue *q, volatile uint32_t *where, uint32_t value)
{
	uint32_t pkt[GP_PM4_WAIT_REG_MEM_DW];

	gp_pm4_begin(pkt, GP_PM4_WAIT_REG_MEM, GP_PM4_WAIT_REG_MEM_DW);
	gp_pm4_set(pkt, GP_WAIT_REG_MEM_FUNCTION, GP_WAIT_EQUAL);
	gp_pm4_set(pkt, GP_WAIT_REG_MEM_SPACE, 1);
	pkt[2] = (uint32_t)(uintptr_t)where;
	pkt[3] = (uint32_t)((uintptr_t)where >> 32);
	pkt[4] = value;
	pkt[5] = UINT32_MAX;
	put(q, pkt, GP_PM4_WAIT_REG_MEM_DW);
}

/* The driver finds the event by its id, and looks whether its slot was written. */
static void put_event(struct gt_queue *q, uint64_t mailbox, uint32_t id)
{
	uint32_t pkt[GP_PM4_RELEASE_MEM_DW];

	gp_pm4_begin(pkt, GP_PM4_RELEASE_MEM, GP_PM4_RELEASE_MEM_DW);
	gp_pm4_set(pkt, GP_RELEASE_MEM_DATA_SEL, GP_RELEASE_DATA_64);
	gp_pm4_set(pkt, GP_RELEASE_MEM_INT_SEL, GP_RELEASE_INT_AFTER_WRITE);
	pkt[3] = (uint32_t)mailbox;
	pkt[4] = (uint32_t)(mailbox >> 32);
	pkt[5] = id;
	pkt[7] = id;
	put(q, pkt, GP_PM4_RELEASE_MEM_DW);
}

static void write_and_interrupt(void)
{
	struct kfd_event_data data = {};
	volatile uint32_t *word;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	word = gt_alloc(&gpu, PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	put_write(&q, word, 42);
	put_event(&q, mailbox, event);
	ring(&q);
	r = gt_event_wait(&gpu, event, &data, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(*word == 42, "%u", *word);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

static void preempted_while_it_waits(void)
{
	struct kfd_event_data data = {};
	volatile uint32_t *word;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	word = gt_alloc(&gpu, PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	put_write(&q, word, 1);
	put_wait(&q, word + 1, 7);
	put_write(&q, word, 2);
	put_event(&q, mailbox, event);
	ring(&q);
	gt_sleep_us(50000);
	GT_CHECK(*word == 1, "before: %u", *word);
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	word[1] = 7;
	gt_sleep_us(50000);
	GT_CHECK(*word == 1, "it runs without a slot: %u", *word);
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	r = gt_event_wait(&gpu, event, &data, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(*word == 2, "after: %u", *word);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

static const struct gt_case cases[] = {
	{ "write_and_interrupt", write_and_interrupt, TINY, 0 },
	{ "preempted_while_it_waits", preempted_while_it_waits, TINY, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
