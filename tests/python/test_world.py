# SPDX-License-Identifier: MIT
"""Negative controls: each invariant of world.py sees what it is there to see."""
import os
import time

import pytest
import world
from world import Violation, World

from gpreempt import wire


@pytest.fixture
def w():
    w = World()
    yield w
    w.close()


def two(w, low=2, high=12):
    """A client with work, and one without above it."""
    a, b = w.connect(low), w.connect(high)
    w.add_queue(a, 1, wire.AQL, True)
    w.add_queue(b, 1, wire.AQL, False)
    w.settle()
    return a, b


def held_by_sched(w, pid):
    w.remember()
    end = time.monotonic() + 10
    while not w.clients[pid].is_held(wire.HOLDER_SCHED):
        assert time.monotonic() < end
        w.pump()


def test_all_is_well(w):
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    w.settle()
    assert w.sched[a] == {1} and not w.sched[b] and w.nr_holds == 1
    w.set_busy(b, (1, 1), False)
    w.settle()
    assert not w.sched[a]
    w.end_by_idling()


def test_a_hold_of_the_one_above_is_seen(w):
    """slice holds whoever's turn it is not; the model is left in the belief that it is prio."""
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    w.handle.set_policy("slice", 1)
    with pytest.raises(Violation, match="of priority 12, but no process above has work"):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            w.remember()
            w.pump()
            time.sleep(0.01)


def test_the_same_is_allowed_where_the_policy_is_known(w):
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    w.set_policy(1, "slice")
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        w.remember()
        w.pump()
        time.sleep(0.01)
    assert w.nr_holds > 2


def test_a_scheduler_that_does_nothing_is_seen(w):
    a, b = two(w)
    w.handle.set_enabled(False)
    w.set_busy(b, (1, 1), True)
    with pytest.raises(Violation, match="effective: False"):
        w.settle(0.5)


def test_a_list_that_lacks_a_queue_is_seen(w):
    a, _ = two(w)
    w.clients[a].queues[1, 9] = {"type": wire.SDMA, "busy": False}
    with pytest.raises(Violation, match="the daemon says"):
        w.settle(0.3)
    del w.clients[a].queues[1, 9]
    w.settle()


def test_a_wrong_attribute_is_seen(w):
    a, _ = two(w)
    w.handle.set_attributes(a, weight=77)
    with pytest.raises(Violation, match="the daemon says"):
        w.settle(0.3)


def test_a_hold_that_is_not_listed_is_seen(w):
    a, _ = two(w)
    w.sched[a].add(1)
    w.behaved = False
    with pytest.raises(Violation, match="the daemon says"):
        w.settle(0.3)
    w.sched[a].clear()


def test_a_hold_that_stays_is_seen(w, monkeypatch):
    monkeypatch.setattr(world, "DEADLINE_S", 0.5)
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    held_by_sched(w, a)
    holds = w.clients[a].holds
    real = holds.apply
    monkeypatch.setattr(holds, "apply", lambda o, now: o.kind == wire.RELEASE or real(o, now))
    monkeypatch.setattr(holds, "expire", lambda now: [])
    with pytest.raises(Violation, match="all work is over"):
        w.end_by_idling()


@pytest.mark.parametrize("end", ["end_by_killing", "end_by_stopping"])
def test_after_death_and_hang_nobody_is_held(w, end):
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    held_by_sched(w, a)
    begin = time.monotonic()
    getattr(w, end)()
    took = time.monotonic() - begin
    assert (took < 0.5) == (end == "end_by_killing")


def test_a_client_that_ignores_the_lease_is_seen(w, monkeypatch):
    monkeypatch.setattr(world, "SLACK_S", 0.3)
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    held_by_sched(w, a)
    w.clients[a].obey_lease = False
    with pytest.raises(Violation, match="the daemon hangs"):
        w.end_by_stopping()


def test_a_lease_that_is_too_long_is_seen(w):
    a, b = two(w)
    w.clients[a].lease_ns = 1000
    w.set_busy(b, (1, 1), True)
    with pytest.raises(Violation, match="a lease of"):
        held_by_sched(w, a)


def test_a_client_that_is_dropped_is_seen(w):
    a, _ = two(w)
    w.clients[a].send(wire.BUSY, gpu_id=1, queue_id=99)
    with pytest.raises(Violation, match="was dropped"):
        w.settle(5)


def test_starvation_bound_lets_the_lower_one_run(w):
    """What the random clients leave out: max_wait_ns holds the one above for a moment."""
    w.handle.set_parameter("max_wait_ns", 200_000_000)
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    held_by_sched(w, a)
    with pytest.raises(Violation, match="of priority 12, but no process above has work"):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            w.remember()
            w.pump()
            time.sleep(0.005)
    assert w.handle.stats(1).nr_starvation >= 1


@pytest.mark.parametrize("kill", [True, False])
def test_a_restart_keeps_what_was_said_by_hand(w, kill):
    a, b = two(w)
    w.set_busy(b, (1, 1), True)
    w.settle()
    w.set_attributes(a, priority=4, group="blue")
    w.set_policy(2, "fair")
    w.settle()
    w.restart(kill)
    w.settle()
    assert w.handle.attributes(a).priority == 4 and w.handle.attributes(a).group == "blue"
    assert w.handle.policy(2) == "fair" and w.sched[a] == {1}


def test_a_daemon_that_forgets_would_be_seen(w):
    a, _ = two(w)
    w.set_attributes(a, priority=4)
    w.settle()
    os.unlink(os.path.join(os.path.dirname(w.daemon.path), "state.json"))
    w.daemon.kill()
    w.restart(kill=True)
    with pytest.raises(Violation, match="the daemon says"):
        w.settle(0.5)
