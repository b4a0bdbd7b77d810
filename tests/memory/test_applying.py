"""Writing what a reading taught: in as many statements for fifty facts as for one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from memory import extract, facts, transcript, work
from memory.db import profile_scope
from memory.domain.reply import parse_reply
from memory.judging import judged
from memory.models import Conversation, Fact, FactState, WorkKind
from tests.memory.saying import tell, values
from tests.memory.test_cursor import tell as said_to_us
from tests.people import Person, person
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")
ALL_KINDS = 13
MOST = 15


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements of this connection; what opens and ends a transaction is none."""
    seen: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


def statements(who: Person, times: int) -> list[tuple[dict[str, Any], str]]:
    """Of each kind so many: new, known, changed, closed, doubtful, with a name that older facts mention, narrative."""
    found: list[tuple[dict[str, Any], str]] = []
    for n in range(times):
        for key, value in ((f"tool{n}", f"saw{n}"), (f"mood{n}", f"calm{n}")):
            tell(who, key, value)
        tell(who, f"car{n}.colour", f"red{n}")
        tell(who, None, f"Xerxes{n} barks at night")
        tell(who, f"idea{n}", f"kite{n}", current=False, reasons=("low_confidence",))
        found += [
            ({"key": f"plan{n}", "value": f"sailing{n}"}, f"I plan sailing{n}."),
            ({"key": f"tool{n}", "value": f"saw{n}"}, f"I own a saw{n}."),
            ({"key": f"car{n}.colour", "value": f"blue{n}"}, f"My car is blue{n}."),
            ({"key": f"mood{n}", "value": f"calm{n}", "op": "retract"}, f"I am not calm{n} any more."),
            ({"key": f"wish{n}", "value": f"moon{n}", "stance": "hypothetical"}, f"I would like the moon{n}."),
            ({"key": "dog.name", "value": f"Xerxes{n}", "op": "add"}, f"My dog is called Xerxes{n}."),
            ({"key": None, "value": f"Swims at dawn{n}"}, f"I swim at dawn{n}."),
            ({"key": f"idea{n}", "value": f"kite{n}"}, f"My idea is a kite{n}."),
        ]
    return found


def applied(who: Person, found: list[tuple[dict[str, Any], str]]) -> tuple[str, list[str]]:
    """A chat that says all this, read and applied. Returns the outcome, and the statements from the lock on."""
    said_to_us(who, " ".join(words for _, words in found))
    tasks.cursor.tick(WorkKind.EXTRACT)
    claim = work.claim(WorkKind.EXTRACT, worker="test")
    assert claim is not None
    with profile_scope(who.profile_id):
        where = Conversation.objects.select_related("profile", "space").get(id=claim.conversation_id)
        messages = transcript.read(kinds=claim.kinds, conversation_id=where.id, audit_ids=claim.audit_ids)
    entries = [entry | {"confidence": 0.9} for entry, _ in found]
    reply = parse_reply(json.dumps({"facts": entries}), max_facts=100)
    verdict = judged(reply, messages, profile=where.profile, space=where.space)
    with counted() as seen, profile_scope(who.profile_id):
        facts.lock(who.profile_id)
        work.hold(claim)
        outcome = extract.apply(claim, verdict, work.Costs())
    return outcome, seen


@pytest.mark.parametrize("times", [1, 7])
def test_it_writes_any_number_of_facts_of_every_kind_in_as_many_statements(times):
    anna = person("anna")
    outcome, seen = applied(anna, statements(anna, times))
    assert outcome == "learned"
    with profile_scope(anna.profile_id):
        states = {state: Fact.objects.filter(state=state).count() for state in FactState}
        linked = Fact.objects.filter(links__entity__isnull=False, key=None).distinct().count()
    assert states[FactState.CURRENT] == 7 * times  # plan, tool, car, two narratives, dog, idea
    assert (states[FactState.SUPERSEDED], states[FactState.RETRACTED]) == (times, times)
    assert (states[FactState.PENDING], linked) == (times, times)
    assert len(seen) == ALL_KINDS, "\n".join(seen)


@pytest.mark.parametrize("times", [1, 7])
def test_it_needs_at_most_fifteen_where_it_forgets_too(times):
    anna = person("anna")
    found = []
    for n in range(times):
        tell(anna, f"secret{n}.name", f"Zanzibar{n}")
        found.append(
            ({"key": f"secret{n}.name", "value": f"Zanzibar{n}", "op": "retract"}, f"Please forget my Zanzibar{n}.")
        )
    outcome, seen = applied(anna, [*found, *statements(anna, times)])
    assert outcome == "learned"
    assert [value for value in values(anna, "current") if "Zanzibar" in value] == []
    assert len(values(anna, "deleted")) == times
    assert len(seen) <= MOST, "\n".join(seen)
