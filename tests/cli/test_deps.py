# SPDX-License-Identifier: MIT
"""tools/deps on a machine that is made up: dpkg, apt, sudo and systemd are scripts and files."""
import os
import subprocess

import pytest
from conftest import ROOT

DEPS = os.path.join(ROOT, "tools", "deps")
# has/ holds what is installed, apt/ what can be, units/ what is enabled.
FAKES = {
    "id": "echo 1000",
    "sudo": '[ "$1" != install ] && [ "$1" != rm ] || exit 0; exec "$@"',
    "fuser": "exit 1",
    "dpkg-query": 'for p; do :; done; [ ! -e "$W/has/$p" ] || printf installed',
    "apt-cache": 'for p; do :; done; [ -e "$W/apt/$p" ]',
    "apt-get": """echo "$@" >>"$W/said"
[ "$1" != -s ] || { cat "$W/plan"; exit 0; }
case "$*" in *" install "*) ;; *) exit 0 ;; esac
while [ "$1" != --no-install-recommends ]; do shift; done
shift
for p; do [ -e "$W/apt/$p" ] || exit 100; done
for p; do
    : >"$W/has/$p"
    case $p in podman) : >"$W/units/--system/podman.timer"; : >"$W/units/--global/podman.socket" ;; esac
done""",
    "systemctl": """case $2 in
disable) rm "$W/units/$1/$3" ;;
*) for u in $(ls "$W/units/$1"); do echo "$u enabled enabled"; done ;;
esac""",
}


class Machine:
    def __init__(self, folder):
        self.folder = folder
        for name in ("bin", "has", "apt", "units/--system", "units/--global"):
            (folder / name).mkdir(parents=True)
        for name, text in FAKES.items():
            path = folder / "bin" / name
            path.write_text("#!/bin/sh\n" + text + "\n")
            path.chmod(0o755)
        for scope in ("--system", "--global"):
            (folder / "units" / scope / "old.service").touch()

    def deps(self, *words, path="/usr/bin:/bin", **env):
        return subprocess.run([DEPS, *words], capture_output=True, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL,
                              env={"PATH": f"{self.folder}/bin:{path}", "W": str(self.folder), **env})

    def packages(self, name):
        """Of a set, as tools/deps names them; not what it takes from another."""
        with open(DEPS, encoding="utf-8") as f:
            body = f.read().partition(f'\n{name}="\n')[2].partition('\n"\n')[0]
        return [p for p in body.split("\n") if not p.startswith("$")]

    def offer(self, *names, but=()):
        for name in names:
            for package in self.packages(name):
                if package not in but:
                    (self.folder / "apt" / package).touch()

    def has(self, package):
        return (self.folder / "has" / package).exists()


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


REQUIRED = ("DEMO", "BUILD", "CHECK")


def test_all_is_installed_and_then_silent(machine):
    machine.offer(*REQUIRED, "SLURM", "CONTAINERS")
    r = machine.deps()
    assert r.returncode == 0 and machine.has("slurmctld") and machine.has("podman"), r.stderr
    r = machine.deps()
    assert (r.returncode, r.stdout, r.stderr) == (0, "", "")


def test_without_slurm_the_rest_is_installed(machine):
    machine.offer(*REQUIRED, "SLURM", "CONTAINERS", but=("slurmctld",))
    r = machine.deps()
    assert r.returncode == 0, r.stdout + r.stderr
    assert machine.has("gcc") and machine.has("podman") and not machine.has("slurmd")
    said = [line for line in r.stdout.splitlines() if "their tests are skipped" in line]
    assert len(said) == 1 and "slurmctld" in said[0] and "podman" not in said[0]
    # The next time costs no look at the network.
    (machine.folder / "said").unlink()
    r = machine.deps()
    assert r.returncode == 0 and "slurmctld" in r.stdout and not (machine.folder / "said").exists()


def test_without_root_the_rest_is_enough(machine):
    for name in REQUIRED:
        for package in machine.packages(name):
            (machine.folder / "has" / package).touch()
    (machine.folder / "bin" / "sudo").unlink()
    # No other sudo either.
    for name in ("sh", "sed", "xargs", "env", "mktemp", "cat", "tail", "rm", "ls", "printf", "echo"):
        (machine.folder / "bin" / name).symlink_to("/usr/bin/" + name)
    r = machine.deps(path="/nowhere")
    assert r.returncode == 0 and "podman" in r.stdout, r.stderr


def test_what_is_required_is_required(machine):
    machine.offer(*REQUIRED, but=("gcc",))
    r = machine.deps("build")
    assert r.returncode == 1 and "could not install" in r.stderr
    assert machine.deps("slurm").returncode == 1


def test_new_services_are_switched_off_and_old_ones_stay(machine):
    machine.offer(*REQUIRED, "SLURM", "CONTAINERS")
    assert machine.deps().returncode == 0 and machine.has("podman")
    for scope in ("--system", "--global"):
        assert os.listdir(machine.folder / "units" / scope) == ["old.service"]


DEMO_TOOLS = ("gcc", "meson", "ninja", "pkg-config", "objcopy")
SMALL_TOOLS = ("sh", "sed", "xargs", "env", "mktemp", "cat", "tail", "rm", "ls", "printf", "echo", "grep", "tee", "awk")


@pytest.fixture
def own(machine):
    """A user's machine: what is not put there is not there, root and sudo included."""
    (machine.folder / "bin/sudo").unlink()
    for name in SMALL_TOOLS:
        (machine.folder / "bin" / name).symlink_to("/usr/bin/" + name)
    (machine.folder / "plan").write_text("Inst ninja-build (1.11 Debian)\n")
    return machine


def put_demo_tools(machine, but=()):
    for name in DEMO_TOOLS:
        path = machine.folder / "bin" / name
        path.write_text('#!/bin/sh\ncase "$1" in --variable=libdir) echo "$W/lib" ;; esac\n')
        path.chmod(0o755)
    (machine.folder / "lib").mkdir()
    (machine.folder / "lib/libjansson.a").touch()
    for name in but:
        (machine.folder / name).unlink()


def was_asked(machine):
    return (machine.folder / "said").read_text().splitlines() if (machine.folder / "said").exists() else []


def test_demo_asks_apt_nothing_where_its_tools_are(own):
    put_demo_tools(own)
    r = own.deps("demo", path="/nowhere")
    assert (r.returncode, r.stdout, r.stderr) == (0, "", "")
    assert was_asked(own) == [] and os.listdir(own.folder / "has") == []


@pytest.mark.parametrize("gone", ["bin/ninja", "bin/objcopy", "lib/libjansson.a"])
def test_demo_installs_nothing_that_nobody_agreed_to(own, gone):
    put_demo_tools(own, but=(gone,))
    own.offer("DEMO")
    r = own.deps("demo", path="/nowhere")
    assert r.returncode == 1 and "apt would install: ninja-build" in r.stdout, r
    assert "GPREEMPT_INSTALL=yes make demo" in r.stderr
    # It only asked what would be done.
    assert all(line.startswith("-s ") for line in was_asked(own)) and was_asked(own)
    assert os.listdir(own.folder / "has") == []


def test_demo_installs_what_was_agreed_to(machine):
    machine.offer("DEMO")
    (machine.folder / "plan").write_text("Inst ninja-build (1.11 Debian)\n")
    for name in DEMO_TOOLS:
        path = machine.folder / "bin" / name
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    r = machine.deps("demo", GPREEMPT_INSTALL="yes")
    assert r.returncode == 0 and machine.has("ninja-build"), r
    assert not machine.has("libcmocka-dev")


def test_demo_upgrades_nothing(machine):
    machine.offer("DEMO")
    path = machine.folder / "bin/pkg-config"
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    (machine.folder / "plan").write_text("Inst libsystemd-dev (252 Debian)\nInst systemd [252.1] (252.2 Debian)\n")
    r = machine.deps("demo", GPREEMPT_INSTALL="yes")
    assert r.returncode == 1 and "apt would upgrade what is there: systemd." in r.stderr, r
    assert os.listdir(machine.folder / "has") == []
