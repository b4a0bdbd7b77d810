"""What the person has answered once, by deleting or rejecting it, is not asked or learned again in other words."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import regex

from .closing import overlaps
from .known import Claim, Known
from .text import in_one_script, same_form

LEAST_TELLING = 4  # a shorter value says the same under two keys by chance
_INNER_DASH = regex.compile(r"(?<=\p{L})\s*[-_/]\s*(?=\p{L})")
_ARTICLE = regex.compile(
    r"^(?:an?|the|my|our|der|die|das|ein|eine|le|la|les|un|une|el|los|las|uno|una|il|lo|gli)\s+(?=\S)"
)


class Answer(StrEnum):
    """What an answer makes of a claim."""

    NONE = "none"
    SETTLED = "settled"  # nothing is to be done
    DOUBT = "doubt"  # it may be what was deleted: the person decides


def form(value: str) -> str:
    """What an answer remembers of a value: neither articles, hyphens nor letters of another script make it new."""
    text = _INNER_DASH.sub(" ", in_one_script(same_form(value)))
    return _ARTICLE.sub("", text)


def is_telling(value: str) -> bool:
    """Whether the value alone, under whatever key, says what was meant."""
    return len(form(value)) >= LEAST_TELLING


def answered(claim: Claim, rows: Iterable[Known]) -> Answer:
    """What the answers to facts of the claim's key mean for the claim, where they were given in other words.

    A chat that was answered is not answered anew by a second reading. What was said elsewhere before a deletion, in
    words that contain the deleted ones or are contained in them, may be meant by it. Of a purged fact the words are
    gone: whatever the same chat says under its key may be it.
    """
    found = Answer.NONE
    for row in rows:
        if row.closes or row.state not in ("deleted", "rejected"):
            continue
        same_chat = claim.audit_id in row.heard_in
        if not row.value:
            settled, doubted = same_chat and claim.single, same_chat
        else:
            alike = form(row.value) == form(claim.value) or overlaps(row.value, claim.value)
            settled = same_chat and alike
            doubted = alike and row.deleted_at is not None and claim.said_at <= row.deleted_at
        if settled:
            return Answer.SETTLED
        if doubted:
            found = Answer.DOUBT
    return found
