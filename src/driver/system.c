// SPDX-License-Identifier: MIT
#include "driver/system.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/kfd.h"
#include "driver/sysfile.h"

/* amdkfd is part of amdgpu; the stand-in for it has a name of its own. */
static const char *const modules[] = { "amdgpu", "kfdsim" };

static struct gpreempt_value known(uint64_t value)
{
	return (struct gpreempt_value){ .value = value, .source = GPREEMPT_SOURCE_SYSFS };
}

static void read_text(const char *root, const char *file, char *out, size_t size)
{
	char path[DRV_SYSFILE_PATH_MAX];

	if (drv_sysfile_path(path, root, "%s", file) || drv_sysfile_text(path, out, size) < 0)
		out[0] = 0;
}

static void read_number(const char *path, struct gpreempt_value *out)
{
	uint64_t value;

	if (!drv_sysfile_number(path, &value))
		*out = known(value);
}

static void read_parameter(const char *root, const struct drv_system *s, const char *name,
			   struct gpreempt_value *out)
{
	char path[DRV_SYSFILE_PATH_MAX];

	if (s->module[0] &&
	    !drv_sysfile_path(path, root, "/sys/module/%s/parameters/%s", s->module, name))
		read_number(path, out);
}

static void find_module(const char *root, struct drv_system *s)
{
	char path[DRV_SYSFILE_PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (drv_sysfile_path(path, root, "/sys/module/%s/parameters/sched_policy",
				     modules[i]) ||
		    access(path, F_OK))
			continue;
		snprintf(s->module, sizeof(s->module), "%s", modules[i]);
		drv_sysfile_path(path, root, "/sys/module/%s/version", s->module);
		read_text(NULL, path, s->module_version, sizeof(s->module_version));
		return;
	}
}

static int may_read(const char *root, const char *file)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = drv_sysfile_path(path, root, "%s", file);

	if (r)
		return r;
	return access(path, R_OK) ? -errno : 0;
}

static void look_at_device(const char *root, struct drv_system *s)
{
	char path[DRV_SYSFILE_PATH_MAX];
	struct kfd_ioctl_get_version_args v;
	struct stat st;
	int fd;

	if (!drv_sysfile_path(path, root, DRV_KFD_PATH) && !stat(path, &st)) {
		s->kfd_mode = known(st.st_mode & 07777);
		s->kfd_gid = known(st.st_gid);
	}
	if (root) {
		s->kfd = may_read(root, DRV_KFD_PATH);
		return;
	}
	fd = drv_kfd_open();
	s->kfd = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	if (!drv_kfd_get_version(fd, &v)) {
		s->kfd_major = known(v.major_version);
		s->kfd_minor = known(v.minor_version);
	}
	close(fd);
}

void drv_system_read(const char *root, struct drv_system *out)
{
	char path[DRV_SYSFILE_PATH_MAX];

	memset(out, 0, sizeof(*out));
	read_text(root, "/proc/sys/kernel/osrelease", out->kernel, sizeof(out->kernel));
	find_module(root, out);
	read_parameter(root, out, "sched_policy", &out->sched_policy);
	read_parameter(root, out, "cwsr_enable", &out->cwsr_enable);
	read_parameter(root, out, "hws_max_conc_proc", &out->max_processes);
	read_parameter(root, out, "queue_preemption_timeout_ms", &out->preemption_timeout_ms);
	if (!drv_sysfile_path(path, root, "/proc/sys/kernel/yama/ptrace_scope"))
		read_number(path, &out->ptrace_scope);
	out->debugfs = may_read(root, "/sys/kernel/debug/kfd/mqds");
	look_at_device(root, out);
}
