/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * AMD's control stack: what says which waves a save area holds.
 *
 * It grows down, the records of the waves grow up; the lowest word belongs to
 * the highest record. A state word holds for the wave words above it. The two
 * lowest dwords are skipped by every reader. Source: ROCdbgapi,
 * src/architecture.cpp (gfx9, gfx90a and gfx940 control_stack_iterate).
 *
 * What is read comes from memory of a user: nothing in it is trusted.
 */
#ifndef ISA_CTLSTACK_H
#define ISA_CTLSTACK_H

#include "gp_port.h"

#define ISA_CTL_HEAD_WORDS 2

/**
 * struct isa_ctl_wave - a wave as the control stack describes it
 * @nr_vgprs: architected and ACC together
 * @acc_offset: architected
 * @nr_sgprs: without trap temporaries
 * @lds_bytes: of its group
 * @scratch_slot: where its scratch memory is
 * @se: shader engine
 * @tag: three bits that every known reader skips, for the writer's own use
 * @has_scratch: it has scratch memory
 * @is_first: first wave of its group; its record holds the LDS
 * @is_last: last wave of its group
 * @record: where its record begins, in bytes from the begin of all records
 * @record_bytes: how long it is
 */
struct isa_ctl_wave {
	u32 nr_vgprs;
	u32 acc_offset;
	u32 nr_sgprs;
	u32 lds_bytes;
	u32 scratch_slot;
	u32 se;
	u32 tag;
	bool has_scratch;
	bool is_first;
	bool is_last;
	u64 record;
	u32 record_bytes;
};

/**
 * struct isa_ctl_writer - a control stack being written
 * @words: room; the stack is at its end
 * @nr_words: how much
 * @top: words that are still free
 * @state: of the waves since the last state word; 0: none
 * @record: bytes of all records so far
 */
struct isa_ctl_writer {
	u32 *words;
	u32 nr_words;
	u32 top;
	u32 state;
	u64 record;
};

/**
 * struct isa_ctl_reader - a control stack being read
 * @words: lowest first
 * @nr_words: how many
 * @next: the next one
 * @arch: enum isa_arch
 * @state: the last state word; 0: none yet
 * @record: bytes of the records not read yet
 * @in_group: a first wave was read and no last one since
 */
struct isa_ctl_reader {
	const u32 *words;
	u32 nr_words;
	u32 next;
	u32 arch;
	u32 state;
	u64 record;
	bool in_group;
};

/* The words can describe a wave with these registers and this LDS. */
bool isa_ctl_is_allocation(const struct isa_ctl_wave *wave);

/**
 * isa_ctl_record_bytes() - size of a record
 * @wave: allocation and whether it is the first of its group
 *
 * Return: bytes.
 */
u32 isa_ctl_record_bytes(const struct isa_ctl_wave *wave);

/**
 * isa_ctl_write_start() - begin to write
 * @w: writer
 * @words: room
 * @nr_words: how much
 */
void isa_ctl_write_start(struct isa_ctl_writer *w, u32 *words, u32 nr_words);

/**
 * isa_ctl_write() - add a wave
 * @w: writer
 * @arch: enum isa_arch
 * @wave: last wave of a group first, first wave last; its @record and
 *	@record_bytes are set
 *
 * Return: 0, -ENOSPC, or -EINVAL: the words cannot say this.
 */
int isa_ctl_write(struct isa_ctl_writer *w, u32 arch, struct isa_ctl_wave *wave);

/**
 * isa_ctl_write_end() - write what must be lowest
 * @w: writer; its @top is then the first word of the stack
 *
 * Return: 0 or -ENOSPC.
 */
int isa_ctl_write_end(struct isa_ctl_writer *w);

/**
 * isa_ctl_read_start() - begin to read
 * @r: reader
 * @arch: enum isa_arch
 * @words: the stack, lowest word first
 * @nr_words: how many
 * @bytes: of all records
 */
void isa_ctl_read_start(struct isa_ctl_reader *r, u32 arch, const u32 *words, u32 nr_words,
			u64 bytes);

/**
 * isa_ctl_read() - the next wave
 * @r: reader
 * @wave: output: first wave of a group first
 *
 * Return: 1; 0 at the end; -EINVAL: words that no writer writes, or records
 * that do not end where they should.
 */
int isa_ctl_read(struct isa_ctl_reader *r, struct isa_ctl_wave *wave);

#endif
