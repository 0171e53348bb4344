#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gpreempt advise: three pairs of traces made by the simulator with noise; what is predicted is within
5 % of what the simulator finds for the pair itself, with the same arrivals, and that lies in the range
that is said, which is not so wide that it says nothing. When requests that waited
came is not in a trace: where they come at random the recording is longer, so that a p99 is not one
request. On the stock driver it hangs on few even so: of four seeds one is 16 % off, the others within 5.

    test_advise.py GPREEMPT
"""
import json
import os
import subprocess
import sys
import tempfile

import traces

WITHIN = 0.05
WIDEST = 1.4  # the end of a range by its begin

CLASSES = {
    "even": ("4s", traces.ONLINE.replace("1.97s", "3.95s"), traces.OFFLINE, lambda s: 1),
    "random": ("16s", """[class chat]
priority = 12
latency-critical = yes
start = 30ms
arrival = poisson 40/s
stop = 15.9s
mix = resnet18
""", """[class training]
priority = 2
arrival = closed 2
kernel = 300us fill 100%
kernel = 100us fill 100%
""", lambda s: 1),
    "bursts": ("4s", """[class search]
priority = 12
latency-critical = yes
start = 30ms
arrival = burst 3 every 90ms gap 9ms
stop = 3.9s
mix = mobilenet
""", """[class batch]
priority = 2
arrival = closed 2
kernel = 8ms fill 100%
""", lambda s: 1),
}


def truth(gpreempt, online, offline, duration):
    """{state: (p99, kept)} of the pair itself."""
    text, found = traces.scenario(online, offline, duration=duration), {}
    for state, mechanism in (("today", "none"), ("gpreempt", "cwsr")):
        a, b = traces.simulate(gpreempt, text, "--mechanism", mechanism)["classes"]
        found[state] = (a["latency_ns"]["p99"], b["throughput_per_s"] / b["alone_throughput_per_s"])
        found["alone"] = (a["alone_latency_ns"]["p99"], None)
    return found


def near(got, wanted):
    if got is None or wanted is None:
        return got is wanted
    return abs(got - wanted) <= WITHIN * wanted


def is_in(value, least, most):
    """null: what is not reached."""
    return (least is None) if value is None else least is not None and least <= value and (most is None or value <= most)


def in_range(got, p99, kept):
    return is_in(p99, got["p99_least_ns"], got["p99_most_ns"]) and (
        kept is None or is_in(kept, got["offline_kept_least"], got["offline_kept_most"]))


def is_narrow(got):
    least, most = got["p99_least_ns"], got["p99_most_ns"]
    return least is None or (most is not None and most <= WIDEST * least and
                             got["offline_kept_most"] <= max(WIDEST * got["offline_kept_least"], 0.02))


def check(name, gpreempt, duration, online, offline, fill):
    wanted = truth(gpreempt, online, offline, duration)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, (text, shape) in enumerate(((online, traces.fill_of), (offline, fill))):
            files.append(os.path.join(folder, f"{i}.csv"))
            with open(files[-1], "w", encoding="utf-8") as f:
                f.write(traces.rocprofv3_csv(traces.record(gpreempt, text, duration, shape)))
        out = subprocess.run([gpreempt, "advise", *files, "--json", "--quiet", "--runs", "5"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    found, failed = json.loads(out), 0
    for state, (p99, kept) in wanted.items():
        got = found[state]
        ok = near(got["p99_ns"], p99) and (kept is None or near(got["offline_kept"], kept))
        ok = ok and in_range(got, p99, kept) and is_narrow(got)
        # Control: what is far off would not be in it.
        ok = ok and (p99 is None or not in_range(got, p99 * 1.5, kept) and not in_range(got, p99 / 1.5, kept))
        failed += not ok
        print(f"{'pass' if ok else 'FAIL'} {name} {state}: p99 {got['p99_ns']} for {p99} in {got['p99_least_ns']} to "
              f"{got['p99_most_ns']}, offline keeps {got['offline_kept']:.3f} for {kept} in "
              f"{got['offline_kept_least']:.3f} to {got['offline_kept_most']:.3f}")
    return failed


def main(gpreempt):
    gpreempt = os.path.abspath(gpreempt)
    failed = sum(check(name, gpreempt, *pair) for name, pair in CLASSES.items())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
