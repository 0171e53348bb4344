#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The files that gpreempt sim writes: traces that Perfetto can draw, a page on its own.

    output_files.py GPREEMPT FILE.scn
"""
import html.parser
import json
import os
import subprocess
import sys
import tempfile


def call(gpreempt, *args, cwd=None):
    subprocess.run([os.path.abspath(gpreempt), "sim", *args, "--quiet"], check=True, cwd=cwd,
                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def check_boxes(boxes):
    """On a track, boxes may touch but not cross: Perfetto would drop one."""
    for track, spans in boxes.items():
        end = 0.0
        for ts, dur in sorted(spans):
            assert dur > 0, (track, ts)
            assert ts >= end - 1e-6, f"track {track}: a box at {ts} begins before {end}"
            end = ts + dur


def check_flows(flows, boxes):
    """An arrow has a start, a step and an end, each at a box."""
    for points in flows.values():
        assert [p["ph"] for p in points] == ["s", "t", "f"], points
        for p in points:
            spans = boxes[p["pid"], p["tid"]]
            assert any(ts <= p["ts"] <= ts + dur for ts, dur in spans), p


def check_requests(events):
    """Each begins and ends, with what is in progress counted beside; gives how long each lasted."""
    begun = {e["id"]: e for e in events if e["ph"] == "b"}
    ended = {e["id"]: e for e in events if e["ph"] == "e"}
    assert begun and set(begun) == set(ended)
    lasted = [ended[i]["ts"] - e["ts"] for i, e in begun.items()]
    assert min(lasted) > 0
    for pid in {e["pid"] for e in events}:
        counts = [e["args"]["requests"] for e in events if e["ph"] == "C" and e["pid"] == pid]
        assert len(counts) == 2 * sum(e["pid"] == pid for e in begun.values()) and min(counts) == 0 == counts[-1]
    return lasted


def check_trace(text):
    events = json.loads(text)["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    boxes, flows = {}, {}
    for e in events:
        if e["ph"] == "X":
            boxes.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["dur"]))
        elif e["ph"] in "stf":
            flows.setdefault(e["id"], []).append(e)
    check_requests([e for e in events if e.get("cat") == "request"])
    kernels = {e["name"] for e in events if e.get("cat") == "kernel"}
    assert kernels and all(name.endswith(" kernel") for name in kernels), kernels
    about = json.loads(text)["otherData"]
    assert about["simulated"] is True and about["policy"] and about["mechanism"] and about["seed"] >= 0, about
    assert boxes and flows
    assert set(boxes) <= named
    check_boxes(boxes)
    check_flows(flows, boxes)


class Page(html.parser.HTMLParser):
    """Tags balance, and nothing is fetched."""

    VOID = {"meta", "rect", "line", "path", "circle"}

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert tag not in ("script", "link", "img", "iframe"), tag
        # Only what lies beside it is linked.
        assert {v for n, v in attrs if n in ("src", "href")} <= {"trace.json", "results.json"}, (tag, attrs)
        if tag not in self.VOID or tag in ("rect", "path", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.open)


def check_page(text):
    page = Page()
    page.feed(text)
    assert not page.open, page.open
    assert {"table", "svg", "path", "rect", "circle", "a"} <= page.seen
    # What it says comes first, the table last.
    places = [text.index(word) for word in ("class=\"lead\"", "class=\"notice\"", "Stock driver", "<circle", "<table")]
    assert places == sorted(places), places
    assert "simulated" in text


def main(gpreempt, scenario):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t.json")
        call(gpreempt, "run", scenario, "--trace", trace)
        check_trace(read(trace))
        out = os.path.join(folder, "a", "b")
        call(gpreempt, "demo", "--scenario", scenario, "--out", out)
        assert sorted(os.listdir(out)) == ["index.html", "results.json", "trace.json"]
        check_trace(read(os.path.join(out, "trace.json")))
        check_page(read(os.path.join(out, "index.html")))
        runs = json.loads(read(os.path.join(out, "results.json")))
        call(gpreempt, "demo", "--scenario", os.path.abspath(scenario), cwd=folder)
        assert sorted(os.listdir(os.path.join(folder, "gpreempt-demo"))) == sorted(os.listdir(out))
        assert {r["schema"] for r in runs} == {"gpreempt.sim/1"}
        assert {r["mechanism"] for r in runs} >= {"none", "hwprio", "cwsr", "reset"}
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
