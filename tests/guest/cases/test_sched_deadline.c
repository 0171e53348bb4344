// SPDX-License-Identifier: MIT
/*
 * A deadline belongs to a request: beside a process that never runs out of work, requests
 * with a nearer deadline are in time, and both get what they need.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_gpk.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Saving waves is a matter of simulated time here, not of an emulated copy. */
#define PARAMS "profile=tiny engine=timed poll_us=50"
#define SERVED_MS 10000
#define MS_NS 1000000ull

/* A request every 20 ms takes 12 ms of the GPU and is to be done within 18. */
#define REQUESTS 150
#define PERIOD_NS (20 * MS_NS)
#define TIGHT_NS (18 * MS_NS)
/* The stream gets 8 ms of 20. Each of its requests takes 2 ms, and two are there always. */
#define STREAM_NS (100 * MS_NS)
#define STREAM_MIN (REQUESTS * 3)

static const struct gt_shape tight = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 120, .step_ns = 100000, .seed = 1,
};

static const struct gt_shape part = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 20, .step_ns = 100000, .seed = 2,
};

static void set_policy(const char *name)
{
	struct gpreempt_ioc_policy arg = { .size = sizeof(arg),
					   .valid = GPREEMPT_POLICY_F_POLICY };

	strcpy(arg.policy, name);
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &arg), "%s: %s", name,
		 strerror(errno));
}

static void set_deadline(uint64_t ns)
{
	struct gpreempt_ioc_attr arg = {
		.size = sizeof(arg), .pidfd = -1, .deadline_ns = ns,
		.detect = GPREEMPT_DETECT_DOORBELL,
		.valid = GPREEMPT_ATTR_F_DEADLINE | GPREEMPT_ATTR_F_DETECT,
	};

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg), "attributes: %s",
		 strerror(errno));
}

static void stream(volatile unsigned int *nr_done)
{
	struct gt_kernel k[2];
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i;

	/* A case that fails leaves no process behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_deadline(STREAM_NS);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	for (i = 0; i < 2; i++) {
		gt_kernel_create(&gpu, &part, &k[i]);
		gt_kernel_launch(&k[i], &q);
	}
	for (i = 0;; i ^= 1) {
		if (gt_kernel_wait(&k[i], SERVED_MS))
			_exit(1);
		(*nr_done)++;
		gt_kernel_launch(&k[i], &q);
	}
}

/* Return: how many of the requests were late. */
static unsigned int request_all(struct gt_kernel *k, struct gt_queue *q)
{
	uint64_t now, begin = gt_now_ns();
	unsigned int i, nr_late = 0;

	for (i = 0; i < REQUESTS; i++, begin += PERIOD_NS) {
		now = gt_now_ns();
		if (now < begin)
			gt_sleep_us((begin - now) / 1000);
		gt_kernel_launch(k, q);
		GT_CHECK(!gt_kernel_wait(k, SERVED_MS), "request %u: not served", i);
		nr_late += gt_now_ns() - begin > TIGHT_NS;
	}
	return nr_late;
}

/* Return: how many requests were late; @nr_stream: of the stream's, how many were done. */
static unsigned int beside_stream(const char *policy, unsigned int *nr_stream)
{
	volatile unsigned int *nr_done = mmap(NULL, sizeof(*nr_done), PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int nr_late;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid;

	gt_gpk_load("");
	set_policy(policy);
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		stream(nr_done);
	set_deadline(TIGHT_NS);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &tight, &k);
	gt_gpk_wait_waves(part.groups * part.waves, SERVED_MS);
	*nr_done = 0;
	nr_late = request_all(&k, &q);
	*nr_stream = *nr_done;
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
	gt_note("%s: %u of %u late, stream %u", policy, nr_late, REQUESTS, *nr_stream);
	return nr_late;
}

static void keeps_deadlines(const char *policy)
{
	unsigned int nr_stream, nr_late = beside_stream(policy, &nr_stream);

	GT_CHECK(nr_late <= REQUESTS / 100, "%u requests were late", nr_late);
	GT_CHECK(nr_stream >= STREAM_MIN, "the stream did %u", nr_stream);
}

static void edf_keeps_deadlines_beside_a_stream(void)
{
	keeps_deadlines("edf");
}

static void laxity_keeps_deadlines_beside_a_stream(void)
{
	keeps_deadlines("laxity");
}

/* Control: the load is one in which order matters. */
static void fair_does_not(void)
{
	unsigned int nr_stream, nr_late = beside_stream("fair", &nr_stream);

	GT_CHECK(nr_late > REQUESTS / 2, "%u requests were late", nr_late);
}

static const struct gt_case cases[] = {
	{ "edf_keeps_deadlines_beside_a_stream", edf_keeps_deadlines_beside_a_stream, PARAMS, 60 },
	{ "laxity_keeps_deadlines_beside_a_stream", laxity_keeps_deadlines_beside_a_stream, PARAMS,
	  60 },
	{ "fair_does_not", fair_does_not, PARAMS, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
