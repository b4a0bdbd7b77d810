"""Texts get their vectors, whatever happens meanwhile, and a change of the embedder interrupts nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from memory import chats, embed, embedding_selectors, embeddings, facts, identities
from memory.config import LLM, Semantic
from memory.db import operator_scope, profile_scope
from memory.llm import embedding as embedders
from memory.models import Embedding, EmbeddingIdentity, EmbedQueue, Fact
from tests.memory.search.conftest import anna, find, know  # noqa: F401 - fixtures
from tests.memory.search.conftest import embedder as embedder
from tests.people import Person, person
from tests.scripted_model import ScriptedModel, Status, Vectors
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database")
MINILM = "all-MiniLM-L6-v2/384"


@pytest.fixture
def hosted(model: ScriptedModel, settings: Any) -> ScriptedModel:
    """The settings name another embedder: a scripted one at the wire, with vectors of eight numbers."""
    llm = LLM.model_validate({"openai": {"api_key": "k", "base_url": model.url}, "timeout_seconds": 3})
    semantic = Semantic(provider="openai", model="some-embedder", embedding_dim=8)
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm, "semantic": semantic})
    return model


def author(who: Person, key: str, value: str) -> Fact:
    return facts.author(profile_id=who.profile_id, fields={"key": key, "value": value})


def vectors(who: Person) -> set[tuple[str, str]]:
    """(value, identity) of each fact's vectors."""
    with profile_scope(who.profile_id):
        values = dict(Fact.objects.values_list("id", "value"))
        return {(values[row.owner_id], row.identity) for row in Embedding.objects.all()}


def waiting(who: Person) -> dict[str, str]:
    """What waits for its vector, with its last error."""
    with profile_scope(who.profile_id):
        values = dict(Fact.objects.values_list("id", "value"))
        return {values[row.owner_id]: row.error for row in EmbedQueue.objects.all()}


def due_again() -> None:
    """Let time pass."""
    with operator_scope(), connection.cursor() as cursor:
        cursor.execute("UPDATE embed_queue SET not_before = now() WHERE not_before IS NOT NULL")


def test_recall_goes_on_while_another_embedder_is_being_built(anna, find, settings, model, monkeypatch):  # noqa: F811
    know(anna, **{"pet.dog": "Beans", "address.city": "Portland"})
    before = settings.CAESAR
    llm = LLM.model_validate({"openai": {"api_key": "k", "base_url": model.url}, "timeout_seconds": 3})
    other = Semantic(provider="openai", model="some-embedder", embedding_dim=8)
    settings.CAESAR = before.model_copy(update={"llm": llm, "semantic": other})
    kept = embed.ready()
    assert (str(kept.active), str(kept.building)) == (MINILM, "openai/some-embedder/8")
    author(anna, "pet.cat", "Nata")
    assert embed.work_off(kept) == 1
    both = {("Nata", MINILM), ("Nata", "openai/some-embedder/8")}
    assert both <= vectors(anna)
    assert find(anna, "What is my puppy called?")[0].row.value == "Beans"  # still by the old one
    assert embed.build(kept.building, most=2) == 2
    now = embedding_selectors.standing()
    assert (now.active, now.building, now.done, now.total) == (MINILM, "openai/some-embedder/8", 2, 3)
    call_command("reembed", "--json")
    assert embedding_selectors.standing().active == "openai/some-embedder/8"
    assert {value for value, name in vectors(anna) if name == "openai/some-embedder/8"} == {"Beans", "Portland", "Nata"}
    monkeypatch.setattr(identities, "RETIRED_STAYS", -identities.RETIRED_STAYS)
    while identities.sweep():
        pass
    assert {name for _, name in vectors(anna)} == {"openai/some-embedder/8"}
    with operator_scope():
        assert [row.name for row in EmbeddingIdentity.objects.all()] == ["openai/some-embedder/8"]
    settings.CAESAR = before
    worker.drain()
    assert embedding_selectors.standing().active == MINILM
    assert find(anna, "What is my puppy called?")[0].row.value == "Beans"


def test_a_change_that_is_taken_back_leaves_nothing_half_done(anna, settings, model):  # noqa: F811
    know(anna, **{"pet.dog": "Beans"})
    before = settings.CAESAR
    llm = LLM.model_validate({"openai": {"api_key": "k", "base_url": model.url}})
    settings.CAESAR = before.model_copy(
        update={"llm": llm, "semantic": Semantic(provider="openai", model="e", embedding_dim=8)}
    )
    assert embed.ready().building is not None
    settings.CAESAR = before
    kept = embed.ready()
    assert (str(kept.active), kept.building) == (MINILM, None)


@pytest.mark.parametrize(
    "reply", [Status(503), Status(429, headers={"Retry-After": "7"}), Vectors(constant=[float("nan")] * 8)]
)
def test_texts_wait_for_an_embedder_that_fails_and_lose_nothing(hosted, reply):
    who = person("anna")
    embed.ready()
    hosted.embedding(reply)
    author(who, "pet.dog", "Beans")
    author(who, "ticket", "ATL-4471")
    worker.drain()
    assert vectors(who) == set()
    assert set(waiting(who)) == {"Beans", "ATL-4471"}
    assert all(waiting(who).values())
    assert embedding_selectors.standing().failing == 2
    hosted.embedding(Vectors())
    due_again()
    worker.drain()
    assert waiting(who) == {}
    assert {value for value, _ in vectors(who)} == {"Beans", "ATL-4471"}


def test_one_text_that_has_no_vector_keeps_no_other_from_having_one(hosted, capsys):
    who = person("anna")
    bad = "thing: Beans"
    hosted.embedding(Vectors(texts={bad: [float("nan")] * 8}))
    author(who, "thing", "Beans")
    author(who, "pet.cat", "Nata")
    for _ in range(10):
        worker.drain()
        due_again()
    assert {value for value, _ in vectors(who)} == {"Nata"}
    assert list(waiting(who)) == ["Beans"]
    assert embedding_selectors.standing().dead == 1
    hosted.embedding(Vectors())
    call_command("requeue", "--all", "--json")
    assert json.loads(capsys.readouterr().out)["requeued"] == 1
    worker.drain()
    assert {value for value, _ in vectors(who)} == {"Nata", "Beans"}


def test_a_fact_that_changes_while_it_is_embedded_gets_the_vector_of_its_new_words(hosted, monkeypatch):
    who = person("anna")
    fact = author(who, "address.city", "Portland")
    real = embedders.Embedder.documents
    seen: list[list[str]] = []

    def documents(self: Any, texts: Any) -> Any:
        if not seen:
            facts.edit(profile_id=who.profile_id, fact_id=fact.id, changes={"value": "Graz"})
        seen.append(list(texts))
        return real(self, texts)

    monkeypatch.setattr(embedders.Embedder, "documents", documents)
    worker.drain()
    assert [len(texts) for texts in seen] == [1, 1]
    assert "Portland" in seen[0][0]
    assert "Graz" in seen[1][0]
    assert vectors(who) == {("Graz", "openai/some-embedder/8")}
    assert waiting(who) == {}


def test_a_fact_that_is_deleted_while_it_is_embedded_gets_none(hosted, monkeypatch):
    who = person("anna")
    fact = author(who, "address.city", "Portland")
    real = embedders.Embedder.documents

    def documents(self: Any, texts: Any) -> Any:
        facts.delete(profile_id=who.profile_id, fact_id=fact.id)
        return real(self, texts)

    monkeypatch.setattr(embedders.Embedder, "documents", documents)
    worker.drain()
    assert vectors(who) == set()
    assert waiting(who) == {}


def test_two_workers_share_what_waits(hosted):
    who = person("anna")
    for n in range(6):
        author(who, f"thing.t{n}", f"thing number {n}")
    first, second = embeddings.take(4), embeddings.take(4)
    assert (len(first), len(second), embeddings.take(4)) == (4, 2, [])
    assert not {one.id for one in first} & {one.id for one in second}


def test_the_core_of_the_block_needs_no_embedder(hosted):
    who = person("anna")
    author(who, "pet.dog", "Beans")
    hosted.embedding(Status(503))
    turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": "What is my dog called?"}])
    assert "Beans" in turn.recalled.block
