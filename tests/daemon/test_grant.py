# SPDX-License-Identifier: MIT
"""Grants: what root says of a job before it is a client, and what the job makes of it."""
import os
import shutil
import subprocess

import pytest
from rig import HOLD, RELEASE, WAIT, BUSY, Client, Control, Refused, edge, queue
from test_bad_input import NOBODY, as_user, denied, needs_root

SIMCLIENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                         "cli", "simclient.py")
FREEZER = "/sys/fs/cgroup/freezer"
pytestmark = needs_root


class Job:
    """A user's shell that waits, then starts a client two shells deep."""

    def __init__(self, daemon, comm="job", prio=255, klass=""):
        shutil.copy(SIMCLIENT, daemon.folder)
        os.chmod(os.path.join(daemon.folder, "simclient.py"), 0o755)
        client = " ".join(["/usr/bin/python3", os.path.join(daemon.folder, "simclient.py"),
                           daemon.path, comm, str(prio), f"'{klass}'", "''", "1", "1"])
        self.shell = subprocess.Popen(["sh", "-c", f'read -r _; sh -c "{client}; :"; :'],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      user=NOBODY, group=NOBODY, extra_groups=[])
        self.pid, self.comm = self.shell.pid, comm

    def say(self, line):
        self.shell.stdin.write(line + "\n")
        self.shell.stdin.flush()

    def start(self, control):
        self.say("")
        assert self.shell.stdout.readline() == "ready\n"
        return self.row(control)

    def row(self, control):
        rows = control.call("ListProcesses")["processes"]
        return [r for r in rows if r["comm"] == self.comm][0]

    def end(self):
        self.shell.stdin.close()
        self.shell.wait(WAIT)
        self.shell.stdout.close()


@pytest.fixture
def job(daemon):
    jobs = []

    def make(**wishes):
        jobs.append(Job(daemon, **wishes))
        return jobs[-1]

    yield make
    for j in jobs:
        j.end()


def attributes(row, *names):
    return tuple(row["attributes"][n] for n in names)


def test_job_gets_a_closed_class_only_by_a_grant(control, job):
    without, granted = job(comm="without", klass="realtime"), job(comm="granted")
    reply = control.call("Grant", pid=granted.pid, attributes={"class": "realtime"})["grant"]
    assert reply["pid"] == granted.pid and reply["cgroup"] is None and reply["nr_clients"] == 0
    row = without.start(control)
    assert attributes(row, "class", "priority") == ("default", 7) and row["notes"]
    row = granted.start(control)
    assert attributes(row, "class", "priority", "latency_critical") == ("realtime", 12, True)
    assert row["uid"] == NOBODY and row["notes"] == []
    assert control.call("ListGrants")["grants"][0]["nr_clients"] == 1


@pytest.mark.parametrize("wishes,found", [
    ({"prio": 15}, ("realtime", 12)), ({"prio": 3}, ("realtime", 3)),
    ({"klass": "besteffort"}, ("besteffort", 2)), ({"klass": "none"}, ("realtime", 12))])
def test_own_wish_only_lowers(control, job, wishes, found):
    j = job(**wishes)
    control.call("Grant", pid=j.pid, attributes={"class": "realtime"})
    assert attributes(j.start(control), "class", "priority") == found


def test_grant_is_a_ceiling_below_the_default_too(daemon, control, job):
    j = job(prio=7, klass="default")
    control.call("Grant", pid=j.pid, attributes={"class": "besteffort", "group": "slurm.7"})
    row = j.start(control)
    assert attributes(row, "class", "priority", "group") == ("besteffort", 2, "slurm.7")
    assert len(row["notes"]) == 2

    def user():
        c = Control(daemon)
        denied(c, "SetAttributes", pid=row["pid"], attributes={"priority": 7})
        denied(c, "SetAttributes", pid=row["pid"], attributes={"class": "default"})
        denied(c, "SetAttributes", pid=row["pid"], attributes={"group": "other"})
        c.call("SetAttributes", pid=row["pid"], attributes={"priority": 1})

    as_user(user)
    assert attributes(j.row(control), "priority", "group") == (1, "slurm.7")
    control.call("SetAttributes", pid=row["pid"], attributes={"priority": 9})


def test_granted_job_is_served_first(daemon, control, job):
    low = Client(daemon, prio=6)
    low.send(queue())
    low.send(edge(BUSY))
    j = job()
    control.call("Grant", pid=j.pid, attributes={"priority": 8})
    j.start(control)
    j.say("busy 0")
    low.obey(HOLD)
    j.say("idle 0")
    low.obey(RELEASE)


def test_grant_comes_to_clients_that_are_there_and_goes(control, job):
    j = job()
    row = j.start(control)
    control.call("Grant", pid=j.pid, attributes={"priority": 11, "weight": 300})
    assert attributes(j.row(control), "priority", "weight") == (11, 300)
    control.call("Grant", pid=row["pid"], attributes={"priority": 9})
    assert attributes(j.row(control), "priority", "weight") == (9, 100)
    control.call("Revoke", pid=row["pid"])
    assert attributes(j.row(control), "priority", "weight") == (11, 300)
    control.call("Revoke", pid=j.pid)
    assert attributes(j.row(control), "priority", "weight") == (7, 100)
    with pytest.raises(Refused) as e:
        control.call("Revoke", pid=j.pid)
    assert e.value.error == "NotFound"


def test_lease_ends_a_grant(control, job):
    j = job()
    j.start(control)
    control.call("Grant", pid=j.pid, attributes={"priority": 11}, lease_ms=300)
    control.wait_for(lambda: attributes(j.row(control), "priority") == (7,))
    assert control.call("ListGrants")["grants"] == []


def test_grant_outlives_the_daemon_and_ends_with_the_job(daemon, control, job):
    j = job()
    control.call("Grant", pid=j.pid, attributes={"class": "realtime"}, lease_ms=3600000)
    daemon.stop()
    daemon.start()
    c = Control(daemon)
    kept = c.call("ListGrants")["grants"]
    assert [g["pid"] for g in kept] == [j.pid] and 0 < kept[0]["lease_ms"] <= 3600000
    assert attributes(j.start(c), "class") == ("realtime",)
    j.end()
    c.wait_for(lambda: c.call("ListGrants")["grants"] == [])


@pytest.mark.skipif(not os.access(FREEZER + "/cgroup.procs", os.W_OK), reason="no such hierarchy here")
def test_cgroup_and_those_below(control, job):
    folder = f"{FREEZER}/gp-test-{os.getpid()}"
    os.makedirs(folder + "/job_1/step_0")
    name = folder[len(FREEZER):]
    inside, deeper, outside = job(comm="inside"), job(comm="deeper"), job(comm="outside")
    try:
        for j, below in ((inside, "/job_1"), (deeper, "/job_1/step_0")):
            with open(f"{folder}{below}/cgroup.procs", "w", encoding="ascii") as f:
                f.write(str(j.pid))
        control.call("Grant", cgroup=name + "/job_1", attributes={"priority": 11})
        control.call("Grant", cgroup=name + "/job_1/step_0", attributes={"priority": 10})
        control.call("Grant", cgroup=name + "/job", attributes={"priority": 15})
        found = [attributes(j.start(control), "priority")[0] for j in (inside, deeper, outside)]
        assert found == [11, 10, 7]
        control.call("Revoke", cgroup=name + "/job_1/step_0")
        assert attributes(deeper.row(control), "priority") == (11,)
    finally:
        for j in (inside, deeper, outside):
            j.end()
        control.wait_for(lambda: not open(folder + "/job_1/cgroup.procs", encoding="ascii").read())
        for below in ("/job_1/step_0", "/job_1", ""):
            os.rmdir(folder + below)


def test_only_the_privileged_grant(daemon, control, job):
    j = job()
    control.call("Grant", pid=j.pid, attributes={"priority": 3})

    def user():
        c = Control(daemon)
        for method, parameters in (("Grant", {"pid": os.getpid(), "attributes": {"priority": 9}}),
                                   ("Revoke", {"pid": j.pid}), ("ListGrants", {})):
            denied(c, method, **parameters)

    as_user(user)


@pytest.mark.parametrize("parameters", [
    {"attributes": {"priority": 9}}, {"pid": 1, "cgroup": "/a", "attributes": {}},
    {"pid": 1}, {"cgroup": "/", "attributes": {}}, {"cgroup": "a", "attributes": {}},
    {"cgroup": "/a//b", "attributes": {}}, {"cgroup": "/a/", "attributes": {}},
    {"cgroup": "/" + "a" * 600, "attributes": {}}, {"cgroup": "/a\n", "attributes": {}},
    {"pid": 4194000, "attributes": {}}, {"cgroup": "/a", "attributes": {"class": "none"}}])
def test_nonsense_is_refused(control, parameters):
    with pytest.raises(Refused):
        control.call("Grant", **parameters)
    assert control.call("ListGrants")["grants"] == []


def test_there_is_a_limit(control):
    for nr in range(4096):
        control.call("Grant", cgroup=f"/many/{nr}", attributes={"priority": 3})
    with pytest.raises(Refused):
        control.call("Grant", cgroup="/many/more", attributes={"priority": 3})
    control.call("Grant", cgroup="/many/7", attributes={"priority": 4})
