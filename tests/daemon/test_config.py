# SPDX-License-Identifier: MIT
"""Configuration, reload, and what survives a restart."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

import rig
from rig import (BUSY, ERROR, FIRST_PID, HOLD, IDLE, RELEASE, WAIT, Client, Control, Daemon,
                 Refused, edge, queue)


def settings(control):
    return {(s["section"], s["key"]): (s["value"], s["origin"])
            for s in control.call("GetConfig")["settings"]}


def check(folder, text, *drop_ins):
    """Exit code and stderr of --check."""
    path = os.path.join(folder, "x.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.makedirs(path + ".d", exist_ok=True)
    for i, more in enumerate(drop_ins):
        with open(f"{path}.d/{i}.conf", "w", encoding="utf-8") as f:
            f.write(more)
    r = subprocess.run([rig.DAEMON, "--check", "--config", path, "--socket", "/nonexistent/s"],
                       capture_output=True, text=True, timeout=WAIT, check=False)
    return r.returncode, r.stderr


GOOD = "[daemon]\nlease_ms = 500\n[policy]\nname = fair\nmin_run_ns = 5\n[class x]\npriority = 3\n"


def test_good_configuration(tmp_path):
    assert check(str(tmp_path), GOOD) == (0, "")


@pytest.mark.parametrize("text,where,what", [
    ("[daemon]\nlease_ms = 1\n", ":2:", "lease_ms = 1"),
    ("[daemon]\nlease_ms = x\n", ":2:", "not a number"),
    ("[daemon]\nlease_ms = -5\n", ":2:", "not a number"),
    ("[daemon]\n\nlease = 5\n", ":3:", "no such key"),
    ("[demon]\nlease_ms = 500\n", ":2:", "no such section"),
    ("[policy]\nname = best\n", ":2:", "no such policy"),
    ("[policy]\nmin_run = 5\n", ":2:", "no such parameter"),
    ("[policy]\nmin_run_ns = 99999999999999\n", ":2:", "out of range"),
    ("[class a b]\npriority = 5\n", ":2:", "not a name"),
    ("[class a]\npriority = 16\n", ":2:", "out of range"),
    ("[class a]\nopen = maybe\n", ":2:", "neither yes nor no"),
    ("[daemon]\ngroup = nosuchgroupatall\n", "", "no such group"),
    ("[daemon]\nsocket = here\n", ":2:", "absolute"),
    ("[daemon]\nthis is not a setting\n", ":2:", "not a section"),
    ("[daemon]\ntracer = /" + "x" * 300 + "\n", ":2:", "too long"),
    ("[daemon]\ndbg = maybe\n", ":2:", "off, manual, auto"),
    ("[daemon]\nmechanism = both\n", ":2:", "auto, user, kernel"),
    ("[daemon]\nedge_rate = 60000\n", "", "limits"),
])
def test_bad_configuration_is_refused_with_file_and_line(tmp_path, text, where, what):
    code, error = check(str(tmp_path), text)
    assert code == 1 and what in error and "x.conf" + where in error if where else what in error
    assert len(error.splitlines()) == (3 if where else 1)


BAD = """[daemon]
lease_ms = 5
htp_port = 9
  what is this
[policy]
max_wait_ns = 2x
min_run = 5us
[clas realtime]
priority = 99
"""


def test_all_that_is_wrong_is_said_with_line_and_place(tmp_path):
    code, error = check(str(tmp_path), BAD, "[daemon]\nlease_ms = 0\n", "[daemon\n")
    lines = [line.removeprefix("gpreemptd: ") for line in error.splitlines()]
    assert code == 1 and len(lines) == 3 * 8
    wanted = [("x.conf:2:1:", "lease_ms = 5: out of range"), ("x.conf:3:1:", "did you mean http_port?"),
              ("x.conf:4:3:", "not a section"), ("x.conf:6:1:", "2x: not a number"),
              ("x.conf:7:1:", "did you mean min_run_ns?"), ("x.conf:9:1:", "did you mean class?"),
              ("0.conf:2:1:", "out of range"), ("1.conf:1:1:", "not a section")]
    for (where, what), message, source, mark in zip(wanted, lines[::3], lines[1::3], lines[2::3], strict=True):
        assert where in message and what in message, message
        assert source[mark.index("^")] not in " " and mark.strip() == "^"


def test_a_file_that_is_wrong_from_end_to_end_is_not_said_as_a_whole(tmp_path):
    code, error = check(str(tmp_path), "[daemon]\n" + "lease_ms = 5\n" * 2000 + "x" * 5000 + "\n")
    assert code == 1 and len(error.splitlines()) == 3 * 10


def test_drop_ins_come_after_and_in_order(tmp_path):
    code, error = check(str(tmp_path), GOOD, "", "[daemon]\nlease_ms = 0\n")
    assert code == 1 and "x.conf.d/1.conf:2:" in error


def test_missing_file_is_an_error_if_it_was_named():
    r = subprocess.run([rig.DAEMON, "--check", "--config", "/nonexistent.conf"],
                       capture_output=True, text=True, timeout=WAIT, check=False)
    assert r.returncode == 1 and "No such file" in r.stderr


def test_origins(tmp_path):
    with Daemon(config=GOOD) as d:
        s = settings(Control(d))
        assert s["daemon", "lease_ms"] == ("500", d.config + ":2")
        assert s["daemon", "dbg"] == ("manual", "default")
        assert s["daemon", "mechanism"] == ("auto", "default")
        assert s["daemon", "socket"] == (d.path, "command line")
        c = Control(d)
        p = c.call("GetPolicy")
        assert p["policy"] == "fair"
        assert {x["name"]: x["value"] for x in p["parameters"]}["min_run_ns"] == 5
        client = Client(d, pid=FIRST_PID, klass=b"x")
        assert client.lease_ns == 500_000_000
        assert c.process(FIRST_PID)["attributes"]["priority"] == 3


def test_reload_applies_and_refuses_as_a_whole():
    with Daemon(config=GOOD) as d:
        c = Control(d)
        d.configure("[daemon]\nlease_ms = 700\n[policy]\nname = edf\nmin_run_ns = x\n")
        with pytest.raises(Refused) as e:
            c.call("Reload")
        assert "gpreemptd.conf:5" in e.value.parameters["reason"]
        assert settings(c)["daemon", "lease_ms"][0] == "500"
        assert c.call("GetPolicy")["policy"] == "fair"
        d.configure("[daemon]\nlease_ms = 700\n[policy]\nname = edf\n")
        changed = c.call("Reload")["changed"]
        assert any("lease_ms: 500 -> 700" in x for x in changed)
        p = c.call("GetPolicy")
        assert p["policy"] == "edf"
        assert {x["name"]: x["value"] for x in p["parameters"]}["min_run_ns"] == 100_000
        d.configure("[policy]\nname = slice\n")
        d.signal(signal.SIGHUP)
        c.wait_for(lambda: c.call("GetPolicy")["policy"] == "slice")
        assert Client(d).lease_ns == 1_000_000_000


def test_reload_cannot_move_the_socket():
    with Daemon(config=GOOD) as d:
        c = Control(d)
        d.configure("[daemon]\nstate_dir = /nowhere\n")
        with pytest.raises(Refused):
            c.call("Reload")


def http(port, path="/metrics", method="GET"):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=WAIT) as r:
        return r.status, r.read().decode()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_metrics_over_http_and_off_by_default():
    port = free_port()
    with Daemon(config=f"[daemon]\nhttp_port = {port}\n") as d:
        status, text = http(port)
        assert status == 200 and "gpreempt_build_info" in text
        for path, method in (("/", "GET"), ("/metrics", "POST")):
            with pytest.raises(urllib.error.HTTPError):
                http(port, path, method)
        d.configure("")
        Control(d).call("Reload")
        with pytest.raises(urllib.error.URLError):
            http(port)


def test_health_over_http():
    port = free_port()
    with Daemon(config=f"[daemon]\nhttp_port = {port}\n") as d:
        assert http(port, "/healthz") == (200, "ok\n")
        assert http(port, "/healthz", "HEAD") == (200, "")
        # A GPU that no switch comes back from is given up.
        c = Control(d)
        c.call("SetPolicy", gpu_id=2, parameters={"breaker_errors": 1})
        low, high = (Client(d, pid=FIRST_PID + i, prio=p) for i, p in enumerate((2, 12)))
        for client in (low, high):
            client.send(queue(gpu_id=2))
            client.send(edge(BUSY, gpu_id=2))
            c.wait_for(lambda: c.process(FIRST_PID)["state"] != "idle")
        low.obey(HOLD, result=ERROR)
        with pytest.raises(urllib.error.HTTPError) as e:
            c.wait_for(lambda: http(port, "/healthz")[0] != 200)
        assert e.value.code == 503 and e.value.read().startswith(b"gpu:2: ")


@pytest.mark.parametrize("address", ["0.0.0.0", "::1"])
def test_metrics_at_another_address(address):
    port = free_port()
    with Daemon(config=f"[daemon]\nhttp_port = {port}\nhttp_address = {address}\n") as d:
        host = "[::1]" if ":" in address else "127.0.0.1"
        with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=WAIT) as r:
            assert r.status == 200
        d.configure(f"[daemon]\nhttp_port = {port}\n")
        with pytest.raises(Refused) as e:
            Control(d).call("Reload")
        assert "with the port" in str(e.value.parameters)
        d.configure("[daemon]\nhttp_address = here\n")
        with pytest.raises(Refused) as e:
            Control(d).call("Reload")
        assert "not an IP address" in str(e.value.parameters)


def test_port_in_use_refuses_the_reload():
    with socket.socket() as s, Daemon() as d:
        s.bind(("127.0.0.1", 0))
        s.listen()
        d.configure(f"[daemon]\nhttp_port = {s.getsockname()[1]}\n")
        with pytest.raises(Refused):
            Control(d).call("Reload")
        Control(d).call("GetInfo")


def restart(d, number=signal.SIGTERM):
    d.signal(number)
    d.process.wait(WAIT)
    d.start()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_state_survives(number):
    with Daemon() as d:
        c = Control(d)
        first = Client(d, pid=FIRST_PID)
        other = Client(d, pid=FIRST_PID + 1)
        c.call("SetAttributes", pid=FIRST_PID, attributes={"priority": 11, "group": "g"})
        c.call("SetPolicy", gpu_id=2, policy="fair", parameters={"min_run_ns": 9})
        restart(d, number)
        assert first.end() is None
        c = Control(d)
        info = c.call("GetInfo")
        assert ("signal TERM" if number == signal.SIGTERM else "killed") in info["last_exit"]
        first = Client(d, pid=FIRST_PID)
        other = Client(d, pid=FIRST_PID + 1)
        a = c.process(FIRST_PID)["attributes"]
        assert a["priority"] == 11 and a["group"] == "g"
        # Nobody spoke about this one.
        assert c.process(FIRST_PID + 1)["attributes"]["priority"] == 7
        assert c.call("GetPolicy", gpu_id=2)["policy"] == "fair"
        assert c.call("GetPolicy", gpu_id=1)["policy"] == "prio"
        other.close()


def test_another_process_with_the_same_number_gets_nothing():
    """Negative control: number and start time both count."""
    with Daemon() as d:
        c = Control(d)
        client = Client(d)
        pid = os.getpid()
        c.call("SetAttributes", pid=pid, attributes={"priority": 11})
        d.signal(signal.SIGKILL)
        d.process.wait(WAIT)
        path = os.path.join(d.folder, "state.json")
        with open(path, encoding="utf-8") as f:
            state = json.load(f)
        state["processes"][0]["start_time"] += 1
        with open(path, "w", encoding="utf-8") as f:
            json.dump(state, f)
        d.start()
        client = Client(d)
        assert Control(d).process(pid)["attributes"]["priority"] == 7
        client.close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"format": 1, "nodes": 5}',
                                  '{"format": 1, "processes": [{"pid": "x"}], "exit": 7}'])
def test_bad_state_file_is_ignored(tmp_path, text):
    with open(tmp_path / "state.json", "w", encoding="utf-8") as f:
        f.write(text)
    with Daemon(folder=str(tmp_path)) as d:
        assert Control(d).call("GetInfo")["last_exit"] is None


def test_restart_holds_nothing_and_clients_come_back():
    """Clients let go when the socket closes; the new daemon starts from what they say."""
    with Daemon() as d:
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        for c in (low, high):
            c.send(queue())
            c.send(edge(BUSY))
        low.obey(HOLD)
        restart(d, signal.SIGKILL)
        assert low.end() is None
        low = Client(d, pid=FIRST_PID, prio=2)
        low.send(queue(busy=1))
        assert Control(d).process(FIRST_PID)["held"] == []
        low.quiet(0.2)
        high = Client(d, pid=FIRST_PID + 1, prio=12)
        high.send(queue(busy=1))
        low.obey(HOLD)


def test_term_releases_all():
    with Daemon() as d:
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        for c in (low, high):
            c.send(queue())
            c.send(edge(BUSY))
        low.obey(HOLD)
        d.signal(signal.SIGTERM)
        assert low.order().kind == RELEASE
        low.end()
        assert d.process.wait(WAIT) == 0
        assert not os.path.exists(d.path) and not os.path.exists(d.client_path)


def test_second_daemon_is_refused():
    with Daemon() as d:
        r = subprocess.run([rig.DAEMON, *d.options], capture_output=True, text=True, timeout=WAIT,
                           check=False)
        assert r.returncode == 1 and "in use" in r.stderr
        Control(d).call("GetInfo")


def log_of(config=""):
    """What it says from its start to its end, line by line."""
    with Daemon(sim=1, config=config) as d:
        d.stop()
        return d.log().replace(d.path, "SOCKET").splitlines()


@pytest.mark.skipif(os.path.exists("/dev/gpreempt"), reason="the kernel module is loaded")
def test_without_the_module_nothing_is_said_of_it():
    assert log_of() == ["gpreemptd: SOCKET: 1 node", "gpreemptd: ends: signal TERM"]
    assert log_of("[daemon]\nmechanism = kernel\n")[0] == \
        "gpreemptd: /dev/gpreempt: No such file or directory: the kernel module is not used"


def test_only_the_journal_gets_levels(tmp_path, monkeypatch):
    def first_line(ours):
        with Daemon(sim=1, folder=str(tmp_path)) as d:
            d.stop()
            stat = os.stat(d.log_path)
            monkeypatch.setenv("JOURNAL_STREAM", f"{stat.st_dev}:{stat.st_ino + (not ours)}")
            os.truncate(d.log_path, 0)
            d.start()
            d.stop()
            return d.log().splitlines()[0]

    assert first_line(True).startswith("<6>gpreemptd: ")
    assert first_line(False).startswith("gpreemptd: ")


def notified(sock, wanted, seconds=WAIT):
    end = time.monotonic() + seconds
    text = ""
    while wanted not in text:
        sock.settimeout(max(end - time.monotonic(), 0.001))
        text = sock.recv(4096).decode()
    return text


def test_service_manager_is_told(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        with Daemon() as d:
            notified(s, "READY=1")
            notified(s, "WATCHDOG=1")
            # A daemon that hangs says nothing.
            d.signal(signal.SIGSTOP)
            try:
                while True:
                    notified(s, "WATCHDOG=1", 0.5)
            except (TimeoutError, socket.timeout):
                pass
            d.signal(signal.SIGCONT)
            notified(s, "WATCHDOG=1")


def test_lease_is_renewed_only_while_held():
    with Daemon(config="[daemon]\nlease_ms = 60\n") as d:
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        for c in (low, high):
            c.send(queue())
            c.send(edge(BUSY))
        low.obey(HOLD)
        low.quiet(0.3)
        assert low.renewed >= 5
        high.send(edge(IDLE))
        low.obey(RELEASE)
        low.renewed = 0
        low.quiet(0.3)
        assert low.renewed == 0


def test_stopped_daemon_renews_nothing():
    """What a client needs to let go by itself: no renewal while the daemon hangs."""
    with Daemon(config="[daemon]\nlease_ms = 60\n") as d:
        low, high = Client(d, pid=FIRST_PID, prio=2), Client(d, pid=FIRST_PID + 1, prio=12)
        for c in (low, high):
            c.send(queue())
            c.send(edge(BUSY))
        low.obey(HOLD)
        control = Control(d)
        control.wait_for(lambda: control.process(FIRST_PID)["state"] == "preempted")
        d.signal(signal.SIGSTOP)
        low.quiet(0.1)
        low.renewed = 0
        low.quiet(0.3)
        assert low.renewed == 0
        d.signal(signal.SIGCONT)
        low.quiet(0.2)
        assert low.renewed > 0


def test_state_is_written_before_there_is_a_socket():
    """A daemon that is killed as soon as there is a socket was not running, said the file."""
    with Daemon() as d:
        state = os.path.join(d.folder, "state.json")
        for _ in range(40):
            d.stop()
            os.unlink(state)
            with open(d.log_path, "ab") as log:
                d.process = subprocess.Popen(d.command(), stderr=log, stdin=subprocess.DEVNULL)
            while not os.path.exists(d.path):
                assert d.process.poll() is None
            d.signal(signal.SIGKILL)
            d.process.wait()
            os.unlink(d.path)
            assert os.path.exists(state)
        d.start()
        assert "killed" in Control(d).call("GetInfo")["last_exit"]


def test_daemon_that_is_one_too_many_leaves_the_state_alone():
    with Daemon() as d:
        Control(d).call("SetPolicy", policy="fair")
        state = os.path.join(d.folder, "state.json")
        before = os.stat(state).st_ino
        second = subprocess.run(d.command(), capture_output=True, timeout=WAIT, check=False)
        assert second.returncode == 1 and b"in use" in second.stderr
        assert os.stat(state).st_ino == before
