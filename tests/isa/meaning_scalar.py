# SPDX-License-Identifier: MIT
"""What scalar opcodes do. A function fills in what is wanted and returns whether it knows."""
import re

from meaning_numbers import (LOGIC, M32, M64, ORDER, bfe, ffbh, ffbl, half, reverse, sign_bits,
                             signed)
from meaning_trial import CODE


def scalar_two(t):
    """Return: whether something is said of it."""
    words = t.words[0] or 1
    bits = 64 if t.name.endswith("64") else 32
    mask = (1 << bits) - 1
    a, b = t.sgpr(4, 2 if t.words[1] == 2 else 1), t.sgpr(6, 2 if t.words[2] == 2 else 1)
    scc = t.before[t.SCC]
    op = t.name[2:].rpartition("_")[0]
    kind = t.name.rpartition("_")[2]
    n = b & (bits - 1)
    sa, sb = signed(a, bits), signed(b, bits)
    # Result, and SCC (None: as it was).
    if op in LOGIC:
        r = LOGIC[op](a, b) & mask
        scc = r != 0
    elif op in ("add", "addc", "sub", "subb") and kind == "u32":
        r = a + b + (scc if op == "addc" else 0) if op[0] == "a" else a - b - (op == "subb" and scc)
        scc = r < 0 or r > M32
    elif op in ("add", "sub"):
        r = sa + sb if op == "add" else sa - sb
        scc = r != signed(r)
    elif op in ("min", "max"):
        x, y = (sa, sb) if kind[0] == "i" else (a, b)
        scc = x < y if op == "min" else x > y
        r = x if scc else y
    elif op == "cselect":
        r = a if scc else b
    elif op in ("lshl", "lshr", "ashr"):
        r = (a << n if op == "lshl" else (sa if op == "ashr" else a) >> n) & mask
        scc = r != 0
    elif op == "bfm":
        r = ((1 << (a & bits - 1)) - 1) << (b & bits - 1)
    elif op == "bfe":
        r = bfe(a, b & bits - 1, b >> 16 & 127, kind[0] == "i", bits) & mask
        scc = r != 0
    elif op == "mul":
        r = a * b
    elif op == "mul_hi":
        r = (sa * sb if kind[0] == "i" else a * b) >> 32
    elif op == "absdiff":
        r = abs(signed(sa - sb)) & M32
        scc = r != 0
    elif op.startswith("lshl"):
        r = (a << int(op[4])) + b
        scc = r > M32
    elif t.name.startswith("s_pack"):
        r = half(a, t.name[7] == "h") | half(b, t.name[8] == "h") << 16
    else:
        return False
    t.set_sgpr(8, words, r)
    t.want[t.SCC] = int(scc)
    return True


def scalar_one(t):
    words = t.words[0] or 1
    bits = 64 if re.search(r"[bi]64$", t.name) else 32
    mask = (1 << bits) - 1
    a, d, scc = t.sgpr(4, t.words[1] or 1), t.sgpr(8, words), t.before[t.SCC]
    name, exec_mask = t.name[2:], t.before[33]
    m = re.fullmatch(r"(\w+)_(saveexec|wrexec)_b64", name)
    if m:
        new = LOGIC[m[1]](a, exec_mask) & M64
        t.want[33], t.want[t.SCC] = new, int(new != 0)
        t.set_sgpr(8, 2, exec_mask if m[2] == "saveexec" else new)
        return True
    op = re.sub(r"(_i32)?_[biu](8|16|32|64)$", "", name)
    if op in ("getpc", "setpc", "swappc"):
        if op != "setpc":
            t.set_sgpr(8, 2, CODE + 4)
        if op != "getpc":
            t.want[t.PC] = (a & (1 << 48) - 4) - CODE & M64
        return True
    if op == "mov":
        r = a
    elif op == "cmov":
        r = a if scc else d
    elif op == "not":
        r = ~a & mask
        scc = r != 0
    elif op == "brev":
        r = reverse(a, bits)
    elif op in ("bcnt0", "bcnt1"):
        r = bin(a).count("1") if op == "bcnt1" else bits - bin(a).count("1")
        scc = r != 0
    elif op in ("ff0", "ff1"):
        r = ffbl(a if op == "ff1" else ~a & mask)
    elif t.name in ("s_flbit_i32_b32", "s_flbit_i32_b64"):
        r = ffbh(a, bits)
    elif op == "flbit":
        r = sign_bits(a, bits)
    elif op == "sext":
        r = signed(a, 8 if name.endswith("i8") else 16)
    elif op in ("bitset0", "bitset1"):
        one = 1 << (a & bits - 1)
        r = d | one if op == "bitset1" else d & ~one
    elif op == "abs":
        r = abs(signed(a)) & M32
        scc = r != 0
    elif op == "quadmask":
        r = sum(1 << k for k in range(bits // 4) if a >> 4 * k & 15)
        scc = r != 0
    elif op == "wqm":
        r = sum(15 << 4 * k for k in range(bits // 4) if a >> 4 * k & 15)
        scc = r != 0
    elif op == "bitreplicate_b64":
        r = sum(3 << 2 * k for k in range(32) if a >> k & 1)
    else:
        return False
    t.set_sgpr(8, words, r)
    t.want[t.SCC] = int(scc)
    return True


def scalar_compare(t):
    m = re.fullmatch(r"s_cmp(k?)_(\w+)_([iu])(32|64)", t.name)
    k = re.fullmatch(r"s_bitcmp([01])_b(32|64)", t.name)
    a, b = t.sgpr(4, t.words[1]), t.sgpr(6, t.words[2])
    if m and m[1]:
        a, b = t.sgpr(8, 1), 0xf801
        a, b = (signed(a), signed(b, 16)) if m[3] == "i" else (a, b)
        t.want[t.SCC] = int(ORDER[m[2]](a, b))
    elif m:
        bits = int(m[4])
        a, b = (signed(a, bits), signed(b, bits)) if m[3] == "i" else (a, b)
        t.want[t.SCC] = int(ORDER[m[2]](a, b))
    elif k:
        t.want[t.SCC] = int((a >> (b & int(k[2]) - 1) & 1) == int(k[1]))
    else:
        return False
    return True


def scalar_k(t):
    d, k = t.sgpr(8, 1), signed(0xf801, 16)
    if t.name == "s_movk_i32":
        t.set_sgpr(8, 1, k)
    elif t.name == "s_cmovk_i32":
        t.set_sgpr(8, 1, k if t.before[t.SCC] else d)
    elif t.name == "s_addk_i32":
        r = signed(d) + k
        t.set_sgpr(8, 1, r)
        t.want[t.SCC] = int(r != signed(r))
    elif t.name == "s_call_b64":
        t.set_sgpr(8, 2, CODE + 4)
        t.want[t.PC] = 4 + 4 * k & M64
    elif t.name == "s_mulk_i32":
        t.set_sgpr(8, 1, signed(d) * k)
    else:
        return scalar_compare(t)
    return True


def branch(t):
    """The program counter was 0; the offset is 16 words."""
    vcc, exec_mask, scc = t.before[32], t.before[33], t.before[t.SCC]
    taken = {"s_branch": True, "s_cbranch_scc0": not scc, "s_cbranch_scc1": scc,
             "s_cbranch_vccz": not vcc, "s_cbranch_vccnz": vcc, "s_cbranch_execz": not exec_mask,
             "s_cbranch_execnz": exec_mask}.get(t.name)
    if taken is None:
        return False
    t.want[t.PC] = 68 if taken else 4
    return True
