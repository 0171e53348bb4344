# SPDX-License-Identifier: MIT
"""What the daemon is for: somebody urgent comes, somebody else leaves, and comes back."""
import errno
import os
import re
import time

import pytest

from rig import (BUSY, BUSY_NOW, ERROR, FIRST_PID, HOLD, IDLE, MANUAL, NOTE_NO_PROGRESS,
                 NOTE_PROGRESS, NOTE_REFUSED, NOTE_RESET, PRIO_UNSET, QUEUE_ALL, QUEUE_REMOVE,
                 RELEASE, SCHED, WAIT, WELCOME_PROGRESS, Client, Control, done, edge, note, progress,
                 queue)


def pair(daemon, low=2, high=12, **wishes):
    a = Client(daemon, pid=FIRST_PID, prio=low, **wishes)
    b = Client(daemon, pid=FIRST_PID + 1, prio=high)
    for c in (a, b):
        c.send(queue())
    return a, b


def all_known(daemon, nr):
    """Connections are not read in any order: wait until so many queues are known."""
    control = Control(daemon)
    control.wait_for(lambda: len(control.call("ListQueues")["queues"]) == nr)
    control.close()


def test_urgent_work_preempts_and_goes(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    o = low.obey(HOLD)
    assert o.lease_ns == 10 ** 9 and o.queue_id == QUEUE_ALL and o.holder == SCHED
    assert control.process(FIRST_PID)["held"] == ["sched"]
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")
    assert control.process(FIRST_PID + 1)["state"] == "running"
    high.send(edge(IDLE))
    assert low.obey(RELEASE).epoch > o.epoch
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "running")
    stats = control.call("GetStatistics", gpu_id=1)["nodes"][0]
    assert stats["nr_preemptions"] == 1 and stats["nr_resumes"] == 1
    assert stats["decision"]["count"] == 1 and stats["fanout"]["count"] == 2
    # The other node has seen nothing of it.
    assert control.call("GetStatistics", gpu_id=2)["nodes"][0]["nr_switches"] == 0


def test_equals_do_not_preempt(daemon):
    """Negative control of the story: without a higher priority nobody leaves."""
    a, b = pair(daemon, low=7, high=7)
    a.send(edge(BUSY))
    b.send(edge(BUSY))
    a.quiet(0.3)


def test_other_node_does_not_preempt(daemon):
    low = Client(daemon, pid=FIRST_PID, prio=2)
    high = Client(daemon, pid=FIRST_PID + 1, prio=12)
    low.send(queue(gpu_id=1))
    high.send(queue(gpu_id=2))
    low.send(edge(BUSY, gpu_id=1))
    high.send(edge(BUSY, gpu_id=2))
    low.quiet(0.3)


def test_copy_queues_are_never_held(daemon):
    low, high = pair(daemon)
    low.send(queue(queue_id=2, kind=1))
    low.send(edge(BUSY, queue_id=2))
    high.send(edge(BUSY))
    low.quiet(0.3)


def test_client_that_goes_lets_others_run(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    high.close()
    low.obey(RELEASE)
    control.wait_for(lambda: control.process(FIRST_PID + 1) is None)


def test_queue_that_goes_lets_others_run(daemon):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    high.send(edge(QUEUE_REMOVE))
    low.obey(RELEASE)


def test_group_is_held_together(daemon):
    one = Client(daemon, pid=FIRST_PID, prio=2, group=b"train")
    two = Client(daemon, pid=FIRST_PID + 1, prio=2, group=b"train")
    three = Client(daemon, pid=FIRST_PID + 2, prio=2)
    high = Client(daemon, pid=FIRST_PID + 3, prio=12)
    for c in (one, two, three, high):
        c.send(queue())
    all_known(daemon, 4)
    one.send(edge(BUSY))
    high.send(edge(BUSY))
    # Two has no work of its own, but belongs to the group.
    one.obey(HOLD)
    two.obey(HOLD)
    three.quiet(0.2)


def test_switch_waits_for_all_members(daemon, control):
    one = Client(daemon, pid=FIRST_PID, prio=2, group=b"g")
    two = Client(daemon, pid=FIRST_PID + 1, prio=2, group=b"g")
    high = Client(daemon, pid=FIRST_PID + 2, prio=12)
    for c in (one, two, high):
        c.send(queue())
    all_known(daemon, 3)
    one.send(edge(BUSY))
    high.send(edge(BUSY))
    first = one.order()
    two.obey(HOLD)
    assert control.process(FIRST_PID)["state"] == "preempting"
    one.answer(first)
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")


def test_new_queue_of_one_who_is_off_is_held_too(daemon):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    low.send(queue(queue_id=2))
    low.obey(HOLD)


def test_hold_that_fails_is_let_go_and_tried_again(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD, result=BUSY_NOW, error=16)
    low.obey(RELEASE)
    low.obey(HOLD)
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")
    assert any("could not stop" in n for n in control.process(FIRST_PID)["notes"])


def test_errors_open_the_breaker_and_the_reason_is_shown(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    assert control.call("ListNodes")["nodes"][0]["breaker"] == "closed"
    for _ in range(3):
        low.obey(HOLD, result=ERROR, error=5)
        low.obey(RELEASE)
    node = control.wait_for(
        lambda: next((n for n in control.call("ListNodes")["nodes"] if n["breaker"] != "closed"),
                     None))
    assert node["gpu_id"] == 1 and "switch failed" in node["breaker_reason"]


def test_node_is_mapped_again_after_a_reset_queue_unmapped_it(daemon, control):
    low, high = pair(daemon)
    all_known(daemon, 2)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    hold = low.order()
    low.send(note(NOTE_RESET))
    low.answer(hold, result=ERROR, error=errno.EACCES)
    low.obey(RELEASE)
    # Before it has done that somebody else comes, and is asked too.
    assert high.order().kind == HOLD and high.order().kind == RELEASE
    third = Client(daemon, pid=FIRST_PID + 2, prio=12)
    third.send(queue())
    third.send(edge(BUSY))
    hold = third.obey(HOLD)
    assert third.obey(RELEASE).epoch > hold.epoch
    # Now it is mapped: nobody is disturbed any more, and nobody tries the first one again.
    for c in (third, high):
        c.send(edge(IDLE))
        c.send(edge(BUSY))
    for c in (low, third, high):
        c.quiet(0.3)
    assert any("was reset" in n for n in control.process(FIRST_PID)["notes"])
    node = control.call("ListNodes")["nodes"][0]
    assert node["breaker"] == "closed" and node["enabled"]


def test_node_is_mapped_again_though_nobody_waited_for_the_call(daemon, control):
    idle, high = pair(daemon)
    all_known(daemon, 2)
    high.send(edge(BUSY))
    idle.send(note(NOTE_RESET))
    high.obey(HOLD)
    high.obey(RELEASE)
    assert any("was reset" in n for n in control.process(FIRST_PID)["notes"])


def test_who_is_not_there_or_was_not_asked_disturbs_nobody(daemon, control):
    low, high = pair(daemon)
    all_known(daemon, 2)
    high.send(edge(BUSY))
    stranger = Client(daemon, pid=FIRST_PID + 2)
    stranger.send(note(NOTE_RESET))
    low.send(done(0, result=ERROR, error=errno.EACCES))
    for c in (low, high, stranger):
        c.quiet(0.3)
    assert not any("was reset" in n for n in control.process(FIRST_PID)["notes"])


def test_silent_client_misses_the_deadline_and_all_is_released(daemon, control):
    control.call("SetPolicy", parameters={"deadline_ns": 20_000_000})
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    assert low.order().kind == HOLD
    # It never answers: the node fails open, and the level is set anew.
    assert low.order().kind == RELEASE
    node = control.call("ListNodes")["nodes"][0]
    assert node["breaker"] == "open" and "deadline" in node["breaker_reason"]
    assert any("in time" in n for n in control.process(FIRST_PID)["notes"])


def test_late_answer_changes_nothing(daemon, control):
    control.call("SetPolicy", parameters={"deadline_ns": 20_000_000})
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    late = low.order()
    second = low.order()
    assert second.kind == RELEASE
    low.answer(late)
    assert control.process(FIRST_PID)["state"] != "preempted"
    low.answer(second)

    def runs():
        # On a busy machine that answer is late, too: then it is released again.
        try:
            low.obey(RELEASE, timeout=0.05)
        except TimeoutError:
            pass
        return control.process(FIRST_PID)["state"] == "running"

    control.wait_for(runs)


def test_no_progress_twice_puts_the_node_out(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    high.send(edge(IDLE))
    low.obey(RELEASE)
    low.send(note(NOTE_NO_PROGRESS))
    low.obey(HOLD)
    low.obey(RELEASE)
    assert control.call("ListNodes")["nodes"][0]["enabled"]
    low.send(note(NOTE_NO_PROGRESS))
    node = control.wait_for(
        lambda: next((n for n in control.call("ListNodes")["nodes"] if not n["enabled"]), None))
    assert node["gpu_id"] == 1 and "no progress" in node["breaker_reason"]
    control.call("SetPolicy", gpu_id=1, enabled=True)
    assert control.call("ListNodes")["nodes"][0]["breaker_reason"] is None


def test_nobody_talks_a_node_out(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    for _ in range(4):
        low.send(note(NOTE_NO_PROGRESS))
    low.quiet(0.3)
    high.send(edge(BUSY))
    low.obey(HOLD)
    high.send(edge(IDLE))
    low.obey(RELEASE)
    low.send(note(NOTE_PROGRESS))
    for _ in range(4):
        low.send(note(NOTE_NO_PROGRESS))
    low.quiet(0.3)
    assert control.call("ListNodes")["nodes"][0]["enabled"]


def test_progress_keeps_the_node_in(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    for _ in range(4):
        high.send(edge(BUSY))
        low.obey(HOLD)
        high.send(edge(IDLE))
        low.obey(RELEASE)
        low.send(note(NOTE_NO_PROGRESS))
        low.obey(HOLD)
        low.obey(RELEASE)
        low.send(note(NOTE_PROGRESS))
    assert control.call("ListNodes")["nodes"][0]["enabled"]


def test_one_who_cannot_be_stopped_is_left_alone(daemon, control):
    low, high = pair(daemon)
    low.send(note(NOTE_REFUSED, text=b"no save area"))
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.quiet(0.3)
    assert any("no save area" in n for n in control.process(FIRST_PID)["notes"])


def test_disabled_node_does_not_preempt(daemon, control):
    control.call("SetPolicy", gpu_id=1, enabled=False)
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.quiet(0.3)
    control.call("SetPolicy", gpu_id=1, enabled=True)
    low.obey(HOLD)


def test_policy_parameters_and_dry_run(daemon, control):
    old = control.call("GetPolicy", gpu_id=1)
    assert old["policy"] == "prio" and "fair" in old["policies"]
    reply = control.call("SetPolicy", policy="fair", dry_run=True)
    assert reply["changed"] and control.call("GetPolicy")["policy"] == "prio"
    control.call("SetPolicy", gpu_id=2, policy="edf", parameters={"min_run_ns": 7})
    assert control.call("GetPolicy", gpu_id=1) == old
    new = control.call("GetPolicy", gpu_id=2)
    assert new["policy"] == "edf"
    assert {p["name"]: p["value"] for p in new["parameters"]}["min_run_ns"] == 7


def test_attributes_change_who_runs(daemon, control):
    a, b = pair(daemon, low=7, high=7)
    a.send(edge(BUSY))
    b.send(edge(BUSY))
    a.quiet(0.1)
    reply = control.call("SetAttributes", pid=FIRST_PID + 1, attributes={"priority": 9})
    assert reply["old"]["priority"] == 7 and reply["new"]["priority"] == 9
    a.obey(HOLD)
    control.call("SetAttributes", pid=FIRST_PID + 1, attributes={"class": "besteffort"})
    a.obey(RELEASE)
    b.obey(HOLD)


def test_group_by_hand_joins_those_who_are_held(daemon, control):
    low, high = pair(daemon)
    third = Client(daemon, pid=FIRST_PID + 2, prio=2)
    third.send(queue())
    all_known(daemon, 3)
    for c in (low, high):
        c.send(edge(BUSY))
    low.obey(HOLD)
    regroup(control, FIRST_PID, "g")
    regroup(control, FIRST_PID + 2, "g")
    low.obey(HOLD)
    third.obey(HOLD)


def regroup(control, pid, name):
    control.call("SetAttributes", pid=pid, attributes={"group": name})


def held_group(daemon, control, names):
    """Processes with work in these groups, off the GPU for one that is urgent and never starved."""
    control.call("SetPolicy", gpu_id=1, parameters={"max_wait_ns": 3600 * 10 ** 9})
    low = [Client(daemon, pid=FIRST_PID + i, prio=2, group=name) for i, name in enumerate(names)]
    high = Client(daemon, pid=FIRST_PID + len(low), prio=12)
    for c in (*low, high):
        c.send(queue())
    all_known(daemon, len(low) + 1)
    for c in low:
        c.send(edge(BUSY))
    control.wait_for(lambda: all(q["busy"] for q in control.call("ListQueues")["queues"]
                                 if q["pid"] < FIRST_PID + len(low)))
    high.send(edge(BUSY))
    return low, high


def is_off(control, pid):
    p = control.process(pid)
    return p["state"] == "preempted" and p["held"] == ["sched"]


def test_held_process_stays_held_when_its_group_changes(daemon, control):
    (one, two), high = held_group(daemon, control, (b"g", b"g"))
    one.obey(HOLD)
    two.obey(HOLD)
    for name in ("g", "x", "x", "", "g", "y"):
        regroup(control, FIRST_PID, name)
        assert is_off(control, FIRST_PID) and is_off(control, FIRST_PID + 1), name
    assert control.call("GetStatistics", gpu_id=1)["nodes"][0]["nr_switches"] == 1
    high.send(edge(IDLE))
    one.obey(RELEASE)
    two.obey(RELEASE)


def test_held_process_joins_a_running_group_when_it_is_back(daemon, control):
    (one,), high = held_group(daemon, control, (b"g",))
    one.obey(HOLD)
    two = Client(daemon, pid=FIRST_PID + 2, prio=2, group=b"h")
    two.send(queue())
    all_known(daemon, 3)
    regroup(control, FIRST_PID, "h")
    assert is_off(control, FIRST_PID)
    assert control.process(FIRST_PID + 2)["state"] == "idle"
    high.send(edge(IDLE))
    one.obey(RELEASE)
    # From now on they are one: the second leaves though it has no work.
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "running")
    high.send(edge(BUSY))
    one.obey(HOLD)
    two.obey(HOLD)


def test_process_that_changes_its_group_before_it_answers_is_held_again_if_that_failed(daemon,
                                                                                         control):
    (one, two), _ = held_group(daemon, control, (b"g", b"g"))
    first = one.order()
    two.obey(HOLD)
    regroup(control, FIRST_PID, "x")
    control.wait_for(lambda: is_off(control, FIRST_PID))
    one.answer(first, result=BUSY_NOW, error=errno.EBUSY)
    one.obey(RELEASE)
    one.obey(HOLD)
    control.wait_for(lambda: is_off(control, FIRST_PID))
    assert is_off(control, FIRST_PID + 1)


def test_monitor_tells_the_story(daemon, control):
    watcher = Control(daemon)
    watcher.send("Monitor", {"trace": True}, more=True)
    assert watcher.read()["event"]["text"] == "monitoring"
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    kinds, switch, end = set(), None, time.monotonic() + WAIT
    while time.monotonic() < end and not {"client", "queue", "busy", "switch", "done", "trace"} <= kinds:
        event = watcher.read()["event"]
        kinds.add(event["kind"])
        if event["kind"] == "switch":
            switch = event
    assert "client" in kinds and "trace" in kinds
    assert switch["data"]["preempt"] == [FIRST_PID] and switch["gpu_id"] == 1


def test_monitor_without_trace_has_no_records(daemon, control):
    watcher = Control(daemon)
    watcher.send("Monitor", more=True)
    assert watcher.read()["event"]["text"] == "monitoring"
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    event = {"kind": ""}
    while event["kind"] != "done":
        event = watcher.read()["event"]
        assert event["kind"] != "trace"


def test_slow_reader_is_told_what_it_lost(daemon, control):
    watcher = Control(daemon)
    watcher.send("Monitor", {"trace": True}, more=True)
    assert watcher.read()["event"]["text"] == "monitoring"
    client = Client(daemon, pid=FIRST_PID)
    client.send(queue())
    for _ in range(3000):
        client.send(edge(BUSY))
        client.send(edge(IDLE))
    control.call("GetInfo")
    lost, end = 0, time.monotonic() + WAIT
    try:
        while not lost and time.monotonic() < end:
            client.send(edge(BUSY))
            event = watcher.read(2)["event"]
            if event["kind"] == "lost":
                lost = event["data"]["count"]
    except TimeoutError:
        pass
    assert lost > 0


def test_metrics(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")
    lines = control.call("GetMetrics")["text"].splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values['gpreempt_node_preemptions_total{gpu_id="1"}'] == "1"
    assert values['gpreempt_node_preemptions_total{gpu_id="2"}'] == "0"
    assert values['gpreempt_switch_seconds_count{gpu_id="1"}'] == "1"
    assert values['gpreempt_clients{mechanism="sim"}'] == "2"
    buckets = [float(v) for k, v in values.items()
               if k.startswith('gpreempt_switch_seconds_bucket{gpu_id="1"')]
    assert buckets == sorted(buckets) and buckets[-1] == 1


def test_waits_by_process_class_user_group_and_node(daemon, control):
    """Online work waits until the hold is answered; offline work on a free GPU does not."""
    low = Client(daemon, pid=FIRST_PID, prio=2)
    high = Client(daemon, pid=FIRST_PID + 1, prio=12, klass=b"realtime", group=b"a\\b")
    for c in (low, high):
        c.send(queue())
    low.send(edge(BUSY))
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "running")
    assert control.process(FIRST_PID + 1)["wait_p99_ns"] is None
    began = time.monotonic_ns()
    high.send(edge(BUSY))
    hold = low.order()
    waited_least = -time.monotonic_ns()
    time.sleep(0.02)
    waited_least += time.monotonic_ns()
    low.answer(hold)
    control.wait_for(lambda: control.process(FIRST_PID + 1)["state"] == "running")
    waited_most = time.monotonic_ns() - began
    p = control.process(FIRST_PID + 1)
    assert p["nr_waits"] == 1 and p["wait_p50_ns"] == p["wait_p999_ns"] == p["wait_p99_ns"]
    assert waited_least <= p["wait_p99_ns"] <= waited_most * 9 / 8
    assert control.process(FIRST_PID)["nr_waits"] == 1
    assert control.process(FIRST_PID)["wait_p99_ns"] < waited_least
    node = control.call("ListNodes")["nodes"][0]
    # A node counts online work alone.
    assert node["nr_waits"] == 1 and waited_least <= node["wait_p999_ns"] <= waited_most * 9 / 8
    stats = control.call("GetStatistics", gpu_id=1)["nodes"][0]
    classes = {k["class"]: k["wait"] for k in stats["classes"]}
    assert classes["realtime"]["count"] == 1 and classes["realtime"]["p99_ns"] == p["wait_p99_ns"]
    assert stats["wait"]["count"] == 1
    assert sum(b["count"] for b in classes["realtime"]["buckets"]) == 1
    text = control.call("GetMetrics")["text"]
    account = re.search(r'gpreempt_user_wait_seconds_count{uid="(\d+)",account="(\d+)"} 2', text)
    assert account and int(account[1]) == os.getuid()
    for series in ('gpreempt_wait_seconds_count{gpu_id="1"} 1',
                   'gpreempt_class_wait_seconds_count{gpu_id="1",class="realtime"} 1',
                   'gpreempt_group_wait_seconds_count{gpu_id="1",group="a\\\\b",uid="%s",account="%s"} 1'
                   % account.groups()):
        assert series + "\n" in text, series


def test_several_reads_in_one_packet_and_split(daemon, control):
    """Framing: requests may come together, or byte by byte."""
    control.send("GetInfo")
    control.send("ListNodes")
    assert "version" in control.read() and len(control.read()["nodes"]) == 2
    text = b'{"method":"io.gpreempt.GetInfo"}\0'
    for i in range(len(text)):
        control.sock.sendall(text[i:i + 1])
    assert "version" in control.read()


def test_manual_hold_and_resume(daemon, control):
    low, high = pair(daemon)
    control.send("Suspend", {"targets": [{"pid": FIRST_PID}]})
    low.obey(HOLD, holder=MANUAL)
    result = control.read()["results"][0]
    assert result["result"] == "ok" and result["took_ns"] > 0
    process = control.process(FIRST_PID)
    assert (process["held"], process["nr_busy"], process["state"]) == (["manual"], 0, "held")
    assert control.call("ListQueues", pid=FIRST_PID)["queues"][0]["held"] == ["manual"]
    control.send("Resume", {"targets": [{"pid": FIRST_PID}]})
    low.obey(RELEASE, holder=MANUAL)
    assert control.read()["results"][0]["result"] == "ok"
    process = control.process(FIRST_PID)
    assert (process["held"], process["state"]) == ([], "idle")


def test_one_queue_by_hand(daemon, control):
    low, _ = pair(daemon)
    low.send(queue(queue_id=2))
    control.wait_for(lambda: control.process(FIRST_PID)["nr_queues"] == 2)
    target = {"pid": FIRST_PID, "gpu_id": 1, "queue_id": 2}
    control.send("Suspend", {"targets": [target]})
    assert low.obey(HOLD, holder=MANUAL).queue_id == 2
    control.read()
    held = {q["queue_id"]: q["held"] for q in control.call("ListQueues", pid=FIRST_PID)["queues"]}
    assert held == {1: [], 2: ["manual"]}
    control.send("Resume", {"targets": [{"pid": FIRST_PID}]})
    low.obey(RELEASE, holder=MANUAL)
    control.read()


def test_held_by_hand_counts_as_idle(daemon, control):
    low, high = pair(daemon)
    low.send(edge(BUSY))
    high.send(edge(BUSY))
    low.obey(HOLD)
    control.send("Suspend", {"targets": [{"pid": FIRST_PID + 1}]})
    high.obey(HOLD, holder=MANUAL)
    control.read()
    # Nobody urgent is there any more: low comes back.
    low.obey(RELEASE)
    control.send("Resume", {"targets": [{"pid": FIRST_PID + 1}]})
    high.obey(RELEASE, holder=MANUAL)
    control.read()
    low.obey(HOLD)


@pytest.mark.parametrize("keep", [False, True])
def test_manual_hold_and_its_connection(daemon, control, keep):
    low, _ = pair(daemon)
    other = Control(daemon)
    other.send("Suspend", {"targets": [{"pid": FIRST_PID}], "keep": keep})
    low.obey(HOLD, holder=MANUAL)
    other.read()
    other.close()
    if keep:
        low.quiet(0.3)
    else:
        low.obey(RELEASE, holder=MANUAL)


def test_manual_lease(daemon, control):
    low, _ = pair(daemon)
    control.send("Suspend", {"targets": [{"pid": FIRST_PID}], "lease_ms": 100})
    low.obey(HOLD, holder=MANUAL)
    control.read()
    low.obey(RELEASE, holder=MANUAL)


def test_manual_timeout_is_said(daemon, control):
    low, _ = pair(daemon)
    control.send("Suspend", {"targets": [{"pid": FIRST_PID}, {"pid": 4194000}],
                             "timeout_ms": 50})
    assert low.order().kind == HOLD
    results = control.read()["results"]
    assert results[0]["result"] == "busy" and "in time" in results[0]["reason"]
    assert results[1]["result"] == "gone"


def test_manual_timeout_before_all_is_ordered(daemon, control):
    """The time is over between two turns of a long request: the rest is not ordered."""
    low, _ = pair(daemon)
    gone = [{"pid": 4194000}] * 200
    control.send("Suspend", {"targets": gone + [{"pid": FIRST_PID}], "timeout_ms": 0})
    results = control.read()["results"]
    assert len(results) == 201 and results[0]["result"] == "gone"
    assert results[-1]["result"] == "busy" and "in time" in results[-1]["reason"]
    low.quiet(0.2)


def test_dry_run_suspends_nothing(daemon, control):
    low, _ = pair(daemon)
    assert control.call("Suspend", targets=[{"pid": FIRST_PID}],
                        dry_run=True)["results"][0]["result"] == "ok"
    low.quiet(0.2)


def test_suspend_of_one_who_goes(daemon, control):
    low, _ = pair(daemon)
    control.send("Suspend", {"targets": [{"pid": FIRST_PID}]})
    assert low.order().kind == HOLD
    low.close()
    assert control.read()["results"][0]["result"] == "gone"


def test_attributes_wished_by_environment_are_those_of_hello(daemon, control):
    first = Client(daemon, pid=FIRST_PID, klass=b"besteffort", weight=50, slice_ns=5,
                   deadline_ns=6)
    a = control.process(FIRST_PID)["attributes"]
    assert (a["class"], a["priority"], a["weight"]) == ("besteffort", 2, 50)
    assert (a["slice_ns"], a["deadline_ns"], a["group"]) == (5, 6, None)
    second = Client(daemon, pid=FIRST_PID + 1, klass=b"nonsense", prio=PRIO_UNSET)
    p = control.process(FIRST_PID + 1)
    assert p["attributes"]["class"] == "default" and "nonsense" in p["notes"][0]
    first.close()
    second.close()


def deadline_client(daemon, number, deadline_s):
    c = Client(daemon, pid=FIRST_PID + number, deadline_ns=int(deadline_s * 1e9))
    c.send(queue())
    return c


def test_deadline_is_that_of_the_oldest_request(daemon, control):
    control.call("SetPolicy", policy="edf")
    first, second = deadline_client(daemon, 0, 100), deadline_client(daemon, 1, 100.5)
    # A client without one is not asked to tell.
    assert first.flags & WELCOME_PROGRESS
    assert not Client(daemon, pid=FIRST_PID + 2).flags & WELCOME_PROGRESS
    first.send(edge(BUSY))
    control.wait_for(lambda: control.process(FIRST_PID)["state"] == "running")
    second.send(edge(BUSY))
    second.obey(HOLD)
    # Requests that came early change nothing; one that came after the other's deadline began does.
    first.send(progress(time.monotonic_ns() - 10**9))
    second.quiet(0.2)
    time.sleep(0.6)
    first.send(progress())
    first.obey(HOLD)
    second.obey(RELEASE)


def test_progress_of_a_strange_queue_or_of_the_future_is_refused(daemon):
    c = deadline_client(daemon, 0, 100)
    c.send(progress(queue_id=7))
    assert "progress of queue 7" in c.end()
    c = deadline_client(daemon, 0, 100)
    c.send(progress(time.monotonic_ns() + 10**12))
    assert "future" in c.end()
