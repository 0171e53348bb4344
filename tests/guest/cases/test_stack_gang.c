// SPDX-License-Identifier: MIT
/*
 * Two jobs with a rank on each of eight GPUs, under policy fair: as gangs they leave and come back
 * together, and meet at their barriers more often. As groups they are the control: each GPU
 * decides by itself, and a job is in part off its GPUs for most of the time.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
#define GPUS 8
#define JOBS 2
/*
 * Eight GPUs and sixteen processes have one processor here, so that a switch of a gang takes
 * some milliseconds. A turn is longer, and a gang is given the time to come back.
 */
#define FAIR "[policy]\nname = fair\nfair.granularity_ns = 40000000\nstall_ns = 200000000\n"
#define WARM_UP_US 200000
#define LOOK_US 500
#define WINDOW_NS 1000000000ull
/*
 * A gang may be in part off its GPUs for so long, two turns and a half: a rank was seen to come
 * back a turn after the others.
 */
#define SPLIT_US 100000
/* So often gangs take turns in the window, at least. */
#define TURNS 8
/* And so often their ranks meet. */
#define MET 90

struct job {
	struct gt_load rank[GPUS];
	unsigned int pasid[GPUS];
	char barrier[32];
};

/* What was seen of both jobs. */
struct seen {
	uint64_t split_us; /* longest time with some ranks on and some off */
	unsigned int turns; /* times that a job was on all GPUs after it had been off all */
	uint64_t met;	    /* times that ranks met */
};

static void start(struct job *job, const char *option, const char *name)
{
	char gpu[4];
	int fd;

	snprintf(job->barrier, sizeof(job->barrier), "/tmp/barrier.%s", name);
	fd = open(job->barrier, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	GT_CHECK(fd >= 0 && !ftruncate(fd, 4096), "%s: %s", job->barrier, strerror(errno));
	close(fd);
	for (int i = 0; i < GPUS; i++) {
		snprintf(gpu, sizeof(gpu), "%d", i);
		GT_LOAD(&job->rank[i], GT_PLAIN, 0, NULL, "gpreempt", "run", option, name, "--",
			"load_rank", "--gpu", gpu, "--ranks", "8", "--barrier", job->barrier);
		job->pasid[i] = gt_pasid_of(job->rank[i].pid);
		GT_CHECK(!gt_daemon_wait_view(job->rank[i].pid, "shim", 1, MS), "rank %d", i);
	}
}

static void stop(struct job *job)
{
	for (int i = 0; i < GPUS; i++)
		kill(job->rank[i].pid, SIGTERM);
	for (int i = 0; i < GPUS; i++)
		gt_load_wait(&job->rank[i], MS);
	unlink(job->barrier);
}

/* Bit mask of the jobs with a queue in a slot of this GPU. */
static unsigned int jobs_on(const struct job *jobs, int gpu)
{
	unsigned int pasid, on = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kfdsim/%d/slots", gpu);
	f = fopen(path, "re");
	GT_CHECK(f, "%s: %s", path, strerror(errno));
	while (fscanf(f, "slot %*u doorbell %*u ring %*x pasid %x vmid %*u waves %*u\n",
		      &pasid) == 1)
		for (int j = 0; j < JOBS; j++)
			on |= (pasid == jobs[j].pasid[gpu]) << j;
	fclose(f);
	return on;
}

static void look(const struct job *jobs, unsigned int nr_on[JOBS])
{
	memset(nr_on, 0, JOBS * sizeof(*nr_on));
	for (int i = 0; i < GPUS; i++) {
		unsigned int on = jobs_on(jobs, i);

		for (int j = 0; j < JOBS; j++)
			nr_on[j] += on >> j & 1;
	}
}

static uint64_t met(const struct job *jobs)
{
	return jobs[0].rank[0].progress->launched + jobs[1].rank[0].progress->launched;
}

static struct seen watch(const struct job *jobs)
{
	uint64_t begin_ns = gt_now_ns(), whole_ns[JOBS] = { begin_ns, begin_ns };
	bool was_off[JOBS] = { false };
	unsigned int nr_on[JOBS];
	struct seen s = { .met = met(jobs) };

	while (gt_now_ns() - begin_ns < WINDOW_NS) {
		look(jobs, nr_on);
		for (int j = 0; j < JOBS; j++) {
			uint64_t now = gt_now_ns(), us = (now - whole_ns[j]) / 1000;

			if (!nr_on[j])
				was_off[j] = true;
			if (nr_on[j] == GPUS) {
				s.turns += was_off[j];
				was_off[j] = false;
			}
			if (!(nr_on[j] % GPUS))
				whole_ns[j] = now;
			else
				s.split_us = us > s.split_us ? us : s.split_us;
		}
		gt_sleep_us(LOOK_US);
	}
	s.met = met(jobs) - s.met;
	return s;
}

static struct seen run(const char *option)
{
	struct job jobs[JOBS];
	struct gt_program daemon;
	struct seen s;

	gt_stack_devices();
	gt_daemon_start(&daemon, FAIR);
	start(&jobs[0], option, "one");
	start(&jobs[1], option, "two");
	gt_sleep_us(WARM_UP_US);
	s = watch(jobs);
	gt_note("%s: in a second ranks met %lu times, jobs took %u turns, longest split %lu us",
		option, s.met, s.turns, s.split_us);
	for (int j = 0; j < JOBS; j++)
		stop(&jobs[j]);
	gt_daemon_stop(&daemon);
	return s;
}

static void gangs_leave_and_come_back_together(void)
{
	struct seen s = run("--gang");

	GT_CHECK(s.split_us <= SPLIT_US, "in part off for %lu us", s.split_us);
	GT_CHECK(s.turns >= TURNS, "%u turns", s.turns);
	GT_CHECK(s.met >= MET, "ranks met %lu times", s.met);
}

static void without_gangs_jobs_stop_each_other(void)
{
	struct seen s = run("--group");

	GT_CHECK(s.split_us > 2 * SPLIT_US, "in part off for %lu us only", s.split_us);
	GT_CHECK(s.turns < TURNS, "%u turns", s.turns);
	GT_CHECK(s.met < MET, "ranks met %lu times", s.met);
}

#define EIGHT GT_TINY " gpus=8"

static const struct gt_case cases[] = {
	{ "gangs_leave_and_come_back_together", gangs_leave_and_come_back_together, EIGHT, 300 },
	{ "without_gangs_jobs_stop_each_other", without_gangs_jobs_stop_each_other,
	  EIGHT, 300 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
