// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_root.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * "run" and "usr/local" are what a container needs to be under gpreempt: the sockets, the shim.
 * The last ones have code objects and HIP programs, where a test asks for them.
 */
static const char *const folders[] = { "proc", "sys", "dev", "tmp", "run", "usr/local",
				       "kernels", "programs" };

#define NR_FOLDERS (sizeof(folders) / sizeof(folders[0]))

/* rocminfo wants a module of the name it knows. */
static void load_name(void)
{
	int fd = open("/lib/modules/amdgpu.ko", O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "amdgpu.ko");
	GT_CHECK(!syscall(SYS_finit_module, fd, "", 0) || errno == EEXIST, "%s", strerror(errno));
	close(fd);
}

void gt_root_bind(const char *root)
{
	char from[64], to[64];
	size_t i;

	for (i = 0; i < NR_FOLDERS; i++) {
		snprintf(from, sizeof(from), "/%s", folders[i]);
		snprintf(to, sizeof(to), "%s/%s", root, folders[i]);
		/* A root that can only be read has the folders that its own tests want. */
		if (access(from, F_OK) || (mkdir(to, 0755) && errno == EROFS))
			continue;
		GT_CHECK(!mount(from, to, NULL, MS_BIND, NULL), "%s: %s", to, strerror(errno));
	}
}

void gt_root_enter(const char *root)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/usr/bin/rocminfo", root);
	if (access(path, X_OK))
		gt_skip("the guest has no %s", root);
	load_name();
	gt_root_bind(root);
}

void gt_root_leave(const char *root)
{
	char path[64];
	size_t i;

	for (i = 0; i < NR_FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		umount2(path, MNT_DETACH);
	}
}
