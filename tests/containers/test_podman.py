# SPDX-License-Identifier: MIT
"""Processes in containers of podman, with the real daemon: their classes, and what they may do.

Images are made of files of this machine: a shell that needs no library, the C library, and a
simulated client. Nothing is fetched.
"""
import contextlib
import glob
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

try:
    import pytest
except ImportError as gone:
    print("skipped:", gone.name, "is not installed")
    sys.exit(77)

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "daemon"))
from rig import BUSY, IDLE, Client, Control, Daemon, edge, queue  # noqa: E402

BUSYBOX = "/bin/busybox"
COMMAND = os.environ.get("GPREEMPT_TEST_COMMAND", "")
WAIT = 60
NAMES = iter(range(1000))


def libraries():
    """What a program with glibc needs, as {path in the image: file}."""
    out = subprocess.run(["ldd", os.environ["CONTCLIENT"]], capture_output=True, text=True,
                         check=True).stdout
    found = [w for line in out.splitlines() for w in line.split() if w.startswith("/")]
    return {path: os.path.realpath(path) for path in found}


# What the shim needs besides.
STUBS = ("libdl.so.2", "libpthread.so.0")


def stubs():
    found = {}
    for name in STUBS:
        path = glob.glob(f"/lib/*-linux-gnu/{name}")[0]
        found[path] = os.path.realpath(path)
    return found


class Podman:
    """An engine with a store of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.base = ["podman", "--root", folder + "/root", "--runroot", folder + "/run",
                     "--storage-driver", "vfs", "--runtime", "runc", "--cgroup-manager", "cgroupfs",
                     "--events-backend", "file", "--tmpdir", folder + "/tmp"]

    def call(self, *words, check=True):
        r = subprocess.run([*self.base, *words], capture_output=True, text=True, timeout=WAIT,
                           check=False, stdin=subprocess.DEVNULL)
        assert not check or r.returncode == 0, f"{' '.join(words)}\n{r.stdout}{r.stderr}"
        return r

    def make(self, name, files):
        path = os.path.join(self.folder, name + ".tar")
        with tarfile.open(path, "w") as tar:
            for folder in ("tmp", "proc", "sys", "dev", "etc", "run", "bin"):
                info = tarfile.TarInfo(folder)
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
            for inside, outside in files.items():
                with open(outside, "rb") as f:
                    data = f.read()
                info = tarfile.TarInfo(inside.lstrip("/"))
                info.size, info.mode = len(data), 0o755
                tar.addfile(info, io.BytesIO(data))
        self.call("import", path, name)
        os.unlink(path)

    def words(self, name, image, options, command):
        return [*self.base, "run", "--rm", "-i", "--name", name, "--network", "none",
                "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000", *options, image,
                *command]


def missing():
    """Why there are no containers here, "" = there are."""
    if os.geteuid():
        return "needs root"
    for program in ("podman", "runc", BUSYBOX):
        if not shutil.which(program):
            return f"{program} is not installed"
    with tempfile.TemporaryDirectory(prefix="gpc") as folder:
        podman = Podman(folder)
        try:
            podman.make("probe", {"/bin/busybox": BUSYBOX})
            r = subprocess.run(podman.words("probe", "probe", [], ["/bin/busybox", "true"]),
                               capture_output=True, text=True, timeout=WAIT, check=False,
                               stdin=subprocess.DEVNULL)
        except (AssertionError, subprocess.TimeoutExpired) as e:
            return f"podman cannot run a container here: {e}"
        return "" if not r.returncode else f"podman cannot run a container here: {r.stderr.strip()}"


class World:
    def __init__(self, daemon, podman):
        self.daemon, self.podman = daemon, podman

    def gpreempt(self, *words):
        r = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=WAIT,
                           check=False, env={**os.environ, "GPREEMPT_SOCKET": self.daemon.path})
        assert r.returncode == 0, r.stderr
        return r.stdout


@pytest.fixture(scope="module")
def podman():
    with tempfile.TemporaryDirectory(prefix="gpc") as folder:
        engine = Podman(folder)
        shell = {"/bin/busybox": BUSYBOX}
        client = {"/bin/client": os.environ["CONTCLIENT"]}
        engine.make("full", shell | client | libraries() | stubs())
        engine.make("bare", shell | client | libraries())
        engine.make("static", shell | {"/bin/client": os.environ["CONTSTATIC"]})
        yield engine
        for kept in ("run", "root"):
            subprocess.run(["umount", "-R", f"{folder}/{kept}"], stderr=subprocess.DEVNULL, check=False)


CDI = "/etc/cdi/gpreempt-test.json"


@pytest.fixture
def world(podman):
    """The file of `gpreempt cdi` is where engines look, under a name of its own."""
    with Daemon() as daemon:
        w = World(daemon, podman)
        was = os.path.isdir("/etc/cdi")
        os.makedirs("/etc/cdi", exist_ok=True)
        spec = json.loads(w.gpreempt("cdi"))
        spec["kind"] = "gpreempt.io/test"
        with open(CDI, "w", encoding="utf-8") as f:
            json.dump(spec, f)
        try:
            yield w
        finally:
            os.unlink(CDI)
            if not was:
                os.rmdir("/etc/cdi")


class Container:
    def __init__(self, world, klass, *options, image="full", comm=None):
        self.world, self.name = world, f"gp{os.getpid()}n{next(NAMES)}"
        self.comm = comm or self.name
        self.run = subprocess.Popen(
            world.podman.words(self.name, image, ["--device", f"gpreempt.io/test={klass}", *options],
                               ["/bin/client", self.comm]),
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def hear(self, word):
        line = self.run.stdout.readline()
        assert line == word + "\n", (line, self.run.stderr.read() if not line else "")

    def say(self, word):
        self.run.stdin.write(word + "\n")
        self.run.stdin.flush()

    def row(self, control):
        return [p for p in control.call("ListProcesses")["processes"] if p["comm"] == self.comm][0]

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.say("end")
        self.run.communicate(timeout=WAIT)
        return self.run.returncode


@pytest.fixture
def container(world):
    all_of = []

    def make(*words, **more):
        all_of.append(Container(world, *words, **more))
        return all_of[-1]

    yield make
    for c in all_of:
        if c.run.poll() is None:
            c.end()


@pytest.fixture
def control(world):
    c = Control(world.daemon)
    yield c
    c.close()


def test_a_container_is_preempted_for_a_process_of_the_host(world, control, container):
    c = container("besteffort")
    c.hear("ready")
    row = c.row(control)
    assert row["attributes"]["class"] == "besteffort"
    with open(f"/proc/{row['pid']}/comm", encoding="ascii") as f:
        assert f.read() == "client\n"
    c.say("busy")
    host = Client(world.daemon, prio=9)
    host.send(queue())
    host.send(edge(BUSY))
    c.hear("hold")
    host.send(edge(IDLE))
    c.hear("release")
    assert c.end() == 0


def test_one_container_is_preempted_for_another(control, container):
    low, high = container("besteffort"), container("default")
    low.hear("ready")
    high.hear("ready")
    low.say("busy")
    high.say("busy")
    low.hear("hold")
    high.say("idle")
    low.hear("release")
    assert low.row(control)["nr_preempted"] == 1 and high.row(control)["nr_preempted"] == 0


def test_root_of_a_container_is_refused_a_closed_class(world, control, container):
    c = container("realtime")
    c.hear("ready")
    row = c.row(control)
    assert row["uid"] == 0 and row["attributes"]["class"] == "default" and row["notes"]
    # A grant of the host's root is what it takes.
    world.gpreempt("grant", str(row["pid"]), "class=realtime")
    assert c.row(control)["attributes"]["class"] == "realtime"


def test_a_cgroup_has_a_class(world, control, container):
    """As a pod has: the grant is there before the container's processes are."""
    first = container("default")
    first.hear("ready")
    with open(f"/proc/{first.row(control)['pid']}/cgroup", encoding="ascii") as f:
        lines = [line.rstrip("\n").split(":", 2) for line in f]
    paths = [p for _, names, p in lines if not names or "freezer" in names]
    parents = sorted({os.path.dirname(p) for p in paths if "libpod" in p} - {"/"})
    if not parents:
        pytest.skip("containers have no cgroup of their own here")
    for parent in parents:
        world.gpreempt("grant", f"cgroup:{parent}", "class=realtime")
    second = container("default")
    second.hear("ready")
    assert second.row(control)["attributes"]["priority"] == 7
    third = container("realtime")
    third.hear("ready")
    assert third.row(control)["attributes"]["class"] == "realtime"


def test_the_control_socket_is_not_in_the_container(world):
    r = subprocess.run(world.podman.words("look", "full", ["--device", "gpreempt.io/test=default"],
                                          ["/bin/busybox", "ls", world.daemon.folder]),
                       capture_output=True, text=True, timeout=WAIT, check=False,
                       stdin=subprocess.DEVNULL)
    assert r.stdout.split() == ["sock.client"], r.stderr


def test_pause_and_unpause(world, control, container):
    """A paused one answers nothing: it is left alone, and served again when it goes on."""
    c = container("besteffort")
    c.hear("ready")
    c.say("busy")
    world.podman.call("pause", c.name)
    world.podman.call("unpause", c.name)
    host = Client(world.daemon, prio=9)
    host.send(queue())
    host.send(edge(BUSY))
    c.hear("hold")
    host.send(edge(IDLE))
    c.hear("release")


def test_a_paused_container_holds_nobody_up(world, control, container):
    c = container("besteffort")
    c.hear("ready")
    c.say("busy")
    control.wait_for(lambda: c.row(control)["nr_busy"])
    world.podman.call("pause", c.name)
    try:
        host = Client(world.daemon, prio=9)
        host.send(queue())
        host.send(edge(BUSY))
        control.wait_for(lambda: control.process(os.getpid())["state"] == "running", WAIT)
    finally:
        world.podman.call("unpause", c.name)
    host.send(edge(IDLE))
    assert c.end() == 0


@pytest.mark.parametrize("kill", [False, True])
def test_the_daemon_is_restarted(world, container, kill):
    """The folder of the socket is mounted, so the next daemon's socket is there."""
    c = container("besteffort")
    c.hear("ready")
    if kill:
        world.daemon.process.kill()
        world.daemon.process.wait(WAIT)
    else:
        world.daemon.stop()
    world.daemon.start()
    c.hear("ready")
    again = Control(world.daemon)
    assert c.row(again)["attributes"]["class"] == "besteffort"
    again.close()


def run_in(world, image, *options):
    """Exit code, and what it says on standard error, of a client that ends at once."""
    r = subprocess.run(world.podman.words(f"run{next(NAMES)}", image, options, ["/bin/client"]),
                       capture_output=True, text=True, timeout=WAIT, check=False, input="end\n")
    return r.returncode, r.stderr


DEVICE = ("--device", "gpreempt.io/test=besteffort")


def test_an_image_with_the_libraries_has_the_shim(world):
    script = "sleep 60 | /bin/client maps >/tmp/said & for i in $(seq 500); do grep -q ready /tmp/said && " \
        "break; sleep 0.1; done; cat /proc/*/maps"
    r = subprocess.run(world.podman.words(
        "maps", "full", ["--device", "gpreempt.io/test=default"], ["/bin/busybox", "sh", "-c", script]),
        capture_output=True, text=True, timeout=WAIT, check=False, stdin=subprocess.DEVNULL)
    assert "libgpreempt-shim.so" in r.stdout, r.stderr


def test_a_program_without_libraries_runs(world):
    assert run_in(world, "static", *DEVICE) == (0, "")


def test_an_image_with_half_of_the_libraries_says_so(world):
    """The loader's rule, not ours: why only containers that ask for it get the shim."""
    assert run_in(world, "bare") == (0, "")
    code, said = run_in(world, "bare", *DEVICE)
    assert code == 127 and any(name in said for name in STUBS)


if __name__ == "__main__":
    WHY = missing()
    if WHY:
        print("skipped:", WHY)
        sys.exit(77)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:], __file__]))
