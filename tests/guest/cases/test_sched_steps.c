// SPDX-License-Identifier: MIT
/*
 * What gpreempt.ko and the hooks do for an event or a call, counted in basic blocks
 * (kfdsim_steps.c): computing takes no virtual time. What other users have makes none of it
 * much dearer: trees grow by a level when twice as much is in them. And the core is called by
 * the monitor, and by no other thread.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 120
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define LISTENERS 400
#define TIMES 20
#define LOOKERS 8
/* Steps in a tree that has become eleven levels high: to put something in and take it out. */
#define TREE 700
/* A monitor that wakes up only if it is told to. */
#define QUIET_US 60000000

static uint32_t gpu_id;

static uint64_t counter(const char *name)
{
	char path[96], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/kfdsim/parameters/%s", name);
	f = fopen(path, "r");
	GT_CHECK(f && fgets(text, sizeof(text), f), "%s: %s", path, strerror(errno));
	fclose(f);
	return strtoull(text, NULL, 10);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Steps of the module in its threads or (@others) in all others, the median of TIMES: what comes
 * with time is in a few of them only.
 */
static uint64_t steps_of(void (*act)(void), bool others)
{
	const char *name = others ? "steps_others" : "steps_monitor";
	uint64_t before, steps[TIMES];
	int i;

	for (i = 0; i < TIMES; i++) {
		before = counter(name);
		act();
		gt_sleep_us(2000);
		steps[i] = counter(name) - before;
	}
	qsort(steps, TIMES, sizeof(steps[0]), by_size);
	return steps[TIMES / 2];
}

static void judge(const char *what, uint64_t alone, uint64_t beside, unsigned int trees)
{
	gt_note("%s: %lu steps, %lu beside the others", what, alone, beside);
	GT_CHECK(alone > 10, "%s: %lu steps", what, alone);
	GT_CHECK(beside * 2 <= alone * 3 + 2 * trees * TREE, "%s: %lu steps instead of %lu", what,
		 beside, alone);
}

static void begin(void)
{
	struct rlimit many = { .rlim_cur = 4096, .rlim_max = 4096 };

	GT_CHECK(!setrlimit(RLIMIT_NOFILE, &many), "%s", strerror(errno));
	gt_user_load();
	gt_gpk_module_param("gpreempt", "poll_us", QUIET_US);
	gt_gpk_module_param("gpreempt", "tick_us", QUIET_US);
	gpu_id = gt_gpk_gpu_id();
}

static struct gt_offline job;

/* Two switches, two changes of state. */
static void hold_and_release(void)
{
	GT_EXPECT(0, gt_gpk_hold(gpu_id, job.pid, ALL, LEASE_MS));
	GT_EXPECT(0, gt_gpk_release(gpu_id, job.pid, ALL));
}

static void events_cost_the_same_for_any_number_of_files(void)
{
	int i, fds[LISTENERS];
	uint64_t alone;

	begin();
	gt_offline_start(&job, &gt_endless);
	fds[0] = gt_gpk_events_open();
	alone = steps_of(hold_and_release, false);
	for (i = 1; i < LISTENERS; i++)
		fds[i] = gt_gpk_events_open();
	judge("a switch by hand", alone, steps_of(hold_and_release, false), 0);
	for (i = 0; i < LISTENERS; i++)
		close(fds[i]);
	gt_offline_kill(&job);
	gt_gpk_unload();
}

/* Processes of others with a queue and holds each; and many without a queue. */
#define OTHERS 150
#define FILES 8
#define PLAIN 400

static pid_t others[OTHERS + PLAIN];

static void other_run(unsigned int i, int ready)
{
	struct gt_queue q;
	struct gt_gpu gpu;

	int k;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_gpk_close();
	if (i < OTHERS) {
		gt_gpu_open(&gpu, 0);
		gt_queue_create(&gpu, 7, &q);
		for (k = 0; k < FILES; k++) {
			gt_gpk_dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
			GT_EXPECT(0, gt_gpk_hold(gpu_id, getpid(), ALL, LEASE_MS));
		}
	}
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void others_start(void)
{
	unsigned int i;
	int ready[2];
	char c;

	GT_CHECK(!pipe(ready), "pipe");
	for (i = 0; i < OTHERS + PLAIN; i++) {
		others[i] = fork();
		GT_CHECK(others[i] >= 0, "fork");
		if (!others[i])
			other_run(i, ready[1]);
		GT_CHECK(read(ready[0], &c, 1) == 1, "process %u", i);
	}
	gt_sleep_us(100000);
}

static void others_end(void)
{
	unsigned int i;

	for (i = 0; i < OTHERS + PLAIN; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
}

static void trigger(void)
{
	struct gpreempt_ioc_trigger arg = { .size = sizeof(arg), .gpu_id = gpu_id, .pidfd = -1 };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &arg), "%s", strerror(errno));
}

static void set_weight(void)
{
	static uint32_t round;
	struct gpreempt_ioc_attr arg = { .valid = GPREEMPT_ATTR_F_WEIGHT,
					 .weight = 1 + round++ % 2 };

	GT_EXPECT(0, gt_user_set_attr(-1, arg));
}

static void set_group(void)
{
	static uint32_t round;
	struct gpreempt_ioc_attr arg = { .valid = GPREEMPT_ATTR_F_GROUP, .group = 1 + round++ % 2 };

	/* Not more often than they are carried out. */
	gt_sleep_us(150000);
	GT_EXPECT(0, gt_user_set_attr(-1, arg));
}

static void fork_and_set_weight(void)
{
	int status;
	pid_t pid = fork();

	GT_CHECK(pid >= 0, "fork");
	if (!pid) {
		set_weight();
		_exit(0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "process: %x", status);
}

/* An event of a node that is nothing to others. */
static void look(void)
{
	struct gpreempt_ioc_hist hist = { .size = sizeof(hist), .gpu_id = gpu_id };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_HIST, &hist), "%s", strerror(errno));
}

static void hold_and_release_self(void)
{
	GT_EXPECT(0, gt_gpk_hold(gpu_id, getpid(), ALL, LEASE_MS));
	GT_EXPECT(0, gt_gpk_release(gpu_id, getpid(), ALL));
}

/* Of a process without queues. */
static void release_none(void)
{
	pid_t pid = fork();

	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		for (;;)
			pause();
	GT_EXPECT(-ESRCH, gt_gpk_release(gpu_id, pid, ALL));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void open_and_close(void)
{
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);

	GT_CHECK(fd >= 0, "%s", strerror(errno));
	close(fd);
}

static const struct {
	const char *name;
	void (*act)(void);
	unsigned int trees; /* that it changes or looks into */
	bool others;	    /* it costs its caller, not the monitor */
} calls[] = {
	{ "a round of the monitor", look, 1, false },
	{ "a look at once", trigger, 1, false },
	{ "a weight", set_weight, 1, false },
	{ "a group", set_group, 1, false },
	{ "what is first said of a process", fork_and_set_weight, 0, true },
	/* Holds are in five trees. */
	{ "a switch by hand", hold_and_release_self, 6, false },
	{ "a release of nothing", release_none, 1, false },
	{ "a file", open_and_close, 0, true },
};
#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

/* An ordinary user, without children, with a queue; measures when it is told to. */
static void measure(int orders, int answers)
{
	uint64_t steps[NR_CALLS];
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_user_become(GT_USER);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	while (read(orders, &c, 1) == 1) {
		for (i = 0; i < NR_CALLS; i++)
			steps[i] = steps_of(calls[i].act, calls[i].others);
		GT_CHECK(write(answers, steps, sizeof(steps)) == sizeof(steps), "answer");
	}
	_exit(0);
}

static void ask(int orders, int answers, uint64_t *steps)
{
	ssize_t bytes = NR_CALLS * sizeof(*steps);

	GT_CHECK(write(orders, "x", 1) == 1 && read(answers, steps, bytes) == bytes, "no answer");
}

static void calls_cost_the_same_beside_other_processes(void)
{
	uint64_t alone[NR_CALLS], beside[NR_CALLS];
	int orders[2], answers[2];
	unsigned int i;
	pid_t pid;

	begin();
	GT_CHECK(!pipe(orders) && !pipe(answers), "pipe");
	pid = fork();
	if (!pid)
		measure(orders[0], answers[1]);
	ask(orders[1], answers[0], alone);
	others_start();
	ask(orders[1], answers[0], beside);
	others_end();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < NR_CALLS; i++)
		judge(calls[i].name, alone[i], beside[i], calls[i].trees);
	gt_gpk_unload();
}

static void read_file(const char *fmt)
{
	char path[96], text[4096];
	int fd;

	snprintf(path, sizeof(path), fmt, gpu_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	GT_CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* Everything that a caller can see. */
static void *look_at_all(void *unused)
{
	struct gpreempt_ioc_stats stats = { .size = sizeof(stats), .gpu_id = gpu_id };
	struct gpreempt_ioc_hist hist = { .size = sizeof(hist), .gpu_id = gpu_id };
	struct gpreempt_ioc_policy policy = { .size = sizeof(policy), .gpu_id = gpu_id };
	struct gpreempt_ioc_list list = { .size = sizeof(list) };
	int i;

	for (i = 0; i < TIMES; i++) {
		list.nr = hist.nr = 0;
		GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &list), "%s", strerror(errno));
		GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_STATS, &stats), "%s", strerror(errno));
		GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_HIST, &hist), "%s", strerror(errno));
		GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_GET_POLICY, &policy), "%s",
			 strerror(errno));
		read_file("/sys/kernel/gpreempt/%u/nr_switches");
		read_file("/sys/kernel/gpreempt/%u/switch_p99_ns");
		read_file("/sys/kernel/gpreempt/%u/breaker");
		read_file("/sys/kernel/gpreempt/%u/policy");
		read_file("/sys/kernel/debug/gpreempt/%u/dump");
		read_file("/sys/kernel/debug/gpreempt/%u/timeline");
		gt_sleep_us(500);
	}
	return NULL;
}

/* While the scheduler works: nothing of a node is locked. */
static void the_core_is_called_by_the_monitor_only(void)
{
	pthread_t threads[LOOKERS];
	uint64_t before;
	int i;

	begin();
	gt_offline_start(&job, &gt_endless);
	before = counter("core_elsewhere");
	GT_CHECK(before, "calls of the core are not counted: the start is one");
	for (i = 0; i < LOOKERS; i++)
		GT_CHECK(!pthread_create(&threads[i], NULL, look_at_all, NULL), "thread %d", i);
	for (i = 0; i < TIMES; i++) {
		hold_and_release();
		gt_gpk_set_enabled(i % 2);
		GT_EXPECT(0, gt_user_set_prio(-1, 1 + i % 2));
	}
	for (i = 0; i < LOOKERS; i++)
		pthread_join(threads[i], NULL);
	before = counter("core_elsewhere") - before;
	GT_CHECK(!before, "%lu calls of the core by other threads", before);
	gt_offline_kill(&job);
	gt_gpk_unload();
}

#define THREADS 500

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

static void be_stopped(unsigned int nr_threads, int ready)
{
	pthread_attr_t small;
	struct gt_queue q;
	struct gt_gpu gpu;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	while (--nr_threads)
		GT_CHECK(!pthread_create(&thread, &small, wait_for_ever, NULL), "thread");
	GT_CHECK(write(ready, "x", 1) == 1, "pipe");
	wait_for_ever(NULL);
}

static int stopped_pidfd;

static void trigger_stopped(void)
{
	struct gpreempt_ioc_trigger arg = {
		.size = sizeof(arg),
		.gpu_id = gpu_id,
		.pidfd = stopped_pidfd,
	};

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &arg), "%s", strerror(errno));
}

static uint64_t steps_of_a_stopped_one(unsigned int nr_threads)
{
	uint64_t steps;
	int ready[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe(ready), "pipe");
	pid = fork();
	if (!pid)
		be_stopped(nr_threads, ready[1]);
	GT_CHECK(read(ready[0], &c, 1) == 1, "the process has ended");
	stopped_pidfd = gt_user_pidfd(pid);
	kill(pid, SIGSTOP);
	gt_sleep_us(100000);
	steps = steps_of(trigger_stopped, false);
	close(stopped_pidfd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return steps;
}

static void a_stopped_process_costs_the_same_for_any_number_of_threads(void)
{
	uint64_t alone;

	begin();
	/* Where scheduling is off nothing is held. */
	gt_gpk_set_enabled(true);
	alone = steps_of_a_stopped_one(1);
	judge("a look at a stopped process", alone, steps_of_a_stopped_one(THREADS), 0);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "events_cost_the_same_for_any_number_of_files",
	  events_cost_the_same_for_any_number_of_files, GT_TINY, SECONDS },
	{ "calls_cost_the_same_beside_other_processes",
	  calls_cost_the_same_beside_other_processes, GT_TINY, SECONDS },
	{ "a_stopped_process_costs_the_same_for_any_number_of_threads",
	  a_stopped_process_costs_the_same_for_any_number_of_threads, GT_TINY, SECONDS },
	{ "the_core_is_called_by_the_monitor_only", the_core_is_called_by_the_monitor_only, GT_TINY,
	  SECONDS },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
