// SPDX-License-Identifier: MIT
/*
 * Programs that mean harm: rings full of nonsense, doorbells that say anything, streams
 * that never end, children without number. They may lose their own queues; no one
 * else notices, and nothing of them stays.
 *
 * Clock: host, exact time leaves no step to a wave beside a loop of driver calls
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/pm4.h"

#define TINY "profile=tiny"
#define PAGE 4096ul
#define SEED 20261116
#define SLICE_DOORBELLS 1024
#define NR_IOCTLS 0x26
#define NR_WORDS 32
#define NR_CALLS 2000	/* of a process; amdkfd logs many of them */

static const struct gt_shape quick = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 10, .step_ns = 10000, .seed = 3,
};
static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

static uint64_t state = SEED;

/* xorshift64* */
static uint64_t any(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull;
}

/* Starts @harm in a process of its own and waits until it says that it is at it. */
static pid_t start(void (*harm)(int ready), uint64_t seed)
{
	int fds[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe(fds), "pipe");
	pid = fork();
	if (!pid) {
		state = seed;
		harm(fds[1]);
		pause();
	}
	GT_CHECK(read(fds[0], &c, 1) == 1, "it did not start");
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(3);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
}

static void honest(unsigned int rounds)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &quick, &k);
	for (i = 0; i < rounds; i++) {
		gt_kernel_launch(&k, &q);
		GT_CHECK(!gt_kernel_wait(&k, 5000), "round %u: no end", i);
		GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	}
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

/* An honest program gets its results, and in time. */
static void check_others(unsigned int rounds)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		honest(rounds);
		_exit(0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "an honest program failed");
}

static void check_nothing_left(void)
{
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu queues mapped", gt_stat(0, "mapped"));
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves", gt_stat(0, "waves"));
}

static void live_beside(void (*harm)(int ready))
{
	pid_t pid = start(harm, SEED);

	check_others(20);
	GT_CHECK(!waitpid(pid, NULL, WNOHANG), "the program that means harm has ended");
	end(pid);
	check_nothing_left();
}

/* Packets that take no time, by the million. */
static void stream(int ready)
{
	uint32_t nr = 0xfffff, *buffer, pkt[GPU_PM4_INDIRECT_BUFFER_DW], i;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create_pm4(&gpu, 7, &q);
	buffer = gt_alloc(&gpu, 4ul * nr);
	for (i = 0; i < nr; i++)
		buffer[i] = 0xffff1000;	/* NOP of one dword */
	gpu_pm4_begin(pkt, GPU_PM4_INDIRECT_BUFFER, GPU_PM4_INDIRECT_BUFFER_DW);
	gpu_pm4_set(pkt, GPU_INDIRECT_BUFFER_SIZE, nr);
	pkt[1] = (uint32_t)(uintptr_t)buffer;
	pkt[2] = (uint32_t)((uintptr_t)buffer >> 32);
	for (i = 0; i < 4000; i++)
		memcpy(q.ring + 4 * GPU_PM4_INDIRECT_BUFFER_DW * i, pkt, sizeof(pkt));
	*q.wptr = 4000 * GPU_PM4_INDIRECT_BUFFER_DW;
	*q.doorbell = *q.wptr;
	tell(ready);
}

static void endless_stream_leaves_room(void)
{
	live_beside(stream);
}

static void fill(void *mem, uint64_t bytes)
{
	uint64_t i, *word = mem;

	for (i = 0; i < bytes / 8; i++)
		word[i] = any();
}

/* Rings of noise, of all kinds, made anew when an error has stopped them. */
static void noise(int ready)
{
	static const uint8_t ops[] = {
		GPU_PM4_NOP, GPU_PM4_WRITE_DATA, GPU_PM4_RELEASE_MEM, GPU_PM4_ACQUIRE_MEM,
		GPU_PM4_WAIT_REG_MEM, GPU_PM4_SET_SH_REG, GPU_PM4_DISPATCH_DIRECT,
		GPU_PM4_INDIRECT_BUFFER,
	};
	struct gt_queue q;
	struct gt_gpu gpu;
	int round;

	gt_gpu_open(&gpu, 0);
	for (round = 0;; round++) {
		if (round & 1)
			gt_queue_create_pm4(&gpu, 7, &q);
		else
			gt_queue_create(&gpu, 7, &q);
		fill(q.ring, q.ring_bytes);
		/* Types and opcodes that exist, with anything behind them. */
		*(uint16_t *)q.ring = any() % 8;
		if (round & 1)
			*(uint32_t *)q.ring = 0xc0000000 | (any() & 0x3fff) << 16 |
					      ops[any() % sizeof(ops)] << 8;
		fill((void *)q.save_area, PAGE);
		*q.wptr = any() % 1000;
		*q.doorbell = *q.wptr;
		if (!round)
			tell(ready);
		gt_sleep_us(2000);
		if (gt_queue_destroy(&q))
			_exit(4);
	}
}

static void noise_in_rings_hurts_nobody(void)
{
	live_beside(noise);
}

/* A queue of a copy engine on the memory of a compute queue. Return: its doorbell. */
static volatile uint64_t *create_sdma(struct gt_queue *q)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring,
		.ring_size = q->ring_bytes,
		.gpu_id = q->gpu->id,
		.queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
		.queue_percentage = 100,
		.queue_priority = 7,
		.write_pointer_address = (uintptr_t)q->wptr,
		.read_pointer_address = (uintptr_t)q->rptr,
	};

	if (ioctl(q->gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &args))
		_exit(5);
	q->id = args.queue_id;
	return (volatile uint64_t *)(q->gpu->doorbells +
				     args.doorbell_offset % (8 * SLICE_DOORBELLS));
}

/* Copies, fills and writes of any size into its own ring and save area, and elsewhere. */
static void put_copies(struct gt_queue *q)
{
	static const uint8_t ops[] = { 0, 1, 2, 5, 6, 8, 10, 11, 13 };
	uint32_t *word = (uint32_t *)q->ring, nr = q->ring_bytes / 4, i;
	uint64_t to;

	fill(q->ring, q->ring_bytes);
	for (i = 0; i + 8 < nr; i += 1 + any() % 8) {
		to = any() & 1 ? (uintptr_t)q->ring + any() % q->ring_bytes :
				 (uintptr_t)q->save_area + any() % (1 << 20);
		word[i] = ops[any() % sizeof(ops)] | (any() % 4 ? 0 : (uint32_t)any() << 16);
		word[i + 1] = (word[i] & 0xff) == 1 ? any() & 0xfffff : to;
		word[i + 2] = to >> 32;
		word[i + 3] = to;
		word[i + 4] = to >> 32;
		word[i + 5] = to;
		word[i + 6] = to >> 32;
	}
}

static void copies(int ready)
{
	volatile uint64_t *doorbell;
	struct gt_queue q;
	struct gt_gpu gpu;
	int round;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	for (round = 0;; round++) {
		if (gt_queue_destroy(&q))
			_exit(4);
		*q.rptr = 0;
		*q.wptr = 0;
		doorbell = create_sdma(&q);
		put_copies(&q);
		*q.wptr = any() % q.ring_bytes & ~3ull;
		*doorbell = *q.wptr;
		if (!round)
			tell(ready);
		gt_sleep_us(2000);
	}
}

static void noise_in_copy_engines_hurts_nobody(void)
{
	live_beside(copies);
}

/* Every doorbell of the process, with anything, while its own queues run. */
static void bells(int ready)
{
	struct gt_kernel k;
	struct gt_queue q[3];
	struct gt_gpu gpu;
	int i;

	gt_gpu_open(&gpu, 0);
	for (i = 0; i < 3; i++)
		gt_queue_create(&gpu, 7, &q[i]);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q[0]);
	tell(ready);
	for (;;) {
		for (i = 0; i < 3; i++) {
			*q[i].doorbell = any();
			*q[i].wptr = any();
			*q[i].rptr = any();
		}
		for (i = 0; i < SLICE_DOORBELLS; i++)
			((volatile uint64_t *)gpu.doorbells)[i] = any() >> any() % 64;
		gt_sleep_us(500);
	}
}

static void doorbells_may_say_anything(void)
{
	live_beside(bells);
}

/* The save area and the read pointer change while the queue is out. */
static void meddle(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int round;

	gt_gpu_open(&gpu, 0);
	gt_kernel_create(&gpu, &endless, &k);
	for (round = 0;; round++) {
		gt_queue_create(&gpu, 7, &q);
		gt_kernel_launch(&k, &q);
		if (!round)
			tell(ready);
		gt_sleep_us(1000);
		gt_queue_update(&q, 0);
		fill(q.save_area, 64 * PAGE);
		*q.rptr = any();
		*q.wptr = any();
		gt_queue_update(&q, 100);
		gt_sleep_us(1000);
		if (gt_queue_destroy(&q))
			_exit(4);
	}
}

static void saved_state_may_be_anything(void)
{
	live_beside(meddle);
}

/* The program gives its ring back while the GPU is at it: refused, or at its own cost. */
static void give_back(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	munmap(q.ring, q.ring_bytes);
	munmap(q.save_area, PAGE);
	munmap((void *)k.out, PAGE);
	tell(ready);
	for (i = 0;; i++)
		gt_queue_update(&q, i & 1 ? 100 : 0);
}

static void ring_is_unmapped_in_use(void)
{
	live_beside(give_back);
}

static void one_of_many(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	tell(ready);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, any() % 16, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
}

/* Killed wherever they happen to be: most are still being set up. */
static void storm_of_kills_leaves_nothing(void)
{
	pid_t pid[12];
	int round, i;

	for (round = 0; round < 6; round++) {
		for (i = 0; i < 12; i++)
			pid[i] = start(one_of_many, SEED + 100 * round + i);
		gt_sleep_us(any() % 20000);
		for (i = 0; i < 12; i++)
			end(pid[i]);
	}
	check_others(3);
	check_nothing_left();
}

/* Something that an ioctl may take for good. */
static uint64_t word(const struct gt_gpu *gpu, const struct gt_queue *q)
{
	switch (any() % 8) {
	case 0:
		return any();
	case 1:
		return gpu->id;
	case 2:
		return (uint64_t)gpu->id << 32 | any() % 16;	/* a handle */
	case 3:
		return (uintptr_t)q->ring;
	case 4:
		return (uintptr_t)q->save_area;
	case 5:
		return any() % 4 * PAGE;
	default:
		return any() % 64;
	}
}

static void call(int kfd, unsigned int nr, uint64_t *arg)
{
	/* It may wait for ever; and DBG_TRAP has tests of its own. */
	if (nr == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS) || nr == _IOC_NR(AMDKFD_IOC_DBG_TRAP))
		return;
	/* 6.12 gives n_devices to kmalloc() as it is, which warns. */
	if (nr == _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU) ||
	    nr == _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU))
		arg[2] &= 0xffffffff0000000f;
	ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', nr, any() % 256), arg);
}

/* Anything to every ioctl, with things in it that exist. */
static void ioctls(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t arg[NR_WORDS];
	unsigned int i, n;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	tell(ready);
	for (n = 0; n < NR_CALLS; n++) {
		for (i = 0; i < NR_WORDS; i++)
			arg[i] = word(&gpu, &q);
		call(gpu.kfd, 1 + any() % NR_IOCTLS, arg);
	}
	_exit(0);
}

static void ioctls_may_carry_anything(void)
{
	int i, status;
	pid_t pid[3];

	for (i = 0; i < 3; i++)
		pid[i] = start(ioctls, SEED + 1000 * i);
	check_others(20);
	for (i = 0; i < 3; i++)
		GT_CHECK(waitpid(pid[i], &status, 0) == pid[i] && !status, "status %x", status);
	check_others(3);
	check_nothing_left();
}

/* User memory under a running kernel, in a process that forks and forks. */
static void forks(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	tell(ready);
	for (;;) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void fork_storm_hurts_nobody(void)
{
	live_beside(forks);
}

/* Control: where no program means harm, the same checks hold; and they see a queue that stays. */
static void peace(int ready)
{
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	tell(ready);
}

static void peace_is_kept_and_seen(void)
{
	pid_t pid = start(peace, SEED);
	int tries;

	check_others(20);
	/* Every queue is mapped anew when amdkfd has taken the other process apart. */
	for (tries = 0; tries < 1000 && gt_count_processes() != 1; tries++)
		gt_sleep_us(1000);
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu queues mapped", gt_stat(0, "mapped"));
	gt_sleep_us(50000);
	GT_CHECK(gt_stat(0, "mapped") == 1, "the queue of a living process went");
	end(pid);
	check_nothing_left();
}

static const struct gt_case cases[] = {
	{ "peace_is_kept_and_seen", peace_is_kept_and_seen, TINY, 0 },
	{ "noise_in_rings_hurts_nobody", noise_in_rings_hurts_nobody, TINY, 0 },
	{ "noise_in_copy_engines_hurts_nobody", noise_in_copy_engines_hurts_nobody, TINY, 0 },
	{ "doorbells_may_say_anything", doorbells_may_say_anything, TINY, 0 },
	{ "saved_state_may_be_anything", saved_state_may_be_anything, TINY, 0 },
	{ "ring_is_unmapped_in_use", ring_is_unmapped_in_use, TINY, 0 },
	{ "fork_storm_hurts_nobody", fork_storm_hurts_nobody, TINY, 0 },
	{ "storm_of_kills_leaves_nothing", storm_of_kills_leaves_nothing, TINY, 60 },
	{ "ioctls_may_carry_anything", ioctls_may_carry_anything, TINY, 0 },
	{ "endless_stream_leaves_room", endless_stream_leaves_room, TINY, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
