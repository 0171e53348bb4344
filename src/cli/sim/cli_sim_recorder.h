/* SPDX-License-Identifier: MIT */
/*
 * An observer that keeps what it sees, to look at one moment of a run afterwards.
 */
#ifndef GP_CLI_RECORDER_H
#define GP_CLI_RECORDER_H

#include "sim/sim_run.h"

/**
 * struct cli_preemption - one preemption
 * @track: beneficiary
 * @doorbell_ns: it rang
 * @victim_track: what left
 * @save_ns: began to be saved
 * @first_wave_ns: the beneficiary's first wave
 */
struct cli_preemption {
	u32 track;
	u64 doorbell_ns;
	u32 victim_track;
	u64 save_ns;
	u64 first_wave_ns;
};

/**
 * struct cli_recorder - the observer
 * @base: to be given to a run
 * @error: 0 or -ENOMEM
 * @nr_tracks: tracks
 * @tracks: their names
 * @nr_spans: spans
 * @spans: them, in the order in which they ended
 * @nr_preemptions: preemptions
 * @preemptions: them
 * @cap_tracks: room for tracks
 * @cap_spans: room for spans
 * @cap_preemptions: room for preemptions
 */
struct cli_recorder {
	struct sim_observer base;
	int error;
	u64 nr_tracks;
	char (*tracks)[SIM_NAME_MAX + 32];
	u64 nr_spans;
	struct sim_span *spans;
	u64 nr_preemptions;
	struct cli_preemption *preemptions;
	u64 cap_tracks;
	u64 cap_spans;
	u64 cap_preemptions;
};

void cli_recorder_init(struct cli_recorder *r);
void cli_recorder_fini(struct cli_recorder *r);

/**
 * cli_recorder_find_restore() - when a victim came back
 * @r: recorder
 * @p: preemption
 *
 * Return: its next restore after the save, or NULL.
 */
const struct sim_span *cli_recorder_find_restore(const struct cli_recorder *r,
						 const struct cli_preemption *p);

#endif
