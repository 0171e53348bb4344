# SPDX-License-Identifier: MIT
"""Verbs that change something, and run."""
import json
import os
import signal
import subprocess

import pytest
from conftest import COMMAND
from test_read import ok, refused
from world import hidden, until

ALL = "4294967295"
MANUAL = "1"


def test_set_prints_what_changes(crowd):
    pid = str(crowd.offline.pid)
    out = ok(crowd.run("set", pid, "prio=5", "slice=3ms", "--dry-run"))
    assert f"would change {pid}: priority 2 -> 5" in out and "slice_ns" in out
    assert f"{pid}: priority 2 -> 5" in ok(crowd.run("set", "--pid", pid, "prio=5"))
    assert "nothing changes" in ok(crowd.run("set", pid, "prio=5"))
    assert ok(crowd.run("set", pid, "group=g", "critical=yes", "-q")) == ""
    row = json.loads(ok(crowd.run("show", pid, "--json")))["process"]["attributes"]
    assert row["priority"] == 5 and row["group"] == "g" and row["latency_critical"] is True
    refused(crowd.run("set", "4194303", "prio=1"), 4, "4194303")
    refused(crowd.run("set", pid, "prio=16"), 2)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be somebody else")
def test_others_may_not(crowd):
    if hidden(COMMAND):
        pytest.skip(hidden(COMMAND))
    os.chmod(crowd.dir, 0o755)
    pid = str(crowd.offline.pid)
    os.chmod(crowd.path, 0o666)
    refused(crowd.run("set", pid, "prio=1", user=65534), 5, pid)
    row = json.loads(ok(crowd.run("show", pid, "--json")))["process"]["attributes"]
    assert row["priority"] == 2


def priorities(world):
    rows = json.loads(ok(world.run("list", "procs", "--json")))["procs"]
    return {r["pid"]: r["attributes"]["priority"] for r in rows}


def test_set_by_queue_and_by_job(world):
    members = [world.client(comm=f"rank{i}", group="train", prio=4) for i in range(2)]
    alone = world.client(comm="alone", prio=4)
    # What is said of one member of a group may hold for the others.
    assert "priority 4 -> 3" in ok(world.run("set", "--job", "train", "prio=3"))
    assert priorities(world) == {members[0].pid: 3, members[1].pid: 3, alone.pid: 4}
    ok(world.run("set", "--queue", f"{alone.pid}/1/0", "prio=2"))
    assert priorities(world)[alone.pid] == 2
    refused(world.run("set", "--job", "nope", "prio=3"), 4, "nope")
    refused(world.run("set", "--queue", f"{alone.pid}/1/7", "prio=3"), 4)
    refused(world.run("set", "--queue", str(alone.pid), "prio=3"), 2)
    refused(world.run("set", "--queue", f"{alone.pid}/1/0", "--job", "train", "prio=3"), 2)
    refused(world.run("set", "--job", "train"), 2)
    assert priorities(world)[alone.pid] == 2


def test_suspend_holds_until_resume(crowd):
    pid = str(crowd.other.pid)
    assert "would be" in ok(crowd.run("suspend", pid, "--dry-run"))
    assert crowd.other.read(0.3) is None
    assert "suspended" in ok(crowd.run("suspend", pid))
    assert crowd.other.read() == f"hold {ALL} {MANUAL}"
    assert "manual" in ok(crowd.run("list", "--filter", f"pid={pid}"))
    assert "resumed" in ok(crowd.run("resume", pid))
    assert crowd.other.read() == f"release {ALL} {MANUAL}"
    result = crowd.run("suspend", "4194303")
    assert result.returncode == 4 and result.stderr.count("\n") == 1


def test_suspend_ends_with_its_lease(crowd):
    ok(crowd.run("suspend", f"{crowd.other.pid}/2/0", "--lease", "200ms"))
    assert crowd.other.read() == f"hold 0 {MANUAL}"
    assert crowd.other.read() == f"release 0 {MANUAL}"


def test_suspend_with_wait_ends_with_the_command(crowd):
    p = crowd.start("suspend", str(crowd.other.pid), "--wait")
    assert crowd.other.read() == f"hold {ALL} {MANUAL}"
    assert crowd.other.read(0.3) is None
    p.send_signal(signal.SIGKILL)
    p.communicate()
    assert crowd.other.read() == f"release {ALL} {MANUAL}"


def test_suspend_with_wait_says_so_before_it_waits(crowd):
    p = crowd.start("suspend", str(crowd.other.pid), "--wait", "--json")
    lines = list(iter(p.stdout.readline, "}\n"))
    assert crowd.other.read() == f"hold {ALL} {MANUAL}"
    # Not released yet.
    assert crowd.other.read(0.3) is None
    assert json.loads("".join(lines) + "}")["results"][0]["result"] == "ok"
    p.terminate()
    p.communicate()


def test_suspend_of_one_that_does_not_answer(crowd):
    crowd.other.say("mute")
    assert crowd.other.read() == "mute"
    refused(crowd.run("suspend", str(crowd.other.pid), "--timeout", "300ms"), 7, "in time")


def test_suspend_waits_as_long_as_it_was_told(crowd):
    crowd.other.say("late 6")
    assert crowd.other.read() == "late"
    assert "suspended" in ok(crowd.run("suspend", str(crowd.other.pid), "--timeout", "30s"))


def test_policy_is_changed_and_refused(crowd):
    before = ok(crowd.run("policy"))
    assert before.startswith("policy prio, scheduling on")
    assert "would change" in ok(crowd.run("policy", "set", "fair", "--dry-run"))
    assert ok(crowd.run("policy")) == before
    out = ok(crowd.run("policy", "set", "fair", "fair.width=2", "min_run_ns=2ms"))
    assert "prio -> fair" in out and "fair.width 1 -> 2" in out
    assert json.loads(ok(crowd.run("policy", "--json")))["policy"] == "fair"
    refused(crowd.run("policy", "set", "nope"), 4, "there are prio, fair")
    refused(crowd.run("policy", "set", "farr"), 4, "did you mean fair?")
    refused(crowd.run("policy", "set", "fair", "min_run=5us"), 2, "did you mean min_run_ns?")
    refused(crowd.run("policy", "set", "fair", "min_run_ns=soon"), 2, "a time such as 20ms")
    refused(crowd.run("set", str(crowd.other.pid), "class=realtme"), 4, "did you mean realtime?; there are")
    shown = ok(crowd.run("policy"))
    assert "2ms *" in shown and "fair.width" in shown and "mlfq" not in shown, shown
    assert "mlfq.width" in ok(crowd.run("policy", "-v"))
    refused(crowd.run("policy", "set", "fair.width=900"), 2, "900 is not in 1..8")
    refused(crowd.run("policy", "set", "x.y=900"), 4)
    refused(crowd.run("policy", "set", "min_run_ns=2ms", "x" * 64 + "=1"), 2, "no such parameter")
    policies = dict(line.split(None, 1) for line in ok(crowd.run("policy", "list")).splitlines())
    assert "deadline" in policies["edf"]
    assert list(policies) == json.loads(ok(crowd.run("policy", "list", "--json")))["policies"]
    ok(crowd.run("policy", "off"))
    assert "off" in ok(crowd.run())
    ok(crowd.run("policy", "on", "--device", "gpu:1"))
    rows = json.loads(ok(crowd.run("list", "devices", "--json")))["devices"]
    assert [d["enabled"] for d in rows] == [True, False]


def test_config_is_shown_checked_and_read_again(world, tmp_path):
    rows = json.loads(ok(world.run("config", "--json")))["settings"]
    origin = {(r["section"], r["key"]): r["origin"] for r in rows}
    assert "command line" in origin.values() and "default" in origin.values()
    assert "nothing changes" in ok(world.run("config", "reload"))
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("[daemon]\n")
    bad.write_text("[daemon]\nlease = 5 bananas\n")
    assert world.run("config", "check", str(good)).returncode == 0
    assert world.run("config", "check", str(bad)).returncode != 0


def run(*args, **env):
    return subprocess.run([COMMAND, "run", *args], text=True, capture_output=True, check=False,
                          timeout=20, env={**os.environ, **env})


def test_run_gives_attributes_to_the_program(tmp_path):
    shim = tmp_path / "shim.so"
    shim.write_bytes(b"")
    result = run("--shim", str(shim), "-p", "3", "-c", "besteffort", "-s", "5ms", "-d", "20ms",
                 "--weight", "9", "-g", "team", "--latency-critical", "--socket", "/x/y", "--",
                 "/usr/bin/env", LD_PRELOAD="")
    values = dict(line.partition("=")[::2] for line in result.stdout.splitlines())
    assert values["GPREEMPT_PRIORITY"] == "3" and values["GPREEMPT_CLASS"] == "besteffort"
    assert values["GPREEMPT_SLICE_NS"] == "5000000"
    assert values["GPREEMPT_DEADLINE_NS"] == "20000000"
    assert values["GPREEMPT_WEIGHT"] == "9" and values["GPREEMPT_GROUP"] == "team"
    assert values["GPREEMPT_LATENCY_CRITICAL"] == "1" and values["GPREEMPT_SOCKET"] == "/x/y"
    assert values["LD_PRELOAD"] == str(shim)


def test_run_ends_as_the_program_does(tmp_path, monkeypatch):
    # The loader leaves out what is no library; a sanitizer's shim would need its program.
    (tmp_path / "shim").write_bytes(b"")
    monkeypatch.setenv("GPREEMPT_SHIM", str(tmp_path / "shim"))
    assert run("--", "sh", "-c", "exit 9").returncode == 9
    assert run("sh", "-c", "kill -9 $$").returncode == -9
    assert run("--", "/nonexistent/none").returncode == 127
    assert run("--", "/etc/passwd").returncode == 126
    assert run().returncode == 125
    assert run("-p", "16", "true").returncode == 125
    assert run("--weight", "10001", "true").returncode == 125
    assert run("--shim", "/nonexistent/none", "true").returncode == 125
    assert run("true", GPREEMPT_SHIM="/nonexistent/none").returncode == 125
    # options of the program are its own
    assert run("printf", "%s", "--help").stdout == "--help"


def test_run_says_once_that_there_is_no_daemon(world, tmp_path):
    (tmp_path / "shim").write_bytes(b"")
    command = ("--", "sh", "-c", "echo out; echo err >&2")

    def said(*options, socket=world.path):
        result = run(*options, *command, GPREEMPT_SHIM=str(tmp_path / "shim"), LD_PRELOAD="",
                     GPREEMPT_SOCKET=socket)
        assert result.returncode == 0 and result.stdout == "out\n", result
        # The loader complains of what is no library; a real shim is one.
        return [line for line in result.stderr.splitlines() if "ld.so" not in line]

    line = "gpreempt: run: the daemon does not run; the program starts all the same"
    assert said() == ["err"]
    assert said(socket="/nonexistent/s") == [line, "err"]
    assert said("-q", socket="/nonexistent/s") == ["err"]


def test_what_a_killed_daemon_leaves(crowd):
    ok(crowd.run("suspend", str(crowd.other.pid)))
    crowd.daemon.kill()
    crowd.daemon.wait()
    refused(crowd.run("stats"), 3)
    until(lambda: crowd.other.process.poll() is not None)
