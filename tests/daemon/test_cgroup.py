# SPDX-License-Identifier: MIT
"""GPU time by cgroup: who may say what, shares, limits, totals. In real cgroups, with simulated clients."""
import os
import select
import subprocess
import time

import pytest
from rig import WAIT, Client, Control, Daemon, Refused
from test_bad_input import NOBODY, as_user, denied, needs_root
from test_grant import Job


def find_mount():
    with open("/proc/self/mounts", encoding="ascii") as f:
        found = [line.split()[1] for line in f if line.split()[2] == "cgroup2"]
    return found[0] if found else ""


MOUNT = find_mount()
pytestmark = [needs_root,
              pytest.mark.skipif(not os.access(MOUNT + "/cgroup.procs", os.W_OK),
                                 reason="no cgroup v2 that can be written to")]


@pytest.fixture
def daemon():
    with Daemon(config="[cgroup /gp-test-*/limited]\nmax = 20000 100000\n"
                       "[cgroup /gp-test-*/own/many-*]\nweight = 50\n"
                       "[cgroup /gp-test-*/root-*]\nweight = 50\n") as d:
        yield d


@pytest.fixture
def tree(daemon):
    """Folders of cgroups, and jobs in them; all gone at the end."""
    class Tree:
        def __init__(self):
            self.name, self.jobs = f"/gp-test-{os.getpid()}", []
            self.folders = [MOUNT + self.name]
            os.mkdir(self.folders[0])

        def make(self, path):
            self.folders.append(MOUNT + self.name + path)
            os.mkdir(self.folders[-1])
            return self.name + path

        def job(self, path, **wishes):
            j = Job(daemon, comm=f"job{len(self.jobs)}", **wishes)
            with open(MOUNT + path + "/cgroup.procs", "w", encoding="ascii") as f:
                f.write(str(j.pid))
            self.jobs.append(j)
            return j

        def close(self):
            for j in self.jobs:
                j.end()
            end = time.monotonic() + 20
            for folder in reversed(self.folders):
                while open(folder + "/cgroup.procs", encoding="ascii").read():
                    assert time.monotonic() < end
                    time.sleep(0.01)
                os.rmdir(folder)

    t = Tree()
    yield t
    t.close()


def rows(control):
    return {c["cgroup"]: c for c in control.call("ListCgroups")["cgroups"]}


def hears(job):
    """The next order of the daemon, without its numbers."""
    fd, text = job.shell.stdout.fileno(), getattr(job, "unread", "")
    while "\n" not in text:
        assert select.select([fd], [], [], WAIT)[0], "no order"
        text += os.read(fd, 4096).decode()
    line, _, job.unread = text.partition("\n")
    return line.split()[0]


def set_xattr(path, name, value):
    os.setxattr(MOUNT + path, name, value.encode())


def test_what_is_said_is_there(control, tree):
    path = tree.make("/a")
    reply = control.call("SetCgroup", cgroup=path, settings={"weight": "200", "max": "50000"})
    assert reply["old"] == {"weight": "100", "max": "max 100000", "latency": "0", "idle": "0"}
    assert reply["new"] == {"weight": "200", "max": "50000 100000", "latency": "0", "idle": "0"}
    assert rows(control) == {}
    tree.job(path).start(control)
    row = rows(control)[path]
    assert row["weight"] == 200 and row["max"] == "50000 100000" and row["nr_processes"] == 1
    control.call("SetCgroup", cgroup=path, settings={"weight": "300"})
    assert rows(control)[path]["weight"] == 300
    reply = control.call("SetCgroup", cgroup=path, settings={"weight": None}, dry_run=True)
    assert reply["old"]["weight"] == "300" and reply["new"]["weight"] == "100"
    assert rows(control)[path]["weight"] == 300
    reply = control.call("SetCgroup", cgroup=path, settings={"weight": None, "max": None})
    assert reply["new"]["weight"] == "100"
    # Nothing is said of it any more.
    control.wait_for(lambda: rows(control) == {})


def test_cgroups_of_which_nothing_is_said_are_not_there(control, tree):
    tree.make("/a")
    path = tree.make("/a/b")
    deep = tree.make("/a/b/c")
    control.call("SetCgroup", cgroup=tree.name, settings={"weight": "50"})
    control.call("SetCgroup", cgroup=path, settings={"weight": "70"})
    tree.job(deep).start(control)
    found = rows(control)
    assert set(found) == {tree.name, path}
    assert (found[path]["nr_processes"], found[tree.name]["nr_processes"]) == (1, 0)
    # One in between comes: what is below goes there.
    control.call("SetCgroup", cgroup=tree.name + "/a", settings={"idle": "1"})
    control.wait_for(lambda: set(rows(control)) == {tree.name, tree.name + "/a", path})
    assert rows(control)[path]["idle"] and not rows(control)[tree.name]["idle"]
    assert rows(control)[path]["nr_processes"] == 1


def test_deep_folders_are_not_looked_at(control, tree):
    """As many as shares can be deep: more would be files without end."""
    path = ""
    for _ in range(18):
        path += "/d"
        tree.make(path)
    at = {n: tree.name + path[:2 * (n - 1)] for n in (15, 16, 17)}
    for p in at.values():
        control.call("SetCgroup", cgroup=p, settings={"weight": "50"})
    tree.job(tree.name + path).start(control)
    assert set(rows(control)) == {at[15], at[16]}


def test_folder_says_it(control, tree):
    path = tree.make("/a")
    set_xattr(path, "user.gpu.weight", "300\n")
    set_xattr(path, "user.gpu.max", "30000 60000")
    set_xattr(path, "user.gpu.latency", "1500")
    tree.job(path).start(control)
    row = rows(control)[path]
    assert (row["weight"], row["max"], row["latency_usec"]) == (300, "30000 60000", 1500)


def test_owner_of_a_folder_only_lowers(control, tree):
    path, low = tree.make("/a"), tree.make("/b")
    for p in (path, low):
        os.chown(MOUNT + p, NOBODY, NOBODY)
    set_xattr(path, "user.gpu.weight", "300")
    set_xattr(path, "user.gpu.latency", "1500")
    set_xattr(low, "user.gpu.weight", "30")
    set_xattr(low, "user.gpu.max", "5000 100000")
    tree.job(path).start(control)
    tree.job(low).start(control)
    found = rows(control)
    assert path not in found
    assert (found[low]["weight"], found[low]["max"]) == (30, "5000 100000")


def test_folder_that_others_write_to_is_not_roots(control, tree):
    path = tree.make("/a")
    os.chmod(MOUNT + path, 0o777)
    set_xattr(path, "user.gpu.weight", "300")
    tree.job(path).start(control)
    assert rows(control) == {}


def test_nonsense_in_a_folder_says_nothing(control, tree):
    path = tree.make("/a")
    for name, value in (("user.gpu.weight", "1e3"), ("user.gpu.max", "9" * 200),
                        ("user.gpu.idle", "1\0" + "0"), ("user.gpu.latency", ""),
                        ("user.gpu.unknown", "1"), ("trusted.gpu.weight", "101")):
        set_xattr(path, name, value)
    row = tree.job(path).start(control)
    assert rows(control) == {} and row["notes"] == []


def test_idle_lowers_whatever_was_wished(daemon, control, tree):
    path = tree.make("/a")
    control.call("SetCgroup", cgroup=path, settings={"idle": "1"})
    j = tree.job(path)
    j.start(control)
    control.call("SetAttributes", pid=j.row(control)["pid"], attributes={"priority": 12})
    j.say("busy 0")
    other = tree.job(tree.name, klass="besteffort")
    other.start(control)
    other.say("busy 0")
    assert hears(j) == "hold"
    other.say("idle 0")
    assert hears(j) == "release"


def test_limit_holds_a_process_that_is_alone(control, tree):
    path = tree.make("/limited")
    j = tree.job(path)
    j.start(control)
    j.say("busy 0")
    for _ in range(6):
        assert hears(j) == "hold"
        assert hears(j) == "release"
    row = rows(control)[path]
    assert row["max"] == "20000 100000"
    assert row["nr_throttled"] >= 6 and row["nr_periods"] >= 6
    # Of the time in which it had work it ran a fifth; how late timers are does not matter.
    part = row["usage_usec"] / (row["usage_usec"] + row["full"]["total_usec"])
    assert 0.1 < part < 0.3, row
    assert row["full"]["total_usec"] == row["some"]["total_usec"] >= row["throttled_usec"] * 0.9


def test_weights_are_shares_of_time(control, tree):
    control.call("SetPolicy", policy="fair")
    for name, weight in (("/a", "300"), ("/b", "100")):
        path = tree.make(name)
        control.call("SetCgroup", cgroup=path, settings={"weight": weight})
        # Processes of a cgroup share its part, however many they are.
        for _ in range(1 if name == "/a" else 3):
            j = tree.job(path)
            j.start(control)
            j.say("busy 0")
    a, b = tree.name + "/a", tree.name + "/b"
    control.wait_for(lambda: rows(control)[a]["usage_usec"] > 3000000)
    found = rows(control)
    # How exactly is the simulator's to say: here answers are as late as the machine is busy. By
    # process it would be a third.
    assert found[a]["usage_usec"] > found[b]["usage_usec"], found
    control.wait_for(lambda: rows(control)[b]["some"]["avg10_ppm"] > 0)


def test_totals_outlive_the_job(control, tree):
    path = tree.make("/limited")
    j = tree.job(path)
    j.start(control)
    j.say("busy 0")
    control.wait_for(lambda: rows(control)[path]["usage_usec"] > 10000)
    j.end()
    tree.jobs.remove(j)
    control.wait_for(lambda: rows(control)[path]["nr_processes"] == 0)
    used = rows(control)[path]["usage_usec"]
    assert used > 10000
    text = control.call("GetMetrics")["text"]
    assert f'gpreempt_cgroup_usage_seconds_total{{cgroup="{path}"}} {used / 1e6:.6f}' in text


def test_one_user_leaves_series_to_others(daemon, control, tree):
    """As many cgroups as a user may have, and more of root that sort behind them."""
    own = MOUNT + tree.make("/own")
    os.chown(own, NOBODY, NOBODY)
    mine = [tree.make(f"/own/many-{i:03}") for i in range(256)]
    roots = [tree.make(f"/root-{i:03}") for i in range(66)]
    pid = os.fork()
    if not pid:
        try:
            for path in mine + roots:
                with open(MOUNT + path + "/cgroup.procs", "w", encoding="ascii") as f:
                    f.write(str(os.getpid()))
                os.seteuid(NOBODY)
                Client(daemon).close()
                os.seteuid(0)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    # They stay for a while after their last process.
    assert len(rows(control)) == len(mine + roots)
    lines = control.call("GetMetrics")["text"].splitlines()
    for name in ("usage_seconds", "periods"):
        shown = [line.split('"')[1] for line in lines if line.startswith(f"gpreempt_cgroup_{name}_total{{")]
        assert shown == mine[:64] + roots


def test_restart_keeps_what_was_said(daemon, control, tree):
    path = tree.make("/a")
    control.call("SetCgroup", cgroup=path, settings={"weight": "7", "max": "4000 10000"})
    daemon.stop()
    daemon.start()
    c = Control(daemon)
    tree.job(path).start(c)
    assert (rows(c)[path]["weight"], rows(c)[path]["max"]) == (7, "4000 10000")
    # As the configuration has changed, which is read again.
    daemon.configure(f"[cgroup /gp-test-*]\nidle = 1\n[cgroup {path}]\nweight = 9\n")
    c.call("Reload")
    c.wait_for(lambda: rows(c)[path]["idle"])
    assert rows(c)[path]["weight"] == 7


def test_only_the_privileged_say_it(daemon, tree):
    path = tree.make("/a")

    def user():
        c = Control(daemon)
        denied(c, "SetCgroup", cgroup=path, settings={"weight": "1"})
        denied(c, "ListCgroups")

    as_user(user)


@pytest.mark.parametrize("settings", [
    {"weight": "0"}, {"weight": 5}, {"max": "1"}, {"shares": "5"}, {"idle": "1\0x"}, [], "weight"])
def test_nonsense_is_refused(control, settings):
    with pytest.raises(Refused) as e:
        control.call("SetCgroup", cgroup="/a", settings=settings)
    assert e.value.error == "InvalidParameter"


@pytest.mark.parametrize("path", ["a", "/a/../b", "/a/", "//", "/" + "a" * 600])
def test_what_is_no_path_is_refused(control, path):
    with pytest.raises(Refused):
        control.call("SetCgroup", cgroup=path, settings={"weight": "5"})


def test_without_the_hierarchy_all_else_works():
    """The folders cannot be looked at: patterns and SetCgroup still go by the path of a process."""
    mounts = "; ".join(f"umount -l {line.split()[1]}" for line in open("/proc/self/mounts", encoding="ascii")
                       if line.split()[2] == "cgroup2")

    class Hidden(Daemon):
        def command(self):
            return ["unshare", "-m", "--propagation", "private", "sh", "-c",
                    mounts + '; exec "$@"', "sh", *super().command()]

    if subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("no mount namespace")
    with Hidden() as d:
        c = Control(d)
        client = Client(d)
        assert c.call("ListCgroups")["cgroups"] == []
        assert c.call("SetCgroup", cgroup="/a", settings={"weight": "5"})["new"]["weight"] == "5"
        client.close()
