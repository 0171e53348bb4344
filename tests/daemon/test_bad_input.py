# SPDX-License-Identifier: MIT
"""Nonsense, floods and forgeries on both sockets: refused with a reason, without effect.

Each test ends with a look at a daemon that still does its work.
"""
import json
import os
import random
import resource
import signal
import socket
import time

import pytest

import rig
from rig import (BUSY, DBG, FIRST_PID, HELLO, HOLD, IDLE, MANUAL,
                 QUEUE_ALL, QUEUE_REMOVE, RELEASE, SHIM, WAIT, Client, Control, Daemon, Refused,
                 done, edge, hello, message, note, queue)


def works(daemon):
    """The story in short: the negative control of every refusal."""
    low, high = Client(daemon, pid=FIRST_PID + 100, prio=1), Client(daemon, pid=FIRST_PID + 101)
    low.send(queue(gpu_id=2, busy=1))
    high.send(queue(gpu_id=2, busy=1))
    low.obey(HOLD)
    low.close()
    high.close()


HELLOS = {
    "empty": b"x",
    "short": b"\0" * 15,
    "magic": message(HELLO, b"\0" * 144, magic=1),
    "type": message(99, b"\0" * 144),
    "type of the daemon": message(64, b"\0" * 40),
    "size": message(HELLO, b"\0" * 144, size=9),
    "too long": b"\0" * 4096,
    "version": hello(version=2),
    "mechanism": hello(mech=9),
    "tracer": hello(mech=DBG, pid=1),
    "sees": hello(sees=1 << 30),
    "priority": hello(prio=16),
    "flags": hello(flags=2),
    "weight": hello(weight=10001),
    "slice": hello(slice_ns=1 << 63),
    "pad": hello(pad=b"\0\1\0"),
    "reserved": hello(reserved=1),
    "class without end": hello(klass=b"x" * 32),
    "class with a blank": hello(klass=b"a b"),
    "group with bytes": hello(group=b"\xff\xfe"),
    "forged pid": hello(pid=1),
    "forged own child": hello(pid=os.getpid() + 1),
    "no hello": queue(),
}


@pytest.mark.parametrize("name", HELLOS)
def test_bad_first_message(daemon, control, name):
    c = Client(daemon, connect=False)
    c.send(HELLOS[name])
    assert c.end(), "no reason was given"
    assert control.call("ListProcesses")["processes"] == []
    works(daemon)


LATER = {
    "hello twice": hello(),
    "queue of no node": queue(gpu_id=0),
    "queue number": queue(queue_id=QUEUE_ALL),
    "queue type": queue(kind=4),
    "queue priority": queue(prio=16),
    "queue busy": queue(busy=2),
    "queue pad": queue(pad=b"\0\1"),
    "edge of no queue": edge(BUSY, queue_id=77),
    "edge of all queues": edge(BUSY, queue_id=QUEUE_ALL),
    "remove of no queue": edge(QUEUE_REMOVE, queue_id=77),
    "result": done(1, result=4),
    "errno": done(1, error=5000),
    "done reserved": done(1, reserved=1),
    "note code": note(0),
    "note sees": note(1, value=1 << 40),
    "note without end": note(5, text=b"x" * 128),
    "short edge": message(BUSY, b"\0" * 4),
    "long edge": message(BUSY, b"\0" * 64),
}


@pytest.mark.parametrize("name", LATER)
def test_bad_message_of_a_known_client(daemon, control, name):
    c = Client(daemon, pid=FIRST_PID)
    c.send(queue())
    c.send(LATER[name])
    assert c.end(), "no reason was given"
    control.wait_for(lambda: control.process(FIRST_PID) is None)
    works(daemon)


def test_good_messages_are_not_refused(daemon, control):
    """Negative control of the two above: the same, without the fault."""
    c = Client(daemon, pid=FIRST_PID, sees=7, weight=10000, slice_ns=1, klass=b"default")
    for m in (queue(), queue(queue_id=2, kind=1), edge(BUSY), edge(IDLE), note(1, value=7),
              done(12345), edge(QUEUE_REMOVE)):
        c.send(m)
    control.wait_for(lambda: control.process(FIRST_PID)["nr_queues"] == 1)
    c.quiet(0.1)
    assert control.process(FIRST_PID)["nr_queues"] == 1


def test_answers_nobody_waits_for_change_nothing(daemon, control):
    low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
    for c in (low, high):
        c.send(queue())
        c.send(edge(BUSY))
    o = low.order()
    for epoch in (0, o.epoch - 1, o.epoch + 1, 1 << 63):
        low.send(done(epoch))
    low.send(done(o.epoch, gpu_id=2))
    high.send(done(o.epoch))
    assert control.process(FIRST_PID)["state"] == "preempting"
    low.answer(o)
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")


def test_random_packets(daemon):
    r = random.Random(1)
    for _ in range(200):
        c = Client(daemon, connect=r.random() < 0.5)
        body = bytes(r.randrange(256) for _ in range(r.randrange(300)))
        if r.random() < 0.5:
            body = message(r.randrange(8), body)
        if body:
            c.send(body)
        c.close()
    works(daemon)


def test_flood_is_dropped():
    with Daemon(config="[daemon]\nmessage_rate = 1000\nmessage_burst = 500\nedge_rate = 500\n"
                       "edge_burst = 100\n") as d:
        c = Client(d, pid=FIRST_PID)
        c.send(queue())
        for _ in range(2000):
            c.send(edge(BUSY))
        assert "messages a second" in c.end()
        works(d)


def test_edges_that_come_too_fast_are_put_together():
    with Daemon(config="[daemon]\nedge_rate = 100\nedge_burst = 10\n") as d:
        control = Control(d)
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        low.send(queue(busy=1))
        high.send(queue())
        for _ in range(200):
            high.send(edge(BUSY))
            high.send(edge(IDLE))
        high.send(edge(BUSY))
        # Whatever was put together: the last level counts.
        orders = []
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            o = low.order()
            low.answer(o)
            orders.append(o)
            if low.held and control.process(FIRST_PID)["held"]:
                try:
                    low.answer(low.order(0.3))
                except (TimeoutError, socket.timeout):
                    break
        assert low.held and len(orders) < 100
        assert any("put together" in n for n in control.process(FIRST_PID + 1)["notes"])


def test_too_many_clients_and_queues():
    with Daemon(config="[daemon]\nmax_clients = 3\n") as d:
        held = [Client(d, pid=FIRST_PID + i) for i in range(3)]
        c = Client(d, connect=False)
        assert "too many" in c.end()
        held.pop().close()
        control = Control(d)
        control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 2)
        c = Client(d, pid=FIRST_PID + 9)
        for i in range(1100):
            c.send(queue(queue_id=i))
        assert "queues" in c.end()


def test_client_that_reads_nothing_is_dropped():
    with Daemon(config="[daemon]\nlease_ms = 30\n") as d:
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        low.send(queue(busy=1))
        high.send(queue(busy=1))
        low.obey(HOLD)
        control = Control(d)
        # It stays held, and its renewals pile up.
        control.call("SetPolicy", parameters={"max_wait_ns": 3600 * 10 ** 9})
        control.wait_for(lambda: control.process(FIRST_PID) is None)
        works(d)


def test_stopped_client_does_not_open_the_breaker(daemon, control):
    """Its process is stopped: that is no fault of the GPU."""
    pid = os.fork()
    if not pid:
        c = Client(daemon, prio=2)
        c.send(queue(busy=1))
        while True:
            o = c.order(3600)
            c.answer(o)
    try:
        control.wait_for(lambda: (control.process(pid) or {}).get("nr_busy"))
        os.kill(pid, signal.SIGSTOP)
        control.call("SetPolicy", parameters={"deadline_ns": 400_000_000})
        high = Client(daemon, pid=FIRST_PID, prio=12)
        high.send(queue(busy=1))
        p = control.wait_for(lambda: any("stopped" in n for n in control.process(pid)["notes"]))
        assert p and control.call("ListNodes")["nodes"][0]["breaker"] == "closed"
        os.kill(pid, signal.SIGCONT)
        # It answers what it was told meanwhile, and is like everybody else again.
        control.wait_for(lambda: control.process(pid)["state"] == "preempted")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_silent_client_does_not_open_the_breaker_for_others(daemon, control):
    """It comes back again and again; who answers shows that the GPU is not to blame."""
    control.call("SetPolicy", parameters={"deadline_ns": 1_500_000_000,
                                          "max_wait_ns": 60_000_000_000})
    low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
    low.send(queue(busy=1))
    high.send(queue(busy=1))
    low.obey(HOLD)
    for i in range(3):
        bad = Client(daemon, pid=FIRST_PID + 10 + i, prio=2)
        bad.send(queue(busy=1))
        assert bad.order().kind == HOLD
        assert bad.order().kind == RELEASE
        notes = control.process(FIRST_PID + 10 + i)["notes"]
        assert any("others do" in n for n in notes), notes
        assert control.call("ListNodes")["nodes"][0]["breaker"] == "closed"
        assert control.process(FIRST_PID)["state"] == "preempted"
        bad.close()
    high.send(edge(IDLE))
    low.obey(RELEASE)


def test_group_that_is_silent_is_left_alone_as_a_whole(daemon, control):
    """One look finds all of them: none is asked once more."""
    control.call("SetPolicy", parameters={"deadline_ns": 1_500_000_000,
                                          "max_wait_ns": 60_000_000_000})
    low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
    bad = [Client(daemon, pid=FIRST_PID + 10 + i, prio=2, group=b"g") for i in range(3)]
    for c in (low, *bad):
        c.send(queue(busy=1))
    control.wait_for(lambda: all((control.process(FIRST_PID + i) or {}).get("nr_busy")
                                 for i in (0, 10, 11, 12)))
    high.send(queue(busy=1))
    low.obey(HOLD)
    for c in bad:
        assert [c.order().kind, c.order().kind] == [HOLD, RELEASE]
    for i in range(3):
        control.wait_for(lambda: any("left alone" in n
                                     for n in control.process(FIRST_PID + 10 + i)["notes"]))
        notes = control.process(FIRST_PID + 10 + i)["notes"]
        assert len([n for n in notes if "others do" in n]) == 1, notes
    assert control.call("ListNodes")["nodes"][0]["breaker"] == "closed"
    assert control.process(FIRST_PID)["state"] == "preempted"
    for c in bad:
        c.quiet(0.1)


def silence(daemon, control, pid):
    """A client that answers no order of the scheduler; the RELEASE that it owes."""
    bad = Client(daemon, pid=pid, prio=2)
    bad.send(queue(busy=1))
    assert bad.order().kind == HOLD
    release = bad.order()
    assert release.kind == RELEASE
    control.wait_for(lambda: any("left alone" in n for n in control.process(pid)["notes"]))
    return bad, release


def urgent(daemon, control):
    """Work for which the others are held; one of them shows that the GPU does its part."""
    control.call("SetPolicy", parameters={"deadline_ns": 1_500_000_000,
                                          "max_wait_ns": 60_000_000_000})
    low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
    low.send(queue(busy=1))
    high.send(queue(busy=1))
    low.obey(HOLD)
    return low, high


def answers_again(control, pid):
    return any("answers again" in n for n in control.process(pid)["notes"])


def test_only_the_answer_that_is_owed_ends_a_silence(daemon, control):
    clients = urgent(daemon, control)
    pid = FIRST_PID + 10
    bad, release = silence(daemon, control, pid)
    for epoch in (0, 1, release.epoch + 1, 1 << 63):
        bad.send(done(epoch))
    bad.send(done(release.epoch, gpu_id=2))
    bad.send(edge(IDLE))
    control.wait_for(lambda: not control.process(pid)["nr_busy"])
    assert not answers_again(control, pid)
    # Control: the answer that it owes.
    bad.send(edge(BUSY))
    bad.answer(release)
    control.wait_for(lambda: answers_again(control, pid))
    bad.obey(HOLD)
    assert clients


def test_who_comes_back_is_as_silent_as_before(daemon, control):
    clients = urgent(daemon, control)
    pid = FIRST_PID + 10
    bad, _ = silence(daemon, control, pid)
    bad.close()
    control.wait_for(lambda: control.process(pid) is None)
    again = Client(daemon, pid=pid, prio=2)
    again.send(queue(busy=1))
    # It is not held; it is asked for a sign of life.
    o = again.order()
    assert o.kind == RELEASE, o
    again.quiet(0.3)
    again.answer(o)
    again.obey(HOLD)
    assert answers_again(control, pid) and clients


def test_who_is_silent_again_and_again_is_left_alone(daemon, control):
    """Answering late does not make up for it more than a few times a minute."""
    clients = urgent(daemon, control)
    pid = FIRST_PID + 10
    bad, release = silence(daemon, control, pid)
    for _ in range(2):
        bad.answer(release)
        assert bad.order().kind == HOLD
        release = bad.order()
        assert release.kind == RELEASE
    bad.answer(release)
    bad.send(edge(IDLE))
    bad.send(edge(BUSY))
    bad.quiet(0.5)
    assert clients


def test_process_that_ended_is_nobodys_client(daemon):
    """A child has the socket of its parent, whose number may be another process's by now."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        c = Client(daemon, connect=False)
        if os.fork():
            os._exit(0)
        theirs.recv(1)
        c.send(rig.hello(mech=SHIM))
        try:
            theirs.send(b"welcome" if c.receive()[0] == rig.WELCOME else b"strange")
        except rig.Dropped as e:
            theirs.send(str(e).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    ours.settimeout(WAIT)
    ours.send(b"x")
    assert "gone" in ours.recv(100).decode()


def raw(daemon, data):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.settimeout(WAIT)
    s.connect(daemon.path)
    try:
        s.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    answer = b""
    try:
        while b"\0" not in answer:
            part = s.recv(65536)
            if not part:
                break
            answer += part
    except ConnectionResetError:
        pass
    s.close()
    return json.loads(answer.split(b"\0")[0]) if answer else None


REQUESTS = {
    "no json": b"hello\0",
    "half": b'{"method": "io.gpreempt.GetInfo"\0',
    "array": b"[]\0",
    "number": b"1\0",
    "no method": b"{}\0",
    "method is a number": b'{"method": 5}\0',
    "key twice": b'{"method": "io.gpreempt.GetInfo", "method": "io.gpreempt.GetInfo"}\0',
    "unknown key": b'{"method": "io.gpreempt.GetInfo", "extra": 1}\0',
    "parameters is a list": b'{"method": "io.gpreempt.GetInfo", "parameters": []}\0',
    "more is a text": b'{"method": "io.gpreempt.GetInfo", "more": "yes"}\0',
    "deep": b"[" * 60000 + b"\0",
    "not utf-8": b'{"method": "\xff\xfe"}\0',
    "too long": b"x" * 70000,
    "too long with an end": b'{"method": "' + b"x" * 70000 + b'"}\0',
}


@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_no_request(daemon, name):
    assert raw(daemon, REQUESTS[name])["error"].endswith("InvalidParameter")
    works(daemon)


CALLS = {
    "GetInfo": [({"x": 1}, "x")],
    "ListQueues": [({"pid": "1"}, "pid"), ({"pid": -1}, "pid"), ({"pid": 1 << 40}, "pid"),
                   ({"pid": 1.5}, "pid"), ({"gpu_id": 1}, "gpu_id")],
    "SetAttributes": [({}, "pid"), ({"pid": 1}, "attributes"),
                      ({"pid": 1, "attributes": 5}, "attributes"),
                      ({"pid": 1, "attributes": {"priority": 16}}, "priority"),
                      ({"pid": 1, "attributes": {"priority": "high"}}, "priority"),
                      ({"pid": 1, "attributes": {"weight": 0}}, "weight"),
                      ({"pid": 1, "attributes": {"nice": 5}}, "nice"),
                      ({"pid": 1, "attributes": {"class": "x" * 40}}, "class"),
                      ({"pid": 1, "attributes": {"group": "a b"}}, "group"),
                      ({"pid": 1, "attributes": {"latency_critical": 1}}, "latency_critical")],
    "Suspend": [({}, "targets"), ({"targets": {}}, "targets"), ({"targets": [5]}, "targets"),
                ({"targets": [{}]}, "pid"), ({"targets": [{"pid": -1}]}, "pid"),
                ({"targets": [{"pid": 1, "queue_id": 5}]}, "gpu_id"),
                ({"targets": [{"pid": 1, "extra": 5}]}, "extra"),
                ({"targets": [{"pid": 1}] * 2000}, "targets"),
                ({"targets": [], "lease_ms": -1}, "lease_ms"),
                ({"targets": [], "keep": 1}, "keep")],
    "Resume": [({"targets": [], "keep": True}, "keep")],
    "SetPolicy": [({"policy": 5}, "policy"), ({"parameters": {"a": "x"}}, "a"),
                  ({"parameters": {"a": -1}}, "a"), ({"enabled": "on"}, "enabled")],
    "Monitor": [({}, "more")],
    "Attach": [({}, "pid")],
}


@pytest.mark.parametrize("method", CALLS)
def test_wrong_parameters_are_named(daemon, control, method):
    for parameters, key in CALLS[method]:
        with pytest.raises(Refused) as e:
            control.call(method, **parameters)
        assert e.value.error == "InvalidParameter" and e.value.parameters == {"parameter": key}
    # The same connection goes on.
    assert "version" in control.call("GetInfo")


def test_unknown_methods_and_objects(daemon, control):
    for method, error in (("Nothing", "MethodNotFound"), ("x.GetInfo", "InterfaceNotFound")):
        with pytest.raises(Refused) as e:
            control.call(method)
        assert e.value.error == error
    for method, parameters in (("GetPolicy", {"gpu_id": 99}), ("GetStatistics", {"gpu_id": 99}),
                               ("SetPolicy", {"policy": "best"}),
                               ("SetPolicy", {"parameters": {"nothing": 1}}),
                               ("SetAttributes", {"pid": 99, "attributes": {}}),
                               ("Detach", {"pid": 99})):
        with pytest.raises(Refused) as e:
            control.call(method, **parameters)
        assert e.value.error == "NotFound", method
    with pytest.raises(Refused) as e:
        control.call("SetPolicy", policy="fair", parameters={"min_run_ns": 1 << 62})
    # As a whole or not at all.
    assert control.call("GetPolicy")["policy"] == "prio"


def test_oneway_gets_no_reply(daemon, control):
    control.send("SetPolicy", {"policy": "fair"}, oneway=True)
    control.send("GetPolicy")
    assert control.read()["policy"] == "fair"


def test_too_many_connections():
    with Daemon(config="[daemon]\nmax_connections = 4\n") as d:
        held = [Control(d) for _ in range(4)]
        for c in held:
            c.call("GetInfo")
        with pytest.raises((Refused, EOFError, ConnectionResetError, BrokenPipeError)):
            Control(d).call("GetInfo")
        held[0].call("GetInfo")
        works(d)


def test_unread_replies_do_not_stop_others(daemon):
    c = Control(daemon)
    clients = [Client(daemon, pid=FIRST_PID + i) for i in range(20)]
    for i in range(400):
        try:
            c.sock.settimeout(0.01)
            c.send("ListProcesses")
        except (TimeoutError, socket.timeout):
            break
    works(daemon)
    for client in clients:
        client.close()


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def connection(daemon, kind=socket.SOCK_SEQPACKET, end=rig.CLIENT):
    s = socket.socket(socket.AF_UNIX, kind)
    s.settimeout(WAIT)
    s.connect(daemon.path + end)
    return s


def test_no_descriptor_left():
    """Who cannot be let in waits; the daemon sleeps meanwhile, and comes back."""
    with Daemon() as d:
        pid = d.process.pid
        nr = len(os.listdir(f"/proc/{pid}/fd")) + 10
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (nr, nr))
        socks = [connection(d) for _ in range(30)]
        socks += [connection(d, socket.SOCK_STREAM, "") for _ in range(5)]
        end = time.monotonic() + WAIT
        while "cannot take a connection" not in d.log():
            assert time.monotonic() < end
            time.sleep(0.01)
        before = cpu_s(pid)
        time.sleep(2)
        assert cpu_s(pid) - before < 0.2
        for s in socks:
            s.close()
        works(d)


def test_limit_of_descriptors_is_raised():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        d = Daemon()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with d:
        clients = [Client(d, pid=FIRST_PID + i) for i in range(100)]
        works(d)
        for c in clients:
            c.close()


NOBODY = 65534


def as_user(function):
    """Run in a child that is nobody; its exception, if any, is raised here."""
    r, w = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            function()
            os.write(w, b"ok")
        except BaseException as e:  # pylint: disable=broad-except
            os.write(w, repr(e).encode()[:4000])
        finally:
            os._exit(0)
    os.close(w)
    _, status = os.waitpid(pid, 0)
    text = os.read(r, 4096).decode()
    os.close(r)
    assert status == 0 and text == "ok", text


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


def denied(control, method, **parameters):
    try:
        control.call(method, **parameters)
    except Refused as e:
        assert e.error == "PermissionDenied", e
        return
    raise AssertionError(method + " was allowed")


@needs_root
def test_one_user_leaves_queues_to_others(daemon, control):
    """Every place of the scheduler is wanted by one user."""
    def nobody():
        clients = []
        told = 0
        while told < 4096:
            c = Client(daemon, pid=FIRST_PID + len(clients))
            for i in range(1024):
                c.send(queue(queue_id=i, busy=0))
            told += 1024
            clients.append(c)
        # Sockets of one user are heard in turns: the last queue of all is to come last.
        control = Control(daemon)
        for i in range(len(clients)):
            control.wait_for(lambda i=i: control.process(FIRST_PID + i)["nr_queues"] == 1024)
        c = Client(daemon, pid=FIRST_PID + len(clients))
        c.send(queue())
        assert "queues of one user" in c.end()
        # The others are still there, and not dropped.
        clients[-1].send(edge(BUSY, queue_id=7))
        control.wait_for(lambda: control.process(FIRST_PID + len(clients) - 1)["nr_busy"] == 1)

    as_user(nobody)
    works(daemon)


@needs_root
def test_other_users(daemon, control):
    """What nobody may do to others' processes, and what he may to his own."""
    root = Client(daemon, pid=FIRST_PID)
    root.send(queue())

    def nobody():
        c = Control(daemon)
        assert not c.call("GetInfo")["privileged"]
        assert c.process(FIRST_PID)["uid"] == 0
        denied(c, "SetAttributes", pid=FIRST_PID, attributes={"priority": 1})
        denied(c, "SetPolicy", policy="fair")
        denied(c, "SetPolicy", enabled=False)
        denied(c, "Reload")
        denied(c, "Attach", pid=os.getppid())
        result = c.call("Suspend", targets=[{"pid": FIRST_PID}])["results"][0]
        assert result["result"] == "refused" and "another user" in result["reason"]
        assert c.call("Resume", targets=[{"pid": FIRST_PID}])["results"][0]["result"] == "refused"

        own = Client(daemon, pid=FIRST_PID + 1, prio=12, flags=1, klass=b"realtime", weight=500)
        a = c.process(FIRST_PID + 1)
        assert a["attributes"]["priority"] == 7 and not a["attributes"]["latency_critical"]
        assert a["attributes"]["class"] == "default" and a["attributes"]["weight"] == 100
        assert len(a["notes"]) >= 3
        denied(c, "SetAttributes", pid=FIRST_PID + 1, attributes={"priority": 8})
        denied(c, "SetAttributes", pid=FIRST_PID + 1, attributes={"latency_critical": True})
        denied(c, "SetAttributes", pid=FIRST_PID + 1, attributes={"no_preempt": True})
        denied(c, "SetAttributes", pid=FIRST_PID + 1, attributes={"class": "realtime"})
        c.call("SetAttributes", pid=FIRST_PID + 1, attributes={"priority": 3})
        c.call("SetAttributes", pid=FIRST_PID + 1, attributes={"priority": 7, "class": "default"})
        own.send(queue())
        # Of two sockets of a user either may be heard first.
        c.wait_for(lambda: c.process(FIRST_PID + 1)["nr_queues"])
        c.send("Suspend", {"targets": [{"pid": FIRST_PID + 1}]})
        own.obey(HOLD, holder=MANUAL)
        assert c.read()["results"][0]["result"] == "ok"

    as_user(nobody)
    root.quiet(0.1)
    assert control.process(FIRST_PID)["attributes"]["priority"] == 7
    assert control.call("GetPolicy")["policy"] == "prio"


@needs_root
def test_groups_of_two_users_are_two(daemon):
    """A name is no way into somebody else's group."""
    low = Client(daemon, pid=FIRST_PID, prio=2, group=b"g")
    high = Client(daemon, pid=FIRST_PID + 2, prio=12)
    for c in (low, high):
        c.send(queue())

    def nobody():
        own = Client(daemon, pid=FIRST_PID + 1, prio=2, group=b"g")
        own.send(queue())
        os.write(ready, b"x")
        own.quiet(0.5)

    r, ready = os.pipe()
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    as_user(nobody)
    os.close(r)
    os.close(ready)


@needs_root
def test_members_of_the_group_are_privileged():
    with Daemon(config="[daemon]\ngroup = nogroup\n") as d:
        root = Client(d, pid=FIRST_PID)

        def nobody():
            c = Control(d)
            assert c.call("GetInfo")["privileged"]
            c.call("SetAttributes", pid=FIRST_PID, attributes={"priority": 12})
            c.call("SetPolicy", policy="fair")

        as_user(nobody)
        assert Control(d).process(FIRST_PID)["attributes"]["priority"] == 12
        root.close()


@needs_root
def test_one_user_cannot_keep_others_out():
    with Daemon(config="[daemon]\nmax_clients = 8\n") as d:

        def nobody():
            # A quarter is for root; of the rest it leaves as many as it has.
            clients = [Client(d, pid=FIRST_PID + i) for i in range(3)]
            assert "too many" in Client(d, connect=False).end()
            for c in clients:
                c.close()

        as_user(nobody)
        works(d)


@needs_root
def test_shim_that_lies_about_its_number_is_itself(daemon, control):
    c = Client(daemon, mech=SHIM, pid=1)
    p = control.process(os.getpid())
    assert p["mechanism"] == "shim" and "process 1" in p["notes"][0]
    assert control.process(1) is None
    # Nor has it a say about simulated nodes.
    c.send(queue())
    control.wait_for(lambda: any("not known" in n for n in control.process(os.getpid())["notes"]))
