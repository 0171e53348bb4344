# SPDX-License-Identifier: MIT
"""Attackers on the node of the victim: its schedule changes by their fair share, not by more.

Under policy fair one process beside another has half of the node, whatever it says. The
victim's share is counted from the core's own records: the time that it ran, and the time that
an attacker ran in its place. The time in which clients of a busy machine carry out orders is in
neither. A round ends when the victim has had a number of turns, not after a time; a victim that has
none for long has the GPU for itself.
"""
import select
import socket
import threading
import time

import pytest

import rig
from rig import BUSY, FIRST_PID, HOLD, IDLE, NOTE_RESET, Client, Control, edge, note, queue
from stage import VICTIM, Attacker, as_user, needs_root

pytestmark = needs_root
BAD = FIRST_PID + 1000
TURNS = 40
# For a victim that is left to run: its share is known then.
ALONE_S = 6


class Tenant:
    """A client that obeys."""

    def __init__(self, daemon, pid, **wishes):
        self.daemon, self.pid, self.wishes = daemon, pid, wishes
        self.nr_holds = 0
        self.connect()

    def connect(self):
        self.client = Client(self.daemon, pid=self.pid, **self.wishes)
        self.client.send(queue(busy=1))

    def step(self, timeout):
        """Obey the next order; its kind, None = none came."""
        if not select.select([self.client.sock], [], [], timeout)[0]:
            return None
        kind, body = self.client.receive()
        if kind not in (HOLD, rig.RELEASE):
            return None
        self.nr_holds += kind == HOLD
        self.client.answer(rig.Order(kind, body))
        return kind


def fair(t, kind, control):
    """No trick."""


def flaps(t, kind, control):
    """Says that its work ended and that there is new work, all the time."""
    t.client.send(edge(IDLE))
    t.client.send(edge(BUSY))


def reconnects(t, kind, control):
    """A process that is held is another process from now on."""
    if kind == HOLD:
        t.client.close()
        t.pid += 1
        t.connect()


def regroups(t, kind, control):
    """A process that is held joins another group."""
    if kind == HOLD:
        group = "b" if time.monotonic_ns() % 2 else "a"
        control.send("SetAttributes", {"pid": t.pid, "attributes": {"group": group}}, oneway=True)


def resets(t, kind, control):
    """A process that is held says that the GPU was reset."""
    if kind == HOLD:
        t.client.send(note(NOTE_RESET))


def requeues(t, kind, control):
    """A process that is held takes its queue back and tells another."""
    if kind == HOLD:
        t.client.send(edge(rig.QUEUE_REMOVE))
        t.client.send(queue(busy=1))


class Watch:
    """The core's records of which process ran, read as they come."""

    def __init__(self, daemon):
        self.control, self.records = Control(daemon), []
        self.control.send("Monitor", {"trace": True}, more=True)
        self.control.read()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            while True:
                e = self.control.read(3600)["event"]
                if e["kind"] == "lost":
                    self.records.append((None, None, None))
                elif e["kind"] == "trace" and "->" in e["text"]:
                    self.records.append((e["time_ns"], e["pid"], e["text"].endswith("-> running")))
                elif e["kind"] == "client" and e["text"] == "gone":
                    self.records.append((e["time_ns"], e["pid"], False))
        except (EOFError, OSError):
            pass

    def share(self):
        """Of the time that one of both ran, the victim's; without that in which records were lost."""
        self.control.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        running, own, other, before = set(), 0, 0, 0
        for now, pid, runs in [*self.records, (time.monotonic_ns(), 0, False)]:
            if now is None:
                running.clear()
                continue
            if FIRST_PID in running:
                own += now - before
            elif running:
                other += now - before
            (running.add if runs else running.discard)(pid)
            before = now
        return own / (own + other) if own + other else None


def play(daemon, control, uid, trick, begin=lambda: None):
    """The victim's share beside the attacker."""
    def bad(say):
        t, own = Tenant(daemon, BAD), Control(daemon)
        say("go")
        while True:
            trick(t, t.step(0.002), own)

    with as_user(uid):
        victim = Tenant(daemon, FIRST_PID)
    with Attacker("nobody", bad) as a:
        a.hear("go")
        begin()
        watch = Watch(daemon)
        last = time.monotonic()
        while victim.nr_holds < TURNS and time.monotonic() - last < ALONE_S:
            if victim.step(0.01) == HOLD:
                last = time.monotonic()
        share = watch.share()
        if share is None:
            # Nothing has changed: the victim runs, and nothing in its place.
            assert control.process(FIRST_PID)["state"] == "running"
            share = 1
    victim.client.close()
    control.wait_for(lambda: control.call("GetInfo")["nr_clients"] == 0)
    return share


@pytest.mark.parametrize("uid", [0, VICTIM])
@pytest.mark.parametrize("trick", [flaps, regroups, resets,
                                   reconnects, requeues])
def test_trick_takes_no_more_than_a_fair_share(daemon, control, trick, uid):
    control.call("SetPolicy", policy="fair")
    usual = play(daemon, control, uid, fair)
    own = play(daemon, control, uid, trick)
    print(f"{trick.__name__}: the victim has {usual:.2f} beside a fair one, {own:.2f} beside the trick")
    assert 0.3 < usual < 0.7
    assert own > 0.8 * usual


def test_measure_sees_what_is_taken(daemon, control):
    """Control of the above: a process that root gives more takes more."""
    control.call("SetPolicy", policy="fair")
    usual = play(daemon, control, 0, fair)
    own = play(daemon, control, 0, fair, lambda: control.call("SetAttributes", pid=BAD,
                                                              attributes={"weight": 1000}))
    assert own < 0.8 * usual
