# SPDX-License-Identifier: MIT
"""gpreempt-k8s with a fake kubelet: registration, devices, allocation, restarts of both sides.

The fake one has messages of its own, written by hand from the published protocol: an agent that
numbers a field differently is not understood.
"""
import concurrent.futures
import json
import os
import queue
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGENT = os.path.join(ROOT, "k8s", "gpreempt-k8s")
WAIT = 30

try:
    import grpc
    import google.protobuf  # noqa: F401  pylint: disable=unused-import
    import pytest
except ImportError as missing:
    print("skipped:", missing.name, "is not installed")
    sys.exit(77)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def put(number, data):
    """A field of text or of a message."""
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def get_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """[(number, value)] of a message: bytes, or a number."""
    at, found = 0, []
    while at < len(data):
        tag, at = get_varint(data, at)
        size, at = get_varint(data, at)
        if tag & 7 == 0:
            found.append((tag >> 3, size))
            continue
        assert tag & 7 == 2, tag
        found.append((tag >> 3, data[at:at + size]))
        at += size
    return found


def texts(data, number):
    return [value.decode() for n, value in fields(data) if n == number]


def parts(data, number):
    return [value for n, value in fields(data) if n == number]


def raw(data):
    return data


class Kubelet:
    """Takes registrations at kubelet.sock of a folder, as when it has just started."""

    def __init__(self, folder):
        self.folder, self.path = str(folder), os.path.join(folder, "kubelet.sock")
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        self.registered, self.refuses = queue.Queue(), None
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
            "v1beta1.Registration", {"Register": grpc.unary_unary_rpc_method_handler(
                self.register, request_deserializer=raw, response_serializer=raw)}),))
        self.server.add_insecure_port("unix:" + self.path)
        self.server.start()

    def register(self, request, context):
        if texts(request, 3) == [self.refuses]:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")
        self.registered.put((texts(request, 1), texts(request, 2), texts(request, 3)))
        return b""

    def endpoints(self, nr):
        """{resource: socket} of so many registrations."""
        found = {}
        for _ in range(nr):
            version, endpoint, resource = self.registered.get(timeout=WAIT)
            assert version == ["v1beta1"]
            found[resource[0]] = os.path.join(self.folder, endpoint[0])
        return found

    def stop(self):
        self.server.stop(0).wait()
        if os.path.exists(self.path):
            os.unlink(self.path)


def call(path, method, request=b""):
    with grpc.insecure_channel("unix:" + path) as channel:
        return channel.unary_unary(f"/v1beta1.DevicePlugin/{method}", request_serializer=raw,
                                   response_deserializer=raw)(request, timeout=WAIT)


def allocate(path, *ids):
    """The answer for one container."""
    reply = call(path, "Allocate", put(1, b"".join(put(1, i) for i in ids)))
    [answer] = parts(reply, 1)
    return answer


class Watch:
    """What ListAndWatch says, one after another: {device: health}."""

    def __init__(self, path):
        self.channel = grpc.insecure_channel("unix:" + path)
        self.stream = self.channel.unary_stream(
            "/v1beta1.DevicePlugin/ListAndWatch", request_serializer=raw,
            response_deserializer=raw)(b"", timeout=WAIT)

    def next(self):
        return {texts(d, 1)[0]: texts(d, 2)[0] for d in parts(next(self.stream), 1)}

    def close(self):
        self.stream.cancel()
        self.channel.close()


class Daemon:
    """As much of gpreemptd as the agent looks at: a client socket that listens."""

    def __init__(self, path, backlog=100):
        os.makedirs(path + ".client", exist_ok=True)
        self.path = path + ".client/socket"
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.bind(self.path)
        self.sock.listen(backlog)

    def close(self):
        self.sock.close()
        os.unlink(self.path)


SPEC = {
    "cdiVersion": "0.5.0", "kind": "gpreempt.io/class",
    "devices": [{"name": n, "containerEdits": {"env": [f"GPREEMPT_CLASS={n}"]}}
                for n in ("realtime", "besteffort")],
}


@pytest.fixture
def world(tmp_path):
    short = tmp_path / "d"
    (tmp_path / "k").mkdir()
    short.mkdir()
    sock = str(short / "sock")
    edits = {"env": [f"GPREEMPT_SOCKET={sock}", "LD_PRELOAD=/lib/shim.so"],
             "mounts": [{"hostPath": sock + ".client", "containerPath": sock + ".client",
                         "options": ["ro", "bind"]},
                        {"hostPath": "/lib/shim.so", "containerPath": "/lib/shim.so",
                         "options": ["ro", "bind"]}]}
    (tmp_path / "cdi.json").write_text(json.dumps({**SPEC, "containerEdits": edits}))
    yield tmp_path, sock


@pytest.fixture
def agent(world):
    folder, _ = world
    running = []

    def start(*options):
        running.append(subprocess.Popen(
            ["/usr/bin/python3", AGENT, "--cdi", str(folder / "cdi.json"), "--folder",
             str(folder / "k"), "--interval", "0.05", "--slots", "3", *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        return running[-1]

    yield start
    for process in running:
        process.terminate()
        assert process.wait(WAIT) == 0
        process.stderr.close()


@pytest.fixture
def kubelet(world):
    k = Kubelet(world[0] / "k")
    yield k
    k.stop()


BOTH = {"gpreempt.io/realtime", "gpreempt.io/besteffort"}


def test_each_class_is_a_resource(world, kubelet, agent):
    daemon = Daemon(world[1])
    agent()
    found = kubelet.endpoints(2)
    assert set(found) == BOTH
    for name, path in found.items():
        assert call(path, "GetDevicePluginOptions") == b""
        watch = Watch(path)
        klass = name.partition("/")[2]
        devices = watch.next()
        while "Unhealthy" in devices.values():
            devices = watch.next()
        assert devices == {f"{klass}-{i}": "Healthy" for i in range(3)}
        watch.close()
    daemon.close()


def test_a_container_gets_the_cdi_device_of_the_class(kubelet, agent):
    agent()
    found = kubelet.endpoints(2)
    answer = allocate(found["gpreempt.io/besteffort"], "besteffort-1")
    assert [texts(d, 1) for d in parts(answer, 5)] == [["gpreempt.io/class=besteffort"]]
    assert not parts(answer, 1) and not parts(answer, 2)


def test_without_cdi_it_gets_environment_and_mounts(world, kubelet, agent):
    agent("--without-cdi", "--class", "realtime")
    path = kubelet.endpoints(1)["gpreempt.io/realtime"]
    answer = allocate(path, "realtime-0")
    env = {texts(e, 1)[0]: texts(e, 2)[0] for e in parts(answer, 1)}
    assert env == {"GPREEMPT_SOCKET": world[1], "LD_PRELOAD": "/lib/shim.so",
                   "GPREEMPT_CLASS": "realtime"}
    mounts = {texts(m, 1)[0]: (texts(m, 2)[0], parts(m, 3)) for m in parts(answer, 2)}
    assert mounts == {world[1] + ".client": (world[1] + ".client", [1]),
                      "/lib/shim.so": ("/lib/shim.so", [1])}
    assert not parts(answer, 5) and kubelet.registered.empty()


@pytest.mark.parametrize("ids", [(), ("realtime-0",), ("besteffort-3",), ("besteffort-x",), ("",)])
def test_other_devices_are_refused(kubelet, agent, ids):
    agent()
    path = kubelet.endpoints(2)["gpreempt.io/besteffort"]
    with pytest.raises(grpc.RpcError) as e:
        allocate(path, *ids)
    assert e.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_devices_are_healthy_while_the_daemon_is_there(world, kubelet, agent):
    agent()
    watch = Watch(kubelet.endpoints(2)["gpreempt.io/besteffort"])
    assert set(watch.next().values()) == {"Unhealthy"}
    daemon = Daemon(world[1])
    assert set(watch.next().values()) == {"Healthy"}
    daemon.close()
    assert set(watch.next().values()) == {"Unhealthy"}
    watch.close()


def test_a_daemon_that_takes_no_connection_holds_nothing_up(world, kubelet, agent):
    """It listens, but is stopped: its queue is full, and connect() waits."""
    daemon = Daemon(world[1], 0)
    first = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    first.connect(daemon.path)
    agent()
    watch = Watch(kubelet.endpoints(2)["gpreempt.io/besteffort"])
    assert set(watch.next().values()) == {"Unhealthy"}
    watch.close()
    first.close()
    daemon.close()


def say_devices(folder, *names):
    path = folder / "cdi.json"
    spec = json.loads(path.read_text())
    spec["devices"] = [{"name": n, "containerEdits": {}} for n in names]
    path.write_text(json.dumps(spec))


def lines_until(process, last):
    """What it says, up to a line."""
    found = []
    while not found or found[-1] != last:
        found.append(process.stderr.readline().rstrip("\n"))
        assert found[-1], found
    return found


def test_a_name_that_kubernetes_does_not_have_is_left_out(world, kubelet, agent):
    odd = ("a+b", "-a", "a.", "a/b", "a" * 64)
    say_devices(world[0], "good", *odd, "A.b_c-9")
    process = agent()
    good = ["gpreempt.io/good", "gpreempt.io/A.b_c-9"]
    assert set(kubelet.endpoints(2)) == set(good)
    said = lines_until(process, "gpreempt-k8s: registered " + " ".join(good))
    assert len(said) == len(odd) + 1 and all(repr(n) in line for n, line in zip(odd, said))


def test_a_class_that_cannot_be_registered_leaves_the_others(world, kubelet, agent):
    """One that the kubelet refuses, and one whose socket cannot be made."""
    say_devices(world[0], "refused", "blocked", "good")
    (world[0] / "k" / "gpreempt-blocked.sock").mkdir()
    kubelet.refuses = "gpreempt.io/refused"
    process = agent()
    assert set(kubelet.endpoints(1)) == {"gpreempt.io/good"}
    said = lines_until(process, "gpreempt-k8s: registered gpreempt.io/good")
    assert [line.split(": ")[1] for line in said[:-1]] == ["gpreempt.io/refused",
                                                           "gpreempt.io/blocked"]
    # It is tried again, without more words.
    time.sleep(0.5)
    (world[0] / "k" / "gpreempt-blocked.sock").rmdir()
    assert set(kubelet.endpoints(1)) == {"gpreempt.io/blocked"}
    assert process.stderr.readline() == "gpreempt-k8s: registered gpreempt.io/blocked\n"
    kubelet.refuses = None
    assert set(kubelet.endpoints(1)) == {"gpreempt.io/refused"}


def test_it_comes_back_to_a_kubelet_that_has_started_again(world, agent):
    folder = world[0] / "k"
    agent()
    for _ in range(2):
        k = Kubelet(folder)
        found = k.endpoints(2)
        assert set(found) == BOTH
        assert allocate(found["gpreempt.io/realtime"], "realtime-2")
        k.stop()


def test_it_waits_for_a_kubelet(world, agent):
    process = agent()
    time.sleep(0.5)
    assert process.poll() is None
    k = Kubelet(world[0] / "k")
    assert set(k.endpoints(2)) == BOTH
    k.stop()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": 1}', '{"kind": "a", "devices": [{}]}',
                                  json.dumps({**SPEC, "devices": []})])
def test_a_file_that_makes_no_sense_is_said(tmp_path, text):
    path = tmp_path / "cdi.json"
    path.write_text(text)
    r = subprocess.run(["/usr/bin/python3", AGENT, "--cdi", str(path)], capture_output=True,
                       text=True, timeout=WAIT, check=False)
    assert r.returncode == 1 and str(path) in r.stderr and "Traceback" not in r.stderr


def test_the_file_of_the_command_is_taken(world, kubelet, agent):
    """What `gpreempt cdi` writes, from a daemon that runs."""
    command, program = os.environ.get("GPREEMPT_TEST_COMMAND"), os.environ.get("GPREEMPTD")
    if not command or not program:
        pytest.skip("neither command nor daemon were named")
    folder, sock = world
    daemon = subprocess.Popen([program, "--sim", "1", "--socket", sock], stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + WAIT
        while subprocess.run([command, "cdi", "-o", str(folder / "cdi.json")], check=False,
                             env={**os.environ, "GPREEMPT_SOCKET": sock},
                             stderr=subprocess.DEVNULL).returncode:
            assert time.monotonic() < end
            time.sleep(0.05)
        agent()
        found = kubelet.endpoints(3)
        watch = Watch(found["gpreempt.io/default"])
        while set(watch.next().values()) != {"Healthy"}:
            pass
        watch.close()
    finally:
        daemon.terminate()
        daemon.wait(WAIT)


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:], __file__]))
