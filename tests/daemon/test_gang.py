# SPDX-License-Identifier: MIT
"""Gangs: groups named gang:NAME are one over all nodes, and leave the GPUs and come back together.

No verdict depends on how fast the machine is: what must not come is waited for in vain, what must
come is waited for as long as it takes.
"""
import socket

from rig import BUSY, FIRST_PID, HOLD, IDLE, RELEASE, Client, Control, Daemon, edge, queue

FAIR = "[policy]\nname = fair\n"
# A gang with a rank that is away does not make room within the test.
PATIENT = "stall_ns = 10000000000\n"


def job(daemon, number, group, prio=7):
    """Two processes of a group, on node 1 and on node 2, with work."""
    ranks = [Client(daemon, pid=FIRST_PID + 10 * number + i, prio=prio, group=group)
             for i in range(2)]
    for i, rank in enumerate(ranks):
        rank.send(queue(gpu_id=i + 1))
        rank.nr_held = 0
        rank.last = None
    return ranks


def all_busy(jobs):
    numbered = [(i, rank) for ranks in jobs for i, rank in enumerate(ranks)]
    for i, rank in numbered:
        rank.send(edge(BUSY, gpu_id=i + 1))


def take(rank, timeout, answers=True):
    """The next order of a rank. Return: there was one."""
    try:
        rank.last = rank.order(timeout)
    except (TimeoutError, socket.timeout, BlockingIOError):
        return False
    rank.nr_held += rank.last.kind == HOLD
    if answers:
        rank.answer(rank.last)
    return True


def settle(ranks, timeout=0.3):
    """Answers everything until nothing more comes."""
    while any([take(rank, timeout) for rank in ranks]):
        pass


def test_ranks_leave_and_come_back_together():
    with Daemon(config=FAIR) as d:
        one, two = job(d, 0, b"gang:one"), job(d, 1, b"gang:two")
        all_busy((one, two))
        while min(rank.nr_held for rank in one + two) < 6:
            for ranks in (one, two):
                for rank in ranks:
                    take(rank, 0.001)
                assert abs(ranks[0].nr_held - ranks[1].nr_held) <= 1


def run_beside_a_node_that_does_not_answer(groups, enough):
    """How many orders node 1 has had since node 2 stopped to answer."""
    with Daemon(config=FAIR + PATIENT) as d:
        one, two = job(d, 0, groups[0]), job(d, 1, groups[1])
        all_busy((one, two))
        while min(rank.nr_held for rank in one + two) < 2:
            for rank in one + two:
                take(rank, 0.001)
        nr, silent = 0, 0
        while nr < enough and silent < 300:
            some = [take(ranks[0], 0.001) for ranks in (one, two)]
            some += [take(ranks[1], 0.001, answers=False) for ranks in (one, two)]
            nr += some[0] + some[1]
            silent = 0 if any(some) else silent + 1
        return nr


def test_gang_waits_for_the_last_node():
    assert run_beside_a_node_that_does_not_answer((b"gang:one", b"gang:two"), 20) < 8


def test_groups_do_not():
    # The control: groups that are no gangs are a node's own.
    assert run_beside_a_node_that_does_not_answer((b"one", b"two"), 20) >= 20


def urgent(daemon):
    client = Client(daemon, pid=FIRST_PID + 90, prio=12)
    client.send(queue(gpu_id=2))
    return client


def test_short_urgent_work_takes_one_node():
    with Daemon(config="[policy]\n" + PATIENT) as d:
        ranks = job(d, 0, b"gang:one")
        high = urgent(d)
        all_busy((ranks,))
        settle(ranks)
        high.send(edge(BUSY, gpu_id=2))
        ranks[1].obey(HOLD)
        ranks[0].quiet(0.3)
        high.send(edge(IDLE, gpu_id=2))
        ranks[1].obey(RELEASE)
        ranks[0].quiet(0.2)


def test_long_urgent_work_takes_the_gang_off_all_nodes():
    with Daemon(config="[policy]\nstall_ns = 20000000\n") as d:
        ranks = job(d, 0, b"gang:one")
        low = Client(d, pid=FIRST_PID + 80, prio=2)
        low.send(queue(gpu_id=1))
        high = urgent(d)
        all_busy((ranks,))
        settle(ranks)
        low.send(edge(BUSY, gpu_id=1))
        low.obey(HOLD)
        high.send(edge(BUSY, gpu_id=2))
        ranks[1].obey(HOLD)
        ranks[0].obey(HOLD)
        # Its node is free for what is less urgent, until both can run again.
        low.obey(RELEASE)
        high.send(edge(IDLE, gpu_id=2))
        ranks[1].obey(RELEASE)
        ranks[0].obey(RELEASE)
        low.obey(HOLD)


def test_rank_that_dies_leaves_the_gang():
    with Daemon(config=FAIR) as d:
        one, two = job(d, 0, b"gang:one"), job(d, 1, b"gang:two")
        all_busy((one, two))
        while min(rank.nr_held for rank in one + two) < 2:
            for rank in one + two:
                take(rank, 0.001)
        one[1].close()
        left = [one[0], *two]
        first = [rank.nr_held for rank in left]
        while min(rank.nr_held - n for rank, n in zip(left, first)) < 3:
            for rank in left:
                take(rank, 0.001)


def test_process_that_changes_its_group_leaves_the_gang():
    with Daemon(config="[policy]\nstall_ns = 20000000\n") as d:
        control = Control(d)
        ranks = job(d, 0, b"gang:one")
        high = urgent(d)
        all_busy((ranks,))
        settle(ranks)
        control.call("SetAttributes", pid=FIRST_PID, attributes={"group": "other"})
        high.send(edge(BUSY, gpu_id=2))
        ranks[1].obey(HOLD)
        ranks[0].quiet(0.3)
