"""What memory would give a chat, for somebody who only wants to look."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from memory import consent, profiles, recall
from memory.audit import storable_text
from memory.db import profile_scope
from memory.errors import InvalidInput
from memory.search import asking
from memory.search.candidates import Scope

FIELDS = ("query", "space", "max_chars")
MAX_QUERY = 64 * 1024


def for_question(*, profile_id: uuid.UUID, fields: Mapping[str, Any], beyond: int = 0) -> recall.Recalled:
    """The block that a chat with this question would get now: nothing where memory is off.

    `beyond`: tell also of so many of each kind that come next (see `recall.for_chat`).

    Raises InvalidInput; NotFound for a space that is not there.
    """
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        raise InvalidInput(f"Not a field here: {', '.join(unknown)}. There are {', '.join(FIELDS)}.")
    query, slug, max_chars = fields.get("query"), fields.get("space"), fields.get("max_chars")
    if not isinstance(query, str | None) or len(query or "") > MAX_QUERY:
        raise InvalidInput(f"query is a text of at most {MAX_QUERY:,} characters.")
    if not isinstance(slug, str | None):
        raise InvalidInput("space is the name of a space.")
    if max_chars is not None and (isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < 0):
        raise InvalidInput("max_chars is a whole number.")
    with profile_scope(profile_id):
        space = profiles.space(profile_id=profile_id, slug=slug)
    wanted = consent.wanted(space)
    if not wanted.anything:
        return recall.NOTHING
    question = asking.ask(profile_id=profile_id, text=storable_text(query or ""))
    with profile_scope(profile_id):
        return recall.for_chat(
            profile=space.profile,
            scope=Scope(profile_id, space.id),
            question=question,
            wanted=wanted,
            max_chars=max_chars,
            beyond=beyond,
        )
