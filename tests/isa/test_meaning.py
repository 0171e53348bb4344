#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_meaning.py MEANING ARCH: what each opcode does, said a second time.

MEANING executes opcodes one at a time on random registers and memory. What they leave is compared
with what is written here: integers of any length, fractions that are rounded once. Inactive lanes,
registers and memory that an opcode has no business with must not change. Of how many opcodes
nothing is said is printed, and bounded; with -v they are named. What is not decoded any more is
not executed: how many are right is bounded, too.
"""
import sys

from meaning_memory import lds, permute, scalar_memory, scratch, vmem
from meaning_scalar import branch, scalar_compare, scalar_k, scalar_one, scalar_two
from meaning_trial import LANES, execute, trials
from meaning_vector import (CARRY, approximate, division, lane_access, vector, vector_carry,
                            vector_compare, vector_near)

TRIALS = 24
# Opcodes of which nothing is said: matrices (test_matrix.py), hardware registers, ends and traps.
# The kernels of this folder and AMD's handler do much of that.
MOST_UNSAID = 64
LEAST_RIGHT = {"gfx90a": 902, "gfx942": 909}


def say(t):
    """Fills in what is wanted. Return: whether anything is known."""
    if t.format == "SOP2":
        return scalar_two(t)
    if t.format == "SOP1":
        return scalar_one(t)
    if t.format in ("SOPC", "SOPK"):
        return scalar_compare(t) if t.format == "SOPC" else scalar_k(t)
    if t.format == "SOPP":
        return branch(t)
    if t.name in ("v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32"):
        return lane_access(t)
    if t.format == "SMEM":
        return scalar_memory(t)
    if t.format == "SCRATCH":
        return scratch(t)
    if t.name in ("ds_permute_b32", "ds_bpermute_b32"):
        return permute(t)
    if t.format == "DS":
        return lds(t)
    if t.format in ("FLAT", "GLOBAL", "MUBUF"):
        return vmem(t)
    if t.format == "VOPC":
        return vector_compare(t)
    if t.name in CARRY:
        return vector_carry(t)
    if t.name.startswith("v_div_"):
        return division(t)
    if t.format in ("VOP1", "VOP2", "VOP3", "VOP3P") and approximate(t.name):
        return vector_near(t)
    return t.format in ("VOP1", "VOP2", "VOP3", "VOP3P") and vector(t)


def judge(t):
    """None: nothing is said of it; else whether it is right."""
    t.want[t.PC] = t.after[t.PC]
    if not say(t):
        return None
    return tuple(t.want) == t.after


def differences(t):
    for k, (want, got) in enumerate(zip(t.want, t.after)):
        if want != got:
            row = divmod(k - t.VGPR, LANES)
            yield f"{k} (v{row[0]} lane {row[1]}): {got:#x} instead of {want:#x}"


def main():
    meaning, arch = sys.argv[1:3]
    right, wrong, unsaid = set(), {}, set()
    for t in trials(execute(meaning, arch, TRIALS)):
        verdict = judge(t)
        if verdict is None:
            unsaid.add(t.name)
        elif verdict:
            right.add(t.name)
        else:
            wrong.setdefault(t.name, next(differences(t)))
    for name, text in sorted(wrong.items()):
        print(f"  {name}: {text}")
    print(f"{arch}: {len(right - set(wrong))} opcodes do what is said of them, {len(wrong)} do "
          f"not, of {len(unsaid)} nothing is said")
    if "-v" in sys.argv:
        print(" ".join(sorted(unsaid)))
    return bool(wrong) or len(unsaid) > MOST_UNSAID or len(right) < LEAST_RIGHT[arch]


if __name__ == "__main__":
    sys.exit(main())
