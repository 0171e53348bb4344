# SPDX-License-Identifier: MIT
"""What an attacker says, and which processes it reaches. Root's clients are the victims."""
import ctypes
import errno
import os
import signal
import socket
import time

import pytest

import rig
from rig import (BUSY, ERROR, FIRST_PID, HOLD, IDLE, MANUAL, NOTE_NO_PROGRESS, NOTE_REFUSED,
                 NOTE_RESET, RELEASE, SHIM, WAIT, Client, Control, Daemon, Refused, edge, note,
                 queue)
from stage import (CLONE_NEWUSER, GPU, NOBODY, Attacker, Driver, DriverDaemon, as_user, attack,
                   become_nobody, can_make_user_namespace, end_with_parent, forever, libc,
                   needs_mounts, needs_root, unshare, wait_until, write)
from test_cgroup import MOUNT

pytestmark = needs_root
BAD = FIRST_PID + 1000
UNPRIVILEGED = ["nobody", "container", "pidns"]


def victim(daemon, **wishes):
    c = Client(daemon, pid=FIRST_PID, **wishes)
    c.send(queue(busy=1))
    return c


def known(control, pid, key="nr_queues"):
    control.wait_for(lambda: (control.process(pid) or {}).get(key))


def node(control, gpu_id=1):
    return next(n for n in control.call("ListNodes")["nodes"] if n["gpu_id"] == gpu_id)


def next_are(client, *kinds):
    """These orders come next, however long that takes on a busy machine."""
    assert [client.order().kind for _ in kinds] == list(kinds)


def heard(client, seconds=0.3):
    """Every order that comes until nothing comes for so long. What must come is not asked for in
    this way: a busy machine may be late."""
    orders = []
    try:
        while True:
            orders.append(client.order(seconds))
    except (TimeoutError, socket.timeout):
        return orders


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


# --- Notes.

@pytest.mark.parametrize("who", ["nobody", "container"])
def test_reset_note_reaches_no_other_user(daemon, control, who):
    """Defect 1: connections that come, say RESET, and go."""
    root = victim(daemon, klass=b"realtime")
    known(control, FIRST_PID, "nr_busy")

    def bad(say):
        for i in range(40):
            c = Client(daemon, pid=BAD + i, prio=2)
            c.send(queue())
            c.send(note(NOTE_RESET))
            c.close()

    attack(who, bad)
    control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 1)
    # As long as the node counts as unmapped, every edge was answered by an order.
    for _ in range(3):
        root.send(edge(IDLE))
        root.send(edge(BUSY))
    assert heard(root) == []


def test_reset_note_maps_again_what_belongs_to_its_user(daemon, control):
    """Control of the above: the remedy is still there."""
    other = Client(daemon, pid=FIRST_PID + 1)
    root = victim(daemon)
    other.send(queue())
    known(control, FIRST_PID + 1)
    known(control, FIRST_PID)
    other.send(note(NOTE_RESET))
    next_are(root, HOLD, RELEASE)


@pytest.mark.parametrize("first,second,believed", [("nobody", "another", True),
                                                   ("subuid 1", "subuid 2", False),
                                                   ("nobody", "subuid 1", False),
                                                   ("another", "subuid 1", True)])
def test_reset_notes_of_two_accounts_are_believed(daemon, control, first, second, believed):
    """Two uids of one account, in user namespaces of that account, are not two."""
    root = victim(daemon)
    known(control, FIRST_PID, "nr_busy")

    def bad(pid):
        def act(say):
            c = Client(daemon, pid=pid)
            c.send(queue())
            c.send(note(NOTE_RESET))
            say("said")
            forever()
        return act

    with Attacker(first, bad(BAD)) as a, Attacker(second, bad(BAD + 1)) as b:
        for one, pid in ((a, BAD), (b, BAD + 1)):
            one.hear("said")
            wait_until(lambda pid=pid: any("was reset" in n for n in control.process(pid)["notes"]))
        if believed:
            next_are(root, HOLD, RELEASE)
        else:
            assert heard(root, 1) == []


def say_reset(daemon, pid):
    c = Client(daemon, pid=pid)
    c.send(queue())
    c.send(note(NOTE_RESET))
    return c


@pytest.mark.parametrize("how", ["uid", "user namespace"])
def test_uids_of_one_container_are_one_account(daemon, control, how):
    """Its root has no user namespace, as docker's: it can become every uid of the machine."""
    root = victim(daemon)
    known(control, FIRST_PID, "nr_busy")

    if how == "user namespace" and not can_make_user_namespace():
        pytest.skip("this place does not allow a user namespace")

    def bad(say):
        for i, uid in enumerate((3001, 3002)):
            if not os.fork():
                end_with_parent()
                become_nobody(uid)
                if how == "user namespace":
                    unshare(CLONE_NEWUSER)
                keep = say_reset(daemon, BAD + i)
                say("said")
                forever()
                keep.close()
        forever()

    with Attacker("pidns", bad) as a:
        for i in range(2):
            a.hear("said")
        for pid in (BAD, BAD + 1):
            wait_until(lambda pid=pid: any("was reset" in n for n in control.process(pid)["notes"]))
        assert heard(root, 1) == []


def test_two_containers_are_two_accounts(daemon, control):
    """Control of the above."""
    root = victim(daemon)
    known(control, FIRST_PID, "nr_busy")

    def bad(pid):
        def act(say):
            keep = say_reset(daemon, pid)
            say("said")
            forever()
            keep.close()
        return act

    with Attacker("pidns", bad(BAD)) as a, Attacker("pidns", bad(BAD + 1)) as b:
        a.hear("said")
        b.hear("said")
        next_are(root, HOLD, RELEASE)


def test_answer_to_nothing_is_no_remedy_of_a_reset(daemon, control):
    """A cycle that was not asked for, or that another user tells of, maps nothing."""
    root = victim(daemon)
    known(control, FIRST_PID, "nr_busy")

    def bad(say):
        c = Client(daemon, pid=BAD)
        c.send(queue())
        say("there")
        while True:
            c.send(rig.done(0))
            try:
                c.answer(c.order(0.05))
            except (TimeoutError, socket.timeout):
                pass
            say("said")

    with Attacker("nobody", bad) as a:
        a.hear("there")
        known(control, BAD)
        root.send(note(NOTE_RESET))
        control.wait_for(lambda: any("was reset" in n for n in control.process(FIRST_PID)["notes"]))
        for _ in range(3):
            a.hear("said")
        third = Client(daemon, pid=FIRST_PID + 1)
        third.send(queue())
        third.send(edge(BUSY))
        third.obey(HOLD)
        third.obey(RELEASE)
        # Control: root's own word counts.
        third.send(edge(IDLE))
        third.send(edge(BUSY))
        third.quiet(0.3)


def no_progress(daemon, pid):
    """Says after each of its releases that nothing moved."""
    def act(say):
        c = Client(daemon, pid=pid, prio=2)
        c.send(queue(busy=1))
        say("busy")
        while True:
            o = c.order(3600)
            c.answer(o)
            if o.kind == RELEASE:
                c.send(note(NOTE_NO_PROGRESS))
                say("stands")
    return act


def push(control, high, *pids):
    """Those processes are stopped and continued."""
    high.send(edge(BUSY))
    for pid in pids:
        control.wait_for(lambda: control.process(pid)["state"] == "preempted")
    high.send(edge(IDLE))
    for pid in pids:
        control.wait_for(lambda: control.process(pid)["state"] == "running")


def test_one_user_does_not_talk_a_node_out(daemon, control):
    """Defect 8: NO_PROGRESS, as often as it likes."""
    high = Client(daemon, pid=FIRST_PID, prio=12)
    high.send(queue())
    with Attacker("nobody", no_progress(daemon, BAD)) as a:
        a.hear("busy")
        known(control, BAD, "nr_busy")
        for _ in range(4):
            push(control, high, BAD)
            a.hear("stands")
        assert node(control)["enabled"]


def test_two_users_talk_a_node_out(daemon, control):
    """Control of the above: a GPU that really stands still is put out."""
    high = Client(daemon, pid=FIRST_PID, prio=12)
    high.send(queue())
    with Attacker("nobody", no_progress(daemon, BAD)) as a, \
            Attacker("another", no_progress(daemon, BAD + 1)) as b:
        for one, pid in ((a, BAD), (b, BAD + 1)):
            one.hear("busy")
            known(control, pid, "nr_busy")
        high.send(edge(BUSY))
        control.wait_for(lambda: control.process(BAD)["state"] == "preempted")
        high.send(edge(IDLE))
        control.wait_for(lambda: not node(control)["enabled"])
        assert "no progress" in node(control)["breaker_reason"]


def test_what_one_user_talked_out_is_back_for_the_next(daemon, control):
    """Alone on a node a user may lose it, for itself."""
    def bad(say):
        high = Client(daemon, pid=BAD)
        low = Client(daemon, pid=BAD + 1, prio=2)
        c = Control(daemon)
        for x in (high, low):
            x.send(queue())
        low.send(edge(BUSY))
        for i in range(2):
            high.send(edge(BUSY))
            low.obey(HOLD)
            high.send(edge(IDLE))
            low.obey(RELEASE)
            low.send(note(NOTE_NO_PROGRESS))
            if not i:
                low.obey(HOLD)
                low.obey(RELEASE)
                low.send(note(NOTE_NO_PROGRESS))
                break
        c.call("GetInfo")
        say("talked")
        forever()

    with Attacker("nobody", bad) as a:
        a.hear("talked")
        low, high = Client(daemon, pid=FIRST_PID, prio=2), Client(daemon, pid=FIRST_PID + 1, prio=12)
        low.send(queue(busy=1))
        high.send(queue(busy=1))
        low.obey(HOLD)
        assert node(control)["enabled"]


@pytest.mark.parametrize("how", ["error", "busy", "silent"])
def test_breaker_stays_closed_for_one_user(daemon, control, how):
    """Defect 8, second half: errors, refusals and silence of one user's client."""
    control.call("SetPolicy", parameters={"deadline_ns": 300_000_000})
    high = Client(daemon, pid=FIRST_PID, prio=12)
    high.send(queue())

    def bad(say):
        c = Client(daemon, pid=BAD, prio=2)
        c.send(queue(busy=1))
        say("busy")
        while True:
            o = c.order(3600)
            say("asked")
            if how == "error":
                c.answer(o, result=ERROR, error=errno.EIO)
            elif how == "busy":
                c.answer(o, result=rig.BUSY_NOW, error=errno.EBUSY)

    with Attacker("nobody", bad) as a:
        a.hear("busy")
        known(control, BAD, "nr_busy")
        high.send(edge(BUSY))
        a.hear("asked")
        for _ in range(8):
            high.send(edge(IDLE))
            high.send(edge(BUSY))
            heard(high, 0.2)
        assert node(control)["breaker"] == "closed", node(control)
    # The node still does its work, with others on it.
    low = Client(daemon, pid=FIRST_PID + 1, prio=2)
    low.send(queue(busy=1))
    low.obey(HOLD)


@pytest.mark.parametrize("how", ["refuses", "errors"])
def test_process_that_cannot_be_stopped_stops_no_other(daemon, control, how):
    """Under fair every process has a turn: one that never gives it back has none."""
    control.call("SetPolicy", policy="fair", parameters={"max_wait_ns": 3600 * 10 ** 9})
    root = victim(daemon)
    known(control, FIRST_PID, "nr_busy")

    def bad(say):
        c = Client(daemon, pid=BAD)
        c.send(queue())
        if how == "refuses":
            c.send(note(NOTE_REFUSED, text=b"no"))
        c.send(edge(BUSY))
        say("busy")
        while True:
            c.answer(c.order(3600), result=ERROR, error=errno.EIO)

    with Attacker("nobody", bad) as a:
        a.hear("busy")
        known(control, BAD, "nr_busy")
        off, end = False, time.monotonic() + WAIT
        # In the end root's client runs and is left alone.
        while time.monotonic() < end:
            orders = heard(root, 0.3)
            for o in orders:
                root.answer(o)
                off = o.kind == HOLD
            if not orders and not off:
                break
        assert not off and heard(root, 0.5) == []


# --- Queues that are not there.

def shim(daemon, pid_of=os.getpid, **wishes):
    c = Client(daemon, mech=SHIM, **wishes)
    return c, pid_of()


@needs_mounts
def test_queue_that_the_driver_does_not_show_is_not_scheduled(place):
    """Defect 4: a process without a GPU says that it has work."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        assert node(control, GPU)
        # A victim with a queue that is there.
        driver.show_queue(os.getpid(), 1)
        root = Client(daemon, mech=SHIM, klass=b"besteffort")
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")

        def bad(say):
            c = Client(daemon, mech=SHIM)
            c.send(queue(gpu_id=GPU, queue_id=1, busy=1))
            say("busy")
            c.receive(3600)

        with Attacker("nobody", bad) as a:
            a.hear("busy")
            control.wait_for(lambda: control.process(a.pid))
            assert heard(root, 0.5) == []
            assert node(control, GPU)["nr_queues"] == 1
        # Control: with a queue that the driver shows it is urgent.
        with Attacker("nobody", lambda say: (say("here"), forever())) as a:
            a.hear("here")
        ready_r, ready_w = os.pipe()

        def good(say):
            os.read(ready_r, 1)
            bad(say)

        with Attacker("nobody", good) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            a.hear("busy")
            assert root.order().kind == HOLD


@needs_mounts
def test_queue_that_cannot_be_looked_for_is_looked_for_again(place):
    """A want of descriptors took a queue out of scheduling for its life."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        driver.show_queue(os.getpid(), 1)
        # No file can be opened by this name, though it is there.
        path = os.path.join(driver.source, "kfd", "proc", str(os.getpid()), "queues", "1", "gpuid")
        os.rename(path, path + ".real")
        os.symlink("gpuid", path)
        root = Client(daemon, mech=SHIM)
        root.send(queue(gpu_id=GPU))
        control.wait_for(lambda: any("cannot be asked" in n
                                     for n in control.process(os.getpid())["notes"]))
        assert node(control, GPU)["nr_queues"] == 0
        os.rename(path + ".real", path)
        root.send(edge(BUSY, gpu_id=GPU))
        control.wait_for(lambda: node(control, GPU)["nr_queues"] == 1)
        root.close()


@needs_mounts
def test_queue_that_is_gone_does_not_count(place):
    """Defect 4: the driver has destroyed it, the client still says busy."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        control.call("SetPolicy", parameters={"max_wait_ns": 3600 * 10 ** 9})
        driver.show_queue(os.getpid(), 1)
        root = Client(daemon, mech=SHIM, klass=b"besteffort")
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")
        ready_r, ready_w = os.pipe()

        def bad(say):
            os.read(ready_r, 1)
            c = Client(daemon, mech=SHIM)
            c.send(queue(gpu_id=GPU, queue_id=1, busy=1))
            c.receive(3600)
            forever()

        with Attacker("nobody", bad) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            root.obey(HOLD)
            driver.hide_queue(a.pid, 1)
            root.obey(RELEASE)


@needs_mounts
def test_node_that_comes_late_has_its_configuration_and_state(place):
    """Defect 12."""
    driver = Driver(str(place), nodes=False)
    write(place / "state.json",
          '{"format": 1, "boot": "", "exit": "x", "processes": [], "nodes": '
          f'[{{"gpu_id": {GPU}, "policy": "edf", "enabled": true, "parameters": '
          '{"max_wait_ns": 7000000000}}]}')
    os.chmod(place / "state.json", 0o600)
    config = "[policy]\nname = fair\nmin_run_ns = 5\n"
    with DriverDaemon(driver, config=config) as daemon:
        control = Control(daemon)
        assert control.call("ListNodes")["nodes"] == []
        driver.show_node()

        def policy():
            try:
                return control.call("GetPolicy", gpu_id=GPU)
            except Refused:
                return None

        p = control.wait_for(policy)
        values = {x["name"]: x["value"] for x in p["parameters"]}
        assert values["min_run_ns"] == 5
        assert p["policy"] == "edf" and values["max_wait_ns"] == 7 * 10 ** 9


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


# --- Files.

@pytest.mark.parametrize("owner,mode", [(65534, 0o600), (0, 0o666)])
def test_state_of_another_user_is_not_read(place, owner, mode):
    """Defect 24."""
    path = place / "state.json"
    write(path, '{"format": 1, "boot": "", "exit": "planted", "processes": [], "nodes": '
                '[{"gpu_id": 1, "policy": "fair", "enabled": true, "parameters": {}}]}')
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    with Daemon(folder=str(place)) as d:
        c = Control(d)
        assert c.call("GetInfo")["last_exit"] is None
        assert c.call("GetPolicy")["policy"] == "prio"
        assert "ignored" in d.log()


def test_own_state_is_read(place):
    """Control of the above."""
    path = place / "state.json"
    write(path, '{"format": 1, "boot": "", "exit": "x", "processes": [], "nodes": '
                '[{"gpu_id": 1, "policy": "fair", "enabled": true, "parameters": {}}]}')
    os.chmod(path, 0o600)
    with Daemon(folder=str(place)) as d:
        assert Control(d).call("GetPolicy")["policy"] == "fair"


def test_state_is_not_written_through_a_name_of_another_user(place):
    """A file that waits under the name of the new state keeps its owner and its bytes."""
    os.chmod(place, 0o1777)
    path = place / "state.json.new"
    write(path, "mine")
    os.chown(path, 65534, 65534)
    fd = os.open(path, os.O_RDONLY)
    with Daemon(folder=str(place)) as d:
        Control(d).call("SetPolicy", policy="fair")
        assert os.pread(fd, 100, 0) == b"mine"
    os.close(fd)


# --- Sockets.

def test_modes_and_group_of_the_sockets():
    config = "[daemon]\nsocket_mode = 0660\nclient_mode = 0600\nsocket_group = nogroup\n"
    with Daemon(config=config) as d:
        control, client = os.stat(d.path), os.stat(d.client_path)
        assert control.st_mode & 0o7777 == 0o660 and client.st_mode & 0o7777 == 0o600
        assert control.st_gid == client.st_gid == 65534

        def bad(say):
            for make in (lambda: Client(d, connect=False), ):
                try:
                    make()
                    raise AssertionError("let in")
                except PermissionError:
                    pass
            Control(d).call("GetInfo")

        attack("nobody", bad)


def test_folder_of_the_client_socket_survives_a_restart():
    with Daemon() as d:
        folder = os.open(os.path.dirname(d.client_path), os.O_PATH)
        d.stop()
        d.start()
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(WAIT)
        s.connect(f"/proc/self/fd/{folder}/{os.path.basename(d.client_path)}")
        s.close()
        os.close(folder)
        assert os.path.dirname(d.client_path) != os.path.dirname(d.path)


@needs_mounts
def test_driver_says_that_a_process_has_waves(place):
    """RESET on a real node: another user's process is touched if the driver shows it idle."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        driver.show_queue(os.getpid(), 1)
        driver.set_occupancy(os.getpid(), 5)
        root = Client(daemon, mech=SHIM)
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")
        ready_r, ready_w = os.pipe()

        def bad(say):
            os.read(ready_r, 1)
            c = Client(daemon, mech=SHIM, prio=2)
            c.send(queue(gpu_id=GPU, queue_id=1))
            c.send(note(NOTE_RESET, gpu_id=GPU))
            say("said")
            forever()

        with Attacker("nobody", bad) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            a.hear("said")
            wait_until(lambda: any("was reset" in n for n in control.process(a.pid)["notes"]))
            assert heard(root) == []
            # Its kernel has gone from the GPU, and it says that there is work.
            driver.set_occupancy(os.getpid(), 0)
            root.send(edge(IDLE, gpu_id=GPU))
            root.send(edge(BUSY, gpu_id=GPU))
            next_are(root, HOLD, RELEASE)
