# SPDX-License-Identifier: MIT
"""The API against the real daemon: lists, orders, attributes, policies, events, errors."""
import errno
import inspect
import os
import socket
import threading
import time
import typing

import pytest

import gpreempt
from gpreempt import (ALL, Attributes, DaemonGone, EventStream, GPreemptError, Handle,
                      InvalidArgument, NotFound, NotSupported, PermissionDenied, QueueRef, Timeout,
                      errors, wire)

WAIT_S = 20.0


def wait_for(what, timeout_s=WAIT_S):
    end = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < end, "this does not come"
        time.sleep(0.002)


def pump_while(clients, function, *args, **kwargs):
    """A call of the library while clients obey; what it returned."""
    result = []
    thread = threading.Thread(target=lambda: result.append(function(*args, **kwargs)))
    thread.start()
    while thread.is_alive():
        for c in clients:
            c.pump(0.002)
    thread.join()
    return result[0]


def known(handle, client):
    wait_for(lambda: any(p.pid == client.pid and p.nr_queues == len(client.queues)
                         for p in handle.processes()))


def test_caps_and_nodes(handle):
    caps = handle.caps()
    assert caps.daemon and "sim" in caps.mechanisms and caps.nr_nodes == 2
    nodes = handle.nodes()
    assert [n.gpu_id for n in nodes] == [1, 2]
    assert all(n.enabled and n.policy == "prio" and n.breaker == "closed" for n in nodes)
    # A simulated node has no compute units: unknown, not 0.
    assert nodes[0].nr_cu is None and "nr_cu" not in nodes[0].sources


def test_processes_and_queues(handle, client):
    c = client(priority=5, comm="trainer", group="g")
    c.add_queue(1, 4, busy=True)
    c.add_queue(2, 9, wire.SDMA)
    known(handle, c)
    p = handle.processes()[0]
    assert (p.pid, p.comm, p.mechanism, p.nr_queues, p.nr_busy) == (c.pid, "trainer", "sim", 2, 1)
    assert p.attributes.priority == 5 and p.attributes.group == "g"
    queues = {(q.gpu_id, q.queue_id): q for q in handle.queues()}
    assert queues[1, 4].type == "aql" and queues[1, 4].busy is True
    assert queues[2, 9].type == "sdma" and queues[2, 9].busy is False
    assert queues[1, 4].rptr is None and "rptr" not in queues[1, 4].sources
    assert queues[1, 4].sources["ring_addr"] == "shim"


def test_suspend_and_resume(handle, client):
    c = client()
    c.add_queue(1, 1, busy=True)
    known(handle, c)
    assert pump_while([c], handle.suspend, c.pid)[0].ok
    assert c.is_stopped(1, 1) and handle.queues()[0].held == {"manual"}
    assert pump_while([c], handle.resume, c.pid)[0].ok
    assert not c.is_stopped(1, 1) and not handle.queues()[0].held


def test_one_queue_of_several(handle, client):
    c = client()
    c.add_queue(1, 1)
    c.add_queue(1, 2)
    known(handle, c)
    results = pump_while([c], handle.suspend, [QueueRef(c.pid, 1, 2), QueueRef(c.pid, 1, 77), 1])
    assert [r.ok for r in results] == [True, False, False]
    assert isinstance(results[1].error, NotFound) and results[2].ref == QueueRef(1, 0, ALL)
    assert c.is_stopped(1, 2) and not c.is_stopped(1, 1)


def test_lease_and_closing_let_go(daemon, handle, client):
    c = client()
    c.add_queue()
    known(handle, c)
    assert pump_while([c], handle.suspend, c.pid, lease_s=0.2)[0].ok
    wait_for(lambda: c.pump(0.01) is not None and not c.is_held())
    with Handle(daemon.path) as other:
        assert pump_while([c], other.suspend, c.pid)[0].ok
        assert c.is_held()
    wait_for(lambda: c.pump(0.01) is not None and not c.is_held())


def test_a_hold_without_a_lease_stays(handle, client):
    """The negative control of the test above."""
    c = client()
    c.add_queue()
    known(handle, c)
    assert pump_while([c], handle.suspend, c.pid)[0].ok
    end = time.monotonic() + 1.5 * c.lease_ns / 1e9
    while time.monotonic() < end:
        c.pump(0.01)
        assert c.is_held()


def test_suspended_block(handle, client):
    c = client()
    c.add_queue()
    known(handle, c)
    entered = []

    def block():
        with handle.suspended(c.pid):
            entered.append(c.is_stopped(1, 1))

    pump_while([c], block)
    assert entered == [True] and not c.is_held()
    with pytest.raises(NotFound):
        with handle.suspended(1):
            raise AssertionError("no process is suspended")


def failure_of(function, *args):
    """What a function raises."""
    try:
        function(*args)
    except Exception as e:
        return e
    return None


@pytest.mark.parametrize("result", [None, wire.BUSY_NOW])
def test_suspended_leaves_nobody_held_that_was_late_or_busy(handle, client, result):
    good = client()
    bad = client(answer=lambda order: result if order.kind == wire.HOLD else wire.OK)
    for c in (good, bad):
        c.add_queue()
        known(handle, c)

    def block():
        with handle.suspended([good.pid, bad.pid]):
            raise AssertionError("one of them does not stop")

    e = pump_while([good, bad], failure_of, block)
    assert isinstance(e, GPreemptError) and e.errno == errno.EBUSY
    assert not good.is_held() and not bad.is_held()
    assert not any(q.held for q in handle.queues())


def test_suspended_block_that_fails_says_why_itself(daemon, handle, client):
    c = client()
    c.add_queue()
    known(handle, c)

    def block(error):
        with handle.suspended(c.pid):
            daemon.kill()
            raise error

    error = RuntimeError("the block's")
    assert pump_while([c], failure_of, block, error) is error


def test_suspended_block_says_that_the_daemon_is_gone(daemon, handle, client):
    """The negative control of the test above."""
    c = client()
    c.add_queue()
    known(handle, c)

    def block():
        with handle.suspended(c.pid):
            daemon.kill()

    assert isinstance(pump_while([c], failure_of, block), DaemonGone)


def test_attributes(handle, client):
    c = client()
    c.add_queue()
    known(handle, c)
    handle.set_attributes(c.pid, priority=3, weight=50, slice_ns=1000000)
    a = handle.attributes(c.pid)
    assert (a.priority, a.weight, a.slice_ns, a.klass) == (3, 50, 1000000, "default")
    handle.set_attributes(c.pid, Attributes(klass="realtime"), group="team")
    a = handle.attributes(c.pid)
    assert (a.priority, a.latency_critical, a.klass, a.group) == (12, True, "realtime", "team")
    assert a.no_preempt is False
    handle.set_attributes(c.pid, no_preempt=True)
    assert handle.attributes(c.pid).no_preempt is True


@pytest.mark.parametrize("changes", [{"priority": 16}, {"weight": 0}, {"weight": 10001},
                                     {"priority": -1}, {"priority": 1 << 40}, {"group": "x" * 32}])
def test_bad_attributes_are_refused_and_change_nothing(handle, client, changes):
    c = client()
    c.add_queue()
    known(handle, c)
    before = handle.attributes(c.pid)
    with pytest.raises(InvalidArgument):
        handle.set_attributes(c.pid, **changes)
    assert handle.attributes(c.pid) == before


def test_attributes_change_inside_a_block(handle, client):
    c = client()
    c.add_queue()
    known(handle, c)
    handle.set_attributes(c.pid, klass="besteffort", weight=50, group="team")
    before = handle.attributes(c.pid)
    with handle.changed(c.pid, klass="realtime") as was:
        now = handle.attributes(c.pid)
        assert was == before and (now.klass, now.priority, now.group) == ("realtime", 12, "team")
    assert handle.attributes(c.pid) == before
    with pytest.raises(RuntimeError):
        with handle.changed(c.pid, priority=12):
            raise RuntimeError
    assert handle.attributes(c.pid) == before
    with pytest.raises(NotFound):
        # This process has no queues.
        with handle.changed(klass="realtime"):
            pass


def granted(handle):
    return [(g["pid"], g["cgroup"], g["attributes"]) for g in handle.call("ListGrants")["grants"]]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root grants")
def test_grants(handle):
    handle.grant(os.getpid(), klass="realtime")
    handle.grant("/ml.slice", Attributes(klass="besteffort"), lease_s=60.0, weight=50)
    by_pid, by_cgroup = sorted(granted(handle), key=lambda g: g[1] or "")
    assert by_pid[:2] == (os.getpid(), None) and by_pid[2]["class"] == "realtime"
    assert by_cgroup[:2] == (None, "/ml.slice")
    assert (by_cgroup[2]["class"], by_cgroup[2]["weight"]) == ("besteffort", 50)
    handle.revoke("/ml.slice")
    handle.revoke(os.getpid())
    assert granted(handle) == []
    with pytest.raises(NotFound):
        handle.revoke(os.getpid())
    with pytest.raises(InvalidArgument):
        handle.grant(os.getpid(), priority=99)


def test_process_holds_itself(monkeypatch, daemon, handle, client):
    monkeypatch.setenv("GPREEMPT_SOCKET", daemon.path)
    c = client(pid=0)
    c.add_queue()
    wait_for(lambda: [p.nr_queues for p in handle.processes()] == [1])

    def states():
        return [q.held for q in handle.queues()]

    def hold_twice():
        with gpreempt.self_held("daemon") as first:
            with gpreempt.self_held("daemon") as second:
                counts = first, second
            return counts, states()

    assert pump_while([c], hold_twice) == ((1, 2), [frozenset({"manual"})])
    assert states() == [frozenset()]


def test_how_long_a_process_waited(handle, client):
    """Online work, until offline work has left the GPU."""
    low, high = client(priority=2), client(priority=12)
    for c in (low, high):
        c.add_queue()
        known(handle, c)

    def look(c):
        return next(p for p in handle.processes() if p.pid == c.pid)

    low.set_busy(True)
    wait_for(lambda: look(low).state == "running")
    assert look(high).wait_p99_ns is None and handle.stats(1).wait_p99_ns == 0
    high.set_busy(True)
    wait_for(lambda: [low.pump(0.01), look(high).state == "running"][1])
    assert 0 < look(high).wait_p50_ns == look(high).wait_p999_ns == handle.stats(1).wait_p99_ns
    assert [n.gpu for n in handle.nodes()] == [0, 1] and handle.nodes()[0].pci is None


@pytest.mark.parametrize("kind", [gpreempt.Handle, gpreempt.EventStream, gpreempt.GPreemptScheduler])
def test_what_users_call_has_types_and_a_text(kind):
    for name, member in vars(kind).items():
        if name.startswith("_") and name != "__init__":
            continue
        function = member.fget if isinstance(member, property) else inspect.unwrap(member) \
            if callable(member) else None
        if not function:
            continue
        types = typing.get_type_hints(function)
        assert set(inspect.signature(function).parameters) - {"self"} <= set(types), name
        assert "return" in types, name
        assert function.__doc__ or name == "__init__", name


def test_types_are_told_to_checkers():
    assert os.path.exists(os.path.join(os.path.dirname(gpreempt.__file__), "py.typed"))


def test_policy_and_parameters(handle):
    handle.set_policy("fair", 2)
    assert handle.policy(2) == "fair" and handle.policy(1) == "prio"
    handle.set_parameter("min_run_ns", 12345, 1)
    assert handle.parameter("min_run_ns", 1) == 12345 != handle.parameter("min_run_ns", 2)
    handle.set_enabled(False)
    assert not any(n.enabled for n in handle.nodes())
    with pytest.raises(GPreemptError):
        handle.set_policy("none")
    with pytest.raises(NotFound):
        handle.policy(99)
    with pytest.raises(InvalidArgument):
        handle.parameter("no_such", 1)


def test_stats_count_preemptions(handle, client):
    low, high = client(priority=2), client(priority=12)
    low.add_queue(busy=True)
    high.add_queue(busy=True)
    wait_for(lambda: low.pump(0.01) is not None and low.is_held())
    wait_for(lambda: handle.stats(1).nr_preemptions == 1)
    assert handle.stats(2).nr_preemptions == 0
    high.set_busy(False)
    wait_for(lambda: low.pump(0.01) is not None and not low.is_held())
    wait_for(lambda: handle.stats(1).nr_resumes == 1)


def test_events_tell_a_story(handle, client):
    with handle.events() as stream:
        c = client(comm="teller")
        c.add_queue(2, 3)
        c.set_busy(True, 2, 3)
        c.close()
        seen = []
        while not (seen and seen[-1].kind == "client" and seen[-1].text == "gone"):
            event = stream.read(WAIT_S)
            assert event, [e.text for e in seen]
            seen.append(event)
        mine = [e for e in seen if e.pid == c.pid]
    assert [e.kind for e in mine[:3]] == ["client", "queue", "busy"]
    assert mine[2].gpu_id == 2 and mine[2].queue_id == 3 and mine[0].queue_id is None
    assert all(a.time_ns <= b.time_ns for a, b in zip(seen, seen[1:]))


def test_stream_has_a_timeout_and_can_be_stopped(handle):
    with handle.events() as stream:
        assert stream.read(0) is None and stream.read(0.05) is None
        timer = threading.Timer(0.05, stream.stop)
        timer.start()
        assert list(stream) == []
        timer.join()


def nr_open_files():
    return len(os.listdir("/proc/self/fd"))


def test_stream_that_does_not_begin_leaves_no_file_open(daemon):
    """A daemon that ends where its first word is waited for."""
    with socket.socket(socket.AF_UNIX) as server:
        path = daemon.path + ".dying"
        server.bind(path)
        server.listen()

        def die():
            with server.accept()[0] as s:
                s.recv(4096)

        thread = threading.Thread(target=die)
        thread.start()
        before = nr_open_files()
        e = failure_of(EventStream, path)
        thread.join(WAIT_S)
        assert isinstance(e, DaemonGone)
        assert nr_open_files() == before


def test_stop_beside_close_writes_into_no_other_file(handle, monkeypatch, tmp_path):
    stream = handle.events()
    wake, close = stream._wake_write, os.close
    stop = threading.Thread(target=stream.stop)
    with open(tmp_path / "other", "wb") as other, monkeypatch.context() as m:

        def close_wake(fd):
            close(fd)
            if fd == wake:
                # The number is another file's, and stop() comes.
                os.dup2(other.fileno(), wake)
                stop.start()
                stop.join(0.5)

        m.setattr(os, "close", close_wake)
        stream.close()
        stop.join(WAIT_S)
        close(wake)
        assert os.stat(other.fileno()).st_size == 0


def test_trace_records_only_when_wanted(handle, client):
    with handle.events(trace=True) as loud, handle.events() as quiet:
        c = client()
        c.add_queue()
        known(handle, c)
        kinds = {"loud": set(), "quiet": set()}
        for name, stream in (("loud", loud), ("quiet", quiet)):
            while (event := stream.read(0.2)):
                kinds[name].add(event.kind)
    assert "trace" in kinds["loud"] and "trace" not in kinds["quiet"]


def test_no_daemon(tmp_path):
    with pytest.raises(NotFound) as e:
        Handle(tmp_path / "nothing", "daemon")
    assert e.value.errno == errno.ENOENT and "nothing" in e.value.strerror


def test_daemon_that_dies(daemon, handle):
    with handle.events() as stream:
        daemon.kill()
        with pytest.raises(DaemonGone):
            while True:
                stream.read(WAIT_S)
    with pytest.raises(DaemonGone):
        handle.nodes()


def test_closed_handle(handle):
    handle.close()
    handle.close()
    with pytest.raises(ValueError):
        handle.nodes()


def test_threads_share_a_handle(handle, client):
    c = client()
    c.add_queue()
    known(handle, c)
    wrong = []

    def ask():
        for _ in range(50):
            if [p.pid for p in handle.processes()] != [c.pid] or len(handle.nodes()) != 2:
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(WAIT_S)
    assert not wrong and not any(t.is_alive() for t in threads)


def test_library_says_why(handle):
    with pytest.raises(NotSupported):
        handle.call("NoSuchMethod")
    with pytest.raises(InvalidArgument, match="nonsense"):
        handle.call("GetInfo", nonsense=1)


@pytest.mark.parametrize("number, kind", [
    (errno.ESRCH, NotFound), (errno.EPERM, PermissionDenied), (errno.EPERM, PermissionError),
    (errno.ETIMEDOUT, Timeout), (errno.EPIPE, ConnectionError), (errno.EINVAL, ValueError),
    (errno.EIO, GPreemptError)])
def test_errno_to_exception(number, kind):
    e = errors.make(number, "because")
    assert isinstance(e, kind) and e.errno == number and e.strerror == "because"


def test_leaving_a_group(handle, client):
    c = client(group="red")
    c.add_queue()
    known(handle, c)
    handle.set_attributes(c.pid, group="")
    assert handle.attributes(c.pid).group is None
