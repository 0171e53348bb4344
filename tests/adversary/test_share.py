# SPDX-License-Identifier: MIT
"""Attackers on the node of the victim: its schedule changes by their fair share, not by more.

Under policy fair one process beside another has half of the node, whatever it says. Both
note when they are held; the share of a trick is compared with that of a process that plays
fair, in one run. That ratio does not depend on how busy the machine is.
"""
import select
import time

import pytest

import rig
from rig import BUSY, FIRST_PID, HOLD, IDLE, NOTE_RESET, Client, Control, edge, note, queue
from stage import VICTIM, Attacker, as_user, needs_root

pytestmark = needs_root
BAD = FIRST_PID + 1000
SECONDS = 1.5


class Tenant:
    """A client that obeys, and how long it was held."""

    def __init__(self, daemon, pid, **wishes):
        self.daemon, self.pid, self.wishes = daemon, pid, wishes
        self.held_ns, self.since, self.start = 0, None, time.monotonic_ns()
        self.connect()

    def connect(self):
        self.client = Client(self.daemon, pid=self.pid, **self.wishes)
        self.client.send(queue(busy=1))

    def let_go(self):
        if self.since:
            self.held_ns += time.monotonic_ns() - self.since
        self.since = None

    def step(self, timeout):
        """Obey the next order; its kind, None = none came."""
        if not select.select([self.client.sock], [], [], timeout)[0]:
            return None
        kind, body = self.client.receive()
        if kind not in (HOLD, rig.RELEASE):
            return None
        if kind == HOLD and not self.since:
            self.since = time.monotonic_ns()
        elif kind == rig.RELEASE:
            self.let_go()
        self.client.answer(rig.Order(kind, body))
        return kind

    def share(self):
        """Part of the time that it was not held."""
        if self.since:
            self.let_go()
            self.since = time.monotonic_ns()
        return 1 - self.held_ns / (time.monotonic_ns() - self.start)


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
        t.let_go()
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
        t.let_go()


def play(daemon, uid, trick, begin=lambda: None):
    """Shares of the victim and of the attacker beside each other."""
    def bad(say):
        t, control = Tenant(daemon, BAD), Control(daemon)
        say("go")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            trick(t, t.step(0.002), control)
        say(f"had {t.share()}")
        # It stays until the victim has counted.
        while True:
            t.step(1)

    with as_user(uid):
        victim = Tenant(daemon, FIRST_PID)
    with Attacker("nobody", bad) as a:
        a.hear("go")
        begin()
        victim.start, victim.held_ns = time.monotonic_ns(), 0
        while not select.select([a.read_fd], [], [], 0)[0]:
            victim.step(0.002)
        own = victim.share()
        other = float(a.hear("had").split()[1])
    victim.client.close()
    return own, other


@pytest.mark.parametrize("uid", [0, VICTIM])
@pytest.mark.parametrize("trick", [flaps, regroups, resets,
                                   reconnects, requeues])
def test_trick_takes_no_more_than_a_fair_share(daemon, control, trick, uid):
    control.call("SetPolicy", policy="fair")
    usual, _ = play(daemon, uid, fair)
    own, other = play(daemon, uid, trick)
    print(f"{trick.__name__}: the victim has {usual:.2f} beside a fair one, {own:.2f} beside the "
          f"trick, which has {other:.2f}")
    assert 0.3 < usual < 0.7
    assert own > 0.8 * usual


def test_measure_sees_what_is_taken(daemon, control):
    """Control of the above: a process that root gives more takes more."""
    control.call("SetPolicy", policy="fair")
    usual, _ = play(daemon, 0, fair)
    own, _ = play(daemon, 0, fair, lambda: control.call("SetAttributes", pid=BAD,
                                                        attributes={"weight": 1000}))
    assert own < 0.8 * usual
