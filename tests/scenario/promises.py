#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What policies promise, on minutes of load on the simulated GPU.

    promises.py GPREEMPT SCENARIOS_FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

STREAM = """
[scenario]
policy = edf
duration = 60s

[class stream]
deadline = 500ms
arrival = closed 2
kernel = 5ms

[class tight]
deadline = 20ms
arrival = poisson 10/s
kernel = 2ms
"""


def p99_of(result):
    """Infinite if the class falls behind for ever."""
    p99 = result["latency_ns"]["p99"]
    return float("inf") if p99 is None else p99


def run(gpreempt, text):
    """The classes of a run, by name."""
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as f:
        f.write(text)
        f.flush()
        r = subprocess.run([gpreempt, "sim", "run", f.name, "--json", "--quiet"], text=True,
                           stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return {c["name"]: c for c in json.loads(r.stdout)["classes"]}


def mlfq(gpreempt, folder):
    """Interactive work has at most 1.1 times the p99 that it has under fair."""
    with open(os.path.join(folder, "mlfq.scn"), encoding="utf-8") as f:
        text = f.read().replace("duration = 2s", "duration = 60s")
    assert "duration = 60s" in text
    p99 = {policy: p99_of(run(gpreempt, text.replace("policy = mlfq", f"policy = {policy}"))
                          ["editor"]) for policy in ("mlfq", "fair", "prio")}
    print("p99 of interactive work:", p99)
    # prio, to which all are equal, is the control: the load is one that needs a policy.
    return p99["mlfq"] <= 1.1 * p99["fair"] < p99["prio"]


def edf(gpreempt, _folder):
    """A stream that never idles does not keep tight requests from their deadline."""
    tight = run(gpreempt, STREAM)["tight"]
    control = run(gpreempt, STREAM.replace("deadline = 20ms", "deadline = 10s"))["tight"]
    print("p99 of tight requests:", p99_of(tight), "with a loose deadline:", p99_of(control))
    return (tight["completed"] >= tight["requests"] - 1 > 500
            and p99_of(tight) <= 20e6 < p99_of(control))


if __name__ == "__main__":
    broken = [p.__name__ for p in (mlfq, edf) if not p(*sys.argv[1:])]
    print("broken promises:", ", ".join(broken) or "none")
    sys.exit(1 if broken else 0)
