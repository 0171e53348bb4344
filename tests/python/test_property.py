# SPDX-License-Identifier: MIT
"""Random clients drive the real daemon; what must hold is in world.py."""
import os

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from world import NODES, World

from gpreempt import wire

POLICIES = ("prio", "fair", "slice", "edf", "laxity", "mlfq")
PRIORITIES = st.one_of(st.none(), st.integers(0, 15))
GROUPS = st.sampled_from(("", "", "", "red", "blue"))
CLASSES = st.sampled_from(("", "default", "besteffort", "realtime", "nosuch"))


class Clients(RuleBasedStateMachine):
    """Each rule is an action, and then both sides agree."""

    def __init__(self):
        super().__init__()
        self.world = World()
        self.ending = self.world.end_by_idling
        self.failed = False

    @initialize(how=st.sampled_from(("idle", "idle", "idle", "kill", "stop")),
                priorities=st.lists(st.integers(0, 15), min_size=2, max_size=4))
    def begin(self, how, priorities):
        """How it will end, and a few clients at work: an empty daemon is soon understood."""
        self.ending = {"idle": self.world.end_by_idling, "kill": self.world.end_by_killing,
                       "stop": self.world.end_by_stopping}[how]
        for priority in priorities:
            pid = self.world.connect(priority)
            self.world.add_queue(pid, 1, wire.AQL, True)
            self.settle()

    def pick(self, data, having=lambda c: True):
        pids = [p for p, c in sorted(self.world.clients.items()) if having(c)]
        index = data.draw(st.integers(0, len(pids) - 1), label="client")
        return pids[index]

    def pick_queue(self, data, pid):
        keys = sorted(self.world.clients[pid].queues)
        return keys[data.draw(st.integers(0, len(keys) - 1), label="queue")]

    def settle(self):
        try:
            self.world.settle()
        except BaseException:
            self.failed = True
            raise

    def some(self):
        return bool(self.world.clients)

    def some_queue(self):
        return any(c.queues for c in self.world.clients.values())

    @precondition(lambda self: len(self.world.clients) < 8)
    @rule(priority=PRIORITIES, klass=CLASSES, group=GROUPS, busy=st.booleans(),
          node=st.sampled_from(NODES))
    def connect(self, priority, klass, group, busy, node):
        pid = self.world.connect(priority, klass, group)
        self.world.add_queue(pid, node, wire.AQL, busy)
        self.settle()

    @precondition(some)
    @rule(data=st.data(), node=st.sampled_from(NODES), busy=st.booleans(),
          kind=st.sampled_from((wire.AQL, wire.AQL, wire.PM4, wire.SDMA, wire.SDMA_XGMI)))
    def add_queue(self, data, node, busy, kind):
        pid = self.pick(data)
        if len(self.world.clients[pid].queues) < 5:
            self.world.add_queue(pid, node, kind, busy)
            self.settle()

    @precondition(some_queue)
    @rule(data=st.data())
    def remove_queue(self, data):
        pid = self.pick(data, lambda c: c.queues)
        self.world.remove_queue(pid, self.pick_queue(data, pid))
        self.settle()

    @precondition(some_queue)
    @rule(data=st.data(), busy=st.booleans())
    def work(self, data, busy):
        pid = self.pick(data, lambda c: c.queues)
        self.world.set_busy(pid, self.pick_queue(data, pid), busy)
        self.settle()

    @precondition(some_queue)
    @rule(data=st.data(), nr=st.integers(2, 30))
    def work_in_a_hurry(self, data, nr):
        pid = self.pick(data, lambda c: c.queues)
        key = self.pick_queue(data, pid)
        for i in range(nr):
            self.world.set_busy(pid, key, i % 2 == 0)
            self.world.remember()
        self.settle()

    @precondition(some)
    @rule(data=st.data(), answer=st.sampled_from((wire.OK, wire.OK, wire.BUSY_NOW, wire.ERROR,
                                                  None)))
    def change_manners(self, data, answer):
        self.world.set_answer(self.pick(data), answer)
        self.settle()

    @precondition(some)
    @rule(data=st.data())
    def die(self, data):
        self.world.die(self.pick(data))
        self.settle()

    @precondition(some)
    @rule(data=st.data(), priority=PRIORITIES, klass=st.sampled_from((None, None, "realtime",
                                                                     "besteffort")),
          group=st.sampled_from((None, None, None, "red", "")),
          weight=st.one_of(st.none(), st.integers(1, 10000)))
    def change_attributes(self, data, **changes):
        self.world.set_attributes(self.pick(data), **changes)
        self.settle()

    @rule(node=st.sampled_from(NODES), policy=st.sampled_from(("prio",) + POLICIES))
    def change_policy(self, node, policy):
        self.world.set_policy(node, policy)
        self.settle()

    @precondition(some_queue)
    @rule(data=st.data(), all_of_them=st.booleans())
    def suspend(self, data, all_of_them):
        pid = self.pick(data, lambda c: c.queues)
        self.world.suspend(pid, None if all_of_them else self.pick_queue(data, pid))
        self.settle()

    @precondition(some)
    @rule(data=st.data())
    def resume(self, data):
        self.world.resume(self.pick(data))
        self.settle()

    @rule(kill=st.booleans())
    def restart_the_daemon(self, kill):
        self.world.restart(kill)
        self.settle()

    def teardown(self):
        try:
            if not self.failed:
                self.ending()
        finally:
            self.world.close()


TestClients = Clients.TestCase
TestClients.settings = hypothesis.settings(
    max_examples=int(os.environ.get("GP_TEST_EXAMPLES", "20")), stateful_step_count=30,
    # Time is real: a smaller example would be another one.
    phases=(hypothesis.Phase.generate,),
    suppress_health_check=list(hypothesis.HealthCheck))
