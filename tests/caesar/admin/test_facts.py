"""Facts in the admin: edits and deletes are memory's own, with their audit rows."""

import pytest

from memory import facts
from memory.db import operator_scope, profile_scope
from memory.models import AuditLog, Fact, Tombstone
from tests.dashboard.test_facts import HOSTILE
from tests.memory.saying import tell

LIST = "/admin/memory/fact/"


def change(fact):
    return f"{LIST}{fact.id}/change/"


def events(anna):
    with profile_scope(anna.who.profile_id):
        rows = AuditLog.objects.filter(event_type__startswith="memory.fact").order_by("id")
        return [(row.event_type, row.actor) for row in rows]


def test_it_edits_a_fact_and_writes_it_down(operator, anna):
    fact = anna.knows("dog.name", "Beans")
    typed = operator.form(change(fact)) | {"value": "Bean", "confidence": "0.7"}
    response = operator.post(change(fact), typed)
    assert response.status_code == 200
    assert "Done." in response.content.decode()
    with profile_scope(anna.who.profile_id):
        now = Fact.objects.get(id=fact.id)
        old = Fact.objects.exclude(id=fact.id).get()
        row = AuditLog.objects.get(event_type="memory.fact.user_edited")
    assert (now.value, now.confidence, now.edit_count, now.pinned) == ("Bean", 0.7, 1, True)
    assert (old.value, old.state) == ("Beans", "superseded")
    assert row.payload["new"] == {"value": "Bean", "confidence": 0.7}
    assert events(anna)[-1] == ("memory.fact.user_edited", "operator")


def test_it_writes_nothing_where_nothing_was_changed(operator, anna):
    fact = anna.knows("dog.name", "Beans", expires_at="2031-05-06T07:08:00+00:00")
    operator.post(change(fact), operator.form(change(fact)))
    assert events(anna) == [("memory.fact.added", "person")]


def test_it_notices_that_somebody_edited_it_meanwhile(operator, anna):
    fact = anna.knows("dog.name", "Beans")
    typed = operator.form(change(fact)) | {"value": "B"}
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    response = operator.post(change(fact), typed)
    content = response.content.decode()
    assert "Somebody changed this fact meanwhile" in content
    assert "Done." not in content
    assert "was changed successfully" not in content
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get(id=fact.id).value == "Bean"


@pytest.mark.parametrize("typed", [{"value": ""}, {"value": "x" * 1001}, {"confidence": "2"}, {"category": "x"}])
def test_it_says_what_is_wrong(operator, anna, typed):
    fact = anna.knows("dog.name", "Beans")
    response = operator.post(change(fact), operator.form(change(fact)) | typed)
    assert b"error" in response.content
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().value == "Beans"
        assert Fact.objects.get().version == fact.version


def test_it_moves_a_fact_to_a_space_of_the_same_person_only(operator, anna):
    from memory import spaces
    from tests.people import person

    bert = person("bert")
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work"})
    spaces.create_space(profile_id=bert.profile_id, fields={"slug": "berts"})
    fact = anna.knows("dog.name", "Beans")
    content = operator.get(change(fact)).content.decode()
    assert ">work</option>" in content
    assert ">berts</option>" not in content
    with operator_scope():
        from memory.models import Space

        work, berts = Space.objects.get(slug="work").id, Space.objects.get(slug="berts").id
    operator.post(change(fact), operator.form(change(fact)) | {"space": str(berts)})
    operator.post(change(fact), operator.form(change(fact)) | {"space": str(work)})
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().space_id == work


def test_it_deletes_one_fact_through_the_verb(operator, anna):
    fact = anna.knows("dog.name", "Beans")
    assert "Beans" in operator.page(f"{LIST}{fact.id}/delete/").text
    response = operator.post(f"{LIST}{fact.id}/delete/", {"post": "yes"})
    assert response.status_code == 200
    assert events(anna)[-1] == ("memory.fact.user_deleted", "operator")
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().state == "deleted"
        assert Tombstone.objects.exists()
    assert "Beans" not in operator.page(LIST).text


def test_it_deletes_many_at_once_over_profiles(operator, anna):
    from tests.dashboard.conftest import Visitor
    from tests.people import person

    bert = Visitor(person("bert"))
    made = [anna.knows("dog.name", "Beans"), anna.knows("city", "Oslo"), bert.knows("city", "Kobe")]
    chosen = {"action": "delete_selected", "_selected_action": [str(f.id) for f in made]}
    assert b"Are you sure" in operator.post(LIST, chosen).content
    response = operator.post(LIST, {**chosen, "post": "yes"})
    assert "Done: 3." in response.content.decode()
    with operator_scope():
        assert set(Fact.objects.values_list("state", flat=True)) == {"deleted"}
    assert events(anna)[-1] == ("memory.fact.user_deleted", "operator")


def test_history_can_be_read_but_not_edited(operator, anna):
    anna.knows("city", "Oslo")
    anna.knows("city", "Tallinn")
    with profile_scope(anna.who.profile_id):
        old = Fact.objects.get(state="superseded")
    assert "textarea" not in [tag for tag, _ in operator.page(change(old)).elements]
    assert operator.client.post(change(old), {"value": "x"}).status_code == 403


def test_it_has_no_way_to_add_a_fact_past_the_verbs(operator):
    assert operator.client.get(f"{LIST}add/").status_code == 403
    assert operator.client.post(f"{LIST}add/", {"value": "x"}).status_code == 403


def test_it_links_a_fact_to_the_row_that_taught_it(operator, anna):
    from tests.dashboard.test_audit import tell

    audit_id = tell(anna, "I have a dog.")
    fact = anna.knows("dog.name", "Beans")
    with profile_scope(anna.who.profile_id):
        Fact.objects.update(source_audit_id=audit_id)
    row = f"/admin/memory/auditlog/{audit_id}/change/"
    assert row in operator.page(LIST).links()
    assert row in operator.page(change(fact)).links()
    assert "I have a dog." in operator.page(row).text


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_no_element_or_attribute_comes_from_a_fact(operator, anna, value):
    harmless = anna.knows("note.one", "harmless")
    before = [operator.page(path) for path in (LIST, change(harmless), f"{LIST}{harmless.id}/delete/")]
    facts.delete(profile_id=anna.who.profile_id, fact_id=harmless.id)
    hostile = anna.knows("note.one", value)
    for path, page in zip((LIST, change(hostile), f"{LIST}{hostile.id}/delete/"), before, strict=True):
        now = operator.page(path)
        assert now.shape == page.shape
        assert sum(tag == "script" for tag, _ in now.elements) == sum(tag == "script" for tag, _ in page.elements)


def test_it_finds_and_filters(operator, anna):
    anna.knows("dog.name", "Beans")
    anna.knows("city", "Oslo")
    assert "Oslo" not in operator.page(f"{LIST}?q=beans").text
    assert "Beans" in operator.page(f"{LIST}?q=anna").text
    assert "Beans" not in operator.page(f"{LIST}?state=pending").text
    for odd in ("?q=%00", "?state=nope", "?p=99999", "?o=1.2.3", "?category=%27"):
        assert operator.client.get(LIST + odd).status_code in (200, 302)


@pytest.mark.parametrize(("action", "state"), [("approve", "current"), ("reject", "rejected")])
def test_it_answers_what_waits(operator, anna, action, state):
    waiting = [tell(anna.who, "hobby", name, many=True, current=False) for name in ("chess", "go")]
    known = anna.knows("dog.name", "Beans")
    chosen = [str(fact.id) for fact in (*waiting, known)]
    response = operator.post(LIST, {"action": action, "_selected_action": chosen})
    assert "does not wait for review" in response.content.decode()
    with profile_scope(anna.who.profile_id):
        assert set(Fact.objects.filter(key="hobby").values_list("state", flat=True)) == {state}
        assert Fact.objects.get(id=known.id).version == known.version
    assert events(anna)[-2:] == [(f"memory.fact.{action}{'d' if action == 'approve' else 'ed'}", "operator")] * 2
