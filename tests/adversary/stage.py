# SPDX-License-Identifier: MIT
"""Attackers, a driver that says what a test wants, and a measure of a victim's requests.

An attacker is a child that gives up its rights before it does anything: an unprivileged
user, one of the subordinate uids of that user, the root of a container (a user and a pid
namespace), or the root of a container without a user namespace. The daemon is root's; a
victim is root's, or that of an unprivileged user (as_user).

Time is counted on the processor clock of the daemon: what it did between a request of the
victim and the answer. It is compared with what another daemon needs at the same time, which is
not attacked.
"""
import contextlib
import ctypes
import functools
import os
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "daemon"))

import rig  # noqa: E402
from rig import WAIT, Client, Control, Daemon  # noqa: E402

NOBODY = 65534
# Another user without privileges.
VICTIM = NOBODY - 1
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 0x10000000, 0x20000000
FIXTURE = os.path.join(ROOT, "tests", "unit", "driver", "fixture", "sys", "class", "kfd")
# The node of the fixture.
GPU = 63766
libc = ctypes.CDLL(None, use_errno=True)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


def unshare(flags):
    if libc.unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def end_with_parent():
    libc.prctl(1, signal.SIGKILL)


def become_nobody(uid=NOBODY):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def enter_pid_namespace():
    """The caller goes on as process 1 of a pid namespace that was unshared."""
    pid = os.fork()
    if pid:
        end_with_parent()
        _, status = os.waitpid(pid, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0x7f)
    end_with_parent()


def become_container():
    unshare(CLONE_NEWUSER | CLONE_NEWPID)
    write("/proc/self/uid_map", "0 0 1")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/gid_map", "0 0 1")
    enter_pid_namespace()
    assert os.getpid() == 1 and os.getuid() == 0


def become_root_of_a_pid_namespace():
    unshare(CLONE_NEWPID)
    enter_pid_namespace()


FIRST_SUBUID = 100000


def become_subuid(number):
    """One of ten uids that belong to NOBODY, in a user namespace that NOBODY made."""
    ready, done, me = os.pipe(), os.pipe(), os.getpid()
    helper = os.fork()
    if not helper:
        end_with_parent()
        os.close(ready[1])
        if not os.read(ready[0], 1):
            os._exit(1)
        write(f"/proc/{me}/uid_map", f"0 {FIRST_SUBUID} 10")
        write(f"/proc/{me}/gid_map", f"0 {FIRST_SUBUID} 10")
        os.write(done[1], b"x")
        os._exit(0)
    os.close(done[1])
    become_nobody()
    unshare(CLONE_NEWUSER)
    os.write(ready[1], b"x")
    assert os.read(done[0], 1), "no map"
    os.waitpid(helper, 0)
    os.setgid(number)
    os.setuid(number)


# Two unprivileged users, and what else an attacker can be.
WHO = {"nobody": become_nobody, "container": become_container,
       "pidns": become_root_of_a_pid_namespace,
       "another": lambda: become_nobody(NOBODY - 1),
       "subuid 1": lambda: become_subuid(1), "subuid 2": lambda: become_subuid(2)}

MAKE_USER_NAMESPACE = {"container", "subuid 1", "subuid 2"}


@contextlib.contextmanager
def as_user(uid):
    """What connects inside of the block is a client of this user: SO_PEERCRED says so."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@functools.cache
def can_make_user_namespace():
    """Not in a chroot, and not where the machine forbids it."""
    pid = os.fork()
    if not pid:
        os._exit(1 if libc.unshare(CLONE_NEWUSER) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


class Attacker:
    """A child that runs function(say); it says words, and ends with the block."""

    def __init__(self, who, function):
        if who in MAKE_USER_NAMESPACE and not can_make_user_namespace():
            pytest.skip("this place does not allow a user namespace")
        self.read_fd, write_fd = os.pipe()
        self.text = b""
        self.pid = os.fork()
        if self.pid:
            os.close(write_fd)
            return
        code = 0
        try:
            if isinstance(who, int):
                become_nobody(who)
            else:
                WHO[who]()
            # Nothing is left behind if the test is killed.
            end_with_parent()
            function(lambda word: os.write(write_fd, word.encode() + b"\n"))
            os.write(write_fd, b"end\n")
        except BaseException as e:  # pylint: disable=broad-except
            os.write(write_fd, f"failed {e!r}\n".encode()[:4000])
            code = 1
        finally:
            os._exit(code)

    def hear(self, word, timeout=WAIT * 3):
        """Wait until it says this word."""
        end = time.monotonic() + timeout
        while True:
            while b"\n" in self.text:
                line, _, self.text = self.text.partition(b"\n")
                said = line.decode()
                if said.startswith("failed"):
                    raise AssertionError(said)
                if said.split()[0] == word:
                    return said
            if not select.select([self.read_fd], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError(word)
            part = os.read(self.read_fd, 65536)
            if not part:
                raise EOFError(word)
            self.text += part

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.read_fd)


def attack(who, function):
    """Run an attack to its end."""
    with Attacker(who, function) as a:
        return a.hear("end")


def forever():
    while True:
        time.sleep(3600)


def cpu_ns(pid):
    """Processor time of a process, up to now."""
    return time.clock_gettime_ns((~pid << 3) | 2)


class Hurry:
    """The daemon runs before everything else, and the measuring thread before the daemon, on one
    processor: what wakes the thread stops the daemon, so that the clock is read at once, and
    nothing else takes time from either. Of two daemons the second runs before the first. Some
    places do not allow that, not even to root: there nothing can be measured, and the test is
    skipped."""

    def __init__(self, *daemons):
        self.prios = {0: 10} | {d.process.pid: 5 + i for i, d in enumerate(daemons)}

    def __enter__(self):
        self.cpus = os.sched_getaffinity(0)
        try:
            for pid, prio in self.prios.items():
                os.sched_setaffinity(pid, {min(self.cpus)})
                os.sched_setscheduler(pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK,
                                      os.sched_param(prio))
        except PermissionError:
            self.__exit__()
            pytest.skip("this place does not allow a real-time priority")

    def __exit__(self, *error):
        for pid in self.prios:
            os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))
            os.sched_setaffinity(pid, self.cpus)


class Probe(list):
    """What a daemon did for each answer to a victim, in ns, in order; and how long they took."""

    def __init__(self, daemon):
        super().__init__()
        self.daemon, self.took = daemon, []

    def begin(self):
        self.before = time.monotonic_ns(), cpu_ns(self.daemon.process.pid)

    def end(self):
        self.append(cpu_ns(self.daemon.process.pid) - self.before[1])
        self.took.append(time.monotonic_ns() - self.before[0])

    def once(self):
        """One answer, between begin() and end()."""
        raise NotImplementedError


class Requests(Probe):
    """From each of the victim's requests to its answer; first() is called before each."""

    def __init__(self, daemon, control, first=lambda: None, method="GetInfo"):
        super().__init__(daemon)
        self.control, self.first, self.method = control, first, method

    def once(self):
        self.first()
        self.begin()
        self.control.call(self.method, timeout=WAIT * 6)
        self.end()


class Edges(Probe):
    """From an edge of the victim's urgent client to the order that follows."""

    def __init__(self, daemon, low, high):
        super().__init__(daemon)
        self.low, self.high = low, high

    def once(self):
        self.begin()
        self.high.send(rig.edge(rig.BUSY))
        o = self.low.order(WAIT * 6)
        self.end()
        assert o.kind == rig.HOLD
        self.low.answer(o)
        self.high.send(rig.edge(rig.IDLE))
        self.low.obey(rig.RELEASE)


# How often the first answers are left out: caches are cold.
WARM = 20


def sample(*probes, nr=60, pause=0.002):
    """Each of them so often, one after another in turns: what disturbs one disturbs the others.
    Of two the second is the one that nothing is to keep from its work."""
    with Hurry(*dict.fromkeys(p.daemon for p in probes)):
        for _ in range(nr):
            for p in probes:
                time.sleep(pause)
                p.once()
    return probes


def forget(*probes):
    for p in probes:
        p.clear()
        p.took.clear()


def p10(values):
    return sorted(values)[len(values) // 10]


def p90(values):
    return sorted(values)[len(values) * 9 // 10]


PARTS = 5


def ratio(loaded, quiet):
    """How much longer an answer takes with an attack.

    An answer takes the victim's own work, two wake-ups and the daemon's work. The first of these
    are the same under attack. So the time with an attack is that without one and the daemon's
    additional work.
    """
    more = p90(loaded) - statistics.median(quiet)
    return 1 + more / statistics.median(quiet.took)


def within(loaded, quiet, what):
    """The bound of an answer: five times what it takes without an attack.

    That is measured at the same time, at a daemon that is not attacked: a processor that is slow
    for a moment, or whose caches are full of the attack, is so for both. The time falls into
    parts, and half of the parts must keep the bound: an attack lasts, a disturbance does not.
    """
    assert len(loaded) == len(quiet)
    size = len(loaded) // PARTS
    ratios = []
    for i in range(PARTS):
        part = Probe(quiet.daemon)
        part += quiet[i * size:(i + 1) * size]
        part.took = quiet.took[i * size:(i + 1) * size]
        ratios.append(ratio(loaded[i * size:(i + 1) * size], part))
    alone = statistics.median(quiet.took)
    print(f"{what}: {alone / 1000:.0f} us alone, {statistics.median(quiet) / 1000:.0f} of them "
          f"by the daemon, p90 {p90(loaded) / 1000:.0f} us, most {max(loaded) / 1000:.0f} us: "
          f"{statistics.median(ratios):.1f} times "
          f"({', '.join(f'{r:.1f}' for r in sorted(ratios))})")
    assert statistics.median(ratios) <= 5, (what, ratios)
    # The longest step for another user, whatever it is.
    assert max(loaded) <= alone * 5 + 20e6, (what, sorted(loaded)[-5:])


def patient(connect):
    """A connection, as soon as the queue of the listening socket has room for it."""
    end = time.monotonic() + WAIT
    while True:
        try:
            return connect()
        except BlockingIOError:
            assert time.monotonic() < end, "no connection is let in"
            time.sleep(0.001)


class Driver:
    """/sys/class/kfd as a daemon sees it that runs in a mount namespace of its own.

    The folder is visible to this process by way of the daemon's root.
    """

    def __init__(self, folder, nodes=True):
        self.folder = folder
        self.source = os.path.join(folder, "kfd")
        shutil.copytree(FIXTURE, self.source)
        shutil.rmtree(os.path.join(self.source, "kfd", "proc", "148"))
        if not nodes:
            shutil.rmtree(os.path.join(self.source, "kfd", "topology", "nodes", "1"))

    def wrap(self):
        return ["unshare", "-m", "--propagation", "private", "sh", "-c",
                f"mount -t tmpfs none /sys/class && mkdir /sys/class/kfd && "
                f"mount --bind {self.source} /sys/class/kfd && exec \"$@\"", "sh"]

    def show_node(self):
        shutil.copytree(os.path.join(FIXTURE, "kfd", "topology", "nodes", "1"),
                        os.path.join(self.source, "kfd", "topology", "nodes", "1"))

    def show_queue(self, pid, queue_id, gpu_id=GPU):
        path = os.path.join(self.source, "kfd", "proc", str(pid), "queues", str(queue_id))
        os.makedirs(path)
        for name, value in (("gpuid", gpu_id), ("size", 4096), ("type", 0)):
            write(os.path.join(path, name), f"{value}\n")

    def hide_queue(self, pid, queue_id):
        shutil.rmtree(os.path.join(self.source, "kfd", "proc", str(pid), "queues", str(queue_id)))

    def set_occupancy(self, pid, value, gpu_id=GPU):
        path = os.path.join(self.source, "kfd", "proc", str(pid), f"stats_{gpu_id}")
        os.makedirs(path, exist_ok=True)
        write(os.path.join(path, "cu_occupancy"), f"{value}\n")


def mounts_work():
    r = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/sys/class"],
                       stderr=subprocess.DEVNULL, check=False)
    return r.returncode == 0


needs_mounts = pytest.mark.skipif(os.geteuid() != 0 or not mounts_work(),
                                  reason="no mount namespaces")


class DriverDaemon(Daemon):
    """The daemon over a driver of the test's making."""

    def __init__(self, driver, **arguments):
        self.driver = driver
        super().__init__(sim=0, folder=driver.folder, **arguments)

    def command(self):
        return self.driver.wrap() + super().command()


def wait_until(what, timeout=WAIT):
    end = time.monotonic() + timeout
    while not what():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.005)


__all__ = ["Attacker", "Client", "Control", "Daemon", "Driver", "DriverDaemon", "Edges", "GPU", "NOBODY",
           "Requests", "VICTIM", "WAIT", "as_user", "attack", "cpu_ns", "end_with_parent", "forever",
           "needs_mounts", "needs_root", "patient", "rig", "sample", "socket", "wait_until", "within",
           "write"]
