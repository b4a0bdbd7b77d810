"""/dashboard/audit and a row's own page."""

import pytest

from dashboard.telling import told
from memory import chats, facts, overview, profiles, spaces
from memory.db import profile_scope
from memory.models import AuditLog, Event, Fact
from tests.browser.life import lived
from tests.dashboard.test_facts import HOSTILE


def tell(visitor, text, **options):
    turn = chats.begin(profile_id=visitor.who.profile_id, messages=[{"role": "user", "content": text}], **options)
    return chats.finish(turn, chats.Answer(text="Noted: " + text))


def test_it_tells_what_happened_newest_first(anna):
    tell(anna, "I have a dog called Beans.")
    fact = anna.knows("dog.name", "Beans")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    text = anna.page("/dashboard/audit").text
    order = [
        text.index(words) for words in ("You corrected dog.name", "Learned dog.name: Beans", "Chat: “I have a dog")
    ]
    assert order == sorted(order)


def test_it_shows_a_chat_whole_with_what_it_taught(anna):
    audit_id = tell(anna, "I have a dog called Beans.", conversation_id="thread")
    fact = anna.knows("dog.name", "Beans")
    with profile_scope(anna.who.profile_id):
        Fact.objects.filter(id=fact.id).update(source_audit_id=audit_id)
    page = anna.page(f"/dashboard/audit/{audit_id}")
    for words in ("I have a dog called Beans.", "Noted: I have", "thread", "general", "chat.completed", "decision_id"):
        assert words in page.text
    assert f"/dashboard/facts/{fact.id}/history" in page.links()
    assert f"/dashboard/audit/{audit_id}?fact={fact.id}#quote" in anna.page("/dashboard/facts").links()


def test_it_goes_back_in_time(anna):
    for number in range(105):
        anna.knows(None, f"thing {number}") if number < 3 else None
    with profile_scope(anna.who.profile_id):
        rows = [AuditLog(profile_id=anna.who.profile_id, event_type="settings.changed") for _ in range(105)]
        AuditLog.objects.bulk_create(rows)
    first = anna.page("/dashboard/audit")
    (older,) = [link for link in first.links() if link.startswith("?before=")]
    assert "thing 0" in anna.page("/dashboard/audit" + older).text
    for odd in ("x", "-1", "%00", "9" * 30):
        assert anna.get(f"/dashboard/audit?before={odd}").status_code == 200


@pytest.mark.parametrize("audit_id", ["0", "x", "-1", "9" * 18, "9" * 30, "%00", "1e3", "٣"])
def test_it_has_no_row_of_another_name(anna, audit_id):
    assert anna.get(f"/dashboard/audit/{audit_id}").status_code == 404


def test_nobody_else_can_look(anna, bert):
    audit_id = tell(anna, "I earn 61k.")
    theirs, unknown = bert.get(f"/dashboard/audit/{audit_id}"), bert.get("/dashboard/audit/999999")
    assert (theirs.status_code, theirs.content) == (404, unknown.content)
    assert "61k" not in bert.page("/dashboard/audit").text


def test_it_asks_the_database_as_often_for_many_rows_as_for_few(anna, django_assert_max_num_queries):
    for number in range(20):
        tell(anna, f"I like number {number}.", conversation_id=str(number))
    with django_assert_max_num_queries(15):
        anna.page("/dashboard/audit")


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_a_chat(anna, text):
    harmless, hostile = tell(anna, "harmless"), tell(anna, text)
    one, other = anna.page(f"/dashboard/audit/{harmless}"), anna.page(f"/dashboard/audit/{hostile}")
    assert one.shape == other.shape


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize("payload", [{}, [], None, {"key": 5, "value": {}, "old": "x", "new": [1], "messages": 7}])
def test_it_has_a_line_for_every_event_whatever_the_row_holds(event, payload):
    line = told(AuditLog(event_type=event.value, payload=payload))
    assert line
    assert "{" not in line.replace("{}", "")


def test_a_value_with_braces_is_a_value():
    row = AuditLog(event_type="memory.fact.added", payload={"key": "note", "value": "{was} {key}"})
    assert told(row) == "Learned note: {was} {key}"


@pytest.mark.parametrize(
    ("event", "payload", "line"),
    [
        (Event.EPISODE_SUMMARISED, {"summary": {"text": "Planned a trip.", "people": ["Maren"]}},
         "A conversation was summed up: Planned a trip."),
        (Event.SETTINGS_CHANGED, {"subject": "profile", "old": {}, "new": {"memory_enabled": False, "timezone": "UTC"}},
         "Setting changed: learn facts: off, time zone: UTC"),
        (Event.SETTINGS_CHANGED, {"subject": "profile", "new": {"sensitive_policy": {"health": "review"}}},
         "Setting changed: sensitive matters: health review"),
        (Event.SETTINGS_CHANGED, {"subject": "space", "slug": "work", "new": {"slug": "work", "name": "Office"}},
         "Setting changed: space, slug: work, name: Office"),
        (Event.SETTINGS_CHANGED, {"subject": "api_key", "name": "lamp", "did": "created", "id": "x"},
         "Setting changed: key lamp created"),
        (Event.RETENTION_SWEEP, {"rows": {"audit_log": 7, "passages": 0}},
         "What was too old was swept away (audit log 7)"),
        (Event.EXPORTED, {"format": "jsonl", "rows": {"fact": 3}}, "Everything was exported (fact 3)"),
        (Event.IMPORTED, {"name": "old.json", "rows": {}}, "Imported: old.json"),
    ],
)  # fmt: skip
def test_it_reads_as_a_sentence(event, payload, line):
    assert told(AuditLog(event_type=event.value, payload=payload)) == line


def test_every_line_of_a_life_can_be_read_by_a_person(anna):
    lived(anna.who)
    profiles.update(profile_id=anna.who.profile_id, changes={"approval": "review", "summaries_enabled": False})
    profiles.update(profile_id=anna.who.profile_id, changes={"sensitive_policy": {"health": "review"}})
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "Office"})
    anna.knows("project.deadline", "in May", space="work")
    spaces.remove_space(profile_id=anna.who.profile_id, slug="work", facts_to="keep")
    with profile_scope(anna.who.profile_id):
        lines = [told(row) for row in AuditLog.objects.all()]
    odd = [line for line in lines if any(sign in line for sign in "{}[]") or "None" in line or "True" in line]
    assert odd == []


def test_it_tells_what_was_before():
    row = AuditLog(
        event_type="memory.fact.updated", payload={"key": "city", "value": "Oslo", "old": [{"value": "Kobe"}]}
    )
    assert told(row) == "Changed city: Oslo (was Kobe)"


def test_the_log_is_filtered_by_the_person(anna, bert):
    tell(anna, "I like tea.")
    with profile_scope(bert.who.profile_id):
        assert not overview.audit_listed(profile_id=anna.who.profile_id, wanted=overview.AuditFilter()).exists()
