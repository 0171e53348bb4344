# SPDX-License-Identifier: MIT
"""The client protocol of src/client/wire.h: layouts, messages, and what a hold means.

tests/python compiles a program that compares every size and offset with the header.
"""
import dataclasses
import struct
import time

MAGIC = 0x31507047
VERSION = 1
MAX = 256
SOCKET_SUFFIX = ".client/socket"
QUEUE_ALL = 0xFFFFFFFF
PRIO_UNSET = 0xFF

HELLO, QUEUE_ADD, QUEUE_REMOVE, BUSY, IDLE, DONE, NOTE, PROGRESS = range(1, 9)
WELCOME, HOLD, RELEASE, RENEW, BYE = range(64, 69)
TYPE_NAMES = {HOLD: "HOLD", RELEASE: "RELEASE", RENEW: "RENEW"}

MECH_SHIM, MECH_DBG, MECH_SIM = 1, 2, 3
HOLDER_SCHED, HOLDER_MANUAL = 0, 1
OK, GONE, BUSY_NOW, ERROR = range(4)
PM4, SDMA, AQL, SDMA_XGMI = range(4)
ATTR_LATENCY_CRITICAL = 1
NOTE_SEES, NOTE_LEASE_ENDED, NOTE_PROGRESS, NOTE_NO_PROGRESS, NOTE_REFUSED, NOTE_RESET = range(1, 7)
# Numbers of simulated processes are larger than any real one (PID_MAX_LIMIT).
FIRST_SIM_PID = 4194304 + 1


class Layout:
    """Members of a struct in order, without the header that begins every message."""

    def __init__(self, *members):
        self.members = members
        self.struct = struct.Struct("<" + "".join(code for _, code in members))

    @property
    def size(self):
        return self.struct.size

    def offsets(self):
        """Name to offset; what is called pad has none."""
        at, result = 0, {}
        for name, code in self.members:
            result[name] = at
            at += struct.calcsize("<" + code)
        return result

    def pack(self, **values):
        empty = {True: b"", False: 0}
        given = [values.pop(name, empty[code[-1] == "s"]) for name, code in self.members]
        if values:
            raise TypeError(f"no such member: {', '.join(values)}")
        return self.struct.pack(*given)

    def unpack(self, data):
        values = self.struct.unpack(data)
        return dict(zip((name for name, _ in self.members), values))


HDR = Layout(("magic", "I"), ("type", "H"), ("size", "H"), ("time_ns", "Q"))
HELLO_BODY = Layout(("version", "I"), ("mech", "I"), ("pid", "I"), ("sees", "I"), ("prio", "B"),
                    ("pad", "3s"), ("attr_flags", "I"), ("weight", "I"), ("reserved", "I"),
                    ("slice_ns", "Q"), ("deadline_ns", "Q"), ("klass", "32s"), ("group", "32s"),
                    ("comm", "32s"))
WELCOME_BODY = Layout(("client", "Q"), ("lease_ns", "Q"), ("poll_ns", "Q"), ("quiet_ns", "Q"),
                      ("flags", "I"), ("reserved", "I"))
QUEUE_BODY = Layout(("gpu_id", "I"), ("queue_id", "I"), ("type", "I"), ("prio", "B"), ("busy", "B"),
                    ("pad", "2s"), ("ring_addr", "Q"), ("ring_bytes", "Q"), ("rptr_addr", "Q"),
                    ("wptr_addr", "Q"))
EDGE_BODY = Layout(("gpu_id", "I"), ("queue_id", "I"))
PROGRESS_BODY = Layout(("gpu_id", "I"), ("queue_id", "I"), ("since_ns", "Q"))
ORDER_BODY = Layout(("epoch", "Q"), ("gpu_id", "I"), ("queue_id", "I"), ("holder", "I"),
                    ("grace", "I"), ("lease_ns", "Q"))
DONE_BODY = Layout(("epoch", "Q"), ("gpu_id", "I"), ("result", "I"), ("error", "I"),
                   ("nr_queues", "I"), ("nr_cycles", "I"), ("reserved", "I"), ("took_ns", "Q"))
NOTE_BODY = Layout(("code", "I"), ("gpu_id", "I"), ("value", "Q"), ("text", "128s"))

# By the name of the C struct.
LAYOUTS = {"hello": HELLO_BODY, "welcome": WELCOME_BODY, "queue": QUEUE_BODY, "edge": EDGE_BODY,
           "progress": PROGRESS_BODY, "order": ORDER_BODY, "done": DONE_BODY, "note": NOTE_BODY}
BODIES = {HELLO: HELLO_BODY, QUEUE_ADD: QUEUE_BODY, QUEUE_REMOVE: EDGE_BODY, BUSY: EDGE_BODY,
          IDLE: EDGE_BODY, PROGRESS: PROGRESS_BODY, DONE: DONE_BODY, NOTE: NOTE_BODY,
          WELCOME: WELCOME_BODY, HOLD: ORDER_BODY, RELEASE: ORDER_BODY, RENEW: ORDER_BODY, BYE: NOTE_BODY}


class Nonsense(Exception):
    """A message that is not of this protocol."""


def encode(kind, **values):
    layout = BODIES[kind]
    header = HDR.pack(magic=MAGIC, type=kind, size=HDR.size + layout.size,
                      time_ns=time.monotonic_ns())
    return header + layout.pack(**values)


def decode(data):
    """(type, time_ns, members) of a message, or Nonsense."""
    if len(data) < HDR.size:
        raise Nonsense(f"{len(data)} bytes")
    header = HDR.unpack(data[:HDR.size])
    layout = BODIES.get(header["type"])
    if header["magic"] != MAGIC or layout is None:
        raise Nonsense(f"type {header['type']}")
    if header["size"] != len(data) or len(data) != HDR.size + layout.size:
        raise Nonsense(f"type {header['type']} of {len(data)} bytes")
    return header["type"], header["time_ns"], layout.unpack(data[HDR.size:])


@dataclasses.dataclass(frozen=True)
class Order:
    """HOLD, RELEASE or RENEW; time_ns is when the daemon sent it."""
    kind: int
    time_ns: int
    epoch: int
    gpu_id: int
    queue_id: int
    holder: int
    grace: int
    lease_ns: int

    def __str__(self):
        whose = ("sched", "manual")[self.holder]
        return f"{TYPE_NAMES[self.kind]} {self.epoch} node {self.gpu_id} ({whose})"


class Holds:
    """What a client has to hold: levels with leases, as wire.h defines them."""

    def __init__(self):
        self.epoch = 0
        self.until = {}
        self.nr_lapsed = 0

    def apply(self, order, now_ns):
        """Carry an order out. False if it is to be ignored."""
        level = (order.holder, order.gpu_id, order.queue_id)
        if order.kind == RENEW:
            if level in self.until:
                self.until[level] = now_ns + order.lease_ns
            return level in self.until
        if order.epoch <= self.epoch:
            return False
        self.epoch = order.epoch
        if order.kind == HOLD:
            self.until[level] = now_ns + order.lease_ns
        else:
            self.until.pop(level, None)
        return True

    def expire(self, now_ns):
        """Let go of what was not renewed. The levels that ended."""
        ended = [level for level, end in self.until.items() if end <= now_ns]
        for level in ended:
            del self.until[level]
        self.nr_lapsed += len(ended)
        return ended

    def clear(self):
        self.until.clear()

    def next_end_ns(self):
        return min(self.until.values(), default=None)

    def by(self, holder):
        return {level for level in self.until if level[0] == holder}

    def stops(self, gpu_id, queue_id):
        return any(gpu == gpu_id and queue in (queue_id, QUEUE_ALL)
                   for _, gpu, queue in self.until)
