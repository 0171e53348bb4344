#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""OFF_DONE of sim compare is the mean of what each offline class keeps, however long its requests are.

    off_done.py GPREEMPT
"""
import json
import os
import subprocess
import sys
import tempfile

SCENARIO = """[scenario]
gpu = tiny
duration = 100ms
[class online]
priority = 12
arrival = uniform every 5ms
kernel = 1ms
[class short]
priority = 3
kernel = 50us
[class long]
priority = 1
kernel = 4ms
"""


def column(text, name):
    """{(mechanism, detection): cell} of a table."""
    lines = [line for line in text.splitlines() if line]
    first = next(i for i, line in enumerate(lines) if line.startswith("MECHANISM"))
    end = lines[first].index(name) + len(name)
    return {tuple(line.split()[:2]): line[:end].split("  ")[-1].strip() for line in lines[first + 1:]}


def main(gpreempt):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.scn")
        with open(path, "w", encoding="utf-8") as f:
            f.write(SCENARIO)
        outputs = [subprocess.run([gpreempt, "sim", "compare", path, "--quiet", *option], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout for option in ([], ["--json"])]
    shown, differs = column(outputs[0], "OFF_DONE"), False
    runs = json.loads(outputs[1])
    alone = {c["name"]: c["alone_throughput_per_s"] for c in runs[0]["classes"]}
    for run in runs:
        done = {c["name"]: c["throughput_per_s"] for c in run["classes"]}
        mean = sum(done[n] / alone[n] for n in ("short", "long")) / 2
        total = (done["short"] + done["long"]) / (alone["short"] + alone["long"])
        assert shown[run["mechanism"], run["detect"] or "-"] == f"{100 * mean:.1f} %", (run["mechanism"], shown, mean)
        differs |= abs(mean - total) > 0.05
    # A sum of requests would have said something else.
    assert differs
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
