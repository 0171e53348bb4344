#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gpujob.py train|serve SOCKET BOARD NUMBER: a job on a simulated GPU, whose clients share a board.

train does steps of a checksum and makes none while it is held: NUMBER of them, and more until no
serve is left; it says "done STEPS CHECKSUM". serve has NUMBER requests: each is begun, served when
the board says that train is held, and ended; then it waits until train goes on. The board is a
file of counters: holds of train, releases of train, serves that are left, and 1 while serves wait to
begin. A daemon that goes away leaves train running; both come back to the next one.
"""
import fcntl
import mmap
import select
import struct
import sys
import time
import zlib

from simclient import BUSY, HOLD, IDLE, Client

WAIT = 60
HOLDS, RELEASES, SERVES, WAITS = range(4)


class Job(Client):
    """A client that comes back."""

    def __init__(self, what, socket, board):
        self.what, self.path, self.held = what, socket, False
        self.is_busy = self.is_known = False
        self.file = open(board, "r+b")  # pylint: disable=consider-using-with
        self.board = mmap.mmap(self.file.fileno(), 32)
        self.connect()

    def connect(self):
        super().__init__(self.path, self.what, 255, "", "", 1, [1])

    def add_queues(self):
        super().add_queues()
        self.is_known = True
        if self.is_busy:
            self.edge(True)

    def edge(self, is_busy):
        self.is_busy = is_busy
        try:
            self.send(BUSY if is_busy else IDLE, struct.pack("<II", self.gpu_id, 0))
        except OSError:
            pass

    def count(self, index):
        return struct.unpack_from("<q", self.board, 8 * index)[0]

    def add(self, index, value=1):
        fcntl.lockf(self.file, fcntl.LOCK_EX)
        struct.pack_into("<q", self.board, 8 * index, self.count(index) + value)
        fcntl.lockf(self.file, fcntl.LOCK_UN)

    def set_held(self, held):
        if self.held != held and self.what == "train":
            self.add(HOLDS if held else RELEASES)
        self.held = held

    def order(self, kind, packet):
        super().order(kind, packet)
        self.set_held(kind == HOLD)

    def look(self, seconds):
        """What the daemon says meanwhile."""
        if not select.select([self.sock], [], [], seconds)[0]:
            return
        try:
            packet = self.sock.recv(256)
        except OSError:
            packet = b""
        if not packet or not self.handle(packet):
            self.come_back()

    def come_back(self):
        end = time.monotonic() + WAIT
        self.sock.close()
        self.set_held(False)
        while time.monotonic() < end:
            try:
                self.connect()
                return
            except OSError:
                time.sleep(0.01)
        sys.exit("the daemon does not come back")

    def until(self, true):
        end = time.monotonic() + WAIT
        while not true():
            if time.monotonic() > end:
                sys.exit(f"{self.what}: {self.count(HOLDS)} holds, {self.count(RELEASES)} releases")
            self.look(0.002)

    def is_train_out(self):
        return self.count(HOLDS) > self.count(RELEASES)


def train(job, steps):
    job.edge(True)
    checksum = done = 0
    while done < steps or job.count(SERVES):
        job.look(0.001)
        if not job.held:
            checksum = zlib.crc32(struct.pack("<Q", done), checksum)
            done += 1
    job.edge(False)
    print("done", done, checksum, flush=True)


def serve(job, requests):
    job.until(lambda: not job.count(WAITS))
    for _ in range(requests):
        job.until(lambda: not job.is_train_out())
        job.edge(True)
        job.until(job.is_train_out)
        print("served", flush=True)
        job.edge(False)
    job.until(lambda: not job.is_train_out())
    job.add(SERVES, -1)


def main():
    what, socket, board, number = sys.argv[1:]
    job = Job(what, socket, board)
    job.until(lambda: job.is_known)
    (train if what == "train" else serve)(job, int(number))


if __name__ == "__main__":
    main()
