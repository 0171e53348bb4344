// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_BYTES 512
#define DEBUGFS "/sys/kernel/debug/kfdsim"
#define NODES "/sys/class/kfd/kfd/topology/nodes"

static int write_text(const char *path, const char *text, int len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != len)
		r = -errno;
	close(fd);
	return r;
}

int gt_write_file(const char *path, const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return write_text(path, text, len);
}

uint64_t gt_file_value(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(key);
	char line[LINE_BYTES];

	if (!f)
		gt_fail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != ' ')
			continue;
		fclose(f);
		return strtoull(line + len, NULL, 0);
	}
	fclose(f);
	gt_fail("%s has no '%s'", path, key);
}

bool gt_file_has(const char *path, const char *text)
{
	FILE *f = fopen(path, "re");
	char line[LINE_BYTES];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

uint64_t gt_stat(unsigned int gpu, const char *key)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "/%u/stats", gpu);
	return gt_file_value(path, key);
}

int gt_stat_wait(unsigned int gpu, const char *key, uint64_t value)
{
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (gt_stat(gpu, key) == value)
			return 0;
		gt_sleep_us(1000);
	}
	return -ETIMEDOUT;
}

void gt_fault(unsigned int gpu, const char *fmt, ...)
{
	char path[128], text[LINE_BYTES];
	va_list ap;
	int len, r;

	snprintf(path, sizeof(path), DEBUGFS "/%u/fault", gpu);
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r = write_text(path, text, len);
	if (r)
		gt_fail("fault '%s': %s", text, strerror(-r));
}

static uint32_t gpu_id_of(unsigned int node)
{
	char path[128];
	unsigned int id = 0;
	FILE *f;

	snprintf(path, sizeof(path), NODES "/%u/gpu_id", node);
	f = fopen(path, "re");
	if (!f)
		return UINT32_MAX;
	if (fscanf(f, "%u", &id) != 1)
		id = 0;
	fclose(f);
	return id;
}

/* Nodes with gpu_id 0 are CPUs. */
static unsigned int find_node(unsigned int index, uint32_t *id)
{
	unsigned int node;

	for (node = 0; (*id = gpu_id_of(node)) != UINT32_MAX; node++)
		if (*id && !index--)
			return node;
	return UINT32_MAX;
}

unsigned int gt_count_gpus(void)
{
	unsigned int n = 0;
	uint32_t id;

	while (find_node(n, &id) != UINT32_MAX)
		n++;
	return n;
}

uint64_t gt_gpu_prop(const struct gt_gpu *gpu, const char *key)
{
	char path[128];

	snprintf(path, sizeof(path), NODES "/%u/properties", gpu->node);
	return gt_file_value(path, key);
}

static void open_render_node(struct gt_gpu *gpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/dri/renderD%u",
		 (unsigned int)gt_gpu_prop(gpu, "drm_render_minor"));
	gpu->drm = open(path, O_RDWR | O_CLOEXEC);
	if (gpu->drm < 0)
		gt_fail("%s: %s", path, strerror(errno));
}

void gt_gpu_find(struct gt_gpu *gpu, unsigned int index)
{
	memset(gpu, 0, sizeof(*gpu));
	gpu->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (gpu->kfd < 0)
		gt_fail("/dev/kfd: %s", strerror(errno));
	gpu->node = find_node(index, &gpu->id);
	if (gpu->node == UINT32_MAX)
		gt_fail("there is no GPU %u in the topology", index);
	open_render_node(gpu);
}

void gt_gpu_open(struct gt_gpu *gpu, unsigned int index)
{
	struct kfd_ioctl_acquire_vm_args args = {};

	gt_gpu_find(gpu, index);
	args.drm_fd = gpu->drm;
	args.gpu_id = gpu->id;
	if (ioctl(gpu->kfd, AMDKFD_IOC_ACQUIRE_VM, &args))
		gt_fail("ACQUIRE_VM: %s", strerror(errno));
}

const char *gt_argument_text(const char *name)
{
	static char line[2048];
	FILE *f = fopen("/proc/cmdline", "re");
	char *rest = line, *word;
	size_t len = strlen(name);

	if (!f || !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	while ((word = strsep(&rest, " \n")))
		if (!strncmp(word, "gp.", 3) && !strncmp(word + 3, name, len) &&
		    word[3 + len] == '=')
			return word + 3 + len + 1;
	return NULL;
}

uint64_t gt_argument(const char *name, uint64_t otherwise)
{
	const char *text = gt_argument_text(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

bool gt_is_virtual(void)
{
	const char *clock = gt_argument_text("clock");

	return clock && !strcmp(clock, "inf");
}

uint32_t gt_pasid_of(pid_t pid)
{
	uint32_t pasid = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/pasid", pid);
	f = fopen(path, "re");
	GT_CHECK(f && fscanf(f, "%u", &pasid) == 1, "%s: %s", path, strerror(errno));
	fclose(f);
	return pasid;
}

void gt_evict(pid_t pid)
{
	int r = gt_write_file(DEBUGFS "/0/evict", "%u", gt_pasid_of(pid));

	GT_CHECK(!r, "evict: %s", strerror(-r));
}

unsigned int gt_slowness(void)
{
	return access("/proc/lockdep_stats", F_OK) ? 1 : 4;
}

uint64_t gt_deadline_ns(unsigned int ms)
{
	return gt_now_ns() + (uint64_t)ms * gt_slowness() * 1000000;
}

unsigned int gt_scaled(unsigned int nr)
{
	uint64_t scale = gt_argument("scale", 1);

	return scale > 1 && nr > scale ? (unsigned int)(nr / scale) : scale > 1 ? 1 : nr;
}
