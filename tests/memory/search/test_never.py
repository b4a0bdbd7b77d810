"""What is never recalled, and how what is recalled is told: in the person's zone, as of a time, with its reasons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import facts, finding, profiles, recall, spaces
from memory.db import profile_scope
from memory.models import Fact, Space
from memory.search import asking
from memory.search.candidates import Scope
from tests.memory.search.conftest import general, know
from tests.memory.search.test_episodes import HEAT, discussed
from tests.people import Person
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database", "embedder")
ASKED = "Which language do I like to be answered in?"


def found(who: Person, query: str, *, space: str = "general", **more: Any) -> list[finding.Result]:
    with profile_scope(who.profile_id):
        where = Space.objects.select_related("profile").get(profile_id=who.profile_id, slug=space)
    asked = {"k": 10, "at": None, "kinds": finding.KINDS} | more
    return finding.find_in(where, query=query, **asked)


def block(who: Person, question: str, *, now: datetime) -> str:
    profile, space = general(who)
    asked = asking.ask(profile_id=who.profile_id, text=question)
    with profile_scope(who.profile_id):
        scope = Scope(who.profile_id, space.id)
        return recall.for_chat(profile=profile, scope=scope, question=asked, now=now).block


def test_what_has_expired_is_gone_by_itself(anna):
    facts.author(profile_id=anna.profile_id, fields={"key": "parking.place", "value": "level ATL-4471"})
    worker.drain()
    assert len(found(anna, "Where is ATL-4471?")) == 1
    with profile_scope(anna.profile_id):
        Fact.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))  # nobody came by to close it
    assert found(anna, "Where is ATL-4471?") == []
    assert block(anna, "Where is ATL-4471?", now=datetime.now(UTC)) == ""


def test_a_spaces_own_value_hides_the_general_one_in_recall_too(anna):
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    know(anna, **{"preference.language": "Finnish"})
    own = {"key": "preference.language", "value": "English", "space": "work"}
    facts.author(profile_id=anna.profile_id, fields=own)
    worker.drain()
    for query in (ASKED, "Finnish or English?"):
        assert ["English" in one.text for one in found(anna, query, space="work", kinds=["facts"])] == [True]
        assert ["Finnish" in one.text for one in found(anna, query, kinds=["facts"])] == [True]


def test_as_if_asked_then_nothing_of_later_is_known(anna, semantic):
    discussed(anna, HEAT, days=10)
    know(anna, **{"heating.kind": "heat pump"})
    with profile_scope(anna.profile_id):
        Fact.objects.update(first_seen_at=datetime.now(UTC) - timedelta(days=10))
    query = "What about the heat pump?"
    before = found(anna, query, at=datetime.now(UTC) - timedelta(days=11))
    after = found(anna, query, at=datetime.now(UTC) - timedelta(days=9))
    assert before == []
    assert {one.kind for one in after} == {"fact", "episode"}  # the pieces of chat are of today
    (episode,) = [one for one in after if one.kind == "episode"]
    (today,) = [one for one in found(anna, query) if one.kind == "episode"]
    assert episode.scores["freshness"] == pytest.approx(2.718281828 ** (-1 / 30), abs=0.001)
    assert episode.score > today.score


# In 2026 clocks in Berlin go forward on 29 March at 01:00 UTC, and in New York on 8 March at 07:00 UTC.
@pytest.mark.parametrize(
    ("zone", "said", "now", "words"),
    [
        ("Europe/Berlin", "2026-03-28T22:30:00+00:00", "2026-03-29T22:30:00+00:00", "2 days ago"),
        ("Europe/Berlin", "2026-03-28T23:30:00+00:00", "2026-03-29T21:30:00+00:00", "today"),
        ("Europe/Berlin", "2026-03-27T23:30:00+00:00", "2026-03-28T23:30:00+00:00", "yesterday"),
        ("America/New_York", "2026-03-08T04:30:00+00:00", "2026-03-08T12:00:00+00:00", "yesterday"),
        ("America/New_York", "2026-03-08T05:30:00+00:00", "2026-03-09T03:30:00+00:00", "today"),
        ("Pacific/Kiritimati", "2026-03-28T09:30:00+00:00", "2026-03-28T10:30:00+00:00", "yesterday"),
    ],
)
def test_it_counts_days_where_the_person_lives_when_clocks_change(anna, zone, said, now, words):
    profiles.update(profile_id=anna.profile_id, changes={"timezone": zone})
    episode = discussed(anna, HEAT)
    with profile_scope(anna.profile_id):
        type(episode).objects.update(said_at=datetime.fromisoformat(said))
    told = block(anna, "What were we doing about the heat pump install?", now=datetime.fromisoformat(now))
    (line,) = [line for line in told.splitlines() if "heat pump" in line]
    assert line.strip().startswith(f"- {words}: ")


def test_every_result_says_why_and_with_which_scores(anna, semantic):
    discussed(anna, HEAT)
    know(anna, **{"heating.kind": "heat pump"})
    results = found(anna, "What about the heat pump?")
    assert {one.kind for one in results} == {"fact", "episode", "passage"}
    for one in results:
        assert one.why
        assert one.scores
        assert all(isinstance(value, int | float) and value == value for value in one.scores.values())
        assert one.score == one.score
    assert [one.score for one in results] == sorted((one.score for one in results), reverse=True)


def test_what_was_deleted_takes_no_place_of_what_holds(anna):
    for n in range(5):
        discussed(anna, f"We talked about the heat pump and contract ATL-{4471 + n}.", days=1 + n)
    for n in range(3):
        made = facts.author(profile_id=anna.profile_id, fields={"value": f"contract ATL-{4471 + n}"})
        facts.delete(profile_id=anna.profile_id, fact_id=made.id)
    told = block(anna, "What about the heat pump?", now=datetime.now(UTC))
    assert [n for n in range(5) if f"ATL-{4471 + n}" in told] == [3, 4]
