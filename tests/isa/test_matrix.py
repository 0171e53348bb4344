#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_matrix.py MATRIX ARCH: what each matrix opcode does, said a second time.

MATRIX executes them on random registers. What they leave is compared with D = A x B + C as it is
written here: the shape is taken from the name of the opcode, the place of each element from AMD's
matrix instruction calculator, the sum is exact and rounded after each k. Registers other than D
must not change. With wrong results in it the test must fail: one bit of each D is flipped, too.
"""
import re
import struct
import subprocess
import sys

from meaning_numbers import BF16, F16, F32, F64, M32, signed

LANES, ROWS = 64, 96
A, B, C, D = 4, 12, 32, 64
TRIAL = struct.Struct(f"<40s4B{ROWS * LANES}I{ROWS * LANES}I")
NAME = re.compile(r"v_mfma_(?:f32|i32|f64)_(\d+)x\d+x(\d+)_?(?:\d+b_)?(b?f\d\d|i8)(?:_1k)?")
BITS = {"f32": 32, "f16": 16, "bf16": 16, "i8": 8, "f64": 64}
# gfx942 has no bf16 without _1k.
RIGHT = {"gfx90a": 27, "gfx942": 22}


class Shape:
    """M rows of A, K columns, how many blocks, and where AMD's calculator puts elements."""

    def __init__(self, name, words):
        m = NAME.fullmatch(name)
        self.m, self.k, self.kind = int(m[1]), int(m[2]), m[3]
        self.regs = 2 if self.kind == "f64" else 1  # of an element of D
        self.blocks = words[0] // self.regs * LANES // self.m ** 2
        self.per_lane = self.m * self.k * self.blocks // LANES

    def source(self, i, k, b):
        """Lane and element of row i of A, or of column i of B."""
        return i + self.m * (b + self.blocks * (k // self.per_lane)), k % self.per_lane

    def result(self, i, j, b):
        """Register (of 64 bits for f64) and lane of an element of C and D."""
        if self.kind == "f64":
            return (i // 4, 16 * (i % 4) + j) if self.m == 16 else (0, 16 * i + 4 * b + j)
        if self.m == 32:
            return 16 * b + 4 * (i // 8) + i % 4, 32 * (i // 4 % 2) + j
        if self.m == 16:
            return 4 * b + i % 4, 16 * (i // 4) + j
        return i, 4 * b + j


class Trial:
    """One execution."""

    def __init__(self, blob, at):
        name, *rest = TRIAL.unpack_from(blob, at)
        self.name = name.rstrip(b"\0").decode()
        self.shape = Shape(self.name, rest[:4])
        self.before, self.after = rest[4:4 + ROWS * LANES], rest[4 + ROWS * LANES:]

    def element(self, row, lane, n):
        bits = BITS[self.shape.kind]
        if bits == 64:
            at = (row + 2 * n) * LANES + lane
            return self.before[at] | self.before[at + LANES] << 32
        per_word = 32 // bits
        word = self.before[(row + n // per_word) * LANES + lane]
        return word >> bits * (n % per_word) & (1 << bits) - 1

    def number(self, row, lane, n):
        x = self.element(row, lane, n)
        if self.shape.kind == "i8":
            return signed(x, 8)
        return {"f32": F32, "f16": F16, "bf16": BF16, "f64": F64}[self.shape.kind].value(x)

    def addend(self, reg, lane):
        at = (C + self.shape.regs * reg) * LANES + lane
        x = self.before[at]
        return x | self.before[at + LANES] << 32 if self.shape.regs == 2 else x

    def sum(self, products, c):
        if self.shape.kind == "i8":
            return c + sum(x * y for x, y in products) & M32
        f = F64 if self.shape.kind == "f64" else F32
        for x, y in products:
            c = f.round(x * y + f.value(c))
        return c


def wanted(t):
    """The registers as they should be."""
    s, want = t.shape, list(t.before)
    a = [[[t.number(A, *s.source(i, k, b)) for k in range(s.k)] for i in range(s.m)]
         for b in range(s.blocks)]
    c = [[[t.number(B, *s.source(j, k, b)) for k in range(s.k)] for j in range(s.m)]
         for b in range(s.blocks)]
    for b in range(s.blocks):
        for i in range(s.m):
            for j in range(s.m):
                reg, lane = s.result(i, j, b)
                x = t.sum(zip(a[b][i], c[b][j]), t.addend(reg, lane))
                at = (D + s.regs * reg) * LANES + lane
                want[at] = x & M32
                if s.regs == 2:
                    want[at + LANES] = x >> 32
    return want


def difference(want, got):
    """The first one as a text, or None."""
    for at, (x, y) in enumerate(zip(want, got)):
        if x != y:
            return f"v{at // LANES} lane {at % LANES}: {y:#x} instead of {x:#x}"
    return None


def execute(matrix, arch, name=None, env=None):
    command = [matrix, arch] + ([name] if name else [])
    blob = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env).stdout
    return [Trial(blob, at) for at in range(0, len(blob), TRIAL.size)]


def is_noticed(trials, before):
    """Whether what a changed opcode left is told from what should be, given the trials of it."""
    return not trials or any(difference(wanted(t), m.after) for t, m in zip(before, trials))


def main():
    matrix, arch = sys.argv[1:3]
    wrong, right = 0, 0
    for t in execute(matrix, arch):
        want = wanted(t)
        text = difference(want, t.after)
        flipped = list(t.after)
        flipped[D * LANES] ^= 1
        if not text and not difference(want, flipped):
            text = "a flipped bit is not seen"
        if text:
            print(f"  {t.name}: {text}")
        wrong, right = wrong + bool(text), right + (not text)
    print(f"{arch}: {right} matrix opcodes do what is said of them, {wrong} do not")
    return bool(wrong) or right < RIGHT[arch]


if __name__ == "__main__":
    sys.exit(main())
