/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The record of a saved wave, in the layout of AMD's handler: VGPRs, ACC VGPRs,
 * SGPRs, 16 dwords of hardware registers, 16 of trap temporaries, LDS (first
 * wave of a group), 64 bytes that nothing writes. A wave that is written and
 * read here is left as the handler leaves it; the tests prove both byte by byte.
 */
#ifndef ISA_RECORD_H
#define ISA_RECORD_H

#include "gp_port.h"

struct isa_wave;

/**
 * struct isa_record_io - where a record lies
 * @write: bytes at an offset of it; 0 or an error
 * @read: the same
 */
struct isa_record_io {
	int (*write)(struct isa_record_io *io, u64 offset, const void *from, u32 bytes);
	int (*read)(struct isa_record_io *io, u64 offset, void *to, u32 bytes);
};

/**
 * isa_record_bytes() - size of a record
 * @nr_vgprs: architected and ACC together
 * @nr_sgprs: without trap temporaries
 * @lds_bytes: 0 unless it is the first wave of its group
 *
 * Return: bytes.
 */
u32 isa_record_bytes(u32 nr_vgprs, u32 nr_sgprs, u32 lds_bytes);

/**
 * isa_record_save() - write a wave as the handler would
 * @wave: wave outside of its handler; its TRAPSTS.SAVECTX is cleared
 * @arch: enum isa_arch
 * @is_first: with the LDS of its group
 * @io: where to
 *
 * Return: 0, or the first error of @io.
 */
int isa_record_save(struct isa_wave *wave, u32 arch, bool is_first, struct isa_record_io *io);

/**
 * isa_record_restore() - read a wave as the handler would
 * @wave: wave with the allocation that it was saved with
 * @arch: enum isa_arch
 * @is_first: with the LDS of its group
 * @io: where from; its content is not trusted
 *
 * Return: 0, or the first error of @io.
 */
int isa_record_restore(struct isa_wave *wave, u32 arch, bool is_first, struct isa_record_io *io);

#endif
