#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The decoder against LLVM's: test_disasm.py DISASM ARCH CODE_OBJECT

Every instruction of the compiled kernels has the same text. Of random words, what LLVM refuses is
refused; a few in a thousand are not, of opcodes and bits that no compiler writes, and the bound on
them is part of the test. The other way round more is refused than LLVM does: registers that are
not aligned, formats that are not executed.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

NR_WORDS = 6000
MAX_ACCEPTED = NR_WORDS * 4 // 1000
MAX_OTHER_TEXT = NR_WORDS * 2 // 1000
MC = ["llvm-mc-19", "--disassemble", "-triple=amdgcn-amd-amdhsa"]
# What begins each format, and how many bits follow.
FORMATS = [(0x7E000000, 25), (0x7C000000, 25), (0, 31), (0xD0000000, 26), (0xD3800000, 23),
           (0xD8000000, 26), (0xDC000000, 26), (0xE0000000, 26), (0xC0000000, 26),
           (0xBE800000, 23), (0xBF000000, 23), (0xBF800000, 23), (0xB0000000, 28),
           (0x80000000, 30)]
# What Debian's libraries have and these kernels do not: buffer_wbl2 with bits that are not written.
SEEN = [(0xE0A0C000, 0)]
NOP, MARK = 0xBF800000, 0xBF8003E7


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(command, text):
    return subprocess.run(command, input=text, check=False, capture_output=True, text=True)


def lines(out):
    return [s.strip() for s in out.splitlines() if s.strip() not in ("", ".text")]


def hex_bytes(data):
    return " ".join(f"0x{b:02x}" for b in data) + "\n"


def compare_code(disasm, arch, path):
    with tempfile.TemporaryDirectory() as tmp:
        code = os.path.join(tmp, "text")
        subprocess.run(["llvm-objcopy-19", "-O", "binary", "--only-section=.text", path, code],
                       check=True)
        with open(code, "rb") as f:
            want = lines(run([*MC, f"-mcpu={arch}"], hex_bytes(f.read())).stdout)
        got = run([disasm, arch, code], "").stdout.splitlines()
    bad = [(w, g) for w, g in zip(want, got) if w != g]
    for w, g in bad[:10]:
        print(f"LLVM: {w}\nhere: {g}")
    print(f"{arch}: {len(want)} instructions of kernels, {len(bad)} differ")
    return len(want) != len(got) or bad or len(want) < 1000


def random_words(rng):
    for _ in range(NR_WORDS):
        first, bits = rng.choice(FORMATS)
        yield first | rng.getrandbits(bits), rng.getrandbits(32) & rng.getrandbits(32)


def as_llvm(arch, words):
    """What LLVM says to each pair of words, None if it refuses the first."""
    pairs = [b"".join(w.to_bytes(4, "little") for w in p) for p in words]
    text = "".join(hex_bytes(p) + hex_bytes(NOP.to_bytes(4, "little")) +
                   hex_bytes(MARK.to_bytes(4, "little")) for p in pairs)
    r = run([*MC, f"-mcpu={arch}"], text)
    refused = {int(s.split(":")[1]) // 3 for s in r.stderr.splitlines()
               if s.startswith("<stdin>:") and s.split(":")[2] == "1"
               and int(s.split(":")[1]) % 3 == 1}
    said, current = [], []
    for line in lines(r.stdout):
        if line == "s_nop 0x3e7":
            said.append(current)
            current = []
        else:
            current.append(line)
    if len(said) != len(words):
        return None
    return [None if k in refused or not s or "/*Invalid" in s[0] else s[0]
            for k, s in enumerate(said)]


def compare_words(disasm, arch):
    words = list(random_words(random.Random(7)))
    got = run([disasm, arch], "".join(f"{a:x} {b:x}\n" for a, b in words)).stdout.splitlines()
    accepted = other = compared = 0
    for at in range(0, NR_WORDS, 100):
        want = as_llvm(arch, words[at:at + 100])
        for w, g in zip(want or [], got[at:at + 100]):
            compared += 1
            accepted += w is None and g != "-"
            other += w is not None and g not in ("-", w)
    print(f"{arch}: {compared} pairs of random words, {accepted} accepted that LLVM refuses, "
          f"{other} with another text")
    return accepted > MAX_ACCEPTED or other > MAX_OTHER_TEXT or compared < NR_WORDS // 2


def compare_seen(disasm, arch):
    text = "".join(f"{a:x} {b:x}\n" for a, b in SEEN)
    want, got = as_llvm(arch, SEEN), run([disasm, arch], text).stdout.splitlines()
    print(f"{arch}: {len(SEEN)} words of libraries: {got}")
    return want != got


def main():
    disasm, arch, path = sys.argv[1:4]
    if not shutil.which("llvm-mc-19") or not shutil.which("llvm-objcopy-19"):
        skip("no LLVM 19")
    if not os.path.exists(path):
        skip("no code object (no compiler for the GPU when this was built)")
    bad = [compare_code(disasm, arch, path), compare_words(disasm, arch),
           compare_seen(disasm, arch)]
    sys.exit(1 if any(bad) else 0)


main()
