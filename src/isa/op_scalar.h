/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Opcodes of the scalar formats.
 *
 * X(name, number on gfx90a, number on gfx942, dwords of destination and of the
 * sources 0 to 2 (0: not there), types, flags). opcodes.h says what the
 * letters and flags mean. Numbers and operand sizes are those of LLVM 19; the
 * tests compare every line with its disassembler.
 */
#ifndef ISA_OP_SCALAR_H
#define ISA_OP_SCALAR_H

/* clang-format off */

#define ISA_SOP1(X) \
	X(s_mov_b32, 0x00, 0x00, 1, 1, 0, 0, II, 0) \
	X(s_mov_b64, 0x01, 0x01, 2, 2, 0, 0, II, 0) \
	X(s_cmov_b32, 0x02, 0x02, 1, 1, 0, 0, II, 0) \
	X(s_cmov_b64, 0x03, 0x03, 2, 2, 0, 0, II, 0) \
	X(s_not_b32, 0x04, 0x04, 1, 1, 0, 0, II, 0) \
	X(s_not_b64, 0x05, 0x05, 2, 2, 0, 0, II, 0) \
	X(s_wqm_b32, 0x06, 0x06, 1, 1, 0, 0, II, 0) \
	X(s_wqm_b64, 0x07, 0x07, 2, 2, 0, 0, II, 0) \
	X(s_brev_b32, 0x08, 0x08, 1, 1, 0, 0, II, 0) \
	X(s_brev_b64, 0x09, 0x09, 2, 2, 0, 0, II, 0) \
	X(s_bcnt0_i32_b32, 0x0a, 0x0a, 1, 1, 0, 0, II, 0) \
	X(s_bcnt0_i32_b64, 0x0b, 0x0b, 1, 2, 0, 0, II, 0) \
	X(s_bcnt1_i32_b32, 0x0c, 0x0c, 1, 1, 0, 0, II, 0) \
	X(s_bcnt1_i32_b64, 0x0d, 0x0d, 1, 2, 0, 0, II, 0) \
	X(s_ff0_i32_b32, 0x0e, 0x0e, 1, 1, 0, 0, II, 0) \
	X(s_ff0_i32_b64, 0x0f, 0x0f, 1, 2, 0, 0, II, 0) \
	X(s_ff1_i32_b32, 0x10, 0x10, 1, 1, 0, 0, II, 0) \
	X(s_ff1_i32_b64, 0x11, 0x11, 1, 2, 0, 0, II, 0) \
	X(s_flbit_i32_b32, 0x12, 0x12, 1, 1, 0, 0, II, 0) \
	X(s_flbit_i32_b64, 0x13, 0x13, 1, 2, 0, 0, II, 0) \
	X(s_flbit_i32, 0x14, 0x14, 1, 1, 0, 0, II, 0) \
	X(s_flbit_i32_i64, 0x15, 0x15, 1, 2, 0, 0, II, 0) \
	X(s_sext_i32_i8, 0x16, 0x16, 1, 1, 0, 0, II, 0) \
	X(s_sext_i32_i16, 0x17, 0x17, 1, 1, 0, 0, II, 0) \
	X(s_bitset0_b32, 0x18, 0x18, 1, 1, 0, 0, II, 0) \
	X(s_bitset0_b64, 0x19, 0x19, 2, 1, 0, 0, II, 0) \
	X(s_bitset1_b32, 0x1a, 0x1a, 1, 1, 0, 0, II, 0) \
	X(s_bitset1_b64, 0x1b, 0x1b, 2, 1, 0, 0, II, 0) \
	X(s_getpc_b64, 0x1c, 0x1c, 2, 0, 0, 0, II, 0) \
	X(s_setpc_b64, 0x1d, 0x1d, 0, 2, 0, 0, II, 0) \
	X(s_swappc_b64, 0x1e, 0x1e, 2, 2, 0, 0, II, 0) \
	X(s_rfe_b64, 0x1f, 0x1f, 0, 2, 0, 0, II, 0) \
	X(s_and_saveexec_b64, 0x20, 0x20, 2, 2, 0, 0, II, 0) \
	X(s_or_saveexec_b64, 0x21, 0x21, 2, 2, 0, 0, II, 0) \
	X(s_xor_saveexec_b64, 0x22, 0x22, 2, 2, 0, 0, II, 0) \
	X(s_andn2_saveexec_b64, 0x23, 0x23, 2, 2, 0, 0, II, 0) \
	X(s_orn2_saveexec_b64, 0x24, 0x24, 2, 2, 0, 0, II, 0) \
	X(s_nand_saveexec_b64, 0x25, 0x25, 2, 2, 0, 0, II, 0) \
	X(s_nor_saveexec_b64, 0x26, 0x26, 2, 2, 0, 0, II, 0) \
	X(s_xnor_saveexec_b64, 0x27, 0x27, 2, 2, 0, 0, II, 0) \
	X(s_quadmask_b32, 0x28, 0x28, 1, 1, 0, 0, II, 0) \
	X(s_quadmask_b64, 0x29, 0x29, 2, 2, 0, 0, II, 0) \
	X(s_movrels_b32, 0x2a, 0x2a, 1, 1, 0, 0, II, 0) \
	X(s_movrels_b64, 0x2b, 0x2b, 2, 2, 0, 0, II, 0) \
	X(s_movreld_b32, 0x2c, 0x2c, 1, 1, 0, 0, II, 0) \
	X(s_movreld_b64, 0x2d, 0x2d, 2, 2, 0, 0, II, 0) \
	X(s_cbranch_join, 0x2e, 0x2e, 0, 2, 0, 0, II, 0) \
	X(s_abs_i32, 0x30, 0x30, 1, 1, 0, 0, II, 0) \
	X(s_set_gpr_idx_idx, 0x32, 0x32, 0, 1, 0, 0, II, 0) \
	X(s_andn1_saveexec_b64, 0x33, 0x33, 2, 2, 0, 0, II, 0) \
	X(s_orn1_saveexec_b64, 0x34, 0x34, 2, 2, 0, 0, II, 0) \
	X(s_andn1_wrexec_b64, 0x35, 0x35, 2, 2, 0, 0, II, 0) \
	X(s_andn2_wrexec_b64, 0x36, 0x36, 2, 2, 0, 0, II, 0) \
	X(s_bitreplicate_b64_b32, 0x37, 0x37, 2, 1, 0, 0, II, 0)

#define ISA_SOP2(X) \
	X(s_add_u32, 0x00, 0x00, 1, 1, 1, 0, II, 0) \
	X(s_sub_u32, 0x01, 0x01, 1, 1, 1, 0, II, 0) \
	X(s_add_i32, 0x02, 0x02, 1, 1, 1, 0, II, 0) \
	X(s_sub_i32, 0x03, 0x03, 1, 1, 1, 0, II, 0) \
	X(s_addc_u32, 0x04, 0x04, 1, 1, 1, 0, II, 0) \
	X(s_subb_u32, 0x05, 0x05, 1, 1, 1, 0, II, 0) \
	X(s_min_i32, 0x06, 0x06, 1, 1, 1, 0, II, 0) \
	X(s_min_u32, 0x07, 0x07, 1, 1, 1, 0, II, 0) \
	X(s_max_i32, 0x08, 0x08, 1, 1, 1, 0, II, 0) \
	X(s_max_u32, 0x09, 0x09, 1, 1, 1, 0, II, 0) \
	X(s_cselect_b32, 0x0a, 0x0a, 1, 1, 1, 0, II, 0) \
	X(s_cselect_b64, 0x0b, 0x0b, 2, 2, 2, 0, II, 0) \
	X(s_and_b32, 0x0c, 0x0c, 1, 1, 1, 0, II, 0) \
	X(s_and_b64, 0x0d, 0x0d, 2, 2, 2, 0, II, 0) \
	X(s_or_b32, 0x0e, 0x0e, 1, 1, 1, 0, II, 0) \
	X(s_or_b64, 0x0f, 0x0f, 2, 2, 2, 0, II, 0) \
	X(s_xor_b32, 0x10, 0x10, 1, 1, 1, 0, II, 0) \
	X(s_xor_b64, 0x11, 0x11, 2, 2, 2, 0, II, 0) \
	X(s_andn2_b32, 0x12, 0x12, 1, 1, 1, 0, II, 0) \
	X(s_andn2_b64, 0x13, 0x13, 2, 2, 2, 0, II, 0) \
	X(s_orn2_b32, 0x14, 0x14, 1, 1, 1, 0, II, 0) \
	X(s_orn2_b64, 0x15, 0x15, 2, 2, 2, 0, II, 0) \
	X(s_nand_b32, 0x16, 0x16, 1, 1, 1, 0, II, 0) \
	X(s_nand_b64, 0x17, 0x17, 2, 2, 2, 0, II, 0) \
	X(s_nor_b32, 0x18, 0x18, 1, 1, 1, 0, II, 0) \
	X(s_nor_b64, 0x19, 0x19, 2, 2, 2, 0, II, 0) \
	X(s_xnor_b32, 0x1a, 0x1a, 1, 1, 1, 0, II, 0) \
	X(s_xnor_b64, 0x1b, 0x1b, 2, 2, 2, 0, II, 0) \
	X(s_lshl_b32, 0x1c, 0x1c, 1, 1, 1, 0, II, 0) \
	X(s_lshl_b64, 0x1d, 0x1d, 2, 2, 1, 0, II, 0) \
	X(s_lshr_b32, 0x1e, 0x1e, 1, 1, 1, 0, II, 0) \
	X(s_lshr_b64, 0x1f, 0x1f, 2, 2, 1, 0, II, 0) \
	X(s_ashr_i32, 0x20, 0x20, 1, 1, 1, 0, II, 0) \
	X(s_ashr_i64, 0x21, 0x21, 2, 2, 1, 0, II, 0) \
	X(s_bfm_b32, 0x22, 0x22, 1, 1, 1, 0, II, 0) \
	X(s_bfm_b64, 0x23, 0x23, 2, 1, 1, 0, II, 0) \
	X(s_mul_i32, 0x24, 0x24, 1, 1, 1, 0, II, 0) \
	X(s_bfe_u32, 0x25, 0x25, 1, 1, 1, 0, II, 0) \
	X(s_bfe_i32, 0x26, 0x26, 1, 1, 1, 0, II, 0) \
	X(s_bfe_u64, 0x27, 0x27, 2, 2, 1, 0, II, 0) \
	X(s_bfe_i64, 0x28, 0x28, 2, 2, 1, 0, II, 0) \
	X(s_cbranch_g_fork, 0x29, 0x29, 0, 2, 2, 0, II, 0) \
	X(s_absdiff_i32, 0x2a, 0x2a, 1, 1, 1, 0, II, 0) \
	X(s_rfe_restore_b64, 0x2b, 0x2b, 0, 2, 1, 0, II, 0) \
	X(s_mul_hi_u32, 0x2c, 0x2c, 1, 1, 1, 0, II, 0) \
	X(s_mul_hi_i32, 0x2d, 0x2d, 1, 1, 1, 0, II, 0) \
	X(s_lshl1_add_u32, 0x2e, 0x2e, 1, 1, 1, 0, II, 0) \
	X(s_lshl2_add_u32, 0x2f, 0x2f, 1, 1, 1, 0, II, 0) \
	X(s_lshl3_add_u32, 0x30, 0x30, 1, 1, 1, 0, II, 0) \
	X(s_lshl4_add_u32, 0x31, 0x31, 1, 1, 1, 0, II, 0) \
	X(s_pack_ll_b32_b16, 0x32, 0x32, 1, 1, 1, 0, II, 0) \
	X(s_pack_lh_b32_b16, 0x33, 0x33, 1, 1, 1, 0, II, 0) \
	X(s_pack_hh_b32_b16, 0x34, 0x34, 1, 1, 1, 0, II, 0)

#define ISA_SOPC(X) \
	X(s_cmp_eq_i32, 0x00, 0x00, 0, 1, 1, 0, II, 0) \
	X(s_cmp_lg_i32, 0x01, 0x01, 0, 1, 1, 0, II, 0) \
	X(s_cmp_gt_i32, 0x02, 0x02, 0, 1, 1, 0, II, 0) \
	X(s_cmp_ge_i32, 0x03, 0x03, 0, 1, 1, 0, II, 0) \
	X(s_cmp_lt_i32, 0x04, 0x04, 0, 1, 1, 0, II, 0) \
	X(s_cmp_le_i32, 0x05, 0x05, 0, 1, 1, 0, II, 0) \
	X(s_cmp_eq_u32, 0x06, 0x06, 0, 1, 1, 0, II, 0) \
	X(s_cmp_lg_u32, 0x07, 0x07, 0, 1, 1, 0, II, 0) \
	X(s_cmp_gt_u32, 0x08, 0x08, 0, 1, 1, 0, II, 0) \
	X(s_cmp_ge_u32, 0x09, 0x09, 0, 1, 1, 0, II, 0) \
	X(s_cmp_lt_u32, 0x0a, 0x0a, 0, 1, 1, 0, II, 0) \
	X(s_cmp_le_u32, 0x0b, 0x0b, 0, 1, 1, 0, II, 0) \
	X(s_bitcmp0_b32, 0x0c, 0x0c, 0, 1, 1, 0, II, 0) \
	X(s_bitcmp1_b32, 0x0d, 0x0d, 0, 1, 1, 0, II, 0) \
	X(s_bitcmp0_b64, 0x0e, 0x0e, 0, 2, 1, 0, II, 0) \
	X(s_bitcmp1_b64, 0x0f, 0x0f, 0, 2, 1, 0, II, 0) \
	X(s_setvskip, 0x10, 0x10, 0, 1, 1, 0, II, 0) \
	X(s_set_gpr_idx_on, 0x11, 0x11, 0, 1, 1, 0, II, 0) \
	X(s_cmp_eq_u64, 0x12, 0x12, 0, 2, 2, 0, II, 0) \
	X(s_cmp_lg_u64, 0x13, 0x13, 0, 2, 2, 0, II, 0)

#define ISA_SOPP(X) \
	X(s_nop, 0x00, 0x00, 0, 0, 0, 0, II, 0) \
	X(s_endpgm, 0x01, 0x01, 0, 0, 0, 0, II, 0) \
	X(s_branch, 0x02, 0x02, 0, 0, 0, 0, II, 0) \
	X(s_wakeup, 0x03, 0x03, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_scc0, 0x04, 0x04, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_scc1, 0x05, 0x05, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_vccz, 0x06, 0x06, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_vccnz, 0x07, 0x07, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_execz, 0x08, 0x08, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_execnz, 0x09, 0x09, 0, 0, 0, 0, II, 0) \
	X(s_barrier, 0x0a, 0x0a, 0, 0, 0, 0, II, 0) \
	X(s_setkill, 0x0b, 0x0b, 0, 0, 0, 0, II, 0) \
	X(s_waitcnt, 0x0c, 0x0c, 0, 0, 0, 0, II, 0) \
	X(s_sethalt, 0x0d, 0x0d, 0, 0, 0, 0, II, 0) \
	X(s_sleep, 0x0e, 0x0e, 0, 0, 0, 0, II, 0) \
	X(s_setprio, 0x0f, 0x0f, 0, 0, 0, 0, II, 0) \
	X(s_sendmsg, 0x10, 0x10, 0, 0, 0, 0, II, 0) \
	X(s_sendmsghalt, 0x11, 0x11, 0, 0, 0, 0, II, 0) \
	X(s_trap, 0x12, 0x12, 0, 0, 0, 0, II, 0) \
	X(s_icache_inv, 0x13, 0x13, 0, 0, 0, 0, II, 0) \
	X(s_incperflevel, 0x14, 0x14, 0, 0, 0, 0, II, 0) \
	X(s_decperflevel, 0x15, 0x15, 0, 0, 0, 0, II, 0) \
	X(s_ttracedata, 0x16, 0x16, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_cdbgsys, 0x17, 0x17, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_cdbguser, 0x18, 0x18, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_cdbgsys_or_user, 0x19, 0x19, 0, 0, 0, 0, II, 0) \
	X(s_cbranch_cdbgsys_and_user, 0x1a, 0x1a, 0, 0, 0, 0, II, 0) \
	X(s_endpgm_saved, 0x1b, 0x1b, 0, 0, 0, 0, II, 0) \
	X(s_set_gpr_idx_off, 0x1c, 0x1c, 0, 0, 0, 0, II, 0) \
	X(s_set_gpr_idx_mode, 0x1d, 0x1d, 0, 0, 0, 0, II, 0) \
	X(s_endpgm_ordered_ps_done, 0x1e, 0x1e, 0, 0, 0, 0, II, 0)

#define ISA_SOPK(X) \
	X(s_movk_i32, 0x00, 0x00, 1, 0, 0, 0, II, 0) \
	X(s_cmovk_i32, 0x01, 0x01, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_eq_i32, 0x02, 0x02, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_lg_i32, 0x03, 0x03, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_gt_i32, 0x04, 0x04, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_ge_i32, 0x05, 0x05, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_lt_i32, 0x06, 0x06, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_le_i32, 0x07, 0x07, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_eq_u32, 0x08, 0x08, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_lg_u32, 0x09, 0x09, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_gt_u32, 0x0a, 0x0a, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_ge_u32, 0x0b, 0x0b, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_lt_u32, 0x0c, 0x0c, 1, 0, 0, 0, II, 0) \
	X(s_cmpk_le_u32, 0x0d, 0x0d, 1, 0, 0, 0, II, 0) \
	X(s_addk_i32, 0x0e, 0x0e, 1, 0, 0, 0, II, 0) \
	X(s_mulk_i32, 0x0f, 0x0f, 1, 0, 0, 0, II, 0) \
	X(s_cbranch_i_fork, 0x10, 0x10, 2, 0, 0, 0, II, 0) \
	X(s_getreg_b32, 0x11, 0x11, 1, 0, 0, 0, II, 0) \
	X(s_setreg_b32, 0x12, 0x12, 1, 0, 0, 0, II, 0) \
	X(s_setreg_imm32_b32, 0x14, 0x14, 0, 0, 0, 0, II, 0) \
	X(s_call_b64, 0x15, 0x15, 2, 0, 0, 0, II, 0)

#define ISA_SMEM(X) \
	X(s_load_dword, 0x00, 0x00, 1, 2, 0, 0, II, 0) \
	X(s_load_dwordx2, 0x01, 0x01, 2, 2, 0, 0, II, 0) \
	X(s_load_dwordx4, 0x02, 0x02, 4, 2, 0, 0, II, 0) \
	X(s_load_dwordx8, 0x03, 0x03, 8, 2, 0, 0, II, 0) \
	X(s_load_dwordx16, 0x04, 0x04, 16, 2, 0, 0, II, 0) \
	X(s_scratch_load_dword, 0x05, 0x05, 1, 2, 0, 0, II, 0) \
	X(s_scratch_load_dwordx2, 0x06, 0x06, 2, 2, 0, 0, II, 0) \
	X(s_scratch_load_dwordx4, 0x07, 0x07, 4, 2, 0, 0, II, 0) \
	X(s_buffer_load_dword, 0x08, 0x08, 1, 4, 0, 0, II, 0) \
	X(s_buffer_load_dwordx2, 0x09, 0x09, 2, 4, 0, 0, II, 0) \
	X(s_buffer_load_dwordx4, 0x0a, 0x0a, 4, 4, 0, 0, II, 0) \
	X(s_buffer_load_dwordx8, 0x0b, 0x0b, 8, 4, 0, 0, II, 0) \
	X(s_buffer_load_dwordx16, 0x0c, 0x0c, 16, 4, 0, 0, II, 0) \
	X(s_store_dword, 0x10, 0x10, 1, 2, 0, 0, II, 0) \
	X(s_store_dwordx2, 0x11, 0x11, 2, 2, 0, 0, II, 0) \
	X(s_store_dwordx4, 0x12, 0x12, 4, 2, 0, 0, II, 0) \
	X(s_scratch_store_dword, 0x15, 0x15, 1, 2, 0, 0, II, 0) \
	X(s_scratch_store_dwordx2, 0x16, 0x16, 2, 2, 0, 0, II, 0) \
	X(s_scratch_store_dwordx4, 0x17, 0x17, 4, 2, 0, 0, II, 0) \
	X(s_buffer_store_dword, 0x18, 0x18, 1, 4, 0, 0, II, 0) \
	X(s_buffer_store_dwordx2, 0x19, 0x19, 2, 4, 0, 0, II, 0) \
	X(s_buffer_store_dwordx4, 0x1a, 0x1a, 4, 4, 0, 0, II, 0) \
	X(s_dcache_inv, 0x20, 0x20, 0, 0, 0, 0, II, 0) \
	X(s_dcache_wb, 0x21, 0x21, 0, 0, 0, 0, II, 0) \
	X(s_dcache_inv_vol, 0x22, 0x22, 0, 0, 0, 0, II, 0) \
	X(s_dcache_wb_vol, 0x23, 0x23, 0, 0, 0, 0, II, 0) \
	X(s_memtime, 0x24, 0x24, 2, 0, 0, 0, II, 0) \
	X(s_memrealtime, 0x25, 0x25, 2, 0, 0, 0, II, 0) \
	X(s_atc_probe, 0x26, 0x26, 0, 2, 0, 0, II, 0) \
	X(s_atc_probe_buffer, 0x27, 0x27, 0, 4, 0, 0, II, 0) \
	X(s_dcache_discard, 0x28, 0x28, 0, 2, 0, 0, II, 0) \
	X(s_dcache_discard_x2, 0x29, 0x29, 0, 2, 0, 0, II, 0) \
	X(s_buffer_atomic_swap, 0x40, 0x40, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_cmpswap, 0x41, 0x41, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_add, 0x42, 0x42, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_sub, 0x43, 0x43, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_smin, 0x44, 0x44, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_umin, 0x45, 0x45, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_smax, 0x46, 0x46, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_umax, 0x47, 0x47, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_and, 0x48, 0x48, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_or, 0x49, 0x49, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_xor, 0x4a, 0x4a, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_inc, 0x4b, 0x4b, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_dec, 0x4c, 0x4c, 1, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_swap_x2, 0x60, 0x60, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_cmpswap_x2, 0x61, 0x61, 4, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_add_x2, 0x62, 0x62, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_sub_x2, 0x63, 0x63, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_smin_x2, 0x64, 0x64, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_umin_x2, 0x65, 0x65, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_smax_x2, 0x66, 0x66, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_umax_x2, 0x67, 0x67, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_and_x2, 0x68, 0x68, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_or_x2, 0x69, 0x69, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_xor_x2, 0x6a, 0x6a, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_inc_x2, 0x6b, 0x6b, 2, 4, 0, 0, II, 0) \
	X(s_buffer_atomic_dec_x2, 0x6c, 0x6c, 2, 4, 0, 0, II, 0) \
	X(s_atomic_swap, 0x80, 0x80, 1, 2, 0, 0, II, 0) \
	X(s_atomic_cmpswap, 0x81, 0x81, 2, 2, 0, 0, II, 0) \
	X(s_atomic_add, 0x82, 0x82, 1, 2, 0, 0, II, 0) \
	X(s_atomic_sub, 0x83, 0x83, 1, 2, 0, 0, II, 0) \
	X(s_atomic_smin, 0x84, 0x84, 1, 2, 0, 0, II, 0) \
	X(s_atomic_umin, 0x85, 0x85, 1, 2, 0, 0, II, 0) \
	X(s_atomic_smax, 0x86, 0x86, 1, 2, 0, 0, II, 0) \
	X(s_atomic_umax, 0x87, 0x87, 1, 2, 0, 0, II, 0) \
	X(s_atomic_and, 0x88, 0x88, 1, 2, 0, 0, II, 0) \
	X(s_atomic_or, 0x89, 0x89, 1, 2, 0, 0, II, 0) \
	X(s_atomic_xor, 0x8a, 0x8a, 1, 2, 0, 0, II, 0) \
	X(s_atomic_inc, 0x8b, 0x8b, 1, 2, 0, 0, II, 0) \
	X(s_atomic_dec, 0x8c, 0x8c, 1, 2, 0, 0, II, 0) \
	X(s_atomic_swap_x2, 0xa0, 0xa0, 2, 2, 0, 0, II, 0) \
	X(s_atomic_cmpswap_x2, 0xa1, 0xa1, 4, 2, 0, 0, II, 0) \
	X(s_atomic_add_x2, 0xa2, 0xa2, 2, 2, 0, 0, II, 0) \
	X(s_atomic_sub_x2, 0xa3, 0xa3, 2, 2, 0, 0, II, 0) \
	X(s_atomic_smin_x2, 0xa4, 0xa4, 2, 2, 0, 0, II, 0) \
	X(s_atomic_umin_x2, 0xa5, 0xa5, 2, 2, 0, 0, II, 0) \
	X(s_atomic_smax_x2, 0xa6, 0xa6, 2, 2, 0, 0, II, 0) \
	X(s_atomic_umax_x2, 0xa7, 0xa7, 2, 2, 0, 0, II, 0) \
	X(s_atomic_and_x2, 0xa8, 0xa8, 2, 2, 0, 0, II, 0) \
	X(s_atomic_or_x2, 0xa9, 0xa9, 2, 2, 0, 0, II, 0) \
	X(s_atomic_xor_x2, 0xaa, 0xaa, 2, 2, 0, 0, II, 0) \
	X(s_atomic_inc_x2, 0xab, 0xab, 2, 2, 0, 0, II, 0) \
	X(s_atomic_dec_x2, 0xac, 0xac, 2, 2, 0, 0, II, 0)

/* clang-format on */

#endif
