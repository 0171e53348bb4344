# SPDX-License-Identifier: MIT
"""Help, manual pages and completion know the same verbs and options."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import COMMAND, ROOT

PAGES = {
    "gpreempt": [""],
    "gpreempt-list": ["list", "show", "top"],
    "gpreempt-run": ["run", "cdi"],
    "gpreempt-set": ["set", "grant", "revoke", "suspend", "resume", "attach", "detach", "policy"],
    "gpreempt-stats": ["stats", "report", "monitor", "trace record", "trace convert", "metrics"],
    "gpreempt-advise": ["advise"],
    "gpreempt-selftest": ["selftest", "calibrate"],
    "gpreempt-check": ["check", "config", "bench mechanisms"],
}


def output(*args):
    return subprocess.run([COMMAND, *args], check=True, stdout=subprocess.PIPE, text=True,
                          timeout=20).stdout


def page(name):
    with open(os.path.join(ROOT, "man", name + ".1"), encoding="utf-8") as f:
        return f.read().replace("\\-", "-").replace("\\fR", "").replace("\\fB", "")


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def verbs():
    return re.findall(r"^  ([a-z]+) ", output("--help"), re.M)


def missing(verb, text, shared):
    """Options of a verb that neither its page nor the first one has."""
    return options(output(*verb.split(), "--help")) - options(text) - options(shared)


def test_every_verb_and_option_has_its_page():
    known = {v.split()[0] for names in PAGES.values() for v in names if v}
    assert known | {"sim", "version", "help"} == set(verbs())
    shared = page("gpreempt")
    for name, names in PAGES.items():
        text = page(name)
        for verb in filter(None, names):
            assert not missing(verb, text, shared), (verb, missing(verb, text, shared))
            assert re.search(rf"\b{verb.split()[0]}\b", text)
            assert re.search(rf"\b{verb.split()[0]}\b", shared)


def test_no_page_tells_of_options_that_are_not_there():
    for name, names in PAGES.items():
        there = set()
        for verb in names:
            there |= options(output(*verb.split(), "--help") if verb else "")
        if name == "gpreempt":
            for verb in ("list", "stats", "monitor", "policy"):
                there |= options(output(verb, "--help"))
        assert options(page(name).split(".SH EXAMPLES")[0]) <= there, name


def test_every_column_that_top_sorts_by_is_on_its_page():
    r = subprocess.run([COMMAND, "top", "--once", "--sort", "?"], stderr=subprocess.PIPE, text=True, timeout=20)
    names = r.stderr.split("one of ")[1].strip().split(", ")
    text = page("gpreempt-list").split("--sort")[1].split(".SH")[0]
    assert r.returncode == 2 and len(names) > 10
    assert [n for n in names if not re.search(rf"\b{n}\b", text)] == []


def test_a_missing_option_would_be_noticed():
    text = page("gpreempt-run").replace("--weight", "--wait")
    assert missing("run", text, page("gpreempt")) == {"--weight"}


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is missing")
def test_pages_are_without_warnings():
    folder = os.path.join(ROOT, "man")
    for name in sorted(n for n in os.listdir(folder) if n[-1].isdigit()):
        r = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(folder, name)],
                           stderr=subprocess.PIPE, text=True, check=True, timeout=20)
        assert r.stderr == "", r.stderr


def test_every_function_of_the_library_is_in_its_page():
    with open(os.path.join(ROOT, "include/gpreempt/gpreempt.h"), encoding="utf-8") as f:
        header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    with open(os.path.join(ROOT, "man/libgpreempt.3"), encoding="utf-8") as f:
        text = f.read()
    names = set(re.findall(r"^[\w *]*?\b(gpreempt_\w+)\(", header, re.M))
    assert len(names) > 20
    assert {n for n in names if n + "()" not in text} == set()


def complete(*words):
    """What bash offers for the last word."""
    script = (f"source {ROOT}/completion/gpreempt.bash; COMP_WORDS=(\"$@\");"
              "COMP_CWORD=$(($# - 1)); compopt() { :; }; _gpreempt; printf '%s\\n' \"${COMPREPLY[@]}\"")
    r = subprocess.run(["bash", "-c", script, "bash", COMMAND, *words], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=30, check=False,
                       env={**os.environ, "GPREEMPT_SOCKET": "/nonexistent/s"})
    assert not r.stderr, r.stderr
    return set(r.stdout.split())


def test_bash_completes():
    assert set(verbs()) <= complete("")
    assert complete("su") == {"suspend"}
    assert {"prio", "off_max", "wait"} <= complete("top", "--sort", "")
    assert complete("list", "") == {"devices", "queues", "procs", "jobs", "totals",
                                    "cgroups"}
    assert "--histogram" in complete("stats", "--h")
    assert complete("trace", "r") == {"record"}
    assert "--duration" in complete("trace", "record", "--d")
    assert complete("run", "--pri") == {"--priority"}
    assert complete("list", "--color", "a") == {"auto", "always"}
    # Of the simulator, where "run" is not the verb run; and values.
    assert complete("sim", "run", "--pol") == {"--policy"}
    assert complete("sim", "run", "--gpu", "mi3") == {"mi300x", "mi308x"}
    assert complete("sim", "run", "--mechanism", "cw") == {"cwsr", "cwsr-queue"}
    assert complete("list", "queues", "--sort", "ring_a") == {"ring_addr"}
    assert complete("list", "--fields", "nr_p") == {"nr_preempted"}
    assert complete("policy", "set", "f") == {"fair"}
    assert complete("policy", "set", "prio", "hyst") == {"hysteresis_ns="}
    assert complete("set", "12", "pr") == {"prio="}
    assert complete("help", "tr") == {"trace"}
    assert "complete" not in complete("")


def test_completion_asks_the_daemon(crowd):
    out = subprocess.run([COMMAND, "complete", "--socket", crowd.path, "show", ""], check=True, text=True,
                         stdout=subprocess.PIPE, timeout=20).stdout
    assert f"{crowd.offline.pid}\toffline" in out.splitlines() and "gpu:2" in out
    out = subprocess.run([COMMAND, "complete", "--socket", crowd.path, "run", "-c", "b"], check=True, text=True,
                         stdout=subprocess.PIPE, timeout=20).stdout
    assert out == "besteffort\n"


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is missing")
def test_zsh_reads_its_completion():
    subprocess.run(["zsh", "-n", os.path.join(ROOT, "completion/_gpreempt")], check=True, timeout=20)


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is missing")
def test_fish_completes(tmp_path):
    script = f"source {ROOT}/completion/gpreempt.fish; complete -C '{COMMAND} sim compare --gpu mi21'"
    env = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path),
           "XDG_CONFIG_HOME": str(tmp_path), "PATH": os.path.dirname(COMMAND) + ":" + os.environ["PATH"]}
    r = subprocess.run(["fish", "--no-config", "-c", script.replace(COMMAND, "gpreempt")], text=True, check=True, timeout=60,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert r.stdout.split() == ["mi210"], r


def test_texts_of_verbs_stand_alone():
    """zsh and a reader of one line see them without the line above."""
    for line in re.findall(r"^  [a-z]+ +(.*)$", output("--help"), re.M):
        assert not re.search(r"\b(them|it go|the same)\b", line), line
    for verb in verbs():
        if verb not in ("help", "version", "complete"):
            assert re.search(rf"\b{verb}\b", output(verb, "--help"))


SUBVERBS = {"sim": ("run", "compare", "demo", "import", "list", "params"), "trace": ("record", "convert"),
            "bench": ("mechanisms",)}
OF_NO_DAEMON = 3  # exit code


def examples(verb):
    return [line.strip() for line in output(*verb.split(), "--help").partition("\nexamples:\n")[2].splitlines()]


def is_taken(line, folder):
    """Whether the command understands its words; files are there, a daemon is not."""
    r = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                       cwd=folder, check=False,
                       env={**os.environ, "PATH": f"{folder}/bin:/usr/bin:/bin", "GPREEMPT_SOCKET": "/nonexistent/s"})
    return r.returncode in (0, 1, OF_NO_DAEMON) and "no such" not in r.stderr


@pytest.fixture
def folder_of_examples(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gpreempt").symlink_to(COMMAND)
    (tmp_path / "scenarios").symlink_to(os.path.join(ROOT, "scenarios"))
    with open(os.path.join(ROOT, "scenarios/two-tenants-fair.scn"), encoding="utf-8") as f:
        (tmp_path / "mine.scn").write_text(f.read())
    for name in ("serve", "serve_kernel_trace", "train", "train_kernel_trace"):
        source = "online.csv" if name.startswith("serve") else "offline.csv"
        (tmp_path / (name + ".csv")).symlink_to(os.path.join(ROOT, "examples/traces", source))
    (tmp_path / "new.conf").write_text("")
    (tmp_path / "slow.jsonl").write_text("")
    return tmp_path


# These need what no file can stand for (a GPU, a program, root's folders, a file that the one before writes),
# or take long and are run by test_readme.py.
NOT_RUN = ("gpreempt advise", "gpreempt sim demo", "gpreempt sim compare scenarios/demo.scn", "gpreempt selftest",
           "gpreempt bench", "gpreempt run", "gpreempt cdi -o /etc", "gpreempt calibrate", "gpreempt trace convert",
           "gpreempt report --since")


def test_every_verb_shows_examples_that_it_takes(folder_of_examples):
    nr = 0
    for verb in [v + (" " + s if s else "") for v in verbs() if v not in ("help", "version")
                 for s in SUBVERBS.get(v, ("",))]:
        lines = examples(verb)
        assert lines, verb
        for line in lines:
            words = line.split()
            assert words[:1 + len(verb.split())] == ["gpreempt", *verb.split()], line
            # Its options are among those that its help has.
            own = line.split(" -- ")[0]
            assert options(own) <= options(output(*verb.split(), "--help").partition("\nexamples:")[0]), line
            if not line.startswith(NOT_RUN):
                assert is_taken(line, folder_of_examples), line
                nr += 1
    assert nr > 25


def test_an_example_that_is_wrong_would_be_noticed(folder_of_examples):
    for line in ("gpreempt attach 4711 -c besteffort", "gpreempt suspend 4711 --lease soon", "gpreempt sim run nowhere.scn",
                 "gpreempt list --gpus 0"):
        assert not is_taken(line, folder_of_examples), line


def test_every_verb_has_a_manual_page_of_its_name():
    with open(os.path.join(ROOT, "man/meson.build"), encoding="utf-8") as f:
        text = f.read()
    for verb in verbs():
        if verb not in ("help", "version", "run"):
            assert re.search(rf"'{verb}'|'gpreempt-{verb}.1'", text), verb
