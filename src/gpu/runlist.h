/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The runlist: which processes and queues the firmware shall run, and whose turn
 * it is when not all of them fit.
 */
#ifndef GP_GPU_RUNLIST_H
#define GP_GPU_RUNLIST_H

#include "gpu/gpu_types.h"

/**
 * gpu_runlist_read() - replace the runlist by what a RUN_LIST packet points to
 * @gpu: GPU
 * @pkt: the packet
 *
 * Packets in the IB that make no sense are counted and skipped.
 *
 * Return: 0, -EINVAL not valid, -ENOMEM, -EFAULT; the runlist is empty then.
 */
int gpu_runlist_read(struct gpu *gpu, const u32 *pkt);

/**
 * gpu_runlist_parse_queue() - what a MAP_QUEUES packet says
 * @pkt: packet
 * @process: what the MAP_PROCESS before it said
 * @entry: output
 *
 * Return: false for queues that are not compute queues: they are not modelled.
 */
bool gpu_runlist_parse_queue(const u32 *pkt, const struct gpu_map_entry *process,
			     struct gpu_map_entry *entry);

/* What a MAP_PROCESS packet says. */
void gpu_runlist_parse_process(const u32 *pkt, struct gpu_map_entry *process);

/* Map as much as fits, from where the last turn ended. The firmware is then busy. */
void gpu_runlist_turn(struct gpu *gpu);

/* Start the quantum if something is waiting. */
void gpu_runlist_arm(struct gpu *gpu);

/* The quantum is over: unmap what may move, then gpu_runlist_turn(). */
void gpu_runlist_rotate(struct gpu *gpu);

/* The event of the quantum. */
void gpu_runlist_event(struct gpu *gpu);

/* Empty, as after power-on. */
void gpu_runlist_init(struct gpu *gpu);

#endif
