"""The values that the domain's decisions take and give."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Stance(StrEnum):
    """How the person meant a statement. Only ASSERTED may become current without review."""

    ASSERTED = "asserted"
    HYPOTHETICAL = "hypothetical"
    QUOTED = "quoted"
    JOKING = "joking"
    NEGATED = "negated"
    OTHER = "about_someone_else"


class Op(StrEnum):
    """What a proposal does to its key: replace the value, add one more, or close it."""

    SET = "set"
    ADD = "add"
    RETRACT = "retract"


class Cardinality(StrEnum):
    """Belongs to the key: a city is ONE, a pet is MANY."""

    ONE = "one"
    MANY = "many"


class Category(StrEnum):
    """What kind of fact it is (the API's list)."""

    PREFERENCE = "preference"
    PERSON = "person"
    PROJECT = "project"
    GOAL = "goal"
    DECISION = "decision"
    FACT = "fact"
    WORKFLOW = "workflow"
    CUSTOM = "custom"


class Scope(StrEnum):
    """How far a fact reaches: everywhere, or inside the space it was said in."""

    PROFILE = "profile"
    SPACE = "space"


@dataclass(frozen=True)
class Message:
    """One message of a conversation as the pipeline sees it.

    `text` is the readable text alone (text parts of a content array, joined); `new` says that it belongs
    to the turns being read and not to the context shown before them; `at` is when it was said, `space_id` where.
    A part of a document names it and, where it has pages, its `page`.
    """

    role: str
    text: str
    new: bool = True
    at: datetime | None = None
    audit_id: int | None = None
    space_id: uuid.UUID | None = None
    document: str = ""
    page: int | None = None


def is_document(messages: Sequence[Message]) -> bool:
    """Whether what is new in them is a document that the person gave, and nothing that they said."""
    new = [message for message in messages if message.new]
    return bool(new) and all(message.document for message in new)


@dataclass(frozen=True)
class Proposal:
    """One fact as a model (or the builtin extractor) proposes it, already in canonical shape.

    `confidence` is None where none could be read; `confidence_note` then says what was there.
    """

    value: str
    key: str | None = None
    confidence: float | None = None
    confidence_note: str = ""
    category: Category | None = None
    scope: Scope = Scope.PROFILE
    importance: float | None = None
    cardinality: Cardinality | None = None
    op: Op = Op.SET
    stance: Stance = Stance.ASSERTED
    quote: str | None = None
    valid_from: str | None = None


@dataclass(frozen=True)
class Dropped:
    """An entry that was not usable, and why. `reason` is a short code, `detail` is readable and clamped."""

    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Reply:
    """A model's reply after salvage. `summary` is None where it gave none that is a text.

    `details` are the lists beside the summary, by their names. `no_facts` says why the part with the facts cannot be
    used, where the summary can.
    """

    proposals: tuple[Proposal, ...] = ()
    summary: str | None = None
    dropped: tuple[Dropped, ...] = ()
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    no_facts: str = ""


@dataclass(frozen=True)
class Grounding:
    """Where a proposal stands in the person's own words.

    `message_index` indexes the list of messages that was given, `offset` is the character offset of the
    quote in that message; together they order claims inside one chat. `quote` is the text found there.
    """

    ok: bool
    message_index: int | None = None
    offset: int = 0
    quote: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Verdict:
    """What may become of a proposal: `current` at once, or `pending` with the reasons a person will read."""

    current: bool
    reasons: tuple[str, ...] = field(default=())
