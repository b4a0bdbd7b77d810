"""What memory holds about a question, for a client that asks outright: facts, past conversations, pieces of chat."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.utils.dateparse import parse_datetime

from memory import consent, profiles
from memory.audit import storable_text
from memory.config import conf
from memory.consent import Wanted
from memory.db import profile_scope
from memory.documents import selectors
from memory.domain.ranking.embedded import question_text
from memory.domain.text import normalise
from memory.errors import InvalidInput
from memory.models import Space
from memory.search import asking, episodes, facts, outdated, passages, speakers
from memory.search.candidates import NEVER, Scope
from memory.search.outdated import Mark
from memory.search.question import Question
from memory.sentences import sentence

KINDS = ("facts", "episodes", "passages")
FIELDS = ("query", "space", "k", "at", "kinds")
MAX_QUERY = 64 * 1024
USUAL_K, MOST_K = 10, 100
SPARE = 20  # found beyond, in the place of what states what was deleted
FIRST_YEAR, LAST_YEAR = 1900, 2200  # of what may be asked about; days are counted from there


@dataclass(frozen=True)
class Result:
    """One thing found. `at`: when it was said (an episode: its last turn); `source_ids`: the client's own message ids.

    `since_changed`: it says what no longer holds. `role` and `speaker`: who said a passage.
    """

    kind: str
    id: str
    text: str
    score: float
    scores: Mapping[str, float]
    why: str
    at: datetime
    source_audit_id: int | None
    source_ids: tuple[str, ...] = ()
    since_changed: bool = False
    role: str = ""
    speaker: str = ""
    audit_ids: tuple[int, ...] = field(default=(), repr=False)
    quote: str = field(default="", repr=False)


def for_request(*, profile_id: uuid.UUID, fields: Mapping[str, Any]) -> list[Result]:
    """What a request asks for, checked. Raises InvalidInput; NotFound for a space that is not there."""
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        raise InvalidInput(f"Not a field here: {', '.join(unknown)}. There are {', '.join(FIELDS)}.")
    query, slug, k = fields.get("query"), fields.get("space"), fields.get("k", USUAL_K)
    if not isinstance(query, str) or not query.strip() or len(query) > MAX_QUERY:
        raise InvalidInput(f"query is a text of 1 to {MAX_QUERY:,} characters.")
    if not isinstance(slug, str | None):
        raise InvalidInput("space is the name of a space.")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_K:
        raise InvalidInput(f"k is a whole number from 1 to {MOST_K}.")
    with profile_scope(profile_id):
        space = profiles.space(profile_id=profile_id, slug=slug)
    return find_in(
        space, query=storable_text(query), k=k, at=_time(fields.get("at")), kinds=_kinds(fields.get("kinds"))
    )


def find(
    *, profile_id: uuid.UUID, space_id: uuid.UUID, query: str, kinds: Collection[str] = KINDS, k: int = USUAL_K
) -> list[Result]:
    """What memory holds about a question in a space. Call outside of any transaction."""
    with profile_scope(profile_id):
        space = Space.objects.select_related("profile").get(profile_id=profile_id, id=space_id)
    return find_in(space, query=query, k=k, at=None, kinds=kinds)


def find_in(space: Space, *, query: str, k: int, at: datetime | None, kinds: Collection[str]) -> list[Result]:
    """At most k results, best first, of several kinds in equal parts; nothing of a kind that is switched off.

    at: as if asked then: what was said later is left out, and ages count from there.
    """
    wanted = consent.wanted(space)
    if not wanted.anything:
        return []
    question = asking.ask(profile_id=space.profile_id, text=query)
    unnamed = _unnamed(space, question) if "passages" in kinds and conf().semantic.enabled else question
    scope = Scope(space.profile_id, space.id, until=at or NEVER)
    with profile_scope(space.profile_id):
        found = _found(space, question, unnamed, scope, k=k, now=at or datetime.now(UTC), kinds=kinds, wanted=wanted)
        found = _fairly(_up_to_date(space.profile_id, found), k)
        return _with_sources(sorted(found, key=lambda one: -one.score))


def _unnamed(space: Space, question: Question) -> Question:
    """The question with a vector that the names of who speaks have no part in: they say whose words are meant."""
    with profile_scope(space.profile_id):
        names = speakers.of(space.profile_id, space.id)
    bare = question_text(question.text, names)
    if bare == question.text:
        return question
    return replace(question, near=asking.ask(profile_id=space.profile_id, text=bare).near)


def _found(
    space: Space,
    question: Question,
    unnamed: Question,
    scope: Scope,
    *,
    k: int,
    now: datetime,
    kinds: Collection[str],
    wanted: Wanted,
) -> list[Result]:
    found: list[Result] = []
    if "facts" in kinds and wanted.facts:
        found += [_fact(one, space) for one in facts.search(question, scope, most=k, now=now)]
    if "episodes" in kinds and wanted.episodes:
        found += [_episode(one) for one in episodes.search(question, scope, most=k + SPARE, now=now)]
    if "passages" in kinds and wanted.facts:
        of_chats = conf().semantic.enabled
        documents = set() if of_chats else selectors.conversations_of(space)
        if of_chats or documents:
            zone = space.profile.timezone
            rows = passages.search(unnamed, scope, most=k + SPARE, now=now, zone=zone)
            found += [_passage(one) for one in rows if of_chats or one.row.conversation_id in documents]
    return found


def _fairly(found: Sequence[Result], k: int) -> list[Result]:
    """The best k, of each kind as many: their scores are made of different parts, so one kind would push out another.

    found: the results of each kind, best first.
    """
    ranks = Counter[str]()
    ranked = []
    for one in found:
        ranked.append((ranks[one.kind], one))
        ranks[one.kind] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])[:k]]


def _fact(one: facts.Found, space: Space) -> Result:
    row, ranked = one.row, one.ranked
    return Result(
        "fact",
        str(row.id),
        sentence(row, space.profile),
        ranked.score,
        ranked.scores,
        ranked.why,
        row.said_at,
        row.source_audit_id,
        audit_ids=() if row.source_audit_id is None else (row.source_audit_id,),
        quote=row.quote,
    )


def _episode(one: episodes.Found) -> Result:
    row, ranked = one.row, one.ranked
    audits = tuple(row.source_audit_ids)
    last = audits[-1] if audits else None
    return Result(
        "episode",
        str(row.id),
        row.summary,
        ranked.score,
        ranked.scores,
        ranked.why,
        row.said_at,
        last,
        audit_ids=audits,
    )


def _passage(one: passages.Found) -> Result:
    row = one.row
    return Result(
        "passage",
        str(row.id),
        row.text,
        one.score,
        one.scores,
        one.why,
        row.said_at,
        row.audit_id,
        tuple(row.source_ids),
        role=row.role,
        speaker=row.speaker,
        audit_ids=() if row.audit_id is None else (row.audit_id,),
    )


def _up_to_date(profile_id: uuid.UUID, found: Sequence[Result]) -> list[Result]:
    """Without what the person has deleted since, and what has changed since marked so."""
    old = [outdated.Text(uuid.UUID(one.id), one.audit_ids, one.at, one.text) for one in found if one.kind != "fact"]
    marks = outdated.marks(profile_id, old)
    return [
        replace(one, since_changed=marks.get(uuid.UUID(one.id)) is Mark.CHANGED)
        for one in found
        if one.kind == "fact" or marks.get(uuid.UUID(one.id)) is not Mark.GONE
    ]


MESSAGES = """
SELECT a.id, m->>'id', m->>'role', m->>'text' FROM audit_log a, jsonb_array_elements(a.payload->'messages') m
 WHERE a.id = ANY (%s) AND m ? 'id'"""


def _with_sources(found: Sequence[Result]) -> list[Result]:
    """Facts and episodes with the ids that the client gave the messages that they are from."""
    audits = sorted({audit for one in found if one.kind != "passage" for audit in one.audit_ids})
    if not audits:
        return list(found)
    with connection.cursor() as cursor:
        cursor.execute(MESSAGES, [audits])
        named = cursor.fetchall()
    return [
        one
        if one.kind == "passage"
        else replace(one, source_ids=_ids(one, [m for m in named if m[0] in one.audit_ids]))
        for one in found
    ]


def _ids(one: Result, messages: Sequence[Any]) -> tuple[str, ...]:
    """Of the messages; for a fact of those that hold its quote, where any does."""
    quote = normalise(one.quote)
    quoted = [m for m in messages if quote and m[2] == "user" and quote in normalise(m[3] or "")]
    return tuple(dict.fromkeys(str(m[1]) for m in quoted or messages))


def _kinds(given: Any) -> tuple[str, ...]:
    if given is None:
        return KINDS
    if not isinstance(given, list) or not given or not all(kind in KINDS for kind in given):
        raise InvalidInput(f"kinds is a list of {', '.join(KINDS)}.")
    return tuple(given)


def _time(given: Any) -> datetime | None:
    if given is None:
        return None
    try:
        at = parse_datetime(given) if isinstance(given, str) else None
    except ValueError:
        at = None
    if at is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise InvalidInput("at is a time such as 2026-05-14T09:30:00+02:00.")
    return at if at.tzinfo else at.replace(tzinfo=UTC)
