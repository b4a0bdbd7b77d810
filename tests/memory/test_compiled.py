"""A query whose SQL is made once gives what it would have given anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory import key_aliases, selectors, spaces
from memory.db import profile_scope
from memory.models import Fact
from tests.memory.saying import tell
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


def keys(who: Person, space_id: object = None) -> list[tuple[str, str]]:
    with profile_scope(who.profile_id):
        return selectors.known_keys(profile_id=who.profile_id, space_id=space_id, text="nothing of it")


def test_it_gives_each_person_and_space_their_own(settings):
    anna, bert = person("anna"), person("bert")
    work = spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    for who, value in ((anna, "Beans"), (bert, "Rex")):
        tell(who, "dog.name", value)
        tell(who, "colour", "blue")
    with profile_scope(anna.profile_id):
        Fact.objects.filter(key="colour").update(space_id=work.id)
    assert keys(anna) == [("dog.name", "Beans")]
    assert sorted(keys(bert)) == [("colour", "blue"), ("dog.name", "Rex")]
    assert sorted(keys(anna, work.id)) == [("colour", "blue"), ("dog.name", "Beans")]
    assert keys(anna) == [("dog.name", "Beans")]
    with profile_scope(anna.profile_id):
        assert key_aliases.active(anna.profile_id) == {}


def test_it_heeds_settings_that_stand_in_the_query(settings):
    anna = person("anna")
    tell(anna, "old", "sure")
    tell(anna, "new", "vague")
    with profile_scope(anna.profile_id):
        month_ago = datetime.now(UTC) - timedelta(days=30)
        Fact.objects.filter(key="old").update(last_confirmed_at=month_ago, confidence=0.9)
        Fact.objects.filter(key="new").update(confidence=0.6)

    def order(halflife: float) -> list[str]:
        memory = settings.CAESAR.memory
        rules = memory.facts_importance.model_copy(update={"halflife_days": halflife})
        settings.CAESAR = settings.CAESAR.model_copy(
            update={"memory": memory.model_copy(update={"facts_importance": rules})}
        )
        return [key for key, _ in keys(anna)]

    assert order(1_000.0) == ["old", "new"]
    assert order(10.0) == ["new", "old"]
    assert order(1_000.0) == ["old", "new"]
