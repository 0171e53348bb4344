# SPDX-License-Identifier: MIT
"""calibrate: from a report of selftest to a GPU that sim takes."""
import json
import os
import subprocess

import jsonschema
import pytest
from conftest import COMMAND, ROOT

SCENARIO = os.path.join(ROOT, "scenarios", "demo.scn")


def series(name, ns, size=0):
    return {"name": name, "bytes": size, "waves": 1 if size else 0, "ns": ns}


def report(**changes):
    """A GPU that saves 2000 bytes a nanosecond after 40 us, and restores 1000 after 20."""
    fills = [2000000, 8000000, 64000000]
    costs = [series("call", [1000] * 9), series("stop", [31000] * 9), series("go", [9000] * 9),
             series("packet", [2500] * 9), series("first", [12500] * 9),
             series("wake", [5000] * 9)]
    costs += [series("save", [40000 + size // 2000] * 9, size) for size in fills]
    costs += [series("restore", [20000 + size // 1000] * 9, size) for size in fills]
    machine = {"version": "0", "kernel": "6.12", "driver_version": "", "gpu": "gfx942",
               "nr_xcc": 4, "nr_cu": 80, "save_bytes": 1, "mec_firmware": 1, "kfd_major": 1,
               "kfd_minor": 17, "sched_policy": 0, "fill": 100}
    rung = {"name": "cost", "result": "ok", "text": "", "remedy": None, "ns": 1, "stops": 1,
            "waves": 1, "series": costs}
    made = {"schema": "gpreempt.selftest/1", "machine": machine, "complete": True,
            "mechanisms": ["update"], "rungs": [rung]}
    made.update(changes)
    return made


def calibrate(tmp_path, made, *args):
    path = tmp_path / "selftest.json"
    path.write_text(json.dumps(made))
    return subprocess.run([COMMAND, "calibrate", str(path), *args], text=True, timeout=20,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def values(text):
    lines = [line.partition(" = ") for line in text.splitlines() if " = " in line]
    return {key.strip(): value.split("#")[0].strip() for key, _, value in lines}


def test_what_was_measured_takes_the_place_of_what_is_assumed(tmp_path):
    with open(os.path.join(ROOT, "docs/schemas/selftest.json"), encoding="utf-8") as f:
        jsonschema.Draft7Validator(json.load(f)).validate(report())
    r = calibrate(tmp_path, report())
    assert r.returncode == 0, r.stderr
    got = values(r.stdout)
    assert got["base"] == "mi308x"
    assert got["bandwidth"] == "1000000"
    assert (got["unmap"], got["map"], got["packet"]) == ("30000ns", "9000ns", "2500ns")
    assert (got["driver"], got["wake"], got["spread"]) == ("1000ns", "5000ns", "0.0%")
    for line in r.stdout.splitlines():
        if " = " in line:
            assert "# measured" in line or "# assumed" in line, line


def test_sim_runs_on_it(tmp_path):
    path = str(tmp_path / "own.profile")
    assert calibrate(tmp_path, report(), "-o", path).returncode == 0
    r = subprocess.run([COMMAND, "sim", "run", "--json", "--duration", "100ms", "--gpu", path,
                        SCENARIO], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert '"measured"' in r.stdout
    slow = report()
    slow["rungs"][0]["series"][1]["ns"] = [3000000] * 9
    assert calibrate(tmp_path, slow, "-o", path).returncode == 0
    other = subprocess.run([COMMAND, "sim", "run", "--json", "--duration", "100ms", "--gpu", path,
                            SCENARIO], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert r.stdout != other.stdout


@pytest.mark.parametrize("made, says", [
    ({"schema": "gpreempt.bench/1"}, "not a report of gpreempt selftest"),
    (report(rungs=[]), "did not come to its costs"),
    ([], "not a report of gpreempt selftest"),
    (report(rungs=[{"series": [{"name": "call", "ns": ["x", {}]}, 3]}, None]), "did not come"),
])
def test_what_is_no_report_is_refused(tmp_path, made, says):
    r = calibrate(tmp_path, made)
    assert r.returncode == 2 and says in r.stderr, r.stderr


@pytest.mark.parametrize("nr_xcc, nr_cu", [
    (-1, -2**63), (0, 0), (4, 3), (9, 90), (1, 129), (2**62, 2**62), ("4", 80), (4, -2**63),
])
def test_a_gpu_that_cannot_be_is_refused(tmp_path, nr_xcc, nr_cu):
    made = report()
    made["machine"].update(nr_xcc=nr_xcc, nr_cu=nr_cu)
    r = calibrate(tmp_path, made)
    assert r.returncode == 2 and "out of range" in r.stderr, (r.returncode, r.stderr)


@pytest.mark.parametrize("complete", [True, False])
def test_a_ladder_that_failed_is_a_comment(tmp_path, complete):
    r = calibrate(tmp_path, report(complete=complete))
    assert r.returncode == 0
    assert ("# The ladder was not climbed to its end" in r.stdout) != complete


def test_words_of_a_report_do_not_become_lines_of_a_profile(tmp_path):
    made = report()
    made["machine"]["kernel"] = "6.12\n[profile]\nbase = tiny"
    r = calibrate(tmp_path, made)
    assert r.returncode == 0 and values(r.stdout)["base"] == "mi308x"
    assert r.stdout.count("\n[profile]") == 1


@pytest.mark.parametrize("text, says", [
    ("[profile]\nunmap = 3us\n", "'base = GPU' comes first"),
    ("[profile]\nbase = mi300x\nbase = mi210\n", "comes twice"),
    ("[profile]\nbase = mi300x\nxccs = 9\n", "out of range"),
    ("[profile]\nbase = mi300x\nspread = 200%\n", "not a share"),
    ("[profile]\nbase = none\n", "no gpu 'none'"),
    ("[class x]\n", "no section [class]"),
    ("[costs]\nwake = 1us\n", "no [profile]"),
    ("", "no [profile]"),
])
def test_what_is_no_gpu_is_refused_with_its_place(tmp_path, text, says):
    path = tmp_path / "own.profile"
    path.write_text(text)
    r = subprocess.run([COMMAND, "sim", "run", "--gpu", str(path), SCENARIO], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=False)
    assert r.returncode == 2 and says in r.stderr, r.stderr
