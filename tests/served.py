"""One web process and one scripted model for all tests that speak HTTP to a real server; rows are new in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests import server
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres


@pytest.fixture(scope="session")
def _model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture(scope="session")
def _web(cluster: Postgres, _model: ScriptedModel) -> Iterator[Web]:
    with server.running(server.with_model(_model.url)) as web:
        yield web


@pytest.fixture
def model(_model: ScriptedModel) -> Iterator[ScriptedModel]:
    """The model that the web process asks."""
    yield _model.reset()
    _model.reset()


@pytest.fixture
def web(database: Postgres, _web: Web) -> Web:
    return _web
