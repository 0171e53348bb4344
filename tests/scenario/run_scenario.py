#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a scenario and compares what it gave with the committed text beside it.

    run_scenario.py GPREEMPT FILE.scn...            compare with FILE.txt
    run_scenario.py GPREEMPT --update FILE.scn...   write FILE.txt

The text is the JSON of `gpreempt sim run`, one value a line, without the wall-clock
time: everything in it is virtual and must not change unless the behaviour does.
"""
import difflib
import json
import subprocess
import sys


def lines_of(value, name=""):
    """Flattens JSON; members of a list are called by their "name"."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from lines_of(member, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for member in value:
            yield from lines_of({k: v for k, v in member.items() if k != "name"},
                                f"{name}.{member['name']}")
    else:
        yield f"{name} = {json.dumps(value)}"


def run(gpreempt, scenario):
    r = subprocess.run([gpreempt, "sim", "run", scenario, "--json", "--quiet"], text=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
    if r.returncode not in (0, 1) or (r.returncode == 0 and r.stderr):
        raise SystemExit(f"{scenario}: exit code {r.returncode}: {r.stderr}")
    result = json.loads(r.stdout)
    del result["wall_ns"]
    return "".join(line + "\n" for line in lines_of(result))


def compare(scenario, golden, text):
    with open(golden, encoding="utf-8") as f:
        want = f.read()
    sys.stdout.writelines(difflib.unified_diff(
        want.splitlines(True), text.splitlines(True), golden, "now"))
    return want == text


def main(gpreempt, *args):
    update = "--update" in args
    ok = True
    for scenario in (a for a in args if a != "--update"):
        text = run(gpreempt, scenario)
        golden = scenario.removesuffix(".scn") + ".txt"
        if update:
            with open(golden, "w", encoding="utf-8") as f:
                f.write(text)
        else:
            ok = compare(scenario, golden, text) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
