# SPDX-License-Identifier: MIT
"""The cases: basic preemption, frequent preemption, boundary conditions, stability.

Each is a function of a Rig that gives a CaseResult: checks that hold or not, figures, and series
for plots. They need a daemon with simulated nodes, and run in real time.
"""
import contextlib
import dataclasses
import time
import traceback
from typing import Any, Dict, List, Optional

from . import stability, wire
from .api import Handle, QueueRef
from .client import SimClient
from .daemon import Daemon
from .errors import GPreemptError, InvalidArgument, NotFound
from .workload import MS, bursts, percentile, run_pair

WAIT_S = 10.0


@dataclasses.dataclass
class Check:
    """ok is None: not judged, because the machine was too busy to measure."""
    text: str
    ok: Optional[bool]
    value: str = ""


@dataclasses.dataclass
class CaseResult:
    name: str
    doc: str
    checks: List[Check] = dataclasses.field(default_factory=list)
    figures: Dict[str, str] = dataclasses.field(default_factory=dict)
    series: Dict[str, Any] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0

    @property
    def starved(self):
        return any(c.ok is None for c in self.checks)

    @property
    def passed(self):
        return bool(self.checks) and not any(c.ok is False for c in self.checks)

    def check(self, text, ok, value=""):
        self.checks.append(Check(text, bool(ok), str(value)))
        return ok

    def check_time(self, text, ok, value, runs):
        """A check that depends on the machine's having time for it."""
        late = max(percentile(r.late_ns, 0.95) or 0 for r in runs)
        if not ok and any(r.is_starved() for r in runs):
            value = f"{value}; not judged: this machine is late by {ms(late)}"
            self.checks.append(Check(text, None, value))
        else:
            self.check(text, ok, value)
        self.figures["lateness of this machine, p95"] = ms(late)


@dataclasses.dataclass
class Rig:
    """Where cases run. seconds: length of a measurement; stable_s: of the stability run."""
    path: str
    handle: Handle
    gpu_id: int = 1
    daemon: Optional[Daemon] = None
    seconds: float = 3.0
    stable_s: float = 10.0
    seed: int = 1

    def client(self, **wishes):
        return SimClient(self.path, **wishes)

    def breaker(self):
        return next(n.breaker for n in self.handle.nodes() if n.gpu_id == self.gpu_id)

    def wait_closed(self):
        """After a case that broke something on purpose."""
        return wait_for(lambda: self.breaker() == "closed")


@contextlib.contextmanager
def open_rig(path=None, **options):
    """A rig on a daemon of its own, or on the one whose control socket is given."""
    with contextlib.ExitStack() as stack:
        daemon = None if path else stack.enter_context(Daemon(1))
        handle = stack.enter_context(Handle(path or daemon.path, "daemon"))
        simulated = [n for n in handle.call("ListNodes")["nodes"] if n["simulated"]]
        if not simulated:
            raise GPreemptError(95, "this daemon has no simulated nodes (--sim)")
        yield Rig(path or daemon.path, handle, simulated[0]["gpu_id"], daemon, **options)


def wait_for(what, timeout_s=WAIT_S, clients=()):
    """Ask until it is true, and let clients obey meanwhile. What it was at last."""
    end = time.monotonic() + timeout_s
    while True:
        for c in clients:
            c.pump()
        value = what()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.002)


def ms(ns):
    """With the unit that reads well, three digits."""
    if ns is None:
        return "never"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            value = ns / size
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{ns:.0f} ns"


def exact(result, run, name):
    """Nothing lost, nothing repeated, everything over."""
    result.check(f"{name}: every request was answered",
                 run.drained and len(run.online) == run.nr_submitted,
                 f"{len(run.online)} of {run.nr_submitted}")
    result.check(f"{name}: every kernel ran exactly its length", not run.wrong(),
                 f"{len(run.online) + len(run.offline)} kernels, {len(run.wrong())} wrong")


def released(orders):
    """Whether the last order of the scheduler that is no renewal lets go."""
    levels = [o for o in orders if o.kind != wire.RENEW and o.holder == wire.HOLDER_SCHED]
    return not levels or levels[-1].kind == wire.RELEASE


def basic_preemption(rig):
    """2 ms requests every 20 ms beside 200 ms kernels: scheduling off, then on.

    Off, a request waits for a kernel to end and others pile up behind it, the more the longer the
    run: the first request shows how long one waits alone.
    """
    result = CaseResult("basic preemption", basic_preemption.__doc__)
    runs = {}
    for name, enabled in (("without", False), ("with", True)):
        rig.handle.set_enabled(enabled, rig.gpu_id)
        runs[name] = run_pair(rig.path, rig.seconds, gpu_id=rig.gpu_id)
    for name, run in runs.items():
        exact(result, run, name)
        result.figures[f"online p50 / p99, {name}"] = f"{ms(run.p(0.5))} / {ms(run.p(0.99))}"
        result.figures[f"first request, {name}"] = ms(run.online[0].latency_ns)
        result.figures[f"offline's share of the time, {name}"] = f"{run.offline_share():.1%}"
    ratio = runs["without"].p(0.99) / runs["with"].p(0.99)
    result.check_time("online p99 is at least 10 times better with preemption", ratio >= 10,
                      f"{ratio:.1f} times", [runs["with"]])
    result.check("without scheduling no process is held", not runs["without"].orders)
    result.check("every hold was released", released(runs["with"].orders))
    result.figures["preemptions"] = str(runs["with"].nr_stopped)
    result.series = {"latency": {n: r.latencies_ns() for n, r in runs.items()}, "runs": runs}
    return result


def frequent_preemption(rig):
    """0.2 ms requests in pairs every 2 ms beside 50 ms kernels: hundreds of switches a second."""
    result = CaseResult("frequent preemption", frequent_preemption.__doc__)
    before = rig.handle.stats(rig.gpu_id)
    run = run_pair(rig.path, rig.seconds, 200_000, bursts(2, 0.002, rig.seconds), 50 * MS,
                   gpu_id=rig.gpu_id)
    after = rig.handle.stats(rig.gpu_id)
    nr = after.nr_preemptions - before.nr_preemptions
    most = (rig.handle.parameter("rate_per_s", rig.gpu_id) * (rig.seconds + 1) +
            rig.handle.parameter("rate_burst", rig.gpu_id))
    exact(result, run, "run")
    result.check_time("preempted often", nr >= 20 * rig.seconds,
                      f"{nr / rig.seconds:.0f} a second", [run])
    result.check("within the rate limit", nr <= most, f"{nr} of at most {most:.0f}")
    result.check("every hold was released", released(run.orders))
    failed = after.nr_failed - before.nr_failed
    # The clients are threads: one that got no processor until then has really not answered.
    late = [t for t in run.answer_ns if t > rig.handle.parameter("deadline_ns", rig.gpu_id) // 2]
    result.check("no switch failed but by late answers", failed <= len(late),
                 f"{failed} failed, {len(late)} of {len(run.answer_ns)} answers late, "
                 f"the longest after {ms(max(run.answer_ns, default=0))}")
    result.figures["preemptions"] = str(nr)
    result.figures["online p50 / p99"] = f"{ms(run.p(0.5))} / {ms(run.p(0.99))}"
    result.figures["time of a switch p50 / p99"] = \
        f"{ms(after.switch_p50_ns)} / {ms(after.switch_p99_ns)}"
    result.figures["offline's share of the time"] = f"{run.offline_share():.1%}"
    result.series = {"latency": {"frequent": run.latencies_ns()}, "runs": {"frequent": run}}
    return result


def _two(rig, low=2, high=12, **wishes):
    """A busy client and an idle one above it, both with a queue."""
    a = rig.client(priority=low, comm="low", **wishes)
    b = rig.client(priority=high, comm="high")
    a.add_queue(rig.gpu_id, 1, busy=True)
    b.add_queue(rig.gpu_id, 1)
    return a, b


def _settled(rig, clients, seconds=0.1):
    """Nothing is held for so long, in which something could be."""
    end = time.monotonic() + seconds
    return not wait_for(lambda: any(c.is_held() for c in clients) or None,
                        end - time.monotonic(), clients)


def _refused(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except GPreemptError as e:
        return e
    return None


def _priorities(rig, result):
    for low, high, held in ((0, 15, True), (7, 7, False), (15, 0, False)):
        a, b = _two(rig, low, high)
        with a, b:
            b.set_busy(True, rig.gpu_id, 1)
            if held:
                ok = wait_for(a.is_held, clients=(a, b))
                result.check(f"priority {low} waits for {high}", ok)
                b.close()
                result.check("it goes on when the other dies",
                             wait_for(lambda: not a.is_held(), clients=(a,)))
            else:
                result.check(f"priority {low} does not wait for {high}",
                             _settled(rig, (a,)) and not a.is_held())


def _kinds_of_queues(rig, result):
    a = rig.client(priority=2)
    b = rig.client(priority=12)
    with a, b:
        a.add_queue(rig.gpu_id, 1, wire.SDMA, busy=True)
        b.add_queue(rig.gpu_id, 1, busy=True)
        result.check("a copy engine is never stopped", _settled(rig, (a,)))
        result.check("a process alone is not stopped", _settled(rig, (b,)))
        a.add_queue(rig.gpu_id, 2, wire.AQL, busy=True)
        result.check("its compute queue is", wait_for(lambda: a.is_held(), clients=(a, b)))
        a.add_queue(rig.gpu_id, 3, wire.AQL, busy=True)
        result.check("a queue made while held is stopped", a.is_stopped(rig.gpu_id, 3))
        result.check("and its copy engine still runs", not a.is_stopped(rig.gpu_id, 1))


def _by_hand(rig, result):
    a, b = _two(rig)
    with a, b:
        wait_for(lambda: {a.pid, b.pid} <= {p.pid for p in rig.handle.processes()})
        gone = rig.handle.suspend(QueueRef(1, rig.gpu_id))[0]
        result.check("suspending a process that is not there says so",
                     isinstance(gone.error, NotFound), gone.error)
        a.answer = None
        late = rig.handle.suspend(a.pid, lease_s=1.0, timeout_s=0.8)[0]
        result.check("a process that does not answer is not reported as suspended", not late.ok, late.error)
        begin = time.monotonic()
        a.answer = wire.OK
        a.pump()
        a.answer_owed()
        free = wait_for(lambda: not a.is_held(), clients=(a,))
        result.check("a hold by hand ends with its lease",
                     free and time.monotonic() - begin < 1.5, f"{time.monotonic() - begin:.3f} s")


def _bad_input(rig, result):
    a, b = _two(rig)
    with a, b:
        wait_for(lambda: a.pid in {p.pid for p in rig.handle.processes()})
        for text, error in (
                ("priority 16", _refused(rig.handle.set_attributes, a.pid, priority=16)),
                ("weight 0", _refused(rig.handle.set_attributes, a.pid, weight=0)),
                ("a policy that is not there", _refused(rig.handle.set_policy, "none", rig.gpu_id)),
                ("a node that is not there", _refused(rig.handle.policy, 999999))):
            result.check(f"{text} is refused",
                         isinstance(error, (InvalidArgument, NotFound)), error)
        a.send(wire.BUSY, gpu_id=rig.gpu_id, queue_id=77)
        result.check("an edge of an unknown queue ends the conversation",
                     wait_for(lambda: not a.connected, clients=(a,)), a.bye)


def _silent(rig, result):
    a, b = _two(rig)
    with a, b:
        a.answer = None
        b.set_busy(True, rig.gpu_id, 1)
        ok = wait_for(lambda: any(o.kind == wire.RELEASE for o in a.orders), clients=(a, b))
        result.check("a hold that is not answered is released", ok)
        a.answer = wire.OK
        a.answer_owed()
        b.set_busy(False, rig.gpu_id, 1)
        wait_for(lambda: not a.is_held(), clients=(a, b))
        result.check("and nothing stays held", not a.is_held() and not b.is_held())


def _close_breaker(rig, result):
    """Good switches until preemption is trusted again."""
    a, b = _two(rig)
    end = time.monotonic() + WAIT_S
    with a, b:
        while rig.breaker() != "closed" and time.monotonic() < end:
            b.set_busy(True, rig.gpu_id, 1)
            wait_for(a.is_held, 0.2, (a, b))
            b.set_busy(False, rig.gpu_id, 1)
            wait_for(lambda: not a.is_held(), 0.2, (a, b))
        result.check("preemption is trusted again after it", rig.breaker() == "closed")


def boundary_conditions(rig):
    """Extremes of priorities and queues, bad input, silent and dying clients."""
    result = CaseResult("boundary conditions", boundary_conditions.__doc__)
    for part in (_priorities, _kinds_of_queues, _by_hand, _bad_input, _silent, _close_breaker):
        part(rig, result)
    result.figures["conditions"] = str(len(result.checks))
    return result


def stability_run(rig):
    """Clients that come, work, change and die at random, for as long as wanted."""
    result = CaseResult("stability", stability_run.__doc__)
    run = stability.Run(rig.path, rig.handle, rig.gpu_id, rig.seed, rig.daemon)
    run.for_seconds(rig.stable_s)
    left = run.finish(WAIT_S)
    result.check("every hold was released at the end", not left, left or "")
    result.check("the daemon is the same as before", run.same_daemon())
    result.check("its list of processes was right at every look", not run.disagreements,
                 run.disagreements[:1] or f"{run.nr_looks} looks")
    result.check("no client was dropped", not run.dropped, run.dropped[:1] or "")
    if rig.daemon:
        growth = run.memory_growth()
        result.check("its memory does not grow by more than 1 MiB", growth <= 1 << 20,
                     f"{growth / 1024:.0f} KiB")
    result.figures["length"] = f"{rig.stable_s:g} s, seed {rig.seed}"
    result.figures["actions"] = str(run.nr_actions)
    result.figures["holds"] = str(run.nr_holds)
    result.figures["time held, p50 / p99"] = \
        f"{ms(percentile(run.held_ns, 0.5))} / {ms(percentile(run.held_ns, 0.99))}"
    result.series = {"stability": run.samples}
    return result


CASES = {"basic": basic_preemption, "frequent": frequent_preemption,
         "boundary": boundary_conditions, "stability": stability_run}


def run_case(name, rig):
    """A case that raises has failed; the node is enabled and of policy prio before and after."""
    begin = time.monotonic()
    rig.handle.set_policy("prio", rig.gpu_id)
    rig.handle.set_enabled(True, rig.gpu_id)
    try:
        result = CASES[name](rig)
    except Exception as e:
        result = CaseResult(name, CASES[name].__doc__)
        result.check(f"raised {type(e).__name__}", False, traceback.format_exc())
    finally:
        with contextlib.suppress(GPreemptError):
            rig.handle.set_enabled(True, rig.gpu_id)
    result.seconds = time.monotonic() - begin
    return result
