// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_attack.h"
#include "gt/gt_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUESTS 12
/* What root's own processes do beside its request is no attack, and is seen in these. */
#define REQUESTS_ALONE 60
#define MOST_RATIO 5
/* Between two requests, and two bursts beside them. */
#define GAP_US 3000
#define BURST_GAP_US 500

/*
 * Which of them runs if several want to: threads of a burst, their process, the one that asks, the
 * daemon. The guest has one processor. Where an attacker runs instead of the daemon, the guest's
 * kernel gives it the processor that it has a right to, and the daemon can do nothing about it: an
 * attacker beside it runs while all of these sleep. The one that asks is before the daemon: else
 * it would read the clock when the daemon has done all there is to do.
 */
#define FIFO_BURST 4
#define FIFO_ATTACKER 3
#define FIFO_ROOT 2
#define FIFO_DAEMON 1

/* Of the attacker's process. */
static const struct gt_attack_plan *plan;
static sem_t go[GT_ATTACK_THREADS];
static unsigned int nr_done;

static void set_fifo_of(pid_t pid, int flags, int prio)
{
	struct sched_param p = { .sched_priority = prio };

	GT_CHECK(!sched_setscheduler(pid, SCHED_FIFO | flags, &p), "SCHED_FIFO: %s",
		 strerror(errno));
}

static void set_fifo(int prio)
{
	set_fifo_of(0, 0, prio);
}

void gt_attack_daemon(pid_t pid)
{
	set_fifo_of(pid, SCHED_RESET_ON_FORK, FIFO_DAEMON);
}

static void set_policy(int policy)
{
	struct sched_param p = {};

	GT_CHECK(!sched_setscheduler(0, policy, &p), "policy %d: %s", policy, strerror(errno));
}

static void become_user(void)
{
	gid_t render = GT_GROUP_RENDER;

	GT_CHECK(!setgroups(1, &render) && !setgid(GT_USER) && !setuid(GT_USER), "%s",
		 strerror(errno));
}

/* What Docker leaves to the root of a container. */
#define CAP(name) (1u << CAP_##name)
#define CAPS_KEPT                                                                               \
	(CAP(CHOWN) | CAP(DAC_OVERRIDE) | CAP(FOWNER) | CAP(FSETID) | CAP(KILL) | CAP(SETGID) | \
	 CAP(SETUID) | CAP(SETPCAP) | CAP(NET_BIND_SERVICE) | CAP(NET_RAW) | CAP(SYS_CHROOT) |  \
	 CAP(MKNOD) | CAP(AUDIT_WRITE) | CAP(SETFCAP))

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .effective = CAPS_KEPT,
						    .permitted = CAPS_KEPT } };
	unsigned int i;

	for (i = 0; i <= CAP_LAST_CAP; i++)
		if (i >= 32 || !(CAPS_KEPT & 1u << i))
			prctl(PR_CAPBSET_DROP, i);
	GT_CHECK(!syscall(SYS_capset, &header, data), "capset: %s", strerror(errno));
}

/* The uid of the machine's root, in a pid namespace and with a part of its rights. */
static void become_container(void)
{
	int status;
	pid_t pid;

	GT_CHECK(!unshare(CLONE_NEWPID), "unshare: %s", strerror(errno));
	drop_capabilities();
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

void gt_who_become(enum gt_who who)
{
	if (who == GT_WHO_USER)
		become_user();
	else
		become_container();
	/* After that: a change of user forgets both. */
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void *burst_again_and_again(void *data)
{
	unsigned int thread = (unsigned int)(uintptr_t)data;

	for (;;) {
		plan->act(thread);
		gt_sleep_us(BURST_GAP_US);
	}
	return NULL;
}

static void *burst_when_told(void *data)
{
	unsigned int thread = (unsigned int)(uintptr_t)data;

	for (;;) {
		sem_wait(&go[thread]);
		plan->act(thread);
		__atomic_add_fetch(&nr_done, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void start_threads(void *(*run)(void *data))
{
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < plan->nr_threads; i++) {
		sem_init(&go[i], 0, 0);
		GT_CHECK(!pthread_create(&thread, NULL, run, (void *)(uintptr_t)i), "thread %u", i);
	}
}

/* All of them: they go first, so that each is done or waits when the last was told. */
static void burst(void)
{
	static bool is_first = true;
	unsigned int i;

	while (!is_first && __atomic_load_n(&nr_done, __ATOMIC_SEQ_CST) < plan->nr_threads)
		gt_sleep_us(100);
	is_first = false;
	nr_done = 0;
	for (i = 0; i < plan->nr_threads; i++)
		sem_post(&go[i]);
}

static void attack(enum gt_who who, bool before, int orders, int answers)
{
	char c = 0;

	if (before)
		set_fifo(FIFO_BURST);
	else
		set_policy(SCHED_IDLE);
	gt_who_become(who);
	if (plan->prepare)
		plan->prepare();
	start_threads(before ? burst_when_told : burst_again_and_again);
	if (before)
		set_fifo(FIFO_ATTACKER);
	do {
		if (c)
			burst();
		if (write(answers, "x", 1) != 1)
			_exit(1);
	} while (read(orders, &c, 1) == 1);
	_exit(0);
}

static void wait_for_word(struct gt_attack *a)
{
	int status;
	char c;

	if (read(a->answers, &c, 1) == 1)
		return;
	/* It has said why. */
	waitpid(a->pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

void gt_attack_start(struct gt_attack *a, const struct gt_attack_plan *p, enum gt_who who,
		     bool before)
{
	int orders[2], answers[2];

	GT_CHECK(!pipe2(orders, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC), "pipe");
	a->before = before;
	a->pid = fork();
	GT_CHECK(a->pid >= 0, "fork");
	if (!a->pid) {
		close(orders[1]);
		close(answers[0]);
		plan = p;
		attack(who, before, orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	a->orders = orders[1];
	a->answers = answers[0];
	wait_for_word(a);
}

void gt_attack_end(struct gt_attack *a)
{
	kill(a->pid, SIGKILL);
	waitpid(a->pid, NULL, 0);
	close(a->orders);
	close(a->answers);
}

static void fill(struct gt_attack *a)
{
	GT_CHECK(write(a->orders, "x", 1) == 1, "orders: %s", strerror(errno));
	wait_for_word(a);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t gt_attack_worst_ns(struct gt_attack *a, void (*request)(void), unsigned int nr)
{
	uint64_t start, took[REQUESTS_ALONE];
	unsigned int i;

	GT_CHECK(nr <= REQUESTS_ALONE, "%u requests", nr);

	set_fifo(FIFO_ROOT);
	for (i = 0; i < nr; i++) {
		gt_sleep_us(GAP_US + i * 37);
		if (a && a->before)
			fill(a);
		start = gt_now_ns();
		request();
		took[i] = gt_now_ns() - start;
	}
	set_policy(SCHED_OTHER);
	qsort(took, nr, sizeof(took[0]), by_size);
	return took[nr * 9 / 10];
}

void gt_attack_judge(const struct gt_attack_plan *p, enum gt_who who, void (*request)(void))
{
	uint64_t alone = gt_attack_worst_ns(NULL, request, REQUESTS_ALONE), worst[2];
	struct gt_attack a;
	int before;

	for (before = 0; before < 2; before++) {
		gt_attack_start(&a, p, who, before);
		worst[before] = gt_attack_worst_ns(&a, request, REQUESTS);
		gt_attack_end(&a);
	}
	gt_note("%s of %s: a request takes %.1f us, beside it %.1f, behind it %.1f", p->name,
		who == GT_WHO_USER ? "a user" : "a container", alone / 1e3, worst[0] / 1e3,
		worst[1] / 1e3);
	GT_CHECK(worst[0] <= MOST_RATIO * alone, "%s: %.1f times beside it", p->name,
		 (double)worst[0] / alone);
	GT_CHECK(worst[1] <= MOST_RATIO * alone, "%s: %.1f times behind it", p->name,
		 (double)worst[1] / alone);
}
