# SPDX-License-Identifier: MIT
"""Totals of groups: what a job had, asked for when its processes are gone."""
import json
import os
import time

import pytest
from rig import BUSY, HOLD, IDLE, RELEASE, Client, Control, edge, queue
from test_bad_input import NOBODY, as_user, needs_root

KEPT_NS = 600 * 10**9
KEYS = {"group", "uid", "account", "ended_ns", "run_ns", "off_ns", "off_max_ns", "nr_preempted",
        "nr_waits", "wait_ns", "wait_p50_ns", "wait_p99_ns", "wait_p999_ns"}


def totals(control, **of):
    return control.call("ListTotals", **of)["totals"]


def one(control, group="job"):
    found = totals(control, group=group)
    assert [t["group"] for t in found] == [group]
    return found[0]


def start(daemon, group="job", prio=3, **wishes):
    c = Client(daemon, prio=prio, group=group.encode(), **wishes)
    c.send(queue())
    c.send(edge(BUSY))
    return c


def preempt(daemon, victim, seconds=0.02):
    """Off the GPU for so long at least."""
    urgent = Client(daemon, prio=9)
    urgent.send(queue())
    urgent.send(edge(BUSY))
    victim.obey(HOLD)
    c = Control(daemon)
    c.wait_for(lambda: [p for p in c.call("ListProcesses")["processes"] if p["state"] == "preempted"])
    c.close()
    time.sleep(seconds)
    urgent.send(edge(IDLE))
    victim.obey(RELEASE)
    urgent.close()


def gone(control, group="job"):
    return control.wait_for(lambda: one(control, group)["ended_ns"] is not None) and \
        one(control, group)


def test_totals_outlive_the_processes(daemon, control):
    assert totals(control) == []
    victim = start(daemon)
    preempt(daemon, victim)
    row = control.wait_for(lambda: [p for p in control.call("ListProcesses")["processes"]
                                    if p["state"] == "running" and p["nr_preempted"]])[0]
    live = one(control)
    assert set(live) == KEYS and live["ended_ns"] is None
    assert live["uid"] == live["account"] == os.geteuid()
    victim.close()
    t = gone(control)
    assert t["nr_preempted"] == 1 and t["nr_waits"] == 1
    assert t["off_ns"] >= t["off_max_ns"] >= 19 * 10**6
    assert t["run_ns"] >= live["run_ns"] >= row["run_ns"] > 0
    assert (t["off_ns"], t["off_max_ns"]) == (row["off_ns"], row["off_max_ns"])
    assert one(control)["run_ns"] == t["run_ns"]


def test_time_is_counted_once(daemon, control):
    """Also that between the last event of the node and the question."""
    begin = time.monotonic_ns()
    c = start(daemon)
    control.wait_for(lambda: totals(control, group="job"))
    # Events of others on the node, while it runs on.
    for i in range(10):
        other = start(daemon, group=f"g{i}", prio=3)
        other.send(edge(IDLE))
        time.sleep(0.005)
    rows = control.call("ListProcesses")["processes"]
    run_ns = max(one(control)["run_ns"], *(p["run_ns"] for p in rows))
    assert run_ns <= time.monotonic_ns() - begin
    c.close()


def test_processes_one_after_another_add_up(daemon, control):
    for times in (1, 2):
        c = start(daemon)
        preempt(daemon, c)
        c.close()
        t = gone(control)
        assert t["nr_preempted"] == times and t["off_ns"] >= times * 19 * 10**6
        assert t["off_max_ns"] < t["off_ns"] or times == 1


def test_processes_without_a_group_are_not_counted(daemon, control):
    c = start(daemon, group="")
    control.wait_for(lambda: control.call("ListProcesses")["processes"])
    c.close()
    assert totals(control) == []


def test_another_group_begins_anew(daemon, control):
    c = start(daemon, group="first")
    preempt(daemon, c)
    pid = control.call("ListProcesses")["processes"][0]["pid"]
    control.call("SetAttributes", pid=pid, attributes={"group": "second"})
    first, second = gone(control, "first"), one(control, "second")
    assert (first["nr_preempted"], second["nr_preempted"]) == (1, 0)
    assert first["off_ns"] >= 19 * 10**6 and second["off_ns"] == second["off_max_ns"] == 0
    preempt(daemon, c, seconds=0.001)
    control.call("SetAttributes", pid=pid, attributes={"group": ""})
    assert gone(control, "second")["nr_preempted"] == 1
    assert one(control, "first")["nr_preempted"] == 1
    # The longest of the second time is its own.
    assert one(control, "second")["off_ns"] < 10 * first["off_ns"]


def metrics(control, name):
    """By group."""
    lines = [l for l in control.call("GetMetrics")["text"].splitlines()
             if l.startswith(f"gpreempt_group_{name}{{")]
    return {l.split('group="')[1].split('"')[0]: float(l.split()[-1]) for l in lines}


def test_metrics_have_them(daemon, control):
    c = start(daemon)
    preempt(daemon, c)
    c.close()
    t = gone(control)
    assert metrics(control, "preemptions_total") == {"job": 1}
    for name, key in (("run_seconds_total", "run_ns"), ("off_seconds_total", "off_ns"),
                      ("off_max_seconds", "off_max_ns"), ("waited_seconds_total", "wait_ns")):
        assert metrics(control, name)["job"] == pytest.approx(t[key] / 1e9, abs=1e-9)


@needs_root
def test_users_see_their_own_and_have_a_bound(daemon, control):
    root = start(daemon, group="of-root")
    root.close()
    gone(control, "of-root")

    def user():
        c = Control(daemon)
        stays = start(daemon, group="stays")
        for i in range(300):
            one_more = Client(daemon, prio=3, group=b"g%d" % i)
            one_more.send(queue())
            c.wait_for(lambda i=i: totals(c, group=f"g{i}"))
            one_more.close()
        found = totals(c)
        names = {t["group"] for t in found}
        assert {t["account"] for t in found} == {NOBODY}
        assert len(found) == 256 and "stays" in names and "g299" in names and "g0" not in names
        stays.close()

    as_user(user)
    assert one(control, "of-root")["account"] == 0
    assert len(totals(control)) == 257
    assert len(metrics(control, "run_seconds_total")) == 65


def test_the_next_daemon_has_them(daemon, control):
    live, over = start(daemon), start(daemon, group="over")
    over.close()
    before = gone(control, "over")
    daemon.stop()
    daemon.start()
    c = Control(daemon)
    assert {k: v for k, v in one(c, "over").items() if k != "ended_ns"} == \
        {k: v for k, v in before.items() if k != "ended_ns"}
    kept = one(c)
    assert kept["run_ns"] > 0 and kept["ended_ns"] is not None
    again = start(daemon)
    c.wait_for(lambda: one(c)["run_ns"] > kept["run_ns"])
    again.close()


def test_they_are_kept_for_ten_minutes(daemon, control):
    if time.monotonic_ns() < KEPT_NS:
        pytest.skip("this machine was started less than ten minutes ago")
    for group in ("old", "new"):
        start(daemon, group=group).close()
        gone(control, group)
    daemon.stop()
    path = os.path.join(daemon.folder, "state.json")
    with open(path, encoding="utf-8") as f:
        state = json.load(f)
    for t in state["totals"]:
        if t["group"] == "old":
            t["ended_ns"] = time.monotonic_ns() - KEPT_NS + 2 * 10**9
    with open(path, "w", encoding="utf-8") as f:
        json.dump(state, f)
    daemon.start()
    c = Control(daemon)
    if time.monotonic_ns() < next(t["ended_ns"] for t in state["totals"]
                                  if t["group"] == "old") + KEPT_NS - 10**9:
        assert one(c, "old")
    c.wait_for(lambda: not totals(c, group="old"))
    assert one(c, "new")


@pytest.mark.parametrize("entry", [
    {}, {"group": ""}, {"group": "x" * 40}, {"group": 7}, "text", None,
    {"group": "bad", "account": "x", "waits": [1]}])
def test_a_state_file_that_makes_no_sense(daemon, entry):
    daemon.stop()
    path = os.path.join(daemon.folder, "state.json")
    with open(path, encoding="utf-8") as f:
        state = json.load(f)
    state["totals"] = [entry]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(state, f)
    daemon.start()
    assert len(totals(Control(daemon))) <= 1
