"""What the person has answered once, by deleting or rejecting it, is not asked or learned again in other words."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import regex

from .closing import overlaps
from .known import Claim, Known
from .text import in_one_script, same_form, tokens

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
    """What the answers to facts mean for the claim, where they were given in other words or under another key.

    A chat that was answered is not answered anew by a second reading. What was said elsewhere before a deletion, in
    words that contain the deleted ones or (under the same key) are contained in them, may be meant by it. Of a purged
    fact the words are gone: whatever the same chat says may be it.
    """
    answers = {_answer(claim, row) for row in rows if not row.closes and row.state in ("deleted", "rejected")}
    return next((answer for answer in (Answer.SETTLED, Answer.DOUBT) if answer in answers), Answer.NONE)


def _answer(claim: Claim, row: Known) -> Answer:
    same_chat = claim.audit_id in row.heard_in
    same_key = claim.key is not None and claim.key == row.key
    if not row.value:
        settled, doubted = same_chat and same_key and claim.single, same_chat
    else:
        alike = _alike(claim, row) if same_key else row.state == "deleted" and _tells(claim, row)
        settled = alike and same_chat and same_key
        doubted = alike and row.deleted_at is not None and (same_chat or claim.may_be_from_before(row.deleted_at))
    return Answer.SETTLED if settled else Answer.DOUBT if doubted else Answer.NONE


def _alike(claim: Claim, row: Known) -> bool:
    return form(row.value) == form(claim.value) or overlaps(row.value, claim.value)


def _tells(claim: Claim, row: Known) -> bool:
    """Whether the claim says what was deleted, and perhaps more: "Works at Kestrel Optics in Bremen"."""
    return is_telling(row.value) and set(tokens(row.value)) <= set(tokens(claim.value))
