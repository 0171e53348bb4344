/* SPDX-License-Identifier: MIT */
/*
 * Advice on two jobs: what a run of them alone, side by side today, and with gpreempt gives, on a
 * simulated GPU, several times with other random numbers.
 */
#ifndef GP_CLI_ADVISE_H
#define GP_CLI_ADVISE_H

#include "cli/cli_options.h"
#include "cli/import/cli_import_job.h"
#include "sim/sim_run.h"

#define CLI_ADVISE_RUNS 32

/* What one run gave. */
struct cli_outcome {
	u64 p50_ns; /* of online requests */
	u64 p99_ns;
	/* Its p99 by another draw of as many requests, nine times of ten; 0 = not known. */
	u64 p99_from_ns;
	u64 p99_to_ns;
	u64 requests;
	u64 completed;
	double kept; /* offline throughput, of that alone */
	double grain; /* of that, what one piece of offline work more or less is */
};

/* The same of several runs; the middle one is that of the median p99. */
struct cli_outcomes {
	u32 nr;
	struct cli_outcome all[CLI_ADVISE_RUNS]; /* by p99 once all are there */
};

/* All of it. */
struct cli_advice {
	const struct cli_options *o;
	const char *files[2]; /* online, offline */
	struct cli_import traces[2];
	struct cli_import_job jobs[2];
	const struct gpu_profile *gpu;
	u32 nr_runs;
	struct cli_outcomes alone;
	struct cli_outcomes today;
	struct cli_outcomes with;
	struct cli_outcomes costs;   /* with software twice as slow, and twice as quick */
	struct cli_outcome critical; /* other detection, other policy; one run each */
	struct cli_outcome poll;
	struct cli_outcome fair;
};

/* The run in the middle. */
const struct cli_outcome *cli_outcomes_median(const struct cli_outcomes *o);

/* Where something lies that was not seen. */
struct cli_range {
	double least;
	double most; /* SIM_NEVER: it may not be reached */
};

/*
 * Where nine in ten pairs of jobs that were recorded so would lie: as far as runs with other random
 * numbers differ, and a p99 of so many requests, and the requests of the trace; and @more, which
 * may be empty.
 */
void cli_advice_p99(const struct cli_advice *a, const struct cli_outcomes *o,
		    const struct cli_outcomes *more, struct cli_range *r);

/* The same of the share that the offline job keeps. */
void cli_advice_kept(const struct cli_outcomes *o, struct cli_range *r);

/* How far requests are from the one that stands for them, and a profiler from the truth. */
double cli_advice_spread(const struct cli_advice *a);

/* What to set. */
enum cli_verdict {
	CLI_VERDICT_NOTHING, /* side by side they are as good as alone */
	CLI_VERDICT_NO_GAIN, /* preemption does not help either */
	CLI_VERDICT_USE,
};

enum cli_verdict cli_advice_verdict(const struct cli_advice *a);
const char *cli_advice_policy(const struct cli_advice *a);

/* Five lines for people, or one object for programs. Return: 0 or -ENOMEM. */
void cli_advice_print(const struct cli_advice *a);
int cli_advice_json(const struct cli_advice *a, FILE *out);

/* Builds the scenario of run @run. Return: 0 or -errno, @error says why. */
int cli_advice_scenario(const struct cli_advice *a, u32 run, struct sim_scenario *sc, char *error,
			size_t size);

#endif
