"""What an assistant can do by the protocol, for one profile. Blocks on the database; raises CaesarError."""

from __future__ import annotations

import uuid
from typing import Any

from caesar.mcp import telling
from memory import entity_selectors, facts, finding, lately, profiles, selectors
from memory.db import now, profile_scope
from memory.domain.instructions import instruction_like
from memory.errors import InvalidInput, NotFound
from memory.models import Fact, Profile

MOST_FACTS, MOST_ENTITIES, MOST_CONVERSATIONS = 100, 200, 50
NOT_AN_ID = "{} is not the id of a fact: take one that list_facts or recall gives."
NO_FACT = "There is no such fact."
AN_ORDER = (
    "This reads like an instruction to an assistant, not like a fact about the person. "
    "Where the person wants it kept, they can write it in the dashboard."
)


def recall(profile: Profile, query: str, *, space: str | None = None, k: int = finding.USUAL_K) -> str:
    """What memory holds about a question, best first."""
    asked: dict[str, Any] = {"query": query, "k": k}
    found = finding.for_request(profile_id=profile.id, fields=asked | ({"space": space} if space else {}))
    return telling.fenced(telling.results(found, profile, now()), empty="Memory holds nothing about this.")


def remember(profile: Profile, value: str, *, key: str | None = None, space: str | None = None, **more: Any) -> str:
    """A fact as the person states it. It holds at once, as if they had written it (see `facts.assistants`)."""
    if instruction_like(value):
        raise InvalidInput(AN_ORDER)
    fields = {"value": value, "key": key, "space": space, **more}
    given = {name: one for name, one in fields.items() if one is not None}
    return _kept(profile, facts.author(profile_id=profile.id, fields=given, by_assistant=True))


def update_fact(profile: Profile, fact_id: str, value: str) -> str:
    """Another value for a fact; what it said before stays as history."""
    if instruction_like(value):
        raise InvalidInput(AN_ORDER)
    fact = facts.edit(profile_id=profile.id, fact_id=_id(fact_id), changes={"value": value}, by_assistant=True)
    return _kept(profile, fact)


def forget(profile: Profile, fact_id: str) -> str:
    """Delete a fact. It does not come back by itself."""
    facts.delete(profile_id=profile.id, fact_id=_id(fact_id))
    return "Deleted. For a while the person can undo it in the dashboard."


def list_facts(profile: Profile, wanted: selectors.FactFilter) -> str:
    """What is known and holds now, newest first."""
    with profile_scope(profile.id):
        rows = selectors.facts_listed(profile_id=profile.id, wanted=wanted)
        found = list(rows.order_by("-created_at", "-id")[: MOST_FACTS + 1])
        lines = [telling.fact(row, profile) for row in found[:MOST_FACTS]]
    more = [f"There are more: narrow the list, {MOST_FACTS} are shown."] if len(found) > MOST_FACTS else []
    return telling.fenced(lines, *more, empty="Nothing is known that fits.")


def recent_conversations(profile: Profile, most: int = 10) -> str:
    """What was talked about lately."""
    with profile_scope(profile.id):
        found = lately.conversations(profile_id=profile.id, most=max(1, min(most, MOST_CONVERSATIONS)))
        lines = [telling.conversation(one, profile, now()) for one in found]
    return telling.fenced(lines, empty="There are no conversations.")


def about_person(profile: Profile) -> str:
    """The profile: its settings, then the facts that matter most."""
    with profile_scope(profile.id):
        space = profiles.space(profile_id=profile.id, slug=None)
        rows = selectors.core_facts(profile_id=profile.id, space_id=space.id, most=MOST_FACTS)
        lines = [telling.fact(row, profile) for row in rows]
    return "\n".join([*telling.settings(profile), telling.fenced(lines, empty="Nothing is known yet.")])


def entities(profile: Profile) -> str:
    """Who and what the facts are about."""
    with profile_scope(profile.id):
        rows = entity_selectors.entities(profile_id=profile.id).order_by("-id")[:MOST_ENTITIES]
        lines = [telling.entity(one) for one in entity_selectors.described(profile_id=profile.id, rows=rows)]
    return telling.fenced(lines, empty="The facts are about nobody else yet.")


def entity(profile: Profile, entity_id: str) -> str:
    """One entity with what is known about it and holds now."""
    try:
        wanted = uuid.UUID(entity_id)
    except ValueError:
        raise NotFound("There is no such entity.") from None
    with profile_scope(profile.id):
        known = entity_selectors.entity(profile_id=profile.id, entity_id=wanted)
        if known is None:
            raise NotFound("There is no such entity.")
        about = selectors.FactFilter(entity=entity_id)
        rows = selectors.facts_listed(profile_id=profile.id, wanted=about).order_by("-created_at", "-id")[:MOST_FACTS]
        return telling.fenced([telling.entity(known), *(telling.fact(row, profile) for row in rows)], empty="")


def _id(raw: str) -> uuid.UUID:
    try:
        return uuid.UUID(raw.strip())
    except ValueError:
        raise InvalidInput(NOT_AN_ID.format(raw[:60] or "This")) from None


def _kept(profile: Profile, fact: Fact) -> str:
    with profile_scope(profile.id):
        row = selectors.fact(profile_id=profile.id, fact_id=fact.id)
        if row is None:
            raise NotFound(NO_FACT)
        return telling.fenced([telling.fact(row, profile)], empty="")
