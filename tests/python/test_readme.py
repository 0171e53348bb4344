# SPDX-License-Identifier: MIT
"""The example of python/README.md, as it is written, on a daemon with simulated processes."""
import os
import re
import time

import pytest

from gpreempt.device import Device
from gpreempt.workload import MS, SimProcess


def example(root):
    with open(os.path.join(root, "python", "README.md"), encoding="utf-8") as f:
        return re.search(r"^```python\n(.*?)^```$", f.read(), re.M | re.S)[1]


@pytest.fixture
def pair(daemon):
    with Device() as device:
        low = SimProcess(daemon.path, device, "train.py", priority=3)
        high = SimProcess(daemon.path, device, "serve", priority=12)
        yield low, high
        low.close()
        high.close()


def test_the_example_does_what_it_says(root, daemon, pair, monkeypatch, capsys):
    low, high = pair
    monkeypatch.setenv("GPREEMPT_SOCKET", daemon.path)
    seen = []

    def preempt_once():
        """What happens while the program waits: the server gets a request."""
        low.submit(500 * MS)
        high.submit(5 * MS)
        end = time.monotonic() + 60
        while f"goes on {low.pid}" not in "".join(seen):
            seen.append(capsys.readouterr().out)
            assert time.monotonic() < end, seen
            time.sleep(0.01)

    text = example(root)
    parts = text.split("# The daemon schedules; this program is told.\n")
    assert len(parts) == 2 and parts[1].count("\n    ...\n") == 1
    code = parts[0] + parts[1].replace("\n    ...\n", "\n    preempt_once()\n")
    exec(compile(code, "README.md", "exec"), {"preempt_once": preempt_once})  # pylint: disable=exec-used
    out = "".join(seen) + capsys.readouterr().out
    assert f"{low.pid} train.py" in out
    assert f"preempted {low.pid}" in out and f"goes on {low.pid}" in out
    assert out.rstrip().endswith(("set()", "}"))
