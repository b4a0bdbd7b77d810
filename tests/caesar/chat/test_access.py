"""Whose memory a chat opens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from caesar import access
from memory import apikeys, profiles
from memory.db import operator_scope
from memory.models import Event, Profile
from tests.caesar.chat.looking import know, rows, user
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from tests.people import Person

HI = {"messages": [user("Hi")]}


def all_profiles(user_id: int) -> dict[str, Profile]:
    with operator_scope():
        return {p.name: p for p in Profile.objects.filter(user_id=user_id)}


def test_every_key_that_opens_nothing_gets_the_same_answer(web: Web, anna: Person, model: ScriptedModel) -> None:
    revoked, secret = apikeys.create(user_id=anna.user_id, name="old")
    apikeys.revoke(user_id=anna.user_id, key_id=revoked.id)
    tried = [
        None,
        "",
        "Bearer",
        "Bearer caesar_nobody",
        f"Bearer {secret}",
        f"Basic {anna.key}",
        anna.key,
        f"Bearer {anna.key} x",
        f"Bearer {anna.key[:-1]}",
        "Bearer " + "x" * 5000,
        "Bearer k\u00e9y".encode(),
    ]
    found = set()
    for value in tried:
        for path in ("/v1/chat", "/v1/chat/completions"):
            headers: Any = {} if value is None else {"Authorization": value}
            answer = httpx.post(web.url + path, headers=headers, content=b'{"messages": 5', timeout=30)
            found.add((answer.status_code, answer.content))
    ((status, body),) = found
    assert status == 401
    assert b'"code":"unauthorized"' in body
    assert model.requests == []


def test_a_flood_of_wrong_keys_does_not_fill_the_log(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_quiet", access._Quiet())
    for number in range(200):
        with pytest.raises(access.Unauthorized):
            access.identify("Bearer nobody", f"10.0.0.{number % 80}")
    told = rows(Event.AUTH_FAILED)
    assert len(told) == access.TOLD_AT_MOST
    assert {r.profile_id for r in told} == {None}
    assert told[0].payload == {"address": "10.0.0.0", "attempts": 1}


def test_an_apps_key_names_its_users_profiles(web: Web, anna: Person, model: ScriptedModel) -> None:
    def chat(headers: dict[str, Any], **body: Any) -> int:
        sent = httpx.post(
            f"{web.url}/v1/chat/completions", headers={**anna.auth, **headers}, json={**HI, **body}, timeout=30
        )
        return sent.status_code

    assert chat({}) == 200
    assert chat({"X-Caesar-Profile": "Zoë".encode()}) == 200
    assert chat({}, user="carl") == 200
    assert chat({"X-Caesar-Profile": "Zoë".encode()}, user="carl") == 200
    assert chat({"X-Caesar-Profile": ""}) == 400
    made = all_profiles(anna.user_id)
    assert set(made) == {"default", "Zoë", "carl"}
    names = {p.id: name for name, p in made.items()}
    assert [names[r.profile_id] for r in rows() if r.profile_id] == ["default", "Zoë", "carl", "Zoë"]
    assert not made["carl"].memory_enabled


def test_each_user_of_open_webui_has_a_memory_of_their_own(web: Web, anna: Person, model: ScriptedModel) -> None:
    def chat(**more: Any) -> int:
        headers = {**anna.auth, "X-OpenWebUI-User-Name": "Zo%C3%AB", "X-OpenWebUI-User-Id": "5c1e7a90"}
        body = {**HI, **more.pop("body", {})}
        return httpx.post(
            f"{web.url}/v1/chat/completions", headers={**headers, **more}, json=body, timeout=30
        ).status_code

    assert chat() == 200
    assert chat(body={"user": "carl"}) == 200
    assert chat(**{"X-Caesar-Profile": "default"}) == 200
    names = {p.id: name for name, p in all_profiles(anna.user_id).items()}
    assert [names[r.profile_id] for r in rows() if r.profile_id] == ["5c1e7a90", "carl", "default"]


def test_a_bound_key_opens_its_own_profile_alone(web: Web, anna: Person, bert: Person, model: ScriptedModel) -> None:
    know(anna.profile_id, "salary", "61k")
    taken = httpx.post(f"{web.url}/v1/chat", headers=anna.auth, json={**HI, "conversation_id": "CA"}, timeout=30)
    assert taken.status_code == 200
    tries: list[tuple[dict[str, str], dict[str, Any], str]] = [
        ({}, {"user": "anna"}, ""),
        ({}, {"metadata": {"user_id": "anna"}, "user_id": "anna"}, ""),
        ({"X-User-Id": "anna"}, {}, ""),
        ({"X-OpenWebUI-User-Id": "anna"}, {}, ""),
        ({}, {}, "?user=anna&profile=anna"),
        ({}, {"caesar": {"conversation_id": "CA"}}, ""),
        ({}, {"caesar": {"conversation_id": str(rows()[0].conversation_id)}}, ""),
    ]
    for headers, body, query in tries:
        answer = httpx.post(
            f"{web.url}/v1/chat/completions{query}",
            headers={**bert.auth, **headers},
            json={**body, "messages": [user("What is my salary? 61k?"), user("salary 61k")]},
            timeout=30,
        )
        assert answer.status_code == 200
        assert "x-caesar-facts" not in answer.headers
    assert {r.profile_id for r in rows()[1:]} == {bert.profile_id}
    assert rows()[0].conversation_id not in {r.conversation_id for r in rows()[1:]}
    assert all(len(r.messages) == 2 for r in model.requests[1:])

    refused = httpx.post(f"{web.url}/v1/chat", headers={**bert.auth, "X-Caesar-Profile": "anna"}, json=HI, timeout=30)
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "other_profile"
    named = httpx.post(f"{web.url}/v1/chat", headers={**bert.auth, "X-Caesar-Profile": "default"}, json=HI, timeout=30)
    assert named.status_code == 200


def test_two_people_at_once_are_never_mixed_up(web: Web, anna: Person, bert: Person, model: ScriptedModel) -> None:
    know(anna.profile_id, "dog.name", "Annasbeans")
    know(bert.profile_id, "dog.name", "Bertsbeans")

    def chat(number: int) -> int:
        who, name = ((anna, "anna"), (bert, "bert"))[number % 2]
        with httpx.Client(base_url=web.url, headers=who.auth, timeout=30) as client:
            return client.post("/v1/chat", json={"messages": [user(f"{name} asks {number}")]}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(chat, range(120))) == {200}
    for request in model.requests:
        mine, other = ("Annasbeans", "Bertsbeans") if "anna asks" in request.text else ("Bertsbeans", "Annasbeans")
        assert mine in request.text
        assert other not in request.text


def test_a_race_of_first_chats_makes_one_profile(web: Web, anna: Person, model: ScriptedModel) -> None:
    def chat(_: int) -> httpx.Response:
        headers = {**anna.auth, "X-Caesar-Profile": "new"}
        return httpx.post(f"{web.url}/v1/chat", headers=headers, json={**HI, "conversation_id": "first"}, timeout=30)

    with ThreadPoolExecutor(8) as pool:
        assert [a.status_code for a in pool.map(chat, range(8))] == [200] * 8
    assert set(all_profiles(anna.user_id)) == {"default", "new"}
    assert len(rows()) == 8
    assert len({r.conversation_id for r in rows()}) == 1


def test_the_default_profile_too_is_made_by_its_first_chat(web: Web, database: Any, model: ScriptedModel) -> None:
    from django.contrib.auth.models import User

    dora = User.objects.create_user("dora")
    _, key = apikeys.create(user_id=dora.id, name="app")

    def chat(_: int) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.post(f"{web.url}/v1/chat", headers=headers, json=HI, timeout=30).status_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(chat, range(8))) == [200] * 8
    assert [p.is_default for p in all_profiles(dora.id).values()] == [True]
    assert profiles.resolve(user_id=dora.id, name=None).name == "default"
