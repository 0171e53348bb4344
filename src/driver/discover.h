/* SPDX-License-Identifier: MIT */
/*
 * DOC: What GPUs, processes and queues there are, seen from outside
 *
 * No source knows everything. sysfs is open to all and names the queues; a
 * DBG_TRAP snapshot, for a debugger with a session, has their addresses; debugfs
 * kfd/mqds, for root, has priorities but no names; the memory of a process, for a caller that
 * may trace it, has the indices themselves. A list is begun from sysfs and the
 * others are added to it, the snapshot before the rest. Each value says where it
 * came from, and what no source said stays unknown.
 *
 * Processes come and go meanwhile: what vanishes while it is looked at is left out.
 * Process numbers are those of the kernel's first pid namespace, as sysfs has them.
 *
 * Nothing is kept between calls. All take a prefix for paths, NULL = none.
 */
#ifndef GP_MECHANISM_DISCOVER_H
#define GP_MECHANISM_DISCOVER_H

#include "gpreempt/gpreempt.h"

#include "driver/kfd_abi.h"

#include <dirent.h>
#include <stdbool.h>

/* "sysfs", …: enum gpreempt_source; "unknown" for a value outside. */
const char *drv_source_name(uint32_t source);

/* Bits of a node's capability, HSA_CAP_* of kfd_sysfs.h. */
#define DRV_NODE_CAP_DEBUG (1u << 15)
#define DRV_NODE_CAP_DEBUG_FIRMWARE (1u << 29)

/* A GPU in the topology. */
struct drv_node {
	uint32_t gpu_id; /* as amdkfd names it */
	uint32_t index; /* number of its topology node */
	char name[GPREEMPT_NAME_LEN]; /* "gfx942", "gfx90a", … */
	struct gpreempt_value gfx_target; /* 10000 × major + 100 × minor + step */
	struct gpreempt_value nr_xcc; /* dies */
	struct gpreempt_value nr_cu; /* compute units */
	struct gpreempt_value nr_simd; /* SIMDs */
	struct gpreempt_value waves_per_simd; /* waves of one */
	struct gpreempt_value nr_arrays; /* arrays of compute units */
	struct gpreempt_value arrays_per_engine; /* of these, in a shader engine */
	struct gpreempt_value cwsr_bytes; /* save area of one XCC; 0 = waves cannot be saved */
	struct gpreempt_value ctl_stack_bytes; /* of these, control stack */
	struct gpreempt_value capability; /* bits */
	struct gpreempt_value mec_fw; /* version of the MEC firmware */
	struct gpreempt_value sdma_fw; /* version of the SDMA firmware */
	struct gpreempt_value render_minor; /* its render node */
	struct gpreempt_value domain; /* of its PCI address */
	struct gpreempt_value location; /* bits 15:0 the rest of it; 31:28 its partition */
	struct gpreempt_value unique_id; /* what its UUID is made of */
	uint32_t gpu; /* number in the order of PCI addresses and partitions */
};

/**
 * drv_discover_nodes() - the GPUs of the topology
 * @root: prefix
 * @nodes: an array for free(), ordered by index; NULL if there is none
 * @nr: its length
 *
 * Return: 0, -ENOENT no amdkfd here, -ENOMEM, -errno.
 */
int drv_discover_nodes(const char *root, struct drv_node **nodes, size_t *nr);

/* 90402 is "gfx942". */
void drv_gfx_name(uint32_t target, char out[GPREEMPT_NAME_LEN]);

/* What of it is public; what schedules it has no say here. */
struct gpreempt_node drv_node_public(const struct drv_node *n);

/*
 * What else a GPU is called, "" if it has no such name: "0000:c1:00.0", and "GPU-…" as ROCr and
 * its ROCR_VISIBLE_DEVICES have it. Both give @out.
 */
const char *drv_node_pci(const struct gpreempt_node *n, char out[GPREEMPT_NAME_LEN]);
const char *drv_node_uuid(const struct gpreempt_node *n, char out[GPREEMPT_NAME_LEN]);

/**
 * drv_node_is_named() - is this the GPU that is meant?
 * @n: GPU
 * @name: its number as amd-smi counts, its PCI address with or without the domain 0000, its
 *	UUID, renderD128, or gpu: and its gpu_id
 *
 * Return: true if so.
 */
bool drv_node_is_named(const struct gpreempt_node *n, const char *name);

/* Can a GPU have such a name? */
bool drv_is_gpu_name(const char *name);

/* A list of queues. */
struct drv_queues {
	struct gpreempt_queue *queues; /* ordered by process, then queue id; for free() */
	size_t nr; /* how many */
	size_t room; /* how many fit */
};

/**
 * drv_discover_queues() - the queues of all processes, from sysfs
 * @root: prefix
 * @out: the list
 *
 * sysfs does not tell AQL from PM4: the type of a compute queue stays unknown.
 *
 * Return: 0, -ENOENT no amdkfd here, -ENOMEM, -errno.
 */
int drv_discover_queues(const char *root, struct drv_queues *out);

/**
 * struct drv_walk - the place of a walk through the queues that sysfs shows
 * @root: prefix
 * @processes: folder of the processes, NULL = of one alone
 * @queues: folder of the queues of @pid, NULL = the next process is next
 * @pid: process
 */
struct drv_walk {
	const char *root;
	DIR *processes;
	DIR *queues;
	uint32_t pid;
};

/**
 * drv_walk_begin() - begin a walk, one queue a step
 * @w: output; for drv_walk_fini()
 * @root: prefix; it must stay
 * @pid: only the queues of this process, 0 = all
 *
 * Return: 0, -ENOENT no amdkfd here or no such process, -errno.
 */
int drv_walk_begin(struct drv_walk *w, const char *root, uint32_t pid);

/**
 * drv_walk_step() - read one queue, or go on to the next process
 * @w: walk
 * @q: output
 *
 * Queues of one process follow each other, in no order.
 *
 * Return: 1 with @q, 0 this step found none, -ENOENT after the last.
 */
int drv_walk_step(struct drv_walk *w, struct gpreempt_queue *q);

/* End a walk, wherever it is. */
void drv_walk_fini(struct drv_walk *w);

/**
 * drv_discover_add_snapshot() - what a queue snapshot knows
 * @list: list
 * @pid: process of the snapshot
 * @entries: snapshot
 * @nr: its length
 *
 * Queues that are not in the list are added.
 *
 * Return: 0 or -ENOMEM.
 */
int drv_discover_add_snapshot(struct drv_queues *list, uint32_t pid,
			      const struct drv_kfd_queue_entry *entries, size_t nr);

/**
 * drv_discover_add_mqds() - what debugfs knows
 * @root: prefix
 * @list: list
 *
 * An image belongs to the queue with its ring. Where the ring is not known, it
 * belongs to the only queue of that process, node, kind and size, if there is just
 * one and just one image; else nothing is said. gfx9 only.
 *
 * Return: 0, -EACCES or -ENOENT cannot be read, -ENOMEM, -errno.
 */
int drv_discover_add_mqds(const char *root, struct drv_queues *list);

/**
 * drv_discover_add_pointers() - read and write index, from the memory of the processes
 * @root: prefix
 * @list: list
 *
 * Where the addresses are known and the process may be looked into. A queue whose
 * indices differ has work; if they are equal, whether it has is unknown.
 */
void drv_discover_add_pointers(const char *root, struct drv_queues *list);

/**
 * drv_discover_processes() - the processes of a list
 * @root: prefix
 * @list: list
 * @processes: an array for free(); NULL if there is none
 * @nr: its length
 *
 * Return: 0 or -ENOMEM.
 */
int drv_discover_processes(const char *root, const struct drv_queues *list,
			   struct gpreempt_process **processes, size_t *nr);

/**
 * drv_discover_occupancy() - compute units a process fills now
 * @root: prefix
 * @pid: process
 * @gpu_id: node
 * @out: 0 = no wave is on the GPU; waves that are saved do not count
 *
 * Return: 0, -ENOENT this GPU cannot say it, or no such process.
 */
int drv_discover_occupancy(const char *root, uint32_t pid, uint32_t gpu_id, uint64_t *out);

/**
 * drv_discover_has_queue() - does the driver show this queue?
 * @root: prefix
 * @pid: process
 * @gpu_id: node
 * @queue_id: queue
 *
 * Return: 0 the process has it on that node, -ENOENT it has not, -errno it is not known.
 */
int drv_discover_has_queue(const char *root, uint32_t pid, uint32_t gpu_id, uint32_t queue_id);

/**
 * drv_queues_fini() - free a list
 * @list: list
 */
void drv_queues_fini(struct drv_queues *list);

#endif
