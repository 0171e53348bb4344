#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands in for gpreempt-tracer: the target's first argument after -c says how it behaves.

The target is `sh -c '...' NAME`; NAME is the behaviour: good, mute, refuse, liar, sleepy, stay.
"""
import os
import signal
import socket
import sys
import time

import rig


def main():
    pid = int(sys.argv[1])
    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as f:
        mode = f.read().split("\0")[3]
    sock = socket.socket(fileno=3)
    sock.setblocking(True)
    if mode == "sleepy":
        time.sleep(60)
    sock.send(rig.hello(mech=rig.DBG, pid=pid + (mode == "liar")))
    if rig.wire.decode(sock.recv(1024))[0] != rig.WELCOME:
        sys.exit(1)
    if mode == "refuse":
        sock.send(rig.note(rig.NOTE_REFUSED, value=1, text=b"another process traces it"))
        sys.exit(1)
    sock.send(rig.queue(busy=1))
    sock.send(rig.note(1, value=0x18, text=b"attached"))
    while True:
        data = sock.recv(1024)
        if not data:
            if mode == "stay":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(60)
            sys.exit(0)
        kind = rig.wire.decode(data)[0]
        if kind in (rig.HOLD, rig.RELEASE) and mode != "mute":
            o = rig.Order(kind, data[16:])
            sock.send(rig.done(o.epoch, o.gpu_id))


os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
main()
