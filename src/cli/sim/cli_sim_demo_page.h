/* SPDX-License-Identifier: MIT */
/*
 * The page of the demo: the table, one preemption as a timeline, and how online
 * latency is distributed under every mechanism. The preemption comes from a recorder, an
 * observer that keeps what it sees.
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

/**
 * cli_demo_page() - write the page
 * @out: file
 * @c: comparison, run
 * @rec: one run of the scenario's own mechanism and detection mode
 * @mechanism: that mechanism
 * @detect: that detection mode
 *
 * Return: 0 or -ENOMEM.
 */
int cli_demo_page(FILE *out, const struct cli_comparison *c, const struct cli_recorder *rec,
		  enum sim_mechanism mechanism, enum sim_detect detect);

#endif
