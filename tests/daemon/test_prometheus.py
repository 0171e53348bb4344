# SPDX-License-Identifier: MIT
"""What Prometheus and Grafana are given: metrics, rules and the dashboard, judged by promtool."""
import json
import os
import re
import shutil
import subprocess

import pytest
from rig import BUSY, FIRST_PID, Client, Control, Daemon, edge, queue

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SHIPPED = os.path.join(ROOT, "packaging/prometheus")
RULES = os.path.join(SHIPPED, "gpreempt.rules.yml")

pytestmark = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")


def promtool(*args, **kw):
    result = subprocess.run(["promtool", *args], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=60, **kw)
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def metrics():
    """Of a daemon with a process that has a class and a group, and has waited."""
    with Daemon() as d:
        control = Control(d)
        client = Client(d, pid=FIRST_PID, prio=12, klass=b"realtime", group=b"serve\\1")
        client.send(queue())
        client.send(edge(BUSY))
        control.wait_for(lambda: control.process(FIRST_PID)["nr_waits"])
        return control.call("GetMetrics")["text"]


def expressions():
    with open(os.path.join(SHIPPED, "gpreempt-dashboard.json"), encoding="utf-8") as f:
        board = json.load(f)
    assert len({p["id"] for p in board["panels"]}) == len(board["panels"])
    return [t["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
            for p in board["panels"] for t in p["targets"]]


def test_metrics_have_no_fault(metrics):
    promtool("check", "metrics", input=metrics)


def test_rules_have_no_fault():
    promtool("check", "rules", RULES)


def test_alerts_come_when_they_should_and_not_else():
    promtool("test", "rules", os.path.join(ROOT, "tests/daemon/alerts.yml"))


def test_every_expression_of_the_dashboard_is_one(tmp_path):
    rules = [{"record": f"panel:{i}", "expr": e} for i, e in enumerate(expressions())]
    path = tmp_path / "panels.yml"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", str(path))


def test_rules_and_dashboard_ask_for_what_there_is(metrics):
    with open(RULES, encoding="utf-8") as f:
        text = f.read() + "\n".join(expressions())
    asked = set(re.findall(r"\b(?:gpreempt_\w+|process_\w+_seconds)(?=[{\[])", text))
    told = {line.split("{")[0].split(" ")[0] for line in metrics.splitlines() if line[0] != "#"}
    assert len(asked) > 12 and asked <= told, asked - told
