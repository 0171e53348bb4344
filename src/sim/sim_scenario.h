/* SPDX-License-Identifier: MIT */
/*
 * A scenario: what runs on which GPU, how it is scheduled, for how long. It is
 * read from a text file (docs/guide/scenario.md) and is plain data afterwards. The
 * caller owns it and frees it with gp_scenario_fini().
 */
#ifndef GP_SIM_SCENARIO_H
#define GP_SIM_SCENARIO_H

#include "core/sched.h"
#include "gpu/gpu.h"

#define GP_NAME_MAX 64
#define GP_MAX_CLASSES 16
#define GP_MAX_KERNELS 512	/* per class */
#define GP_MAX_PARAMS 32
#define GP_MAX_FAULTS 32

/* X(NAME, "text", "for people") */
#define GP_MECHANISMS(X)                                                                      \
	X(NONE, "none", "stock driver: queues share the GPU, nothing is preempted")           \
	X(HWPRIO, "hwprio", "three pipe priorities; resident waves stay")                     \
	X(LAUNCH_BLOCK, "launch-block", "host holds back launches, XSched level 1")           \
	X(DRAIN, "drain", "queue stops launching; resident waves end by themselves")          \
	X(RESET, "reset", "waves are killed and the kernel starts again, REEF")               \
	X(CWSR, "cwsr", "waves are saved and restored, firmware scheduler, node-wide cycle")  \
	X(CWSR_QUEUE, "cwsr-queue", "waves are saved and restored, one queue at a time")

enum gp_mechanism {
#define X(name, text, doc) GP_MECH_##name,
	GP_MECHANISMS(X)
#undef X
	GP_MECH_COUNT
};

#define GP_DETECTS(X)                                                                 \
	X(POLL, "poll", "scan of all queues every 5 ms")                              \
	X(CRITICAL, "critical", "every 1 ms for latency-critical entities, else 5 ms") \
	X(DOORBELL, "doorbell", "armed doorbell: page fault at the idle-to-busy edge") \
	X(MANUAL, "manual", "scan only when triggered")

enum gp_detect {
#define X(name, text, doc) GP_DETECT_##name,
	GP_DETECTS(X)
#undef X
	GP_DETECT_COUNT
};

/* Mechanisms that never preempt have no use for detection. */
static inline bool gp_mechanism_uses_detection(enum gp_mechanism m)
{
	return m != GP_MECH_NONE && m != GP_MECH_HWPRIO;
}

#define GP_ARRIVALS(X)        \
	X(CLOSED, "closed")   \
	X(UNIFORM, "uniform") \
	X(POISSON, "poisson") \
	X(BURST, "burst")     \
	X(TRACE, "trace")

enum gp_arrival_kind {
#define X(name, text) GP_ARRIVAL_##name,
	GP_ARRIVALS(X)
#undef X
	GP_ARRIVAL_COUNT
};

/**
 * struct gp_arrival - when requests come
 * @kind: generator
 * @period_ns: UNIFORM: time between requests; POISSON: its mean; BURST: between bursts
 * @burst: BURST: requests in a burst
 * @burst_gap_ns: BURST: time between requests of one burst
 * @concurrency: CLOSED: requests outstanding at a time
 * @think_ns: CLOSED: pause between completion and the next request
 * @nr_trace: TRACE: how many
 * @trace_ns: TRACE: arrival times from the start, ascending; repeats after the last
 */
struct gp_arrival {
	enum gp_arrival_kind kind;
	u64 period_ns;
	u32 burst;
	u64 burst_gap_ns;
	u32 concurrency;
	u64 think_ns;
	u32 nr_trace;
	u64 *trace_ns;
};

/**
 * struct gp_kernel_spec - one kernel of a request
 * @duration_ns: how long each workgroup runs
 * @endless: it never ends
 * @fill_ppm: workgroups as a share of what the whole GPU can hold; 0 = @workgroups
 * @workgroups: workgroups if @fill_ppm is 0
 * @workgroup_size: work-items in a workgroup, 1..1024
 * @vgprs: vector registers of a work-item, 8..512
 * @lds_bytes: LDS of a workgroup, 0..65536
 */
struct gp_kernel_spec {
	u64 duration_ns;
	bool endless;
	u32 fill_ppm;
	u32 workgroups;
	u32 workgroup_size;
	u32 vgprs;
	u32 lds_bytes;
};

/**
 * struct gp_class_spec - processes that do the same
 * @name: name in results
 * @attr: attributes of each process
 * @processes: how many processes
 * @queues: queues of each; requests go round-robin
 * @arrival: when requests come, per process
 * @start_ns: first request not before
 * @stop_ns: no request after; U64_MAX = to the end
 * @launch_ns: host time between two launches of one request; 0 = all at once
 * @nr_kernels: kernels of a request, in order
 * @kernels: them
 */
struct gp_class_spec {
	char name[GP_NAME_MAX];
	struct gp_attr attr;
	u32 processes;
	u32 queues;
	struct gp_arrival arrival;
	u64 start_ns;
	u64 stop_ns;
	u64 launch_ns;
	u32 nr_kernels;
	struct gp_kernel_spec *kernels;
};

/**
 * struct gp_fault_spec - something that goes wrong on purpose
 * @at_ns: when
 * @kind: enum gp_gpu_fault; or GP_GPU_FAULT_COUNT + enum gp_result: that result
 *        for every member of the next @arg switches
 * @arg: argument; GP_GPU_FAULT_REFUSE: index of the class whose first queue refuses
 */
struct gp_fault_spec {
	u64 at_ns;
	u32 kind;
	u64 arg;
};

/**
 * struct gp_sim_costs - what the software around the GPU costs
 * @fault_ns: doorbell page fault, on the submitter
 * @wake_ns: wake-up of the scheduler thread, at least
 * @wake_jitter_ns: at most this much more, uniform
 * @decide_ns: one pass of the scheduling core
 * @driver_ns: locks, flags, packets before the unmap
 * @fence_ns: from the fence in memory to the driver seeing it
 * @runlist_ns: building and submitting the runlist
 * @irq_ns: completion interrupt to the client or the scheduler
 * @idle_ns: quiet time after which a queue counts as idle
 * @poll_ns: period of poll
 * @critical_ns: period of critical
 * @trigger_ns: period of manual triggers; 0 = none
 * @block_ns: launch-block: message to the client's launch worker
 * @block_threshold: launch-block: commands in flight at most
 * @block_batch: launch-block: commands per synchronisation
 */
struct gp_sim_costs {
	u64 fault_ns;
	u64 wake_ns;
	u64 wake_jitter_ns;
	u64 decide_ns;
	u64 driver_ns;
	u64 fence_ns;
	u64 runlist_ns;
	u64 irq_ns;
	u64 idle_ns;
	u64 poll_ns;
	u64 critical_ns;
	u64 trigger_ns;
	u64 block_ns;
	u64 block_threshold;
	u64 block_batch;
};

/* A core parameter to set: "hysteresis_ns", "fair.granularity_ns", … */
struct gp_param_set {
	char name[GP_NAME_MAX];
	u64 value;
};

/**
 * struct gp_scenario - all of it
 * @name: short name
 * @title: one line for people
 * @gpu: profile name
 * @engine: "timed" or "state"
 * @policy: policy name
 * @mechanism: mechanism
 * @detect: detection mode
 * @seed: of every random number
 * @duration_ns: virtual time in which requests arrive
 * @costs: software costs
 * @nr_slots: queue slots; 0 = the profile's
 * @nr_params: core parameters
 * @params: them
 * @nr_faults: faults
 * @faults: them, by time
 * @nr_classes: classes
 * @classes: them
 */
struct gp_scenario {
	char name[GP_NAME_MAX];
	char title[128];
	char gpu[GP_NAME_MAX];
	char engine[GP_NAME_MAX];
	char policy[GP_NAME_MAX];
	enum gp_mechanism mechanism;
	enum gp_detect detect;
	u64 seed;
	u64 duration_ns;
	struct gp_sim_costs costs;
	u32 nr_slots;
	u32 nr_params;
	struct gp_param_set params[GP_MAX_PARAMS];
	u32 nr_faults;
	struct gp_fault_spec faults[GP_MAX_FAULTS];
	u32 nr_classes;
	struct gp_class_spec classes[GP_MAX_CLASSES];
};

/**
 * gp_scenario_defaults() - an empty scenario with default costs
 * @sc: output
 */
void gp_scenario_defaults(struct gp_scenario *sc);

/**
 * gp_scenario_parse() - read a scenario from text
 * @sc: output; nothing to free on error
 * @text: the text, not necessarily terminated
 * @len: its length
 * @file: name for messages; a relative trace file is looked up beside it
 * @error: output on error: "FILE:LINE: reason" (or "FILE: reason"), one line
 * @error_size: its size
 *
 * Return: 0, -EINVAL malformed, -ENOMEM.
 */
int gp_scenario_parse(struct gp_scenario *sc, const char *text, size_t len, const char *file,
		      char *error, size_t error_size);

/**
 * gp_scenario_load() - read a scenario from a file
 * @sc: output
 * @path: file
 * @error: as above
 * @error_size: its size
 *
 * Return: 0, -EINVAL malformed, other -errno the file cannot be read.
 */
int gp_scenario_load(struct gp_scenario *sc, const char *path, char *error, size_t error_size);

/**
 * gp_scenario_validate() - check what no single line can be blamed for
 * @sc: scenario, e.g. after options changed it
 * @error: output on error: the reason, one line
 * @error_size: its size
 *
 * Names of gpu, engine, policy and parameters, ranges, room on the GPU for one
 * workgroup of each kernel, a slot per queue where the mechanism needs one.
 *
 * Return: 0 or -EINVAL.
 */
int gp_scenario_validate(const struct gp_scenario *sc, char *error, size_t error_size);

void gp_scenario_fini(struct gp_scenario *sc);

const char *gp_mechanism_name(enum gp_mechanism m);
const char *gp_mechanism_doc(enum gp_mechanism m);
int gp_mechanism_parse(const char *text, enum gp_mechanism *m);
const char *gp_detect_name(enum gp_detect d);
const char *gp_detect_doc(enum gp_detect d);
int gp_detect_parse(const char *text, enum gp_detect *d);

#endif
