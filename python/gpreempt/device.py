# SPDX-License-Identifier: MIT
"""A GPU of the simplest kind, in real time: one kernel at a time, queues in turn.

A queue that is stopped keeps what its kernel has done and goes on from there: this is what saving
and restoring waves does. Without that a kernel runs to its end, whatever waits: this is what makes
sharing a GPU slow, in its worst form. Every kernel is booked: how long it ran, in how many pieces.
"""
import collections
import dataclasses
import threading
import time
from typing import Any


@dataclasses.dataclass
class Kernel:
    """Times are of time.monotonic_ns()."""
    length_ns: int
    submitted_ns: int
    owner: Any = None
    started_ns: int = 0
    ended_ns: int = 0
    ran_ns: int = 0
    pieces: int = 0

    @property
    def latency_ns(self):
        return self.ended_ns - self.submitted_ns


@dataclasses.dataclass(frozen=True)
class Piece:
    """One process was on the GPU without a break."""
    name: str
    begin_ns: int
    end_ns: int


class DeviceQueue:
    """Made by Device.queue(). on_idle() is called when all its work is done."""

    def __init__(self, name, on_idle):
        self.name, self.on_idle = name, on_idle
        self.waiting = collections.deque()
        self.done = []
        self.stopped = False
        self.wait_since_ns = None


class Device:
    """The thread that is the GPU.

    switch_ns: what stopping a running kernel costs. keep_pieces: how many to remember. late_ns:
    how much later than it should each kernel was seen to end; the machine's fault, not a model's.
    """

    def __init__(self, switch_ns=100_000, keep_pieces=None):
        self.switch_ns = switch_ns
        self.pieces = collections.deque(maxlen=keep_pieces)
        self.nr_stopped = 0
        self.late_ns = []
        self._cond = threading.Condition()
        self._queues = []
        self._running = None
        self._since_ns = 0
        self._free_ns = 0
        self._end = False
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._thread.start()

    def queue(self, name, on_idle=lambda: None):
        q = DeviceQueue(name, on_idle)
        with self._cond:
            self._queues.append(q)
        return q

    def submit(self, q, length_ns, owner=None):
        """True if the queue had no work before: the edge to busy."""
        with self._cond:
            was_idle = not q.waiting
            q.waiting.append(Kernel(length_ns, time.monotonic_ns(), owner))
            self._cond.notify_all()
        return was_idle

    def set_stopped(self, q, stopped):
        """Returns when it is so: a kernel that ran is saved then."""
        with self._cond:
            if stopped == q.stopped:
                return
            q.stopped = stopped
            if stopped and self._running is q:
                now_ns = time.monotonic_ns()
                self._book(now_ns)
                self.nr_stopped += 1
                self._free_ns = now_ns + self.switch_ns
            self._cond.notify_all()

    def drain(self, q, timeout_s):
        """Wait until a queue has no work. False if it takes too long."""
        with self._cond:
            return self._cond.wait_for(lambda: not q.waiting, timeout_s)

    def forget(self, q):
        """Its process died: what it had is gone."""
        with self._cond:
            if self._running is q:
                self._book(time.monotonic_ns())
            q.waiting.clear()
            if q in self._queues:
                self._queues.remove(q)
            self._cond.notify_all()

    def close(self):
        with self._cond:
            self._end = True
            self._cond.notify_all()
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _book(self, now_ns):
        """The queue on the GPU leaves it."""
        q, self._running = self._running, None
        kernel = q.waiting[0]
        ran_ns = min(now_ns - self._since_ns, kernel.length_ns - kernel.ran_ns)
        kernel.ran_ns += ran_ns
        kernel.pieces += 1
        self.pieces.append(Piece(q.name, self._since_ns, self._since_ns + ran_ns))

    def _pick(self, now_ns):
        """The first that may run; it goes to the end of the line when its kernel is done."""
        for q in self._queues:
            if q.waiting and not q.stopped:
                self._running, self._since_ns = q, now_ns
                if not q.waiting[0].started_ns:
                    q.waiting[0].started_ns = now_ns
                return

    def _finish(self, now_ns):
        """The kernel on the GPU is over. Returns the queue if that was all its work."""
        q = self._running
        self._book(now_ns)
        kernel = q.waiting.popleft()
        kernel.ended_ns = now_ns
        q.done.append(kernel)
        self._queues.remove(q)
        self._queues.append(q)
        self._cond.notify_all()
        return None if q.waiting else q

    def _step(self):
        """What is due now. (queue that became idle or None, seconds until the next thing)."""
        now_ns = time.monotonic_ns()
        if self._running:
            kernel = self._running.waiting[0]
            left_ns = kernel.length_ns - kernel.ran_ns - (now_ns - self._since_ns)
            if left_ns > 0:
                return None, left_ns / 1e9
            self.late_ns.append(-left_ns)
            idle = self._finish(now_ns)
            return idle, 0
        if now_ns < self._free_ns:
            return None, (self._free_ns - now_ns) / 1e9
        self._pick(now_ns)
        return None, 0 if self._running else None

    def _run(self):
        while True:
            with self._cond:
                if self._end:
                    return
                idle, wait_s = self._step()
                if not idle and wait_s != 0:
                    self._cond.wait(wait_s)
            if idle:
                idle.on_idle()
