# SPDX-License-Identifier: MIT
"""Victims, and what they are told."""
import socket

from rig import FIRST_PID, Client, queue

BAD = FIRST_PID + 1000
UNPRIVILEGED = ["nobody", "container", "pidns"]


def victim(daemon, **wishes):
    c = Client(daemon, pid=FIRST_PID, **wishes)
    c.send(queue(busy=1))
    return c


def known(control, pid, key="nr_queues"):
    control.wait_for(lambda: (control.process(pid) or {}).get(key))


def node(control, gpu_id=1):
    return next(n for n in control.call("ListNodes")["nodes"] if n["gpu_id"] == gpu_id)


def next_are(client, *kinds):
    """These orders come next, however long that takes on a busy machine."""
    assert [client.order().kind for _ in kinds] == list(kinds)


def heard(client, seconds=0.3):
    """Every order that comes until nothing comes for so long. What must come is not asked for in
    this way: a busy machine may be late."""
    orders = []
    try:
        while True:
            orders.append(client.order(seconds))
    except (TimeoutError, socket.timeout):
        return orders
