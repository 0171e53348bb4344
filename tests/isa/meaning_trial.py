# SPDX-License-Identifier: MIT
"""What the program meaning writes: one execution of an opcode, before and after."""
import struct
import subprocess

from meaning_numbers import M32

LANES, ROWS = 8, 36
STATE = struct.Struct(f"<32IQQIIQ{ROWS * LANES}I256I256I")
HEAD = struct.Struct("<40sII4BI")
FORMATS = ("SOP1 SOP2 SOPC SOPP SOPK SMEM VOP1 VOP2 VOPC VOP3 VOP3P DS FLAT SCRATCH GLOBAL "
           "MUBUF").split()
CODE = 0x7f0012440000  # where the instruction is


class Trial:
    """One execution: what was, what is, and what may have changed."""

    def __init__(self, blob, at):
        name, self.format, self.what, *self.words, self.why = HEAD.unpack_from(blob, at)
        self.name = name.rstrip(b"\0").decode()
        self.format = FORMATS[self.format]
        self.before = STATE.unpack_from(blob, at + HEAD.size)
        self.after = STATE.unpack_from(blob, at + HEAD.size + STATE.size)
        self.want = list(self.before)
        self.lanes = [k for k in range(LANES) if self.before[33] >> k & 1]

    SCC, M0, PC, VGPR, DATA, LDS = 34, 35, 36, 37, 37 + ROWS * LANES, 37 + ROWS * LANES + 256

    def sgpr(self, n, words):
        return self.before[n] | (self.before[n + 1] << 32 if words == 2 else 0)

    def set_sgpr(self, n, words, x):
        for k in range(words):
            self.want[n + k] = x >> 32 * k & M32

    def vgpr(self, n, words, lane):
        return sum(self.before[self.VGPR + (n + k) * LANES + lane] << 32 * k
                   for k in range(max(words, 1)))

    def set_vgpr(self, n, words, lane, x):
        for k in range(words):
            self.want[self.VGPR + (n + k) * LANES + lane] = x >> 32 * k & M32

    def sources(self, lane):
        return [self.vgpr(4 + 4 * k, w, lane) for k, w in enumerate(self.words[1:]) if w]


def trials(blob):
    size = HEAD.size + 2 * STATE.size
    return (Trial(blob, at) for at in range(0, len(blob), size))


def execute(meaning, arch, count, name=None, env=None):
    command = [meaning, arch, str(count)] + ([name] if name else [])
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env).stdout
