"""A worker that dies while it embeds loses nothing: each fact, conversation and piece of chat has its one vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from memory import identities
from memory.db import operator_scope
from memory.llm.embedding import Identity
from memory.models import Embedding, EmbedQueue, EpisodeSummary, Fact, Passage
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import Process, beat, eventually, worker
from tests.scripted_model import ScriptedModel, Vectors
from tests.workers.test_real_workers import REPLY as SAID
from tests.workers.test_real_workers import TOLD, added, facts, often, reached, states, stop_at

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(240)]
REPLY = SAID.replace('"summary": "s"', '"summary": "They play the viola and live in Porto with a cat."')
IDENTITY = "openai/scripted-embedder/8"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(REPLY)


@pytest.fixture
def env(model: ScriptedModel) -> dict[str, str]:
    return often(model) | {
        "CAESAR_LLM__TIMEOUT_SECONDS": "60",
        "CAESAR_SEMANTIC__PROVIDER": "openai",
        "CAESAR_SEMANTIC__MODEL": "scripted-embedder",
        "CAESAR_SEMANTIC__EMBEDDING_DIM": "8",
        "CAESAR_SEMANTIC__ENABLED": "true",
    }


def owners() -> Counter[tuple[str, Any]]:
    with operator_scope():
        found = [("fact", i) for i in Fact.objects.filter(state="current").values_list("id", flat=True)]
        found += [("passage", i) for i in Passage.objects.values_list("id", flat=True)]
        found += [("episode", i) for i in EpisodeSummary.objects.values_list("id", flat=True)]
    return Counter(found)


def embedded() -> Counter[tuple[str, Any]]:
    with operator_scope():
        return Counter(Embedding.objects.filter(identity=IDENTITY).values_list("owner_kind", "owner_id"))


def all_there() -> bool:
    """Three facts, one summary, the pieces of the one chat; each with one vector, and nothing that waits."""
    with operator_scope():
        waits = EmbedQueue.objects.exists()
    kinds = Counter(kind for kind, _ in owners())
    whole = kinds["fact"] == 3 and kinds["episode"] == 1 and kinds["passage"] > 0
    learned = facts() == ["Nata", "Porto", "viola"] and states() == {"done"}
    return learned and whole and not waits and embedded() == owners()


def seen(process: Process) -> str:
    return f"{states()} {facts()} {owners()} {embedded()} {process.said()[-2000:]}"


@pytest.mark.parametrize("moment", ["while the embedder answers", "while the vectors are written"])
def test_it_embeds_once_what_a_killed_worker_was_embedding(env, model, database, moment):
    held = moment == "while the embedder answers"
    model.embedding([Vectors(dim=8, delay=90), Vectors(dim=8)] if held else Vectors(dim=8))
    identities.ensure(Identity("openai", "scripted-embedder", 8))
    anna = person("anna")
    tell(anna, TOLD)
    with psycopg.connect(database.url("superuser"), autocommit=True) as holder, beat(env):
        with worker(env) as doomed:
            if not held:
                stop_at(holder, "embeddings", "SHARE ROW EXCLUSIVE")
            eventually(
                lambda: model.embeddings and (held or reached(moment, model, holder)), seconds=60, what=doomed.said
            )
            doomed.kill()
        holder.execute("ROLLBACK")
        with worker(env) as second:
            eventually(all_there, seconds=90, what=lambda: seen(second))
    assert added() == 3
    assert len(model.extractions) <= 2
    with operator_scope():
        assert Fact.objects.count() == 3
        assert EpisodeSummary.objects.count() == 1


def test_two_workers_embed_everything_once(env, model):
    """The same wake-up comes to both, and the chat is learned, summarised, cut up and embedded once."""
    model.embedding(Vectors(dim=8, delay=0.5))
    anna = person("anna")
    with worker(env) as running, worker(env), beat(env), beat(env):
        tell(anna, TOLD)
        eventually(all_there, seconds=90, what=lambda: seen(running))
    assert added() == 3
    assert len(model.extractions) == 1
    with operator_scope():
        (fact, *_) = Fact.objects.all()
        assert {row.evidence_count for row in Fact.objects.all()} == {1}
        assert fact.state == "current"
    asked = Counter(text for request in model.embeddings for text in request.inputs)
    assert set(asked.values()) == {1}
