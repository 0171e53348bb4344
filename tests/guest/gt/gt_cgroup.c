// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS 20000
#define PATH_BYTES 96

void gt_cgroup_begin(void)
{
	mkdir(GT_CGROUPS, 0755);
	GT_CHECK(!mount("none", GT_CGROUPS, "cgroup2", 0, NULL), "cgroup2: %s", strerror(errno));
}

void gt_cgroup_end(void)
{
	umount2(GT_CGROUPS, MNT_DETACH);
}

void gt_cgroup_make(const char *path)
{
	char folder[PATH_BYTES];

	snprintf(folder, sizeof(folder), GT_CGROUPS "%s", path);
	GT_CHECK(!mkdir(folder, 0755), "%s: %s", folder, strerror(errno));
}

void gt_cgroup_remove(const char *path)
{
	uint64_t end = gt_deadline_ns(MS);
	char folder[PATH_BYTES];

	snprintf(folder, sizeof(folder), GT_CGROUPS "%s", path);
	while (rmdir(folder)) {
		GT_CHECK(errno == EBUSY && gt_now_ns() < end, "%s: %s", folder, strerror(errno));
		gt_sleep_us(1000);
	}
}

void gt_cgroup_move(pid_t pid, const char *path)
{
	char file[PATH_BYTES];
	int fd;

	snprintf(file, sizeof(file), GT_CGROUPS "%s/cgroup.procs", path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	GT_CHECK(fd >= 0 && dprintf(fd, "%d", pid) > 0, "%s: %s", file, strerror(errno));
	close(fd);
}

void gt_cgroup_load(struct gt_load *l, const char *path, const char *kernel_ms)
{
	gt_cgroup_move(0, path);
	GT_LOAD(l, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", kernel_ms);
	gt_cgroup_move(0, "");
}

double gt_cgroup_waves(void)
{
	uint64_t begin_ns = gt_now_ns();
	unsigned int nr = 0, on = 0;

	for (; gt_now_ns() - begin_ns < GT_CGROUP_LOOK_US * 1000ull; nr++) {
		on += !!gt_stat(0, "waves");
		gt_sleep_us(500);
	}
	return (double)on / nr;
}

void gt_cgroup_check(const char *what, double part, double want)
{
	gt_note("%s: %.4f of the time, %.4f wanted", what, part, want);
	GT_CHECK(part >= want - GT_CGROUP_OFF && part <= want + GT_CGROUP_OFF,
		 "%s: %.4f of the time, not %.4f", what, part, want);
}
