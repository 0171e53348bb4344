# SPDX-License-Identifier: MIT
"""A gpreemptd of one's own, on simulated nodes, for tests and reports."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import wire
from ._abi import in_build_tree


class NotStarted(Exception):
    """There is no gpreemptd, or it did not come up."""


def find():
    """$GPREEMPTD; in a source tree the one built there; else the installed one. Or None."""
    return (os.environ.get("GPREEMPTD") or in_build_tree("daemon", "gpreemptd") or
            shutil.which("gpreemptd") or shutil.which("gpreemptd", path="/usr/sbin:/usr/libexec"))


class Daemon:
    """Runs while the with block runs. `path` is its control socket."""

    def __init__(self, nr_nodes=1, program=None, options=(), timeout_s=20.0):
        self.program = program or find()
        self.timeout_s = timeout_s
        if not self.program:
            raise NotStarted("there is no gpreemptd: build it, or set $GPREEMPTD")
        self._folder = tempfile.TemporaryDirectory(prefix="gpreempt-")
        self.path = os.path.join(self._folder.name, "sock")
        self.log_path = os.path.join(self._folder.name, "log")
        config = os.path.join(self._folder.name, "gpreemptd.conf")
        with open(config, "w", encoding="utf-8"):
            pass
        self.command = [self.program, "--config", config, "--socket", self.path,
                        "--sim", str(nr_nodes), *options]
        self.process = None
        self.start()

    def start(self):
        """Also after it was killed: with the same socket."""
        with open(self.log_path, "ab") as log:
            try:
                self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log)
            except OSError as e:
                raise NotStarted(str(e)) from None
        end = time.monotonic() + self.timeout_s
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise NotStarted(f"{self.program} did not start:\n{self.log()}")
            time.sleep(0.002)

    def _answers(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            return s.connect_ex(self.path + wire.SOCKET_SUFFIX) == 0

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    @property
    def alive(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.alive:
            self.process.kill()
        self.process.wait()

    def stop(self):
        """End it politely; its exit code."""
        if self.alive:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
        try:
            return self.process.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def memory_bytes(self):
        """Resident memory, or None."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return None

    def close(self):
        """Ends and removes everything; raises if it had crashed."""
        code = self.stop()
        text = self.log()
        self._folder.cleanup()
        if code not in (0, -signal.SIGKILL):
            raise RuntimeError(f"gpreemptd ended with {code}:\n{text}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
