/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waves of gfx90a and gfx942 that execute machine code.
 *
 * A wave is run for a number of instructions; the call says why it stopped.
 * Nothing is ever half done: PC names the instruction to be done next, and an
 * instruction that could not be done has changed nothing. The cost of a call
 * is bounded by its budget whatever the code does. Hostile code is normal:
 * every register number, address and offset is checked against what the wave
 * has.
 *
 * All memory is the caller's. A wave and an environment belong to one caller
 * at a time; waves that share memory or LDS are run in turn.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include "gp_port.h"

#include "isa/inst.h"

#define ISA_LANES 64
#define ISA_MAX_SGPRS 112
#define ISA_NR_TTMPS 16
#define ISA_PAGE_BYTES 4096u
#define ISA_PAGE_DWORDS (ISA_PAGE_BYTES / 4)
#define ISA_NR_TLB 64

/* Addresses have 48 bits. */
#define ISA_ADDRESS_MASK 0xffffffffffffull

/* STATUS. */
#define ISA_STATUS_SCC (1u << 0)
#define ISA_STATUS_SPI_PRIO (3u << 1)
#define ISA_STATUS_PRIV (1u << 5)
#define ISA_STATUS_EXECZ (1u << 9)
#define ISA_STATUS_VCCZ (1u << 10)
#define ISA_STATUS_HALT (1u << 13)
#define ISA_STATUS_VALID (1u << 16)
#define ISA_STATUS_ALLOW_REPLAY (1u << 22)

/* TRAPSTS. */
#define ISA_TRAPSTS_MEM_VIOL (1u << 8)
#define ISA_TRAPSTS_SAVECTX (1u << 10)
#define ISA_TRAPSTS_ILLEGAL (1u << 11)
#define ISA_TRAPSTS_XNACK_ERROR (1u << 28)

/* MODE. */
#define ISA_MODE_GPR_IDX (1u << 27)

/* s_sendmsg. */
#define ISA_MSG_MASK 15u
#define ISA_MSG_SAVEWAVE 4u

/* Bit of EXEC in the answer to SAVEWAVE: first wave of its group. */
#define ISA_SAVE_FIRST (1ull << 58)

enum isa_arch {
	ISA_GFX90A,
	ISA_GFX942,
};

/* Why a wave stopped. */
enum isa_reason {
	ISA_BUDGET,    /* nothing: it may go on */
	ISA_BARRIER,   /* PC is at s_barrier; isa_barrier_pass() moves it on */
	ISA_ENDED,     /* s_endpgm */
	ISA_SAVED,     /* s_endpgm_saved */
	ISA_MESSAGE,   /* s_sendmsg was done; wave->stop_word: which */
	ISA_SLEEP,     /* s_sleep was done; wave->stop_word: how long, x 64 clocks */
	ISA_HALTED,    /* STATUS.HALT */
	ISA_ILLEGAL,   /* wave->stop_word: the word at PC, or 0 if PC cannot be */
	ISA_FAULT,     /* wave->stop_address: no such memory */
	ISA_NEED_PAGE, /* wave->stop_address: the page is not there yet */
	ISA_GO = ISA_BUDGET,
};

/* A VGPR: a dword a lane. */
typedef u32 isa_row_of_lanes[ISA_LANES];

/**
 * struct isa_wave - the state of a wave
 * @vgpr: rows of 64 lanes: architected VGPRs, then ACC VGPRs
 * @lds: LDS of the group, or NULL
 * @nr_vgprs: rows
 * @acc_offset: the row of a0; @nr_vgprs if there is no ACC VGPR
 * @nr_sgprs: allocated, a multiple of 16, at most 112
 * @lds_bytes: of @lds
 * @pc: of the instruction to be done next
 * @exec: a bit a lane
 * @m0: M0
 * @mode: MODE
 * @status: STATUS; EXECZ and VCCZ are computed when it is read
 * @trapsts: TRAPSTS
 * @ib_sts: IB_STS
 * @hw_id: HW_ID, what s_getreg answers
 * @sgpr: physical ones; VCC, XNACK_MASK and FLAT_SCRATCH are the last six
 *	below min(108, @nr_sgprs)
 * @ttmp: trap temporaries
 * @tba: trap handler, 0 = none
 * @tma: memory of the trap handler
 * @retired: instructions done so far
 * @retired_memory: of these, the ones that reach memory or LDS
 * @next_pc: of the instruction after the one at hand
 * @stop_address: see enum isa_reason
 * @stop_word: see enum isa_reason
 */
struct isa_wave {
	isa_row_of_lanes *vgpr;
	u8 *lds;
	u32 nr_vgprs;
	u32 acc_offset;
	u32 nr_sgprs;
	u32 lds_bytes;
	u64 pc;
	u64 exec;
	u32 m0;
	u32 mode;
	u32 status;
	u32 trapsts;
	u32 ib_sts;
	u32 hw_id;
	u32 sgpr[ISA_MAX_SGPRS];
	u32 ttmp[ISA_NR_TTMPS];
	u64 tba;
	u64 tma;
	u64 retired;
	u64 retired_memory;
	u64 next_pc;
	u64 stop_address;
	u32 stop_word;
};

/**
 * struct isa_code - decoded instructions of one page
 * @page: address of the page + 1, or 0: nothing
 * @generation: of the mapping it was read from
 * @inst: by dword; len 0: not decoded yet
 */
struct isa_code {
	u64 page;
	u32 generation;
	struct isa_inst inst[ISA_PAGE_DWORDS];
};

/**
 * struct isa_tlb - a page and where it is
 * @page: address of the page + 1, or 0: nothing
 * @at: its bytes
 * @generation: @at is good while this is env->generation
 * @can_write: stores are allowed
 */
struct isa_tlb {
	u64 page;
	u8 *at;
	u32 generation;
	bool can_write;
};

/**
 * struct isa_lanes - room for the operands of one vector instruction
 * @s32: sources of 32 bits
 * @s64: sources of 64 bits
 * @r32: result of 32 bits
 * @r64: result of 64 bits
 * @at: memory instructions: the bytes of a lane; scratch: of its dwords
 * @next: the rest of a lane that lies on two pages
 * @split: how many bytes are on the first; 0: all
 * @matrix: result of a matrix opcode
 * @matrix64: the same, of doubles
 * @matrix_a: elements of A, one to a lane
 * @matrix_b: elements of B
 */
struct isa_lanes {
	u32 s32[3][ISA_LANES];
	u64 s64[3][ISA_LANES];
	u32 r32[ISA_LANES];
	u64 r64[ISA_LANES];
	u8 *at[4][ISA_LANES];
	u8 *next[ISA_LANES];
	u8 split[ISA_LANES];
	union {
		u32 matrix[32][ISA_LANES];
		u64 matrix64[4 * ISA_LANES];
	};
	u32 matrix_a[8][ISA_LANES];
	u32 matrix_b[8][ISA_LANES];
};

struct isa_env;

/**
 * struct isa_env_ops - what a wave needs of its surroundings
 * @page: finds the page of an address, for a store if can_write is asked for.
 *	0, -EAGAIN (not now: the wave stops with ISA_NEED_PAGE) or any other
 *	error (ISA_FAULT). The pointer stays good until env->generation changes,
 *	and that happens only between calls of isa_run(). A page that may be
 *	written may be handed out for a load, too: say so in can_write.
 */
struct isa_env_ops {
	int (*page)(struct isa_env *env, u64 address, bool *can_write, u8 **at);
};

/**
 * struct isa_env - what waves run in
 * @ops: see there
 * @arch: which instructions there are
 * @generation: changed by the caller whenever a page moves or code changes
 * @clock: what s_memtime answers
 * @realtime: what s_memrealtime answers
 * @shared_base: upper half of the flat addresses that are LDS, [63:32]
 * @private_base: upper half of the flat addresses that are scratch, [63:32]
 * @code: decode cache
 * @nr_code: pages in it, a power of two
 * @tlb: pages seen last
 * @lanes: room
 */
struct isa_env {
	const struct isa_env_ops *ops;
	enum isa_arch arch;
	u32 generation;
	u64 clock;
	u64 realtime;
	u32 shared_base;
	u32 private_base;
	struct isa_code *code;
	u32 nr_code;
	struct isa_tlb tlb[ISA_NR_TLB];
	struct isa_lanes lanes;
};

/**
 * isa_run() - execute instructions
 * @wave: wave
 * @env: surroundings
 * @budget: how many instructions at most
 *
 * A wave with TRAPSTS.SAVECTX set enters its trap handler first, unless it is
 * in it already.
 *
 * Return: why it stopped.
 */
enum isa_reason isa_run(struct isa_wave *wave, struct isa_env *env, u32 budget);

/**
 * isa_trap() - enter the trap handler
 * @wave: wave with a @tba
 * @id: trap id, 0 to save the wave
 */
void isa_trap(struct isa_wave *wave, u32 id);

/**
 * isa_save_answer() - answer ISA_MSG_SAVEWAVE
 * @wave: wave that has sent it
 * @address: where its record goes
 * @is_first: it is the one that saves the LDS of its group
 */
void isa_save_answer(struct isa_wave *wave, u64 address, bool is_first);

/**
 * isa_restore_start() - start a wave at the restore entry of its handler
 * @wave: wave with allocation, @tba and @tma
 * @address: its record
 * @is_first: it is the one that restores the LDS of its group
 */
void isa_restore_start(struct isa_wave *wave, u64 address, bool is_first);

/**
 * isa_barrier_pass() - let a wave pass the barrier it waits at
 * @wave: wave that stopped with ISA_BARRIER
 */
void isa_barrier_pass(struct isa_wave *wave);

#endif
