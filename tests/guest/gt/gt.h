/* SPDX-License-Identifier: MIT */
/*
 * What the tests in the guest share: cases, the module under them, and a small
 * client of amdkfd that speaks its ioctls directly.
 *
 * A test is a table of cases. Each case runs in a process of its own, with a time
 * limit, on a freshly loaded kfdsim if it names other parameters than the case
 * before. GT_CHECK() ends a case at the first thing that is wrong.
 */
#ifndef GT_H
#define GT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/kfd_ioctl.h>

#include "gpu/aql.h"

/**
 * struct gt_case - one behaviour
 * @name: what the result line says
 * @run: does it
 * @params: module parameters; NULL = run without a module
 * @seconds: time limit; 0 = 30
 */
struct gt_case {
	const char *name;
	void (*run)(void);
	const char *params;
	unsigned int seconds;
};

/* Runs the cases, unloads the module, prints results. Return: for main(). */
int gt_main(const struct gt_case *cases, size_t nr);

/* Ends the case: not ok, for this reason. */
void gt_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Ends the case: it cannot be run here. */
void gt_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* A line for the reader. */
void gt_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define GT_CHECK(cond, fmt, ...)                                               \
	do {                                                                   \
		if (!(cond))                                                   \
			gt_fail("%s:%d: %s: " fmt, __FILE_NAME__, __LINE__, #cond, ##__VA_ARGS__); \
	} while (0)

/*
 * What vehicle/run was told for "gp.NAME" on the kernel's command line: a number, a
 * text. Return: @otherwise or NULL if it was told nothing.
 */
uint64_t gt_argument(const char *name, uint64_t otherwise);
const char *gt_argument_text(const char *name);
/* Whether time is virtual and computing takes none: vehicle/run --kernel uml --clock inf. */
bool gt_is_virtual(void);
/* By what number the hardware knows a process that has opened the driver. */
uint32_t gt_pasid_of(pid_t pid);
/* As memory pressure would. The restore comes 100 ms later (PROCESS_RESTORE_TIME_MS). */
void gt_evict(pid_t pid);
/* How many times slower than usual the guest is: more than one if its kernel checks itself. */
unsigned int gt_slowness(void);
/* When a wait that should take no longer than @ms, on an ordinary kernel, has failed. */
uint64_t gt_deadline_ns(unsigned int ms);
/* Repetitions, divided by GP_TEST_SCALE: at least one. */
unsigned int gt_scaled(unsigned int nr);

/* Module. 0 or -errno. */
int gt_module_load(const char *params);
int gt_module_unload(void);

/* Processes that amdkfd knows. */
unsigned int gt_count_processes(void);

/* Time. */
uint64_t gt_now_ns(void);
void gt_sleep_us(uint64_t us);

/* Files. */
int gt_write_file(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The number after "KEY " at the start of a line; ends the case if there is none. */
uint64_t gt_file_value(const char *path, const char *key);
bool gt_file_has(const char *path, const char *text);
/* debugfs of the simulated GPU */
uint64_t gt_stat(unsigned int gpu, const char *key);
/* Waits a second at most for a value: the driver does not wait for a map. */
int gt_stat_wait(unsigned int gpu, const char *key, uint64_t value);
void gt_fault(unsigned int gpu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * struct gt_gpu - a GPU opened by this process
 * @kfd: /dev/kfd
 * @drm: its render node
 * @id: gpu_id
 * @node: number of its topology node
 * @doorbells: its doorbell slice, mapped with the first queue
 * @event_page: signal page, made with the first event
 */
struct gt_gpu {
	int kfd;
	int drm;
	uint32_t id;
	unsigned int node;
	volatile uint8_t *doorbells;
	uint64_t *event_page;
};

/* Opens the files of the index-th GPU of the topology; ends the case if that fails. */
void gt_gpu_find(struct gt_gpu *gpu, unsigned int index);
/* The same, and takes the render node's VM. */
void gt_gpu_open(struct gt_gpu *gpu, unsigned int index);
uint64_t gt_gpu_prop(const struct gt_gpu *gpu, const char *key);
unsigned int gt_count_gpus(void);

/**
 * struct gt_mem - memory of a GPU, mapped there and here at one address
 */
struct gt_mem {
	void *addr;
	uint64_t bytes;
	uint64_t handle;
};

int gt_mem_alloc(struct gt_gpu *gpu, uint64_t bytes, uint32_t flags, struct gt_mem *mem);
int gt_mem_free(struct gt_gpu *gpu, struct gt_mem *mem);
/* GTT memory; ends the case if there is none. */
void *gt_alloc(struct gt_gpu *gpu, uint64_t bytes);

#define GT_GTT KFD_IOC_ALLOC_MEM_FLAGS_GTT
#define GT_VRAM (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

/**
 * struct gt_queue - a compute queue
 */
struct gt_queue {
	struct gt_gpu *gpu;
	uint8_t *ring;
	volatile uint64_t *rptr;
	volatile uint64_t *wptr;
	volatile uint64_t *doorbell;
	uint8_t *save_area;
	uint64_t ring_bytes;
	uint32_t priority;
	uint32_t id;
	uint64_t doorbell_offset;
};

/* Memory for a queue, and what CREATE_QUEUE wants to know of it. */
void gt_queue_prepare(struct gt_gpu *gpu, uint32_t type, struct gt_queue *q,
		      struct kfd_ioctl_create_queue_args *args);
/* Return: 0 or -errno of CREATE_QUEUE. */
int gt_queue_try_create(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q);
void gt_queue_create(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q);
/* A queue of PM4 packets: pointers count dwords, the doorbell gets the write pointer. */
void gt_queue_create_pm4(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q);
/* Tells debuggers, as ROCr does, which part of the save area is theirs. */
void gt_queue_describe(struct gt_queue *q);
int gt_queue_destroy(struct gt_queue *q);
/* UPDATE_QUEUE; percentage 0 preempts, 100 resumes. 0 or -errno. */
int gt_queue_update(struct gt_queue *q, uint32_t percentage);
void gt_queue_ring(struct gt_queue *q);
/* How the model names a mapped queue: the dword index of its doorbell in the BAR. */
uint32_t gt_queue_doorbell(const struct gt_queue *q);

/**
 * struct gt_kernel - a dispatch and what it leaves behind
 */
struct gt_kernel {
	struct gt_gpu *gpu;
	struct gpu_kernel_desc *desc;
	struct gpu_program *program;
	struct gpu_kernarg *kernarg;
	volatile struct gpu_signal *signal;
	volatile uint64_t *tally;
	volatile uint64_t *out;
	volatile uint64_t *count;
	uint32_t nr_groups;
	uint32_t waves;
};

/**
 * struct gt_shape - what a kernel is made of
 * @groups: workgroups
 * @waves: waves of a workgroup
 * @vgprs: registers of a wave, a multiple of 8
 * @lds_bytes: of a workgroup
 * @steps: of the program
 * @step_ns: duration of a step
 * @seed: of the result
 */
struct gt_shape {
	uint32_t groups;
	uint32_t waves;
	uint32_t vgprs;
	uint32_t lds_bytes;
	uint32_t steps;
	uint64_t step_ns;
	uint64_t seed;
};

void gt_kernel_create(struct gt_gpu *gpu, const struct gt_shape *shape, struct gt_kernel *k);
/* Clears what an earlier run left. */
void gt_kernel_clear(struct gt_kernel *k);
/* The same, then writes a packet and rings. */
void gt_kernel_launch(struct gt_kernel *k, struct gt_queue *q);
/* Return: 0 or -ETIMEDOUT. Looks at the signal. */
int gt_kernel_wait(const struct gt_kernel *k, unsigned int ms);
/* Every workgroup ran exactly once: NULL, or what is wrong. */
const char *gt_kernel_check(const struct gt_kernel *k);
/* A number that two runs of the same shape share. */
uint64_t gt_kernel_digest(const struct gt_kernel *k);

/* Events. */
uint32_t gt_event_create(struct gt_gpu *gpu, uint32_t type, uint64_t *mailbox);
/* Return: wait_result, or -errno. */
int gt_event_wait(struct gt_gpu *gpu, uint32_t id, struct kfd_event_data *data, unsigned int ms);
/* Lets the kernel's signal raise an event. */
void gt_kernel_signal_event(struct gt_kernel *k, uint32_t id, uint64_t mailbox);

#endif
