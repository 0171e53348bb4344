/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Workgroups that execute machine code. A cohort of this engine is one workgroup.
 * How long it runs is found out by running it: its event comes after every slice of
 * instructions, and the next slice is as far off as the last one cost.
 *
 * A queue that is to be saved goes through its trap handler: every wave gets
 * TRAPSTS.SAVECTX and asks by SAVEWAVE where its record goes. When all waves of the
 * queue on an XCC have asked, the control stack is written and all are answered;
 * the save is over when every wave has reached s_endpgm_saved. A wave that does not
 * get there keeps the queue in its slot, so that the preemption times out.
 *
 * With GPU_HANDLER_SHORTCUT the same bytes are written and read in C.
 */
#ifndef GP_GPU_WAVE_ISA_H
#define GP_GPU_WAVE_ISA_H

#include "gpu/gpu_types.h"
#include "isa/ctlstack.h"
#include "isa/isa.h"
#include "isa/record.h"

#define GPU_ISA_SLICE 256u     /* if nothing else is asked for */
#define GPU_ISA_RETRY_NS 10000 /* a page that was not there */
#define GPU_ISA_CODE_PAGES 16
#define GPU_ISA_BOUNCE_BYTES 4096

enum gpu_isa_phase {
	GPU_ISA_WAITING, /* restored: its waves are still in the save area */
	GPU_ISA_RUNNING,
	GPU_ISA_ASKED,	 /* all its waves wait for the answer to SAVEWAVE */
	GPU_ISA_GRANTED, /* they write their records */
	GPU_ISA_SAVED,
};

/* One wave. */
struct gpu_isa_wave {
	struct isa_wave isa;	/* registers */
	enum isa_reason why;	/* it stopped */
	bool has_asked;	/* it has sent SAVEWAVE */
	isa_row_of_lanes vgpr[];	/* rows */
};

/* One workgroup. */
struct gpu_isa_group {
	struct gpu_cohort *cohort;	/* the same for the machinery around */
	/* in the list of those that wait in a save area, by address */
	struct gpu_isa_group *next;
	struct gpu_isa_group *prev;	/* the same */
	enum gpu_isa_phase phase;	/* what it does */
	bool is_ordered;	/* it is to be saved */
	bool is_lost;	/* a wave could not be */
	/* not all its waves have left the restore part of the handler */
	bool is_restoring;
	u32 id;	/* number in the grid, of one that was launched here */
	u32 nr;	/* waves */
	u32 se;	/* shader engine */
	u64 bytes;	/* memory of it */
	u64 record[GPU_MAX_WAVES_PER_GROUP];	/* addresses of the records, by wave */
	u16 scratch_slot[GPU_MAX_WAVES_PER_GROUP];	/* of each wave */
	u16 has_scratch;	/* waves that have one */
	u8 *lds;	/* LDS */
	struct gpu_isa_wave *wave[GPU_MAX_WAVES_PER_GROUP];	/* waves; NULL while it waits */
};

/* What all machine code of a GPU shares. */
struct gpu_isa {
	struct isa_env env;	/* surroundings of the wave that runs */
	struct gpu *gpu;	/* GPU */
	u32 pasid;	/* of the wave that runs */
	u32 generation;	/* the last one given to a slot */
	u64 bytes;	/* memory of all waves */
	u8 bounce[GPU_ISA_BOUNCE_BYTES];	/* for records that move */
};

extern const struct gpu_wave_ops gpu_isa_wave_ops;

static inline enum isa_arch gpu_isa_arch(const struct gpu *gpu)
{
	return gpu->profile->gfx_version >= 90400 ? ISA_GFX942 : ISA_GFX90A;
}

/* What it has in flight is machine code. */
bool gpu_slot_is_isa(const struct gpu_slot *slot);

/* A wave that has neither ended nor been saved. */
bool gpu_isa_is_live(const struct gpu_isa_wave *w);

/* The surroundings are those of a queue's waves from now on. */
void gpu_isa_enter(struct gpu *gpu, struct gpu_slot *slot);

/* Pages and decoded instructions of a queue are looked up anew. */
void gpu_isa_invalidate(struct gpu *gpu, struct gpu_slot *slot);

/* Free what gpu_isa_prepare() made. */
void gpu_isa_destroy(struct gpu *gpu);

/**
 * gpu_isa_prepare() - see to it that machine code can run
 * @gpu: GPU
 *
 * Return: 0, -EINVAL: the host has no page pointers, -ENOMEM.
 */
int gpu_isa_prepare(struct gpu *gpu);

/**
 * gpu_isa_group_alloc() - a group without waves
 * @gpu: GPU
 * @c: its cohort
 * @nr: waves it will have
 *
 * Return: the group or NULL.
 */
struct gpu_isa_group *gpu_isa_group_alloc(struct gpu *gpu, struct gpu_cohort *c, u32 nr);

/* LDS and waves of a group, zeroed but for what they are allocated. Return: 0, -ENOMEM. */
int gpu_isa_group_fill(struct gpu *gpu, struct gpu_isa_group *g);

/* Memory that a group takes. */
u64 gpu_isa_group_bytes(const struct gpu_dispatch *d, u32 nr);

/* Forget a group, wherever it is, with all that it has. */
void gpu_isa_group_free(struct gpu *gpu, struct gpu_cohort *c);

/* The record of a wave, as the handler writes and reads it. Return: 0, -EFAULT. */
int gpu_isa_write_record(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave, bool is_first);
int gpu_isa_read_record(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave, bool is_first);

/* spi.c: from a dispatch packet and its kernel descriptor to waves. */

/**
 * gpu_spi_read() - resources of a kernel
 * @gpu: GPU
 * @d: its packet is set; gets the rest
 *
 * Return: 0, -EFAULT, -EINVAL (with a code in the slot).
 */
int gpu_spi_read(struct gpu *gpu, struct gpu_dispatch *d);

/**
 * gpu_spi_read_scratch() - scratch memory as the queue's owner describes it
 * @gpu: GPU
 * @d: dispatch whose work-items want some
 *
 * Return: 0, -EFAULT, -ENOSPC: it is too small.
 */
int gpu_spi_read_scratch(struct gpu *gpu, struct gpu_dispatch *d);

/**
 * gpu_spi_inactive_signal() - the signal that tells the owner that a queue cannot go on
 * @gpu: GPU
 * @slot: queue
 * @signal: output: its address
 *
 * Return: 0, -EFAULT, -EINVAL: there is none.
 */
int gpu_spi_inactive_signal(struct gpu *gpu, const struct gpu_slot *slot, u64 *signal);

/* Waves of a workgroup of the grid: the last of a dimension may have fewer than others. */
u32 gpu_spi_count_waves(const struct gpu_dispatch *d, u32 id);

/* Registers of all waves at their start. */
void gpu_spi_start(struct gpu *gpu, struct gpu_isa_group *g);

/* Take and give back places in scratch memory. Return: 0, -ENOSPC. */
int gpu_spi_take_scratch(struct gpu_slot *slot, u32 xcc, struct gpu_isa_group *g);
int gpu_spi_claim_scratch(struct gpu_slot *slot, u32 xcc, u32 place);
void gpu_spi_free_scratch(struct gpu_slot *slot, u32 xcc, const struct gpu_isa_group *g);
bool gpu_spi_has_scratch(const struct gpu_slot *slot, u32 xcc, u32 nr);

/* HW_ID of a wave: where it is. */
u32 gpu_spi_hw_id(const struct gpu *gpu, const struct gpu_isa_group *g, u32 wave);

/* Waves of a group that runs are to go into their handler. */
void gpu_isa_order(struct gpu *gpu, struct gpu_isa_group *g);

/* All of a group is in the save area. */
void gpu_isa_note_saved(struct gpu *gpu, struct gpu_isa_group *g);

/* isa_eop.c: dispatches in flight. Return: 0, -ENOSPC, -EFAULT, -ENOMEM, -EINVAL no sense. */
int gpu_isa_write_dispatches(struct gpu *gpu, struct gpu_slot *slot);
int gpu_isa_read_dispatches(struct gpu *gpu, struct gpu_slot *slot);

/* isa_save.c, isa_restore.c: control stack and records. */

/* All waves of an XCC have asked, or there are none: write its control stack, answer. */
void gpu_isa_grant(struct gpu *gpu, struct gpu_slot *slot, u32 xcc);

/* Take a group out of the list of those that wait in a save area, if it is there. */
void gpu_isa_unlist(struct gpu_isa_group *g);

/* Bring the waves of a group that found room back. Return: 0, -ENOMEM, -EFAULT. */
int gpu_isa_load(struct gpu *gpu, struct gpu_isa_group *g);

/**
 * gpu_isa_save() - the last part: dispatches in flight
 * @gpu: GPU
 * @slot: queue, its waves saved or gone
 *
 * Return: 0, -ENOSPC, -EFAULT.
 */
int gpu_isa_save(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_isa_restore() - dispatches and groups of a queue from memory
 * @gpu: GPU
 * @slot: queue without dispatches, its MQD loaded
 *
 * Return: 0, -EFAULT, -ENOMEM, -EINVAL the bytes make no sense.
 */
int gpu_isa_restore(struct gpu *gpu, struct gpu_slot *slot);

#endif
