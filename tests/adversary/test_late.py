# SPDX-License-Identifier: MIT
"""Answers that come late. What is decided for others does not wait for an attacker's client.

No clock decides here: the attacker answers when the test says so, and what must have happened
before has happened by then.
"""
import errno
import os

import pytest

import rig
from rig import BUSY, FIRST_PID, HOLD, IDLE, RELEASE, Client, edge, queue
from stage import VICTIM, Attacker, as_user, needs_root

pytestmark = needs_root
BAD = FIRST_PID + 1000
# A client that owes an answer for less than three quarters of this is not silent.
DEADLINE_NS = 60 * 10 ** 9


class Puppet:
    """An attacker's client: says which order came, and answers when it is told to."""

    def __init__(self, daemon, who="nobody", result=rig.OK, error=0):
        words = os.pipe()
        self.word = words[1]

        def act(say):
            c = Client(daemon, pid=BAD, prio=2)
            c.send(queue(busy=1))
            say("busy")
            while True:
                o = c.order(3600)
                say(rig.wire.TYPE_NAMES[o.kind])
                assert os.read(words[0], 1)
                c.answer(o, result if o.kind == HOLD else rig.OK, error)
                say("answered")

        self.attacker = Attacker(who, act)

    def hear(self, word):
        return self.attacker.hear(word)

    def answer(self):
        os.write(self.word, b"x")
        self.hear("answered")

    def __enter__(self):
        self.hear("busy")
        return self

    def __exit__(self, *error):
        self.attacker.__exit__(*error)
        os.close(self.word)


@pytest.fixture
def pair(daemon, control, request):
    """A client that is preempted and one that preempts it; how long that takes is known."""
    uid = getattr(request, "param", 0)
    control.call("SetPolicy", parameters={"deadline_ns": DEADLINE_NS, "min_run_ns": 0,
                                          "max_wait_ns": 3600 * 10 ** 9})
    with as_user(uid):
        low = Client(daemon, pid=FIRST_PID, prio=2)
        high = Client(daemon, pid=FIRST_PID + 1, prio=7 if uid else 12)
    low.send(queue(busy=1))
    high.send(queue())
    for _ in range(4):
        push(low, high)
    return low, high


def push(low, high):
    high.send(edge(BUSY))
    low.obey(HOLD)
    high.send(edge(IDLE))
    low.obey(RELEASE)


def until(control, pid, state):
    control.wait_for(lambda: control.process(pid)["state"] == state)


@pytest.mark.parametrize("pair", [0, VICTIM], indirect=True)
@pytest.mark.parametrize("who", ["nobody", "container"])
def test_no_decision_waits_for_an_attacker(daemon, control, pair, who):
    """A switch was over with its last answer, and nothing is decided before it is over."""
    low, high = pair
    with Puppet(daemon, who) as bad:
        control.wait_for(lambda: (control.process(BAD) or {}).get("nr_busy"))
        for i in range(3):
            push(low, high)
            if not i:
                bad.hear("HOLD")
        # Nothing was answered until now: each of its orders is, and it is where it should be.
        for i in range(6):
            bad.answer()
            if i < 5:
                bad.hear(("RELEASE", "HOLD")[i % 2])
        until(control, BAD, "running")
        assert not any("left alone" in n for n in control.process(BAD)["notes"])


def test_late_answer_is_adopted(daemon, control, pair):
    """An honest client that is slow is held all the same."""
    low, high = pair
    with Puppet(daemon) as bad:
        control.wait_for(lambda: (control.process(BAD) or {}).get("nr_busy"))
        high.send(edge(BUSY))
        low.obey(HOLD)
        until(control, BAD, "preempted")
        bad.hear("HOLD")
        bad.answer()
        high.send(edge(IDLE))
        low.obey(RELEASE)
        # The next word is RELEASE: nothing came in between.
        said = bad.attacker.hear("RELEASE")
        assert said and control.process(BAD)["notes"] == []


def test_order_that_fails_late_is_undone_and_tried_again(daemon, control, pair):
    """The core has it as stopped; it is not."""
    low, high = pair
    with Puppet(daemon, result=rig.BUSY_NOW, error=errno.EBUSY) as bad:
        control.wait_for(lambda: (control.process(BAD) or {}).get("nr_busy"))
        high.send(edge(BUSY))
        low.obey(HOLD)
        until(control, BAD, "preempted")
        for _ in range(3):
            bad.hear("HOLD")
            bad.answer()
            bad.hear("RELEASE")
            bad.answer()
    # Its end is heard: the others are as before.
    high.send(edge(IDLE))
    low.obey(RELEASE)


def test_client_that_never_answers_is_left_alone(daemon, control, pair):
    control.call("SetPolicy", parameters={"deadline_ns": 300_000_000})
    low, high = pair
    with Puppet(daemon) as bad:
        control.wait_for(lambda: (control.process(BAD) or {}).get("nr_busy"))
        high.send(edge(BUSY))
        low.obey(HOLD)
        bad.hear("HOLD")
        control.wait_for(lambda: "left alone until it answers" in control.process(BAD)["notes"])
        bad.answer()
        bad.hear("RELEASE")


def test_client_of_root_is_waited_for(daemon, control, pair):
    """Control of the above, and a promise: root's slow client has the time of the deadline."""
    low, high = pair
    slow = Client(daemon, pid=FIRST_PID + 2, prio=2)
    slow.send(queue(busy=1))
    control.wait_for(lambda: (control.process(FIRST_PID + 2) or {}).get("nr_busy"))
    high.send(edge(BUSY))
    low.obey(HOLD)
    o = slow.order()
    high.send(edge(IDLE))
    low.quiet(1)
    slow.answer(o)
    low.obey(RELEASE)
