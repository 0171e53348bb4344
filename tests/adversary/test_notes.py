# SPDX-License-Identifier: MIT
"""What an attacker says of its own troubles: whose preemption that ends. Root's clients are the
victims."""
import errno
import os
import socket
import time

import pytest

import rig
from rig import (BUSY, ERROR, FIRST_PID, HOLD, IDLE, NOTE_NO_PROGRESS, NOTE_REFUSED, NOTE_RESET,
                 RELEASE, WAIT, Client, Control, edge, note, queue)
from stage import (CLONE_NEWUSER, Attacker, attack, become_nobody, can_make_user_namespace,
                   end_with_parent, forever, needs_root, unshare, wait_until)
from victims import BAD, heard, known, next_are, node, victim

pytestmark = needs_root


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
