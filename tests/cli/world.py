# SPDX-License-Identifier: MIT
"""A daemon with simulated GPUs and clients of its own, for tests of the commands.

The daemon is the real one, run with --sim; each client is a process (simclient.py).
"""
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Behind this folder: both have a conftest.
sys.path.append(os.path.join(HERE, "../daemon"))
from rig import hidden  # noqa: E402,F401  pylint: disable=wrong-import-position
DEADLINE = 30


def until(condition, seconds=DEADLINE):
    """Waits for something that must become true; gives what it became."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class Client:
    """One simulated process with queues on one node, or on several: "1,2"."""

    def __init__(self, path, comm="client", prio=255, klass="", group="", nr_queues=1, gpu_id=1):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(HERE, "simclient.py"), path, comm, str(prio), klass,
             group, str(nr_queues), str(gpu_id)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.pid = self.process.pid
        self.lines = b""
        line = self.read()
        assert line == "ready", line

    def read(self, seconds=DEADLINE):
        """The next line it says; None if it says nothing in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.lines:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 4096)
            if not more:
                return None
            self.lines += more
        line, _, self.lines = self.lines.partition(b"\n")
        return line.decode()

    def say(self, *words):
        self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class World:
    """The daemon, the command, and the clients."""

    def __init__(self, command, daemon, nodes=2):
        self.command = command
        self.dir = tempfile.mkdtemp(prefix="gpcli")
        self.path = os.path.join(self.dir, "sock")
        self.clients = []
        self.arguments = [daemon, "--socket", self.path, "--sim", str(nodes)]
        self.start_daemon()

    def start_daemon(self):
        for path in (self.path, self.path + ".client/socket"):
            if os.path.exists(path):
                os.unlink(path)
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.daemon = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env={**os.environ, "XDG_RUNTIME_DIR": self.dir})
        until(lambda: os.path.exists(self.path + ".client/socket") and os.path.exists(self.path))

    def environment(self, env=None):
        keep = {k: v for k, v in os.environ.items() if not k.startswith("GPREEMPT")}
        return {**keep, "GPREEMPT_SOCKET": self.path, **(env or {})}

    def run(self, *args, env=None, timeout=60, **kw):
        """Runs the command; gives the finished process."""
        return subprocess.run([self.command, *args], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment(env), timeout=timeout, **kw)

    def start(self, *args, **kw):
        """Starts the command and does not wait."""
        return subprocess.Popen([self.command, *args], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(), **kw)

    def client(self, **kw):
        c = Client(self.path, **kw)
        self.clients.append(c)
        return c

    def stop_daemon(self):
        if self.daemon.poll() is None:
            self.daemon.send_signal(signal.SIGTERM)
            try:
                self.daemon.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()

    def close(self):
        for c in self.clients:
            c.close()
        self.stop_daemon()
        shutil.rmtree(self.dir)
