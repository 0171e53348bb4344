// SPDX-License-Identifier: MIT
/*
 * Groups that change while processes of them are off the GPU. The owner of a process may change
 * its group, so no change brings a process back: the scheduler does, when it is time.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 10000
#define TIMES 20
#define FULL (gt_endless.groups * gt_endless.waves)

/* A process of low priority that changes its group when told. */
struct member {
	pid_t pid;
	uint32_t queue_id;
	int tell;
	int hear;
};

static void say_group(uint64_t group)
{
	struct gpreempt_ioc_attr arg = {
		.size = sizeof(arg), .pidfd = -1, .valid = GPREEMPT_ATTR_F_GROUP,
		.flags = GPREEMPT_ATTR_AS_OWNER, .group = group,
	};
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);

	GT_CHECK(fd >= 0, "open: %s", strerror(errno));
	GT_CHECK(!ioctl(fd, GPREEMPT_IOC_SET_ATTR, &arg), "group: %s", strerror(errno));
	close(fd);
}

static void live(uint64_t group, bool has_work, int in, int out)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_gpk_set_attr(2, -1);
	gt_gpk_close();
	if (group)
		say_group(group);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_endless, &k);
	if (has_work)
		gt_kernel_launch(&k, &q);
	do {
		uint32_t id = q.id;

		if (write(out, &id, sizeof(id)) != sizeof(id))
			break;
		if (read(in, &group, sizeof(group)) != sizeof(group))
			break;
		say_group(group);
	} while (true);
	_exit(1);
}

static void wait_for(struct member *m)
{
	GT_CHECK(read(m->hear, &m->queue_id, sizeof(m->queue_id)) == sizeof(m->queue_id),
		 "a member ended");
}

static void member_start(struct member *m, uint64_t group, bool has_work)
{
	int in[2], out[2];

	GT_CHECK(!pipe(in) && !pipe(out), "pipe");
	m->pid = fork();
	GT_CHECK(m->pid >= 0, "fork");
	if (!m->pid)
		live(group, has_work, in[0], out[1]);
	m->tell = in[1];
	m->hear = out[0];
	wait_for(m);
}

static void member_join(struct member *m, uint64_t group)
{
	GT_CHECK(write(m->tell, &group, sizeof(group)) == sizeof(group), "write");
	wait_for(m);
}

static void member_end(struct member *m)
{
	kill(m->pid, SIGKILL);
	GT_CHECK(waitpid(m->pid, NULL, 0) == m->pid, "wait");
}

static bool is_out(const struct member *m)
{
	return gt_gpk_flags(m->pid, m->queue_id) & GPREEMPT_QUEUE_F_PREEMPTED;
}

static void wait_out(const struct member *m, bool out)
{
	uint64_t end = gt_deadline_ns(LIMIT_MS);

	while (is_out(m) != out) {
		GT_CHECK(gt_now_ns() < end, "process %d is %s the GPU", m->pid,
			 out ? "on" : "off");
		gt_sleep_us(1000);
	}
}

/* An urgent process that has the GPU for as long as it has work. */
struct urgent {
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
};

static void urgent_start(struct urgent *u, const struct gt_shape *shape)
{
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	/* No process is brought back because it waited long. */
	gt_gpk_set_param("max_wait_ns", 60000000000);
	gt_gpu_open(&u->gpu, 0);
	gt_queue_create(&u->gpu, 7, &u->q);
	gt_kernel_create(&u->gpu, shape, &u->k);
	gt_kernel_launch(&u->k, &u->q);
}

/* Return: cycles of the runlist in which queues left the GPU. */
static uint64_t join_often(struct member *m, uint64_t even, uint64_t odd)
{
	uint64_t before = gt_stat(0, "unmaps");
	int i;

	for (i = 0; i < TIMES; i++) {
		member_join(m, i & 1 ? odd : even);
		GT_CHECK(is_out(m), "time %d: on the GPU", i);
	}
	gt_sleep_us(100000);
	GT_CHECK(is_out(m), "a moment later: on the GPU");
	return gt_stat(0, "unmaps") - before;
}

static void end(struct urgent *u)
{
	gt_queue_destroy(&u->q);
	gt_gpk_wait_empty(LIMIT_MS);
	gt_gpk_unload();
}

static void change(uint64_t even, uint64_t odd)
{
	struct member m;
	struct urgent u;
	uint64_t cycles;

	gt_gpk_load("");
	member_start(&m, 5, true);
	gt_gpk_wait_waves(FULL, LIMIT_MS);
	urgent_start(&u, &gt_endless);
	wait_out(&m, true);
	cycles = join_often(&m, even, odd);
	gt_note("%d changes: queues left the GPU %lu times", TIMES, cycles);
	GT_CHECK(!cycles, "%lu times", cycles);
	member_end(&m);
	end(&u);
}

static void group_that_it_has_is_no_way_out(void)
{
	change(5, 5);
}

static void another_group_is_no_way_out(void)
{
	change(6, 5);
}

static void no_group_is_no_way_out(void)
{
	change(0, 5);
}

/* One of two that are off the GPU leaves the other, and comes back. */
static void leaving_a_group_is_no_way_out(void)
{
	struct member m[2];
	struct urgent u;
	uint64_t cycles;

	gt_gpk_load("");
	member_start(&m[0], 5, true);
	gt_gpk_wait_waves(FULL, LIMIT_MS);
	member_start(&m[1], 5, false);
	urgent_start(&u, &gt_endless);
	wait_out(&m[0], true);
	wait_out(&m[1], true);
	cycles = join_often(&m[0], 6, 5);
	GT_CHECK(!cycles, "queues left the GPU %lu times", cycles);
	GT_CHECK(is_out(&m[1]), "the other one is on the GPU");
	member_end(&m[0]);
	member_end(&m[1]);
	end(&u);
}

/*
 * A process without work is on the GPU. One that is off does not come back by joining it. When
 * it is back, both are one.
 */
static void joining_one_on_the_gpu_is_no_way_out(void)
{
	struct member m[2];
	struct urgent u;
	uint64_t cycles;

	gt_gpk_load("");
	member_start(&m[0], 5, true);
	gt_gpk_wait_waves(FULL, LIMIT_MS);
	member_start(&m[1], 6, false);
	urgent_start(&u, &gt_third);
	wait_out(&m[0], true);
	GT_CHECK(!is_out(&m[1]), "a process without work left the GPU");
	cycles = join_often(&m[0], 5, 6);
	GT_CHECK(!cycles, "queues left the GPU %lu times", cycles);
	GT_CHECK(!is_out(&m[1]), "a process without work left the GPU");
	wait_out(&m[0], false);
	/* What was said too often counts in the next second. They leave together then. */
	gt_sleep_us(1100000);
	gt_kernel_create(&u.gpu, &gt_endless, &u.k);
	gt_kernel_launch(&u.k, &u.q);
	wait_out(&m[0], true);
	wait_out(&m[1], true);
	member_end(&m[0]);
	member_end(&m[1]);
	end(&u);
}

/* A process that joins a group off the GPU leaves it too, also if it does not at first. */
static void join_held(unsigned int refuse)
{
	struct member m[2];
	struct urgent u;

	gt_gpk_load("");
	member_start(&m[0], 5, true);
	gt_gpk_wait_waves(FULL, LIMIT_MS);
	member_start(&m[1], 6, false);
	urgent_start(&u, &gt_endless);
	wait_out(&m[0], true);
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "%lu mapped", gt_stat(0, "mapped"));
	gt_gpk_module_param("gpreempt", "fault_refuse", refuse);
	member_join(&m[1], 5);
	/* Not by a list, which would have amdkfd asked. */
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu mapped", gt_stat(0, "mapped"));
	GT_CHECK(is_out(&m[1]), "on the GPU");
	member_end(&m[0]);
	member_end(&m[1]);
	end(&u);
}

static void one_that_joins_a_held_group_leaves_the_gpu(void)
{
	join_held(0);
}

static void one_that_joins_and_refuses_leaves_later(void)
{
	join_held(1);
}

static void one_that_joins_and_refuses_twice_leaves_later(void)
{
	join_held(2);
}

/* The limit is there for owners: what root says of the same process counts when the call ends. */
static void root_does_not_wait_for_the_limit_of_a_user(void)
{
	struct member m;
	int pidfd, i;

	gt_gpk_load("");
	member_start(&m, 5, true);
	for (i = 0; i < TIMES; i++)
		member_join(&m, i & 1 ? 5 : 6);
	pidfd = gt_user_pidfd(m.pid);
	GT_EXPECT(0, gt_user_set_prio(pidfd, 9));
	close(pidfd);
	GT_CHECK(gt_gpk_queue(m.pid, m.queue_id).prio == 9, "priority %u",
		 gt_gpk_queue(m.pid, m.queue_id).prio);
	member_end(&m);
	gt_gpk_wait_empty(LIMIT_MS);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "group_that_it_has_is_no_way_out", group_that_it_has_is_no_way_out, GT_TINY, 60 },
	{ "another_group_is_no_way_out", another_group_is_no_way_out, GT_TINY, 60 },
	{ "no_group_is_no_way_out", no_group_is_no_way_out, GT_TINY, 60 },
	{ "leaving_a_group_is_no_way_out", leaving_a_group_is_no_way_out, GT_TINY, 60 },
	{ "joining_one_on_the_gpu_is_no_way_out", joining_one_on_the_gpu_is_no_way_out, GT_TINY,
	  60 },
	{ "one_that_joins_a_held_group_leaves_the_gpu",
	  one_that_joins_a_held_group_leaves_the_gpu, GT_TINY, 60 },
	{ "one_that_joins_and_refuses_leaves_later", one_that_joins_and_refuses_leaves_later,
	  GT_TINY, 60 },
	{ "one_that_joins_and_refuses_twice_leaves_later",
	  one_that_joins_and_refuses_twice_leaves_later, GT_TINY, 60 },
	{ "root_does_not_wait_for_the_limit_of_a_user",
	  root_does_not_wait_for_the_limit_of_a_user, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
