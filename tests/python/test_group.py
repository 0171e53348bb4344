# SPDX-License-Identifier: MIT
"""Processes of a group are one, also when one of them fails or dies."""
import pytest
from world import World

from gpreempt import wire


@pytest.fixture
def w():
    w = World()
    yield w
    w.close()


def group_of_two(w):
    """Two with work in a group, and one without above them."""
    a, b, top = w.connect(2, group="red"), w.connect(2, group="red"), w.connect(12)
    for pid in (a, b):
        w.add_queue(pid, 1, wire.AQL, True)
    w.add_queue(top, 1, wire.AQL, False)
    w.settle()
    return a, b, top


def test_they_are_held_together(w):
    a, b, top = group_of_two(w)
    w.set_busy(top, (1, 1), True)
    w.settle()
    assert w.sched[a] == w.sched[b] == {1}
    w.end_by_idling()


@pytest.mark.parametrize("result", [wire.BUSY_NOW, wire.ERROR])
def test_one_that_cannot_be_stopped_keeps_nobody_held(w, result):
    a, b, top = group_of_two(w)
    w.set_answer(a, result)
    w.set_busy(top, (1, 1), True)
    w.settle()
    w.set_busy(top, (1, 1), False)
    w.wait_free(5, "no process above has work")


@pytest.mark.parametrize("first", [0, 1])
def test_one_that_dies_in_the_middle_does_not_take_the_other_along(w, first):
    *both, top = group_of_two(w)
    dying, staying = both[first], both[1 - first]
    w.set_answer(dying, None)
    w.behaved = True
    w.set_busy(top, (1, 1), True)
    w.remember()
    while not w.clients[dying].owed:
        w.pump()
    w.die(dying)
    w.settle()
    assert w.sched[staying] == {1}
    w.set_busy(top, (1, 1), False)
    w.settle()
    assert not w.sched[staying]
