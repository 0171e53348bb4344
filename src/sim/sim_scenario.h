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
#include "rules/cgroup.h"
#include "rules/elastic.h"

#define SIM_NAME_MAX 64
#define SIM_MAX_CLASSES 16
#define SIM_MAX_GPUS 64
#define SIM_MAX_KERNELS 512	/* per class */
#define SIM_MAX_PARAMS 32
#define SIM_MAX_FAULTS 32
#define SIM_MAX_CGROUPS 64
#define SIM_CGROUP_LEN 128

/* X(NAME, "text", "for people") */
#define SIM_MECHANISMS(X)                                                                     \
	X(NONE, "none", "stock driver: queues share the GPU, nothing is preempted")           \
	X(HWPRIO, "hwprio", "three pipe priorities; resident waves stay")                     \
	X(LAUNCH_BLOCK, "launch-block", "host holds back launches, XSched level 1")           \
	X(DRAIN, "drain", "queue stops launching; resident waves end by themselves")          \
	X(RESET, "reset", "waves are killed and the kernel starts again, REEF")               \
	X(CWSR, "cwsr", "waves are saved and restored, firmware scheduler, node-wide cycle")  \
	X(CWSR_QUEUE, "cwsr-queue", "waves are saved and restored, one queue at a time")      \
	X(RESIZE, "resize", "as cwsr; elastic classes come back at once on fewer CUs")

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

/* Those that take all queues off in one cycle of the firmware scheduler. */
static inline bool sim_mechanism_is_cycle(enum sim_mechanism m)
{
	return m == SIM_MECH_CWSR || m == SIM_MECH_RESIZE;
}

#define SIM_MODELS(X)                                                                             \
	X(DEFAULT, "default", "costs vary, wake-ups have a tail, caches are cold after a switch") \
	X(FIXED, "fixed", "every cost is its mean, caches stay warm")                             \
	X(PESSIMIST, "pessimist", "as default, bandwidth / 4, firmware x 5")

enum sim_model {
#define X(name, text, doc) SIM_MODEL_##name,
	SIM_MODELS(X)
#undef X
		SIM_MODEL_COUNT
};

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

#define SIM_MAX_PHASES 16

/* A time with requests at another rate. */
struct sim_phase {
	u64 ns;	      /* how long */
	u64 rate_ppm; /* share of the rate */
};

/* When requests come. */
struct sim_arrival {
	enum sim_arrival_kind kind; /* generator */
	u64 period_ns;		    /* between requests; POISSON: its mean; BURST: between bursts */
	u32 burst;		    /* BURST: requests in a burst */
	u64 burst_gap_ns;	    /* BURST: time between requests of one burst */
	u32 concurrency;	    /* CLOSED: requests outstanding at a time */
	u64 think_ns;		    /* CLOSED: pause between completion and the next request */
	u32 nr_trace;		    /* TRACE: how many */
	u64 *trace_ns;		    /* TRACE: times from the start, ascending; then again */
	u32 nr_phases;		    /* phases of the rate, one after the other; then again */
	struct sim_phase phases[SIM_MAX_PHASES]; /* them */
};

/* One kernel of a request. */
struct sim_kernel_spec {
	u64 duration_ns;    /* how long each workgroup runs */
	u64 longest_ns;	    /* 0, or a dispatch takes anything from @duration_ns to this */
	bool endless;	    /* it never ends */
	u32 fill_ppm;	    /* share of what the whole GPU can hold; 0 = @workgroups */
	u32 workgroups;	    /* workgroups if @fill_ppm is 0 */
	u32 workgroup_size; /* work-items in a workgroup, 1..1024 */
	u32 vgprs;	    /* vector registers of a work-item, 8..512 */
	u32 lds_bytes;	    /* LDS of a workgroup, 0..65536 */
	bool is_barrier;    /* no kernel: it ends when all ranks of the gang have come to it */
};

/* Processes that do the same. */
struct sim_class_spec {
	char name[SIM_NAME_MAX];	 /* name in results */
	struct gp_attr attr;		 /* attributes of each process */
	struct gp_elastic_attr elastic;	 /* under resize: whether and how far it shrinks */
	u32 reserve;			 /* under resize: CUs that it always finds free */
	char cgroup[SIM_CGROUP_LEN];	 /* of each process, "" = none; "/" and "*" at the end */
	u32 processes;			 /* how many processes */
	bool is_gang;			 /* each is on every GPU: ranks that meet at barriers */
	u32 queues;			 /* queues of each; requests go round-robin */
	struct sim_arrival arrival;	 /* when requests come, per process */
	u64 start_ns;			 /* first request not before */
	u64 stop_ns;			 /* no request after; U64_MAX = to the end */
	u64 joins_ns;			 /* its processes are there from then on */
	u64 dies_ns;			 /* and until then; U64_MAX = to the end */
	u64 launch_ns;			 /* host time between launches; 0 = all at once */
	u64 host_ns;			 /* host time before the first launch of a request */
	bool has_hint;			 /* the scheduler is told when that begins */
	u32 nr_kernels;			 /* kernels of a request, in order */
	struct sim_kernel_spec *kernels; /* them */
};

/* What is said of a cgroup. */
struct sim_cgroup_spec {
	char path[SIM_CGROUP_LEN];  /* its path; may be a pattern */
	struct gp_cgroup_attr attr; /* what is said */
};

/* Something that goes wrong on purpose. */
struct sim_fault_spec {
	u64 at_ns; /* when */
	/* enum gpu_fault; or GPU_FAULT_COUNT + enum gp_result, of the next @arg switches. */
	u32 kind;
	u64 arg; /* argument; GPU_FAULT_REFUSE: index of the class whose first queue refuses */
};

#define SIM_PPM_ONE 1000000ull
#define SIM_UNSET U64_MAX

/* What the scenario says of the GPU beside its profile. */
struct sim_hardware {
	u64 bandwidth_ppm; /* share of the profile's save and restore bandwidth */
	u64 firmware_ppm;  /* the same of its firmware costs */
	u64 spread_ppm;	   /* share of these that varies; SIM_UNSET = the profile's */
	u64 cold_ns;	   /* cold caches; SIM_UNSET = the time to fill its L2 */
	u64 barrier_ns;	   /* added to a packet that waits for those before it */
	u64 retry_ns;	   /* sleep of the firmware before it asks a queue once more to leave */
	u64 retry_ppm;	   /* how often an unmap has one */
	bool has_contention; /* waves that run together cost each other time: gpu/contention.h */
	u64 issue_ppm;	   /* how much on a CU; SIM_UNSET = the profile's */
	u64 memory_ppm;	   /* and by memory; the same */
};

/* What the software around the GPU costs. */
struct sim_costs {
	u64 fault_ns;	     /* doorbell page fault, on the submitter */
	u64 wake_ns;	     /* wake-up of the scheduler thread, at least */
	u64 wake_jitter_ns;  /* at most this much more, uniform */
	u64 tail_ns;	     /* mean of what a wake-up or interrupt of the tail takes more */
	u64 tail_ppm;	     /* how often there is one */
	u64 arm_ns;	     /* taking the doorbell page of an idle process away */
	u64 decide_ns;	     /* one pass of the scheduling core */
	u64 driver_ns;	     /* locks, flags, packets before the unmap */
	u64 fence_ns;	     /* from the fence in memory to the driver seeing it */
	u64 runlist_ns;	     /* building and submitting the runlist */
	u64 irq_ns;	     /* completion interrupt to the client or the scheduler */
	u64 idle_ns;	     /* quiet time after which a queue counts as idle */
	u64 poll_ns;	     /* period of poll */
	u64 critical_ns;     /* period of critical */
	u64 trigger_ns;	     /* period of manual triggers; 0 = none */
	u64 block_ns;	     /* launch-block: message to the client's launch worker */
	u64 block_threshold; /* launch-block: commands in flight at most */
	u64 block_batch;     /* launch-block: commands per synchronisation */
};

/* A core parameter to set: "hysteresis_ns", "fair.granularity_ns", … */
struct sim_param_set {
	char name[SIM_NAME_MAX];
	u64 value;
};

/* All of it. */
struct sim_scenario {
	char name[SIM_NAME_MAX];		      /* short name */
	char title[128];			      /* one line for people */
	char gpu[SIM_NAME_MAX];			      /* profile name */
	char engine[SIM_NAME_MAX];		      /* "timed" or "state" */
	char policy[SIM_NAME_MAX];		      /* policy name */
	enum sim_mechanism mechanism;		      /* mechanism */
	enum sim_detect detect;			      /* detection mode */
	u64 seed;				      /* of every random number */
	u64 duration_ns;			      /* virtual time in which requests arrive */
	enum sim_model model;			      /* how much of the model is in force */
	bool has_profile;			      /* it brings its own */
	struct gpu_profile profile;		      /* that one */
	struct sim_hardware hardware;		      /* changes to the profile */
	struct sim_costs costs;			      /* software costs */
	u32 nr_slots;				      /* queue slots; 0 = the profile's */
	u32 nr_gpus;				      /* GPUs */
	u64 slack_ppm;				      /* what shrinking may cost the others */
	bool has_gangs;				      /* the scheduler knows gangs as such */
	u32 nr_params;				      /* core parameters */
	struct sim_param_set params[SIM_MAX_PARAMS];  /* them */
	u32 nr_cgroups;				      /* cgroups of which something is said */
	struct sim_cgroup_spec cgroups[SIM_MAX_CGROUPS]; /* them */
	u32 nr_faults;				      /* faults */
	struct sim_fault_spec faults[SIM_MAX_FAULTS]; /* them, by time */
	u32 nr_classes;				      /* classes */
	struct sim_class_spec classes[SIM_MAX_CLASSES];
};

/**
 * sim_scenario_defaults() - an empty scenario with default costs
 * @sc: output
 */
void sim_scenario_defaults(struct sim_scenario *sc);

/* A class of one process and queue that sends one request after the other, to the end. */
void sim_class_init(struct sim_class_spec *c);

/* How many processes of a class are on a GPU. */
static inline u32 sim_class_processes(const struct sim_scenario *sc, u32 class_index, u32 gpu)
{
	const struct sim_class_spec *c = &sc->classes[class_index];

	if (c->is_gang)
		return c->processes;
	return c->processes / sc->nr_gpus + (gpu < c->processes % sc->nr_gpus);
}

/* Does a scenario have gangs? */
static inline bool sim_scenario_has_gang(const struct sim_scenario *sc)
{
	for (u32 i = 0; i < sc->nr_classes; i++)
		if (sc->classes[i].is_gang)
			return true;
	return false;
}

/**
 * sim_scenario_parse() - read a scenario from text
 * @sc: output; nothing to free on error
 * @text: the text, not necessarily terminated
 * @len: its length
 * @file: name for messages; a relative trace file is looked up beside it
 * @error: output on error: "FILE:LINE:COLUMN: reason" (or "FILE:LINE: reason" of a section,
 *	"FILE: reason"), a line for each thing that is wrong, up to ten; below it, indented, the
 *	line of the file and a mark
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
 * sim_scenario_load_profile() - give a scenario the GPU of a file
 * @sc: scenario
 * @path: a file with a section [profile], and [costs] if it likes; see docs/guide/scenario.md
 * @error: as above
 * @error_size: its size
 *
 * Return: 0, -EINVAL malformed, other -errno the file cannot be read.
 */
int sim_scenario_load_profile(struct sim_scenario *sc, const char *path, char *error,
			      size_t error_size);

/* The GPU of a scenario, NULL = there is none of that name. */
const struct gpu_profile *sim_scenario_gpu(const struct sim_scenario *sc);

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

/* Workgroups of a kernel that a whole GPU holds at a time; 0 = one does not fit a CU. */
u64 sim_kernel_room(const struct gpu_profile *p, const struct sim_kernel_spec *k);

const char *sim_mechanism_name(enum sim_mechanism m);
const char *sim_mechanism_doc(enum sim_mechanism m);
int sim_mechanism_parse(const char *text, enum sim_mechanism *m);
const char *sim_detect_name(enum sim_detect d);
const char *sim_detect_doc(enum sim_detect d);
int sim_detect_parse(const char *text, enum sim_detect *d);
const char *sim_model_name(enum sim_model m);
const char *sim_model_doc(enum sim_model m);
int sim_model_parse(const char *text, enum sim_model *m);

#endif
