"""Delete, take it back, purge: gone at once, undoable for a while, then nowhere; and never silently back."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from memory import facts, purge
from memory.db import profile_scope
from memory.domain.types import Op
from memory.errors import Conflict, NotFound
from memory.models import AuditLog, Fact, Tombstone, WorkItem
from memory.models.fields import new_id
from tests.memory.saying import chat, last_event, look, now, tell, values
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def delete(who, fact, **more):
    facts.delete(profile_id=who.profile_id, fact_id=fact.id, **more)


def undelete(who, fact, **more):
    return facts.undelete(profile_id=who.profile_id, fact_id=fact.id, **more)


def author(who, key, value):
    return facts.author(profile_id=who.profile_id, fields={"key": key, "value": value})


def let_time_pass(who: Person, hours: float = 25) -> None:
    with profile_scope(who.profile_id):
        for row in Fact.objects.filter(state="deleted"):
            Fact.objects.filter(id=row.id).update(deleted_at=row.deleted_at - timedelta(hours=hours))


def everything(database: Any) -> str:
    """All tables as one text."""
    with psycopg.connect(database.url("superuser")) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        rows = [connection.execute(f'SELECT to_jsonb(t) FROM "{name}" t').fetchall() for (name,) in names]
    return json.dumps(rows)


def test_it_takes_a_fact_and_what_led_to_it_away_and_brings_both_back(anna):
    beans = author(anna, "dog.name", "Beans")
    facts.edit(profile_id=anna.profile_id, fact_id=beans.id, changes={"value": "Bean"})
    other = tell(anna, "dog.name", "Rex", many=True)
    delete(anna, beans)
    assert values(anna, "current", "superseded") == ["Rex"]
    assert look(anna, other.id).state == "current"
    event, payload = last_event(anna)
    assert event == "memory.fact.user_deleted"
    assert "Bean" not in json.dumps(payload)
    back = undelete(anna, beans)
    assert (back.state, back.deleted_at, back.was_state) == ("current", None, "")
    assert (values(anna, "current"), values(anna, "superseded")) == (["Bean", "Rex"], ["Beans"])
    with profile_scope(anna.profile_id):
        assert Tombstone.objects.count() == 0
    assert last_event(anna)[0] == "memory.fact.reverted"
    with pytest.raises(Conflict, match="not deleted"):
        undelete(anna, beans)


def test_it_takes_of_the_history_only_the_value_that_was_meant(anna):
    graz, linz = tell(anna, "address.city", "Graz"), tell(anna, "address.city", "Linz")
    tell(anna, "address.city", "Wels")
    delete(anna, linz)
    assert (values(anna, "current"), values(anna, "superseded")) == (["Wels"], ["Graz"])
    assert look(anna, graz.id).state == "superseded"


def test_it_never_takes_what_holds_now_with_a_row_of_the_history(anna):
    graz = tell(anna, "address.city", "Graz")
    tell(anna, "address.city", "Linz")
    tell(anna, "address.city", "Graz")
    delete(anna, graz)
    assert (values(anna, "current"), values(anna, "superseded")) == (["Graz"], ["Linz"])
    tell(anna, "address.city", "Graz")
    assert values(anna, "pending") == []


def test_it_does_not_let_older_words_take_the_place_of_what_was_deleted(anna):
    before = now() - timedelta(days=2)
    linz = tell(anna, "address.city", "Linz")
    delete(anna, linz)
    tell(anna, "address.city", "Graz", at=before)
    assert (values(anna, "current", "pending"), values(anna, "superseded")) == ([], ["Graz"])
    tell(anna, "address.city", "Linz", at=before)
    assert values(anna, "current", "pending") == []
    tell(anna, "address.city", "Linz")
    assert (values(anna, "current"), values(anna, "pending")) == ([], ["Linz"])


def test_it_makes_history_of_what_comes_back_too_late(anna):
    linz = tell(anna, "address.city", "Linz")
    delete(anna, linz)
    wels = tell(anna, "address.city", "Wels")
    back = undelete(anna, linz)
    assert (back.state, back.superseded_by_id, back.valid_to is not None) == ("superseded", wels.id, True)
    assert values(anna, "current") == ["Wels"]


def test_it_makes_one_of_what_comes_back_and_what_was_proposed_since(anna):
    linz = tell(anna, "address.city", "Linz")
    delete(anna, linz)
    assert tell(anna, "address.city", "Linz").reasons == ["deleted_before"]
    undelete(anna, linz)
    assert (values(anna, "current"), values(anna, "pending")) == (["Linz"], [])
    assert look(anna, linz.id).evidence_count == 2


def test_it_can_be_taken_back_only_for_a_while_and_by_its_owner(anna):
    bert = person("bert")
    beans = tell(anna, "dog.name", "Beans")
    delete(anna, beans)
    with pytest.raises(NotFound):
        undelete(bert, beans)
    let_time_pass(anna)
    with pytest.raises(Conflict, match="too long ago"):
        undelete(anna, beans)
    beans.id = new_id()
    with pytest.raises(NotFound):
        undelete(anna, beans)


def test_it_brings_a_deleted_proposal_and_its_answer_back(anna):
    waiting = tell(anna, "dog.name", "Beans", current=False)
    delete(anna, waiting)
    assert values(anna, "pending") == []
    assert undelete(anna, waiting).state == "pending"
    pixel = tell(anna, "cat.name", "Pixel")
    facts.edit(profile_id=anna.profile_id, fact_id=pixel.id, changes={"importance": 1})
    closing = tell(anna, "cat.name", "Pixel", op=Op.RETRACT)
    delete(anna, closing)
    assert look(anna, pixel.id).state == "current"
    tell(anna, "cat.name", "Pixel", op=Op.RETRACT, at=closing.said_at)
    with profile_scope(anna.profile_id):
        assert not Fact.objects.filter(op="retract", state="pending").exists()


def test_it_purges_the_words_from_every_table(anna, database):
    audit_id = chat(anna)
    quote = "I work at Kestrel Optics in Bremen"
    work = tell(anna, "work.employer", "Kestrel Optics", audit_id=audit_id, quote=quote)
    city = tell(anna, "address.city", "Bremen", audit_id=audit_id, quote=quote)
    with profile_scope(anna.profile_id):
        item = {"kind": "extract", "conversation_id": _conversation(anna), "said_at": now()}
        WorkItem.objects.create(profile_id=anna.profile_id, audit_id=audit_id, raw_reply="Kestrel Optics?!", **item)
    tell(anna, "work.employer", "kestrel  optics")
    facts.edit(profile_id=anna.profile_id, fact_id=work.id, changes={"value": "Kestrel Optics GmbH"})
    again = tell(anna, "work.employer", "Lumen Works")
    facts.approve(profile_id=anna.profile_id, fact_id=again.id)
    facts.revert(profile_id=anna.profile_id, fact_id=work.id)
    assert "kestrel" in everything(database).casefold()
    delete(anna, work)
    assert look(anna, city.id).quote == "I work at [deleted] in Bremen"
    assert purge.purge_due() == 0
    let_time_pass(anna, hours=23)
    assert purge.purge_due() == 0
    let_time_pass(anna, hours=2)
    assert purge.purge_due() == 3
    text = everything(database).casefold()
    assert "kestrel" not in text
    assert "lumen" not in text
    assert "bremen" in text
    gone = look(anna, work.id)
    assert (gone.value, gone.quote, gone.state, gone.key) == ("", "", "deleted", "work.employer")
    event, payload = last_event(anna)
    assert event == "memory.fact.deleted"
    assert set(payload) == {"fact_id", "key"}
    with profile_scope(anna.profile_id):
        rows = AuditLog.objects.count()
    assert purge.purge_due() == 0
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.count() == rows
    with pytest.raises(Conflict):
        undelete(anna, work)
    tell(anna, "work.employer", "Kestrel Optics", audit_id=audit_id, at=work.said_at)
    assert values(anna, "current", "pending") == ["Bremen"]


def _conversation(who):
    from memory.models import Conversation, Space

    space = Space.objects.get(profile_id=who.profile_id)
    return Conversation.objects.create(profile_id=who.profile_id, space=space).id


def test_it_leaves_the_log_of_what_holds_again(anna):
    first = author(anna, "dog.name", "Beans")
    delete(anna, first)
    author(anna, "dog.name", "Beans")
    let_time_pass(anna)
    assert purge.purge_due() == 1
    with profile_scope(anna.profile_id):
        told = AuditLog.objects.filter(event_type="memory.fact.added").order_by("id")
        assert [row.payload["value"] for row in told] == ["[redacted]", "Beans"]


def test_it_purges_in_batches_over_all_profiles(anna):
    bert = person("bert")
    for who in (anna, bert):
        for n in range(3):
            delete(who, author(who, None, f"thing {n}"))
        let_time_pass(who)
    assert [purge.purge_due(limit=4), purge.purge_due(limit=4), purge.purge_due(limit=4)] == [4, 2, 0]


def test_it_redacts_only_what_the_log_tells_of_facts_and_only_ones_own(anna):
    from django.db import connection

    bert = person("bert")
    author(bert, "dog.name", "Beans")
    with profile_scope(anna.profile_id):
        AuditLog.objects.create(profile_id=anna.profile_id, event_type="settings.changed", payload={"value": "Beans"})
        ids = list(AuditLog.objects.values_list("id", flat=True))
    with profile_scope(bert.profile_id):
        theirs = list(AuditLog.objects.values_list("id", flat=True))
    with profile_scope(anna.profile_id), connection.cursor() as cursor:
        cursor.execute("SELECT audit_redact_texts(%s, %s)", [[*ids, *theirs], ["Beans"]])
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize("began", [2, 0])
def test_it_closes_what_has_expired_once(anna, began):
    made = author(anna, "visa", "valid")
    with profile_scope(anna.profile_id):
        Fact.objects.filter(id=made.id).update(
            expires_at=now() - timedelta(hours=1), first_seen_at=now() - timedelta(hours=began)
        )
    assert [purge.expire_due(), purge.expire_due()] == [1, 0]
    fact = look(anna, made.id)
    assert (fact.state, fact.valid_to) == ("retracted", max(fact.expires_at, fact.first_seen_at))
    assert last_event(anna)[0] == "memory.fact.expired"
    back = facts.revert(profile_id=anna.profile_id, fact_id=made.id)
    assert (back.state, back.expires_at) == ("current", None)


@pytest.mark.parametrize("count", [1, 50])
def test_it_forgets_any_number_of_facts_with_as_many_queries(anna, count, django_assert_num_queries):
    from tests.memory.saying import hear, said

    at, audit_id = now(), chat(anna)
    said_before = [
        said(f"thing.n{n}", f"value {n}", at=at, audit_id=audit_id, quote=f"a value {n}") for n in range(count)
    ]
    hear(anna, *said_before)
    later, asked = now(), chat(anna)
    wishes = [
        said(f"thing.n{n}", f"value {n}", at=later, audit_id=asked, op=Op.RETRACT, forget=True) for n in range(count)
    ]
    with profile_scope(anna.profile_id), django_assert_num_queries(8):
        facts.lock(anna.profile_id)
        facts.apply(profile_id=anna.profile_id, told=wishes, conversation_id=None)
    assert values(anna, "current", "pending") == []
