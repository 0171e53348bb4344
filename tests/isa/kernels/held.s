// SPDX-License-Identifier: MIT
//
// A kernel whose waves wait, with known values in their registers and in LDS
// (tests/guest/loads/held.h says which), until a word in memory is set. Then each work-item stores
// a sum of its registers, so that a wave that was changed meanwhile shows.
//
// Kernel arguments: where the sums go, the word. v0: work-item. s[0:1]: arguments, s2: workgroup.
	.text
	.globl held
	.p2align 8
	.type held,@function

.macro SUM r
	v_mul_lo_u32 v2, v2, v3
	v_add_u32 v2, \r, v2
.endm

held:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_mov_b32 v3, 0x9e3779b1
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, s2
	.set n, 4
	.rept 28
	v_add_u32 v[n], 0x10000 * n + 3, v0
	.set n, n + 1
	.endr
	.set n, 0
	.rept 32
	v_add_u32 v31, 0x1357 * n + 1, v0
	v_accvgpr_write_b32 a[n], v31
	.set n, n + 1
	.endr
	v_add_u32 v31, 0x10000 * 31 + 3, v0
	s_waitcnt lgkmcnt(0)
	.set n, 10
	.rept 86
	s_mov_b32 s[n], 0x1001 * n + 7
	.set n, n + 1
	.endr
	ds_write_b32 v1, v4
	ds_write_b32 v1, v5 offset:512
	s_waitcnt lgkmcnt(0)
	s_branch wait

	.org held + 0x1000
wait:
	s_sleep 127
	s_load_dword s9, s[6:7], 0x0 glc
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 wait

	.set n, 4
	.rept 28
	SUM v[n]
	.set n, n + 1
	.endr
	.set n, 0
	.rept 32
	v_accvgpr_read_b32 v31, a[n]
	SUM v31
	.set n, n + 1
	.endr
	.set n, 10
	.rept 86
	SUM s[n]
	.set n, n + 1
	.endr
	ds_read_b32 v31, v1
	s_waitcnt lgkmcnt(0)
	SUM v31
	ds_read_b32 v31, v1 offset:512
	s_waitcnt lgkmcnt(0)
	SUM v31
	s_lshl_b32 s8, s2, 9
	v_add_u32 v1, s8, v1
	global_store_dword v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size held, .Lend - held

	.rodata
	.p2align 6
	.amdhsa_kernel held
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_accum_offset 32
		.amdhsa_next_free_vgpr 64
		.amdhsa_next_free_sgpr 96
	.end_amdhsa_kernel
