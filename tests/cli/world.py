# SPDX-License-Identifier: MIT
"""A daemon with simulated GPUs and clients of its own, for tests of the commands.

The daemon is the real one, run with --sim; the clients speak mechanism/wire.h, and do
what a shim would: they tell queues and edges, and answer every order at once.
"""
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

MAGIC = 0x31507047
HELLO, QUEUE_ADD, QUEUE_REMOVE, BUSY, IDLE, DONE, NOTE = range(1, 8)
WELCOME, HOLD, RELEASE, RENEW, BYE = range(64, 69)
MECH_SIM = 3
AQL = 2
DEADLINE = 20


def message(kind, body):
    return struct.pack("<IHHQ", MAGIC, kind, 16 + len(body), time.monotonic_ns()) + body


def until(condition, seconds=DEADLINE):
    """Waits for something that must become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class Client(threading.Thread):
    """One simulated process with queues on one node."""

    def __init__(self, path, pid=0, comm="client", prio=0xFF, klass="", group="", nr_queues=1,
                 gpu_id=1):
        super().__init__(daemon=True)
        self.gpu_id, self.nr_queues = gpu_id, nr_queues
        self.held = set()
        self.is_welcome = threading.Event()
        self.bye = None
        self.delay = 0
        self.lock = threading.Lock()
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(path + ".client")
        self.send(HELLO, struct.pack("<IIIIB3xIIIQQ32s32s32s", 1, MECH_SIM, pid, 0, prio, 0, 0, 0, 0,
                                     0, klass.encode(), group.encode(), comm.encode()))
        self.start()

    def send(self, kind, body):
        with self.lock:
            self.sock.send(message(kind, body))

    def run(self):
        try:
            while True:
                packet = self.sock.recv(256)
                if not packet:
                    return
                self.handle(struct.unpack_from("<IHHQ", packet)[1], packet)
        except OSError:
            return

    def handle(self, kind, packet):
        if kind == WELCOME:
            self.is_welcome.set()
        elif kind in (HOLD, RELEASE):
            epoch, gpu, queue, holder = struct.unpack_from("<QIII", packet, 16)
            if self.delay:
                time.sleep(self.delay)
            if kind == HOLD:
                self.held.add((gpu, queue, holder))
            else:
                self.held.discard((gpu, queue, holder))
            self.send(DONE, struct.pack("<QIIIIIIQ", epoch, gpu, 0, 0, self.nr_queues, 1, 0, 50000))
        elif kind == BYE:
            self.bye = packet[32:].split(b"\0")[0].decode()

    def add_queues(self):
        assert self.is_welcome.wait(DEADLINE), self.bye
        for q in range(self.nr_queues):
            self.send(QUEUE_ADD, struct.pack("<IIIBBxxQQQQ", self.gpu_id, q, AQL, 7, 0, 0x10000,
                                             65536, 0x2000, 0x2008))
        return self

    def edge(self, kind, queue=0):
        self.send(kind, struct.pack("<II", self.gpu_id, queue))

    def busy(self, queue=0):
        self.edge(BUSY, queue)

    def idle(self, queue=0):
        self.edge(IDLE, queue)

    def close(self):
        self.sock.close()


class World:
    """The daemon, the command, and the clients."""

    def __init__(self, command, daemon, nodes=2):
        self.command = command
        self.dir = tempfile.mkdtemp(prefix="gpcli")
        self.path = os.path.join(self.dir, "sock")
        self.log = open(os.path.join(self.dir, "log"), "wb")
        self.clients = []
        self.daemon = subprocess.Popen(
            [daemon, "--socket", self.path, "--sim", str(nodes)], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, start_new_session=True,
            env={**os.environ, "XDG_RUNTIME_DIR": self.dir})
        until(lambda: os.path.exists(self.path + ".client") and os.path.exists(self.path))

    def run(self, *args, env=None, timeout=60, **kw):
        """Runs the command; gives the finished process."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith("GPREEMPT")}
        environ.update({"GPREEMPT_SOCKET": self.path}, **(env or {}))
        return subprocess.run([self.command, *args], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ,
                              timeout=timeout, **kw)

    def client(self, **kw):
        c = Client(self.path, **kw).add_queues()
        self.clients.append(c)
        return c

    def close(self):
        for c in self.clients:
            c.close()
        if self.daemon.poll() is None:
            self.daemon.send_signal(signal.SIGTERM)
            try:
                self.daemon.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()
        self.log.close()
        shutil.rmtree(self.dir)
