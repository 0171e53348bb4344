# SPDX-License-Identifier: MIT
"""Floods. Root's requests and root's edges are served as if there were none."""
import json
import os
import socket

import pytest

import rig
from rig import (BUSY, FIRST_PID, IDLE, NOTE_NO_PROGRESS, NOTE_PROGRESS, NOTE_RESET, QUEUE_REMOVE,
                 WAIT, Client, Control, Daemon, Dropped, Refused, edge, message, note, queue)
from stage import (Attacker, cpu_ns, edge_costs, needs_root, patient, request_costs, within)

pytestmark = needs_root
BAD = FIRST_PID + 1000


def tell(c, queues=1, first=0):
    for i in range(first, first + queues):
        c.send(queue(gpu_id=2, queue_id=i))


def many(daemon, clients, queues):
    """As many clients and queues as are let in."""
    made = []
    for i in range(clients):
        try:
            c = Client(daemon, pid=BAD + i)
        except (Dropped, AssertionError, OSError):
            break
        tell(c, queues)
        made.append(c)
    return made


def push(c, data):
    """Send if there is room; what the daemon says is thrown away."""
    try:
        c.sock.send(data, socket.MSG_DONTWAIT)
        return True
    except BlockingIOError:
        pass
    except OSError:
        return False
    try:
        while c.sock.recv(1024, socket.MSG_DONTWAIT):
            pass
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True


def again(daemon, c, i, queues=1):
    """The same client, connected again."""
    c.close()
    try:
        c = Client(daemon, pid=BAD + i)
        tell(c, queues)
    except (Dropped, AssertionError, OSError):
        pass
    return c


def messages(*data, clients=32, queues=1):
    """Those messages, as fast as they are taken, from many clients."""
    def act(daemon, say):
        made = many(daemon, clients, queues)
        say("go")
        while True:
            for i, c in enumerate(made):
                for d in data:
                    if not push(c, d):
                        made[i] = c = again(daemon, c, i, queues)
    return act


def connections(daemon, say):
    say("go")
    while True:
        for kind, path in ((socket.SOCK_SEQPACKET, daemon.client_path),
                           (socket.SOCK_STREAM, daemon.path)):
            s = socket.socket(socket.AF_UNIX, kind)
            s.setblocking(False)
            try:
                s.connect(path)
            except OSError:
                pass
            s.close()


def kept_connections(daemon, say):
    """As many as the limit of descriptors allows, and each is made again when it is closed."""
    socks = []
    for _ in range(400):
        for kind, path in ((socket.SOCK_SEQPACKET, daemon.client_path),
                           (socket.SOCK_STREAM, daemon.path)):
            s = socket.socket(socket.AF_UNIX, kind)
            s.setblocking(False)
            try:
                s.connect(path)
                socks.append(s)
            except OSError:
                s.close()
    say("go")
    connections(daemon, lambda word: None)


def reset_notes(daemon, say):
    say("go")
    i = 0
    while True:
        i += 1
        try:
            c = Client(daemon, pid=BAD + i % 100, prio=2)
            c.send(queue(gpu_id=2))
            c.send(note(NOTE_RESET, gpu_id=2))
            c.close()
        except (Dropped, AssertionError, OSError):
            pass


def queues(daemon, say):
    """Told and taken back, beside as many as are allowed."""
    made = many(daemon, 16, 1024)
    say("go")
    while True:
        for i, c in enumerate(made):
            for q in range(64):
                if not (push(c, queue(gpu_id=2, queue_id=q)) and
                        push(c, edge(QUEUE_REMOVE, gpu_id=2, queue_id=q))):
                    made[i] = c = again(daemon, c, i, 1024)


def control_flood(*requests, clients=0, queues=0, conns=16, read=True):
    """Requests over many connections; their answers are read, or not."""
    def act(daemon, say):
        made = many(daemon, clients, queues)
        texts = [json.dumps({"method": "io.gpreempt." + m, "parameters": p, **e}).encode() + b"\0"
                 for m, p, e in requests]
        socks = []
        say("go")
        while True:
            while len(socks) < conns:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                s.settimeout(1)
                try:
                    s.connect(daemon.path)
                except OSError:
                    s.close()
                    break
                s.setblocking(False)
                socks.append(s)
            for s in list(socks):
                try:
                    for t in texts:
                        s.send(t)
                except BlockingIOError:
                    pass
                except OSError:
                    socks.remove(s)
                    s.close()
                    continue
                try:
                    while read and s.recv(1 << 20):
                        pass
                except BlockingIOError:
                    pass
                except OSError:
                    socks.remove(s)
                    s.close()
            for c in made:
                push(c, note(NOTE_PROGRESS, gpu_id=2))
    return act


def targets(nr):
    return {"targets": [{"pid": BAD, "gpu_id": 2, "queue_id": k} for k in range(nr)],
            "timeout_ms": 1}


def half_messages(daemon, say):
    """A request that never ends, byte by byte."""
    say("go")
    while True:
        socks = []
        for _ in range(16):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.settimeout(WAIT)
            try:
                s.connect(daemon.path)
            except OSError:
                s.close()
                continue
            s.setblocking(False)
            socks.append(s)
        for _ in range(60000):
            for s in socks:
                try:
                    s.send(b"{")
                except OSError:
                    pass
        for s in socks:
            s.close()


FLOODS = {
    "connections": connections,
    "kept connections": kept_connections,
    "reset notes": reset_notes,
    "notes": messages(note(NOTE_NO_PROGRESS, gpu_id=2), note(NOTE_PROGRESS, gpu_id=2), note(NOTE_RESET, gpu_id=2)),
    "edges": messages(edge(BUSY, gpu_id=2, queue_id=0), edge(IDLE, gpu_id=2, queue_id=0)),
    "edges of many queues": messages(edge(BUSY, gpu_id=2, queue_id=0), edge(IDLE, gpu_id=2, queue_id=1023), clients=16,
                                     queues=1024),
    "queues": queues,
    "half packets": messages(message(BUSY, b"\0" * 4), clients=8),
    "half requests": half_messages,
    "holds": control_flood(("Suspend", targets(128), {}), clients=15, queues=1024),
    "long requests": control_flood(("Suspend", targets(1024), {}), clients=15, queues=1024),
    "one hold": control_flood(("Suspend", targets(1), {}), ("Resume", targets(1), {}), clients=2,
                              queues=4),
    "attributes": control_flood(("SetAttributes", {"pid": BAD, "attributes": {"weight": 50}}, {}),
                                ("SetAttributes", {"pid": BAD, "attributes": {"group": "x"}}, {}),
                                clients=8, queues=1),
    "lists": control_flood(("ListQueues", {}, {}), ("ListProcesses", {}, {}), clients=16,
                           queues=256),
    "metrics": control_flood(("GetMetrics", {}, {}), clients=64, queues=1),
    "slow readers": control_flood(("ListQueues", {}, {}), clients=16, queues=256, read=False),
    "slow monitors": control_flood(("Monitor", {"trace": True}, {"more": True}), conns=400,
                                   clients=4, queues=4, read=False),
}


@pytest.mark.parametrize("who", ["nobody", "container"])
@pytest.mark.parametrize("name", FLOODS)
def test_root_is_served_during_a_flood(daemon, name, who):
    control = Control(daemon)
    low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
    # A node that only root uses: what follows from an edge there is root's own doing.
    low.send(queue(gpu_id=1))
    high.send(queue(gpu_id=1))
    low.send(queue(queue_id=7, gpu_id=2))
    control.call("SetPolicy", gpu_id=1, parameters={"min_run_ns": 0})
    low.send(edge(BUSY))
    request_costs(daemon, control, 20)
    requests = request_costs(daemon, control)
    edges = edge_costs(daemon, low, high)
    with Attacker(who, lambda say: FLOODS[name](daemon, say)) as a:
        a.hear("go", WAIT * 10)
        begin = cpu_ns(daemon.process.pid)
        loaded = request_costs(daemon, control)
        # Whoever comes now is let in too.
        fresh = patient(lambda: Control(daemon))
        assert fresh.call("GetInfo", timeout=WAIT * 6)["privileged"]
        loaded_edges = edge_costs(daemon, low, high)
        spent = cpu_ns(daemon.process.pid) - begin
        print(f"{name}: the daemon worked for {spent / 1e6:.0f} ms")
        within(loaded, requests, "request")
        within(loaded_edges, edges, "edge")
    assert daemon.process.poll() is None


def test_log_is_not_filled(daemon):
    """Clients that come and are dropped: a line each would be a flood of its own."""
    def bad(say):
        for _ in range(500):
            c = patient(lambda: Client(daemon, connect=False))
            c.send(message(rig.HELLO, b"\0" * 4))
            c.close()

    with Attacker("nobody", bad) as a:
        a.hear("end")
    control = Control(daemon)
    control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 0)
    assert len(daemon.log().splitlines()) < 100


def test_monitor_twice_on_one_connection_is_once(daemon, control):
    """Both requests are there before the first is handled."""
    c = Control(daemon)
    request = json.dumps({"method": "io.gpreempt.Monitor", "parameters": {}, "more": True})
    c.sock.sendall((request + "\0").encode() * 3)
    for _ in range(3):
        assert c.read()["event"]["text"] == "monitoring"
    Client(daemon, pid=FIRST_PID).close()
    assert "client of" in c.read()["event"]["text"]
    assert c.read()["event"]["text"] == "gone"
    control.call("GetInfo")


def test_one_user_has_few_monitors(daemon):
    def bad(say):
        conns = []
        for _ in range(20):
            c = Control(daemon)
            c.send("Monitor", {"trace": True}, more=True)
            try:
                c.read()
                conns.append(c)
            except Refused as e:
                assert e.error == "Failed"
        say(f"got {len(conns)}")

    with Attacker("nobody", bad) as a:
        assert 1 <= int(a.hear("got").split()[1]) <= 8


def test_two_users_leave_places_for_root():
    """Each had half of all connections: two of them had all."""
    with Daemon(config="[daemon]\nmax_clients = 16\nmax_connections = 16\n") as d:
        def bad(say):
            keep = []
            for kind, path in ((socket.SOCK_SEQPACKET, d.client_path),
                               (socket.SOCK_STREAM, d.path)):
                for _ in range(20):
                    s = socket.socket(socket.AF_UNIX, kind)
                    s.settimeout(WAIT)
                    s.connect(path)
                    keep.append(s)
            say("full")
            while True:
                os.read(os.pipe()[0], 1)

        with Attacker("nobody", bad) as a, Attacker("another", bad) as b:
            a.hear("full")
            b.hear("full")
            assert Control(d).call("GetInfo")["privileged"]
            Client(d, pid=FIRST_PID).close()
