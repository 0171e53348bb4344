// SPDX-License-Identifier: MIT
/*
 * The story of one preemption of machine code, as a picture shows it: a compiled kernel runs, AMD's
 * driver is told to stop its queue, AMD's trap handler saves its waves, another compiled kernel
 * runs, the first one is brought back and goes on. Its lines "timeline" are what tools/isa-picture
 * draws; here it is held that they come in that order, and that both results are exact.
 *
 * Needs: kernels
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_code.h"
#include "gt/gt_ftrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

cpu_kernel churn, churn_shared;

static const struct launch training = { "churn", { 64, 1 }, { 64, 1 }, 10000 };
static const struct launch request = { "churn_shared", { 128, 1 }, { 9, 1 }, 3000 };

/* What happens to the queue of the training, in this order; the request comes in between. */
static const char *const steps[] = { "dispatch ", "save ", "saved ", "restore ", "restored ",
				     "dispatched " };

static void tell(const struct gt_ftrace *t, uint32_t doorbell)
{
	char queue[32], text[160];
	uint64_t at, begin = 0;
	size_t i, step = 0;

	snprintf(queue, sizeof(queue), "doorbell=%#x ", doorbell);
	for (i = 0; i < t->nr; i++) {
		const char *line = t->line[i].text, *who = "request";
		const char *time = strstr(line, " at=");
		char kind[16];

		if (!time || sscanf(line, "gpu: gpu=%*u %15s", kind) != 1)
			continue;
		at = strtoull(time + 4, NULL, 10);
		begin = begin ? begin : at;
		if (strstr(line, queue))
			who = "training";
		snprintf(text, sizeof(text), "%s ", kind);
		if (!strcmp(who, "training") && step < sizeof(steps) / sizeof(steps[0]) &&
		    !strcmp(text, steps[step]))
			step++;
		gt_note("timeline %s %s %lu", who, kind, at - begin);
	}
	GT_CHECK(step == sizeof(steps) / sizeof(steps[0]), "it ends at step %zu", step);
}

static void a_compiled_kernel_gives_way(void)
{
	uint64_t saves;
	struct gt_queue first, second;
	struct gt_run long_run, short_run;
	struct gt_ftrace trace;
	struct gt_code code;
	struct gt_gpu gpu;
	uint32_t doorbell;

	prctl(PR_SET_TIMERSLACK, 1);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &first);
	gt_queue_create(&gpu, 7, &second);
	gt_code_load(&gpu, "kernels", &code);
	gt_run_create(&gpu, &training, &long_run);
	gt_run_create(&gpu, &request, &short_run);
	gt_run_fill(&long_run, 1);
	gt_run_fill(&short_run, 2);
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "the queues are not mapped");
	doorbell = gt_queue_doorbell(&first);
	saves = gt_stat(0, "saves");
	gt_ftrace_start();
	gt_run_start(&long_run, &first, &code);
	gt_sleep_us(1000);
	GT_CHECK(!gt_queue_update(&first, 0), "stop: %s", strerror(errno));
	gt_run_start(&short_run, &second, &code);
	GT_CHECK(!gt_run_wait(&short_run, 20000), "the request does not end");
	GT_CHECK(long_run.signal->value == 1, "training ended before");
	GT_CHECK(!gt_queue_update(&first, 100), "go on: %s", strerror(errno));
	GT_CHECK(!gt_run_wait(&long_run, 20000), "training does not end");
	gt_ftrace_stop(&trace);
	GT_CHECK(gt_stat(0, "saves") > saves, "nothing was saved");
	GT_CHECK(gt_run_is_right(&long_run, churn), "training: wrong result");
	GT_CHECK(gt_run_is_right(&short_run, churn_shared), "request: wrong result");
	tell(&trace, doorbell);
	gt_ftrace_free(&trace);
}

static const struct gt_case cases[] = {
	{ "a_compiled_kernel_gives_way", a_compiled_kernel_gives_way, "profile=mi300x", 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
