/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Opcodes of LDS and memory formats.
 *
 * X(name, number on gfx90a, number on gfx942, dwords of destination and of the
 * sources 0 to 2 (0: not there), what it does to memory, flags). opcodes.h says what the
 * letters and flags mean. Numbers and operand sizes are those of LLVM 19; the
 * tests compare every line with its disassembler.
 */
#ifndef ISA_OP_MEMORY_H
#define ISA_OP_MEMORY_H

/* clang-format off */

#define ISA_DS(X) \
	X(ds_add_u32, 0x00, 0x00, 0, 1, 1, 0, ME_AT_ADD, 0) \
	X(ds_sub_u32, 0x01, 0x01, 0, 1, 1, 0, ME_AT_SUB, 0) \
	X(ds_rsub_u32, 0x02, 0x02, 0, 1, 1, 0, ME_AT_RSUB, 0) \
	X(ds_inc_u32, 0x03, 0x03, 0, 1, 1, 0, ME_AT_INC, 0) \
	X(ds_dec_u32, 0x04, 0x04, 0, 1, 1, 0, ME_AT_DEC, 0) \
	X(ds_min_i32, 0x05, 0x05, 0, 1, 1, 0, ME_AT_SMIN, 0) \
	X(ds_max_i32, 0x06, 0x06, 0, 1, 1, 0, ME_AT_SMAX, 0) \
	X(ds_min_u32, 0x07, 0x07, 0, 1, 1, 0, ME_AT_UMIN, 0) \
	X(ds_max_u32, 0x08, 0x08, 0, 1, 1, 0, ME_AT_UMAX, 0) \
	X(ds_and_b32, 0x09, 0x09, 0, 1, 1, 0, ME_AT_AND, 0) \
	X(ds_or_b32, 0x0a, 0x0a, 0, 1, 1, 0, ME_AT_OR, 0) \
	X(ds_xor_b32, 0x0b, 0x0b, 0, 1, 1, 0, ME_AT_XOR, 0) \
	X(ds_mskor_b32, 0x0c, 0x0c, 0, 1, 1, 1, ME_AT_MSKOR, 0) \
	X(ds_write_b32, 0x0d, 0x0d, 0, 1, 1, 0, ME_ST_B32, 0) \
	X(ds_write2_b32, 0x0e, 0x0e, 0, 1, 1, 1, ME_ST_B32 | ME_TWO, 0) \
	X(ds_write2st64_b32, 0x0f, 0x0f, 0, 1, 1, 1, ME_ST_B32 | ME_TWO | ME_ST64, 0) \
	X(ds_cmpst_b32, 0x10, 0x10, 0, 1, 1, 1, ME_AT_CMPST, 0) \
	X(ds_cmpst_f32, 0x11, 0x11, 0, 1, 1, 1, ME_AT_CMPST_F32, 0) \
	X(ds_min_f32, 0x12, 0x12, 0, 1, 1, 0, ME_AT_MIN_F32, 0) \
	X(ds_max_f32, 0x13, 0x13, 0, 1, 1, 0, ME_AT_MAX_F32, 0) \
	X(ds_nop, 0x14, 0x14, 0, 0, 0, 0, ME_OTHER, 0) \
	X(ds_add_f32, 0x15, 0x15, 0, 1, 1, 0, ME_AT_ADD_F32, 0) \
	X(ds_write_addtid_b32, 0x1d, 0x1d, 0, 0, 1, 0, ME_OTHER, 0) \
	X(ds_write_b8, 0x1e, 0x1e, 0, 1, 1, 0, ME_ST_U8, 0) \
	X(ds_write_b16, 0x1f, 0x1f, 0, 1, 1, 0, ME_ST_U16, 0) \
	X(ds_add_rtn_u32, 0x20, 0x20, 1, 1, 1, 0, ME_AT_ADD | ME_RTN, 0) \
	X(ds_sub_rtn_u32, 0x21, 0x21, 1, 1, 1, 0, ME_AT_SUB | ME_RTN, 0) \
	X(ds_rsub_rtn_u32, 0x22, 0x22, 1, 1, 1, 0, ME_AT_RSUB | ME_RTN, 0) \
	X(ds_inc_rtn_u32, 0x23, 0x23, 1, 1, 1, 0, ME_AT_INC | ME_RTN, 0) \
	X(ds_dec_rtn_u32, 0x24, 0x24, 1, 1, 1, 0, ME_AT_DEC | ME_RTN, 0) \
	X(ds_min_rtn_i32, 0x25, 0x25, 1, 1, 1, 0, ME_AT_SMIN | ME_RTN, 0) \
	X(ds_max_rtn_i32, 0x26, 0x26, 1, 1, 1, 0, ME_AT_SMAX | ME_RTN, 0) \
	X(ds_min_rtn_u32, 0x27, 0x27, 1, 1, 1, 0, ME_AT_UMIN | ME_RTN, 0) \
	X(ds_max_rtn_u32, 0x28, 0x28, 1, 1, 1, 0, ME_AT_UMAX | ME_RTN, 0) \
	X(ds_and_rtn_b32, 0x29, 0x29, 1, 1, 1, 0, ME_AT_AND | ME_RTN, 0) \
	X(ds_or_rtn_b32, 0x2a, 0x2a, 1, 1, 1, 0, ME_AT_OR | ME_RTN, 0) \
	X(ds_xor_rtn_b32, 0x2b, 0x2b, 1, 1, 1, 0, ME_AT_XOR | ME_RTN, 0) \
	X(ds_mskor_rtn_b32, 0x2c, 0x2c, 1, 1, 1, 1, ME_AT_MSKOR | ME_RTN, 0) \
	X(ds_wrxchg_rtn_b32, 0x2d, 0x2d, 1, 1, 1, 0, ME_AT_SWAP | ME_RTN, 0) \
	X(ds_wrxchg2_rtn_b32, 0x2e, 0x2e, 2, 1, 1, 1, ME_OTHER, 0) \
	X(ds_wrxchg2st64_rtn_b32, 0x2f, 0x2f, 2, 1, 1, 1, ME_OTHER, 0) \
	X(ds_cmpst_rtn_b32, 0x30, 0x30, 1, 1, 1, 1, ME_AT_CMPST | ME_RTN, 0) \
	X(ds_cmpst_rtn_f32, 0x31, 0x31, 1, 1, 1, 1, ME_AT_CMPST_F32 | ME_RTN, 0) \
	X(ds_min_rtn_f32, 0x32, 0x32, 1, 1, 1, 0, ME_AT_MIN_F32 | ME_RTN, 0) \
	X(ds_max_rtn_f32, 0x33, 0x33, 1, 1, 1, 0, ME_AT_MAX_F32 | ME_RTN, 0) \
	X(ds_wrap_rtn_b32, 0x34, 0x34, 1, 1, 1, 1, ME_OTHER, 0) \
	X(ds_add_rtn_f32, 0x35, 0x35, 1, 1, 1, 0, ME_AT_ADD_F32 | ME_RTN, 0) \
	X(ds_read_b32, 0x36, 0x36, 1, 1, 0, 0, ME_LD_B32, 0) \
	X(ds_read2_b32, 0x37, 0x37, 2, 1, 0, 0, ME_LD_B32 | ME_TWO, 0) \
	X(ds_read2st64_b32, 0x38, 0x38, 2, 1, 0, 0, ME_LD_B32 | ME_TWO | ME_ST64, 0) \
	X(ds_read_i8, 0x39, 0x39, 1, 1, 0, 0, ME_LD_I8, 0) \
	X(ds_read_u8, 0x3a, 0x3a, 1, 1, 0, 0, ME_LD_U8, 0) \
	X(ds_read_i16, 0x3b, 0x3b, 1, 1, 0, 0, ME_LD_I16, 0) \
	X(ds_read_u16, 0x3c, 0x3c, 1, 1, 0, 0, ME_LD_U16, 0) \
	X(ds_swizzle_b32, 0x3d, 0x3d, 1, 1, 0, 0, ME_OTHER, 0) \
	X(ds_permute_b32, 0x3e, 0x3e, 1, 1, 1, 0, ME_OTHER, 0) \
	X(ds_bpermute_b32, 0x3f, 0x3f, 1, 1, 1, 0, ME_OTHER, 0) \
	X(ds_add_u64, 0x40, 0x40, 0, 1, 2, 0, ME_AT_ADD | ME_X2, 0) \
	X(ds_sub_u64, 0x41, 0x41, 0, 1, 2, 0, ME_AT_SUB | ME_X2, 0) \
	X(ds_rsub_u64, 0x42, 0x42, 0, 1, 2, 0, ME_AT_RSUB | ME_X2, 0) \
	X(ds_inc_u64, 0x43, 0x43, 0, 1, 2, 0, ME_AT_INC | ME_X2, 0) \
	X(ds_dec_u64, 0x44, 0x44, 0, 1, 2, 0, ME_AT_DEC | ME_X2, 0) \
	X(ds_min_i64, 0x45, 0x45, 0, 1, 2, 0, ME_AT_SMIN | ME_X2, 0) \
	X(ds_max_i64, 0x46, 0x46, 0, 1, 2, 0, ME_AT_SMAX | ME_X2, 0) \
	X(ds_min_u64, 0x47, 0x47, 0, 1, 2, 0, ME_AT_UMIN | ME_X2, 0) \
	X(ds_max_u64, 0x48, 0x48, 0, 1, 2, 0, ME_AT_UMAX | ME_X2, 0) \
	X(ds_and_b64, 0x49, 0x49, 0, 1, 2, 0, ME_AT_AND | ME_X2, 0) \
	X(ds_or_b64, 0x4a, 0x4a, 0, 1, 2, 0, ME_AT_OR | ME_X2, 0) \
	X(ds_xor_b64, 0x4b, 0x4b, 0, 1, 2, 0, ME_AT_XOR | ME_X2, 0) \
	X(ds_mskor_b64, 0x4c, 0x4c, 0, 1, 2, 2, ME_AT_MSKOR | ME_X2, 0) \
	X(ds_write_b64, 0x4d, 0x4d, 0, 1, 2, 0, ME_ST_B64, 0) \
	X(ds_write2_b64, 0x4e, 0x4e, 0, 1, 2, 2, ME_ST_B64 | ME_TWO, 0) \
	X(ds_write2st64_b64, 0x4f, 0x4f, 0, 1, 2, 2, ME_ST_B64 | ME_TWO | ME_ST64, 0) \
	X(ds_cmpst_b64, 0x50, 0x50, 0, 1, 2, 2, ME_AT_CMPST | ME_X2, 0) \
	X(ds_cmpst_f64, 0x51, 0x51, 0, 1, 2, 2, ME_AT_CMPST_F64 | ME_X2, 0) \
	X(ds_min_f64, 0x52, 0x52, 0, 1, 2, 0, ME_AT_MIN_F64 | ME_X2, 0) \
	X(ds_max_f64, 0x53, 0x53, 0, 1, 2, 0, ME_AT_MAX_F64 | ME_X2, 0) \
	X(ds_write_b8_d16_hi, 0x54, 0x54, 0, 1, 1, 0, ME_ST_U8 | ME_D16 | ME_HI, 0) \
	X(ds_write_b16_d16_hi, 0x55, 0x55, 0, 1, 1, 0, ME_ST_U16 | ME_D16 | ME_HI, 0) \
	X(ds_read_u8_d16, 0x56, 0x56, 1, 1, 0, 0, ME_LD_U8 | ME_D16, 0) \
	X(ds_read_u8_d16_hi, 0x57, 0x57, 1, 1, 0, 0, ME_LD_U8 | ME_D16 | ME_HI, 0) \
	X(ds_read_i8_d16, 0x58, 0x58, 1, 1, 0, 0, ME_LD_I8 | ME_D16, 0) \
	X(ds_read_i8_d16_hi, 0x59, 0x59, 1, 1, 0, 0, ME_LD_I8 | ME_D16 | ME_HI, 0) \
	X(ds_read_u16_d16, 0x5a, 0x5a, 1, 1, 0, 0, ME_LD_U16 | ME_D16, 0) \
	X(ds_read_u16_d16_hi, 0x5b, 0x5b, 1, 1, 0, 0, ME_LD_U16 | ME_D16 | ME_HI, 0) \
	X(ds_add_f64, 0x5c, 0x5c, 0, 1, 2, 0, ME_AT_ADD_F64 | ME_X2, 0) \
	X(ds_add_rtn_u64, 0x60, 0x60, 2, 1, 2, 0, ME_AT_ADD | ME_X2 | ME_RTN, 0) \
	X(ds_sub_rtn_u64, 0x61, 0x61, 2, 1, 2, 0, ME_AT_SUB | ME_X2 | ME_RTN, 0) \
	X(ds_rsub_rtn_u64, 0x62, 0x62, 2, 1, 2, 0, ME_AT_RSUB | ME_X2 | ME_RTN, 0) \
	X(ds_inc_rtn_u64, 0x63, 0x63, 2, 1, 2, 0, ME_AT_INC | ME_X2 | ME_RTN, 0) \
	X(ds_dec_rtn_u64, 0x64, 0x64, 2, 1, 2, 0, ME_AT_DEC | ME_X2 | ME_RTN, 0) \
	X(ds_min_rtn_i64, 0x65, 0x65, 2, 1, 2, 0, ME_AT_SMIN | ME_X2 | ME_RTN, 0) \
	X(ds_max_rtn_i64, 0x66, 0x66, 2, 1, 2, 0, ME_AT_SMAX | ME_X2 | ME_RTN, 0) \
	X(ds_min_rtn_u64, 0x67, 0x67, 2, 1, 2, 0, ME_AT_UMIN | ME_X2 | ME_RTN, 0) \
	X(ds_max_rtn_u64, 0x68, 0x68, 2, 1, 2, 0, ME_AT_UMAX | ME_X2 | ME_RTN, 0) \
	X(ds_and_rtn_b64, 0x69, 0x69, 2, 1, 2, 0, ME_AT_AND | ME_X2 | ME_RTN, 0) \
	X(ds_or_rtn_b64, 0x6a, 0x6a, 2, 1, 2, 0, ME_AT_OR | ME_X2 | ME_RTN, 0) \
	X(ds_xor_rtn_b64, 0x6b, 0x6b, 2, 1, 2, 0, ME_AT_XOR | ME_X2 | ME_RTN, 0) \
	X(ds_mskor_rtn_b64, 0x6c, 0x6c, 2, 1, 2, 2, ME_AT_MSKOR | ME_X2 | ME_RTN, 0) \
	X(ds_wrxchg_rtn_b64, 0x6d, 0x6d, 2, 1, 2, 0, ME_AT_SWAP | ME_X2 | ME_RTN, 0) \
	X(ds_wrxchg2_rtn_b64, 0x6e, 0x6e, 4, 1, 2, 2, ME_OTHER, 0) \
	X(ds_wrxchg2st64_rtn_b64, 0x6f, 0x6f, 4, 1, 2, 2, ME_OTHER, 0) \
	X(ds_cmpst_rtn_b64, 0x70, 0x70, 2, 1, 2, 2, ME_AT_CMPST | ME_X2 | ME_RTN, 0) \
	X(ds_cmpst_rtn_f64, 0x71, 0x71, 2, 1, 2, 2, ME_AT_CMPST_F64 | ME_X2 | ME_RTN, 0) \
	X(ds_min_rtn_f64, 0x72, 0x72, 2, 1, 2, 0, ME_AT_MIN_F64 | ME_X2 | ME_RTN, 0) \
	X(ds_max_rtn_f64, 0x73, 0x73, 2, 1, 2, 0, ME_AT_MAX_F64 | ME_X2 | ME_RTN, 0) \
	X(ds_read_b64, 0x76, 0x76, 2, 1, 0, 0, ME_LD_B64, 0) \
	X(ds_read2_b64, 0x77, 0x77, 4, 1, 0, 0, ME_LD_B64 | ME_TWO, 0) \
	X(ds_read2st64_b64, 0x78, 0x78, 4, 1, 0, 0, ME_LD_B64 | ME_TWO | ME_ST64, 0) \
	X(ds_add_rtn_f64, 0x7c, 0x7c, 2, 1, 2, 0, ME_AT_ADD_F64 | ME_X2 | ME_RTN, 0) \
	X(ds_condxchg32_rtn_b64, 0x7e, 0x7e, 2, 1, 2, 0, ME_OTHER, 0) \
	X(ds_read_addtid_b32, 0xb6, 0xb6, 1, 0, 0, 0, ME_OTHER, 0) \
	X(ds_consume, 0xbd, 0xbd, 1, 0, 0, 0, ME_OTHER, 0) \
	X(ds_append, 0xbe, 0xbe, 1, 0, 0, 0, ME_OTHER, 0) \
	X(ds_write_b96, 0xde, 0xde, 0, 1, 3, 0, ME_ST_B96, 0) \
	X(ds_write_b128, 0xdf, 0xdf, 0, 1, 4, 0, ME_ST_B128, 0) \
	X(ds_read_b96, 0xfe, 0xfe, 3, 1, 0, 0, ME_LD_B96, 0) \
	X(ds_read_b128, 0xff, 0xff, 4, 1, 0, 0, ME_LD_B128, 0) \
	X(ds_pk_add_f16, NO, 0x17, 0, 1, 1, 0, ME_AT_PK_ADD_F16, 0) \
	X(ds_pk_add_bf16, NO, 0x18, 0, 1, 1, 0, ME_AT_PK_ADD_BF16, 0) \
	X(ds_pk_add_rtn_f16, NO, 0xb7, 1, 1, 1, 0, ME_AT_PK_ADD_F16 | ME_RTN, 0) \
	X(ds_pk_add_rtn_bf16, NO, 0xb8, 1, 1, 1, 0, ME_AT_PK_ADD_BF16 | ME_RTN, 0)

#define ISA_FLAT(X) \
	X(flat_load_ubyte, 0x10, 0x10, 1, 0, 0, 0, ME_LD_U8, 0) \
	X(flat_load_sbyte, 0x11, 0x11, 1, 0, 0, 0, ME_LD_I8, 0) \
	X(flat_load_ushort, 0x12, 0x12, 1, 0, 0, 0, ME_LD_U16, 0) \
	X(flat_load_sshort, 0x13, 0x13, 1, 0, 0, 0, ME_LD_I16, 0) \
	X(flat_load_dword, 0x14, 0x14, 1, 0, 0, 0, ME_LD_B32, 0) \
	X(flat_load_dwordx2, 0x15, 0x15, 2, 0, 0, 0, ME_LD_B64, 0) \
	X(flat_load_dwordx3, 0x16, 0x16, 3, 0, 0, 0, ME_LD_B96, 0) \
	X(flat_load_dwordx4, 0x17, 0x17, 4, 0, 0, 0, ME_LD_B128, 0) \
	X(flat_store_byte, 0x18, 0x18, 0, 0, 1, 0, ME_ST_U8, 0) \
	X(flat_store_byte_d16_hi, 0x19, 0x19, 0, 0, 1, 0, ME_ST_U8 | ME_D16 | ME_HI, 0) \
	X(flat_store_short, 0x1a, 0x1a, 0, 0, 1, 0, ME_ST_U16, 0) \
	X(flat_store_short_d16_hi, 0x1b, 0x1b, 0, 0, 1, 0, ME_ST_U16 | ME_D16 | ME_HI, 0) \
	X(flat_store_dword, 0x1c, 0x1c, 0, 0, 1, 0, ME_ST_B32, 0) \
	X(flat_store_dwordx2, 0x1d, 0x1d, 0, 0, 2, 0, ME_ST_B64, 0) \
	X(flat_store_dwordx3, 0x1e, 0x1e, 0, 0, 3, 0, ME_ST_B96, 0) \
	X(flat_store_dwordx4, 0x1f, 0x1f, 0, 0, 4, 0, ME_ST_B128, 0) \
	X(flat_load_ubyte_d16, 0x20, 0x20, 1, 0, 0, 0, ME_LD_U8 | ME_D16, 0) \
	X(flat_load_ubyte_d16_hi, 0x21, 0x21, 1, 0, 0, 0, ME_LD_U8 | ME_D16 | ME_HI, 0) \
	X(flat_load_sbyte_d16, 0x22, 0x22, 1, 0, 0, 0, ME_LD_I8 | ME_D16, 0) \
	X(flat_load_sbyte_d16_hi, 0x23, 0x23, 1, 0, 0, 0, ME_LD_I8 | ME_D16 | ME_HI, 0) \
	X(flat_load_short_d16, 0x24, 0x24, 1, 0, 0, 0, ME_LD_U16 | ME_D16, 0) \
	X(flat_load_short_d16_hi, 0x25, 0x25, 1, 0, 0, 0, ME_LD_U16 | ME_D16 | ME_HI, 0) \
	X(flat_atomic_swap, 0x40, 0x40, 0, 0, 1, 0, ME_AT_SWAP, 0) \
	X(flat_atomic_cmpswap, 0x41, 0x41, 0, 0, 2, 0, ME_AT_CMPSWAP, 0) \
	X(flat_atomic_add, 0x42, 0x42, 0, 0, 1, 0, ME_AT_ADD, 0) \
	X(flat_atomic_sub, 0x43, 0x43, 0, 0, 1, 0, ME_AT_SUB, 0) \
	X(flat_atomic_smin, 0x44, 0x44, 0, 0, 1, 0, ME_AT_SMIN, 0) \
	X(flat_atomic_umin, 0x45, 0x45, 0, 0, 1, 0, ME_AT_UMIN, 0) \
	X(flat_atomic_smax, 0x46, 0x46, 0, 0, 1, 0, ME_AT_SMAX, 0) \
	X(flat_atomic_umax, 0x47, 0x47, 0, 0, 1, 0, ME_AT_UMAX, 0) \
	X(flat_atomic_and, 0x48, 0x48, 0, 0, 1, 0, ME_AT_AND, 0) \
	X(flat_atomic_or, 0x49, 0x49, 0, 0, 1, 0, ME_AT_OR, 0) \
	X(flat_atomic_xor, 0x4a, 0x4a, 0, 0, 1, 0, ME_AT_XOR, 0) \
	X(flat_atomic_inc, 0x4b, 0x4b, 0, 0, 1, 0, ME_AT_INC, 0) \
	X(flat_atomic_dec, 0x4c, 0x4c, 0, 0, 1, 0, ME_AT_DEC, 0) \
	X(flat_atomic_add_f64, 0x4f, 0x4f, 0, 0, 2, 0, ME_AT_ADD_F64 | ME_X2, 0) \
	X(flat_atomic_min_f64, 0x50, 0x50, 0, 0, 2, 0, ME_AT_MIN_F64 | ME_X2, 0) \
	X(flat_atomic_max_f64, 0x51, 0x51, 0, 0, 2, 0, ME_AT_MAX_F64 | ME_X2, 0) \
	X(flat_atomic_swap_x2, 0x60, 0x60, 0, 0, 2, 0, ME_AT_SWAP | ME_X2, 0) \
	X(flat_atomic_cmpswap_x2, 0x61, 0x61, 0, 0, 4, 0, ME_AT_CMPSWAP | ME_X2, 0) \
	X(flat_atomic_add_x2, 0x62, 0x62, 0, 0, 2, 0, ME_AT_ADD | ME_X2, 0) \
	X(flat_atomic_sub_x2, 0x63, 0x63, 0, 0, 2, 0, ME_AT_SUB | ME_X2, 0) \
	X(flat_atomic_smin_x2, 0x64, 0x64, 0, 0, 2, 0, ME_AT_SMIN | ME_X2, 0) \
	X(flat_atomic_umin_x2, 0x65, 0x65, 0, 0, 2, 0, ME_AT_UMIN | ME_X2, 0) \
	X(flat_atomic_smax_x2, 0x66, 0x66, 0, 0, 2, 0, ME_AT_SMAX | ME_X2, 0) \
	X(flat_atomic_umax_x2, 0x67, 0x67, 0, 0, 2, 0, ME_AT_UMAX | ME_X2, 0) \
	X(flat_atomic_and_x2, 0x68, 0x68, 0, 0, 2, 0, ME_AT_AND | ME_X2, 0) \
	X(flat_atomic_or_x2, 0x69, 0x69, 0, 0, 2, 0, ME_AT_OR | ME_X2, 0) \
	X(flat_atomic_xor_x2, 0x6a, 0x6a, 0, 0, 2, 0, ME_AT_XOR | ME_X2, 0) \
	X(flat_atomic_inc_x2, 0x6b, 0x6b, 0, 0, 2, 0, ME_AT_INC | ME_X2, 0) \
	X(flat_atomic_dec_x2, 0x6c, 0x6c, 0, 0, 2, 0, ME_AT_DEC | ME_X2, 0) \
	X(flat_atomic_add_f32, NO, 0x4d, 0, 0, 1, 0, ME_AT_ADD_F32, 0) \
	X(flat_atomic_pk_add_f16, NO, 0x4e, 0, 0, 1, 0, ME_AT_PK_ADD_F16, 0) \
	X(flat_atomic_pk_add_bf16, NO, 0x52, 0, 0, 1, 0, ME_AT_PK_ADD_BF16, 0)

#define ISA_SCRATCH(X) \
	X(scratch_load_ubyte, 0x10, 0x10, 1, 0, 0, 0, ME_LD_U8, 0) \
	X(scratch_load_sbyte, 0x11, 0x11, 1, 0, 0, 0, ME_LD_I8, 0) \
	X(scratch_load_ushort, 0x12, 0x12, 1, 0, 0, 0, ME_LD_U16, 0) \
	X(scratch_load_sshort, 0x13, 0x13, 1, 0, 0, 0, ME_LD_I16, 0) \
	X(scratch_load_dword, 0x14, 0x14, 1, 0, 0, 0, ME_LD_B32, 0) \
	X(scratch_load_dwordx2, 0x15, 0x15, 2, 0, 0, 0, ME_LD_B64, 0) \
	X(scratch_load_dwordx3, 0x16, 0x16, 3, 0, 0, 0, ME_LD_B96, 0) \
	X(scratch_load_dwordx4, 0x17, 0x17, 4, 0, 0, 0, ME_LD_B128, 0) \
	X(scratch_store_byte, 0x18, 0x18, 0, 0, 1, 0, ME_ST_U8, 0) \
	X(scratch_store_byte_d16_hi, 0x19, 0x19, 0, 0, 1, 0, ME_ST_U8 | ME_D16 | ME_HI, 0) \
	X(scratch_store_short, 0x1a, 0x1a, 0, 0, 1, 0, ME_ST_U16, 0) \
	X(scratch_store_short_d16_hi, 0x1b, 0x1b, 0, 0, 1, 0, ME_ST_U16 | ME_D16 | ME_HI, 0) \
	X(scratch_store_dword, 0x1c, 0x1c, 0, 0, 1, 0, ME_ST_B32, 0) \
	X(scratch_store_dwordx2, 0x1d, 0x1d, 0, 0, 2, 0, ME_ST_B64, 0) \
	X(scratch_store_dwordx3, 0x1e, 0x1e, 0, 0, 3, 0, ME_ST_B96, 0) \
	X(scratch_store_dwordx4, 0x1f, 0x1f, 0, 0, 4, 0, ME_ST_B128, 0) \
	X(scratch_load_ubyte_d16, 0x20, 0x20, 1, 0, 0, 0, ME_LD_U8 | ME_D16, 0) \
	X(scratch_load_ubyte_d16_hi, 0x21, 0x21, 1, 0, 0, 0, ME_LD_U8 | ME_D16 | ME_HI, 0) \
	X(scratch_load_sbyte_d16, 0x22, 0x22, 1, 0, 0, 0, ME_LD_I8 | ME_D16, 0) \
	X(scratch_load_sbyte_d16_hi, 0x23, 0x23, 1, 0, 0, 0, ME_LD_I8 | ME_D16 | ME_HI, 0) \
	X(scratch_load_short_d16, 0x24, 0x24, 1, 0, 0, 0, ME_LD_U16 | ME_D16, 0) \
	X(scratch_load_short_d16_hi, 0x25, 0x25, 1, 0, 0, 0, ME_LD_U16 | ME_D16 | ME_HI, 0) \
	X(scratch_load_lds_ubyte, NO, 0x26, 0, 0, 0, 0, ME_LD_U8 | ME_LDS, 0) \
	X(scratch_load_lds_sbyte, NO, 0x27, 0, 0, 0, 0, ME_LD_I8 | ME_LDS, 0) \
	X(scratch_load_lds_ushort, NO, 0x28, 0, 0, 0, 0, ME_LD_U16 | ME_LDS, 0) \
	X(scratch_load_lds_sshort, NO, 0x29, 0, 0, 0, 0, ME_LD_I16 | ME_LDS, 0) \
	X(scratch_load_lds_dword, NO, 0x2a, 0, 0, 0, 0, ME_LD_B32 | ME_LDS, 0)

#define ISA_GLOBAL(X) \
	X(global_load_ubyte, 0x10, 0x10, 1, 0, 0, 0, ME_LD_U8, 0) \
	X(global_load_sbyte, 0x11, 0x11, 1, 0, 0, 0, ME_LD_I8, 0) \
	X(global_load_ushort, 0x12, 0x12, 1, 0, 0, 0, ME_LD_U16, 0) \
	X(global_load_sshort, 0x13, 0x13, 1, 0, 0, 0, ME_LD_I16, 0) \
	X(global_load_dword, 0x14, 0x14, 1, 0, 0, 0, ME_LD_B32, 0) \
	X(global_load_dwordx2, 0x15, 0x15, 2, 0, 0, 0, ME_LD_B64, 0) \
	X(global_load_dwordx3, 0x16, 0x16, 3, 0, 0, 0, ME_LD_B96, 0) \
	X(global_load_dwordx4, 0x17, 0x17, 4, 0, 0, 0, ME_LD_B128, 0) \
	X(global_store_byte, 0x18, 0x18, 0, 0, 1, 0, ME_ST_U8, 0) \
	X(global_store_byte_d16_hi, 0x19, 0x19, 0, 0, 1, 0, ME_ST_U8 | ME_D16 | ME_HI, 0) \
	X(global_store_short, 0x1a, 0x1a, 0, 0, 1, 0, ME_ST_U16, 0) \
	X(global_store_short_d16_hi, 0x1b, 0x1b, 0, 0, 1, 0, ME_ST_U16 | ME_D16 | ME_HI, 0) \
	X(global_store_dword, 0x1c, 0x1c, 0, 0, 1, 0, ME_ST_B32, 0) \
	X(global_store_dwordx2, 0x1d, 0x1d, 0, 0, 2, 0, ME_ST_B64, 0) \
	X(global_store_dwordx3, 0x1e, 0x1e, 0, 0, 3, 0, ME_ST_B96, 0) \
	X(global_store_dwordx4, 0x1f, 0x1f, 0, 0, 4, 0, ME_ST_B128, 0) \
	X(global_load_ubyte_d16, 0x20, 0x20, 1, 0, 0, 0, ME_LD_U8 | ME_D16, 0) \
	X(global_load_ubyte_d16_hi, 0x21, 0x21, 1, 0, 0, 0, ME_LD_U8 | ME_D16 | ME_HI, 0) \
	X(global_load_sbyte_d16, 0x22, 0x22, 1, 0, 0, 0, ME_LD_I8 | ME_D16, 0) \
	X(global_load_sbyte_d16_hi, 0x23, 0x23, 1, 0, 0, 0, ME_LD_I8 | ME_D16 | ME_HI, 0) \
	X(global_load_short_d16, 0x24, 0x24, 1, 0, 0, 0, ME_LD_U16 | ME_D16, 0) \
	X(global_load_short_d16_hi, 0x25, 0x25, 1, 0, 0, 0, ME_LD_U16 | ME_D16 | ME_HI, 0) \
	X(global_atomic_swap, 0x40, 0x40, 0, 0, 1, 0, ME_AT_SWAP, 0) \
	X(global_atomic_cmpswap, 0x41, 0x41, 0, 0, 2, 0, ME_AT_CMPSWAP, 0) \
	X(global_atomic_add, 0x42, 0x42, 0, 0, 1, 0, ME_AT_ADD, 0) \
	X(global_atomic_sub, 0x43, 0x43, 0, 0, 1, 0, ME_AT_SUB, 0) \
	X(global_atomic_smin, 0x44, 0x44, 0, 0, 1, 0, ME_AT_SMIN, 0) \
	X(global_atomic_umin, 0x45, 0x45, 0, 0, 1, 0, ME_AT_UMIN, 0) \
	X(global_atomic_smax, 0x46, 0x46, 0, 0, 1, 0, ME_AT_SMAX, 0) \
	X(global_atomic_umax, 0x47, 0x47, 0, 0, 1, 0, ME_AT_UMAX, 0) \
	X(global_atomic_and, 0x48, 0x48, 0, 0, 1, 0, ME_AT_AND, 0) \
	X(global_atomic_or, 0x49, 0x49, 0, 0, 1, 0, ME_AT_OR, 0) \
	X(global_atomic_xor, 0x4a, 0x4a, 0, 0, 1, 0, ME_AT_XOR, 0) \
	X(global_atomic_inc, 0x4b, 0x4b, 0, 0, 1, 0, ME_AT_INC, 0) \
	X(global_atomic_dec, 0x4c, 0x4c, 0, 0, 1, 0, ME_AT_DEC, 0) \
	X(global_atomic_add_f32, 0x4d, 0x4d, 0, 0, 1, 0, ME_AT_ADD_F32, 0) \
	X(global_atomic_pk_add_f16, 0x4e, 0x4e, 0, 0, 1, 0, ME_AT_PK_ADD_F16, 0) \
	X(global_atomic_add_f64, 0x4f, 0x4f, 0, 0, 2, 0, ME_AT_ADD_F64 | ME_X2, 0) \
	X(global_atomic_min_f64, 0x50, 0x50, 0, 0, 2, 0, ME_AT_MIN_F64 | ME_X2, 0) \
	X(global_atomic_max_f64, 0x51, 0x51, 0, 0, 2, 0, ME_AT_MAX_F64 | ME_X2, 0) \
	X(global_atomic_swap_x2, 0x60, 0x60, 0, 0, 2, 0, ME_AT_SWAP | ME_X2, 0) \
	X(global_atomic_cmpswap_x2, 0x61, 0x61, 0, 0, 4, 0, ME_AT_CMPSWAP | ME_X2, 0) \
	X(global_atomic_add_x2, 0x62, 0x62, 0, 0, 2, 0, ME_AT_ADD | ME_X2, 0) \
	X(global_atomic_sub_x2, 0x63, 0x63, 0, 0, 2, 0, ME_AT_SUB | ME_X2, 0) \
	X(global_atomic_smin_x2, 0x64, 0x64, 0, 0, 2, 0, ME_AT_SMIN | ME_X2, 0) \
	X(global_atomic_umin_x2, 0x65, 0x65, 0, 0, 2, 0, ME_AT_UMIN | ME_X2, 0) \
	X(global_atomic_smax_x2, 0x66, 0x66, 0, 0, 2, 0, ME_AT_SMAX | ME_X2, 0) \
	X(global_atomic_umax_x2, 0x67, 0x67, 0, 0, 2, 0, ME_AT_UMAX | ME_X2, 0) \
	X(global_atomic_and_x2, 0x68, 0x68, 0, 0, 2, 0, ME_AT_AND | ME_X2, 0) \
	X(global_atomic_or_x2, 0x69, 0x69, 0, 0, 2, 0, ME_AT_OR | ME_X2, 0) \
	X(global_atomic_xor_x2, 0x6a, 0x6a, 0, 0, 2, 0, ME_AT_XOR | ME_X2, 0) \
	X(global_atomic_inc_x2, 0x6b, 0x6b, 0, 0, 2, 0, ME_AT_INC | ME_X2, 0) \
	X(global_atomic_dec_x2, 0x6c, 0x6c, 0, 0, 2, 0, ME_AT_DEC | ME_X2, 0) \
	X(global_load_lds_ubyte, NO, 0x26, 0, 0, 0, 0, ME_LD_U8 | ME_LDS, 0) \
	X(global_load_lds_sbyte, NO, 0x27, 0, 0, 0, 0, ME_LD_I8 | ME_LDS, 0) \
	X(global_load_lds_ushort, NO, 0x28, 0, 0, 0, 0, ME_LD_U16 | ME_LDS, 0) \
	X(global_load_lds_sshort, NO, 0x29, 0, 0, 0, 0, ME_LD_I16 | ME_LDS, 0) \
	X(global_load_lds_dword, NO, 0x2a, 0, 0, 0, 0, ME_LD_B32 | ME_LDS, 0) \
	X(global_atomic_pk_add_bf16, NO, 0x52, 0, 0, 1, 0, ME_AT_PK_ADD_BF16, 0)

#define ISA_MUBUF(X) \
	X(buffer_load_format_x, 0x00, 0x00, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_xy, 0x01, 0x01, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_xyz, 0x02, 0x02, 3, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_xyzw, 0x03, 0x03, 4, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_x, 0x04, 0x04, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_xy, 0x05, 0x05, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_xyz, 0x06, 0x06, 3, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_xyzw, 0x07, 0x07, 4, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_d16_x, 0x08, 0x08, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_d16_xy, 0x09, 0x09, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_d16_xyz, 0x0a, 0x0a, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_format_d16_xyzw, 0x0b, 0x0b, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_d16_x, 0x0c, 0x0c, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_d16_xy, 0x0d, 0x0d, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_d16_xyz, 0x0e, 0x0e, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_d16_xyzw, 0x0f, 0x0f, 2, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_load_ubyte, 0x10, 0x10, 1, 0, 0, 0, ME_LD_U8, 0) \
	X(buffer_load_sbyte, 0x11, 0x11, 1, 0, 0, 0, ME_LD_I8, 0) \
	X(buffer_load_ushort, 0x12, 0x12, 1, 0, 0, 0, ME_LD_U16, 0) \
	X(buffer_load_sshort, 0x13, 0x13, 1, 0, 0, 0, ME_LD_I16, 0) \
	X(buffer_load_dword, 0x14, 0x14, 1, 0, 0, 0, ME_LD_B32, 0) \
	X(buffer_load_dwordx2, 0x15, 0x15, 2, 0, 0, 0, ME_LD_B64, 0) \
	X(buffer_load_dwordx3, 0x16, 0x16, 3, 0, 0, 0, ME_LD_B96, 0) \
	X(buffer_load_dwordx4, 0x17, 0x17, 4, 0, 0, 0, ME_LD_B128, 0) \
	X(buffer_store_byte, 0x18, 0x18, 1, 0, 0, 0, ME_ST_U8, 0) \
	X(buffer_store_byte_d16_hi, 0x19, 0x19, 1, 0, 0, 0, ME_ST_U8 | ME_D16 | ME_HI, 0) \
	X(buffer_store_short, 0x1a, 0x1a, 1, 0, 0, 0, ME_ST_U16, 0) \
	X(buffer_store_short_d16_hi, 0x1b, 0x1b, 1, 0, 0, 0, ME_ST_U16 | ME_D16 | ME_HI, 0) \
	X(buffer_store_dword, 0x1c, 0x1c, 1, 0, 0, 0, ME_ST_B32, 0) \
	X(buffer_store_dwordx2, 0x1d, 0x1d, 2, 0, 0, 0, ME_ST_B64, 0) \
	X(buffer_store_dwordx3, 0x1e, 0x1e, 3, 0, 0, 0, ME_ST_B96, 0) \
	X(buffer_store_dwordx4, 0x1f, 0x1f, 4, 0, 0, 0, ME_ST_B128, 0) \
	X(buffer_load_ubyte_d16, 0x20, 0x20, 1, 0, 0, 0, ME_LD_U8 | ME_D16, 0) \
	X(buffer_load_ubyte_d16_hi, 0x21, 0x21, 1, 0, 0, 0, ME_LD_U8 | ME_D16 | ME_HI, 0) \
	X(buffer_load_sbyte_d16, 0x22, 0x22, 1, 0, 0, 0, ME_LD_I8 | ME_D16, 0) \
	X(buffer_load_sbyte_d16_hi, 0x23, 0x23, 1, 0, 0, 0, ME_LD_I8 | ME_D16 | ME_HI, 0) \
	X(buffer_load_short_d16, 0x24, 0x24, 1, 0, 0, 0, ME_LD_U16 | ME_D16, 0) \
	X(buffer_load_short_d16_hi, 0x25, 0x25, 1, 0, 0, 0, ME_LD_U16 | ME_D16 | ME_HI, 0) \
	X(buffer_load_format_d16_hi_x, 0x26, 0x26, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_store_format_d16_hi_x, 0x27, 0x27, 1, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_wbl2, 0x28, 0x28, 0, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_invl2, 0x29, NO, 0, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_wbinvl1, 0x3e, 0x3e, 0, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_wbinvl1_vol, 0x3f, 0x3f, 0, 0, 0, 0, ME_OTHER, 0) \
	X(buffer_atomic_swap, 0x40, 0x40, 1, 0, 0, 0, ME_AT_SWAP, 0) \
	X(buffer_atomic_cmpswap, 0x41, 0x41, 2, 0, 0, 0, ME_AT_CMPSWAP, 0) \
	X(buffer_atomic_add, 0x42, 0x42, 1, 0, 0, 0, ME_AT_ADD, 0) \
	X(buffer_atomic_sub, 0x43, 0x43, 1, 0, 0, 0, ME_AT_SUB, 0) \
	X(buffer_atomic_smin, 0x44, 0x44, 1, 0, 0, 0, ME_AT_SMIN, 0) \
	X(buffer_atomic_umin, 0x45, 0x45, 1, 0, 0, 0, ME_AT_UMIN, 0) \
	X(buffer_atomic_smax, 0x46, 0x46, 1, 0, 0, 0, ME_AT_SMAX, 0) \
	X(buffer_atomic_umax, 0x47, 0x47, 1, 0, 0, 0, ME_AT_UMAX, 0) \
	X(buffer_atomic_and, 0x48, 0x48, 1, 0, 0, 0, ME_AT_AND, 0) \
	X(buffer_atomic_or, 0x49, 0x49, 1, 0, 0, 0, ME_AT_OR, 0) \
	X(buffer_atomic_xor, 0x4a, 0x4a, 1, 0, 0, 0, ME_AT_XOR, 0) \
	X(buffer_atomic_inc, 0x4b, 0x4b, 1, 0, 0, 0, ME_AT_INC, 0) \
	X(buffer_atomic_dec, 0x4c, 0x4c, 1, 0, 0, 0, ME_AT_DEC, 0) \
	X(buffer_atomic_add_f32, 0x4d, 0x4d, 1, 0, 0, 0, ME_AT_ADD_F32, 0) \
	X(buffer_atomic_pk_add_f16, 0x4e, 0x4e, 1, 0, 0, 0, ME_AT_PK_ADD_F16, 0) \
	X(buffer_atomic_add_f64, 0x4f, 0x4f, 2, 0, 0, 0, ME_AT_ADD_F64 | ME_X2, 0) \
	X(buffer_atomic_min_f64, 0x50, 0x50, 2, 0, 0, 0, ME_AT_MIN_F64 | ME_X2, 0) \
	X(buffer_atomic_max_f64, 0x51, 0x51, 2, 0, 0, 0, ME_AT_MAX_F64 | ME_X2, 0) \
	X(buffer_atomic_swap_x2, 0x60, 0x60, 2, 0, 0, 0, ME_AT_SWAP | ME_X2, 0) \
	X(buffer_atomic_cmpswap_x2, 0x61, 0x61, 4, 0, 0, 0, ME_AT_CMPSWAP | ME_X2, 0) \
	X(buffer_atomic_add_x2, 0x62, 0x62, 2, 0, 0, 0, ME_AT_ADD | ME_X2, 0) \
	X(buffer_atomic_sub_x2, 0x63, 0x63, 2, 0, 0, 0, ME_AT_SUB | ME_X2, 0) \
	X(buffer_atomic_smin_x2, 0x64, 0x64, 2, 0, 0, 0, ME_AT_SMIN | ME_X2, 0) \
	X(buffer_atomic_umin_x2, 0x65, 0x65, 2, 0, 0, 0, ME_AT_UMIN | ME_X2, 0) \
	X(buffer_atomic_smax_x2, 0x66, 0x66, 2, 0, 0, 0, ME_AT_SMAX | ME_X2, 0) \
	X(buffer_atomic_umax_x2, 0x67, 0x67, 2, 0, 0, 0, ME_AT_UMAX | ME_X2, 0) \
	X(buffer_atomic_and_x2, 0x68, 0x68, 2, 0, 0, 0, ME_AT_AND | ME_X2, 0) \
	X(buffer_atomic_or_x2, 0x69, 0x69, 2, 0, 0, 0, ME_AT_OR | ME_X2, 0) \
	X(buffer_atomic_xor_x2, 0x6a, 0x6a, 2, 0, 0, 0, ME_AT_XOR | ME_X2, 0) \
	X(buffer_atomic_inc_x2, 0x6b, 0x6b, 2, 0, 0, 0, ME_AT_INC | ME_X2, 0) \
	X(buffer_atomic_dec_x2, 0x6c, 0x6c, 2, 0, 0, 0, ME_AT_DEC | ME_X2, 0) \
	X(buffer_inv, NO, 0x29, 0, 0, 0, 0, ME_OTHER, 0)

/* clang-format on */

#endif
