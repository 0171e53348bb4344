#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Bad input: exit code 2, one line `gpreempt: <object>: <cause>`, nothing written.

    bad_input.py GPREEMPT
"""
import os
import re
import subprocess
import sys
import tempfile

GOOD = "[scenario]\ngpu = tiny\nduration = 1ms\n[class a]\nkernel = 10us\n"

# arguments ({} = the scenario), its text, the line on stderr after "gpreempt: "
USAGE = [
    (["sim"], GOOD, "sim: which command? run, compare, demo, import, list or params"),
    (["simm", "run"], GOOD, "simm: no such command; did you mean sim?"),
    (["sim", "comapre"], GOOD, "comapre: no such command; did you mean compare?"),
    (["sim", "run", "{}", "--mechanism", "cswr"], GOOD, "--mechanism: no 'cswr'; did you mean cwsr?"),
    (["sim", "run", "{}", "--polciy", "prio"], GOOD, "--polciy: no such option here; did you mean --policy?"),
    (["dance"], GOOD, "dance: no such command; try gpreempt --help"),
    (["sim", "dance"], GOOD, "dance: no such command; try gpreempt sim --help"),
    (["sim", "run"], GOOD, "sim run: takes one scenario file, not 0"),
    (["sim", "run", "{}", "{}"], GOOD, "sim run: takes one scenario file, not 2"),
    (["sim", "compare"], GOOD, "sim compare: takes one scenario file or more"),
    (["sim", "demo", "{}"], GOOD, "sim demo: takes no files; try --scenario"),
    (["sim", "list", "gpus"], GOOD, "gpus: one word too many"),
    (["sim", "run", "nowhere.scn"], GOOD, "nowhere.scn: No such file or directory"),
    (["sim", "run", "."], GOOD, ".: Is a directory"),
    (["sim", "run", "{}", "--fast"], GOOD, "--fast: no such option here, or too many values"),
    (["sim", "run", "{}", "-x"], GOOD, "-x: no such option here, or too many values"),
    (["sim", "compare", "{}", "--mechanism", "cwsr"], GOOD,
     "--mechanism: no such option here, or too many values"),
    (["sim", "run", "{}", "--seed"], GOOD, "--seed: needs a value"),
    (["sim", "run", "{}", "--seed", "-3"], GOOD,
     "--seed: '-3' is not a number from 0 to 9223372036854775807"),
    (["sim", "run", "{}", "--seed", "1x"], GOOD,
     "--seed: '1x' is not a number from 0 to 9223372036854775807"),
    (["sim", "run", "{}", "--duration", "soon"], GOOD,
     "--duration: 'soon' is not a duration such as 20ms"),
    (["sim", "run", "{}", "--duration", "2h"], GOOD,
     "s.scn: duration: out of range, 1us to 1h"),
    (["sim", "run", "{}", "--gpu", "h100"], GOOD, "--gpu: no 'h100'; see gpreempt sim list"),
    (["sim", "run", "{}", "--policy", "best"], GOOD,
     "--policy: no 'best'; see gpreempt sim list"),
    (["sim", "run", "{}", "--mechanism", "magic"], GOOD,
     "--mechanism: no 'magic'; see gpreempt sim list"),
    (["sim", "run", "{}", "--detect", "luck"], GOOD,
     "--detect: no 'luck'; see gpreempt sim list"),
    (["sim", "run", "{}", "--detect", "manual"], GOOD,
     "s.scn: detection mode manual needs a trigger in [costs]"),
    (["sim", "compare", "{}", "nowhere.scn"], GOOD, "nowhere.scn: No such file or directory"),
]

TEXTS = [
    ("", "s.scn: no [class]"),
    ("[class a]\nkernel = 1ms\nspeed = 9\n", "s.scn:3: no key 'speed' here"),
    ("[class a]\nkernel = 1ms\nprioritty = 9\n", "s.scn:3: no key 'prioritty' here; did you mean priority?"),
    ("\ufeff[scenaro]\n[class a]\nkernel = 1ms\n", "s.scn:1: no section [scenaro]; did you mean scenario?"),
    ("[class a]\nkernel = -1ms\n", "s.scn:2: kernel: '-1ms' is not a duration such as 20ms"),
    ("[class a]\n", "s.scn:1: class 'a' has no kernel"),
    ("\x00", "s.scn:1: control character 0x00"),
    ("[class a]\nkernel = 1ms\n\x1b[31m\n", "s.scn:3: control character 0x1b"),
    ("#" * 5000, "s.scn:1: line longer than 1023 bytes"),
    ("[params]\nmin_run_ns = 99999999999999999999\n",
     "s.scn:2: min_run_ns: 99999999999999999999 is out of range, 0 to 10000000000"),
    ("[scenario]\ngpu = tiny\n[class a]\nkernel = 1ms size 1024 vgprs 512\n",
     "s.scn: class a: kernel 1: a workgroup of 1024 with 512 vgprs does not fit a CU of tiny"),
]

WAYS = [
    ["sim", "run", "{}", "--trace", "out.json"],
    ["sim", "run", "--json", "--trace", "out.json", "{}"],
    ["sim", "compare", "{}"],
    ["sim", "demo", "--out", "out", "--scenario", "{}"],
]


def check(gpreempt, args, text, message):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "s.scn"), "w", encoding="utf-8") as f:
            f.write(text)
        r = subprocess.run([gpreempt] + [a.replace("{}", "s.scn") for a in args], cwd=folder,
                           text=True, stdin=subprocess.DEVNULL, capture_output=True)
        left = sorted(os.listdir(folder))
    # Without column, and the line that it is about: the unit test of the parser has these.
    said = re.sub(r"^(gpreempt: s\.scn:\d+):\d+:", r"\1:", r.stderr)
    said = re.sub(r"(?m)^    .*\n", "", said)
    got = (r.returncode, r.stdout, said, left)
    want = (2, "", f"gpreempt: {message}\n", ["s.scn"])
    if got != want:
        print(f"{args}\n  want {want}\n  got  {got}")
    return got == want


def check_unwritable(gpreempt):
    """Not the input's fault: exit code 1, one line, no results."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "s.scn"), "w", encoding="utf-8") as f:
            f.write(GOOD)
        r = subprocess.run([gpreempt, "sim", "run", "s.scn", "--trace", "no/out.json"], cwd=folder,
                           text=True, stdin=subprocess.DEVNULL, capture_output=True)
    got = (r.returncode, r.stdout, r.stderr)
    want = (1, "", "gpreempt: no/out.json: No such file or directory\n")
    if got != want:
        print(f"unwritable trace\n  want {want}\n  got  {got}")
    return got == want


def main(gpreempt):
    gpreempt = os.path.abspath(gpreempt)
    results = [check(gpreempt, *case) for case in USAGE]
    results += [check(gpreempt, way, *case) for case in TEXTS for way in WAYS]
    results.append(check_unwritable(gpreempt))
    print(f"{sum(results)} of {len(results)} as they should be")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
