"""/dashboard/entities and an entity's own page."""

import pytest

from memory import facts
from memory.db import profile_scope
from memory.models import Fact, FactEntity
from tests.dashboard.test_facts import HOSTILE


@pytest.fixture
def dog(anna):
    anna.knows("dog.name", "Beans")
    breed = anna.knows("dog.breed", "beagle")
    facts.edit(profile_id=anna.who.profile_id, fact_id=breed.id, changes={"value": "basset"})
    anna.knows("sister.name", "Maren")
    with profile_scope(anna.who.profile_id):
        return Fact.objects.get(value="Beans").entity_id


def test_it_lists_who_and_what_there_is(anna, dog):
    text = anna.page("/dashboard/entities").text
    for word in ("Beans", "pet", "Maren", "person", "2 facts", "first mentioned"):
        assert word in text
    only = anna.page("/dashboard/entities?kind=pet").text
    assert "Beans" in only
    assert "Maren" not in only
    assert "Maren" in anna.page("/dashboard/entities?q=mar%00").text
    assert "Nothing fits" in anna.page("/dashboard/entities?q=zebra").text
    assert "Maren" in anna.page("/dashboard/entities?kind=nonsense&page=x").text


def test_it_says_what_will_be_there(anna):
    assert "Nobody and nothing yet" in anna.page("/dashboard/entities").text


def test_its_page_has_all_that_is_and_was_known(anna, dog):
    text = anna.page(f"/dashboard/entities/{dog}").text
    assert text.index("Holds now") < text.index("basset") < text.index("Held before") < text.index("beagle")
    for word in ("Beans", "first mentioned", "last mentioned"):
        assert word in text
    assert "Maren" not in text


def test_nobody_else_can_look(anna, bert, dog):
    assert bert.get(f"/dashboard/entities/{dog}").status_code == 404
    assert "Beans" not in bert.page("/dashboard/entities").text


def test_it_asks_the_database_as_often_for_many_as_for_few(anna, django_assert_max_num_queries):
    for number in range(30):
        anna.knows(f"friend.name{number}", f"Friend{chr(65 + number)}")
    with django_assert_max_num_queries(18):
        anna.page("/dashboard/entities")


@pytest.mark.parametrize("value", [*HOSTILE, "w" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_a_name(anna, dog, value):
    paths = ["/dashboard/entities", f"/dashboard/entities/{dog}", "/dashboard/facts?group=entity"]
    before = [anna.page(path).shape for path in paths]
    with profile_scope(anna.who.profile_id):
        FactEntity.objects.exclude(name="").update(name=value)
    assert [anna.page(path).shape for path in paths] == before
