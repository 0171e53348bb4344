// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "driver/discover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/sysfile.h"

/* sysfs numbers types by enum kfd_queue_type of kfd_priv.h, not as the ioctls do. */
enum sysfs_type {
	SYSFS_COMPUTE = 0,
	SYSFS_SDMA = 1,
	SYSFS_SDMA_XGMI = 4,
	SYSFS_SDMA_BY_ENGINE = 5,
};

const char *drv_source_name(uint32_t source)
{
	static const char *const names[] = {
		[GPREEMPT_SOURCE_UNKNOWN] = "unknown",
		[GPREEMPT_SOURCE_SYSFS] = "sysfs",
		[GPREEMPT_SOURCE_SNAPSHOT] = "snapshot",
		[GPREEMPT_SOURCE_DEBUGFS] = "debugfs",
		[GPREEMPT_SOURCE_SHIM] = "shim",
		[GPREEMPT_SOURCE_MEMORY] = "memory",
		[GPREEMPT_SOURCE_DAEMON] = "daemon",
		[GPREEMPT_SOURCE_KERNEL] = "kernel",
	};

	return source < sizeof(names) / sizeof(names[0]) ? names[source] : names[0];
}

static struct gpreempt_value known(uint64_t value, enum gpreempt_source source)
{
	return (struct gpreempt_value){ .value = value, .source = source };
}

static bool is_known(const struct gpreempt_value *v)
{
	return v->source != GPREEMPT_SOURCE_UNKNOWN;
}

/* A place for one more; NULL = no memory. */
static struct gpreempt_queue *add_queue(struct drv_queues *list)
{
	size_t room = list->room ? 2 * list->room : 16;
	struct gpreempt_queue *bigger;

	if (list->nr == list->room) {
		bigger = realloc(list->queues, room * sizeof(*bigger));
		if (!bigger)
			return NULL;
		list->queues = bigger;
		list->room = room;
	}
	list->queues[list->nr] = (struct gpreempt_queue){};
	return &list->queues[list->nr++];
}

static int by_name(const void *a, const void *b)
{
	const struct gpreempt_queue *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->queue_id < y->queue_id ? -1 : x->queue_id > y->queue_id;
}

static void sort_queues(struct drv_queues *list)
{
	if (list->nr)
		qsort(list->queues, list->nr, sizeof(list->queues[0]), by_name);
}

static void set_sysfs_type(struct gpreempt_queue *q, uint64_t type)
{
	static const uint32_t ioctl_type[] = {
		[SYSFS_SDMA] = DRV_KFD_QUEUE_SDMA,
		[SYSFS_SDMA_XGMI] = DRV_KFD_QUEUE_SDMA_XGMI,
		[SYSFS_SDMA_BY_ENGINE] = DRV_KFD_QUEUE_SDMA_BY_ENGINE,
	};

	q->compute = known(type == SYSFS_COMPUTE, GPREEMPT_SOURCE_SYSFS);
	if (type < sizeof(ioctl_type) / sizeof(ioctl_type[0]) && ioctl_type[type])
		q->type = known(ioctl_type[type], GPREEMPT_SOURCE_SYSFS);
}

/* Return: whether the queue is still there. */
static bool read_queue(const char *root, uint32_t pid, uint32_t id, struct gpreempt_queue *q)
{
	static const char *const name[] = { "gpuid", "type", "size" };
	char path[DRV_SYSFILE_PATH_MAX];
	uint64_t value[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		if (drv_sysfile_path(path, root, DRV_KFD_PROC "/%u/queues/%u/%s", pid, id,
				     name[i]) ||
		    drv_sysfile_number(path, &value[i]))
			return false;
	}
	*q = (struct gpreempt_queue){
		.pid = pid,
		.gpu_id = (uint32_t)value[0],
		.queue_id = id,
		.ring_bytes = known(value[2], GPREEMPT_SOURCE_SYSFS),
	};
	set_sysfs_type(q, value[1]);
	return true;
}

static DIR *open_queues(const char *root, uint32_t pid)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = drv_sysfile_path(path, root, DRV_KFD_PROC "/%u/queues", pid);

	return r ? NULL : opendir(path);
}

int drv_walk_begin(struct drv_walk *w, const char *root, uint32_t pid)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = drv_sysfile_path(path, root, DRV_KFD_PROC);

	*w = (struct drv_walk){ .root = root, .pid = pid };
	if (r)
		return r;
	if (pid)
		w->queues = open_queues(root, pid);
	else
		w->processes = opendir(path);
	return w->queues || w->processes ? 0 : -errno;
}

int drv_walk_step(struct drv_walk *w, struct gpreempt_queue *q)
{
	uint32_t id;

	if (w->queues && drv_sysfile_next(w->queues, &id))
		return read_queue(w->root, w->pid, id, q);
	if (w->queues)
		closedir(w->queues);
	w->queues = NULL;
	if (!w->processes || !drv_sysfile_next(w->processes, &w->pid))
		return -ENOENT;
	w->queues = open_queues(w->root, w->pid);
	return 0;
}

void drv_walk_fini(struct drv_walk *w)
{
	if (w->queues)
		closedir(w->queues);
	if (w->processes)
		closedir(w->processes);
	*w = (struct drv_walk){};
}

int drv_discover_queues(const char *root, struct drv_queues *out)
{
	struct drv_queues list = {};
	struct gpreempt_queue q, *to;
	struct drv_walk w;
	int found, r = drv_walk_begin(&w, root, 0);

	while (!r && (found = drv_walk_step(&w, &q)) >= 0) {
		to = found ? add_queue(&list) : NULL;
		if (to)
			*to = q;
		r = found && !to ? -ENOMEM : 0;
	}
	drv_walk_fini(&w);
	if (r) {
		drv_queues_fini(&list);
		return r;
	}
	sort_queues(&list);
	*out = list;
	return 0;
}

static struct gpreempt_queue *find_queue(struct drv_queues *list, uint32_t pid, uint32_t id)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (list->queues[i].pid == pid && list->queues[i].queue_id == id)
			return &list->queues[i];
	}
	return NULL;
}

int drv_discover_add_snapshot(struct drv_queues *list, uint32_t pid,
			      const struct drv_kfd_queue_entry *entries, size_t nr)
{
	const enum gpreempt_source source = GPREEMPT_SOURCE_SNAPSHOT;
	const struct drv_kfd_queue_entry *e;
	struct gpreempt_queue *q;

	for (e = entries; e < entries + nr; e++) {
		q = find_queue(list, pid, e->queue_id);
		if (!q)
			q = add_queue(list);
		if (!q)
			return -ENOMEM;
		q->pid = pid;
		q->gpu_id = e->gpu_id;
		q->queue_id = e->queue_id;
		q->type = known(e->type, source);
		q->compute = known(drv_kfd_is_compute(e->type), source);
		q->ring_addr = known(e->ring_addr, source);
		q->ring_bytes = known(e->ring_bytes, source);
		q->rptr_addr = known(e->rptr_addr, source);
		q->wptr_addr = known(e->wptr_addr, source);
	}
	sort_queues(list);
	return 0;
}

static int read_index(int fd, const struct gpreempt_value *addr, struct gpreempt_value *out)
{
	uint64_t value;

	if (!is_known(addr) || !addr->value)
		return -ENOENT;
	if (pread(fd, &value, sizeof(value), (off_t)addr->value) != sizeof(value))
		return -EIO;
	*out = known(value, GPREEMPT_SOURCE_MEMORY);
	return 0;
}

static void add_pointers(int fd, struct gpreempt_queue *q)
{
	/* The read index first: read the other way round, it could seem to have overtaken. */
	if (read_index(fd, &q->rptr_addr, &q->rptr) || read_index(fd, &q->wptr_addr, &q->wptr))
		return;
	if (q->rptr.value != q->wptr.value)
		q->busy = known(1, GPREEMPT_SOURCE_MEMORY);
}

void drv_discover_add_pointers(const char *root, struct drv_queues *list)
{
	char path[DRV_SYSFILE_PATH_MAX];
	uint32_t pid = 0;
	int fd = -1;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (fd < 0 || list->queues[i].pid != pid) {
			if (fd >= 0)
				close(fd);
			pid = list->queues[i].pid;
			fd = -1;
			if (!drv_sysfile_path(path, root, "/proc/%u/mem", pid))
				fd = open(path, O_RDONLY | O_CLOEXEC);
		}
		if (fd >= 0)
			add_pointers(fd, &list->queues[i]);
	}
	if (fd >= 0)
		close(fd);
}

static void fill_process(const char *root, struct gpreempt_process *p, uint32_t pid)
{
	char path[DRV_SYSFILE_PATH_MAX];
	struct stat st;

	p->pid = pid;
	if (!drv_sysfile_path(path, root, "/proc/%u", pid) && !stat(path, &st))
		p->uid = known(st.st_uid, GPREEMPT_SOURCE_SYSFS);
	if (drv_sysfile_path(path, root, "/proc/%u/comm", pid) ||
	    drv_sysfile_text(path, p->comm, sizeof(p->comm)) < 0)
		p->comm[0] = 0;
}

int drv_discover_processes(const char *root, const struct drv_queues *list,
			   struct gpreempt_process **processes, size_t *nr)
{
	struct gpreempt_process *p = NULL, *all;
	size_t i;

	all = list->nr ? calloc(list->nr, sizeof(*all)) : NULL;
	if (list->nr && !all)
		return -ENOMEM;
	*nr = 0;
	for (i = 0; i < list->nr; i++) {
		if (!p || p->pid != list->queues[i].pid) {
			p = &all[(*nr)++];
			fill_process(root, p, list->queues[i].pid);
		}
		p->nr_queues++;
	}
	*processes = all;
	return 0;
}

int drv_discover_occupancy(const char *root, uint32_t pid, uint32_t gpu_id, uint64_t *out)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = drv_sysfile_path(path, root, DRV_KFD_PROC "/%u/stats_%u/cu_occupancy", pid, gpu_id);

	return r ? r : drv_sysfile_number(path, out);
}

int drv_discover_has_queue(const char *root, uint32_t pid, uint32_t gpu_id, uint32_t queue_id)
{
	char path[DRV_SYSFILE_PATH_MAX];
	uint64_t found;
	int err = drv_sysfile_path(path, root, DRV_KFD_PROC "/%u/queues/%u/gpuid", pid, queue_id);

	if (!err)
		err = drv_sysfile_number(path, &found);
	/* The file of a queue that is being destroyed cannot be read any more. */
	if (err == -ENODEV)
		err = -ENOENT;
	return !err && found != gpu_id ? -ENOENT : err;
}

void drv_queues_fini(struct drv_queues *list)
{
	free(list->queues);
	*list = (struct drv_queues){};
}
