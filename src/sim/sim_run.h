/* SPDX-License-Identifier: MIT */
/*
 * One run of a scenario in virtual time: clients submit AQL packets to the
 * simulated GPU, detection tells the scheduling core, the core's switches go
 * through a mechanism. Everything is deterministic in the scenario and its seed.
 */
#ifndef GP_SIM_RUN_H
#define GP_SIM_RUN_H

#include "sim/sim_scenario.h"

/* A duration that was not reached before the end of the run. */
#define SIM_NEVER U64_MAX

/* A set of durations; all 0 if there was none at all. */
struct sim_summary {
	u64 nr;	  /* durations that have ended */
	u64 mean; /* of them; SIM_NEVER if @max is */
	u64 p50;  /* half of all are not longer; SIM_NEVER if that many have not ended */
	u64 p90;  /* 90 % of all are not longer */
	u64 p99;  /* 99 % of all are not longer */
	u64 p999; /* 99.9 % of all are not longer */
	u64 max;  /* the longest; SIM_NEVER if one that has not ended is longer already */
};

/* Whether 99 % of all have ended, as far as that can be known. */
static inline bool sim_summary_has_p99(const struct sim_summary *s)
{
	return s->p99 && s->p99 != SIM_NEVER;
}

/* Every duration, in the order it was taken unless they are sorted. */
struct sim_samples {
	u64 nr;	 /* how many */
	u64 cap; /* room */
	u64 *ns; /* them */
};

int sim_samples_add(struct sim_samples *s, u64 ns);
void sim_samples_fini(struct sim_samples *s);
/* From the shortest to the longest. */
void sim_samples_sort(struct sim_samples *s);

/**
 * sim_samples_summary() - what is to be said of durations
 * @s: durations that have ended
 * @waiting: how long those have lasted so far that have not; NULL = none
 * @out: output
 *
 * A percentile is the smallest value that so many do not exceed. What has not ended is longer
 * than it has lasted so far, and of no more is known: Kaplan and Meier's estimate. Without
 * such, exact. Sorts copies.
 *
 * Return: 0 or -ENOMEM.
 */
int sim_samples_summary(const struct sim_samples *s, const struct sim_samples *waiting,
			struct sim_summary *out);

/* What became of gangs, over all of them. */
struct sim_gang_result {
	bool has;	   /* there are some */
	u64 nr_off;	   /* times one was taken off all its GPUs */
	u64 nr_barriers;   /* times all ranks of one met */
	u64 split_ns;	   /* time with some ranks on their GPUs and others off */
	u64 split_max_ns;  /* longest such time */
	u64 stall_ns;	   /* the same while one of those on its GPU waited at a barrier */
	u64 stall_max_ns;  /* longest such time */
	u64 switch_max_ns; /* longest switch of a node */
	u64 nr_late;	   /* decisions not carried out everywhere in time */
	u64 nr_stalled;	   /* times one made room because a rank was kept off */
};

/* What one class got. */
struct sim_class_result {
	char name[SIM_NAME_MAX];    /* class */
	u64 requests;		    /* requests that arrived */
	u64 completed;		    /* requests that ended before the end of the run */
	double throughput_per_s;    /* completed per second of virtual time */
	struct sim_summary latency; /* arrival to completion, with those of @waiting */
	struct sim_samples samples; /* the same of the completed ones, one by one */
	/* Arrival to the end of the run, of the others; SIM_NEVER if the class falls behind. */
	struct sim_samples waiting;
	u64 dropped;		       /* requests of processes that died */
	u64 missed;		       /* requests later than the class's deadline, ended or not */
	u64 gpu_ns;		       /* time with waves that ran, summed over its queues */
	u64 process_least_ns;	       /* the same of the process that has least */
	u64 process_most_ns;	       /* and of the one that has most */
	struct sim_summary alone;      /* latency by itself */
	double alone_throughput_per_s; /* throughput by itself */
	u64 alone_gpu_ns;	       /* gpu time by itself */
	u64 alone_active_ns;	       /* time by itself with at least one request outstanding */
};

/* What a run gave. */
struct sim_result {
	u64 virtual_ns; /* virtual time of the run */
	u64 wall_ns;	/* real time it took */
	u32 nr_classes; /* classes */
	struct sim_class_result classes[SIM_MAX_CLASSES];
	u64 switches;	 /* switches begun */
	u64 preemptions; /* entities preempted */
	u64 resumes;	 /* entities resumed */
	/* Doorbell store of a beneficiary to its first wave, where another had to leave for it. */
	struct sim_summary preempt_latency;
	struct sim_samples preempt_samples;
	u64 floor_ns;	    /* least bound of the model for these victims; 0 = none saved */
	u64 floor_p99_ns;   /* the same with costs that vary, at p99 */
	u64 lost;	    /* workgroups that completed dispatches do not account for */
	u64 repeated;	    /* workgroups executed more than once */
	u64 starved_max_ns; /* longest time an entity with work was kept off the GPU */
	u64 dispatches;	    /* kernel dispatches completed */
	u64 saves;	    /* queue contexts saved */
	u64 restores;	    /* queue contexts restored */
	u64 unmaps;	    /* cycles of the firmware scheduler */
	u64 rotations;	    /* times an oversubscribed runlist moved on */
	u64 active_ns;	    /* time with at least one request outstanding */
	double occupancy;   /* share of the CUs that had a wave, over the run */
	struct sim_gang_result gangs; /* of gangs */
	char stopped[128];  /* why the run ended early; empty = it did not */
};

void sim_result_fini(struct sim_result *r);

/* What an observer sees: boxes, moments and arrows on tracks. */
enum sim_span_kind {
	SIM_SPAN_KERNEL,	/* queue: waves of a dispatch run */
	SIM_SPAN_SAVE,		/* queue: being saved */
	SIM_SPAN_OFF,		/* queue: saved and off the GPU */
	SIM_SPAN_RESTORE,	/* queue: being restored */
	SIM_SPAN_WAIT,		/* queue: work rung in, no wave yet */
	SIM_SPAN_SWITCH,	/* node: a switch of the core */
	SIM_SPAN_COUNT
};

const char *sim_span_kind_name(enum sim_span_kind kind);

/* Something that lasted. */
struct sim_span {
	enum sim_span_kind kind; /* what */
	u32 track;		 /* queue index, or the number of queues for the node */
	u64 from_ns;		 /* begin */
	u64 to_ns;		 /* end */
	u64 arg;		 /* bytes, members or packet index */
};

/**
 * struct sim_observer - watches a run; any member may be NULL
 * @track: names a track before the first span: class, process, queue number
 * @span: a span ended
 * @preemption: a beneficiary's doorbell at @doorbell_ns on @track led to victim
 *              @victim_track being saved from @save_ns; its first wave ran at @first_wave_ns
 * @request: a request that came at @arrival_ns on @track has ended
 * @mark: something worth a line happened (reports of the core, faults)
 * @progress: virtual time goes on; called about every 1/200 of the run
 */
struct sim_observer {
	void (*track)(struct sim_observer *o, u32 track, const char *class_name, u32 process,
		      u32 queue);
	void (*span)(struct sim_observer *o, const struct sim_span *span);
	void (*preemption)(struct sim_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			   u64 save_ns, u64 first_wave_ns);
	void (*request)(struct sim_observer *o, u32 track, u64 arrival_ns, u64 end_ns);
	void (*mark)(struct sim_observer *o, u64 now_ns, const char *text);
	void (*progress)(struct sim_observer *o, u64 now_ns, u64 end_ns);
};

/**
 * sim_run() - run a scenario
 * @sc: scenario, validated
 * @alone: also run every class by itself and fill in the alone_* members
 * @observer: watches the main run (not the alone runs), or NULL
 * @result: output; free with sim_result_fini(), also after an error
 * @error: output on error: the reason, one line
 * @error_size: its size
 *
 * Return: 0, -ENOMEM, -EINVAL. A run that stopped early (a hung node) returns 0
 * and says why in sim_result.stopped.
 */
int sim_run(const struct sim_scenario *sc, bool alone, struct sim_observer *observer,
	    struct sim_result *result, char *error, size_t error_size);

#endif
