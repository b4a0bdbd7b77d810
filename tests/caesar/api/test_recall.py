"""POST /v1/recall."""

from __future__ import annotations

from typing import Any

import pytest

from memory import chats
from memory.db import profile_scope
from memory.models import Embedding, Passage
from tests.caesar.api.conftest import Api
from workers import embedding


@pytest.fixture
def semantic(settings: Any) -> None:
    """Raw chat is indexed."""
    wanted = settings.CAESAR.semantic.model_copy(update={"enabled": True})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": wanted})


def chat(api: Api, *messages: dict[str, Any], **options: Any) -> int:
    turn = chats.begin(profile_id=api.who.profile_id, messages=list(messages), **options)
    return chats.finish(turn, chats.Answer(text="A heat pump of eight kilowatts will do."))


def ask(api: Api, query: str, **more: Any) -> list[dict[str, Any]]:
    response = api.post("/v1/recall", {"query": query, **more})
    assert response.status_code == 200, response.content
    return list(response.json()["results"])


def test_it_finds_a_fact_and_says_why(anna):
    made = anna.author("dog.name", "Beans")
    anna.author("address.city", "Portland")
    embedding.drain()
    (first, *_) = ask(anna, "What is my dog called?")
    assert first["kind"] == "fact"
    assert (first["id"], first["text"]) == (made["id"], made["text"])
    assert first["scores"]["semantic"] > 0.25
    assert first["why"] == "the question names dog and close in meaning to the question"


def test_it_finds_what_was_said_with_the_ids_of_the_client(anna, semantic):
    row = chat(
        anna,
        {"role": "user", "content": "We are switching to a heat pump, the install date is the 14th.", "id": "m1"},
        {"role": "assistant", "content": "Noted.", "id": "m2"},
        {"role": "user", "content": "How strong must it be?", "id": "m3", "name": "Anna"},
    )
    embedding.drain()
    first = ask(anna, "When is the heating being installed?", kinds=["passages"])[0]
    assert first["text"] == "We are switching to a heat pump, the install date is the 14th."
    assert (first["kind"], first["role"], first["source_ids"]) == ("passage", "user", ["m1"])
    assert first["source_audit_id"] == str(row)
    with profile_scope(anna.who.profile_id):
        rows = list(Passage.objects.order_by("position"))
        assert [row.role for row in rows] == ["user", "assistant", "user", "assistant"]
        assert [row.speaker for row in rows] == ["", "", "Anna", ""]
        assert Embedding.objects.filter(owner_kind="passage").count() == 4


def test_no_kind_pushes_out_another(anna, semantic):
    anna.author("dog.name", "Beans")
    for food in ("fish", "rice", "tripe"):
        chat(anna, {"role": "user", "content": f"Is my dog called to the bowl when it gets {food}?"})
    embedding.drain()
    asked = "What is my dog called?"
    assert [one["kind"] for one in ask(anna, asked, k=3, kinds=["passages"])] == ["passage"] * 3
    both = ask(anna, asked, k=3)
    assert sorted(one["kind"] for one in both) == ["fact", "passage", "passage"]
    assert [one["score"] for one in both] == sorted((one["score"] for one in both), reverse=True)


def test_it_indexes_a_chat_once_however_often_it_looks(anna, semantic):
    chat(anna, {"role": "user", "content": "The boat lies in Brest."})
    embedding.drain()
    embedding.drain()
    with profile_scope(anna.who.profile_id):
        assert Passage.objects.count() == 2


def test_it_indexes_nothing_that_was_said_without_consent_or_off_the_record(anna, semantic):
    chat(anna, {"role": "user", "content": "This is off the record."}, memory_on=False)
    anna.patch("/v1/profile", {"memory_enabled": False})
    chat(anna, {"role": "user", "content": "This is without memory."})
    anna.patch("/v1/profile", {"memory_enabled": True})
    embedding.drain()
    with profile_scope(anna.who.profile_id):
        assert Passage.objects.count() == 0


def test_it_indexes_no_raw_chat_unless_that_is_wanted(anna):
    chat(anna, {"role": "user", "content": "The boat lies in Brest."})
    embedding.drain()
    with profile_scope(anna.who.profile_id):
        assert Passage.objects.count() == 0
    assert ask(anna, "boat", kinds=["passages"]) == []


def test_it_gives_nothing_where_memory_is_off_and_nothing_of_others(anna, bert):
    bert.author("dog.name", "Zeppelin")
    anna.author("dog.name", "Beans")
    embedding.drain()
    assert [one["text"] for one in ask(anna, "What is the dog called?")] == ["Your dog's name is Beans."]
    anna.patch("/v1/profile", {"memory_enabled": False, "summaries_enabled": False})
    assert ask(anna, "What is the dog called?") == []


def test_it_goes_on_by_words_where_there_are_no_vectors(anna):
    anna.author("ticket", "ATL-4471 is the pump seal")
    assert [one["why"] for one in ask(anna, "status of ATL-4471")] == ["the question names ATL-4471"]
    assert ask(anna, "what is that about") == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "query is a text"),
        ({"query": " "}, "query is a text"),
        ({"query": 3}, "query is a text"),
        ({"query": "x", "k": 0}, "k is a whole number from 1 to 100"),
        ({"query": "x", "k": True}, "k is a whole number"),
        ({"query": "x", "kinds": ["facts", "dreams"]}, "kinds is a list of facts, episodes, passages"),
        ({"query": "x", "kinds": []}, "kinds is a list"),
        ({"query": "x", "at": "soon"}, "at is a time such as"),
        ({"query": "x", "at": "2026-13-45T00:00:00Z"}, "at is a time such as"),
        ({"query": "x", "limit": 3}, "Not a field here: limit"),
    ],
)
def test_it_says_what_is_wrong(anna, body, told):
    response = anna.post("/v1/recall", body)
    assert response.status_code == 400
    assert told in response.json()["error"]["message"]


def test_it_leaves_out_what_was_said_later_than_asked_for(anna):
    anna.author("dog.name", "Beans")
    embedding.drain()
    assert ask(anna, "What is my dog called?", at="2020-01-01T00:00:00Z") == []


@pytest.mark.parametrize("query", ["\x00", "Kobe\x00", "%00", "''; --", "\ud800", "a" * 65_536, "\u0301" * 5_000])
def test_it_takes_any_text_for_a_question(anna, query):
    anna.author("office.city", "Kobe")
    embedding.drain()
    assert anna.post("/v1/recall", {"query": query}).status_code in (200, 400)


def test_it_indexes_no_answer_that_only_repeats_what_is_remembered(anna, semantic):
    turn = chats.begin(profile_id=anna.who.profile_id, messages=[{"role": "user", "content": "Where is the boat?"}])
    chats.finish(turn, chats.Answer(text="I remember nothing about this.", model="builtin", provider="builtin"))
    embedding.drain()
    assert [one["role"] for one in ask(anna, "boat", kinds=["passages"])] == ["user"]
