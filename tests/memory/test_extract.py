"""From a finished chat to facts, through a scripted model at the real wire."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import chats, facts
from memory.db import operator_scope, profile_scope
from memory.models import AuditLog, Fact, WorkItem
from tests.memory.test_cursor import tell
from tests.people import Person, person
from tests.scripted_model import ScriptedModel, Status, Text
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")


def reply(*entries: dict[str, Any]) -> str:
    return json.dumps({"facts": [{"confidence": 0.9, **entry} for entry in entries], "summary": "s"})


def held(who: Person, state: str = "current") -> list[tuple[str | None, str]]:
    with profile_scope(who.profile_id):
        return sorted(Fact.objects.filter(state=state).values_list("key", "value"))


def events(who: Person) -> list[str]:
    with profile_scope(who.profile_id):
        return list(AuditLog.objects.order_by("id").values_list("event_type", flat=True))


def again() -> None:
    """Let everything be read once more, now."""
    with operator_scope():
        WorkItem.objects.update(state="waiting", not_before=datetime.now(UTC) - timedelta(seconds=1))


def the_item(kind: str = "extract") -> WorkItem:
    with operator_scope():
        return WorkItem.objects.get(kind=kind)


def test_it_learns_a_fact_with_its_quote_and_source(model: ScriptedModel):
    anna = person("anna")
    model.extraction(reply({"key": "dog.name", "value": "Beans", "quote": "my dog's name is Beans"}))
    audit_id = tell(anna, "Hey - by the way my dog's name is Beans.")
    assert tasks.drain() == 1
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get()
    assert (fact.key, fact.value, fact.state) == ("dog.name", "Beans", "current")
    assert fact.quote == "my dog's name is Beans"
    assert fact.source_audit_id == audit_id
    assert (fact.model, fact.prompt_version) == ("openai/scripted", "extract.v1")
    assert events(anna) == ["chat.completed", "memory.fact.added", "memory.episode.summarised"]
    item = the_item()
    assert (item.state, item.outcome, item.calls) == ("done", "learned", 1)


def test_it_confirms_what_is_said_again_and_replaces_what_changed(model: ScriptedModel):
    anna = person("anna")
    for city in ("Tartu", "Tartu", "Riga"):
        model.reset()
        model.extraction(reply({"key": "address.city", "value": city}))
        tell(anna, f"I live in {city}.")
        tasks.drain()
    assert held(anna) == [("address.city", "Riga")]
    assert held(anna, "superseded") == [("address.city", "Tartu")]
    assert [e for e in events(anna) if e.startswith("memory.fact")] == [
        "memory.fact.added",
        "memory.fact.confirmed",
        "memory.fact.updated",
    ]


def test_it_tells_nothing_to_learn_from_nonsense_and_from_down(model: ScriptedModel):
    anna = person("anna")
    tell(anna, "I like tea in the morning.")
    model.extraction(reply())
    tasks.drain()
    assert (the_item().state, the_item().outcome) == ("done", "nothing")
    for answer, code in ((Text("no json at all"), "model_nonsense"), (Status(503, "busy"), "model_down")):
        again()
        model.reset()
        model.extraction(answer)
        tasks.drain()
        assert (the_item().state, the_item().error_code) == ("waiting", code)
        assert the_item().error


def test_it_asks_once_more_after_nonsense(model: ScriptedModel):
    anna = person("anna")
    model.extraction(["Sure, here you go!", reply({"key": "dog.name", "value": "Beans"})])
    tell(anna, "My dog's name is Beans.")
    tasks.drain()
    assert held(anna) == [("dog.name", "Beans")]
    assert the_item().calls == 2


def test_it_asks_no_model_where_consent_is_off(model: ScriptedModel):
    anna = person("anna", memory=False)
    tell(anna, "My dog's name is Beans.")
    tasks.drain()
    assert model.requests == []


def test_it_reads_nothing_that_was_said_before_consent_was_withdrawn(model: ScriptedModel):
    from memory import profiles

    anna = person("anna")
    tell(anna, "My dog's name is Beans.")
    profiles.update(profile_id=anna.profile_id, changes={"memory_enabled": False})
    tasks.drain()
    assert model.requests == []
    assert the_item().state == "cancelled"


def test_it_asks_no_model_for_a_plain_thank_you(model: ScriptedModel):
    anna = person("anna")
    tell(anna, "Thanks!")
    tasks.drain()
    assert model.requests == []
    assert (the_item().state, the_item().outcome) == ("done", "skipped")


def test_it_lets_everything_wait_under_review(model: ScriptedModel):
    anna = person("anna", approval="review")
    model.extraction(reply(*({"key": f"hobby.h{n}", "value": f"hobby{n}", "confidence": 0.9} for n in range(8))))
    tell(anna, "I do " + " and ".join(f"hobby{n}" for n in range(8)) + ".")
    tasks.drain()
    assert held(anna) == []
    assert len(held(anna, "pending")) == 5


def test_it_reads_a_resent_history_once_and_pays_for_it_once(model: ScriptedModel):
    """Forty turns that resend everything cost input tokens that grow with the turns, not with their square."""
    anna = person("anna")
    model.extraction(reply())
    history: list[dict[str, str]] = []
    sizes: list[int] = []
    for n in range(40):
        history.append({"role": "user", "content": f"Today I tell you that my thing number {n} is blue and old."})
        turn = chats.begin(profile_id=anna.profile_id, messages=history)
        chats.finish(turn, chats.Answer(text=f"Noted, thing {n}."))
        history.append({"role": "assistant", "content": f"Noted, thing {n}."})
        tasks.drain()
        sizes.append(sum(len(str(m["content"])) for m in model.extractions[-1].messages))
    assert len(model.extractions) == 40
    assert max(sizes[20:]) <= 1.2 * max(sizes[1:5])
    with operator_scope():
        stored = [len(row.payload["messages"]) for row in AuditLog.objects.filter(event_type="chat.completed")]
    assert stored == [1] * 40


def test_it_reads_all_of_a_very_long_message(model: ScriptedModel):
    anna = person("anna")
    model.extraction(reply())
    model.on(
        lambda request: request.is_extraction and "Beans" in request.text,
        reply({"key": "dog.name", "value": "Beans"}),
    )
    tell(anna, "I went for a walk and saw a tree. " * 1_500 + "My dog's name is Beans.")
    tasks.drain()
    assert held(anna) == [("dog.name", "Beans")]
    assert len(model.extractions) > 2
    assert max(len(request.text) for request in model.extractions) < 25_000


def test_it_does_not_bring_a_deleted_fact_back(model: ScriptedModel):
    anna = person("anna")
    model.extraction(reply({"key": "work.employer", "value": "Kestrel Optics"}))
    tell(anna, "I work at Kestrel Optics.", conversation_id="one")
    tasks.drain()
    with profile_scope(anna.profile_id):
        fact_id = Fact.objects.get().id
    facts.delete(profile_id=anna.profile_id, fact_id=fact_id)
    again()
    tasks.drain()
    assert held(anna) == []
    assert held(anna, "pending") == []
    tell(anna, "I am back at Kestrel Optics!")
    tasks.drain()
    assert held(anna) == []
    assert held(anna, "pending") == [("work.employer", "Kestrel Optics")]


def test_it_never_overwrites_what_a_person_edited(model: ScriptedModel):
    anna = person("anna")
    model.extraction(reply({"key": "work.role", "value": "nurse"}))
    tell(anna, "I work as a nurse.")
    tasks.drain()
    with profile_scope(anna.profile_id):
        fact_id = Fact.objects.get().id
    facts.edit(profile_id=anna.profile_id, fact_id=fact_id, changes={"value": "midwife"})
    again()
    tasks.drain()
    tell(anna, "I said it before: I work as a nurse.")
    tasks.drain()
    assert held(anna) == [("work.role", "midwife")]
    assert held(anna, "superseded") == [("work.role", "nurse")]


@pytest.mark.parametrize("count", [1, 50])
def test_it_applies_any_number_of_facts_with_as_many_queries(model, count, django_assert_num_queries):
    from memory.db import profile_scope as scope
    from memory.domain.merge import Claim
    from memory.domain.types import Cardinality, Category, Op, Stance
    from memory.models.fields import new_id

    anna = person("anna")
    audit_id = tell(anna, "Many things.")
    with scope(anna.profile_id):
        said_at = AuditLog.objects.get(id=audit_id).said_at
    told = [
        facts.Told(
            Claim(
                new_id(), None, f"thing.n{n}", f"v{n}", f"v{n}", Cardinality.ONE, Op.SET, 0.9, said_at, audit_id, True
            ),
            Category.FACT,
            0.5,
            Stance.ASSERTED,
            "",
        )
        for n in range(count)
    ]
    with scope(anna.profile_id), django_assert_num_queries(7):
        facts.lock(anna.profile_id)
        facts.apply(profile_id=anna.profile_id, told=told, conversation_id=None)


def test_it_says_on_the_item_that_no_model_is_named(settings: Any):
    from memory.config import LLM

    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM.model_validate({"provider": "ollama"})})
    anna = person("anna")
    tell(anna, "My dog's name is Beans.")
    tasks.drain()
    assert the_item().error_code == "model_misconfigured"
    assert "model" in the_item().error
