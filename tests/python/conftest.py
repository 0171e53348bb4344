# SPDX-License-Identifier: MIT
"""The package of this tree, and a real daemon on simulated nodes.

Skipped with a reason where the daemon or the library is not built. Hypothesis tries the same
examples in every run; GP_TEST_RANDOM=1 tries others, GP_TEST_EXAMPLES=N so many of them.
"""
import os
import sys

import hypothesis
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from gpreempt import _abi  # noqa: E402
from gpreempt.api import Handle  # noqa: E402
from gpreempt.client import SimClient  # noqa: E402
from gpreempt.daemon import Daemon, find  # noqa: E402

hypothesis.settings.register_profile(
    "gpreempt", database=None, deadline=None, print_blob=True,
    derandomize=not os.environ.get("GP_TEST_RANDOM"),
    max_examples=int(os.environ.get("GP_TEST_EXAMPLES", "50")))
hypothesis.settings.load_profile("gpreempt")


def missing():
    """What is not built, in words; None if all is there."""
    if not find():
        return "gpreemptd is not built"
    try:
        _abi.library()
    except OSError as e:
        return f"libgpreempt is not built: {e}"
    return None


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture
def daemon():
    with Daemon(2) as d:
        yield d


@pytest.fixture
def handle(daemon):
    with Handle(daemon.path, "daemon") as h:
        yield h


@pytest.fixture
def client(daemon):
    """A function that makes clients; they die with the test."""
    made = []

    def make(**wishes):
        made.append(SimClient(daemon.path, **wishes))
        return made[-1]

    yield make
    for c in made:
        c.close()
