# SPDX-License-Identifier: MIT
"""The SPANK plug-in in a real Slurm on loopback, with the real daemon and simulated clients."""
import os
import re
import signal
import struct
import subprocess
import sys
import zlib

try:
    import pytest
except ImportError as gone:
    print("skipped:", gone.name, "is not installed")
    sys.exit(77)
from slurmrig import (USERS, WAIT, Client, Control, Job, missing, queue, totals_of, wait_for,
                      world as make_world)

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
# One after another, as long as each lasts: 200 in `make check-slurm`.
ARRAY = int(os.environ.get("GP_SLURM_ARRAY", "20"))
OVER = ("COMPLETED", "FAILED", "CANCELLED")


@pytest.fixture(scope="module")
def world():
    with make_world() as w:
        yield w


@pytest.fixture
def daemon(world):
    with world.daemon() as d:
        yield d


@pytest.fixture
def control(daemon):
    c = Control(daemon)
    yield c
    c.close()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def rows(control, comm):
    return [p for p in control.call("ListProcesses")["processes"] if p["comm"] == comm]


def known(control, job, comm="train"):
    return wait_for(lambda: rows(control, comm), lambda: job.out() + job.slurm.read("slurmd.log"))[0]


def assert_exact(job, at_least=0):
    """What train computed is what it would have computed alone; of each time that it ran."""
    done = re.findall(r"^done (\d+) (\d+)$", job.out(), re.M)
    assert done, job.out()
    for steps, found in done:
        checksum = 0
        for i in range(int(steps)):
            checksum = zlib.crc32(struct.pack("<Q", i), checksum)
        assert int(found) == checksum and int(steps) >= at_least
    return len(done)


def class_of(world, control, *words, env=None, klass="", wrap="{}"):
    """The attributes of a client, a shell deep in a job of srun."""
    world.nr += 1
    comm = f"job{world.nr}"
    client = f"/usr/bin/python3 simclient.py {world.slurm.sock} {comm} 255 \"{klass}\" \"\" 1 1"
    who = {"user": USERS["batch"], "group": "nogroup", "extra_groups": []}
    run = subprocess.Popen(["timeout", str(WAIT), "srun", "--gres=shard:1", *words, "sh", "-c",
                            wrap.format(client) + "; :"], env=world.slurm.env | (env or {}),
                           cwd=world.slurm.folder, text=True, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, **who)
    try:
        assert run.stdout.readline() == "ready\n", run.stderr.read()
        return rows(control, comm)[0]["attributes"]
    finally:
        run.communicate("end\n", timeout=WAIT)


def test_the_database_lets_in_only_root(world):
    """It runs as root and can write any file: no other user may ask it for that."""
    assert os.stat(os.path.join(world.slurm.folder, "db")).st_mode & 0o777 == 0o700
    ask = ("mariadb", "--no-defaults", "--user=root", "-N", "-B", "-e")
    with pytest.raises(AssertionError, match="Permission denied|\\(13"):
        world.slurm.run(*ask, "SELECT 1", user=USERS["batch"])
    assert world.slurm.run(*ask, "SELECT @@skip_networking") == "1\n"
    # Every account that can log in is for the root of this machine, and none has a password.
    accounts = "SELECT User, Host FROM mysql.global_priv WHERE Priv NOT LIKE '%unix_socket%'"
    for kind in ("account_locked", "is_role"):
        accounts += f" AND Priv NOT LIKE '%\"{kind}\":true%'"
    assert world.slurm.run(*ask, accounts) == ""


def test_the_qos_says_the_class_then_the_partition(world, control):
    attr = class_of(world, control, "--qos=rt")
    assert attr["class"] == "realtime" and re.fullmatch(r"slurm\.\d+", attr["group"])
    assert class_of(world, control, "--qos=be", "-p", "urgent")["class"] == "besteffort"
    assert class_of(world, control, "-p", "urgent")["class"] == "realtime"
    assert class_of(world, control, "-p", "other")["class"] == "default"
    # A map with an empty place: the first is still what a job has without a wish.
    assert class_of(world, control, "-p", "holed")["class"] == "besteffort"


def test_the_option_chooses_among_what_is_allowed(world, control):
    attr = class_of(world, control, "--qos=rt", "--gpreempt-class=default")
    assert attr["class"] == "default"
    attr = class_of(world, control, "--qos=be", "--gpreempt-class=realtime")
    assert attr["class"] == "besteffort"
    assert "--gpreempt-class=CLASS" in world.slurm.run("srun", "--help")


def environment(world, name, *words, env=None):
    """What a task of srun has for a name, or ""."""
    run = world.slurm.run("srun", *words, "/usr/bin/env", user=USERS["batch"], env=env)
    return (re.findall(f"^{name}=(.*)$", run, re.M) or [""])[0]


def test_the_wish_reaches_the_task(world):
    assert environment(world, "GPREEMPT_CLASS", "--qos=rt") == ""
    assert environment(world, "GPREEMPT_CLASS", "--qos=rt", "--gpreempt-class=default") == "default"
    assert environment(world, "GPREEMPT_CLASS", "--qos=be", "--gpreempt-class=realtime",
                       env={"GPREEMPT_CLASS": "other"}) == "realtime"


def test_the_shim_is_put_in_front_of_what_is_preloaded(world):
    def preloaded(before):
        return environment(world, "LD_PRELOAD", f"--export=ALL,LD_PRELOAD={before}")

    shim = world.slurm.shim
    assert environment(world, "LD_PRELOAD") == shim
    assert preloaded("/nowhere/a.so:/nowhere/b.so") == f"{shim}:/nowhere/a.so:/nowhere/b.so"
    assert preloaded(f"/nowhere/a.so:{shim}") == f"/nowhere/a.so:{shim}"
    # One that is too long stays as it is, and is not cut.
    long = ":".join(f"/nowhere/library{i}.so" for i in range(100))
    assert preloaded(long) == long
    assert "no shim: LD_PRELOAD is too long" in world.slurm.read("slurmd.log")


def test_a_forged_environment_changes_nothing(world, control):
    env = {"GPREEMPT_CLASS": "realtime", "GPREEMPT_GROUP": "other", "SLURM_JOB_QOS": "rt",
           "SLURM_JOB_PARTITION": "urgent", "SLURM_SPANK__SLURM_SPANK_OPTION_gpreempt_gpreempt_class":
           "realtime"}
    attr = class_of(world, control, "--qos=be", klass="realtime", env=env)
    assert attr["class"] == "besteffort" and attr["group"].startswith("slurm.")


# It begins when the shell between it and the one of the job has ended.
LEFT_ALONE = """exec 3<&0; ((while read -r _ _ _ p _ </proc/self/stat && read -r _ _ _ p _ </proc/$p/stat &&
[ $p = $$ ]; do sleep 0.05; done; {}) <&3 &); cat >/dev/null"""


def test_a_process_that_left_its_parents_has_what_every_user_may(world, control):
    """Its parent has ended, and nothing says any more which job it is of: less, and never more."""
    attr = class_of(world, control, "--qos=rt", wrap=LEFT_ALONE)
    assert (attr["class"], attr["group"]) == ("default", None)


def test_two_users_share_a_gpu(world, daemon, control):
    board = world.board(serves=1, waits=1)
    batch = world.job("batch", "train", board, 50, "--qos=be")
    row = known(control, batch)
    urgent = world.job("urgent", "serve", board, 5, "--qos=rt")
    served = known(control, urgent, "serve")
    assert batch.state() == urgent.state() == "RUNNING"
    assert (row["uid"], served["uid"]) == (65534, 1)
    assert row["attributes"]["class"] == "besteffort"
    assert served["attributes"]["class"] == "realtime"
    # Everybody may call a group so: it is another user's.
    foreign = Client(daemon, group=f"slurm.{batch.id}".encode(), prio=1)
    foreign.send(queue())
    wait_for(lambda: len(control.call("ListTotals", group=f"slurm.{batch.id}")["totals"]) == 2,
             lambda: "one total")
    world.let_serve(board)
    urgent.wait_state(*OVER)
    batch.wait_state(*OVER)
    assert urgent.out().count("served") == 5 and assert_exact(batch) == 1
    a, b = totals_of(batch.comment()), totals_of(urgent.comment())
    assert (a["class"], b["class"]) == ("besteffort", "realtime")
    assert (a["preempted"], b["preempted"], b["off"]) == (5, 0, 0)
    assert a["run"] > 0 and a["off"] >= a["off_max"] > 0 and b["run"] > 0
    foreign.close()


def test_a_job_without_a_gpu_has_no_totals(world, control):
    job = Job(world.slurm, "batch", "true", "--qos=be")
    assert job.wait_state(*OVER).comment() == ""


def test_what_others_write_into_the_comment_stays(world, control):
    """Before, between and behind, with a separator or without; the part of the plug-in is renewed."""
    board = world.board()
    step = f"srun python3 gpujob.py train {world.slurm.sock} {board} 5"
    gate = "until [ -e out/gate ]; do sleep 0.1; done"
    job = Job(world.slurm, "batch", f"{step}; {gate}; {step}", "--qos=be")

    def comment():
        return (re.findall(r"^ *AdminComment=(.*?) *$", world.slurm.try_run(
            "scontrol", "show", "job", job.id), re.M) or [""])[0]

    first = wait_for(comment, lambda: job.out() + world.slurm.read("slurmd.log"))
    assert totals_of(first)["class"] == "besteffort"
    other = first.replace("gpreempt[", "gpreempt[other-")
    world.slurm.run("scontrol", "update", f"jobid={job.id}",
                    f"admincomment=before; {first} behind, {other}; end")
    world.slurm.write("out/gate", "")
    last = job.wait_state(*OVER).comment()
    assert last.startswith("before; ") and last.endswith(f" behind, {other}; end")
    renewed = last[len("before; "):-len(f" behind, {other}; end")]
    assert totals_of(renewed)["run"] > totals_of(first)["run"]


def test_a_class_that_is_refused_is_not_accounted(world, control):
    """Also where the job calls its own group as the plug-in would have."""
    job = Job(world.slurm, "batch", f"(until [ -e out/end ]; do sleep 0.1; done; echo end) | python3 "
              f"simclient.py {world.slurm.sock} odd 255 '' slurm.$SLURM_JOB_ID 1 1", "-p", "odd")
    wait_for(lambda: control.call("ListTotals", group=f"slurm.{job.id}")["totals"],
             lambda: job.out() + world.slurm.read("slurmd.log"))
    world.slurm.write("out/end", "")
    assert job.wait_state(*OVER).comment() == ""
    assert f"job {job.id}: no class: " in world.slurm.read("slurmd.log")


def test_jobs_run_without_the_daemon(world):
    job = Job(world.slurm, "urgent", "echo fine", "--qos=rt")
    assert job.wait_state(*OVER).state() == "COMPLETED" and job.out() == "fine\n"
    assert job.comment() == ""
    assert f"job {job.id}: no class: gpreemptd does not answer" in world.slurm.read("slurmd.log")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_daemon_is_restarted_under_jobs(world, daemon, control, number):
    board = world.board(serves=1)
    batch = world.job("batch", "train", board, 50, "--qos=be")
    known(control, batch)
    # It is written some time after the grant, and all that a killed one leaves.
    state = os.path.join(daemon.folder, "state.json")
    wait_for(lambda: os.path.exists(state) and f"slurm.{batch.id}" in read(state), lambda: read(state))
    daemon.signal(number)
    daemon.process.wait(WAIT)
    daemon.start()
    c = Control(daemon)
    assert known(c, batch)["attributes"]["class"] == "besteffort"
    urgent = world.job("urgent", "serve", board, 3, "--qos=rt")
    urgent.wait_state(*OVER)
    batch.wait_state(*OVER)
    assert urgent.out().count("served") == 3 and assert_exact(batch) == 1
    assert totals_of(batch.comment())["preempted"] == 3
    c.close()


def test_a_suspended_job_goes_on(world, control):
    board = world.board(serves=1)
    batch = world.job("batch", "train", board, 50, "--qos=be")
    known(control, batch)
    world.slurm.run("scontrol", "suspend", batch.id)
    batch.wait_state("SUSPENDED")
    world.slurm.run("scontrol", "resume", batch.id)
    urgent = world.job("urgent", "serve", board, 3, "--qos=rt")
    urgent.wait_state(*OVER)
    batch.wait_state(*OVER)
    assert urgent.out().count("served") == 3 and assert_exact(batch) == 1


def test_a_suspended_urgent_job_goes_on(world, control):
    board = world.board(serves=1, waits=1)
    batch = world.job("batch", "train", board, 20, "--qos=be")
    known(control, batch)
    urgent = world.job("urgent", "serve", board, 2, "--qos=rt")
    known(control, urgent, "serve")
    world.slurm.run("scontrol", "suspend", urgent.id)
    urgent.wait_state("SUSPENDED")
    world.slurm.run("scontrol", "resume", urgent.id)
    world.let_serve(board)
    urgent.wait_state(*OVER)
    batch.wait_state(*OVER)
    assert assert_exact(batch) == 1 and urgent.out().count("served") == 2


def test_a_requeued_job_begins_anew(world, control):
    board = world.board(serves=1)
    batch = world.job("batch", "train", board, 10, "--qos=be", "--requeue")
    first = known(control, batch)
    world.slurm.run("scontrol", "requeue", batch.id)
    # Slurm puts it off by two minutes: within a second slurmd takes it for the job that was ended.
    batch.wait_state("PENDING")
    world.slurm.run("scontrol", "update", f"jobid={batch.id}", "starttime=now+4")
    wait_for(lambda: [p for p in rows(control, "train") if p["pid"] != first["pid"]],
             lambda: f"{batch.state()} {batch.out()} {world.slurm.read('slurmctld.log')[-2000:]}")
    again = [p for p in rows(control, "train") if p["pid"] != first["pid"]][0]
    assert again["attributes"]["group"] == f"slurm.{batch.id}.1"
    assert again["attributes"]["class"] == "besteffort"
    world.job("urgent", "serve", board, 2, "--qos=rt").wait_state(*OVER)
    batch.wait_state(*OVER)
    assert assert_exact(batch) == 1
    found = wait_for(lambda: [c for c in batch.comments() if c[1] == "COMPLETED"],
                     lambda: str(batch.comments()))
    assert totals_of(found[0][2])["preempted"] == 2 and len(batch.comments()) == 2


def test_a_job_that_is_killed_lets_go(world, control):
    board = world.board(serves=1)
    batch = world.job("batch", "train", board, 20, "--qos=be")
    known(control, batch)
    urgent = world.job("urgent", "serve", board, 1000000, "--qos=rt")
    wait_for(lambda: "served" in urgent.out(), urgent.out)
    world.slurm.run("scancel", urgent.id)
    urgent.wait_state(*OVER)
    wait_for(lambda: not rows(control, "serve"), lambda: "it is still there")
    wait_for(lambda: rows(control, "train")[0]["state"] == "running",
             lambda: str(rows(control, "train")))
    world.slurm.run("scancel", batch.id)
    batch.wait_state(*OVER)
    wait_for(lambda: not control.call("ListGrants")["grants"],
             lambda: str(control.call("ListGrants")))
    assert control.call("ListTotals", group=f"slurm.{batch.id}")["totals"]


def test_an_array(world, control):
    board = world.board()
    job = world.job("batch", "train", board, 5, "--qos=be", f"--array=1-{ARRAY}%8")
    wait_for(lambda: not world.slurm.try_run("squeue", "-h", "-j", job.id).strip(),
             lambda: world.slurm.try_run("squeue") + world.slurm.read("slurmctld.log")[-2000:], 600)

    def records():
        found = [c for c in job.comments() if c[1] == "COMPLETED"]
        return found if len(found) == ARRAY else None

    found = wait_for(records, lambda: str(job.comments()))
    assert all(totals_of(c[2])["class"] == "besteffort" for c in found)
    groups = {t["group"] for t in control.call("ListTotals")["totals"]}
    assert {f"slurm.{c[0]}" for c in found} <= groups
    wait_for(lambda: not control.call("ListGrants")["grants"],
             lambda: str(control.call("ListGrants")))


if __name__ == "__main__":
    if missing():
        print("skipped:", missing())
        sys.exit(77)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:], __file__]))
