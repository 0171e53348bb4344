/* SPDX-License-Identifier: MIT */
/*
 * An observer that writes what it sees as a Chrome trace: a process per client
 * process with a track per queue, and one for the node.
 */
#ifndef GP_CLI_SIM_TRACE_H
#define GP_CLI_SIM_TRACE_H

#include "trace/chrome.h"
#include "cli/cli_outfile.h"
#include "sim/sim_run.h"

/* Where a track of the run is shown. */
struct cli_track_name {
	u32 pid;
	u32 tid;
	char class[SIM_NAME_MAX]; /* what its kernels are called */
};

/* A request came, or ended: so many more are there. */
struct cli_request_edge {
	u64 at_ns;
	u32 pid;
	s32 by;
};

/* The observer. */
struct cli_sim_trace {
	struct sim_observer base;	/* to be given to a run */
	struct sim_observer *next;	/* is told all but marks: a run takes only one */
	struct trace_chrome chrome;
	struct cli_outfile out;
	u32 nr_tracks;
	struct cli_track_name *tracks;	/* by track of the run */
	u32 nr_pids;	/* processes named so far */
	u64 nr_flows;	/* arrows so far */
	struct cli_request_edge *edges;
	u64 nr_edges;
};

/* @sc: what will run, as the trace says. Return: 0 or -errno. */
int cli_sim_trace_open(struct cli_sim_trace *t, const char *path, const struct sim_scenario *sc,
		       struct sim_observer *next);

/* Completes the file. Return: 0 or -errno; the file does not appear then. */
int cli_sim_trace_commit(struct cli_sim_trace *t);

/* Frees everything; without a commit the file does not appear. */
void cli_sim_trace_fini(struct cli_sim_trace *t);

#endif
