"""The product that the documents' commands are run against."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.docs.product import Product, running


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running(tmp_path_factory.mktemp("docs")) as product:
        yield product
