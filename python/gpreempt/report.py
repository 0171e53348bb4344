# SPDX-License-Identifier: MIT
"""python3 -m gpreempt.report: run the cases and write one page about them.

Starts gpreemptd on simulated nodes, or uses the daemon whose socket is given. Exit code: 0 all
cases passed, 1 one failed, 2 wrong usage, 3 there is no daemon to be had.
"""
import argparse
import html
import os
import platform
import sys
import time

from . import cases, plots
from .daemon import NotStarted
from .errors import GPreemptError

CSS = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1c1e21; --dim: #555b63; --rule: #d8dce1; --soft: #f3f5f7;
  --link: #0072b2; --pass: #1d7a3e; --fail: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bg: #15181c; --fg: #e6e8eb; --dim: #9aa1aa; --rule: #343a42; --soft: #1e2329;
  --link: #4aa8e0; --pass: #7cc480; --fail: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem;
  color: var(--fg); background: var(--bg); }
a { color: var(--link); }
h1 { margin: .2rem 0 0; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
table { border-collapse: collapse; margin: .8rem 0; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.value { font-variant-numeric: tabular-nums; color: var(--dim); overflow-wrap: break-word; }
.pass { color: var(--pass); font-weight: 600; white-space: nowrap; }
.fail { color: var(--fail); font-weight: 600; white-space: nowrap; }
.simulated { background: var(--soft); border-left: .3rem solid #e0a800; padding: .6rem 1rem; }
figure { margin: 1rem 0; overflow-x: auto; } figcaption { color: var(--dim); font-size: .85rem; }
figure svg { width: 100%; min-width: 32rem; height: auto; background: #fff; }
pre { white-space: pre-wrap; font-size: 12px; }
"""

SIMULATED = """<strong>What was simulated.</strong> The GPU is a model in Python that runs one
kernel at a time and keeps what a stopped kernel has done; the processes are simulated clients of
the daemon. The daemon, its scheduling core, its sockets, timers and leases and libgpreempt are
real, and so is the time: latencies contain the delays of this machine and of Python. Nothing here
was measured on AMD hardware or with AMD's driver."""


def text(value):
    return html.escape(str(value))


def verdict(ok):
    if ok is None:
        return "not judged"
    return f'<span class="{"pass" if ok else "fail"}">{"pass" if ok else "FAIL"}</span>'


def table(head, rows):
    cells = "".join(f"<th>{h}</th>" for h in head)
    body = "".join("<tr>" + "".join(f'<td class="value">{c}</td>' if i else f"<td>{c}</td>"
                                    for i, c in enumerate(row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def figure(drawing, caption, name):
    return (f"<figure>{plots.unique(drawing, name)}"
            f"<figcaption>{text(caption)}</figcaption></figure>")


def drawings(result, number):
    """Every plot that the series of a case allow."""
    series, name = result.series, f"c{number}"
    if any(series.get("latency", {}).values()):
        yield figure(plots.latency(series["latency"]),
                     "Distribution of the latency of online requests.", name + "l")
    if "runs" in series:
        yield figure(plots.timeline(series["runs"]),
                     "What was on the GPU, in the middle of the run.", name + "t")
        yield figure(plots.throughput(series["runs"]),
                     "Throughput: offline's part of the time, and answered requests.", name + "p")
    if series.get("stability"):
        yield figure(plots.stability(series["stability"]), "Over the whole run.", name + "s")


def value_cell(value):
    return f"<pre>{text(value)}</pre>" if "\n" in value else text(value)


def section(result, number):
    checks = [(text(c.text), verdict(c.ok), value_cell(c.value)) for c in result.checks]
    figures = [(text(k), text(v)) for k, v in result.figures.items()]
    return (f'<h2 id="case-{number}">{text(result.name.capitalize())} '
            f"{verdict(result.passed)}</h2><p>{text(result.doc)}</p>"
            + table(("figure", "value"), figures) + "".join(drawings(result, number))
            + table(("check", "", "value"), checks))


def page(results, about):
    """The whole page; it needs nothing from outside."""
    summary = [(f'<a href="#case-{i}">{text(r.name)}</a>', verdict(r.passed),
                f"{sum(c.ok is True for c in r.checks)} of {len(r.checks)}", f"{r.seconds:.1f} s")
               for i, r in enumerate(results)]
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<title>gpreempt: report</title><style>{CSS}</style></head><body>"
            f"<h1>gpreempt: report</h1><p>{text(about)}</p>"
            f'<p class="simulated">{SIMULATED}</p>'
            + table(("case", "", "checks that hold", "time"), summary)
            + "".join(section(r, i) for i, r in enumerate(results))
            + "</body></html>\n")


def about_rig(rig):
    info = rig.handle.call("GetInfo")
    policy = rig.handle.policy(rig.gpu_id)
    return (f"{time.strftime('%Y-%m-%d %H:%M')}, gpreemptd {info['version']}, policy {policy}, "
            f"simulated node {rig.gpu_id}, {os.cpu_count()} cores, {platform.system()} "
            f"{platform.release()}, Python {platform.python_version()}.")


def parse(argv):
    p = argparse.ArgumentParser(prog="python3 -m gpreempt.report", description=__doc__)
    p.add_argument("-o", "--output", default="gpreempt-report.html", help="file of the page")
    p.add_argument("-s", "--socket", help="control socket of a daemon that runs with --sim")
    p.add_argument("-c", "--case", action="append", choices=list(cases.CASES),
                   help="only this case; can be given several times")
    p.add_argument("--seconds", type=float, default=3.0, help="length of a measurement: 3")
    p.add_argument("--stability", type=float, default=10.0, metavar="SECONDS",
                   help="length of the stability run: 10")
    p.add_argument("--seed", type=int, default=1, help="of the stability run: 1")
    args = p.parse_args(argv)
    if args.seconds <= 0 or args.stability <= 0:
        p.error("lengths are larger than 0")
    return args


def run(args):
    results = []
    with cases.open_rig(args.socket, seconds=args.seconds, stable_s=args.stability,
                        seed=args.seed) as rig:
        about = about_rig(rig)
        for name in args.case or cases.CASES:
            results.append(cases.run_case(name, rig))
            r = results[-1]
            print(f"{'pass' if r.passed else 'FAIL'}  {r.name:<22} {r.seconds:6.1f} s  "
                  f"{sum(c.ok is True for c in r.checks)} of {len(r.checks)} checks", flush=True)
            for c in r.checks:
                if c.ok is not True:
                    print(f"      {c.text}" + (f": {c.value}" if c.value else ""))
    with open(args.output, "w", encoding="utf-8") as f:
        f.write(page(results, about))
    print(args.output)
    return 0 if all(r.passed for r in results) else 1


def main(argv=None):
    args = parse(argv)
    try:
        return run(args)
    except (NotStarted, GPreemptError) as e:
        print(f"gpreempt.report: {e}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
