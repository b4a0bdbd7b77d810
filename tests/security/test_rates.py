"""How often a key may ask."""

from __future__ import annotations

import time
import uuid
from typing import Any

import httpx
import pytest

from caesar import rates
from memory import apikeys
from tests import server
from tests.caesar.api.conftest import Api
from tests.people import person


@pytest.fixture
def few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.CAESAR = settings.CAESAR.model_copy(update={"rate_limit_per_minute": 3})
    monkeypatch.setattr(rates, "_buckets", rates.Buckets())


def test_a_key_that_asks_too_often_hears_when_to_come_again(database: Any, few: None) -> None:
    anna, bert = Api(person("anna")), Api(person("bert"))
    assert [anna.get("/v1/facts").status_code for _ in range(3)] == [200, 200, 200]
    for path in ("/v1/facts", "/v1/audit", "/metrics"):
        refused = anna.get(path)
        assert refused.status_code == 429
        assert refused.json()["error"]["code"] == "too_many_requests"
        assert 1 <= int(refused["Retry-After"]) <= 20
    assert bert.get("/v1/facts").status_code == 200


def test_each_key_of_a_person_is_counted_for_itself(database: Any, few: None) -> None:
    who = person("anna")
    _, other = apikeys.create(user_id=who.user_id, name="other")
    anna = Api(who)
    while anna.get("/v1/facts").status_code == 200:
        pass
    assert anna.get("/v1/facts", Authorization=f"Bearer {other}").status_code == 200


def test_wrong_keys_are_told_so_and_use_nothing_up(database: Any, few: None) -> None:
    anna = Api(person("anna"))
    for _ in range(10):
        assert anna.get("/v1/facts", Authorization="Bearer caesar_wrong-wrong-wrong").status_code == 401
    assert anna.get("/v1/facts").status_code == 200


def test_time_gives_back_what_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    buckets, key = rates.Buckets(), uuid.uuid4()
    assert [buckets.take(key, 60) for _ in range(61)][-2:] == [0.0, 1.0]
    now += 1.0
    assert (buckets.take(key, 60), buckets.take(key, 60) > 0) == (0.0, True)
    now += 3600
    assert [buckets.take(key, 60) for _ in range(61)].count(0.0) == 60


def test_the_chat_is_counted_too(cluster: Any, database: Any, model: Any) -> None:
    model.on("tea", "Tea it is.")
    who = person("anna")
    with server.running({**server.with_model(model.url), "CAESAR_RATE_LIMIT_PER_MINUTE": "2"}) as web:
        body = {"messages": [{"role": "user", "content": "tea"}]}
        answers = [httpx.post(f"{web.url}/v1/chat", json=body, headers=who.auth, timeout=30) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1].json()["error"]["type"] == "rate_limit_error"
    assert int(answers[-1].headers["retry-after"]) >= 1
