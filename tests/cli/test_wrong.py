# SPDX-License-Identifier: MIT
"""What a user types wrongly is refused in words that help, and nothing is done."""
import os

import pytest
from conftest import loads_libraries


def refused(world, *args, code=2):
    r = world.run(*args, check=False)
    assert r.returncode == code and not r.stdout, (args, r)
    lines = r.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("gpreempt: "), (args, lines)
    return lines[0].removeprefix("gpreempt: ")


@loads_libraries
def test_a_class_that_does_not_exist_is_refused(crowd, tmp_path):
    done = tmp_path / "done"
    line = refused(crowd, "run", "-c", "realtiem", "--", "touch", str(done), code=125)
    assert line == "--class: no class 'realtiem'; did you mean realtime?; there are realtime, default, besteffort"
    assert not done.exists()
    assert "no class 'nosuch'; there are" in refused(crowd, "run", "-c", "nosuch", "--", "true", code=125)
    crowd.run("run", "-c", "besteffort", "--", "touch", str(done))
    assert done.exists()


@pytest.mark.parametrize("verb", [["list"], ["list", "queues"], ["list", "devices"], ["stats"], ["policy", "get"]])
def test_a_device_that_does_not_exist_is_refused(crowd, verb):
    assert refused(crowd, *verb, "--device", "7", code=4) == "gpu:7: no such device; try gpreempt list devices"


def test_device_lists_the_processes_of_that_gpu(crowd):
    rows = crowd.run("list", "--device", "2", "--csv", "--fields", "pid,gpus", "--no-header").stdout.split()
    assert rows == [f"{crowd.other.pid},2"]
    assert str(crowd.offline.pid) in crowd.run("list", "--device", "1").stdout
    assert " GPU " in crowd.run("list").stdout.splitlines()[0]


@pytest.mark.parametrize("text, said", [
    ("prio>x", "'x' is not a number"), ("off_ns<soon", "'soon' is not a number or a time such as 20ms"),
    ("prioritty=1", "there is no field 'prioritty'; did you mean priority?")])
def test_a_condition_that_means_nothing_is_refused(crowd, text, said):
    assert refused(crowd, "list", "--filter", text) == f"--filter: {said}"


def test_a_condition_may_have_a_unit(crowd):
    assert crowd.run("list", "--filter", "run_ns>1000h", "--csv", "--no-header").stdout == ""
    assert crowd.run("list", "--filter", "off_ns<1000h", "--csv", "--no-header").stdout.count("\n") == 3


def test_monitor_names_its_fields(crowd):
    assert refused(crowd, "monitor", "--filter", "foo=bar") == (
        "--filter: there is no field 'foo'; there are time_ns, kind, pid, gpu_id, queue_id, text")


def test_attributes_say_their_range_and_unit(crowd):
    pid = str(crowd.offline.pid)
    assert refused(crowd, "set", pid, "prio=99") == "prio=99: prio is a number from 0 to 15"
    assert refused(crowd, "set", pid, "slice=5") == "slice=5: slice is a time such as 5ms"
    assert refused(crowd, "set", pid, "wieght=5") == "wieght=5: not KEY=VALUE of a process; did you mean weight?"
    crowd.run("set", pid, "slice=5ms")


def test_names_that_are_near_are_offered(crowd):
    assert refused(crowd, "lst") == "lst: no such command; did you mean list?"
    assert refused(crowd, "list", "--jsn") == "--jsn: no such option here; did you mean --json?"
    assert refused(crowd, "trace") == "trace: which command? record or convert"
    assert refused(crowd, "dance") == "dance: no such command; try gpreempt --help"


def test_a_process_that_was_not_attached_is_not_unknown(crowd):
    assert "it was not attached" in refused(crowd, "detach", str(os.getpid()), code=4)
    assert "it is not traced" in refused(crowd, "detach", str(crowd.offline.pid), code=6)


def test_other_names_of_lists(crowd):
    assert crowd.run("list", "gpus").stdout == crowd.run("list", "devices").stdout
    assert "COMMAND" in crowd.run("list", "processes").stdout


def test_the_mean_is_called_one(crowd):
    assert "MEAN_PER_S" in crowd.run().stdout
