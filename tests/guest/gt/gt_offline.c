// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gt/expect.h"

#define PRIO 2
#define KERNEL_MS 60000
#define START_MS 10000

const struct gt_shape gt_endless = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 400000, .step_ns = 1000000, .seed = 5,
};

const struct gt_shape gt_third = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 300, .step_ns = 1000000, .seed = 6,
};

const struct gt_shape gt_brief = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 20, .step_ns = 10000, .seed = 7,
};

static bool is_right(const struct gt_kernel *k, const uint64_t *expected)
{
	uint32_t i;

	if (gt_kernel_check(k))
		return false;
	for (i = 0; i < k->nr_groups * k->waves; i++)
		if (k->out[i] != expected[i])
			return false;
	return true;
}

/* NULL for a shape that never ends. */
static uint64_t *expect(const struct gt_shape *s)
{
	struct expect_shape shape = { s->groups, s->waves, s->vgprs, s->lds_bytes, s->steps,
				      s->seed };

	if (s == &gt_endless)
		return NULL;
	return expect_results(&shape);
}

static void run(struct gt_offline_shared *shared, const struct gt_shape *shape)
{
	struct gt_shape slowed = *shape;
	uint64_t *expected;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	/* A case that fails leaves no process behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	expected = expect(shape);
	gt_gpk_set_attr(PRIO, -1);
	/* Or the file stays open when the test closes it. */
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	slowed.step_ns *= gt_slowness();
	gt_kernel_create(&gpu, &slowed, &k);
	while (!shared->stop) {
		gt_kernel_launch(&k, &q);
		shared->runs = 1;
		if (gt_kernel_wait(&k, KERNEL_MS))
			_exit(1);
		if (is_right(&k, expected))
			shared->nr_kernels++;
		else
			shared->nr_wrong++;
	}
	_exit(0);
}

void gt_offline_start(struct gt_offline *o, const struct gt_shape *shape)
{
	uint64_t end = gt_deadline_ns(START_MS);

	o->shared = mmap(NULL, sizeof(*o->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	GT_CHECK(o->shared != MAP_FAILED, "memory");
	o->pid = fork();
	GT_CHECK(o->pid >= 0, "fork");
	if (!o->pid)
		run(o->shared, shape);
	while (!o->shared->runs) {
		GT_CHECK(gt_now_ns() < end && !waitpid(o->pid, NULL, WNOHANG),
			 "the offline process did not begin");
		gt_sleep_us(1000);
	}
	gt_gpk_wait_waves(shape->groups * shape->waves, START_MS);
}

static void forget(struct gt_offline *o)
{
	munmap(o->shared, sizeof(*o->shared));
	o->pid = -1;
}

uint32_t gt_offline_finish(struct gt_offline *o, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	uint32_t nr;
	int status;

	o->shared->stop = 1;
	while (waitpid(o->pid, &status, WNOHANG) != o->pid) {
		GT_CHECK(gt_now_ns() < end, "the offline process does not end");
		gt_sleep_us(1000);
	}
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "the offline process failed");
	GT_CHECK(!o->shared->nr_wrong && o->shared->nr_kernels, "%u results wrong, %u right",
		 o->shared->nr_wrong, o->shared->nr_kernels);
	nr = o->shared->nr_kernels;
	forget(o);
	return nr;
}

void gt_offline_kill(struct gt_offline *o)
{
	kill(o->pid, SIGKILL);
	waitpid(o->pid, NULL, 0);
	forget(o);
}

/* The first mapped queue that is @doorbell, or that is not; 0 = there is none. */
static uint32_t find_slot(uint32_t doorbell, bool is_it)
{
	const char *path = "/sys/kernel/debug/kfdsim/0/slots";
	FILE *f = fopen(path, "re");
	uint32_t found;

	GT_CHECK(f, "%s: %s", path, strerror(errno));
	while (fscanf(f, "slot %*u doorbell %u ring %*x pasid %*x vmid %*u waves %*u\n",
		      &found) == 1)
		if ((found == doorbell) == is_it) {
			fclose(f);
			return found;
		}
	fclose(f);
	return 0;
}

uint32_t gt_other_doorbell(uint32_t other)
{
	uint32_t doorbell = find_slot(other, false);

	GT_CHECK(doorbell, "no other queue has a slot");
	return doorbell;
}

bool gt_has_slot(uint32_t doorbell)
{
	return find_slot(doorbell, true);
}

int gt_online_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms)
{
	int r;

	gt_kernel_launch(k, q);
	r = gt_kernel_wait(k, ms);
	if (!r)
		GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	return r;
}
