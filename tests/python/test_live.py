# SPDX-License-Identifier: MIT
"""The load to look at keeps all its processes at work, and preempts."""
import threading
import time

from gpreempt import Handle, live


def shows_life(handle):
    found = {p.comm: p for p in handle.processes()}
    return set(found) == set(live.PRIORITIES) and handle.stats(1).nr_preemptions > 5 and found["train.py"].nr_busy


def test_it_does_not_grow():
    """Kernels, orders and pieces are kept for tests elsewhere; a load that lasts days keeps none."""
    sizes = []

    class Queue:
        waiting = []
        done = []

    class Client:
        orders, answer_ns = [], []

    class Process:
        queue, client, done = Queue(), Client(), Queue.done

        @staticmethod
        def submit(_):
            Queue.waiting.append(1)

    class Lately:
        late_ns = []

    for _ in range(5):
        live.keep_busy(Process, 40)
        Queue.done.append(Queue.waiting.pop())
        Client.orders.append(1)
        Client.answer_ns.append(1)
        Lately.late_ns.append(1)
        live.forget(Lately, {"train.py": Process})
        sizes.append(len(Queue.waiting) + len(Queue.done) + len(Client.orders) + len(Client.answer_ns) + len(Lately.late_ns))
    assert len(set(sizes)) == 1


def test_it_shows_life(daemon):
    stop = threading.Event()
    thread = threading.Thread(target=live.run, args=(daemon.path, None, stop), daemon=True)
    thread.start()
    end = time.monotonic() + 50
    try:
        with Handle(daemon.path, "daemon") as h:
            while not shows_life(h):
                assert thread.is_alive() and time.monotonic() < end, h.processes()
                time.sleep(0.05)
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()
