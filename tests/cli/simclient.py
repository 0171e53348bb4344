#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""simclient.py SOCKET COMM PRIO CLASS GROUP QUEUES GPU[,GPU...]: a simulated process.

It speaks src/client/wire.h and does what a shim would: it tells its queues, and answers every
order at once. Lines on standard input make it do more: "busy Q", "idle Q", "late SECONDS"
(answer orders later), "mute" (never), both repeated when it is so, "end". It prints "ready", then "hold QUEUE HOLDER" and
"release QUEUE HOLDER" as orders come (QUEUE all = 4294967295, HOLDER 0 scheduler, 1 a person).
"""
import os
import selectors
import socket
import struct
import sys
import time

MAGIC = 0x31507047
HELLO, QUEUE_ADD, QUEUE_REMOVE, BUSY, IDLE, DONE = range(1, 7)
WELCOME, HOLD, RELEASE, RENEW, BYE = range(64, 69)
MECH_SIM = 3
AQL = 2
UNSET = 255


class Client:
    def __init__(self, path, comm, prio, klass, group, nr_queues, gpus):
        self.nr_queues, self.gpus, self.gpu_id = nr_queues, gpus, gpus[0]
        self.late, self.is_mute, self.input = 0.0, False, b""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.connect(path + ".client/socket")
        self.send(HELLO, struct.pack("<IIIIB3xIIIQQ32s32s32s", 1, MECH_SIM, 0, 0, prio, 0, 0, 0, 0,
                                     0, klass.encode(), group.encode(), comm.encode()))

    def send(self, kind, body):
        head = struct.pack("<IHHQ", MAGIC, kind, 16 + len(body), time.monotonic_ns())
        self.sock.send(head + body)

    def add_queues(self):
        for gpu_id in self.gpus:
            for q in range(self.nr_queues):
                self.send(QUEUE_ADD, struct.pack("<IIIBBxxQQQQ", gpu_id, q, AQL, 7, 0, 0x10000,
                                                 65536, 0x2000, 0x2008))
        print("ready", flush=True)

    def order(self, kind, packet):
        epoch, gpu, queue, holder = struct.unpack_from("<QIII", packet, 16)
        if self.is_mute:
            return
        time.sleep(self.late)
        self.send(DONE, struct.pack("<QIIIIIIQ", epoch, gpu, 0, 0, self.nr_queues, 1, 0, 50000))
        print("hold" if kind == HOLD else "release", queue, holder, flush=True)

    def handle(self, packet):
        """One packet; False = the end."""
        if not packet:
            return False
        kind = struct.unpack_from("<IHHQ", packet)[1]
        if kind == WELCOME:
            self.add_queues()
        elif kind in (HOLD, RELEASE):
            self.order(kind, packet)
        elif kind == BYE:
            print("bye", packet[32:].split(b"\0")[0].decode(), flush=True)
            return False
        return True

    def commands(self, data):
        """What came on standard input; False = the end."""
        self.input += data
        *lines, self.input = self.input.split(b"\n")
        return bool(data) and all(self.command(line.decode()) for line in lines)

    def command(self, line):
        """One line; False = the end."""
        words = line.split()
        if not words or words[0] == "end":
            return False
        if words[0] in ("busy", "idle"):
            self.send(BUSY if words[0] == "busy" else IDLE,
                      struct.pack("<II", self.gpu_id, int(words[1])))
        elif words[0] == "late":
            self.late = float(words[1])
            print("late", flush=True)
        elif words[0] == "mute":
            self.is_mute = True
            print("mute", flush=True)
        return True


def main():
    path, comm, prio, klass, group, queues, gpus = sys.argv[1:]
    client = Client(path, comm, int(prio), klass, group, int(queues),
                    [int(gpu) for gpu in gpus.split(",")])
    selector = selectors.DefaultSelector()
    selector.register(client.sock, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is client.sock:
                go_on = client.handle(client.sock.recv(256))
            else:
                go_on = client.commands(os.read(0, 4096))
            if not go_on:
                return


if __name__ == "__main__":
    main()
