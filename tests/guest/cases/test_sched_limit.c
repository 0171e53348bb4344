// SPDX-License-Identifier: MIT
/*
 * What an ordinary user sees of others, and how far up the user gets: not above what an
 * administrator has said; above that only an administrator gets.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=100"
#define MS 20000

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .steps = 0, .step_ns = 1000000, .seed = 1,
};

static void end(void)
{
	gt_gpk_check_left();
	gt_gpk_unload();
}

/* The only queue there is. */
static struct gpreempt_ioc_queue list_one(void)
{
	struct gpreempt_ioc_queue queue = {};
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .queues = (uintptr_t)&queue, .nr = 1,
		.entry_size = sizeof(queue),
	};

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &arg), "list: %s", strerror(errno));
	GT_CHECK(arg.nr == 1, "%u queues", arg.nr);
	return queue;
}

static void see_addresses(const void *arg)
{
	struct gpreempt_ioc_queue queue = list_one();
	const struct gt_job *j = arg;

	GT_CHECK(queue.pid == j->pid && queue.ring_bytes, "queue of %d", queue.pid);
	GT_CHECK(queue.rptr_addr && queue.wptr_addr, "no addresses");
}

static void see_no_addresses(const void *arg)
{
	struct gpreempt_ioc_queue queue = list_one();
	const struct gt_job *j = arg;

	GT_CHECK(queue.pid == j->pid && queue.ring_bytes, "queue of %d", queue.pid);
	GT_CHECK(!queue.rptr_addr && !queue.wptr_addr, "%llx, %llx", queue.rptr_addr,
		 queue.wptr_addr);
}

static void undumpable(void)
{
	gt_user_become(GT_USER);
	prctl(PR_SET_DUMPABLE, 0);
}

static void addresses_are_for_who_may_stop(void)
{
	struct gt_job j;

	gt_user_load();
	gt_job_start_as(&j, &endless, gt_user_become_user);
	gt_user_as(GT_OTHER, see_no_addresses, &j);
	gt_user_as(GT_USER, see_addresses, &j);
	see_addresses(&j);
	gt_job_kill(&j);
	gt_job_start_as(&j, &endless, undumpable);
	gt_user_as(GT_USER, see_no_addresses, &j);
	see_addresses(&j);
	gt_job_kill(&j);
	end();
}

/* A process of the user's that does nothing. */
static pid_t start_idle(void)
{
	int ready[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe2(ready, O_CLOEXEC), "pipe");
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid) {
		gt_user_become(GT_USER);
		gt_gpk_close();
		/* After that: a change of user forgets it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	GT_CHECK(read(ready[0], &c, 1) == 1, "it did not begin");
	close(ready[0]);
	return pid;
}

struct target {
	int pidfd;
	uint32_t most;
};

/* Up to the limit in any order, and not above. */
static void try_prios(const void *arg)
{
	const struct target *t = arg;
	uint32_t prio;

	for (prio = 0; prio <= 15; prio++)
		GT_EXPECT(prio <= t->most ? 0 : -EPERM, gt_user_set_prio(t->pidfd, prio));
	GT_EXPECT(0, gt_user_set_prio(t->pidfd, 0));
	GT_EXPECT(0, gt_user_set_prio(t->pidfd, t->most));
}

struct step {
	struct gpreempt_ioc_attr attr;
	int expected;
};

/**
 * struct limit - what an administrator says of a process, and its owner then
 */
struct limit {
	int pidfd;
	struct gpreempt_ioc_attr said;
	struct step steps[4];
};

#define WEIGHT(w) { .valid = GPREEMPT_ATTR_F_WEIGHT, .weight = (w) }
#define SLICE(ns) { .valid = GPREEMPT_ATTR_F_SLICE, .slice_ns = (ns) }
#define DEADLINE(ns) { .valid = GPREEMPT_ATTR_F_DEADLINE, .deadline_ns = (ns) }
#define CRITICAL(on) { .valid = GPREEMPT_ATTR_F_LATENCY_CRITICAL, .latency_critical = (on) }
#define DETECT(mode) { .valid = GPREEMPT_ATTR_F_DETECT, .detect = GPREEMPT_DETECT_##mode }

static struct limit limits[] = {
	{ .said = WEIGHT(500), .steps = { { WEIGHT(501), -EPERM }, { WEIGHT(1), 0 },
					  { WEIGHT(500), 0 }, { WEIGHT(10000), -EPERM } } },
	{ .said = SLICE(5000), .steps = { { SLICE(5001), -EPERM }, { SLICE(0), -EPERM },
					  { SLICE(1), 0 }, { SLICE(5000), 0 } } },
	{ .said = DEADLINE(5000), .steps = { { DEADLINE(4999), -EPERM }, { DEADLINE(0), 0 },
					     { DEADLINE(6000), 0 }, { DEADLINE(5000), 0 } } },
	{ .said = CRITICAL(1), .steps = { { CRITICAL(0), 0 }, { CRITICAL(1), 0 },
					  { DETECT(MANUAL), 0 }, { DETECT(DOORBELL), 0 } } },
	{ .said = CRITICAL(0), .steps = { { CRITICAL(1), -EPERM }, { DETECT(DOORBELL), -EPERM },
					  { DETECT(MANUAL), 0 }, { DETECT(POLL), 0 } } },
	{ .said = DETECT(MANUAL), .steps = { { DETECT(POLL), -EPERM }, { CRITICAL(0), -EPERM },
					     { DETECT(MANUAL), 0 }, { WEIGHT(1), 0 } } },
};

static void try_steps(const void *arg)
{
	const struct limit *l = arg;
	size_t i;

	for (i = 0; i < sizeof(l->steps) / sizeof(l->steps[0]); i++) {
		int r = gt_user_set_attr(l->pidfd, l->steps[i].attr);

		GT_CHECK(r == l->steps[i].expected, "limit %zu, step %zu: %s",
			 (size_t)(l - limits), i, strerror(-r));
	}
}

static void owners_raise_to_the_limit(void)
{
	struct target t = { .most = 7 };
	pid_t pid;
	size_t i;

	gt_user_load();
	pid = start_idle();
	t.pidfd = gt_user_pidfd(pid);
	/* Control: nothing was said. */
	gt_user_as(GT_USER, try_prios, &t);
	for (t.most = 0; t.most <= 15; t.most += 3) {
		GT_EXPECT(0, gt_user_set_prio(t.pidfd, t.most));
		gt_user_as(GT_USER, try_prios, &t);
	}
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		limits[i].pidfd = t.pidfd;
		GT_EXPECT(0, gt_user_set_attr(t.pidfd, limits[i].said));
		gt_user_as(GT_USER, try_steps, &limits[i]);
	}
	close(t.pidfd);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	end();
}

/* An administrator's file, but a user's wish. */
static void pass_on(int pidfd, uint32_t most)
{
	struct gpreempt_ioc_attr wish = { .flags = GPREEMPT_ATTR_AS_OWNER,
					  .valid = GPREEMPT_ATTR_F_PRIO };

	for (; wish.prio <= 15; wish.prio++)
		GT_EXPECT(wish.prio <= most ? 0 : -EPERM, gt_user_set_attr(pidfd, wish));
}

/* What is passed on is within the limit, and neither raises nor lowers it. */
static void wishes_that_are_passed_on_have_the_limit(void)
{
	struct gpreempt_ioc_attr get = { .size = sizeof(get), .flags = GPREEMPT_ATTR_AS_OWNER };
	struct target t = { .most = 7 };
	pid_t pid;

	gt_user_load();
	pid = start_idle();
	t.pidfd = gt_user_pidfd(pid);
	/* Control: nothing was said. */
	pass_on(t.pidfd, t.most);
	gt_user_as(GT_USER, try_prios, &t);
	for (t.most = 2; t.most <= 15; t.most += 9) {
		GT_EXPECT(0, gt_user_set_prio(t.pidfd, t.most));
		pass_on(t.pidfd, t.most);
		gt_user_as(GT_USER, try_prios, &t);
	}
	get.pidfd = t.pidfd;
	GT_CHECK(ioctl(gt_gpk_dev, GPREEMPT_IOC_GET_ATTR, &get) && errno == EINVAL, "flags");
	close(t.pidfd);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	end();
}

/* A child has its parent's limit, also when something is said of it. */
static void children_have_the_limit(void)
{
	struct target own = { .pidfd = -1, .most = 3 };

	gt_user_load();
	GT_EXPECT(0, gt_user_set_prio(-1, own.most));
	gt_user_as(GT_USER, try_prios, &own);
	own.most = 11;
	GT_EXPECT(0, gt_user_set_prio(-1, own.most));
	gt_user_as(GT_USER, try_prios, &own);
	end();
}

/**
 * struct family - an ordinary user's process, its child and its grandchild
 * @go: the elders fork, one after the other, and end
 * @said: what the grandchild may set; -1 = nothing was tried yet
 */
struct family {
	volatile int go;
	volatile int ready;
	volatile int said;
};

static void wait_until(volatile int *what, int value)
{
	uint64_t end_ns = gt_deadline_ns(MS);

	while (*what < value) {
		GT_CHECK(gt_now_ns() < end_ns, "%d is never said", value);
		gt_sleep_us(1000);
	}
}

/* An orphan: how far can it raise itself? */
static void try_as_orphan(struct family *f)
{
	uint64_t end_ns = gt_deadline_ns(MS);
	int prio, most = -1;

	while (getppid() != 1) {
		GT_CHECK(gt_now_ns() < end_ns, "its parent is still there");
		gt_sleep_us(1000);
	}
	for (prio = 0; prio <= 15; prio++)
		if (!gt_user_set_prio(-1, (uint32_t)prio))
			most = prio;
	f->said = most;
	_exit(0);
}

/* @late: the child is there before the limit, and the grandchild comes after. */
static void elder(struct family *f, bool late)
{
	gt_user_become(GT_USER);
	if (!late) {
		f->ready = 1;
		wait_until(&f->go, 1);
	}
	if (fork())
		_exit(late ? (wait_until(&f->go, 2), 0) : 0);
	if (late) {
		f->ready = 1;
		wait_until(&f->go, 1);
	}
	if (fork())
		_exit(0);
	try_as_orphan(f);
}

static int limit_of_an_orphan(bool late, int limit)
{
	struct family *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	f->said = -1;
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		elder(f, late);
	wait_until(&f->ready, 1);
	if (limit >= 0)
		GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(pid), (uint32_t)limit));
	f->go = 1;
	gt_sleep_us(100000);
	f->go = 2;
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	wait_until(&f->said, 0);
	return f->said;
}

/* Its parents have ended, and what was said of them holds nevertheless. */
static void orphans_have_the_limit(void)
{
	gt_user_load();
	/* Control. */
	GT_EXPECT(7, limit_of_an_orphan(false, -1));
	GT_EXPECT(2, limit_of_an_orphan(false, 2));
	GT_EXPECT(11, limit_of_an_orphan(false, 11));
	GT_EXPECT(2, limit_of_an_orphan(true, 2));
	end();
}

static uint32_t prio_of(int pidfd)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = pidfd };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_GET_ATTR, &arg), "get: %s", strerror(errno));
	return arg.prio;
}

/* Something was said of a child before its parent got the limit. */
static void the_limit_reaches_children_with_a_wish(void)
{
	struct target child = { .most = 7 }, other;
	pid_t pid, sibling;

	gt_user_load();
	pid = start_idle();
	sibling = start_idle();
	child.pidfd = gt_user_pidfd(pid);
	other = (struct target){ .pidfd = gt_user_pidfd(sibling), .most = 7 };
	gt_user_as(GT_USER, try_prios, &child);
	GT_EXPECT(0, gt_user_set_prio(-1, 3));
	GT_EXPECT(3, (int)prio_of(child.pidfd));
	child.most = 3;
	gt_user_as(GT_USER, try_prios, &child);
	/* What was said of the child itself later is nearer. */
	GT_EXPECT(0, gt_user_set_prio(child.pidfd, 1));
	child.most = 1;
	gt_user_as(GT_USER, try_prios, &child);
	other.most = 3;
	gt_user_as(GT_USER, try_prios, &other);
	kill(pid, SIGKILL);
	kill(sibling, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid && waitpid(sibling, NULL, 0) == sibling, "wait");
	end();
}

static void attributes_reach_queues_of_children(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid, parent = getpid();
	int ready[2];
	char c;

	gt_user_load();
	GT_CHECK(!pipe2(ready, O_CLOEXEC), "pipe");
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		gt_gpk_close();
		gt_gpu_open(&gpu, 0);
		gt_queue_create(&gpu, 7, &q);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	GT_CHECK(read(ready[0], &c, 1) == 1, "it did not begin");
	GT_CHECK(list_one().pid == pid && list_one().prio == 7, "prio %u", list_one().prio);
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(parent), 4));
	GT_CHECK(list_one().prio == 4, "prio %u", list_one().prio);
	/* Control: what was said of the child is not its parent's. */
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(pid), 2));
	GT_CHECK(list_one().prio == 2 && prio_of(-1) == 4, "prio %u", list_one().prio);
	GT_EXPECT(0, gt_user_set_prio(-1, 6));
	GT_CHECK(list_one().prio == 2, "prio %u", list_one().prio);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	end();
}

/* One that has ended is among all processes until its parent asks for it. */
static void leave_ended_children(const void *arg)
{
	const unsigned int *nr = arg;

	for (unsigned int i = 0; i < *nr; i++) {
		pid_t pid = fork();

		GT_CHECK(pid >= 0, "fork");
		if (pid) {
			GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
			continue;
		}
		if (!fork())
			_exit(0);
		waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT);
		gt_user_set_prio(gt_user_pidfd(getpid()), 3);
		_exit(0);
	}
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(getpid()), 3));
}

static void what_has_ended_has_no_wish(void)
{
	static const unsigned int more_than_a_user_may_have = 1030;

	gt_user_load();
	gt_user_as(GT_USER, leave_ended_children, &more_than_a_user_may_have);
	end();
}

static int trigger(int pidfd)
{
	struct gpreempt_ioc_trigger arg = { .size = sizeof(arg), .gpu_id = gt_gpk_gpu_id(),
					    .pidfd = pidfd };

	return ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &arg) ? -errno : 0;
}

static void trigger_refused(const void *arg)
{
	const struct gt_job *j = arg;

	GT_EXPECT(-EPERM, trigger(gt_user_pidfd(j->pid)));
	GT_EXPECT(-EPERM, trigger(-2));
	GT_EXPECT(0, trigger(-1));
}

static void trigger_own(const void *arg)
{
	const struct gt_job *j = arg;

	GT_EXPECT(0, trigger(gt_user_pidfd(j->pid)));
	GT_EXPECT(-EPERM, trigger(-2));
}

static void looks_are_for_who_may_stop(void)
{
	struct gt_job j;

	gt_user_load();
	gt_job_start_as(&j, &endless, gt_user_become_user);
	gt_user_as(GT_OTHER, trigger_refused, &j);
	gt_user_as(GT_USER, trigger_own, &j);
	GT_EXPECT(0, trigger(-2));
	gt_job_kill(&j);
	end();
}

static struct gpreempt_abi_event next_event(int fd)
{
	uint64_t end_ns = gt_deadline_ns(MS);
	struct gpreempt_abi_event events[GT_GPK_EVENTS];

	while (!gt_gpk_events(fd, events)) {
		GT_CHECK(gt_now_ns() < end_ns, "no event");
		gt_sleep_us(2000);
	}
	return events[0];
}

/* What cannot be delivered is delivered next time. */
static void wrong_memory_takes_no_events(void)
{
	struct gpreempt_abi_event event, expected;
	struct gt_job j;
	int fd, control;

	gt_user_load();
	fd = gt_gpk_events_open();
	control = gt_gpk_events_open();
	gt_job_start(&j, &endless);
	expected = next_event(control);
	GT_CHECK(syscall(SYS_read, fd, 8, 4096) < 0 && errno == EFAULT, "read: %s",
		 strerror(errno));
	event = next_event(fd);
	GT_CHECK(event.time_ns == expected.time_ns && event.kind == expected.kind,
		 "kind %u at %llu, not %u at %llu", event.kind, event.time_ns, expected.kind,
		 expected.time_ns);
	close(fd);
	close(control);
	gt_job_kill(&j);
	end();
}

/* Of the first node; @scheduler is what schedules it, and no other node is there. */
static void check_caps(uint64_t scheduler)
{
	uint64_t all = GPREEMPT_CAP_HWS | GPREEMPT_CAP_NO_HWS | GPREEMPT_CAP_MES;
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };

	gt_user_load();
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps), "caps: %s", strerror(errno));
	GT_CHECK((caps.caps & all) == scheduler, "%llx", caps.caps);
	GT_CHECK(caps.nr_nodes == 1 && caps.node_caps[0] == scheduler && !caps.node_caps[1],
		 "%u nodes, %x, %x", caps.nr_nodes, caps.node_caps[0], caps.node_caps[1]);
	/* An older program's. */
	caps = (struct gpreempt_ioc_caps){ .size = 280 };
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps), "caps: %s", strerror(errno));
	GT_CHECK(caps.gpu_ids[0] && !caps.node_caps[0], "%x", caps.node_caps[0]);
	end();
}

static void nodes_say_who_schedules_them(void)
{
	check_caps(GPREEMPT_CAP_HWS);
}

static void and_that_it_is_the_driver(void)
{
	check_caps(GPREEMPT_CAP_NO_HWS);
}

static const struct gt_case cases[] = {
	{ "addresses_are_for_who_may_stop", addresses_are_for_who_may_stop, TINY, 60 },
	{ "owners_raise_to_the_limit", owners_raise_to_the_limit, TINY, 60 },
	{ "wishes_that_are_passed_on_have_the_limit", wishes_that_are_passed_on_have_the_limit,
	  TINY, 60 },
	{ "children_have_the_limit", children_have_the_limit, TINY, 60 },
	{ "orphans_have_the_limit", orphans_have_the_limit, TINY, 60 },
	{ "the_limit_reaches_children_with_a_wish", the_limit_reaches_children_with_a_wish, TINY,
	  60 },
	{ "attributes_reach_queues_of_children", attributes_reach_queues_of_children, TINY, 60 },
	{ "what_has_ended_has_no_wish", what_has_ended_has_no_wish, TINY, 120 },
	{ "looks_are_for_who_may_stop", looks_are_for_who_may_stop, TINY, 60 },
	{ "wrong_memory_takes_no_events", wrong_memory_takes_no_events, TINY, 60 },
	{ "nodes_say_who_schedules_them", nodes_say_who_schedules_them, TINY, 60 },
	{ "and_that_it_is_the_driver", and_that_it_is_the_driver, TINY " sched_policy=2", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
