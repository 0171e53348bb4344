// SPDX-License-Identifier: MIT
//
// Kernels whose every register, LDS word and flag is known: kit_expect.c says what each has to
// be. A wave fills them, then walks step by step until a word in memory says that it is enough,
// and mixes all of them into the digest of each lane; with DUMP it also stores them, so that
// what a save has lost has a name. A step that is left out or done twice shows in the digest too.
//
// Arguments (struct kit_args): where the digests go, where the steps go, where registers go, the
// word that ends it, most steps, flags. v0: work-item, s[0:1]: arguments, s2: workgroup.
//
// Left out, because hardware may change them by itself: TRAPSTS, IB_STS, XNACK_MASK, what of
// STATUS is no condition; and FLAT_SCRATCH where it is not a program's (gfx942 and newer).
	.set PRIME, 0x9e3779b1
	.set ROW, 0x85ebca6b
	.set FLAG_DUMP, 1
	.set FLAG_SLEEP, 2
	.set NR_SGPRS, 76	// s24 to s99
	.set HAS_FLAT_SCRATCH, .amdgcn.gfx_generation_minor == 0

// What row n holds: of a lane, of a wave.
.macro LANE_VALUE to, n
	v_xor_b32 \to, (ROW * (\n + 1)) & 0xffffffff, v1
.endm
.macro WAVE_VALUE to, n
	s_xor_b32 \to, s17, (ROW * (\n + 1)) & 0xffffffff
.endm

// Mixes the next row, in v2, into the digest v1; stores it if that is wanted.
.macro TAKE
	v_mul_lo_u32 v1, v1, s18
	v_xor_b32 v1, v1, v2
	s_cbranch_scc0 1f
	global_store_dword v0, v2, s[8:9]
	s_add_u32 s8, s8, 256
	s_addc_u32 s9, s9, 0
	s_cmp_eq_u32 s18, s18
1:
.endm
.macro TAKE_SGPR r
	v_mov_b32 v2, \r
	TAKE
.endm

// waves of a workgroup, VGPRs, ACC VGPRs, rows of LDS of a wave
.macro KERNEL name, waves, nr_vgprs, nr_accs, nr_lds
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x20
	v_lshrrev_b32 v1, 6, v0
	v_readfirstlane_b32 s14, v1		// wave of the workgroup
	s_mov_b32 s18, PRIME
	s_mul_i32 s15, s2, \waves
	s_add_u32 s15, s15, s14			// wave of the grid
	s_add_u32 s17, s15, 1
	s_mul_i32 s17, s17, s18			// what its scalar rows are made of
	s_mov_b32 s16, 0			// steps
	v_and_b32 v2, 63, v0
	v_lshl_add_u32 v1, s15, 6, v2		// lane of the grid
	v_add_u32 v1, 1, v1
	v_mul_lo_u32 v1, v1, s18
	s_waitcnt lgkmcnt(0)
	// Each wave its place: 256 bytes of digests, 64 of steps, all rows.
	s_lshl_b32 s19, s15, 8
	s_add_u32 s4, s4, s19
	s_addc_u32 s5, s5, 0
	s_lshl_b32 s19, s15, 6
	s_add_u32 s6, s6, s19
	s_addc_u32 s7, s7, 0
	s_mul_i32 s19, s15, (\nr_lds + \nr_accs + \nr_vgprs - 4 + NR_SGPRS + 8) * 256
	s_add_u32 s8, s8, s19
	s_addc_u32 s9, s9, 0
	// LDS: the rows of a wave behind each other.
	.set row, 0
	.if \nr_lds
	v_lshlrev_b32 v0, 2, v2
	s_mul_i32 s19, s14, \nr_lds * 256
	v_add_u32 v0, s19, v0
	.rept \nr_lds
	LANE_VALUE v2, row
	ds_write_b32 v0, v2 offset:row * 256
	.set row, row + 1
	.endr
	s_waitcnt lgkmcnt(0)
	.else
	v_lshlrev_b32 v0, 2, v2
	.endif
	.set n, 0
	.rept \nr_accs
	LANE_VALUE v2, row
	v_accvgpr_write_b32 a[n], v2
	.set n, n + 1
	.set row, row + 1
	.endr
	.set n, 4
	.rept \nr_vgprs - 4
	LANE_VALUE v[n], row
	.set n, n + 1
	.set row, row + 1
	.endr
	.set n, 24
	.rept NR_SGPRS
	WAVE_VALUE s[n], row
	.set n, n + 1
	.set row, row + 1
	.endr
	WAVE_VALUE vcc_lo, row
	WAVE_VALUE vcc_hi, row + 1
	WAVE_VALUE m0, row + 2
	.if HAS_FLAT_SCRATCH
	WAVE_VALUE flat_scratch_lo, row + 3
	WAVE_VALUE flat_scratch_hi, row + 4
	.endif
	// Denormals of f32 as they are, of others flushed: not what kernels begin with.
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 3
	v_mov_b32 v3, 0
	s_branch .Lwalk_\name
	// In a page of its own: what may be interrupted does not depend on what comes before.
	.p2align 8
.Lwalk_\name:
	v_mul_lo_u32 v1, v1, s18
	v_add_u32 v1, s16, v1
	s_add_u32 s16, s16, 1
	v_mov_b32 v2, s16
	// One lane, and all again; never written anew, so that it matters throughout.
	s_xor_b64 exec, exec, -2
	.if .amdgcn.gfx_generation_minor == 0
	global_store_dword v3, v2, s[6:7] glc slc
	.else
	global_store_dword v3, v2, s[6:7] sc0 sc1
	.endif
	s_xor_b64 exec, exec, -2
	s_load_dword s19, s[10:11], 0x0 glc
	.if \waves > 1
	s_barrier
	.endif
	s_bitcmp1_b32 s13, 1
	s_cbranch_scc0 .Lawake_\name
	s_sleep 127
.Lawake_\name:
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s19, 0
	s_cbranch_scc1 .Lover_\name
	s_cmp_lt_u32 s16, s12
	s_cbranch_scc1 .Lwalk_\name
.Lover_\name:
	// SCC: is it to be stored? v0: where, and in LDS.
	s_bitcmp1_b32 s13, 0
	.if \nr_lds
	.set n, 0
	.rept \nr_lds
	ds_read_b32 v2, v0 offset:n * 256
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, v0
	v_and_b32 v0, 0xff, v0
	TAKE
	v_mov_b32 v0, v3
	.set n, n + 1
	.endr
	v_and_b32 v0, 0xff, v0
	.endif
	.set n, 0
	.rept \nr_accs
	v_accvgpr_read_b32 v2, a[n]
	TAKE
	.set n, n + 1
	.endr
	.set n, 4
	.rept \nr_vgprs - 4
	v_mov_b32 v2, v[n]
	TAKE
	.set n, n + 1
	.endr
	.set n, 24
	.rept NR_SGPRS
	TAKE_SGPR s[n]
	.set n, n + 1
	.endr
	TAKE_SGPR vcc_lo
	TAKE_SGPR vcc_hi
	TAKE_SGPR m0
	.if HAS_FLAT_SCRATCH
	TAKE_SGPR flat_scratch_lo
	TAKE_SGPR flat_scratch_hi
	.else
	WAVE_ROW row + 3
	WAVE_ROW row + 4
	.endif
	TAKE_SGPR exec_lo
	TAKE_SGPR exec_hi
	s_getreg_b32 s19, hwreg(HW_REG_MODE, 4, 4)
	TAKE_SGPR s19
	global_store_dword v0, v1, s[4:5]
	s_endpgm
.Lend_\name:
	.size \name, .Lend_\name - \name

	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_group_segment_fixed_size \waves * \nr_lds * 256
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_accum_offset \nr_vgprs
		.amdhsa_next_free_vgpr \nr_vgprs + \nr_accs
		.amdhsa_next_free_sgpr 100
	.end_amdhsa_kernel
.endm

// Where a register is not the program's, its row is what it would hold.
.macro WAVE_ROW n
	v_mov_b32 v2, s17
	v_xor_b32 v2, (ROW * (\n + 1)) & 0xffffffff, v2
	TAKE
.endm

	// kit_shapes of kit_expect.c says the same.
	KERNEL kit_live, 1, 64, 64, 16
	KERNEL kit_group, 4, 256, 256, 64
	KERNEL kit_light, 1, 64, 0, 0
