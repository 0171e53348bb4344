/* SPDX-License-Identifier: MIT */
/*
 * A scenario: what runs on which GPU, how it is scheduled, for how long. It is
 * read from a text file (docs/guide/scenario.md) and is plain data afterwards. The
 * caller owns it and frees it with sim_scenario_fini().
 */
#ifndef GP_SIM_SCENARIO_H
#define GP_SIM_SCENARIO_H

#include "core/sched.h"
#include "gpu/gpu.h"

#define SIM_NAME_MAX 64
#define SIM_MAX_CLASSES 16
#define SIM_MAX_KERNELS 512	/* per class */
#define SIM_MAX_PARAMS 32
#define SIM_MAX_FAULTS 32

/* X(NAME, "text", "for people") */
#define SIM_MECHANISMS(X)                                                                     \
	X(NONE, "none", "stock driver: queues share the GPU, nothing is preempted")           \
	X(HWPRIO, "hwprio", "three pipe priorities; resident waves stay")                     \
	X(LAUNCH_BLOCK, "launch-block", "host holds back launches, XSched level 1")           \
	X(DRAIN, "drain", "queue stops launching; resident waves end by themselves")          \
	X(RESET, "reset", "waves are killed and the kernel starts again, REEF")               \
	X(CWSR, "cwsr", "waves are saved and restored, firmware scheduler, node-wide cycle")  \
	X(CWSR_QUEUE, "cwsr-queue", "waves are saved and restored, one queue at a time")

enum sim_mechanism {
#define X(name, text, doc) SIM_MECH_##name,
	SIM_MECHANISMS(X)
#undef X
	SIM_MECH_COUNT
};

#define SIM_DETECTS(X)                                                                \
	X(POLL, "poll", "scan of all queues every 5 ms")                              \
	X(CRITICAL, "critical", "every 1 ms for latency-critical entities, else 5 ms") \
	X(DOORBELL, "doorbell", "armed doorbell: page fault at the idle-to-busy edge") \
	X(MANUAL, "manual", "scan only when triggered")

enum sim_detect {
#define X(name, text, doc) SIM_DETECT_##name,
	SIM_DETECTS(X)
#undef X
	SIM_DETECT_COUNT
};

/* Mechanisms that never preempt have no use for detection. */
static inline bool sim_mechanism_uses_detection(enum sim_mechanism m)
{
	return m != SIM_MECH_NONE && m != SIM_MECH_HWPRIO;
}

#define SIM_ARRIVALS(X)       \
	X(CLOSED, "closed")   \
	X(UNIFORM, "uniform") \
	X(POISSON, "poisson") \
	X(BURST, "burst")     \
	X(TRACE, "trace")

enum sim_arrival_kind {
#define X(name, text) SIM_ARRIVAL_##name,
	SIM_ARRIVALS(X)
#undef X
	SIM_ARRIVAL_COUNT
};

/**
 * struct sim_arrival - when requests come
 * @kind: generator
 * @period_ns: UNIFORM: time between requests; POISSON: its mean; BURST: between bursts
 * @burst: BURST: requests in a burst
 * @burst_gap_ns: BURST: time between requests of one burst
 * @concurrency: CLOSED: requests outstanding at a time
 * @think_ns: CLOSED: pause between completion and the next request
 * @nr_trace: TRACE: how many
 * @trace_ns: TRACE: arrival times from the start, ascending; repeats after the last
 */
struct sim_arrival {
	enum sim_arrival_kind kind;
	u64 period_ns;
	u32 burst;
	u64 burst_gap_ns;
	u32 concurrency;
	u64 think_ns;
	u32 nr_trace;
	u64 *trace_ns;
};

/**
 * struct sim_kernel_spec - one kernel of a request
 * @duration_ns: how long each workgroup runs
 * @endless: it never ends
 * @fill_ppm: workgroups as a share of what the whole GPU can hold; 0 = @workgroups
 * @workgroups: workgroups if @fill_ppm is 0
 * @workgroup_size: work-items in a workgroup, 1..1024
 * @vgprs: vector registers of a work-item, 8..512
 * @lds_bytes: LDS of a workgroup, 0..65536
 */
struct sim_kernel_spec {
	u64 duration_ns;
	bool endless;
	u32 fill_ppm;
	u32 workgroups;
	u32 workgroup_size;
	u32 vgprs;
	u32 lds_bytes;
};

/**
 * struct sim_class_spec - processes that do the same
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
struct sim_class_spec {
	char name[SIM_NAME_MAX];
	struct gp_attr attr;
	u32 processes;
	u32 queues;
	struct sim_arrival arrival;
	u64 start_ns;
	u64 stop_ns;
	u64 launch_ns;
	u32 nr_kernels;
	struct sim_kernel_spec *kernels;
};

/**
 * struct sim_fault_spec - something that goes wrong on purpose
 * @at_ns: when
 * @kind: enum gpu_fault; or GPU_FAULT_COUNT + enum gp_result: that result
 *        for every member of the next @arg switches
 * @arg: argument; GPU_FAULT_REFUSE: index of the class whose first queue refuses
 */
struct sim_fault_spec {
	u64 at_ns;
	u32 kind;
	u64 arg;
};

/**
 * struct sim_costs - what the software around the GPU costs
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
struct sim_costs {
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
struct sim_param_set {
	char name[SIM_NAME_MAX];
	u64 value;
};

/**
 * struct sim_scenario - all of it
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
struct sim_scenario {
	char name[SIM_NAME_MAX];
	char title[128];
	char gpu[SIM_NAME_MAX];
	char engine[SIM_NAME_MAX];
	char policy[SIM_NAME_MAX];
	enum sim_mechanism mechanism;
	enum sim_detect detect;
	u64 seed;
	u64 duration_ns;
	struct sim_costs costs;
	u32 nr_slots;
	u32 nr_params;
	struct sim_param_set params[SIM_MAX_PARAMS];
	u32 nr_faults;
	struct sim_fault_spec faults[SIM_MAX_FAULTS];
	u32 nr_classes;
	struct sim_class_spec classes[SIM_MAX_CLASSES];
};

/**
 * sim_scenario_defaults() - an empty scenario with default costs
 * @sc: output
 */
void sim_scenario_defaults(struct sim_scenario *sc);

/**
 * sim_scenario_parse() - read a scenario from text
 * @sc: output; nothing to free on error
 * @text: the text, not necessarily terminated
 * @len: its length
 * @file: name for messages; a relative trace file is looked up beside it
 * @error: output on error: "FILE:LINE: reason" (or "FILE: reason"), one line
 * @error_size: its size
 *
 * Return: 0, -EINVAL malformed, -ENOMEM.
 */
int sim_scenario_parse(struct sim_scenario *sc, const char *text, size_t len, const char *file,
		       char *error, size_t error_size);

/**
 * sim_scenario_load() - read a scenario from a file
 * @sc: output
 * @path: file
 * @error: as above
 * @error_size: its size
 *
 * Return: 0, -EINVAL malformed, other -errno the file cannot be read.
 */
int sim_scenario_load(struct sim_scenario *sc, const char *path, char *error, size_t error_size);

/**
 * sim_scenario_validate() - check what no single line can be blamed for
 * @sc: scenario, e.g. after options changed it
 * @error: output on error: the reason, one line
 * @error_size: its size
 *
 * Names of gpu, engine, policy and parameters, ranges, room on the GPU for one
 * workgroup of each kernel, a slot per queue where the mechanism needs one.
 *
 * Return: 0 or -EINVAL.
 */
int sim_scenario_validate(const struct sim_scenario *sc, char *error, size_t error_size);

void sim_scenario_fini(struct sim_scenario *sc);

const char *sim_mechanism_name(enum sim_mechanism m);
const char *sim_mechanism_doc(enum sim_mechanism m);
int sim_mechanism_parse(const char *text, enum sim_mechanism *m);
const char *sim_detect_name(enum sim_detect d);
const char *sim_detect_doc(enum sim_detect d);
int sim_detect_parse(const char *text, enum sim_detect *d);

#endif
