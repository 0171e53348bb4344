# SPDX-License-Identifier: MIT
"""check on machines that are not this one, and top on a terminal."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import termios
import time

import pytest
from conftest import COMMAND, DAEMON, ROOT
from test_read import ok, refused
from world import World, until

FIXTURE = os.path.join(ROOT, "tests/unit/driver/fixture")
PARAMETERS = "sys/module/kfdsim/parameters/"


def check(world, root):
    result = world.run("check", "--json", env={"GPREEMPT_TEST_ROOT": str(root)})
    return {c["name"]: c for c in json.loads(result.stdout)["checks"]}


@pytest.fixture
def machine(tmp_path):
    shutil.copytree(FIXTURE, tmp_path / "machine")
    return tmp_path / "machine"


def test_check_knows_a_good_machine(world, machine):
    found = check(world, machine)
    for name in ("kernel", "driver", "scheduler", "cwsr", "firmware", "ptrace", "daemon", "clients"):
        assert found[name]["result"] == "ok", found[name]
    assert "gfx942" in found["gpu:63766"]["text"]


@pytest.mark.parametrize("path,value,name,result", [
    (PARAMETERS + "cwsr_enable", "0", "cwsr", "fail"),
    (PARAMETERS + "sched_policy", "2", "scheduler", "warn"),
    ("proc/sys/kernel/yama/ptrace_scope", "1", "ptrace", "warn"),
    ("proc/sys/kernel/yama/ptrace_scope", "3", "ptrace", "warn"),
])
def test_check_notices(world, machine, path, value, name, result):
    (machine / path).write_text(value + "\n")
    found = check(world, machine)[name]
    assert found["result"] == result and found["remedy"], found


def test_check_without_any_gpu_in_the_topology(world, machine):
    shutil.rmtree(machine / "sys/class/kfd/kfd/topology/nodes/1")
    found = check(world, machine)
    assert found["gpu"]["result"] == "fail" and "cwsr" not in found


@pytest.mark.parametrize("how,result", [(signal.SIGTERM, "ok"), (signal.SIGKILL, "warn")])
def test_check_tells_a_clean_stop_from_a_crash(world, machine, how, result):
    world.daemon.send_signal(how)
    world.daemon.wait(20)
    world.start_daemon()
    assert check(world, machine)["daemon"]["result"] == result


def test_attach_refuses_with_a_reason(crowd):
    refused(crowd.run("attach", "4194303"), 4, "4194303")
    result = crowd.run("attach", str(crowd.offline.pid))
    assert result.returncode != 0 and result.stderr.count("\n") == 1, result
    result = crowd.run("detach", str(os.getpid()))
    assert result.returncode == 4 and result.stderr.count("\n") == 1, result


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, world, *args, width=160):
        try:
            self.pid, self.fd = pty.fork()
        except OSError as e:
            pytest.skip(f"no pseudo-terminals here: {e}")
        if not self.pid:
            os.environ.update(world.environment(), TERM="xterm-256color")
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
            os.execv(COMMAND, [COMMAND, *args])
        self.text = ""

    def read_until(self, word, seconds=20):
        end = time.monotonic() + seconds
        while word not in self.text:
            left = end - time.monotonic()
            assert left > 0, (word, self.text[-2000:])
            if select.select([self.fd], [], [], left)[0]:
                data = os.read(self.fd, 65536).decode("utf-8", "replace")
                self.text += re.sub(r"\033[\[(][0-9;?]*[A-Za-z]", "", data)

    def type(self, keys):
        self.text = ""
        os.write(self.fd, keys.encode())

    def see(self, word):
        """What the screen has by now: curses sends what differs, so another screen comes between."""
        self.type("?")
        self.read_until("goes back")
        self.type("x")
        self.read_until(word)

    def end(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_top_shows_selects_and_changes(crowd):
    t = Terminal(crowd, "top", "-w", "0.2", "--sort", "prio")
    try:
        t.read_until("offline")
        t.type("-")
        t.read_until(f"priority of {crowd.offline.pid} (offline) 2 -> 1? y/n")
        t.type("n")
        t.type("s")
        t.read_until("y/n")
        t.type("y")
        t.read_until("suspended")
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0
    assert "manual" in ok(crowd.run("list", "--filter", "comm=offline"))
    row = json.loads(ok(crowd.run("show", str(crowd.offline.pid), "--json")))
    assert row["process"]["attributes"]["priority"] == 2


def test_top_asks_of_one_and_touches_no_other(crowd):
    t = Terminal(crowd, "top", "-w", "0.2", "--sort", "prio")
    try:
        t.read_until("offline")
        t.type("s")
        t.read_until(f"suspend {crowd.offline.pid} (offline) for a minute? y/n")
        crowd.offline.close()
        until(lambda: crowd.run("show", str(crowd.offline.pid)).returncode == 4)
        # And another one is selected.
        time.sleep(1)
        t.type("y")
        t.read_until(f"{crowd.offline.pid} is gone")
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0
    assert "manual" not in ok(crowd.run("list"))


def test_top_says_that_an_answer_cancels_and_forgets_a_filter(crowd):
    t = Terminal(crowd, "top", "-w", "0.2")
    try:
        t.read_until("offline")
        t.type("s")
        t.read_until("y/n")
        t.type("x")
        t.read_until("cancelled")
        t.type("/nothing\n")
        t.read_until("no process matches")
        t.type("\033")
        t.read_until("offline")
        t.type("h")
        t.read_until("goes back")
        t.type("xq")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


def test_top_waits_for_a_daemon_that_comes_back(crowd):
    t = Terminal(crowd, "top", "-w", "0.2")
    try:
        t.read_until("offline")
        t.type("s")
        t.read_until("y/n")
        crowd.stop_daemon()
        t.text = ""
        t.read_until("waiting for it, q ends", 40)
        crowd.start_daemon()
        t.text = ""
        late = crowd.client(comm="latecomer")
        t.read_until("latecomer", 40)
        assert late.pid
        # A question that was open then is not: this key is no answer to it.
        t.see("latecomer")
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


@pytest.mark.parametrize("width,there,gone", [(40, "OFF%", "PRIO"), (80, "WAIT_P99", "CLASS"), (140, "CLASS", None)])
def test_top_fits_the_width(crowd, width, there, gone):
    t = Terminal(crowd, "top", "-w", "0.2", width=width)
    try:
        t.read_until("offline")
        t.see("o order: prio")
        assert there in t.text and (not gone or gone not in t.text)
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


@pytest.mark.parametrize("words,there,gone", [
    (["list"], "WAIT_P99", "SEES"), (["list", "devices"], "BREAKER", "ENTITIES"), (["stats"], "WAIT_P99", "EVENTS"),
    ([], "HEALTH", "NAME"), (["policy"], "max_wait_ns", None),
    (["list", "--fields", "pid,comm,sees,mechanism,client,group,held,nr_queues,notes"], "SEES", None)])
def test_tables_fit_80_columns(crowd, words, there, gone):
    t = Terminal(crowd, *words, "--color=never", width=80)
    try:
        while True:
            t.text += os.read(t.fd, 65536).decode()
    except OSError:
        pass
    assert t.end() == 0
    assert there in t.text and (not gone or gone not in t.text)
    if gone:
        assert max(map(len, t.text.split("\r\n"))) <= 80, t.text
    # A program gets all of them.
    assert not gone or gone in ok(crowd.run(*words))


def test_top_says_that_a_terminal_is_too_small(crowd):
    t = Terminal(crowd, "top", "-w", "0.2", width=20)
    try:
        t.read_until("20x30 is too small")
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


def test_top_shows_one_process_and_its_history(crowd):
    t = Terminal(crowd, "top", "-w", "0.1", "--sort", "-busy")
    try:
        t.read_until("runs,")
        t.type("\n")
        t.read_until("Esc back")
        for word in ("WEIGHT", "WAIT_P99.9", "100%", "|"):
            assert word in t.text, word
        t.type("\033")
        t.see("o order: busy")
        assert "runs," in t.text
        t.type("c")
        t.see("o order: busy")
        assert "runs," not in t.text
        t.type("q")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


def test_top_sorts_by_the_next_column_and_shows_one_gpu(crowd):
    t = Terminal(crowd, "top", "-w", "0.2", "--sort", "pid")
    try:
        t.read_until("o order: pid")
        t.type(">")
        t.see("o order: command")
        t.type("<<")
        t.see("o order: wait")
        # GPU 1 is that of the process "other" alone.
        t.type("gg")
        t.see("GPU 1")
        t.type("s")
        t.read_until("(other) for a minute? y/n")
        t.type("nq")
    finally:
        os.kill(t.pid, signal.SIGTERM)
    assert t.end() == 0


def test_top_shows_one_gpu_of_many():
    """More GPUs than fit the cell of a process."""
    world = World(COMMAND, DAEMON, nodes=12)
    t = None
    try:
        world.client(comm="wide", gpu_id=",".join(map(str, range(1, 13))))
        t = Terminal(world, "top", "-w", "0.2")
        t.read_until("wide")
        t.type("g" * 12)
        t.see("GPU 11")
        t.type("s")
        t.read_until("(wide) for a minute? y/n")
        t.type("nq")
    finally:
        if t:
            os.kill(t.pid, signal.SIGTERM)
        world.close()
    assert t.end() == 0


def rows_of_top(world):
    """{command: {header: cell}}"""
    lines = ok(world.run("top", "--once", "--watch=0.5")).splitlines()
    head = next(line for line in lines if "OFF%" in line).split()
    return {line.split()[1]: dict(zip(head, line.split())) for line in lines if line.strip()[:1].isdigit()}


def test_top_marks_a_process_at_its_bound(crowd):
    ok(crowd.run("policy", "set", "prio", "max_wait_ns=1h"))
    crowd.online.say("busy", 0)
    until(lambda: rows_of_top(crowd)["offline"]["STATE"] == "preempted")
    assert rows_of_top(crowd)["offline"]["STATE"] == "preempted"
    ok(crowd.run("policy", "set", "prio", "max_wait_ns=100ms", "min_slice_ns=1ms"))
    until(lambda: rows_of_top(crowd)["offline"]["STATE"].endswith("!"))
    assert "!" not in rows_of_top(crowd)["online"]["STATE"]
