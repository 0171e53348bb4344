/* SPDX-License-Identifier: MIT */
/*
 * An observer that keeps what it sees, to look at one moment of a run afterwards.
 */
#ifndef GP_CLI_RECORDER_H
#define GP_CLI_RECORDER_H

#include "sim/sim_run.h"

/**
 * struct gp_preemption - one preemption
 * @track: beneficiary
 * @doorbell_ns: it rang
 * @victim_track: what left
 * @save_ns: began to be saved
 * @first_wave_ns: the beneficiary's first wave
 */
struct gp_preemption {
	u32 track;
	u64 doorbell_ns;
	u32 victim_track;
	u64 save_ns;
	u64 first_wave_ns;
};

/**
 * struct gp_recorder - the observer
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
struct gp_recorder {
	struct gp_observer base;
	int error;
	u64 nr_tracks;
	char (*tracks)[GP_NAME_MAX + 32];
	u64 nr_spans;
	struct gp_span *spans;
	u64 nr_preemptions;
	struct gp_preemption *preemptions;
	u64 cap_tracks;
	u64 cap_spans;
	u64 cap_preemptions;
};

void gp_recorder_init(struct gp_recorder *r);
void gp_recorder_fini(struct gp_recorder *r);

/**
 * gp_recorder_find_restore() - when a victim came back
 * @r: recorder
 * @p: preemption
 *
 * Return: its next restore after the save, or NULL.
 */
const struct gp_span *gp_recorder_find_restore(const struct gp_recorder *r,
					       const struct gp_preemption *p);

#endif
