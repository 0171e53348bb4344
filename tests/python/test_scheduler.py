# SPDX-License-Identifier: MIT
"""GPreemptScheduler against the real daemon."""
import errno
import os
import subprocess
import sys
import threading
import time

import pytest

from gpreempt import (Attributes, DaemonGone, GPreemptScheduler, Handle, NotFound, Process,
                      Timeout, errors, scheduler, wire)
from gpreempt.device import Device
from gpreempt.scheduler import highest_priority
from gpreempt.workload import MS, SimProcess

WAIT_S = 20.0


def wait_for(what, timeout_s=WAIT_S):
    end = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < end, "this does not come"
        time.sleep(0.002)


def enabled_nodes(daemon):
    """By a handle of its own: others end with a daemon that is killed."""
    with Handle(daemon.path, "daemon") as h:
        return [n.gpu_id for n in h.nodes() if n.enabled]


@pytest.fixture
def device():
    with Device() as d:
        yield d


@pytest.fixture
def process(daemon, device):
    made = []

    def make(name, **wishes):
        made.append(SimProcess(daemon.path, device, name, **wishes))
        return made[-1]

    yield make
    for p in made:
        p.close()


def test_callbacks_follow_the_daemon(daemon, process):
    seen = []
    with GPreemptScheduler(daemon.path, on_busy=lambda s, e: seen.append(("busy", e.pid)),
                           on_idle=lambda s, e: seen.append(("idle", e.pid)),
                           on_preempt=lambda s, e: seen.append(("preempt", e.pid)),
                           on_resume=lambda s, e: seen.append(("resume", e.pid))) as s:
        assert s.running and s.connected
        low, high = process("low", priority=2), process("high", priority=12)
        low.submit(500 * MS)
        wait_for(lambda: ("busy", low.pid) in seen)
        high.submit(5 * MS)
        wait_for(lambda: ("resume", low.pid) in seen)
    assert not s.running
    order = [seen.index(x) for x in (("busy", low.pid), ("busy", high.pid), ("preempt", low.pid),
                                     ("idle", high.pid), ("resume", low.pid))]
    assert order == sorted(order)
    assert s.counts["preempt"] == s.counts["resume"] == 1


def test_a_callback_that_fails_stops_nothing(daemon, process):
    caught, seen = [], []

    def bad(scheduler, event):
        raise RuntimeError("a callback's fault")

    with GPreemptScheduler(daemon.path, on_busy=bad, on_error=lambda s, e: caught.append(e)) as s:
        s.on("busy", lambda s, e: seen.append(e))
        process("p").submit(1 * MS)
        wait_for(lambda: seen and caught)
        assert s.running
    assert str(caught[0]) == "a callback's fault"


def test_user_policy_schedules(daemon, handle, process):
    low, high = process("low", priority=2), process("high", priority=12)
    with GPreemptScheduler(daemon.path, policy=highest_priority, lease_s=0.5) as s:
        assert not any(n.enabled for n in handle.nodes())
        low.submit(300 * MS)
        wait_for(lambda: low.queue.waiting and low.queue.waiting[0].started_ns)
        high.submit(50 * MS)
        wait_for(lambda: low.pid in s.held and low.queue.stopped)
        assert low.client.is_held(wire.HOLDER_MANUAL) and not high.client.is_held()
        assert low.drain(WAIT_S)
        wait_for(lambda: not s.held)
        assert not list(s.errors)
    assert high.done[0].ended_ns < low.done[0].ended_ns
    assert low.done[0].ran_ns == 300 * MS and low.done[0].pieces >= 2
    # What it took over it gives back.
    assert all(n.enabled for n in handle.nodes())


@pytest.mark.parametrize("nr_busy", [None, 0, 1])
def test_a_process_that_nobody_controls_does_not_matter(daemon, process, nr_busy):
    low, high = process("low", priority=2), process("high", priority=12)
    stranger = Process(1, 0, "stranger", None, 1, nr_busy, "unknown", Attributes())
    assert highest_priority([stranger]) == set()

    def policy(processes):
        return highest_priority([stranger, *processes])

    with GPreemptScheduler(daemon.path, policy=policy, lease_s=5.0) as s:
        low.submit(1 * MS)
        high.submit(3000 * MS)
        wait_for(lambda: low.pid in s.held and low.client.is_held())
        assert not list(s.errors)


def test_leases_are_renewed(daemon, process):
    low, high = process("low", priority=2), process("high", priority=12)
    with GPreemptScheduler(daemon.path, policy=highest_priority, lease_s=0.3) as s:
        low.submit(100 * MS)
        high.submit(1000 * MS)
        wait_for(lambda: low.pid in s.held)
        assert high.drain(WAIT_S)
        # Held for three leases: they were renewed.
        assert not low.done
        assert low.drain(WAIT_S)
    assert low.done[0].ended_ns > high.done[0].ended_ns - 20 * MS


@pytest.mark.parametrize("deaf_to", [wire.HOLD, wire.RELEASE])
def test_one_that_does_not_answer_does_not_end_the_leases_of_others(daemon, process, deaf_to):
    low = process("low", priority=2)
    silent = process("silent", answer=lambda o: None if o.kind == deaf_to else wire.OK)
    silent_waits, lease_s = threading.Event(), 3.0
    silent_waits.set()

    def policy(processes):
        return {low.pid, silent.pid} if silent_waits.is_set() else {low.pid}

    with GPreemptScheduler(daemon.path, policy=policy, lease_s=lease_s) as s:
        wait_for(lambda: low.client.is_held() and silent.client.is_held())
        begin = time.monotonic()
        if deaf_to == wire.RELEASE:
            wait_for(lambda: silent.pid in s.held)
            silent_waits.clear()
            low.submit(1 * MS)
            wait_for(lambda: not silent.client.is_held())
        while time.monotonic() < begin + 2 * lease_s:
            assert low.client.is_held()
            time.sleep(0.01)


@pytest.mark.parametrize("nr_orders", [1, 2])
def test_one_that_was_late_is_renewed_and_let_go_like_others(daemon, process, nr_orders):
    """Not after its lease, as one that the daemon does not know of."""
    late = process("late", answer=lambda o: None if o.kind == wire.HOLD else wire.OK)
    other, wanted, lease_s = process("other"), threading.Event(), 6.0
    wanted.set()

    def policy(_):
        return {late.pid} if wanted.is_set() else ()

    def orders(kind):
        return [o for o in late.client.orders if o.kind == kind]

    with GPreemptScheduler(daemon.path, policy=policy, lease_s=lease_s) as s:
        wait_for(lambda: len(orders(wire.HOLD)) >= nr_orders)
        begin = time.monotonic()
        assert late.pid not in s.held and late.client.is_held()
        wanted.clear()
        other.submit(1 * MS)
        wait_for(lambda: not late.client.is_held())
        assert time.monotonic() < begin + 0.75 * lease_s
        assert len(orders(wire.RELEASE)) == 1


def test_a_policy_that_hangs_holds_nobody_for_longer_than_the_lease(daemon, process):
    low, high = process("low", priority=2), process("high", priority=12)
    go_on, hanging = threading.Event(), threading.Event()

    def policy(processes):
        if low.client.is_held():
            hanging.set()
            go_on.wait(WAIT_S)
        return {low.pid} if any(p.nr_busy for p in processes if p.pid == high.pid) else set()

    with GPreemptScheduler(daemon.path, policy=policy, lease_s=0.3):
        high.submit(3000 * MS)
        low.submit(1 * MS)
        assert hanging.wait(WAIT_S)
        begin = time.monotonic()
        wait_for(lambda: not low.client.is_held())
        took = time.monotonic() - begin
        go_on.set()
    assert took < 0.3 + 1.0


def test_a_policy_that_fails_holds_nobody(daemon, process):
    low, high = process("low", priority=2), process("high", priority=12)
    broken = threading.Event()

    def policy(processes):
        if broken.is_set():
            raise RuntimeError("broken policy")
        return highest_priority(processes)

    with GPreemptScheduler(daemon.path, policy=policy, lease_s=5.0) as s:
        low.submit(20 * MS)
        high.submit(3000 * MS)
        wait_for(lambda: low.pid in s.held)
        broken.set()
        wait_for(lambda: not s.held and not low.client.is_held(), 10.0)
        assert any("broken policy" in str(e) for e in s.errors)
        assert s.running


def test_stop_lets_go(daemon, handle, process):
    low, high = process("low", priority=2), process("high", priority=12)
    s = GPreemptScheduler(daemon.path, policy=highest_priority, lease_s=60.0, take_over=False)
    handle.set_enabled(False)
    s.start()
    low.submit(1 * MS)
    high.submit(3000 * MS)
    wait_for(lambda: low.client.is_held())
    s.stop()
    s.stop()
    wait_for(lambda: not low.client.is_held(), 5.0)
    assert not any(n.enabled for n in handle.nodes())


class StoppedAtOnce(GPreemptScheduler):
    """stop() comes when it has just connected for the nth time, before the thread looks."""
    nth = 1

    def _connect(self):
        super()._connect()
        self.nth -= 1
        if not self.nth:
            self._stop.set()


def test_stop_right_after_start_gives_back(daemon, handle):
    s = StoppedAtOnce(daemon.path, policy=highest_priority).start()
    s.stop()
    assert all(n.enabled for n in handle.nodes())


def test_stop_while_it_reconnects_gives_back(daemon):
    s = StoppedAtOnce(daemon.path, policy=highest_priority)
    s.nth = 2
    s.start()
    daemon.kill()
    wait_for(lambda: not s.connected)
    # The new daemon is to have its nodes enabled.
    os.remove(os.path.join(os.path.dirname(daemon.path), "state.json"))
    daemon.start()
    wait_for(lambda: not s.running)
    s.stop()
    with Handle(daemon.path, "daemon") as h:
        assert all(n.enabled for n in h.nodes())


def leave(*_):
    raise SystemExit(1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("bad", [{"policy": leave}, {"on_event": leave},
                                 {"policy": lambda p: 1 / 0, "on_error": leave}])
def test_a_function_that_exits_leaves_nothing_taken(daemon, handle, client, bad):
    s = GPreemptScheduler(daemon.path, **{"policy": highest_priority, **bad}).start()
    client()
    wait_for(lambda: not s.running)
    assert not s.connected and all(n.enabled for n in handle.nodes())
    s.stop()


def test_a_callback_that_stops_it(daemon, client):
    """It is running until all is given back: a program may end then."""
    stopped = []

    def stop(s, _):
        if not stopped:
            s.stop()
            stopped.append(s)
            time.sleep(0.3)

    s = GPreemptScheduler(daemon.path, policy=highest_priority, on_event=stop).start()
    client()
    wait_for(lambda: stopped)
    wait_for(lambda: not s.running)
    assert enabled_nodes(daemon) == [1, 2]
    s.start()
    assert s.running and enabled_nodes(daemon) == []
    s.stop()
    s.stop()
    assert enabled_nodes(daemon) == [1, 2]


def test_a_thread_that_does_not_end_yet_is_not_forgotten(daemon):
    go_on = threading.Event()

    def policy(_):
        go_on.wait(WAIT_S)
        return ()

    s = GPreemptScheduler(daemon.path, policy=policy).start()
    with pytest.raises(Timeout):
        s.stop(0.1)
    assert s.running
    with pytest.raises(RuntimeError):
        s.start()
    go_on.set()
    s.stop(WAIT_S)
    assert not s.running and enabled_nodes(daemon) == [1, 2]


PROGRAM = """
import os
import sys
from gpreempt import GPreemptScheduler, Handle
GPreemptScheduler(sys.argv[1], policy=lambda processes: ()).start()

def taken():
    with Handle(sys.argv[1], "daemon") as h:
        return not any(n.enabled for n in h.nodes())

if not taken():
    os._exit(8)
"""
FORKS = """
import time
if not os.fork():
    sys.exit(0)
os.wait()
before = time.process_time()
time.sleep(1)
os._exit(7 if taken() and time.process_time() - before < 0.3 else 9)
"""


def run_program(daemon, root, end):
    env = {**os.environ, "PYTHONPATH": os.path.join(root, "python")}
    return subprocess.run([sys.executable, "-c", PROGRAM + end, daemon.path], env=env,
                          stderr=subprocess.DEVNULL, timeout=60).returncode


@pytest.mark.parametrize("end, code", [("", 0), ("sys.exit(3)", 3), ("1 / 0", 1)])
def test_a_program_that_ends_without_stop_leaves_nothing_taken(daemon, root, end, code):
    assert run_program(daemon, root, end) == code
    assert enabled_nodes(daemon) == [1, 2]


def test_a_child_that_ends_does_not_touch_its_parents_scheduler(daemon, root):
    """Not its nodes, nor its stream: that would keep its thread awake."""
    assert run_program(daemon, root, FORKS) == 7


def test_without_a_thread_nothing_is_taken(daemon, handle, monkeypatch):
    def fails(thread):
        raise RuntimeError("no threads left")

    s = GPreemptScheduler(daemon.path, policy=highest_priority)
    with monkeypatch.context() as m:
        m.setattr(threading.Thread, "start", fails)
        with pytest.raises(RuntimeError):
            s.start()
    assert not s.connected and all(n.enabled for n in handle.nodes())
    s.start().stop()


def test_daemon_that_comes_back(daemon):
    lost = []
    with GPreemptScheduler(daemon.path, on_error=lambda s, e: lost.append(e)) as s:
        daemon.kill()
        wait_for(lambda: not s.connected)
        daemon.start()
        wait_for(lambda: s.connected)
        assert s.running and isinstance(lost[0], DaemonGone)


def restart(daemon, s):
    daemon.kill()
    wait_for(lambda: not s.connected)
    daemon.start()
    wait_for(lambda: s.connected)


def test_nodes_are_given_back_to_a_daemon_that_came_back(daemon):
    with GPreemptScheduler(daemon.path, policy=highest_priority) as s:
        restart(daemon, s)
        wait_for(lambda: enabled_nodes(daemon) == [])
        restart(daemon, s)
    assert enabled_nodes(daemon) == [1, 2]


def test_what_was_not_taken_is_not_given_back(daemon, handle):
    """The negative control of the test above."""
    handle.set_enabled(False, 2)
    with GPreemptScheduler(daemon.path, policy=highest_priority) as s:
        restart(daemon, s)
    assert enabled_nodes(daemon) == [1]


def test_nodes_are_given_back_although_it_is_not_connected(daemon, monkeypatch):
    s = GPreemptScheduler(daemon.path, policy=highest_priority).start()
    monkeypatch.setattr(scheduler, "RECONNECT_S", 60.0)
    daemon.kill()
    wait_for(lambda: not s.connected)
    daemon.start()
    s.stop(WAIT_S)
    assert enabled_nodes(daemon) == [1, 2]


def test_nodes_are_given_back_by_the_next_that_finds_the_daemon(daemon, caplog):
    s = GPreemptScheduler(daemon.path, policy=highest_priority).start()
    daemon.kill()
    wait_for(lambda: not s.connected)
    s.stop(WAIT_S)
    assert "not given back: [1, 2]" in caplog.text
    daemon.start()
    s.start().stop(WAIT_S)
    assert enabled_nodes(daemon) == [1, 2]


@pytest.mark.parametrize("broken", [1, 2])
def test_a_node_that_cannot_be_given_back_keeps_no_other(daemon, monkeypatch, broken):
    set_enabled = Handle.set_enabled

    def fails(self, enabled, gpu_id=0):
        if enabled and gpu_id == broken:
            raise errors.make(errno.EIO, "this one does not")
        set_enabled(self, enabled, gpu_id)

    s = GPreemptScheduler(daemon.path, policy=highest_priority).start()
    with monkeypatch.context() as m:
        m.setattr(Handle, "set_enabled", fails)
        s.stop()
    assert enabled_nodes(daemon) == [3 - broken]
    assert [e.errno for e in s.errors] == [errno.EIO]
    # It is not forgotten.
    s.start().stop()
    assert enabled_nodes(daemon) == [1, 2]


def test_without_reconnect_it_ends(daemon):
    s = GPreemptScheduler(daemon.path, reconnect=False).start()
    daemon.kill()
    wait_for(lambda: not s.running)
    s.stop()


def test_usage_errors(tmp_path):
    with pytest.raises(TypeError):
        GPreemptScheduler(on_nothing=print)
    with pytest.raises(ValueError):
        GPreemptScheduler(policy=highest_priority, lease_s=0)
    with pytest.raises(NotFound):
        GPreemptScheduler(str(tmp_path / "nothing")).start()
