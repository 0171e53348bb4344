# SPDX-License-Identifier: MIT
"""Paths of what is tested come from the environment: meson sets it."""
import json
import os
import time

import jsonschema
import pytest
from world import World

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.environ["GPREEMPT_TEST_COMMAND"]
DAEMON = os.environ["GPREEMPT_TEST_DAEMON"]

with open(COMMAND, "rb") as f:
    is_sanitized = b"__asan_init" in f.read()

# A sanitized library is of use to sanitized programs alone.
loads_libraries = pytest.mark.skipif(is_sanitized, reason="other programs cannot load libraries of this build")


@pytest.fixture
def world():
    w = World(COMMAND, DAEMON)
    yield w
    w.close()


@pytest.fixture
def crowd(world):
    """Three processes: one idle and urgent, two with work."""
    world.online = world.client(comm="online", prio=12, klass="realtime")
    world.offline = world.client(comm="offline", prio=2, nr_queues=2)
    world.other = world.client(comm="other", gpu_id=2)
    world.offline.say("busy", 0)
    world.other.say("busy", 0)
    # They speak on sockets of their own: until the daemon has heard both.
    end = time.monotonic() + 20
    while world.run("list", "--csv", "--fields", "state").stdout.split().count("running") < 2:
        assert time.monotonic() < end, "the daemon has not heard of their work"
        time.sleep(0.01)
    return world


def validate(value):
    """Against the schema that it names itself."""
    name, _, version = value["schema"].partition("/")
    assert version == "1"
    path = os.path.join(ROOT, "docs", "schemas", name.removeprefix("gpreempt.") + ".json")
    with open(path, encoding="utf-8") as f:
        jsonschema.Draft7Validator(json.load(f)).validate(value)
