"""Approve, reject, revert: what a person answers, and that it stays answered."""

from __future__ import annotations

import pytest

from memory import facts
from memory.db import profile_scope
from memory.domain.types import Op
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Embedding, Fact, FactSource
from memory.models.fields import new_id
from tests.memory.saying import chat, hear, last_event, look, now, said, tell, values
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def approve(who, fact, **more):
    return facts.approve(profile_id=who.profile_id, fact_id=fact.id, **more)


def reject(who, fact, **more):
    return facts.reject(profile_id=who.profile_id, fact_id=fact.id, **more)


def revert(who, fact, **more):
    return facts.revert(profile_id=who.profile_id, fact_id=fact.id, **more)


def doubtful(who, key, value, **more):
    return tell(who, key, value, current=False, reasons=("low_confidence",), **more)


def embed(who, fact):
    with profile_scope(who.profile_id):
        Embedding.objects.create(
            profile_id=who.profile_id, owner_kind="fact", owner_id=fact.id, identity="test", vector=[0.1, 0.2]
        )


def vectors(who):
    with profile_scope(who.profile_id):
        return set(Embedding.objects.values_list("owner_id", flat=True))


def test_it_approves_a_proposal(anna):
    waiting = doubtful(anna, "dog.name", "Beans")
    fact = approve(anna, waiting)
    assert (fact.id, fact.state, fact.pinned, fact.reasons) == (waiting.id, "current", False, [])
    event, payload = last_event(anna)
    assert event == "memory.fact.approved"
    assert payload == {"fact_id": str(fact.id), "key": "dog.name", "value": "Beans", "did": "adds"}


def test_it_replaces_the_value_that_holds(anna):
    old = tell(anna, "address.city", "Graz")
    embed(anna, old)
    new = doubtful(anna, "address.city", "Linz")
    fact = approve(anna, new)
    old = look(anna, old.id)
    assert (old.state, old.valid_to, old.superseded_by_id) == ("superseded", new.said_at, fact.id)
    assert values(anna, "current") == ["Linz"]
    assert vectors(anna) == set()
    assert last_event(anna)[1]["old"] == [{"fact_id": str(old.id), "value": "Graz"}]


def test_it_lets_the_person_prefer_what_was_said_before(anna):
    linz = doubtful(anna, "address.city", "Linz")
    graz = tell(anna, "address.city", "Graz")
    fact = approve(anna, linz)
    graz = look(anna, graz.id)
    assert (fact.state, graz.state) == ("current", "superseded")
    assert graz.valid_to > graz.said_at
    assert fact.valid_from == graz.valid_to


def test_it_takes_an_approved_repetition_for_a_confirmation(anna):
    known = tell(anna, "dog.name", "Beans", many=True)
    waiting = doubtful(anna, "dog.name", "Rex", many=True)
    facts.edit(profile_id=anna.profile_id, fact_id=waiting.id, changes={"value": "beans"})
    fact = approve(anna, waiting)
    assert fact.id == known.id
    assert fact.confidence > known.confidence
    assert values(anna, "current") == ["Beans"]
    assert values(anna, "pending") == []


def test_it_corrects_while_it_approves(anna):
    audit_id = chat(anna)
    waiting = doubtful(anna, "dog.name", "Bean", audit_id=audit_id)
    fact = approve(anna, waiting, changes={"value": "Beans", "importance": 0.9})
    assert (fact.value, fact.importance, fact.pinned, fact.edit_count) == ("Beans", 0.9, True, 1)
    payload = last_event(anna)[1]
    assert (payload["proposed"], payload["new"]) == ({"value": "Bean"}, {"value": "Beans", "importance": 0.9})
    # The chat that taught the wrong name is read again.
    tell(anna, "dog.name", "Bean", audit_id=audit_id, at=waiting.said_at)
    assert values(anna, "current", "pending") == ["Beans"]


def test_it_closes_what_a_retraction_is_about(anna):
    pixel, byte = (tell(anna, "dog.name", name, many=True) for name in ("Pixel", "Byte"))
    waiting = tell(anna, "dog.name", "dog", many=True, op=Op.RETRACT)
    assert (waiting.state, waiting.op, waiting.reasons) == ("pending", "retract", ["several_fit"])
    closed = approve(anna, waiting, changes={"value": "Pixel"})
    assert (closed.id, closed.state, closed.valid_to is not None) == (pixel.id, "retracted", True)
    assert look(anna, byte.id).state == "current"
    assert look(anna, waiting.id).state == "retracted"
    assert values(anna, "current", "pending") == ["Byte"]


def test_it_raises_a_rejected_claim_not_again(anna):
    waiting = doubtful(anna, "work.role", "nurse")
    turned_down = reject(anna, waiting)
    assert turned_down.state == "rejected"
    assert last_event(anna)[0] == "memory.fact.rejected"
    for _ in range(2):
        tell(anna, "work.role", "nurse")
        doubtful(anna, "work.role", "Nurse")
    assert values(anna, "current", "pending") == []
    facts.author(profile_id=anna.profile_id, fields={"key": "work.role", "value": "nurse"})
    assert values(anna, "current") == ["nurse"]


def test_it_tells_a_rejected_closing_from_a_rejected_value(anna):
    pixel = tell(anna, "dog.name", "Pixel")
    facts.edit(profile_id=anna.profile_id, fact_id=pixel.id, changes={"importance": 1.0})
    waiting = tell(anna, "dog.name", "Pixel", op=Op.RETRACT)
    assert waiting.reasons == ["against_pinned"]
    reject(anna, waiting)
    tell(anna, "dog.name", "Pixel", op=Op.RETRACT)
    assert values(anna, "pending") == []
    tell(anna, "dog.name", "Pixel")
    assert look(anna, pixel.id).evidence_count == 2


def test_it_keeps_an_edited_proposal_from_coming_back_in_its_old_words(anna):
    audit_id = chat(anna)
    waiting = doubtful(anna, "dog.name", "Bean", audit_id=audit_id)
    facts.edit(profile_id=anna.profile_id, fact_id=waiting.id, changes={"value": "Beans"})
    doubtful(anna, "dog.name", "Bean", audit_id=audit_id, at=waiting.said_at)
    assert values(anna, "pending") == ["Beans"]
    reject(anna, waiting)
    doubtful(anna, "dog.name", "Beans")
    assert values(anna, "pending", "current") == []


@pytest.mark.parametrize("answer", [approve, reject])
def test_it_answers_only_what_waits(anna, answer):
    waiting = doubtful(anna, "dog.name", "Beans")
    with pytest.raises(Conflict, match="meanwhile"):
        answer(anna, waiting, version=waiting.version + 1)
    answer(anna, waiting, version=waiting.version)
    with pytest.raises(Conflict, match="wait"):
        answer(anna, waiting)
    waiting.id = new_id()
    with pytest.raises(NotFound):
        answer(anna, waiting)


def test_it_says_what_is_wrong_with_a_correction_and_approves_nothing(anna):
    waiting = doubtful(anna, "dog.name", "Beans")
    for changes in ({"value": ""}, {"key": "x"}, {"space": "nowhere"}):
        with pytest.raises((InvalidInput, NotFound)):
            approve(anna, waiting, changes=changes)
    assert look(anna, waiting.id).version == waiting.version


def test_it_has_one_person_answer_only_their_own(anna):
    bert = person("bert")
    waiting = doubtful(anna, "dog.name", "Beans")
    for act in (approve, reject, revert):
        with pytest.raises(NotFound):
            act(bert, waiting)
    done = facts.approve_many(profile_id=bert.profile_id, ids=[waiting.id])
    assert done.counts == {"skipped": 1}
    assert look(anna, waiting.id).state == "pending"


def test_it_brings_a_former_value_back_as_the_persons_word(anna):
    graz = tell(anna, "address.city", "Graz")
    linz = tell(anna, "address.city", "Linz")
    embed(anna, linz)
    back = revert(anna, graz)
    assert (back.state, back.pinned, back.valid_to, back.superseded_by_id) == ("current", True, None, None)
    linz = look(anna, linz.id)
    assert (linz.state, linz.superseded_by_id, linz.valid_to) == ("superseded", graz.id, back.said_at)
    assert vectors(anna) == set()
    event, payload = last_event(anna)
    assert (event, payload["old"]) == ("memory.fact.reverted", [{"fact_id": str(linz.id), "value": "Linz"}])
    assert tell(anna, "address.city", "Wels").state == "pending"
    with pytest.raises(Conflict):
        revert(anna, graz)


def test_it_steps_back_over_an_edit(anna):
    fact = tell(anna, "dog.name", "Beans", many=True)
    facts.edit(profile_id=anna.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    other = tell(anna, "dog.name", "Rex", many=True)
    with profile_scope(anna.profile_id):
        former = Fact.objects.get(value="Beans")
    revert(anna, former)
    assert values(anna, "current") == ["Beans", "Rex"]
    assert look(anna, other.id).version == other.version
    assert values(anna, "superseded") == ["Bean"]


def test_it_approves_many_in_the_order_in_which_they_were_said(anna):
    first, second = doubtful(anna, "address.city", "Graz"), doubtful(anna, "address.city", "Linz")
    dog = doubtful(anna, "dog.name", "Beans", many=True)
    missing = new_id()
    ids = [second.id, missing, dog.id, first.id]
    tried = facts.approve_many(profile_id=anna.profile_id, ids=ids, dry_run=True)
    assert values(anna, "current") == []
    done = facts.approve_many(profile_id=anna.profile_id, ids=ids)
    assert done.lines == tried.lines
    assert done.counts == {"adds": 2, "replaces": 1, "skipped": 1}
    assert [line.id for line in done.lines] == ids
    assert done.lines[0].replaces == ((first.id, "Graz"),)
    assert values(anna, "current") == ["Beans", "Linz"]
    again = facts.reject_many(profile_id=anna.profile_id, ids=ids)
    assert again.counts == {"skipped": 4}


def test_it_rejects_and_deletes_many(anna):
    waiting = [doubtful(anna, "hobby", f"h{n}", many=True) for n in range(3)]
    ids = [fact.id for fact in waiting]
    assert facts.reject_many(profile_id=anna.profile_id, ids=ids[:2], dry_run=True).counts == {"rejected": 2}
    assert len(values(anna, "pending")) == 3
    assert facts.reject_many(profile_id=anna.profile_id, ids=ids[:2]).counts == {"rejected": 2}
    assert facts.delete_many(profile_id=anna.profile_id, ids=ids).counts == {"deleted": 3}
    assert values(anna, "pending", "rejected") == []
    with pytest.raises(InvalidInput):
        facts.delete_many(profile_id=anna.profile_id, ids=[])


def test_it_leaves_nothing_pending_that_is_said_plainly_and_approved_otherwise(anna):
    one, two = (doubtful(anna, "dog.name", "Beans", many=True) for _ in range(2))
    assert one.id == two.id
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    assert values(anna, "pending") == []
    assert values(anna, "current") == ["Beans"]


def test_it_writes_down_every_answer(anna):
    waiting = doubtful(anna, "dog.name", "Beans")
    approve(anna, waiting)
    with profile_scope(anna.profile_id):
        told = list(AuditLog.objects.order_by("id").values_list("event_type", "actor"))
        assert FactSource.objects.count() == 1
    assert told[1:] == [("memory.fact.proposed", "worker"), ("memory.fact.approved", "person")]


def test_it_closes_what_has_expired_before_it_asks_whether_it_is_known(anna):
    from datetime import timedelta

    made = facts.author(profile_id=anna.profile_id, fields={"key": "visa", "value": "valid"})
    with profile_scope(anna.profile_id):
        Fact.objects.filter(id=made.id).update(expires_at=now() - timedelta(hours=1))
    again = tell(anna, "visa", "valid")
    assert (again.id != made.id, again.state) == (True, "current")
    assert look(anna, made.id).state == "retracted"
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.filter(event_type="memory.fact.expired").count() == 1


def test_it_hears_two_words_at_once(anna):
    at, audit_id = now(), chat(anna)
    hear(
        anna,
        said("address.city", "Graz", at=at, audit_id=audit_id, place=(0, 0)),
        said("address.city", "Linz", at=at, audit_id=audit_id, place=(2, 0)),
    )
    assert (values(anna, "current"), values(anna, "superseded")) == (["Linz"], ["Graz"])
    # Another reading of the same chat finds something else: that is only a proposal.
    tell(anna, "address.city", "Wels", audit_id=audit_id, at=at)
    assert (values(anna, "current"), values(anna, "pending")) == (["Linz"], ["Wels"])
