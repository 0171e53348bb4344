# SPDX-License-Identifier: MIT
"""The real gpreemptd on simulated nodes, simulated clients and control connections.

Every wait has a deadline; a test that would wait for something not to happen says
for how long.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

DAEMON = os.environ.get("GPREEMPTD", "build/gcc/src/daemon/gpreemptd")
# A machine that does other things as well: this is for what must come.
WAIT = float(os.environ.get("GP_TEST_WAIT", "20"))

# The layouts of the protocol have one home in Python; tests/python compares it with the header.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python"))

from gpreempt import wire  # noqa: E402  pylint: disable=wrong-import-position
from gpreempt.wire import (BUSY, BUSY_NOW, BYE, DONE, ERROR, GONE, HELLO,  # noqa: E402,F401
                           HOLD, IDLE, MAGIC, NOTE, NOTE_LEASE_ENDED, NOTE_NO_PROGRESS,
                           NOTE_PROGRESS, NOTE_REFUSED, NOTE_RESET, OK, PRIO_UNSET, PROGRESS,
                           QUEUE_ADD, QUEUE_ALL, QUEUE_REMOVE, RELEASE, RENEW, WELCOME)

# The client socket, from the path of the control socket on.
CLIENT = wire.SOCKET_SUFFIX
WELCOME_PROGRESS = 2
SHIM, DBG, SIM = wire.MECH_SHIM, wire.MECH_DBG, wire.MECH_SIM
SCHED, MANUAL = wire.HOLDER_SCHED, wire.HOLDER_MANUAL
# No real process has such a number.
FIRST_PID = 5000000


def hidden(path):
    """Why other users cannot run what is there, "" = they can. A clone in /root is such a place."""
    path = os.path.abspath(path)
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 0o001:
            return f"{path} is closed to other users"
    return ""


def message(kind, body=b"", magic=MAGIC, size=None):
    size = wire.HDR.size + len(body) if size is None else size
    return wire.HDR.pack(magic=magic, type=kind, size=size, time_ns=time.monotonic_ns()) + body


def hello(mech=SIM, prio=PRIO_UNSET, flags=0, comm=b"test", version=wire.VERSION, **values):
    return wire.encode(HELLO, mech=mech, prio=prio, attr_flags=flags, comm=comm, version=version,
                       **values)


def queue(gpu_id=1, queue_id=1, kind=wire.AQL, prio=7, **values):
    return wire.encode(QUEUE_ADD, gpu_id=gpu_id, queue_id=queue_id, type=kind, prio=prio,
                       ring_addr=0x1000, ring_bytes=4096, rptr_addr=0x2000, wptr_addr=0x2008,
                       **values)


def edge(kind, gpu_id=1, queue_id=1):
    return wire.encode(kind, gpu_id=gpu_id, queue_id=queue_id)


def progress(since_ns=None, gpu_id=1, queue_id=1):
    since_ns = time.monotonic_ns() if since_ns is None else since_ns
    return wire.encode(PROGRESS, gpu_id=gpu_id, queue_id=queue_id, since_ns=since_ns)


def done(epoch, gpu_id=1, result=OK, error=0, reserved=0):
    return wire.encode(DONE, epoch=epoch, gpu_id=gpu_id, result=result, error=error, nr_queues=1,
                       nr_cycles=1, reserved=reserved, took_ns=1000)


def note(code, gpu_id=1, value=0, text=b""):
    return wire.encode(NOTE, code=code, gpu_id=gpu_id, value=value, text=text)


class Order:
    """HOLD, RELEASE or RENEW as it came."""

    def __init__(self, kind, body):
        self.kind = kind
        for name, value in wire.ORDER_BODY.unpack(body).items():
            setattr(self, name, value)

    def __repr__(self):
        return f"{wire.TYPE_NAMES[self.kind]}({self.epoch})"


class Dropped(Exception):
    """The daemon said BYE, or nothing, and closed the connection."""


class Client:
    """A simulated client. Answers orders only when told to."""

    def __init__(self, daemon, connect=True, **wishes):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(WAIT)
        self.sock.connect(daemon.client_path)
        self.held = set()
        self.renewed = 0
        self.bye = None
        self.lease_ns = 0
        if connect:
            self.send(hello(**wishes))
            kind, body = self.receive()
            assert kind == WELCOME, kind
            welcome = wire.WELCOME_BODY.unpack(body)
            self.number, self.lease_ns = welcome["client"], welcome["lease_ns"]
            self.flags = welcome["flags"]

    def send(self, data):
        try:
            self.sock.send(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def receive(self, timeout=WAIT):
        """The next message; BYE and the end of the connection raise Dropped."""
        self.sock.settimeout(timeout)
        try:
            data = self.sock.recv(1024)
        except ConnectionResetError:
            data = b""
        if not data:
            raise Dropped(self.bye)
        header = wire.HDR.unpack(data[:wire.HDR.size])
        assert header["magic"] == MAGIC and header["size"] == len(data)
        if header["type"] == BYE:
            text = wire.NOTE_BODY.unpack(data[wire.HDR.size:])["text"]
            self.bye = text.split(b"\0")[0].decode()
            return self.receive(timeout)
        return header["type"], data[wire.HDR.size:]

    def order(self, timeout=WAIT):
        """The next HOLD or RELEASE."""
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            kind, body = self.receive(left)
            if kind == RENEW:
                self.renewed += 1
            if kind in (HOLD, RELEASE):
                return Order(kind, body)

    def obey(self, kind, timeout=WAIT, result=OK, holder=SCHED, error=0):
        """Wait for an order of this kind and answer it."""
        o = self.order(timeout)
        assert o.kind == kind and o.holder == holder, (o, o.holder)
        self.answer(o, result, error)
        return o

    def answer(self, o, result=OK, error=0):
        level = (o.holder, o.gpu_id, o.queue_id)
        if o.kind == HOLD:
            self.held.add(level)
        else:
            self.held.discard(level)
        self.send(done(o.epoch, o.gpu_id, result, error))

    def quiet(self, seconds):
        """No order comes for so long."""
        try:
            raise AssertionError(f"unexpected {self.order(seconds)}")
        except (TimeoutError, socket.timeout):
            pass

    def end(self, timeout=WAIT):
        """Wait until the daemon has closed the connection; what it said last."""
        try:
            while True:
                self.receive(timeout)
        except Dropped:
            return self.bye

    def close(self):
        self.sock.close()


class Refused(Exception):
    """An error of the control interface."""

    def __init__(self, error, parameters):
        super().__init__(error, parameters)
        self.error, self.parameters = error.split(".")[-1], parameters


class Control:
    """A control connection."""

    def __init__(self, daemon):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WAIT)
        self.sock.connect(daemon.path)
        self.buffer = b""

    def send(self, method, parameters=None, **envelope):
        request = {"method": "io.gpreempt." + method, "parameters": parameters or {}, **envelope}
        self.sock.sendall(json.dumps(request).encode() + b"\0")

    def read(self, timeout=WAIT):
        self.sock.settimeout(timeout)
        while b"\0" not in self.buffer:
            data = self.sock.recv(1 << 16)
            if not data:
                raise EOFError
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        reply = json.loads(text)
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters"))
        return reply["parameters"]

    def call(self, method, timeout=WAIT, **parameters):
        self.send(method, parameters)
        return self.read(timeout)

    def process(self, pid):
        found = [p for p in self.call("ListProcesses")["processes"] if p["pid"] == pid]
        return found[0] if found else None

    def wait_for(self, what, timeout=WAIT):
        """Ask again until what() is true; returns it."""
        end = time.monotonic() + timeout
        while True:
            value = what()
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(what)
            time.sleep(0.005)

    def close(self):
        self.sock.close()


class Daemon:
    """gpreemptd with a folder of its own."""

    def __init__(self, *options, sim=2, config="", folder=None):
        self.own = None if folder else tempfile.TemporaryDirectory(prefix="gpd")
        self.folder = folder or self.own.name
        os.chmod(self.folder, 0o755)
        self.path = os.path.join(self.folder, "sock")
        self.client_path = self.path + CLIENT
        self.config = os.path.join(self.folder, "gpreemptd.conf")
        self.log_path = os.path.join(self.folder, "log")
        if config or not os.path.exists(self.config):
            self.configure(config)
        # Answers of tests may be late on a busy machine: that is no fault of a GPU.
        os.makedirs(self.config + ".d", exist_ok=True)
        with open(self.config + ".d/test.conf", "w", encoding="utf-8") as f:
            f.write("[policy]\ndeadline_ns = 10000000000\n")
        self.options = ["--config", self.config, "--socket", self.path, "--sim", str(sim),
                        *options]
        self.start()

    def configure(self, text):
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(text)

    def command(self):
        return [DAEMON, *self.options]

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command(), stderr=log,
                                            stdin=subprocess.DEVNULL)
        end = time.monotonic() + WAIT
        while True:
            try:
                Client(self, connect=False).close()
                return
            except (FileNotFoundError, ConnectionRefusedError):
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("gpreemptd did not start\n" + self.log()) from None
                time.sleep(0.005)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """End it as a service manager would; its exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
        try:
            return self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        code = self.stop()
        if error[0]:
            sys.stderr.write(self.log())
        elif code not in (0, -signal.SIGKILL):
            raise AssertionError(f"gpreemptd ended with {code}\n{self.log()}")
        if self.own:
            self.own.cleanup()
