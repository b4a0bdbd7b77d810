"""What a person's memory looks like after a while: facts of all kinds, proposals, history, chats."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F

from memory import chats, episodes, facts
from memory.db import profile_scope
from memory.domain.summary import Summary
from memory.domain.text import normalise
from memory.models import AuditLog, EpisodeSummary, Fact, FactState, WorkItem
from tests.people import Person

PRICED = "anthropic/claude-haiku-4-5-20251001"
TOLD = [
    ("dog.name", "Beans", "person", "Our dog is called Beans, she is a beagle."),
    ("dog.breed", "beagle", "person", "Our dog is called Beans, she is a beagle."),
    ("address.city", "Tallinn", "fact", "I moved to Tallinn in March."),
    ("work.employer", "Kestrel Maps", "fact", "I work at Kestrel Maps as a surveyor."),
    ("work.role", "surveyor", "fact", "I work at Kestrel Maps as a surveyor."),
    ("preference.coffee", "oat flat white, no sugar", "preference", "Coffee for me is an oat flat white, no sugar."),
    ("allergy", "hazelnuts", "fact", "Careful, I'm allergic to hazelnuts."),
    ("sister.name", "Maren", "person", "My sister Maren lives in Oslo."),
    ("goal.running", "a half marathon in May", "goal", "I want to run a half marathon in May."),
    (None, "Takes the tram on rainy days and cycles otherwise", "workflow", "I take the tram on rainy days."),
]
WAITING = [
    ("address.city", "Tartu", ["against_pinned"], "If all goes well I live in Tartu by then."),
    ("work.employer", "Northlight", ["not_asserted:hypothetical"], "Maybe I'll work at Northlight one day."),
    ("preference.tea", "white tea", ["low_confidence"], "White tea was quite nice today."),
    (None, "Is looking for a new flat", ["review"], "We are looking for a new flat."),
]


DISCUSSED: list[tuple[str, str, int, dict[str, list[str]]]] = [
    (
        "Let us look at the offers for the heat pump.",
        "Compared two offers for a heat pump; the cheaper one comes with the installation on the 14th.",
        3,
        {
            "decisions": ["Take the offer of Nordkuhl"],
            "open_questions": ["Who signs the rebate papers?"],
            "people": ["Maren"],
        },
    ),
    ("Plan the trip to Lisbon with me.", "Planned four days in Lisbon in June, with the night train back.", 12, {}),
]


def told(who: Person, text: str, conversation: str | None = None) -> int:
    """A chat that ended. Returns the id of its row."""
    turn = chats.begin(
        profile_id=who.profile_id, messages=[{"role": "user", "content": text}], conversation_id=conversation
    )
    return chats.finish(turn, chats.Answer(text="Noted, thank you."))


def discussed(who: Person, text: str, summary: str, days: int = 3, **details: list[str]) -> EpisodeSummary:
    """A conversation of some days ago that was summed up."""
    audit_id = told(who, text)
    with profile_scope(who.profile_id):
        chat = AuditLog.objects.get(id=audit_id)
        assert chat.conversation_id
        assert chat.space_id
        found = Summary(summary, details)
        episodes.write(
            profile_id=who.profile_id,
            conversation_id=chat.conversation_id,
            space_id=chat.space_id,
            summary=found,
            replaces=None,
            audit_ids=[audit_id],
            said_at=datetime.now(UTC) - timedelta(days=days),
            prompt_version="v1",
            model="openai/small-1",
        )
        return EpisodeSummary.objects.get(conversation_id=chat.conversation_id)


def discussions(who: Person) -> None:
    """Conversations, one of which a later chat was given."""
    for text, summary, days, details in DISCUSSED:
        discussed(who, text, summary, days, **details)
    turn = chats.begin(
        profile_id=who.profile_id, messages=[{"role": "user", "content": "When does the heat pump come?"}]
    )
    chats.finish(turn, chats.Answer(text="On the 14th."))


def knows(who: Person, key: str | None, value: str, **more: Any) -> Fact:
    """A fact that holds, as if it had been learned."""
    quote, audit_id, days = more.pop("quote", ""), more.pop("audit_id", None), more.pop("days", 0)
    fact = facts.author(
        profile_id=who.profile_id, fields={"key": key, "value": value, "category": more.pop("category", "fact")}
    )
    ago = timedelta(days=days)
    with profile_scope(who.profile_id):
        Fact.objects.filter(id=fact.id).update(
            quote=quote,
            source_audit_id=audit_id,
            pinned=audit_id is None,
            source_kind="extracted" if audit_id else "authored",
            last_confirmed_at=F("last_confirmed_at") - ago,
            **more,
        )
        fact.refresh_from_db()
    return fact


def waits(who: Person, key: str | None, value: str, reasons: list[str], **more: Any) -> Fact:
    """A proposal, as if a chat had brought it."""
    now = datetime.now(UTC)
    with profile_scope(who.profile_id):
        return Fact.objects.create(
            id=uuid.uuid4(),
            profile_id=who.profile_id,
            key=key,
            value=value,
            value_norm=normalise(value),
            state=FactState.PENDING,
            reasons=reasons,
            said_at=more.pop("said_at", now),
            first_seen_at=now,
            last_confirmed_at=now,
            confidence=more.pop("confidence", 0.55),
            **more,
        )


def read(who: Person, audit_id: int, **columns: Any) -> WorkItem:
    """An item of work for a chat."""
    with profile_scope(who.profile_id):
        chat = AuditLog.objects.get(id=audit_id)
        item = WorkItem.objects.filter(audit_id=audit_id, kind="extract").first() or WorkItem(
            profile_id=who.profile_id,
            conversation_id=chat.conversation_id,
            audit_id=audit_id,
            kind="extract",
            said_at=chat.said_at or chat.at,
        )
        for name, value in columns.items():
            setattr(item, name, value)
        item.save()
    return item


def worked(who: Person) -> None:
    """A month of background work, with what failed."""
    now = datetime.now(UTC)
    for n in range(20):
        audit_id = told(who, f"The weather is fine, said {n}.", f"d{n}")
        tokens = 300 + 70 * (n * 7 % 11)
        ended = {"state": "done", "outcome": "learned", "finished_at": now - timedelta(days=n * 3 % 29)}
        read(who, audit_id, **ended, calls=1 + n % 3, input_tokens=tokens, output_tokens=60, model=PRICED)
    failed = {"attempts": 5, "model": "openai/small-1", "first_failed_at": now}
    read(
        who,
        told(who, "My flat has 54 square metres.", "dead"),
        **failed,
        state="dead",
        finished_at=now,
        error_code="model_nonsense",
        error="The model's answer could not be read: no JSON in it.",
        raw_reply="Sure! Here is what I found: <facts>flat: 54 m2</facts>",
    )
    read(
        who,
        told(who, "Our car is a small blue one.", "failing"),
        state="waiting",
        outages=3,
        not_before=now + timedelta(minutes=4),
        error_code="model_down",
        error="openai does not answer at http://127.0.0.1:9.",
    )


def lived(who: Person) -> None:
    """All of it."""
    for number, (key, value, category, said) in enumerate(TOLD):
        audit_id = told(who, said, f"c{number}")
        confidence = 0.95 - 0.04 * number
        knows(who, key, value, category=category, quote=said, audit_id=audit_id, days=number * 9, confidence=confidence)
    for number, (key, value, reasons, said) in enumerate(WAITING):
        audit_id = told(who, said, f"w{number}")
        waits(who, key, value, reasons, quote=said, source_audit_id=audit_id)
    knows(who, "preference.music", "Bach in the morning", days=2)
    fact = knows(who, "address.street", "Pikk 12", days=1)
    facts.edit(profile_id=who.profile_id, fact_id=fact.id, changes={"value": "Pikk 14"})
    worked(who)
    discussions(who)
