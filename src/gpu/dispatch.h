/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From a consumed dispatch packet to its completion signal: shares, cohorts,
 * which queue may launch, and how waves stop.
 */
#ifndef GP_GPU_DISPATCH_H
#define GP_GPU_DISPATCH_H

#include "gpu/gpu_types.h"

/**
 * gpu_dispatch_get() - a free dispatch record of a queue, the youngest in order
 * @slot: queue
 *
 * Return: the record, zeroed but for @slot, or NULL.
 */
struct gpu_dispatch *gpu_dispatch_get(struct gpu_slot *slot);

/* Forget a dispatch that has no cohorts. */
void gpu_dispatch_put(struct gpu_dispatch *d);

/**
 * gpu_dispatch_check() - derive what follows from the described resources
 * @gpu: GPU
 * @d: waves, vgprs, lds_bytes, steps, step_ns, flags and nr_groups are set; machine code:
 *	the engine and wave_bytes, too
 *
 * Sets bytes, charges, times and the shares' sizes.
 *
 * Return: 0, -EINVAL: no CU can run it or the program is not legal; the slot's
 * error_code says which.
 */
int gpu_dispatch_check(struct gpu *gpu, struct gpu_dispatch *d);

/**
 * gpu_dispatch_read() - read what is to run
 * @gpu: GPU
 * @d: gets arguments, steps, step_ns and flags
 * @program: address of a struct gpu_program
 * @kernarg: address of a struct gpu_kernarg, 0 = none
 *
 * Return: 0, -EFAULT, -EINVAL: not a program.
 */
int gpu_dispatch_read(struct gpu *gpu, struct gpu_dispatch *d, u64 program, u64 kernarg);

/* Registers of a lane, from COMPUTE_PGM_RSRC1. */
u32 gpu_dispatch_vgprs(u32 rsrc1);

/* Its workgroups may be launched from now on. */
void gpu_dispatch_offer(struct gpu *gpu, struct gpu_dispatch *d);

/*
 * Launch what fits on an XCC: by pipe priority, then in turn. The priority is strict
 * over all slots; AMD documents only that it decides between the queues of a pipe
 * and between pipes for a resource, so hardware may prefer less.
 */
void gpu_dispatch_fill(struct gpu *gpu, u32 xcc);

/* The event of a cohort: the next slice of one that is run to find its end, else the end. */
void gpu_cohort_event(struct gpu *gpu, struct gpu_cohort *cohort);

/* It runs from now on at the pace of its dispatch: when it will end, if that is known. */
void gpu_cohort_schedule(struct gpu *gpu, struct gpu_cohort *cohort);

/* A cohort and its twins have come to their end. */
void gpu_cohort_end(struct gpu *gpu, struct gpu_cohort *cohort);

/**
 * gpu_cohort_get() - a cohort from the pool
 * @gpu: GPU
 * @d: its dispatch
 * @xcc: where
 *
 * Return: the cohort, empty and in no list, or NULL: no memory.
 */
struct gpu_cohort *gpu_cohort_get(struct gpu *gpu, struct gpu_dispatch *d, u32 xcc);

/* Forget a cohort that is in no list and holds no room. */
void gpu_cohort_put(struct gpu *gpu, struct gpu_cohort *cohort);

/* Append a restored cohort to those that wait for room. */
void gpu_cohort_add_pending(struct gpu_cohort *cohort);

/* Waves of a queue stop where they are. */
void gpu_slot_freeze(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_slot_drop_waves() - all waves of a queue leave the CUs
 * @gpu: GPU
 * @slot: queue
 *
 * Return: workgroups that were dropped.
 */
u32 gpu_slot_drop_waves(struct gpu *gpu, struct gpu_slot *slot);

/* Waves die; dispatches in flight begin anew. Counts and traces. */
void gpu_slot_kill(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_slot_fail() - an error stops a queue
 * @gpu: GPU
 * @slot: queue
 * @source: what to tell the driver
 *
 * The waves die when things settle, not inside this call.
 */
void gpu_slot_fail(struct gpu *gpu, struct gpu_slot *slot, enum gpu_irq_source source);

/**
 * gpu_signal_complete() - decrement a completion signal and raise its event
 * @gpu: GPU
 * @slot: whose packet completed
 * @signal: address or 0
 *
 * Return: 0, -EFAULT.
 */
int gpu_signal_complete(struct gpu *gpu, struct gpu_slot *slot, u64 signal);

/* The value of a signal has changed: raise its event, if it has one. -EFAULT. */
int gpu_signal_raise(struct gpu *gpu, struct gpu_slot *slot, u64 signal);

#endif
