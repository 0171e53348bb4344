// SPDX-License-Identifier: MIT
/*
 * A store to a doorbell is noticed: soon, whatever was before, and whatever the
 * process has done to the mapping.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096ul
#define SLICE 8192ul
#define QUIET_US 50000ull	/* kfdsim_cp.c: QUIET_NS */
#define ARMED_US (2 * QUIET_US)
#define ARM "/sys/module/kfdsim/parameters/arm"
#define NR_TIMED 11
#define NR_RACES 50
#define MOST_NS 50000000ull	/* on an emulated processor that others use too */

static const struct gt_shape brief = {
	.groups = 1, .waves = 1, .vgprs = 8, .steps = 1, .step_ns = 1000, .seed = 1,
};

/**
 * struct client - a queue and something to run on it
 */
struct client {
	struct gt_gpu gpu;
	struct gt_queue q;
	struct gt_kernel k;
};

static void client_open(struct client *c)
{
	gt_gpu_open(&c->gpu, 0);
	gt_queue_create(&c->gpu, 7, &c->q);
	gt_kernel_create(&c->gpu, &brief, &c->k);
}

/* Return: nanoseconds from the launch to the end of the kernel. */
static uint64_t run_once(struct client *c)
{
	uint64_t start = gt_now_ns();

	gt_kernel_launch(&c->k, &c->q);
	while (c->k.signal->value)
		GT_CHECK(gt_now_ns() - start < 2000000000ull, "the doorbell was not noticed");
	return gt_now_ns() - start;
}

/* After this the next store faults. */
static void wait_until_armed(void)
{
	uint64_t rounds;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		rounds = gt_stat(0, "rounds");
		gt_sleep_us(ARMED_US);
		if (gt_stat(0, "rounds") == rounds)
			return;
	}
	gt_fail("the GPU does not stop to look");
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * struct latency - from launch to end
 */
struct latency {
	uint64_t best_ns;
	uint64_t median_ns;
};

static struct latency measure(struct client *c, uint64_t pause_us, int arms)
{
	uint64_t ns[NR_TIMED];
	int i;

	gt_write_file(ARM, "%d", arms);
	run_once(c);
	for (i = 0; i < NR_TIMED; i++) {
		gt_sleep_us(pause_us);
		ns[i] = run_once(c);
	}
	qsort(ns, NR_TIMED, sizeof(*ns), compare);
	return (struct latency){ ns[0], ns[NR_TIMED / 2] };
}

/*
 * Beside it, for the reader, what it would be if the GPU never stopped to look. The
 * bound is for the best: the median is at the mercy of other users of the machine.
 */
static void store_is_noticed_after_any_pause(void)
{
	static const uint64_t pause_us[] = { 200, 2000, 20000, 4 * QUIET_US };
	struct client c;
	size_t i;

	client_open(&c);
	for (i = 0; i < sizeof(pause_us) / sizeof(pause_us[0]); i++) {
		struct latency looking = measure(&c, pause_us[i], 0);
		struct latency armed = measure(&c, pause_us[i], 1);

		gt_note("after a pause of %lu us: best %lu us, median %lu us (arm=0: %lu, %lu)",
			pause_us[i], armed.best_ns / 1000, armed.median_ns / 1000,
			looking.best_ns / 1000, looking.median_ns / 1000);
		GT_CHECK(armed.best_ns < MOST_NS, "%lu ns", armed.best_ns);
	}
}

/* Stores around the moment when the pages are taken away. */
static void no_store_is_lost_while_arming(void)
{
	struct client c;
	uint64_t faults;
	int i;

	client_open(&c);
	faults = gt_stat(0, "doorbell_faults");
	srand(1);
	for (i = 0; i < NR_RACES; i++) {
		run_once(&c);
		gt_sleep_us(QUIET_US - 4000 + rand() % 8000);
	}
	faults = gt_stat(0, "doorbell_faults") - faults;
	gt_note("%lu of %d stores faulted", faults, NR_RACES);
	GT_CHECK(faults > 1, "never armed");
}

static void two_processes_wake_each_other(void)
{
	struct client c;
	int status, i;
	pid_t pid;

	pid = fork();
	client_open(&c);
	for (i = 0; i < 20; i++) {
		gt_sleep_us(pid ? 7000 : 31000);
		run_once(&c);
	}
	if (!pid)
		_exit(0);
	GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "the other process: %x", status);
}

static void moved_mapping_rings(void)
{
	struct client c;
	uint8_t *to;

	client_open(&c);
	run_once(&c);
	to = mmap(NULL, SLICE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = mremap((void *)c.gpu.doorbells, SLICE, SLICE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	GT_CHECK(to != MAP_FAILED, "mremap: %s", strerror(errno));
	c.q.doorbell = (void *)(to + ((uint8_t *)c.q.doorbell - c.gpu.doorbells));
	run_once(&c);
	wait_until_armed();
	run_once(&c);
}

/* The half without the queue's doorbell goes. */
static void half_a_mapping_rings(void)
{
	struct client c;
	uint64_t other;

	client_open(&c);
	other = (uint8_t *)c.q.doorbell - c.gpu.doorbells < (long)PAGE ? PAGE : 0;
	GT_CHECK(!munmap((void *)(c.gpu.doorbells + other), PAGE), "munmap: %s", strerror(errno));
	run_once(&c);
	wait_until_armed();
	run_once(&c);
}

static uint8_t *map_again(struct client *c, int flags, uint64_t extra)
{
	uint8_t *p = mmap(NULL, SLICE, PROT_READ | PROT_WRITE, flags, c->gpu.kfd,
			  (c->q.doorbell_offset & ~(SLICE - 1)) + extra);

	GT_CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	return p;
}

/* A second mapping, with an offset of which amdkfd ignores the lower part. */
static void second_mapping_rings(void)
{
	volatile uint64_t *first;
	struct client c;
	uint8_t *p;

	client_open(&c);
	first = c.q.doorbell;
	p = map_again(&c, MAP_SHARED, 5 * PAGE);
	c.q.doorbell = (void *)(p + ((uint8_t *)first - c.gpu.doorbells));
	run_once(&c);
	wait_until_armed();
	run_once(&c);
	munmap(p, SLICE);
	c.q.doorbell = first;
	run_once(&c);
	wait_until_armed();
	run_once(&c);
}

/* Its stores stay in the process, as with the real driver. */
static void private_mapping_rings_nothing(void)
{
	struct client c;
	uint64_t rings;
	uint8_t *p;

	client_open(&c);
	run_once(&c);
	wait_until_armed();
	rings = gt_stat(0, "rings");
	p = map_again(&c, MAP_PRIVATE, 0);
	*(volatile uint64_t *)(p + ((uint8_t *)c.q.doorbell - c.gpu.doorbells)) = 1;
	gt_sleep_us(ARMED_US);
	GT_CHECK(gt_stat(0, "rings") == rings, "it rang");
	run_once(&c);
}

static void read_only_mapping_can_become_writable(void)
{
	struct client c;
	uint8_t *p;

	client_open(&c);
	wait_until_armed();
	p = mmap(NULL, SLICE, PROT_READ, MAP_SHARED, c.gpu.kfd,
		 c.q.doorbell_offset & ~(SLICE - 1));
	GT_CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	(void)*(volatile uint64_t *)p;
	GT_CHECK(!mprotect(p, SLICE, PROT_READ | PROT_WRITE), "mprotect: %s", strerror(errno));
	c.q.doorbell = (void *)(p + ((uint8_t *)c.q.doorbell - c.gpu.doorbells));
	run_once(&c);
	wait_until_armed();
	run_once(&c);
}

/* A child has no doorbells (VM_DONTCOPY); its parent keeps them. */
static void fork_leaves_doorbells_to_the_parent(void)
{
	struct client c;
	int status;
	pid_t pid;

	client_open(&c);
	run_once(&c);
	pid = fork();
	if (!pid) {
		*c.q.doorbell = 0;
		_exit(0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	GT_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "child: %x", status);
	run_once(&c);
	wait_until_armed();
	run_once(&c);
}

static const struct gt_case cases[] = {
	{ "store_is_noticed_after_any_pause", store_is_noticed_after_any_pause,
	  "profile=tiny", 60 },
	{ "no_store_is_lost_while_arming", no_store_is_lost_while_arming, "profile=tiny", 0 },
	{ "two_processes_wake_each_other", two_processes_wake_each_other, "profile=tiny", 0 },
	{ "moved_mapping_rings", moved_mapping_rings, "profile=tiny", 0 },
	{ "half_a_mapping_rings", half_a_mapping_rings, "profile=tiny", 0 },
	{ "second_mapping_rings", second_mapping_rings, "profile=tiny", 0 },
	{ "private_mapping_rings_nothing", private_mapping_rings_nothing, "profile=tiny", 0 },
	{ "read_only_mapping_can_become_writable", read_only_mapping_can_become_writable,
	  "profile=tiny", 0 },
	{ "fork_leaves_doorbells_to_the_parent", fork_leaves_doorbells_to_the_parent,
	  "profile=tiny", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
