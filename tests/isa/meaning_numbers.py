# SPDX-License-Identifier: MIT
"""Integers of a width and floating-point numbers, and what vector opcodes do with them: integers of
any length, fractions that are rounded once.
"""
import fractions
import math
import re

M16, M32, M64 = 0xffff, 0xffffffff, (1 << 64) - 1


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


class Float:
    """A binary format: values are fractions, or None where the bits are no finite number."""

    def __init__(self, bits, mantissa):
        self.bits, self.mantissa = bits, mantissa
        self.bias = (1 << (bits - mantissa - 2)) - 1
        self.max_exp = (1 << (bits - mantissa - 1)) - 1

    def value(self, x):
        x &= (1 << self.bits) - 1
        exp = x >> self.mantissa & self.max_exp
        man = x & (1 << self.mantissa) - 1
        if exp == self.max_exp:
            return None
        man += (1 << self.mantissa) if exp else 0
        v = fractions.Fraction(man) * fractions.Fraction(2) ** (max(exp, 1) - self.bias
                                                                - self.mantissa)
        return -v if x >> (self.bits - 1) else v

    def round(self, v, sign=0, toward_zero=False):
        """Bits of the number nearest to v; sign is that of a zero."""
        if not v:
            return sign << (self.bits - 1)
        sign, v = (1, -v) if v < 0 else (0, v)
        exp = max(v.numerator.bit_length() - v.denominator.bit_length(), 1 - self.bias)
        while v < fractions.Fraction(2) ** exp and exp > 1 - self.bias:
            exp -= 1
        while v >= fractions.Fraction(2) ** (exp + 1):
            exp += 1
        scaled = v / fractions.Fraction(2) ** (exp - self.mantissa)
        man = math.floor(scaled) if toward_zero else round(scaled)
        bits = man + ((exp + self.bias - 1) << self.mantissa)
        limit = self.max_exp << self.mantissa
        if bits >= limit:
            bits = limit - 1 if toward_zero else limit
        return sign << (self.bits - 1) | bits


F16, F32, F64, BF16 = Float(16, 10), Float(32, 23), Float(64, 52), Float(16, 7)
FLOATS = {"f16": F16, "f32": F32, "f64": F64, "bf16": BF16}


def half(x, k):
    return x >> 16 * k & M16


def pairs(f, *args):
    """An operation on both halves."""
    return f(*(half(a, 0) for a in args)) & M16 | (f(*(half(a, 1) for a in args)) & M16) << 16


def clamp(x, low, high):
    return max(low, min(high, x))


def ffbh(x, bits=32):
    return bits - x.bit_length() if x else M32


def ffbl(x):
    return (x & -x).bit_length() - 1 if x else M32


def sign_bits(x, bits=32):
    y = ~x & (1 << bits) - 1 if x >> (bits - 1) else x
    return bits - y.bit_length() if y else M32


def reverse(x, bits=32):
    return int(f"{x:0{bits}b}"[::-1], 2)


def bfe(x, offset, width, is_signed, bits=32):
    if not width:
        return 0
    x = signed(x, bits) if is_signed else x
    if offset + width >= bits:
        return x >> offset
    y = x >> offset & (1 << width) - 1
    return signed(y, width) if is_signed else y


def byte(x, k):
    return x >> 8 * k & 0xff


def perm(x, y, sel):
    both, r = x << 32 | y, 0
    for k in range(4):
        s = byte(sel, k)
        b = byte(both, s) if s < 8 else (0xff * (both >> 16 * (s - 8) + 15 & 1) if s < 12
                                         else 0 if s == 12 else 0xff)
        r |= b << 8 * k
    return r


def sad(x, y, width, masked=False):
    mask = (1 << width) - 1
    return sum(abs((x >> k & mask) - (y >> k & mask)) for k in range(0, 32, width)
               if not masked or y >> k & mask)


def dot(x, y, width, is_signed):
    mask = (1 << width) - 1

    def pick(v, k):
        return signed(v >> k & mask, width) if is_signed else v >> k & mask

    return sum(pick(x, k) * pick(y, k) for k in range(0, 32, width))


def med(*x):
    return sorted(x)[1]


ORDER = {"f": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b,
         "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "lg": lambda a, b: a != b,
         "ne": lambda a, b: a != b, "ge": lambda a, b: a >= b, "o": lambda a, b: True,
         "u": lambda a, b: False, "t": lambda a, b: True, "tru": lambda a, b: True,
         "nge": lambda a, b: a < b, "nlg": lambda a, b: a == b, "ngt": lambda a, b: a <= b,
         "nle": lambda a, b: a > b, "neq": lambda a, b: a != b, "nlt": lambda a, b: a >= b}

LOGIC = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
         "andn2": lambda a, b: a & ~b, "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b),
         "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
         "andn1": lambda a, b: ~a & b, "orn1": lambda a, b: ~a | b}

# Vector operations on lanes: a, b, c are sources, d what the destination had.
INT = {
    "v_mov_b32": lambda a: a, "v_mov_b64": lambda a: a, "v_not_b32": lambda a: ~a,
    "v_bfrev_b32": reverse, "v_ffbh_u32": ffbh, "v_ffbl_b32": ffbl, "v_ffbh_i32": sign_bits,
    "v_sat_pk_u8_i16": lambda a: clamp(signed(half(a, 0), 16), 0, 255)
    | clamp(signed(half(a, 1), 16), 0, 255) << 8,
    "v_add_u32": lambda a, b: a + b, "v_sub_u32": lambda a, b: a - b,
    "v_add_i32": lambda a, b: a + b, "v_sub_i32": lambda a, b: a - b,
    "v_subrev_u32": lambda a, b: b - a,
    "v_mul_i32_i24": lambda a, b: signed(a, 24) * signed(b, 24),
    "v_mul_hi_i32_i24": lambda a, b: signed(a, 24) * signed(b, 24) >> 32,
    "v_mul_u32_u24": lambda a, b: (a & 0xffffff) * (b & 0xffffff),
    "v_mul_hi_u32_u24": lambda a, b: (a & 0xffffff) * (b & 0xffffff) >> 32,
    "v_mul_lo_u32": lambda a, b: a * b, "v_mul_hi_u32": lambda a, b: a * b >> 32,
    "v_mul_hi_i32": lambda a, b: signed(a) * signed(b) >> 32,
    "v_min_i32": lambda a, b: min(signed(a), signed(b)),
    "v_max_i32": lambda a, b: max(signed(a), signed(b)),
    "v_min_u32": min, "v_max_u32": max,
    "v_lshrrev_b32": lambda a, b: b >> (a & 31), "v_lshlrev_b32": lambda a, b: b << (a & 31),
    "v_ashrrev_i32": lambda a, b: signed(b) >> (a & 31),
    "v_lshrrev_b64": lambda a, b: b >> (a & 63), "v_lshlrev_b64": lambda a, b: b << (a & 63),
    "v_ashrrev_i64": lambda a, b: signed(b, 64) >> (a & 63),
    "v_and_b32": LOGIC["and"], "v_or_b32": LOGIC["or"], "v_xor_b32": LOGIC["xor"],
    "v_xnor_b32": LOGIC["xnor"],
    "v_bfm_b32": lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    "v_bcnt_u32_b32": lambda a, b: bin(a).count("1") + b,
    "v_cvt_pk_u16_u32": lambda a, b: min(a, M16) | min(b, M16) << 16,
    "v_cvt_pk_i16_i32": lambda a, b: clamp(signed(a), -0x8000, 0x7fff) & M16
    | clamp(signed(b), -0x8000, 0x7fff) << 16,
    "v_mad_i32_i24": lambda a, b, c: signed(a, 24) * signed(b, 24) + c,
    "v_mad_u32_u24": lambda a, b, c: (a & 0xffffff) * (b & 0xffffff) + c,
    "v_bfe_u32": lambda a, b, c: bfe(a, b & 31, c & 31, False),
    "v_bfe_i32": lambda a, b, c: bfe(a, b & 31, c & 31, True),
    "v_bfi_b32": lambda a, b, c: a & b | ~a & c,
    "v_lerp_u8": lambda a, b, c: sum((byte(a, k) + byte(b, k) + (byte(c, k) & 1) >> 1) << 8 * k
                                     for k in range(4)),
    "v_alignbit_b32": lambda a, b, c: (a << 32 | b) >> (c & 31),
    "v_alignbyte_b32": lambda a, b, c: (a << 32 | b) >> 8 * (c & 3),
    "v_min3_u32": min, "v_max3_u32": max, "v_med3_u32": med,
    "v_min3_i32": lambda *x: min(map(signed, x)), "v_max3_i32": lambda *x: max(map(signed, x)),
    "v_med3_i32": lambda *x: med(*map(signed, x)),
    "v_sad_u8": lambda a, b, c: sad(a, b, 8) + c, "v_sad_u16": lambda a, b, c: sad(a, b, 16) + c,
    "v_sad_hi_u8": lambda a, b, c: (sad(a, b, 8) << 16) + c,
    "v_sad_u32": lambda a, b, c: sad(a, b, 32) + c,
    "v_msad_u8": lambda a, b, c: sad(a, b, 8, True) + c,
    "v_mad_u32_u16": lambda a, b, c: half(a, 0) * half(b, 0) + c,
    "v_mad_i32_i16": lambda a, b, c: signed(a, 16) * signed(b, 16) + c,
    "v_xad_u32": lambda a, b, c: (a ^ b) + c, "v_perm_b32": perm,
    "v_lshl_add_u32": lambda a, b, c: (a << (b & 31)) + c,
    "v_lshl_add_u64": lambda a, b, c: (a << (b & 7)) + c,
    "v_add_lshl_u32": lambda a, b, c: ((a + b) & M32) << (c & 31),
    "v_add3_u32": lambda a, b, c: a + b + c, "v_lshl_or_b32": lambda a, b, c: a << (b & 31) | c,
    "v_and_or_b32": lambda a, b, c: a & b | c, "v_or3_b32": lambda a, b, c: a | b | c,
    "v_mad_u64_u32": lambda a, b, c: a * b + c,
    "v_mad_i64_i32": lambda a, b, c: signed(a) * signed(b) + signed(c, 64),
    "v_pack_b32_f16": lambda a, b: half(a, 0) | half(b, 0) << 16,
    "v_dot2_i32_i16": lambda a, b, c: dot(a, b, 16, True) + c,
    "v_dot2_u32_u16": lambda a, b, c: dot(a, b, 16, False) + c,
    "v_dot4_i32_i8": lambda a, b, c: dot(a, b, 8, True) + c,
    "v_dot4_u32_u8": lambda a, b, c: dot(a, b, 8, False) + c,
    "v_dot8_i32_i4": lambda a, b, c: dot(a, b, 4, True) + c,
    "v_dot8_u32_u4": lambda a, b, c: dot(a, b, 4, False) + c,
}
# The destination is the third source.
MORE = {"v_dot2c_i32_i16": lambda a, b, d: dot(a, b, 16, True) + d,
        "v_dot4c_i32_i8": lambda a, b, d: dot(a, b, 8, True) + d,
        "v_dot8c_i32_i4": lambda a, b, d: dot(a, b, 4, True) + d}

S16 = lambda x: signed(x, 16)
INT16 = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "subrev": lambda a, b: b - a,
    "mul_lo": lambda a, b: a * b, "lshlrev": lambda a, b: b << (a & 15),
    "lshrrev": lambda a, b: b >> (a & 15), "ashrrev": lambda a, b: S16(b) >> (a & 15),
}
INT16_ORDER = {"max_u16": max, "min_u16": min, "max_i16": lambda a, b: max(S16(a), S16(b)),
               "min_i16": lambda a, b: min(S16(a), S16(b))}


def int16(name):
    """A function on 16 bits, or None."""
    if name in INT16_ORDER:
        return INT16_ORDER[name]
    op, _, kind = name.rpartition("_")
    if kind in ("u16", "i16", "b16") and op in INT16:
        return INT16[op]
    if op in ("mad", "mad_legacy") and kind in ("u16", "i16"):
        return lambda a, b, c: a * b + c
    if op in ("min3", "max3", "med3") and kind in ("u16", "i16"):
        f = {"min3": min, "max3": max, "med3": med}[op]
        return f if kind == "u16" else lambda *x: f(*map(S16, x))
    return None


def floats(name, f):
    """An operation of a floating-point format on exact values, or None."""
    exact = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "subrev": lambda a, b: b - a,
        "mul": lambda a, b: a * b, "mul_legacy": lambda a, b: a * b, "min": min, "max": max,
        "min3": min, "max3": max, "med3": med, "fma": lambda a, b, c: a * b + c,
        "trunc": math.trunc, "ceil": math.ceil, "floor": math.floor, "rndne": round,
        "fract": lambda a: a - math.floor(a), "rcp": lambda a: 1 / a, "rcp_iflag": lambda a: 1 / a,
        "fma_legacy": lambda a, b, c: a * b + c,
    }.get(name)
    if exact:
        return lambda *x: f.round(fractions.Fraction(exact(*map(f.value, x))),
                                  near_sign(name, x, f))
    if name in ("mad", "mac", "mad_legacy"):
        return lambda a, b, c: f.round(f.value(f.round(f.value(a) * f.value(b))) + f.value(c))
    return None


def near_sign(name, x, f):
    """Of a result that is zero."""
    if name in ("trunc", "ceil", "floor", "rndne"):
        return x[0] >> (f.bits - 1) & 1
    return 0


def mantissa_of(f, x):
    v = f.value(x)
    return f.round(v / fractions.Fraction(2) ** exponent_of(f, x))


def exponent_of(f, x):
    v, e = abs(f.value(x)), 0
    while v >= 1:
        v, e = v / 2, e + 1
    while v < fractions.Fraction(1, 2):
        v, e = v * 2, e - 1
    return e


def convert(name):
    """v_cvt_TO_FROM, or None."""
    m = re.fullmatch(r"v_cvt_([fiu])(\d\d)_([fiu])(\d\d)", name)
    if not m:
        return None
    to, to_bits, kind, bits = m[1], int(m[2]), m[3], int(m[4])
    read = FLOATS[f"f{bits}"].value if kind == "f" else \
        (lambda x: signed(x, bits)) if kind == "i" else (lambda x: x & (1 << bits) - 1)
    if to == "f":
        return lambda a: FLOATS[f"f{to_bits}"].round(fractions.Fraction(read(a)))
    low, high = (-(1 << to_bits - 1), (1 << to_bits - 1) - 1) if to == "i" else \
        (0, (1 << to_bits) - 1)
    return lambda a: clamp(math.trunc(read(a)), low, high) & (1 << to_bits) - 1


def approximate(name):
    """A function of math, to be met within some units of the last place."""
    m = re.fullmatch(r"v_(exp|log|sin|cos|rsq|sqrt|exp_legacy|log_legacy)_(f\d\d)", name)
    if not m:
        return None
    turn = 2 * math.pi
    f = {"exp": lambda x: 2.0 ** x, "log": math.log2, "sin": lambda x: math.sin(x * turn),
         "cos": lambda x: math.cos(x * turn), "rsq": lambda x: x ** -0.5,
         "sqrt": math.sqrt}[m[1].split("_")[0]]
    return f, FLOATS[m[2]]
