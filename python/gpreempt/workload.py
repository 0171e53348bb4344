# SPDX-License-Identifier: MIT
"""Workloads: simulated processes on a simulated device under a real daemon; arrival patterns.

What is simulated: the GPU (device.py) and the processes that use it. What is real: the daemon,
its scheduling core, its sockets, leases and timers, and the time that passes.
"""
import contextlib
import dataclasses
import gc
import math
import random
import select
import threading
import time
from typing import List

from . import wire
from .client import SimClient
from .device import Device

MS = 1_000_000
STARVED_NS = 5 * MS


def periodic(period_s, seconds, offset_s=0.0):
    """Times from the begin, in seconds."""
    at = offset_s
    while at < seconds:
        yield at
        at += period_s


def poisson(rate, seconds, seed=1):
    """Independent requests, so many a second on average."""
    rng = random.Random(seed)
    at = rng.expovariate(rate)
    while at < seconds:
        yield at
        at += rng.expovariate(rate)


def bursts(size, gap_s, seconds, within_s=0.0):
    """size requests at once (or within_s apart), every gap_s."""
    at = 0.0
    while at < seconds:
        for i in range(size):
            if at + i * within_s < seconds:
                yield at + i * within_s
        at += gap_s


class SimProcess:
    """A client with one queue on a device; a thread obeys the daemon at once."""

    def __init__(self, path, device, name, gpu_id=1, answer=wire.OK, **wishes):
        self.device, self.name, self.gpu_id = device, name, gpu_id
        self._lock = threading.RLock()
        self._end = threading.Event()
        self.queue = device.queue(name, self._idle)
        self.client = SimClient(path, comm=name, on_change=self._level, answer=answer, **wishes)
        self.client.add_queue(gpu_id, 1)
        self._thread = threading.Thread(target=self._obey, name=f"client-{name}", daemon=True)
        self._thread.start()

    @property
    def pid(self):
        return self.client.pid

    @property
    def done(self):
        return self.queue.done

    def submit(self, length_ns):
        """A kernel; tells the edge to busy if it is one."""
        with self._lock:
            if self.device.submit(self.queue, length_ns):
                self.client.set_busy(True, self.gpu_id, 1)

    def _idle(self):
        with self._lock:
            # Work may have come since: then there was no edge.
            if not self.queue.waiting and self.client.queues[self.gpu_id, 1]["busy"]:
                self.client.set_busy(False, self.gpu_id, 1)
            elif self.queue.waiting and not self.client.queues[self.gpu_id, 1]["busy"]:
                self.client.set_busy(True, self.gpu_id, 1)

    def _level(self, client):
        self.device.set_stopped(self.queue, client.is_stopped(self.gpu_id, 1))

    def _obey(self):
        while not self._end.is_set():
            with self._lock:
                self.client.pump()
                if not self.client.connected:
                    return
                until_ns = self.client.holds.next_end_ns()
            patience = 0.05
            if until_ns is not None:
                patience = min(patience, max(0.0, (until_ns - time.monotonic_ns()) / 1e9))
            select.select([self.client], [], [], patience)

    def drain(self, timeout_s):
        return self.device.drain(self.queue, timeout_s)

    def close(self):
        """Ends, or dies: the daemon sees no difference."""
        self._end.set()
        self._thread.join()
        self.client.close()
        self.device.forget(self.queue)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def submit_at(process, arrivals, length_ns, begin_s=None, stop=None):
    """Submit a kernel at each time. length_ns: a number, or a function without arguments."""
    begin_s = time.monotonic() if begin_s is None else begin_s
    stop = stop or threading.Event()
    for at in arrivals:
        if stop.wait(max(0.0, begin_s + at - time.monotonic())):
            return
        process.submit(length_ns() if callable(length_ns) else length_ns)


def keep_busy(process, length_ns, seconds, depth=2):
    """A closed loop: always `depth` kernels submitted, for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        while len(process.queue.waiting) < depth:
            process.submit(length_ns)
        time.sleep(0.001)


def percentile(values, part):
    """The smallest value that so many (0..1) are not above; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    return ordered[max(0, math.ceil(len(ordered) * part) - 1)]


@dataclasses.dataclass
class PairResult:
    """Online beside offline."""
    seconds: float
    online: List
    offline: List
    offline_ran_ns: int
    pieces: List
    nr_stopped: int
    begin_ns: int
    nr_submitted: int = 0
    orders: List = dataclasses.field(default_factory=list)
    drained: bool = True
    late_ns: List = dataclasses.field(default_factory=list)
    answer_ns: List = dataclasses.field(default_factory=list)

    def latencies_ns(self):
        return [k.latency_ns for k in self.online]

    def p(self, part):
        return percentile(self.latencies_ns(), part)

    def offline_share(self):
        """Part of the time that was offline's."""
        return self.offline_ran_ns / (self.seconds * 1e9)

    def is_starved(self):
        """The machine had so little time for this that latencies say nothing of the daemon."""
        return percentile(self.late_ns, 0.95) > STARVED_NS if self.late_ns else False

    def wrong(self):
        """Kernels that did not run for exactly as long as they are: lost or repeated work."""
        return [k for k in self.online + self.offline if k.ran_ns != k.length_ns]


@contextlib.contextmanager
def no_collection():
    """Looking at all objects of a large program stops all its threads for 50 ms."""
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def run_pair(path, seconds=2.0, online_ns=2 * MS, arrivals=None, offline_ns=200 * MS,
             online_priority=12, offline_priority=2, switch_ns=100_000, drain_s=20.0,
             gpu_id=1):
    """Online requests (every 20 ms if nothing else is said) beside an offline closed loop."""
    arrivals = periodic(0.02, seconds, 0.005) if arrivals is None else arrivals
    with no_collection(), Device(switch_ns) as device, \
            SimProcess(path, device, "offline", gpu_id, priority=offline_priority) as offline, \
            SimProcess(path, device, "online", gpu_id, priority=online_priority) as online:
        begin_ns = time.monotonic_ns()
        feeder = threading.Thread(target=keep_busy, args=(offline, offline_ns, seconds),
                                  daemon=True)
        feeder.start()
        times = list(arrivals)
        submit_at(online, times, online_ns, begin_ns / 1e9)
        feeder.join()
        end_ns = time.monotonic_ns()
        drained = online.drain(drain_s) and offline.drain(drain_s)
        ran_ns = sum(min(p.end_ns, end_ns) - p.begin_ns for p in device.pieces
                     if p.name == "offline" and p.begin_ns < end_ns)
        seconds = (end_ns - begin_ns) / 1e9
        return PairResult(seconds, list(online.done), list(offline.done), ran_ns,
                          list(device.pieces), device.nr_stopped, begin_ns, len(times),
                          list(offline.client.orders), drained, list(device.late_ns),
                          offline.client.answer_ns + online.client.answer_ns)
