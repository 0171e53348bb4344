# SPDX-License-Identifier: MIT
"""What an attacker may ask for, and which processes it reaches. Root's clients are the victims."""
import ctypes
import errno
import os
import signal
import socket
import time

import pytest

import rig
from rig import (BUSY, FIRST_PID, HOLD, MANUAL, RELEASE, WAIT, Client, Control, Daemon, Refused,
                 edge, queue)
from stage import (NOBODY, Attacker, as_user, attack, end_with_parent, forever, libc,
                   needs_root, wait_until, write)
from test_cgroup import MOUNT
from victims import BAD, UNPRIVILEGED, heard, known, node, victim

pytestmark = needs_root


# --- Privilege.

@pytest.mark.parametrize("who", UNPRIVILEGED)
def test_no_other_user_is_root(daemon, control, who):
    root = victim(daemon)
    known(control, FIRST_PID)

    def bad(say):
        c = Control(daemon)
        assert not c.call("GetInfo")["privileged"]
        for method, arguments in (("SetPolicy", {"policy": "fair"}), ("Reload", {}),
                                  ("SetAttributes", {"pid": FIRST_PID,
                                                     "attributes": {"priority": 1}})):
            try:
                c.call(method, **arguments)
                raise AssertionError(method)
            except Refused as e:
                assert e.error == "PermissionDenied", e
        result = c.call("Suspend", targets=[{"pid": FIRST_PID}])["results"][0]
        assert result["result"] == "refused", result
        own = Client(daemon, pid=BAD, klass=b"realtime", prio=12)
        attributes = c.process(BAD)["attributes"]
        assert attributes["class"] == "default" and attributes["priority"] == 7, attributes
        own.close()

    attack(who, bad)
    assert heard(root) == []
    # Control: root itself is.
    assert control.call("GetInfo")["privileged"]


@pytest.mark.parametrize("attribute,value", [("deadline_ns", 1), ("slice_ns", 100 * 10 ** 9)])
def test_urgency_needs_a_right(daemon, control, attribute, value):
    """Defect 3: a deadline and a slice are urgency as a priority is."""
    def bad(say):
        c = Control(daemon)
        own = Client(daemon, pid=BAD, **{attribute: value})
        assert c.process(BAD)["attributes"][attribute] == 0
        try:
            c.call("SetAttributes", pid=BAD, attributes={attribute: value})
            raise AssertionError("allowed")
        except Refused as e:
            assert e.error == "PermissionDenied"
        own.close()

    attack("nobody", bad)
    root = Client(daemon, pid=FIRST_PID, **{attribute: value})
    assert control.process(FIRST_PID)["attributes"][attribute] == value
    root.close()


def test_deadline_outranks_no_process(daemon, control):
    """Defect 3, as it was tried: under laxity against class realtime."""
    control.call("SetPolicy", policy="laxity")
    root = victim(daemon, klass=b"realtime")
    known(control, FIRST_PID, "nr_busy")

    def bad(say):
        own = Client(daemon, pid=BAD, deadline_ns=1)
        own.send(queue(busy=1))
        say("busy")
        forever()

    with Attacker("nobody", bad) as a:
        a.hear("busy")
        known(control, BAD, "nr_busy")
        assert heard(root) == []


def test_group_of_a_raised_process_raises_no_other(daemon, control):
    """Defect 6: a process that joins a group does not become more urgent by it."""
    root = victim(daemon, prio=9)
    known(control, FIRST_PID, "nr_busy")

    def bad(say):
        c = Control(daemon)
        raised = Client(daemon, pid=BAD, group=b"g")
        raised.send(queue())
        say("there")
        c.wait_for(lambda: c.process(BAD)["attributes"]["priority"] == 12)
        other = Client(daemon, pid=BAD + 1, group=b"g")
        other.send(queue(busy=1))
        # A change that raises nothing of the first one is not to raise the other.
        c.call("SetAttributes", pid=BAD, attributes={"weight": 50})
        say("joined " + str(c.process(BAD + 1)["attributes"]["priority"]))
        forever()

    with Attacker("nobody", bad) as a:
        a.hear("there")
        known(control, BAD)
        control.call("SetAttributes", pid=BAD, attributes={"priority": 12})
        assert a.hear("joined") == "joined 7"
        known(control, BAD + 1, "nr_busy")
        assert heard(root) == []


@pytest.mark.parametrize("who", UNPRIVILEGED)
def test_addresses_are_for_users_of_the_process(daemon, control, who):
    """They are where the rings of another user's process are. To a container that is none."""
    root = victim(daemon)
    known(control, FIRST_PID)

    def addresses(c, pid):
        found = [q for q in c.call("ListQueues")["queues"] if q["pid"] == pid]
        if who != "nobody" and pid == FIRST_PID and c is not control:
            return found or [None] * 3
        assert len(found) == 1 and found[0]["ring_bytes"]
        return [found[0][k] for k in ("ring_addr", "rptr_addr", "wptr_addr")]

    def bad(say):
        c = Control(daemon)
        own = Client(daemon, pid=BAD)
        own.send(queue())
        c.wait_for(lambda: c.process(BAD)["nr_queues"])
        assert addresses(c, FIRST_PID) == [None] * 3
        # Control: those of its own process are there.
        assert None not in addresses(c, BAD)
        # What runs on the machine is the host's to know.
        assert (c.process(FIRST_PID) is None) == (who != "nobody")

    attack(who, bad)
    # In a namespace its process ends after it.
    control.wait_for(lambda: control.process(BAD) is None)
    assert control.process(FIRST_PID)
    assert None not in addresses(control, FIRST_PID)
    root.close()


@pytest.mark.parametrize("who", UNPRIVILEGED)
def test_events_and_metrics_of_others_are_the_hosts(daemon, control, who):
    """As the lists: what a container cannot touch it does not hear of."""
    is_inside = who != "nobody"
    high = Client(daemon, pid=FIRST_PID, prio=12, group=b"secret")
    low = Client(daemon, pid=FIRST_PID + 1)
    for c in (high, low):
        c.send(queue())
    low.send(edge(BUSY))
    known(control, FIRST_PID + 1, "nr_busy")
    known(control, FIRST_PID)

    def bad(say):
        c = Control(daemon)
        own = Client(daemon, pid=BAD)
        own.send(queue(busy=1))
        c.wait_for(lambda: c.process(BAD)["nr_busy"])
        text = c.call("GetMetrics")["text"]
        assert "gpreempt_node_entities{" in text
        for name in ("secret", ",uid=", "gpreempt_group_", "gpreempt_cgroup_"):
            assert (name in text) != is_inside, name
        c.send("Monitor", {"trace": True}, more=True)
        assert c.read()["event"]["text"] == "monitoring"
        say("monitoring")
        own.obey(HOLD)
        pids, out = set(), set()
        while (event := c.read()["event"])["kind"] != "policy":
            pids.add(event["pid"])
            if event["kind"] == "switch":
                out |= {*event["data"]["preempt"], *event["data"]["resume"]}
        assert BAD in pids and BAD in out
        assert (FIRST_PID in pids) != is_inside and (FIRST_PID + 1 in out) != is_inside
        if is_inside:
            assert pids == {None, BAD} and out == {BAD}

    with Attacker(who, bad) as a:
        a.hear("monitoring")
        high.send(edge(BUSY))
        low.obey(HOLD)
        control.wait_for(lambda: node(control)["nr_out"] == 2)
        control.call("SetPolicy", gpu_id=2, policy="fair")
        a.hear("end")


# --- Grants.

def leave_a_client_behind(daemon, say, heard=True):
    """A client whose process has ended: a child of it has the socket."""
    said, kept = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        c = Client(daemon, connect=False)
        c.send(rig.hello())
        if heard:
            c.receive()
        if not os.fork():
            os.close(kept[1])
            os.read(kept[0], 1)
        os._exit(0)
    os.close(kept[0])
    os.close(said[1])
    os.waitpid(pid, 0)
    say(f"left {pid}")
    forever()


def process_with_number(pid):
    """Numbers are used again after some time; CLONE_SET_TID need not wait for that. The kernel
    tells when a process began in ticks: two of one number are never of one tick."""
    time.sleep(2 / os.sysconf("SC_CLK_TCK"))
    wanted = ctypes.c_int32(pid)
    args = (ctypes.c_uint64 * 11)()
    args[4] = signal.SIGCHLD
    args[8], args[9] = ctypes.addressof(wanted), 1
    made = libc.syscall(435, args, ctypes.sizeof(args))
    if not made:
        end_with_parent()
        forever()
    if made < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        pytest.skip("this place does not let a number be chosen")
    assert made == pid, os.strerror(ctypes.get_errno())


def test_number_that_is_used_again_gives_no_grant(daemon, control):
    """The grant of a new process was given to a client of the one that had its number before."""
    with Attacker("nobody", lambda say: leave_a_client_behind(daemon, say)) as a:
        pid = int(a.hear("left").split()[1])
        process_with_number(pid)
        try:
            control.call("Grant", pid=pid, attributes={"class": "realtime"})
            assert control.process(pid)["attributes"]["class"] == "default"
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_number_that_is_used_again_before_it_is_heard_is_no_client(daemon, control):
    """A connection that waits while its process ends was taken for the next one of that number,
    and had its grant."""
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        with Attacker("nobody", lambda say: leave_a_client_behind(daemon, say, heard=False)) as a:
            pid = int(a.hear("left").split()[1])
            process_with_number(pid)
            try:
                os.kill(daemon.process.pid, signal.SIGCONT)
                control.call("Grant", pid=pid, attributes={"class": "realtime"})
                assert control.process(pid) is None
                assert "is gone" in daemon.log()
            finally:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)


@pytest.mark.skipif(not os.access(MOUNT + "/cgroup.procs", os.W_OK),
                    reason="no cgroup v2 that can be written to")
def test_number_that_is_used_again_is_in_no_cgroup(daemon, control):
    """A client of the process that had the number before was in the cgroup of the new one."""
    path = f"/gp-test-{os.getpid()}"
    os.mkdir(MOUNT + path)
    try:
        with Attacker("nobody", lambda say: leave_a_client_behind(daemon, say)) as a:
            pid = int(a.hear("left").split()[1])
            process_with_number(pid)
            try:
                write(f"{MOUNT}{path}/cgroup.procs", str(pid))
                control.call("SetCgroup", cgroup=path, settings={"weight": "1"})
                # Another client behind it was looked up: so was that one.
                control.call("Grant", cgroup=path, attributes={})
                time.sleep(0.2)
                assert control.process(pid)
                assert control.call("ListCgroups")["cgroups"] == []
            finally:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    finally:
        wait_until(lambda: not open(f"{MOUNT}{path}/cgroup.procs", encoding="ascii").read())
        os.rmdir(MOUNT + path)


# --- Cgroups.

class Place:
    """Folders below one of root's, and this process in one after another."""

    def __init__(self):
        self.name, self.folders = f"/gp-test-{os.getpid()}", []
        with open("/proc/self/cgroup", encoding="ascii") as f:
            self.before = next(line.strip() for line in f if line.startswith("0::"))[3:]
        self.make("")

    def make(self, path, owner=0):
        os.mkdir(MOUNT + self.name + path)
        os.chown(MOUNT + self.name + path, owner, owner)
        self.folders.append(self.name + path)
        return self.name + path

    def client(self, daemon, path):
        write(f"{MOUNT}{path}/cgroup.procs", str(os.getpid()))
        with as_user(NOBODY):
            return Client(daemon, pid=0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        write(f"{MOUNT}{self.before}/cgroup.procs", str(os.getpid()))
        for f in reversed(self.folders):
            os.rmdir(MOUNT + f)


@pytest.mark.skipif(not os.access(MOUNT + "/cgroup.procs", os.W_OK),
                    reason="no cgroup v2 that can be written to")
@pytest.mark.parametrize("kept", [True, False])
def test_cgroups_of_a_user_take_no_limit_of_root(kept):
    """A user with as many cgroups as it may have was bound by no other one."""
    config = "[cgroup /gp-test-*/limited]\nmax = 20000 100000\n[daemon]\nmax_clients = 1024\n"
    with Daemon(config=config) as d, Place() as place:
        control, clients = Control(d), []
        place.make("/own", NOBODY)
        for i in range(260):
            path = place.make(f"/own/{i}", NOBODY)
            os.setxattr(MOUNT + path, "user.gpu.weight", b"50")
            clients.append(place.client(d, path))
            if not kept:
                clients.pop().close()
                control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 0)
        limited = place.make("/limited")
        clients.append(place.client(d, limited))
        found = {c["cgroup"]: c for c in control.call("ListCgroups")["cgroups"]}
        assert found[limited]["max"] == "20000 100000" and len(found) == 257
        # The last one of the user took the place of the first, if that was empty.
        assert (f"{place.name}/own/259" in found) != kept
        assert (f"{place.name}/own/0" in found) == kept
        for c in clients:
            c.close()


# --- Gangs.

def gang(daemon, first, name, nodes, busy=1):
    """A client with a queue on each node."""
    clients = []
    for n in nodes:
        c = Client(daemon, pid=first + n, group=name)
        c.send(queue(gpu_id=n, busy=busy))
        clients.append((c, n))
    return clients


def orders_of(ranks, seconds):
    """How often they were held, each order answered."""
    end, held = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for c, n in ranks:
            try:
                o = c.order(0.02)
            except (TimeoutError, socket.timeout):
                continue
            held += o.kind == HOLD
            c.send(rig.done(o.epoch, n))
    return held


def test_gang_of_a_user_connects_no_gpus_of_others():
    """Two gangs that share no GPU took turns as soon as a user named one without work across them."""
    def bad(say):
        ranks = gang(d, BAD, b"gang:x", (2, 4), busy=0)
        say("go")
        orders_of(ranks, 60)

    with Daemon(sim=8) as d:
        control = Control(d)
        victims = gang(d, FIRST_PID, b"gang:a", (1, 2)) + gang(d, FIRST_PID + 100, b"gang:b", (4, 5))
        assert orders_of(victims, 1) == 0
        with Attacker("nobody", bad) as a:
            a.hear("go")
            control.wait_for(lambda: (control.process(BAD + 4) or {}).get("nr_queues"))
            assert orders_of(victims, 1) == 0
            assert any("no gang" in n for n in control.process(BAD + 4)["notes"])


def test_gang_is_granted_to_a_client_that_is_there_and_taken_back(daemon):
    """The name of the group stayed, and so it stayed a gang; one that had it already became none."""
    def ranks(say):
        c = Client(d, pid=0, group=b"gang:x")
        for n in (2, 4):
            c.send(queue(gpu_id=n))
        say("go")
        forever()

    with Daemon(sim=8) as d:
        control = Control(d)
        victims = gang(d, FIRST_PID, b"gang:a", (1, 2)) + gang(d, FIRST_PID + 100, b"gang:b", (4, 5))
        with Attacker("nobody", ranks) as a:
            a.hear("go")
            pid = a.pid
            control.wait_for(lambda: (control.process(pid) or {}).get("nr_queues") == 2)
            assert orders_of(victims, 1) == 0
            control.call("Grant", pid=pid, attributes={"group": "gang:x"})
            wait_until(lambda: orders_of(victims, 0.5) > 0)
            control.call("Revoke", pid=pid)
            assert control.process(pid)["attributes"]["group"] in (None, "")
            wait_until(lambda: orders_of(victims, 1) == 0)
            assert orders_of(victims, 1) == 0


# --- Holds.

def test_two_holders_are_two_holds(daemon, control):
    """Defect 11."""
    client = victim(daemon)
    known(control, FIRST_PID)
    first, second = Control(daemon), Control(daemon)
    for c in (first, second):
        c.send("Suspend", {"targets": [{"pid": FIRST_PID}]})
        client.obey(HOLD, holder=MANUAL)
        assert c.read()["results"][0]["result"] == "ok"
    second.close()
    assert heard(client) == []
    assert control.process(FIRST_PID)["held"] == ["manual"]
    first.close()
    client.obey(RELEASE, holder=MANUAL)


def test_owner_does_not_end_the_hold_of_root(daemon, control):
    """Defect 11: by a hold of a millisecond, by a resume, by leaving."""
    def bad(say):
        c = Control(daemon)
        own = Client(daemon, pid=BAD)
        own.send(queue())
        c.wait_for(lambda: c.process(BAD)["nr_queues"])
        say("there")
        own.obey(HOLD, holder=MANUAL)
        c.send("Suspend", {"targets": [{"pid": BAD}], "lease_ms": 1})
        own.obey(HOLD, holder=MANUAL)
        c.read()
        assert heard(own) == []
        result = c.call("Resume", targets=[{"pid": BAD}])["results"][0]
        assert result["result"] == "refused" and result["reason"] == "held by root", result
        other = Control(daemon)
        other.send("Suspend", {"targets": [{"pid": BAD}]})
        own.obey(HOLD, holder=MANUAL)
        other.read()
        other.close()
        assert heard(own) == []
        assert c.process(BAD)["held"] == ["manual"]
        say("held")
        own.obey(RELEASE, holder=MANUAL)

    with Attacker("nobody", bad) as a:
        a.hear("there")
        holder = Control(daemon)
        holder.send("Suspend", {"targets": [{"pid": BAD}]})
        assert holder.read()["results"][0]["result"] == "ok"
        a.hear("held")
        holder.close()
        a.hear("end")


@pytest.mark.parametrize("who", UNPRIVILEGED)
def test_process_holds_itself_and_no_other(daemon, control, who):
    """pid 0 is the process that asks, whatever its number is in the daemon's namespace."""
    root = victim(daemon)
    known(control, FIRST_PID)

    def bad(say):
        own, c = Client(daemon), Control(daemon)
        own.send(queue())
        c.wait_for(lambda: [p for p in c.call("ListProcesses")["processes"]
                            if p["pid"] != FIRST_PID and p["nr_queues"]])
        for method, order in (("Suspend", HOLD), ("Resume", RELEASE)):
            c.send(method, {"targets": [{"pid": 0}]})
            own.obey(order, holder=MANUAL)
            assert [r["result"] for r in c.read()["results"]] == ["ok"]
        # One that is no client is not held, and no other is instead.
        own.close()
        c.wait_for(lambda: not [p for p in c.call("ListProcesses")["processes"]
                                if p["pid"] != FIRST_PID])
        assert [r["result"] for r in c.call("Suspend", targets=[{"pid": 0}])["results"]] == ["gone"]

    attack(who, bad)
    assert control.call("Suspend", targets=[{"pid": 0}])["results"][0]["result"] == "gone"
    assert heard(root) == []


def test_holds_of_one_user_leave_room_for_root(daemon, control):
    """Defect 2: the holds of all users had one limit."""
    root = victim(daemon)

    def bad(say):
        c = Control(daemon)
        for i in range(20):
            own = Client(daemon, pid=BAD + i)
            for k in range(1024):
                own.send(queue(queue_id=k))
            keep.append(own)
            for first in range(0, 1024, 128):
                c.send("Suspend", {"targets": [{"pid": BAD + i, "gpu_id": 1, "queue_id": k}
                                               for k in range(first, first + 128)],
                                   "timeout_ms": 1})
                c.read(WAIT * 10)
        say("full")
        forever()

    keep = []
    with Attacker("nobody", bad) as a:
        a.hear("full", WAIT * 20)
        control.send("Suspend", {"targets": [{"pid": FIRST_PID}]})
        root.obey(HOLD, holder=MANUAL)
        assert control.read()["results"][0]["result"] == "ok"
