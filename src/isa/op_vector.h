/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Opcodes of the vector formats.
 *
 * X(name, number on gfx90a, number on gfx942, dwords of destination and of the
 * sources 0 to 2 (0: not there), types, flags). opcodes.h says what the
 * letters and flags mean. Numbers and operand sizes are those of LLVM 19; the
 * tests compare every line with its disassembler.
 */
#ifndef ISA_OP_VECTOR_H
#define ISA_OP_VECTOR_H

/* clang-format off */

#define ISA_VOP1(X) \
	X(v_nop, 0x00, 0x00, 0, 0, 0, 0, II, OF_E64) \
	X(v_mov_b32, 0x01, 0x01, 1, 1, 0, 0, II, OF_INT) \
	X(v_readfirstlane_b32, 0x02, 0x02, 1, 1, 0, 0, II, 0) \
	X(v_cvt_i32_f64, 0x03, 0x03, 1, 2, 0, 0, ID, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_cvt_f64_i32, 0x04, 0x04, 2, 1, 0, 0, DI, OF_E64 | OF_DPP | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_i32, 0x05, 0x05, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_u32, 0x06, 0x06, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_u32_f32, 0x07, 0x07, 1, 1, 0, 0, IF, OF_FLT) \
	X(v_cvt_i32_f32, 0x08, 0x08, 1, 1, 0, 0, IF, OF_FLT) \
	X(v_cvt_f16_f32, 0x0a, 0x0a, 1, 1, 0, 0, HF, OF_FLT) \
	X(v_cvt_f32_f16, 0x0b, 0x0b, 1, 1, 0, 0, FH, OF_FLT) \
	X(v_cvt_rpi_i32_f32, 0x0c, 0x0c, 1, 1, 0, 0, IF, OF_INT | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cvt_flr_i32_f32, 0x0d, 0x0d, 1, 1, 0, 0, IF, OF_INT | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cvt_off_f32_i4, 0x0e, 0x0e, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_f64, 0x0f, 0x0f, 1, 2, 0, 0, FD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_cvt_f64_f32, 0x10, 0x10, 2, 1, 0, 0, DF, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_cvt_f32_ubyte0, 0x11, 0x11, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_ubyte1, 0x12, 0x12, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_ubyte2, 0x13, 0x13, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_ubyte3, 0x14, 0x14, 1, 1, 0, 0, FI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_u32_f64, 0x15, 0x15, 1, 2, 0, 0, ID, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_cvt_f64_u32, 0x16, 0x16, 2, 1, 0, 0, DI, OF_E64 | OF_DPP | OF_CLAMP | OF_OMOD) \
	X(v_trunc_f64, 0x17, 0x17, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_ceil_f64, 0x18, 0x18, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_rndne_f64, 0x19, 0x19, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_floor_f64, 0x1a, 0x1a, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_fract_f32, 0x1b, 0x1b, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_trunc_f32, 0x1c, 0x1c, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_ceil_f32, 0x1d, 0x1d, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_rndne_f32, 0x1e, 0x1e, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_floor_f32, 0x1f, 0x1f, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_exp_f32, 0x20, 0x20, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_log_f32, 0x21, 0x21, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_rcp_f32, 0x22, 0x22, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_rcp_iflag_f32, 0x23, 0x23, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_rsq_f32, 0x24, 0x24, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_rcp_f64, 0x25, 0x25, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_rsq_f64, 0x26, 0x26, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_sqrt_f32, 0x27, 0x27, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_sqrt_f64, 0x28, 0x28, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_sin_f32, 0x29, 0x29, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_cos_f32, 0x2a, 0x2a, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_not_b32, 0x2b, 0x2b, 1, 1, 0, 0, II, OF_INT) \
	X(v_bfrev_b32, 0x2c, 0x2c, 1, 1, 0, 0, II, OF_INT) \
	X(v_ffbh_u32, 0x2d, 0x2d, 1, 1, 0, 0, II, OF_INT) \
	X(v_ffbl_b32, 0x2e, 0x2e, 1, 1, 0, 0, II, OF_INT) \
	X(v_ffbh_i32, 0x2f, 0x2f, 1, 1, 0, 0, II, OF_INT) \
	X(v_frexp_exp_i32_f64, 0x30, 0x30, 1, 2, 0, 0, ID, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_frexp_mant_f64, 0x31, 0x31, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_fract_f64, 0x32, 0x32, 2, 2, 0, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_frexp_exp_i32_f32, 0x33, 0x33, 1, 1, 0, 0, IF, OF_INT | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_frexp_mant_f32, 0x34, 0x34, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_clrexcp, 0x35, 0x35, 0, 0, 0, 0, II, OF_E64) \
	X(v_screen_partition_4se_b32, 0x37, 0x37, 1, 1, 0, 0, II, OF_INT) \
	X(v_cvt_f16_u16, 0x39, 0x39, 1, 1, 0, 0, HI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f16_i16, 0x3a, 0x3a, 1, 1, 0, 0, HI, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_u16_f16, 0x3b, 0x3b, 1, 1, 0, 0, IH, OF_FLT) \
	X(v_cvt_i16_f16, 0x3c, 0x3c, 1, 1, 0, 0, IH, OF_FLT) \
	X(v_rcp_f16, 0x3d, 0x3d, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_sqrt_f16, 0x3e, 0x3e, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_rsq_f16, 0x3f, 0x3f, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_log_f16, 0x40, 0x40, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_exp_f16, 0x41, 0x41, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_frexp_mant_f16, 0x42, 0x42, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_frexp_exp_i16_f16, 0x43, 0x43, 1, 1, 0, 0, IH, OF_FLT) \
	X(v_floor_f16, 0x44, 0x44, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_ceil_f16, 0x45, 0x45, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_trunc_f16, 0x46, 0x46, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_rndne_f16, 0x47, 0x47, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_fract_f16, 0x48, 0x48, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_sin_f16, 0x49, 0x49, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_cos_f16, 0x4a, 0x4a, 1, 1, 0, 0, HH, OF_FLT) \
	X(v_exp_legacy_f32, 0x4b, 0x4b, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_log_legacy_f32, 0x4c, 0x4c, 1, 1, 0, 0, FF, OF_FLT) \
	X(v_cvt_norm_i16_f16, 0x4d, 0x4d, 1, 1, 0, 0, IH, OF_FLT) \
	X(v_cvt_norm_u16_f16, 0x4e, 0x4e, 1, 1, 0, 0, IH, OF_FLT) \
	X(v_sat_pk_u8_i16, 0x4f, 0x4f, 1, 1, 0, 0, II, OF_INT) \
	X(v_swap_b32, 0x51, 0x51, 1, 1, 0, 0, II, 0) \
	X(v_accvgpr_mov_b32, 0x52, 0x52, 1, 1, 0, 0, II, 0) \
	X(v_mov_b64, NO, 0x38, 2, 2, 0, 0, II, OF_E64 | OF_DPP) \
	X(v_cvt_f32_fp8, NO, 0x54, 1, 1, 0, 0, FF, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_f32_bf8, NO, 0x55, 1, 1, 0, 0, FF, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_pk_f32_fp8, NO, 0x56, 2, 1, 0, 0, FF, OF_INT | OF_CLAMP | OF_OMOD) \
	X(v_cvt_pk_f32_bf8, NO, 0x57, 2, 1, 0, 0, FF, OF_INT | OF_CLAMP | OF_OMOD)

#define ISA_VOP2(X) \
	X(v_cndmask_b32, 0x00, 0x00, 1, 1, 1, 0, II, OF_INT | OF_CIN | OF_NEG | OF_ABS) \
	X(v_add_f32, 0x01, 0x01, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_sub_f32, 0x02, 0x02, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_subrev_f32, 0x03, 0x03, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_fmac_f64, 0x04, 0x04, 2, 2, 2, 0, DD, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_mul_f32, 0x05, 0x05, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_mul_i32_i24, 0x06, 0x06, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_mul_hi_i32_i24, 0x07, 0x07, 1, 1, 1, 0, II, OF_INT) \
	X(v_mul_u32_u24, 0x08, 0x08, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_mul_hi_u32_u24, 0x09, 0x09, 1, 1, 1, 0, II, OF_INT) \
	X(v_min_f32, 0x0a, 0x0a, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_max_f32, 0x0b, 0x0b, 1, 1, 1, 0, FF, OF_FLT) \
	X(v_min_i32, 0x0c, 0x0c, 1, 1, 1, 0, II, OF_INT) \
	X(v_max_i32, 0x0d, 0x0d, 1, 1, 1, 0, II, OF_INT) \
	X(v_min_u32, 0x0e, 0x0e, 1, 1, 1, 0, II, OF_INT) \
	X(v_max_u32, 0x0f, 0x0f, 1, 1, 1, 0, II, OF_INT) \
	X(v_lshrrev_b32, 0x10, 0x10, 1, 1, 1, 0, II, OF_INT) \
	X(v_ashrrev_i32, 0x11, 0x11, 1, 1, 1, 0, II, OF_INT) \
	X(v_lshlrev_b32, 0x12, 0x12, 1, 1, 1, 0, II, OF_INT) \
	X(v_and_b32, 0x13, 0x13, 1, 1, 1, 0, II, OF_INT) \
	X(v_or_b32, 0x14, 0x14, 1, 1, 1, 0, II, OF_INT) \
	X(v_xor_b32, 0x15, 0x15, 1, 1, 1, 0, II, OF_INT) \
	X(v_mac_f32, 0x16, NO, 1, 1, 1, 0, FF, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_madmk_f32, 0x17, NO, 1, 1, 1, 0, FF, OF_K) \
	X(v_madak_f32, 0x18, NO, 1, 1, 1, 0, FF, OF_K) \
	X(v_add_co_u32, 0x19, 0x19, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CLAMP) \
	X(v_sub_co_u32, 0x1a, 0x1a, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CLAMP) \
	X(v_subrev_co_u32, 0x1b, 0x1b, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CLAMP) \
	X(v_addc_co_u32, 0x1c, 0x1c, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CIN | OF_CLAMP) \
	X(v_subb_co_u32, 0x1d, 0x1d, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CIN | OF_CLAMP) \
	X(v_subbrev_co_u32, 0x1e, 0x1e, 1, 1, 1, 0, II, OF_INT | OF_SD | OF_CIN | OF_CLAMP) \
	X(v_add_f16, 0x1f, 0x1f, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_sub_f16, 0x20, 0x20, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_subrev_f16, 0x21, 0x21, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_mul_f16, 0x22, 0x22, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_mac_f16, 0x23, 0x23, 1, 1, 1, 0, HH, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_madmk_f16, 0x24, 0x24, 1, 1, 1, 0, HH, OF_K) \
	X(v_madak_f16, 0x25, 0x25, 1, 1, 1, 0, HH, OF_K) \
	X(v_add_u16, 0x26, 0x26, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_sub_u16, 0x27, 0x27, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_subrev_u16, 0x28, 0x28, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_mul_lo_u16, 0x29, 0x29, 1, 1, 1, 0, II, OF_INT) \
	X(v_lshlrev_b16, 0x2a, 0x2a, 1, 1, 1, 0, II, OF_INT) \
	X(v_lshrrev_b16, 0x2b, 0x2b, 1, 1, 1, 0, II, OF_INT) \
	X(v_ashrrev_i16, 0x2c, 0x2c, 1, 1, 1, 0, II, OF_INT) \
	X(v_max_f16, 0x2d, 0x2d, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_min_f16, 0x2e, 0x2e, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_max_u16, 0x2f, 0x2f, 1, 1, 1, 0, II, OF_INT) \
	X(v_max_i16, 0x30, 0x30, 1, 1, 1, 0, II, OF_INT) \
	X(v_min_u16, 0x31, 0x31, 1, 1, 1, 0, II, OF_INT) \
	X(v_min_i16, 0x32, 0x32, 1, 1, 1, 0, II, OF_INT) \
	X(v_ldexp_f16, 0x33, 0x33, 1, 1, 1, 0, HH, OF_FLT) \
	X(v_add_u32, 0x34, 0x34, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_sub_u32, 0x35, 0x35, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_subrev_u32, 0x36, 0x36, 1, 1, 1, 0, II, OF_INT | OF_CLAMP) \
	X(v_dot2c_f32_f16, 0x37, 0x37, 1, 1, 1, 0, FH, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_dot2c_i32_i16, 0x38, 0x38, 1, 1, 1, 0, II, OF_E64 | OF_DPP | OF_CLAMP) \
	X(v_dot4c_i32_i8, 0x39, 0x39, 1, 1, 1, 0, II, OF_E64 | OF_DPP | OF_CLAMP) \
	X(v_dot8c_i32_i4, 0x3a, 0x3a, 1, 1, 1, 0, II, OF_E64 | OF_DPP | OF_CLAMP) \
	X(v_fmac_f32, 0x3b, 0x3b, 1, 1, 1, 0, FF, OF_VOP3F | OF_E64 | OF_DPP) \
	X(v_pk_fmac_f16, 0x3c, 0x3c, 1, 1, 1, 0, HH, 0) \
	X(v_xnor_b32, 0x3d, 0x3d, 1, 1, 1, 0, II, OF_INT) \
	X(v_fmamk_f32, NO, 0x17, 1, 1, 1, 0, FF, OF_K) \
	X(v_fmaak_f32, NO, 0x18, 1, 1, 1, 0, FF, OF_K)

#define ISA_VOPC(X) \
	X(v_cmp_class_f32, 0x10, 0x10, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_NEG | OF_ABS) \
	X(v_cmpx_class_f32, 0x11, 0x11, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_NEG | OF_ABS) \
	X(v_cmp_class_f64, 0x12, 0x12, 0, 2, 1, 0, ID, OF_E64 | OF_NEG | OF_ABS) \
	X(v_cmpx_class_f64, 0x13, 0x13, 0, 2, 1, 0, ID, OF_E64 | OF_NEG | OF_ABS) \
	X(v_cmp_class_f16, 0x14, 0x14, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_NEG | OF_ABS) \
	X(v_cmpx_class_f16, 0x15, 0x15, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_NEG | OF_ABS) \
	X(v_cmp_f_f16, 0x20, 0x20, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lt_f16, 0x21, 0x21, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_eq_f16, 0x22, 0x22, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_le_f16, 0x23, 0x23, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_gt_f16, 0x24, 0x24, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lg_f16, 0x25, 0x25, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ge_f16, 0x26, 0x26, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_o_f16, 0x27, 0x27, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_u_f16, 0x28, 0x28, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nge_f16, 0x29, 0x29, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlg_f16, 0x2a, 0x2a, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ngt_f16, 0x2b, 0x2b, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nle_f16, 0x2c, 0x2c, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_neq_f16, 0x2d, 0x2d, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlt_f16, 0x2e, 0x2e, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_tru_f16, 0x2f, 0x2f, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_f_f16, 0x30, 0x30, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lt_f16, 0x31, 0x31, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_eq_f16, 0x32, 0x32, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_le_f16, 0x33, 0x33, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_gt_f16, 0x34, 0x34, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lg_f16, 0x35, 0x35, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ge_f16, 0x36, 0x36, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_o_f16, 0x37, 0x37, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_u_f16, 0x38, 0x38, 0, 1, 1, 0, IH, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nge_f16, 0x39, 0x39, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlg_f16, 0x3a, 0x3a, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ngt_f16, 0x3b, 0x3b, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nle_f16, 0x3c, 0x3c, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_neq_f16, 0x3d, 0x3d, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlt_f16, 0x3e, 0x3e, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_tru_f16, 0x3f, 0x3f, 0, 1, 1, 0, IH, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_f_f32, 0x40, 0x40, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lt_f32, 0x41, 0x41, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_eq_f32, 0x42, 0x42, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_le_f32, 0x43, 0x43, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_gt_f32, 0x44, 0x44, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lg_f32, 0x45, 0x45, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ge_f32, 0x46, 0x46, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_o_f32, 0x47, 0x47, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_u_f32, 0x48, 0x48, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nge_f32, 0x49, 0x49, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlg_f32, 0x4a, 0x4a, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ngt_f32, 0x4b, 0x4b, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nle_f32, 0x4c, 0x4c, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_neq_f32, 0x4d, 0x4d, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlt_f32, 0x4e, 0x4e, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_tru_f32, 0x4f, 0x4f, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_f_f32, 0x50, 0x50, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lt_f32, 0x51, 0x51, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_eq_f32, 0x52, 0x52, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_le_f32, 0x53, 0x53, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_gt_f32, 0x54, 0x54, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lg_f32, 0x55, 0x55, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ge_f32, 0x56, 0x56, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_o_f32, 0x57, 0x57, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_u_f32, 0x58, 0x58, 0, 1, 1, 0, IF, OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nge_f32, 0x59, 0x59, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlg_f32, 0x5a, 0x5a, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ngt_f32, 0x5b, 0x5b, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nle_f32, 0x5c, 0x5c, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_neq_f32, 0x5d, 0x5d, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlt_f32, 0x5e, 0x5e, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_tru_f32, 0x5f, 0x5f, 0, 1, 1, 0, IF, \
	  OF_E64 | OF_SDWA | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_f_f64, 0x60, 0x60, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lt_f64, 0x61, 0x61, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_eq_f64, 0x62, 0x62, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_le_f64, 0x63, 0x63, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_gt_f64, 0x64, 0x64, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_lg_f64, 0x65, 0x65, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ge_f64, 0x66, 0x66, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_o_f64, 0x67, 0x67, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_u_f64, 0x68, 0x68, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nge_f64, 0x69, 0x69, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlg_f64, 0x6a, 0x6a, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_ngt_f64, 0x6b, 0x6b, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nle_f64, 0x6c, 0x6c, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_neq_f64, 0x6d, 0x6d, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_nlt_f64, 0x6e, 0x6e, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_tru_f64, 0x6f, 0x6f, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_f_f64, 0x70, 0x70, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lt_f64, 0x71, 0x71, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_eq_f64, 0x72, 0x72, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_le_f64, 0x73, 0x73, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_gt_f64, 0x74, 0x74, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_lg_f64, 0x75, 0x75, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ge_f64, 0x76, 0x76, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_o_f64, 0x77, 0x77, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_u_f64, 0x78, 0x78, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nge_f64, 0x79, 0x79, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlg_f64, 0x7a, 0x7a, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_ngt_f64, 0x7b, 0x7b, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nle_f64, 0x7c, 0x7c, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_neq_f64, 0x7d, 0x7d, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_nlt_f64, 0x7e, 0x7e, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmpx_tru_f64, 0x7f, 0x7f, 0, 2, 2, 0, ID, OF_E64 | OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cmp_f_i16, 0xa0, 0xa0, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_lt_i16, 0xa1, 0xa1, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_eq_i16, 0xa2, 0xa2, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_le_i16, 0xa3, 0xa3, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_gt_i16, 0xa4, 0xa4, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ne_i16, 0xa5, 0xa5, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ge_i16, 0xa6, 0xa6, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_t_i16, 0xa7, 0xa7, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_f_u16, 0xa8, 0xa8, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_lt_u16, 0xa9, 0xa9, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_eq_u16, 0xaa, 0xaa, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_le_u16, 0xab, 0xab, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_gt_u16, 0xac, 0xac, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ne_u16, 0xad, 0xad, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ge_u16, 0xae, 0xae, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_t_u16, 0xaf, 0xaf, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_f_i16, 0xb0, 0xb0, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_lt_i16, 0xb1, 0xb1, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_eq_i16, 0xb2, 0xb2, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_le_i16, 0xb3, 0xb3, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_gt_i16, 0xb4, 0xb4, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ne_i16, 0xb5, 0xb5, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ge_i16, 0xb6, 0xb6, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_t_i16, 0xb7, 0xb7, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_f_u16, 0xb8, 0xb8, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_lt_u16, 0xb9, 0xb9, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_eq_u16, 0xba, 0xba, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_le_u16, 0xbb, 0xbb, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_gt_u16, 0xbc, 0xbc, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ne_u16, 0xbd, 0xbd, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ge_u16, 0xbe, 0xbe, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_t_u16, 0xbf, 0xbf, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_f_i32, 0xc0, 0xc0, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_lt_i32, 0xc1, 0xc1, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_eq_i32, 0xc2, 0xc2, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_le_i32, 0xc3, 0xc3, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_gt_i32, 0xc4, 0xc4, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ne_i32, 0xc5, 0xc5, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ge_i32, 0xc6, 0xc6, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_t_i32, 0xc7, 0xc7, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_f_u32, 0xc8, 0xc8, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_lt_u32, 0xc9, 0xc9, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_eq_u32, 0xca, 0xca, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_le_u32, 0xcb, 0xcb, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_gt_u32, 0xcc, 0xcc, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ne_u32, 0xcd, 0xcd, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_ge_u32, 0xce, 0xce, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_t_u32, 0xcf, 0xcf, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_f_i32, 0xd0, 0xd0, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_lt_i32, 0xd1, 0xd1, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_eq_i32, 0xd2, 0xd2, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_le_i32, 0xd3, 0xd3, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_gt_i32, 0xd4, 0xd4, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ne_i32, 0xd5, 0xd5, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ge_i32, 0xd6, 0xd6, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_t_i32, 0xd7, 0xd7, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_f_u32, 0xd8, 0xd8, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_lt_u32, 0xd9, 0xd9, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_eq_u32, 0xda, 0xda, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_le_u32, 0xdb, 0xdb, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_gt_u32, 0xdc, 0xdc, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ne_u32, 0xdd, 0xdd, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_ge_u32, 0xde, 0xde, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmpx_t_u32, 0xdf, 0xdf, 0, 1, 1, 0, II, OF_E64 | OF_SDWA) \
	X(v_cmp_f_i64, 0xe0, 0xe0, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_lt_i64, 0xe1, 0xe1, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_eq_i64, 0xe2, 0xe2, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_le_i64, 0xe3, 0xe3, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_gt_i64, 0xe4, 0xe4, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_ne_i64, 0xe5, 0xe5, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_ge_i64, 0xe6, 0xe6, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_t_i64, 0xe7, 0xe7, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_f_u64, 0xe8, 0xe8, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_lt_u64, 0xe9, 0xe9, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_eq_u64, 0xea, 0xea, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_le_u64, 0xeb, 0xeb, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_gt_u64, 0xec, 0xec, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_ne_u64, 0xed, 0xed, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_ge_u64, 0xee, 0xee, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmp_t_u64, 0xef, 0xef, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_f_i64, 0xf0, 0xf0, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_lt_i64, 0xf1, 0xf1, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_eq_i64, 0xf2, 0xf2, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_le_i64, 0xf3, 0xf3, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_gt_i64, 0xf4, 0xf4, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_ne_i64, 0xf5, 0xf5, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_ge_i64, 0xf6, 0xf6, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_t_i64, 0xf7, 0xf7, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_f_u64, 0xf8, 0xf8, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_lt_u64, 0xf9, 0xf9, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_eq_u64, 0xfa, 0xfa, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_le_u64, 0xfb, 0xfb, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_gt_u64, 0xfc, 0xfc, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_ne_u64, 0xfd, 0xfd, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_ge_u64, 0xfe, 0xfe, 0, 2, 2, 0, II, OF_E64) \
	X(v_cmpx_t_u64, 0xff, 0xff, 0, 2, 2, 0, II, OF_E64)

#define ISA_VOP3(X) \
	X(v_mad_legacy_f32, 0x1c0, NO, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_mad_f32, 0x1c1, NO, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_mad_i32_i24, 0x1c2, 0x1c2, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_mad_u32_u24, 0x1c3, 0x1c3, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_cubeid_f32, 0x1c4, 0x1c4, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_cubesc_f32, 0x1c5, 0x1c5, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_cubetc_f32, 0x1c6, 0x1c6, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_cubema_f32, 0x1c7, 0x1c7, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_bfe_u32, 0x1c8, 0x1c8, 1, 1, 1, 1, II, 0) \
	X(v_bfe_i32, 0x1c9, 0x1c9, 1, 1, 1, 1, II, 0) \
	X(v_bfi_b32, 0x1ca, 0x1ca, 1, 1, 1, 1, II, 0) \
	X(v_fma_f32, 0x1cb, 0x1cb, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_fma_f64, 0x1cc, 0x1cc, 2, 2, 2, 2, DD, OF_VOP3F) \
	X(v_lerp_u8, 0x1cd, 0x1cd, 1, 1, 1, 1, II, 0) \
	X(v_alignbit_b32, 0x1ce, 0x1ce, 1, 1, 1, 1, II, 0) \
	X(v_alignbyte_b32, 0x1cf, 0x1cf, 1, 1, 1, 1, II, 0) \
	X(v_min3_f32, 0x1d0, 0x1d0, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_min3_i32, 0x1d1, 0x1d1, 1, 1, 1, 1, II, 0) \
	X(v_min3_u32, 0x1d2, 0x1d2, 1, 1, 1, 1, II, 0) \
	X(v_max3_f32, 0x1d3, 0x1d3, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_max3_i32, 0x1d4, 0x1d4, 1, 1, 1, 1, II, 0) \
	X(v_max3_u32, 0x1d5, 0x1d5, 1, 1, 1, 1, II, 0) \
	X(v_med3_f32, 0x1d6, 0x1d6, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_med3_i32, 0x1d7, 0x1d7, 1, 1, 1, 1, II, 0) \
	X(v_med3_u32, 0x1d8, 0x1d8, 1, 1, 1, 1, II, 0) \
	X(v_sad_u8, 0x1d9, 0x1d9, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_sad_hi_u8, 0x1da, 0x1da, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_sad_u16, 0x1db, 0x1db, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_sad_u32, 0x1dc, 0x1dc, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_cvt_pk_u8_f32, 0x1dd, 0x1dd, 1, 1, 1, 1, IF, OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_div_fixup_f32, 0x1de, 0x1de, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_div_fixup_f64, 0x1df, 0x1df, 2, 2, 2, 2, DD, OF_VOP3F) \
	X(v_div_scale_f32, 0x1e0, 0x1e0, 1, 1, 1, 1, FF, OF_SD | OF_CLAMP | OF_OMOD | OF_NEG) \
	X(v_div_scale_f64, 0x1e1, 0x1e1, 2, 2, 2, 2, DD, OF_SD | OF_CLAMP | OF_OMOD | OF_NEG) \
	X(v_div_fmas_f32, 0x1e2, 0x1e2, 1, 1, 1, 1, FF, OF_VOP3F) \
	X(v_div_fmas_f64, 0x1e3, 0x1e3, 2, 2, 2, 2, DD, OF_VOP3F) \
	X(v_msad_u8, 0x1e4, 0x1e4, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_qsad_pk_u16_u8, 0x1e5, 0x1e5, 2, 2, 1, 2, II, OF_CLAMP) \
	X(v_mqsad_pk_u16_u8, 0x1e6, 0x1e6, 2, 2, 1, 2, II, OF_CLAMP) \
	X(v_mqsad_u32_u8, 0x1e7, 0x1e7, 4, 2, 1, 4, II, OF_CLAMP) \
	X(v_mad_u64_u32, 0x1e8, 0x1e8, 2, 1, 1, 2, II, OF_SD | OF_CLAMP) \
	X(v_mad_i64_i32, 0x1e9, 0x1e9, 2, 1, 1, 2, II, OF_SD | OF_CLAMP) \
	X(v_mad_legacy_f16, 0x1ea, 0x1ea, 1, 1, 1, 1, HH, OF_VOP3F) \
	X(v_mad_legacy_u16, 0x1eb, 0x1eb, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_mad_legacy_i16, 0x1ec, 0x1ec, 1, 1, 1, 1, II, OF_CLAMP) \
	X(v_perm_b32, 0x1ed, 0x1ed, 1, 1, 1, 1, II, 0) \
	X(v_fma_legacy_f16, 0x1ee, 0x1ee, 1, 1, 1, 1, HH, OF_VOP3F) \
	X(v_div_fixup_legacy_f16, 0x1ef, 0x1ef, 1, 1, 1, 1, HH, OF_VOP3F) \
	X(v_cvt_pkaccum_u8_f32, 0x1f0, 0x1f0, 1, 1, 1, 0, IF, OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_mad_u32_u16, 0x1f1, 0x1f1, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_mad_i32_i16, 0x1f2, 0x1f2, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_xad_u32, 0x1f3, 0x1f3, 1, 1, 1, 1, II, 0) \
	X(v_min3_f16, 0x1f4, 0x1f4, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_min3_i16, 0x1f5, 0x1f5, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_min3_u16, 0x1f6, 0x1f6, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_max3_f16, 0x1f7, 0x1f7, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_max3_i16, 0x1f8, 0x1f8, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_max3_u16, 0x1f9, 0x1f9, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_med3_f16, 0x1fa, 0x1fa, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_med3_i16, 0x1fb, 0x1fb, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_med3_u16, 0x1fc, 0x1fc, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_lshl_add_u32, 0x1fd, 0x1fd, 1, 1, 1, 1, II, 0) \
	X(v_add_lshl_u32, 0x1fe, 0x1fe, 1, 1, 1, 1, II, 0) \
	X(v_add3_u32, 0x1ff, 0x1ff, 1, 1, 1, 1, II, 0) \
	X(v_lshl_or_b32, 0x200, 0x200, 1, 1, 1, 1, II, 0) \
	X(v_and_or_b32, 0x201, 0x201, 1, 1, 1, 1, II, 0) \
	X(v_or3_b32, 0x202, 0x202, 1, 1, 1, 1, II, 0) \
	X(v_mad_f16, 0x203, 0x203, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_mad_u16, 0x204, 0x204, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_mad_i16, 0x205, 0x205, 1, 1, 1, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_fma_f16, 0x206, 0x206, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_div_fixup_f16, 0x207, 0x207, 1, 1, 1, 1, HH, OF_VOP3F | OF_OPSEL) \
	X(v_add_f64, 0x280, 0x280, 2, 2, 2, 0, DD, OF_VOP3F) \
	X(v_mul_f64, 0x281, 0x281, 2, 2, 2, 0, DD, OF_VOP3F) \
	X(v_min_f64, 0x282, 0x282, 2, 2, 2, 0, DD, OF_VOP3F) \
	X(v_max_f64, 0x283, 0x283, 2, 2, 2, 0, DD, OF_VOP3F) \
	X(v_ldexp_f64, 0x284, 0x284, 2, 2, 1, 0, DD, OF_VOP3F) \
	X(v_mul_lo_u32, 0x285, 0x285, 1, 1, 1, 0, II, 0) \
	X(v_mul_hi_u32, 0x286, 0x286, 1, 1, 1, 0, II, 0) \
	X(v_mul_hi_i32, 0x287, 0x287, 1, 1, 1, 0, II, 0) \
	X(v_ldexp_f32, 0x288, 0x288, 1, 1, 1, 0, FF, OF_VOP3F) \
	X(v_readlane_b32, 0x289, 0x289, 1, 1, 1, 0, II, 0) \
	X(v_writelane_b32, 0x28a, 0x28a, 1, 1, 1, 0, II, 0) \
	X(v_bcnt_u32_b32, 0x28b, 0x28b, 1, 1, 1, 0, II, 0) \
	X(v_mbcnt_lo_u32_b32, 0x28c, 0x28c, 1, 1, 1, 0, II, 0) \
	X(v_mbcnt_hi_u32_b32, 0x28d, 0x28d, 1, 1, 1, 0, II, 0) \
	X(v_lshlrev_b64, 0x28f, 0x28f, 2, 1, 2, 0, II, 0) \
	X(v_lshrrev_b64, 0x290, 0x290, 2, 1, 2, 0, II, 0) \
	X(v_ashrrev_i64, 0x291, 0x291, 2, 1, 2, 0, II, 0) \
	X(v_trig_preop_f64, 0x292, 0x292, 2, 2, 1, 0, DD, OF_VOP3F) \
	X(v_bfm_b32, 0x293, 0x293, 1, 1, 1, 0, II, 0) \
	X(v_cvt_pknorm_i16_f32, 0x294, 0x294, 1, 1, 1, 0, IF, OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cvt_pknorm_u16_f32, 0x295, 0x295, 1, 1, 1, 0, IF, OF_CLAMP | OF_NEG | OF_ABS) \
	X(v_cvt_pkrtz_f16_f32, 0x296, 0x296, 1, 1, 1, 0, HF, OF_VOP3F) \
	X(v_cvt_pk_u16_u32, 0x297, 0x297, 1, 1, 1, 0, II, 0) \
	X(v_cvt_pk_i16_i32, 0x298, 0x298, 1, 1, 1, 0, II, 0) \
	X(v_cvt_pknorm_i16_f16, 0x299, 0x299, 1, 1, 1, 0, IH, \
	  OF_CLAMP | OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_cvt_pknorm_u16_f16, 0x29a, 0x29a, 1, 1, 1, 0, IH, \
	  OF_CLAMP | OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_add_i32, 0x29c, 0x29c, 1, 1, 1, 0, II, OF_CLAMP) \
	X(v_sub_i32, 0x29d, 0x29d, 1, 1, 1, 0, II, OF_CLAMP) \
	X(v_add_i16, 0x29e, 0x29e, 1, 1, 1, 0, II, OF_CLAMP | OF_OPSEL) \
	X(v_sub_i16, 0x29f, 0x29f, 1, 1, 1, 0, II, OF_CLAMP | OF_OPSEL) \
	X(v_pack_b32_f16, 0x2a0, 0x2a0, 1, 1, 1, 0, IH, OF_CLAMP | OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_mul_legacy_f32, 0x2a1, 0x2a1, 1, 1, 1, 0, FF, OF_VOP3F) \
	X(v_lshl_add_u64, NO, 0x208, 2, 2, 1, 2, II, 0) \
	X(v_cvt_pk_fp8_f32, NO, 0x2a2, 1, 1, 1, 0, FF, OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_cvt_pk_bf8_f32, NO, 0x2a3, 1, 1, 1, 0, FF, OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_cvt_sr_fp8_f32, NO, 0x2a4, 1, 1, 1, 0, FF, OF_NEG | OF_ABS | OF_OPSEL) \
	X(v_cvt_sr_bf8_f32, NO, 0x2a5, 1, 1, 1, 0, FF, OF_NEG | OF_ABS | OF_OPSEL)

#define ISA_VOP3P(X) \
	X(v_pk_mad_i16, 0x00, 0x00, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_mul_lo_u16, 0x01, 0x01, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_add_i16, 0x02, 0x02, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_sub_i16, 0x03, 0x03, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_lshlrev_b16, 0x04, 0x04, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_lshrrev_b16, 0x05, 0x05, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_ashrrev_i16, 0x06, 0x06, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_max_i16, 0x07, 0x07, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_min_i16, 0x08, 0x08, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_mad_u16, 0x09, 0x09, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_add_u16, 0x0a, 0x0a, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_sub_u16, 0x0b, 0x0b, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_max_u16, 0x0c, 0x0c, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_min_u16, 0x0d, 0x0d, 1, 1, 1, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_fma_f16, 0x0e, 0x0e, 1, 1, 1, 1, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_add_f16, 0x0f, 0x0f, 1, 1, 1, 0, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_mul_f16, 0x10, 0x10, 1, 1, 1, 0, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_min_f16, 0x11, 0x11, 1, 1, 1, 0, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_max_f16, 0x12, 0x12, 1, 1, 1, 0, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_fma_mix_f32, 0x20, 0x20, 1, 1, 1, 1, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_fma_mixlo_f16, 0x21, 0x21, 1, 1, 1, 1, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_fma_mixhi_f16, 0x22, 0x22, 1, 1, 1, 1, HH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot2_f32_f16, 0x23, 0x23, 1, 1, 1, 1, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot2_i32_i16, 0x26, 0x26, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot2_u32_u16, 0x27, 0x27, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot4_i32_i8, 0x28, 0x28, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot4_u32_u8, 0x29, 0x29, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot8_i32_i4, 0x2a, 0x2a, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_dot8_u32_u4, 0x2b, 0x2b, 1, 1, 1, 1, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_fma_f32, 0x30, 0x30, 2, 2, 2, 2, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_mul_f32, 0x31, 0x31, 2, 2, 2, 0, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_add_f32, 0x32, 0x32, 2, 2, 2, 0, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_pk_mov_b32, 0x33, 0x33, 2, 2, 2, 0, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x1f32, 0x40, NO, 32, 1, 1, 32, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x1f32, 0x41, NO, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x1f32, 0x42, NO, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x2f32, 0x44, NO, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4f32, 0x45, NO, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x4f16, 0x48, NO, 32, 2, 2, 32, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4f16, 0x49, NO, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x4f16, 0x4a, NO, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x8f16, 0x4c, NO, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x16f16, 0x4d, NO, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_32x32x4i8, 0x50, NO, 32, 1, 1, 32, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_16x16x4i8, 0x51, NO, 16, 1, 1, 16, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_4x4x4i8, 0x52, NO, 4, 1, 1, 4, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_32x32x8i8, 0x54, NO, 16, 1, 1, 16, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_16x16x16i8, 0x55, NO, 4, 1, 1, 4, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_accvgpr_read_b32, 0x58, 0x58, 1, 1, 0, 0, II, 0) \
	X(v_accvgpr_write_b32, 0x59, 0x59, 1, 1, 0, 0, II, 0) \
	X(v_mfma_f32_32x32x4bf16_1k, 0x63, NO, 32, 2, 2, 32, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4bf16_1k, 0x64, NO, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x4bf16_1k, 0x65, NO, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x8bf16_1k, 0x66, NO, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x16bf16_1k, 0x67, NO, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x2bf16, 0x68, NO, 32, 1, 1, 32, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x2bf16, 0x69, NO, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x2bf16, 0x6b, NO, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x4bf16, 0x6c, NO, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x8bf16, 0x6d, NO, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f64_16x16x4f64, 0x6e, NO, 8, 2, 2, 8, DD, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f64_4x4x4f64, 0x6f, NO, 2, 2, 2, 2, DD, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x8_xf32, NO, 0x3e, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x4_xf32, NO, 0x3f, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x1_2b_f32, NO, 0x40, 32, 1, 1, 32, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x1_4b_f32, NO, 0x41, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x1_16b_f32, NO, 0x42, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x2_f32, NO, 0x44, 16, 1, 1, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4_f32, NO, 0x45, 4, 1, 1, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x4_2b_f16, NO, 0x48, 32, 2, 2, 32, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4_4b_f16, NO, 0x49, 16, 2, 2, 16, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x4_16b_f16, NO, 0x4a, 4, 2, 2, 4, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x8_f16, NO, 0x4c, 16, 2, 2, 16, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x16_f16, NO, 0x4d, 4, 2, 2, 4, FH, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_32x32x4_2b_i8, NO, 0x50, 32, 1, 1, 32, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_16x16x4_4b_i8, NO, 0x51, 16, 1, 1, 16, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_4x4x4_16b_i8, NO, 0x52, 4, 1, 1, 4, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_32x32x16_i8, NO, 0x56, 16, 2, 2, 16, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_i32_16x16x32_i8, NO, 0x57, 4, 2, 2, 4, II, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x4_2b_bf16, NO, 0x5d, 32, 2, 2, 32, FI, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x4_4b_bf16, NO, 0x5e, 16, 2, 2, 16, FI, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_4x4x4_16b_bf16, NO, 0x5f, 4, 2, 2, 4, FI, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x8_bf16, NO, 0x60, 16, 2, 2, 16, FI, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x16_bf16, NO, 0x61, 4, 2, 2, 4, FI, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_smfmac_f32_16x16x32_f16, NO, 0x62, 4, 2, 4, 1, FH, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x16_f16, NO, 0x64, 16, 2, 4, 1, FH, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_16x16x32_bf16, NO, 0x66, 4, 2, 4, 1, FI, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x16_bf16, NO, 0x68, 16, 2, 4, 1, FI, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_i32_16x16x64_i8, NO, 0x6a, 4, 2, 4, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_i32_32x32x32_i8, NO, 0x6c, 16, 2, 4, 1, II, OF_CLAMP | OF_OPSEL) \
	X(v_mfma_f64_16x16x4_f64, NO, 0x6e, 8, 2, 2, 8, DD, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f64_4x4x4_4b_f64, NO, 0x6f, 2, 2, 2, 2, DD, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x32_bf8_bf8, NO, 0x70, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x32_bf8_fp8, NO, 0x71, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x32_fp8_bf8, NO, 0x72, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_16x16x32_fp8_fp8, NO, 0x73, 4, 2, 2, 4, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x16_bf8_bf8, NO, 0x74, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x16_bf8_fp8, NO, 0x75, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x16_fp8_bf8, NO, 0x76, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_mfma_f32_32x32x16_fp8_fp8, NO, 0x77, 16, 2, 2, 16, FF, OF_CLAMP | OF_NEG | OF_OPSEL) \
	X(v_smfmac_f32_16x16x64_bf8_bf8, NO, 0x78, 4, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_16x16x64_bf8_fp8, NO, 0x79, 4, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_16x16x64_fp8_bf8, NO, 0x7a, 4, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_16x16x64_fp8_fp8, NO, 0x7b, 4, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x32_bf8_bf8, NO, 0x7c, 16, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x32_bf8_fp8, NO, 0x7d, 16, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x32_fp8_bf8, NO, 0x7e, 16, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL) \
	X(v_smfmac_f32_32x32x32_fp8_fp8, NO, 0x7f, 16, 2, 4, 1, FF, OF_CLAMP | OF_OPSEL)

/* clang-format on */

#endif
