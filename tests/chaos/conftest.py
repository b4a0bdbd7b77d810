"""The long faults run by `make chaos` alone; of each kind a short one runs with all other tests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos import site as sites
from tests.chaos.site import Site
from tests.chaos.telling import Told, fact

ALL = bool(os.environ.get("CHAOS"))
HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: a fault that takes minutes; `make chaos` runs it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if not ALL and HERE in item.path.parents and item.get_closest_marker("long")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with sites.running(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def site(_site: Site) -> Site:
    """One installation for the tests of a module; what they told adds up."""
    sites.ready(_site.model.reset())
    return _site


_count = itertools.count()


@pytest.fixture
def facts() -> Iterator[Told]:
    """Something new to tell each time."""
    return (fact(n) for n in _count)
