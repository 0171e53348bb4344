# SPDX-License-Identifier: MIT
"""The steps of tools/check: what is run, and how its counts are read."""
import collections
import glob
import json
import os
import re
import subprocess
import xml.etree.ElementTree

from checklib import ROOT

LOGS = os.path.join(ROOT, "build", "check")
CACHE = os.environ.get("GPREEMPT_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gpreempt")
# Of tests on the host: half of their time they wait.
PROCESSES = str(2 * (os.cpu_count() or 1))
TAIL = 40

SANITIZER_ENV = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:print_legend=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


class Result:
    """Counts of one step, what to show if it failed, and (seconds, name) of its tests."""

    def __init__(self, passed=0, failed=0, skipped=0, note="", details="", times=()):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.note, self.details, self.times = note, details, list(times)


def in_memory():
    """Where tests put the files of a daemon: as /run is on a machine, for a daemon that writes its
    state answers when the disk lets it."""
    try:
        stat = os.statvfs("/dev/shm")
    except FileNotFoundError:
        return {}
    has_room = stat.f_bavail * stat.f_frsize > 1 << 30
    is_good = has_room and os.access("/dev/shm", os.W_OK) and not stat.f_flag & os.ST_NOEXEC
    return {"TMPDIR": "/dev/shm"} if is_good else {}


def tail(text):
    return "\n".join(text.rstrip().splitlines()[-TAIL:])


def run(log, *command, env=None):
    """Runs a command with its output in the log; returns (ok, output)."""
    log.write(f"$ {' '.join(command)}\n")
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        RUNNING.add(process)
        try:
            out = process.communicate()[0]
        except BaseException:
            process.terminate()
            raise
        finally:
            RUNNING.discard(process)
    log.write(out)
    return process.returncode == 0, out


def checker(tool):
    """A checker of tools/: its negative controls, then the tree."""

    def step(log):
        runs = [run(log, f"tools/{tool}", "--self-test"), run(log, f"tools/{tool}")]
        failed = [out for ok, out in runs if not ok]
        return Result(len(runs) - len(failed), len(failed), details=tail("".join(failed)))

    return step


def build(config):
    def step(log):
        ok, out = run(log, "tools/build", "--werror", config)
        return Result(int(ok), int(not ok), details=tail(out))

    return step


def is_built(config):
    """Whether the last build of this configuration in this run succeeded."""
    return config in BUILT


def meson_results(config):
    path = os.path.join(ROOT, "build", config, "meson-logs", "testlog.json")
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def failure_report(test):
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    return f"--- {test['name']}: {test['result']}\n{tail(text)}"


def tests(config, *options, env=None):
    """The meson tests of one build. Exit code 77 of a test means skipped."""

    def step(log):
        if not is_built(config):
            return Result(skipped=1, note="not built")
        log_json = os.path.join(ROOT, "build", config, "meson-logs", "testlog.json")
        if os.path.exists(log_json):
            os.unlink(log_json)
        ok, out = run(log, "meson", "test", "-C", f"build/{config}", "--no-rebuild",
                      "--num-processes", PROCESSES, *options, env={**in_memory(), **(env or {})})
        if not os.path.exists(log_json):
            return Result(failed=1, details=tail(out))
        results = meson_results(config)
        good = [t for t in results if t["result"] in ("OK", "EXPECTEDFAIL")]
        skipped = [t for t in results if t["result"] == "SKIP"]
        bad = [t for t in results if t not in good and t not in skipped]
        details = "\n".join(map(failure_report, bad))
        if not ok and not bad:
            bad, details = [None], tail(out)
        return Result(len(good), len(bad), len(skipped), details=details,
                      times=[(t["duration"], t["name"].rpartition("/ ")[2]) for t in results])

    return step


def determinism(log):
    if not is_built("gcc") or not is_built("clang"):
        return Result(skipped=1, note="not built")
    if not os.path.exists(os.path.join(ROOT, "build/gcc/src/cli/gpreempt")):
        return Result(skipped=1, note="there is no gpreempt command yet")
    return counted("tools/check-determinism")(log)


def counted(tool):
    """A tool that prints a line with `pass` or `FAIL` for each thing it looked at."""

    def step(log):
        ok, out = run(log, tool)
        skipped = re.search(r"^vehicle/\w+: skipped: (.*)$", out, re.M)
        if skipped and not ok:
            return Result(skipped=1, note=skipped.group(1))
        failed = sum(line.startswith("FAIL ") for line in out.splitlines())
        passed = sum(line.startswith("pass ") for line in out.splitlines())
        return Result(passed, failed if ok else max(failed, 1), details=tail(out))

    return step


def kernel_source(log):
    """Tests of machine code read AMD's handlers there: they would be skipped if it came later."""
    ok, out = run(log, "vehicle/fetch")
    skipped = re.search(r"^vehicle/fetch: skipped: (.*)$", out, re.M)
    if skipped:
        return Result(skipped=1, note=skipped.group(1))
    return Result(int(ok), int(not ok), details=tail(out))


def fuzz(log):
    if not is_built("fuzz"):
        return Result(skipped=1, note="not built")
    return counted("tools/fuzz")(log)


def self_tests(log):
    """Of the programs that judge."""
    runs = [run(log, program, "--self-test")
            for program in ("tools/check", "tools/check-under-load", "tools/figures", "tools/readme",
                            "vehicle/run")]
    failed = [out for ok, out in runs if not ok]
    return Result(len(runs) - len(failed), len(failed), details=tail("".join(failed)))


def guest(*arguments, env=None):
    """AMD's driver on the simulated GPU: vehicle/run prints the counts in its last line."""

    def step(log):
        ok, out = run(log, "vehicle/run", *arguments, env=env)
        lines = out.strip().splitlines()
        if lines and "skipped:" in lines[-1]:
            return Result(skipped=1, note=lines[-1].partition("skipped: ")[2])
        counts = re.match(r"(\d+) passed, (\d+) failed, (\d+) skipped$", lines[-1] if lines else "")
        if not counts:
            return Result(failed=1, details=tail(out))
        passed, failed, skipped = map(int, counts.groups())
        bad = "\n".join(line for line in lines if line.strip().startswith(("not ok", "repeat:")))
        return Result(passed, failed if ok else max(failed, 1), skipped, details=bad or tail(out),
                      times=guest_times(lines))

    return step


def guest_times(lines):
    """Of lines such as "# stack: 3.1 s, 8.4 s of virtual time"."""
    found = (re.match(r"# (\w+): ([\d.]+) s", line) for line in lines)
    return [(float(m.group(2)), m.group(1)) for m in found if m]


def add(results):
    return Result(*(sum(getattr(r, k) for r in results) for k in ("passed", "failed", "skipped")),
                  note=", ".join(dict.fromkeys(r.note for r in results if r.note)),
                  details="\n".join(r.details for r in results if r.failed),
                  times=[t for r in results for t in r.times])


def virtual(variant, *by_counting):
    """The guest in virtual time; where that cannot be had it counts as skipped, and QEMU takes its
    place, with a clock that counts instructions for what has verdicts about time."""

    def step(log):
        result = guest("--kernel", "uml", "--variant", variant)(log)
        if result.passed or result.failed:
            RAN.add("uml" if variant == "stock" else f"uml {variant}")
            return result
        instead = add([result, guest("--variant", variant)(log),
                       guest("--steady", "--variant", variant, *by_counting)(log)])
        instead.note = f"in QEMU: {result.note}"
        return instead

    return step


def python(config, *paths):
    """The Python package and random clients against the daemon of a build; pytest counts."""

    def step(log):
        if not is_built("gcc") or not is_built(config):
            return Result(skipped=1, note="not built")
        for module in ("pytest", "hypothesis", "cffi", "matplotlib"):
            if not run(log, "/usr/bin/python3", "-c", f"import {module}")[0]:
                return Result(skipped=1, note=f"python3-{module} is missing")
        junit = os.path.join(LOGS, f"python-{config}.xml")
        env = {"PYTHONDONTWRITEBYTECODE": "1", "GPREEMPTD": f"build/{config}/src/daemon/gpreemptd"}
        ok, out = run(log, "/usr/bin/python3", "-m", "pytest", "-q", f"--junit-xml={junit}",
                      *paths, env={**in_memory(), **SANITIZER_ENV, **env})
        if not os.path.exists(junit):
            return Result(failed=1, details=tail(out))
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        total, failures, errors, skipped = (int(suite.get(k)) for k in
                                            ("tests", "failures", "errors", "skipped"))
        failed = failures + errors
        return Result(total - failed - skipped, failed if ok else max(failed, 1), skipped,
                      details=tail(out),
                      times=[(float(c.get("time")), c.get("name")) for c in suite.iter("testcase")])

    return step


def symbols(log):
    """What amdkfd needs of amdgpu; needs the objects that the guest step has built."""
    ok, out = run(log, "tools/check-symbols", "--self-test")
    if not ok:
        return Result(failed=1, details=tail(out))
    ok, out = run(log, "tools/check-symbols")
    if "skipped:" in out:
        return Result(1, skipped=1, note="nothing built")
    return Result(1 + int(ok), int(not ok), details=tail(out))


def kernel_style(log):
    """checkpatch, W=1 and sparse; needs a kernel in the cache."""
    passed = 0
    for arguments in (["--self-test"], []):
        ok, out = run(log, "tools/check-kernel-style", *arguments)
        if "skipped:" in out:
            return Result(passed, skipped=1, note=out.strip().partition("skipped: ")[2])
        if not ok:
            return Result(passed, 1, details=tail(out))
        passed += 1
    return Result(passed)


# What another compiler may change. Programs that talk run with gcc and under sanitizers.
COMPUTING = ("--suite", "unit", "--suite", "scenario", "--suite", "isa")
SCALE = {"GP_TEST_SCALE": os.environ.get("GP_TEST_SCALE", "10")}

# Compared byte by byte, results and kernel's log: requests, policies, limits, other programs; and
# the daemon, the shim and the tracer, with a seed, which shows every call more or less.
SAME_TWICE = ["sched_latency", "sched_story", "sched_limit", "sched_exec", "sched_rows"]
SAME_TWICE_STACK = ["stack", "stack_hold", "stack_user", "tracer_hold"]


def same_twice(log):
    return add([guest("--kernel", "uml", "--variant", "hooks", "--twice", *SAME_TWICE)(log),
                guest("--kernel", "uml", "--twice", "--seed", "1", *SAME_TWICE_STACK)(log)])


def measured(log):
    """That the page of figures is what is found; the steps before have run the tests."""
    ok, out = run(log, "tools/measured", "--self-test")
    if not ok:
        return Result(failed=1, details=tail(out))
    has_run = RAN >= {"uml", "uml hooks"} and "GP_TEST_SCALE" not in os.environ
    ok, out = run(log, "tools/measured", "--check", *(["--last"] if has_run else []))
    if "skipped:" in out:
        return Result(1, skipped=1, note=out.strip().partition("skipped: ")[2])
    return Result(1 + int(ok), int(not ok), details=tail(out))


# For check-quick: of each part of the stack and of each way to preempt something.
QUICK_STOCK = ["dispatch", "debug_list", "stack", "stack_cli", "stack_user", "tracer_hold"]
QUICK_HOOKS = ["sched", "sched_limit", "sched_story", "sched_user"]
QUICK_SUITES = ("unit", "scenario", "cli", "daemon")
QUICK_ENV = {"GP_TEST_SCALE": "10"}


def quick_guest(log):
    """Not before there is a kernel: to compile one takes longer than all else."""
    if not glob.glob(os.path.join(CACHE, "linux-uml-*", "complete")):
        return Result(skipped=1, note="no kernel in the cache: `vehicle/run --kernel uml` makes it")
    return add([guest("--kernel", "uml", *QUICK_STOCK)(log),
                guest("--kernel", "uml", "--variant", "hooks", *QUICK_HOOKS)(log)])


def quick_tests(log):
    suites = [word for suite in QUICK_SUITES for word in ("--suite", suite)]
    return tests("gcc", *suites, "--timeout-multiplier", "10", env=QUICK_ENV)(log)


def left_out():
    """Lines that say what a quick run did not look at."""
    steps = [s.name for s in STEPS if s not in quick_steps()]
    yield f"left out: {', '.join(steps)}"
    yield (f"in part: tests of the suites {', '.join(QUICK_SUITES)} only, with fewer repetitions; "
           f"{len(QUICK_STOCK + QUICK_HOOKS)} tests of the guest. `make check` runs all")


FIRST, HOST, GUEST = "first", "host", "guest"
# Seconds are for the first estimate: from nothing but the kernels, on two cores of 2026.
# Builds are those that a step needs: who names the step alone gets them too.
Step = collections.namedtuple("Step", "name lane seconds run builds", defaults=((),))
STEPS = [
    Step("format", FIRST, 1, checker("check-format")),
    Step("licences", FIRST, 1, checker("check-spdx")),
    Step("layers", FIRST, 1, checker("check-layers")),
    Step("docs", FIRST, 1, checker("check-docs")),
    Step("kernel source", FIRST, 3, kernel_source),
    Step("build gcc", FIRST, 35, build("gcc")),
    Step("build clang", FIRST, 30, build("clang")),
    Step("build asan", FIRST, 45, build("asan")),
    Step("build fuzz", FIRST, 25, build("fuzz")),
    Step("freestanding", HOST, 15, checker("check-freestanding")),
    Step("tests gcc", HOST, 140, tests("gcc", "--timeout-multiplier", "10"), ["gcc"]),
    Step("tests clang", HOST, 75, tests("clang", *COMPUTING, "--timeout-multiplier", "10"),
         ["clang"]),
    Step("tests asan", HOST, 150,
         tests("asan", "--timeout-multiplier", "20", env={**SANITIZER_ENV, **SCALE}),
         ["asan"]),
    Step("determinism", HOST, 18, determinism, ["gcc", "clang"]),
    Step("python", HOST, 80, python("gcc", "tests/python"), ["gcc"]),
    Step("python asan", HOST, 10,
         python("asan", "tests/python/test_property.py", "tests/python/test_group.py"),
         ["gcc", "asan"]),
    Step("fuzz", HOST, 85, fuzz, ["fuzz"]),
    Step("self-tests", GUEST, 2, self_tests),
    Step("uml", GUEST, 170, virtual("stock", "stack_preempt", "stack_idle", "stack_reset")),
    Step("uml hooks", GUEST, 60, virtual("hooks", "sched_latency")),
    Step("uml determinism", GUEST, 20, same_twice),
    Step("planted races", GUEST, 40, counted("vehicle/races")),
    Step("measured", GUEST, 10, measured),
    Step("guest", GUEST, 170, guest("--only-host")),
    Step("guest hooks", GUEST, 90, guest("--variant", "hooks", "--only-host")),
    Step("symbols", GUEST, 1, symbols),
    Step("hooks", GUEST, 1, checker("check-hooks")),
    Step("kernel style", GUEST, 90, kernel_style),
]
ONLY_QUICK = [
    Step("quick tests", HOST, 40, quick_tests, ["gcc"]),
    Step("quick guest", GUEST, 60, quick_guest),
]
QUICK = ("format", "licences", "layers", "docs", "build gcc", "freestanding")
BUILT = set()
RAN = set()
RUNNING = set()


def quick_steps():
    return [s for s in STEPS if s.name in QUICK] + ONLY_QUICK
