# SPDX-License-Identifier: MIT
"""Runs of the simulator for tools/eval, and what is read out of their results."""
import hashlib
import json
import os
import subprocess
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OFFLINE_PRIORITY = 3
NEVER = float("inf")


def section(name, **keys):
    """A section of a scenario; a list is a key that comes often, "_" in a key is "-"."""
    lines = [f"[{name}]"]
    for key, values in keys.items():
        for value in values if isinstance(values, list) else [values]:
            lines.append(f"{key.replace('_', '-')} = {value}")
    return "\n".join(lines) + "\n"


def online(name="online", **keys):
    return section(f"class {name}", **{"priority": 12, "latency_critical": "yes", **keys})


def offline(name="offline", **keys):
    return section(f"class {name}", **{"priority": OFFLINE_PRIORITY, "arrival": "closed 2", **keys})


def scenario(*classes, **keys):
    return section("scenario", **keys) + "".join(classes)


def of_file(name):
    """A scenario of the tree; traces are named from there."""
    folder = os.path.join(ROOT, "scenarios")
    with open(os.path.join(folder, name + ".scn"), encoding="utf-8") as f:
        return f.read().replace("trace traces/", f"trace {folder}/traces/")


def split(text):
    """The sections of a scenario, each with its header."""
    parts = ["[" + p for p in text.split("\n[")]
    return [parts[0][1:], *parts[1:]]


def is_offline(part):
    return f"\npriority = {OFFLINE_PRIORITY}\n" in part + "\n"


def without_offline(text, others=()):
    """The same scenario with the classes that are neither of the lowest priority nor @others."""
    left_out = tuple(f"[class {n}]" for n in others)
    kept = [p for p in split(text) if not is_offline(p) and not p.startswith(left_out)]
    return "\n".join(kept) + "\n"


def offline_names(text):
    return [p[7:p.index("]")] for p in split(text) if p.startswith("[class ") and is_offline(p)]


class Class:
    """What a class got. Times are nanoseconds; NEVER is what was not reached."""

    def __init__(self, json_class):
        self.json = json_class
        self.name = json_class["name"]

    def latency(self, key):
        value = self.json["latency_ns"][key]
        return NEVER if value is None else value

    def alone(self, key):
        value = self.json["alone_latency_ns"][key]
        return NEVER if value is None else value

    def done(self):
        """Requests as a share of those that it finishes by itself."""
        alone = self.json["alone_throughput_per_s"]
        return self.json["throughput_per_s"] / alone if alone else 0


class Result:
    """One run."""

    def __init__(self, result):
        self.json = result
        self.classes = {c["name"]: Class(c) for c in result["classes"]}

    def take_alone(self, other):
        for name, c in self.classes.items():
            c.json.update({k: v for k, v in other[name].json.items() if k.startswith("alone_")})

    def __getitem__(self, name):
        return self.classes[name]

    def floor_ns(self):
        return self.json["floor_ns"]

    def floor_p99_ns(self):
        return self.json["floor_p99_ns"]

    def preempt(self, key):
        return self.json["preempt_latency_ns"][key]

    def left(self, online_name):
        """The share of the time in which a class by itself has nothing to do."""
        active = self[online_name].json["alone_active_time_ns"]
        return 1 - active / self.json["virtual_ns"] / self.json["gpus"]

    def idle(self):
        """The share of the time in which nothing had anything to do."""
        return 1 - self.json["active_time_ns"] / self.json["virtual_ns"] / self.json["gpus"]

    def offline_of(self, left, names):
        """GPU time of offline work as a share of the time that is left.

        Work that is done twice is no work: of runs that repeat some, finished requests count.
        """
        if self.json["repeated"]:
            return sum(self[n].done() for n in names) / left
        gpu = sum(self[n].json["gpu_time_ns"] for n in names)
        alone = sum(self[n].json["alone_gpu_time_ns"] for n in names)
        return gpu / alone / left if alone else 0

    def offline_of_rest(self):
        """The same with one class of each kind."""
        return self.offline_of(self.left("online"), ["offline"])


class Simulator:
    """Runs scenarios, each once: the same text with the same options gives the same result."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.results, self.lock, self.nr = {}, threading.Lock(), 0
        self.written = {}
        os.makedirs(folder, exist_ok=True)

    def file_of(self, name, text):
        """Scenarios stay, so that any figure can be had again by hand."""
        path = os.path.join(self.folder, name + ".scn")
        if self.written.get(path) == text:
            return path
        # Another run may read it just now.
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write(text)
        os.rename(path + ".new", path)
        self.written[path] = text
        return path

    def run(self, name, text, alone=True, **options):
        """@options: of the command; None = not given. Return: a Result, or None if refused.

        @alone: what each class has by itself is wanted: True, False, or the Result that has it.
        """
        has_alone = alone is True
        key = hashlib.sha256(repr((text, has_alone, sorted(options.items()))).encode()).hexdigest()
        with self.lock:
            if key in self.results:
                return self.results[key]
            path = self.file_of(name, text)
        command = [self.program, "sim", "run", path, "--json", "--quiet"]
        if not has_alone:
            command.append("--no-alone")
        for option, value in options.items():
            if value is not None:
                command += [f"--{option.replace('_', '-')}", str(value)]
        r = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, capture_output=True)
        if r.returncode == 2 and "needs a slot per queue" in r.stderr:
            result = None
        elif r.returncode:
            raise RuntimeError(f"{' '.join(command)}: {r.stderr.strip()}")
        else:
            result = Result(json.loads(r.stdout))
            check(name, result)
            if isinstance(alone, Result):
                result.take_alone(alone)
        with self.lock:
            self.results[key] = result
            self.nr += 1
        return result


def check(name, result):
    """No figure is worth anything if work was lost."""
    if result.json["lost"] or (result.json["repeated"] and result.json["mechanism"] != "reset"):
        raise RuntimeError(f"{name}: lost {result.json['lost']}, repeated "
                           f"{result.json['repeated']}")


def edf_misses(jobs):
    """Misses of EDF by request with free switches. @jobs: (arrival, work, deadline), by arrival.

    The measure for the policy: no schedule of one GPU that knows no future misses fewer up to
    full load.
    """
    import heapq
    ready, now, missed, i = [], 0, 0, 0
    while i < len(jobs) or ready:
        if not ready:
            now = max(now, jobs[i][0])
        while i < len(jobs) and jobs[i][0] <= now:
            arrival, work, deadline = jobs[i]
            heapq.heappush(ready, [deadline, i, work])
            i += 1
        first = ready[0]
        until = jobs[i][0] if i < len(jobs) else float("inf")
        if now + first[2] <= until:
            now += first[2]
            missed += now > first[0]
            heapq.heappop(ready)
        else:
            first[2] -= until - now
            now = until
    return missed
