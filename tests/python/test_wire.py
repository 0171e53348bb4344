# SPDX-License-Identifier: MIT
"""What a hold means, without a daemon: levels, epochs, leases."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpreempt import wire


def order(kind, epoch, lease_ns=100, gpu_id=1, queue_id=wire.QUEUE_ALL, holder=0):
    return wire.Order(kind, 0, epoch, gpu_id, queue_id, holder, 0, lease_ns)


def test_hold_is_a_level():
    h = wire.Holds()
    assert h.apply(order(wire.HOLD, 1), 0) and h.apply(order(wire.HOLD, 2), 0)
    assert h.stops(1, 5) and not h.stops(2, 5)
    assert h.apply(order(wire.RELEASE, 3), 0)
    assert not h.stops(1, 5)


def test_holders_are_independent():
    h = wire.Holds()
    h.apply(order(wire.HOLD, 1, holder=wire.HOLDER_SCHED), 0)
    h.apply(order(wire.HOLD, 2, holder=wire.HOLDER_MANUAL), 0)
    h.apply(order(wire.RELEASE, 3, holder=wire.HOLDER_SCHED), 0)
    assert h.stops(1, 1)


def test_old_epoch_is_ignored():
    h = wire.Holds()
    h.apply(order(wire.RELEASE, 5), 0)
    assert not h.apply(order(wire.HOLD, 5), 0) and not h.apply(order(wire.HOLD, 4), 0)
    assert not h.until


def test_lease_ends_unless_renewed():
    h = wire.Holds()
    h.apply(order(wire.HOLD, 1, lease_ns=100), 0)
    assert h.apply(order(wire.RENEW, 1, lease_ns=100), 90)
    assert not h.expire(189) and h.stops(1, 1)
    assert h.expire(190) and not h.stops(1, 1)


def test_renewal_makes_no_hold():
    h = wire.Holds()
    assert not h.apply(order(wire.RENEW, 1), 0)
    assert not h.until


ORDERS = st.lists(st.builds(order, st.sampled_from([wire.HOLD, wire.RELEASE, wire.RENEW]),
                            st.integers(1, 30), st.integers(1, 50), st.integers(1, 2),
                            st.sampled_from([1, 2, wire.QUEUE_ALL]), st.integers(0, 1)))


@given(ORDERS, st.lists(st.integers(0, 40)))
def test_nothing_is_held_after_the_longest_lease(orders, steps):
    h, now = wire.Holds(), 0
    for i, o in enumerate(orders):
        now += steps[i] if i < len(steps) else 1
        h.expire(now)
        h.apply(o, now)
        assert h.next_end_ns() is None or h.next_end_ns() <= now + 50
    h.expire(now + 50)
    assert not h.until


@given(st.sampled_from(sorted(wire.BODIES)), st.data())
def test_messages_survive_the_way(kind, data):
    values = {}
    for name, code in wire.BODIES[kind].members:
        if code[-1] == "s":
            size = int(code[:-1])
            values[name] = data.draw(st.binary(min_size=size, max_size=size))
        else:
            bits = {"B": 8, "I": 32, "Q": 64}[code]
            values[name] = data.draw(st.integers(0, 2 ** bits - 1))
    message = wire.encode(kind, **values)
    assert len(message) <= wire.MAX
    assert wire.decode(message)[0] == kind and wire.decode(message)[2] == values


@given(st.binary(max_size=300))
def test_garbage_is_nonsense(data):
    with pytest.raises(wire.Nonsense):
        wire.decode(data)


def test_unknown_member_is_refused():
    with pytest.raises(TypeError):
        wire.encode(wire.BUSY, gpu=1)
