#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Weights and limits of cgroups are kept within 2 %, as the GPU of the simulator sees it.

    cgroups.py GPREEMPT SCENARIO
"""
import json
import os
import subprocess
import sys
import tempfile

POLICIES = ("prio", "fair", "slice", "edf", "laxity", "mlfq")

ONE = """[scenario]
gpu = mi300x
policy = {policy}
duration = 1s
[cgroup /limited]
max = 30000 100000
[class limited]
cgroup = /limited
priority = {priority}
arrival = closed 2
kernel = 5ms
[class free]
priority = 4
kernel = 1ms
arrival = closed 2
"""

MANY = """[scenario]
gpu = mi300x
policy = fair
duration = 2s
[params]
fair.granularity_ns = 500us
[cgroup /pods]
max = 500000 1000000
[cgroup /pods/*]
max = 1000 1000000
[class pods]
processes = 1000
cgroup = /pods/*
kernel = 20ms
[class free]
arrival = closed 2
kernel = 1ms
"""


def run(gpreempt, folder, text):
    path = os.path.join(folder, "s.scn")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    out = subprocess.run([gpreempt, "sim", "run", "--json", "--no-alone", path], check=True, text=True,
                         stdout=subprocess.PIPE)
    result = json.loads(out.stdout)
    assert result["lost"] == 0 and result["repeated"] == 0, result
    return result


def times(result):
    return {c["name"]: c["gpu_time_ns"] for c in result["classes"]}


def check(what, got, want):
    assert abs(got - want) <= 0.02, f"{what}: {got:.4f} of the time, not {want}"


def nested(gpreempt, folder, text):
    """3 : 1 at the top, 1 : 1 and 2 : 1 below, 1 : 1 : 1 below that, without the limit of the example."""
    ns = times(run(gpreempt, folder, text.replace("max = 20000 100000\n", "")))
    total = sum(ns.values())
    check("worker", ns["worker"] / total, 3 / 4)
    check("big", ns["big"] / total, 1 / 4 * 2 / 3)
    check("small", ns["small"] / total, 1 / 4 * 1 / 3)
    result = run(gpreempt, folder, text)
    ns = times(result)
    check("limited batch", (ns["big"] + ns["small"]) / result["virtual_ns"], 0.2)
    check("big of it", ns["big"] / (ns["big"] + ns["small"]), 0.6)


def main(gpreempt, scenario):
    with tempfile.TemporaryDirectory() as folder:
        with open(scenario, encoding="utf-8") as f:
            nested(gpreempt, folder, f.read())
        for policy in POLICIES:
            for priority in (2, 9):
                result = run(gpreempt, folder, ONE.format(policy=policy, priority=priority))
                got = times(result)["limited"] / result["virtual_ns"]
                # Under a stricter order it may have less.
                assert got <= 0.32, (policy, priority, got)
                if policy in ("fair", "slice", "mlfq") or priority == 9:
                    check(f"{policy} {priority}", got, 0.3)
        result = run(gpreempt, folder, MANY)
        check("1000 pods", times(result)["pods"] / result["virtual_ns"], 0.5)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
