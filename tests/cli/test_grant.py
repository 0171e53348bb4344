# SPDX-License-Identifier: MIT
"""Grants on the command line; what they do is tested with the daemon."""
import json
import os

from test_read import ok, refused


def test_grant_is_made_listed_and_revoked(world):
    pid = str(os.getpid())
    assert ok(world.run("grant", pid, "class=realtime", "weight=300", "--lease", "1h")) == ""
    assert ok(world.run("grant", "cgroup:/jobs/7", "prio=3", "group=job7")) == ""
    rows = json.loads(ok(world.run("grant", "--json")))["grants"]
    found = {r["scope"]: r for r in rows}
    assert set(found) == {pid, "cgroup:/jobs/7"}
    assert found[pid]["attributes"]["priority"] == 12 and found[pid]["attributes"]["weight"] == 300
    assert 0 < found[pid]["lease_ms"] <= 3600000 and found["cgroup:/jobs/7"]["lease_ms"] is None
    lines = ok(world.run("grant")).splitlines()
    assert lines[0].split()[:3] == ["FOR", "CLASS", "PRIO"] and len(lines) == 3
    assert ok(world.run("revoke", "cgroup:/jobs/7")) == ""
    refused(world.run("revoke", "cgroup:/jobs/7"), 4, "/jobs/7")


def test_client_gets_what_was_granted_to_its_parent(world):
    ok(world.run("grant", str(os.getpid()), "class=besteffort"))
    world.client(comm="child", prio=9)
    row = [p for p in json.loads(ok(world.run("list", "--json")))["procs"] if p["comm"] == "child"][0]
    assert row["attributes"]["priority"] == 2 and row["attributes"]["class"] == "besteffort"


def test_wrong_words_are_refused(world):
    refused(world.run("grant", str(os.getpid())), 2, "what?")
    refused(world.run("grant", "x", "prio=3"), 2, "x")
    refused(world.run("grant", "1/2/3", "prio=3"), 2, "not PID or cgroup:PATH")
    refused(world.run("grant", str(os.getpid()), "prio=x"), 2, "prio=x")
    refused(world.run("grant", "cgroup:nowhere", "prio=3"), 2, "cgroup")
    refused(world.run("revoke"), 2, "of what?")
    refused(world.run("set", "cgroup:/jobs/7", "wieght=3"), 2, "of a cgroup; did you mean weight?")
    refused(world.run("set", "cgroup:/jobs/7", "x=3"), 2, "of a cgroup\n")
