/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A decoded instruction. Decoding looks at words only: whether a register is
 * within the allocation of a wave is for the wave to check (@nr_vgprs,
 * @nr_accs, @nr_sgprs).
 */
#ifndef ISA_INST_H
#define ISA_INST_H

#include "gp_port.h"

#include "isa/opcodes.h"

/* Scalar operand numbers. */
#define ISA_R_FLAT_SCRATCH 102
#define ISA_R_XNACK_MASK 104
#define ISA_R_VCC 106
#define ISA_R_TTMP 108
#define ISA_R_M0 124
#define ISA_R_EXEC 126
#define ISA_R_INLINE 128 /* 128 to 192: 0 to 64; 193 to 208: -1 to -16 */
#define ISA_R_SHARED_BASE 235
#define ISA_R_SHARED_LIMIT 236
#define ISA_R_PRIVATE_BASE 237
#define ISA_R_PRIVATE_LIMIT 238
#define ISA_R_FLOAT 240 /* to 248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/2pi */
#define ISA_R_SDWA 249
#define ISA_R_DPP 250
#define ISA_R_VCCZ 251
#define ISA_R_EXECZ 252
#define ISA_R_SCC 253
#define ISA_R_LDS_DIRECT 254
#define ISA_R_LITERAL 255
#define ISA_R_VGPR 256
#define ISA_R_ACC 512 /* ours: an ACC VGPR */

enum isa_form {
	ISA_E32,
	ISA_E64,
	ISA_SDWA,
	ISA_DPP,
};

/* Bits of the memory formats. */
#define ISA_M_GLC (1u << 0)
#define ISA_M_SLC (1u << 1)
#define ISA_M_SCC (1u << 2)
#define ISA_M_LDS (1u << 3)
#define ISA_M_OFFEN (1u << 4)
#define ISA_M_IDXEN (1u << 5)
#define ISA_M_IMM (1u << 6)  /* SMEM: there is an offset in the instruction */
#define ISA_M_SOFF (1u << 7) /* SMEM: there is an offset in an SGPR */
#define ISA_M_NV (1u << 8)

/**
 * struct isa_inst - a decoded instruction
 * @op: enum isa_op; ISA_OP_NONE: no instruction
 * @format: enum isa_format
 * @form: enum isa_form, of vector formats
 * @len: dwords; 0: not decoded yet
 * @dst: destination: operand number; ISA_R_VGPR + n, ISA_R_ACC + n for VGPRs
 * @src: sources 0 to 2: the same; memory formats: address, data, second data
 * @sdst: SGPR pair of a mask that is written
 * @sbase: SMEM, MUBUF: SGPRs of the base; FLAT: of the address, 0x7f: none
 * @soff: SMEM, MUBUF: operand of the scalar offset
 * @neg: a bit a source
 * @abs: a bit a source
 * @neg_hi: packed formats: of the upper halves; MFMA: unused
 * @opsel: a bit a source, and one for the destination; packed: of the low half
 * @opsel_hi: packed formats
 * @omod: 0 to 3
 * @clamp: 0 or 1
 * @bits: ISA_M_*
 * @imm: offset, or the 16 bits of SOPP and SOPK
 * @lit: literal, or the second word of SDWA and DPP
 * @nr_vgprs: architected VGPRs it needs
 * @nr_accs: ACC VGPRs it needs
 * @nr_sgprs: numbered SGPRs it needs
 */
struct isa_inst {
	u16 op;
	u8 format;
	u8 form;
	u8 len;
	u8 sdst;
	u8 sbase;
	u8 soff;
	u16 dst;
	u16 src[3];
	u8 neg;
	u8 abs;
	u8 neg_hi;
	u8 opsel;
	u8 opsel_hi;
	u8 omod;
	u8 clamp;
	u8 nr_sgprs;
	u16 bits;
	u16 nr_vgprs;
	u16 nr_accs;
	s32 imm;
	u32 lit;
};

/**
 * isa_decode() - decode one instruction
 * @arch: 0 gfx90a, 1 gfx942
 * @word: two words; the second is looked at only if @has_two
 * @has_two: there is a second word
 * @inst: output
 *
 * Return: 0; -EINVAL: no instruction of @arch; -ENODATA: needs the second word.
 */
int isa_decode(u32 arch, const u32 word[2], bool has_two, struct isa_inst *inst);

/**
 * isa_text() - an instruction as LLVM's disassembler writes it
 * @arch: 0 gfx90a, 1 gfx942
 * @inst: decoded instruction
 * @buf: output, ends with a zero byte
 * @size: of @buf
 *
 * Return: length of the text without the zero byte; it is cut if @size is short.
 */
u32 isa_text(u32 arch, const struct isa_inst *inst, char *buf, u32 size);

#endif
