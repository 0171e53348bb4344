// SPDX-License-Identifier: MIT
//
// A kernel in which every register matters: each VGPR, ACC VGPR, SGPR, LDS word, VCC, M0, EXEC,
// SCC, XNACK_MASK and FLAT_SCRATCH, MODE and the counters of TRAPSTS is given a value, waits in
// a long row of steps, and is then mixed into the digest of every lane. A step that is left out
// or done twice is noticed as well. So a bit that a save loses always shows.
//
// Kernel argument: where the digests go. v0: work-item. s[0:1]: arguments.
	.text
	.globl live
	.p2align 8
	.type live,@function

// Mixes \r into the digest v31: each bit of it changes the result.
.macro MIX r
	v_mul_lo_u32 v31, v31, v30
	v_xor_b32 v31, \r, v31
.endm

live:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v30, 0x9e3779b1
	v_mov_b32 v31, 0x1234567
	v_lshlrev_b32 v1, 2, v0
	// Values: all different, in every lane.
	.set n, 2
	.rept 28
	v_mul_u32_u24 v[n], n * 77 + 5, v0
	v_add_u32 v[n], 0x10000 * n + 3, v[n]
	.set n, n + 1
	.endr
	.set n, 0
	.rept 32
	v_add_u32 v2, 0x1357 * n + 1, v0
	v_accvgpr_write_b32 a[n], v2
	.set n, n + 1
	.endr
	v_add_u32 v2, 0x77777, v0
	.set n, 4
	.rept 96
	s_mov_b32 s[n], 0x1001 * n + 7
	.set n, n + 1
	.endr
	// LDS: 4 words a lane.
	ds_write_b32 v1, v3
	ds_write_b32 v1, v4 offset:256
	ds_write_b32 v1, v5 offset:512
	ds_write_b32 v1, v6 offset:768
	s_mov_b32 flat_scratch_lo, 0x13579bdf
	s_mov_b32 flat_scratch_hi, 0x2468ace0
	s_mov_b32 xnack_mask_lo, 0x0f1e2d3c
	s_mov_b32 xnack_mask_hi, 0x4b5a6978
	s_mov_b32 vcc_lo, 0x600df00d
	s_mov_b32 vcc_hi, 0x0badcafe
	s_mov_b32 m0, 0x5a5a1234
	s_cmp_eq_u32 s4, s4
	// The row of steps: no two are the same, none may be left out.
	.set n, 0
	.rept 64
	v_mul_lo_u32 v31, v31, v30
	v_add_u32 v31, 0x101 * n + 0x3001, v31
	.set n, n + 1
	.endr
	// The digest. SCC first, others change it.
	s_cselect_b32 s100, 21, 42
	MIX s100
	s_getreg_b32 s100, hwreg(HW_REG_MODE)
	MIX s100
	s_getreg_b32 s100, hwreg(HW_REG_STATUS)
	MIX s100
	s_getreg_b32 s100, hwreg(HW_REG_TRAPSTS)
	MIX s100
	s_getreg_b32 s100, hwreg(HW_REG_IB_STS)
	MIX s100
	MIX m0
	MIX vcc_lo
	MIX vcc_hi
	MIX flat_scratch_lo
	MIX flat_scratch_hi
	MIX xnack_mask_lo
	MIX xnack_mask_hi
	MIX exec_lo
	MIX exec_hi
	.set n, 0
	.rept 100
	MIX s[n]
	.set n, n + 1
	.endr
	.set n, 0
	.rept 30
	MIX v[n]
	.set n, n + 1
	.endr
	.set n, 0
	.rept 32
	v_accvgpr_read_b32 v2, a[n]
	MIX v2
	.set n, n + 1
	.endr
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	MIX v2
	ds_read_b32 v2, v1 offset:256
	s_waitcnt lgkmcnt(0)
	MIX v2
	ds_read_b32 v2, v1 offset:512
	s_waitcnt lgkmcnt(0)
	MIX v2
	ds_read_b32 v2, v1 offset:768
	s_waitcnt lgkmcnt(0)
	MIX v2
	// A factor's high bits reach high bits of the digest only: turned round they reach low ones.
	v_bfrev_b32 v2, v30
	MIX v2
	global_store_dword v1, v31, s[2:3]
	s_endpgm
.Lend:
	.size live, .Lend - live

	.rodata
	.p2align 6
	.amdhsa_kernel live
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_accum_offset 32
		.amdhsa_next_free_vgpr 64
		.amdhsa_next_free_sgpr 102
	.end_amdhsa_kernel
