// SPDX-License-Identifier: MIT
/*
 * Copy engines: packets of SDMA 4 through a queue that the driver maps.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define PAGE 4096ul
#define RING_BYTES (64ul << 10)
#define DOORBELL_SLICE 8192ul
#define COPY_BYTES (300ul << 10)
#define NR_QUEUES 8

/* vega10_sdma_pkt_open.h */
#define SDMA_COPY 1
#define SDMA_FENCE 5
#define SDMA_TRAP 6
#define SDMA_POLL 8
#define SDMA_ATOMIC 10
#define SDMA_FILL 11
#define POLL_EQUAL_MEMORY (1u << 31 | 3u << 28)
#define ATOMIC_ADD64 (47u << 25)

struct sdma {
	struct gt_gpu *gpu;
	uint32_t *ring;
	volatile uint64_t *rptr;
	volatile uint64_t *wptr;
	volatile uint64_t *doorbell;
	uint32_t id;
	uint64_t at;		/* bytes written */
};

static void sdma_create(struct gt_gpu *gpu, struct sdma *s)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_size = RING_BYTES,
		.gpu_id = gpu->id,
		.queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
		.queue_percentage = 100,
		.queue_priority = 7,
	};

	memset(s, 0, sizeof(*s));
	s->gpu = gpu;
	s->ring = gt_alloc(gpu, RING_BYTES);
	s->rptr = gt_alloc(gpu, PAGE);
	s->wptr = gt_alloc(gpu, PAGE);
	args.ring_base_address = (uintptr_t)s->ring;
	args.read_pointer_address = (uintptr_t)s->rptr;
	args.write_pointer_address = (uintptr_t)s->wptr;
	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &args), "%s", strerror(errno));
	s->id = args.queue_id;
	if (!gpu->doorbells)
		gpu->doorbells = mmap(NULL, DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED,
				      gpu->kfd, args.doorbell_offset & ~(DOORBELL_SLICE - 1));
	GT_CHECK(gpu->doorbells != MAP_FAILED, "%s", strerror(errno));
	s->doorbell = (volatile uint64_t *)(gpu->doorbells +
					    (args.doorbell_offset & (DOORBELL_SLICE - 1)));
}

static void put(struct sdma *s, uint32_t word)
{
	s->ring[s->at / 4 % (RING_BYTES / 4)] = word;
	s->at += 4;
}

static void put_addr(struct sdma *s, const volatile void *p)
{
	put(s, (uint32_t)(uintptr_t)p);
	put(s, (uintptr_t)p >> 32);
}

static void put_copy(struct sdma *s, void *dst, const void *src, uint32_t bytes)
{
	put(s, SDMA_COPY);
	put(s, bytes - 1);
	put(s, 0);
	put_addr(s, src);
	put_addr(s, dst);
}

static void put_fence(struct sdma *s, volatile uint32_t *where, uint32_t value)
{
	put(s, SDMA_FENCE);
	put_addr(s, where);
	put(s, value);
}

static void ring(struct sdma *s)
{
	__atomic_store_n(s->wptr, s->at, __ATOMIC_SEQ_CST);
	*s->doorbell = s->at;
}

static int wait_for(volatile uint32_t *where, uint32_t value, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (*where != value) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(100);
	}
	return 0;
}

static void fill_pattern(uint32_t *words, uint32_t seed)
{
	size_t i;

	for (i = 0; i < COPY_BYTES / 4; i++)
		words[i] = seed = seed * 1664525 + 1013904223;
}

static void copy_brings_the_data(void)
{
	volatile uint32_t *fence;
	struct gt_mem vram;
	struct gt_gpu gpu;
	struct sdma s;
	uint32_t *src, *back;
	int i;

	gt_gpu_open(&gpu, 0);
	sdma_create(&gpu, &s);
	src = gt_alloc(&gpu, COPY_BYTES);
	back = gt_alloc(&gpu, COPY_BYTES);
	fence = gt_alloc(&gpu, PAGE);
	GT_CHECK(!gt_mem_alloc(&gpu, COPY_BYTES, GT_VRAM, &vram), "VRAM");
	/* Often enough to go round the ring. */
	for (i = 1; i < 2000; i++) {
		if (i % 500 == 1)
			fill_pattern(src, i);
		put_copy(&s, vram.addr, src, i % 500 == 1 ? COPY_BYTES : 64);
		put_copy(&s, back, vram.addr, i % 500 == 1 ? COPY_BYTES : 64);
		put_fence(&s, fence, i);
		ring(&s);
		GT_CHECK(!wait_for(fence, i, 5000), "copy %d: rptr %lu wptr %lu", i, *s.rptr,
			 *s.wptr);
		GT_CHECK(!memcmp(src, back, COPY_BYTES), "copy %d differs", i);
	}
	GT_CHECK(*s.rptr == s.at, "rptr %lu of %lu", *s.rptr, s.at);
}

static void fill_and_trap(void)
{
	uint64_t mailbox;
	struct gt_gpu gpu;
	struct sdma s;
	uint32_t event, *words;
	int r;

	gt_gpu_open(&gpu, 0);
	sdma_create(&gpu, &s);
	words = gt_alloc(&gpu, 2 * PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	r = gt_event_wait(&gpu, event, NULL, 20);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "event before the trap: %d", r);
	put(&s, SDMA_FILL | 2u << 30);
	put_addr(&s, words);
	put(&s, 0xabcd1234);
	put(&s, PAGE - 1);
	/* As ROCr does: the mailbox first, then the interrupt. */
	put_fence(&s, (volatile uint32_t *)mailbox, event);
	put(&s, SDMA_TRAP);
	put(&s, event);
	ring(&s);
	r = gt_event_wait(&gpu, event, NULL, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(words[0] == 0xabcd1234 && words[PAGE / 4 - 1] == 0xabcd1234, "not filled");
	GT_CHECK(!words[PAGE / 4], "filled too much");
}

static void poll_waits_and_atomic_counts(void)
{
	volatile uint32_t *flag, *fence;
	volatile int64_t *counter;
	struct gt_gpu gpu;
	struct sdma s;

	gt_gpu_open(&gpu, 0);
	sdma_create(&gpu, &s);
	flag = gt_alloc(&gpu, PAGE);
	fence = flag + 16;
	counter = (volatile int64_t *)(flag + 32);
	*counter = 10;
	put(&s, SDMA_POLL | POLL_EQUAL_MEMORY);
	put_addr(&s, flag);
	put(&s, 7);
	put(&s, UINT32_MAX);
	put(&s, 0);
	put(&s, SDMA_ATOMIC | ATOMIC_ADD64);
	put_addr(&s, counter);
	put(&s, UINT32_MAX);	/* -1 */
	put(&s, UINT32_MAX);
	put(&s, 0);
	put(&s, 0);
	put(&s, 0);
	put_fence(&s, fence, 1);
	ring(&s);
	GT_CHECK(wait_for(fence, 1, 50) == -ETIMEDOUT, "it did not wait");
	*flag = 7;
	GT_CHECK(!wait_for(fence, 1, 3000), "it waits still");
	GT_CHECK(*counter == 9, "%ld", (long)*counter);
}

static void bad_address_stops_the_queue(void)
{
	struct kfd_event_data data = {};
	volatile uint32_t *fence;
	struct gt_gpu gpu;
	struct sdma s;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	sdma_create(&gpu, &s);
	fence = gt_alloc(&gpu, PAGE);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_MEMORY, NULL);
	put_copy(&s, (void *)fence, (void *)0x123000, 64);
	put_fence(&s, fence, 1);
	ring(&s);
	r = gt_event_wait(&gpu, event, &data, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(wait_for(fence, 1, 50) == -ETIMEDOUT, "it went on");
}

/*
 * The doorbells of an engine's odd queues are 512 behind those of the even ones, in the same
 * slice (kfd_device_queue_manager.c: allocate_doorbell). Two engines: the third queue is odd.
 */
static void every_queue_of_an_engine_hears_its_doorbell(void)
{
	volatile uint32_t *fence;
	struct sdma s[NR_QUEUES];
	struct gt_gpu gpu;
	int i;

	gt_gpu_open(&gpu, 0);
	fence = gt_alloc(&gpu, PAGE);
	for (i = 0; i < NR_QUEUES; i++)
		sdma_create(&gpu, &s[i]);
	for (i = 0; i < NR_QUEUES; i++) {
		put_fence(&s[i], &fence[i], 1);
		ring(&s[i]);
		GT_CHECK(!wait_for(&fence[i], 1, 5000), "queue %d, doorbell %lx of the slice", i,
			 (unsigned long)((char *)s[i].doorbell - (char *)gpu.doorbells));
	}
}

static void copy_goes_on_after_an_unmap(void)
{
	volatile uint32_t *fence;
	struct gt_queue q;
	struct gt_gpu gpu;
	struct sdma s;
	uint32_t *src, *dst;
	int i;

	gt_gpu_open(&gpu, 0);
	sdma_create(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	src = gt_alloc(&gpu, COPY_BYTES);
	dst = gt_alloc(&gpu, COPY_BYTES);
	fence = gt_alloc(&gpu, PAGE);
	fill_pattern(src, 5);
	for (i = 0; i < 200; i++)
		put_copy(&s, dst, src, COPY_BYTES);
	put_fence(&s, fence, 1);
	ring(&s);
	/* Every update of the compute queue takes the copy queue out and in again. */
	for (i = 0; i < 10; i++) {
		GT_CHECK(!gt_queue_update(&q, 0), "preempt");
		GT_CHECK(!gt_queue_update(&q, 100), "resume");
	}
	GT_CHECK(!wait_for(fence, 1, 20000), "rptr %lu wptr %lu", *s.rptr, *s.wptr);
	GT_CHECK(!memcmp(src, dst, COPY_BYTES), "differs");
}

static const struct gt_case cases[] = {
	{ "copy_brings_the_data", copy_brings_the_data, TINY, 60 },
	{ "fill_and_trap", fill_and_trap, TINY, 0 },
	{ "poll_waits_and_atomic_counts", poll_waits_and_atomic_counts, TINY, 0 },
	{ "bad_address_stops_the_queue", bad_address_stops_the_queue, TINY, 0 },
	{ "every_queue_of_an_engine_hears_its_doorbell",
	  every_queue_of_an_engine_hears_its_doorbell, TINY, 60 },
	{ "every_queue_of_an_engine_hears_its_doorbell_on_gfx942",
	  every_queue_of_an_engine_hears_its_doorbell, "profile=mi300x", 60 },
	{ "copy_goes_on_after_an_unmap", copy_goes_on_after_an_unmap, TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
