"""Aliases of keys: facts go over by the rules of superseding, and what was answered stays answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import facts, key_selectors, keys
from memory.db import profile_scope
from memory.domain.keys import alike, canonical
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Fact, FactSource
from tests.memory.test_cursor import tell
from tests.memory.test_extract import again, held, reply
from tests.people import Person, person
from tests.scripted_model import ScriptedModel
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")

LAUNCH, LAUNCH_DATE = "project.atlas.launch", "project.atlas.launch_date"


@pytest.fixture
def anna() -> Person:
    return person("anna")


def write(who: Person, key: str | None, value: str, **more: Any) -> Fact:
    return facts.author(profile_id=who.profile_id, fields={"key": key, "value": value, **more})


def learn(who: Person, model: ScriptedModel, key: str, value: str, **more: Any) -> None:
    model.reset()
    model.extraction(reply({"key": key, "value": value, **more}))
    tell(who, f"I tell you: {value}.")
    tasks.drain()


def merge(who: Person, alias: str = LAUNCH, key: str = LAUNCH_DATE) -> keys.Added:
    return keys.add_alias(profile_id=who.profile_id, fields={"alias": alias, "key": key})


def used(who: Person) -> dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]]:
    with profile_scope(who.profile_id):
        found = key_selectors.in_use(profile_id=who.profile_id)
    return {each.key: (each.facts, each.values, each.aliases) for each in found}


def proposed(who: Person) -> list[tuple[str, str]]:
    with profile_scope(who.profile_id):
        found = key_selectors.merges(profile_id=who.profile_id)
    return [(each.alias.key, each.key.key) for each in found]


def told_of(who: Person) -> list[dict[str, Any]]:
    with profile_scope(who.profile_id):
        rows = AuditLog.objects.filter(payload__has_key="was_key").order_by("id")
        return [{"event": row.event_type, **row.payload} for row in rows]


def test_it_reads_a_spelling_as_the_key_from_now_on(anna, model):
    merge(anna)
    learn(anna, model, "project:atlas/Launch", "May 2027")
    write(anna, "Project.Atlas.launch", "June 2027")
    assert held(anna) == [(LAUNCH_DATE, "June 2027")]
    assert held(anna, "superseded") == [(LAUNCH_DATE, "May 2027")]


def test_it_knows_an_alias_that_came_while_the_model_was_answering(anna, model, monkeypatch):
    from memory import ask_model

    asked = ask_model.ask

    def slowly(*args: Any) -> Any:
        answer = asked(*args)
        merge(anna)
        return answer

    monkeypatch.setattr(ask_model, "ask", slowly)
    learn(anna, model, LAUNCH, "May 2027")
    assert held(anna) == [(LAUNCH_DATE, "May 2027")]


def test_the_last_word_stays_where_both_keys_hold_one(anna, model):
    learn(anna, model, LAUNCH_DATE, "May 2027")
    learn(anna, model, LAUNCH, "June 2027")
    assert len(held(anna)) == 2
    assert merge(anna).moved == 1
    assert held(anna) == [(LAUNCH_DATE, "June 2027")]
    assert held(anna, "superseded") == [(LAUNCH_DATE, "May 2027")]
    with profile_scope(anna.profile_id):
        old, new = Fact.objects.order_by("said_at")
        assert (old.superseded_by_id, old.valid_to) == (new.id, new.said_at)


def test_the_other_way_round_too(anna, model):
    learn(anna, model, LAUNCH, "May 2027")
    learn(anna, model, LAUNCH_DATE, "June 2027")
    merge(anna)
    assert held(anna) == [(LAUNCH_DATE, "June 2027")]
    assert held(anna, "superseded") == [(LAUNCH_DATE, "May 2027")]


def test_what_says_the_same_becomes_one_fact_with_all_its_evidence(anna, model):
    learn(anna, model, LAUNCH_DATE, "May 2027")
    learn(anna, model, LAUNCH, "May 2027")
    merge(anna)
    assert held(anna) == [(LAUNCH_DATE, "May 2027")]
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get(state="current")
        assert FactSource.objects.filter(fact=fact).count() == fact.evidence_count == 2
        assert fact.confidence > 0.9


def test_a_persons_own_word_stands_and_a_later_claim_waits(anna, model):
    write(anna, LAUNCH_DATE, "May 2027")
    learn(anna, model, LAUNCH, "June 2027")
    merge(anna)
    assert held(anna) == [(LAUNCH_DATE, "May 2027")]
    assert held(anna, "pending") == [(LAUNCH_DATE, "June 2027")]
    with profile_scope(anna.profile_id):
        assert Fact.objects.get(state="pending").reasons == ["against_pinned"]


def test_a_spaces_value_never_retires_the_profiles(anna):
    from memory import spaces

    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    write(anna, LAUNCH_DATE, "May 2027")
    write(anna, LAUNCH, "June 2027", space="work")
    merge(anna)
    assert held(anna) == [(LAUNCH_DATE, "June 2027"), (LAUNCH_DATE, "May 2027")]


def test_all_values_of_a_key_with_many_stay(anna):
    write(anna, "hobby", "chess")
    write(anna, "pastime.evening", "reading")
    write(anna, "pastime.evening2", "Chess")
    merge(anna, "pastime.evening", "hobby")
    merge(anna, "pastime.evening2", "hobby")
    assert held(anna) == [("hobby", "Chess"), ("hobby", "reading")]
    write(anna, "pastime.evening", "go")
    assert len(held(anna)) == 3


def test_history_moves_too_and_loses_nothing(anna):
    for value in ("March", "April", "May"):
        write(anna, LAUNCH, value)
    merge(anna)
    with profile_scope(anna.profile_id):
        from memory import selectors

        fact = Fact.objects.get(state="current")
        past = [row.value for row in selectors.history(profile_id=anna.profile_id, fact=fact)]
    assert past == ["May", "April", "March"]


def test_each_fact_that_moved_has_its_row_in_the_log_without_its_text(anna, model):
    learn(anna, model, LAUNCH_DATE, "May 2027")
    learn(anna, model, LAUNCH, "June 2027")
    merge(anna)
    rows = told_of(anna)
    assert [(row["event"], row["was_key"], row["key"]) for row in rows] == [
        ("memory.fact.updated", LAUNCH_DATE, LAUNCH_DATE),
        ("memory.fact.updated", LAUNCH, LAUNCH_DATE),
    ]
    assert rows[0]["superseded_by"] == rows[1]["fact_id"]
    assert "2027" not in str(rows)


def test_the_facts_hang_on_what_the_new_key_is_about(anna):
    from tests.memory.test_entities import names

    write(anna, "launch.atlas", "May 2027")
    assert names(anna) == []
    merge(anna, "launch.atlas", LAUNCH_DATE)
    assert names(anna) == [("project", "Atlas")]


def test_a_value_deleted_under_one_spelling_stays_deleted_under_the_other(anna, model):
    learn(anna, model, LAUNCH, "May 2027")
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get()
    facts.delete(profile_id=anna.profile_id, fact_id=fact.id)
    facts.purge(profile_id=anna.profile_id, before=datetime.now(UTC) + timedelta(days=1), most=10)
    merge(anna)
    again()
    tasks.drain()
    assert held(anna) == held(anna, "pending") == []
    learn(anna, model, LAUNCH_DATE, "May 2027")
    assert held(anna) == []
    assert held(anna, "pending") == [(LAUNCH_DATE, "May 2027")]
    keys.remove_alias(profile_id=anna.profile_id, alias=LAUNCH)
    write(anna, LAUNCH_DATE, "May 2027")
    learn(anna, model, LAUNCH_DATE, "May 2027")
    assert held(anna) == [(LAUNCH_DATE, "May 2027")]


def test_a_rejected_claim_is_not_raised_again_under_another_spelling(anna, model):
    learn(anna, model, LAUNCH, "May 2027", stance="joking")
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get(state="pending")
    facts.reject(profile_id=anna.profile_id, fact_id=fact.id)
    merge(anna)
    learn(anna, model, LAUNCH_DATE, "May 2027")
    assert held(anna) == held(anna, "pending") == []


def test_aliases_of_aliases_lead_to_the_key(anna):
    write(anna, "a.first", "x")
    merge(anna, "a.first", "b.second")
    merge(anna, "b.second", "c.third")
    assert used(anna) == {"c.third": (1, ("x",), ("a.first", "b.second"))}
    assert merge(anna, "d.fourth", "a.first").key == "c.third"


@pytest.mark.parametrize(
    ("alias", "key", "error"),
    [
        ("a.first", "a.first", Conflict),
        ("A/First", "a.first", Conflict),
        ("b.second", "a.first", Conflict),
        ("a.first", "c.third", Conflict),
        ("", "a.first", InvalidInput),
        ("a.first", "", InvalidInput),
        ("...", "a.first", InvalidInput),
        (None, "a.first", InvalidInput),
        ("a.first", 5, InvalidInput),
        ("\u0000", "a", InvalidInput),
    ],
)
def test_it_refuses_what_makes_no_sense_or_goes_round(anna, alias, key, error):
    merge(anna, "a.first", "b.second")
    with pytest.raises(error):
        keys.add_alias(profile_id=anna.profile_id, fields={"alias": alias, "key": key})


def test_adding_it_twice_changes_nothing(anna):
    write(anna, LAUNCH, "May 2027")
    assert merge(anna).moved == 1
    assert merge(anna).moved == 0
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.filter(event_type="settings.changed", payload__subject="key_alias").count() == 1


def test_an_alias_taken_back_is_a_key_of_its_own_again(anna):
    write(anna, LAUNCH, "May 2027")
    merge(anna)
    keys.remove_alias(profile_id=anna.profile_id, alias="project/atlas/launch")
    assert used(anna) == {LAUNCH_DATE: (1, ("May 2027",), ())}
    write(anna, LAUNCH, "from the pad in May")
    assert len(used(anna)) == 2
    assert proposed(anna) == []
    with pytest.raises(NotFound):
        keys.remove_alias(profile_id=anna.profile_id, alias=LAUNCH)


def test_it_proposes_near_keys_until_they_are_answered(anna):
    write(anna, LAUNCH, "May 2027")
    write(anna, LAUNCH_DATE, "June 2027")
    write(anna, "dog.name", "Beans")
    assert proposed(anna) == [(LAUNCH, LAUNCH_DATE)]
    assert len(held(anna)) == 3
    keys.dismiss(profile_id=anna.profile_id, fields={"alias": LAUNCH, "key": LAUNCH_DATE})
    assert proposed(anna) == []
    merge(anna)
    assert len(held(anna)) == 2


def test_it_proposes_no_merge_of_two_projects(anna):
    write(anna, "project.atlas.launch_date", "May 2027")
    write(anna, "project.atlas2.launch_date", "May 2027")
    write(anna, "project.apollo.launch", "May 2027")
    assert proposed(anna) == []


def test_aliases_are_each_persons_own(anna, model):
    bert = person("bert")
    merge(anna)
    write(bert, LAUNCH, "May 2027")
    assert used(bert) == {LAUNCH: (1, ("May 2027",), ())}
    with pytest.raises(NotFound):
        keys.remove_alias(profile_id=bert.profile_id, alias=LAUNCH)


def test_it_shows_the_reader_known_keys_that_the_chat_is_about(anna, model):
    with profile_scope(anna.profile_id):
        now = datetime.now(UTC)
        Fact.objects.bulk_create(
            Fact(
                profile_id=anna.profile_id,
                key=f"note.topic_{n}",
                value=f"green thing {n}",
                value_norm=f"green thing {n}",
                state="current",
                said_at=now,
                first_seen_at=now,
                last_confirmed_at=now,
            )
            for n in range(500)
        )
    write(anna, "dog.name", "Beans")
    write(anna, "dog.vet", "Dr. Lee")
    with profile_scope(anna.profile_id):
        Fact.objects.filter(key__startswith="dog").update(confidence=0.1)
    learn(anna, model, "dog.food", "lamb")
    assert "dog.name = " not in model.extractions[-1].text
    model.reset()
    model.extraction(reply())
    tell(anna, "Beans has a cold and the green thing, too.")
    tasks.drain()
    shown = model.extractions[-1].text
    assert 'dog.name = "Beans"' in shown
    assert 'dog.vet = "Dr. Lee"' in shown
    assert shown.count("note.topic_") <= 48


def test_an_operators_alias_wins_over_the_built_in_one():
    aliases = {"partner": "work.partner"}
    assert canonical("Partner", aliases) == "work.partner"
    assert canonical("wife", aliases) == "spouse.name"
    assert canonical("user.partner", aliases) == canonical("my_partner", aliases) == "work.partner"


def test_what_is_one_by_any_chain_is_one():
    assert alike([("a", "b"), ("c", "d"), ("b", "d")]) == dict.fromkeys("abcd", frozenset("abcd"))
    assert alike([]) == {}
