"""What a pattern caught, cut down to the value that is worth keeping."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from memory.builtin.text import BLANK

LONGEST = 120

_SPACE = regex.compile(r"\s+")
_FILLER = regex.compile(
    r"[\s,]+(?:now|rn|atm|nowadays|today|currently|already|anyway|again|too|also|as well|either|though|lol|haha|btw"
    r"|fyi|tbh|imo|by the way|these days|right now|at the moment|at present|for now|so far|for the (?:record|moment)"
    r"|for (?:years|ages|a while|\w+ years)|since \d{4}|and (?:that|so on)|etc|you know|actually|really|instead"
    r"|please|thanks|thank you|of course|a lot|so much|very much|the most|the best|more than anything|myself"
    r"|with (?:my|our) \p{L}+(?: \p{L}+)?)$",
    regex.IGNORECASE,
)
_AGE = regex.compile(r"\s?\(\d{1,2}\)?$")  # "Emil (6)"
_EDGES = " \n.,;:!?'\"()-\u2014\u2026" + BLANK
_LIST = regex.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&|\+|und)\s+|\s*/\s*", regex.IGNORECASE)
_ARTICLE = regex.compile(
    r"^(?:(?:a little|a bit of|some|basic|fluent|good|decent|the|an?|any|my|our)\s+)+", regex.IGNORECASE
)
_SLUG = regex.compile(r"[^\p{L}\p{N}]+")
_GO_TO = regex.compile(r"^go to (?:the |my |our |an? )?")
_OVER = regex.compile(
    r"\s+(?:over|to|and|like|rather than|instead of|than|with|without|in|on|at|from|for|when|if|by)\s+.*$"
)


def tidy(text: str) -> str:
    """One line without edges and without the small words that trail after a value ("Tartu now" is "Tartu")."""
    text = _AGE.sub("", _SPACE.sub(" ", text)).strip(_EDGES)
    for _ in range(4):
        shorter = _FILLER.sub("", text).strip(_EDGES)
        if not shorter or shorter == text:
            break
        text = shorter
    if text.endswith("'s"):
        text = text[:-2]
    return text[:LONGEST].strip()


def items(text: str) -> list[str]:
    """The parts of "Ada, Bo and Cy"."""
    return [part for part in (tidy(piece) for piece in _LIST.split(text)) if part]


def bare(text: str) -> str:
    """The text without its leading article."""
    return str(_ARTICLE.sub("", text))


def slug(text: str) -> str:
    """A part of a key: small letters, digits and underscores."""
    return str(_SLUG.sub("_", text.casefold())).strip("_")[:40].strip("_")


def topic(text: str, topics: Mapping[str, str]) -> str:
    """What a preference is about: a known topic if one is named in it, else the last word of what is preferred."""
    small = text.casefold()
    head = _OVER.sub("", small)
    words = [word for word in regex.findall(r"[\p{L}\p{N}]+", head) if len(word) > 1]
    for word in (*words, *regex.findall(r"[\p{L}\p{N}]+", small)):
        if word in topics:
            return topics[word]
    if words and words[0] == "to":
        return slug(words[1]) if len(words) > 1 else "general"
    return slug(words[-1]) if words else "general"


def activity(text: str) -> str:
    """What a routine is about: "go running on Tuesdays" is running, "get up at 6" is get_up."""
    words = regex.findall(r"[\p{L}\p{N}]+", _OVER.sub("", _GO_TO.sub("", text.casefold())))
    if len(words) > 1 and words[-1] in ("up", "out", "off", "in"):
        words = ["_".join(words[-2:])]
    return slug(words[-1]) if words else "general"
