// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector opcodes whose result has another type than their sources. */
#include "isa/float.h"
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			r[l] = (x);             \
		return true;                    \
	} while (0)

#define LANES64(x)                              \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			v->r64[l] = (x);        \
		return true;                    \
	} while (0)

#define A a[l]
#define B b[l]

static bool to_int(struct isa_valu *v, u32 *r, const u32 *a, u32 m32, u32 m64)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_cvt_u32_f32:
		LANES(isa_u32_from_f32(A, m32));
	case ISA_OP_v_cvt_i32_f32:
		LANES(isa_i32_from_f32(A, m32));
	case ISA_OP_v_cvt_rpi_i32_f32:
		LANES(isa_i32_from_f32_rpi(A, m32));
	case ISA_OP_v_cvt_flr_i32_f32:
		LANES(isa_i32_from_f32_flr(A, m32));
	case ISA_OP_v_cvt_u16_f16:
		LANES(isa_u16_from_f16((u16)A, m64));
	case ISA_OP_v_cvt_i16_f16:
		LANES(isa_i16_from_f16((u16)A, m64));
	case ISA_OP_v_frexp_exp_i32_f32:
		LANES((u32)isa_f32_frexp_exp(A, m32));
	case ISA_OP_v_frexp_exp_i16_f16:
		LANES((u16)isa_f16_frexp_exp((u16)A, m64));
	case ISA_OP_v_cvt_norm_i16_f16:
		LANES(isa_snorm16_from_f16((u16)A, m64));
	case ISA_OP_v_cvt_norm_u16_f16:
		LANES(isa_unorm16_from_f16((u16)A, m64));
	case ISA_OP_v_cvt_i32_f64:
		LANES(isa_i32_from_f64(v->q[0][l], m64));
	case ISA_OP_v_cvt_u32_f64:
		LANES(isa_u32_from_f64(v->q[0][l], m64));
	case ISA_OP_v_frexp_exp_i32_f64:
		LANES((u32)isa_f64_frexp_exp(v->q[0][l], m64));
	}
	return false;
}

static bool to_float(struct isa_valu *v, u32 *r, const u32 *a, u32 m32, u32 m64)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_cvt_f32_i32:
		LANES(isa_f32_from_i32(A, m32));
	case ISA_OP_v_cvt_f32_u32:
		LANES(isa_f32_from_u32(A, m32));
	case ISA_OP_v_cvt_f32_ubyte0:
		LANES(isa_f32_from_ubyte(A, 0));
	case ISA_OP_v_cvt_f32_ubyte1:
		LANES(isa_f32_from_ubyte(A, 1));
	case ISA_OP_v_cvt_f32_ubyte2:
		LANES(isa_f32_from_ubyte(A, 2));
	case ISA_OP_v_cvt_f32_ubyte3:
		LANES(isa_f32_from_ubyte(A, 3));
	case ISA_OP_v_cvt_off_f32_i4:
		LANES(isa_f32_from_off_i4(A));
	case ISA_OP_v_cvt_f16_u16:
		LANES(isa_f16_from_u16((u16)A, m64));
	case ISA_OP_v_cvt_f16_i16:
		LANES(isa_f16_from_i16((u16)A, m64));
	case ISA_OP_v_cvt_f16_f32:
		LANES(isa_f16_from_f32(A, m64));
	case ISA_OP_v_cvt_f32_f16:
		LANES(isa_f32_from_f16((u16)A, m64));
	case ISA_OP_v_cvt_f32_f64:
		LANES(isa_f32_from_f64(v->q[0][l], m32));
	case ISA_OP_v_cvt_f64_f32:
		LANES64(isa_f64_from_f32(A, m32));
	case ISA_OP_v_cvt_f64_i32:
		LANES64(isa_f64_from_i32(A));
	case ISA_OP_v_cvt_f64_u32:
		LANES64(isa_f64_from_u32(A));
	}
	return false;
}

static u32 put_byte(u32 old, u32 n, u32 x)
{
	return (old & ~(0xffu << (n & 3) * 8)) | x << (n & 3) * 8;
}

static bool packs(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m32, u32 m64)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_cvt_pkrtz_f16_f32:
		LANES(isa_f16_pkrtz(A, B, m64));
	case ISA_OP_v_cvt_pknorm_i16_f32:
		LANES(isa_snorm16_from_f32(A, m32) | (u32)isa_snorm16_from_f32(B, m32) << 16);
	case ISA_OP_v_cvt_pknorm_u16_f32:
		LANES(isa_unorm16_from_f32(A, m32) | (u32)isa_unorm16_from_f32(B, m32) << 16);
	case ISA_OP_v_cvt_pknorm_i16_f16:
		LANES(isa_snorm16_from_f16((u16)A, m64) |
		      (u32)isa_snorm16_from_f16((u16)B, m64) << 16);
	case ISA_OP_v_cvt_pknorm_u16_f16:
		LANES(isa_unorm16_from_f16((u16)A, m64) |
		      (u32)isa_unorm16_from_f16((u16)B, m64) << 16);
	case ISA_OP_v_pack_b32_f16:
		LANES((u16)A | B << 16);
	case ISA_OP_v_cvt_pk_u8_f32:
		LANES(put_byte(v->s[2][l], B, isa_u8_from_f32(A, m32)));
	}
	return false;
}

/* Products of halves, low first, added to the destination. */
static bool dot2c(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m32)
{
	const u32 *dst = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u32 l;

	if (v->i->op != ISA_OP_v_dot2c_f32_f16 || v->i->neg || v->i->abs)
		return false;
	for (l = 0; l < ISA_LANES; l++) {
		u16 x[2] = { (u16)A, (u16)(A >> 16) }, y[2] = { (u16)B, (u16)(B >> 16) };

		r[l] = isa_f32_dot_f16(dst[l], x, y, 2, m32);
	}
	return true;
}

bool isa_valu_convert(struct isa_valu *v)
{
	u32 m32 = isa_fp_mode32(v->w->mode), m64 = isa_fp_mode64(v->w->mode);

	if (v->o->words[2])
		return packs(v, v->r, v->s[0], v->s[1], m32, m64) ||
		       dot2c(v, v->r, v->s[0], v->s[1], m32);
	return to_int(v, v->r, v->s[0], m32, m64) || to_float(v, v->r, v->s[0], m32, m64);
}
