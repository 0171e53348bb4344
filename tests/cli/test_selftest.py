# SPDX-License-Identifier: MIT
"""selftest on machines that are not this one: nothing is opened there, no rung after queue begins."""
import json
import os
import shutil
import subprocess

import pytest
from conftest import COMMAND, ROOT, validate

FIXTURE = os.path.join(ROOT, "tests/unit/driver/fixture")
NODES = "sys/class/kfd/kfd/topology/nodes"
PROC = "sys/class/kfd/kfd/proc"
OTHER = 999
LOCATION = 32768  # of the GPU of the fixture


@pytest.fixture
def machine(tmp_path):
    root = tmp_path / "machine"
    shutil.copytree(FIXTURE, root)
    (root / "dev").mkdir()
    (root / "dev/kfd").touch()
    shutil.rmtree(root / PROC / "148/queues")
    return root


def change(machine, node, key, value):
    path = machine / NODES / str(node) / "properties"
    lines = [line for line in path.read_text().splitlines() if line.split()[0] != key]
    path.write_text("\n".join(lines + [f"{key} {value}"]) + "\n")


def add_node(machine, location):
    shutil.copytree(machine / NODES / "1", machine / NODES / "2")
    (machine / NODES / "2/gpu_id").write_text(f"{OTHER}\n")
    change(machine, 2, "location_id", location)


def add_queue(machine, gpu_id):
    folder = machine / PROC / "148/queues/0"
    folder.mkdir(parents=True)
    for name, value in (("gpuid", gpu_id), ("type", 0), ("size", 4096)):
        (folder / name).write_text(f"{value}\n")


def selftest(machine, *args, keys=None):
    """@keys: how often the return key is pressed."""
    step = [] if keys is None else ["--step"]
    return subprocess.run([COMMAND, "selftest", *step, *args], input="\n" * (keys or 0), text=True,
                          env=dict(os.environ, GPREEMPT_TEST_ROOT=str(machine)), timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def test_a_good_machine_may_go_on(machine):
    r = selftest(machine, keys=1)
    assert r.returncode == 1, r
    assert r.stdout.startswith("ok    machine"), r
    assert r.stdout.endswith("ended by the user after 1 rungs\n"), r


def test_a_gpu_is_not_judged_by_another_one(machine):
    add_node(machine, LOCATION + 256)
    change(machine, 2, "cwsr_size", 0)
    assert selftest(machine, keys=1).stdout.startswith("ok    machine")
    r = selftest(machine, "--gpu", f"gpu:{OTHER}")
    assert r.returncode == 1 and "waves cannot be saved on it" in r.stdout, r
    assert r.stdout.endswith("stopped at machine; nothing was preempted on this GPU\n"), r


def test_a_gpu_without_kernels_is_refused_in_words(machine):
    change(machine, 1, "gfx_target_version", 110000)
    r = selftest(machine)
    assert r.returncode == 1 and "fail  machine     this program has no kernels for gfx1100" in r.stdout, r


@pytest.mark.parametrize("location, has_part", [(LOCATION + (1 << 28), True), (LOCATION + 256, False)])
def test_a_process_on_a_partition_of_the_same_device_is_left_alone(machine, location, has_part):
    add_node(machine, location)
    add_queue(machine, OTHER)
    r = selftest(machine, keys=2)
    assert r.returncode == 1, r
    assert ("fail  queue       process 148 has a queue on this GPU: nothing was stopped"
            in r.stdout) == has_part, r
    assert r.stdout.endswith("stopped at queue; nothing was preempted on this GPU\n"), r


def test_nothing_is_stopped_where_others_cannot_be_seen(machine):
    shutil.rmtree(machine / PROC)
    r = selftest(machine, keys=2)
    assert r.returncode == 1 and "who else uses this GPU cannot be read" in r.stdout, r
    r = selftest(machine, "--shared", keys=2)
    assert "cannot be read" not in r.stdout, r


def test_json_is_whole_where_the_bundle_cannot_be_written(machine):
    change(machine, 1, "gfx_target_version", 110000)
    r = selftest(machine, "--json", "-o", "/dev/null/bundle")
    assert r.returncode == 1 and "/dev/null/bundle" in r.stderr, r
    assert r.stdout.endswith("}\n"), r
    validate(json.loads(r.stdout))
