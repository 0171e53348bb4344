#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Gangs in the simulator: eight GPUs, ranks that meet at a barrier every millisecond or so.

    gangs.py GPREEMPT [--switches N]

For every policy, two gangs and five gangs are run until gangs were taken off all their GPUs N
times (40; the long run is 10000). No rank may wait at its barrier for one that is off its GPU
for longer than one switch of a GPU takes, no gang may be partly off for longer than that, and
nothing may be lost. The same with `gangs = no` is the control: under
policies that take turns by GPU, ranks wait for each other for whole turns.
"""
import argparse
import json
import subprocess
import sys
import tempfile

GPUS = 8
# Gangs are taken off at least so often in a second of virtual time, by policy; fair takes longer
# turns with the number of gangs.
PER_SECOND = {"prio": 150, "fair": 80, "slice": 80, "edf": 80, "laxity": 80, "mlfq": 50}
# Policies under which GPUs that decide by themselves are seen to drift apart.
DRIFT = {2: ("fair", "mlfq", "edf"), 5: ("fair", "mlfq", "edf", "laxity")}

SCENARIO = """[scenario]
gpu = mi300x
gpus = {gpus}
duration = {ms}ms
policy = {policy}
gangs = {known}
[params]
mlfq.slice_ns = 1ms
[class train]
gang = yes
processes = {gangs}
deadline = 20ms
kernel = 1ms to 1200us
kernel = barrier
"""


def run(gpreempt, policy, gangs, ms, known):
    text = SCENARIO.format(gpus=GPUS, ms=ms, policy=policy, gangs=gangs, known=known)
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as f:
        f.write(text)
        f.flush()
        r = subprocess.run([gpreempt, "sim", "run", f.name, "--json", "--quiet", "--no-alone"],
                           text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if r.returncode or r.stderr:
        raise SystemExit(f"{policy}, {gangs} gangs: exit code {r.returncode}: {r.stderr}")
    return json.loads(r.stdout)


def faults(result, switches):
    g = result["gangs"]
    if g["taken_off"] < switches:
        yield f"taken off {g['taken_off']} times, not {switches}"
    if g["stall_max_ns"] > g["switch_max_ns"]:
        yield f"a rank waited {g['stall_max_ns']} ns for one that was off"
    if g["split_max_ns"] > g["switch_max_ns"]:
        yield f"a gang was partly off for {g['split_max_ns']} ns"
    if result["lost"] or result["repeated"] or result["stopped"]:
        yield f"lost {result['lost']}, repeated {result['repeated']}, {result['stopped']}"
    if g["late"] or g["made_room"]:
        yield f"late {g['late']}, made room {g['made_room']} times"


def show(what, result):
    g = result["gangs"]
    print(f"{what}: taken off {g['taken_off']}, met {g['barriers']}, longest split "
          f"{g['split_max_ns'] / 1000:.1f} us, longest stall {g['stall_max_ns'] / 1000:.1f} us, "
          f"longest switch {g['switch_max_ns'] / 1000:.1f} us", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpreempt")
    parser.add_argument("--switches", type=int, default=40)
    o = parser.parse_args()
    ok = True
    for gangs in (2, 5):
        for policy, rate in PER_SECOND.items():
            ms = max(500, o.switches * 1000 // rate)
            result = run(o.gpreempt, policy, gangs, ms, "yes")
            show(f"{policy}, {gangs} gangs", result)
            for fault in faults(result, o.switches):
                print(f"  {fault}")
                ok = False
            if policy not in DRIFT[gangs]:
                continue
            control = run(o.gpreempt, policy, gangs, 500, "no")
            show(f"{policy}, {gangs} gangs, control", control)
            if control["gangs"]["stall_max_ns"] < 10 * control["gangs"]["switch_max_ns"]:
                print("  the control does not stall")
                ok = False
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
