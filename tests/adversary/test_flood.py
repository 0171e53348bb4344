# SPDX-License-Identifier: MIT
"""Floods. The requests and the edges of a victim are served as if there were none: those of
root, and those of another user without privileges."""
import contextlib
import json
import os
import re
import select
import socket
import statistics
import time

import pytest

import rig
from rig import (BUSY, FIRST_PID, HOLD, IDLE, NOTE_NO_PROGRESS, NOTE_PROGRESS, NOTE_RESET, QUEUE_REMOVE,
                 RELEASE, WAIT, Client, Control, Daemon, Dropped, Refused, edge, message, note, queue)
from stage import (PARTS, VICTIM, WARM, Attacker, Driver, DriverDaemon, Edges, Requests, as_user,
                   become_nobody, cpu_ns, end_with_parent, forever, forget, needs_mounts,
                   needs_root, p10, p90, patient, sample, within)

pytestmark = needs_root
BAD = FIRST_PID + 1000


class Bad:
    """What the attackers of a test do: their node, and whether they answer orders."""
    node = 2
    obeys = False


@pytest.fixture(autouse=True)
def usual_attackers():
    yield
    Bad.node, Bad.obeys = 2, False


def tell(c, queues=1, first=0):
    for i in range(first, first + queues):
        c.send(queue(gpu_id=Bad.node, queue_id=i))


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


def listen(c):
    """What the daemon says is thrown away, or obeyed."""
    try:
        while data := c.sock.recv(1024, socket.MSG_DONTWAIT):
            kind = int.from_bytes(data[4:6], "little")
            if Bad.obeys and kind in (HOLD, RELEASE):
                c.sock.send(rig.done(int.from_bytes(data[16:24], "little"), Bad.node),
                            socket.MSG_DONTWAIT)
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True


def push(c, data):
    """Send if there is room."""
    try:
        c.sock.send(data, socket.MSG_DONTWAIT)
        return not Bad.obeys or listen(c)
    except BlockingIOError:
        return listen(c)
    except OSError:
        return False


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
            c.send(queue(gpu_id=Bad.node))
            c.send(note(NOTE_RESET, gpu_id=Bad.node))
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
                if not (push(c, queue(gpu_id=Bad.node, queue_id=q)) and
                        push(c, edge(QUEUE_REMOVE, gpu_id=Bad.node, queue_id=q))):
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
                push(c, note(NOTE_PROGRESS, gpu_id=Bad.node))
    return act


def targets(nr):
    return {"targets": [{"pid": BAD, "gpu_id": Bad.node, "queue_id": k} for k in range(nr)],
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


def floods():
    """By name; for the node of the attackers as it is now."""
    return {
        "connections": connections,
        "kept connections": kept_connections,
        "reset notes": reset_notes,
        "notes": messages(note(NOTE_NO_PROGRESS, gpu_id=Bad.node), note(NOTE_PROGRESS, gpu_id=Bad.node), note(NOTE_RESET, gpu_id=Bad.node)),
        "edges": messages(edge(BUSY, gpu_id=Bad.node, queue_id=0), edge(IDLE, gpu_id=Bad.node, queue_id=0)),
        "edges of many queues": messages(edge(BUSY, gpu_id=Bad.node, queue_id=0), edge(IDLE, gpu_id=Bad.node, queue_id=1023), clients=16,
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


NAMES = list(floods())


def victims(daemon, uid):
    """A control connection; a client that is preempted and one that preempts it, on node 1."""
    with as_user(uid):
        control = Control(daemon)
        low = Client(daemon, pid=FIRST_PID, prio=2)
        high = Client(daemon, pid=FIRST_PID + 1, prio=12 if uid == 0 else 7)
    for c in (low, high):
        c.send(queue(gpu_id=1))
    low.send(edge(BUSY))
    Control(daemon).call("SetPolicy", gpu_id=1, parameters={"min_run_ns": 0})
    return Requests(daemon, control), Edges(daemon, low, high)


def serve(daemon, uid, who, flood, with_edges=True):
    """The daemon's work for a victim, and that of another daemon which is not attacked."""
    with Daemon() as quiet:
        requests, edges = zip(victims(daemon, uid), victims(quiet, uid))
        sample(*requests, *edges, nr=WARM)
        forget(*requests, *edges)
        with Attacker(who, lambda say: flood(daemon, say)) as a:
            a.hear("go", WAIT * 10)
            begin = cpu_ns(daemon.process.pid)
            sample(*requests)
            # A connection that comes now is let in too.
            with as_user(uid):
                fresh = patient(lambda: Control(daemon))
            assert fresh.call("GetInfo", timeout=WAIT * 6)["privileged"] == (uid == 0)
            if with_edges:
                sample(*edges)
            spent = cpu_ns(daemon.process.pid) - begin
        print(f"the daemon worked for {spent / 1e6:.0f} ms")
        within(*requests, "request")
        if with_edges:
            within(*edges, "edge")
    assert daemon.process.poll() is None


@pytest.mark.parametrize("who", ["nobody", "container"])
@pytest.mark.parametrize("name", NAMES)
def test_root_is_served_during_a_flood(daemon, name, who):
    serve(daemon, 0, who, floods()[name])


@pytest.mark.parametrize("name", NAMES)
def test_user_is_served_during_a_flood(daemon, name):
    serve(daemon, VICTIM, "nobody", floods()[name])


@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize("uid", [0, VICTIM])
@pytest.mark.parametrize("name", ["edges", "queues", "notes", "holds", "attributes", "lists"])
def test_victim_on_the_node_of_the_flood_is_served(daemon, name, uid, obeys):
    """What becomes of the victim's schedule there is in test_share.py."""
    Bad.node, Bad.obeys = 1, obeys
    serve(daemon, uid, "nobody", floods()[name], with_edges=False)


def test_measure_sees_a_long_step(daemon):
    """Control of all floods: work of the daemon that is in the way of an answer is counted."""
    other = Control(daemon)
    long = {"targets": [{"pid": BAD, "gpu_id": 2, "queue_id": i} for i in range(1000)],
            "dry_run": True}

    def first():
        # Only root may ask for so much at once: reading it is one step.
        if loaded:
            other.read()
        other.send("Suspend", long)

    with Daemon() as quiet:
        loaded, usual = Requests(daemon, Control(daemon), first), Requests(quiet, Control(quiet))
        sample(loaded, usual, nr=4 * PARTS)
        with pytest.raises(AssertionError):
            within(loaded, usual, "request")
        # Nor is it missed if only one answer in five has to wait for it.
        for i in range(len(loaded)):
            if i % 4:
                loaded[i] = usual[i]
        with pytest.raises(AssertionError):
            within(loaded, usual, "request")


@needs_mounts
@pytest.mark.parametrize("uid", [0, VICTIM])
def test_lists_of_the_driver_are_read_in_small_steps(place, uid):
    """Thousands of queues in sysfs were read in one step, for each list."""
    driver = Driver(str(place))
    for i in range(1500):
        driver.show_queue(BAD, i)
    flood = control_flood(("ListQueues", {}, {}), ("ListProcesses", {}, {}))
    with DriverDaemon(driver) as daemon, Daemon() as quiet:
        with as_user(uid):
            control = Control(daemon)
            pair = [Requests(daemon, control), Requests(quiet, Control(quiet))]
        sample(*pair, nr=WARM)
        forget(*pair)
        with Attacker("nobody", lambda say: flood(daemon, say)) as a:
            a.hear("go", WAIT * 10)
            sample(*pair)
        within(*pair, "request")
        # And they are all there.
        assert len(control.call("ListQueues", timeout=WAIT * 6)["queues"]) == 1500
        found = [p for p in control.call("ListProcesses", timeout=WAIT * 6)["processes"]
                 if p["pid"] == BAD]
        assert len(found) == 1 and found[0]["nr_queues"] == 1500


def test_new_connection_of_a_user_that_rests_waits(daemon):
    """It was refused, as if the user had too many."""
    flood = floods()["lists"]

    def bad(say):
        ready_r, ready_w = os.pipe()
        if not os.fork():
            end_with_parent()
            flood(daemon, lambda word: os.write(ready_w, b"x"))
        os.read(ready_r, 1)
        for i in range(40):
            c = patient(lambda: Control(daemon))
            assert not c.call("GetInfo", timeout=WAIT * 6)["privileged"]
            c.close()
            Client(daemon, pid=BAD + 100 + i).close()

    with Attacker("nobody", bad) as a:
        a.hear("end", WAIT * 20)


def descend(nr):
    """The caller goes on as a process with so many parents."""
    for _ in range(nr):
        pid = os.fork()
        if pid:
            end_with_parent()
            os.waitpid(pid, 0)
            os._exit(0)
        end_with_parent()


def deep_clients(daemon, say, nr):
    """So many clients at a time, whose process has 64 parents; one is made again and again."""
    descend(64)
    socks = []
    say_once = say
    while True:
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(WAIT)
        try:
            s.connect(daemon.client_path)
            s.send(rig.hello())
            s.recv(1024)
        except OSError:
            pass
        socks.append(s)
        if len(socks) < nr:
            continue
        if say_once:
            say_once("go")
            say_once = None
        if nr > 1:
            forever()
        socks.pop(0).close()


def grants(root):
    """Root asks for another grant before each of the victim's requests: all clients are looked at."""
    state = {"nr": 0}

    def first():
        state["nr"] += 1
        root.send("Grant", {"cgroup": f"/there{state['nr'] % 8}", "attributes": {"weight": 50}})
    return first


def calls_of(daemon, name):
    """Calls of read() ("syscr") or write() ("syscw") so far; sockets are not among them."""
    with open(f"/proc/{daemon.process.pid}/io", encoding="ascii") as f:
        return int(re.search(rf"{name}: (\d+)", f.read())[1])


class Reads(Requests):
    """How many files the daemon read until it had answered, also: no clock is in that."""
    reads = ()

    def once(self):
        before = calls_of(self.daemon, "syscr")
        super().once()
        self.reads = [*self.reads, calls_of(self.daemon, "syscr") - before]


@pytest.mark.parametrize("nr", [1, 300])
def test_parents_of_clients_are_read_in_small_steps(daemon, control, nr):
    """With the grant of a process, the parents of each client are read, eight in a step."""
    root = Control(daemon)
    root.call("Grant", pid=root.call("GetInfo")["pid"], attributes={"weight": 50})
    with Daemon() as quiet:
        loaded = Reads(daemon, control, grants(root) if nr > 1 else lambda: None)
        usual = Requests(quiet, Control(quiet))
        sample(loaded, usual, nr=WARM)
        forget(loaded, usual)
        loaded.reads = []
        with Attacker("nobody", lambda say: deep_clients(daemon, say, nr)) as a:
            a.hear("go", WAIT * 10)
            sample(loaded, usual, nr=100)
    print(f"files read: {sorted(loaded.reads)[50]}, p90 {p90(loaded.reads)}, most {max(loaded.reads)}")
    # The step that the request has met, and its own.
    assert max(loaded.reads) <= 2 * 8
    within(loaded, usual, "request")


def works(method, *pair):
    """The daemons' work for the answer to a request whose answer is not kept from the last time."""
    probes = sample(*(Requests(d, c, method=method) for d, c in pair), nr=5, pause=1.05 / len(pair))
    return [statistics.median(p) for p in probes]


def fill_with_groups(daemon, say):
    """Five nodes full of entities: of no group, and each of a group of its own."""
    keep = []
    for i in range(360):
        c = Client(daemon, pid=BAD + i, group=b"g%d" % i if i % 6 == 0 else b"", weight=1 + i % 100)
        for n in range(1, 6):
            c.send(queue(gpu_id=n))
        keep.append(c)
    say("go")
    forever()


@pytest.mark.parametrize("method,times", [("GetMetrics", 4), ("ListNodes", 2)])
def test_what_all_may_see_costs_little_beside_many_entities(method, times):
    """Each entity was asked for its queues, and each group looked for among all entities."""
    with Daemon(sim=8) as d, Daemon(sim=8) as quiet:
        with Attacker("nobody", lambda say: fill_with_groups(d, say)) as a:
            a.hear("go", WAIT * 10)
            full, alone = works(method, (d, Control(d)), (quiet, Control(quiet)))
    print(f"{method}: {alone / 1000:.0f} us, {full / 1000:.0f} us beside 1800 entities")
    assert full < times * alone


def groups_with_a_series(control, gpu_id):
    text = control.call("GetMetrics")["text"]
    return set(re.findall(r'gpreempt_group_wait_seconds_count{gpu_id="%d",group="([^"]*)"' % gpu_id,
                          text))


def test_one_user_does_not_take_the_series_of_others(daemon, control):
    """Names of groups are a user's to choose: 64 of them left no series to others."""
    with as_user(VICTIM):
        mine = Client(daemon, pid=FIRST_PID, group=b"mine")
    mine.send(queue())

    def bad(say):
        keep = [Client(daemon, pid=BAD + i, group=b"g%d" % i) for i in range(80)]
        for c in keep:
            c.send(queue())
        say("go")
        forever()

    with Attacker("nobody", bad) as a:
        a.hear("go", WAIT * 10)
        control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 81)
        time.sleep(1.1)
        names = groups_with_a_series(control, 1)
        assert "mine" in names and len(names) == 9


def change_and_wait(daemon, nr, say):
    """Attributes of so many processes, set by hand, so that the state is written each second."""
    keep = [Client(daemon, pid=BAD + i) for i in range(nr)]
    c = Control(daemon)
    for i in range(nr):
        c.call("SetAttributes", pid=BAD + i, attributes={"weight": 50})
    say("go")
    while keep:
        c.call("SetAttributes", pid=BAD, attributes={"weight": 50})
        time.sleep(0.05)


def test_state_is_written_at_once(daemon):
    """Each word of it was a call: with 300 processes all users waited for 9 ms, each second."""
    with Attacker("nobody", lambda say: change_and_wait(daemon, 300, say)) as a:
        a.hear("go", WAIT * 10)
        before = calls_of(daemon, "syscw")
        time.sleep(3)
        calls = calls_of(daemon, "syscw") - before
    print(f"{calls} writes in three seconds")
    assert calls < 1000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask_for_health(port, address):
    with socket.socket() as s:
        s.settimeout(WAIT)
        s.bind((address, 0))
        s.connect(("127.0.0.1", port))
        s.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        return s.recv(100)


def test_one_address_leaves_places_for_another():
    """16 connections that say nothing, each kept alive by a byte now and then, were all there are."""
    port = free_port()

    def bad(say):
        socks = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        for s in socks:
            s.sendall(b"GET /")
        say("go")
        forever()

    with Daemon(config=f"[daemon]\nhttp_port = {port}\n") as d:
        assert b" 200 " in ask_for_health(port, "127.0.0.2")
        with Attacker("nobody", bad) as a:
            a.hear("go")
            assert b" 200 " in ask_for_health(port, "127.0.0.2")
        assert d.process.poll() is None


def take_monitors(daemon, nr, say):
    """Says how many of so many subscriptions there were."""
    conns = []
    for _ in range(nr):
        c = patient(lambda: Control(daemon))
        c.send("Monitor", {"trace": True}, more=True)
        try:
            c.read()
            conns.append(c)
        except Refused as e:
            assert e.error == "Failed"
    say(f"got {len(conns)}")
    while True:
        os.read(os.pipe()[0], 1)


@pytest.mark.parametrize("second,together", [("subuid 2", 4), ("nobody", 4), ("another", 8)])
def test_uids_of_one_account_have_one_budget(daemon, second, together):
    """A user that has subordinate uids was as many users as it has uids."""
    got = 0
    with Attacker("subuid 1", lambda say: take_monitors(daemon, 6, say)) as a:
        got += int(a.hear("got").split()[1])
        with Attacker(second, lambda say: take_monitors(daemon, 6, say)) as b:
            got += int(b.hear("got").split()[1])
    assert got == together


def test_uids_of_a_container_have_one_budget(daemon):
    """Its root has no user namespace: it was as many users as there are uids."""
    def bad(say):
        for uid in (3001, 3002, 3003):
            if not os.fork():
                end_with_parent()
                become_nobody(uid)
                take_monitors(daemon, 4, say)
        os.wait()

    with Attacker("pidns", bad) as a:
        assert sum(int(a.hear("got").split()[1]) for _ in range(3)) == 4


def test_all_users_together_leave_subscriptions_to_root():
    """Each had its share, and there was no end of users."""
    with Daemon(config="[daemon]\nmax_connections = 200\n") as d, contextlib.ExitStack() as stack:
        got = 0
        for uid in range(70000, 70015):
            a = stack.enter_context(Attacker(uid, lambda say: take_monitors(d, 4, say)))
            got += int(a.hear("got").split()[1])
        assert got == 48
        c = Control(d)
        c.send("Monitor", {}, more=True)
        assert c.read()["event"]["text"] == "monitoring"


def read_events(daemon, say):
    """Four subscriptions whose events are read as they come."""
    socks = []
    for _ in range(4):
        c = patient(lambda: Control(daemon))
        c.send("Monitor", {"trace": True}, more=True)
        c.read()
        socks.append(c.sock)
    say("go")
    while True:
        for s in select.select(socks, [], [])[0]:
            s.recv(1 << 20)


def test_events_are_made_on_the_time_of_their_readers(daemon):
    """They became text before the order was sent that they tell of, for each edge of a victim.

    Both figures are processor time of the daemon, of one run, of the edges that found it without
    other work: a reader may be so slow that the daemon serves it when the next edge comes."""
    with contextlib.ExitStack() as stack:
        quiet = stack.enter_context(Daemon())
        pair = [victims(daemon, 0)[1], victims(quiet, 0)[1]]
        sample(*pair, nr=WARM)
        forget(*pair)
        for uid in range(70000, 70005):
            a = stack.enter_context(Attacker(uid, lambda say: read_events(daemon, say)))
            a.hear("go")
        read, alone = (p10(p) for p in sample(*pair, nr=100))
    print(f"edge: {alone / 1000:.1f} us alone, {read / 1000:.1f} us with 20 readers")
    assert read < 3 * alone


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
    with Attacker("nobody", lambda say: take_monitors(daemon, 20, say)) as a:
        assert int(a.hear("got").split()[1]) == 4


def take_places(d, nr, say):
    """So many clients and connections, for ever."""
    keep = []
    for kind, path in ((socket.SOCK_SEQPACKET, d.client_path), (socket.SOCK_STREAM, d.path)):
        for _ in range(nr):
            s = socket.socket(socket.AF_UNIX, kind)
            s.settimeout(WAIT)
            s.connect(path)
            keep.append(s)
    say("full")
    forever()


def test_two_users_leave_places_for_a_third():
    """Two that kept what they could had all there is for users, for as long as they liked."""
    with Daemon(config="[daemon]\nmax_clients = 64\nmax_connections = 64\n") as d:
        def bad(say):
            take_places(d, 64, say)

        def third(say):
            for _ in range(2):
                keep.append((Control(d), Client(d, pid=BAD + len(keep))))
                assert not keep[-1][0].call("GetInfo")["privileged"]

        keep = []
        with Attacker("nobody", bad) as a, Attacker("another", bad) as b:
            a.hear("full")
            b.hear("full")
            with Attacker(70000, third) as c:
                c.hear("end")


class GroupChange(Requests):
    """The daemon's work for a change of the attributes of a group of so many processes."""

    def __init__(self, daemon, nr):
        self.clients, self.weight = [], 50
        with as_user(VICTIM):
            super().__init__(daemon, Control(daemon))
            for i in range(nr):
                self.clients.append(Client(daemon, pid=BAD + i, group=b"g"))
        for x in self.clients:
            for n in range(8):
                x.send(queue(gpu_id=n + 1))
        self.control.wait_for(lambda: self.control.process(BAD + nr - 1)["nr_queues"] == 8)

    def once(self):
        self.weight += 1
        self.control.call("GetInfo")
        self.begin()
        self.control.call("SetAttributes", pid=BAD, attributes={"weight": self.weight},
                          timeout=WAIT * 6)
        self.end()


def test_change_of_a_group_costs_what_its_members_do():
    """Each member looked at each other: eight times as many cost sixty times as much."""
    with Daemon(sim=8) as a, Daemon(sim=8) as b:
        probes = sample(GroupChange(a, 40), GroupChange(b, 320), nr=9)
        few, many_more = (statistics.median(p) for p in probes)
        for p, last in zip(probes, (39, 319)):
            assert p.control.process(BAD + last)["attributes"]["weight"] == p.weight
    print(f"{few / 1000:.0f} us for 40, {many_more / 1000:.0f} us for 320")
    assert many_more < 24 * few


def test_two_users_leave_places_for_root():
    """Each had half of all connections: two of them had all."""
    with Daemon(config="[daemon]\nmax_clients = 16\nmax_connections = 16\n") as d:
        def bad(say):
            take_places(d, 20, say)

        with Attacker("nobody", bad) as a, Attacker("another", bad) as b:
            a.hear("full")
            b.hear("full")
            assert Control(d).call("GetInfo")["privileged"]
            Client(d, pid=FIRST_PID).close()
