"""From a person's words to a question that can be searched with."""

from __future__ import annotations

import uuid

from memory import identities
from memory.config import conf
from memory.errors import ModelError
from memory.llm import embedding
from memory.search.question import Nearness, Question


def ask(*, profile_id: uuid.UUID, text: str) -> Question:
    """The question with its vector, where the embedder that recall searches by answers within its budget.

    Call outside of any transaction, and only where memory is on: the embedder may be somebody else's.
    """
    active = identities.kept().active
    if active is None or not text.strip():
        return Question(profile_id, text)
    try:
        vector = embedding.for_identity(active).query(text, conf().semantic.query_budget_ms / 1000)
    except ModelError:  # the settings no longer reach it; words alone find something too
        vector = None
    near = None if vector is None else Nearness(active.name, active.dim, vector)
    return Question(profile_id, text, near)


def paused() -> bool:
    """Whether this process asks its embedder nothing for now, as it did not answer the last questions in time."""
    active = identities.kept().active
    try:
        return active is not None and embedding.for_identity(active).paused
    except ModelError:
        return False
