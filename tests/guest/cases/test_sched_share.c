// SPDX-License-Identifier: MIT
/*
 * Attackers on the GPU of root's job, under policy fair of gpreempt.ko: beside a process of
 * another user that plays fair, root's job has half of the GPU. Beside one that plays a trick
 * on the module it has no less than four fifths of that.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_attack.h"
#include "gt/gt_offline.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 120
#define MS 10000
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define WARM_UP_US 100000
#define PLAY_US 1000000
#define KERNEL_US 2000
#define IN_FLIGHT 2
#define LOOP_US 200

/* Needs all of a tiny GPU for 2 ms. */
static const struct gt_shape shape = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536, .steps = 20, .step_ns = 100000,
	.seed = 9,
};

/* Of the attacker. */
static struct gt_gpu gpu;
static struct gt_queue queue;
static struct gt_kernel kernels[IN_FLIGHT];
static uint32_t gpu_id;

typedef void (*trick_fn)(unsigned int round);

static void launch_all(void)
{
	unsigned int i;

	for (i = 0; i < IN_FLIGHT; i++)
		gt_kernel_launch(&kernels[i], &queue);
}

static void keep_busy(void)
{
	unsigned int i;

	for (i = 0; i < IN_FLIGHT; i++)
		if (!kernels[i].signal->value)
			gt_kernel_launch(&kernels[i], &queue);
}

static void open_queue(void)
{
	unsigned int i;

	gt_gpk_reopen();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &queue);
	for (i = 0; i < IN_FLIGHT; i++)
		gt_kernel_create(&gpu, &shape, &kernels[i]);
	launch_all();
}

/*
 * LOOP_US on average. Calls at fixed times would meet the GPU always in the same moment of root's
 * kernel, or never: what is seen then is that moment.
 */
static uint64_t pause_us(void)
{
	static uint64_t state = 88172645463325252ull;

	/* xorshift64 */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return LOOP_US / 2 + state % LOOP_US;
}

static void play(trick_fn trick)
{
	unsigned int round;

	gt_who_become(GT_WHO_USER);
	open_queue();
	for (round = 0;; round++) {
		keep_busy();
		trick(round);
		gt_sleep_us(pause_us());
	}
}

static void plays_fair(unsigned int round)
{
}

/* A queue that is never old. */
static void makes_new_queues(unsigned int round)
{
	if (round % 8)
		return;
	gt_queue_destroy(&queue);
	gt_queue_create(&gpu, 7, &queue);
	launch_all();
}

/* A process that is never old, and never the same; the first has no work. */
static void makes_new_processes(unsigned int round)
{
	pid_t pid;

	if (!round)
		gt_queue_destroy(&queue);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		open_queue();
		for (round = 0; round < 20; round++) {
			keep_busy();
			gt_sleep_us(pause_us());
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void changes_its_group(unsigned int round)
{
	gt_user_set_attr(-1, (struct gpreempt_ioc_attr){ .valid = GPREEMPT_ATTR_F_GROUP,
							 .group = 1 + round % 2 });
}

static void changes_its_weight(unsigned int round)
{
	gt_user_set_attr(-1, (struct gpreempt_ioc_attr){ .valid = GPREEMPT_ATTR_F_WEIGHT,
							 .weight = round % 2 ? 1 : 100 });
}

/* Each is a cycle of the GPU, in which all are taken off. */
static void holds_itself(unsigned int round)
{
	struct gpreempt_ioc_ref ref = { .pidfd = -1, .queue_id = ALL, .gpu_id = gpu_id };
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .refs = (uintptr_t)&ref,
		.ref_size = sizeof(ref), .nr_out = !(round % 2), .nr_in = round % 2,
		.lease_ms = round % 2 ? 0 : 1000,
	};

	ioctl(gt_gpk_dev, GPREEMPT_IOC_SWITCH, &arg);
}

/* Of a process without work: each stop takes it off the GPU, in a cycle that all are in. */
static void stops_a_process(unsigned int round)
{
	struct gpreempt_ioc_trigger look = { .size = sizeof(look), .gpu_id = gpu_id };
	static pid_t pid;
	static int pidfd;

	if (!round) {
		pid = fork();
		GT_CHECK(pid >= 0, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			gt_gpu_open(&gpu, 0);
			gt_queue_create(&gpu, 7, &queue);
			for (;;)
				pause();
		}
		pidfd = gt_user_pidfd(pid);
	}
	kill(pid, round % 2 ? SIGSTOP : SIGCONT);
	look.pidfd = pidfd;
	ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &look);
}

static void asks_not_to_be_looked_at(unsigned int round)
{
	gt_user_set_attr(-1, (struct gpreempt_ioc_attr){ .valid = GPREEMPT_ATTR_F_DETECT,
							 .detect = GPREEMPT_DETECT_MANUAL });
}

/*
 * Kernels of root's job that end beside the other, in thousandths of all there could be.
 * @enabled: the module schedules.
 */
static uint64_t share_beside(trick_fn trick, bool enabled)
{
	struct gpreempt_ioc_policy fair = { .size = sizeof(fair), .policy = "fair",
					    .valid = GPREEMPT_POLICY_F_POLICY };
	struct gt_offline job;
	uint32_t before;
	pid_t pid;

	gt_user_load();
	gpu_id = gt_gpk_gpu_id();
	gt_gpk_set_enabled(enabled);
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_POLICY, &fair), "fair: %s", strerror(errno));
	gt_offline_start(&job, &shape);
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(job.pid), 7));
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		play(trick);
	gt_sleep_us(WARM_UP_US);
	before = job.shared->nr_kernels;
	gt_sleep_us(PLAY_US);
	before = job.shared->nr_kernels - before;
	GT_CHECK(!waitpid(pid, NULL, WNOHANG), "the attacker has ended");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	gt_offline_finish(&job, MS);
	gt_gpk_unload();
	return before * 1000ull * KERNEL_US / PLAY_US;
}

static void judge(const char *name, trick_fn trick)
{
	uint64_t usual = share_beside(plays_fair, true), own = share_beside(trick, true);
	uint64_t without = share_beside(trick, false);

	gt_note("%s: root's job has %lu of 1000, beside a fair one %lu; by the driver alone %lu",
		name, own, usual, without);
	GT_CHECK(usual > 250 && usual < 700, "a fair one leaves %lu", usual);
	/* What the driver lets every process do to the others the module does not prevent. */
	usual = without < usual ? without : usual;
	GT_CHECK(own * 10 > usual * 8, "only %lu of %lu", own, usual);
}

#define TRICKS(X)                                  \
	X(makes_new_queues)                        \
	X(makes_new_processes)                     \
	X(changes_its_group) X(changes_its_weight) \
		X(holds_itself) X(stops_a_process) X(asks_not_to_be_looked_at)

#define X(trick)                           \
	static void case_##trick(void)     \
	{                                  \
		judge(#trick, trick);      \
	}
TRICKS(X)
#undef X

#define X(trick) \
	{ "root_keeps_its_share_beside_one_that_" #trick, case_##trick, GT_TINY, SECONDS },

static const struct gt_case cases[] = {
	TRICKS(X)
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
