# SPDX-License-Identifier: MIT
"""The cases, their negative controls, and the page."""
import html.parser
import re
import time

import pytest

from gpreempt import cases, report, wire, workload
from gpreempt.errors import GPreemptError


@pytest.fixture
def rig():
    # Long enough for a p99 that one late wake-up of a busy machine does not make.
    with cases.open_rig(seconds=1.5, stable_s=1.5) as r:
        yield r


def failed(result):
    if result.starved:
        pytest.skip("this machine is too busy to measure")
    return [f"{c.text}: {c.value}" for c in result.checks if not c.ok]


@pytest.mark.parametrize("name", list(cases.CASES))
def test_case_passes(rig, name):
    result = cases.run_case(name, rig)
    assert not failed(result) and result.passed
    assert result.figures and result.doc


def test_basic_fails_if_nothing_is_preempted(rig, monkeypatch):
    rig.seconds = 0.6
    enable = rig.handle.set_enabled
    monkeypatch.setattr(rig.handle, "set_enabled", lambda on, gpu_id=0: enable(False, gpu_id))
    result = cases.run_case("basic", rig)
    assert any("10 times better" in text for text in failed(result))


def test_frequent_fails_if_nothing_is_preempted(rig):
    rig.seconds = 0.6
    rig.handle.set_enabled(False, rig.gpu_id)
    assert any("often" in text for text in failed(cases.frequent_preemption(rig)))


def test_frequent_fails_if_switches_fail(rig, monkeypatch):
    rig.seconds = 0.6
    monkeypatch.setattr(workload.SimProcess.__init__, "__defaults__", (1, wire.ERROR))
    assert any("late answers" in text for text in failed(cases.frequent_preemption(rig)))


def test_frequent_excuses_switches_of_threads_that_were_late(rig, monkeypatch):
    rig.seconds = 0.6
    cases.frequent_preemption(rig)  # Others have answered, or the node is at fault.
    level = workload.SimProcess._level
    monkeypatch.setattr(workload.SimProcess, "_level", lambda self, client: (
        len(client.orders) % 7 or time.sleep(0.06), level(self, client)))
    result = cases.frequent_preemption(rig)
    check, = (c for c in result.checks if "late answers" in c.text)
    assert check.ok and not check.value.startswith("0 failed")


def test_boundary_fails_under_a_policy_that_does_not_know_priorities(rig, monkeypatch):
    monkeypatch.setattr(cases, "WAIT_S", 1.0)
    monkeypatch.setattr(rig.handle, "set_policy", lambda *args: None)
    rig.handle.set_enabled(False, rig.gpu_id)
    result = cases.CaseResult("boundary", "")
    monkeypatch.setattr(cases.wait_for, "__defaults__", (0.3, ()))
    cases._priorities(rig, result)
    assert any("waits for 15" in text for text in failed(result))


def test_stability_sees_a_wrong_list(rig, monkeypatch):
    real = rig.handle.processes
    monkeypatch.setattr(rig.handle, "processes", lambda: real()[1:])
    monkeypatch.setattr(cases.stability.Run._look, "__defaults__", (0.2,))
    rig.stable_s = 0.5
    assert any("list of processes" in text for text in failed(cases.run_case("stability", rig)))


def test_stability_sees_a_hold_that_stays(rig, monkeypatch):
    real = wire.Holds.apply
    monkeypatch.setattr(cases, "WAIT_S", 0.5)
    monkeypatch.setattr(wire.Holds, "expire", lambda self, now_ns: [])
    monkeypatch.setattr(wire.Holds, "apply", lambda self, order, now_ns: (
        order.kind == wire.RELEASE or real(self, order, now_ns)))
    assert any("released" in text for text in failed(cases.run_case("stability", rig)))


def test_a_case_that_raises_has_failed(rig, monkeypatch):
    monkeypatch.setitem(cases.CASES, "basic", lambda rig: 1 / 0)
    result = cases.run_case("basic", rig)
    assert not result.passed and "ZeroDivisionError" in result.checks[0].value


def test_a_busy_machine_is_no_excuse_unless_it_was_busy():
    for late_ns, ok in ((1, False), (10 ** 9, None)):
        result = cases.CaseResult("timed", "")
        run = workload.PairResult(1.0, [], [], 0, [], 0, 0, late_ns=[late_ns] * 100)
        result.check_time("fast", False, "slow", [run])
        assert result.checks[0].ok is ok and result.starved == (ok is None)


def test_a_case_without_checks_has_not_passed():
    assert not cases.CaseResult("empty", "").passed


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.outside, self.svgs, self.open = [], [], 0, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.svgs += tag == "svg"
        if "id" in attrs:
            self.ids.append(attrs["id"])
        for key in ("src", "href", "xlink:href"):
            if key in attrs and not attrs[key].startswith(("#", "data:")):
                self.outside.append(attrs[key])


def test_times_have_the_unit_that_reads_well():
    said = {None: "never", 0: "0 ns", 850: "850 ns", 5_440: "5.44 us", 24_300_000: "24.3 ms", 169_662_000: "170 ms",
            1_696_620_000: "1.70 s"}
    assert {ns: cases.ms(ns) for ns in said} == said


def test_report_is_one_page(tmp_path, capsys):
    path = tmp_path / "r.html"
    code = report.main(["-o", str(path), "--seconds", "1.5", "--stability", "1"])
    out = capsys.readouterr().out
    assert code == 0, out
    assert out.count("pass ") == 4
    text = path.read_text()
    page = Page(text)
    assert page.svgs == 7 and not page.outside and len(page.ids) == len(set(page.ids))
    assert "What was simulated" in text and "FAIL" not in text
    for name in ("Basic preemption", "Frequent preemption", "Boundary conditions", "Stability"):
        assert name in text
    assert not re.search(r"(src|href)=\"http", text)
    # For a phone, and for who reads at night.
    assert 'name="viewport"' in text and "prefers-color-scheme: dark" in text


def test_report_says_what_failed(tmp_path, capsys, monkeypatch):
    def bad(rig):
        """A case for this test."""
        result = cases.CaseResult("bad <case>", bad.__doc__)
        result.check("one is two", 1 == 2, "<1>")
        result.check("two is three", 2 == 3)
        return result

    monkeypatch.setitem(cases.CASES, "basic", bad)
    path = tmp_path / "r.html"
    assert report.main(["-o", str(path), "-c", "basic"]) == 1
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "one is two: <1>" in said and "two is three" in said
    text = path.read_text()
    assert "FAIL" in text and "bad &lt;case&gt;" in text.lower() and "<1>" not in text


def test_report_on_a_given_socket(daemon, tmp_path):
    path = tmp_path / "r.html"
    args = ["-o", str(path), "-c", "frequent", "--seconds", "0.5", "-s", daemon.path]
    assert report.main(args) == 0 and daemon.alive


def test_report_without_a_daemon(tmp_path, capsys):
    assert report.main(["-s", str(tmp_path / "none"), "-o", str(tmp_path / "r")]) == 3
    assert not (tmp_path / "r").exists() and "none" in capsys.readouterr().err


def test_report_needs_simulated_nodes(daemon, tmp_path, monkeypatch):
    monkeypatch.setattr(cases.Handle, "call", lambda self, method, **p: {"nodes": []})
    with pytest.raises(GPreemptError):
        with cases.open_rig(daemon.path):
            pass
