# SPDX-License-Identifier: MIT
"""A load that lasts, to look at with `gpreempt top`, `monitor` and `metrics` where there is no GPU.

    python3 -m gpreempt.live [-s SOCKET] [-n SECONDS]

Three simulated processes on node 1 of a daemon that runs with --sim (without -s one is started): an
inference server (priority 12) that gets requests, a training job (3) and a batch job (1) that
always have work. Ends with Ctrl-C, or after SECONDS.
"""
import argparse
import contextlib
import random
import threading
import time

from .daemon import Daemon
from .device import Device
from .workload import MS, SimProcess

REQUEST_MS, PERIOD_S = 6, 0.05
KERNELS = {"train.py": 40, "batch-etl": 15}
AHEAD = 20  # for longer than the longest pause between two looks; a server takes no more either
PRIORITIES = {"vllm": 12, "train.py": 3, "batch-etl": 1}


def keep_busy(process, length_ms):
    """Some kernels ahead, as a program that does not wait for its results."""
    while len(process.queue.waiting) < AHEAD:
        process.submit(length_ms * MS)


def forget(device, processes):
    """What a test would look at afterwards: it would grow as long as the load lasts."""
    device.late_ns.clear()
    for process in processes.values():
        process.done.clear()
        process.client.orders.clear()
        process.client.answer_ns.clear()


def run(path, seconds=None, stop=None):
    """Until so long, or until the event stop is set. Gives the number of requests that were sent."""
    rng, nr = random.Random(1), 0
    stop = stop or threading.Event()
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(Device(keep_pieces=0))
        processes = {name: stack.enter_context(contextlib.closing(SimProcess(path, device, name, priority=priority)))
                     for name, priority in PRIORITIES.items()}
        end = None if seconds is None else time.monotonic() + seconds
        while not stop.is_set() and (end is None or time.monotonic() < end):
            for name, length_ms in KERNELS.items():
                keep_busy(processes[name], length_ms)
            # Where nothing is preempted for a time it would never catch up.
            if len(processes["vllm"].queue.waiting) < AHEAD:
                processes["vllm"].submit(REQUEST_MS * MS)
                nr += 1
            forget(device, processes)
            stop.wait(rng.expovariate(1 / PERIOD_S))
    return nr


def main():
    parser = argparse.ArgumentParser(prog="gpreempt.live", description=__doc__.splitlines()[0])
    parser.add_argument("-s", "--socket", help="of a daemon that runs with --sim")
    parser.add_argument("-n", "--seconds", type=float, help="end after so long")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        path = options.socket or stack.enter_context(Daemon(1)).path
        print(f"GPREEMPT_SOCKET={path} gpreempt top", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            run(path, options.seconds)


if __name__ == "__main__":
    main()
