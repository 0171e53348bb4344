# SPDX-License-Identifier: MIT
"""How far a run of many steps is, and how long the rest takes: an estimate.

A step is expected to take what it took in the last run of this tree; one that has not run yet,
what a table says. Either figure is of another day or of another machine: the steps that have
ended say by how much to multiply it.
"""
import json
import os
import shutil
import sys
import threading
import time

# Steps that have ended say nothing before they add up to this.
ENOUGH_S = 3
SCALE = (0.1, 20)
PERIOD_S = 1


def text_of(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02d}"


def rough(seconds):
    """As precise as an estimate is."""
    if seconds < 50:
        return f"{max(round(seconds, -1), 10):.0f} s"
    return f"{max(round(seconds / 60), 1)} min"


class Times:
    """What steps took in the last run, kept in a file, and what a table says of the others."""

    def __init__(self, path, table):
        self.path, self.table, self.last = path, table, {}
        try:
            with open(path, encoding="utf-8") as f:
                self.last = {k: float(v) for k, v in json.load(f).items() if k in table}
        except (OSError, ValueError, AttributeError):
            pass

    def expected(self, name):
        return self.last.get(name, self.table[name])

    def is_known(self, name):
        return name in self.last

    def keep(self, took):
        """Only of steps that passed: one that fails may end early."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w", encoding="utf-8") as f:
            json.dump({**self.last, **took}, f, indent=1)


class Estimate:
    """@lanes: lists of steps; the lists run beside each other, one after @first."""

    def __init__(self, times, first, lanes):
        self.times, self.first, self.lanes = times, first, lanes
        self.took, self.running = {}, {}

    def scale(self, is_known):
        """Now against then, for figures of one kind."""
        ended = [n for n in self.took if self.times.is_known(n) == is_known]
        then = sum(self.times.expected(n) for n in ended)
        if then < ENOUGH_S:
            return 1
        return min(max(sum(self.took[n] for n in ended) / then, SCALE[0]), SCALE[1])

    def rest_of(self, name, now):
        if name in self.took:
            return 0
        whole = self.times.expected(name) * self.scale(self.times.is_known(name))
        return max(whole - (now - self.running.get(name, now)), 0)

    def rest(self, now):
        """Seconds until the last step ends."""
        lists = [sum(self.rest_of(n, now) for n in names) for names in (self.first, *self.lanes)]
        return lists[0] + max(lists[1:], default=0)

    def nr(self):
        return len(self.first) + sum(map(len, self.lanes))


class Display:
    """One line that is written over, on a terminal; elsewhere only what say() is given."""

    def __init__(self, estimate):
        self.estimate = estimate
        self.lock = threading.RLock()
        self.start = time.monotonic()
        self.is_terminal = sys.stdout.isatty()
        self.is_over = threading.Event()
        if self.is_terminal:
            threading.Thread(target=self.tick, daemon=True).start()

    def tick(self):
        while not self.is_over.wait(PERIOD_S):
            with self.lock:
                if not self.is_over.is_set():
                    self.show()

    def show(self):
        e, now = self.estimate, time.monotonic()
        steps = ", ".join(f"{n} {text_of(now - t)}" for n, t in sorted(e.running.items()))
        line = (f"{text_of(now - self.start)}  {len(e.took)} of {e.nr()} done, about "
                f"{rough(e.rest(now))} left: {steps}")
        width = shutil.get_terminal_size().columns
        print(f"\r\033[K{line[:width - 1]}", end="", flush=True)

    def begin(self, name):
        with self.lock:
            self.estimate.running[name] = time.monotonic()

    def end(self, name):
        """Return: what it took."""
        with self.lock:
            e = self.estimate
            e.took[name] = time.monotonic() - e.running.pop(name)
            return e.took[name]

    def left(self):
        """For a line of its own; nothing when all is done."""
        e = self.estimate
        return f"about {rough(e.rest(time.monotonic()))} left" if len(e.took) < e.nr() else ""

    def say(self, text):
        with self.lock:
            print(("\r\033[K" if self.is_terminal else "") + text, flush=True)

    def close(self):
        with self.lock:
            self.is_over.set()
            if self.is_terminal:
                print("\r\033[K", end="", flush=True)


def self_test(folder):
    path = os.path.join(folder, "times", "file")
    table = {"a": 10, "b": 20, "c": 100, "d": 40}
    times = Times(path, table)
    e = Estimate(times, ["a"], [["b", "c"], ["d"]])
    assert e.rest(0) == 130, e.rest(0)
    e.running["a"] = 0
    assert e.rest(4) == 126
    # The machine is twice as slow as the table's: so is what is left.
    del e.running["a"]
    e.took["a"] = 20
    assert e.rest(20) == 240, e.rest(20)
    e.took.update(b=40, c=200)
    assert e.rest(260) == 80, "the other lane"
    e.running["d"] = 0
    assert e.rest(500) == 0, "longer than thought: no less than nothing"
    times.keep(e.took)
    again = Times(path, {**table, "new": 5})
    assert again.expected("c") == 200 and again.is_known("c")
    assert again.expected("new") == 5 and not again.is_known("new")
    # Figures of the last run are not multiplied by what the table was wrong by.
    e = Estimate(again, ["a", "new"], [["b"]])
    e.took["new"] = 50
    assert e.rest(0) == 60, e.rest(0)
    with open(path, "w", encoding="utf-8") as f:
        f.write("[broken")
    assert Times(path, table).expected("c") == 100
    assert rough(44) == "40 s" and rough(3) == "10 s" and rough(170) == "3 min"
    assert text_of(61.2) == "1:01"
