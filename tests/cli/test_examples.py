# SPDX-License-Identifier: MIT
"""The programs of examples/ compile without a warning and do what they say."""
import os
import subprocess
import sys

from conftest import COMMAND, ROOT, loads_libraries

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(COMMAND))), "lib")


def run(world, *command, code=0):
    env = {**world.environment(), "LD_LIBRARY_PATH": LIBRARY, "PYTHONPATH": os.path.join(ROOT, "python"),
           "GPREEMPT_LIBRARY": os.path.join(LIBRARY, "libgpreempt.so.0"), "PYTHONDONTWRITEBYTECODE": "1"}
    r = subprocess.run(command, env=env, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    assert r.returncode == code, r
    return r.stdout


@loads_libraries
def test_pause(crowd, tmp_path):
    program = str(tmp_path / "pause")
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "include"),
                    os.path.join(ROOT, "examples/pause.c"), "-L", LIBRARY, "-lgpreempt", "-o", program], check=True, timeout=120)
    out = run(crowd, program, str(crowd.offline.pid), "1").splitlines()
    assert f"paused {crowd.offline.pid}" in out and out[-1] == f"resumed {crowd.offline.pid}", out
    assert "manual" not in crowd.run("list").stdout
    run(crowd, program, "1", "1", code=1)
    run(crowd, program, code=2)


@loads_libraries
def test_who_waits(crowd):
    crowd.run("suspend", str(crowd.offline.pid), "--lease", "50s", check=True)
    out = run(crowd, sys.executable, os.path.join(ROOT, "examples/who_waits.py"))
    assert out.splitlines() == [f"{crowd.offline.pid} offline: held"], out
