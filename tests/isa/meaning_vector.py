# SPDX-License-Identifier: MIT
"""What vector opcodes do. A function fills in what is wanted and returns whether it knows."""
import fractions
import math
import re

from meaning_numbers import (F16, F32, FLOATS, INT, M16, M32, MORE, ORDER, approximate, byte, clamp,
                             convert, exponent_of, floats, half, int16, mantissa_of, pairs, signed)
from meaning_trial import LANES

CARRY = {"v_add_co_u32": lambda a, b, c: a + b, "v_sub_co_u32": lambda a, b, c: a - b,
         "v_subrev_co_u32": lambda a, b, c: b - a, "v_addc_co_u32": lambda a, b, c: a + b + c,
         "v_subb_co_u32": lambda a, b, c: a - b - c, "v_subbrev_co_u32": lambda a, b, c: b - a - c}
# Powers of two by which a division is scaled.
STEP = {"f32": 64, "f64": 128}


def vector_carry(t):
    vcc = 0
    for lane in t.lanes:
        a, b = t.vgpr(4, 1, lane), t.vgpr(8, 1, lane)
        r = CARRY[t.name](a, b, t.before[32] >> lane & 1)
        t.set_vgpr(16, 1, lane, r)
        vcc |= int(r < 0 or r > M32) << lane
    t.want[32] = vcc
    return True


def class_of(f, x):
    """Finite numbers only: negative or positive, normal, denormal or zero."""
    exp, man = x >> f.mantissa & f.max_exp, x & (1 << f.mantissa) - 1
    is_negative = x >> (f.bits - 1) & 1
    kind = 3 if exp else 4 if man else 5
    return 1 << (kind if is_negative else 11 - kind)


def vector_compare(t):
    m = re.fullmatch(r"v_cmp(x?)_(\w+)_([fiu])(16|32|64)", t.name)
    kind, bits = m[3], int(m[4])
    mask = 0
    for lane in t.lanes:
        a, b = t.vgpr(4, t.words[1], lane), t.vgpr(8, t.words[2], lane)
        if m[2] == "class":
            f = FLOATS[f"f{bits}"]
            r = class_of(f, a & (1 << bits) - 1) & b
        else:
            read = FLOATS[f"f{bits}"].value if kind == "f" else \
                (lambda x: signed(x, bits)) if kind == "i" else (lambda x: x & (1 << bits) - 1)
            r = ORDER[m[2]](read(a), read(b))
        mask |= int(bool(r)) << lane
    t.want[32] = mask
    if m[1]:
        t.want[33] = mask
    return True


def norm(v, kind):
    """A number up to one as a part of the largest integer."""
    low, high = (-1, 0x7fff) if kind == "i" else (0, M16)
    return round(clamp(v, low, 1) * high) & M16


def lane_function(t):
    """What the opcode does to a lane, as f(sources, old destination), or None."""
    name = t.name
    if name in INT:
        return lambda s, d: INT[name](*s)
    if name in MORE:
        return lambda s, d: MORE[name](*s[:2], d)
    if name == "v_cndmask_b32":
        return None
    f = convert(name)
    if f:
        return lambda s, d: f(*s)
    m = re.fullmatch(r"v_cvt_f32_ubyte(\d)", name)
    if m:
        return lambda s, d: F32.round(fractions.Fraction(byte(s[0], int(m[1]))))
    if name in ("v_cvt_flr_i32_f32", "v_cvt_rpi_i32_f32"):
        add = fractions.Fraction(1, 2) if "rpi" in name else 0
        return lambda s, d: math.floor(F32.value(s[0]) + add)
    if name == "v_cvt_off_f32_i4":
        return lambda s, d: F32.round(fractions.Fraction(signed(s[0], 4), 16))
    if name == "v_cvt_pkrtz_f16_f32":
        return lambda s, d: F16.round(F32.value(s[0]), 0, True) | F16.round(F32.value(s[1]), 0,
                                                                            True) << 16
    m = re.fullmatch(r"v_cvt_(pk)?_?norm_([iu])16_(f16|f32)", name)
    if m:
        f = FLOATS[m[3]]
        return lambda s, d: sum(norm(f.value(x), m[2]) << 16 * k for k, x in enumerate(s))
    m = re.fullmatch(r"v_pk_(\w+)_([iub]16|f16)", name)
    if m:
        g = floats(m[1], F16) if m[2] == "f16" else int16(f"{m[1]}_{m[2]}")
        if m[1] == "fmac":
            g = floats("fma", F16)
            return lambda s, d: pairs(g, s[0], s[1], d)
        return g and (lambda s, d: pairs(g, *s))
    m = re.fullmatch(r"v_pk_(\w+)_f32", name)
    if m and floats(m[1], F32):
        g = floats(m[1], F32)
        return lambda s, d: g(*(x & M32 for x in s)) | g(*(x >> 32 for x in s)) << 32
    if name == "v_cvt_pk_u8_f32":
        return lambda s, d: s[2] & ~(0xff << 8 * (s[1] & 3)) | clamp(
            round(F32.value(s[0])), 0, 255) << 8 * (s[1] & 3)
    f = dot_half(name) or mix(name)
    if f:
        return f
    g = int16(name[2:])
    if g:
        return lambda s, d: g(*(x & M16 for x in s)) & M16
    m = re.fullmatch(r"v_(\w+)_(f16|f32|f64)", name)
    return m and float_function(m[1], FLOATS[m[2]])


def dot_half(name):
    """Products of halves, the low one first, rounded after each."""
    def add(a, b, c):
        for k in (0, 1):
            c = F32.round(F16.value(half(a, k)) * F16.value(half(b, k)) + F32.value(c))
        return c
    return {"v_dot2_f32_f16": lambda s, d: add(*s), "v_dot2c_f32_f16": lambda s, d: add(*s, d)
            }.get(name)


def mix(name):
    """f32, the upper half of the second source, f32."""
    def fma(s):
        return F32.round(F32.value(s[0]) * F16.value(half(s[1], 1)) + F32.value(s[2]))

    def short(s):
        return F16.round(F32.value(fma(s)))
    return {"v_fma_mix_f32": lambda s, d: fma(s),
            "v_fma_mixlo_f16": lambda s, d: d & ~M16 | short(s),
            "v_fma_mixhi_f16": lambda s, d: d & M16 | short(s) << 16}.get(name)


def division(t):
    """Steps of a division, of numbers near 1: nothing need be scaled but by the mask of fmas."""
    m = re.fullmatch(r"v_div_(scale|fmas|fixup)(_legacy)?_(f\d\d)", t.name)
    f = FLOATS[m[3]]
    sign = 1 << f.bits - 1
    for lane in t.lanes:
        a, b, c = (x & 2 * sign - 1 for x in t.sources(lane))
        old = t.vgpr(16, t.words[0], lane)
        if m[1] == "scale":
            r = a
        elif m[1] == "fixup":
            r = a & ~sign | (b ^ c) & sign
        else:
            v = f.value(a) * f.value(b) + f.value(c)
            step = 0
            if t.before[32] >> lane & 1:
                # What is 2 or more had been made smaller.
                step = STEP[m[3]] if abs(f.value(c)) >= 2 else -STEP[m[3]]
            r = f.round(v * fractions.Fraction(2) ** step)
        if keeps_upper(t):
            r |= old & ~M16
        t.set_vgpr(16, t.words[0], lane, r)
    if m[1] == "scale":
        t.want[32] = 0
    return True


def float_function(op, f):
    mask = (1 << f.bits) - 1
    k = 0x40490fdb
    if op in ("fmac", "mac"):
        g = floats("fma" if op == "fmac" else "mad", f)
        return lambda s, d: g(*(x & mask for x in s[:2]), d & mask)
    k &= mask
    if op in ("madmk", "fmamk", "madak", "fmaak"):
        g = floats("fma" if op[0] == "f" else "mad", f)
        return (lambda s, d: g(s[0] & mask, k, s[1] & mask)) if op.endswith("mk") else \
            (lambda s, d: g(s[0] & mask, s[1] & mask, k))
    if op == "frexp_mant":
        return lambda s, d: mantissa_of(f, s[0] & mask)
    if op == "ldexp":
        return lambda s, d: f.round(f.value(s[0] & mask) * fractions.Fraction(2) ** clamp(
            signed(s[1], 16 if f is F16 else 32), -3000, 3000))
    g = floats(op, f)
    return g and (lambda s, d: g(*(x & mask for x in s)))


def keeps_upper(t):
    """On gfx9 what has op_sel writes half a register; what came before it clears the other half."""
    return t.format == "VOP3" and re.fullmatch(
        r"v_(mad|fma|min3|max3|med3|add|sub|div_fixup)_[fiu]16", t.name)


def vector(t):
    m = re.fullmatch(r"v_frexp_exp_i(16|32)_(f\d\d)", t.name)
    for lane in t.lanes:
        if m:
            f = FLOATS[m[2]]
            r = exponent_of(f, t.vgpr(4, t.words[1], lane)) & (1 << int(m[1])) - 1
        elif t.name == "v_cndmask_b32":
            r = t.vgpr(8 if t.before[32] >> lane & 1 else 4, 1, lane)
        elif t.name.startswith("v_mbcnt"):
            low = lane if "lo" in t.name else 0
            r = bin(t.vgpr(4, 1, lane) & (1 << low) - 1).count("1") + t.vgpr(8, 1, lane)
        elif t.name == "v_pk_mov_b32":
            r = t.vgpr(4, 1, lane) | t.vgpr(8, 1, lane) << 32
        elif t.name == "v_swap_b32":
            r = t.vgpr(4, 1, lane)
            t.set_vgpr(4, 1, lane, t.vgpr(16, 1, lane))
        else:
            f = lane_function(t)
            if not f:
                return False
            old = t.vgpr(16, t.words[0], lane)
            r = f(t.sources(lane), old)
            if keeps_upper(t):
                r = r & M16 | old & ~M16
        t.set_vgpr(16, t.words[0], lane, r & (1 << 32 * t.words[0]) - 1)
        if t.name in ("v_mad_u64_u32", "v_mad_i64_i32"):
            t.want[32] = t.after[32]
    return True


def vector_near(t):
    """Judged here: the result is not known to the last bit."""
    g, f = approximate(t.name)
    for lane in t.lanes:
        x = f.value(t.vgpr(4, t.words[1], lane))
        got = t.after[t.VGPR + 16 * LANES + lane]
        if t.words[0] == 2:
            got |= t.after[t.VGPR + 17 * LANES + lane] << 32
        if x > 0 or "sin" in t.name or "cos" in t.name or "exp" in t.name:
            y, value = g(float(x)), f.value(got & (1 << f.bits) - 1)
            bound = max(abs(y), 2.0 ** -8) * 2.0 ** (2 - f.mantissa)
            if value is None or abs(float(value) - y) > bound:
                return True
        t.set_vgpr(16, t.words[0], lane, got)
    return True


def lane_access(t):
    """Scalars and lanes."""
    lane = t.sgpr(6, 1)
    if t.name == "v_readfirstlane_b32":
        t.set_sgpr(16, 1, t.vgpr(4, 1, t.lanes[0]))
    elif t.name == "v_readlane_b32":
        t.set_sgpr(16, 1, t.vgpr(4, 1, lane))
    else:
        t.set_vgpr(16, 1, lane, t.sgpr(4, 1))
    return True
