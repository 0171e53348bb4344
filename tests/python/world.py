# SPDX-License-Identifier: MIT
"""A real daemon with random clients, and a model of what the daemon must think of them.

World carries actions out on both and raises Violation when they part:

* every hold by the scheduler is justified: under prio, a process above had work at that time
* no lease is longer than what the daemon promised
* the lists of processes and queues become what the model says, before a deadline
* while all clients behave, prio has its way: who is below waits, who is on top does not
* when all work is over, no process is held; when the daemon dies or hangs, none is held for
  longer than the lease
"""
import dataclasses
import signal
import threading
import time

from gpreempt import QueueRef, wire
from gpreempt.api import Attributes, Handle
from gpreempt.client import SimClient
from gpreempt.daemon import Daemon

NODES = (1, 2)
DEADLINE_S = 10.0
# A machine that does other things as well.
SLACK_S = 1.0
# How long a decision may lag behind what caused it: hysteresis, and timers that come late.
LAG_NS = 50_000_000
CLASSES = {"realtime": (12, True), "default": (7, False), "besteffort": (2, False)}


class Violation(AssertionError):
    """An invariant does not hold."""


@dataclasses.dataclass
class Snapshot:
    """What the daemon may believe in an interval of time."""
    from_ns: int
    policies: dict
    # node -> entity -> (priority, busy)
    entities: dict
    until_ns: int = 1 << 63

    def justifies(self, node, entity):
        """May the scheduler hold this entity?"""
        if self.policies[node] != "prio":
            return True
        level = self.entities[node].get(entity, (99, False))[0]
        return any(busy and priority > level
                   for other, (priority, busy) in self.entities[node].items() if other != entity)


def wished(priority, klass, group):
    """What a client has after its hello; all of it is granted to a privileged one."""
    known = klass if klass in CLASSES else "default"
    base, critical = CLASSES[known]
    return Attributes(base if priority is None else priority, 100, critical, 0, 0, known,
                      group or None, False)


class World:
    """Actions change the world and the model; settle() compares them."""

    def __init__(self, nr_nodes=2):
        self.daemon = Daemon(nr_nodes)
        self.handle = Handle(self.daemon.path, "daemon")
        # The starvation bound lets lower ones run on purpose; it has a test of its own.
        self.handle.set_parameter("max_wait_ns", 3600 * 10**9)
        self.policies = {n: "prio" for n in NODES}
        self.clients = {}
        self.attributes = {}
        self.manual = {}
        self.sched = {}
        self.wishes = {}
        self.by_hand = set()
        self.behaved = True
        self.nr_holds = 0
        self.mark_ns = 0
        self.snapshots = []
        self.remember()

    # What the model says.

    def entity_of(self, pid):
        return self.attributes[pid].group or pid

    def compute(self, pid, node):
        return [key for key, q in self.clients[pid].queues.items()
                if key[0] == node and q["type"] in (wire.AQL, wire.PM4)]

    def covered(self, pid, key):
        return bool({(key[0], wire.QUEUE_ALL), key} & self.manual[pid])

    def _entities(self, node):
        result = {}
        for pid, client in self.clients.items():
            keys = self.compute(pid, node)
            if not keys:
                continue
            busy = any(client.queues[k]["busy"] and not self.covered(pid, k) for k in keys)
            priority, was_busy = result.get(self.entity_of(pid), (0, False))
            result[self.entity_of(pid)] = (max(priority, self.attributes[pid].priority),
                                           was_busy or busy)
        return result

    def _snapshot(self, from_ns):
        return Snapshot(from_ns, dict(self.policies),
                        {n: self._entities(n) for n in NODES})

    # Actions. Each is followed by settle().

    def connect(self, priority=None, klass="", group=""):
        wishes = {"priority": priority, "klass": klass, "group": group}
        client = SimClient(self.daemon.path, **wishes)
        self.clients[client.pid] = client
        self.wishes[client.pid] = wishes
        self.attributes[client.pid] = wished(priority, klass, group)
        self.manual[client.pid] = set()
        self.sched[client.pid] = set()
        return client.pid

    def die(self, pid):
        self.clients.pop(pid).close()
        for table in (self.attributes, self.manual, self.sched):
            del table[pid]

    def add_queue(self, pid, node, kind, busy):
        return node, self.clients[pid].add_queue(node, kind=kind, busy=busy)

    def remove_queue(self, pid, key):
        self.clients[pid].remove_queue(*key)
        if not self.compute(pid, key[0]):
            # The member of the node is gone, and with it what held it.
            self.sched[pid].discard(key[0])

    def set_busy(self, pid, key, busy):
        self.clients[pid].set_busy(busy, *key)

    def set_answer(self, pid, answer):
        """wire.OK, another result, or None: silence."""
        self.behaved &= answer == wire.OK
        self.clients[pid].answer = answer
        if answer is not None:
            self.clients[pid].answer_owed(answer)

    def set_attributes(self, pid, **changes):
        self.handle.set_attributes(pid, **changes)
        new = dataclasses.replace(self.attributes[pid])
        if changes.get("klass"):
            priority, critical = CLASSES[changes["klass"]]
            new = Attributes(priority, 100, critical, 0, 0, changes["klass"], new.group, False)
        new = dataclasses.replace(new, **{k: v for k, v in changes.items() if v is not None})
        new = dataclasses.replace(new, group=new.group or None)
        for other in self.clients:
            # Processes of a group are one.
            if other == pid or new.group and self.attributes[other].group == new.group:
                self.attributes[other] = new
                self.by_hand.add(other)

    def set_policy(self, node, name):
        self.handle.set_policy(name, node)
        self.policies[node] = name

    def suspend(self, pid, key=None):
        """By hand, until resume(); the client may answer or not."""
        ref = QueueRef(pid, *key) if key else QueueRef(pid)
        nodes = [key[0]] if key else list(NODES)
        wanted = {(n, key[1] if key else wire.QUEUE_ALL) for n in nodes
                  if (key in self.compute(pid, n) if key else self.compute(pid, n))}
        self.manual[pid] |= wanted
        self._while_pumping(self.handle.suspend, ref, timeout_s=0.5)

    def resume(self, pid):
        self.manual[pid] = {level for level in self.manual[pid] if not self.compute(pid, level[0])}
        self._while_pumping(self.handle.resume, QueueRef(pid), timeout_s=0.5)

    def restart(self, kill):
        """The daemon ends and begins again; all clients come back.

        What was said by hand about processes and nodes is remembered, holds are not.
        """
        if kill:
            self.daemon.kill()
        elif self.daemon.stop():
            raise Violation(f"the daemon ended badly\n{self.daemon.log()}")
        self.wait_free(self._lease_s() + SLACK_S, "the daemon is gone")
        self.daemon.start()
        self.handle.close()
        self.handle = Handle(self.daemon.path, "daemon")
        for pid, old in list(self.clients.items()):
            new = SimClient(self.daemon.path, pid=pid, answer=old.answer, **self.wishes[pid])
            for (node, number), q in old.queues.items():
                new.add_queue(node, number, q["type"], q["busy"])
            self.clients[pid] = new
            self.manual[pid], self.sched[pid] = set(), set()
            if pid not in self.by_hand:
                self.attributes[pid] = wished(**self.wishes[pid])
            self.remember()

    def _while_pumping(self, function, *args, **kwargs):
        self.remember()
        outcome = []

        def call():
            try:
                outcome.append(function(*args, **kwargs))
            except OSError as e:
                outcome.append(e)

        thread = threading.Thread(target=call)
        thread.start()
        while thread.is_alive():
            self.pump()
            time.sleep(0.001)
        thread.join()
        return outcome[0]

    # Comparing.

    def remember(self):
        """After an action, which began after the mark."""
        self.snapshots.append(self._snapshot(self.mark_ns))
        self.mark_ns = time.monotonic_ns()

    def pump(self):
        for pid, client in list(self.clients.items()):
            for order in client.pump():
                self._check_order(pid, client, order)
            if not client.connected and self.daemon.alive:
                raise Violation(f"{pid} was dropped: {client.bye}")

    def _check_order(self, pid, client, order):
        if order.kind != wire.RELEASE and order.lease_ns > client.lease_ns:
            raise Violation(f"{order}: a lease of {order.lease_ns} ns")
        if order.holder != wire.HOLDER_SCHED or order.kind == wire.RENEW:
            return
        if order.kind == wire.RELEASE:
            self.sched[pid].discard(order.gpu_id)
            return
        self.nr_holds += 1
        if order.gpu_id not in self.sched[pid]:
            self._check_hold(pid, order)
        self.sched[pid].add(order.gpu_id)

    def _check_hold(self, pid, order):
        recent = [s for s in self.snapshots
                  if s.from_ns <= order.time_ns <= s.until_ns + LAG_NS]
        if not any(s.justifies(order.gpu_id, self.entity_of(pid)) for s in recent):
            raise Violation(f"{order} for {pid} of priority {self.attributes[pid].priority}, but "
                            f"no process above has work: {[s.entities[order.gpu_id] for s in recent]}")

    def mine(self):
        """What the daemon should list, as processes and as queues."""
        processes = {p: (len(c.queues), c.nr_busy(), self.attributes[p])
                     for p, c in self.clients.items()}
        queues = {}
        for pid, client in self.clients.items():
            for key, q in client.queues.items():
                held = set()
                if key in self.compute(pid, key[0]):
                    held = {"sched"} if key[0] in self.sched[pid] else set()
                    held |= {"manual"} if self.covered(pid, key) else set()
                queues[(pid,) + key] = (q["busy"], held)
        return processes, queues

    def theirs(self):
        processes = {p.pid: (p.nr_queues, p.nr_busy, p.attributes) for p in self.handle.processes()}
        queues = {(q.pid, q.gpu_id, q.queue_id): (q.busy, set(q.held))
                  for q in self.handle.queues()}
        return processes, queues

    def settle(self, deadline_s=None):
        """After an action: until both agree."""
        deadline_s = DEADLINE_S if deadline_s is None else deadline_s
        self.remember()
        end = time.monotonic() + deadline_s
        while True:
            self.pump()
            theirs = self.theirs()
            self.pump()
            if theirs == self.mine() and (not self.behaved or self.is_effective()):
                break
            if time.monotonic() > end:
                raise Violation(f"the daemon says\n{theirs}\nbut it is\n{self.mine()}"
                                f"\neffective: {self.is_effective()}\n{self.daemon.log()}")
            time.sleep(0.001)
        now_ns = time.monotonic_ns()
        for s in self.snapshots[:-1]:
            s.until_ns = min(s.until_ns, now_ns)
        self.mark_ns = now_ns

    def is_effective(self):
        """Under prio, who has work waits if somebody above has, and only then."""
        for node in NODES:
            entities = self._entities(node)
            top = max((p for p, busy in entities.values() if busy), default=None)
            for pid in self.clients:
                if self.policies[node] != "prio" or not self.compute(pid, node):
                    continue
                priority, busy = entities[self.entity_of(pid)]
                held = node in self.sched[pid]
                if held and (top is None or (busy and priority == top)):
                    return False
                if busy and top > priority and not held:
                    return False
        return True

    # Ends.

    def _lease_s(self):
        return max((c.lease_ns for c in self.clients.values()), default=0) / 1e9

    def held(self):
        return [pid for pid, c in self.clients.items() if c.is_held()]

    def _describe(self):
        """What is held, by which holder, and the last orders."""
        return "\n".join(f"{pid}: {sorted(c.holds.until)} queues {c.queues} owes {len(c.owed)} "
                         f"orders {[str(o) for o in c.orders if o.kind != wire.RENEW][-6:]}"
                         for pid, c in self.clients.items() if c.is_held())

    def wait_free(self, seconds, why):
        end = time.monotonic() + seconds
        while self.held():
            if time.monotonic() > end:
                raise Violation(f"{why}, but held:\n{self._describe()}\n{self.daemon.log()}")
            self.pump()
            time.sleep(0.002)

    def end_by_idling(self):
        """All answer and all work ends: no process stays held."""
        for pid in self.clients:
            self.set_answer(pid, wire.OK)
            self.resume(pid)
            self.manual[pid].clear()
        self.handle.close()
        for client in self.clients.values():
            for key, q in client.queues.items():
                if q["busy"]:
                    client.set_busy(False, *key)
        self.remember()
        self.wait_free(DEADLINE_S, "all work is over")

    def end_by_killing(self):
        self.daemon.kill()
        self.wait_free(self._lease_s() + SLACK_S, "the daemon is dead")

    def end_by_stopping(self):
        self.daemon.signal(signal.SIGSTOP)
        self.wait_free(self._lease_s() + SLACK_S, "the daemon hangs")

    def close(self):
        for client in self.clients.values():
            client.close()
        self.handle.close()
        self.daemon.close()
