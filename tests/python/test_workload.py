# SPDX-License-Identifier: MIT
"""Arrivals, the simulated device, and the pair on a real daemon."""
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpreempt import workload
from gpreempt.device import Device
from gpreempt.workload import MS, bursts, percentile, periodic, poisson


@given(st.floats(0.001, 1), st.floats(0.01, 5))
def test_periodic_is_regular(period, seconds):
    times = list(periodic(period, seconds))
    assert times[0] == 0 and times[-1] < seconds
    assert abs(len(times) - seconds / period) <= 1.01


@given(st.integers(1, 200), st.integers(0, 1000))
def test_poisson_is_repeatable_and_in_order(rate, seed):
    times = list(poisson(rate, 2.0, seed))
    assert times == sorted(times) == list(poisson(rate, 2.0, seed))
    assert all(0 < t < 2.0 for t in times)


def test_poisson_has_its_rate():
    assert 900 < len(list(poisson(100, 10.0))) < 1100


def test_bursts():
    assert list(bursts(2, 0.5, 1.0)) == [0.0, 0.0, 0.5, 0.5]


@given(st.lists(st.integers(0, 100), min_size=1), st.floats(0.01, 1.0))
def test_percentile_is_a_value_with_enough_below(values, part):
    p = percentile(values, part)
    assert p in values
    assert sum(v <= p for v in values) >= part * len(values) - 1e-6
    assert sum(v < p for v in values) < part * len(values) + 1e-6


def test_percentile_of_nothing():
    assert percentile([], 0.5) is None


@pytest.fixture
def device():
    with Device(switch_ns=0) as d:
        yield d


def test_queues_take_turns(device):
    a, b = device.queue("a"), device.queue("b")
    for _ in range(3):
        device.submit(a, 2 * MS)
        device.submit(b, 2 * MS)
    assert device.drain(a, 10) and device.drain(b, 10)
    assert [p.name for p in device.pieces] == ["a", "b"] * 3


def test_a_kernel_runs_to_its_end_without_preemption(device):
    a, b = device.queue("a"), device.queue("b")
    device.submit(a, 50 * MS)
    device.submit(b, 1 * MS)
    assert device.drain(b, 10)
    assert b.done[0].latency_ns >= 50 * MS


def test_a_stopped_kernel_keeps_what_it_did(device):
    idle = threading.Event()
    a, b = device.queue("a", idle.set), device.queue("b")
    device.submit(a, 60 * MS)
    time.sleep(0.02)
    device.set_stopped(a, True)
    device.submit(b, 5 * MS)
    assert device.drain(b, 10) and not a.done
    device.set_stopped(a, False)
    assert device.drain(a, 10) and idle.wait(10)
    kernel = a.done[0]
    assert kernel.ran_ns == kernel.length_ns and kernel.pieces == 2
    assert b.done[0].ended_ns < kernel.ended_ns


def test_lost_work_would_be_seen(device):
    """The negative control of "every kernel ran exactly its length"."""
    a = device.queue("a")
    device.submit(a, 2 * MS)
    assert device.drain(a, 10)
    run = workload.PairResult(1.0, list(a.done), [], 0, [], 0, 0)
    assert not run.wrong()
    run.online[0].ran_ns -= 1
    assert run.wrong() == run.online


def test_the_dead_leave_nothing_behind(device):
    a, b = device.queue("a"), device.queue("b")
    device.submit(a, 10_000 * MS)
    time.sleep(0.01)
    device.forget(a)
    device.submit(b, 1 * MS)
    assert device.drain(b, 5)


def test_pair(daemon):
    run = workload.run_pair(daemon.path, 0.6, offline_ns=100 * MS)
    assert run.drained and len(run.online) == run.nr_submitted == 30
    assert not run.wrong() and run.nr_stopped >= 10
    assert run.p(0.5) < 50 * MS


def test_pair_without_scheduling_is_worse(daemon, handle):
    handle.set_enabled(False)
    run = workload.run_pair(daemon.path, 0.6, offline_ns=100 * MS)
    assert not run.wrong() and run.nr_stopped == 0 and not run.orders
    assert run.p(0.5) > 100 * MS


def test_who_waits_for_a_queue_does_not_take_the_device_s_wake_up(device):
    a, b = device.queue("a"), device.queue("b")
    device.set_stopped(a, True)
    device.submit(a, 1 * MS)
    threads = [threading.Thread(target=device.drain, args=(a, 10)) for _ in range(8)]
    for t in threads:
        t.start()
    time.sleep(0.05)
    device.submit(b, 1 * MS)
    assert device.drain(b, 5)
    device.set_stopped(a, False)
    assert device.drain(a, 5)
    for t in threads:
        t.join()
