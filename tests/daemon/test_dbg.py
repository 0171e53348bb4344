# SPDX-License-Identifier: MIT
"""Tracers: started, watched, killed. A script stands in for gpreempt-tracer."""
import os
import re
import signal
import subprocess
import threading
import time

import pytest

from rig import BUSY, FIRST_PID, IDLE, WAIT, Client, Control, Daemon, Refused, edge, queue

TRACER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_tracer.py")


@pytest.fixture
def traced():
    """A daemon that starts the script; its nodes are simulated, its tracers speak of node 1."""
    with Daemon(config=f"[daemon]\ntracer = {TRACER}\n") as d:
        yield d


def target(mode):
    return subprocess.Popen(["sh", "-c", "sleep 60 & wait", mode], stdin=subprocess.DEVNULL)


@pytest.fixture
def targets():
    started = []

    def start(mode):
        started.append(target(mode))
        return started[-1].pid

    yield start
    for p in started:
        p.kill()
        p.wait()


def tracers(daemon):
    """Children of the daemon."""
    path = f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children"
    with open(path, encoding="utf-8") as f:
        return [int(p) for p in f.read().split()]


def wait_until(what, seconds=WAIT):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_attach_and_detach(traced, targets):
    c = Control(traced)
    pid = targets("good")
    p = c.call("Attach", pid=pid, attributes={"priority": 3})["process"]
    assert p["mechanism"] == "dbg" and p["attributes"]["priority"] == 3 and p["pid"] == pid
    assert "queues by snapshots" in p["sees"]
    with pytest.raises(Refused) as e:
        c.call("Attach", pid=pid)
    assert "already" in e.value.parameters["reason"]
    c.call("Detach", pid=pid)
    wait_until(lambda: not tracers(traced))
    with pytest.raises(Refused) as e:
        c.call("Detach", pid=pid)
    assert e.value.error == "NotFound"


@pytest.mark.parametrize("mode,error,text", [
    ("refuse", "PermissionDenied", "another process"),
    ("liar", "Failed", "tracer"),
])
def test_refused_with_the_reason(traced, targets, mode, error, text):
    c = Control(traced)
    pid = targets(mode)
    with pytest.raises(Refused) as e:
        c.call("Attach", pid=pid)
    assert e.value.error == error and text in e.value.parameters["reason"]
    wait_until(lambda: not tracers(traced))
    assert c.process(pid) is None


def test_tracer_that_never_attaches_is_killed(traced, targets):
    c = Control(traced)
    with pytest.raises(Refused) as e:
        c.call("Attach", pid=targets("sleepy"))
    assert e.value.error == "Timeout"
    wait_until(lambda: not tracers(traced))


def test_tracer_that_does_not_end_is_killed(traced, targets):
    c = Control(traced)
    pid = targets("stay")
    c.call("Attach", pid=pid)
    c.call("Detach", pid=pid)
    wait_until(lambda: not tracers(traced))


def test_no_such_process_and_no_such_tracer(traced, targets):
    c = Control(traced)
    with pytest.raises(Refused) as e:
        c.call("Attach", pid=4194303)
    assert e.value.error == "NotFound"
    traced.configure("[daemon]\ntracer = /nonexistent/none\n")
    c.call("Reload")
    with pytest.raises(Refused):
        c.call("Attach", pid=targets("good"))
    traced.configure("[daemon]\ndbg = off\n")
    c.call("Reload")
    with pytest.raises(Refused) as e:
        c.call("Attach", pid=targets("good"))
    assert e.value.error == "NotSupported" and "off" in e.value.parameters["reason"]


def test_silent_tracer_is_killed(traced, targets):
    """The watchdog: the kernel resumes the target when its tracer dies."""
    c = Control(traced)
    pid = targets("mute")
    c.call("Attach", pid=pid)
    reply = c.call("Suspend", targets=[{"pid": pid}], timeout_ms=200)
    assert reply["results"][0]["result"] == "busy"
    wait_until(lambda: not tracers(traced))
    assert c.process(pid) is None
    # What it was at is in the log: afterwards nobody can find out.
    assert re.search(r"killed: does not answer \(state [RSD], in \w+\)", traced.log())
    # There will be another: who asks meanwhile is told so, and who asks for nobody is not.
    answer = c.call("Suspend", targets=[{"pid": pid}])["results"][0]
    assert answer["result"] == "busy" and "try again" in answer["reason"]
    c.call("Detach", pid=pid)
    assert c.call("Suspend", targets=[{"pid": pid}])["results"][0]["result"] == "gone"


def test_silent_tracer_is_killed_before_the_deadline_of_the_core(traced, targets):
    c = Control(traced)
    c.call("SetPolicy", parameters={"deadline_ns": 2_000_000_000})
    pid = targets("mute")
    c.call("Attach", pid=pid, attributes={"priority": 2})
    high = Client(traced, pid=FIRST_PID, prio=12)
    high.send(queue(busy=1))
    wait_until(lambda: not tracers(traced))
    # The node is not to blame: the switch ended with the tracer, in time.
    c.wait_for(lambda: c.process(pid) is None)
    assert c.call("ListNodes")["nodes"][0]["breaker"] == "closed"


def test_traced_process_is_scheduled(traced, targets):
    c = Control(traced)
    pid = targets("good")
    c.call("Attach", pid=pid, attributes={"priority": 2})
    high = Client(traced, pid=FIRST_PID, prio=12)
    high.send(queue())
    high.send(edge(BUSY))
    c.wait_for(lambda: c.process(pid)["state"] == "preempted")
    high.send(edge(IDLE))
    c.wait_for(lambda: c.process(pid)["state"] == "running")


def test_good_tracer_is_not_killed(traced, targets):
    """Negative control of the watchdog."""
    c = Control(traced)
    pid = targets("good")
    c.call("Attach", pid=pid)
    for _ in range(3):
        assert c.call("Suspend", targets=[{"pid": pid}])["results"][0]["result"] == "ok"
        assert c.call("Resume", targets=[{"pid": pid}])["results"][0]["result"] == "ok"
    time.sleep(0.3)
    assert len(tracers(traced)) == 1


def is_controlled(c, pid):
    p = c.process(pid)
    return p is not None and p["nr_queues"] > 0


def test_lost_tracer_is_replaced(traced, targets):
    """What was set since it attached holds for the next one."""
    c = Control(traced)
    pid = targets("good")
    c.call("Attach", pid=pid, attributes={"priority": 3})
    c.call("SetAttributes", pid=pid, attributes={"priority": 2})
    first = tracers(traced)
    os.kill(first[0], signal.SIGKILL)
    wait_until(lambda: tracers(traced) and tracers(traced) != first)
    c.wait_for(lambda: is_controlled(c, pid))
    assert c.process(pid)["attributes"]["priority"] == 2
    assert c.call("Suspend", targets=[{"pid": pid}])["results"][0]["result"] == "ok"


def test_order_of_a_lost_tracer_is_to_be_tried_again(traced, targets):
    c = Control(traced)
    pid = targets("mute")
    c.call("Attach", pid=pid)
    killer = threading.Timer(0.3, os.kill, (tracers(traced)[0], signal.SIGKILL))
    killer.start()
    answer = c.call("Suspend", targets=[{"pid": pid}], timeout_ms=5000)["results"][0]
    killer.join()
    assert answer["result"] == "busy" and "try again" in answer["reason"]


def test_silent_tracer_counts_once(traced, targets):
    """However many orders it owes an answer to."""
    c = Control(traced)
    pid = targets("mute")
    c.call("Attach", pid=pid)
    wanted = [{"pid": pid, "gpu_id": 1, "queue_id": 1}, {"pid": pid}]
    reply = c.call("Suspend", targets=wanted, timeout_ms=200)
    assert [r["result"] for r in reply["results"]] == ["busy", "busy"]
    wait_until(lambda: not tracers(traced))
    lost = time.monotonic()
    wait_until(lambda: tracers(traced))
    assert 1.8 < time.monotonic() - lost < 3.8


def test_silent_tracer_is_replaced_later_and_later(traced, targets):
    c = Control(traced)
    pid = targets("mute")
    c.call("Attach", pid=pid)
    for seconds in (2, 4):
        reply = c.call("Suspend", targets=[{"pid": pid}], timeout_ms=200)
        assert reply["results"][0]["result"] == "busy"
        wait_until(lambda: not tracers(traced))
        lost = time.monotonic()
        wait_until(lambda: tracers(traced))
        assert time.monotonic() - lost > seconds - 0.2
        c.wait_for(lambda: is_controlled(c, pid))


@pytest.mark.parametrize("after", [0, 0.5])
def test_lost_tracer_is_not_replaced_after_detach(traced, targets, after):
    c = Control(traced)
    pid = targets("good")
    c.call("Attach", pid=pid)
    os.kill(tracers(traced)[0], signal.SIGKILL)
    time.sleep(after)
    c.call("Detach", pid=pid)
    wait_until(lambda: not tracers(traced))
    time.sleep(1.5)
    assert not tracers(traced)
    with pytest.raises(Refused):
        c.call("Detach", pid=pid)


def test_attach_while_one_is_to_be_replaced(traced, targets):
    c = Control(traced)
    pid = targets("good")
    c.call("Attach", pid=pid, attributes={"priority": 3})
    os.kill(tracers(traced)[0], signal.SIGKILL)
    wait_until(lambda: not tracers(traced))
    c.call("GetInfo")
    p = c.call("Attach", pid=pid, attributes={"priority": 1})["process"]
    assert p["attributes"]["priority"] == 1 and len(tracers(traced)) == 1
    time.sleep(1.5)
    assert len(tracers(traced)) == 1


def test_tracer_of_a_process_that_ended_is_not_replaced(traced):
    c = Control(traced)
    process = target("good")
    c.call("Attach", pid=process.pid)
    process.kill()
    process.wait()
    for pid in tracers(traced):
        os.kill(pid, signal.SIGKILL)
    time.sleep(1.5)
    assert not tracers(traced)


def test_tracers_end_with_the_daemon(targets):
    with Daemon(config=f"[daemon]\ntracer = {TRACER}\n") as d:
        c = Control(d)
        c.call("Attach", pid=targets("good"))
        children = tracers(d)
        assert len(children) == 1
        d.stop()
        wait_until(lambda: not os.path.exists(f"/proc/{children[0]}"))


def test_started_by_one_who_ignores_the_end_of_children(targets):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        d = Daemon(config=f"[daemon]\ntracer = {TRACER}\n")
    finally:
        signal.signal(signal.SIGCHLD, before)
    with d:
        c = Control(d)
        pid = targets("good")
        c.call("Attach", pid=pid)
        c.call("Detach", pid=pid)
        wait_until(lambda: not tracers(d))
        # It has heard of the end, and goes on.
        c.call("Attach", pid=pid)


def test_connection_that_goes_while_attaching(traced, targets):
    c = Control(traced)
    c.send("Attach", {"pid": targets("sleepy")})
    wait_until(lambda: tracers(traced))
    c.close()
    Control(traced).call("GetInfo")
    wait_until(lambda: not tracers(traced))
