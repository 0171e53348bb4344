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

/**
 * struct cli_track_name - where a track of the run is shown
 * @pid: process
 * @tid: track in it
 */
struct cli_track_name {
	u32 pid;
	u32 tid;
};

/**
 * struct cli_sim_trace - the observer
 * @base: to be given to a run
 * @next: another observer that is told all but marks: a run takes only one
 * @chrome: the writer
 * @out: the file
 * @nr_tracks: tracks named so far
 * @tracks: by track of the run
 * @nr_pids: processes named so far
 * @nr_flows: arrows so far
 */
struct cli_sim_trace {
	struct sim_observer base;
	struct sim_observer *next;
	struct trace_chrome chrome;
	struct cli_outfile out;
	u32 nr_tracks;
	struct cli_track_name *tracks;
	u32 nr_pids;
	u64 nr_flows;
};

/* Return: 0 or -errno. */
int cli_sim_trace_open(struct cli_sim_trace *t, const char *path, struct sim_observer *next);

/* Completes the file. Return: 0 or -errno; the file does not appear then. */
int cli_sim_trace_commit(struct cli_sim_trace *t);

/* Frees everything; without a commit the file does not appear. */
void cli_sim_trace_fini(struct cli_sim_trace *t);

#endif
