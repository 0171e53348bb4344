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


def slices(gpreempt, _folder):
    """64 tenants: switches leave nearly all of the GPU, in equal shares, whatever the kernels."""
    text = "[scenario]\npolicy = slice\nduration = 3s\n"
    for i, us in enumerate((50, 100, 200, 500, 1000, 5000, 20000, 50000)):
        text += f"[class t{i}]\nprocesses = 8\narrival = closed 2\nkernel = {us}us\n"
    gpu_ns = [c["gpu_time_ns"] for c in run(gpreempt, text).values()]
    mean = sum(gpu_ns) / len(gpu_ns)
    print("64 tenants: used", sum(gpu_ns) / 3e9, "shares", [round(ns / mean, 3) for ns in gpu_ns])
    return sum(gpu_ns) >= 0.94 * 3e9 and all(abs(ns / mean - 1) <= 0.05 for ns in gpu_ns)


if __name__ == "__main__":
    broken = [p.__name__ for p in (mlfq, edf, slices) if not p(*sys.argv[1:])]
    print("broken promises:", ", ".join(broken) or "none")
    sys.exit(1 if broken else 0)
