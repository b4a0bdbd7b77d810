import pytest

from memory.domain.grounding import ground
from memory.domain.types import Grounding, Message, Op, Proposal


def look(value: str, *said: str, key: str | None = "thing", op: Op = Op.SET) -> Grounding:
    return ground(Proposal(value=value, key=key, op=op), [Message("user", text) for text in said])


@pytest.mark.parametrize(
    ("value", "said", "reason"),
    [
        ("nurse", "I'm not a nurse", "negated"),
        ("meat", "I don't eat meat", "negated"),
        ("1987", "1978, not 1987", "negated"),
        ("doctor", "I'm a nurse, not a doctor", "negated"),
        ("Graz", "We never lived in Graz", "negated"),
        ("dog", "Ich habe keinen dog", "negated"),
        ("Graz", "Ich wohne nicht in Graz", "negated"),
        ("Graz", "Je n'habite pas à Graz", "negated"),
        ("東京", "東京に住んでいません", "negated"),
        ("北京", "我不住在北京", "negated"),
        ("서울", "서울에 살지 않아요", "negated"),
        ("Graz", "Graz isn't my home", "negated"),
        ("Graz", "I no longer live in Graz", "past"),
        ("Graz", "I used to live in Graz", "past"),
        ("Acme", "I left Acme for Kestrel", "past"),
        ("Graz", "we moved from Graz to Linz", "past"),
        ("Graz", "Graz is my old address", "past"),
        ("Polo", "I sold my Polo", "past"),
        ("Rex", "Imagine if my dog was called Rex", "imagined"),
        ("Rex", "If I had a dog, it would be Rex", "imagined"),
        ("Orla Venn", "Let's play: you are the ship, I'm Captain Orla Venn", "imagined"),
        ("Graz", "What if I moved to Graz?", "imagined"),
        ("Lisbon", "Is Lisbon nice in May?", "only_asked"),
        ("octopus", "Do people eat octopus?", "only_asked"),
        ("0147", "Please forget my number, it is 0147.", "asked_to_forget"),
        ("0147", "Could you please forget my phone number? It is 0147 and I don't want it kept.", "asked_to_forget"),
        ("Graz", "I live in Graz. Forget that.", "asked_to_forget"),
        ("Graz", "I live in Graz, but don't save that", "asked_to_forget"),
        ("Graz", "off the record: I live in Graz", "asked_to_forget"),
    ],
)
def test_it_hears_how_a_sentence_is_meant(value, said, reason):
    assert look(value, said) == Grounding(False, reason=reason)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nurse", "I'm not a doctor but a nurse"),
        ("coffee", "I can't live without coffee"),
        ("yoga", "I never miss yoga"),
        ("Graz", "Don't forget I live in Graz"),
        ("Rex", "Did I tell you my dog is Rex?"),
        ("Linz", "we moved from Graz to Linz"),
        ("Linz", "Forget Graz, I live in Linz now"),
        ("Graz", "It is not far: I live in Graz"),
        ("Kestrel", "I left Acme for Kestrel"),
        ("Graz", "I don't like it here. I live in Graz."),
        ("Graz", "I don't smoke and live in Graz"),
        ("Graz", "- not a nurse\n- home: Graz"),
        ("keys", "I always forget my keys"),
        ("Graz", "No, I live in Graz"),
    ],
)
def test_a_denial_of_something_else_does_not_matter(value, said):
    assert look(value, said).ok


@pytest.mark.parametrize(
    ("value", "key", "said"),
    [
        ("coriander", "dislike.food", "I eat everything, but no coriander please."),
        ("meetings before nine", "avoid", "no meetings before nine"),
        ("nuts", "allergy", "I can't eat nuts"),
        ("Acme", "work.former_employer", "I no longer work at Acme"),
        ("Acme", "work.former_employer", "I used to work at Acme"),
        ("Graz", "birth_place", "I used to live in Graz, where I was born"),
    ],
)
def test_a_key_may_itself_speak_of_what_is_not(value, key, said):
    assert look(value, said, key=key).ok


@pytest.mark.parametrize(
    ("value", "key", "said"),
    [
        ("vegan", "diet", "My brother is vegan. I eat everything."),
        ("teacher", "work.role", "My wife is a teacher"),
        ("Rex", "dog.name", "My sister's dog is Rex"),
        ("Linz", "address.city", "Meine Schwester wohnt in Linz"),
        ("nuts", "allergy", "our youngest daughter is allergic to nuts"),
    ],
)
def test_what_is_said_of_somebody_else_is_not_the_persons(value, key, said):
    assert look(value, said, key=key) == Grounding(False, reason="about_someone_else")


@pytest.mark.parametrize(
    ("value", "key", "said"),
    [
        ("Anna", "spouse.name", "My wife is called Anna"),
        ("vegan", "brother.diet", "My brother is vegan"),
        ("brother is vegan", None, "My brother is vegan"),
        ("Graz", "address.city", "My wife and I live in Graz"),
        ("Graz", "address.city", "I live with my brother in Graz"),
        ("nuts", "allergy", "My doctor says I'm allergic to nuts"),
        ("Zed", "nickname", "My boss calls me Zed"),
        ("Rex", "dog.name", "My dog Rex hates rain"),
        ("nuts", "allergy.child", "our youngest daughter is allergic to nuts"),
    ],
)
def test_other_people_in_a_sentence_do_not_hinder(value, key, said):
    assert look(value, said, key=key).ok


@pytest.mark.parametrize(
    "then",
    ["We moved to Linz. Graz was nice, too.", "It's Linz now, my parents still live in Graz.", "In Linz I miss Graz."],
)
def test_a_mention_in_passing_is_no_newer_claim(then):
    old, new = (look(city, "I live in Graz.", then, key="address.city") for city in ("Graz", "Linz"))
    assert old.ok
    assert (old.message_index, old.offset) < (new.message_index, new.offset)


def test_who_is_not_allergic_has_no_allergy():
    assert look("nuts", "I'm not allergic to nuts", key="allergy").reason == "negated"


def test_to_imagine_how_it_is_for_another_supposes_nothing():
    assert look("Graz", "I can only imagine Graz in winter").ok


@pytest.mark.parametrize(
    "said", ["Pixel is no longer with us", "I don't have Pixel any more", "Please forget my dog Pixel", "I sold Pixel"]
)
def test_a_retraction_stands_in_the_words_that_deny(said):
    assert look("Pixel", said, key="dog.name", op=Op.RETRACT).ok
