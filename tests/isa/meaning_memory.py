# SPDX-License-Identifier: MIT
"""What opcodes do to memory and LDS. A function fills in what is wanted and returns whether it
knows.
"""
import re
import struct

from meaning_numbers import FLOATS, M16, M32, floats, pairs, signed
from meaning_trial import LANES

ATOMIC = {
    "swap": lambda m, d, c: d, "wrxchg": lambda m, d, c: d, "add": lambda m, d, c: m + d,
    "sub": lambda m, d, c: m - d, "rsub": lambda m, d, c: d - m,
    "umin": lambda m, d, c: min(m, d), "umax": lambda m, d, c: max(m, d),
    "and": lambda m, d, c: m & d, "or": lambda m, d, c: m | d, "xor": lambda m, d, c: m ^ d,
    "inc": lambda m, d, c: 0 if m >= d else m + 1,
    "dec": lambda m, d, c: d if not m or m > d else m - 1,
    "mskor": lambda m, d, c: m & ~d | c, "cmpst": lambda m, d, c: c if m == d else m,
    "cmpswap": lambda m, d, c: d if m == c else m,
}


class Memory:
    """Bytes of the wanted state."""

    def __init__(self, t, base):
        self.t, self.base = t, base

    def read(self, at, n):
        words = [self.t.want[self.base + at // 4 + k] for k in range((at % 4 + n + 3) // 4)]
        return int.from_bytes(struct.pack(f"<{len(words)}I", *words)[at % 4:at % 4 + n], "little")

    def write(self, at, n, x):
        for k in range(n):
            word, shift = self.base + (at + k) // 4, (at + k) % 4 * 8
            self.t.want[word] = self.t.want[word] & ~(0xff << shift) | (x >> 8 * k & 0xff) << shift


def atomic_of(name, bits):
    """Of two names with a sign in the type, the one without."""
    op = name
    if op in ("smin", "smax", "min_i", "max_i"):
        f = min if "min" in op else max
        return lambda m, d, c: f(signed(m, bits), signed(d, bits))
    return ATOMIC.get({"min_u": "umin", "max_u": "umax"}.get(op, op))


def float_atomic(op, kind):
    """Of floating-point numbers in memory."""
    f = FLOATS[kind]
    if op.startswith("pk_add"):
        return lambda m, d, c: pairs(floats("add", f), m, d)
    g = floats(op, f)
    if op == "cmpst":
        return lambda m, d, c: c if f.value(m) == f.value(d) else m
    return g and (lambda m, d, c: g(m, d))


LOADS = {"ubyte": (1, False), "sbyte": (1, True), "ushort": (2, False), "sshort": (2, True),
         "short": (2, False), "dword": (4, False), "dwordx2": (8, False), "dwordx3": (12, False),
         "dwordx4": (16, False), "u8": (1, False), "i8": (1, True), "u16": (2, False),
         "i16": (2, True), "b32": (4, False), "b64": (8, False), "b96": (12, False),
         "b128": (16, False), "b8": (1, False), "b16": (2, False), "byte": (1, False)}


def load(t, memory, at, lane, kind, to):
    d16 = re.search(r"_d16(_hi)?$", kind)
    n, is_signed = LOADS[re.sub(r"_d16(_hi)?$", "", kind)]
    x = memory.read(at, n)
    x = signed(x, 8 * n) & M32 if is_signed else x
    if d16:
        old = t.vgpr(to, 1, lane)
        x = old & M16 | (x & M16) << 16 if d16[1] else old & ~M16 | x & M16
    t.set_vgpr(to, max(1, n // 4), lane, x)


def store(t, memory, at, lane, kind, source):
    n = LOADS[re.sub(r"_d16_hi$", "", kind)][0]
    x = t.vgpr(source, max(1, n // 4), lane)
    memory.write(at, n, x >> 16 if kind.endswith("hi") else x)


def vmem(t):
    m = re.fullmatch(r"(?:flat|global|buffer)_(load|store|atomic)_(\w+)", t.name)
    if not m or "format" in t.name or "lds" in t.name:
        return False
    memory, is_buffer = Memory(t, t.DATA), t.name.startswith("buffer")
    to = 4 if is_buffer else 16
    for lane in t.lanes:
        at = (32 if is_buffer else 64) * lane
        if m[1] == "load":
            load(t, memory, at, lane, m[2], to)
        elif m[1] == "store":
            store(t, memory, at, lane, m[2], 4)
        else:
            words = 2 if m[2].endswith(("_x2", "_f64")) else 1
            op, _, kind = m[2].rpartition("_")
            f = float_atomic(op, kind) if kind in FLOATS else \
                atomic_of(re.sub("_x2$", "", m[2]), 32 * words)
            if not f:
                return False
            old, d = memory.read(at, 4 * words), t.vgpr(4, words, lane)
            memory.write(at, 4 * words, f(old, d, t.vgpr(4 + words, words, lane)))
            t.set_vgpr(to, words, lane, old)
    return True


def lds(t):
    name = t.name[3:]
    memory = Memory(t, t.LDS)
    m = re.fullmatch(r"(read|write|wrxchg)2(st64)?(_rtn)?_b(32|64)", name)
    k = re.fullmatch(r"(read|write)_([iub]\d+(?:_d16(?:_hi)?)?)", name)
    a = re.fullmatch(r"([a-z]+|pk_add)(_rtn)?_([iub]|b?f)(32|64|16)", name)
    if not (m or k or a) or "swizzle" in name or "permute" in name:
        return False
    for lane in t.lanes:
        at = 32 * lane
        if m:
            n = int(m[4]) // 8
            for j, where in enumerate((at, at + n * (64 if m[2] else 1))):
                old = memory.read(where, n)
                if m[1] != "read":
                    memory.write(where, n, t.vgpr(4 + 4 * j, n // 4, lane))
                if m[1] != "write":
                    t.set_vgpr(16 + j * n // 4, n // 4, lane, old)
            continue
        at += 256
        if k and k[1] == "read":
            load(t, memory, at, lane, k[2], 16)
        elif k:
            store(t, memory, at, lane, k[2], 4)
        else:
            words = max(1, int(a[4]) // 32)
            op = a[1] + ("_" + a[3] if a[1] in ("min", "max") else "")
            f = float_atomic(a[1], a[3] + a[4]) if a[3][-1] == "f" else atomic_of(op, 32 * words)
            if not f:
                return False
            old, d = memory.read(at, 4 * words), t.vgpr(4, words, lane)
            memory.write(at, 4 * words, f(old, d, t.vgpr(8, words, lane)))
            if a[2]:
                t.set_vgpr(16, words, lane, old)
    return True


class Rows(Memory):
    """Scratch memory: the words of a lane are 64 words apart."""

    def __init__(self, t, lane):
        super().__init__(t, t.DATA)
        self.lane = lane

    def read(self, at, n):
        return sum(super(Rows, self).read(256 * k + 4 * self.lane, min(4, n)) << 32 * k
                   for k in range((n + 3) // 4))

    def write(self, at, n, x):
        for k in range((n + 3) // 4):
            super().write(256 * k + 4 * self.lane, min(4, n), x >> 32 * k)


def scratch(t):
    _, what, kind = t.name.split("_", 2)
    for lane in t.lanes:
        if what == "load":
            load(t, Rows(t, lane), 0, lane, kind, 16)
        else:
            store(t, Rows(t, lane), 0, lane, kind, 4)
    return True


def permute(t):
    """Each lane's address is that of the lane opposite; the offset is all lanes."""
    for lane in t.lanes:
        other = LANES - 1 - lane
        t.set_vgpr(16, 1, lane, t.vgpr(4, 1, other) if other in t.lanes else 0)
    return True


def scalar_memory(t):
    m = re.fullmatch(r"s_(buffer_|scratch_)?(load|store)_dword(?:x(\d+))?", t.name)
    if not m or m[1] == "scratch_":
        return False
    memory = Memory(t, t.DATA)
    for k in range(int(m[3] or 1)):
        if m[2] == "load":
            t.set_sgpr(16 + k, 1, memory.read(4 * k, 4))
        else:
            memory.write(4 * k, 4, t.sgpr(16 + k, 1))
    return True
