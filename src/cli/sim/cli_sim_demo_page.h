/* SPDX-License-Identifier: MIT */
/*
 * The page of the demo: what comes of it in a sentence, one request without and with, what each
 * mechanism gives and takes, how online latency is distributed, and the table. The timelines
 * come from recorders, observers that keep what they see.
 */
#ifndef GP_CLI_DEMO_PAGE_H
#define GP_CLI_DEMO_PAGE_H

#include "cli/sim/cli_sim_comparison.h"

/* One preemption. */
struct cli_preemption {
	u32 track;	/* beneficiary */
	u64 doorbell_ns;	/* it rang */
	u32 victim_track;	/* what left */
	u64 save_ns;	/* began to be saved */
	u64 first_wave_ns;	/* the beneficiary's first wave */
};

/* The observer. */
struct cli_recorder {
	struct sim_observer base;	/* to be given to a run */
	int error;	/* 0 or -ENOMEM */
	u64 nr_tracks;
	char (*tracks)[SIM_NAME_MAX + 32];	/* names */
	u64 nr_spans;
	struct sim_span *spans;	/* in the order in which they ended */
	u64 nr_preemptions;
	struct cli_preemption *preemptions;
};

void cli_recorder_init(struct cli_recorder *r);
void cli_recorder_fini(struct cli_recorder *r);

/* The two runs that a page shows. */
struct cli_demo_runs {
	enum sim_mechanism mechanism; /* of @with */
	enum sim_detect detect;
	struct cli_recorder with;
	struct cli_recorder without; /* on the stock driver */
};

/**
 * cli_demo_record() - run a scenario twice and watch
 * @runs: output; free it with cli_demo_runs_fini(), also after an error
 * @sc: scenario; its mechanism and detection mode are changed
 * @mechanism: of the run with
 * @detect: of the run with
 * @trace: file for the timeline of that run, NULL = none
 * @error: output on error
 * @size: its size
 *
 * Return: 0 or -errno.
 */
int cli_demo_record(struct cli_demo_runs *runs, struct sim_scenario *sc,
		    enum sim_mechanism mechanism, enum sim_detect detect, const char *trace,
		    char *error, size_t size);
void cli_demo_runs_fini(struct cli_demo_runs *runs);

/**
 * cli_demo_page() - write the page
 * @out: file
 * @c: comparison, run
 * @runs: what is drawn of single requests
 * @has_files: trace.json and results.json lie beside it
 *
 * Return: 0 or -ENOMEM.
 */
int cli_demo_page(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs,
		  bool has_files);

/* The timelines of it: one request without and with, then from closer. Return: 0 or -ENOMEM. */
int cli_demo_timelines(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs);

#endif
