# SPDX-License-Identifier: MIT
import pytest

from rig import Control, Daemon


@pytest.fixture
def daemon():
    with Daemon() as d:
        yield d


@pytest.fixture
def control(daemon):
    c = Control(daemon)
    yield c
    c.close()
