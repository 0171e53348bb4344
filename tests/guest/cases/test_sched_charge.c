// SPDX-License-Identifier: MIT
/*
 * What is kept for a caller of gpreempt.ko is charged to the caller: a limit of memory counts it.
 *
 * Variant: hooks
 * Clock: host, the guest of virtual time has no memory cgroups
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOUNT "/tmp/cgroup"
#define GROUP MOUNT "/charged"
#define FILES 512
/* Two of each file: of the process and of its queue. */
#define HOLDS (2 * FILES)
/* Each has at least the rule's trees in it: four nodes of three words, and as much besides. */
#define MIN_BYTES 128
#define LEASE_MS 60000

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096, .step_ns = 1000000, .seed = 8,
};

static void enter_group(void)
{
	mkdir(MOUNT, 0755);
	if (mount("cgroup2", MOUNT, "cgroup2", 0, NULL) && errno != EBUSY)
		gt_skip("no cgroups here: %s", strerror(errno));
	if (gt_write_file(MOUNT "/cgroup.subtree_control", "+memory"))
		gt_skip("no memory cgroups here: %s", strerror(errno));
	mkdir(GROUP, 0755);
	GT_CHECK(!gt_write_file(GROUP "/cgroup.procs", "%d", getpid()), "cgroup: %s",
		 strerror(errno));
}

static void leave_group(void)
{
	GT_CHECK(!gt_write_file(MOUNT "/cgroup.procs", "%d", getpid()), "cgroup: %s",
		 strerror(errno));
}

/* Statistics are gathered now and then. */
static uint64_t slab_bytes(void)
{
	gt_sleep_us(3000000);
	return gt_file_value(GROUP "/memory.stat", "slab_unreclaimable");
}

static void hold_by_all(const int *files, const struct gt_job *j, uint32_t gpu_id)
{
	int i, r, own = gt_gpk_dev;

	for (i = 0; i < FILES; i++) {
		gt_gpk_dev = files[i];
		r = gt_gpk_hold(gpu_id, j->pid, GPREEMPT_ABI_QUEUE_ALL, LEASE_MS);
		GT_CHECK(!r, "hold %d: %s", i, strerror(-r));
		r = gt_gpk_hold(gpu_id, j->pid, j->queue_id, LEASE_MS);
		GT_CHECK(!r, "hold %d: %s", i, strerror(-r));
	}
	gt_gpk_dev = own;
}

static void holds_are_charged_to_the_caller(void)
{
	struct rlimit many = { .rlim_cur = 2 * FILES, .rlim_max = 2 * FILES };
	uint64_t before, grown;
	int i, files[FILES];
	struct gt_job j;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	GT_CHECK(!setrlimit(RLIMIT_NOFILE, &many), "%s", strerror(errno));
	gt_job_start(&j, &endless);
	enter_group();
	for (i = 0; i < FILES; i++) {
		files[i] = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
		GT_CHECK(files[i] >= 0, "file %d: %s", i, strerror(errno));
	}
	before = slab_bytes();
	hold_by_all(files, &j, gt_gpk_gpu_id());
	grown = slab_bytes() - before;
	gt_note("%d holds: %lu bytes", HOLDS, grown);
	leave_group();
	for (i = 0; i < FILES; i++)
		close(files[i]);
	gt_job_kill(&j);
	gt_gpk_unload();
	rmdir(GROUP);
	umount(MOUNT);
	GT_CHECK((int64_t)grown >= HOLDS * MIN_BYTES, "%ld bytes for %d holds", (int64_t)grown,
		 HOLDS);
}

static const struct gt_case cases[] = {
	{ "holds_are_charged_to_the_caller", holds_are_charged_to_the_caller,
	  "profile=tiny poll_us=100", 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
