// SPDX-License-Identifier: MIT
/*
 * A GPU with nothing to do costs nothing to simulate, and one that is looked at leaves time
 * for others.
 *
 * Clock: host, it measures processor time
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WATCH_US 2000000ull
#define MOST_LOAD 10	/* in 1000 of a processor */
#define MOST_LOOKING 350

static const struct gt_shape brief = {
	.groups = 1, .waves = 1, .vgprs = 8, .steps = 1, .step_ns = 1000, .seed = 1,
};

static pid_t find_thread(const char *name)
{
	DIR *dir = opendir("/proc");
	char path[300], comm[64];
	struct dirent *e;
	pid_t found = 0;

	while (!found && (e = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strncmp(comm, name, strlen(name)))
			found = atoi(e->d_name);
		fclose(f);
	}
	closedir(dir);
	return found;
}

/* Nanoseconds the thread has run: the first number of schedstat. */
static uint64_t run_ns(pid_t pid)
{
	unsigned long ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "re");
	GT_CHECK(f && fscanf(f, "%lu", &ns) == 1, "%s", path);
	fclose(f);
	return ns;
}

/* In parts per thousand of one processor. */
static unsigned int load_of_cp(void)
{
	pid_t cp = find_thread("kfdsim-cp0");
	uint64_t ns;

	GT_CHECK(cp, "no such thread");
	ns = run_ns(cp);
	gt_sleep_us(WATCH_US);
	return (run_ns(cp) - ns) / WATCH_US;
}

static void idle_gpu_costs_nothing(void)
{
	uint64_t rounds = gt_stat(0, "rounds");
	unsigned int load = load_of_cp();

	gt_note("%u/1000 of a processor", load);
	GT_CHECK(load < MOST_LOAD, "%u/1000", load);
	GT_CHECK(gt_stat(0, "rounds") == rounds, "%lu rounds", gt_stat(0, "rounds") - rounds);
}

/* A mapped queue that has worked and has had nothing to do for half a second. */
static void make_idle_queue(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, 1000), "never noticed");
	gt_sleep_us(500000);
	GT_CHECK(gt_stat(0, "mapped") == 1, "the queue has no slot");
}

/* No thread runs and no timer is set, mapped queue or not. */
static void idle_queue_costs_nothing(void)
{
	unsigned int load;
	uint64_t rounds;

	make_idle_queue();
	rounds = gt_stat(0, "rounds");
	load = load_of_cp();
	gt_note("%u/1000 of a processor with an idle queue", load);
	GT_CHECK(load < MOST_LOAD, "%u/1000", load);
	GT_CHECK(gt_stat(0, "rounds") == rounds, "%lu rounds", gt_stat(0, "rounds") - rounds);
}

/* Control: if the GPU goes on looking, the same measure is over the bound. */
static void endless_look_is_seen(void)
{
	unsigned int load;

	make_idle_queue();
	load = load_of_cp();
	gt_note("%u/1000 of a processor with an idle queue and arm=0", load);
	GT_CHECK(load > MOST_LOAD, "%u/1000: the measure is blind", load);
}

/* However often it should look: what is left of the processor is for those that work. */
static void looks_leave_time_for_others(void)
{
	unsigned int load;

	make_idle_queue();
	load = load_of_cp();
	gt_note("%u/1000 of a processor that looks all the time", load);
	GT_CHECK(load < MOST_LOOKING, "%u/1000", load);
}

static const struct gt_case cases[] = {
	{ "idle_gpu_costs_nothing", idle_gpu_costs_nothing, "profile=tiny", 0 },
	{ "idle_queue_costs_nothing", idle_queue_costs_nothing, "profile=tiny", 0 },
	{ "endless_look_is_seen", endless_look_is_seen, "profile=tiny arm=0", 0 },
	{ "looks_leave_time_for_others", looks_leave_time_for_others,
	  "profile=tiny arm=0 poll_us=1", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
