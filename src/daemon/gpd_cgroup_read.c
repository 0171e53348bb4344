// SPDX-License-Identifier: MIT
#include "daemon/gpd_cgroup.h"
#include "driver/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Longest value that is looked at. */
#define VALUE_LEN 64

/* A line of /proc/PID/cgroup: "0::PATH", or "NUMBER:NAMES:PATH" of version 1. */
static bool is_of(const char *names, enum gpd_hierarchy which)
{
	return which == GPD_HIERARCHY_UNIFIED ? !*names : !!strstr(names, "freezer");
}

static void take_path(char *to, const char *path)
{
	size_t len = strlen(path);

	if (to[0] || path[0] != '/')
		return;
	while (len >= GPD_CGROUP_LEN)
		len = (size_t)((char *)memrchr(path, '/', len) - path);
	memcpy(to, path, len);
	to[len] = '\0';
}

int gpd_cgroup_paths(pid_t pid, char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN])
{
	char file[64], text[8192];
	char *line, *rest = text;
	int i, len;

	for (i = 0; i < GPD_HIERARCHY_COUNT; i++)
		path[i][0] = '\0';
	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)pid);
	len = drv_sysfile_text(file, text, sizeof(text));
	/* A path that is cut off may be the name of another. */
	if (len < 0 || len == sizeof(text) - 1)
		return len < 0 ? len : -E2BIG;
	while ((line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':');
		char *at = names ? strchr(names + 1, ':') : NULL;

		if (!at)
			continue;
		*at = '\0';
		for (i = 0; i < GPD_HIERARCHY_COUNT; i++)
			if (is_of(names + 1, (enum gpd_hierarchy)i))
				take_path(path[i], at + 1);
	}
	return 0;
}

static bool is_mount_of(const struct mntent *m, enum gpd_hierarchy which)
{
	if (which == GPD_HIERARCHY_UNIFIED)
		return !strcmp(m->mnt_type, "cgroup2");
	return !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "freezer");
}

static void find_mount(enum gpd_hierarchy which, char *to, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char buffer[PATH_MAX + 512];
	struct mntent m;

	while (mounts && !to[0] && getmntent_r(mounts, &m, buffer, sizeof(buffer)))
		if (is_mount_of(&m, which))
			snprintf(to, size, "%s", m.mnt_dir);
	if (mounts)
		endmntent(mounts);
}

const char *gpd_cgroup_mount(enum gpd_hierarchy which)
{
	static char mounts[GPD_HIERARCHY_COUNT][PATH_MAX];
	static bool is_known[GPD_HIERARCHY_COUNT];

	if (!is_known[which])
		find_mount(which, mounts[which], sizeof(mounts[which]));
	is_known[which] = true;
	return mounts[which];
}

int gpd_cgroup_open(const char *path)
{
	char full[PATH_MAX + GPD_CGROUP_LEN];
	const char *mount = gpd_cgroup_mount(GPD_HIERARCHY_UNIFIED);

	if (!mount[0] || !gp_cgroup_is_path(path))
		return -1;
	snprintf(full, sizeof(full), "%s%s", mount, path);
	return open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void read_one(int fd, const char *name, const char *key, struct gp_cgroup_attr *attr)
{
	char value[VALUE_LEN + 1];
	ssize_t len = fgetxattr(fd, name, value, VALUE_LEN);

	if (len < 0)
		return;
	while (len && (value[len - 1] == '\n' || !value[len - 1]))
		len--;
	value[len] = '\0';
	/* A zero in the middle would hide what follows. */
	if (strlen(value) == (size_t)len)
		gp_cgroup_read(key, value, attr);
}

static bool is_roots(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool gpd_cgroup_is_roots(const char *path)
{
	char above[GPD_CGROUP_LEN];
	int fd;
	bool is;

	snprintf(above, sizeof(above), "%s", path);
	above[strrchr(above, '/') - above + (strrchr(above, '/') == above)] = '\0';
	fd = gpd_cgroup_open(above);
	is = fd >= 0 && is_roots(fd);
	if (fd >= 0)
		close(fd);
	return is;
}

static void read_all(int fd, struct gp_cgroup_attr *attr)
{
	const char *key;
	char name[64];
	u32 i;

	gp_cgroup_default(attr);
	for (i = 0; (key = gp_cgroup_name(i)); i++) {
		snprintf(name, sizeof(name), "user.gpu.%s", key);
		read_one(fd, name, key, attr);
	}
}

void gpd_cgroup_xattrs(const char *path, struct gp_cgroup_attr *attr)
{
	struct gp_cgroup_attr more;
	int fd = gpd_cgroup_open(path);

	if (fd < 0)
		return;
	/* Without any, which is most often, one call says so. */
	if (flistxattr(fd, NULL, 0) > 0) {
		read_all(fd, &more);
		gp_cgroup_merge(attr, &more, is_roots(fd));
	}
	close(fd);
}
