/* SPDX-License-Identifier: MIT */
/*
 * What tests of src/isa/ run waves in: a piece of memory at a made-up address,
 * workgroups whose waves advance together, AMD's handlers out of the kernel
 * source, and the save and restore of a group by them.
 */
#ifndef GP_TEST_ISA_RIG_H
#define GP_TEST_ISA_RIG_H

#include "isa/ctlstack.h"
#include "isa/isa.h"
#include "isa/record.h"

#define RIG_BASE 0x7f0012340000ull
#define RIG_BYTES (64u << 20)
#define RIG_TBA (RIG_BASE + 0x1000)
#define RIG_TMA (RIG_TBA + 0x1000)
#define RIG_SAVE (RIG_BASE + (32u << 20))
#define RIG_SAVE_BYTES (16u << 20)
#define RIG_MAX_WAVES 16
#define RIG_NR_CODE 16

/**
 * struct rig - memory and surroundings
 * @env: what waves run in
 * @mem: RIG_BYTES at RIG_BASE
 * @code: decode cache
 * @nr_handler: dwords of the handler
 * @random: state of rig_random()
 * @nr_pages: how often a page was asked for
 */
struct rig {
	struct isa_env env;
	u8 *mem;
	struct isa_code *code;
	u32 nr_handler;
	u64 random;
	u64 nr_pages;
};

/**
 * struct rig_group - a workgroup
 * @wave: its waves
 * @reason: why each stopped; ISA_ENDED ones are gone
 * @nr: how many
 * @lds: LDS
 */
struct rig_group {
	struct isa_wave wave[RIG_MAX_WAVES];
	enum isa_reason reason[RIG_MAX_WAVES];
	u32 nr;
	u8 *lds;
};

/**
 * struct rig_saved - a saved group
 * @live: which waves of the group it holds, first wave first
 * @nr: how many
 * @address: records
 * @end: of all records
 * @insts: instructions of the handler
 */
struct rig_saved {
	u32 live[RIG_MAX_WAVES];
	u32 nr;
	u64 address[RIG_MAX_WAVES];
	u64 end;
	u64 insts;
};

void rig_init(struct rig *r, enum isa_arch arch);
void rig_fini(struct rig *r);
u64 rig_random(struct rig *r);
/* Bytes at an address of the rig. */
void *rig_at(struct rig *r, u64 address);

/**
 * rig_load_handler() - put AMD's handler at RIG_TBA
 * @r: rig
 *
 * The words are taken out of amdkfd's cwsr_trap_handler.h in the cache of
 * vehicle/fetch.
 *
 * Return: false if there is no such file: the test is skipped then.
 */
bool rig_load_handler(struct rig *r);

/* Allocates registers and LDS; all waves of a group have the same. */
void rig_group_init(struct rig *r, struct rig_group *g, u32 nr, u32 nr_vgprs, u32 acc_offset,
		    u32 nr_sgprs, u32 lds_bytes);
void rig_group_fini(struct rig_group *g);
/* Registers and LDS full of random bits; nothing of the old state is left. */
void rig_group_wipe(struct rig *r, struct rig_group *g);

/* Runs each wave for up to n instructions; releases barriers. False: a wave did wrong. */
bool rig_advance(struct rig *r, struct rig_group *g, u32 n);
bool rig_is_over(const struct rig_group *g);

/* By the handler, from RIG_SAVE on. False: it did not come to an end. */
bool rig_save(struct rig *r, struct rig_group *g, struct rig_saved *s);
bool rig_restore(struct rig *r, struct rig_group *g, struct rig_saved *s);

/* By isa_record_save() and isa_record_restore(). */
bool rig_shortcut_save(struct rig *r, struct rig_group *g, struct rig_saved *s);
bool rig_shortcut_restore(struct rig *r, struct rig_group *g, struct rig_saved *s);

#endif
