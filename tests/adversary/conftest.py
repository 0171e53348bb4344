# SPDX-License-Identifier: MIT
import os
import pathlib
import tempfile

import pytest

from stage import Control, Daemon


@pytest.fixture
def daemon():
    with Daemon() as d:
        yield d


@pytest.fixture
def control(daemon):
    c = Control(daemon)
    yield c
    c.close()


@pytest.fixture
def place():
    """A folder that other users can look into."""
    with tempfile.TemporaryDirectory(prefix="gpd") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)
