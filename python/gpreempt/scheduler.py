# SPDX-License-Identifier: MIT
"""GPreemptScheduler: follows the daemon, calls back, and can schedule by a policy of the user's.

A policy is a function: it gets the list of processes and answers with the pids that must wait.
Those are suspended by hand with a lease that is renewed in time; so if the policy hangs, or the
program dies, all processes go on after the lease. A policy that fails holds no process.
"""
import atexit
import collections
import contextlib
import logging
import os
import threading
import time
from typing import Any, Callable, Iterable, List, Optional

from . import errors
from .api import EventStream, Handle, Process

KINDS = ("preempt", "resume", "busy", "idle", "event", "error")
# What can change the answer of a policy.
INTERESTING = frozenset(("client", "queue", "busy", "idle", "attribute", "lost"))
RECONNECT_S = 0.1
RENEWALS = 3

log = logging.getLogger(__name__)


def highest_priority(processes):
    """The policy of strict priority: a process below the highest that has work waits.

    Processes that are not controlled have no priority, and do not matter.
    """
    known = [p for p in processes if p.attributes.priority is not None]
    top = max((p.attributes.priority for p in known if p.nr_busy), default=0)
    return {p.pid for p in known if p.attributes.priority < top}


class GPreemptScheduler:
    """Callbacks get (scheduler, event); on_error gets (scheduler, exception).

    preempt and resume: event.pid was taken off the GPU by the daemon or goes on; a switch of
    several is one callback for each. They run in the monitor thread: be short.
    """

    def __init__(self, socket: Optional[str] = None,
                 policy: Optional[Callable[[List[Process]], Iterable[int]]] = None,
                 lease_s: float = 1.0, take_over: bool = True, reconnect: bool = True,
                 **callbacks: Callable[..., Any]) -> None:
        unknown = [name for name in callbacks if name[:3] != "on_" or name[3:] not in KINDS]
        if unknown:
            raise TypeError(f"no such callback: {', '.join(unknown)}")
        if policy and lease_s <= 0:
            raise ValueError("a policy needs a lease")
        self.socket, self.policy, self.lease_s = socket, policy, lease_s
        self.take_over, self.reconnect = take_over, reconnect
        self.counts = collections.Counter()
        self.held = set()
        self.errors = collections.deque(maxlen=64)
        self._callbacks = {kind: [] for kind in KINDS}
        for name, function in callbacks.items():
            self.on(name[3:], function)
        self._thread = self._handle = self._stream = None
        self._stop = threading.Event()
        self._taken = set()
        # The daemon keeps an order that was answered late, or with "busy": held, and some more.
        self._ordered = set()
        self._renew_at = 0.0

    def on(self, kind: str, function: Callable[..., Any]) -> None:
        """Add a callback."""
        self._callbacks[kind].append(function)

    @property
    def running(self) -> bool:
        """Is its thread there?"""
        return self._thread is not None and self._thread.is_alive()

    @property
    def connected(self) -> bool:
        """Does it follow a daemon now?"""
        return self._stream is not None

    def start(self) -> "GPreemptScheduler":
        """Connect and begin. Raises DaemonGone or NotFound if there is no daemon."""
        if self.running:
            raise RuntimeError("started already")
        self._stop.clear()
        self._connect()
        self._thread = threading.Thread(target=self._run, name="gpreempt-monitor", daemon=True)
        try:
            self._thread.start()
        except Exception:
            self._thread = None
            self._disconnect()
            raise
        atexit.register(self._at_exit, os.getpid())
        return self

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the thread; what was held goes on. Stopping twice is harmless.

        Raises Timeout if it did not end yet; it will. Callbacks may call it, and do not wait.
        """
        thread = self._thread
        if not thread:
            return
        self._stop.set()
        stream = self._stream
        if stream:
            stream.stop()
        if thread is threading.current_thread():
            return
        thread.join(timeout_s)
        if thread.is_alive():
            raise errors.make(errors.errno.ETIMEDOUT, "the monitor thread does not end")
        self._thread = None
        atexit.unregister(self._at_exit)

    def _at_exit(self, pid):
        """The program ends without stop(). A child that it forked has no thread to end."""
        if os.getpid() == pid:
            self.stop()

    def __enter__(self) -> "GPreemptScheduler":
        return self.start()

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def _connect(self):
        self._handle = Handle(self.socket, "daemon")
        try:
            self._stream = EventStream(self.socket)
            if self.policy and self.take_over:
                self._take_nodes()
        except BaseException:
            self._disconnect()
            raise

    def _take_nodes(self):
        """Beside those of before: a daemon that comes back has them disabled still."""
        enabled = {n.gpu_id for n in self._handle.nodes() if n.enabled}
        self._taken |= enabled
        for gpu_id in sorted(enabled):
            self._handle.set_enabled(False, gpu_id)

    def _give_nodes_back(self, handle):
        """What cannot be given back now is kept for later. The errors."""
        failed = []
        for gpu_id in sorted(self._taken):
            try:
                handle.set_enabled(True, gpu_id)
                self._taken.discard(gpu_id)
            except errors.GPreemptError as e:
                failed.append(e)
        return failed

    def _disconnect(self):
        """Closing the handle lets all processes go, whatever else fails."""
        stream, self._stream = self._stream, None
        handle, self._handle = self._handle, None
        failed = []
        try:
            if handle:
                failed = self._give_nodes_back(handle)
        finally:
            self.held, self._ordered = set(), set()
            for thing in (stream, handle):
                if thing:
                    thing.close()
        for e in failed:
            self._failed(e)

    def _end(self):
        """The daemon may have come back since: then it is asked once more."""
        if self._taken and not self._handle:
            with contextlib.suppress(errors.GPreemptError):
                self._handle = Handle(self.socket, "daemon")
        self._disconnect()
        if self._taken:
            log.warning("disabled, and not given back: %s", sorted(self._taken))

    def _run(self):
        """However it ends, also by a SystemExit of a callback's, nothing stays taken or held."""
        try:
            self._live()
        finally:
            self._end()

    def _live(self):
        while not self._stop.is_set():
            try:
                self._follow()
            except errors.GPreemptError as e:
                self._failed(e)
            if self._stop.is_set() or not self.reconnect:
                return
            self._disconnect()
            while not self._stream and not self._stop.wait(RECONNECT_S):
                try:
                    self._connect()
                except errors.GPreemptError as e:
                    log.debug("no daemon yet: %s", e)

    def _follow(self):
        """Until stop() or the end of the daemon."""
        self._decide()
        while not self._stop.is_set():
            event = self._stream.read(self._patience())
            changed = False
            while event:
                changed |= event.kind in INTERESTING
                self._dispatch(event)
                event = self._stream.read(0)
            if changed or (self._ordered and time.monotonic() >= self._renew_at):
                self._decide()

    def _patience(self):
        return max(0.001, self._renew_at - time.monotonic()) if self._ordered else None

    def _wait_s(self):
        """How long to wait for one that does not answer: the others' leases go on meanwhile."""
        return self.lease_s / RENEWALS

    def _dispatch(self, event):
        self._call("event", event)
        if event.kind in ("busy", "idle"):
            self._call(event.kind, event)
        elif event.kind == "switch" and event.data:
            for kind in ("preempt", "resume"):
                for pid in event.data.get(kind, ()):
                    self._call(kind, event.__class__(**{**vars(event), "pid": pid}))

    def _call(self, kind, argument):
        self.counts[kind] += 1
        for function in self._callbacks[kind]:
            try:
                function(self, argument)
            except Exception as e:  # a callback's fault must not stop the others
                if kind == "error":
                    log.exception("on_error failed")
                else:
                    self._failed(e)

    def _failed(self, error):
        self.errors.append(error)
        self._call("error", error)

    def _wanted(self, processes):
        try:
            return set(self.policy(processes)) & {p.pid for p in processes}
        except Exception as e:  # fail open
            self._failed(e)
            return set()

    def _decide(self):
        """Ask the policy, then hold and let go what differs; renew the rest when it is time."""
        if not self.policy:
            return
        wanted = self._wanted(self._handle.processes())
        self._let_go(self._ordered - wanted)
        renew = time.monotonic() >= self._renew_at
        self._hold(wanted if renew else wanted - self._ordered, renew)

    def _let_go(self, pids):
        if pids:
            self._handle.resume(sorted(pids), self._wait_s())
            self.held -= pids
            self._ordered -= pids

    def _hold(self, pids, renew):
        if not pids:
            return
        if renew or not self._ordered:
            self._renew_at = time.monotonic() + self.lease_s / RENEWALS
        self._ordered |= pids
        for result in self._handle.suspend(sorted(pids), self.lease_s, self._wait_s()):
            if result.ok:
                self.held.add(result.ref.pid)
            else:
                self._not_held(result)

    def _not_held(self, result):
        self.held.discard(result.ref.pid)
        if isinstance(result.error, (errors.NotFound, errors.PermissionDenied)):
            self._ordered.discard(result.ref.pid)
        if not isinstance(result.error, errors.NotFound):
            self._failed(result.error)
