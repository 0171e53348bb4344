/* SPDX-License-Identifier: MIT */
/*
 * A trace as work: requests that come at times (online), or a stream that never ends (offline), as
 * classes of a scenario.
 *
 * Requests are told apart by the pauses between them. A request that follows the one before without
 * a pause has waited: when it came is not in a kernel trace, and is drawn as if requests came at
 * random. Requests of the same length within a tenth are one shape; each
 * shape is a class that does what its median request did.
 */
#ifndef GP_CLI_IMPORT_JOB_H
#define GP_CLI_IMPORT_JOB_H

#include "cli/import/cli_import.h"
#include "sim/sim_scenario.h"

#define CLI_IMPORT_SHAPES 8

/* What ran together. */
struct cli_import_request {
	u64 first; /* kernel */
	u64 nr;	   /* kernels */
	u64 start_ns;
	u64 end_ns;
	bool has_waited; /* it began when the one before ended */
	u32 shape;
};

/* A trace, understood. */
struct cli_import_job {
	const struct cli_import *trace; /* must outlive it */
	u64 span_ns;			/* from the first start to the last end */
	u64 busy_ns;			/* of it, some kernel ran */
	u64 kernel_ns;			/* sum of all: more than @busy_ns if some overlap */
	u64 gap_ns;			/* shortest pause between requests; 0 = none is */
	u64 nr_requests;
	struct cli_import_request *requests; /* by time */
	u32 nr_shapes;
	u64 median[CLI_IMPORT_SHAPES]; /* request of each shape that stands for it */
	u64 nr_of[CLI_IMPORT_SHAPES];  /* requests of each */
	/* Nine requests in ten are so near in length to the one that stands for them. */
	double spread;
};

/* How it becomes a scenario. */
struct cli_import_plan {
	const struct gpu_profile *gpu;
	u64 seed;	 /* of what is drawn */
	u64 duration_ns; /* about; recorded requests are repeated until then */
};

/**
 * cli_import_job_init() - find the requests of a trace
 * @job: output; free it with cli_import_job_fini(), also after an error
 * @t: trace
 * @gap_ns: pauses from here on lie between requests; 0 = find out
 *
 * Return: 0 or -ENOMEM.
 */
int cli_import_job_init(struct cli_import_job *job, const struct cli_import *t, u64 gap_ns);
void cli_import_job_fini(struct cli_import_job *job);

/**
 * cli_import_online() - add the requests of a job to a scenario, a class for each shape
 * @job: job
 * @plan: how
 * @name: of the class; shapes have a number more
 * @sc: scenario; its duration becomes that of the requests
 *
 * Return: 0, -ENOMEM, -E2BIG too many classes.
 */
int cli_import_online(const struct cli_import_job *job, const struct cli_import_plan *plan,
		      const char *name, struct sim_scenario *sc);

/**
 * cli_import_offline() - add a job to a scenario as work that never ends
 * @job: job
 * @plan: how
 * @name: of the class
 * @sc: scenario, with its duration
 *
 * Return: 0, -ENOMEM, -E2BIG.
 */
int cli_import_offline(const struct cli_import_job *job, const struct cli_import_plan *plan,
		       const char *name, struct sim_scenario *sc);

#endif
