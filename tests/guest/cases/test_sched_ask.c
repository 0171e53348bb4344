// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko asks amdkfd for queues: once for an answer, as amdkfd's lock is taken for it, and
 * queues that come meanwhile do not leave it without one. Here every such call takes a tenth
 * of a second.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASK_MS 100
/* As many as a process may have; more come in ASK_MS than were ever left room for. */
#define QUEUES 120
#define PROCESSES 2
#define GAP_US 2000
#define FIRST 24

static void set_slow(bool slow)
{
	gt_gpk_module_param("kfdsim", "gpreempt_fault", slow ? 6 : 0);
}

static uint64_t ms_since(uint64_t start_ns)
{
	return (gt_now_ns() - start_ns) / 1000000;
}

/* A queue came: the monitor asks, and answers the caller from that. */
static void a_list_costs_one_question(void)
{
	struct gt_queue first, second;
	struct gt_gpu gpu;
	uint64_t took;

	gt_gpk_load("poll_us=60000000");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &first);
	GT_CHECK(gt_gpk_count(0) == 1, "%u queues", gt_gpk_count(0));
	set_slow(true);
	took = gt_now_ns();
	gt_queue_create(&gpu, 7, &second);
	GT_CHECK(gt_gpk_count(0) == 2, "%u queues", gt_gpk_count(0));
	took = ms_since(took);
	set_slow(false);
	gt_note("a list of two queues took %lu ms", took);
	GT_CHECK(took >= ASK_MS, "amdkfd was not asked");
	GT_CHECK(took < 2 * ASK_MS, "amdkfd was asked twice: %lu ms", took);
	gt_gpk_unload();
}

/* So is whether the waves of a process are on the GPU, which is asked while it has work. */
static void a_look_costs_one_question(void)
{
	uint64_t reads, start, took;
	struct gt_offline offline;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	gt_offline_start(&offline, &gt_endless);
	gt_gpk_wait_busy(1, 10000);
	set_slow(true);
	reads = gt_stat(0, "occupancy_reads");
	start = gt_now_ns();
	gt_sleep_us(3000000);
	reads = gt_stat(0, "occupancy_reads") - reads;
	took = ms_since(start);
	set_slow(false);
	gt_note("%lu questions for waves in %lu ms", reads, took);
	/* All of its time the monitor waits for answers; each has the waves in it. */
	GT_CHECK(reads * ASK_MS * 10 > took * 9, "%lu questions in %lu ms", reads, took);
	gt_offline_kill(&offline);
	gt_gpk_unload();
}

/* Makes queues when the ones of those before it are there; @made: how many there are of all. */
static void make_queues(volatile unsigned int *made, unsigned int number)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	while (*made < number * QUEUES)
		gt_sleep_us(GAP_US);
	for (i = 0; i < QUEUES; i++) {
		gt_queue_create(&gpu, 7, &q);
		__atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST);
		gt_sleep_us(GAP_US);
	}
	for (;;)
		pause();
}

static void queues_that_come_meanwhile_are_listed(void)
{
	volatile unsigned int *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int before, seen, i, nr_lists = 0;
	pid_t pids[PROCESSES];

	gt_gpk_load("poll_us=60000000");
	set_slow(true);
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			make_queues(made, i);
	}
	while (*made < FIRST)
		gt_sleep_us(GAP_US);
	do {
		before = *made;
		seen = gt_gpk_count(0);
		GT_CHECK(seen >= before, "%u queues of %u are listed", seen, before);
		nr_lists += before < PROCESSES * QUEUES;
	} while (before < PROCESSES * QUEUES);
	set_slow(false);
	for (i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	gt_note("%u lists while queues came", nr_lists);
	GT_CHECK(nr_lists >= 2, "the queues were there too soon to show anything");
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "a_list_costs_one_question", a_list_costs_one_question, GT_TINY, 60 },
	{ "a_look_costs_one_question", a_look_costs_one_question, GT_TINY, 60 },
	{ "queues_that_come_meanwhile_are_listed", queues_that_come_meanwhile_are_listed, GT_TINY,
	  60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
