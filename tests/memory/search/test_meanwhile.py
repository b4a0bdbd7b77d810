"""A search goes on while others write: what goes meanwhile is left out, and nothing is held up or mixed up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from memory import chats, facts, finding, prune
from memory.db import profile_scope
from memory.domain.ranking import episodes as episode_ranking
from memory.domain.ranking import facts as fact_ranking
from memory.domain.ranking import passages as passage_ranking
from memory.llm import embedding as embedders
from memory.models import Conversation, EpisodeSummary, Fact, Passage
from tests.memory.search.conftest import general, know
from tests.memory.search.test_episodes import HEAT, discussed
from tests.people import Person, person
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database", "embedder", "semantic")
ASKED = "What were we doing about the heat pump install?"
KINDS = {"facts": (fact_ranking, "rank"), "episodes": (episode_ranking, "rank"), "passages": (passage_ranking, "score")}


def elsewhere(act: Callable[[], object]) -> None:
    """In another connection, as another request would."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def found(who: Person, **more: Any) -> list[finding.Result]:
    return finding.find_in(general(who)[1], **({"query": ASKED, "k": 10, "at": None, "kinds": finding.KINDS} | more))


@pytest.fixture
def told(anna: Person) -> Person:
    discussed(anna, HEAT)
    know(anna, **{"heating.kind": "a heat pump, to be installed on the 14th"})
    assert {one.kind for one in found(anna)} == {"fact", "episode", "passage"}
    return anna


def everything_goes(who: Person) -> None:
    with profile_scope(who.profile_id):
        names = [row.public_id for row in Conversation.objects.all()]
        ids = list(Fact.objects.filter(state="current").values_list("id", flat=True))
    for name in names:
        prune.prune(profile_id=who.profile_id, conversation_id=name)
    for fact_id in ids:
        facts.delete(profile_id=who.profile_id, fact_id=fact_id)


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_in_the_middle_of_a_search_is_left_out(told, monkeypatch, kind):
    module, name = KINDS[kind]
    real, gone = getattr(module, name), []

    def ranked(*args: Any, **options: Any) -> Any:
        if not gone:
            gone.append(elsewhere(lambda: everything_goes(told)))
        return real(*args, **options)

    monkeypatch.setattr(module, name, ranked)
    assert [one for one in found(told, kinds=[kind]) if one.kind != "episode"] == []
    assert gone
    assert found(told) == []


def test_a_chat_goes_on_where_what_was_recalled_goes(told, monkeypatch):
    real, gone = fact_ranking.rank, []

    def ranked(*args: Any, **options: Any) -> Any:
        if not gone:
            gone.append(elsewhere(lambda: everything_goes(told)))
        return real(*args, **options)

    monkeypatch.setattr(fact_ranking, "rank", ranked)
    turn = chats.begin(profile_id=told.profile_id, messages=[{"role": "user", "content": ASKED}])
    assert gone
    assert not turn.recalled.failed
    assert "heat pump" not in turn.recalled.block
    chats.finish(turn, chats.Answer(text="I do not know."))


def test_what_is_forgotten_between_question_and_answer_is_not_marked_as_used(told):
    turn = chats.begin(profile_id=told.profile_id, messages=[{"role": "user", "content": ASKED}])
    assert turn.recalled.facts
    assert turn.recalled.episodes
    everything_goes(told)
    chats.finish(turn, chats.Answer(text="On the 14th."))
    with profile_scope(told.profile_id):
        assert not EpisodeSummary.objects.exists()
        assert set(Fact.objects.values_list("state", flat=True)) == {"deleted"}


def test_no_transaction_is_open_while_a_question_is_embedded(told, monkeypatch):
    real, seen = embedders.Embedder.query, []

    def query(self: Any, *args: Any) -> Any:
        seen.append((connection.in_atomic_block, getattr(connection, "caesar_scope", None)))
        return real(self, *args)

    monkeypatch.setattr(embedders.Embedder, "query", query)
    chats.begin(profile_id=told.profile_id, messages=[{"role": "user", "content": ASKED}])
    found(told)
    assert len(seen) >= 2
    assert set(seen) == {(False, None)}


@pytest.mark.timeout(120)
def test_people_search_while_others_write_and_see_their_own_alone(anna):
    """Everybody says the same words; each piece carries its owner's name."""
    cast = {name: person(name) for name in ("bert", "carl")} | {"anna": anna}
    for name, who in cast.items():
        know(who, **{f"boat.of_{name}": f"the boat of {name} lies in Brest"})
    end, broken, searches = time.monotonic() + 5, [], []

    def write(name: str, who: Person) -> None:
        count = 0
        while time.monotonic() < end:
            count += 1
            made = facts.author(profile_id=who.profile_id, fields={"value": f"{name} keeps oar {count} in the boat"})
            said = f"I, {name}, painted the boat in Brest {count} times."
            turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": said}])
            chats.finish(turn, chats.Answer(text=f"Well done, {name}."))
            if count % 3 == 0:
                facts.delete(profile_id=who.profile_id, fact_id=made.id)

    def embed(_: str, __: Person) -> None:
        while time.monotonic() < end:
            worker.drain()

    def search(name: str, who: Person) -> None:
        others = [other for other in cast if other != name]
        while time.monotonic() < end:
            results = found(who, query="Where is the boat, and who keeps the oars?")
            searches.append(len(results))
            wrong = [one.text for one in results if any(other in one.text for other in others)]
            assert not wrong, wrong
            turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": "Where is the boat?"}])
            assert not turn.recalled.failed
            assert not any(other in turn.recalled.block for other in others)

    def guarded(act: Callable[[str, Person], None], name: str) -> threading.Thread:
        def run() -> None:
            try:
                act(name, cast[name])
            except Exception as error:
                broken.append(repr(error))
            finally:
                connection.close()

        return threading.Thread(target=run)

    threads = [guarded(act, name) for name in cast for act in (write, search)] + [guarded(embed, "anna")]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert broken == []
    assert max(searches) > 1
    worker.drain()
    for who in cast.values():
        with profile_scope(who.profile_id):
            assert Passage.objects.count() > 0
