"""Which keys look like one, which never do, and which of the two is kept."""

from __future__ import annotations

import random
import uuid

import pytest

from memory.domain.near_keys import MOST_MERGES, KeyInUse, Meant, Why, distance, near


def used(key: str, *values: str, facts: int = 1, entity: uuid.UUID | None = None) -> KeyInUse:
    return KeyInUse(key, facts, frozenset(values), frozenset({entity} if entity else ()))


def merges(*keys: str) -> list[tuple[str, str, str]]:
    return [(merge.alias, merge.key, merge.why.value) for merge in near([used(key) for key in keys])]


@pytest.mark.parametrize(
    ("alias", "key", "why"),
    [
        ("project.atlas.launch", "project.atlas.launch_date", Why.PART),
        ("atlas.launch_date", "project.atlas.launch_date", Why.PART),
        ("work.current_role", "work.role", Why.PART),
        ("work.manager", "work.manager.name", Why.PART),
        ("atlas.project.launch_date", "project.atlas.launch_date", Why.ORDER),
        ("project.atlas.launch.date", "project.atlas.launch_date", Why.ORDER),
        ("project.atlas.date_of_launch", "project.atlas.launch_date", Why.ORDER),
        ("allergies", "allergy", Why.NUMBER),
        ("preference.morning_drinks", "preference.morning_drink", Why.NUMBER),
        ("adress.city", "address.city", Why.SPELLING),
        ("preference.comunication", "preference.communication", Why.SPELLING),
        ("preference.comnuication", "preference.communication", Why.SPELLING),
    ],
)
def test_it_proposes_what_looks_like_one_key(alias, key, why):
    assert merges(alias, key) == [(alias, key, why.value)]
    assert merges(key, alias) == [(alias, key, why.value)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog.name", "cat.name"),
        ("brother.name", "mother.name"),
        ("horse.name", "house.name"),
        ("sister.age", "sister.name"),
        ("work.start_date", "work.end_date"),
        ("schedule.tuesday", "schedule.thursday"),
        ("schedule.monday", "schedule.sunday"),
        ("project.q1_2026", "project.q1_2025"),
        ("thing.n10", "thing.n11"),
        ("device.phone_1", "device.phone_2"),
        ("project.atlas.launch_date", "project.atlas.launch_time"),
        ("project.atlas.deadline", "project.apollo.deadline"),
        ("goal", "goal.fitness"),
        ("work.role", "work.role_start"),
        ("preference.coffee", "preference.toffee"),
        ("家.色", "家.色彩"),
        ("dog.name", "dog.name"),
    ],
)
def test_it_leaves_alone_what_are_two_keys(one, other):
    assert merges(one, other) == []


def test_it_proposes_a_word_more_where_the_value_is_the_same():
    one, other = used("work.role", "nurse", facts=3), used("work.job_role", "nurse")
    assert [(m.alias, m.key, m.why) for m in near([one, other])] == [("work.job_role", "work.role", Why.VALUE)]
    assert near([one, used("work.job_role", "baker")]) == []
    assert near([used("shoe.size", "42"), used("shoe.sole_size", "42")]) == []


def test_it_never_proposes_keys_about_two_different_things():
    atlas, apollo = uuid.uuid4(), uuid.uuid4()
    keys = used("project.atlas.launch", entity=atlas), used("project.atlas.launch_date", entity=apollo)
    assert near(keys) == []
    keys = used("project.atlas.launch", entity=atlas), used("project.atlas.launch_date", entity=atlas)
    assert len(near(keys)) == 1


def test_it_asks_nothing_twice():
    keys = [used("project.atlas.launch"), used("project.atlas.launch_date")]
    assert near(keys, [("project.atlas.launch", "project.atlas.launch_date")]) == []
    assert near(keys, [("project.atlas.launch_date", "project.atlas.launch")]) == []


def test_it_keeps_the_key_with_more_facts_where_neither_says_more():
    one, other = used("hobby.photografy", facts=9), used("hobby.photography")
    assert [(m.alias, m.key) for m in near([one, other])] == [("hobby.photography", "hobby.photografy")]


def test_it_stays_quick_with_very_many_keys_that_look_alike():
    letters = random.Random(1)
    keys = [used("preference.aaaaaaaaaa" + "".join(letters.choices("abcdefgh", k=4))) for _ in range(1_000)]
    assert len(near(keys)) <= MOST_MERGES


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [("atlas", "atlas", 0), ("atlas", "altas", 1), ("launch", "lunch", 1), ("", "abc", 3), ("abcd", "dcba", 3)],
)
def test_it_counts_letters_put_in_left_out_changed_and_swapped(one, other, letters):
    assert distance(one, other) == distance(other, one) == letters


@pytest.mark.parametrize(
    ("one", "other", "cosine", "proposed"),
    [
        (used("shoe_size", "43"), used("foot.size", "44"), 0.87, True),
        (used("address.city", "graz"), used("residence_town", "graz"), 0.51, True),
        (used("address.city", "graz"), used("residence_town", "linz"), 0.51, False),
        (used("age", "3"), used("rank", "3"), 0.6, False),  # a figure in common says nothing
        (used("brother.name", "tom"), used("sister.name", "tom"), 0.9, False),
        (used("son.school", "linden school"), used("daughter.school", "linden school"), 0.78, False),
        (used("son.school", "linden school"), used("school_of_son", "linden school"), 0.78, False),  # told by form
        (used("holiday.summer", "crete"), used("holiday.winter", "crete"), 0.77, False),
        (used("food.liked", "olives"), used("food.disliked", "olives"), 0.76, False),
        (used("food.liked", "olives"), used("dish.favourite", "olives"), 0.76, True),
        (used("partner.name", "lena"), used("ex_partner.name", "lena"), 0.81, False),
        (used("project.deadline", "may 2027"), used("project.start", "may 2027"), 0.77, False),
        (used("project.deadline", "may 2027"), used("project.due_date", "may 2027"), 0.84, True),
        (used("dog.birthday", "3 may"), used("birthday", "3 may"), 0.69, False),  # a word more is told by form
        (
            used("a.owner", "anna", entity=uuid.UUID(int=1)),
            used("b.owner", "anna", entity=uuid.UUID(int=2)),
            0.9,
            False,
        ),
    ],
)
def test_it_proposes_what_means_the_same(one, other, cosine, proposed):
    found = near([one, other], meant=[Meant(one.key, other.key, cosine)])
    assert [merge.why for merge in found if merge.why is Why.MEANING] == ([Why.MEANING] if proposed else [])
    assert near([one, other], [(other.key, one.key)], [Meant(one.key, other.key, cosine)]) == []
