// SPDX-License-Identifier: MIT
/*
 * More of everything than fits: queues than slots, processes than VMIDs, saves than
 * one would like; and processes that are killed in the middle of it.
 *
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_SAVES 10000
#define NR_CLIENTS 7
#define NR_PROCESSES 16
#define QUEUES_EACH 4
#define NR_SLOTS 24

static const struct gt_shape shape_of_client = {
	.groups = 4, .waves = 1, .vgprs = 8, .lds_bytes = 0,
	.steps = 60, .step_ns = 100000, .seed = 5,
};

static void wait_for_children(unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++) {
		GT_CHECK(wait(&status) > 0, "child %u: %s", i, strerror(errno));
		GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "a client failed");
	}
}

static void launch_and_check(struct gt_kernel *k, struct gt_queue *q, uint64_t *digest)
{
	gt_kernel_launch(k, q);
	GT_CHECK(!gt_kernel_wait(k, 60000), "no end: rptr %lu wptr %lu", *q->rptr, *q->wptr);
	GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	if (*digest)
		GT_CHECK(gt_kernel_digest(k) == *digest, "result changed");
	*digest = gt_kernel_digest(k);
}

/* Runs kernels until the file that says so is there. */
static void busy_client(const char *stop)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest = 0;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &shape_of_client, &k);
	while (access(stop, F_OK))
		launch_and_check(&k, &q, &digest);
	_exit(0);
}

static unsigned int preempt_until(struct gt_queue *q, uint64_t saves)
{
	unsigned int n;

	for (n = 0; gt_stat(0, "saves") < saves; n++) {
		GT_CHECK(!gt_queue_update(q, 0), "preempt");
		GT_CHECK(!gt_queue_update(q, 100), "resume");
		gt_sleep_us(200);
	}
	return n;
}

/* Every UPDATE_QUEUE of one process preempts the queues of all. */
static void ten_thousand_saves_change_nothing(void)
{
	const char *stop = "/tmp/stop";
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i, n;

	unlink(stop);
	for (i = 0; i < NR_CLIENTS; i++)
		if (!fork())
			busy_client(stop);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	n = preempt_until(&q, NR_SAVES);
	fclose(fopen(stop, "w"));
	wait_for_children(NR_CLIENTS);
	gt_note("%u preemptions, %lu saves, %lu restores, %lu bytes saved, %lu restored", n,
		gt_stat(0, "saves"), gt_stat(0, "restores"), gt_stat(0, "save_bytes"),
		gt_stat(0, "restore_bytes"));
	GT_CHECK(gt_stat(0, "saves") == gt_stat(0, "restores"), "saves differ from restores");
	GT_CHECK(gt_stat(0, "save_bytes") == gt_stat(0, "restore_bytes"), "bytes differ");
	GT_CHECK(!gt_stat(0, "faults"), "%lu faults", gt_stat(0, "faults"));
	GT_CHECK(!gt_stat(0, "killed"), "%lu workgroups killed", gt_stat(0, "killed"));
}

static void crowd_member(uint64_t seed)
{
	struct gt_shape shape = shape_of_client;
	struct gt_kernel k[QUEUES_EACH];
	struct gt_queue q[QUEUES_EACH];
	struct gt_gpu gpu;
	int i, round;

	shape.seed = seed;
	shape.step_ns = 300000;
	gt_gpu_open(&gpu, 0);
	for (i = 0; i < QUEUES_EACH; i++) {
		gt_queue_create(&gpu, 7, &q[i]);
		gt_kernel_create(&gpu, &shape, &k[i]);
	}
	for (round = 0; round < 2; round++) {
		for (i = 0; i < QUEUES_EACH; i++)
			gt_kernel_launch(&k[i], &q[i]);
		for (i = 0; i < QUEUES_EACH; i++) {
			GT_CHECK(!gt_kernel_wait(&k[i], 60000), "queue %d did not end", i);
			GT_CHECK(!gt_kernel_check(&k[i]), "%s", gt_kernel_check(&k[i]));
			GT_CHECK(gt_kernel_digest(&k[i]) == gt_kernel_digest(&k[0]), "differs");
		}
	}
	_exit(0);
}

static void crowd(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!fork())
			crowd_member(1 + i);
	wait_for_children(nr);
}

static void oversubscribed_processes_all_finish(void)
{
	crowd(NR_PROCESSES);
	gt_note("%lu rotations, %lu slots at most, %lu saves", gt_stat(0, "rotations"),
		gt_stat(0, "max_slots_used"), gt_stat(0, "saves"));
	GT_CHECK(gt_stat(0, "rotations") > 0, "nothing rotated");
	GT_CHECK(gt_stat(0, "max_slots_used") <= NR_SLOTS, "%lu slots",
		 gt_stat(0, "max_slots_used"));
	GT_CHECK(gt_stat(0, "saves") == gt_stat(0, "restores"), "%lu saves, %lu restores",
		 gt_stat(0, "saves"), gt_stat(0, "restores"));
}

/* Control: what fits is not rotated. */
static void fitting_processes_are_not_rotated(void)
{
	crowd(2);
	GT_CHECK(!gt_stat(0, "rotations"), "%lu rotations", gt_stat(0, "rotations"));
}

static const struct gt_case cases[] = {
	{ "fitting_processes_are_not_rotated", fitting_processes_are_not_rotated,
	  "profile=tiny slots=24 vmids=8", 0 },
	{ "oversubscribed_processes_all_finish", oversubscribed_processes_all_finish,
	  "profile=tiny slots=24 vmids=8", 120 },
	{ "ten_thousand_saves_change_nothing", ten_thousand_saves_change_nothing, "profile=tiny",
	  120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
