"""/dashboard/context: what a chat with a message would get."""

import pytest

from memory import chats, facts, profiles, spaces
from tests.browser.life import discussed
from tests.dashboard.test_facts import HOSTILE

PATH = "/dashboard/context"


def look(visitor, message, **more):
    from tests.dashboard.conftest import Page

    response = visitor.post(PATH, {"message": message, **more})
    assert response.status_code == 200, response.content
    return Page(response.content)


def plain(page):
    return " ".join(page.text.split())


def test_it_shows_the_very_block_of_a_chat(anna):
    anna.knows("dog.name", "Beans")
    anna.knows("address.city", "Tartu")
    discussed(anna.who, "Beans at the vet.", "Took Beans to the vet; she is well again.")
    message = "How is Beans?"
    turn = chats.begin(profile_id=anna.who.profile_id, messages=[{"role": "user", "content": message}])
    assert "she is well again" in turn.recalled.block
    page = look(anna, message)
    assert turn.recalled.block in page.text
    text = plain(page)
    assert text.index("What is in it 3") < text.index("asked for") < text.index("core")
    for words in ("the question names Beans", "Words of the question in it 1.00", "past conversation", "3 days ago"):
        assert words in text
    assert "What is not, and why" not in text


def test_it_says_what_fell_out_and_why(anna, settings):
    for number in range(4):
        anna.knows(f"thing.n{number}", f"thing number {number}")
    memory = settings.CAESAR.memory
    inject = memory.facts_inject.model_copy(update={"max_facts": 3, "max_chars": 260})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory.model_copy(update={"facts_inject": inject})})
    text = plain(look(anna, ""))
    assert text.index("What is not, and why") < text.index("At most 3 facts in 260 characters.")
    assert "longer than what was left of the budget" in text
    assert "as many as there may be are given, and rank higher" in text


def test_it_asks_in_a_space(anna):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "Office"})
    anna.knows("project.name", "Otter", space="work")
    assert "Otter" not in look(anna, "project").text
    page = look(anna, "project", space="work")
    assert "Otter" in page.text
    assert ("option", {"value": "work", "selected": None}) in page.elements
    gone = anna.post(PATH, {"message": "x", "space": "attic"})
    assert (gone.status_code, b"no longer there" in gone.content) == (404, True)


def test_it_says_where_memory_is_off_or_has_nothing(anna):
    assert "A chat would get nothing." in look(anna, "x").text
    profiles.update(profile_id=anna.who.profile_id, changes={"memory_enabled": False, "summaries_enabled": False})
    assert "Memory is off here" in look(anna, "x").text


def test_looking_keeps_nothing(anna, bert):
    anna.knows("dog.name", "Beans")
    look(anna, "Beans?")
    assert "Chat" not in [row.get("href") for _tag, row in anna.page("/dashboard/audit").elements]
    assert "Beans?" not in anna.page("/dashboard/audit").text
    assert "Beans" not in look(bert, "dog").text
    assert anna.get(PATH).status_code == 200


def test_a_message_of_any_size_is_answered(anna):
    for message in ("\0", "x" * 65_537, "日本" * 9_000, "  "):
        assert anna.post(PATH, {"message": message}).status_code in (200, 400)
    assert anna.post(PATH, {}).status_code == 200
    assert anna.post(PATH, {"message": "x", "space": "\0"}).status_code == 200


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_what_is_known_or_typed(anna, text):
    fact = anna.knows("note.one", "harmless")
    before = look(anna, "harmless note").shape
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": text[:1000]})
    assert look(anna, "note " + text).shape <= before | look(anna, "note").shape
