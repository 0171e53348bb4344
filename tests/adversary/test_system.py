# SPDX-License-Identifier: MIT
"""What the daemon believes: the driver's files, its own, and its sockets, of which attackers may
have some."""
import os
import socket

import pytest

from rig import (BUSY, HOLD, IDLE, NOTE_RESET, RELEASE, SHIM, WAIT, Client, Control, Daemon,
                 Refused, edge, note, queue)
from stage import (GPU, Attacker, Driver, DriverDaemon, attack, forever, needs_mounts, needs_root,
                   wait_until, write)
from victims import heard, known, next_are, node

pytestmark = needs_root


# --- Queues that are not there.

def shim(daemon, pid_of=os.getpid, **wishes):
    c = Client(daemon, mech=SHIM, **wishes)
    return c, pid_of()


@needs_mounts
def test_queue_that_the_driver_does_not_show_is_not_scheduled(place):
    """Defect 4: a process without a GPU says that it has work."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        assert node(control, GPU)
        # A victim with a queue that is there.
        driver.show_queue(os.getpid(), 1)
        root = Client(daemon, mech=SHIM, klass=b"besteffort")
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")

        def bad(say):
            c = Client(daemon, mech=SHIM)
            c.send(queue(gpu_id=GPU, queue_id=1, busy=1))
            say("busy")
            c.receive(3600)

        with Attacker("nobody", bad) as a:
            a.hear("busy")
            control.wait_for(lambda: control.process(a.pid))
            assert heard(root, 0.5) == []
            assert node(control, GPU)["nr_queues"] == 1
        # Control: with a queue that the driver shows it is urgent.
        with Attacker("nobody", lambda say: (say("here"), forever())) as a:
            a.hear("here")
        ready_r, ready_w = os.pipe()

        def good(say):
            os.read(ready_r, 1)
            bad(say)

        with Attacker("nobody", good) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            a.hear("busy")
            assert root.order().kind == HOLD


@needs_mounts
def test_queue_that_cannot_be_looked_for_is_looked_for_again(place):
    """A want of descriptors took a queue out of scheduling for its life."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        driver.show_queue(os.getpid(), 1)
        # No file can be opened by this name, though it is there.
        path = os.path.join(driver.source, "kfd", "proc", str(os.getpid()), "queues", "1", "gpuid")
        os.rename(path, path + ".real")
        os.symlink("gpuid", path)
        root = Client(daemon, mech=SHIM)
        root.send(queue(gpu_id=GPU))
        control.wait_for(lambda: any("cannot be asked" in n
                                     for n in control.process(os.getpid())["notes"]))
        assert node(control, GPU)["nr_queues"] == 0
        os.rename(path + ".real", path)
        root.send(edge(BUSY, gpu_id=GPU))
        control.wait_for(lambda: node(control, GPU)["nr_queues"] == 1)
        root.close()


@needs_mounts
def test_queue_that_is_gone_does_not_count(place):
    """Defect 4: the driver has destroyed it, the client still says busy."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        control.call("SetPolicy", parameters={"max_wait_ns": 3600 * 10 ** 9})
        driver.show_queue(os.getpid(), 1)
        root = Client(daemon, mech=SHIM, klass=b"besteffort")
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")
        ready_r, ready_w = os.pipe()

        def bad(say):
            os.read(ready_r, 1)
            c = Client(daemon, mech=SHIM)
            c.send(queue(gpu_id=GPU, queue_id=1, busy=1))
            c.receive(3600)
            forever()

        with Attacker("nobody", bad) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            root.obey(HOLD)
            driver.hide_queue(a.pid, 1)
            root.obey(RELEASE)


@needs_mounts
def test_node_that_comes_late_has_its_configuration_and_state(place):
    """Defect 12."""
    driver = Driver(str(place), nodes=False)
    write(place / "state.json",
          '{"format": 1, "boot": "", "exit": "x", "processes": [], "nodes": '
          f'[{{"gpu_id": {GPU}, "policy": "edf", "enabled": true, "parameters": '
          '{"max_wait_ns": 7000000000}}]}')
    os.chmod(place / "state.json", 0o600)
    config = "[policy]\nname = fair\nmin_run_ns = 5\n"
    with DriverDaemon(driver, config=config) as daemon:
        control = Control(daemon)
        assert control.call("ListNodes")["nodes"] == []
        driver.show_node()

        def policy():
            try:
                return control.call("GetPolicy", gpu_id=GPU)
            except Refused:
                return None

        p = control.wait_for(policy)
        values = {x["name"]: x["value"] for x in p["parameters"]}
        assert values["min_run_ns"] == 5
        assert p["policy"] == "edf" and values["max_wait_ns"] == 7 * 10 ** 9


# --- Files.

@pytest.mark.parametrize("owner,mode", [(65534, 0o600), (0, 0o666)])
def test_state_of_another_user_is_not_read(place, owner, mode):
    """Defect 24."""
    path = place / "state.json"
    write(path, '{"format": 1, "boot": "", "exit": "planted", "processes": [], "nodes": '
                '[{"gpu_id": 1, "policy": "fair", "enabled": true, "parameters": {}}]}')
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    with Daemon(folder=str(place)) as d:
        c = Control(d)
        assert c.call("GetInfo")["last_exit"] is None
        assert c.call("GetPolicy")["policy"] == "prio"
        assert "ignored" in d.log()


def test_own_state_is_read(place):
    """Control of the above."""
    path = place / "state.json"
    write(path, '{"format": 1, "boot": "", "exit": "x", "processes": [], "nodes": '
                '[{"gpu_id": 1, "policy": "fair", "enabled": true, "parameters": {}}]}')
    os.chmod(path, 0o600)
    with Daemon(folder=str(place)) as d:
        assert Control(d).call("GetPolicy")["policy"] == "fair"


def test_state_is_not_written_through_a_name_of_another_user(place):
    """A file that waits under the name of the new state keeps its owner and its bytes."""
    os.chmod(place, 0o1777)
    path = place / "state.json.new"
    write(path, "mine")
    os.chown(path, 65534, 65534)
    fd = os.open(path, os.O_RDONLY)
    with Daemon(folder=str(place)) as d:
        Control(d).call("SetPolicy", policy="fair")
        assert os.pread(fd, 100, 0) == b"mine"
    os.close(fd)


# --- Sockets.

def test_modes_and_group_of_the_sockets():
    config = "[daemon]\nsocket_mode = 0660\nclient_mode = 0600\nsocket_group = nogroup\n"
    with Daemon(config=config) as d:
        control, client = os.stat(d.path), os.stat(d.client_path)
        assert control.st_mode & 0o7777 == 0o660 and client.st_mode & 0o7777 == 0o600
        assert control.st_gid == client.st_gid == 65534

        def bad(say):
            for make in (lambda: Client(d, connect=False), ):
                try:
                    make()
                    raise AssertionError("let in")
                except PermissionError:
                    pass
            Control(d).call("GetInfo")

        attack("nobody", bad)


def test_folder_of_the_client_socket_survives_a_restart():
    with Daemon() as d:
        folder = os.open(os.path.dirname(d.client_path), os.O_PATH)
        d.stop()
        d.start()
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(WAIT)
        s.connect(f"/proc/self/fd/{folder}/{os.path.basename(d.client_path)}")
        s.close()
        os.close(folder)
        assert os.path.dirname(d.client_path) != os.path.dirname(d.path)


@needs_mounts
def test_driver_says_that_a_process_has_waves(place):
    """RESET on a real node: another user's process is touched if the driver shows it idle."""
    driver = Driver(str(place))
    with DriverDaemon(driver) as daemon:
        control = Control(daemon)
        driver.show_queue(os.getpid(), 1)
        driver.set_occupancy(os.getpid(), 5)
        root = Client(daemon, mech=SHIM)
        root.send(queue(gpu_id=GPU, busy=1))
        known(control, os.getpid(), "nr_busy")
        ready_r, ready_w = os.pipe()

        def bad(say):
            os.read(ready_r, 1)
            c = Client(daemon, mech=SHIM, prio=2)
            c.send(queue(gpu_id=GPU, queue_id=1))
            c.send(note(NOTE_RESET, gpu_id=GPU))
            say("said")
            forever()

        with Attacker("nobody", bad) as a:
            driver.show_queue(a.pid, 1)
            os.write(ready_w, b"x")
            a.hear("said")
            wait_until(lambda: any("was reset" in n for n in control.process(a.pid)["notes"]))
            assert heard(root) == []
            # Its kernel has gone from the GPU, and it says that there is work.
            driver.set_occupancy(os.getpid(), 0)
            root.send(edge(IDLE, gpu_id=GPU))
            root.send(edge(BUSY, gpu_id=GPU))
            next_are(root, HOLD, RELEASE)
