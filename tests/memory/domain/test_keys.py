import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.keys import ALIASES, MAX_LENGTH, MAX_SEGMENTS, canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("project:atlas/launch-date", "project.atlas.launch_date"),
        ("Project: Atlas / Launch date", "project.atlas.launch_date"),
        ("project.atlas.launchDate", "project.atlas.launch_date"),
        ("dog_name", "dog.name"),
        ("pet.dog.name", "dog.name"),
        ("user.dog_name", "dog.name"),
        ("my_dog_name", "dog.name"),
        ("DogName", "dog.name"),
        ("home_city", "address.city"),
        ("location.city", "address.city"),
        ("profile:user/job-title", "work.role"),
        ("Employer", "work.employer"),
        ("wife.name", "spouse.name"),
        ("languages", "language"),
        ("preference:coffee", "preference.coffee"),
        ("Favorite color", "favourite.colour"),
        ("favourite_ice_cream", "fav.ice_cream"),
        ("Address City", "address.city"),
        ("work.start.date", "work.start_date"),
        ("address.c\u00edty", "address.city"),
        ("\u0430ddress.\u0441ity", "address.city"),  # Cyrillic a and es
        ("d\u03bfg.name", "dog.name"),  # Greek omicron
        ("add\u200bress.city", "address.city"),
    ],
)
def test_two_spellings_of_a_key_meet(one, other):
    assert canonical(one) == canonical(other) is not None


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("nick<img src=x onerror=alert(1)>", "nickname"),
        ("nick<script", "nickname"),
        ("mökki", "mökki"),
        ("любимый_цвет", "любимый_цвет"),
        ("趣味", "趣味"),
        ("a.b.c.d.e.f.g", "a.b.c.d.e_f_g"),
        ("\u0446\u0432\u0435\u0442.\u0430\u0432\u0442\u043e", "\u0446\u0432\u0435\u0442.\u0430\u0432\u0442\u043e"),
        ("..a..b..", "a.b"),
        ("shoe size", "shoe_size"),
        ("person:sarah-chen/role", "person.sarah_chen.role"),
        ("ＤＯＧ．name", "dog.name"),
        ("user.123", "user.123"),
        ("ticket_atl_4471", "ticket_atl_4471"),
    ],
)
def test_it_brings_a_key_to_its_form(key, expected):
    assert canonical(key) == expected


@pytest.mark.parametrize("key", ["", "   ", "...", "<b></b>", "123", "🐶", "\x00", "$$$"])
def test_where_nothing_sensible_is_left_there_is_no_key(key):
    assert canonical(key) is None


def test_the_operators_aliases_win():
    aliases = {"Fido": "dog.name", "dog_name": "hound", "pet.kind": "pet"}
    assert canonical("fido", aliases) == "dog.name"
    assert canonical("dog-name", aliases) == "hound"
    assert canonical("Pet/Kind", aliases) == "pet"
    assert canonical("cat_name", aliases) == "cat.name"


def test_the_operators_aliases_move_a_usual_key():
    assert canonical("job", {"work.role": "beruf"}) == "beruf"


def test_every_alias_leads_to_a_key_that_stays():
    assert {key: canonical(key) for key in ALIASES.values()} == {key: key for key in ALIASES.values()}
    assert not [spelling for spelling in ALIASES if canonical(spelling) != ALIASES[spelling]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("project.atlas.milestone.beta.date.start", "project.atlas.milestone.beta.date.end"),
        ("thing_" + "x" * 200 + "a", "thing_" + "x" * 200 + "b"),
        ("a." * 90 + "first", "a." * 90 + "last"),
    ],
)
def test_two_keys_stay_two_however_long_they_are(one, other):
    first, second = canonical(one), canonical(other)
    assert first != second
    assert max(len(first or ""), len(second or "")) <= MAX_LENGTH


@given(st.text(max_size=300))
def test_the_form_is_stable_and_bounded(key):
    first = canonical(key)
    if first is not None:
        assert canonical(first) == first
        assert len(first) <= MAX_LENGTH
        assert first.count(".") < MAX_SEGMENTS
        assert not set(first) & set("<>&\"'/\\ \n\x00{}$")
