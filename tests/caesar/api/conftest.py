"""Clients of the REST API, one for each of the cast."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from tests.people import Person, person


class Api:
    """Speaks JSON to the API as one person, or as nobody."""

    def __init__(self, who: Person | None, **headers: str) -> None:
        self.who = who
        self.headers = {**(who.auth if who else {}), **headers}
        self._client = Client(raise_request_exception=False)

    def call(self, method: str, path: str, body: Any = None, *, raw: bytes | str | None = None, **headers: str) -> Any:
        data = raw if raw is not None else json.dumps(body) if body is not None else ""
        sent = {"content-type": "application/json", **self.headers, **headers}
        return self._client.generic(method, path, data, content_type=sent.pop("content-type"), headers=sent)

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **rest: Any) -> Any:
        return self.call("POST", path, body, **rest)

    def patch(self, path: str, body: Any = None, **rest: Any) -> Any:
        return self.call("PATCH", path, body, **rest)

    def delete(self, path: str, **headers: str) -> Any:
        return self.call("DELETE", path, **headers)

    def author(self, key: str | None, value: str, **more: Any) -> dict[str, Any]:
        response = self.post("/v1/facts", {"key": key, "value": value, **more})
        assert response.status_code == 201, response.content
        return dict(response.json())


@pytest.fixture
def anna(database: object) -> Api:
    return Api(person("anna"))


@pytest.fixture
def bert(database: object) -> Api:
    return Api(person("bert"))


@pytest.fixture
def nobody(database: object) -> Api:
    return Api(None)
