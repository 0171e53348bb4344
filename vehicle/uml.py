# SPDX-License-Identifier: MIT
"""User-Mode Linux as the guest: a process of the host, one boot per test, in virtual time.

  inf    time passes only while everything sleeps, and what gp_cost.c (src/kernel/uml) charges:
         the same results whatever else the machine does
  tt     as inf, but computing takes the time it takes
  real   the clock of the host
"""
import concurrent.futures
import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import types

CLOCKS = ("inf", "tt", "real")
# What a system call costs in virtual time, and a wake-up besides: of the order of what they
# take on a present machine.
SYSCALL_NS = 1000
WAKE_NS = 5000
# A guest that says nothing while it takes so much processor time is stuck: time stands still.
STUCK_CPU_S = 300
# And one that neither says nor takes anything.
STUCK_WALL_S = 1200
MEMORY_MIB = 2048
# Fixed, so that two logs can be compared: names are relative to the folder of the run, and
# nothing of the host's clock, addresses or environment comes in.
CMDLINE = [f"mem={MEMORY_MIB}M", "initrd=initrd", "umid=guest", "uml_dir=./", "con=null",
           "con0=null,fd:5", "ssl1=null,fd:3", "ssl2=null,fd:4", "console=tty0", "loglevel=4",
           "panic=-1", "oops=panic", "log_buf_len=4M", "printk.devkmsg=on", "norandmaps"]
START_NS = 1700000000000000000
TICKS = os.sysconf("SC_CLK_TCK")
PTRACE_TRACEME = 0


def is_ptrace_allowed():
    """The guest's processes are traced ones of the host."""
    pid = os.fork()
    if not pid:
        os._exit(1 if ctypes.CDLL(None).ptrace(PTRACE_TRACEME, 0, None, None) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def clock_words(args, seed):
    if args.clock == "real":
        return []
    if args.clock == "tt":
        return ["time-travel"]
    words = ["time-travel=inf-cpu", f"time-travel-start={START_NS}",
             f"gp_syscall_ns={args.cost}", f"gp_wake_ns={args.wake}"]
    words += ["gp_log_calls=1"] if args.log_calls else []
    return words + ([f"gp_seed={seed}"] if seed else [])


def memory_folder(folder):
    """Where the guest's memory is: in memory if it fits there and may hold programs."""
    try:
        stat = os.statvfs("/dev/shm")
    except FileNotFoundError:
        return folder
    has_room = stat.f_bavail * stat.f_frsize > 4 * MEMORY_MIB << 20
    is_good = has_room and os.access("/dev/shm", os.W_OK) and not stat.f_flag & os.ST_NOEXEC
    return "/dev/shm" if is_good else folder


def session_cpu_s(leader):
    """Processor time of all processes of a session, those that have ended too."""
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            total += sum(map(int, fields[11:15 if int(name) == leader else 13]))
    return total / TICKS


class Guest:
    """One boot, with files of its own."""

    def __init__(self, folder, test, seed):
        self.folder, self.test, self.seed = folder, test, seed
        self.process = None
        self.why = None
        self.seconds = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, args, linux, initrd, words):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.symlink(initrd, self.path("initrd"))
        # glibc registers rseq for a thread; the guest's processes would inherit the
        # registration without the memory, and the host kills them for it.
        env = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0", "PATH": os.environ["PATH"],
               "TMPDIR": memory_folder(self.folder), "HOME": self.folder}
        with open(self.path("host.log"), "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                ["sh", "-c", 'exec 3>results 4>kmsg.log 5>console.log; exec setarch -R "$@"',
                 "sh", linux, *CMDLINE, *clock_words(args, self.seed), *words],
                cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True)

    def said(self):
        return sum(os.path.getsize(self.path(n)) for n in ("results", "kmsg.log", "console.log")
                   if os.path.exists(self.path(n)))

    def wait(self):
        """Until it has switched itself off, or is stuck and says no more."""
        start = last = time.monotonic()
        size, cpu_s = 0, 0
        while True:
            try:
                self.process.wait(2)
                break
            except subprocess.TimeoutExpired:
                pass
            now = session_cpu_s(self.process.pid)
            if self.said() != size:
                size, cpu_s, last = self.said(), now, time.monotonic()
            elif now - cpu_s > STUCK_CPU_S or time.monotonic() - last > STUCK_WALL_S:
                self.why = f"stuck: no word in {now - cpu_s:.0f} s of processor time"
                break
        self.end()
        self.seconds = time.monotonic() - start

    def end(self):
        """The guest is a session: what it left goes too."""
        if not self.process:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def lines(self):
        if not os.path.exists(self.path("results")):
            return []
        with open(self.path("results"), encoding="utf-8", errors="replace") as f:
            return [line.rstrip("\r\n") for line in f]

    def virtual_seconds(self):
        """When the last message of the kernel's log was written."""
        times = [0]
        if os.path.exists(self.path("kmsg.log")):
            with open(self.path("kmsg.log"), encoding="utf-8", errors="replace") as f:
                times += [int(t) for t in re.findall(r"^\d+,\d+,(\d+),[^;]*;", f.read(), re.M)]
        return times[-1] / 1e6


def differences(one, other):
    """What is not the same, byte by byte, in the records of two runs: a line each."""
    for name in ("results", "kmsg.log"):
        texts = []
        for guest in (one, other):
            with open(guest.path(name), "rb") as f:
                texts.append(f.read().split(b"\n"))
        for nr, (a, b) in enumerate(zip(*texts), 1):
            if a != b:
                yield f"{name}:{nr}: {a.decode(errors='replace')} | {b.decode(errors='replace')}"
                break
        else:
            if len(texts[0]) != len(texts[1]):
                yield f"{name}: {len(texts[0])} and {len(texts[1])} lines"


def run_all(guests, boot, jobs):
    """Boots guests, so many at a time, and yields them in order as they end."""
    def one(guest):
        boot(guest)
        guest.wait()
        return guest

    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        yield from pool.map(one, guests)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for guest in guests:
            guest.end()
        pool.shutdown()


def self_test():
    """A guest whose time stands still is ended, and one byte of difference is seen."""
    global STUCK_CPU_S
    with tempfile.TemporaryDirectory() as folder:
        one, other = (Guest(os.path.join(folder, name), "test", None) for name in ("1", "2"))
        for guest, text in ((one, "ok a\nok b\n"), (other, "ok a\nok c\n")):
            os.makedirs(guest.folder)
            for name in ("results", "kmsg.log"):
                with open(guest.path(name), "w", encoding="utf-8") as f:
                    f.write(text if name == "results" else "6,1,2000000,-;text\n")
        assert list(differences(one, one)) == []
        assert list(differences(one, other)) == ["results:2: ok b | ok c"]
        assert one.virtual_seconds() == 2
        spinning = os.path.join(folder, "spinning")
        with open(spinning, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nwhile :; do :; done\n")
        os.chmod(spinning, 0o755)
        generous, STUCK_CPU_S = STUCK_CPU_S, 0.1
        one.start(types.SimpleNamespace(clock="real"), spinning, spinning, [])
        one.wait()
        STUCK_CPU_S = generous
        assert one.why and "stuck" in one.why, one.why
