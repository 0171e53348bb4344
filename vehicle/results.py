# SPDX-License-Identifier: MIT
"""What came of a run in a guest: results of tests, and the kernel's log."""
import re
import time

SKIPPED = 77

# Of the log's levels, 3 is error. These are bad whatever their level.
ALWAYS_BAD = re.compile(r"WARNING: |BUG: |Oops|general protection|Call Trace|"
                        r"refcount_t|INFO: task .* blocked|RCU.*stall|rcu.*stall|kfdsim: .*leaked|kmemleak: .* leaked ")
ERROR_LEVEL = 3


class KernelLog:
    """Looks at messages of /dev/kmsg: "PRIORITY,SEQUENCE,TIME,FLAGS;TEXT"."""

    def __init__(self, allow):
        self.allow = allow
        self.test = "-"
        self.bad = []
        self.last_ended = None

    def is_allowed(self, text):
        return any(test in ("*", self.test) and regex.search(text) for test, regex in self.allow)

    def feed(self, line):
        """One line of the log; returns its text if it is bad."""
        head, semicolon, text = line.partition(";")
        fields = head.split(",")
        if not semicolon or not fields[0].isdigit():
            return None
        words = text.split()
        if words[:2] == ["vehicle:", "begin"]:
            self.test = words[2]
        elif words[:2] == ["vehicle:", "end"]:
            self.last_ended = words[2]
        priority = int(fields[0])
        is_kernel = priority < 8
        is_bad = ALWAYS_BAD.search(text) or (is_kernel and priority % 8 <= ERROR_LEVEL)
        if not is_bad or self.is_allowed(text):
            return None
        self.bad.append(f"{self.test}: {text}")
        return text


def read_allow(path):
    """Lines "TEST REGEX"; the test may be *."""
    allow = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                test, _, regex = line.strip().partition(" ")
                allow.append((test, re.compile(regex.strip())))
    return allow


class Run:
    """What came over the results line."""

    def __init__(self, is_quiet=False):
        self.passed = self.failed = self.skipped = 0
        self.booted = None
        self.bad = []
        self.running = None
        self.before = None
        self.is_off = False
        self.is_quiet = is_quiet
        self.took = None

    def say(self, text):
        if not self.is_quiet:
            print(text, flush=True)

    def counts(self):
        return self.passed, self.failed, self.skipped

    def result(self, text, is_ok):
        self.passed += is_ok
        self.failed += not is_ok
        if not is_ok:
            self.bad.append(text)
        self.say(text)

    def feed(self, line):
        words = line.split()
        if not words:
            return
        if words[0] == "booted":
            self.booted = time.monotonic()
        elif words[0] == "begin":
            self.running = words[1]
            self.started = time.monotonic()
            self.before = self.counts()
            self.say(f"# {words[1]}")
        elif words[0] == "end":
            self.end(words[1], int(words[2]))
        elif words[0] == "off":
            self.is_off = True
        elif words[0] == "ok":
            self.result("  " + line, True)
        elif words[:2] == ["not", "ok"]:
            self.result("  " + line, False)
        elif words[0] == "skip":
            self.skipped += 1
            self.say("  " + line)
        else:
            self.say("    " + line)

    def end(self, name, code):
        """Code 1 says what a "not ok" has said; any other must be explained here."""
        self.running = None
        if code == SKIPPED:
            self.skipped += 1
        elif code > 1 or code == 1 and self.failed == self.before[1]:
            self.result(f"  not ok {name}: ended with code {code}", False)
        elif self.counts() == self.before:
            self.result(f"  not ok {name}: no result", False)
        self.say(f"# {name}: {self.took or f'{time.monotonic() - self.started:.1f} s'}")
