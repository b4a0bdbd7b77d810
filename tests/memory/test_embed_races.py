"""What happens while texts are being embedded: embedders change, texts go, others write. Each text has its vector."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connection

from memory import chats, embed, embeddings, facts, identities, prune
from memory.config import LLM, Semantic
from memory.db import operator_scope, profile_scope
from memory.errors import CaesarError
from memory.llm import embedding as embedders
from memory.models import Conversation, Embedding, EmbeddingIdentity, EmbedQueue, EpisodeSummary, Fact, Passage
from tests.memory.search.conftest import anna  # noqa: F401 - a fixture
from tests.memory.test_embed import author, due_again, vectors, waiting
from tests.scripted_model import Recorded, ScriptedModel, Status
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database")
A, B = "openai/embedder-a/8", "openai/embedder-b/16"


@pytest.fixture
def use(model: ScriptedModel, settings: Any) -> Callable[[str], identities.Kept]:
    """The settings name this embedder."""
    llm = LLM.model_validate({"openai": {"api_key": "k", "base_url": model.url}, "timeout_seconds": 5})

    def use(name: str) -> identities.Kept:
        provider, which, dim = name.split("/")
        semantic = Semantic(provider=provider, model=which, embedding_dim=int(dim), enabled=True)
        settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm, "semantic": semantic})
        return embed.ready()

    return use


def of(name: str) -> Callable[[Recorded], bool]:
    return lambda request: bool(request.inputs) and request.json["model"] == name.split("/")[1]


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Once, while the embedder has the texts."""
    real, done = embedders.Embedder.documents, []

    def documents(self: Any, texts: Any) -> Any:
        found = real(self, texts)
        if not done:
            done.append(act())
        return found

    monkeypatch.setattr(embedders.Embedder, "documents", documents)


def finish() -> None:
    for _ in range(5):
        worker.drain()
        due_again()


def test_a_text_that_was_embedded_while_the_embedder_changed_is_embedded_anew(anna, use, monkeypatch):  # noqa: F811
    kept = use(A)
    author(anna, "pet.dog", "Beans")
    meanwhile(monkeypatch, lambda: use(B))  # there is no vector yet, so recall goes over at once
    embed.work_off(kept)
    assert vectors(anna) == set()
    due_again()
    worker.drain()
    assert vectors(anna) == {("Beans", B)}
    assert waiting(anna) == {}


def test_what_a_worker_embedded_that_knew_of_no_change_is_there_after_it(anna, use):  # noqa: F811
    before = use(A)
    dog = author(anna, "pet.dog", "Beans")
    author(anna, "pet.cat", "Nata")
    worker.drain()
    kept = use(B)
    assert kept.building is not None
    while embed.build(kept.building, most=1):
        if embed_place() == "fact":
            # The new embedder has been here already, and the old worker does not know of it.
            facts.edit(profile_id=anna.profile_id, fact_id=dog.id, changes={"value": "Bruno"})
            embed.work_off(before)
    finish()
    assert {value for value, name in vectors(anna) if name == B} == {"Bruno", "Nata"}


def embed_place() -> str:
    with operator_scope():
        return EmbeddingIdentity.objects.get(name=B).place_kind


def test_what_the_new_embedder_could_not_embed_is_tried_again_after_the_change(anna, use, model):  # noqa: F811
    use(A)
    author(anna, "pet.dog", "Beans")
    worker.drain()
    assert embed.build(use(B).building) == 1
    late = author(anna, "pet.cat", "Nata")
    with operator_scope():  # the new embedder is past all facts
        EmbeddingIdentity.objects.filter(name=B).update(place_kind="passage", place_id=late.id)
    model.on(of(B), Status(503, "down"))
    embed.work_off(embed.ready())
    assert vectors(anna) == {("Beans", A), ("Nata", A), ("Beans", B)}
    model.reset()
    finish()
    assert {value for value, name in vectors(anna) if name == B} == {"Beans", "Nata"}


def test_it_waits_for_nobody_who_is_changing_a_text(anna, use, database):  # noqa: F811
    """Else the two could wait for each other, and a person's change might be what is given up."""
    kept = use(A)
    one, two = author(anna, "pet.dog", "Beans"), author(anna, "pet.cat", "Nata")
    with psycopg.connect(database.url("superuser")) as changing:
        taken = embeddings.take(10)
        changing.execute("UPDATE embed_queue SET token = NULL, not_before = now() WHERE owner_id = %s", [two.id])
        made = {A: {w.owner.id: embedders.for_identity(kept.active).documents(["x"])[0] for w in taken}}
        began = time.monotonic()
        assert embeddings.store(profile_id=anna.profile_id, waiting=taken, vectors=made) == 1
        embeddings.put_back(taken, at=None, error="late", counts=True)
        assert time.monotonic() - began < 5
    assert vectors(anna) == {("Beans", A)}
    assert waiting(anna) == {"Nata": ""}
    assert one.id != two.id


def test_what_was_queued_while_it_was_taken_away_leaves_no_vector(anna, use, database, monkeypatch):  # noqa: F811
    """Whoever took it away did not see the row of the queue yet."""
    kept = use(A)
    dog = author(anna, "pet.dog", "Beans")
    with psycopg.connect(database.url("superuser")) as taking_away:
        taking_away.execute("DELETE FROM embed_queue")
        taking_away.commit()
        taking_away.execute("UPDATE personal_facts SET state = 'retracted', valid_to = now() WHERE id = %s", [dog.id])
        with operator_scope():
            assert embeddings.queue_missing(A) == 1
        meanwhile(monkeypatch, taking_away.commit)
        embed.work_off(kept)
    assert vectors(anna) == set()
    finish()
    assert vectors(anna) == set()
    assert waiting_at_all() == []


def test_what_goes_while_an_index_is_built_leaves_no_vector(anna, use, monkeypatch):  # noqa: F811
    use(A)
    turn = chats.begin(profile_id=anna.profile_id, messages=[{"role": "user", "content": "My boat lies in Brest."}])
    chats.finish(turn, chats.Answer(text="A fine place for a boat."))
    worker.drain()
    with profile_scope(anna.profile_id):
        name = Conversation.objects.get().public_id
        assert Passage.objects.count() == 2
    kept = use(B)
    real = embeddings.put

    def put(**given: Any) -> None:
        def go() -> None:
            try:
                prune.prune(profile_id=anna.profile_id, conversation_id=name)
            finally:
                connection.close()

        pruning = threading.Thread(target=go)
        pruning.start()
        pruning.join(1.0)
        assert pruning.is_alive()  # it waits until the vector is written, and takes it along
        real(**given)
        threads.append(pruning)

    threads: list[threading.Thread] = []
    monkeypatch.setattr(embeddings, "put", put)
    embed.build(kept.building)
    [thread.join(20) for thread in threads]
    assert len(threads) == 1
    with operator_scope():
        assert not Passage.objects.exists()
        assert not Embedding.objects.exists()
        assert not EmbedQueue.objects.exists()


SECONDS = 6.0
WORDS = ["boat", "dog", "cat", "garden", "kiwi", "harbour", "lamp", "stove"]


@pytest.mark.timeout(180)
def test_each_text_has_its_one_vector_whatever_happens_at_once(anna, use, model, monkeypatch):  # noqa: F811
    """Facts come, change and go, chats are had and pruned, and the embedder is changed again and again meanwhile."""
    monkeypatch.setattr(identities, "RETIRED_STAYS", -identities.RETIRED_STAYS)
    use(A)
    end, broken, did = time.monotonic() + SECONDS, [], Counter()

    def until_the_end(act: Callable[[random.Random], str]) -> Callable[[], None]:
        def run() -> None:
            dice = random.Random(act.__name__)
            try:
                while time.monotonic() < end:
                    try:
                        did[act(dice)] += 1
                    except CaesarError:
                        did["refused"] += 1  # what it was about has gone
            except Exception as error:
                broken.append((act.__name__, repr(error)))
            finally:
                connection.close()

        return run

    def write(dice: random.Random) -> str:
        author(anna, f"thing.t{dice.randrange(12)}", f"{dice.choice(WORDS)} {dice.randrange(1000)}")
        return "wrote"

    def change(dice: random.Random) -> str:
        with profile_scope(anna.profile_id):
            ids = list(Fact.objects.filter(state="current").values_list("id", flat=True))
        if not ids:
            return "nothing"
        chosen = dice.choice(ids)
        if dice.random() < 0.4:
            facts.delete(profile_id=anna.profile_id, fact_id=chosen)
            return "deleted"
        facts.edit(profile_id=anna.profile_id, fact_id=chosen, changes={"value": f"{dice.choice(WORDS)} again"})
        return "edited"

    def talk(dice: random.Random) -> str:
        said = f"The {dice.choice(WORDS)} number {dice.randrange(10**6)} is mine."
        turn = chats.begin(profile_id=anna.profile_id, messages=[{"role": "user", "content": said}])
        chats.finish(turn, chats.Answer(text=f"So it is, the {dice.choice(WORDS)}."))
        with profile_scope(anna.profile_id):
            names = [row.public_id for row in Conversation.objects.all()]
        if dice.random() < 0.3:
            prune.prune(profile_id=anna.profile_id, conversation_id=dice.choice(names))
            return "pruned"
        return "talked"

    def embed_one(dice: random.Random) -> str:
        worker._run(3)
        return "embedded"

    def embed_two(dice: random.Random) -> str:
        return embed_one(dice)

    acts = [write, change, talk, embed_one, embed_two]
    threads = [threading.Thread(target=until_the_end(act)) for act in acts]
    [thread.start() for thread in threads]
    names = [B, A]
    while time.monotonic() < end:
        time.sleep(0.7)
        use(names[0])
        names.reverse()
    [thread.join(60) for thread in threads]
    assert broken == []
    assert min(did[what] for what in ("wrote", "deleted", "edited", "talked", "pruned", "embedded")) > 0, did
    use(B)
    finish()
    while identities.sweep():
        pass
    finish()
    assert not waiting_at_all()
    with operator_scope():
        owners = {("fact", i) for i in Fact.objects.filter(state="current").values_list("id", flat=True)}
        owners |= {("passage", i) for i in Passage.objects.values_list("id", flat=True)}
        owners |= {("episode", i) for i in EpisodeSummary.objects.values_list("id", flat=True)}
        found = Counter(Embedding.objects.values_list("owner_kind", "owner_id", "identity"))
    assert {(kind, owner) for kind, owner, _ in found} == owners
    assert {name for *_, name in found} == {B}
    assert set(found.values()) == {1}


def waiting_at_all() -> list[Any]:
    with operator_scope():
        return list(EmbedQueue.objects.values_list("owner_kind", "error"))
