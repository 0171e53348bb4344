# SPDX-License-Identifier: MIT
"""libgpreempt for Python: handles, lists, orders, attributes, policies, events.

Times are seconds where a person says them (lease_s, timeout_s) and nanoseconds where they are
measured or kept (…_ns). What cannot be known is None; `sources` says where the rest came from.
"""
import contextlib
import dataclasses
import json
import os
import select
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from . import errors
from ._abi import ffi, library

ALL = 0xFFFFFFFF
NS = 1_000_000_000
CONNECT_S = 5.0
MECHANISMS = {1: "shim", 2: "dbg", 4: "sim", 8: "kernel"}
TYPES = {0: "pm4", 1: "sdma", 2: "aql", 3: "sdma_xgmi"}
HELD = {1: "sched", 2: "manual"}
MODES = {"auto": 0, "daemon": 1, "direct": 2}


@dataclasses.dataclass(frozen=True)
class Caps:
    """What can be done here."""
    mechanisms: List[str]
    daemon: bool
    privileged: bool
    kfd_version: tuple
    nr_nodes: int
    hws: Optional[bool]
    cwsr: Optional[bool]
    ptrace_scope: Optional[int]


@dataclasses.dataclass(frozen=True)
class Node:
    """A GPU."""
    gpu_id: int
    index: int
    name: str
    nr_xcc: Optional[int]
    nr_cu: Optional[int]
    gfx_target: Optional[int]
    cwsr_bytes: Optional[int]
    enabled: bool
    policy: str
    breaker: str
    sources: Dict[str, str]
    # Its number as amd-smi counts, and its names in other tools; None if it has none.
    gpu: int = 0
    pci: Optional[str] = None
    uuid: Optional[str] = None
    render: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Attributes:
    """None: not known, or not to be changed."""
    priority: Optional[int] = None
    weight: Optional[int] = None
    latency_critical: Optional[bool] = None
    slice_ns: Optional[int] = None
    deadline_ns: Optional[int] = None
    klass: Optional[str] = None
    group: Optional[str] = None
    no_preempt: Optional[bool] = None


@dataclasses.dataclass(frozen=True)
class Process:
    """A process that has GPU queues."""
    pid: int
    uid: Optional[int]
    comm: str
    mechanism: Optional[str]
    nr_queues: int
    nr_busy: Optional[int]
    state: str
    attributes: Attributes
    # How long its work waited for its first run; None if that is not known.
    wait_p50_ns: Optional[int] = None
    wait_p99_ns: Optional[int] = None
    wait_p999_ns: Optional[int] = None


@dataclasses.dataclass(frozen=True)
class Queue:
    """A queue of a process on a GPU."""
    pid: int
    gpu_id: int
    queue_id: int
    held: frozenset
    type: Optional[str]
    compute: Optional[bool]
    priority: Optional[int]
    ring_addr: Optional[int]
    ring_bytes: Optional[int]
    rptr_addr: Optional[int]
    wptr_addr: Optional[int]
    rptr: Optional[int]
    wptr: Optional[int]
    busy: Optional[bool]
    sources: Dict[str, str]


@dataclasses.dataclass(frozen=True)
class QueueRef:
    """Names queues: all of a process, those on a node, or one."""
    pid: int
    gpu_id: int = 0
    queue_id: int = ALL


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of one QueueRef; error is None if all went well."""
    ref: QueueRef
    error: Optional[errors.GPreemptError]

    @property
    def ok(self):
        return self.error is None


@dataclasses.dataclass(frozen=True)
class Stats:
    """Counters and latencies of a GPU since the daemon began."""
    nr_switches: int
    nr_preemptions: int
    nr_resumes: int
    nr_failed: int
    nr_deadline: int
    nr_starvation: int
    cost_ns: int
    off_max_ns: int
    switch_p50_ns: int
    switch_p99_ns: int
    off_p50_ns: int
    off_p99_ns: int
    wait_p50_ns: int
    wait_p99_ns: int
    wait_p999_ns: int


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened; time_ns is of the monotonic clock."""
    time_ns: int
    kind: str
    pid: Optional[int]
    gpu_id: Optional[int]
    queue_id: Optional[int]
    text: str
    data: Any


def text_of(chars):
    return ffi.string(chars).decode("utf-8", "replace")


def known(value):
    """The number of a struct gpreempt_value, or None."""
    return int(value.value) if value.source else None


def yes_or_no(value):
    return bool(value.value) if value.source else None


def sources_of(record, names):
    lib = library()
    return {n: text_of(lib.gpreempt_source_name(getattr(record, n).source))
            for n in names if getattr(record, n).source}


def tristate(value):
    return None if value < 0 else bool(value)


def as_ref(what):
    """A pid, a Process, a Queue or a QueueRef."""
    if isinstance(what, QueueRef):
        return what
    if isinstance(what, Queue):
        return QueueRef(what.pid, what.gpu_id, what.queue_id)
    return QueueRef(what.pid if isinstance(what, Process) else int(what))


ATTR_FIELDS = (("priority", "prio", 1), ("weight", "weight", 2),
               ("latency_critical", "latency_critical", 4), ("slice_ns", "slice_ns", 8),
               ("deadline_ns", "deadline_ns", 16), ("klass", "klass", 32), ("group", "group", 64),
               ("no_preempt", "no_preempt", 128))
ATTR_TEXTS = ("klass", "group")


def attributes_of(record):
    values = {}
    for name, member, bit in ATTR_FIELDS:
        if record.valid & bit:
            value = getattr(record, member)
            values[name] = text_of(value) if name in ATTR_TEXTS else value
    return Attributes(**values)


def fill_attributes(record, attributes):
    for name, member, bit in ATTR_FIELDS:
        value = getattr(attributes, name)
        if value is None:
            continue
        record.valid |= bit
        if name in ATTR_TEXTS:
            data = value.encode()
            if len(data) >= 32:
                raise errors.make(errors.errno.EINVAL, f"{name} is longer than 31 bytes")
            setattr(record, member, data)
        else:
            try:
                setattr(record, member, value)
            except OverflowError:
                raise errors.make(errors.errno.EINVAL, f"{name} is out of range") from None


def pci_of(n):
    a = n.pci_address
    return f"{n.pci_domain:04x}:{a >> 8:02x}:{a >> 3 & 31:02x}.{a & 7}" if a else None


def node_of(n):
    values = ("nr_xcc", "nr_cu", "gfx_target", "cwsr_bytes")
    return Node(n.gpu_id, n.index, text_of(n.name), *(known(getattr(n, v)) for v in values),
                bool(n.enabled), text_of(n.policy), text_of(n.breaker), sources_of(n, values),
                n.gpu, pci_of(n), f"GPU-{n.unique_id:016x}" if n.unique_id else None,
                f"renderD{n.render_minor}" if n.render_minor else None)


def process_of(p):
    return Process(p.pid, known(p.uid), text_of(p.comm), MECHANISMS.get(p.mechanism), p.nr_queues,
                   known(p.nr_busy), text_of(p.state), attributes_of(p.attr),
                   *(int(ns) or None for ns in (p.wait_p50_ns, p.wait_p99_ns, p.wait_p999_ns)))


def queue_of(q):
    values = ("ring_addr", "ring_bytes", "rptr_addr", "wptr_addr", "rptr", "wptr")
    return Queue(q.pid, q.gpu_id, q.queue_id, frozenset(w for b, w in HELD.items() if q.held & b),
                 TYPES.get(known(q.type)), yes_or_no(q.compute), known(q.prio),
                 *(known(getattr(q, v)) for v in values), yes_or_no(q.busy),
                 sources_of(q, ("type", "compute", "prio", "busy") + values))


def scope_of(what):
    return (0, what.encode()) if isinstance(what, str) else (what, ffi.NULL)


@contextlib.contextmanager
def self_held(mode: str = "auto") -> Iterator[int]:
    """The queues of this process are off the GPU inside the with block, on all GPUs.

    Counted for the process: blocks may be nested, also in other threads. Gives the count. The
    mode of the first block says who holds: "direct" the kernel module, "daemon", or the first of
    these that there is.
    """
    lib = library()
    count = lib.gpreempt_self_hold(MODES[mode])
    if count < 0:
        raise errors.make(-count, f"this process: {os.strerror(-count)}")
    try:
        yield count
    finally:
        lib.gpreempt_self_release()


# A pid, or what has one; or several.
One = Union[int, Process, Queue, QueueRef]
What = Union[One, Sequence[One]]


class Handle:
    """A handle of the library. Threads may share it; their calls wait for each other."""

    def __init__(self, socket: Union[str, "os.PathLike[str]", None] = None, mode: str = "auto") -> None:
        self._lib = library()
        self._lock = threading.Lock()
        self.socket = os.fspath(socket) if socket else None
        out = ffi.new("struct gpreempt **")
        path = self.socket.encode() if self.socket else ffi.NULL
        ret = self._lib.gpreempt_open(out, MODES[mode], path)
        if ret:
            raise errors.make(-ret, f"{self.socket or 'gpreempt'}: {os.strerror(-ret)}")
        self._g = out[0]

    def close(self) -> None:
        """What this handle suspended goes on. Closing twice is harmless."""
        with self._lock:
            if self._g:
                self._lib.gpreempt_close(self._g)
                self._g = None

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_g", None):
            self._lib.gpreempt_close(self._g)

    def _raise(self, ret):
        raise errors.make(-ret, text_of(self._lib.gpreempt_strerror(self._g)))

    def _call(self, function, *args):
        """Under the lock: call, raise what failed. Returns what was returned."""
        if not self._g:
            raise ValueError("the handle is closed")
        ret = function(self._g, *args)
        if ret < 0:
            self._raise(ret)
        return ret

    def _simple(self, name, *args):
        with self._lock:
            return self._call(getattr(self._lib, name), *args)

    def _list(self, name, struct, convert):
        out, nr = ffi.new(f"struct {struct} **"), ffi.new("size_t *")
        with self._lock:
            self._call(getattr(self._lib, name), out, nr)
        try:
            return [convert(out[0][i]) for i in range(nr[0])]
        finally:
            self._lib.gpreempt_free(out[0])

    def caps(self) -> Caps:
        """What can be done here."""
        c = ffi.new("struct gpreempt_caps *", {"size": ffi.sizeof("struct gpreempt_caps")})
        self._simple("gpreempt_get_caps", c)
        return Caps([name for bit, name in MECHANISMS.items() if c.mechanisms & bit],
                    bool(c.daemon), bool(c.privileged), (c.kfd_major, c.kfd_minor), c.nr_nodes,
                    tristate(c.hws), tristate(c.cwsr),
                    None if c.ptrace_scope < 0 else c.ptrace_scope)

    def nodes(self) -> List[Node]:
        """The GPUs."""
        return self._list("gpreempt_get_nodes", "gpreempt_node", node_of)

    def processes(self) -> List[Process]:
        """The processes that have GPU queues."""
        return self._list("gpreempt_get_processes", "gpreempt_process", process_of)

    def queues(self) -> List[Queue]:
        """The queues of all processes."""
        return self._list("gpreempt_get_all_queues", "gpreempt_queue", queue_of)

    def _order(self, function, what, *args):
        refs = [as_ref(w) for w in (what if isinstance(what, (list, tuple, set)) else [what])]
        records = ffi.new("struct gpreempt_ref[]", max(len(refs), 1))
        for record, ref in zip(records, refs):
            record.pid, record.gpu_id, record.queue_id = ref.pid, ref.gpu_id, ref.queue_id
        with self._lock:
            self._call(function, records, len(refs), *args)
            text = text_of(self._lib.gpreempt_strerror(self._g))
        return [Result(ref, errors.make(-record.result, text) if record.result else None)
                for ref, record in zip(refs, records)]

    def suspend(self, what: "What", lease_s: float = 0.0, timeout_s: float = 0.0) -> List[Result]:
        """Stop queues (pid, Process, Queue, QueueRef, or several): a Result for each.

        They go on by themselves after lease_s, or when the handle is closed; without the daemon
        after a minute at most, unless they are suspended again.
        """
        return self._order(self._lib.gpreempt_suspend_queues, what, int(lease_s * NS),
                           int(timeout_s * NS))

    def resume(self, what: "What", timeout_s: float = 0.0) -> List[Result]:
        """Continue queues that were suspended by hand: a Result for each."""
        return self._order(self._lib.gpreempt_resume_queues, what, int(timeout_s * NS))

    @contextlib.contextmanager
    def suspended(self, what: "What", lease_s: float = 0.0) -> Iterator[List[Result]]:
        """Suspended inside the with block; raises if one of them cannot be.

        All are resumed: the daemon keeps the hold of one that was late or busy.
        """
        results = self.suspend(what, lease_s)
        refs = [r.ref for r in results]
        try:
            for r in results:
                if not r.ok:
                    raise r.error
            yield results
        except BaseException:
            with contextlib.suppress(errors.GPreemptError, ValueError):
                self.resume(refs)
            raise
        self.resume(refs)

    def attributes(self, pid: int) -> Attributes:
        """Those of a process."""
        attr = ffi.new("struct gpreempt_attr *")
        self._simple("gpreempt_get_attr", pid, attr)
        return attributes_of(attr)

    def set_attributes(self, pid: int, attributes: Optional[Attributes] = None, **changes: Any) -> None:
        """Change what is not None: set_attributes(pid, priority=12, klass="realtime")."""
        wanted = dataclasses.replace(attributes or Attributes(), **changes)
        attr = ffi.new("struct gpreempt_attr *")
        fill_attributes(attr, wanted)
        self._simple("gpreempt_set_attr", pid, attr)

    @contextlib.contextmanager
    def changed(self, pid: Optional[int] = None, **changes: Any) -> Iterator[Attributes]:
        """Other attributes inside the with block, of this process if none is named.

        Raises NotFound for a process without queues: the GPU must have been used before.
        A server that gets a burst of requests: `with g.changed(klass="realtime"): serve()`. What was
        before comes back at the end of the block, also by an exception. Gives what was before.
        """
        pid = os.getpid() if pid is None else pid
        before = self.attributes(pid)
        self.set_attributes(pid, **changes)
        try:
            yield before
        finally:
            self.set_attributes(pid, before)

    def grant(self, what: Union[int, str], attributes: Optional[Attributes] = None,
              lease_s: float = 0.0, **limits: Any) -> None:
        """Say what a process (a pid) with its descendants, or a cgroup (its path), may be.

        Before they use the GPU: grant("/ml.slice", klass="realtime"). Their own wish can only be
        less urgent. It ends with revoke(), with the process, or after lease_s.
        """
        attr = ffi.new("struct gpreempt_attr *")
        fill_attributes(attr, dataclasses.replace(attributes or Attributes(), **limits))
        self._simple("gpreempt_grant", *scope_of(what), attr, int(lease_s * NS))

    def revoke(self, what: Union[int, str]) -> None:
        """End a grant."""
        self._simple("gpreempt_revoke", *scope_of(what))

    def attach(self, pid: int) -> None:
        """Put a process that has no shim under control, from outside."""
        self._simple("gpreempt_attach", pid)

    def detach(self, pid: int) -> None:
        """Let a process go that was attached."""
        self._simple("gpreempt_detach", pid)

    def policy(self, gpu_id: int) -> str:
        """The policy of a GPU."""
        name = ffi.new("char[32]")
        self._simple("gpreempt_get_policy", gpu_id, name)
        return text_of(name)

    def set_policy(self, name: str, gpu_id: int = 0) -> None:
        """Change the policy of a GPU, or of all."""
        self._simple("gpreempt_set_policy", gpu_id, name.encode())

    def parameter(self, name: str, gpu_id: int) -> int:
        """A parameter of the guards ("min_run_ns") or of a policy ("fair.width")."""
        value = ffi.new("uint64_t *")
        self._simple("gpreempt_get_param", gpu_id, name.encode(), value)
        return int(value[0])

    def set_parameter(self, name: str, value: int, gpu_id: int = 0) -> None:
        """Change a parameter of a GPU, or of all."""
        self._simple("gpreempt_set_param", gpu_id, name.encode(), value)

    def set_enabled(self, enabled: bool, gpu_id: int = 0) -> None:
        """Scheduling of a GPU, or of all, on or off; off resumes everything."""
        self._simple("gpreempt_set_enabled", gpu_id, enabled)

    def stats(self, gpu_id: int) -> Stats:
        """Counters and latencies of a GPU since the daemon began."""
        s = ffi.new("struct gpreempt_stats *", {"size": ffi.sizeof("struct gpreempt_stats")})
        self._simple("gpreempt_get_stats", gpu_id, s)
        return Stats(*(int(getattr(s, f.name)) for f in dataclasses.fields(Stats)))

    def call(self, method: str, **parameters: Any) -> Dict[str, Any]:
        """Any method of the daemon, by the names of src/daemon/control/io.gpreempt.varlink."""
        reply = ffi.new("char **")
        with self._lock:
            try:
                self._call(self._lib.gpreempt_call, method.encode(),
                           json.dumps(parameters).encode(), reply)
                return json.loads(text_of(reply[0]))
            finally:
                self._lib.gpreempt_free(reply[0])

    def events(self, trace: bool = False) -> "EventStream":
        """A stream of its own to the same daemon."""
        return EventStream(self.socket, trace)


class EventStream:
    """The daemon's events, as they come. Iterate, or read() with a timeout.

    stop() may be called by any thread and ends the iteration of the one that reads.
    """

    def __init__(self, socket: Optional[str] = None, trace: bool = False) -> None:
        self._first = None
        self._fd = self._wake_read = self._wake_write = -1
        self._lock = threading.Lock()
        self._poll = select.poll()
        self.stopped = False
        self._handle = Handle(socket, "daemon")
        try:
            self._begin(trace)
        except BaseException:
            self.close()
            raise

    def _begin(self, trace):
        self._fd = self._handle._simple("gpreempt_monitor_fd", 1 if trace else 0)
        self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll.register(self._fd, select.POLLIN)
        self._poll.register(self._wake_read, select.POLLIN)
        self._first = self._await_first()

    def _await_first(self):
        """The daemon says that it begins: what happens from now on is not missed."""
        first = self.read(CONNECT_S)
        if first is None:
            raise errors.make(errors.errno.ETIMEDOUT, "the event stream does not begin")
        return None if (first.kind, first.text) == ("note", "monitoring") else first

    def fileno(self) -> int:
        """Poll it for reading, then read(0) until that is None."""
        return self._fd

    def _next(self):
        if self._first:
            first, self._first = self._first, None
            return first
        out = ffi.new("char **")
        if not self._handle._simple("gpreempt_monitor_read_text", out):
            return None
        try:
            e = json.loads(text_of(out[0]))
        finally:
            library().gpreempt_free(out[0])
        return Event(**{f.name: e.get(f.name) for f in dataclasses.fields(Event)})

    def read(self, timeout_s: Optional[float] = None) -> Optional[Event]:
        """The next event; None after the timeout or stop(). Raises DaemonGone at the end."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while not self.stopped:
            event = self._next()
            if event:
                return event
            left = None if end is None else max(0.0, end - time.monotonic())
            if left == 0.0:
                return None
            self._poll.poll(None if left is None else left * 1000 + 1)
        return None

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self.read()
            if event is None:
                return
            yield event

    def stop(self) -> None:
        """End the iteration; any thread may."""
        self.stopped = True
        with self._lock, contextlib.suppress(OSError):
            os.write(self._wake_write, b"x")

    def close(self) -> None:
        """By the thread that reads, or after it ended."""
        self._handle.close()
        # stop() must not find a number that is another file's by then.
        with self._lock:
            for fd in (self._wake_read, self._wake_write):
                with contextlib.suppress(OSError):
                    os.close(fd)
            self._wake_read = self._wake_write = -1

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
