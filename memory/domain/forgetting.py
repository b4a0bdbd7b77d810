"""Does the person ask that something known be forgotten? Only then is a deletion made of what a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

import regex

from .denial import Meaning
from .grounding import ground
from .text import normalise
from .types import Grounding, Message, Op, Proposal, Stance

NEAR = 200  # characters around the value in which the wish must stand

# "Delete my CV draft" is work on a text; these words are about remembering.
_ABOUT_MEMORY = regex.compile(
    r"\b(?:forget|unlearn|(?:un)?remember(?:ed)?|kept|keep|stor(?:e|ed|ing)|sav(?:e|ed|ing)|record(?:ed|ing)?|retain(?:ed)?"
    r"|memor(?:y|ies|i[sz]e)|between\s+us|vergiss|vergessen|oublie[sz]?|olvida|unohda)\b|忘|잊"
)


def asked_to_forget(
    proposal: Proposal, messages: Sequence[Message], grounding: Grounding, zone: tzinfo | None = None
) -> Grounding | None:
    """Where the person asks that just this be forgotten, or None where they do not.

    `grounding` is the proposal's own. A model that takes the wish for a retraction is believed; one that merely
    repeats the value is not, unless the person's words there are about remembering.
    """
    if proposal.stance is not Stance.ASSERTED:
        return None
    if proposal.op is Op.RETRACT:
        if not grounding.ok or ground(replace(proposal, op=Op.SET), messages, zone=zone).reason != Meaning.FORGET:
            return None
        return grounding
    if grounding.reason != Meaning.FORGET:
        return None
    place = ground(replace(proposal, op=Op.RETRACT), messages, zone=zone)
    if not place.ok or place.message_index is None:
        return None
    text = messages[place.message_index].text
    around = normalise(text[max(0, place.offset - NEAR) : place.offset + len(proposal.value) + NEAR])
    return place if _ABOUT_MEMORY.search(around) else None
