# SPDX-License-Identifier: MIT
"""Verbs that read: what they print for people and for programs."""
import copy
import csv
import datetime
import io
import json
import os
import signal
import subprocess
import time

import jsonschema
import pytest
from conftest import COMMAND, DAEMON, validate
from world import until


def ok(result):
    assert result.returncode == 0 and result.stderr == "", (result.returncode, result.stderr)
    return result.stdout


def refused(result, code, *words):
    """One line on stderr, nothing on stdout."""
    assert result.returncode == code, (result.returncode, result.stderr)
    assert result.stdout == ""
    assert result.stderr.startswith("gpreempt: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


def test_columns_are_aligned_and_unknown_is_a_dash(crowd):
    lines = ok(crowd.run("list", "queues")).splitlines()
    assert lines[0].split() == ["QUEUE", "COMMAND", "TYPE", "HW_PRIO", "RING", "RPTR", "WPTR",
                                "BUSY", "STATE", "HELD_BY", "MECHANISM"]
    assert len(lines) == 5
    for line in lines[1:]:
        assert line[lines[0].index("COMMAND") - 1] == " "
        # numbers end where their header ends
        assert line[lines[0].index("RPTR") + 3] == "-"
        assert not line.endswith(" ")


def test_the_first_column_is_what_show_takes(crowd):
    for kind in ("devices", "queues", "procs"):
        first = ok(crowd.run("list", kind, "--no-header")).split()[0]
        assert first in ok(crowd.run("show", first)).splitlines()[0]


def test_every_json_follows_its_schema(crowd):
    crowd.online.say("busy", 0)
    commands = [["list", "devices"], ["list", "queues"], ["list", "procs"], [], ["stats"],
                ["policy"], ["show", "gpu:1"], ["show", str(crowd.offline.pid)],
                ["show", f"{crowd.offline.pid}/1/0"], ["config"],
                ["set", str(crowd.offline.pid), "weight=7"], ["policy", "set", "fair"],
                ["suspend", str(crowd.other.pid)], ["resume", str(crowd.other.pid)]]
    for command in commands:
        value = json.loads(ok(crowd.run(*command, "--json")))
        assert value["schema"] == "gpreempt." + value["schema"].split(".")[1]
        validate(value)
    value = json.loads(crowd.run("check", "--json").stdout)
    validate(value)


def test_the_schemas_would_notice(crowd):
    good = json.loads(ok(crowd.run("list", "procs", "--json")))
    validate(good)
    for change in (lambda p: p.pop("pid"), lambda p: p.update(pid="1"),
                   lambda p: p["attributes"].update(priority=99),
                   lambda p: p.update(held="sched")):
        bad = copy.deepcopy(good)
        change(bad["procs"][0])
        with pytest.raises(jsonschema.ValidationError):
            validate(bad)


def test_csv_has_base_units_and_quotes(crowd):
    text = ok(crowd.run("list", "procs", "--csv"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(r["pid"]) for r in rows] == sorted(int(r["pid"]) for r in rows)
    by = {r["comm"]: r for r in rows}
    assert by["online"]["priority"] == "12" and by["online"]["class"] == "realtime"
    assert by["offline"]["nr_queues"] == "2"
    assert by["online"]["run_ns"].isdigit()
    assert by["online"]["held"] == ""


def test_long_lists_are_whole_in_csv_and_counted_in_tables(world):
    members = {str(world.client(comm=f"rank{i}", group="train").pid) for i in range(40)}
    fields = ("list", "jobs", "--fields", "id,pids")
    [row] = csv.DictReader(io.StringIO(ok(world.run(*fields, "--csv"))))
    assert set(row["pids"].split(",")) == members
    *some, more = ok(world.run(*fields, "--no-header")).split()[1].split(",")
    assert set(some) < members and more == f"+{40 - len(some)}"


def test_an_empty_text_is_empty_in_csv(world):
    rows = csv.DictReader(io.StringIO(ok(world.run("config", "show", "--csv"))))
    assert [r["value"] for r in rows if r["key"] == "group"] == [""]


def test_fields_sort_and_filter(crowd):
    out = ok(crowd.run("list", "--fields", "comm,priority", "--sort", "-priority", "--no-header"))
    assert [line.split()[0] for line in out.splitlines()] == ["online", "other", "offline"]
    out = ok(crowd.run("list", "--fields", "comm", "--filter", "priority<12,comm=o*e*", "--csv"))
    assert sorted(out.split()) == ["comm", "offline", "other"]
    out = ok(crowd.run("list", "--fields", "comm", "--filter", "comm!=other", "--csv"))
    assert sorted(out.split()) == ["comm", "offline", "online"]
    value = json.loads(ok(crowd.run("list", "queues", "--json", "--fields", "id,type")))
    assert all(set(q) == {"id", "type"} for q in value["queues"])
    value = json.loads(ok(crowd.run("list", "queues", "--json", "--device", "gpu:2")))
    assert {q["gpu_id"] for q in value["queues"]} == {2}
    refused(crowd.run("list", "--fields", "nope"), 2, "--fields", "nope")
    refused(crowd.run("list", "--sort", "nope"), 2, "--sort")
    refused(crowd.run("list", "--filter", "comm"), 2, "--filter")
    refused(crowd.run("list", "--csv", "--json"), 2, "--csv")


def test_watch_prints_a_line_of_json_each_time(crowd):
    out = ok(crowd.run("list", "devices", "--json", "-w", "0.05", "-n", "3"))
    assert len(out.splitlines()) == 3
    for line in out.splitlines():
        validate(json.loads(line))
    assert ok(crowd.run("-w0.05", "-n2")).count("gpreemptd ") == 2


def test_color_is_for_those_who_want_it(crowd):
    assert "\033" in ok(crowd.run("list", "--color=always"))
    assert "\033" not in ok(crowd.run("list"))
    assert "\033" not in ok(crowd.run("list", "--color", "never"))
    refused(crowd.run("list", "--color", "pink"), 2, "--color")


def test_names_cannot_move_the_cursor(world):
    world.client(comm="ev\033[2Jil")
    out = ok(world.run("list"))
    assert "\033" not in out and "ev?[2Jil" in out


def test_show_says_why(crowd):
    crowd.online.say("busy", 0)
    until(lambda: "preempted" in ok(crowd.run("list", "--filter", "comm=offline")))
    out = ok(crowd.run("show", str(crowd.offline.pid)))
    assert f"stopped by the scheduler for {crowd.online.pid} (online, priority 12)" in out
    assert "other" not in out.splitlines()[1]
    refused(crowd.run("show", "4194303"), 4, "4194303")
    refused(crowd.run("show", "gpu:0"), 4, "try gpreempt list devices")
    refused(crowd.run("show", "gpu:99"), 4)
    refused(crowd.run("show", "x"), 2)
    refused(crowd.run("show"), 2)


def test_summary_counts(crowd):
    out = ok(crowd.run())
    assert "gpreemptd " in out and "3 clients" in out
    assert [line.split()[0] for line in out.splitlines()[3:5]] == ["gpu:1", "gpu:2"]
    value = json.loads(ok(crowd.run("--json")))
    assert value["daemon"]["nr_clients"] == 3
    assert value["devices"][0]["health"] == "ok"


def test_stats_count_what_happened(crowd):
    for _ in range(5):
        crowd.online.say("busy", 0)
        until(lambda: "preempted" in ok(crowd.run("list", "--filter", "comm=offline")))
        crowd.online.say("idle", 0)
        until(lambda: "preempted" not in ok(crowd.run("list", "--filter", "comm=offline")))
    row = json.loads(ok(crowd.run("stats", "--json", "--device", "1")))["devices"][0]
    assert row["nr_preemptions"] >= 5 and row["switch"]["count"] >= 10
    out = ok(crowd.run("stats", "--histogram"))
    assert "gpu:1 switch: " in out and "#" in out
    assert "gpu:2 switch" not in out
    assert ok(crowd.run("stats", "--csv")).startswith("id,nr_events")


def test_gpus_by_the_number_of_amd_smi(crowd):
    """Simulated GPUs have gpu_id 1 and 2, and are 0 and 1."""
    lines = ok(crowd.run("list")).splitlines()
    at = lines[0].index("GPU")
    assert {line.split()[1]: line[at] for line in lines[1:]} == {"online": "0", "offline": "0",
                                                                 "other": "1"}
    devices = ok(crowd.run("list", "devices", "--csv", "--no-header", "--fields",
                           "gpu_id,gpu,pci,uuid,render")).split()
    assert devices == ["1,0,,,", "2,1,,,"]
    for name in ("--gpu=1", "--gpu=gpu:2", "--device=2", "--device=gpu:2"):
        assert ok(crowd.run("list", "--csv", "--no-header", "--fields", "comm", name)) == "other\n"
    assert json.loads(ok(crowd.run("stats", "--gpu", "0", "--json")))["devices"][0]["gpu_id"] == 1
    for name in ("2", "0000:c1:00.0", "renderD128", "GPU-0123456789abcdef"):
        refused(crowd.run("list", "--gpu", name), 4, "no such device", name)
    for name in ("0000:c1:00.0", "renderD128"):
        refused(crowd.run("show", name), 4, "no such device", name)
    refused(crowd.run("list", "--gpu", "first"), 2, "is not a device")
    for kind in ("jobs", "groups", "totals", "cgroups"):
        refused(crowd.run("list", kind, "--gpu", "0"), 2, "of all GPUs")
        refused(crowd.run("list", kind, "--device", "1"), 2, "of all GPUs")
    # A number means one thing: the gpu_id of --device, which is never 0, and that of amd-smi of --gpu.
    refused(crowd.run("stats", "--device", "0"), 2, "is not a device")
    for twice in (["--device", "1", "--gpu", "1"], ["--gpu", "1", "--device", "1"]):
        refused(crowd.run("stats", *twice), 2, "named already")
    values = json.loads(ok(crowd.run("list", "--json")))["procs"]
    assert {p["comm"]: (p["gpu"], p["gpus"]) for p in values}["other"] == (["1"], ["2"])
    assert 'gpreempt_gpu_info{gpu_id="2",gpu="1",pci="",uuid="",render="",name="simulated"} 1' in \
        ok(crowd.run("metrics"))


def test_how_long_work_waited(crowd):
    """Of a process, its group, its class and its device; - before there was work."""
    crowd.grouped = crowd.client(comm="grouped", prio=13, klass="realtime", group="serve")
    columns = "pid,wait_p50_ns,wait_p99_ns,wait_p999_ns,nr_waits"
    row = ok(crowd.run("list", "--csv", "--no-header", "--fields", columns, "--filter",
                       f"pid={crowd.grouped.pid}")).strip().split(",")
    assert row[1:] == ["", "", "", "0"]
    crowd.grouped.say("busy", 0)
    until(lambda: f"{crowd.grouped.pid},running" in
          crowd.run("list", "--csv", "--fields", "pid,state").stdout)
    row = ok(crowd.run("list", "--csv", "--no-header", "--fields", columns, "--filter",
                       f"pid={crowd.grouped.pid}")).strip().split(",")
    assert row[4] == "1" and int(row[1]) == int(row[2]) == int(row[3]) > 0
    assert "WAIT_P99" in ok(crowd.run("list")).splitlines()[0]
    job = json.loads(ok(crowd.run("list", "jobs", "--json")))["jobs"][0]
    assert job["id"] == "serve" and job["wait_p99_ns"] == int(row[2])
    device = json.loads(ok(crowd.run("list", "devices", "--json")))["devices"][0]
    assert device["nr_waits"] == 1 and device["wait_p99_ns"] > 0
    stats = ok(crowd.run("stats"))
    table = stats.split("\n\n")[1].splitlines()
    assert table[0].split()[:3] == ["DEVICE", "CLASS", "WAITS"]
    assert ["gpu:1", "realtime", "1"] in [line.split()[:3] for line in table]
    assert "WAIT_P99.9" in stats.splitlines()[0]
    assert "WAIT_P99" in ok(crowd.run("top", "--once"))


def test_waits_of_an_interval(crowd, tmp_path):
    """stats --since takes the waits before away, of classes too."""
    crowd.online.say("busy", 0)
    until(lambda: "running" in crowd.run("list", "--csv", "--filter", f"pid={crowd.online.pid}").stdout)
    before = tmp_path / "before.json"
    before.write_text(ok(crowd.run("stats", "--json")))
    since = json.loads(ok(crowd.run("stats", "--since", str(before), "--json")))["devices"][0]
    assert since["wait"]["count"] == 0 and since["wait"]["p999_ns"] is None
    assert {k["wait"]["count"] for k in since["classes"]} == {0}
    validate({**json.loads(before.read_text()), "devices": [since]})


def test_metrics_are_of_the_daemon(crowd):
    out = ok(crowd.run("metrics"))
    if not out:
        pytest.skip("this daemon has no metrics")
    assert "# TYPE gpreempt" in out
    assert all(line.startswith(("#", "gpreempt", "process_start_time_seconds")) for line in out.splitlines())


def test_monitor_prints_events_as_they_come(crowd):
    p = crowd.start("monitor", "--json", "-n", "4", "--filter", "kind=busy")
    p2 = crowd.start("monitor", "--trace", "-n", "3")
    until(lambda: crowd.run("list").returncode == 0)
    lines = []
    for _ in range(200):
        crowd.online.say("busy", 0)
        crowd.online.say("idle", 0)
        if p.poll() is not None and p2.poll() is not None:
            break
        try:
            p.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    out, err = p.communicate(timeout=20)
    assert p.returncode == 0 and err == ""
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 4 and {e["kind"] for e in lines} == {"busy"}
    for e in lines:
        validate(e)
    assert len(p2.communicate(timeout=20)[0].splitlines()) == 3


def test_monitor_has_the_time_of_day(crowd):
    p = crowd.start("monitor", "--time", "wall", "--json", "-n", "2")
    p2 = crowd.start("monitor", "--time", "wall", "-n", "1")
    line = p2.communicate(timeout=30)[0].split()[0]
    assert datetime.datetime.fromisoformat(line).tzinfo
    first = json.loads(p.stdout.readline())
    before = time.time()
    crowd.online.say("busy", 0)
    second = json.loads(p.communicate(timeout=30)[0])
    after = time.time()
    then = datetime.datetime.fromisoformat(second["time"]).timestamp()
    assert before - 0.001 <= then <= after + 0.001 and first["time"] < second["time"]
    validate(second)
    refused(crowd.run("monitor", "--time", "noon"), 2, "is not monotonic or wall")


def test_monitor_ends_with_the_daemon(world):
    p = world.start("monitor")
    until(lambda: world.run("list").returncode == 0)
    world.stop_daemon()
    out, err = p.communicate(timeout=20)
    assert p.returncode == 3 and err.count("\n") == 1, (p.returncode, err)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_ends_a_recording_and_keeps_it(crowd, tmp_path, number):
    recording = tmp_path / "r"
    # Under nohup(1) it would not end, as it should not.
    p = crowd.start("trace", "record", "-o", str(recording),
                    preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    until(lambda: list(tmp_path.iterdir()))
    # The file is there a moment before the events are.
    time.sleep(1)
    p.send_signal(number)
    p.communicate(timeout=20)
    assert p.returncode == 0 and recording.exists()


def test_trace_becomes_a_timeline(crowd, tmp_path):
    recording, timeline = str(tmp_path / "r"), str(tmp_path / "t.json")
    p = crowd.start("trace", "record", "-o", recording, "--duration", "1s")
    while p.poll() is None:
        crowd.online.say("busy", 0)
        crowd.online.say("idle", 0)
        try:
            p.wait(0.03)
        except subprocess.TimeoutExpired:
            pass
    assert p.returncode == 0, p.stderr.read()
    p.communicate()
    ok(crowd.run("trace", "convert", recording, "-o", timeline))
    with open(recording, encoding="utf-8") as f:
        validate(json.loads(f.readline()))
    with open(timeline, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert f"{crowd.online.pid} online" in names and "switches" in names
    boxes = [e for e in events if e["ph"] == "X"]
    assert {"running", "preempted", "busy"} <= {e["name"] for e in boxes}
    assert all(e["dur"] >= 0 for e in boxes)
    with open(recording, "a", encoding="utf-8") as f:
        f.write("garbage\n")
    refused(crowd.run("trace", "convert", recording, "-o", timeline), 1, "line")
    refused(crowd.run("trace", "convert", timeline, "-o", recording), 1, "line 1")
    refused(crowd.run("trace", "record"), 2, "-o")


def test_top_counts_the_time_of_a_suspension(crowd):
    ok(crowd.run("suspend", str(crowd.offline.pid), "--lease", "50s"))
    out = ok(crowd.run("top", "--once", "--watch=0.2"))
    head = next(line for line in out.splitlines() if "OFF%" in line).split()
    row = next(line for line in out.splitlines() if f"{crowd.offline.pid} " in line).split()
    assert "suspended" in row and float(row[head.index("OFF%")]) > 50, (head, row)


def test_top_once(crowd):
    out = ok(crowd.run("top", "--once", "--watch=0.05", "--sort", "pid"))
    pids = [line.split()[0] for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert pids == [str(p) for p in sorted(c.pid for c in crowd.clients)]
    refused(crowd.run("top"), 1, "--once")
    refused(crowd.run("top", "--once", "--sort", "x"), 2)


def test_no_daemon(world):
    world.stop_daemon()
    for verb in (["stats"], ["set", "1", "prio=1"], ["suspend", "1"], ["policy"], ["monitor"],
                 ["metrics"], ["list"], []):
        refused(world.run(*verb), 3, "gpreemptd")


def test_a_daemon_that_hangs(world):
    os.kill(world.daemon.pid, signal.SIGSTOP)
    try:
        refused(world.run("stats"), 7)
    finally:
        os.kill(world.daemon.pid, signal.SIGCONT)


@pytest.mark.skipif(os.path.exists("/sys/class/kfd/kfd/topology"), reason="there is a GPU here")
def test_check_on_a_machine_without_a_gpu(world):
    result = world.run("check")
    assert result.returncode == 1
    assert "there is no AMD GPU on this machine" in result.stdout
    assert "(the daemon's nodes are simulated); try" in result.stdout
    assert any(line.startswith("ok    daemon") for line in result.stdout.splitlines())
    world.stop_daemon()
    result = world.run("check", "--json")
    value = json.loads(result.stdout)
    found = {c["name"]: c for c in value["checks"]}
    assert found["daemon"]["result"] == "warn" and "simulated" not in found["gpu"]["text"]
    assert DAEMON in found["daemon"]["remedy"]
    assert all(c["remedy"] for c in value["checks"] if c["result"] != "ok")


def test_usage_errors_are_one_line():
    for args in (["nope"], ["list", "nope"], ["list", "--nope"], ["list", "procs", "more"],
                 ["set"], ["set", "1"], ["set", "1", "x=1"], ["set", "1", "prio=a"],
                 ["set", "1/2/3", "prio=1"], ["suspend"], ["suspend", "gpu:1"],
                 ["policy", "x"], ["policy", "get", "y"], ["config", "x"], ["stats", "x"],
                 ["list", "--count", "0"], ["list", "-w", "-n", "x"], ["attach"], ["detach", "a"]):
        result = subprocess.run([COMMAND, *args], text=True, capture_output=True, check=False,
                                env={**os.environ, "GPREEMPT_SOCKET": "/nonexistent/s"}, timeout=20)
        refused(result, 2)


def test_jobs_are_groups_of_processes(world):
    assert ok(world.run("list", "jobs", "--no-header")) == ""
    members = [world.client(comm=f"rank{i}", group="train", nr_queues=2) for i in range(2)]
    world.client(comm="alone")
    members[1].say("busy", 0)
    until(lambda: ok(world.run("list", "jobs", "--no-header", "--fields", "nr_busy")).split()
          == ["1"])
    value = json.loads(ok(world.run("list", "jobs", "--json")))
    validate(value)
    [job] = value["jobs"]
    assert job["id"] == "train" and job["nr_procs"] == 2 and job["nr_queues"] == 4
    assert sorted(map(int, job["pids"])) == sorted(m.pid for m in members)
    assert job["uid"] == os.getuid()


def test_totals_of_a_job_outlive_it(world):
    assert ok(world.run("list", "totals", "--no-header")) == ""
    member = world.client(comm="rank", group="train")
    member.say("busy", 0)
    until(lambda: ok(world.run("list", "totals", "--no-header", "--fields", "group,ended_ns")).split()
          == ["train", "-"])
    member.close()
    until(lambda: ok(world.run("list", "totals", "--no-header", "--fields", "ended_ns")).split()
          != ["-"])
    value = json.loads(ok(world.run("list", "totals", "--json")))
    validate(value)
    [total] = value["totals"]
    assert total["group"] == "train" and total["run_ns"] > 0 and total["uid"] == os.getuid()


def test_statistics_of_an_interval(crowd, tmp_path):
    def preempt():
        crowd.online.say("busy", 0)
        until(lambda: "preempted" in ok(crowd.run("list", "--filter", "comm=offline")))
        crowd.online.say("idle", 0)
        until(lambda: "running" in ok(crowd.run("list", "--filter", "comm=offline")))

    def device(*args):
        value = json.loads(ok(crowd.run("stats", "--json", "--device", "gpu:1", *args)))
        validate(value)
        return value["devices"][0]

    preempt()
    file = tmp_path / "before"
    file.write_text(ok(crowd.run("stats", "--json")))
    nothing = device("--since", str(file))
    assert nothing["nr_preemptions"] == 0 and nothing["switch"]["count"] == 0
    assert nothing["switch"]["p99_ns"] is None
    preempt()
    preempt()
    since, whole = device("--since", str(file)), device()
    assert since["nr_preemptions"] == 2 and whole["nr_preemptions"] == 3
    assert since["switch"]["count"] == sum(b["count"] for b in since["switch"]["buckets"])
    assert since["switch"]["count"] < whole["switch"]["count"]
    assert 0 < since["switch"]["p50_ns"] <= since["switch"]["p99_ns"]
    assert "switch" in ok(crowd.run("stats", "--since", str(file), "--histogram"))
    (tmp_path / "no").write_text("{}")
    refused(crowd.run("stats", "--since", str(tmp_path / "no")), 2, "stats --json")
    refused(crowd.run("stats", "--since", str(tmp_path / "missing")), 2)
    # Of another daemon, which had counted more.
    more = json.loads(file.read_text())
    more["devices"][0]["nr_preemptions"] = 10 ** 6
    file.write_text(json.dumps(more))
    refused(crowd.run("stats", "--since", str(file)), 1, "not of this daemon")


def test_report_is_a_page_of_this_node(crowd):
    page = os.path.join(crowd.dir, "page.html")
    earlier = os.path.join(crowd.dir, "earlier.json")
    crowd.online.say("busy", 0)
    nr = until(lambda: json.loads(ok(crowd.run("stats", "--json")))["devices"][0]["wait"]["count"])
    with open(earlier, "w", encoding="utf-8") as f:
        f.write(ok(crowd.run("stats", "--json")))
    out = ok(crowd.run("report", "-o", page))
    with open(page, encoding="utf-8") as f:
        text = f.read()
    assert out.startswith(page + ": 99 of 100 pieces") and f'<td class="n">{nr}</td>' in text
    for word in ("<td>offline</td>", "<td>realtime</td>", "prefers-color-scheme:dark", "width=device-width", "<path"):
        assert word in text, word
    assert "<script" not in text and "http" not in text.replace('http-equiv', '')
    # Nothing came since.
    assert "No online work came." in ok(crowd.run("report", "--since", earlier, "-o", page))
    assert ok(crowd.run("report", "--quiet", "-o", page)) == ""
    refused(crowd.run("report", "--since", page, "-o", page), 2, "no output of gpreempt stats")
    refused(crowd.run("report", "-o", "/nowhere/x"), 1, "/nowhere/x")


def test_report_of_a_node_that_is_off_says_so(crowd):
    ok(crowd.run("policy", "off"))
    ok(crowd.run("report", cwd=crowd.dir))
    with open(os.path.join(crowd.dir, "gpreempt-report.html"), encoding="utf-8") as f:
        assert "scheduling is off" in f.read()
