# SPDX-License-Identifier: MIT
"""README.md, top to bottom: it is short, what it names is there, and its commands run as written.

All of them are run on a bare machine by tools/check-newcomer. What needs root or packages is not run here; such
commands are listed, so that a new one is noticed.
"""
import os
import pty
import re
import select
import shlex
import subprocess

from conftest import COMMAND, ROOT, loads_libraries

MOST_LINES = 120
OF_A_MACHINE = ("make deb", "sudo apt install")
IN_CLONE = "build/demo/src/cli/gpreempt"


def readme():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        return f.read()


def commands(text=None):
    """Every line of the blocks for a shell."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text or readme(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def test_it_is_short_and_says_that_figures_are_simulated():
    lines = readme().splitlines()
    assert len(lines) <= MOST_LINES
    assert readme().lower().count("simulated") >= 4
    assert re.search(r"no AMD GPU has run this yet", readme())


def test_what_it_links_is_there():
    links = set(re.findall(r"\]\(([^)#:]+)\)", readme()))
    assert len(links) > 12
    assert {path for path in links if not os.path.exists(os.path.join(ROOT, path))} == set()


def test_pages_that_it_leads_to_link_what_is_there():
    folder = os.path.join(ROOT, "docs", "guide")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for path in re.findall(r"\]\(([^)#:]+)\)", f.read()):
                assert os.path.exists(os.path.join(folder, path)), (name, path)


def on_terminal(world, words):
    """Runs a full-screen command until it has drawn, then types q. Gives its exit code."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(GPREEMPT_SOCKET=world.path, TERM="xterm")
        os.execv(COMMAND, words)
    seen = b""
    while b"PID" not in seen and select.select([fd], [], [], 30)[0]:
        seen += os.read(fd, 65536)
    os.write(fd, b"q")
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(world, words, cwd):
    return subprocess.run(words, cwd=cwd, timeout=300, check=False, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "GPREEMPT_SOCKET": world.path})


def run_as_written(world, line, folder):
    """Gives why it failed; None = it did what the page says."""
    words = shlex.split(line.removeprefix("sudo "))
    if line == "make demo":
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
            assert re.search(r"^demo:\n(\t@tools/(deps|build) demo\n){2}\t@tools/demo$", f.read(), re.M)
        r = run(world, [os.path.join(ROOT, "tools/demo"), "--quiet", "--out", str(folder / "demo")], ROOT)
        return None if r.returncode == 0 and "simulated: p99 of" in r.stdout else r
    if words[0] == IN_CLONE:
        r = run(world, [COMMAND, *words[1:], "--quiet"], ROOT)
        return None if r.returncode == 0 and len(r.stdout.splitlines()) == 5 else r
    if words == ["gpreempt", "top"]:
        return on_terminal(world, words) or None
    if words == ["gpreempt", "check"]:
        r = run(world, [COMMAND, "check"], folder)
        return None if r.returncode in (0, 1) and "daemon" in r.stdout else r
    if words[:2] == ["gpreempt", "run"]:
        r = run(world, [COMMAND, *words[1:]], folder)
        return None if r.returncode == 0 and "ran" in r.stdout else r
    return "it is not known how to try this command"


@loads_libraries
def test_commands_run_as_written(crowd, tmp_path, monkeypatch):
    monkeypatch.setenv("GPREEMPT", COMMAND)
    (tmp_path / "train.py").write_text("print('ran')\n")
    (tmp_path / "serve").write_text("#!/bin/sh\necho ran\n")
    (tmp_path / "serve").chmod(0o755)
    lines = [c for c in commands() if not c.startswith(OF_A_MACHINE)]
    assert len(lines) >= 6
    for line in lines:
        assert run_as_written(crowd, line, tmp_path) is None, line


def test_a_command_that_is_not_there_would_be_noticed(crowd, tmp_path):
    for line in ("gpreempt dance", "gpreempt run -c besteffort -- ./nowhere", f"{IN_CLONE} advise a b"):
        assert run_as_written(crowd, line, tmp_path) is not None, line
    assert commands("```sh\na\nb\n```\n```\nc\n```\n") == ["a", "b"]
