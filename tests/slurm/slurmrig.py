# SPDX-License-Identifier: MIT
"""A real Slurm on loopback, with its database, in a folder of its own.

Two users share one GPU that Slurm believes in; gpreemptd has a simulated one. Without the mark
`optional` of plugstack.conf a failing plug-in would fail jobs: it is there, as on a site.
"""
import contextlib
import os
import pwd
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "daemon"))
from rig import Client, Control, Daemon, hidden, queue  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.environ.get("SPANK_GPREEMPT", "")
LIBRARY = os.environ.get("LIBGPREEMPT", "")
PROGRAMS = ("slurmctld", "slurmd", "slurmdbd", "munged", "mariadbd", "mariadb-install-db", "srun",
            "sacctmgr", "sacct")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# Two that every Debian has.
USERS = {"urgent": "daemon", "batch": "nobody"}
WAIT = 40
MAP = ("map=qos:rt=realtime|default", "map=qos:be=besteffort", "map=partition:urgent=realtime|default",
       "map=partition:batch=besteffort", "map=partition:odd=nosuch",
       "map=partition:holed=besteffort||default")


def missing():
    """Why there is no Slurm to be had, "" = there is."""
    if os.geteuid():
        return "needs root"
    if not PLUGIN:
        return "the plug-in was not built: slurm/spank.h is missing"
    gone = [p for p in PROGRAMS if not shutil.which(p, path=PATH)]
    return "not installed: " + ", ".join(gone) if gone else hidden(PLUGIN)


def release():
    """Of Slurm: (22, 5)."""
    out = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=False,
                         env={"PATH": PATH}).stdout
    found = re.search(r"(\d+)\.(\d+)", out)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(true, what, wait=WAIT):
    end = time.monotonic() + wait
    while True:
        value = true()
        if value:
            return value
        assert time.monotonic() < end, what()
        time.sleep(0.05)


class Slurm:
    """munged, mariadbd, slurmdbd, slurmctld and slurmd."""

    def __init__(self, folder, sock):
        self.folder, self.sock, self.processes = folder, sock, []
        os.chmod(folder, 0o755)
        self.host = socket.gethostname().partition(".")[0]
        self.conf = os.path.join(folder, "slurm.conf")
        self.env = {"PATH": PATH, "SLURM_CONF": self.conf, "LD_LIBRARY_PATH": folder}
        for path, name in ((PLUGIN, ""), (LIBRARY, "libgpreempt.so.0"),
                           (os.path.join(TESTS, "cli", "simclient.py"), ""),
                           (os.path.join(HERE, "gpujob.py"), "")):
            shutil.copy(path, os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "out"))
        os.chmod(os.path.join(folder, "out"), 0o1777)
        # Any library will do for the shim: what a shim does is tested elsewhere.
        self.shim = f"{folder}/libgpreempt.so.0"
        self.write("plugstack.conf", f"optional {folder}/spank_gpreempt.so socket={sock} "
                   f"shim={self.shim} {' '.join(MAP)}\n")
        self.write_confs()

    def write_confs(self):
        d = self.folder
        for name in ("state", "spool", "db", "munge"):
            os.mkdir(os.path.join(d, name), 0o700)
        os.chmod(os.path.join(d, "munge"), 0o711)
        munge = os.path.join(d, "munge", "socket")
        dbd = free_port()
        auth = f"AuthType=auth/munge\nAuthInfo=socket={munge}\n"
        self.ports = {"slurmdbd": dbd}
        self.write("slurmdbd.conf", f"""{auth}DbdHost={self.host}
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
PidFile={d}/slurmdbd.pid
LogFile={d}/slurmdbd.log
""", 0o600)
        # From 23.11 on slurmd looks for cgroups whatever tracks processes; 22.05 has no such word.
        if release() >= (23, 11):
            self.write("cgroup.conf", "CgroupPlugin=disabled\n")
        self.write("gres.conf", "Name=gpu File=/dev/null\nName=shard Count=8\n")
        self.write("slurm.conf", f"""ClusterName=test
SlurmctldHost={self.host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
{auth}CredType=cred/munge
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={self.host}
AccountingStoragePort={dbd}
AccountingStoragePass={munge}
AccountingStorageEnforce=associations,qos
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd.pid
SlurmctldLogFile={d}/slurmctld.log
SlurmdLogFile={d}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
GresTypes=gpu,shard
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
MaxArraySize=1001
SlurmdParameters=config_overrides
PlugStackConfig={d}/plugstack.conf
NodeName={self.host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=100 Gres=gpu:1,shard:8 State=UNKNOWN
PartitionName=other Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
PartitionName=batch Nodes=ALL State=UP OverSubscribe=FORCE:8
PartitionName=odd Nodes=ALL State=UP OverSubscribe=FORCE:8
PartitionName=holed Nodes=ALL State=UP OverSubscribe=FORCE:8
PartitionName=urgent Nodes=ALL State=UP OverSubscribe=FORCE:8
""")

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def start(self, *command):
        name = os.path.basename(command[0])
        with open(os.path.join(self.folder, name + ".out"), "ab") as out:
            self.processes.append(subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env,
                cwd=self.folder))
        return lambda: f"{name} does not answer\n" + self.read(name + ".log") + \
            self.read(name + ".out")

    def listens(self, name):
        with socket.socket() as s:
            return not s.connect_ex(("127.0.0.1", self.ports[name]))

    def start_munge(self):
        d = os.path.join(self.folder, "munge")
        with open(d + "/key", "wb") as f:
            f.write(os.urandom(128))
        os.chmod(d + "/key", 0o400)
        say = self.start("munged", "-F", "--force", f"--key-file={d}/key", f"--socket={d}/socket",
                         f"--pid-file={d}/pid", f"--log-file={d}/log", f"--seed-file={d}/seed")
        wait_for(lambda: os.path.exists(d + "/socket"), say)

    def start_database(self):
        """Only root is let in, by its number: mariadbd runs as root and writes files for whom it serves."""
        data = os.path.join(self.folder, "db")
        self.run("mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}",
                 "--skip-test-db", "--auth-root-authentication-method=socket")
        # The client library has no other way to be told where the socket is.
        self.env["MYSQL_UNIX_PORT"] = f"{data}/socket"
        say = self.start("mariadbd", "--no-defaults", "--user=root", f"--datadir={data}",
                         f"--socket={data}/socket", f"--pid-file={data}/pid", "--skip-networking",
                         "--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0")
        wait_for(lambda: os.path.exists(f"{data}/socket"), say)
        say = self.start("slurmdbd", "-D")
        wait_for(lambda: self.listens("slurmdbd"), say)

    def begin(self):
        self.start_munge()
        self.start_database()
        for words in (["cluster", "test"], ["account", "site"],
                      ["qos", "rt"], ["qos", "be"]):
            self.run("sacctmgr", "-i", "add", *words)
        for user in USERS.values():
            self.run("sacctmgr", "-i", "add", "user", user, "account=site", "qos=normal,rt,be",
                     "defaultqos=normal")
        say = self.start("slurmctld", "-D", "-f", self.conf)
        also = self.start("slurmd", "-D", "-f", self.conf)
        wait_for(lambda: "idle" in self.try_run("sinfo", "-h", "-o", "%T"),
                 lambda: say() + also())

    def try_run(self, *words):
        r = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=WAIT,
                           check=False, cwd=self.folder)
        return r.stdout

    def run(self, *words, user=None, env=None):
        """A command that must succeed; its output."""
        who = {"user": pwd.getpwnam(user).pw_uid, "group": pwd.getpwnam(user).pw_gid,
               "extra_groups": []} if user else {}
        r = subprocess.run(words, env=self.env | (env or {}), capture_output=True, text=True,
                           timeout=WAIT, check=False, cwd=self.folder, **who)
        assert r.returncode == 0, f"{' '.join(words)}\n{r.stdout}{r.stderr}{self.read('slurmd.log')}"
        return r.stdout

    def close(self):
        for p in reversed(self.processes):
            p.terminate()
            try:
                p.wait(15)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()


class Job:
    """A batch job of a user; its output is a file."""

    def __init__(self, slurm, kind, command, *options, env=None):
        self.slurm, self.user = slurm, USERS[kind]
        words = ("sbatch", "--parsable", "-o", "out/%A_%a" if "--array" in " ".join(options) else
                 "out/%j", "--open-mode=append", "--gres=shard:1", *options, "--wrap", command)
        self.id = slurm.run(*words, user=self.user, env=env).strip()

    def state(self):
        out = self.slurm.try_run("scontrol", "show", "job", self.id)
        return (re.findall(r"JobState=(\w+)", out) or [""])[0]

    def out(self):
        return self.slurm.read(f"out/{self.id}")

    def wait_state(self, *states, wait=WAIT):
        wait_for(lambda: self.state() in states,
                 lambda: f"job {self.id} is {self.state()}\n{self.out()}\n"
                 + self.slurm.read("slurmd.log")[-4000:], wait)
        return self

    def comments(self):
        """AdminComment of each record that accounting has."""
        out = self.slurm.try_run("sacct", "-X", "-n", "-P", "-D", "-j", self.id, "-o",
                                 "JobIDRaw,State,AdminComment")
        return [line.split("|", 2) for line in out.splitlines()]

    def comment(self):
        """That of the only record, once it says that the job is over."""
        found = wait_for(lambda: [c for c in self.comments() if c[1].split()[0] in
                                  ("COMPLETED", "CANCELLED", "FAILED")],
                         lambda: f"accounting: {self.comments()}")
        return found[-1][2]


def totals_of(comment):
    """The numbers of a text of the plug-in, in seconds and times."""
    m = re.fullmatch(r"gpreempt\[\S+\]: class=(\S+) run=([\d.]+)s off=([\d.]+)s off_max=([\d.]+)s "
                     r"preempted=(\d+) waited=([\d.]+)s", comment)
    assert m, comment
    return dict(zip(("class", "run", "off", "off_max", "preempted", "waited"),
                    (m[1], *map(float, m.groups()[1:]))))


class World:
    """Slurm, and the folder where the daemon of a test is."""

    def __init__(self, slurm, folder):
        self.slurm, self.folder, self.nr = slurm, folder, 0

    def board(self, serves=0, waits=0):
        self.nr += 1
        name = f"out/board{self.nr}"
        path = os.path.join(self.slurm.folder, name)
        # The folder is everybody's: what a user put there is not followed.
        with open(path, "xb") as f:
            f.write(struct.pack("<4q", 0, 0, serves, waits))
        os.chmod(path, 0o666)
        return name

    def let_serve(self, board):
        """Serves that wait to begin do."""
        with open(os.path.join(self.slurm.folder, board), "r+b") as f:
            f.seek(24)
            f.write(bytes(8))

    def job(self, kind, what, board, number, *options, **more):
        command = f"/usr/bin/python3 gpujob.py {what} {self.slurm.sock} {board} {number}"
        return Job(self.slurm, kind, command, *options, **more)

    def daemon(self):
        return Daemon(folder=self.folder)


@contextlib.contextmanager
def world():
    # Long paths do not fit into the addresses of sockets.
    with tempfile.TemporaryDirectory(prefix="gps") as folder, \
            tempfile.TemporaryDirectory(prefix="gpd") as daemon:
        os.chmod(daemon, 0o755)
        slurm = Slurm(folder, os.path.join(daemon, "sock"))
        try:
            slurm.begin()
            yield World(slurm, daemon)
        finally:
            slurm.close()


__all__ = ["Client", "Control", "Daemon", "Job", "USERS", "WAIT", "missing", "queue", "totals_of",
           "wait_for", "world"]
