# SPDX-License-Identifier: MIT
"""The file that gives a container a class of the daemon."""
import errno
import json
import os
import subprocess
import sys

import pytest
from conftest import loads_libraries
from test_read import ok, refused

# As an engine does it: an empty place, into which the folder is mounted. Then every line read is
# a turn, answered by which of the two sockets takes a connection.
CONTAINER = r"""
set -e
mount --bind "$1" "$4"
mount -t tmpfs none "$2"
mkdir "$1"
mount --bind "$4" "$1"
umount "$4"
while read -r _; do "$3" -c '
import socket, sys
for path in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET if "client" in path else socket.SOCK_STREAM)
    print(s.connect_ex(path), end=" ")
print(flush=True)' "$1/socket" "$2/sock"; done
"""


def spec(world, *args):
    return json.loads(ok(world.run("cdi", *args)))


def environment(edits):
    return dict(text.split("=", 1) for text in edits["env"])


def test_cdi_has_a_device_for_each_class(world):
    found = spec(world)
    assert found["cdiVersion"] == "0.5.0" and found["kind"] == "gpreempt.io/class"
    named = {d["name"]: environment(d["containerEdits"]) for d in found["devices"]}
    assert named == {name: {"GPREEMPT_CLASS": name} for name in ("realtime", "default", "besteffort")}


def test_cdi_mounts_what_the_environment_names(world):
    edits = spec(world)["containerEdits"]
    env, mounts = environment(edits), {m["hostPath"]: m for m in edits["mounts"]}
    assert env["GPREEMPT_SOCKET"] == world.path
    assert set(mounts) == {world.path + ".client", env["LD_PRELOAD"]}
    assert os.path.basename(env["LD_PRELOAD"]) == "libgpreempt-shim.so"
    for path, mount in mounts.items():
        assert os.path.exists(path) and mount["containerPath"] == path and "ro" in mount["options"]


def test_cdi_file_appears_whole(world, tmp_path):
    path = tmp_path / "gpreempt.json"
    assert ok(world.run("cdi", "-o", str(path))) == ""
    assert json.loads(path.read_text()) == spec(world)
    refused(world.run("cdi", "-o", str(tmp_path / "none" / "x")), 1, "none/x")
    refused(world.run("cdi", "--shim", str(tmp_path / "none")), 1, "no such library")


@loads_libraries
def test_program_starts_with_that_environment(world):
    env = {**os.environ, **environment(spec(world)["containerEdits"])}
    script = "open('/proc/self/maps').read().index('libgpreempt-shim')"
    said = subprocess.run([sys.executable, "-c", script], env=env, check=False, capture_output=True,
                          text=True, timeout=60)
    assert said.returncode == 0 and said.stderr == "", said.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_container_reaches_the_clients_socket_alone_and_after_a_restart(world, tmp_path):
    folder = spec(world)["containerEdits"]["mounts"][0]["hostPath"]
    with subprocess.Popen(["unshare", "-m", "sh", "-c", CONTAINER, "sh", folder, world.dir, sys.executable,
                           str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as container:
        def turn():
            container.stdin.write("\n")
            container.stdin.flush()
            return container.stdout.readline().split()

        assert turn() == ["0", str(errno.ENOENT)]
        world.stop_daemon()
        world.start_daemon()
        assert turn() == ["0", str(errno.ENOENT)]
        container.stdin.close()
