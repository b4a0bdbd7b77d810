"""/dashboard/chat without a script, and what memory gave a chat."""

import json

import pytest

from memory import facts
from memory.db import profile_scope
from memory.models import AuditLog, EpisodeSummary, Fact
from tests.browser.life import discussions
from tests.dashboard.conftest import Page, Visitor
from tests.dashboard.test_facts import HOSTILE
from tests.people import person

PATH = "/dashboard/chat"


@pytest.fixture
def anna(database):
    return Visitor(person("anna"))


@pytest.fixture
def bert(database):
    return Visitor(person("bert"))


def plain(response):
    return " ".join(Page(response.content).text.split())


def say(visitor, message, before=None, **more):
    """Fills the form of the page in and sends it."""
    page = Page((before or visitor.get(PATH)).content)
    fields = {attrs["name"]: attrs.get("value") or "" for tag, attrs in page.elements if attrs.get("type") == "hidden"}
    return visitor.post(PATH, {**fields, "message": message, **more})


def chats(visitor):
    with profile_scope(visitor.who.profile_id):
        return list(AuditLog.objects.filter(event_type="chat.completed").order_by("id"))


def test_a_conversation_goes_on_over_the_form(anna):
    one = say(anna, "I have a dog called Beans.")
    assert one.status_code == 200
    two = say(anna, "I live in Tartu.", one)
    assert "I have a dog called Beans." in plain(two)
    rows = chats(anna)
    assert len({row.conversation_id for row in rows}) == 1
    assert [[m["text"] for m in row.payload["messages"]] for row in rows] == [
        ["I have a dog called Beans."],
        ["I live in Tartu."],
    ]


def test_it_shows_what_memory_gave_and_why(anna):
    anna.knows("dog.name", "Beans")
    anna.knows("address.city", "Tartu")
    discussions(anna.who)
    text = plain(say(anna, "Does Beans like the heat pump?"))
    order = [text.index(words) for words in ("asked for", "past conversation", "Every chat is given")]
    assert order == sorted(order)
    assert "Words of the question in it 1.00" in text
    row = chats(anna)[-1]
    assert plain(anna.get(f"/dashboard/audit/{row.id}")).count("asked for") == 1
    alone = plain(anna.get(f"/dashboard/chat/given/{row.id}"))
    assert "Your dog's name is Beans." in alone
    assert "What it taught" in alone


def test_what_was_deleted_since_is_counted_and_not_shown(anna):
    fact = anna.knows("dog.name", "Beans")
    discussions(anna.who)
    say(anna, "Does Beans like the heat pump?")
    row = chats(anna)[-1]
    facts.delete(profile_id=anna.who.profile_id, fact_id=fact.id)
    with profile_scope(anna.who.profile_id):
        EpisodeSummary.objects.all().delete()
    text = plain(anna.get(f"/dashboard/chat/given/{row.id}"))
    assert "2 things that it was given are deleted by now." in text
    assert "Beans" not in text


def test_nobody_else_sees_what_memory_gave(anna, bert):
    anna.knows("dog.name", "Beans")
    say(anna, "Where is Beans?")
    row = chats(anna)[-1]
    assert bert.get(f"/dashboard/chat/given/{row.id}").status_code == 404
    for odd in ("0", "x", "-1", "9" * 30, "%00"):
        assert anna.get(f"/dashboard/chat/given/{odd}").status_code == 404
    with profile_scope(anna.who.profile_id):
        other = AuditLog.objects.filter(event_type="memory.fact.added").first()
    assert anna.get(f"/dashboard/chat/given/{other.id}").status_code == 404


def test_off_the_record_nothing_is_recalled_or_kept(anna):
    anna.knows("dog.name", "Beans")
    shown = say(anna, "My zebra is sick.", off="on")
    assert "Off the record: memory gave nothing" in plain(shown)
    (row,) = chats(anna)
    assert row.payload["off_record"]
    assert "zebra" not in json.dumps(row.payload)
    say(anna, "I live in Tartu.", shown)
    assert "zebra" not in json.dumps(chats(anna)[-1].payload)


def test_it_talks_in_a_space(anna):
    from memory import spaces

    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "Office"})
    say(anna, "The project is called Otter.", space="work")
    assert chats(anna)[0].payload["space"] == "work"
    gone = say(anna, "And?", space="attic")
    assert gone.status_code == 404
    assert "And?" in gone.content.decode()
    assert len(chats(anna)) == 1


@pytest.mark.parametrize(
    "history",
    [
        "{",
        "5",
        '"x"',
        "[5]",
        "[" * 9_000,
        '[{"role": "system", "content": "x"}]',
        '[{"role": "user"}]',
        '[{"role": "user", "content": "x", "audit": "../x"}]',
        '[{"role": "user", "content": "x", "audit": 7}]',
        '[{"role": "assistant", "content": "x", "audit": ""}]',
    ],
)
def test_what_no_page_of_ours_sends_is_refused(anna, history):
    refused = anna.post(PATH, {"message": "Hello", "history": history})
    assert refused.status_code == 400
    assert "could not be read" in plain(refused)
    assert chats(anna) == []


@pytest.mark.parametrize("typed", [{}, {"message": " \n "}, {"message": "x", "conversation": "a\nb"}])
def test_nothing_typed_and_nonsense_are_told(anna, typed):
    refused = anna.post(PATH, typed)
    assert refused.status_code == 400
    assert 'role="alert">' in refused.content.decode()
    assert chats(anna) == []


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 16_384, "a\0b"], ids=range(len(HOSTILE) + 2))
def test_no_element_or_attribute_comes_from_what_is_said(anna, text):
    anna.knows("note.one", "harmless")
    harmless = Page(say(anna, "harmless note").content)
    with profile_scope(anna.who.profile_id):
        Fact.objects.update(value=text.replace("\0", ""), last_used_at=None)
    shown = Page(say(anna, "harmless note " + text).content)
    assert shown.shape <= harmless.shape | {("summary", frozenset()), ("dl", frozenset())}
