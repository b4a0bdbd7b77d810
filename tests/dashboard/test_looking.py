"""/dashboard/facts, narrowed, sorted and grouped."""

import re
from datetime import timedelta

import pytest
from django.db.models import F

from memory import facts, spaces
from memory.db import profile_scope
from memory.models import Fact


def order(page, *words):
    at = [page.text.index(word) for word in words]
    return at == sorted(at)


def change(visitor, value, **columns):
    with profile_scope(visitor.who.profile_id):
        Fact.objects.filter(value=value).update(**columns)


@pytest.fixture
def some(anna):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "Office"})
    anna.knows("dog.name", "Beans", category="person")
    anna.knows("dog.breed", "beagle")
    anna.knows("project.deadline", "in May", space="work", category="project")
    anna.knows(None, "Cycles to the office", category="workflow")
    change(anna, "Beans", confidence=0.9, source_kind="extracted")
    change(anna, "beagle", confidence=0.5)
    change(anna, "in May", confidence=0.8, last_confirmed_at=F("last_confirmed_at") - timedelta(days=60))
    return anna


@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ("q=BEA", ["Beans", "beagle"], ["in May", "Cycles"]),
        ("q=dog.", ["Beans", "beagle"], ["in May", "Cycles"]),
        ("q=%25", [], ["Beans", "Cycles"]),
        ("category=project", ["in May"], ["Beans", "Cycles"]),
        ("space=work", ["in May"], ["Beans", "Cycles"]),
        ("space=*", ["Beans", "Cycles"], ["in May"]),
        ("source=extracted", ["Beans"], ["beagle", "in May"]),
        ("status=pending", [], ["Beans"]),
        ("status=nonsense&category=nonsense&source=x&sort=x&group=x&entity=x", ["Beans", "in May", "Cycles"], []),
        ("q=dog&category=person&source=extracted", ["Beans"], ["beagle"]),
    ],
)
def test_it_narrows(some, query, there, not_there):
    text = some.page(f"/dashboard/facts?{query}").text
    assert [word for word in there if word not in text] == []
    assert [word for word in not_there if word in text] == []


def test_it_says_where_nothing_fits(some):
    assert "Nothing fits" in some.page("/dashboard/facts?q=zebra").text
    assert "There is none" in some.page("/dashboard/facts?status=rejected").text


def test_it_sorts(some):
    # By score: 1.0, 0.9, 0.5, 0.8 / e.
    assert order(some.page("/dashboard/facts"), "Cycles", "Beans", "beagle", "in May")
    assert order(some.page("/dashboard/facts?sort=confidence"), "Cycles", "Beans", "in May", "beagle")
    assert order(some.page("/dashboard/facts?sort=confirmed"), "Cycles", "beagle", "Beans", "in May")
    assert order(some.page("/dashboard/facts?sort=key"), "beagle", "Beans", "in May", "Cycles")


def test_it_shows_what_the_score_is_made_of(some):
    text = " ".join(some.page("/dashboard/facts?space=work").text.split())
    # exp(-60 / 60) x 0.8 x 1
    assert "0.29" in text
    assert "Freshness0.37 60 days since it was confirmed, fading over 60 × Confidence0.80" in text
    assert "Edit weight1.00 0 edits" in text


def test_it_groups_by_key_with_the_best_group_first(some):
    headings = re.findall(r"<h2><bdi>(.*?)</bdi>", some.get("/dashboard/facts?group=key").content.decode())
    assert headings == ["Without a key", "Dog", "Project"]
    assert order(some.page("/dashboard/facts?group=key"), "Cycles", "Beans", "beagle", "in May")


def test_it_groups_by_whom_it_is_about(some):
    page = some.page("/dashboard/facts?group=entity")
    assert order(page, "Yourself", "Cycles")
    with profile_scope(some.who.profile_id):
        dog = Fact.objects.get(value="Beans").entity_id
    assert dog is not None
    assert f"/dashboard/entities/{dog}" in page.links()
    about = some.page(f"/dashboard/facts?entity={dog}").text
    assert "beagle" in about
    assert "Cycles" not in about


def test_a_group_that_goes_on_has_its_heading_on_the_next_page_too(anna, monkeypatch):
    monkeypatch.setattr("dashboard.views.facts.PAGE_SIZE", 2)
    for number in range(3):
        anna.knows(f"tea.kind{number}", f"tea {number}")
    for path in ("/dashboard/facts?group=key", "/dashboard/facts?group=key&page=2"):
        assert b"<h2><bdi>Tea</bdi></h2>" in anna.get(path).content


def test_it_keeps_what_was_chosen_on_the_next_page(anna, monkeypatch):
    monkeypatch.setattr("dashboard.views.facts.PAGE_SIZE", 2)
    for number in range(5):
        anna.knows(None, f"tea & cake {number}")
    (after,) = [link for link in anna.page("/dashboard/facts?q=tea+%26&sort=key").links() if "page=2" in link]
    assert "q=tea+%26" in after
    assert "sort=key" in after
    assert "Page 2 of 3" in anna.page("/dashboard/facts" + after).text


def test_it_shows_what_held_before(some):
    fact = some.knows("city", "Oslo")
    facts.edit(profile_id=some.who.profile_id, fact_id=fact.id, changes={"value": "Tartu"})
    page = some.page("/dashboard/facts?status=past")
    assert "Oslo" in page.text
    assert "Tartu" not in page.text
    assert "1 fact" in page.text


def test_it_says_so_where_memory_is_off(anna):
    from memory import profiles

    profiles.update(profile_id=anna.who.profile_id, changes={"memory_enabled": False})
    assert "Memory is off" in anna.page("/dashboard/facts").text


def test_it_shows_times_in_the_persons_zone_with_the_exact_one_at_hand(anna):
    from memory import profiles

    profiles.update(profile_id=anna.who.profile_id, changes={"timezone": "Asia/Tokyo"})
    anna.knows("city", "Oslo")
    change(anna, "Oslo", last_confirmed_at="2026-01-31T20:00:00Z")
    times = [attrs for tag, attrs in anna.page("/dashboard/facts").elements if tag == "time"]
    assert {"datetime": "2026-02-01T05:00:00+09:00", "title": "2026-02-01 05:00:00 +0900 (Asia/Tokyo)"} in times
