"""A summary made of the person's own sentences, where no language model writes one."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from memory.builtin import play
from memory.builtin.text import BLANK, sentences
from memory.builtin.words import stems
from memory.domain.types import Message

LONGEST = 300
SHORT_REPLY = 110
FEWEST_WORDS = 3

_MATTERS = regex.compile(
    r"\b(?:decid|plan|going to|will|need|want|switch|mov|start|install|book|appointment|deadline|date|meeting|because|"
    r"prefer|problem|error|fail|broke|fix|buy|bought|instead|agreed|chose|remind|due|trip|travel|birthday|project)",
    regex.IGNORECASE,
)
_SPECIFIC = regex.compile(r"\d|(?<=\S )\p{Lu}\p{L}+")
_SMALL_TALK = regex.compile(
    r"^(?:hi|hello|hey|thanks|thank you|thx|ok|okay|great|cool|nice|bye|good (?:morning|evening|night)|yes|no|yep|lol|"
    r"sure|perfect|got it|understood|noted|never ?mind|please)\b[\s\S]{0,25}$",
    regex.IGNORECASE,
)


def summarise(messages: Sequence[Message]) -> str | None:
    """The one or two sentences that say most about a chat, verbatim, or None where it holds nothing to remember."""
    said = [sentence for message, text in play.serious(messages) for sentence in _sentences(text, message.text)]
    said = [sentence for sentence in said if _weight(sentence) > 0]
    if not said:
        return None
    best = sorted(range(len(said)), key=lambda place: (-_weight(said[place]), place))
    chosen = [said[place] for place in sorted(best[:2])]
    summary = " ".join(chosen)
    if len(summary) > LONGEST:
        summary = said[best[0]]
    reply = _short_reply(messages)
    if reply and len(summary) + len(reply) < LONGEST:
        summary = f"{summary} {reply}"
    return summary if len(summary) <= LONGEST else summary[: LONGEST - 1].rsplit(" ", 1)[0] + "\u2026"


def _sentences(readable: str, original: str) -> list[str]:
    """The sentences that are all the person's own, verbatim."""
    return [" ".join(original[each.start : each.end].split()) for each in sentences(readable) if BLANK not in each.text]


def _weight(sentence: str) -> float:
    """How much a sentence tells: its own words, names, figures and plans; small talk tells nothing."""
    words = list(stems(sentence))
    if len(words) < FEWEST_WORDS or _SMALL_TALK.match(sentence):
        return 0.0
    weight = min(len(words), 14) / 2 + 1.5 * min(3, len(_SPECIFIC.findall(sentence)))
    return weight + (2.0 if _MATTERS.search(sentence) else 0.0)


def _short_reply(messages: Sequence[Message]) -> str | None:
    """The assistant's answer to a question at the end of the chat, where it is short."""
    if len(messages) < 2 or messages[-1].role != "assistant" or "?" not in messages[-2].text:
        return None
    last = messages[-1]
    reply = " ".join(last.text.split())
    worth = len(reply) <= SHORT_REPLY and "\n" not in last.text.strip() and not reply.endswith("?")
    return reply if worth and _weight(reply) > 0 else None
