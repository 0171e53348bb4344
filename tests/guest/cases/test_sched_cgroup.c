// SPDX-License-Identifier: MIT
/*
 * GPU time by cgroup under the kernel module: limits and nested weights, as the hardware and
 * as the results of kernels show them.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_cgroup.h"
#include "gt/gt_command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
#define NR_MAX 4096

static void begin(const char *params)
{
	gt_gpk_unload();
	gt_stack_devices();
	gt_cgroup_begin();
	gt_gpk_load(params);
}

static void end(void)
{
	gt_gpk_unload();
	gt_cgroup_end();
}

static int call(unsigned long request, const char *path, struct gpreempt_ioc_cgroup *arg)
{
	char folder[96];
	int ret;

	snprintf(folder, sizeof(folder), GT_CGROUPS "%s", path);
	arg->size = sizeof(*arg);
	arg->cgroup_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	GT_CHECK(arg->cgroup_fd >= 0, "%s: %s", folder, strerror(errno));
	ret = ioctl(gt_gpk_dev, request, arg) ? -errno : 0;
	close(arg->cgroup_fd);
	return ret;
}

static int try_say(const char *path, struct gpreempt_ioc_cgroup arg)
{
	return call(GPREEMPT_IOC_SET_CGROUP, path, &arg);
}

#define SAY(path, ...)                                                                       \
	do {                                                                                 \
		int r_ = try_say(path, (struct gpreempt_ioc_cgroup){ __VA_ARGS__ });         \
		GT_CHECK(!r_, "%s: %s", path, strerror(-r_));                                \
	} while (0)
#define WEIGHT(w) .valid = GPREEMPT_CGROUP_F_WEIGHT, .weight = (w)
#define LIMIT(quota_ms, period_ms)                                           \
	.valid = GPREEMPT_CGROUP_F_MAX, .quota_ns = (quota_ms) * 1000000ull, \
	.period_ns = (period_ms) * 1000000ull
#define NOTHING .valid = 0

static struct gpreempt_ioc_cgroup get(const char *path)
{
	struct gpreempt_ioc_cgroup arg = { 0 };
	int r = call(GPREEMPT_IOC_GET_CGROUP, path, &arg);

	GT_CHECK(!r, "%s: %s", path, strerror(-r));
	return arg;
}

/* As the GPU shows it, and as it is counted. */
static void check_limit(const char *what, const char *path, double want)
{
	uint64_t ns, used;

	/* What was used before is paid. */
	gt_sleep_us(200000);
	ns = gt_now_ns();
	used = get(path).usage_ns;
	gt_cgroup_check(what, gt_cgroup_waves(), want);
	gt_cgroup_check("counted",
			(double)(get(path).usage_ns - used) / (double)(gt_now_ns() - ns), want);
}

static void check_limits(const char *params)
{
	struct gt_load l;

	begin(params);
	gt_cgroup_make("/a");
	gt_cgroup_make("/a/b");
	SAY("/a", LIMIT(30, 100));
	gt_cgroup_load(&l, "/a/b", "5");
	gt_note("%s", params);
	check_limit("alone on the GPU", "/a", 0.3);
	GT_CHECK(get("/a").nr_throttled >= 11 && get("/a").throttled_ns, "%llu times",
		 get("/a").nr_throttled);
	/* Something is said below it. */
	SAY("/a/b", WEIGHT(50));
	check_limit("in one below", "/a", 0.3);
	SAY("/a/b", LIMIT(10, 100));
	check_limit("a tighter one below", "/a/b", 0.1);
	SAY("/a", LIMIT(5, 100));
	SAY("/a/b", LIMIT(50, 100));
	check_limit("a tighter one above", "/a", 0.05);
	SAY("/a/b", NOTHING);
	SAY("/a", LIMIT(0, 100));
	check_limit("no limit", "/a", 1.0);
	gt_load_stop(&l, MS);
	gt_cgroup_remove("/a/b");
	gt_cgroup_remove("/a");
	end();
}

static void a_limit_is_kept(void)
{
	check_limits("policy=prio");
	check_limits("policy=fair");
}

/* Parts of the work that is done. */
static void check_work(const struct gt_load *l, const double *want, unsigned int nr)
{
	static const char *const names[] = { "first", "second", "third" };
	uint64_t before[3], total = 0;
	unsigned int i;

	gt_sleep_us(200000);
	for (i = 0; i < nr; i++)
		before[i] = l[i].progress->completed;
	gt_sleep_us(2 * GT_CGROUP_LOOK_US);
	for (i = 0; i < nr; i++) {
		before[i] = l[i].progress->completed - before[i];
		total += before[i];
	}
	for (i = 0; i < nr; i++)
		gt_cgroup_check(names[i], (double)before[i] / (double)total, want[i]);
}

static void weights_are_nested(void)
{
	struct gt_load l[3];

	begin("policy=fair");
	gt_cgroup_make("/a");
	gt_cgroup_make("/b");
	gt_cgroup_make("/b/big");
	gt_cgroup_make("/b/small");
	gt_cgroup_load(&l[0], "/a", "1");
	gt_cgroup_load(&l[1], "/b/big", "1");
	gt_cgroup_load(&l[2], "/b/small", "1");
	check_work(l, (double[]){ 1.0 / 3, 1.0 / 3, 1.0 / 3 }, 3);
	SAY("/b/big", WEIGHT(200));
	SAY("/b/small", WEIGHT(100));
	SAY("/a", WEIGHT(300));
	check_work(l, (double[]){ 0.5, 1.0 / 3, 1.0 / 6 }, 3);
	/* Those below get new shares. */
	SAY("/b", WEIGHT(100));
	check_work(l, (double[]){ 0.75, 0.25 * 2 / 3, 0.25 / 3 }, 3);
	for (int i = 0; i < 3; i++)
		gt_load_stop(&l[i], MS);
	gt_cgroup_remove("/b/small");
	gt_cgroup_remove("/b/big");
	gt_cgroup_remove("/b");
	gt_cgroup_remove("/a");
	end();
}

static void set_group(const struct gt_load *l, uint64_t group)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .valid = GPREEMPT_ATTR_F_GROUP,
					 .group = group };

	arg.pidfd = (int)syscall(SYS_pidfd_open, l->pid, 0);
	GT_CHECK(arg.pidfd >= 0 && !ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg), "group: %s",
		 strerror(errno));
	close(arg.pidfd);
}

/* Its processes in two cgroups leave the GPU each when its own has to, in one all together. */
static void a_group_is_of_one_cgroup(void)
{
	struct gt_load in, out;

	begin("policy=fair");
	gt_cgroup_make("/a");
	SAY("/a", LIMIT(20, 100));
	gt_cgroup_load(&in, "/a", "5");
	gt_cgroup_load(&out, "", "5");
	set_group(&in, 7);
	set_group(&out, 7);
	gt_sleep_us(200000);
	gt_cgroup_check("in all", gt_cgroup_waves(), 1.0);
	gt_cgroup_move(out.pid, "/a");
	/* Of any cgroup. */
	SAY("/a", LIMIT(30, 100));
	check_limit("both in it", "/a", 0.3);
	gt_cgroup_move(in.pid, "");
	SAY("/a", LIMIT(20, 100));
	gt_sleep_us(200000);
	gt_cgroup_check("in all again", gt_cgroup_waves(), 1.0);
	gt_load_stop(&in, MS);
	gt_load_stop(&out, MS);
	gt_cgroup_remove("/a");
	end();
}

static uint32_t prio_of(const struct gt_load *l)
{
	return gt_gpk_queue(l->pid, 0).prio;
}

/* Above it the priority is what was said of the process. */
static void idle_takes_the_priority(void)
{
	struct gt_load l, other;
	uint64_t done;

	begin("policy=prio");
	gt_cgroup_make("/a");
	gt_cgroup_make("/a/b");
	gt_cgroup_load(&l, "/a/b", "5");
	GT_LOAD(&other, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", "5");
	GT_CHECK(prio_of(&l) == prio_of(&other), "%u and %u", prio_of(&l), prio_of(&other));
	SAY("/a", .valid = GPREEMPT_CGROUP_F_IDLE, .idle = 1);
	GT_CHECK(!prio_of(&l) && prio_of(&other), "%u and %u", prio_of(&l), prio_of(&other));
	GT_CHECK(!gt_load_wait_mapped(&l, 0, MS), "it keeps the GPU");
	done = other.progress->completed;
	gt_sleep_us(100000);
	GT_CHECK(other.progress->completed - done >= 18, "%lu kernels of 5 ms in 100 ms",
		 other.progress->completed - done);
	SAY("/a", NOTHING);
	GT_CHECK(prio_of(&l) == prio_of(&other), "%u and %u", prio_of(&l), prio_of(&other));
	gt_load_stop(&l, MS);
	gt_load_stop(&other, MS);
	gt_cgroup_remove("/a/b");
	gt_cgroup_remove("/a");
	end();
}

static void check_refused(int error, const char *path, struct gpreempt_ioc_cgroup arg)
{
	int r = try_say(path, arg);

	GT_CHECK(r == -error, "%s, not %s", strerror(-r), strerror(error));
}

static void what_is_wrong_is_refused(void)
{
	struct gpreempt_ioc_cgroup arg = { .size = sizeof(arg), .cgroup_fd = 0 };

	begin("");
	gt_cgroup_make("/a");
	check_refused(EINVAL, "/a", (struct gpreempt_ioc_cgroup){ WEIGHT(0) });
	check_refused(EINVAL, "/a", (struct gpreempt_ioc_cgroup){ WEIGHT(10001) });
	check_refused(EINVAL, "/a", (struct gpreempt_ioc_cgroup){ LIMIT(1, 1001) });
	check_refused(EINVAL, "/a", (struct gpreempt_ioc_cgroup){ .valid = 16 });
	check_refused(EINVAL, "/a", (struct gpreempt_ioc_cgroup){ .reserved = 1 });
	check_refused(EINVAL, "/../../proc", (struct gpreempt_ioc_cgroup){ .gpu_id = 1 });
	check_refused(EBADF, "/../../proc", (struct gpreempt_ioc_cgroup){ WEIGHT(1) });
	GT_CHECK(ioctl(gt_gpk_dev, GPREEMPT_IOC_GET_CGROUP, &arg) && errno == EBADF, "%s",
		 strerror(errno));
	GT_CHECK(call(GPREEMPT_IOC_GET_CGROUP, "/a", &arg) == -ENOENT, "nothing was said");
	GT_CHECK(!seteuid(GT_USER), "seteuid: %s", strerror(errno));
	check_refused(EPERM, "/a", (struct gpreempt_ioc_cgroup){ WEIGHT(1) });
	check_refused(EPERM, "/a", (struct gpreempt_ioc_cgroup){ NOTHING });
	GT_CHECK(!seteuid(0), "seteuid: %s", strerror(errno));
	SAY("/a", WEIGHT(7));
	arg = get("/a");
	GT_CHECK(arg.valid == GPREEMPT_CGROUP_F_WEIGHT && arg.weight == 7, "%x, weight %u",
		 arg.valid, arg.weight);
	arg = (struct gpreempt_ioc_cgroup){ .size = sizeof(arg), WEIGHT(7) };
	arg.cgroup_fd = open(GT_CGROUPS "/a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	gt_cgroup_remove("/a");
	GT_CHECK(ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_CGROUP, &arg) && errno == ENOENT, "%s",
		 strerror(errno));
	close(arg.cgroup_fd);
	end();
}

/* Those that were removed make room. */
static void there_are_so_many(void)
{
	char path[32];
	int i;

	begin("");
	for (i = 0; i < NR_MAX; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		gt_cgroup_make(path);
		SAY(path, WEIGHT(50));
	}
	gt_cgroup_make("/more");
	check_refused(ENOSPC, "/more", (struct gpreempt_ioc_cgroup){ WEIGHT(50) });
	gt_cgroup_remove("/7");
	SAY("/more", WEIGHT(50));
	for (i = 0; i < NR_MAX; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		if (i != 7)
			gt_cgroup_remove(path);
	}
	gt_cgroup_remove("/more");
	end();
}

static const struct gt_case cases[] = {
	{ "a_limit_is_kept", a_limit_is_kept, GT_TINY, 300 },
	{ "weights_are_nested", weights_are_nested, GT_TINY, 300 },
	{ "a_group_is_of_one_cgroup", a_group_is_of_one_cgroup, GT_TINY, 120 },
	{ "idle_takes_the_priority", idle_takes_the_priority, GT_TINY, 60 },
	{ "what_is_wrong_is_refused", what_is_wrong_is_refused, GT_TINY, 60 },
	{ "there_are_so_many", there_are_so_many, GT_TINY, 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
