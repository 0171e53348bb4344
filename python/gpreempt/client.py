# SPDX-License-Identifier: MIT
"""A simulated client of the daemon: speaks the protocol, has queues, obeys orders or not.

It does nothing by itself. pump() reads what came, carries orders out by wire.Holds and answers
them as `answer` says. To live in the background it is pumped from a thread.
"""
import itertools
import os
import select
import socket
import time

from . import wire

_numbers = itertools.count(wire.FIRST_SIM_PID + (os.getpid() << 8) % (1 << 28))


class Refused(Exception):
    """The daemon said BYE."""


def text_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


class SimClient:
    """wishes: priority, klass, group, weight, slice_ns, deadline_ns, latency_critical, comm.

    answer: an int is the result of every DONE; None = never answers; a function of the order
    gives either. on_change(client) is called when a level changed, before the answer. answer_ns:
    how long after the daemon sent it each order was answered.
    """

    def __init__(self, path, pid=None, answer=wire.OK, on_change=None, obey_lease=True,
                 timeout_s=20.0, **wishes):
        self.pid = next(_numbers) if pid is None else pid
        self.answer, self.on_change, self.obey_lease = answer, on_change, obey_lease
        self.holds = wire.Holds()
        self.queues = {}
        self.orders = []
        self.owed = []
        self.answer_ns = []
        self.bye = None
        self.connected = False
        self.number = self.lease_ns = None
        self._timeout_s = timeout_s
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(timeout_s)
        try:
            self.sock.connect(path + wire.SOCKET_SUFFIX)
            self._hello(**wishes)
        except BaseException:
            self.sock.close()
            raise
        self.sock.setblocking(False)

    def _hello(self, priority=None, klass="", group="", weight=0, slice_ns=0, deadline_ns=0,
               latency_critical=False, comm="simulated"):
        self.connected = True
        self.send(wire.HELLO, version=wire.VERSION, mech=wire.MECH_SIM, pid=self.pid,
                  prio=wire.PRIO_UNSET if priority is None else priority,
                  attr_flags=wire.ATTR_LATENCY_CRITICAL if latency_critical else 0, weight=weight,
                  slice_ns=slice_ns, deadline_ns=deadline_ns, klass=text_bytes(klass),
                  group=text_bytes(group), comm=text_bytes(comm))
        kind, _, body = wire.decode(self.sock.recv(wire.MAX + 1))
        if kind == wire.BYE:
            raise Refused(body["text"].split(b"\0")[0].decode("utf-8", "replace"))
        if kind != wire.WELCOME:
            raise wire.Nonsense(f"type {kind} is no welcome")
        self.number, self.lease_ns = body["client"], body["lease_ns"]

    def fileno(self):
        return self.sock.fileno()

    def send(self, kind, **values):
        """False if the daemon is gone."""
        if not self.connected:
            return False
        end = time.monotonic() + self._timeout_s
        while True:
            try:
                self.sock.send(wire.encode(kind, **values))
                return True
            except BlockingIOError:
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the daemon does not read") from None
                select.select([], [self.sock], [], left)
            except OSError:
                return False

    def add_queue(self, gpu_id=1, queue_id=None, kind=wire.AQL, busy=False):
        """Its number."""
        if queue_id is None:
            queue_id = 1 + max((q for _, q in self.queues), default=0)
        self.queues[gpu_id, queue_id] = {"type": kind, "busy": busy}
        self.send(wire.QUEUE_ADD, gpu_id=gpu_id, queue_id=queue_id, type=kind, prio=7, busy=busy,
                  ring_addr=0x1000, ring_bytes=4096, rptr_addr=0x2000, wptr_addr=0x2008)
        return queue_id

    def remove_queue(self, gpu_id, queue_id):
        del self.queues[gpu_id, queue_id]
        self.send(wire.QUEUE_REMOVE, gpu_id=gpu_id, queue_id=queue_id)

    def set_busy(self, busy, gpu_id=1, queue_id=1):
        self.queues[gpu_id, queue_id]["busy"] = busy
        self.send(wire.BUSY if busy else wire.IDLE, gpu_id=gpu_id, queue_id=queue_id)

    def note(self, code, gpu_id=0, value=0, text=""):
        self.send(wire.NOTE, code=code, gpu_id=gpu_id, value=value, text=text_bytes(text))

    def nr_busy(self):
        return sum(q["busy"] for q in self.queues.values())

    def is_stopped(self, gpu_id, queue_id):
        """Whether a queue must not run now; copy engines are never stopped."""
        compute = self.queues[gpu_id, queue_id]["type"] in (wire.AQL, wire.PM4)
        return compute and self.holds.stops(gpu_id, queue_id)

    def is_held(self, holder=None):
        return bool(self.holds.until if holder is None else self.holds.by(holder))

    def pump(self, timeout_s=0.0):
        """Read all that came, waiting at most so long for the first. The new orders."""
        self.tick()
        if self.connected and timeout_s:
            select.select([self.sock], [], [], timeout_s)
            self.tick()
        first = len(self.orders)
        while self.connected:
            try:
                data = self.sock.recv(wire.MAX + 1)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self._receive(data)
        return self.orders[first:]

    def _receive(self, data):
        try:
            kind, time_ns, body = wire.decode(data) if data else (None, 0, None)
        except wire.Nonsense:
            kind = None
        if kind == wire.BYE:
            self.bye = body["text"].split(b"\0")[0].decode("utf-8", "replace")
        elif kind in (wire.HOLD, wire.RELEASE, wire.RENEW):
            self._order(wire.Order(kind, time_ns, **body))
        else:
            self._let_go()

    def _let_go(self):
        """The daemon is gone, or makes no sense: nothing stays held."""
        self.connected = False
        self.sock.close()
        self.holds.clear()
        self._changed()

    def _order(self, order):
        self.orders.append(order)
        if order.kind == wire.RENEW:
            self.holds.apply(order, time.monotonic_ns())
            return
        begin = time.monotonic_ns()
        if not self.holds.apply(order, begin):
            return
        self._changed()
        result = self.answer(order) if callable(self.answer) else self.answer
        if result is None:
            self.owed.append(order)
        else:
            self.done(order, result, time.monotonic_ns() - begin)

    def done(self, order, result=wire.OK, took_ns=0):
        """Answer an order. What could not be stopped is not."""
        if result != wire.OK and order.kind == wire.HOLD:
            self.holds.until.pop((order.holder, order.gpu_id, order.queue_id), None)
            self._changed()
        self.answer_ns.append(time.monotonic_ns() - order.time_ns)
        self.send(wire.DONE, epoch=order.epoch, gpu_id=order.gpu_id, result=result,
                  error=0 if result == wire.OK else 5, nr_queues=1, nr_cycles=1, took_ns=took_ns)

    def answer_owed(self, result=wire.OK):
        owed, self.owed = self.owed, []
        for order in owed:
            self.done(order, result)

    def tick(self):
        """Let go of what was not renewed."""
        if not self.obey_lease:
            return
        for holder, gpu_id, _ in self.holds.expire(time.monotonic_ns()):
            self.note(wire.NOTE_LEASE_ENDED, gpu_id, holder)
            self._changed()

    def _changed(self):
        if self.on_change:
            self.on_change(self)

    def close(self):
        """Die: no word to the daemon."""
        self.connected = False
        self.sock.close()
        self.holds.clear()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
