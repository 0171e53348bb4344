// SPDX-License-Identifier: MIT
/*
 * Compute queues whose packets are PM4, through the driver: writes, waits, dispatches,
 * indirect buffers, interrupts.
 */
#define _GNU_SOURCE
#include "gt/gt_pm4.h"

#include <string.h>

#define TINY "profile=tiny"
#define PAGE 4096ul

static const struct gt_shape small = {
	.groups = 8, .waves = 2, .vgprs = 16, .lds_bytes = 1024,
	.steps = 40, .step_ns = 1000, .seed = 11,
};

static void expect_event(struct gt_gpu *gpu, uint32_t event)
{
	int r = gt_event_wait(gpu, event, NULL, 3000);

	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
}

static void expect_no_event(struct gt_gpu *gpu, uint32_t event)
{
	int r = gt_event_wait(gpu, event, NULL, 50);

	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "an event: %d", r);
}

static void expect_good_end(struct gt_kernel *k, const struct gt_queue *q)
{
	GT_CHECK(!gt_kernel_wait(k, 3000), "no end: rptr %u wptr %lu, %lu waves",
		 (uint32_t)*q->rptr, *q->wptr, gt_stat(0, "waves"));
	GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
}

static void write_and_interrupt(void)
{
	struct gt_pm4 p = {};
	volatile uint32_t *word;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	word = gt_alloc(&gpu, PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	/* The driver finds the event by its id, and looks whether its slot was written. */
	gt_pm4_write(&p, word, 42);
	gt_pm4_release(&p, mailbox, event, event);
	gt_pm4_send(&q, &p);
	expect_event(&gpu, event);
	GT_CHECK(*word == 42, "%u", *word);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

static void preempted_while_it_waits(void)
{
	struct gt_pm4 p = {};
	volatile uint32_t *word;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	word = gt_alloc(&gpu, PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	gt_pm4_write(&p, word, 1);
	gt_pm4_wait(&p, word + 1, 7);
	gt_pm4_write(&p, word, 2);
	gt_pm4_release(&p, mailbox, event, event);
	gt_pm4_send(&q, &p);
	gt_sleep_us(50000);
	GT_CHECK(*word == 1, "before: %u", *word);
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	word[1] = 7;
	gt_sleep_us(50000);
	GT_CHECK(*word == 1, "it runs without a slot: %u", *word);
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	expect_event(&gpu, event);
	GT_CHECK(*word == 2, "after: %u", *word);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

/* What the same kernel leaves when an AQL packet starts it. */
static uint64_t aql_digest(struct gt_gpu *gpu, const struct gt_shape *shape)
{
	struct gt_kernel k;
	struct gt_queue q;

	gt_queue_create(gpu, 7, &q);
	gt_kernel_create(gpu, shape, &k);
	gt_kernel_launch(&k, &q);
	expect_good_end(&k, &q);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	return gt_kernel_digest(&k);
}

static void dispatch_gives_the_result_of_aql(void)
{
	struct gt_shape other_shape = small;
	struct gt_kernel k, other;
	struct gt_pm4 p = {};
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest;

	gt_gpu_open(&gpu, 0);
	digest = aql_digest(&gpu, &small);
	gt_queue_create_pm4(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	/* Control: another seed, another result. */
	other_shape.seed++;
	gt_kernel_create(&gpu, &other_shape, &other);
	gt_pm4_kernel(&p, &k);
	gt_pm4_kernel(&p, &other);
	gt_pm4_send(&q, &p);
	expect_good_end(&k, &q);
	expect_good_end(&other, &q);
	GT_CHECK(gt_kernel_digest(&k) == digest, "not what an AQL packet gives");
	GT_CHECK(gt_kernel_digest(&other) != digest, "the seed does not matter");
}

/* A buffer of three dispatches, two of them side by side; and an empty one. */
static void buffer_is_worked_off(void)
{
	struct gt_pm4 inside = {}, p;
	struct gt_kernel k[3];
	volatile uint32_t *word;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest;
	int i;

	gt_gpu_open(&gpu, 0);
	digest = aql_digest(&gpu, &small);
	gt_queue_create_pm4(&gpu, 7, &q);
	word = gt_alloc(&gpu, PAGE);
	for (i = 0; i < 3; i++)
		gt_kernel_create(&gpu, &small, &k[i]);
	gt_pm4_dispatch(&inside, &k[0]);
	gt_pm4_dispatch(&inside, &k[1]);
	gt_pm4_signal(&inside, &k[0]);
	gt_pm4_signal(&inside, &k[1]);
	gt_pm4_kernel(&inside, &k[2]);
	gt_pm4_write(&inside, word, 1);
	p = gt_pm4_in_buffer(&gpu, &inside);
	gt_pm4_buffer(&p, 0, 0);
	gt_pm4_write(&p, word + 1, 2);
	gt_pm4_send(&q, &p);
	for (i = 0; i < 3; i++) {
		expect_good_end(&k[i], &q);
		GT_CHECK(gt_kernel_digest(&k[i]) == digest, "kernel %d", i);
	}
	for (i = 0; i < 1000 && word[1] != 2; i++)
		gt_sleep_us(1000);
	GT_CHECK(word[0] == 1 && word[1] == 2, "%u %u", word[0], word[1]);
	GT_CHECK((uint32_t)*q.rptr == p.nr, "rptr %u of %u", (uint32_t)*q.rptr, p.nr);
}

/* Packets lie across the end of the ring. */
static void ring_goes_round(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest, dwords;

	gt_gpu_open(&gpu, 0);
	digest = aql_digest(&gpu, &small);
	gt_queue_create_pm4(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	dwords = q.ring_bytes / 4;
	while (*q.wptr < 3 * dwords) {
		struct gt_pm4 p = {};

		gt_pm4_nop(&p, 397);
		gt_pm4_kernel(&p, &k);
		gt_pm4_send(&q, &p);
		expect_good_end(&k, &q);
		GT_CHECK(gt_kernel_digest(&k) == digest, "at %lu", *q.wptr);
	}
}

static void release_interrupts_when_the_kernel_has_ended(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;
	int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	expect_no_event(&gpu, event);
	for (i = 0; i < 20; i++) {
		struct gt_pm4 p = {};

		gt_pm4_kernel(&p, &k);
		gt_pm4_release(&p, mailbox, event, event);
		gt_pm4_send(&q, &p);
		expect_event(&gpu, event);
		GT_CHECK(!k.signal->value, "round %d: event before the end", i);
		GT_CHECK(!gt_kernel_check(&k), "round %d: %s", i, gt_kernel_check(&k));
	}
}

/* Control for the one above: the same without INT_SEL. */
static void release_without_interrupt_is_silent(void)
{
	struct gt_pm4 p = {};
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	gt_pm4_release(&p, mailbox, event, 0);
	gt_pm4_kernel(&p, &k);
	gt_pm4_send(&q, &p);
	expect_good_end(&k, &q);
	GT_CHECK(*(volatile uint64_t *)mailbox == event, "not written");
	expect_no_event(&gpu, event);
}

static const struct gt_case cases[] = {
	{ "write_and_interrupt", write_and_interrupt, TINY, 0 },
	{ "preempted_while_it_waits", preempted_while_it_waits, TINY, 0 },
	{ "dispatch_gives_the_result_of_aql", dispatch_gives_the_result_of_aql, TINY, 0 },
	{ "buffer_is_worked_off", buffer_is_worked_off, TINY, 0 },
	{ "ring_goes_round", ring_goes_round, TINY, 0 },
	{ "release_interrupts_when_the_kernel_has_ended",
	  release_interrupts_when_the_kernel_has_ended, TINY, 0 },
	{ "release_without_interrupt_is_silent", release_without_interrupt_is_silent, TINY, 0 },
	{ "dispatch_on_8_xccs_gives_the_result_of_aql", dispatch_gives_the_result_of_aql,
	  "profile=mi300x", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
