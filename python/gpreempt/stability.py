# SPDX-License-Identifier: MIT
"""Random clients for any length of time, with what must hold checked on the way.

Everything is decided by the seed but the time at which it happens.
"""
import random
import time

from . import wire
from .client import SimClient

CLIENTS_MAX = 12
LOOK_EVERY = 50
SAMPLE_S = 0.25


class Run:
    """for_seconds(), then finish()."""

    def __init__(self, path, handle, gpu_id, seed, daemon=None):
        self.path, self.handle, self.gpu_id, self.daemon = path, handle, gpu_id, daemon
        self.rng = random.Random(seed)
        self.clients = []
        self.held_since = {}
        self.held_ns = []
        self.disagreements = []
        self.dropped = []
        self.samples = []
        self.nr_actions = self.nr_holds = self.nr_looks = 0
        self.daemon_pid = handle.call("GetInfo")["pid"]
        self.begin = self.sampled = time.monotonic()
        self.memory = []

    def for_seconds(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._act()
            self._pump(self.rng.choice((0, 0, 0.001, 0.003)))
            if self.nr_actions % LOOK_EVERY == 0:
                self._look()
            self._sample()

    def _act(self):
        self.nr_actions += 1
        choice = self.rng.random()
        if not self.clients or (choice < 0.05 and len(self.clients) < CLIENTS_MAX):
            self._connect()
        elif choice < 0.08:
            self._die()
        elif choice < 0.11:
            client = self.rng.choice(self.clients)
            client.wanted = self.rng.randrange(16)
            self.handle.set_attributes(client.pid, priority=client.wanted)
        elif choice < 0.14:
            client = self.rng.choice(self.clients)
            client.add_queue(self.gpu_id)
        else:
            client = self.rng.choice(self.clients)
            gpu_id, queue_id = self.rng.choice(sorted(client.queues))
            client.set_busy(self.rng.random() < 0.5, gpu_id, queue_id)

    def _connect(self):
        priority = self.rng.randrange(16)
        client = SimClient(self.path, priority=priority)
        client.wanted = priority
        client.add_queue(self.gpu_id, 1)
        self.clients.append(client)

    def _die(self):
        client = self.clients.pop(self.rng.randrange(len(self.clients)))
        self.held_since.pop(client, None)
        client.close()

    def _pump(self, wait_s):
        if wait_s:
            time.sleep(wait_s)
        for client in self.clients:
            for order in client.pump():
                self._count(client, order)
            if not client.connected:
                self.dropped.append(client.bye or "without a word")
        self.clients = [c for c in self.clients if c.connected]

    def _count(self, client, order):
        if order.holder != wire.HOLDER_SCHED:
            return
        if order.kind == wire.HOLD:
            self.nr_holds += 1
            self.held_since.setdefault(client, order.time_ns)
        elif order.kind == wire.RELEASE and client in self.held_since:
            self.held_ns.append(order.time_ns - self.held_since.pop(client))

    def _view(self):
        return {c.pid: (len(c.queues), c.nr_busy(), c.wanted) for c in self.clients}

    def _look(self, timeout_s=5.0):
        """The daemon's list becomes what the clients know."""
        self.nr_looks += 1
        end = time.monotonic() + timeout_s
        ours = {c.pid for c in self.clients}
        while True:
            mine = self._view()
            theirs = {p.pid: (p.nr_queues, p.nr_busy, p.attributes.priority)
                      for p in self.handle.processes() if p.mechanism == "sim"}
            if mine == theirs:
                return
            if time.monotonic() > end or {c.pid for c in self.clients} != ours:
                self.disagreements.append(f"{mine} is not {theirs}")
                return
            self._pump(0.002)

    def _sample(self):
        now = time.monotonic()
        if now - self.sampled < SAMPLE_S:
            return
        self.sampled = now
        memory = self.daemon.memory_bytes() if self.daemon else None
        self.samples.append((now - self.begin, len(self.clients), self.nr_holds, memory))

    def finish(self, timeout_s):
        """All work ends; what is still held after so long."""
        for client in self.clients:
            for (gpu_id, queue_id), queue in client.queues.items():
                if queue["busy"]:
                    client.set_busy(False, gpu_id, queue_id)
        end = time.monotonic() + timeout_s
        while time.monotonic() < end and any(c.is_held() for c in self.clients):
            self._pump(0.002)
        self._look()
        left = [c.pid for c in self.clients if c.is_held()]
        for client in self.clients:
            client.close()
        return left

    def same_daemon(self):
        return self.handle.call("GetInfo")["pid"] == self.daemon_pid

    def memory_growth(self):
        """From the end of the first quarter, when buffers have their size, to the end."""
        sizes = [m for _, _, _, m in self.samples if m]
        return max(0, sizes[-1] - max(sizes[:max(1, len(sizes) // 4)])) if sizes else 0
