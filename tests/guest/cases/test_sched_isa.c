// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko and machine code: a compiled kernel of a process that is not urgent, which fills
 * the GPU, is saved by AMD's handler for requests of one that is, and all results are those of
 * the processor's build.
 *
 * Variant: hooks
 * Needs: kernels
 */
#define _GNU_SOURCE
#include "gt/gt_code.h"
#include "gt/gt_gpk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_REQUESTS 6

cpu_kernel churn;

/* As many waves as the GPU holds, for ten milliseconds of its time. */
static const struct launch offline = { "churn", { 64, 1 }, { 256, 1 }, 8000 };
static const struct launch online = { "churn", { 64, 1 }, { 8, 1 }, 20 };

struct client {
	struct gt_gpu gpu;
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
};

static void begin(struct client *c, const struct launch *launch)
{
	gt_gpu_open(&c->gpu, 0);
	gt_queue_create(&c->gpu, 7, &c->q);
	gt_code_load(&c->gpu, "kernels", &c->code);
	gt_run_create(&c->gpu, launch, &c->run);
}

static void run_once(struct client *c, uint64_t seed, const char *who)
{
	gt_run_fill(&c->run, seed);
	gt_run_start(&c->run, &c->q, &c->code);
	GT_CHECK(!gt_run_wait(&c->run, 60000), "%s: no end", who);
	GT_CHECK(gt_run_is_right(&c->run, churn), "%s: wrong result", who);
}

/* Kernels one after the other until it is told that this was the last. */
static void be_offline(int stop)
{
	struct client c;
	uint64_t seed = 0;
	char byte;

	gt_gpk_reopen();
	gt_gpk_set_attr(1, -1);
	begin(&c, &offline);
	while (read(stop, &byte, 1) < 0 && errno == EAGAIN)
		run_once(&c, seed++, "offline");
	_exit(0);
}

static void urgent_requests_stop_a_compiled_kernel(void)
{
	uint64_t saves, restores;
	struct client c;
	int stop[2], status, i;
	pid_t pid;

	gt_gpk_load("");
	GT_CHECK(!pipe2(stop, O_NONBLOCK), "%s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(stop[1]);
		be_offline(stop[0]);
	}
	close(stop[0]);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	begin(&c, &online);
	saves = gt_stat(0, "saves");
	restores = gt_stat(0, "restores");
	for (i = 0; i < NR_REQUESTS; i++) {
		gt_gpk_wait_waves(offline.groups[0], 60000);
		run_once(&c, 1000 + i, "online");
	}
	saves = gt_stat(0, "saves") - saves;
	gt_note("%d requests, %lu saves", NR_REQUESTS, saves);
	/* One that comes when a kernel is about to end finds room without. */
	GT_CHECK(saves >= NR_REQUESTS / 2, "%lu saves", saves);
	close(stop[1]);
	GT_CHECK(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "offline failed: %x", status);
	GT_CHECK(gt_stat(0, "restores") - restores == saves, "not all were restored");
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "urgent_requests_stop_a_compiled_kernel", urgent_requests_stop_a_compiled_kernel,
	  "profile=tiny", 300 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
